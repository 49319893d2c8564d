"""Modules that hold other modules: in a row, in a list, or by name."""

from collections import OrderedDict
from operator import index as as_index

from .module import Module, indented


class _Numbered(Module):
    """What modules with numbered parts share: the parts are attributes named "0", "1", …"""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, index):
        return list(self._modules)[checked_index(index, len(self))]

    def __setitem__(self, index, module):
        setattr(self, self._name(index), module)

    def __delitem__(self, index):
        for name in list(self._modules)[index] if isinstance(index, slice) else [self._name(index)]:
            delattr(self, name)
        renumbered = {str(number): part for number, part in enumerate(self)}
        self._modules.clear()
        self._modules.update(renumbered)

    def pop(self, key):
        """Take out the part at an index, and return it."""
        part = self[key]
        del self[key]
        return part

    def insert(self, index, module):
        """Put in a part before *index*."""
        for number in range(len(self), index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module

    def append(self, module):
        """Add a part at the end, and return the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several parts at the end, and return the container."""
        for module in list(modules):
            self.append(module)
        return self


def checked_index(index, count):
    """An index of one of *count* parts; IndexError unless there is such a part."""
    index = as_index(index)
    if not -count <= index < count:
        raise IndexError(f"index {index} is out of range")
    return index % count


class Sequential(_Numbered):
    """Modules one after the other: each is called on what the one before it returned.

    Given the modules, or an ordered dict of them with names.

    >>> import autograd_nb as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args):
        super().__init__()
        parts = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in parts:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name(index)]

    def insert(self, index, module):
        """Put in a module before *index*, and return the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        super().insert(index + count if index < 0 else index, module)
        return self

    def __add__(self, other):
        return Sequential(*self, *_summand(other))

    def __iadd__(self, other):
        return self.extend(_summand(other))

    def __mul__(self, other):
        return Sequential(*list(self) * self._factor(other))

    __rmul__ = __mul__

    def __imul__(self, other):
        return self.extend(list(self) * (self._factor(other) - 1))

    def _factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other


def _summand(other):
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


class ModuleList(_Numbered):
    """A list of modules whose parameters belong to the module that holds it.

    >>> import autograd_nb as torch
    >>> len(torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)]))
    3
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self)[index])
        return self._modules[self._name(index)]

    def extend(self, modules):
        """Add several modules at the end, and return the list."""
        if not hasattr(modules, "__iter__"):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        return super().extend(modules)

    __iadd__ = extend

    def __add__(self, other):
        return self.__class__([*self, *other])

    def __repr__(self):
        runs = []  # modules with the same text in a row are shown once
        for number, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = number
            else:
                runs.append([number, number, text])
        lines = [
            indented(f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}")
            for first, last, text in runs
        ]
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


class ModuleDict(Module):
    """Modules by name, in the order in which they were added.

    >>> import autograd_nb as torch
    >>> layers = torch.nn.ModuleDict({"first": torch.nn.Linear(1, 2)})
    >>> layers["second"] = torch.nn.ReLU()
    >>> list(layers)
    ['first', 'second']
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

    def update(self, modules):
        """Add modules from a dict or from pairs of a name and a module."""
        for name, module in pairs("ModuleDict", modules):
            self[name] = module


def pairs(name, values):
    """The pairs of a name and a value in a dict, or in an iterable of pairs; TypeError or ValueError for others."""
    if hasattr(values, "items"):
        return values.items()
    if not hasattr(values, "__iter__"):
        raise TypeError(f"{name}.update should be called with an iterable of key/value pairs, but got "
                        f"{type(values).__name__}")
    values = list(values)
    for number, pair in enumerate(values):
        what = f"{name.replace('Parameters', 'Parameter')} update sequence element #{number}"
        if not hasattr(pair, "__iter__"):
            raise TypeError(f"{what} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{what} has length {len(pair)}; 2 is required")
    return values
