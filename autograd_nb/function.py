"""Function: an operation whose derivative the user writes.

``apply`` runs ``forward`` with recording off and makes a node for it; the node is the very ``ctx`` that
forward and backward are given, so what they store on it lives as long as the graph needs it.
"""

import functools

import numpy as np

from . import dispatch, dtypes
from .grad_mode import no_grad, state
from .graph import Node, Output, next_sequence_number
from .inplace import attach, check_in_place
from .plans import fit_array, tensor_names
from .saved import FREED, Kept, keep, tensor_of
from .tensors import Tensor, View, current_node, wrap


class FunctionCtx(Node):
    """What ``forward`` and ``backward`` share; it becomes the node of the operation."""

    _to_save = _dirty = _non_differentiable = ()
    _materialize = True
    needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for backward, where ``ctx.saved_tensors`` gives them after a version check."""
        self._to_save = tensors

    def save_for_forward(self, *tensors):
        """Accepted for compatibility: forward-mode derivatives of user Functions are not computed."""

    def mark_dirty(self, *tensors):
        """Say which inputs forward changed in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether backward is given zeros (True, the default) or None for outputs without gradient."""
        self._materialize = value

    @property
    def saved_tensors(self):
        """The tensors given to :meth:`save_for_backward`."""
        if self.saved is FREED:
            FREED.value(self)
        return tuple(None if entry is None else tensor_of(self, entry, number) for entry, number in self.saved or ())

    @property
    def saved_variables(self):
        return self.saved_tensors

    def name(self):
        return type(self).__name__

    def revealed(self):
        return self


class FunctionPlan:
    """The plan of every node of one Function with so many outputs."""

    keeps, only, calls_user_code = True, None, True

    def __init__(self, function, several_outputs):
        self.function = function
        self.node_name = function.__name__ + "Backward"
        self.several_outputs = several_outputs

    def run(self, node, grads, walk):
        """The gradients of a node's tensor inputs, from the user's backward."""
        shown = [
            walk.shown(self.zeros(node, number)) if grad is None and node._materialize and node._outputs[number]
            else None if grad is None else walk.shown(grad)
            for number, grad in enumerate(self.complete(node, grads))
        ]  # fmt: skip
        results = self.call_backward(node, shown)
        return [None if each is None else walk.taken(each) for each in results]

    def complete(self, node, grads):
        grads = grads if isinstance(grads, list | tuple) else [grads]
        return [*grads, *[None] * (len(node._outputs) - len(grads))]

    def zeros(self, node, number):
        shape, dtype = node._outputs[number]
        return np.zeros(shape, dtype.numpy)[()]

    def call_backward(self, node, grads):
        """Call backward (or vjp) and check what it returned: one gradient for each tensor that was an input."""
        function = self.function
        backward = function.vjp if function.vjp is not Function.vjp else function.backward
        if function.vjp is not Function.vjp and function.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
                "of them."
            )
        results = backward(node, *grads)
        results = results if isinstance(results, tuple) else (tuple(results) if isinstance(results, list) else (results,))
        count = len(node.needs_input_grad)
        if len(results) > count and all(extra is None for extra in results[count:]):
            results = results[:count]
        if len(results) != count:
            raise RuntimeError(
                f"function {self.node_name} returned an incorrect number of gradients (expected {count}, got {len(results)})"
            )
        checked = []
        for position, (result, meta) in enumerate(zip(results, node._inputs, strict=True)):
            if meta is None:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.node_name} returned a gradient different from None at position {position + 1}, but "
                        "the corresponding forward input was not a Variable"
                    )
                continue
            if result is not None and not isinstance(result, Tensor):
                raise TypeError(f"expected Variable or None (got {type(result).__name__})")
            checked.append(result)
        metas = [meta for meta in node._inputs if meta is not None]
        return [
            None if result is None or edge is None else self.validated(result, index, *meta)
            for index, (result, meta, edge) in enumerate(zip(checked, metas, node.edges, strict=True))
        ]

    def validated(self, grad, index, shape, dtype):
        """The gradient in its input's shape and dtype; RuntimeError when it cannot be brought there."""
        found = grad._array.shape
        if found != shape:
            lead = len(found) - len(shape)
            if lead < 0 or any(want not in (1, have) for have, want in zip(found[lead:], shape, strict=True)):
                raise RuntimeError(
                    f"Function {self.node_name} returned an invalid gradient at index {index} - got {list(found)} but "
                    f"expected shape compatible with {list(shape)}"
                )
        if found == shape and grad._dtype is dtype:
            return grad
        if state.grad_enabled and current_node(grad) is not None:
            return tensor_names["sum_to_size"](grad, shape).to(dtype)
        return wrap(fit_array(grad._array, shape, dtype), dtype)

    def result_shared(self, node, number, tensor):
        """Remember the version of a saved output whose storage is shared from now on."""
        if node.saved is not FREED and node.saved:
            node.saved = tuple(
                (Kept(None, tensor._array, tensor._counter, 0, number), number)
                if at == number and not isinstance(entry, Kept) else (entry, at)
                for entry, at in node.saved
            )  # fmt: skip

    def saved_attribute(self, node, name):
        raise AttributeError(f"'{self.node_name}' object has no attribute '{name}'")

    def call(self, node, grad_outputs):
        return tuple(self.call_backward(node, list(grad_outputs)))


def forward_of(cls):
    """How a Function's forward is called: with ctx as its first argument, or apart from setup_context."""
    if cls.setup_context is Function.setup_context:
        return cls.forward

    def call(ctx, *inputs):
        output = cls.forward(*inputs)
        cls.setup_context(ctx, inputs, output)
        return output

    return call


class Function:
    """Base of operations with a derivative of one's own.

    Subclasses define static methods ``forward(ctx, *inputs)``, or ``forward(*inputs)`` and
    ``setup_context(ctx, inputs, output)``; and ``backward(ctx, *grad_outputs)``, which returns one gradient (or None)
    for each input.  Call them through ``apply``.

    >>> import autograd_nb as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (x,) = ctx.saved_tensors
    ...         return grad_output * 2 * x
    >>> x = torch.tensor(3., requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, *args, **kwargs):
        import warnings

        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of "
            "PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = backward

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._node_class = type(cls.__name__ + "Backward", (FunctionCtx,), {"__module__": "torch.autograd.function"})
        cls._plans = FunctionPlan(cls, False), FunctionPlan(cls, True)
        cls._forward = None

    @classmethod
    def apply(cls, *inputs, **kwargs):
        """Run forward on the inputs and record a node for it."""
        if kwargs:
            raise TypeError(f"{cls.__name__}.apply() takes no keyword arguments")
        ctx = cls._node_class.__new__(cls._node_class)
        ctx.saved = ctx.arguments = ctx.extras = None
        tensors = [each for each in inputs if isinstance(each, Tensor)]
        edges = [current_node(each) for each in tensors]
        ctx.needs_input_grad = tuple(isinstance(each, Tensor) and current_node(each) is not None for each in inputs)
        recording = state.grad_enabled and any(ctx.needs_input_grad)
        with no_grad():
            outputs = forward_of(cls)(ctx, *inputs)
        ctx.sequence = next_sequence_number()
        ctx.edges = tuple(edges) if recording else ()
        ctx._inputs = tuple((each._array.shape, each._dtype) if isinstance(each, Tensor) else None for each in inputs)
        results = outputs if isinstance(outputs, tuple) else (outputs,)
        if not any(isinstance(each, Tensor) for each in results):
            raise TypeError(f"{cls.__name__}.forward: expected to return a Tensor or a tuple of Tensors, got "
                            f"{type(outputs).__name__}")
        ctx.plan = cls._plans[len(results) > 1]
        for dirty in ctx._dirty:
            if not any(dirty is each for each in inputs):
                raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. "
                                   "The inputs that are modified inplace must all be outputs of the Function.")
        wrapped = [ctx_output(ctx, number, each, tensors, recording, len(results)) for number, each in enumerate(results)]
        ctx._outputs = tuple((each._array.shape, each._dtype) if isinstance(each, Tensor) else None for each in wrapped)
        if recording:
            ctx.saved = tuple(saved_entry(index, each, results, wrapped) for index, each in enumerate(ctx._to_save))
        for name in ("_to_save", "_dirty", "_non_differentiable"):
            ctx.__dict__.pop(name, None)
        if dispatch.tell is not None:
            dispatch.tell(cls, ctx if recording else None, tensors, [e for e in wrapped if isinstance(e, Tensor)])
        return tuple(wrapped) if isinstance(outputs, tuple) else wrapped[0]


def ctx_output(ctx, number, output, inputs, recording, count):
    """One output of forward as the caller gets it, with its place in the graph."""
    if not isinstance(output, Tensor):
        return output
    is_input = any(output is each for each in inputs)
    dirty = any(output is each for each in ctx._dirty)
    differentiable = output._dtype.is_floating_point and not any(output is each for each in ctx._non_differentiable)
    edge = Output(ctx, number, count) if ctx.plan.several_outputs else ctx
    if dirty:
        if recording and differentiable:
            check_in_place(output, True)
            if not state.inference and output._version == 0:
                output._share().version += 1
            if output._view is None:
                output._node = edge
            else:
                attach(output, ctx)
        return output
    if is_input:
        counter = output._share()
        alias = wrap(output._array, output._dtype)
        alias._counter = counter
        base = output if output._view is None else output._view.base
        alias._view = View(base, alias._counter.version, "function")
        output = alias
    if recording and differentiable:
        output._node = edge
    elif recording and not is_input:
        output._node = None
    return output


def saved_entry(index, tensor, results, wrapped):
    """A pair ``(entry, output number)`` for a tensor given to save_for_backward; the number is None for no output."""
    if tensor is None:
        return None, None
    if not isinstance(tensor, Tensor):
        raise TypeError(f"save_for_backward can only save variables, but argument {index} is of type "
                        f"{type(tensor).__name__}")
    for number, (before, after) in enumerate(zip(results, wrapped, strict=True)):
        if tensor is before and isinstance(after, Tensor) and after._node is not None:
            counter = after._counter
            array = after._array
            return (array if counter is None else Kept(None, array, counter, counter.version, number)), number
    return keep(tensor), None


def once_differentiable(backward):
    """Decorate a backward that must not be differentiated itself: asking for that raises RuntimeError."""

    @functools.wraps(backward)
    def call(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not state.grad_enabled or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        several = isinstance(results, tuple)
        marked = tuple(refusing(each) for each in (results if several else (results,)))
        return marked if several else marked[0]

    return call


class _Refusal(FunctionPlan):
    """The plan of a node that cannot be passed by a backward."""

    def __init__(self):
        self.node_name = "Error"
        self.several_outputs = False

    def run(self, node, grads, walk):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


_REFUSAL = _Refusal()


def refusing(tensor):
    """The tensor with a node through which no gradient passes."""
    if not isinstance(tensor, Tensor):
        return tensor
    node = Node.__new__(Node)
    node.plan = _REFUSAL
    node.edges = ()
    node.saved = node.arguments = node.extras = None
    node.sequence = next_sequence_number()
    return wrap(tensor._array, tensor._dtype, node)
