"""Where a view's elements lie in the storage of its base.

This is what PyTorch's CopySlices and AsStridedBackward0 remember of a view: not the operations that led to it but which
elements of the base it shows.
"""

import numpy as np

from .tensor import ndarray


class Geometry:
    """Which elements of a base a view shows, from the two arrays; reckoned when first asked for.

    *cut* is that of the view, which may know how to index the base.  *lay* puts a gradient of the base's shape in
    storage of its own and gives the view's part of it, to be read or written.
    """

    __slots__ = ("base", "part", "index", "known")

    def __init__(self, base, part, cut=None):
        self.base = base
        self.part = part
        self.index = cut[1] if cut is not None and cut[0] is base and cut[2] is part else None
        self.known = None

    def _reckoned(self):
        if self.known is None:
            base, part, itemsize = self.base, self.part, self.base.itemsize
            offset = (address(part) - address(base)) // itemsize
            strides = tuple(s // itemsize for s in part.strides)
            lowest = min(0, offset)
            highest = max(extent(base), offset + extent(part))
            base_strides = tuple(s // itemsize for s in base.strides)
            self.known = (base.shape, base_strides, -lowest), (part.shape, strides, offset - lowest), highest - lowest
            self.base = self.part = None  # the storage itself need not live as long as the graph
        return self.known

    @property
    def shape(self):
        """The base's shape."""
        return self._reckoned()[0][0]

    def lay(self, grad=None, dtype=None):
        """``(whole, part)`` sharing fresh storage; *whole* holds *grad*, or zeros of *dtype*."""
        base, part = self.base, self.part
        if base is not None is not grad and base.flags.contiguous and base.dtype is grad.dtype:
            whole = np.array(grad, order="C")  # lies as the base does, which saves reckoning in elements
            if self.index is not None:
                return whole, whole[self.index]
            try:
                return whole, ndarray(part.shape, part.dtype, whole, address(part) - address(base), part.strides)
            except (TypeError, ValueError):
                pass  # the view reaches beyond the base
        base, part, length = self._reckoned()
        storage = np.zeros(length, grad.dtype if dtype is None else dtype)
        whole = strided(storage, *base)
        if grad is not None:
            whole[...] = grad
        return whole, strided(storage, *part)

    def overlaps(self):
        """Whether the view shows some element more than once."""
        return overlapping(*self._reckoned()[1][:2])

    def shares(self):
        """How often the base itself shows each element of storage, at least 1; None when that is once at most."""
        base, _, length = self._reckoned()
        if not overlapping(*base[:2]):
            return None
        return np.maximum(np.bincount(strided(np.arange(length), *base).reshape(-1), minlength=length), 1)


def overlapping(shape, strides):
    """Whether an array of these strides has elements at the same place, as far as PyTorch's sorting of strides sees."""
    reach = 0
    for stride, length in sorted(zip(strides, shape, strict=True)):
        if length > 1:
            if stride <= reach:
                return True
            reach += stride * (length - 1)
    return False


def address(array):
    return array.__array_interface__["data"][0]


def extent(array):
    """The number of elements of storage from the array's first to its last."""
    return 1 + sum(s // array.itemsize * max(0, n - 1) for s, n in zip(array.strides, array.shape, strict=True))


def strided(storage, shape, strides, offset):
    """An array over flat *storage*, strides and offset counted in elements."""
    itemsize = storage.itemsize
    return ndarray(shape, storage.dtype, storage, offset * itemsize, tuple(s * itemsize for s in strides))
