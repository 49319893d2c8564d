"""Modules that hold other modules: in sequence or in a list."""

from collections import OrderedDict
from itertools import groupby

from .module import Module, indented


class Numbered(Module):
    """Base class of modules with numbered parts, which are attributes named "0", "1", …"""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        return self._sliced(index) if isinstance(index, slice) else list(self)[index]

    def __setitem__(self, index, module):
        setattr(self, list(self._modules)[index], module)

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

    def _sliced(self, index):
        return self.__class__(list(self)[index])

    def __repr__(self):
        lines, first = [], 0
        for text, run in groupby(map(repr, self)):  # modules with the same text in a row are shown once
            count = len(list(run))
            last = first + count - 1
            lines.append(indented(f"({first}): {text}" if count == 1 else f"({first}-{last}): {count} x {text}"))
            first += count
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"
