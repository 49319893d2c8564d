"""Names load at their first use: the import brings only the core, and every name behaves as if all were loaded."""

import os

import pytest
from house import ROOT, run

import autograd_nb
from autograd_nb.engine import table
from autograd_nb.torch_api import contents
from autograd_nb.torch_api.install import OPERATORS

TOOLS = ROOT / "tests" / "tools"


def test_the_table_is_what_the_modules_publish():
    """Runs in a process of its own, where each module loads again."""
    run(TOOLS / "write_contents.py", "--check")


def test_every_name_in_the_contents_is_there():
    contents.load_table()
    assert sorted(contents.methods - set(table.methods)) == []
    assert [name for name in sorted(contents.functions) if not hasattr(autograd_nb, name)] == []
    assert [name for name in (*contents.methods, *OPERATORS) if not hasattr(autograd_nb.Tensor, name)] == []


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder for bytecode, so that each module is compiled once and not for each name that needs it."""
    return tmp_path_factory.mktemp("compiled")


@pytest.mark.parametrize("what", ["modules", "threads", pytest.param("operations", marks=pytest.mark.needs("nightly"))])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")
def test_each_alone_in_a_process_where_nothing_else_was_used(what, compiled):
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    settings |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(compiled)}
    run(TOOLS / "alone.py", what, cwd=ROOT, env=settings)


EACH_ROW = """
import os, sys, autograd_nb
from autograd_nb.engine.table import operations
for name in sys.argv[1:]:
    if not (copy := os.fork()):
        operations[name]
        os._exit(0)
    assert not os.waitpid(copy, 0)[1], name
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")
def test_each_row_is_found_where_nothing_else_was_used():
    contents.load_table()
    own = {"div.Scalar", "rsub.Scalar", "squeeze_.first"}  # of which only their own module knows the names
    run("-c", EACH_ROW, *table.operations.keys() - own)


def test_the_import_loads_no_row_of_the_table_no_walk_and_no_larger_room():
    loaded = set(run("-c", "import sys, autograd_nb; print(*sys.modules)").split())
    rooms = "course drawing microscope nn optim widgets".split()
    later = *contents.contents, *contents.namespaces.values(), "engine.backward", *rooms
    assert not {f"autograd_nb.{home}" for home in later} & loaded


UNTOLD = """
import autograd_nb as torch, inspect
from autograd_nb.torch_api.install import Later
has = hasattr(torch, "gather"), hasattr(torch.Tensor, "cumsum"), hasattr(torch, "view"), hasattr(torch.Tensor, "stack")
assert has == (True, True, False, False), has
assert "reversed" in inspect.getdoc(torch.Tensor.flip)
assert list(inspect.signature(torch.Tensor.flatten).parameters) == ["self", "start_dim", "end_dim"]
assert torch.Tensor.tril is torch.Tensor.tril and torch.tril is torch.tril
assert any(isinstance(value, Later) for value in vars(torch.Tensor).values())
listed = dir(torch), dir(torch.Tensor), dir(torch.Tensor.__new__(torch.Tensor))
assert {"gather", "nn", "record"} <= set(listed[0]) and {"gather", "view", "T"} <= {*listed[1]} & {*listed[2]}
from autograd_nb.torch_api.contents import load_table
load_table()
for name in listed[0]:
    getattr(torch, name)
assert not [name for name, value in vars(torch.Tensor).items() if isinstance(value, Later)]
assert listed == (dir(torch), dir(torch.Tensor), dir(torch.Tensor.__new__(torch.Tensor)))
"""


def test_names_documentation_and_signatures_are_there_before_their_module():
    run("-c", UNTOLD)


def test_a_star_import_brings_functions_and_no_modules_of_the_engine():
    names = set(run("-c", "from autograd_nb import *; print(*dir())").split())
    assert {"Tensor", "tensor", "gather", "float32", "no_grad", "pi", "arange"} <= names
    assert not {"dispatch", "contents", "np", "nn"} & names
