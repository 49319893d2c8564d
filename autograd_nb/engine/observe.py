"""Who watches the engine: listeners that are told of every operation and every step of a backward walk.

Nobody listens by default, and the engine then only compares a name with None.  A listener has two methods:
``operation(row, node, inputs, outputs, in_place)`` after each forward operation (node is None when it was not
recorded), and ``event(name, node, *details)`` during a walk.
"""

from threading import get_ident

from . import accumulation, dispatch, visits
from . import backward as engine
from . import tensor as tensors

_listeners = []  # (listener, thread)


def listen(listener, thread=None):
    """Tell *listener* from now on, of one thread if its number is given, else of all."""
    _listeners.append((listener, thread))
    _connect()


def unlisten(listener):
    """Stop telling *listener*."""
    _listeners[:] = [pair for pair in _listeners if pair[0] is not listener]
    _connect()


def _connect():
    dispatch.tell = tensors.tell = _operation if _listeners else None
    engine.tell = visits.tell = accumulation.tell = _event if _listeners else None


def _operation(row, node, inputs, outputs, in_place=False):
    for listener in _here():
        listener.operation(row, node, inputs, outputs, in_place)


def _event(name, node, *details):
    for listener in _here():
        listener.event(name, node, *details)


def _here():
    return [listener for listener, thread in _listeners if thread is None or thread == get_ident()]
