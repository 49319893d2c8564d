"""no_grad, enable_grad, set_grad_enabled and inference mode: nested, as decorators, across threads."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import threading

E_ = torch.is_grad_enabled


@case
def ctx():
    r = [E_()]
    with torch.no_grad():
        r.append(E_())
        with torch.enable_grad():
            r.append(E_())
        with torch.set_grad_enabled(True):
            r.append(E_())
        r.append(E_())
    r.append(E_())
    with torch.set_grad_enabled(False):
        r.append(E_())
    r.append(E_())
    torch.set_grad_enabled(False)
    r.append(E_())
    torch.set_grad_enabled(True)
    r.append(E_())
    return r


@case
def dec():
    @torch.no_grad()
    def f():
        "doc"
        return E_()

    @torch.no_grad
    def g():
        return E_()

    @torch.enable_grad()
    def h():
        return E_()

    @torch.set_grad_enabled(False)
    def k():
        return E_()

    r = E_()
    with torch.no_grad():
        q = h()
    return f(), g(), q, k(), r, f.__name__, f.__doc__, E_()


@case
def leaf():
    x = leaf()
    with torch.no_grad():
        y = x * 2
        z = tensor(1.0, requires_grad=True)
    return y.requires_grad, y.is_leaf, y.grad_fn, z.requires_grad


@case
def inpl_leaf():
    x = leaf()
    with torch.no_grad():
        x.mul_(2)
        x += 1
    return x, x._version


@case
def backward_ng():
    x = leaf()
    y = x * x
    with torch.no_grad():
        y.backward()
    return x.grad


@case
def inf():
    with torch.inference_mode():
        a = tensor(1.0, requires_grad=False)
        b = a * 2
        r = [E_(), torch.is_inference_mode_enabled(), a.is_inference(), b.is_inference()]
        with torch.inference_mode(False):
            r += [E_(), torch.is_inference_mode_enabled(), tensor(1.0).is_inference()]
        with torch.enable_grad():
            r += [E_()]
        with torch.no_grad():
            r += [E_()]
    return r, a.is_inference(), tensor(1.0).is_inference(), E_()


@case
def inf_save():
    with torch.inference_mode():
        a = tensor(2.0)
    return leaf() * a


@case
def inf_inplace():
    with torch.inference_mode():
        a = tensor([2.0])
        a.mul_(2)
    a.mul_(2)


show("inf_setreq", lambda: setattr(torch.inference_mode()(lambda: tensor([2.0]))(), "requires_grad", True))


@case
def threads():
    r = []
    with torch.no_grad():
        th = threading.Thread(target=lambda: r.append((E_(), torch.is_inference_mode_enabled())))
        th.start()
        th.join()
    return r


@case
def grad_mode_in_inference_mode():
    seen = []
    for outside in True, False:
        for inside in True, False:
            with torch.set_grad_enabled(outside), torch.inference_mode(inside):
                y = torch.ones(1, requires_grad=True) * 2
                seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled(), y.requires_grad))
    return seen


@case
def a_generator_keeps_its_mode_while_it_runs():
    found = []
    for mode in torch.no_grad, torch.enable_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False):

        @mode()
        def generator():
            try:
                given = yield torch.is_grad_enabled()
                yield given, torch.is_grad_enabled()
            except KeyError:
                yield torch.is_grad_enabled()
            finally:
                found.append(torch.is_grad_enabled())
            return "the end"

        def all_of_it():
            found.append((yield from generator()))

        running, thrown, closed = generator(), generator(), generator()
        found += [next(running), torch.is_grad_enabled(), running.send(5), torch.is_grad_enabled(), next(closed)]
        closed.close()
        found += [next(thrown), thrown.throw(KeyError()), torch.is_grad_enabled(), list(all_of_it())]
        running.close(), thrown.close()
    return found


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * ctx.saved_tensors[0]


@case
def a_function_records_where_gradients_are_enabled_again_in_inference_mode():
    x = leaf()
    with torch.inference_mode():
        found = [Squared.apply(x).requires_grad]
        with torch.enable_grad():
            y = Squared.apply(x)
            found += [y, y.requires_grad, y.is_inference(), y.is_leaf, (x * 2).requires_grad]
    y.backward()
    return found, x.grad


@case
def anomaly_mode_within_anomaly_mode():
    found = []
    for check_nan in True, False:
        x = leaf(0.0)
        with torch.autograd.detect_anomaly():
            with torch.autograd.detect_anomaly(check_nan):
                try:
                    (x * 0 / x).backward()
                except RuntimeError as error:
                    found.append(str(error))
            (x * 2).backward()
            found.append(torch.autograd.grad(x * 3, x))
            x.backward()
        found.append(x.grad)
    return found
