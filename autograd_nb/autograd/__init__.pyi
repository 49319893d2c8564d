# Written by `python -m tests.write stubs`.
# ruff: noqa
import builtins
import typing

from . import function as function
from . import functional as functional
from . import graph as graph
from . import variable as variable
from autograd_nb import Tensor
from autograd_nb.autograd.anomaly import detect_anomaly as detect_anomaly
from autograd_nb.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from autograd_nb.autograd.variable import Variable as Variable
from autograd_nb.engine.function import Function as Function
from autograd_nb.engine.modes import enable_grad as enable_grad
from autograd_nb.engine.modes import inference_mode as inference_mode
from autograd_nb.engine.modes import no_grad as no_grad
from autograd_nb.engine.modes import set_grad_enabled as set_grad_enabled

def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None) -> None:
    """Compute the gradients of *tensors* and add them into the ``.grad`` of the leaves they depend on."""
def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None, *, materialize_grads=False) -> builtins.tuple[Tensor, ...]:
    """Compute and return the gradients of *outputs* with respect to *inputs*, a tuple with one for each input."""
def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, check_undefined_grad=True, fast_mode=False):
    """Check the gradients of ``func(*inputs)`` against difference quotients with step *eps*; True if they agree."""
def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, check_undefined_grad=True, fast_mode=False):
    """Check the second derivatives of ``func(*inputs)``, as :func:`gradcheck` checks the first ones."""
