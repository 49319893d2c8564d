"""Data types, and type promotion: the dtype in which an operation on several tensors computes.

PyTorch sorts types into categories (bool < integer < floating).  Within a category, a tensor with
dimensions outranks a 0-d tensor, which outranks a Python number.  NumPy's rules differ, so
promotion happens here, and NumPy only ever gets operands of one type.  ``Size``, the class of
shapes, is at the end.

This file rests on no other.  At first only :class:`dtype` matters; promotion can wait for call.py.
"""

import builtins
from math import prod
from operator import attrgetter, index

import numpy as np


class PrintedAsPyTorch(type):
    """The metaclass of classes that print as PyTorch's do: ``<class 'torch.dtype'>``."""

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


class dtype(metaclass=PrintedAsPyTorch):
    """The type of a tensor's elements; ``float32``, ``int64``, … are its only instances.

    >>> import autograd_nb as torch
    >>> torch.float32, torch.float32.itemsize, torch.int64.is_floating_point
    (torch.float32, 4, False)
    """

    is_complex = False

    def __init__(self, name, legacy_name, cpp_name, category):
        self.name = name
        # as in torch.FloatTensor; and the name that some of PyTorch's messages use
        self.legacy_name, self.cpp_name = legacy_name, cpp_name
        self.numpy = np.dtype(name)
        self.scalar = self.numpy.type  # the type of 0-d results
        self.one = self.scalar(1)
        self.category = category
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = category == FLOATING
        self.numbers = NumberCache(self.numpy)
        BY_NUMPY[self.numpy] = BY_SCALAR[self.scalar] = self

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name  # pickled by name, so that identity survives


class NumberCache(dict):
    """A cache of numbers as 0-d arrays of a dtype. NumPy computes with these twice as fast.

    Zero stays a Python number, since 0.0 and -0.0 are the same key; so do numbers beyond *limit*.
    """

    def __init__(self, dtype):
        self.dtype = dtype
        self.limit = {2: 6e4, 4: 3e38, 8: 1e308}[dtype.itemsize] if dtype.kind == "f" else 0

    def __missing__(self, number):
        if not number or not -self.limit < number < self.limit or len(self) >= 256:
            return number
        array = self[number] = np.array(number, self.dtype)
        array.flags.writeable = False
        return array


BOOLEAN, INTEGER, FLOATING = range(3)


class ByNumpy(dict):
    """NumPy's dtype -> ours; TypeError if PyTorch has no such dtype."""

    def __missing__(self, found):
        if found.type in BY_SCALAR:  # of another byte order
            return BY_SCALAR[found.type]
        raise TypeError(
            f"can't convert np.ndarray of type {found.type.__module__}.{found.type.__name__}. The "
            "only supported types are: float64, float32, float16, complex64, complex128, int64, "
            "int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        )


BY_NUMPY, BY_SCALAR = ByNumpy(), {}  # the keys of the second: types of NumPy's scalars

bool = dtype("bool", "Bool", "bool", BOOLEAN)
uint8 = dtype("uint8", "Byte", "unsigned char", INTEGER)
int8 = dtype("int8", "Char", "signed char", INTEGER)
int16 = dtype("int16", "Short", "short int", INTEGER)
int32 = dtype("int32", "Int", "int", INTEGER)
int64 = dtype("int64", "Long", "long int", INTEGER)
float16 = dtype("float16", "Half", "c10::Half", FLOATING)
float32 = dtype("float32", "Float", "float", FLOATING)
float64 = dtype("float64", "Double", "double", FLOATING)

# PyTorch's other names
half, float, double, short, int, long = float16, float32, float64, int16, int32, int64

ALL = tuple(BY_NUMPY.values())
PYTHON_NUMBERS = builtins.bool, builtins.int, builtins.float

_default = float32


def get_default_dtype():
    """The dtype of new floating-point tensors (float32 unless changed)."""
    return _default


def set_default_dtype(d, /):
    """Make *d* the dtype of new floating-point tensors; TypeError unless it is one of these."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        invalid = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(invalid + "only floating-point types are supported as the default type")
    _default = d


def of_array(array):
    """The dtype of a NumPy array or scalar; TypeError if PyTorch has no such dtype."""
    return BY_SCALAR.get(array.__class__) or BY_NUMPY[array.dtype]


def of_number(number):
    """The dtype of a Python number on its own: bool, int64, or the default dtype."""
    if isinstance(number, builtins.bool):
        return bool
    return int64 if isinstance(number, builtins.int) else _default


def promote_types(type1, type2):
    """The smallest dtype that holds both, as for two tensors that both have dimensions."""
    if {type1, type2} == {uint8, int8}:
        return int16
    return max(type1, type2, key=attrgetter("category", "itemsize"))


def promote(operands):
    """The dtype in which an operation computes, from ``(dtype, kind)`` pairs of its operands.

    The kind is 2 for a tensor with dimensions, 1 for a 0-d tensor and 0 for a Python number; the
    lower kinds count only where they raise the category.
    """
    best = {}
    for operand, kind in operands:
        best[kind] = promote_types(operand, best.get(kind, operand))
    highest_first = [best[kind] for kind in sorted(best, reverse=True)]
    return max(highest_first, key=attrgetter("category"))  # the first one of that category


def as_scalar(number, dtype):
    """A NumPy scalar: infinite beyond the range of *dtype*, an integer wrapped around.

    OverflowError for an int of more than 64 bits.
    """
    try:
        return dtype.scalar(number)
    except OverflowError:
        return np.int64(number).astype(dtype.numpy)


class Size(tuple, metaclass=PrintedAsPyTorch):
    """A shape: a tuple of ints that prints as PyTorch's.  TypeError for anything but ints.

    >>> Size((2, 3)), Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def __new__(cls, lengths=()):
        return super().__new__(cls, map(index, lengths))

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __getitem__(self, index):
        got = super().__getitem__(index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other):
        return Size(super().__add__(tuple(other)))
