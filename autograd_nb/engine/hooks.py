"""The hooks of tensors and nodes, and when a backward pass calls them.

A tensor hook is given the gradient of its tensor before the node runs, and may replace it; then a retained gradient is
stored; a node's own hooks are called before and after it runs.  A leaf accumulates between its hooks.  User code gets
tensors, though gradients are arrays without create_graph; the pass remembers whose arrays it must no longer change.
"""

from operator import add, iadd
from threading import RLock

from . import events
from .dtypes import BY_NUMPY, BY_SCALAR
from .modes import notify, state
from .table import ops
from .tensor import Tensor, ndarray, new_tensor, wrap


class Hooks:
    """The part of a backward pass that calls hooks and accumulates; *shared* holds arrays that others see, by id."""

    def call_tensor_hooks(self, node, grads):
        """The list *grads*, of a node's outputs, after tensor hooks; retained where that was asked for."""
        extras = node.extras
        for number, hook in [*extras.tensor_hooks.values()]:  # a hook may add others
            grad = grads[number]
            shown = None if grad is None else self.as_tensor(grad)
            after = hook(shown)
            if self.listeners:
                notify(events.Hooked, node, number, hook, shown, after)
            if after is not None:
                check_replacement(hook, shown, after)
                grads[number] = self.as_gradient(after)
            elif shown is not None and shown is not grad and shown._array is not grad:  # changed in place
                grads[number] = self.as_gradient(shown)
        for number, reference in extras.retained.items():
            self.retain(node, reference(), grads[number])
        return grads

    def retain(self, node, tensor, grad):
        """Keep the gradient of an intermediate result in its ``.grad``, if the tensor still exists."""
        if tensor is None or grad is None:
            return
        if tensor._kept_grad is not None:
            kept = tensor._kept_grad + self.as_tensor(grad)
        elif self.create_graph:
            kept = duplicate(grad, "clone")
        else:
            kept = wrap(grad.copy() if grad.__class__ is ndarray else grad, tensor._dtype)
        tensor._kept_grad = kept
        if self.listeners:
            notify(events.Retained, node, tensor, kept)

    def call_node_hooks(self, node, kind, grads, *others):
        """Gradients after a node's own hooks of a *kind*, which may replace them and are given *others* too."""
        hooks = getattr(node.extras, kind)
        shown = tuple([None if grad is None else self.as_tensor(grad) for grad in grads])
        others = [tuple([None if grad is None else self.as_tensor(grad) for grad in other]) for other in others]
        for hook in [*hooks.values()]:
            after = hook(shown, *others)
            if self.listeners:
                notify(events.NodeHooked, node, kind, hook, shown, after)
            if after is None:
                continue
            if not isinstance(after, tuple):
                raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
            if len(after) != len(shown):
                raise RuntimeError(f"hook '{hook_name(hook)}' has returned an incorrect number of values (got "
                                   f"{len(after)}, but expected {len(shown)})")  # fmt: skip
            for before, replacement in zip(shown, after, strict=True):
                if replacement is not None:
                    check_replacement(hook, before, replacement)
            shown = after
        return [None if grad is None else self.as_gradient(grad) for grad in shown]

    def call_post_accumulate_hooks(self, leaf, grad):
        """Call the hooks of a leaf whose ``.grad`` is complete."""
        extras = leaf.extras
        for hook in [*extras.accumulated_hooks.values()]:
            after = hook(leaf.variable)
            if after is not None and after is not leaf.variable:
                check_replacement(hook, leaf.variable, after)
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
            if self.listeners:
                notify(events.NodeHooked, leaf, "accumulated_hooks", hook, (leaf.grad,), None)
        if extras.post_hooks:
            self.call_node_hooks(leaf, "post_hooks", [], [grad])

    def capture(self, node, grads):
        """Keep the gradients that ``autograd.grad`` was asked for.

        Tensor hooks are called first where the pass ends, and at a root that leads to nothing asked for.
        """
        if node not in self.needed and node.extras is not None and any([grad is not None for grad in grads]):
            grads = self.call_tensor_hooks(node, grads)
        for number, grad in enumerate(grads):
            if positions := self.captures.get((node, number)):
                self.share(grad)
                self.captured.update(dict.fromkeys(positions, grad))
                if self.listeners:
                    notify(events.Captured, node, number, grad)

    # -- leaves ----------------------------------------------------------------------------------------------------

    def accumulate(self, leaf, grad):
        """Add a gradient into a leaf's ``.grad``, a tensor that stays the same and shares memory with nothing else."""
        if grad is None:
            return
        if self.create_graph:
            with one_at_a_time:
                leaf.grad = duplicate(grad, "copied") if leaf.grad is None else leaf.grad + grad
            return
        if leaf.grad is None:
            first = new_tensor()
            first._node = first._counter = None
            if grad.__class__ is ndarray:
                first._array, first._dtype = grad, BY_NUMPY[grad.dtype]
                if not self.owns(grad):
                    first._array = grad.copy()
                    first._share().version = 1  # a copy into it counts as a change in place
            else:
                first._array, first._dtype = grad, BY_SCALAR[grad.__class__]
            if leaf.grad is None:  # no call in between, so no other thread either
                leaf.grad = first
                return
        add_in_place(leaf.grad, grad)

    def evaluate_leaf(self, leaf, grad):
        """Accumulate into a leaf of any kind in a pass of any kind."""
        extras = leaf.extras
        if self.needed is not None:
            self.capture(leaf, [grad])
            if leaf not in self.needed:
                return
        if extras is not None:
            grads = self.call_tensor_hooks(leaf, [grad])
            (grad,) = self.call_node_hooks(leaf, "pre_hooks", grads) if extras.pre_hooks else grads
            if extras.inactive:
                tensor = leaf.leaf()
                if extras.inactive == "moved" if tensor is None else tensor._node is not None:
                    raise RuntimeError("leaf variable has been moved into the graph interior")
        if extras is None or not extras.inactive:
            self.accumulate(leaf, grad)
            if self.listeners:
                notify(events.Accumulated, leaf, grad, leaf.grad)
        if extras is not None:
            self.call_post_accumulate_hooks(leaf, grad)

    # -- between the pass and user code ----------------------------------------------------------------------------

    def share(self, grad):
        """Remember that not only the pass refers to a gradient."""
        if grad.__class__ is ndarray:
            self.shared[id(grad)] = grad

    def owns(self, grad):
        """Whether only the pass refers to the elements of an array."""
        return grad.base is None and id(grad) not in self.shared

    def as_tensor(self, grad):
        """A gradient of the pass as a tensor that user code may look at and keep."""
        kind = grad.__class__
        if kind in BY_SCALAR:
            dtype = BY_SCALAR[kind]
        elif kind is ndarray:
            self.shared[id(grad)] = grad
            dtype = BY_NUMPY[grad.dtype]
        else:
            return grad
        tensor = new_tensor()
        tensor._array = grad
        tensor._dtype = dtype
        tensor._node = tensor._counter = None
        return tensor

    def as_gradient(self, tensor):
        """A tensor from user code as a gradient of the pass."""
        if self.create_graph:
            return tensor
        array = tensor._array
        if array.__class__ is ndarray:
            if not array.shape:
                return array[()]
            self.shared[id(array)] = array
        return array


def duplicate(tensor, operation):
    """A copy, made by *operation* when it is to be part of the graph."""
    if tensor._node is not None and state.grad_enabled:
        return getattr(ops, operation)(tensor)
    array = tensor._array
    return wrap(array.copy() if array.__class__ is ndarray else array, tensor._dtype)


def hook_name(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def check_replacement(hook, before, after):
    """Raise unless what a hook returned is a tensor like the gradient that it replaces."""
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if after._dtype is not before._dtype:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"torch.{before._dtype.legacy_name}Tensor got torch.{after._dtype.legacy_name}Tensor)")
    if after._array.shape != before._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")


one_at_a_time = RLock()  # threads may accumulate into one leaf


def add_in_place(held, grad):
    """Add an array to a ``.grad`` in place: the tensor stays the same and its version goes up."""
    array, counter = held._array, held._counter
    if counter is not None and array.size < 500 and array.flags.writeable:
        state.run(iadd, array, grad)  # NumPy keeps the GIL for so few elements
        counter.version += 1
        return
    with one_at_a_time:
        held._share().version += 1
        array = held._array
        held._set_array(state.run(iadd if array.flags.writeable else add, array, grad))
