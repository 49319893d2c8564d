"""``as_torch``: programs that say ``import torch`` run on autograd_nb, unchanged, until it is undone."""

import re
import subprocess
import sys

import pytest
from house import run

import autograd_nb
from autograd_nb.microscope import presence

PROGRAM = """
import torch, torch.nn as nn, torch.nn.functional as F
import torch.linalg
from torch import optim
from torch.autograd import Variable, gradcheck
from torch.autograd.gradcheck import gradgradcheck
from torch.nn.parameter import Parameter
from torch.optim.lr_scheduler import StepLR
assert torch.autograd.gradcheck is gradcheck and torch.nn is nn
layer = nn.Linear(2, 1)
optimizer = optim.SGD(layer.parameters(), lr=0.1)
F.mse_loss(layer(torch.ones(3, 2)), torch.zeros(3, 1)).backward()
optimizer.step()
where = torch.__name__, nn.__name__, torch.linalg.det is autograd_nb.linalg.det
"""


def entries():
    return {path: module for path, module in sys.modules.items() if path.partition(".")[0] == "torch"}


def test_a_program_runs_unchanged(without_torch):
    space = {"autograd_nb": autograd_nb}
    with autograd_nb.as_torch():
        exec(PROGRAM, space)
        assert presence.loaded() is None  # our tensors do not count as PyTorch's
    assert space["where"] == ("autograd_nb", "autograd_nb.nn", True)
    assert autograd_nb.nn.__spec__.name == "autograd_nb.nn"


@pytest.mark.parametrize("program", ["import torch", PROGRAM, "import torch.utils.data", "import torch\n1 / 0"])
def test_afterwards_everything_is_as_before(without_torch, program):
    finders = list(sys.meta_path)
    try:
        with autograd_nb.as_torch():
            exec(program, {"autograd_nb": autograd_nb})
    except (ImportError, ZeroDivisionError):
        pass
    assert entries() == {}
    assert sys.meta_path == finders


def test_the_module_can_be_called_as_well(without_torch):
    import autograd_nb.as_torch as module

    with module():
        import torch
    assert torch is autograd_nb


def test_one_switch_inside_another(without_torch):
    outer = autograd_nb.as_torch()
    assert str(outer) == "import torch means autograd_nb"
    import torch

    before = entries()
    with autograd_nb.as_torch():
        import torch.cuda
    assert entries() == before and torch is autograd_nb
    outer.undo(), outer.undo()
    assert entries() == {} and str(outer) == "import torch means PyTorch again"


def test_pytorch_that_is_loaded_already_is_refused(live):
    before, finders = entries(), list(sys.meta_path)
    with pytest.raises(RuntimeError, match="has imported PyTorch already; restart it, and call as_torch"):
        autograd_nb.as_torch()
    assert (entries(), sys.meta_path) == (before, finders)


@pytest.mark.parametrize("program", [
    "import torch\ndef f(x):\n    return x.log() + 'a'\n\nf(torch.ones(1))", "x = (1", "raise SystemExit(3)",
    "import nosuch", "raise KeyboardInterrupt",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('two') from error",
])  # fmt: skip
def test_an_error_of_a_file_is_reported_as_python_reports_it(tmp_path, program):
    (tmp_path / "script.py").write_text(program)
    ran = [subprocess.run([sys.executable, *way, "script.py"], cwd=tmp_path, capture_output=True, text=True)
           for way in (["-m", "autograd_nb.as_torch"], [])]  # fmt: skip
    mine, its = (re.sub(r"/.*/script.py", "script.py", each.stderr).splitlines() for each in ran)
    assert ran[0].returncode == ran[1].returncode
    if "torch" not in program:
        assert mine == its
    else:  # its own frames differ
        assert mine[0] == its[0] and [line for line in mine if "script.py" in line] == [
            '  File "script.py", line 5, in <module>', '  File "script.py", line 3, in f']


def test_a_file_is_run_with_its_arguments(tmp_path):
    (tmp_path / "beside.py").write_text("name = 'beside'")
    (tmp_path / "script.py").write_text("import sys, torch, beside\nfrom torch.nn import *\n"
                                        "print(__name__, torch.__name__, beside.name, sys.argv[1:], Linear(1, 1))")
    told = run("-m", "autograd_nb.as_torch", str(tmp_path / "script.py"), "a", "b")
    assert told.strip() == ("__main__ autograd_nb beside ['a', 'b'] "
                            "Linear(in_features=1, out_features=1, bias=True)")  # fmt: skip
