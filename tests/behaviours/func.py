"""torch.func, and torch.utils.checkpoint."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import importlib

fn = importlib.import_module(module + ".func")
ck = importlib.import_module(module + ".utils.checkpoint").checkpoint
x, y = tensor(2.0), tensor(3.0)
v = tensor([1.0, 2.0, 3.0])
show("grad", lambda: fn.grad(torch.sin)(x))
show("grad2", lambda: fn.grad(fn.grad(torch.sin))(x))
show("grad3", lambda: fn.grad(fn.grad(fn.grad(lambda x: x**4)))(x))
f = lambda x, y: x * y**2
show("argnums", lambda: fn.grad(f, argnums=1)(x, y))
show("argnums t", lambda: fn.grad(f, argnums=(0, 1))(x, y))
show("argnums neg", lambda: fn.grad(f, argnums=-1)(x, y))
show("argnums bad", lambda: fn.grad(f, argnums=2)(x, y))
show("argnums tb", lambda: fn.grad(f, argnums=(0, 2))(x, y))
show("argnums str", lambda: fn.grad(f, argnums="a")(x, y))
show("nonscalar", lambda: fn.grad(lambda v: v * 2)(v))
show("notensor", lambda: fn.grad(lambda v: 3)(v))
show("tuple", lambda: fn.grad(lambda v: (v.sum(), v))(v))
show("aux", lambda: fn.grad(lambda v: (v.sum(), v * 2), has_aux=True)(v))
show("aux bad", lambda: fn.grad(lambda v: v.sum(), has_aux=True)(v))
show("gv", lambda: fn.grad_and_value(f)(x, y))
show("gv aux", lambda: fn.grad_and_value(lambda v: (v.sum(), v * 2), has_aux=True)(v))
show("req", lambda: fn.grad(lambda v: (v**2).sum())(leaf([1.0, 2.0])))
show("req2", lambda: torch.autograd.grad(fn.grad(lambda q: q**3)(z := leaf()), z))
show("dict", lambda: fn.grad(lambda d: (d["a"] ** 2).sum() + d["b"])({"a": v, "b": x}))
show("list", lambda: fn.grad(lambda d: d[0] * d[1])([x, y]))
show("num", lambda: fn.grad(lambda d: d * 2)(3.0))
show("kw", lambda: fn.grad(lambda d, k: d * k)(x, k=y))
show("indep", lambda: fn.grad(lambda d: y * 2)(x))
show("vjp", lambda: (lambda r: (r[0], r[1](tensor([1.0, 0.0, 2.0]))))(fn.vjp(lambda v: v**2, v)))
show("vjp2", lambda: (lambda r: (r[0], r[1](tensor(1.0))))(fn.vjp(f, x, y)))
show("vjp aux", lambda: (lambda r: (r[0], r[1](tensor(1.0)), r[2]))(fn.vjp(lambda x: (x * 2, x), x, has_aux=True)))
show("vjp tuple", lambda: fn.vjp(lambda x: (x * 2, x * 3), x)[1]((tensor(1.0), tensor(2.0))))
show("vjp dict", lambda: fn.vjp(lambda x: {"a": x * 2}, x)[1]({"a": tensor(1.0)}))
show("vjp twice", lambda: (lambda r: (r[1](tensor(1.0)), r[1](tensor(2.0))))(fn.vjp(torch.sin, x)))
show("jvp", lambda: fn.jvp(lambda v: v**2, (v,), (tensor([1.0, 0.0, 2.0]),)))
show("jvp aux", lambda: fn.jvp(lambda x: (x * 2, x), (x,), (tensor(1.0),), has_aux=True))
show("jacrev", lambda: fn.jacrev(lambda v: v**2)(v))
show("jacrev argnums", lambda: fn.jacrev(f, argnums=(0, 1))(v, v))
show("jacrev tuple", lambda: fn.jacrev(lambda v: (v**2, v.sum()))(v))
show("jacfwd", lambda: fn.jacfwd(lambda v: v**2)(v))
show("hessian", lambda: fn.hessian(lambda v: (v**3).sum())(v))
show("hessian2", lambda: fn.hessian(lambda v: v.prod())(v))
show("jacjac", lambda: fn.jacrev(fn.jacrev(torch.sin))(v))
show("jacrev aux", lambda: fn.jacrev(lambda v: (v**2, v), has_aux=True)(v))
show("nograd", lambda: [torch.no_grad().__enter__(), fn.grad(torch.sin)(x), torch.set_grad_enabled(True)][1])

torch.manual_seed(0)
m = torch.nn.Linear(2, 1)
p = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
show("functional_call", lambda: fn.functional_call(m, p, (tensor([[1.0, 2.0]]),)))
show("functional_call grad", lambda: fn.grad(lambda p: fn.functional_call(m, p, (tensor([[1.0, 2.0]]),)).sum())(p))
show("untouched", lambda: m.weight is dict(m.named_parameters())["weight"])
show("functional_call partial", lambda: fn.functional_call(m, {"bias": m.bias * 0}, tensor([[0.0, 0.0]])))


def g(a, b):
    log.append(torch.is_grad_enabled())
    return torch.sin(a) * b


for re_ in (True, False):

    def run():
        log.clear()
        a, b = leaf(), leaf(3.0)
        z = ck(g, a, b, use_reentrant=re_)
        z.backward()
        return z, a.grad, b.grad, list(log)

    show(f"checkpoint {re_}", run)

    def run2():
        log.clear()
        a = leaf()
        z = ck(lambda q: (q * 2, q * q), a, use_reentrant=re_)
        (z[0] + z[1]).backward()
        return a.grad

    show(f"checkpoint tuple {re_}", run2)

    def run3():
        z = ck(lambda q: q * 2, tensor(2.0), use_reentrant=re_)
        return z

    show(f"checkpoint noreq {re_}", run3)

    def run4():
        a = leaf()
        z = ck(lambda q: q**3, a, use_reentrant=re_)
        (gr,) = torch.autograd.grad(z, a, create_graph=True)
        return gr

    show(f"checkpoint grad {re_}", run4)

    def run5():
        a = leaf()
        z = ck(lambda q: torch.nn.functional.dropout(q.expand(4), 0.5), a, use_reentrant=re_)
        z.sum().backward()
        return bool((z.sum() == a.grad * 2).item())

    show(f"checkpoint rng {re_}", run5)

    def run6():
        a = leaf()
        z = ck(lambda q, k=1: q * k, a, use_reentrant=re_, k=4)
        z.backward()
        return a.grad

    show(f"checkpoint kw {re_}", run6)

    def run7():
        a = leaf()
        z = ck(lambda q: q * q, a, use_reentrant=re_)
        z.backward()
        z.backward()

    show(f"checkpoint twice {re_}", run7)
show("checkpoint default", lambda: ck(lambda q: q * 2, leaf()))
