"""``torch.utils``: checkpoint, which trades time for memory."""

from ..torch_api.absent import absent_from
from . import checkpoint

__all__ = ["checkpoint"]

__getattr__ = absent_from("torch.utils")
