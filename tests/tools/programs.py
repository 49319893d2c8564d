"""Runs small programs and expressions on either library: tensors as a learner sees them, or errors."""

import copy
import re
import warnings
from collections import OrderedDict

import numpy as np


def strides(x):
    """The strides, without those of dimensions of length one, because no step crosses them."""
    return [step for step, length in zip(x.stride(), x.shape, strict=True) if length > 1] if x.numel() else None


def evaluate(library, start, expression):
    """The value of an expression after the lines of *start*: tensors as a learner sees them, or the error."""
    space = {"torch": library}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(start, space)
        try:
            return described(library, eval(expression, space))
        except Exception as raised:
            return type(raised).__name__, str(raised).split("\n")[0]


def described(library, value):
    if isinstance(value, library.Tensor):
        node, names = value.grad_fn, []
        while node is not None and len(names) < 5:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        where = value.storage_offset() if value._is_view() and value.numel() else None
        return " ".join(repr(value).split()), strides(value), names, value._is_view(), value.is_contiguous(), where
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(described(library, each) for each in value)]
    return repr(value)


def same_everywhere(text):
    """The text without facts of one run: addresses, and the places in PyTorch's sources that warned."""
    return re.sub(r" \(Triggered internally.*", "", re.sub(r"0x[0-9a-f]+", "0xADDR", text), flags=re.DOTALL)


def told(library, expression, setup="", **names):
    """The value of an expression, after the lines of *setup*, or its error, as text, and its warnings."""
    space = {"torch": library, "np": np, **names}
    exec(setup, space)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "`torch.jit.script`")  # PyTorch's own affair
        try:
            text = repr(eval(expression, space))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return same_everywhere(text), [f"{each.category.__name__}: {same_everywhere(str(each.message))}" for each in caught]


def shown(library, program):
    """A program's output without addresses, or its error, and its warnings; ``torch`` stands for the library."""
    lines = []

    def note(*values):
        lines.append(re.sub("0x[0-9a-f]+", "0x", " ".join(map(str, values))))

    names = {"torch": library, "nn": library.nn, "copy": copy, "OrderedDict": OrderedDict, "np": np, "print": note}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            exec(program, names)
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return lines, [str(each.message).partition("(Triggered")[0].strip() for each in told]


def cube(library):
    """A user's Function: x³."""

    class Cube(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    return Cube


# -- programs that are recorded on both engines ------------------------------------------------------------------------


def two_paths(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    q = torch.tensor([3.0, 4.0], requires_grad=True)
    a, b = x * q, x.exp()
    z = (a * b + q.sin() * a).sum()
    z.backward()


def network(torch):
    u = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
    w = torch.tensor([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]], requires_grad=True)
    b = torch.tensor([0.01, 0.02], requires_grad=True)
    for _ in range(2):
        loss = ((torch.tanh(u @ w + b) - 0.5) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
        w.grad.zero_()
        b.grad = None


def views_in_place(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    y[0].mul_(3)
    y.add_(1)
    z = (y * y).sum()
    z.backward()


def several_outputs(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind()
    values, _ = torch.max(torch.cat([a, b * 2]).reshape(2, 2), 1)
    z = values.sum() + a.sum()
    z.backward()


def hooks(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    y.register_hook(lambda grad: None)
    x.register_hook(lambda grad: grad + 1)
    z = y.sum()
    z.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    z.backward(retain_graph=True)
    z.backward()


def captured(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    z = y.exp() + x
    torch.autograd.grad(z, [y])
    z = x.sin() * x
    z.backward(inputs=[x])


def twice(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x.sin() * x.exp()
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    slope.backward()


def own_function(torch):
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    z = (cube(torch).apply(x.sin()) * x).sum()
    z.backward()


def changed_in_place(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 2
    y[0] *= 3
    y[1] = x[0]
    y **= 2
    y.fill_(1)
    y.t_()
    z = y[...]
    with torch.no_grad():
        z.transpose_(0, 1)
        (x * 1).mul_(5)
    x.register_post_accumulate_grad_hook(lambda leaf: 1 / 0)
    (z[torch.tensor([0]), :1] * x.long() + x).sum().backward()


def inputs_returned(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return -grad

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.tensor([1.0, 3.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = Same.apply(x / x)
    x.register_hook(lambda grad: grad.double())
    (Doubled.apply(y * 1) % x).sum().backward()


def sums(torch):
    w = torch.full((9, 9), 0.5, requires_grad=True)  # more elements than a recording keeps
    x = h = w * 2
    for _ in range(3):
        h = h * x + h.relu()
    h.sum().backward()
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    y = x * w
    z = (y * y + y * x).sum()
    torch.autograd.grad(z, [y, x])


ON_BOTH = [two_paths, network, views_in_place, several_outputs, hooks, captured, twice, own_function, changed_in_place,
           inputs_returned, sums]  # fmt: skip
