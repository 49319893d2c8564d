"""Hooks on the gradients of a whole module, whose inputs and outputs pass through a node at either end of it."""

from types import SimpleNamespace

from ..engine.function import Function
from ..engine.hooks import check_replacement
from ..engine.modes import is_grad_enabled, warn
from ..engine.tensor import Tensor, refuse_foreign


class BackwardHookFunction(Function):
    """Returns its values; sends their gradients through a function, with zeros for missing ones if *filled*."""

    @staticmethod
    def forward(ctx, through, filled, *values):
        ctx.through = through
        ctx.set_materialize_grads(filled)
        ctx.mark_non_differentiable(*[each for each in values if not requires_grad(each)])
        return values

    @staticmethod
    def backward(ctx, *grads):
        return None, None, *ctx.through(grads)


def requires_grad(value):
    return isinstance(value, Tensor) and value.requires_grad


def call_hooked(module, hooks, pre_hooks, args, call):
    """The result of ``call(args)``, with hooks that run when a backward pass reaches it and when it leaves the args."""
    grad_outputs = None

    def arrives(grads):
        nonlocal grad_outputs
        for hook in pre_hooks:
            grads = replaced(grads, hook(module, grads), "Backward pre hook", "grad_output")
        grad_outputs = grads
        if not args_require_grad:
            warn("Full backward hook is firing when gradients are computed with respect to module outputs since no "
                 "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                 "#torch.nn.Module.register_full_backward_hook for more details.")
            if any([each is not None for each in leaves((None,) * len(args))]):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return "
                                   "None or None for all gradients.")
        return grads

    def leaves(grads):
        nonlocal grad_outputs
        if grad_outputs is not None:  # else the pass took another way to the arguments
            for hook in hooks:
                grads = replaced(grads, hook(module, grads, grad_outputs), "Backward hook", "grad_input")
            grad_outputs = None
        return grads

    def through_node(values, through, filled):
        needed = is_grad_enabled() and any(map(requires_grad, values))
        return needed, BackwardHookFunction.apply(through, filled, *values) if needed else values

    args_require_grad, args = through_node(args, leaves, True)
    result = call(args)
    several = isinstance(result, tuple)
    if not several and not isinstance(result, Tensor):
        warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
             f"{type(result)}")  # fmt: skip
    _, outputs = through_node(result if several else (result,), arrives, False)
    return outputs if several else outputs[0]


HOOK = SimpleNamespace(__name__="hook")  # the name of a module's hooks in PyTorch's messages


def replaced(grads, changed, what, which):
    if changed is None:
        return grads
    refuse_foreign(changed)
    if len(changed) != len(grads):
        raise RuntimeError(f"{what} returned an invalid number of {which}, got {len(changed)}, but expected "
                           f"{len(grads)}")  # fmt: skip
    for before, after in zip(grads, changed, strict=True):
        if before is not None and after is not None:
            check_replacement(HOOK, before, after)
    return changed


def hook_last_node(module, hooks, args, result):
    """Run the hooks of ``register_backward_hook``, which see only the last node of the module."""
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
