"""Beside PyTorch and without the packages of notebooks everything works except widgets."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")

PROGRAM = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"anywidget", "ipywidgets", "traitlets", "IPython", "matplotlib"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import torch
from autograd_nb import draw, info, record, step, why

model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
with record() as trace:
    loss = model(torch.ones(2, 3)).sum()
    loss.backward()
walk = step(trace)
walk.save("walk.html")
walk.save("walk.mjs")
other = step(lambda: model(torch.ones(2, 3)).sum().backward())
print(str(walk).splitlines()[0], other.count > 9, walk._repr_html_()[:3])
shown = draw(loss)._repr_mimebundle_().keys()
print(len(draw(trace).picture.nodes) > 4, shown == {"text/html", "image/svg+xml", "text/plain"})
print(*map(bool, map(repr, (info(model), why(model), why(loss), why(model[0].weight, trace)))))
"""


def test_what_is_no_widget_works_without_notebooks_libraries(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "Stepper: loss.backward() True <p>\nTrue True\nTrue True True True\n"
    assert "AddmmBackward0" in (tmp_path / "walk.html").read_text("utf-8")
    assert "export default" in (tmp_path / "walk.mjs").read_text("utf-8")
