"""``torch.autograd.grad_mode``: whether operations are recorded."""

from ..engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
