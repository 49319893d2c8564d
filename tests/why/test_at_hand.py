"""why at work: without arguments, on a script, in IPython."""

import cProfile
import importlib
import os
import re
import subprocess
import sys
import warnings

import forks
import pytest
from house import ROOT

import autograd_nb
from autograd_nb import record, why

TRAIN = """
import sys
import {library} as torch

def train(model, optimizer, x):
    for _ in range(10):
        loss = (model(x) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()

def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    train(model, torch.optim.SGD(model.parameters(), lr=.1), torch.randn(8, 2))
    print(__name__, sys.argv[1:])

main()
"""
FAILS = """
import {library} as torch
model = torch.nn.Linear(2, 1)
guess = model(torch.ones(3, 2)).argmax(1)
loss = guess.float().mean()
loss.backward()
"""


def run(path, program, *words):
    path.write_text(program)
    command = ["-W", "ignore", "-m", "autograd_nb.why", *words[:-1], str(path), words[-1]]
    if "import torch" in program:
        return forks.python(*command)
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300)


LIBRARIES = ["autograd_nb", "torch"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_script_runs_as_it_is_and_its_first_steps_are_told_of(tmp_path, library):
    done = run(tmp_path / "train.py", TRAIN.format(library=library), "--steps", "4", "--lr")
    assert done.returncode == 0 and done.stdout == "__main__ ['--lr']\n"
    assert "the sum of 4 backward passes" in done.stderr
    assert "nothing set it to zero between the steps (line 8, loss.backward())" in done.stderr


def test_a_pytorch_that_does_not_load_stands_in_the_way_of_no_script(tmp_path, monkeypatch):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise OSError('libtorch.so')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    done = run(tmp_path / "train.py", TRAIN.format(library="autograd_nb"), "--steps", "4", "--lr")
    assert done.returncode == 0 and "the sum of 4 backward passes" in done.stderr


SPARSE = """
import torch
e = torch.nn.Embedding(5, 2, sparse=True)
o = torch.optim.SGD(e.parameters(), lr=.1)
for i in range(5):
    l = e(torch.tensor([1])).sum(); o.zero_grad(); l.backward(); o.step()
print("trained")
"""
OF_SHAPE_ONE = """
import torch
m = torch.nn.Linear(2, 1)
o = torch.optim.SGD(m.parameters(), lr=.1)
for i in range(5):
    o.zero_grad()
    for k in range(2):
        loss = m(torch.ones(2)) / 2
        loss.backward()
    o.step()
print("trained")
"""


@pytest.mark.needs("PyTorch")
@pytest.mark.parametrize("program", [SPARSE, OF_SHAPE_ONE])
def test_a_healthy_script_runs_to_its_end(tmp_path, program):
    done = run(tmp_path / "train.py", program, "")
    assert done.returncode == 0 and done.stdout == "trained\n" and "Error" not in done.stderr


ENDS = {"sys.exit(main())": 4, "raise KeyboardInterrupt": -2}


@pytest.mark.parametrize("end", ENDS)
def test_however_a_script_ends_why_has_its_say(tmp_path, end):
    train = TRAIN.format(library="autograd_nb").replace("\nmain()\n", "\n")
    train = train.replace("range(10)", "range(2)").replace("    print(__name__", "    return 4\n    print(__name__")
    done = run(tmp_path / "train.py", train + (end if "main" in end else f"main()\n{end}"), "")
    assert done.returncode in (ENDS[end], 130) and "why, after 2 steps: " in done.stderr
    assert "the sum of 2 backward passes" in done.stderr


def test_a_fault_of_why_does_not_end_the_script(tmp_path):
    fails = "import autograd_nb.why.script as s\ndef survey(*_): raise ZeroDivisionError\ns.survey = survey\n"
    done = run(tmp_path / "train.py", fails + TRAIN.format(library="autograd_nb"), "")
    assert done.returncode == 0 and "could not look at this script (ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_error_that_ends_a_script_is_explained_below_its_own_traceback(tmp_path, library):
    done = run(tmp_path / "fails.py", FAILS.format(library=library), "more")
    assert done.returncode == 1
    error, answer = done.stderr.split("\nwhy: ")
    assert error.startswith("Traceback") and "RuntimeError: element 0 of tensors does not require grad" in error
    assert "microscope" not in error and "argmax returns indices" in answer and "line 4, guess = " in answer


@pytest.mark.needs("PyTorch")
def test_what_an_engineer_reads_first_is_so(tmp_path):
    text = (ROOT / "docs" / "microscope.md").read_text("utf-8")
    train, answer, five_lines = (found[1] for found in re.finditer("(?s)```(?:python|text)\n(.*?)```", text))
    assert run(tmp_path / "train.py", train, "").stderr.strip() == answer.strip()
    (tmp_path / "more.py").write_text(train + five_lines)
    done = forks.python("more.py", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("4 gradients are finite and not zero")
    assert {"graph.svg", "walk.html"} <= {path.name for path in tmp_path.iterdir()}


def test_an_error_that_has_nothing_to_do_with_gradients_is_left_alone(tmp_path):
    done = run(tmp_path / "fails.py", "import autograd_nb\n{}['a']\n", "more")
    assert done.returncode == 1 and "\nKeyError: 'a'\n\nwhy: KeyError: 'a' (line 2, {}['a'])." in done.stderr


def test_the_module_that_runs_scripts_does_not_hide_the_function():
    import autograd_nb.why

    x = autograd_nb.ones(2)
    assert autograd_nb.why(x) == why(x)


def test_in_ipython_an_error_of_autograd_is_explained_and_magics_ask():
    shells = pytest.importorskip("IPython.core.interactiveshell")
    from IPython.utils.capture import capture_output

    shell = shells.InteractiveShell.instance()
    try:
        with capture_output() as shown:
            shell.run_cell("%load_ext autograd_nb\nimport autograd_nb as torch\nw = torch.ones(2, requires_grad=True)")
            shell.run_cell("y = w * 2\ny.backward()")
        texts = [shown.stdout, *(each.data["text/plain"] for each in shown.outputs)]
        assert any("y has more than one element" in text for text in texts)
        told = shell.run_cell("%why w").result
        assert "y has more than one element" in told  # so w has no gradient
        shell.run_cell("v = torch.ones(2, requires_grad=True)\n(v.detach() * v).sum().backward()\nv.grad = None", True)
        offered = shell.run_cell("%why v", store_history=True).result
        assert "%why --again v runs the cell before again" in offered
        shell.run_cell("v = torch.ones(2, requires_grad=True)\n(v.detach() * w).sum().backward()", True)
        assert "detach() gives v without its graph" in shell.run_cell("%why --again v", store_history=True).result
        stepper = shell.run_cell_magic("step", "", "z = (w * 3).sum()\nz.backward()")
        assert "Backward pass starts at z" in repr(stepper) and shell.user_ns["z"].item() == 6.0
        with capture_output() as shown:
            shell.run_cell("1 / 0")
        assert "why" not in shown.stdout
    finally:
        shells.InteractiveShell.clear_instance()
        sys.last_exc = sys.last_value = None


def test_without_arguments_a_result_that_keeps_its_gradient_is_looked_at_too():
    w = autograd_nb.ones(3, requires_grad=True)
    with record() as trace:
        h = w * 2
        h.retain_grad()
        loss = (h * 0 + w).sum()
        loss.backward()
    assert trace and str(why()).startswith("h.grad is zero: ")


def test_without_arguments_all_that_is_unusual_is_listed_the_most_severe_first():
    torch = autograd_nb
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
    x = torch.tensor([0.0], requires_grad=True)
    with record() as trace:
        loss = model(torch.ones(3, 2)).sum() + (x * x).sqrt().sum()
        loss.backward()
        optimizer.step()
    first, second = why(trace=trace).split("\n")
    assert first.startswith("x.grad has NaN: the derivative of sqrt is not finite")
    assert second.startswith("model.1.weight has its gradient, but no optimizer in sight holds it")
    assert second.endswith("Likewise model.1.bias.") and len(why().split("\n")) <= 10


def test_another_tensor_of_the_same_name_is_not_in_the_recording():
    torch = autograd_nb
    x = torch.tensor(2.0, requires_grad=True)
    with record() as trace:
        (x * x).backward()
    same, x = x, torch.tensor(3.0, requires_grad=True)
    assert why(x, trace).startswith("x.grad is None: nothing that was recorded uses x.")
    told = "same.grad is 4: finite, not zero, of one pass, the sum over 2 ways back (2 and 2 through MulBackward0"
    assert why(same, trace).startswith(told)


def test_a_recording_speaks_of_what_it_used_and_not_of_earlier_cells():
    torch = autograd_nb
    old = torch.nn.Linear(2, 2)
    old_optimizer = torch.optim.SGD(old.parameters(), lr=0.0)
    first = torch.ones(2, requires_grad=True)
    ((first * 0).sum() + old(torch.ones(1, 2)).sum()).backward()
    net = torch.nn.Linear(3, 1)
    with record() as trace:
        net(torch.ones(4, 3)).pow(2).mean().backward()
    assert why(trace=trace).startswith("2 gradients are finite") and old_optimizer
    with record() as nothing:
        pass
    assert why(net, nothing) == why(trace=nothing) and why(net, nothing).startswith("Nothing was recorded")


def test_a_hook_that_asks_while_the_pass_runs_is_told_so():
    torch = autograd_nb
    w, told = torch.ones(2, requires_grad=True), []
    with record() as trace:
        h = w * 2
        h.register_hook(lambda grad: told.append(str(why(w, trace))))
        h.sum().backward()
    assert told[0].startswith("w.grad is None: the backward pass is still running")


def test_a_trace_from_before_a_reload_is_one():
    import importlib

    import autograd_nb.microscope.trace as module

    w = autograd_nb.ones(2, requires_grad=True)
    with record() as trace:
        (w * w).sum().backward()
    old = vars(module).copy()
    try:
        importlib.reload(module)
        assert module.is_trace(trace)
    finally:
        vars(module).update(old)
    assert why(w, trace).startswith("w.grad is [2, 2]")


@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_an_error_is_explained_while_it_is_handled_and_when_it_is_given():
    torch = autograd_nb
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.mul_(2)
    try:
        y.sum().backward()
    except RuntimeError as error:
        kept, told = error, why()
    assert told.startswith("ExpBackward0 saved its result for the way back") and "record()" in told
    assert why(kept) == told
    assert why(KeyError("a")).startswith("KeyError: 'a'. Now ")
    w = torch.ones(2, requires_grad=True)
    try:
        for _turn in range(2):
            (w * w).sum().backward()
            w = w - 0.1 * w.grad
    except TypeError:
        assert "w.grad is None: w now names the result of SubBackward0" in why()


def test_requires_grad_is_advised_for_inputs_only():
    torch = autograd_nb
    w = torch.ones(2, requires_grad=True)
    given = torch.tensor(2.0)
    hits = (w > 0.5).float()
    loss = hits.sum()
    assert "requires_grad_()" not in why(loss) + why(hits)
    assert "call given.requires_grad_()" in why(given)


def test_a_recording_is_asked_while_it_runs():
    torch = autograd_nb
    w = torch.ones(2, requires_grad=True)
    with record() as trace:
        (w * w).sum().backward()
        assert why(w, trace).startswith("w.grad is [2, 2]: finite, not zero, of one pass, the sum over 2 ways back")
        (w * 3).sum().backward()
    assert why(w, trace).startswith("w.grad is [5, 5], the sum of the 2 backward passes")
    assert trace.running is None and trace.so_far() is trace


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_distribution_is_asked_about_by_what_it_holds(library):
    torch = importlib.import_module(library)
    distributions = importlib.import_module(f"{library}.distributions")
    mean = torch.zeros(3, requires_grad=True)
    normal = distributions.Normal(mean, 1.0)
    with record() as trace:
        (normal.sample() ** 2).sum()
    assert why(normal, trace).startswith("normal.loc.grad is None: ")
    with record() as trace:
        (normal.rsample() - 5).sum().backward()
    assert why(normal, trace).startswith("normal.loc.grad is [1, 1, 1]: finite, not zero, of one pass, and no hook")
    with pytest.raises(TypeError, match="expected a tensor, .* got int"):
        why(3)


def test_a_pass_inside_a_transform_is_said_to_be_one(torch):
    w = torch.ones(2, requires_grad=True)
    with record() as trace:
        slope = torch.func.grad(lambda x: (x**2).sum())(w)
    assert slope.tolist() == [2, 2]
    assert why(w, trace).startswith("w.grad is None: a transform of torch.func ran")
    told = []

    def asks(x):
        told.append(str(why(x)))
        return (x**2).sum()

    assert torch.func.grad(asks)(w).tolist() == [2, 2] and told and "found nothing" not in told[0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_under_a_profiler_answers_are_the_same(library):
    torch = importlib.import_module(library)
    told = []
    for profile in (None, cProfile.Profile()):
        w = torch.ones(2, requires_grad=True)
        if profile:
            profile.enable()
        try:
            with record() as trace:
                for _ in range(2):
                    (w * w).sum().backward()
            told.append(why(w, trace))
        finally:
            if profile:
                profile.disable()
    assert told[0] == told[1] and "the sum of 2 backward passes" in told[0]


def test_a_script_keeps_its_own_profiler(tmp_path):
    train = TRAIN.format(library="autograd_nb").replace("\nmain()\n", "\n")
    train += "import cProfile\nprofile = cProfile.Profile()\nprofile.runcall(main)\n"
    train += "profile.create_stats()\nprint(sum(each[2] == 'train' for each in profile.stats))\n"
    done = run(tmp_path / "train.py", train, "")
    assert done.returncode == 0 and done.stdout.endswith("\n1\n")
    assert "why, after 3 steps: " in done.stderr and "the sum of 3 backward passes" in done.stderr


def test_a_warning_in_a_recording_names_the_learners_line(torch):
    h = torch.ones(2, requires_grad=True) * 2
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        before = warnings.showwarning
        with record():
            _ = h.grad
        assert warnings.showwarning is before
    assert [each.filename for each in seen] == [__file__]


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_steps_that_were_recorded_go_before_optimizers_in_sight(library):
    """The optimizer at work is inside a function; those in sight, of an earlier turn, hold what it does not change."""
    torch = pytest.importorskip(library)
    net, x = torch.nn.Linear(2, 1), torch.ones(4, 2)
    left_over = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)

    def train():
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()

    with record() as trace:
        train()
    for answer in (why(net, trace), why(net.weight, trace), why(trace=trace)):
        assert left_over and "in sight" not in answer and "left_over" not in answer, answer
    assert "the last step of SGD used a .grad of" in why(net.weight, trace)
    with record() as trace:
        net(x).square().mean().backward()
    assert "left_over" in why(net, trace)  # no step was recorded, so the optimizer in sight counts


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_module_gives_a_line_for_each_thing_that_is_unusual(library):
    torch = importlib.import_module(library)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    loss = model(torch.ones(3, 2)).sum()
    assert why(model) == ("model.0.weight.grad is None: loss was computed from model.0.weight, and its graph shows no "
                          "backward pass. Call backward() on it or on its loss. Likewise model.0.bias, model.1.weight "
                          "and model.1.bias.")  # fmt: skip
    loss.backward()
    assert why(model).startswith("4 gradients are finite and not zero, of a root mean square from ")
    model[0].requires_grad_(False)
    *_, frozen = why(model).split("\n")
    assert frozen == "model.0.weight and model.0.bias do not require grad."
    assert " gradients are finite" in why(model)._repr_html_()


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match=r"why\(\): expected a tensor, a module, an optimizer or an error, got int"):
        why(3)
    with pytest.raises(TypeError, match=r"why\(\): expected a trace of record\(\), got str"):
        why(autograd_nb.ones(2), trace="trace")
