"""Corners that random programs found: what nodes save and are called, views not recorded, leaves at rest, modes."""

# ruff: noqa: F821, F841, E731, B018
import numpy as np


def names(node):
    """The names behind a node, its first edges followed."""
    return node and [node.name(), *(names(after) for after, _ in node.next_functions)]


def slope(function, *inputs):
    """The nodes of a gradient that is itself recorded."""
    (grad,) = torch.autograd.grad(function(*inputs).sum(), inputs[0], create_graph=True)
    return names(grad.grad_fn)


def vector():
    return torch.tensor([0.5, 0.25], requires_grad=True)


for text in ("x ** 3", "x ** 2.5", "2 ** x", "x.sqrt()", "x.log2()", "x.tan()", "x.atan()", "x.var()", "x.std(0)",
             "x.norm()", "x.prod()", "x.cumprod(0)", "x.softmax(0)", "x.log_softmax(0)",
             "x.relu()", "torch.stack([x, x])", "x.max(0).values", "x.mean(dim=None)",
             "x.lerp(x, 2)", "x[None].squeeze()"):  # fmt: skip
    show(f"slope of {text}", lambda text=text: slope(lambda x: eval(text, {"torch": torch, "x": x}), vector()))
for text in ("x.sum(dim=None)", "x.mean(dim=None)", "x.div(x, rounding_mode=None)", "2 - x",
             "torch.movedim(x[0], 0, -1)"):  # fmt: skip
    show(f"node of {text}", lambda text=text: names(eval(text, {"torch": torch, "x": vector()}).grad_fn))


@case
def what_is_overwritten_is_saved_as_a_copy():
    x = vector()
    y = x * 1
    y.div_(x)
    return y.grad_fn._saved_self.grad_fn.name()


@case
def a_view_that_was_not_recorded_is_no_root():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    v.backward()


@case
def inference_mode_records_nothing():
    x = vector()
    with torch.inference_mode(), torch.enable_grad():
        return torch.is_grad_enabled(), (x * 2).requires_grad, x[0].requires_grad


@case
def a_leaf_at_rest():
    x = vector()
    x.register_hook(lambda g: log.append(g))
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    before = x.grad
    x.requires_grad_()
    (x * 3).sum().backward()
    return before, x.grad


show("nothing joined to nothing", lambda: torch.cat([torch.tensor([]), torch.tensor([])]))
show("bools subtracted", lambda: torch.tensor(True) - torch.tensor(True))
show("a bool subtracted", lambda: torch.tensor(1) - torch.tensor(True))
show("a matrix of indices", lambda: torch.tensor([1.0, 2.0])[torch.tensor([[0, 1], [1, 0]])])
show("numpy's numbers as operands", lambda: (torch.mul(leaf(), np.float32(3)), torch.gt(leaf(), np.float64(0))))
show("integers require no grad", lambda: torch.tensor([1, 2]).requires_grad_())
show("integers require no grad, set", lambda: setattr(torch.tensor([1, 2]), "requires_grad", True))
show("the default device", lambda: (torch.set_default_device("cpu"), torch.set_default_device(None)))


def moved(keep):
    x = torch.ones(2, requires_grad=True)
    older = (x * 2).sum()
    x.requires_grad_(False)
    x.mul_(torch.ones(2, requires_grad=True))
    kept = x if keep else None
    del x
    older.backward()
    return kept


@case
def what_a_result_saved_lies_where_the_result_does():
    y = leaf(1.0).exp()
    saved, shown = y.grad_fn._saved_result, y.detach()
    with torch.no_grad():
        saved.detach().zero_()
        saved.add_(3)
    return y, shown, saved, y._version


@case
def a_function_shows_what_it_saved_as_it_is():
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

    node = Product.apply(leaf(), leaf(3.0)).grad_fn
    return [type(each).__name__ for each in node._raw_saved_tensors], node.saved_tensors


@case
def a_root_that_leads_nowhere_is_looked_at_when_it_is_the_only_one():
    roots = [leaf() * 2, leaf() * 3]
    for number, root in enumerate(roots):
        root.register_hook(logged(f"root {number}"))
    one = torch.autograd.grad(roots[0], leaf(), retain_graph=True, allow_unused=True)
    return one, torch.autograd.grad(roots, leaf(), allow_unused=True)


@case
def a_gradient_that_was_given_is_nobody_elses():
    x, given = vector(), torch.ones(2)
    x.backward(given)
    y = vector() * 1
    y.retain_grad()
    y.backward(given)
    given.add_(1)
    return x.grad, y.grad


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
def a_function_that_changes_its_input():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.mark_dirty(a)
            return a.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = vector()
    y = x * 1
    result = Doubled.apply(y)
    (result * y).sum().backward()
    return result is y, y.grad_fn.name(), x.grad


@case
def a_functions_gradient_is_summed_to_its_input_also_for_a_second_derivative():
    class Spread(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * torch.ones(3)

        @staticmethod
        def backward(ctx, grad):
            (a,) = ctx.saved_tensors
            return grad * a * a

    x = leaf()
    (slope,) = torch.autograd.grad(Spread.apply(x).sum(), x, create_graph=True)
    return slope, torch.autograd.grad(slope, x)


show("a leaf that got a history meanwhile", moved, True)
show("a leaf that got a history and is gone", moved, False)
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


def gradients_of(combined):
    """Versions of two leaves' gradients, and whether an intermediate result's has its shape."""
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    y = combined(a, b)
    y.retain_grad()
    y.exp().backward()
    return y.grad, a.grad, a.grad._version, b.grad, b.grad._version


show("gradients of a difference", gradients_of, lambda a, b: a - b)
show("gradients of a product", gradients_of, lambda a, b: a * b)


@case
def a_root_of_one_element():
    x = torch.ones(1, requires_grad=True)
    x.backward()
    return x.grad


@case
def an_intermediate_result_and_a_leaf():
    x = leaf()
    y = x * 3
    return torch.autograd.grad(y * y, [y, x])


@case
def a_saved_view_changed_after_a_change_in_place():
    y = vector() * 1
    view = y[:1]
    view.exp_()
    view.mul_(2)
    y.sum().backward()


@case
def a_saved_view_changed_outside_the_graph():
    y = vector() * 1
    view = y[:1]
    view.exp_()
    name = view.grad_fn.name()
    y.detach().mul_(2)
    try:
        y.sum().backward()
    except RuntimeError as error:
        return name, str(error)


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
