"""What happened: a forward or backward pass recorded as a list of events, the trace."""

from .trace import Trace, record

__all__ = ["Trace", "record"]
