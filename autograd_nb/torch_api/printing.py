"""The text of a tensor, as PyTorch prints it.

All elements have one format, chosen from the values that are shown: whole numbers as ``1.``, other floats with four
decimals, or scientific notation if their magnitudes differ too much.  A large tensor shows its edges only.  Dtype,
shape and gradient follow where the numbers do not show them.  These are functions of arrays, not of tensors.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.table import functions

PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
options = {**PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Choose how tensors print; an argument left out keeps its setting, except that *sci_mode* returns to automatic.

    *precision*: decimals.  More than *threshold* elements are summarised, with *edgeitems* shown at either end.
    *profile*: "default", "short" or "full", a set of the first four.

    >>> import autograd_nb as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([0.123456, 2.5])
    tensor([0.12, 2.50])
    >>> torch.set_printoptions(profile="default")
    """
    options.update(PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    options.update({name: value for name, value in given.items() if value is not None})
    options["sci_mode"] = sci_mode


functions["set_printoptions"] = set_printoptions


def tensor_text(array, dtype, *, requires_grad=False, grad_fn=None, prefix="tensor("):
    """The text of a tensor with the elements *array*; *grad_fn* is the name of its node, *prefix* begins the text."""
    empty, default = array.size == 0, dtypes.get_default_dtype()
    text = prefix + ("[]" if empty else elements_text(array, dtype.is_floating_point, len(prefix)))
    suffixes = []
    if empty and array.ndim != 1:
        suffixes.append(f"size={array.shape}")
    # True, 1 and 1. show their dtype; without elements only the default dtype is left out.
    if dtype is not default and (empty or dtype not in (dtypes.int64, dtypes.bool)):
        suffixes.append(f"dtype={dtype!r}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return with_suffixes(text, suffixes, len(prefix))


def elements_text(array, floating, indent):
    """The elements of a nonempty array, in brackets; ``indent`` is the column of the first bracket."""
    if array.ndim == 0:
        value = array.item()
        return format(value, element_format([value]) if floating else "")
    edge = options["edgeitems"]
    summarize = array.size > options["threshold"]
    shortened = [summarize and size > 2 * edge for size in array.shape]
    if summarize:
        sides = [[*range(edge), *range(size - edge, size)] if size > 2 * edge else range(size) for size in array.shape]
        array = array[np.ix_(*sides)]  # copies the edges only
    values = array.ravel().tolist()
    spec = element_format(values) if floating else ""
    # Zeros and non-finite values do not widen a column of floats, so only they may be out of line.
    counted = [value for value in values if value and math.isfinite(value)] if floating else values
    width = max((len(format(value, spec)) for value in counted), default=1)
    return bracketed(array.tolist(), shortened, indent, spec, width)


def bracketed(values, shortened, indent, spec, width):
    """Nested lists as text; ``shortened`` says for each remaining dimension whether its middle is left out."""
    dimensions = len(shortened)
    if dimensions == 1:
        items = [format(value, spec).rjust(width) for value in values]
    else:
        items = [bracketed(row, shortened[1:], indent + 1, spec, width) for row in values]
    if shortened[0]:
        items.insert(options["edgeitems"], " ..." if dimensions == 1 else "...")
    if dimensions == 1:
        per_line = max(1, math.floor((options["linewidth"] - indent) / (width + 2)))
        items = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    newlines = "\n" * max(1, dimensions - 1)  # a blank line between the matrices of a batch
    return "[" + f",{newlines}{' ' * (indent + 1)}".join(items) + "]"


def element_format(values):
    """The format that suits all of these Python floats: whole numbers, fixed decimals or scientific."""
    counted = [value for value in values if value and math.isfinite(value)]
    if not counted:
        return "#.0f"  # the # keeps the point: 0. and not 0
    sci_mode = options["sci_mode"]
    if sci_mode is None:
        sizes = [abs(value) for value in counted]
        smallest, largest = min(sizes), max(sizes)
        sci_mode = largest / smallest > 1000 or largest > 1e8 or smallest < 1e-4
    if sci_mode:
        return f".{options['precision']}e"
    return "#.0f" if all(value.is_integer() for value in counted) else f".{options['precision']}f"


def with_suffixes(text, suffixes, indent):
    """Append the suffixes and the closing parenthesis, each suffix on a new line where the line would grow too long."""
    column = len(text) - text.rfind("\n") + 1  # PyTorch counts two more than the line has, on the first line only
    for suffix in suffixes:
        if column + len(suffix) + 2 > options["linewidth"]:
            text += f",\n{' ' * indent}{suffix}"
            column = indent + len(suffix)
        else:
            text += f", {suffix}"
            column += len(suffix) + 2
    return text + ")"
