"""Hooks of tensors and nodes: user code that a pass calls before and after a node runs.

A tensor hook gets the gradient of its tensor before the node runs, and may replace it; then a
retained gradient is stored.  A node's own hooks are called before and after it runs, a leaf's
once its ``.grad`` is complete.  User code gets tensors, though without create_graph the pass
computes on arrays.

This file rests on tensor.py; without hooks you may skip it.
"""

from . import dtypes, events
from .modes import notify, state
from .tensor import Tensor, duplicate, kind_of, ndarray, wrap


def hooks_before(node, grads):
    """The gradients of a node's outputs after the hooks that run before the node."""
    plan, extras = node.plan, node.extras
    grads = tensor_hooks(node, grads)
    if plan.index_output is not None:
        del grads[plan.index_output]
    return node_hooks(node, "pre_hooks", grads) if extras.pre_hooks else grads


def hooks_after(node, results, grads):
    """The gradients of a node's inputs after the hooks that run after the node."""
    extras = node.extras
    for hook in [*extras.accumulated_hooks.values()]:
        after = hook(node.variable)
        if after is not None and after is not node.variable:
            check_replacement(hook, node.variable, after)
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        notify(events.NodeHooked, node, "accumulated_hooks", hook, (node.grad,), None)
    return node_hooks(node, "post_hooks", results, grads) if extras.post_hooks else results


def tensor_hooks(node, grads):
    """The gradients of a node's outputs after tensor hooks, retained where a tensor asks for it."""
    extras = node.extras
    for number, hook in [*extras.tensor_hooks.values()]:  # a hook may add others
        grad = grads[number]
        shown = as_tensor(grad)
        after = hook(shown)
        notify(events.Hooked, node, number, hook, shown, after)
        grads[number] = after_hook(hook, shown, grad, after)
    for number, reference in extras.retained.items():
        retain(node, reference(), grads[number])
    return grads


def after_hook(hook, shown, grad, after):
    """The gradient after a tensor hook, which got it as *shown* and returned *after*."""
    if after is not None:
        check_replacement(hook, shown, after)
        return as_gradient(after)
    unchanged = shown is grad or shown._array is grad
    return grad if unchanged else as_gradient(shown)


def retain(node, tensor, grad):
    """Keep the gradient of an intermediate result in its ``.grad``, if the tensor still exists."""
    if tensor is not None and grad is not None:
        before = tensor._kept_grad
        tensor._kept_grad = duplicate(grad, "clone") if before is None else before + as_tensor(grad)
        notify(events.Retained, node, tensor, tensor._kept_grad)


def node_hooks(node, stage, grads, *others):
    """Gradients after a node's own hooks of a *stage*; the hooks get *others* too."""
    shown = tuple(map(as_tensor, grads))
    others = [tuple(map(as_tensor, other)) for other in others]
    for hook in [*getattr(node.extras, stage).values()]:
        after = hook(shown, *others)
        if after is not None:
            if not isinstance(after, tuple):
                raise TypeError(f"expected tuple, but hook returned '{kind_of(after)}'")
            if len(after) != len(shown):
                raise RuntimeError(
                    f"hook '{hook_name(hook)}' has returned an incorrect number of "
                    f"values (got {len(after)}, but expected {len(shown)})"
                )
            for before, replacement in zip(shown, after, strict=True):
                if replacement is not None:
                    check_replacement(hook, before, replacement)
        notify(events.NodeHooked, node, stage, hook, shown, after)
        shown = shown if after is None else after
    return [*map(as_gradient, shown)]


def as_tensor(grad):
    """A gradient of the pass as a tensor that user code may read and keep."""
    if grad is None or isinstance(grad, Tensor):
        return grad
    return wrap(grad, dtypes.of_array(grad))


def as_gradient(tensor):
    """A tensor from user code as a gradient of the pass."""
    if tensor is None or state.graph_task.create_graph:
        return tensor
    array = tensor._array
    return array[()] if array.__class__ is ndarray and not array.shape else array


def hook_name(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def check_replacement(hook, before, after):
    """Raise unless a hook's result is a tensor like the gradient that it replaces."""
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{kind_of(after)}'")
    if after._dtype is not before._dtype:
        is_bool = after._dtype is dtypes.bool
        found = "CPUBoolType" if is_bool else f"torch.{after._dtype.legacy_name}Tensor"
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"torch.{before._dtype.legacy_name}Tensor got {found})")  # fmt: skip
    if after._array.shape != before._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
