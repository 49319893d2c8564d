"""The Jacobian as a grid, a vector on sliders, and their product row by row, as backward(v) computes it.

One `backward(v)` leaves the product in x.grad, and the rows are gradients of single outputs; recordings count how often
both call nodes.
"""

import numpy as np
from traitlets import List

import autograd_nb as torch

from ..learner.programs import function_text, name_of
from ..microscope.labels import nested, number
from .chart import Board
from .kit import Finite, call_text
from .lesson import Lesson, box, code, control, stack

MOST = 5  # numbers in x, and in f(x), at most


class VectorJacobian(Lesson):
    """The widget that `vector_jacobian` makes; ``jacobian`` and ``product`` are the numbers of the last good run."""

    budget = True
    x, v = control(List(Finite()), "sliders"), control(List(Finite()), "sliders")
    page = (box("columns", stack("v", "x"), stack("chooser", "board", "status", code("program", label=""), "calls",
                                                  "scalar")),)  # fmt: skip

    def __init__(self, f, x, v):
        self.f, self.given = f, x
        super().__init__(x=x.detach().flatten().tolist(), v=v)

    def run(self, x, v):
        name, most, inputs, at = name_of(self.f), MOST, len(x), self.point().requires_grad_()
        with torch.enable_grad():
            y = self.f(at)
        kind = type(y).__name__
        if not isinstance(y, torch.Tensor):
            self.refuse("not_a_tensor", **locals())
        if not y.requires_grad:
            self.refuse("constant", **locals())
        outputs = y.numel()
        if not (0 < inputs <= MOST and 0 < outputs <= MOST):
            self.refuse("too_large", **locals())
        if len(v) != outputs:
            v = self.v = [1.0] * outputs
        given = torch.tensor(v, dtype=y.dtype).reshape(y.shape)
        ones = torch.eye(outputs, dtype=y.dtype).reshape(outputs, *y.shape)
        with torch.record() as all_rows:
            rows = [torch.autograd.grad(y, at, one, retain_graph=True, materialize_grads=True) for one in ones]
        with torch.record() as one:
            y.backward(given, inputs=[at])  # not into .grad of other tensors that the function uses
        if at.grad is None:
            self.refuse("constant", **locals())
        self.jacobian, self.product = np.array([row.flatten().tolist() for row, in rows]), at.grad.flatten().tolist()
        if not np.isfinite(self.jacobian).all():
            self.refuse("no_row", values=self.jacobian.tolist())
        once, many = (sum(event.kind in ("Ran", "Accumulated") for event in trace) for trace in (one, all_rows))
        weighted = np.array(v)[:, None] * self.jacobian + 0.0  # no -0.
        so_far = np.array([*weighted.cumsum(axis=0)[:-1], self.product])
        parts = {"v": np.array(v), "jacobian": self.jacobian, "weighted": weighted, "so_far": so_far}
        told = zip(*(each.tolist() for each in parts.values()), strict=True)
        texts = [self.say("row_status", place=place, **dict(zip(parts, row, strict=True)))
                 for place, row in enumerate(told)]  # fmt: skip
        # side by side: v, the Jacobian, and what each row of it adds to the product
        labels, columns, line = [f"y[{place}]" for place in range(outputs)], [""], []
        for key, numbers in parts.items():
            numbers = numbers.reshape(outputs, -1).tolist()
            framed = [[key == "so_far" and row == outputs - 1] * len(columns) for row in range(outputs)]
            written = [list(map(number, row)) for row in numbers]
            line.append((self.own_words[f"{key}_head"], labels, columns, numbers, written, framed))
            labels, columns = [self.own_words[f"{key}_sign"]] * outputs, [f"x[{place}]" for place in range(inputs)]
        return locals() | {
            "product": self.product, "program": "code", "weights": nested(given.tolist()),
            "board": Board("row", "grad", [line])}  # fmt: skip

    def as_code(self):
        return call_text(vector_jacobian, function_text(self.f), repr(self.point().tolist()), v=self.v)

    def point(self):
        return torch.tensor(self.x, dtype=self.given.dtype).reshape(self.given.shape)


def vector_jacobian(f, x, *, v=()):
    """The Jacobian of a function at x, a vector v on sliders, and their product row by row, which backward(v) gives.

    f: a function from a tensor to a tensor, of at most five elements each; x: a tensor of floats, or numbers for one;
    v: a list of numbers, one for each element of f(x) (default: ones).

    >>> from autograd_nb import widgets
    >>> widgets.vector_jacobian(lambda x: x**2, [1., 2.], v=[1., 10.])
    Vector–Jacobian product. v @ J = [2, 40], which is what y.backward(v) left in x.grad.
    """
    x = torch.as_tensor(x)
    return VectorJacobian(f, x if x.is_floating_point() else x.float(), list(v))
