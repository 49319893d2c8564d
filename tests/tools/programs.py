"""Small programs and expressions run on either library, and what they show: tensors as a learner sees them, errors."""

import copy
import re
import warnings
from collections import OrderedDict

import numpy as np


def strides(x):
    """The strides, without those of dimensions of length one, over which nothing steps."""
    return [step for step, length in zip(x.stride(), x.shape, strict=True) if length > 1] if x.numel() else None


def evaluate(library, start, expression):
    """What an expression gives after the lines of *start*: tensors as a learner sees them, or the error."""
    space = {"torch": library}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(start, space)
        try:
            return described(library, eval(expression, space))
        except Exception as raised:
            return type(raised).__name__, str(raised).split("\n")[0]


def described(library, value):
    if isinstance(value, library.Tensor):
        node, names = value.grad_fn, []
        while node is not None and len(names) < 5:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        where = value.storage_offset() if value._is_view() and value.numel() else None
        return " ".join(repr(value).split()), strides(value), names, value._is_view(), value.is_contiguous(), where
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(described(library, each) for each in value)]
    return repr(value)


def shown(library, program):
    """What a program prints, addresses left out, or its error, and its warnings; ``torch`` stands for the library."""
    lines = []

    def note(*values):
        lines.append(re.sub("0x[0-9a-f]+", "0x", " ".join(map(str, values))))

    names = {"torch": library, "nn": library.nn, "copy": copy, "OrderedDict": OrderedDict, "np": np, "print": note}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            exec(program, names)
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return lines, [str(each.message).partition("(Triggered")[0].strip() for each in told]


def cube(library):
    """A Function of one's own: x³."""

    class Cube(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    return Cube
