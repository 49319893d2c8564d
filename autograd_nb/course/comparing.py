"""`course.compare(dh=dh, dw=dw)` compares gradients worked out by hand with those of autograd.

A gradient has its tensor's name with a d before it. For the first wrong one on the way back the module looks for the
cause by arithmetic: it computes the result with a sum, a factor, a slope or a path forgotten, and compares.
"""

import difflib
import itertools
import math
import sys
from collections import namedtuple
from functools import partial

import numpy as np

from .. import words
from ..microscope.readings import is_tensor
from ..microscope.sentences import listed
from .backward_paths import Paths, array, has_grad
from .kernel import Card

SAY = words.of("course")["compare"]

# One gradient. verdict: one of the words' [verdicts]; told: why nothing can be compared; most: the largest difference
Row = namedtuple("Row", "name verdict told shape most given expected", defaults=("", "", "", None, None))


def compare(**gradients):
    """Compare gradients that were worked out by hand with the gradients that backward() left in `.grad`.

    dNAME is compared with NAME.grad, where NAME is a tensor of the caller; `...` counts as not filled in. The result
    says for each whether it is exact, equal up to rounding (within 100 units in the last place of the largest element)
    or wrong, and explains the first wrong one on the way back from the loss.

    >>> import autograd_nb as torch
    >>> from autograd_nb import course
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> course.compare(dw=2 * w.detach())
    All right.
    dw  (2,)  exact
    """
    frame = sys._getframe(1)
    there = {**frame.f_globals, **frame.f_locals}
    tensors = {name: value for name, value in there.items()
               if is_tensor(value) and value.requires_grad and not name.startswith("_")}  # fmt: skip
    if not gradients or not any(map(has_grad, tensors.values())):
        return Card("unattempted", SAY["before" if gradients else "nothing"])
    paths = Paths(tensors, [name[1:] for name in gradients if name[1:] in tensors])
    known = [f"d{name}" for name in paths.on_the_way_back]
    rows = [row_of(name, gradients[name], tensors) for name in
            sorted(gradients, key=lambda name: known.index(name) if name in known else -1)]  # fmt: skip
    given = [row for row in rows if row.verdict != "open"]
    wrong = [row for row in given if row.verdict not in ("exact", "rounding")]
    kind = "wrong" if wrong else "right" if given else "unattempted"
    key = ("one" if len(given) == 1 else "some") if wrong else kind
    heading = SAY(key, right=len(given) - len(wrong), all=len(given), name=wrong[0].name if wrong else "")
    told = [row.told or why(row, paths) for row in wrong[:1]] + [row.told for row in wrong[1:]]
    return Card(kind, heading, [table(rows), *told])


def table(rows):
    """A line for each gradient, in columns."""
    cells = [(row.name, row.shape, SAY["verdicts"][row.verdict].format(most=row.most)) for row in rows]
    widths = [max(len(cell[column]) for cell in cells) for column in (0, 1)]
    return "\n".join(f"{name:{widths[0]}}  {shape:{widths[1]}}  {said}" for name, shape, said in cells) + "\n"


def row_of(name, given, tensors):
    """The Row of a gradient."""
    tensor = tensors.get(name[1:]) if name.startswith("d") else None
    say = partial(SAY, name=name, tensor=name[1:])
    if tensor is None:
        close = "".join(difflib.get_close_matches(name, [f"d{each}" for each in tensors], 1))
        return Row(name, "unknown", say("misspelt" if close else "unknown", close=close))
    row = partial(Row, name, shape=str(tuple(tensor.shape)))
    if given is ...:
        return row("open")
    if not has_grad(tensor):
        return row("unknown", say("kept" if tensor.is_leaf else "not_kept"))
    if not is_tensor(given):
        return row("no_tensor", say("no_tensor", kind=type(given).__name__, shape=tuple(tensor.shape)))
    given, expected = array(given), array(tensor.grad)
    row = partial(row, given=given, expected=expected)
    if given.shape != expected.shape:
        return row("shape")
    if np.isnan(given).any() and not np.isnan(expected).any():
        return row("nan", say("nan", count=int(np.isnan(given).sum())))
    right = alike(given, expected)
    if right and given.dtype != expected.dtype:
        return row("dtype", say("dtype", got=given.dtype, expected=expected.dtype))
    with np.errstate(invalid="ignore"):
        most = np.abs(given.astype(float) - expected).max(initial=0)
    return row("exact" if np.array_equal(given, expected) else "rounding" if right else "off", most=f"{most:.2g}")


def alike(given, expected):
    """Whether two arrays agree up to rounding: within 100 units in the last place of the largest element expected."""
    if np.shape(given) != np.shape(expected):
        return False
    largest = np.abs(expected).max(initial=0)
    with np.errstate(invalid="ignore"):
        return bool((np.abs(np.asarray(given, float) - expected) <= 100 * np.finfo(expected.dtype).eps * largest).all())


# -- why the first wrong one is wrong ---------------------------------------------------------------------------------


def why(row, paths):
    """The simplest mistake that gives these numbers, else the places where they differ."""
    looks = LOOKS if row.verdict == "off" else (of_another_shape, of_another)
    found = filter(None, (look(row.given, row.expected, row.name[1:], paths) for look in looks))
    key, facts = next(found, None) or (("other_shape", {}) if row.verdict == "shape" else ("off", where(row)))
    return SAY(key, name=row.name, tensor=row.name[1:], shape=shaped(row.given), expected=row.shape, **facts)


def shaped(array):
    return str(tuple(array.shape))


def where(row):
    """Says how many elements differ, and which differs most."""
    off = np.abs(row.given.astype(float) - row.expected)
    place = tuple(map(int, np.unravel_index(off.argmax(), off.shape)))
    return {"count": int((off > 1e-5 * np.abs(row.expected).max()).sum()), "all": off.size,
            "place": f"{row.name}[{', '.join(map(str, place))}]" if place else row.name,
            "got": f"{row.given[place]:.6g}", "wanted": f"{row.expected[place]:.6g}"}  # fmt: skip


def of_another_shape(given, expected, *_):
    if given.ndim == 2 and alike(given.T, expected):
        return "transposed", {}
    if given.size == expected.size and alike(given.reshape(expected.shape), expected):
        return "reshape", {}
    if given.ndim >= expected.ndim:
        dims = [*range(given.ndim - expected.ndim)]
        dims += [len(dims) + at for at, size in enumerate(expected.shape) if size == 1 != given.shape[len(dims) + at]]
        if dims and alike(given.sum(tuple(dims)).reshape(-1), expected.reshape(-1)):
            return "sum", {"dims": listed(map(str, dims))}
    try:
        return ("spread", {}) if alike(np.broadcast_to(given, expected.shape), expected) else None
    except ValueError:
        return None


def only_a_part(given, expected, name, paths):
    """Whether some of the paths that meet at the tensor were left out."""
    parts = paths.parts(name)
    for count in range(1, len(parts)):
        for some in itertools.combinations(parts, count):
            found = sum(part.gradient for part in some)
            if alike(given, found) and not alike(found, expected):  # else the other paths add nothing
                return "path", {"uses": len(parts), "through": through(some),
                                "left": through(part for part in parts if part not in some)}  # fmt: skip
    return None


def part_of_an_earlier_one(given, expected, name, paths):
    """Whether one of the paths that meet at a tensor nearer to the loss was left out."""
    for part, without in paths.without_one(name):
        if alike(given, without) and not alike(without, expected):
            return "earlier", {"where": part.into, "left": part.through}
    return None


def through(parts):
    return listed(dict.fromkeys(f"`{part.through}`" for part in parts))


def times_too_much(given, expected, name, paths):
    """Whether every element is the same multiple of the right one."""
    if not (ratio := ratio_of(given, expected)):
        return None
    passes = paths.passes()
    count = round(1 / ratio) if passes is None else passes
    if count in range(2, 10 if passes is None else count + 1) and math.isclose(ratio, 1 / count, rel_tol=1e-4):
        return "perhaps_passes" if passes is None else "passes", {"count": count}
    return factor(ratio, paths.sizes())


def ratio_of(given, expected):
    """By how much every element of the right numbers is multiplied; None if there is no such factor, or it is 1."""
    largest = np.unravel_index(np.abs(expected).argmax(), expected.shape) if expected.size else None
    if largest is None or not expected[largest] or not np.isfinite(given[largest]):
        return None
    ratio = float(given[largest]) / float(expected[largest])
    return ratio if f"{ratio:.4g}" not in ("0", "1") and alike(given / ratio, expected) else None


def factor(ratio, sizes):
    """The meaning of a factor; *sizes* are the numbers by which a mean in this network may divide."""
    if math.isclose(ratio, -1, rel_tol=1e-4):
        return "sign", {}
    for n in sizes:
        if math.isclose(ratio, n, rel_tol=1e-4):
            return "divide", {"n": n}
        if math.isclose(ratio, 1 / n, rel_tol=1e-4):
            return "divided", {"n": n}
        if n > 2 and any(math.isclose(ratio, each, rel_tol=1e-5) for each in (n / (n - 1), (n - 1) / n)):
            return "bessel", {"n": n, "less": n - 1}
    return "factor", {"ratio": f"{ratio:.4g}"}


def without_the_slope(given, expected, name, paths):
    """Whether the next tensor's gradient was passed on unchanged, or the slope was not multiplied by it."""
    parts = paths.parts(name)
    if len(parts) != 1 or (arrived := parts[0].arrived) is None:
        return None
    slope = given.shape == arrived.shape and alike(given * arrived, expected)
    key = "no_slope" if alike(given, arrived) else "only_slope" if slope else None
    return key and (key, {"through": parts[0].through})


def written_over(given, expected, name, paths):
    """Whether rows that were read several times have the gradient of one reading only."""
    for part in paths.parts(name):
        if part.rows is None or part.arrived is None:
            continue
        arrived = part.arrived.reshape(-1, *expected.shape[1:])
        differ = [at for at in range(len(expected)) if not alike(given[at], expected[at])]
        if differ and all(any(alike(given[at], each) for each in arrived[part.rows == at]) for at in differ):
            most = max(differ, key=lambda at: (part.rows == at).sum())
            return "written_over", {"row": most, "times": int((part.rows == most).sum())}
    return None


def of_another(given, expected, name, paths):
    """Whether this is the gradient of another tensor."""
    others = (other for other, tensor in paths.tensors.items()
              if other != name and has_grad(tensor) and alike(given, array(tensor.grad)))  # fmt: skip
    return next((("of_another", {"other": other}) for other in others if given.any()), None)


def one_in_each_row(given, expected, *_):
    if given.shape != expected.shape or given.ndim != 2 or given.shape[1] < 3:
        return None
    off = given.astype(float) - expected
    differ = np.abs(off) > 1e-5 * np.abs(expected).max()
    if (differ.sum(1) == 1).all() and np.allclose(off[differ], off[differ][0], rtol=1e-3):
        return "one_in_each_row", {"by": f"{off[differ][0]:.4g}", "columns": given.shape[1]}
    return None


LOOKS = (times_too_much, of_another_shape, without_the_slope, only_a_part, written_over, of_another, one_in_each_row,
         part_of_an_earlier_one)  # fmt: skip
