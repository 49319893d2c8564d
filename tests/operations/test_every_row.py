"""Every row of the table has inputs for comparison: the samples of all families reach every row."""

import warnings

from rows import checked, ours, run_twice
from samples import all_samples
from samples_losses import FUNCTIONAL

import autograd_nb
from autograd_nb.engine import table
from autograd_nb.engine.events import Operation
from autograd_nb.engine.modes import add_listener, remove_listener
from autograd_nb.torch_api import contents

contents.load_table()
ROWS = {*table.operations}  # before a test runs a chapter that adds a row of its own

# a step of CopySlices under create_graph: tests/engine/test_inplace.py; a draw: tests/test_pasted_names.py
# of a singular matrix: tests/operations/test_edges.py; activations in place: tests/nn/test_functional.py
ELSEWHERE = {"strided_view", "multinomial", "minor", "elu_", "leaky_relu_"}
SHAPES_IN_PLACE = {"t_": [()], "transpose_": [(0, 1)], "unsqueeze_": [(0,)], "squeeze_": [(), (0,), ((0,),)]}


def test_every_row_has_samples():
    used = set()

    def listener(event):
        if isinstance(event, Operation):
            used.add(getattr(event.row, "name", None))

    add_listener(listener)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, samples in all_samples().items():
                for each in samples:
                    run_twice(*checked(ours(name), each), each.twice and each.smooth)
            for name, samples in FUNCTIONAL.items():
                for each in samples:
                    run_twice(*checked(getattr(autograd_nb.nn.functional, name), each), each.twice)
            for other in 1, autograd_nb.ones(2):
                autograd_nb.ones(2).floor_divide_(other)
            for name, calls in SHAPES_IN_PLACE.items():
                for arguments in calls:
                    getattr(autograd_nb.ones(1, 2), name)(*arguments)
    finally:
        remove_listener(listener)
    assert sorted(ROWS - used - ELSEWHERE) == []
