"""The rooms of nn load when one of their names is first used, and nobody notices otherwise."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import autograd_nb
import autograd_nb.nn as nn
import autograd_nb.nn.functional as F

ROOM = Path(nn.__file__).parent
MODULES = [name for name in nn.modules.__all__ if isinstance(getattr(nn, name), type)]


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


def run(program):
    """What a program printed, run in a new interpreter."""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOM.parents[1])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_module_stands_in_the_contents_of_its_file():
    for path in sorted(ROOM.glob("modules/[a-z]*.py")):
        file = importlib.import_module(f"autograd_nb.nn.modules.{path.stem}")
        found = {name for name, it in vars(file).items() if isinstance(it, type) and issubclass(it, nn.Module)
                 and it.__module__ == file.__name__ and name[0] != "_" and hasattr(nn, name)}  # fmt: skip
        assert found == set(nn.modules.CONTENTS.get(path.stem, "").split()), path.stem


def test_every_function_stands_in_the_contents_of_its_file():
    for stem, names in F.CONTENTS.items():
        file = importlib.import_module(f"autograd_nb.nn.{stem}")
        assert set(names.split()) == set(file.__all__), stem
        assert all(getattr(F, name) is getattr(file, name) for name in file.__all__)


def test_the_import_loads_no_room():
    loaded = run("import sys, autograd_nb.nn; print(*[name for name in sys.modules if 'autograd_nb.nn' in name])")
    assert set(loaded.split()) == {"autograd_nb.nn", "autograd_nb.nn.later", "autograd_nb.nn.modules"}


@pytest.mark.parametrize("program", [
    "from autograd_nb.nn import LSTM; print(LSTM(1, 2))",
    "from autograd_nb.nn import *; print(Linear(1, 2), functional.relu.__name__, Parameter is parameter.Parameter)",
    "from autograd_nb.nn.functional import *; print(relu.__name__, conv1d.__name__, rrelu_.__name__)",
    "import autograd_nb.nn as nn; print({'LSTM', 'functional', 'init', 'Parameter'} <= set(dir(nn)))",
    "import autograd_nb.nn as nn; print(nn.modules.recurrent.LSTM is nn.LSTM, nn.modules.LSTM is nn.LSTM)",
    "from autograd_nb.nn.modules.layers import Linear; import autograd_nb.nn as nn; print(nn.Linear is Linear)",
    "import autograd_nb as torch; print(torch.conv1d.__name__, torch.nn.utils.clip_grad_norm_.__name__)",
    "import pickle, autograd_nb as torch; print(pickle.loads(pickle.dumps(torch.nn.Sequential(torch.nn.GRU(1, 2)))))",
    "import autograd_nb.nn.functional as F; print(F.__dir__() == sorted(dir(F)), 'conv2d' in dir(F))",
    "import autograd_nb as torch; print(len(torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 2).parameters())))",
])  # fmt: skip
def test_names_answer_in_a_new_process(program):
    said = run(program)
    assert said.strip() and "False" not in said


def test_missing_names_say_so(torch):
    for name in ("Transformerx", "functionall", "__wrapped__"):
        with pytest.raises(AttributeError) as ours:
            getattr(nn, name)
        with pytest.raises(AttributeError) as theirs:
            getattr(torch.nn, name)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(AttributeError, match="torch.nn.CTCLoss is not part of autograd_nb"):
        nn.CTCLoss  # noqa: B018


@pytest.mark.parametrize("name", [name for name in MODULES if hasattr(getattr(nn, name), "settings")])
def test_signatures_are_torchs(torch, name):
    ours, theirs = (inspect.signature(getattr(library.nn, name)) for library in (autograd_nb, torch))
    assert [(it.name, it.kind, it.default) for it in ours.parameters.values()] == [
        (it.name, it.kind, it.default) for it in theirs.parameters.values()]  # fmt: skip


def test_a_subclass_with_an_init_of_its_own_has_its_signature():
    class Own(nn.ReLU):
        def __init__(self, size):
            super().__init__()

    assert str(inspect.signature(Own)) == "(size)"
    assert str(inspect.signature(nn.ReLU)) == "(inplace=False)"
