"""``torch.utils.checkpoint``: a part of a program that saves only its inputs, and computes the rest again for backward.

It takes less memory and more time: each tensor that the part's formulas need exists only while backward runs there.
"""

from contextlib import suppress

from ..autograd.graph import saved_tensors_hooks
from ..autograd.passes import backward
from ..engine.function import Function
from ..engine.modes import enable_grad, is_grad_enabled, warn
from ..engine.tensor import Tensor
from ..torch_api.keywords import stands_for
from ..torch_api.random import get_rng_state, set_rng_state


class CheckpointError(RuntimeError):
    """The function did something else when it ran again."""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """The result of ``function(*args)``; backward runs the function again for the tensors that its formulas need.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: (x * x).sin(), x, use_reentrant=False)
    >>> torch.autograd.grad(y, x)
    (tensor(-2.6146),)
    """
    if use_reentrant is None:
        warn("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch "
             "2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is "
             "recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True. "
             "Refer to docs for more details on the differences between the two variants.")  # fmt: skip
        use_reentrant = True
    if not use_reentrant:
        run = Again(lambda: function(*args, **kwargs), preserve_rng_state)
        with saved_tensors_hooks(run.pack, run.unpack):
            return function(*args, **kwargs)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if is_grad_enabled() and not any(isinstance(each, Tensor) and each.requires_grad for each in args):
        warn("None of the inputs have requires_grad=True. Gradients will be None")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


class Enough(Exception):
    """Ends a second run when all tensors are there."""


class Again:
    """A run of a function that saves numbers in place of tensors, and the tensors of a second run."""

    def __init__(self, run, preserve_rng_state):
        self.run, self.count, self.tensors = run, 0, {}
        self.random = get_rng_state() if preserve_rng_state else None

    def pack(self, tensor):
        self.count += 1
        return self.count - 1

    def unpack(self, number):
        """The tensor with a number, which is then forgotten; runs the function if it is not there."""
        if number not in self.tensors:
            found = []

            def pack(tensor):
                found.append(tensor.detach())
                if len(found) == self.count:
                    raise Enough

            with saved_tensors_hooks(pack, lambda nothing: None), suppress(Enough):
                rerun(self.run, self.random)
            if len(found) < self.count:
                raise CheckpointError(
                    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                    f"recomputation.\nNumber of tensors saved during forward: {self.count}\nNumber of tensors saved "
                    f"during recomputation: {len(found)}.")  # fmt: skip
            self.tensors = dict(enumerate(found))
        return self.tensors.pop(number)


def rerun(run, random):
    """Run a function with a graph, and with the random numbers of its first run."""
    now = get_rng_state()
    if random is not None:
        set_rng_state(random)
    try:
        with enable_grad():
            return run()
    finally:
        if random is not None:
            set_rng_state(now)


class CheckpointFunction(Function):
    """The way of ``use_reentrant=True``: one node, whose backward runs another backward pass inside."""

    @staticmethod
    def forward(ctx, function, preserve_rng_state, *args):
        ctx.function, ctx.random = function, get_rng_state() if preserve_rng_state else None
        ctx.args = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*[each if isinstance(each, Tensor) else None for each in args])
        return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        args = [kept if saved is None else saved.detach().requires_grad_(saved.requires_grad)
                for kept, saved in zip(ctx.args, ctx.saved_tensors, strict=True)]  # fmt: skip
        outputs = rerun(lambda: ctx.function(*args), ctx.random)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [(out, grad) for out, grad in zip(outputs, grads, strict=True)
                 if isinstance(out, Tensor) and out.requires_grad]  # fmt: skip
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward(*map(list, zip(*pairs, strict=True)))
        return None, None, *[each.grad if isinstance(each, Tensor) else None for each in args]


__getattr__ = stands_for("torch.utils.checkpoint", globals())
