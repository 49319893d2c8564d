"""What happened: a forward or backward pass recorded as a list of events, the trace.

It listens to the engine, which knows nothing of it.  The modules here may import the engine and one another, nothing
else of the package.
"""

from .trace import Trace, record

__all__ = ["Trace", "record"]
