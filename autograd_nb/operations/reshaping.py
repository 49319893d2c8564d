"""A tensor's own shape changed in place, and copies in which one part is replaced.

``x.unsqueeze_(0)`` moves no element: from now on the tensor shows its storage another way.  It counts as a change in
place all the same; the node is that of the shape operation, on top of the tensor's old one.
"""

import numpy as np

from ..engine import dispatch
from ..engine.dispatch import operation, record
from ..engine.dtypes import dtype as DType
from ..engine.modes import state
from ..engine.refusals import INFERENCE_TENSOR, refuse_recorded
from ..engine.table import methods, operations
from ..engine.tensor import current_node, wrap
from .checks import as_int
from .diagonals import diagonal
from .indexing import select, slice
from .public import public
from .strides import strided_part, zeros_of

# -- another shape for the same tensor -------------------------------------------------------------------------------

NODES = {
    "t": "TBackward1", "transpose": "TransposeBackward1", "unsqueeze": "UnsqueezeBackward1",
    "squeeze_all": "SqueezeBackward3", "squeeze_dim": "SqueezeBackward4", "squeeze_dims": "SqueezeBackward5",
    "strided_view": "AsStridedBackward1",
}  # fmt: skip
for _name, _node in NODES.items():
    _row = operations[_name]
    operation(_name + "_in_place", node_name=_node, method=False, function=False, **_row.formulas)(_row.forward)


def change_shape(name, self, *arguments):
    """Let the tensor show its storage as the view that operation *name* gives; it is returned."""
    row, edge = operations[name + "_in_place"], None
    if state.hot[1] and self.requires_grad:
        refuse_recorded(self, self._view)
        edge = current_node(self)
    tangent = None if state.dual is None else state.dual.change(operations[name], (self, *arguments))
    counter = self._share()
    array = state.run(row.forward, self._array, *arguments)
    if self._inference and not state.inference:
        self._set_array(array)
        raise RuntimeError(INFERENCE_TENSOR)  # PyTorch too says so when it is done
    if edge is not None:
        changed = wrap(array, self._dtype)
        record(row, (self, *arguments), [edge], (changed,))
        self._node = changed._node
    counter.version += 1
    if self._view is not None and edge is not None:
        self._view.version = counter.version
    self._set_array(array)
    for level, each in tangent or ():
        level.keep(self, each)
    if dispatch.tell is not None:
        dispatch.tell(row, self._node, [self], [self], True)
    return self


@public("t_", function=False)
def _t_(self):
    """In-place form of :func:`t`; the tensor itself is transposed."""
    if self._array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D")
    return change_shape("t", self)


@public("transpose_", function=False)
def _transpose_(self, dim0, dim1):
    """In-place form of :func:`transpose`; the tensor's own dimensions are swapped.

    >>> import autograd_nb as torch
    >>> torch.ones(2, 3).transpose_(0, 1).shape
    torch.Size([3, 2])
    """
    return change_shape("transpose", self, dim0, dim1)


for _name in ("swapaxes_", "swapdims_"):

    @public(_name, function=False)
    def _swapped_(self, dim0, dim1):
        """Another name of :func:`transpose_`."""
        return change_shape("transpose", self, dim0, dim1)


@public("unsqueeze_", function=False)
def _unsqueeze_(self, dim):
    """In-place form of :func:`unsqueeze`; the tensor itself gets a dimension of length one."""
    return change_shape("unsqueeze", self, dim)


@public("squeeze_", function=False)
def _squeeze_(self, dim=None):
    """In-place form of :func:`squeeze`; the tensor itself loses dimensions of length one."""
    if dim is None:
        return change_shape("squeeze_all", self)
    if isinstance(dim, tuple | list):
        return change_shape("squeeze_dims", self, tuple(dim))
    return change_shape("squeeze_dim", self, as_int(dim, "squeeze_", "dim", 1))


@public("as_strided_")
def _as_strided_(self, size, stride, storage_offset=None):
    """In-place form of :func:`as_strided`; the tensor itself shows other elements of its storage."""
    return change_shape("strided_view", self, *strided_part(self, size, stride, storage_offset))


@operation("dual_primal", view=True, method=False, function=False, node_name="Identity", self=lambda grad: grad)
def dual_primal(self):
    """The whole tensor, as a view of it without tangent."""
    return self[...]


# -- the same bytes as another dtype ---------------------------------------------------------------------------------


def viewed_as(self, dtype):
    """The storage read as elements of *dtype*; the last dimension changes length if these are larger or smaller."""
    counter = self._share()
    array, ratio = self._array, dtype.itemsize / self._dtype.itemsize
    names = f"{self._dtype.legacy_name} as {dtype.legacy_name}"
    if ratio != 1:
        if not array.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names} (different element sizes)")
        step = self.stride(-1)
        if step != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {names} (different element sizes), but got {step}")
        if array.shape[-1] % ratio >= 1:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio:g} to view {names} (different element "
                               f"sizes), but got {array.shape[-1]}")
    view = wrap(array.view(dtype.numpy), dtype)  # out of the graph, as detach() gives it
    view._counter = counter
    return view


def understand_dtypes():
    """``x.view(dtype)`` beside ``x.view(2, 3)``; asked only when the sizes cannot be read as such."""
    of_sizes = methods["view"]

    def view(self, *size, **named):
        try:
            return of_sizes(self, *size, **named)
        except TypeError:
            dtype = named.get("dtype", size[0] if size else None)
            if not isinstance(dtype, DType):
                raise
        return viewed_as(self, dtype)

    view.__wrapped__, view.__doc__ = of_sizes.__wrapped__, of_sizes.__doc__
    methods["view"] = view


understand_dtypes()

# -- a part replaced -------------------------------------------------------------------------------------------------


def with_source(self, part, src):
    """A copy with *src* in the place that *part* (a function of the copy) gives; RuntimeError unless it fits there."""
    changed = np.array(self, order="C")
    place = part(changed)
    if place.shape != np.shape(src):
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(np.shape(src))}, slice size = {list(place.shape)}")
    place[...] = src
    return changed


@operation("select_scatter", self=lambda grad, src_sym_sizes, dim, index:
           select_scatter(grad, zeros_of(grad, src_sym_sizes), dim, index),
           src=lambda grad, dim, index: select(grad, dim, index))  # fmt: skip
def select_scatter(self, src, dim, index):
    """A copy with *src* in place of element *index* along *dim*.

    RuntimeError unless *src* has the shape of that part, IndexError for one that is not there.

    >>> import autograd_nb as torch
    >>> torch.zeros(2, 2).select_scatter(torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return with_source(self, lambda array: select(array, dim, index), src)


@operation("slice_scatter", self=lambda grad, src_sym_sizes, dim, start, end, step:
           slice_scatter(grad, zeros_of(grad, src_sym_sizes), dim, start, end, step),
           src=lambda grad, dim, start, end, step: slice(grad, dim, start, end, step))  # fmt: skip
def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
    """A copy with *src* in place of the elements *start* to *end* along *dim*, *step* apart.

    RuntimeError unless *src* has the shape of that part.

    >>> import autograd_nb as torch
    >>> torch.zeros(4).slice_scatter(torch.ones(2), start=1, end=3)
    tensor([0., 1., 1., 0.])
    """
    if not np.ndim(self):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    return with_source(self, lambda array: slice(array, dim, start, end, step), src)


@operation("diagonal_scatter", self=lambda grad, src_sym_sizes, offset, dim1, dim2:
           diagonal_scatter(grad, zeros_of(grad, src_sym_sizes), offset, dim1, dim2),
           src=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))  # fmt: skip
def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
    """A copy with *src* in place of a diagonal of dimensions *dim1* and *dim2*.

    RuntimeError unless *src* has the shape of that part.

    >>> import autograd_nb as torch
    >>> torch.zeros(2, 2).diagonal_scatter(torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return with_source(self, lambda array: diagonal(array, offset, dim1, dim2), src)
