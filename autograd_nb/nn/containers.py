"""Modules that hold other modules, in sequence, in a list or in a dict, or that hold parameters in a list."""

from collections import OrderedDict
from itertools import groupby

from ..engine.tensor import Tensor
from .module import Module, indented
from .parameter import Parameter


class Numbered(Module):
    """Base class of modules with numbered parts, which are attributes named "0", "1", …"""

    def _parts(self):
        return self._modules

    def __len__(self):
        return len(self._parts())

    def __iter__(self):
        return iter(self._parts().values())

    def __getitem__(self, index):
        return self._sliced(index) if isinstance(index, slice) else list(self)[index]

    def __setitem__(self, index, part):
        setattr(self, list(self._parts())[index], part)

    def _sliced(self, index):
        return self.__class__(list(self)[index])

    def append(self, module):
        """Add a part at the end, and return the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several parts at the end, and return the container."""
        for module in list(modules):
            self.append(module)
        return self


class Sequential(Numbered):
    """Modules in sequence: each is called on the output of the one before it.

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

    def extend(self, sequential):
        """Add the parts of another container at the end, and return this one."""
        return super().extend(sequential)

    def _sliced(self, index):
        return self.__class__(OrderedDict(list(self._modules.items())[index]))


class ModuleList(Numbered):
    """A list of modules whose parameters belong to the module that holds it."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(() if modules is None else modules)

    def __repr__(self):
        lines, first = [], 0
        for text, run in groupby(map(repr, self)):  # modules with the same text in a row are shown once
            count = len(list(run))
            last = first + count - 1
            lines.append(indented(f"({first}): {text}" if count == 1 else f"({first}-{last}): {count} x {text}"))
            first += count
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


class ModuleDict(Module):
    """A dict of modules, whose keys are strings; their parameters belong to the module that holds it.

    >>> import autograd_nb as torch
    >>> layers = torch.nn.ModuleDict({"first": torch.nn.Linear(2, 3)})
    >>> layers["first"](torch.ones(2)).shape, [name for name, _ in layers.named_parameters()]
    (torch.Size([3]), ['first.weight', 'first.bias'])
    """

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def update(self, modules):
        """Put in the modules of a dict, or of pairs of a key and a module."""
        for key, module in dict(modules).items():
            self[key] = module


def of_modules(name):
    """The method *name* of a dict, for the modules in a ModuleDict."""
    method = getattr(dict, name)
    with_key = name in ("__getitem__", "__delitem__", "__contains__", "pop")
    call = (lambda self, key: method(self._modules, key)) if with_key else lambda self: method(self._modules)
    call.__name__, call.__doc__ = name, method.__doc__
    return call


for each in "__getitem__ __delitem__ __contains__ pop __len__ __iter__ keys values items clear".split():
    setattr(ModuleDict, each, of_modules(each))


class ParameterList(Numbered):
    """A list of parameters, which belong to the module that holds it; a tensor in it becomes a parameter."""

    def __init__(self, values=None):
        super().__init__()
        self.extend(() if values is None else values)

    def _parts(self):
        return self._parameters

    def __setitem__(self, index, part):
        super().__setitem__(index, as_parameter(part))

    def append(self, value):
        """Add a parameter at the end, and return the list."""
        self.register_parameter(str(len(self)), as_parameter(value))
        return self

    def extend(self, values):
        """Add several parameters at the end, and return the list."""
        if isinstance(values, Tensor) or not hasattr(values, "__iter__"):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        return super().extend(values)

    __iadd__ = extend

    def extra_repr(self):
        return "\n".join([f"  ({number}): Parameter containing: [{each.dtype} of size {'x'.join(map(str, each.shape))}]"
                          for number, each in enumerate(self)])  # fmt: skip


def as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value
