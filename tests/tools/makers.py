"""A function for each widget that makes one."""

import autograd_nb
from autograd_nb import course, widgets


def three(x):
    return autograd_nb.stack([x[0] * x[1], x[0] ** 2, autograd_nb.sin(x[1])])


# Arguments for widgets that need some, or show more with some.
GIVEN = {
    "tangent": lambda: widgets.tangent("log(x**3)", x=5.0, formula="3/x"),
    "workshop": lambda: widgets.workshop("wrong power"),
    "vector_jacobian": lambda: widgets.vector_jacobian(three, [2.0, 3.0], v=[1.0, 2.0, -1.0]),
    "training": lambda: widgets.training("rings", lr=0.5),
    "landscape": lambda: widgets.landscape(lr=0.14, steps=10),
    "line": lambda: widgets.line([0.0, 1.0, 2.0], [1.0, 3.0, 2.0], w=0.5),
    "nudge": lambda: widgets.nudge(4.0, dx=-0.02),
    "depth": lambda: widgets.depth(12, activation="tanh", residual="zero", norm="batch"),
    "bench": lambda: widgets.bench("log(x ** 3)", x=5.0, plan=["z.backward()"]),
}
MAKERS = {name: GIVEN.get(name, getattr(widgets, name)) for name in widgets.__all__ if name not in ("step", "predict")}


def stepper():
    x = autograd_nb.tensor(2.0, requires_grad=True)
    return autograd_nb.step((x**3).backward)


# One of each widget.
EVERY = {"step": stepper, "predict": lambda: course.ch04.p1.card(), "fields": lambda: course.ch01.p8.card(),
         "check": lambda: course.ch04.q1.check(1.2)} | MAKERS  # fmt: skip
