"""``torch.utils.checkpoint``: compute again in backward rather than keep what forward saved.

Without reentrance the saved tensors of the function's operations are replaced by their numbers; when backward asks for
one, the function runs once more and all of them are there.  With reentrance the function is a Function of its own,
whose backward runs it again and starts a backward pass within.
"""

import contextlib

from .. import autograd
from ..autograd.graph import saved_tensors_hooks
from ..engine.function import Function
from ..engine.modes import enable_grad, state
from ..engine.saved import checked, keep
from ..engine.tensor import Tensor
from ..engine.warning import warn
from ..torch_api.absent import absent_from
from ..torch_api.random import fork_rng, get_rng_state, set_rng_state

__all__ = ["checkpoint"]


class CheckpointError(RuntimeError):
    """Running the function again did not give what the first time did."""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """What ``function(*args)`` returns, without keeping what its backward needs: that is computed again when asked for.

    With *preserve_rng_state* random numbers are the same both times.  *use_reentrant* chooses between two ways; the
    older one, True, knows neither keyword arguments nor ``autograd.grad``.

    >>> import autograd_nb as torch
    >>> from autograd_nb.utils.checkpoint import checkpoint
    >>> x = torch.tensor(2., requires_grad=True)
    >>> checkpoint(lambda x: torch.exp(x * x), x, use_reentrant=False).backward()
    >>> x.grad
    tensor(218.3926)
    """
    if use_reentrant is None:
        warn("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch "
             "2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is "
             "recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True. "
             "Refer to docs for more details on the differences between the two variants.")
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    again = same_random_numbers(preserve_rng_state)
    saved, count = [], 0  # what running the function again has given; how many tensors were saved the first time
    held = [keep(each) for each in args if isinstance(each, Tensor) and (state.grad_enabled or not each._inference)]

    def pack(tensor):
        nonlocal count
        count += 1
        return count - 1

    def unpack(number):
        if not saved:
            for each in held:
                checked(None, each)
            hooks = saved_tensors_hooks(lambda tensor: saved.append(tensor.detach()), lambda _: None)
            with again(), enable_grad(), hooks:
                function(*args, **kwargs)
            if len(saved) != count:
                raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the "
                                      f"original forward and recomputation.\nNumber of tensors saved during forward: "
                                      f"{count}\nNumber of tensors saved during recomputation: {len(saved)}.")
        return saved[number]

    with saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)


def same_random_numbers(wanted):
    """A context in which the random numbers from now on are drawn once more."""
    if not wanted:
        return contextlib.nullcontext
    position = get_rng_state()

    @contextlib.contextmanager
    def again():
        with fork_rng():
            set_rng_state(position)
            yield

    return again


class CheckpointFunction(Function):
    """The older way: a Function whose backward runs forward again and walks it back."""

    @staticmethod
    def forward(ctx, function, preserve_rng_state, *args):
        if not any(isinstance(each, Tensor) and each.requires_grad for each in args):
            warn("None of the inputs have requires_grad=True. Gradients will be None")
        ctx.function = function
        ctx.again = same_random_numbers(preserve_rng_state)
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*[each if isinstance(each, Tensor) else None for each in args])
        return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if state.walk is not None and state.walk.needed is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        saved = ctx.saved_tensors
        inputs = [
            other if each is None else each.detach().requires_grad_(each.requires_grad)
            for each, other in zip(saved, ctx.others, strict=True)
        ]  # fmt: skip
        with ctx.again(), enable_grad():
            outputs = ctx.function(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = zip(outputs, grads, strict=True)
        pairs = [(out, each) for out, each in pairs if isinstance(out, Tensor) and out.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([out for out, _ in pairs], [each for _, each in pairs])
        return None, None, *[each.grad if isinstance(each, Tensor) else None for each in inputs]


__getattr__ = absent_from("torch.utils.checkpoint")
