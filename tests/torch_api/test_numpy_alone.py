"""With NumPy alone everything works except widgets and figures; these say which line to type."""

import numpy_alone
from house import ROOT

PROGRAM = """
from autograd_nb import *
import autograd_nb as torch
from autograd_nb import course, drawing, widgets
from autograd_nb.course import figures

x = torch.tensor(2., requires_grad=True)
with torch.record() as trace:
    y = torch.log(x**3)
    y.backward()
print(x.grad, len(trace.steps()) > 3, "PowBackward0" in torch.draw(y).svg)
model = torch.nn.Linear(2, 1)
model(torch.ones(2)).backward()
torch.optim.SGD(model.parameters(), lr=0.1).step()
print(model.weight.grad, torch.why(x))
print(str(course.ch04.q1.check(24.0)).splitlines()[0])
print(str(torch.step(torch.sin, x)).splitlines()[0], "<svg" in torch.step(torch.sin, x).as_page())
for ask in (lambda: bench("x**2"), lambda: widgets.training(), lambda: course.ch04.p1.card(),
            lambda: torch.predict("?", {"a": "b"}, answer="a"),
            lambda: figures.tangent(torch.sin, 1.), lambda: figures.digits(torch.ones(1, 4))):
    try:
        ask()
    except ModuleNotFoundError as error:
        print(error)
"""


SAYS = """\
tensor(1.5000) True True
tensor([[1., 1.]]) x.grad is 1.5: finite, not zero, of one pass, and no hook changed it; \
whether it is the gradient that you want, why() cannot know.
Not yet.
Stepper: sin(…) True
""" + "".join(
    f"{what} needs {package}, which is not installed in this Python; add it with: python -m pip install {package}\n"
    for what, package in (("bench", "anywidget"), ("training", "anywidget"),
                          ("predict", "anywidget"), ("predict", "anywidget"), *[("a figure", "matplotlib")] * 2)
)  # fmt: skip


def test_the_engine_and_the_exercises_work_and_the_rest_says_what_it_needs(tmp_path):
    assert numpy_alone.run(PROGRAM, ROOT, tmp_path) == SAYS
