"""When two results count as the same: what is a fact must be equal, and what was rounded may differ in the last place.

Facts are dtype, shape, flags, the node's name, every printed character that is not a number printed in full, and
every warning and error. Numbers of floating dtype may differ by `ulps` units in the last place of their own dtype,
because two libraries' exp and log do. Everything here works on PyTorch's tensors, on ours and on recorded states.
"""

import re
import warnings
from itertools import zip_longest

import numpy as np

NUMBER = re.compile(r"(-?\d+\.?\d*(?:e[-+]?\d+)?)")


def state(tensor):
    """Everything that a tensor shows of itself, as plain data; a state is returned as it is."""
    if tensor is None or isinstance(tensor, dict):
        return tensor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = tensor.grad
    flags = {name: getattr(tensor, name) for name in ("requires_grad", "is_leaf", "retains_grad")}
    node = None if tensor.grad_fn is None else type(tensor.grad_fn).__name__
    return {"dtype": str(tensor.dtype), "shape": list(tensor.shape)} | flags | {
        "grad_fn": node, "values": tensor.tolist(), "grad": state(grad)}  # fmt: skip


def tensor_differences(ours, theirs, ulps=2, name="tensor"):
    """A line for each respect in which two tensors, or states, differ; an empty list where they are the same."""
    ours, theirs = state(ours), state(theirs)
    if ours is None or theirs is None:
        return [] if ours is theirs else [f"{name}: {ours} instead of {theirs}"]
    found = [f"{name}.{key}: {ours[key]!r} instead of {theirs[key]!r}" for key in theirs
             if key not in ("values", "grad") and ours[key] != theirs[key]]  # fmt: skip
    if not any(ours[key] != theirs[key] for key in ("dtype", "shape")):
        dtype = np.dtype(theirs["dtype"].removeprefix("torch."))
        a, b = np.array(ours["values"], dtype), np.array(theirs["values"], dtype)
        if not np.all(_near(a, b, ulps)):
            found.append(f"{name}: {ours['values']} instead of {theirs['values']}")
    return found + tensor_differences(ours["grad"], theirs["grad"], ulps, f"{name}.grad")


def text_differences(ours, theirs, ulps=2):
    """The printed lines that differ, other than in the last places of a number printed in full."""
    pairs = zip_longest(ours.splitlines(), theirs.splitlines())
    return [f"printed {a!r} instead of {b!r}" for a, b in pairs if a is None or b is None or not _same_line(a, b, ulps)]


def run_differences(ours, theirs, ulps=2):
    """A line for each respect in which two runs of a program differ: output, warnings, error, tensors at the end."""
    printed, warned = (
        [[part for part in run["output"] if isinstance(part, kind)] for run in (ours, theirs)] for kind in (str, dict)
    )
    found = text_differences(*map("".join, printed), ulps)
    found += [f"warning {a} instead of {b}" for a, b in zip_longest(*warned) if a != b]
    if not found and [type(part) for part in ours["output"]] != [type(part) for part in theirs["output"]]:
        found.append("a warning came at another moment")
    a, b = ours["error"], theirs["error"]
    same = a is b if a is None or b is None else (a["type"], a["line"]) == (b["type"], b["line"]) and not (
        text_differences(a["text"], b["text"], ulps))  # fmt: skip
    found += [] if same else [f"error {a} instead of {b}"]
    for name in sorted(ours["tensors"].keys() | theirs["tensors"].keys()):
        found += tensor_differences(ours["tensors"].get(name), theirs["tensors"].get(name), ulps, name)
    return found


def _near(a, b, ulps):
    if a.dtype.kind != "f":
        return a == b
    with np.errstate(invalid="ignore"):
        distance = np.abs(a - b)
    return (a == b) | (np.isnan(a) & np.isnan(b)) | (distance <= ulps * np.spacing(np.maximum(abs(a), abs(b))))


def _same_line(a, b, ulps):
    a, b = NUMBER.split(a), NUMBER.split(b)
    return len(a) == len(b) and all(
        x == y or (index % 2 and _same_number(x, y, ulps)) for index, (x, y) in enumerate(zip(a, b, strict=True))
    )


def _same_number(a, b, ulps):
    """Only numbers printed in full have a last place: more than 7 digits of a float32, more than 15 of a float64."""
    digits = max(len(text.partition("e")[0].strip("-0.").replace(".", "")) for text in (a, b))
    values = np.array([float(a), float(b)])
    single = values.astype(np.float32)
    full, values = (7, single) if np.array_equal(single, values) else (15, values)
    return digits > full and bool(_near(*values, ulps))
