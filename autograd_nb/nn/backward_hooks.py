"""Hooks on the gradients of a whole module, whose inputs and outputs pass through a node at either end of it."""

from ..engine.function import Function
from ..engine.modes import is_grad_enabled, warn
from ..engine.tensor import Tensor


class BackwardHookFunction(Function):
    """The tensors as they are."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[each for each in args if not each.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


def through_node(values, hook):
    """The values, and where those are that pass a node with this *hook*, which tensors do if one requires grad."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[place] for place in places]
    if not (is_grad_enabled() and any([each.requires_grad for each in tensors])):
        return values, None
    tensors = BackwardHookFunction.apply(*tensors)
    next(each.grad_fn for each in tensors if each.requires_grad).register_hook(hook)
    return spread(values, places, tensors), places


def spread(values, places, tensors):
    values = [*values]
    for place, tensor in zip(places, tensors, strict=True):
        values[place] = tensor
    return tuple(values)


def call_hooked(module, hooks, pre_hooks, args, call):
    """What ``call(args)`` returns, with hooks for when a backward pass arrives at it and when it leaves the args."""
    grad_outputs = None

    def arrives(_, grads):
        nonlocal grad_outputs
        grad_outputs = spread([None] * len(outputs), out_places, grads)
        for hook in pre_hooks:
            grad_outputs = replaced(grad_outputs, hook(module, grad_outputs), "Backward pre hook", "grad_output")
        grads = tuple([grad_outputs[place] for place in out_places])
        if places is None:
            warn("Full backward hook is firing when gradients are computed with respect to module outputs since no "
                 "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                 "#torch.nn.Module.register_full_backward_hook for more details.")
            if any([each is not None for each in call_hooks([None] * len(args))]):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return "
                                   "None or None for all gradients.")
        return grads

    def leaves(grads, _):
        if grad_outputs is not None:  # else the pass took another way to the arguments
            grads = call_hooks(spread([None] * len(args), places, grads))
            return tuple([grads[place] for place in places])

    def call_hooks(grad_inputs):
        nonlocal grad_outputs
        grad_inputs = tuple(grad_inputs)
        for hook in hooks:
            changed = hook(module, grad_inputs, grad_outputs)
            grad_inputs = replaced(grad_inputs, changed, "Backward hook", "grad_input")
        grad_outputs = None
        return grad_inputs

    args, places = through_node(args, leaves)
    result = call(args)
    several = isinstance(result, tuple)
    if not several and not isinstance(result, Tensor):
        warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
             f"{type(result)}")  # fmt: skip
    outputs, out_places = through_node(result if several else (result,), arrives)
    return outputs if several else outputs[0]


def replaced(grads, changed, what, which):
    if changed is not None and len(changed) != len(grads):
        raise RuntimeError(f"{what} returned an invalid number of {which}, got {len(changed)}, but expected "
                           f"{len(grads)}")  # fmt: skip
    return grads if changed is None else changed


def hook_last_node(module, hooks, args, result):
    """What ``register_backward_hook`` does: its hooks see the last node of the module only."""
    while not isinstance(result, Tensor):
        result = next(iter(result.values())) if isinstance(result, dict) else result[0]
    node = result.grad_fn
    if node is not None:
        for hook in hooks:
            node.register_hook(lambda *grads, hook=hook: hook(module, *grads))
        before = {each.grad_fn for each in args if isinstance(each, Tensor)} - {None}
        if before != {each for each, _ in node.next_functions}:
            warn("Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and "
                 "will be removed in future versions. This hook will be missing some grad_input. Please use "
                 "register_full_backward_hook to get the documented behavior.", FutureWarning)
