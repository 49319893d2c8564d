"""Corners that random programs found: names of nodes, integers and numbers, expanded tensors, views of Functions."""

# ruff: noqa: F821, F841, E731, B018
import contextlib
import math

import numpy as np


def names(node):
    """The names behind a node, its first edges followed."""
    return node and [node.name(), *(names(after) for after, _ in node.next_functions)]


def slope(function, *inputs):
    """The nodes of a gradient that has a graph itself."""
    (grad,) = torch.autograd.grad(function(*inputs).sum(), inputs[0], create_graph=True)
    return names(grad.grad_fn)


def vector():
    return torch.tensor([0.5, 0.25], requires_grad=True)


for text in ("x ** 3", "x ** 2.5", "2 ** x", "x.sqrt()", "x.log2()", "x.tan()", "x.atan()", "x.var()", "x.std(0)",
             "x.norm()", "x.prod()", "x.cumprod(0)", "x.softmax(0)", "x.log_softmax(0)",
             "x.relu()", "torch.stack([x, x])", "x.max(0).values", "x.mean(dim=None)",
             "x.lerp(x, 2)", "x[None].squeeze()"):  # fmt: skip
    show(f"slope of {text}", lambda text=text: slope(lambda x: eval(text, {"torch": torch, "x": x}), vector()))
for text in ("x.sum(dim=None)", "x.mean(dim=None)", "x.div(x, rounding_mode=None)", "2 - x"):
    show(f"node of {text}", lambda text=text: names(eval(text, {"torch": torch, "x": vector()}).grad_fn))


show("nothing joined to nothing", lambda: torch.cat([torch.tensor([]), torch.tensor([])]))
show("bools subtracted", lambda: torch.tensor(True) - torch.tensor(True))
show("a bool subtracted", lambda: torch.tensor(1) - torch.tensor(True))
show("a matrix of indices", lambda: torch.tensor([1.0, 2.0])[torch.tensor([[0, 1], [1, 0]])])
show("numpy's numbers as operands", lambda: (torch.mul(leaf(), np.float32(3)), torch.gt(leaf(), np.float64(0))))
show("integers require no grad", lambda: torch.tensor([1, 2]).requires_grad_())
show("integers require no grad, set", lambda: setattr(torch.tensor([1, 2]), "requires_grad", True))
show("the default device", lambda: (torch.set_default_device("cpu"), torch.set_default_device(None)))


@case
def hooks_before_nodes_of_several_outputs():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2, a * 3

        @staticmethod
        def backward(ctx, first, second):
            return first * 2 + second * 3

    for outputs in (Twice.apply(vector()), vector().max(0), vector().unbind()):
        outputs[0].grad_fn.register_prehook(logged("before"))
        outputs[0].sum().backward()


@case
def what_leads_to_another_output_runs_for_the_gradient_of_one():
    one, other = torch.ones(2, 2, requires_grad=True).unbind()
    after = other.exp()
    after.grad_fn.register_hook(logged("ran"))
    return torch.autograd.grad([one.sum(), after.sum()], [one, after])


show("a number warns where it would be recorded", lambda: float(leaf()))
show("a number does not warn elsewhere", torch.no_grad()(lambda: float(leaf())))


@case
def an_expanded_tensor_may_be_written_over_with_itself():
    x = torch.ones(()).expand(2)
    x[:] = x
    return x, x._version


show("an expanded tensor changed in place", lambda: torch.ones(1).expand(2).add_(1))
show("difference of a bool", lambda: True - vector())
show("an index of nothing", lambda: torch.ones(0)[[0]])
show("a number as gradient", lambda: setattr(leaf(), "grad", 3.0))
show("leaky_relu of integers", torch.nn.functional.leaky_relu, torch.ones(2, dtype=torch.int64))
for name in "mse_loss", "binary_cross_entropy":
    show(f"{name} of integers", getattr(torch.nn.functional, name), *[torch.ones(2, dtype=torch.int64)] * 2)


@case
def a_view_that_a_function_made():
    class Row(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[0]

        @staticmethod
        def backward(ctx, grad):
            return torch.stack([grad, 0 * grad])

    row = Row.apply(torch.ones(2, 3, requires_grad=True))
    row.mul_(2)


BEYOND = """
x + 1e39; x * -1e39; x < 1e39; x ** 1e39; torch.tensor(1.) + 1e39; x + torch.tensor(1e39, dtype=torch.float64)
torch.where(yes, x, torch.tensor(1e39, dtype=torch.float64)); torch.where(yes, x, 1e39); x.clamp(0, 1e39)
x.detach().add_(1e39); x.detach().fill_(1e39); x.detach().fill_(-math.inf); x.masked_fill(yes, 1e39)
torch.add(x, x, alpha=1e39); torch.sub(x, x, alpha=-1e39); x.detach().__setitem__(0, 1e39); torch.full((2,), 1e39)
torch.lerp(x, x, 1e39); x.addcmul(x, x, value=-1e39); x.addcdiv(x, x, value=1e39)
x.detach().addcmul_(x.detach(), x.detach(), value=1e39); torch.nn.functional.leaky_relu(x, 1e39)
torch.nn.init.constant_(x.detach(), 1e39)
torch.linspace(0, 1e39, 3); torch.linspace(0, math.inf, 3); torch.arange(1e39); torch.arange(math.inf)
x.detach().uniform_(0, 1e39); x.detach().uniform_(math.nan, 1)
x.scatter(0, zero, 1e39); x.index_add(0, zero, x[:1], alpha=1e39); x.half() * 1e9; x.half().clamp(max=1e5)
x.half().masked_fill(yes, -1e9); x.clamp(max=math.inf); i + 300; i - 129; i * 2**40; u - 1; u * -1; i < 300; i // 300
300 % i; i & 300; i.clone().fill_(300); u.clone().fill_(-1); i.clone().fill_(2.5); i.masked_fill(yes, 300)
i.masked_fill(yes, math.nan); i.clamp(0, 300); u.clamp(-1, 5); torch.where(yes, u, -1); torch.where(yes, u, -300)
u.clone().__setitem__(0, -1); i.clone().__setitem__(0, math.inf); i.scatter(0, zero, 300); u.scatter(0, zero, -1)
torch.full((2,), 300, dtype=torch.int8); torch.full((2,), -1, dtype=torch.uint8); yes.clone().fill_(0.5)
torch.add(i, i, alpha=300); torch.add(i, i, alpha=2.5); torch.sub(i, i, alpha=1.); torch.add(i, 1.5, alpha=2.5)
"""


def numbers():
    return {
        "torch": torch, "math": math, "x": vector(), "yes": tensor([True, False]), "zero": tensor([0]),
        "i": tensor([5, 6], dtype=torch.int8), "u": tensor([5, 6], dtype=torch.uint8),
    }  # fmt: skip


def within(mode, text):
    with mode:
        return eval(text, numbers())


WAYS = {
    "": contextlib.nullcontext, "in inference mode: ": torch.inference_mode,
    "under hooks: ": lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x),
}  # fmt: skip
for way, mode in WAYS.items():
    for text in filter(None, map(str.strip, BEYOND.replace("\n", ";").split(";"))):
        show(way + text, lambda mode=mode, text=text: within(mode(), text))


@case
def the_gradient_of_a_tensor_joined_with_another_dtype():
    found = []
    for name in "cat", "stack", "hstack", "vstack":
        for create_graph in False, True:
            short, long = vector(), torch.ones(2, dtype=torch.float64, requires_grad=True)
            joined = getattr(torch, name)([short, long, torch.ones(2)])
            grads = torch.autograd.grad((joined**2).sum(), [short, long], create_graph=create_graph)
            found.append((name, joined.dtype, grads))
    return found


for name in "max", "min", "median", "sort", "topk":
    for dim in 1, -2, 0, -1:
        arguments = (1, dim) if name == "topk" else (dim,)
        show(f"{name} of a scalar along {dim}", lambda name=name, given=arguments: getattr(leaf(), name)(*given)[:])


@case
def a_gradient_deleted():
    x, y = leaf(), leaf() * 1
    y.retain_grad()
    (x * y).backward()
    del x.grad, y.grad
    return x.grad, y.grad, y.retains_grad
