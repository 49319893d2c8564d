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
def gen():
    @torch.no_grad()
    def g():
        r = E_()
        while True:
            x = yield r, E_()
            if x == "stop":
                return "done"
            try:
                pass
            finally:
                r = E_()

    it = g()
    a = next(it)
    b = E_()
    c = it.send(1)
    try:
        it.send("stop")
    except StopIteration as s:
        d = s.value
    return a, b, c, d, E_()


@case
def gen_throw():
    @torch.no_grad()
    def g():
        try:
            yield E_()
        except ValueError:
            yield "caught", E_()
        finally:
            log.append(E_())

    log = []
    it = g()
    a = next(it)
    b = it.throw(ValueError("x"))
    it.close()
    return a, b, log, E_()


@case
def gen_close():
    log = []

    @torch.no_grad()
    def g():
        try:
            yield 1
        finally:
            log.append(E_())

    it = g()
    next(it)
    it.close()
    return log


@case
def gen_err():
    @torch.no_grad()
    def g():
        yield 1
        raise ValueError("q")

    it = g()
    next(it)
    try:
        next(it)
    except ValueError as e:
        return str(e), E_()


@case
def cls_dec():
    @torch.no_grad()
    class A:
        def __init__(self):
            self.m = E_()

    return A().m


@case
def exc():
    try:
        with torch.no_grad():
            raise ValueError
    except ValueError:
        pass
    return E_()


@case
def reuse():
    m = torch.no_grad()
    r = []
    with m:
        r.append(E_())
    with m:
        with m:
            r.append(E_())
        r.append(E_())
    return r, E_()


@case
def rep():
    return repr(torch.set_grad_enabled(True))[:60], type(torch.no_grad()).__module__, repr(torch.no_grad)


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
def view_ng():
    x = leaf([1.0, 2.0])
    with torch.no_grad():
        v = x[0]
    return v.requires_grad, v._is_view()


@case
def backward_ng():
    x = leaf()
    y = x * x
    with torch.no_grad():
        y.backward()
    return x.grad


@case
def backward_ng2():
    x = leaf()
    y = x**3
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return g, g.requires_grad


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
def inf_req():
    with torch.inference_mode():
        x = tensor(1.0, requires_grad=True)
        y = x * 2
    return x.requires_grad, y.requires_grad, x.is_inference(), x, y


@case
def inf_save():
    with torch.inference_mode():
        a = tensor(2.0)
    return leaf() * a


@case
def inf_nosave():
    with torch.inference_mode():
        a = tensor(2.0)
    return (leaf() + a), (a * 2).is_inference()


@case
def inf_inplace():
    with torch.inference_mode():
        a = tensor([2.0])
        a.mul_(2)
    a.mul_(2)


@case
def inf_version():
    with torch.inference_mode():
        a = tensor([2.0])
    return a._version


@case
def inf_setreq():
    with torch.inference_mode():
        a = tensor([2.0])
    a.requires_grad = True


@case
def inf_setreq_in():
    with torch.inference_mode():
        a = tensor([2.0])
        a.requires_grad_()
        return a.requires_grad


@case
def inf_clone():
    with torch.inference_mode():
        a = tensor([2.0])
    b = a.clone()
    b.requires_grad_()
    (b * 2).sum().backward()
    return b.is_inference(), b.grad


@case
def inf_normal_inplace():
    x = tensor([1.0])
    with torch.inference_mode():
        x.add_(1)
    return x, x._version, x.is_inference()


@case
def inf_view():
    x = leaf([1.0, 2.0])
    h = x * 1
    with torch.inference_mode():
        v = h[0]
    return v.is_inference(), v.requires_grad, v._is_view()


@case
def inf_view_mod():
    x = leaf([1.0, 2.0])
    h = x * 1
    with torch.inference_mode():
        v = h[0]
    v.mul_(2)


@case
def inf_view_out():
    with torch.inference_mode():
        a = tensor([1.0, 2.0])
    v = a[0]
    return v.is_inference(), (a + 1).is_inference()


@case
def inf_leaf_inplace():
    x = leaf([1.0])
    with torch.inference_mode():
        x.mul_(2)
    return x, x._version


@case
def inf_dec():
    @torch.inference_mode()
    def f():
        return torch.is_inference_mode_enabled(), E_()

    @torch.inference_mode
    def g():
        return torch.is_inference_mode_enabled()

    @torch.inference_mode(False)
    def h():
        return torch.is_inference_mode_enabled()

    return f(), g(), h()


@case
def inf_detach():
    with torch.inference_mode():
        a = tensor([1.0])
    d = a.detach()
    return d.is_inference()


@case
def inf_retain():
    with torch.inference_mode():
        a = tensor([1.0])
        a.retain_grad()


@case
def inf_hook():
    with torch.inference_mode():
        a = tensor([1.0])
        a.register_hook(print)


@case
def inf_grad():
    with torch.inference_mode():
        a = tensor([1.0])
        return a.grad, a.grad_fn, a.is_leaf


@case
def inf_backward_in():
    with torch.inference_mode():
        x = leaf()
        y = x * 2
        y.backward()


@case
def inf_out():
    with torch.inference_mode():
        a = tensor([1.0])
    x = tensor([1.0])
    x.copy_(a) if hasattr(x, "copy_") else 0
    return x.is_inference()


@case
def threads():
    r = []
    with torch.no_grad():
        th = threading.Thread(target=lambda: r.append((E_(), torch.is_inference_mode_enabled())))
        th.start()
        th.join()
    return r


@case
def sgd_pos():
    torch.set_grad_enabled()


@case
def ng_arg():
    torch.no_grad(3)
