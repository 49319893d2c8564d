"""Names made from other names: functions that change their argument, and second names of operations."""

import inspect
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from rows import compare_in_place
from samples import all_samples, sample, spread

from autograd_nb.engine import table
from autograd_nb.operations import rows
from autograd_nb.operations.rows import ONE_OPERAND, TWO_OPERANDS
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = all_samples()
OWN = {  # in-place forms whose operation has other samples, or none under its name
    "fill_": [sample(spread(3), 2.0)],
    "zero_": [sample(spread(3))],
}


def samples_of(name):
    """Samples for an in-place form, taken from its operation under any of its names."""
    call = table.calls.get(name[:-1])
    for each in (name, name[:-1], *(other for other in SAMPLES if table.calls.get(other) is call)):
        for samples in (OWN, SAMPLES):
            if samples.get(each):
                return [it for it in samples[each] if isinstance(it.args[0], np.ndarray)]
    raise LookupError(f"add samples for {name}")


WRITING = [name for name in sorted(contents.functions) if name[-1] == "_" and name not in ("detach_", "__dir__")]
SECOND = [name for name in sorted(contents.methods)
          if name[-1] == "_" and name not in ("__dir__", "__torch_function__", table.methods[name].__name__)]


@pytest.mark.parametrize("name", [*WRITING, *(f"Tensor.{name}" for name in SECOND)])
def test_a_name_that_writes_over_its_tensor_does_what_torchs_does(name, torch):
    for each in samples_of(name.removeprefix("Tensor.")):
        compare_in_place(attrgetter(name), each, torch)


BODIES = {name: call for names in (table.functions, table.methods) for name, call in names.items()
          if contents.homes[name].startswith("operations.") and hasattr(call, "__wrapped__")}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BODIES))
def test_the_body_of_a_public_function_bears_its_name(name):
    """Second names have the body of the first, and in-place forms may have that of their operation.

    NumPy's functions have no body here; their forms in place and with a number have a signature alone, a lambda.
    """
    call = BODIES[name]
    body, first = inspect.unwrap(call), call.__name__
    assert inspect.unwrap(table.calls[first]) is body
    assert body.__name__ in (first, first.removesuffix("_")) or body in (ONE_OPERAND, TWO_OPERANDS)


def test_there_are_six_ways_to_add_an_operation_and_the_guide_names_them():
    ways = re.findall(r"^ *(\w+)  +\S", rows.__doc__, re.MULTILINE)
    assert len(ways) == 6 and set(ways) <= set(dir(rows))
    guide = next(path for path in Path(__file__).parents if (path / "CONTRIBUTING.md").exists()) / "CONTRIBUTING.md"
    steps = guide.read_text(encoding="utf-8").partition("six\n")[2].partition("2. ")[0]
    assert set(ways) == set(re.findall(r"`(\w+)`", steps))
    for path in Path(rows.__file__).parent.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        if path.stem not in ("rows", "publishing"):
            assert not re.search(r"\bpublish(_\w+)?\(|^(operations|operators|calls)\[", source, re.MULTILINE), path.name
