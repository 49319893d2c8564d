"""Hooks of modules: functions called before and after forward, and when a module's gradients go by."""

from ...engine.graph import add_hook
from ...engine.warning import warn


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
            from .backward_hooks import BackwardHooks

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
