"""What happened, and what autograd knows, told: recordings of forward and backward, and what `info` says.

Real PyTorch is watched as the engine is, by what stands in `pytorch`.  The modules here know no picture; they may
import the engine, the table, how torch_api prints elements, and one another.
"""

from .info import info
from .trace import Trace, record

__all__ = ["Trace", "info", "record"]
