"""User code that a backward pass calls sees the context variables of the one who asked for the pass."""

from contextvars import ContextVar

import autograd_nb as torch

cell = ContextVar("cell", default="import")


def test_hooks_and_functions_run_in_the_callers_context():
    seen = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(cell.get())
            return grad * 2

    x = torch.tensor(1.5, requires_grad=True)
    y = Double.apply(x)
    y.register_hook(lambda grad: seen.append(cell.get()))
    token = cell.set("later cell")
    try:
        y.sin().backward()
        cell.set("another")
        Double.apply(x).backward()
    finally:
        cell.reset(token)
    assert seen == ["later cell", "later cell", "another"]
