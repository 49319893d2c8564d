"""A graph as it is drawn: calls in the order in which they ran, and the values between them; plain data."""

from collections import namedtuple
from collections.abc import MutableMapping

Call = namedtuple("Call", "key name inputs outputs")  # inputs and outputs: keys of values, a list and a dict


class Noted(dict):
    """A dict that adds each of its keys to a set when the value of the key changes."""

    def __init__(self, changed):
        self.changed = changed

    def __setitem__(self, key, it):
        self.changed.add(key)
        super().__setitem__(key, it)

    def __delitem__(self, key):
        self.changed.add(key)
        super().__delitem__(key)

    update, setdefault = MutableMapping.update, MutableMapping.setdefault  # by __setitem__
    popitem, clear, pop = MutableMapping.popitem, MutableMapping.clear, MutableMapping.pop  # by __delitem__


class Scene:
    """Calls and values with their relations.

    values: key -> kind of box ("leaf", "constant", "tensor"); roots: the values at which backward starts; ends: the
    values at which any pass started so far. leaves: values with a .grad that a node adds to -> key of that node. sent:
    (call, input number) -> parts of the `Edge` on which a gradient leaves; received: (call, or node that adds into a
    leaf, and value) -> parts of the `Edge` on which it arrives. cuts: (value, call or value) -> reason. views: pairs
    of values that share memory. shown: values that get a box though no call has them. *changed* has each key that was
    set in any of these, until somebody empties it. brief: whether only values with a name get a box; is_alone: whether
    only what led to the latest pass gets one.
    """

    brief = is_alone = False

    def __init__(self):
        self.changed, self.ends = set(), {}
        self.calls, self.values, self.roots, self.leaves = (Noted(self.changed) for _ in range(4))
        self.sent, self.received, self.cuts, self.views, self.shown = (Noted(self.changed) for _ in range(5))

    def call(self, key, name, inputs):
        self.calls[key] = Call(key, name, inputs, {})

    def origins(self):
        return {value: call.key for call in self.calls.values() for value in call.outputs}
