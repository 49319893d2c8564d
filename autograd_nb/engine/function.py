"""Function: an operation whose derivative the user writes.

``apply`` runs ``forward`` with recording off and makes a node for it; the node is the very ``ctx`` that
forward and backward are given, so what they store on it lives as long as the graph needs it.  The walk
hands ``backward`` tensors and checks what comes back.

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

import warnings

from . import dispatch
from .formulas import parameter_names
from .function_nodes import COPY_SLICES, FunctionCtx, FunctionPlan, save
from .graph import ALONE, Output, next_sequence_number
from .histories import attach, move_retained
from .leaf import AccumulateGrad
from .modes import state
from .refusals import refuse_recorded
from .tensor import Tensor, View, current_node, ndarray, wrap
from .warning import warn


class Function:
    """Base of operations with a derivative of one's own.

    Subclasses define static methods ``forward(ctx, *inputs)``, or ``forward(*inputs)`` and
    ``setup_context(ctx, inputs, output)``; and ``backward(ctx, *grad_outputs)``, which returns one gradient (or None)
    for each input.  Call them through ``apply``.
    """

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs; to be written by the subclass."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Store on ctx what backward needs, where forward is written without it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute the gradients of the inputs from those of the outputs; to be written by the subclass."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Compute the tangents of the outputs from those of the inputs; to be written by the subclass."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The rule for vmap; never called here."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        node_class = type(cls.__name__ + "Backward", (FunctionCtx,), {"__module__": "torch.autograd.function"})
        cls._plan, cls._plan_of_several = (
            FunctionPlan(cls, Function, node_class, several) for several in (False, True)
        )

    @classmethod
    def apply(cls, *inputs, **kwargs):
        """Run forward on the inputs and record a node for it."""
        plan, forward = cls._plan, cls.forward
        ctx = plan.node_class()
        ctx.plan = plan
        ctx.saved = ctx.arguments = ctx.extras = ctx.to_save = None
        ctx.marked = False
        if plan.sets_up:
            inputs, forward = with_setup(cls, inputs, kwargs)
        elif kwargs:
            inputs = in_order(parameter_names(forward)[1:], inputs, kwargs)
        if len(inputs) == 1 and inputs[0].__class__ is Tensor:  # what most are: no lists to fill
            (value,) = inputs
            edge = value._node if value._counter is None else current_node(value)
            ctx.first, ctx.second = edge, ALONE
            ctx.needs_input_grad = needs = NO_GRAD if edge is None else GRAD
            array = value._array  # a NumPy scalar is quicker asked for its class than for its shape, here and below
            shape = array.shape if array.__class__ is ndarray else ()
            ctx.inputs = (UNNEEDED if edge is None else (shape, value._dtype),)
        else:
            ctx.edges, ctx.needs_input_grad, ctx.inputs = places(inputs)
            needs = ctx.needs_input_grad
        ctx.sequence = next_sequence_number()  # after those that views got when asked for edges
        own = state.__dict__
        mode = run, recording, special = own["hot"]
        dual = state.dual if special else None
        if dual is not None:
            forward = dual.apart(forward)
        recording = recording and True in needs
        own["hot"] = run, False, special
        try:
            outputs = forward(ctx, *inputs)
        finally:
            own["hot"] = mode
        if not recording:
            ctx.first = ctx.second = ALONE
        # an input that requires grad has a node, so only others need to be compared with the output
        if outputs.__class__ is Tensor and outputs._node is outputs._counter is None and not ctx.marked and (
            needs is GRAD or not among(outputs, inputs)
        ):  # fmt: skip
            array = outputs._array
            ctx.outputs = ((array.shape if array.__class__ is ndarray else (), outputs._dtype),)
            if recording and outputs._dtype.is_floating_point:
                outputs._node = ctx
        else:
            outputs = placed(cls, ctx, inputs, outputs, recording)
        if ctx.to_save is not None:
            if recording:
                save(ctx, ctx.to_save, special)
            ctx.to_save = None
        if dual is not None:
            dual.follow_function(cls, ctx, inputs, as_tuple(outputs))
        if dispatch.tell is not None:
            dispatch.tell(cls, ctx if recording else None, tensors_in(inputs), tensors_in(as_tuple(outputs)))
        return outputs


GRAD, NO_GRAD = (True,), (False,)
UNNEEDED = None, None  # stands for shape and dtype of an input that needs no gradient
Function.__module__ = "torch.autograd.function"
Function.__init_subclass__.__func__(Function)


def places(inputs):
    """Of the inputs of a Function: the edges, whether each needs a gradient, and shape and dtype of those that do."""
    edges, needs, metas = [], [], []
    for value in inputs:
        if isinstance(value, Tensor):
            edge = current_node(value)
            edges.append(edge)
            needs.append(edge is not None)
            metas.append(UNNEEDED if edge is None else (value._array.shape, value._dtype))
        else:
            needs.append(False)
            metas.append(None)
    return tuple(edges), tuple(needs), metas


def with_setup(cls, inputs, kwargs):
    """All inputs of a forward without ctx in order, and a function that calls it and then setup_context."""
    import inspect  # which takes longer to load than the engine

    bound = inspect.signature(cls.forward).bind(*inputs, **kwargs)
    bound.apply_defaults()

    def forward(ctx, *inputs):
        output = cls.forward(*inputs)
        cls.setup_context(ctx, inputs, output)
        return output

    return bound.args, forward


def in_order(names, inputs, kwargs):
    """All inputs in order: keyword arguments are taken as the positional ones that their names stand for."""
    given = dict(zip(names, inputs, strict=False))
    for name in kwargs:
        if name not in names or name in given:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    given |= kwargs
    for position, name in enumerate(names[: len(given)]):
        if name not in given:
            raise TypeError(f"forward() missing required argument: '{name}' (position {position})")
    return [given[name] for name in names[: len(given)]]


def placed(cls, ctx, inputs, outputs, recording):
    """What forward returned as the caller gets it, each tensor with its place in the graph."""
    results = as_tuple(outputs)
    several = len(results) > 1
    ctx.plan = cls._plan_of_several if several else cls._plan
    check_marks(ctx, inputs, results, recording)
    wrapped = []
    for number, result in enumerate(results):
        if isinstance(result, Tensor):
            edge = Output(ctx, number, len(results)) if several else ctx
            if not recording or not result._dtype.is_floating_point or among(result, ctx.non_differentiable):
                edge = None
            if not among(result, ctx.dirty_tensors):
                result = unchanged(result, edge, among(result, inputs))
            elif edge is not None:
                changed(result, edge, several)
            elif result.requires_grad and among(result, inputs):
                result = unchanged(result, None, True)
        wrapped.append(result)
    if sum(each._node is not None for each in tensors_in(wrapped)) > 1:
        for each in tensors_in(wrapped):
            if each._view is not None:
                each._view.creation = "several"
    ctx.dirty_tensors = ctx.non_differentiable = ()
    ctx.outputs = [(each._array.shape, each._dtype) if isinstance(each, Tensor) else None for each in wrapped]
    return tuple(wrapped) if results is outputs else wrapped[0]


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


def tensors_in(values):
    return [value for value in values if isinstance(value, Tensor)]


def among(value, values):
    """Whether it is one of them, the very object."""
    for each in values:
        if each is value:
            return True
    return False


def check_marks(ctx, inputs, results, recording):
    """RuntimeError for marks on what is no tensor, and for inputs marked as changed that are not returned."""
    if not all(isinstance(each, Tensor) for each in ctx.dirty_tensors):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(isinstance(each, Tensor) for each in ctx.non_differentiable):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    for each in ctx.dirty_tensors:
        each._share().version += 1
        if not among(each, results):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. "
                               "The inputs that are modified inplace must all be outputs of the Function.")
        if recording and not among(each, inputs):
            warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                 "should be passed to ctx.mark_dirty().")


def unchanged(result, edge, is_input):
    """A result that was not marked as changed in place; an input returned as it is comes out as a view of itself."""
    if is_input:
        counter, source = result._share(), result
        result = wrap(source._array, source._dtype)
        result._counter, result._inference = counter, source._inference
        if (edge is not None or not source.requires_grad) and not source._inference:  # else it is detached
            result._view = View(source if source._view is None else source._view.base, counter.version, "function")
    elif result._view is not None:
        result._view.creation = "function"
    result._node = edge
    return result


def changed(result, edge, several):
    """Give an input that forward changed in place the new node, as any in-place operation would."""
    if result._view is None:
        if result._node.__class__ is AccumulateGrad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        move_retained(result._node, edge)
        result._kept_grad = None
        result._node = edge
        return
    if several:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
            "more than one Tensor. This is not supported by the current autograd engine. You should either make sure "
            "the input is not a view (using .clone() for example) or make your Function only return one Tensor "
            "(potentially splitting it into two Functions: one doing the inplace that returns a single Tensor and a "
            "second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you "
            "need help to do this change."
        )
    refuse_recorded(result, result._view)
    attach(result, edge)
    result._view.base._node.plan = COPY_SLICES
