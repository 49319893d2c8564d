"""Recordings of forward and backward passes, their sentences, and `info`, a table of tensors as autograd sees them.

The modules in `pytorch` watch real PyTorch as the engine is watched.  The modules here know no picture; they may import
the engine, the table, torch_api's printing of elements, and one another.
"""

from .info import info
from .trace import Trace, record

__all__ = ["Trace", "info", "record"]
