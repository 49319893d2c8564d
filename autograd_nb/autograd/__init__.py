"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities."""

from .passes import backward, grad

__all__ = ["backward", "grad"]
