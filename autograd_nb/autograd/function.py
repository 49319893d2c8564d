"""``torch.autograd.function``: user-defined operations, and a decorator for a backward without a derivative."""

import functools

from ..engine.function import Function, FunctionCtx
from ..engine.graph import BasePlan, Node, numbered
from ..engine.modes import no_grad, state
from ..engine.tensor import AccumulateGrad, Tensor, wrap
from ..torch_api.absent import absent_from, mark_absent

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
__getattr__ = absent_from("torch.autograd.function")
mark_absent(FunctionCtx, "torch.autograd.function.FunctionCtx")


def once_differentiable(backward):
    """Decorate a backward that cannot be differentiated itself: doing so raises RuntimeError."""

    @functools.wraps(backward)
    def call(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not state.grad_enabled or not any(isinstance(each, Tensor) and each.requires_grad for each in grads):
            return results
        return tuple(refusing(each) for each in results) if isinstance(results, tuple) else refusing(results)

    return call


class Refusal(BasePlan):
    """The plan of a node that raises when a backward pass reaches it."""

    node_name = "Error"

    def apply(self, node, grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


REFUSAL = Refusal()


def refusing(tensor):
    """The tensor with a node that raises in a backward pass."""
    if not isinstance(tensor, Tensor):
        return tensor
    node = numbered(Node(), REFUSAL, (AccumulateGrad(tensor),))
    return wrap(tensor._array, tensor._dtype, node)
