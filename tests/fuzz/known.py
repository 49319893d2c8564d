"""Which differences are known: the entries of known_differences.toml, and which of them a program shows.

An entry explains a difference if its ``fuzz`` matches the difference's text and its other conditions hold:

- ``fuzz_program`` matches the program; ``<name>`` in it stands for the text that the group of that name in ``fuzz``
  matched.
- ``fuzz_apart_from``: both results are the same without the parts that this matches.
- ``fuzz_overlaps``: a line of the program changes elements that another of its inputs shows too.
- ``fuzz_digits``: instead of all this, only numbers differ, and they no longer do in double precision.
"""

import re
import tomllib
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from .running import ATTRIBUTES, Side, alike, difference, skeleton, would_crash

ENTRIES = tomllib.loads(Path(__file__).with_name("known_differences.toml").read_text(encoding="utf-8"))["difference"]


def unexplained(mine, torch, lines):
    """The first difference between both libraries that is not known, as text, or None."""
    return difference(mine, torch, lines, lambda found: explained(mine, torch, found, lines))


def explained(mine, torch, found, lines):
    """Whether *found*, a difference in these lines, is a known one."""
    for entry in ENTRIES:
        if only_digits(mine, torch, found, lines) if "fuzz_digits" in entry else explains(entry, torch, found, lines):
            return True
    return False


def explains(entry, torch, found, lines):
    """Whether the entry is about this difference."""
    match = "fuzz" in entry and re.search(entry["fuzz"], found)
    if not match:
        return False
    program = re.sub(r"(?<!\\)(?<!\?P)<(\w+)>", lambda name: re.escape(match[name[1]]), entry.get("fuzz_program", ""))
    if not re.search(program, "\n".join(lines), re.M):
        return False
    if "fuzz_apart_from" in entry and not same_apart_from(entry["fuzz_apart_from"], found):
        return False
    return "fuzz_overlaps" not in entry or overlaps(torch, lines)


def sides(found):
    """The place of a difference, our result and PyTorch's."""
    ours, _, its = found.partition("\n  in torch\n")
    where, _, ours = ours.partition("\n    ")
    return where, ours, its


def same_apart_from(pattern, found):
    """Whether both results are the same without the parts that the pattern matches."""
    return alike(*(re.sub(pattern, "", side) for side in sides(found)[1:]))


def only_digits(mine, torch, found, lines):
    """Whether only numbers differ, and no longer do in double precision.

    There a rounding error is far smaller, even if later steps magnify it; a wrong formula is as wrong as before.
    """
    where, ours, its = sides(found)
    if skeleton(ours) != skeleton(its):
        return False
    seen = []
    with in_double_precision(mine), in_double_precision(torch):
        difference(mine, torch, [SINGLE.sub("double", each) for each in lines], lambda each: seen.append(each) or True)
    return where not in [sides(each)[0] for each in seen]


SINGLE = re.compile(r"\b(float|half)\b(?=\(\))")


@contextmanager
def in_double_precision(library):
    library.set_default_dtype(library.float64)
    try:
        yield
    finally:
        library.set_default_dtype(library.float32)


def overlaps(torch, lines):
    """Whether a line changes elements that overlap each other or another of its inputs.

    PyTorch's kernels may then read values that they have just written. Reading each element from the place that it is
    written to does not count.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class Looking(TorchDispatchMode):
        found = False

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.found = self.found or writes_over(torch, function, args, kwargs or {})
            return function(*args, **kwargs or {})

    side = Side(torch, ATTRIBUTES)
    with Looking() as looking:
        for line in lines:
            if not would_crash(side, line):
                side.step(line)
    return looking.found


def writes_over(torch, function, args, kwargs):
    """Whether a call of a function of PyTorch's kernels writes to places that it may read from."""
    given = [*zip(function._schema.arguments, args, strict=False)]
    given += [(each, kwargs[each.name]) for each in function._schema.arguments if each.name in kwargs]
    written, read = [], []
    for argument, value in given:
        changes = argument.alias_info is not None and argument.alias_info.is_write
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, torch.Tensor):
                (written if changes else read).append(places(each))
    each_alone = torch.Tag.pointwise in function.tags or function._schema.name == "aten::copy_"
    return any(len(set(places)) < len(places) for places in written) or any(
        set(one) & set(other) and not (each_alone and one == other) for one, other in product(written, read)
    )


def places(tensor):
    """The addresses of a small tensor's elements, in order."""
    start, size = tensor.untyped_storage().data_ptr(), tensor.element_size()
    indices = product(*map(range, tensor.shape))
    strides = tensor.stride()
    return [
        start + size * (tensor.storage_offset() + sum(i * step for i, step in zip(index, strides, strict=True)))
        for index in indices
    ]
