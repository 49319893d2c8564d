"""The ends of the walk: a leaf's gradient is added into its ``.grad``.

The first gradient becomes ``.grad`` as it is, unless somebody holds its elements; then it is copied.  Later ones are
added in place, for ``.grad`` stays the same tensor.
"""

from .dtypes import BY_NUMPY, of_array
from .fitting import written_out
from .tensor import ndarray, wrap
from .visits import check_replacement, duplicate

tell = None  # as the engine's


class Accumulation:
    """The part of a walk that deals with leaves."""

    def accumulate(self, leaf, grad):
        """Add a gradient into a leaf's .grad, which never shares memory with anything else."""
        if grad is None:
            return
        if self.create_graph:
            held = leaf.grad
            leaf.grad = duplicate(grad, "copied") if held is None else held + grad
        elif leaf.grad is None:
            if grad.__class__ is ndarray:
                grad = written_out(grad)
                if grad.base is not None or id(grad) in self.shared:
                    leaf.grad = written(grad)
                    return
            leaf.grad = wrap(grad, of_array(grad))
        else:
            add_in_place(leaf.grad, grad)

    def accumulate_with_hooks(self, leaf, grad):
        """Run a leaf's AccumulateGrad with all that is attached to it."""
        extras = leaf.extras
        if tell is not None:
            tell("ready", leaf)
        if self.needed is not None:
            self.capture(leaf, [grad])
            if leaf not in self.needed:
                return
        if extras is not None:
            grads = self.look(leaf, extras, [grad])
            if extras.pre_hooks:
                grads = self.node_hooks(leaf, "pre_hooks", grads)
            (grad,) = grads
            if extras.resting:
                tensor = leaf.leaf()
                if extras.resting == "moved" if tensor is None else tensor._node is not None:
                    raise RuntimeError("leaf variable has been moved into the graph interior")
        if extras is None or not extras.resting:
            self.accumulate(leaf, grad)
            if tell is not None:
                tell("accumulated", leaf, grad, leaf.grad)
        if extras is not None:
            for hook in [*extras.accumulated_hooks.values()]:
                after = hook(leaf.variable)
                if after is not None and after is not leaf.variable:
                    check_replacement(hook, leaf.variable, after)
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
                if tell is not None:
                    tell("node_hook", leaf, "accumulated_hooks", hook, (leaf.grad,), None)
            if extras.post_hooks:
                self.node_hooks(leaf, "post_hooks", [], [grad])


def written(array):
    """A tensor into which an array was copied, which counts as a change in place."""
    tensor = wrap(array.copy(), BY_NUMPY[array.dtype])
    tensor._share().version = 1
    return tensor


def add_in_place(held, grad):
    """Add an array to a gradient that somebody may hold: the tensor stays the same and its version moves on."""
    array = held._array
    if array.__class__ is ndarray and array.flags.writeable:
        array += grad
    elif 0 in getattr(array, "strides", ()) and array.size > 1:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    else:
        held._set_array(array + grad)
    held._share().version += 1
