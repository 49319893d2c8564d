"""Modules that hold parameters: in a list, or by name.  Tensors put in become parameters, other values stay."""

from collections import OrderedDict

from ...engine.tensor import Tensor
from ..parameter import Parameter
from .containers import checked_index, pairs
from .module import Module, typename


class _Held(Module):
    """What both share: values are attributes, which Module sorts by kind."""

    def _put(self, name, value):
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, name, value)

    def _described(self, items, kind):
        return "\n".join(f"  ({name}): {described(value, kind)}" for name, value in items)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{type(self).__name__} should not be called.")


def described(value, kind):
    """A value in one line; *kind* gives the name of a tensor's."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    holder = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{holder} containing: [{kind(value)} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(_Held):
    """A list of parameters; tensors put in become parameters.

    >>> import autograd_nb as torch
    >>> torch.nn.ParameterList([torch.ones(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[place] for place in range(self._size))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self)[index])
        return getattr(self, str(checked_index(index, self._size)))

    def __setitem__(self, index, value):
        self._put(str(checked_index(index, self._size)), value)

    def append(self, value):
        """Add a value at the end, and return the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Add several values at the end, and return the list."""
        if isinstance(values, Tensor) or not hasattr(values, "__iter__"):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    __iadd__ = extend

    def extra_repr(self):
        return self._described(enumerate(self), lambda value: value.dtype)


class ParameterDict(_Held):
    """Parameters by name; tensors put in become parameters.

    >>> import autograd_nb as torch
    >>> torch.nn.ParameterDict({"w": torch.ones(2)})["w"]
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _name(key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key):
        return getattr(self, self._name(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        self._put(self._name(key), value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        return self._keys.keys()

    def items(self):
        return ((key, self[key]) for key in self._keys)

    def values(self):
        return (self[key] for key in self._keys)

    def get(self, key, default=None):
        """What is under a name, or *default*."""
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        """What is under a name, after *default* was put there if nothing was."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        """Take out what is under a name, and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take out the last value, and return its name and it."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self):
        """Take out everything."""
        for key in list(self._keys):
            del self[key]

    def copy(self):
        """A new dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys, default=None):
        """A new dict with *default* under each of the names."""
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters):
        """Add values from a dict, sorted by name unless it is an ordered one, or from pairs of a name and a value."""
        found = pairs("ParametersDict", parameters)
        if hasattr(parameters, "items") and not isinstance(parameters, OrderedDict | ParameterDict):
            found = sorted(found)
        for key, value in found:
            self[key] = value

    def __or__(self, other):
        return self.copy().__ior__(other)

    def __ror__(self, other):
        merged = other.copy()
        merged.update(self)
        return merged

    def __ior__(self, other):
        self.update(other)
        return self

    def extra_repr(self):
        return self._described(self.items(), typename)
