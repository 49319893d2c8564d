"""torch.autograd.Function: all of its rules."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import importlib

F = torch.autograd.Function
od = importlib.import_module(module + ".autograd.function").once_differentiable


def make(fwd=None, bwd=None, name="Fn", **extra):
    ns = {}
    ns["forward"] = staticmethod(fwd or (lambda ctx, x: x * 2))
    if bwd != "none":
        ns["backward"] = staticmethod(bwd or (lambda ctx, g: g * 2))
    ns.update(extra)
    return type(name, (F,), ns)


Fn = make()
# legacy


class NoFStatic(F):
    def forward(self, x):
        return x

    def backward(self, g):
        return g


show("nonstatic", lambda: NoFStatic.apply(leaf()))
Nb = make(bwd="none")
show("nobwd", lambda: Nb.apply(leaf()).backward())
show("nofwd", lambda: type("NoForward", (F,), {}).apply(leaf()))
# kwargs
show("kwargs", lambda: Fn.apply(x=leaf()))
# number of grads
show("toomany", lambda: make(bwd=lambda ctx, g: (g, g)).apply(leaf()).backward())
show("toofew", lambda: make(lambda ctx, a, b: a * b, lambda ctx, g: g).apply(leaf(), leaf()).backward())
show("gradnontensor", lambda: make(bwd=lambda ctx, g: 3.0).apply(leaf()).backward())
show("gradfornontensor", lambda: make(lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(leaf(), 3).backward())
show("fwd list", lambda: make(lambda ctx, x: [x * 2, x]).apply(leaf()))
show("fwd tuple", lambda: make(lambda ctx, x: (x * 2, 3, None, "a")).apply(leaf()))


@case
def tuple_bw():
    seen = []
    G = make(lambda ctx, x: (x * 2, 3, x * 3), lambda ctx, *g: seen.append(g) or g[0] * 2)
    x = leaf()
    a, _, b = G.apply(x)
    a.backward(retain_graph=True)
    r = seen[:], x.grad, a.output_nr, b.output_nr, a.grad_fn is b.grad_fn
    return r


def matz(v):
    seen = []

    def fwd(ctx, x):
        ctx.set_materialize_grads(v)
        return x * 2, x * 3

    G = make(fwd, lambda ctx, *g: seen.append(g) or g[0])
    a, b = G.apply(leaf([1.0, 2.0]))
    a.sum().backward()
    return seen


show("mat True", matz, True)
show("mat False", matz, False)


# non diff
@case
def nondiff():
    seen = []

    def fwd(ctx, x):
        y, i = x * 2, x * 3
        ctx.mark_non_differentiable(i)
        return y, i

    G = make(fwd, lambda ctx, *g: seen.append(g) or g[0])
    a, b = G.apply(leaf([1.0, 2.0]))
    a.sum().backward()
    return a, b, seen, b.requires_grad, b.grad_fn


# shapes/dtypes of gradients
show("shape bad", lambda: make(bwd=lambda ctx, g: tensor([1.0, 2.0, 3.0])).apply(leaf([1.0, 2.0])).sum().backward())


# needs
def needs(*a):
    seen = []

    def fwd(ctx, *a):
        seen.append(ctx.needs_input_grad)
        return a[0] * 2

    G = make(fwd, lambda ctx, g: seen.append(ctx.needs_input_grad) or (g,) + (None,) * (len(a) - 1))
    y = G.apply(*a)
    if y.requires_grad:
        y.backward()
    return seen


show("needs", needs, leaf(), tensor(2.0), 3, leaf(), "a", None)


# saved
def saved(*save, twice=False):
    def fwd(ctx, x):
        ctx.save_for_backward(*save)
        return x * 2

    out = []
    G = make(fwd, lambda ctx, g: out.append(ctx.saved_tensors) or g)
    y = G.apply(leaf())
    y.backward()
    if twice:
        y.backward()
    return out


show("saved", saved, tensor(1.0), None)
show("saved twice", saved, tensor(1.0), twice=True)


def saveversion(which):
    def fwd(ctx, x):
        y = x * 2
        z = x * 3
        ctx.save_for_backward(dict(x=x, y=y, z=z)[which])
        ctx.z = z
        return y

    G = make(fwd, lambda ctx, g: ctx.saved_tensors[0] * g)
    x = leaf()
    h = x * 1
    y = G.apply(h)
    n = y.grad_fn
    with torch.no_grad():
        if which == "x":
            h.mul_(2)
        if which == "y":
            y.mul_(2)
        if which == "z":
            n.z.mul_(2)
    y.backward()
    return x.grad


for w in "xyz":
    show("saveversion " + w, saveversion, w)


@case
def saveout():
    out = []

    def fwd(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    G = make(fwd, lambda ctx, g: out.append(ctx.saved_tensors[0]) or g * ctx.saved_tensors[0], name="Exp")
    x = leaf()
    y = G.apply(x)
    s = y.grad_fn.saved_tensors[0]
    r = s is y, s.grad_fn is y.grad_fn, s, s.output_nr
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (gg,) = torch.autograd.grad(g, x, create_graph=True)
    return r, g, gg, out


# grads disabled inside
show(
    "in fwd",
    lambda: make(
        lambda ctx, x: log.append((torch.is_grad_enabled(), (x * 2).requires_grad, x.requires_grad)) or x * 2
    ).apply(leaf()),
)
show("in bwd", lambda: make(bwd=lambda ctx, g: log.append(torch.is_grad_enabled()) or g).apply(leaf()).backward())
# once differentiable
Once = make(bwd=od(lambda ctx, g: g * 2), name="Once")


def once(f):
    x = leaf()
    y = Once.apply(x) * x
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return f(x, g)


show("once2", once, lambda x, g: torch.autograd.grad(g, x))


# inputs returned
@case
def as_is():
    x = leaf()
    h = x * 1
    y = make(lambda ctx, x: x).apply(h)
    return y is h, y, y._is_view(), y._base is h, h.grad_fn.name(), y._version


# dirty
def dirty(mark=True, ret=True, of_leaf=False):
    def fwd(ctx, x):
        x.mul_(2)
        if mark:
            ctx.mark_dirty(x)
        return x if ret else x * 1

    G = make(fwd, name="Dirty")
    x = leaf([1.0, 2.0])
    h = x if of_leaf else x * 1
    y = G.apply(h)
    r = y is h, y._version, y, h, y._is_view()
    if y.requires_grad:
        y.sum().backward()
    return r, x.grad


show("dirty", dirty)
show("dirty unret", dirty, ret=False)
show("dirty leaf", dirty, of_leaf=True)
show("undeclared", dirty, mark=False)


# setup_context
@case
def setup():
    log = []

    class S(F):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, k = inputs
            ctx.k = k
            log.append((inputs, output, output.grad_fn))
            ctx.save_for_backward(x, output)

        @staticmethod
        def backward(ctx, g):
            log.append(ctx.saved_tensors)
            return g * ctx.k, None

    x = leaf()
    y = S.apply(x, 3)
    y.backward()
    return log, x.grad, y


def of_two(first, second, *grads, **options):
    """The gradients of two inputs whose product's backward returns *grads*."""
    inputs = [torch.ones(each, requires_grad=True) for each in (first, second)]
    make(lambda ctx, a, b: (a * b).sum(), lambda ctx, grad: grads).apply(*inputs).backward(**options)
    return [each.grad for each in inputs]


show("two gradients", of_two, 2, 2, torch.ones(2), torch.zeros(2))
show("a second gradient that is a number", of_two, 2, 2, torch.ones(2), 3.0)
show("a second gradient of another dtype", of_two, 2, 2, torch.ones(2), torch.ones(2, dtype=torch.float64))
show("three gradients for one element", of_two, 3, 1, torch.ones(3), torch.ones(3))
show("the same, recorded", of_two, 3, 1, torch.ones(3), leaf([1.0, 2.0, 3.0]) * 2, create_graph=True)
show("three gradients for two elements", of_two, 2, 2, torch.ones(2), torch.ones(3))
show("one gradient for two elements", of_two, 2, 2, torch.ones(2), torch.ones(1))
show("a row of gradients for a matrix", of_two, (2, 3), 3, torch.ones(3), torch.ones(2, 3))
show("a saved number", make(lambda ctx, x: ctx.save_for_backward(3.0) or x * 2).apply, leaf())
