"""``python -m autograd_nb.table``: every operation of the table, with its node and its formulas as they are written."""

import subprocess
import sys

import pytest

from autograd_nb import table as printed
from autograd_nb.engine import table

LINES = [*printed.lines()]
LAMBDAS = {
    f"{name}, {parameter}": formula for name, row in table.operations.items()
    for parameter, formula in row.formulas.items() if formula.__name__ == "<lambda>"
}  # fmt: skip


@pytest.mark.parametrize("formula", LAMBDAS.values(), ids=LAMBDAS)
def test_what_is_printed_of_a_formula_is_that_formula(formula):
    parameters = ", ".join(table.parameter_names(formula))
    made = eval(f"lambda {parameters}: {printed.text(formula)}")
    for part in ("co_code", "co_consts", "co_names"):
        assert getattr(made.__code__, part) == getattr(formula.__code__, part)


def test_the_whole_table_is_printed():
    process = subprocess.run([sys.executable, "-m", "autograd_nb.table"], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines() == "\n".join(LINES).splitlines()
    start = LINES.index("mul(self, other)  MulBackward0")
    assert LINES[start + 1 : start + 3] == ["    self: grad * other", "    other: grad * self"]
    assert len([line for line in LINES if line.endswith("Backward0")]) > 100
    assert "logical_not" in LINES[-1] and LINES[-1].endswith(".")
