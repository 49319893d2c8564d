"""Modules that hold other modules, or parameters: in a row, in a list, or by name."""

from collections import OrderedDict
from operator import index as as_index

from ...tensors import Tensor
from ..parameter import Parameter
from .module import Module, indented


class _Numbered(Module):
    """What modules with numbered parts share: the parts are attributes named "0", "1", …"""

    def _parts(self):
        return self._modules

    def __len__(self):
        return len(self._parts())

    def __iter__(self):
        return iter(self._parts().values())

    def _name(self, index):
        index, count = as_index(index), len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return list(self._parts())[index]

    def __setitem__(self, index, module):
        setattr(self, self._name(index), module)

    def __delitem__(self, index):
        for name in list(self._parts())[index] if isinstance(index, slice) else [self._name(index)]:
            delattr(self, name)
        parts = self._parts()
        renumbered = {str(number): part for number, part in enumerate(parts.values())}
        parts.clear()
        parts.update(renumbered)

    def pop(self, key):
        """Take out the part at an index, and return it."""
        part = self[key]
        del self[key]
        return part

    def insert(self, index, module):
        """Put in a part before *index*."""
        parts = list(self)
        parts.insert(index, module)
        for number, part in enumerate(parts):
            self._modules[str(number)] = part

    def append(self, module):
        """Add a part at the end, and return the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several parts at the end, and return the container."""
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    __iadd__ = extend


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

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)


class ModuleList(_Numbered):
    """A list of modules whose parameters belong to the module that holds it.

    >>> import autograd_nb as torch
    >>> len(torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)]))
    3
    """

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or ())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self)[index])
        return self._modules[self._name(index)]

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
        self.update(modules or {})

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
        for name, module in modules.items() if hasattr(modules, "items") else modules:
            self[name] = module


class ParameterList(_Numbered):
    """A list of parameters; tensors put in become parameters.

    >>> import autograd_nb as torch
    >>> torch.nn.ParameterList([torch.ones(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values=None):
        super().__init__()
        self.extend(values or ())

    def _parts(self):
        return self._parameters

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self)[index])
        return self._parameters[self._name(index)]

    def __setitem__(self, index, value):
        super().__setitem__(index, as_parameter(value))

    def append(self, value):
        """Add a parameter at the end, and return the list."""
        self.register_parameter(str(len(self)), as_parameter(value))
        return self

    def extra_repr(self):
        return "\n".join(f"  ({number}): {described(each)}" for number, each in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name; tensors put in become parameters.

    >>> import autograd_nb as torch
    >>> torch.nn.ParameterDict({"w": torch.ones(2)})["w"]
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        self.update(parameters or {})

    def __getitem__(self, key):
        return self._parameters[key]

    def __setitem__(self, key, value):
        self.register_parameter(key, as_parameter(value))

    def __delitem__(self, key):
        del self._parameters[key]

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters)

    def __contains__(self, key):
        return key in self._parameters

    def keys(self):
        return self._parameters.keys()

    def items(self):
        return self._parameters.items()

    def values(self):
        return self._parameters.values()

    def update(self, parameters):
        """Add parameters from a dict or from pairs of a name and a parameter."""
        for name, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[name] = value

    def extra_repr(self):
        return "\n".join(f"  ({name}): {described(each)}" for name, each in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")


def as_parameter(value):
    """The value as a parameter, if it is a tensor."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def described(parameter):
    return f"Parameter containing: [{parameter.dtype} of size {'x'.join(map(str, parameter.shape))}]"
