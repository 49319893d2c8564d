"""Shapes: tuples of ints that print as PyTorch's."""

from math import prod
from operator import index

from .dtypes import PrintedAsPyTorch


class Size(tuple, metaclass=PrintedAsPyTorch):
    """A shape: a tuple of ints that prints as PyTorch's.  TypeError for anything that is no int.

    >>> Size((2, 3)), Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def __new__(cls, lengths=()):
        self = super().__new__(cls, lengths)
        for position, length in enumerate(self):
            if not hasattr(length, "__index__"):
                kind = type(length).__name__
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{kind}')")
        return self if all(type(length) is int for length in self) else super().__new__(cls, map(index, self))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self):
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __getitem__(self, index):
        got = super().__getitem__(index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other):
        return Size(super().__add__(tuple(other)))

    def __radd__(self, other):
        return Size((*other, *self))

    def __mul__(self, times):
        return Size(super().__mul__(times))

    __rmul__ = __mul__
