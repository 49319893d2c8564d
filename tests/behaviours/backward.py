"""Backward passes: roots and gradients, inputs, freeing, accumulation, the order of leaves, reentrance, threads."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011

grad, backward = torch.autograd.grad, torch.autograd.backward
x = leaf()
v = leaf([1.0, 2.0, 3.0])
show("nonscalar", lambda: (v * 2).backward())
show("noreq", lambda: tensor(1.0).backward())
show("int", lambda: tensor(1).backward())
show("leaf", lambda: leaf().backward())


show("shape", lambda: (v * 2).backward(tensor([1.0, 2.0])))
show("dtype", lambda: (x * 2).backward(tensor(1.0, dtype=torch.float64)))
show("gradnum", lambda: (x * 2).backward(3.0))
show("count", lambda: backward([x * 2, x * 3], [tensor(1.0)]))
show("empty", lambda: backward([]))
show("no inputs", lambda: grad(x * 2, []))
show("inputs noreq", lambda: grad(x * 2, tensor(1.0)))
show("unused", lambda: grad(x * 2, [x, v]))
show("unused ok", lambda: grad(x * 2, [x, v], allow_unused=True))
show("mat", lambda: grad(x * 2, [x, v], materialize_grads=True))
show("mat conflict", lambda: grad(x * 2, [x, v], materialize_grads=True, allow_unused=False))
show("backward unused inputs", lambda: (x * 2).backward(inputs=[v]))
show("untouched", lambda: v.grad)
show("same twice", lambda: grad(x * 2, [x, x]))
show("inter", lambda: (lambda y: grad(y * y, [y, x]))(x * 3))
show("root is input", lambda: (lambda y: grad(y, y))(x * 3))
show("several", lambda: grad([x * 2, x * 3], x))


def twice(f, r=False):
    q = leaf()
    y = f(q)
    y.backward(retain_graph=r)
    y.backward()
    return q.grad


show("twice", twice, lambda q: q * q)
show("twice add", twice, lambda q: q + 1)
show("retain", twice, lambda q: q * q, True)


@case
def create_keeps():
    q = leaf()
    y = q * q
    grad(y, q, create_graph=True)
    y.backward()
    return q.grad


@case
def cg():
    q = leaf()
    y = q * q
    y.backward(create_graph=True)
    return q.grad, q.grad.requires_grad


@case
def acc():
    q = leaf([1.0, 2.0])
    (q * q).sum().backward()
    g = q.grad
    (q * q).sum().backward()
    return g is q.grad, g


@case
def inputs():
    a = leaf()
    w = leaf(3.0)
    y = a * w
    z = y * y
    z.backward(inputs=[a], retain_graph=True)
    z.backward(inputs=[y], retain_graph=True)
    z.backward(inputs=[y, w])
    return a.grad, w.grad, y.grad, y.retains_grad


order = []


def leaves(n, op):
    order.clear()
    ls = [leaf([float(i)]) for i in range(n)]
    for i, l in enumerate(ls):
        l.register_hook(lambda g, i=i: order.append(i))
    op(ls).sum().backward()
    return list(order)


for n in (2, 3):  # with more of them, PyTorch's order is that of a heap in C++
    show(f"order cat {n}", leaves, n, torch.cat)
    show(f"order stack {n}", leaves, n, torch.stack)
show("order sum", leaves, 5, lambda ls: ls[0] * ls[1] + ls[2] * ls[3] + ls[4])
show("order mul", leaves, 3, lambda ls: ls[0] * (ls[1] * ls[2]))


@case
def order_mixed():
    order.clear()
    a = leaf()
    b = leaf()
    y = a * 2
    z = b * 3
    w = y + b
    u = w * z
    for n, q in dict(a=a, b=b, y=y, z=z, w=w, u=u).items():
        q.register_hook(lambda g, n=n: order.append(n))
    u.backward()
    return list(order)
