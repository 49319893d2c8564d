"""``torch.autograd.function``: operations with a derivative of one's own."""

from ..engine.function import Function
from ..engine.function_nodes import FunctionCtx, once_differentiable

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
