"""Names that come of other names: functions that change their argument, and second names of operations."""

from operator import attrgetter

import numpy as np
import pytest
from rows import compare_in_place
from samples import all_samples, sample, spread

from autograd_nb.engine import table
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = all_samples()
OWN = {  # in-place forms whose operation has other samples, or none under its name
    "fill_": [sample(spread(3), 2.0)],
    "zero_": [sample(spread(3))],
}


def samples_of(name):
    """Samples for an in-place form, those of its operation under whatever name they stand."""
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
