"""torch.autograd.graph: hooks on saved tensors, edges, hooks over several tensors."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import importlib

G = importlib.import_module(module + ".autograd.graph")


def pk(x):
    log.append(("pack", x))
    return x.detach()


def up(x):
    log.append(("unpack", x))
    return x


@case
def result():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x.exp()
    z.backward()
    return x.grad


@case
def nested():
    x = leaf()
    with G.saved_tensors_hooks(lambda v: log.append("outer") or v, lambda v: v):
        with G.saved_tensors_hooks(lambda v: log.append("inner") or v, lambda v: v):
            z = x.exp()
        w = x.exp()
    (z + w).backward()
    return x.grad


@case
def the_order_in_which_a_power_is_packed():
    with G.saved_tensors_hooks(logged("pack", lambda v: v), lambda v: v):
        torch.pow(leaf([2.0, 3.0]), leaf(2.0))


@case
def changed_after():
    x = leaf()
    h = x * 1
    with G.saved_tensors_hooks(lambda v: v.clone(), lambda v: v):
        z = h * h
    h.mul_(5)
    z.backward()
    return x.grad


@case
def function():
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y, None)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y, _ = ctx.saved_tensors
            log.append((x, y))
            return g

    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = F.apply(x)
    raw = [type(each).__name__ for each in z.grad_fn._raw_saved_tensors]
    z.backward()
    return x.grad, raw


# raw
@case
def raw():
    x = leaf()
    y = x.exp()
    r = y.grad_fn._raw_saved_result
    r.register_hooks(lambda v: log.append(("p", v)) or v * 10, lambda v: log.append(("u", v)) or v)
    y.backward()
    return x.grad, type(r).__name__


@case
def saved_freed():
    x = leaf()
    y = x.exp()
    y.backward()
    return y.grad_fn._saved_result


# graph utilities
@case
def node():
    n = (leaf() * 2).grad_fn
    a = n.next_functions[0][0]
    return isinstance(n, G.Node), isinstance(a, G.Node), G.Node, issubclass(type(n), G.Node), isinstance(3, G.Node)


@case
def edge():
    x = leaf()
    y = x * 2
    e = G.get_gradient_edge(y)
    f = G.get_gradient_edge(x)
    return e.node.name(), e.output_nr, f.node.name(), e.node is y.grad_fn, type(e).__name__, e[1], e._fields


@case
def edge_grad():
    x = leaf()
    y = x * 2
    z = y * y
    e = G.get_gradient_edge(y)
    return (torch.autograd.grad(z, e),)


def multi(mode):
    x = leaf()
    y = leaf(3.0)
    c = x * y
    d = x * y
    h = G.register_multi_grad_hook((x, y, c, d), lambda grads: log.append(grads), mode=mode)
    c.backward(retain_graph=True)
    c.backward(inputs=(x,), retain_graph=True)
    (c + d).backward(retain_graph=True)
    h.remove()
    c.backward()
    return type(h).__name__


show("multi all", multi, "all")
show("multi any", multi, "any")
