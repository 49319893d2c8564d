"""Hooks of modules: functions called before and after forward, and when a module's gradients go by.

For the latter there are two identity nodes, one before and one after the module, with node hooks of their own.
"""

from ...function import Function
from ...grad_mode import state
from ...graph import add_hook
from ...tensors import Tensor
from ...warning import warn


class Hooks:
    """The part of Module that registers hooks, and calls the module when it has any."""

    def _add_hook(self, hooks, hook, prepend):
        self._hooked = True
        handle = add_hook(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before forward; what it returns replaces the arguments."""
        return self._add_hook(self._forward_pre_hooks, _Hook(hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after forward; what it returns replaces the output."""
        return self._add_hook(self._forward_hooks, _Hook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before the module's gradients are computed."""
        return self._add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the module's inputs are there."""
        return self._add_hook(self._backward_hooks, hook, prepend)

    def _call_with_hooks(self, args, kwargs):
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook.function(self, args, kwargs) if hook.with_kwargs else hook.function(self, args)
            if changed is not None and hook.with_kwargs:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
            elif changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        backward = None
        if self._backward_hooks or self._backward_pre_hooks:
            backward = BackwardHooks(self, list(self._backward_hooks.values()), list(self._backward_pre_hooks.values()))
            args = backward.watch_inputs(args)
        called = set()
        try:
            result = self.forward(*args, **kwargs)
            for id, hook in list(self._forward_hooks.items()):
                called.add(id)
                changed = hook.after(self, args, kwargs, result)
                result = result if changed is None else changed
        except Exception:
            for id, hook in list(self._forward_hooks.items()):
                if hook.always_call and id not in called:
                    try:
                        hook.after(self, args, kwargs, None)
                    except Exception as error:
                        warn(
                            "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error}"
                        )
            raise
        return result if backward is None else backward.watch_outputs(result)


class _Hook:
    """A forward hook with how it wants to be called."""

    def __init__(self, function, with_kwargs, always_call=False):
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call

    def __call__(self, *args):
        return self.function(*args)

    def after(self, module, args, kwargs, result):
        return self.function(module, args, kwargs, result) if self.with_kwargs else self.function(module, args, result)


# -- backward hooks ------------------------------------------------------------------------------------------------


class BackwardHookFunction(Function):
    """The identity on all its inputs, a node of the graph all the same."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*(tensor for tensor in tensors if not tensor.requires_grad))
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return grads


class BackwardHooks:
    """One call's full backward hooks: gradients of the outputs are noted, and hooks run once the inputs' are there."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = self.inputs_watched = None

    def _watch(self, values):
        """The values with their tensors sent through an identity node; the node and where its tensors stood, if any."""
        places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
        tensors = [values[place] for place in places]
        if not state.hot[1] or not any(tensor.requires_grad for tensor in tensors):
            return values, None, None
        values = list(values)
        for place, tensor in zip(places, BackwardHookFunction.apply(*tensors), strict=True):
            values[place] = tensor
        node = next(values[place].grad_fn for place in places if values[place].grad_fn is not None)
        return tuple(values), node, places

    def watch_inputs(self, args):
        args, node, places = self._watch(args)
        self.count, self.inputs_watched = len(args), node is not None
        if node is not None:

            def hook(grad_inputs, _):
                if self.grad_outputs is None:  # the gradient came by another way than through the module's output
                    return None
                grads = tuple(spread(grad_inputs, places, self.count))
                for each in self.hooks:
                    changed = each(self.module, grads, self.grad_outputs)
                    if changed is not None:
                        if len(changed) != len(grads):
                            raise RuntimeError(
                                "Backward hook returned an invalid number of grad_input, got "
                                f"{len(changed)}, but expected {len(grads)}"
                            )
                        grads = changed
                self.grad_outputs = None
                return tuple(grads[place] for place in places)

            node.register_hook(hook)
        return args

    def watch_outputs(self, result):
        several = isinstance(result, tuple)
        if not (several or isinstance(result, Tensor)):
            warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                 f"{type(result)}")
        outputs, node, places = self._watch(result if several else (result,))
        if node is not None:

            def hook(_, grad_outputs):
                grads = tuple(spread(grad_outputs, places, len(outputs)))
                for each in self.pre_hooks:
                    changed = each(self.module, grads)
                    if changed is not None:
                        if len(changed) != len(grads):
                            raise RuntimeError(
                                "Backward pre hook returned an invalid number of grad_output, got "
                                f"{len(changed)}, but expected {len(grads)}"
                            )
                        grads = changed
                self.grad_outputs = grads
                if not self.inputs_watched:
                    self._run_without_inputs(grads)
                return tuple(grads[place] for place in places)

            node.register_hook(hook)
        if several and node is not None and type(result) is not tuple:  # a named one
            return type(result)(*outputs)
        return outputs if several else outputs[0]

    def _run_without_inputs(self, grads):
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
            "register_full_backward_hook for more details."
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.count, grads)
            if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or "
                    "None for all gradients."
                )
        self.grad_outputs = None


def spread(values, places, count):
    """A list of *count* with the values at their places and None elsewhere."""
    spaced = [None] * count
    for place, value in zip(places, values, strict=True):
        spaced[place] = value
    return spaced
