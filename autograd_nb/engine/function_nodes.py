"""The nodes of users' Functions: what forward and backward share, and how the walk runs such a node.

The node is the ``ctx`` itself, of a class named after its Function.  Its plan hands ``backward`` tensors and brings
what comes back into the form that the walk passes on: one gradient for each edge, of the input's shape and dtype.
"""

import functools
import warnings

import numpy as np

from . import dtypes, table
from .backward import Walk
from .fitting import fit_array
from .graph import Node, Output, next_sequence_number
from .histories import CopySlices
from .leaf import AccumulateGrad
from .modes import no_grad, state
from .saved import FREED, Kept, Packed, SavedTensor, checked, keep
from .tensor import Tensor, VersionCounter, current_node, ndarray, new_tensor, wrap


class FunctionCtx(Node):
    """What ``forward`` and ``backward`` share; it becomes the node of the operation.

    *inputs* and *outputs* have shape and dtype of each that is a tensor, None for others.
    """

    __slots__ = ("needs_input_grad", "inputs", "outputs", "to_save", "marked", "__dict__")
    # given by the marks; "marked" says whether there are any
    dirty_tensors = non_differentiable = ()
    materialize_grads = True

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for backward, where ``ctx.saved_tensors`` gives them after a version check."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for jvp, which finds them as :attr:`saved_tensors`."""
        if not all(each is None or isinstance(each, Tensor) for each in tensors):
            raise AssertionError("save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                                 "attributes on ctx.")
        if "for_forward" in self.__dict__:  # a jvp will be asked
            self.for_forward = tensors

    def mark_dirty(self, *tensors):
        """Say which inputs forward changed in place."""
        self.dirty_tensors, self.marked = tensors, True

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no gradient."""
        self.non_differentiable, self.marked = tensors, True

    def set_materialize_grads(self, value):
        """Whether backward is given zeros (True, the default) or None for outputs without gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors given to :meth:`save_for_backward`; RuntimeError once the graph is freed or one was changed."""
        entries = self.saved or ()
        for entry in entries:
            if entry.__class__ is not Tensor or entry._counter is not None:
                return tuple([None if entry is None else self.unpacked(entry) for entry in entries])
        return entries

    @property
    def _raw_saved_tensors(self):
        """What was saved, in a form that hooks can be put on."""
        entries = () if self.saved is None else self.saved
        numbers = [entry.number if isinstance(entry, Kept) else None for entry in entries]
        return tuple([SavedTensor.of(self, index, False, number) for index, number in enumerate(numbers)])

    @property
    def saved_variables(self):
        """An old name of :attr:`saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def unpacked(self, entry):
        """One saved entry as the tensor that it stands for."""
        if isinstance(entry, Packed):
            array = np.asarray(entry.value(self))
            edge = entry.edge if entry.number is None else self.edge(entry.number)
            tensor = wrap(array, dtypes.of_array(array), edge)
            tensor._counter = VersionCounter()  # it is not the tensor that was saved, whatever its node says
            return tensor
        if not isinstance(entry, Kept) or entry.tensor is not None:
            checked(self, entry)
            return entry.tensor if isinstance(entry, Kept) else entry
        array = entry.value(self)
        result = wrap(array, self.outputs[entry.number][1], self.edge(entry.number))
        result._counter = entry._counter
        return result

    def edge(self, number):
        """Where the gradient of output *number* goes."""
        return Output(self, number, len(self.outputs)) if self.plan.several_outputs else self

    def revealed(self):
        return self

    def __call__(self, *args):
        raise TypeError(f"'{type(self).__name__}' object is not callable")


FunctionCtx.__module__ = "torch.autograd.function"


class FunctionPlan:
    """The plan of the nodes of one Function: calls the user's backward and checks what it returns.

    What a subclass of *base* overrides is found out here, once.
    """

    def __init__(self, function, base, node_class, several_outputs):
        self.function = function
        self.node_class = node_class
        self.sets_up = function.setup_context is not base.setup_context
        self.has_backward, self.has_vjp = function.backward is not base.backward, function.vjp is not base.vjp
        self.several_outputs = several_outputs
        self.keeps, self.only, self.calls_user_code = True, None, True

    @property
    def node_name(self):
        return self.function.__name__ + "Backward"

    def run(self, node, grads, walk):
        """The gradients of a node's tensor inputs, one for each edge, on the walk's carrier."""
        shown = [self.missing(node, number) if grad is None else walk.shown(grad) for number, grad in enumerate(grads)]
        backward = self.vjp() if self.has_vjp else self.function.backward
        return self.gradients(node, backward(node, *shown), walk)

    def run_one(self, node, grad, walk):
        """The same from the gradient of a single output, and None; or for a single input its gradient, and 0."""
        if walk.create_graph or grad.__class__ is ndarray:
            tensor = walk.shown(grad)
        else:  # a NumPy scalar, whose dtype the node knows; wrap written out
            tensor = new_tensor()
            tensor._array = grad
            tensor._dtype = node.outputs[0][1]
            tensor._node = tensor._counter = None
        backward = self.vjp() if self.has_vjp else self.function.backward
        results, metas = backward(node, tensor), node.inputs
        if results.__class__ is Tensor and len(metas) == 1 and metas[0] is not None:
            shape, dtype = metas[0]
            array = results._array
            if results._dtype is dtype:
                if array.__class__ is ndarray:
                    if array.shape == shape:  # as it should be
                        return walk.taken(results), 0
                elif not shape:
                    return walk.taken(results) if walk.create_graph else array, 0
        return self.gradients(node, results, walk), None

    def vjp(self):
        """The other name under which backward may be written."""
        if self.has_backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return self.function.vjp

    def gradients(self, node, results, walk):
        """What backward returned as one gradient for each edge."""
        if not isinstance(results, tuple):
            results = (results,)
        metas = node.inputs
        if len(results) != len(metas):
            results = self.counted(results, len(metas))
        gradients = []
        for result, meta in zip(results, metas):  # noqa: B905 as many as was seen to; strict would double zip's time
            if result.__class__ is Tensor and meta is not None:
                shape, dtype = meta
                if result._dtype is not dtype or result._array.shape != shape:
                    result = self.fitted(result, len(gradients), shape, dtype)
                gradients.append(None if result is None else walk.taken(result))
            elif result is not None:
                raise self.unfit(result, results, metas)
            elif meta is not None:
                gradients.append(None)
        return gradients

    def missing(self, node, number):
        """What backward is given for an output that no gradient arrived at."""
        meta = node.outputs[number]
        if meta is None or not node.materialize_grads:
            return None
        shape, dtype = meta
        return wrap(np.zeros(shape, dtype.numpy)[()], dtype)

    def counted(self, results, count):
        """The gradients, one for each input; more may be given if they are None."""
        if len(results) > count and all(extra is None for extra in results[count:]):
            return results[:count]
        raise RuntimeError(
            f"function {self.node_name} returned an incorrect number of gradients (expected {count}, got "
            f"{len(results)})"
        )

    def unfit(self, result, results, metas):
        """The error for a gradient that is no tensor, or that belongs to an input that is none."""
        wrong = [each is not None and meta is None for each, meta in zip(results, metas, strict=True)]
        position = wrong.index(True) + 1 if True in wrong else 0
        if not position or results[position - 1] is not result:
            return RuntimeError(f"expected Variable or None (got {type(result).__name__})")
        return RuntimeError(
            f"function {self.node_name} returned a gradient different than None at position {position}, but the "
            "corresponding forward input was not a Variable"
        )

    def fitted(self, grad, index, shape, dtype):
        """The gradient in its input's shape and dtype; RuntimeError when it cannot be brought there."""
        if shape is None:
            return None
        found = grad._array.shape
        lead = len(found) - len(shape)
        if lead < 0 or any(want not in (1, have) for have, want in zip(found[lead:], shape, strict=True)):
            raise RuntimeError(
                f"Function {self.node_name} returned an invalid gradient at index {index} - got {list(found)} but "
                f"expected shape compatible with {list(shape)}"
            )
        if state.grad_enabled and current_node(grad) is not None:
            return table.ops.sum_to_size(grad, shape).to(dtype)
        return wrap(state.run(fit_array, grad._array, shape, dtype), dtype)

    def for_edges(self, node, grad, tensors):
        """The same on tensors, for a node that changed a view in place and runs as a part of the base's CopySlices."""
        return self.run(node, [grad], Walk(True, True))

    def result_shared(self, node, number, tensor):
        """Remember the version of a saved output whose storage is shared from now on."""
        for entry in node.saved if node.saved is not FREED and node.saved else ():
            if isinstance(entry, Kept) and entry.number == number and entry._counter is None:
                entry._counter, entry.version = tensor._counter, tensor._counter.version
                entry.array = tensor._array

    def saved_attribute(self, node, name):
        raise AttributeError(f"'{self.node_name}' object has no attribute '{name}'")


class CopySlicesOfFunction(CopySlices):
    """The plan of a base whose view a user's Function changed in place."""

    calls_user_code = True

    def run(self, node, grads, walk):
        gradients = self.backward_tensors(node, walk.shown(grads[0]))
        return [None if each is None else walk.taken(each) for each in gradients]

    def run_one(self, node, grad, walk):
        return self.run(node, [grad], walk), None


COPY_SLICES = CopySlicesOfFunction()


def save(ctx, tensors, special):
    """Keep what was given to save_for_backward."""
    for each in tensors:
        if each.__class__ is not Tensor or each._counter is not None or special:
            break
        node = each._node
        if node is ctx or node.__class__ is Output:
            break
    else:  # inputs and intermediate results that nobody shares are kept as they are
        ctx.saved = tensors
        return
    ctx.saved = tuple([kept(ctx, index, each) for index, each in enumerate(tensors)])


def kept(ctx, index, tensor):
    """What to save for one tensor: of an output the elements only, so that no cycle arises."""
    if tensor is None:
        return None
    if not isinstance(tensor, Tensor):
        raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type "
                        f"{type(tensor).__name__}")
    node = tensor._node
    owner, number = (node.node, node.number) if node.__class__ is Output else (node, 0)
    if owner is not ctx:
        return keep(tensor)
    if state.saved_hooks:
        return Packed(*state.saved_hooks[-1], tensor, number)
    counter = tensor._counter
    return Kept(None, tensor._array, counter, 0 if counter is None else counter.version, number)


def once_differentiable(backward):
    """Decorate a backward that must not be differentiated itself: asking for that raises RuntimeError."""

    @functools.wraps(backward)
    def call(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not state.grad_enabled or not any(isinstance(each, Tensor) and each.requires_grad for each in grads):
            return results
        return tuple(refusing(each) for each in results) if isinstance(results, tuple) else refusing(results)

    return call


class _Refusal(FunctionPlan):
    """The plan of a node that cannot be passed by a backward."""

    node_name = "Error"
    keeps, only, several_outputs, calls_user_code = True, None, False, True

    def __init__(self):
        pass

    def run(self, node, grads, walk):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    run_one = run


_REFUSAL = _Refusal()


def refusing(tensor):
    """The tensor with a node through which no gradient passes."""
    if not isinstance(tensor, Tensor):
        return tensor
    node = Node()
    node.plan = _REFUSAL
    node.edges = (AccumulateGrad(tensor),)
    node.saved = node.arguments = node.extras = None
    node.sequence = next_sequence_number()
    return wrap(tensor._array, tensor._dtype, node)
