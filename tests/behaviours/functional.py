"""torch.autograd.functional: Jacobians, Hessians and their products, of functions of every kind."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
import functools
import importlib


def typed(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except (TypeError, RuntimeError) as error:
        return type(error).__name__  # the texts are each library's own


A = importlib.import_module(module + ".autograd.functional")
x, y = tensor([1.0, 2.0]), tensor([3.0, 4.0])
fs = dict(
    sq=lambda x: x**2, sumsq=lambda x: (x**3).sum(), two=lambda x: (x**2, x.sum()), const=lambda x: tensor(1.0),
    lin=lambda x: (x * 3).sum(), ind=lambda x: torch.ones(2), mat=lambda x: x.reshape(2, 1) * x,
    tup1=lambda x: ((x**2).sum(),),
)
gs = dict(
    mul=lambda x, y: x * y, mulsum=lambda x, y: (x * y * y).sum(), first=lambda x, y: (x**2).sum(),
    pair=lambda x, y: (x * y, y.sum()),
)
for name in ("jacobian", "hessian"):
    f = functools.partial(typed, getattr(A, name))
    for cg in (False, True):
        for k, v in fs.items():
            show(f"{name} {k} {cg}", f, v, x, create_graph=cg)
        for k, v in gs.items():
            show(f"{name} {k} {cg}", f, v, (x, y), create_graph=cg)
    show(name + "vec", f, fs["sumsq"], x, vectorize=True)
    show(name + "bad", f, fs["sumsq"], 3)
    show(name + "nt", f, lambda x: 3, x)
    show(name + "list", f, gs["mulsum"], [x, y])
    show(name + "req", f, fs["sumsq"], leaf([1.0, 2.0]))
    show(name + "reqcg", f, fs["sumsq"], leaf([1.0, 2.0]), create_graph=True)
    show(name + "0d", f, lambda x: x**2, tensor(3.0))
    show(name + "empty", f, lambda x: x**2, tensor([]))
for name in ("vjp", "jvp", "vhp", "hvp"):
    f = functools.partial(typed, getattr(A, name))
    for cg in (False, True):
        for k, v in fs.items():
            show(f"{name} {k} {cg} none", f, v, x, create_graph=cg)
            show(f"{name} {k} {cg} x", f, v, x, x, create_graph=cg)
            show(f"{name} {k} {cg} 1", f, v, x, tensor(2.0), create_graph=cg)
            show(f"{name} {k} {cg} tup", f, v, x, (x, tensor(1.0)), create_graph=cg)
        for k, v in gs.items():
            show(f"{name} {k} {cg} none", f, v, (x, y), create_graph=cg)
            show(f"{name} {k} {cg} x", f, v, (x, y), x, create_graph=cg)
            show(f"{name} {k} {cg} xy", f, v, (x, y), (x, y), create_graph=cg)
            show(f"{name} {k} {cg} 1", f, v, (x, y), (x, tensor(1.0)), create_graph=cg)
    show(name + "bad", f, fs["sumsq"], x, 3)
    show(name + "single", f, lambda x: x**3, tensor(2.0))
    show(name + "cg", f, fs["sumsq"], leaf([1.0, 2.0]), leaf([1.0, 2.0]) if name != "vjp" else None, create_graph=True)
with torch.no_grad():
    show("nograd", A.jacobian, fs["sq"], x)
    show("nograd2", A.vjp, fs["sumsq"], x)
    show("nograd3", A.hvp, fs["sumsq"], x, x)
