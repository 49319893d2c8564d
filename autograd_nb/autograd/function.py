"""``torch.autograd.function``: operations with a derivative of one's own."""

from ..engine.function import Function, FunctionCtx, once_differentiable

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
