"""Function: an operation whose derivative the user writes.

``apply`` runs ``forward`` with recording off and makes a node for it.  This node is the ``ctx`` of
forward and backward, so the values that they store on it live as long as the graph needs them.  The
backward pass gives tensors to ``backward`` and checks its results.

This file rests on hooks.py and vjp.py; you may skip its end, which serves changes in place.
"""

import inspect

import numpy as np

from . import events
from .graph import BasePlan, Node, OutputEdge, numbered
from .hooks import as_gradient, as_tensor
from .modes import notify, state, warn
from .saved import save_input, save_result, tensor_of
from .table import ops
from .tensor import AccumulateGrad, Tensor, gradient_edge, kind_of, refuse_foreign, wrap
from .views import View, move_retained
from .vjp import sum_to_size


class FunctionCtx(Node):
    """The ``ctx`` that ``forward`` and ``backward`` share; it becomes the node of the operation.

    *inputs* and *outputs* hold ``(shape, dtype)`` for each tensor, None for any other value.
    """

    __slots__ = ("needs_input_grad", "inputs", "outputs", "to_save", "__dict__")
    dirty_tensors = non_differentiable = ()
    materialize_grads = True

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for backward, where they are ``ctx.saved_tensors``."""
        self.to_save = tensors

    def mark_dirty(self, *tensors):
        """Declare the inputs that forward changed in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Declare the outputs that have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Choose whether backward gets zeros (True, the default) or None where nothing arrived."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors given to :meth:`save_for_backward`.

        RuntimeError once the graph is freed or one of them was changed.
        """
        saved = self.saved or ()
        for entry in saved:
            if entry.__class__ is not Tensor or entry._counter is not None:
                return tuple([tensor_of(self, each) for each in saved])
        return saved  # nobody else can have changed them

    @property
    def _raw_saved_tensors(self):
        return ops.raw_saved_tensors(self)

    def revealed(self):
        return self

    def __call__(self, *args, **keywords):
        raise TypeError(f"'{type(self).__name__}' object is not callable")


FunctionCtx.__module__ = "torch.autograd.function"


class FunctionPlan(BasePlan):
    """The plan of the nodes of one Function: calls the user's backward and checks its results.

    It finds out once which methods a subclass of *base* overrides.
    """

    def __init__(self, function, base, node_class, several_outputs):
        self.function = function
        self.node_name = function.__name__ + "Backward"
        self.node_class = node_class
        self.sets_up = function.setup_context is not base.setup_context
        self.has_backward = function.backward is not base.backward
        self.has_vjp = function.vjp is not base.vjp
        self.several_outputs = several_outputs
        self.can_be_freed = self.runs_user_code = True

    def apply(self, node, grads):
        if self.has_vjp and self.has_backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        shown = [
            self.missing(node, number) if grad is None else as_tensor(grad)
            for number, grad in enumerate(grads)
        ]
        backward = self.function.vjp if self.has_vjp else self.function.backward
        return self.checked(node, backward(node, *shown))

    def missing(self, node, number):
        """The gradient that backward gets for an output at which none arrived."""
        meta = node.outputs[number]
        if meta is None or not node.materialize_grads:
            return None
        shape, dtype = meta
        return wrap(np.zeros(shape, dtype.numpy)[()], dtype)

    def checked(self, node, results):
        """The results of backward as gradients of a node's inputs; RuntimeError for bad ones."""
        inputs = node.inputs
        if results.__class__ is Tensor and inputs == [(results._array.shape, results._dtype)]:
            return [as_gradient(results)]  # the usual case
        results = as_tuple(results)
        extra = [each for each in results[len(inputs) :] if each is not None]
        if len(results) < len(inputs) or extra:
            raise RuntimeError(
                f"function {self.node_name} returned an incorrect number of gradients (expected "
                f"{len(inputs)}, got {len(results)})"
            )
        gradients = []  # only inputs that are tensors have edges
        for position, (grad, meta) in enumerate(zip(results, inputs), 1):  # noqa: B905 Nones may follow
            if meta is not None:
                gradients.append(self.fitted(len(gradients), grad, *meta))
            elif grad is not None:
                raise RuntimeError(
                    f"function {self.node_name} returned a gradient different than None at "
                    f"position {position}, but the corresponding forward input was not a Variable"
                )
        return gradients

    def fitted(self, index, grad, shape, dtype):
        """A gradient in its input's shape and dtype; RuntimeError if it does not fit."""
        if grad is None:
            return None
        if not isinstance(grad, Tensor):
            raise RuntimeError(f"expected Variable or None (got {kind_of(grad)})")
        found = grad._array.shape
        if found != shape:
            ends = zip(reversed(found), reversed(shape))  # noqa: B905 from the last dimension on
            if len(found) < len(shape) or any([want not in (1, have) for have, want in ends]):
                raise RuntimeError(
                    f"Function {self.node_name} returned an invalid gradient at index {index} - "
                    f"got {list(found)} but expected shape compatible with {list(shape)}"
                )
            grad = sum_to_size(grad, shape)
        return as_gradient(grad if grad._dtype is dtype else grad.to(dtype))

    def output_count(self, node):
        return len(node.outputs)


def save(ctx, tensors):
    """Save the arguments of save_for_backward; of an output only its elements, to avoid a cycle."""
    entries = []
    for tensor in tensors:
        entry = tensor
        if isinstance(tensor, Tensor):
            edge = tensor._node
            if edge is ctx or edge.__class__ is OutputEdge and edge.node is ctx:
                tensor._share()
                entry = save_result(tensor, tensor.output_nr)
            elif tensor._counter is not None or state.saved_hooks:
                entry = save_input(tensor)
        elif tensor is not None:
            raise TypeError(
                "save_for_backward can only save variables, but argument "
                f"{len(entries)} is of type {kind_of(tensor)}"
            )
        entries.append(entry)
    ctx.saved = tuple(entries)


class Function:
    """Base class of operations whose derivative the user writes.

    Subclasses define static methods ``forward(ctx, *inputs)``, or ``forward(*inputs)`` and
    ``setup_context(ctx, inputs, output)``; and ``backward(ctx, *grad_outputs)``, which returns one
    gradient (or None) for each input.  Call them through ``apply``.
    """

    def __init__(self, *args, **kwargs):
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs; a subclass writes this method."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Store on ctx the values that backward needs; for a forward that takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute the inputs' gradients from the outputs'; a subclass writes this method."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        node_class = type(
            cls.__name__ + "Backward", (FunctionCtx,), {"__module__": "torch.autograd.function"}
        )
        cls._plan, cls._plan_of_several = [
            FunctionPlan(cls, Function, node_class, each) for each in (False, True)
        ]

    @classmethod
    def apply(cls, *inputs, **kwargs):
        """Run forward on the inputs and record a node for it."""
        plan, forward = cls._plan, cls.forward
        ctx = plan.node_class()
        ctx.to_save = None
        if plan.sets_up:
            inputs, forward = with_setup(cls, inputs, kwargs)
        elif kwargs:
            inputs = bound(forward, ctx, *inputs, **kwargs).args[1:]
        edges, needs, metas = [], [], []
        for value in inputs:
            if isinstance(value, Tensor):
                edge = value._node if value._counter is None else gradient_edge(value)
                edges.append(edge or None)
                needs.append(edge is not None)
                metas.append((value._array.shape, value._dtype))
            else:
                needs.append(False)
                metas.append(None)
        ctx.inputs, ctx.needs_input_grad = metas, tuple(needs)
        own = state.__dict__  # one read of a thread-local costs as much as several of a dict
        run, recording, unusual = before = own["for_calls"]
        # in inference mode too, unlike operations
        recording = (recording or state.grad_enabled) and True in needs
        # numbered last, after the nodes that views may just have got
        numbered(ctx, plan, tuple(edges) if recording else ())
        own["for_calls"] = run, False, unusual
        try:
            outputs = forward(ctx, *inputs)
        finally:
            own["for_calls"] = before
        outputs = wrap_outputs(cls, ctx, inputs, outputs, recording)
        if ctx.to_save is not None and recording:
            save(ctx, ctx.to_save)
        ctx.to_save = None
        if own["listeners"]:
            notify(
                events.Operation, cls, ctx if recording else None, inputs, as_tuple(outputs), False
            )
        return outputs


Function.__module__ = "torch.autograd.function"
Function.__init_subclass__.__func__(Function)


def with_setup(cls, inputs, kwargs):
    """For a forward without ctx: all its inputs, and a function that calls it and setup_context."""
    values = bound(cls.forward, *inputs, **kwargs)
    values.apply_defaults()

    def forward(ctx, *inputs):
        output = cls.forward(*inputs)
        cls.setup_context(ctx, inputs, output)
        return output

    return values.args, forward


def bound(forward, *inputs, **kwargs):
    """The arguments of a call of *forward*; TypeError, as from that call, if they do not fit."""
    try:
        return inspect.signature(forward).bind(*inputs, **kwargs)
    except TypeError:
        try:
            forward(*inputs, **kwargs)
        except TypeError as error:
            text = str(error)
            if "unexpected" in text:  # PyTorch's text for any forward
                raise TypeError("forward" + text[text.index("(") :]) from None
            raise
        raise


def wrap_outputs(cls, ctx, inputs, outputs, recording):
    """The results of forward as the caller gets them: each tensor with its place in the graph."""
    marked = ctx.dirty_tensors or ctx.non_differentiable
    if (
        outputs.__class__ is Tensor
        and outputs._node is None
        and outputs._counter is None
        and not marked
    ):
        # inputs that require grad have a node, so this is not one of them
        if False not in ctx.needs_input_grad or not among(outputs, inputs):
            ctx.outputs = [(outputs._array.shape, outputs._dtype)]
            outputs._node = ctx if recording and outputs._dtype.is_floating_point else None
            return outputs
    results = as_tuple(outputs)
    refuse_foreign(*results, *ctx.dirty_tensors, *ctx.non_differentiable)
    several = len(results) > 1
    ctx.plan = cls._plan_of_several if several else cls._plan
    for each in ctx.dirty_tensors:
        each._share().version += 1
        if not among(each, results):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
    wrapped = []
    for number, result in enumerate(results):
        if isinstance(result, Tensor):
            edge = OutputEdge(ctx, number, len(results)) if several else ctx
            if (
                not recording
                or not result._dtype.is_floating_point
                or among(result, ctx.non_differentiable)
            ):
                edge = None
            result = with_edge(
                result, edge, among(result, ctx.dirty_tensors), among(result, inputs)
            )
        wrapped.append(result)
    tensors = [value for value in wrapped if isinstance(value, Tensor)]
    if sum([each._node is not None for each in tensors]) > 1:
        for each in tensors:
            if each._view is not None:
                each._view.creation_meta = "several"
    ctx.dirty_tensors = ctx.non_differentiable = ()
    ctx.outputs = [
        (each._array.shape, each._dtype) if isinstance(each, Tensor) else None for each in wrapped
    ]
    return tuple(wrapped) if results is outputs else wrapped[0]


def with_edge(result, edge, is_dirty, is_input):
    """One tensor from forward as the caller gets it."""
    if not is_dirty:
        return record_result(result, edge, is_input)
    if edge is not None:
        record_changed_input(result, edge)
    elif result.requires_grad and is_input:
        return record_result(result, None, True)
    return result


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


def among(value, values):
    """Whether *value* is one of *values*, by identity."""
    return any([each is value for each in values])


def record_result(result, edge, is_input):
    """A result that forward did not change in place; a returned input becomes a view of itself."""
    if is_input:
        counter, source = result._share(), result
        result = wrap(source._array, source._dtype)
        result._counter, result._inference = counter, source._inference
        # else it is detached
        if (edge is not None or not source.requires_grad) and not source._inference:
            result._view = View(source, counter.version, "function")
    elif result._view is not None:
        result._view.creation_meta = "function"
    result._node = edge
    return result


def record_changed_input(result, edge):
    """Give the new node to an input that forward changed in place, as in-place operations do."""
    if result._view is not None:
        raise RuntimeError(
            "autograd_nb has no Function that changes a view in place: clone() the view first"
        )
    if result._node.__class__ is AccumulateGrad:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    move_retained(result._node, edge)
    result._kept_grad = None
    result._node = edge
