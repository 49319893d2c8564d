"""``torch.autograd.forward_ad``: derivatives computed along with the values, by dual numbers.

Inside a ``dual_level`` a tensor may carry a tangent, and every operation on it gives its result one (tangents.py says
how, from the formulas there are).

>>> import autograd_nb as torch
>>> import autograd_nb.autograd.forward_ad as forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(torch.tensor(3.), torch.tensor(1.))
...     forward_ad.unpack_dual(x * x)
UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
"""

from contextlib import contextmanager
from functools import wraps
from typing import NamedTuple

from ..engine import dispatch
from ..engine.dispatch import apply
from ..engine.function_nodes import save
from ..engine.geometry import Geometry
from ..engine.graph import node_of_edge
from ..engine.modes import state
from ..engine.table import ops
from ..engine.tensor import Tensor
from ..torch_api.absent import absent_from
from .tangents import element_wise, linear, transposed

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What :func:`unpack_dual` gives: the tensor alone, and its tangent or None."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"

# -- levels ------------------------------------------------------------------------------------------------------------


def enter_dual_level():
    """Begin to compute tangents; RuntimeError when that is under way already.  Gives the level's number, 0."""
    if state.dual is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    state.set_dual(Level())
    return 0


def exit_dual_level(*, level=None):
    """Stop to compute tangents, and forget those there are."""
    if level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not "
                           "supported.")
    if state.dual is None:
        raise RuntimeError("Dual level must be a positive number.")
    state.set_dual(None)


class dual_level:
    """A block in which tensors may carry tangents, which are gone after it.  Blocks of one another are refused."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exception):
        exit_dual_level()

    def __call__(self, function):
        @wraps(function)
        def call(*args, **kwargs):
            with dual_level():
                return function(*args, **kwargs)

        return call


# -- dual tensors ------------------------------------------------------------------------------------------------------


def make_dual(tensor, tangent, *, level=None):
    """A view of *tensor* that carries *tangent*, of the same shape.

    RuntimeError outside of a :class:`dual_level`, for shapes that differ, or a tensor that carries one already;
    ValueError for integers.
    """
    found = state.dual
    if found is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() first.")
    if level not in (None, 0):
        raise RuntimeError("Invalid level given to _make_dual")
    for name, each in (("primal", tensor), ("tangent", tangent)):
        if not each.is_floating_point():
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
    if found.tangent(tensor) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    if found.tangent(tangent) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not "
                           "supported.")
    return found.dual(tensor, tangent)


def unpack_dual(tensor, *, level=None):
    """The tensor without its tangent, and the tangent; None where it has none.

    TypeError for anything but a tensor.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    if state.dual is None:
        return UnpackedDualTensor(tensor, None)
    if level not in (None, 0):
        if state.dual.tangent(tensor) is not None:
            raise RuntimeError("Invalid level given to _fw_primal")
        return UnpackedDualTensor(tensor, None)
    return state.dual.unpacked(tensor)


NOTHING = None, None


class Level:
    """One stretch of computing tangents; what tensors carry belongs to it, and counts for nothing after it.

    A tensor has ``_tangents``: for each level the tangent, and the version of the storage it was made for.  A view
    whose storage changed since reads its tangent off the tensor that it is a view of.  Levels nest (``torch.func`` does
    that): what one computes is told to the one around it, so that tangents have tangents.
    """

    def __init__(self, around=None):
        self.around = around
        self.results = {}  # (the number that identifies a node, output) -> the node, its result's tangent

    def tangent(self, tensor):
        """The tangent that a tensor carries, or None."""
        tangent, version = tensor._tangents.get(self, NOTHING)
        if tangent is not None and (version is None or version == tensor._counter.version):
            return tangent
        base = self.base(tensor)
        if base is None or base is tensor:
            return tangent
        whole = self.tangent(base)
        if whole is None:
            return None
        with self.paused():
            return ops.view_of(whole, Geometry(base._array, tensor._array))

    def base(self, tensor):
        """The tensor whose tangent a view's is part of."""
        base = tensor._forward_base
        return tensor._view.base if base is None and tensor._view is not None else base

    def keep(self, tensor, tangent):
        version = tensor._counter.version if tensor._view is not None else None
        tensor._tangents = {**tensor._tangents, self: (tangent, version)}

    @contextmanager
    def paused(self):
        """A block whose operations compute no tangents of this level and are not told of."""
        before, telling, dispatch.tell = state.dual, dispatch.tell, None
        state.set_dual(self.around)
        try:
            yield
        finally:
            state.set_dual(before)
            dispatch.tell = telling

    @contextmanager
    def opened(self):
        """A block in which tangents of this level are computed."""
        before = state.dual
        state.set_dual(self)
        try:
            yield
        finally:
            state.set_dual(before)

    def dual(self, tensor, tangent):
        """A view of *tensor* that carries *tangent*; RuntimeError when their shapes differ."""
        check_size(tensor, tangent)
        with self.paused():
            dual = ops.view_as(tensor, tensor)
        dual._forward_base = dual
        self.keep(dual, tangent)
        return dual

    def unpacked(self, tensor):
        with self.paused():
            primal = ops.dual_primal(tensor)
        primal._forward_base = primal
        return UnpackedDualTensor(primal, self.tangent(tensor))

    def levels(self):
        """This level and those around it."""
        return [self] if self.around is None else [self, *self.around.levels()]

    # -- what operations do ------------------------------------------------------------------------------------------

    def propagate(self, row, values, outputs):
        """Give the outputs of an operation their tangents, at this level and at those around it."""
        if row.view:
            base = self.base(values[0])
            for output in outputs:
                output._forward_base = values[0] if base is None else base
        for level in self.levels():
            level.follow(row, values, outputs)

    def follow(self, row, values, outputs):
        operands = values[0] if row.variadic else values
        tangents = [self.tangent(value) if isinstance(value, Tensor) else None for value in operands]
        if state.inference or all(each is None for each in tangents):
            return
        if row.no_forward:
            why = "" if row.no_forward.startswith("aten::") else " because it has not been implemented yet"
            raise NotImplementedError(f"Trying to use forward AD with {row.no_forward} that does not support it{why}.")
        if not row.formulas or not any(each._dtype.is_floating_point for each in outputs):
            return
        with self.paused():
            if row.linear:
                found = linear(row, values, tangents)
            elif row.element_wise:
                found = [element_wise(row, self.primals(values), self.primals(outputs)[0], tangents)]
            else:
                found = transposed(row, self.primals(values), self.primals(outputs), tangents)
            found = [tangent if tangent is None else laid_out(tangent, output)
                     for tangent, output in zip(found, outputs, strict=True)]  # fmt: skip
        for output, tangent in zip(outputs, found, strict=True):
            if tangent is not None and output._dtype.is_floating_point:
                self.keep(output, tangent)
                self.remember(output, tangent)

    def apart(self, function):
        """A function, a user's forward, as it runs with tangents out of sight of all levels."""

        def call(ctx, *inputs):
            ctx.for_forward = ()
            state.set_dual(None)
            try:
                return function(ctx, *inputs)
            finally:
                state.set_dual(self)

        return call

    def follow_function(self, cls, ctx, inputs, outputs):
        """Give the outputs of a user's Function the tangents that its jvp gives."""
        for level in self.levels():
            tangents = [level.tangent(value) if isinstance(value, Tensor) else None for value in inputs]
            if state.inference or all(each is None for each in tangents):
                continue
            with level.paused():
                if ctx.materialize_grads:
                    tangents = [ops.zeros_like(value) if each is None and isinstance(value, Tensor) else each
                                for each, value in zip(tangents, inputs, strict=True)]  # fmt: skip
                saved = ctx.saved
                if ctx.for_forward:
                    save(ctx, ctx.for_forward, special=True)
                try:
                    found = cls.jvp(ctx, *tangents)
                finally:
                    ctx.saved = saved
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(outputs):
                raise RuntimeError("Function's jvp returned an invalid number of forward gradients (expected "
                                   f"{len(outputs)} but got {len(found)})")
            for number, (output, tangent) in enumerate(zip(outputs, found, strict=True)):
                if tangent is not None and not isinstance(tangent, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output "
                                       f"{number}.")
                if tangent is not None:
                    check_size(output, tangent)
                    level.keep(output, tangent)
        del ctx.for_forward

    def primals(self, values):
        """The values, each tensor without its tangent."""
        return [self.unpacked(value).primal if isinstance(value, Tensor) and self.tangent(value) is not None else
                self.primals(value) if value.__class__ is list else value for value in values]  # fmt: skip

    def change(self, row, values):
        """The tangents of a tensor about to be changed in place by *row*, with their levels; None when it has none."""
        tensors = [value for value in values if isinstance(value, Tensor)]
        levels = [level for level in self.levels() if any(level.tangent(each) is not None for each in tensors)]
        if not levels:
            return None
        result, found = apply(row, values), []
        for level in levels:
            tangent = level.tangent(result)
            if tangent is not None:
                with level.paused():
                    found.append((level, tangent.to(values[0]._dtype)))
        return found

    def changed(self, tensor, tangents):
        """Let a tensor that was changed in place carry *tangents*, and the tensor it is a view of their part."""
        for level, tangent in tangents:
            base = level.base(tensor)
            if base is not None and base is not tensor:
                whole = level.tangent(base)
                with level.paused():
                    geometry = Geometry(base._array, tensor._array)
                    whole = ops.with_part(ops.zeros_like(base) if whole is None else whole, tangent, geometry)
                level.keep(base, whole)
            level.keep(tensor, tangent)
            level.remember(tensor, tangent)

    def remember(self, tensor, tangent):
        """Note the tangent for when a backward pass takes the result from where its node saved it."""
        node, number = node_of_edge(tensor._node)
        if node is not None:
            self.results[id(node), number] = node, tangent

    def hand_on(self, tensor, other):
        """Give another tensor of the same elements the tangents of this one."""
        for level in self.levels():
            tangent = level.tangent(tensor)
            if tangent is not None:
                other._forward_base = other
                level.keep(other, tangent)

    def recall(self, tensor, node, number):
        """Give a result that a node saved the tangents that it had."""
        for level in self.levels():
            _, tangent = level.results.get((id(node), number), NOTHING)
            if tangent is not None:
                level.keep(tensor, tangent)


def check_size(tensor, tangent):
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
            f"not supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def laid_out(tangent, output):
    """A tangent of which the same views can be taken as of the output."""
    return tangent.contiguous() if output.is_contiguous() else tangent


__getattr__ = absent_from("torch.autograd.forward_ad")
