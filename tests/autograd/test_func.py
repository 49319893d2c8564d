"""``torch.func`` beside PyTorch's: values, graphs of results, structures of arguments, errors."""

import pytest
from programs import told

import autograd_nb
import autograd_nb.autograd.func

CALLS = """
func.grad(lambda x: x**3)(t(2.))
func.grad(func.grad(lambda x: x**3))(t(2.))
func.grad(func.grad(func.grad(torch.sin)))(t(.5))
func.grad(lambda x, y: (x*y).sum(), argnums=1)(v, v)
func.grad(lambda x, y: (x*y*y).sum(), argnums=(0,1))(v, v)
func.grad(lambda x: ((x**2).sum(), x*2), has_aux=True)(v)
func.grad_and_value(lambda x: (x**2).sum())(v)
func.grad_and_value(lambda x: ((x**2).sum(), x*2), has_aux=True)(v)
func.grad(lambda x: x)(v)
func.grad(lambda x: 3)(v)
func.grad(lambda x: (x.sum(),))(v)
func.grad(lambda p: (p["w"]*v).sum() + p["b"])({"w": v, "b": t(1.)})
func.grad(lambda p: (p[0]*v).sum() + p[1][0]*2)([v, (t(1.), 3)])
func.grad(lambda x: (x*w).sum())(v)
func.grad(lambda x: (x*x*w).sum())(v)
func.grad(lambda x: (x*x).sum())(w)
func.grad(lambda x: (x**3).sum())(w).sum().backward() or w.grad
func.grad(lambda x: (x*x*w).sum())(v).sum().backward() or w.grad
ng(lambda: func.grad(lambda x: (x*x).sum())(w))
func.grad(lambda x: t(3.))(v)
func.grad(lambda x: x.sum())(torch.tensor([1,2]))
func.grad(lambda x, k=2: (x**k).sum())(v, k=3)
func.vjp(lambda x: x*x, v)[0]
func.vjp(lambda x: x*x, v)[1](v)
func.vjp(lambda x, y: (x*y, x.sum()), v, v)[1]((v, t(1.)))
func.vjp(lambda x: (x*x, x+1), v, has_aux=True)[2]
func.vjp(lambda x: x*w, v)[1](v)
func.vjp(lambda x: x*w, v)[0]
func.vjp(torch.sin, w)[1](v)
func.jvp(lambda x: x*x, (v,), (v,))
func.jvp(lambda x, y: (x*y, y), (v, v*2), (v, v))
func.jvp(lambda x: x*x, v, v)
func.jvp(lambda x: (x*x, x+1), (v,), (v,), has_aux=True)
func.jvp(torch.sin, (w,), (v,))
func.jvp(func.grad(lambda x: (x**3).sum()), (v,), (v,))
func.functional_call(lin, {"weight": torch.ones(1,2), "bias": torch.zeros(1)}, v)
func.grad(lambda p: func.functional_call(lin, p, (v,)).sum())(dict(lin.named_parameters()))
func.functional_call(lin, {"foo": v}, v)
lin.weight.grad
""".strip().splitlines()
SETUP = """
t = torch.tensor
v, w = t([1.0, 2.0]), t([0.5, -1.0], requires_grad=True)
func = torch.func
torch.manual_seed(1)
lin = torch.nn.Linear(2, 1)
def ng(f):
    with torch.no_grad():
        return f()
"""


@pytest.mark.parametrize("call", CALLS)
def test_a_derivative_of_a_function_is_pytorchs(call, live):
    assert told(autograd_nb, call, SETUP) == told(live, call, SETUP)


def test_a_module_has_its_own_parameters_again_after_an_error():
    module = autograd_nb.nn.Linear(2, 1)
    weight = module.weight
    with pytest.raises(RuntimeError):
        autograd_nb.func.functional_call(module, {"weight": autograd_nb.ones(3, 3)}, autograd_nb.ones(2))
    assert module.weight is weight
