"""torch.autograd.graph: hooks on saved tensors, edges, hooks over several tensors; nodes by hand."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import gc
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
def double():
    x = leaf()
    with G.saved_tensors_hooks(lambda v: v, lambda v: v):
        z = x**3
    (g,) = torch.autograd.grad(z, x, create_graph=True)
    return g, torch.autograd.grad(g, x)


@case
def double_exp():
    x = leaf()
    with G.saved_tensors_hooks(lambda v: v.detach(), lambda v: v):
        z = x.exp()
    (g,) = torch.autograd.grad(z, x, create_graph=True)
    return g, torch.autograd.grad(g, x)


@case
def nonleaf():
    x = leaf()
    h = x * 1
    with G.saved_tensors_hooks(pk, up):
        z = h * h
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
def pack_mutates():
    x = leaf()
    h = x * 1
    with G.saved_tensors_hooks(lambda v: v.mul_(2), lambda v: v):
        z = h * h
    z.backward()
    return x.grad


@case
def pack_mutates_leaf():
    x = tensor(2.0)
    h = leaf()
    with G.saved_tensors_hooks(lambda v: v.mul_(2), lambda v: v):
        z = h * x


@case
def unpack_bad():
    x = leaf()
    with G.saved_tensors_hooks(lambda v: 3, lambda v: v):
        z = x.exp()
    z.backward()


@case
def pack_raises():
    x = leaf()

    def p(v):
        raise ValueError("p")

    with G.saved_tensors_hooks(p, lambda v: v):
        z = x.exp()


@case
def unpack_raises():
    x = leaf()

    def p(v):
        raise ValueError("u")

    with G.saved_tensors_hooks(lambda v: v, p):
        z = x.exp()
    z.backward()


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
def changed_after_nocopy():
    x = leaf()
    h = x * 1
    with G.saved_tensors_hooks(lambda v: v, lambda v: v):
        z = h.exp() * h
    h.mul_(5)
    z.backward()
    return x.grad


@case
def twice():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x.exp()
    z.backward()
    z.backward()


@case
def saved_attr():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x**2
    a = z.grad_fn._saved_self
    b = z.grad_fn._saved_self
    return a, a is x, a is b, z.grad_fn._saved_exponent


@case
def saved_attr_result():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x.exp()
    a = z.grad_fn._saved_result
    return a, a is z, a.grad_fn is z.grad_fn


@case
def numbers():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x * 3
        w = x + 1
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
    z.backward()
    return x.grad


@case
def disable():
    x = leaf()
    with G.disable_saved_tensors_hooks("not now"):
        y = x.exp()
        with G.saved_tensors_hooks(pk, up):
            z = x.exp()


@case
def disable2():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        with G.disable_saved_tensors_hooks("not now"):
            z = x.exp()


@case
def after_disable():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        z = x.exp()
    return z


@case
def cpu():
    x = leaf()
    with G.save_on_cpu():
        z = x.exp() * x
    z.backward()
    return x.grad


@case
def cpu_pin():
    x = leaf()
    with G.save_on_cpu(pin_memory=True):
        z = x.exp() * x
    z.backward()
    return x.grad


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
def raw_self():
    x = leaf()
    y = x**2
    r = y.grad_fn._raw_saved_self
    r.register_hooks(lambda v: log.append(("p", v, v is x)) or 7, lambda v: log.append(("u", v)) or tensor(5.0))
    a = y.grad_fn._saved_self
    y.backward()
    return x.grad, a


@case
def raw_twice():
    x = leaf()
    y = x.exp()
    r = y.grad_fn._raw_saved_result
    r.register_hooks(lambda v: v, lambda v: v)
    r.register_hooks(lambda v: v, lambda v: v)


@case
def raw_freed():
    x = leaf()
    y = x.exp()
    r = y.grad_fn._raw_saved_result
    y.backward()
    r.register_hooks(lambda v: v, lambda v: v)


@case
def raw_freed2():
    x = leaf()
    y = x.exp()
    y.backward()
    return y.grad_fn._raw_saved_result


@case
def saved_freed():
    x = leaf()
    y = x.exp()
    y.backward()
    return y.grad_fn._saved_result


@case
def saved_freed_const():
    x = leaf([1.0, 2.0])
    y = x**2
    y.sum().backward()
    return y.grad_fn._saved_exponent


@case
def raw_none():
    x = leaf()
    c = tensor(3.0)
    y = x * c
    return y.grad_fn._saved_other


@case
def raw_mutate():
    x = leaf()
    h = x * 1
    y = h**2
    y.grad_fn._raw_saved_self.register_hooks(lambda v: v.mul_(2), lambda v: v)


@case
def raw_bad2():
    x = leaf()
    h = x * 1
    y = h**2
    y.grad_fn._raw_saved_self.register_hooks(lambda: 1, lambda v: v)


@case
def raw_with_default():
    x = leaf()
    with G.saved_tensors_hooks(pk, up):
        y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda v: v, lambda v: v)


@case
def raw_nosuch():
    return (leaf() * 2).grad_fn._raw_saved_foo


@case
def raw_const():
    return (leaf([1.0, 2.0])).sum(0).grad_fn._raw_saved_dim


@case
def raw_function():
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            log.append((x, y))
            return g

    x = leaf()
    z = F.apply(x)
    r = z.grad_fn._raw_saved_tensors
    r[0].register_hooks(lambda v: v * 10, lambda v: v)
    z.backward()
    return (
        len(r),
        x.grad,
    )


# graph utilities
@case
def node():
    n = (leaf() * 2).grad_fn
    a = n.next_functions[0][0]
    return (
        isinstance(n, G.Node),
        isinstance(a, G.Node),
        G.Node,
        issubclass(type(n), G.Node),
        n.metadata,
        isinstance(3, G.Node),
    )


@case
def edge():
    x = leaf()
    y = x * 2
    e = G.get_gradient_edge(y)
    f = G.get_gradient_edge(x)
    return e.node.name(), e.output_nr, f.node.name(), e.node is y.grad_fn, type(e).__name__, e[1], e._fields


@case
def edge_bad():
    G.get_gradient_edge(tensor(1.0))


@case
def edge_grad():
    x = leaf()
    y = x * 2
    z = y * y
    e = G.get_gradient_edge(y)
    return (torch.autograd.grad(z, e),)


@case
def edge_grad2():
    x = leaf()
    y = x * 2
    z = y * y
    e = G.get_gradient_edge(x)
    return torch.autograd.grad(G.get_gradient_edge(z), (e, x), tensor(1.0))


@case
def edge_grad3():
    x = leaf()
    y = x * 2
    return torch.autograd.grad(G.get_gradient_edge(y), x)


@case
def edge_backward():
    x = leaf()
    y = x * 2
    torch.autograd.backward(G.get_gradient_edge(y), tensor(1.0))
    return x.grad


@case
def edge_backward_inputs():
    x = leaf()
    w = leaf(5.0)
    y = x * w
    torch.autograd.backward(y, inputs=G.get_gradient_edge(x))
    return x.grad, w.grad


@case
def edge_backward_inputs_nonleaf():
    x = leaf()
    w = leaf(5.0)
    y = x * w
    (y * 2).backward(inputs=[G.get_gradient_edge(y)])
    return x.grad, w.grad


@case
def edge_multi():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    e = G.get_gradient_edge(b)
    return e.output_nr, torch.autograd.grad(b.sum() + a.sum(), e), torch.autograd.grad([e], x, tensor([5.0, 6.0]))


@case
def edge_function():
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf()
    y = F.apply(x)
    e = G.get_gradient_edge(y)
    del y
    gc.collect()
    return torch.autograd.grad(e, x, tensor(3.0)), e.node.name()


@case
def multi_all():
    x = leaf()
    y = leaf(3.0)
    c = x * y
    d = x * y
    h = G.register_multi_grad_hook((x, y, c, d), lambda gs: log.append(gs))
    c.backward(retain_graph=True)
    c.backward(inputs=(x,), retain_graph=True)
    (c + d).backward(retain_graph=True)
    h.remove()
    c.backward()
    return type(h).__name__


@case
def multi_any():
    x = leaf()
    y = leaf(3.0)
    c = x * y
    d = x * y
    h = G.register_multi_grad_hook((x, y, c, d), lambda g: log.append(g), mode="any")
    c.backward(retain_graph=True)
    (c + d).backward(retain_graph=True)
    h.remove()
    c.backward()
    return type(h).__name__


@case
def multi_bad():
    G.register_multi_grad_hook((leaf(),), print, mode="some")


@case
def multi_noreq():
    G.register_multi_grad_hook((leaf(), tensor(1.0)), print)


@case
def increment():
    x = tensor([1.0])
    v = x._version
    G.increment_version(x)
    G.increment_version([x, x])
    return x._version - v


@case
def increment2():
    x = leaf()
    y = x.exp()
    G.increment_version(y)
    y.backward()


@case
def mutation():
    with G.allow_mutation_on_saved_tensors():
        a = leaf([1.0, 2.0])
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.backward()
        return a.grad, b


@case
def mutation_out():
    with G.allow_mutation_on_saved_tensors():
        a = leaf([1.0, 2.0])
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
    out.backward()


@case
def mutation_nested():
    with G.allow_mutation_on_saved_tensors():
        with G.allow_mutation_on_saved_tensors():
            pass


@case
def call_node():
    x = leaf()
    y = leaf(3.0)
    z = x * y
    return z.grad_fn(tensor(2.0)), x.sin().grad_fn(tensor(1.0)), z.grad_fn.next_functions[0][0](tensor(4.0)), x.grad


@case
def call_node_graph():
    x = leaf()
    return x.sin().grad_fn(leaf(1.0))


@case
def seq():
    x = leaf()
    a = x * 2
    b = a * 2
    return b.grad_fn._sequence_nr() - a.grad_fn._sequence_nr(), a.grad_fn.next_functions[0][0]._sequence_nr()


@case
def meta():
    n = (leaf() * 2).grad_fn
    n.metadata["a"] = 1
    return n.metadata, n.metadata is n.metadata


@case
def setattr_node():
    n = (leaf() * 2).grad_fn
    n.foo = 3
    return n.foo
