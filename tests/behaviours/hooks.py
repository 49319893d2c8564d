"""Tensor hooks, node hooks, hooks on leaves, retained gradients; their order, errors and removal."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011


show("notcallable", lambda: leaf().register_hook(3))
show("noreq", lambda: tensor(1.0).register_hook(print))
show("nonleaf post", lambda: (leaf() * 2).register_post_accumulate_grad_hook(print))


def bad(ret, v=2.0):
    x = leaf(v)
    y = x * 3
    h = y.register_hook(lambda g: ret(g))
    y.sum().backward()
    return x.grad


show("ret number", bad, lambda g: 3.0)
show("ret dtype", bad, lambda g: g.double())
show("ret shape", bad, lambda g: g.reshape(1))


@case
def named():
    def my_hook(g):
        return 3

    x = leaf()
    (x * 2).register_hook(my_hook)
    y = x * 2
    y.register_hook(my_hook)
    y.backward()


@case
def remove():
    x = leaf()
    y = x * 2
    h = y.register_hook(logged("a"))
    k = y.register_hook(logged("b"))
    h.remove()
    h.remove()
    y.backward()
    return x.grad


@case
def inplace_in_hook():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g.mul_(10) and None)
    y.backward()
    return x.grad


@case
def hook_then_inplace():
    x = leaf()
    y = x * 2
    y.register_hook(logged("before"))
    y.mul_(3)
    y.register_hook(logged("after"))
    y.retain_grad()
    y.mul_(5)
    y.backward()
    return x.grad, y.grad


@case
def create_graph():
    x = leaf()
    y = x**3
    y.register_hook(logged("a", lambda g: g * x))
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return g, torch.autograd.grad(g, x)


# node hooks
def of_a_node(*hooks):
    """The gradients of a product's inputs, with these hooks on its node: ``(method, hook)``."""
    x = leaf()
    y = leaf(3.0)
    z = x * y
    for method, hook in hooks:
        getattr(z.grad_fn, method)(hook)
    z.backward()
    return x.grad, y.grad


show("node_post_replace", of_a_node, ("register_hook", logged("post", lambda gi, go: (gi[0] * 10, None))))
show("node_post_count", of_a_node, ("register_hook", logged("post", lambda gi, go: (gi[0],))))
show("node_pre", of_a_node, ("register_prehook", logged("pre", lambda go: (go[0] * 10,))),
     ("register_prehook", logged("pre2")))  # fmt: skip
show("prehook of another shape", of_a_node, ("register_prehook", lambda grads: (torch.ones(3),)))
show("prehook of another dtype", of_a_node, ("register_prehook", lambda grads: (grads[0].double(),)))
show("prehook with a number", of_a_node, ("register_prehook", lambda grads: (3.0,)))


@case
def all_kinds():
    x = leaf()
    z = x.sin()
    z.register_hook(logged("tensor", lambda g: g * 2))
    z.grad_fn.register_prehook(logged("pre"))
    z.register_hook(logged("tensor2"))
    z.retain_grad()
    z.grad_fn.register_hook(logged("post"))
    z.grad_fn.register_hook(logged("post2"))
    z.backward()
    return x.grad, z.grad


@case
def accumulate_node():
    x = leaf()
    z = x.sin()
    a = z.grad_fn.next_functions[0][0]
    a.register_hook(logged("post"))
    a.register_prehook(logged("pre", lambda g: (g[0] * 2,)))
    x.register_hook(logged("tensor"))
    x.register_post_accumulate_grad_hook(logged("acc"))
    z.backward()
    return x.grad


@case
def acc_sets_none():
    x = leaf()

    def h(p):
        p.grad = None
        log.append(p is x)

    x.register_post_accumulate_grad_hook(h)
    (x * 2).backward()
    return x.grad


@case
def retained_twice():
    x = leaf()
    y = x * 3
    y.retain_grad()
    for _ in range(2):
        (y * y).backward(retain_graph=True)
    return y.grad, x.grad
