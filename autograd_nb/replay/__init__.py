"""What happened: a forward or backward pass recorded as a list of events, the trace.

It listens to the engine, which knows nothing of it.  Modules here import the engine and each other alone.
"""

from .trace import Trace, record

__all__ = ["Trace", "record"]
