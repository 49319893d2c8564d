"""The Jacobian as a grid, a vector on sliders, and their product row by row, as backward(v) computes it.

One `backward(v)` leaves the product in x.grad, and the rows are gradients of single outputs; recordings count how often
both call nodes.
"""

import numpy as np
from traitlets import List

import autograd_nb as torch

from ..autograd.jacobians import jacobian_blocks
from ..learner.programs import function_text, name_of
from ..microscope.labels import nested
from .chart import boxed, head
from .kit import Finite, call_text
from .lesson import CHOOSER, STATUS, Lesson, box, chart, code, control, note, stack

MOST = 5  # numbers in x, and in f(x), at most


class VectorJacobian(Lesson):
    """The widget that `vector_jacobian` makes; ``jacobian`` and ``product`` are the numbers of the last good run."""

    budget = True
    x, v = control(List(Finite()), "sliders"), control(List(Finite()), "sliders")
    page = (
        box("columns", stack("v", "x"), stack(CHOOSER, chart("board", choose="row"), STATUS, code("program", label=""),
                                              note("calls"), note("scalar"))),
    )  # fmt: skip

    def __init__(self, f, x, v):
        self.f, self.given = f, x
        super().__init__(x=x.detach().flatten().tolist(), v=v)

    def run(self):
        x = self.point().requires_grad_()
        with torch.enable_grad():
            y = self.f(x)
        facts = {"name": name_of(self.f), "most": MOST, "inputs": x.numel()}
        if not isinstance(y, torch.Tensor):
            self.refuse("not_a_tensor", kind=type(y).__name__, **facts)
        if not y.requires_grad:
            self.refuse("constant", **facts)
        if not (0 < x.numel() <= MOST and 0 < y.numel() <= MOST):
            self.refuse("too_large", outputs=y.numel(), **facts)
        if len(self.v) != y.numel():
            self.v = [1.0] * y.numel()
        v = torch.tensor(self.v, dtype=y.dtype).reshape(y.shape)
        with torch.record() as many:
            (columns,) = jacobian_blocks(y, (x,))
        with torch.record() as once:
            y.backward(v, inputs=[x])  # not into .grad of other tensors that the function uses
        if x.grad is None:
            self.refuse("constant", **facts)
        self.jacobian, self.product = columns.numpy().T, x.grad.flatten().tolist()
        if not np.isfinite(self.jacobian).all():
            self.refuse("no_row", values=self.jacobian.tolist())
        one, all_rows = (sum(event.kind in ("Ran", "Accumulated") for event in trace) for trace in (once, many))
        return facts | {
            "product": self.product, "program": "code", "weights": nested(v.tolist()),
            "calls": "told_calls", "size": y.numel(), "once": one, "many": all_rows, **self.board(),
        }  # fmt: skip

    def board(self):
        """v, the Jacobian, and what each row of it adds to the product, side by side."""
        v = np.array(self.v)
        weighted = v[:, None] * self.jacobian + 0.0  # no -0.
        so_far, size = np.array([*weighted.cumsum(axis=0)[:-1], self.product]), len(self.product)
        lines = [[None], [None], *([f"y[{place}]"] for place in range(len(v)))]
        parts = {"v": v, "jacobian": self.jacobian, "weighted": weighted, "so_far": so_far}
        for key, numbers in parts.items():
            numbers = numbers.reshape(len(v), -1)
            width = numbers.shape[1]
            lines[0] += [head(self.own_words[f"{key}_head"]), *[None] * width]
            lines[1] += [*(f"x[{place}]" if key != "v" else "" for place in range(width)), None]
            for line, cells in zip(lines[2:], boxed(numbers.tolist()), strict=True):
                line += [*cells, self.own_words[f"{key}_sign"]]
        told = [self.say("row_status", place=place, **dict(zip(parts, row, strict=True)))
                for place, row in enumerate(zip(*(each.tolist() for each in parts.values()), strict=True))]  # fmt: skip
        end = len(lines[-1]) - 1
        choices = [(line, 1, end) for line in range(2, 2 + len(v))]
        return {"texts": told, "board": {
            "lines": lines, "choices": choices, "marked": [(1 + len(v), end - size, end, "grad")]}}  # fmt: skip

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
