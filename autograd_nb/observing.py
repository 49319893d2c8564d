"""Who watches the engine: listeners that are told of every operation and every step of a backward walk.

Nobody listens by default, and the engine then only compares a name with None.  A listener has two methods:
``operation(row, node, inputs, outputs, in_place)`` after each forward operation (node is None when it was not
recorded), and ``event(name, node, *details)`` during a walk.
"""

from . import dispatch, engine, tensors

_listeners = []


def listen(listener):
    """Tell *listener* from now on."""
    _listeners.append(listener)
    _connect()


def unlisten(listener):
    """Stop telling *listener*."""
    _listeners.remove(listener)
    _connect()


def _connect():
    dispatch.tell = tensors.tell = _operation if _listeners else None
    engine.tell = _event if _listeners else None


def _operation(row, node, inputs, outputs, in_place=False):
    for listener in list(_listeners):
        listener.operation(row, node, inputs, outputs, in_place)


def _event(name, node, *details):
    for listener in list(_listeners):
        listener.event(name, node, *details)
