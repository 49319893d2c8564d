"""Records PyTorch's outcomes."""

from . import record

record()
