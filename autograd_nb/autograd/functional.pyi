# Written by `python -m tests.write stubs`.
# ruff: noqa
import builtins
import typing

from autograd_nb import Tensor

def hessian(func, inputs, create_graph=False, *, vectorize=False) -> Tensor:
    """The Hessian of *func*, which must return a single element: the Jacobian of its gradient."""
def hvp(func, inputs, v=None, create_graph=False) -> builtins.tuple[Tensor, ...]:
    """The output and the Hessian-vector product with *v*; :func:`vhp` returns the same after one pass less."""
def jacobian(func, inputs, create_graph=False, *, vectorize=False) -> Tensor:
    """The Jacobian of *func* at *inputs*: a tensor of the output's shape followed by the input's."""
def jvp(func, inputs, v=None, create_graph=False) -> builtins.tuple[Tensor, ...]:
    """The output of ``func(*inputs)`` and the Jacobian-vector product with *v*, which has the inputs' shape."""
def vhp(func, inputs, v=None, create_graph=False) -> builtins.tuple[Tensor, ...]:
    """The output of ``func(*inputs)``, a single element, and the vector-Hessian product with *v*."""
def vjp(func, inputs, v=None, create_graph=False) -> builtins.tuple[Tensor, ...]:
    """The output of ``func(*inputs)`` and the vector-Jacobian product with *v*, which has the output's shape."""
