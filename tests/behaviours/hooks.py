"""Tensor hooks, node hooks, hooks on leaves, retained gradients; their order, errors and removal."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import weakref


@case
def order():
    x = leaf()
    y = x * 3
    y.register_hook(logged("a"))
    y.register_hook(logged("b", lambda g: g * 2))
    y.register_hook(logged("c"))
    y.retain_grad()
    y.register_hook(logged("d", lambda g: g + 1))
    (y * 2).backward()
    return x.grad, y.grad


@case
def leafhook():
    x = leaf()
    x.register_hook(logged("a", lambda g: g * 10))
    x.register_post_accumulate_grad_hook(logged("post"))
    (x * 2).backward()
    (x * 2).backward()
    return x.grad


@case
def leafhook_grad():
    x = leaf()
    x.register_hook(logged("a", lambda g: g * 10))
    x.register_post_accumulate_grad_hook(logged("post"))
    return torch.autograd.grad(x * 2, x), x.grad


@case
def nonleafhook_grad():
    x = leaf()
    y = x * 2
    y.register_hook(logged("a", lambda g: g * 10))
    y.grad_fn.register_hook(logged("post"))
    y.grad_fn.register_prehook(logged("pre"))
    return torch.autograd.grad(y * 2, y), x.grad


@case
def nonleafhook_grad2():
    x = leaf()
    y = x * 2
    y.register_hook(logged("a", lambda g: g * 10))
    y.grad_fn.register_hook(logged("post"))
    y.grad_fn.register_prehook(logged("pre"))
    return torch.autograd.grad(y * 2, (y, x)), x.grad


for bad in (3, "a", None):
    show(f"notcallable {bad}", lambda: leaf().register_hook(bad))
    show(f"notcallable node {bad}", lambda: (leaf() * 2).grad_fn.register_hook(bad))
show("noreq", lambda: tensor(1.0).register_hook(print))
show("noreq post", lambda: tensor(1.0).register_post_accumulate_grad_hook(print))
show("nonleaf post", lambda: (leaf() * 2).register_post_accumulate_grad_hook(print))
show("noncallable post", lambda: leaf().register_post_accumulate_grad_hook(3))


def bad(ret, v=2.0):
    x = leaf(v)
    y = x * 3
    h = y.register_hook(lambda g: ret(g))
    y.sum().backward()
    return x.grad


show("ret number", bad, lambda g: 3.0)
show("ret shape", bad, lambda g: tensor([1.0, 2.0]))
show("ret dtype", bad, lambda g: g.double())
show("ret int", bad, lambda g: tensor(3))
show("ret bcast", bad, lambda g: tensor(2.0), v=[1.0, 2.0])
show("ret str", bad, lambda g: "a")
show("ret tuple", bad, lambda g: (g,))
show("ret bool", bad, lambda g: True)


def named():
    def my_hook(g):
        return 3

    x = leaf()
    (x * 2).register_hook(my_hook)
    y = x * 2
    y.register_hook(my_hook)
    y.backward()


show("named", named)


class Callable:
    def __call__(self, g):
        return 3


def named2():
    x = leaf()
    y = x * 2
    y.register_hook(Callable())
    y.backward()


show("callable obj", named2)


def named3():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: 3)
    y.backward()


show("lambda", named3)


def raising():
    x = leaf()
    y = x * 2

    def h(g):
        raise ValueError("mine")

    y.register_hook(h)
    y.backward()


show("raising", raising)


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
def remove_running():
    x = leaf()
    y = x * 2
    hs = []

    def first(g):
        log.append("first")
        hs[1].remove()
        hs[0].remove()

    hs.append(y.register_hook(first))
    hs.append(y.register_hook(logged("second")))
    hs.append(y.register_hook(logged("third")))
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)


@case
def add_running():
    x = leaf()
    y = x * 2

    def first(g):
        log.append("first")
        y.register_hook(logged("late"))

    y.register_hook(first)
    y.backward(retain_graph=True)
    y.backward()


@case
def with_handle():
    x = leaf()
    y = x * 2
    with y.register_hook(logged("a")) as h:
        y.backward(retain_graph=True)
    y.backward()
    return type(h).__name__, h.id is not None


@case
def replaced_none():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: None)
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


@case
def create_graph_modes():
    x = leaf()
    y = x**3
    y.register_hook(lambda g: log.append((torch.is_grad_enabled(), g.requires_grad)))
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)


@case
def multi_out():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    a.register_hook(logged("a", lambda g: g * 2))
    b.register_hook(logged("b"))
    a.retain_grad()
    a.sum().backward()
    return x.grad, a.grad


@case
def multi_out2():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    a.register_hook(logged("a", lambda g: g * 2))
    b.register_hook(logged("b"))
    b.retain_grad()
    a.grad_fn.register_prehook(logged("pre"))
    a.grad_fn.register_hook(logged("post"))
    (a.sum() + b.sum()).backward()
    return x.grad, b.grad


# node hooks
@case
def node_post():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post"))
    z.backward()
    return x.grad, y.grad


@case
def node_post_replace():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: (gi[0] * 10, None)))
    z.backward()
    return x.grad, y.grad


@case
def node_post_one():
    x = leaf()
    z = x.sin()
    z.grad_fn.register_hook(logged("post", lambda gi, go: gi[0] * 10))
    z.backward()
    return x.grad


@case
def node_post_count():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: (gi[0],)))
    z.backward()
    return x.grad, y.grad


@case
def node_post_list():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: [gi[0], gi[1]]))
    z.backward()
    return x.grad, y.grad


@case
def node_post_num():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: 3))
    z.backward()
    return x.grad, y.grad


@case
def node_post_bad():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: (3, 4)))
    z.backward()
    return x.grad, y.grad


@case
def node_post_shape():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: (tensor([1.0, 2.0]), gi[1])))
    z.backward()
    return x.grad, y.grad


@case
def node_post_dtype():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_hook(logged("post", lambda gi, go: (gi[0].double(), gi[1])))
    z.backward()
    return x.grad, y.grad


@case
def node_post_none_filled():
    x = leaf()
    z = x * tensor(3.0)
    z.grad_fn.register_hook(logged("post", lambda gi, go: (gi[0], tensor(7.0))))
    z.backward()
    return x.grad


@case
def node_pre():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    z.grad_fn.register_prehook(logged("pre", lambda go: (go[0] * 10,)))
    z.grad_fn.register_prehook(logged("pre2"))
    z.backward()
    return x.grad, y.grad


@case
def node_pre_single():
    x = leaf()
    z = x.sin()
    z.grad_fn.register_prehook(logged("pre", lambda go: go[0] * 10))
    z.backward()
    return x.grad


@case
def node_pre_bad():
    x = leaf()
    z = x.sin()
    z.grad_fn.register_prehook(logged("pre", lambda go: (go[0], 2)))
    z.backward()
    return x.grad


@case
def node_pre_bad2():
    x = leaf()
    z = x.sin()
    z.grad_fn.register_prehook(logged("pre", lambda go: (3,)))
    z.backward()
    return x.grad


@case
def node_pre_none():
    x = leaf()
    z = x.sin()
    z.grad_fn.register_prehook(logged("pre", lambda go: (None,)))
    z.backward()
    return x.grad


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
def accumulate_node_grad():
    x = leaf()
    z = x.sin()
    a = z.grad_fn.next_functions[0][0]
    a.register_hook(logged("post"))
    a.register_prehook(logged("pre", lambda g: (g[0] * 2,)))
    x.register_hook(logged("tensor", lambda g: g * 3))
    return torch.autograd.grad(z, x)


@case
def acc_returns():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda p: 3)
    (x * 2).backward()
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
def acc_named_order():
    x = leaf()
    y = leaf()
    for n, v in (("x", x), ("y", y)):
        v.register_post_accumulate_grad_hook(L(n))
        v.register_hook(logged("t" + n))
    (x * y).backward()


@case
def acc_inputs():
    x = leaf()
    y = leaf()
    x.register_post_accumulate_grad_hook(logged("x"))
    y.register_post_accumulate_grad_hook(logged("y"))
    (x * y).backward(inputs=[x])
    return x.grad, y.grad


@case
def retain_replaced():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    y.register_hook(logged("a", lambda g: g * 2))
    (y * 3).backward(retain_graph=True)
    (y * 3).backward()
    return y.grad


@case
def retain_pre():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.grad_fn.register_prehook(logged("pre", lambda g: (g[0] * 2,)))
    (y * 3).backward()
    return y.grad, x.grad


@case
def hook_same_tensor_twice():
    x = leaf()
    h = logged("a")
    y = x * 2
    y.register_hook(h)
    y.register_hook(h)
    y.backward()


@case
def hook_keep():
    x = leaf([1.0, 2.0])
    y = x * 2
    keep = []
    y.register_hook(keep.append)
    (y.sum() + y.sum()).backward()
    y2 = keep[0]
    r = y2 + 0
    x.grad.mul_(5)
    return keep, x.grad


@case
def leaf_hook_keep():
    x = leaf([1.0, 2.0])
    keep = []
    x.register_hook(keep.append)
    x.sum().backward()
    x.grad.mul_(5)
    return keep, x.grad


@case
def retain_alias():
    x = leaf([1.0, 2.0])
    y = x + 0
    y.retain_grad()
    y.sum().backward()
    y.grad.mul_(7)
    return y.grad, x.grad


@case
def undefined():
    class U(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf()
    y = x * 3
    y.register_hook(logged("t"))
    y.grad_fn.register_hook(logged("post"))
    y.grad_fn.register_prehook(logged("pre"))
    y.retain_grad()
    x.register_post_accumulate_grad_hook(logged("acc"))
    U.apply(y).backward()
    return x.grad, y.grad


@case
def pre_on_tensor_prepend():
    x = leaf()
    z = x.sin()
    h = z.grad_fn.register_prehook(logged("p1"))
    z.grad_fn.register_prehook(logged("p2"))
    z.backward()


@case
def reenter():
    x = leaf()
    y = x * 2

    def h(g):
        q = leaf(5.0)
        (q * q).backward() if torch.is_grad_enabled() else None
        with torch.enable_grad():
            (q * q).backward()
        log.append(q.grad)

    y.register_hook(h)
    y.backward()
    return x.grad


@case
def reenter_same():
    x = leaf()
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: (x * 5).backward() if 0 else None)

    def h(g):
        with torch.enable_grad():
            (x * 100).backward()

    y.register_hook(h)
    z.backward()
    return x.grad


@case
def weak():
    x = leaf()
    y = x * 2
    y.retain_grad()
    z = y * 3
    r = weakref.ref(y)
    del y
    z.backward()
    return r() is None, x.grad


@case
def backward_in_acc():
    x = leaf()
    w = leaf(3.0)

    def h(p):
        with torch.enable_grad():
            (w * 2).backward()

    x.register_post_accumulate_grad_hook(h)
    (x * w).backward()
    return x.grad, w.grad
