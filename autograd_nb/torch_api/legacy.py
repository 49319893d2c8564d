"""PyTorch's oldest names: ``Tensor(...)`` as a constructor, and one for each dtype, as ``torch.FloatTensor``."""

import numpy as np

from ..engine import dtypes
from ..engine.call import apply
from ..engine.dtypes import Size
from ..engine.table import Row, functions, methods
from ..engine.tensor import Tensor
from .arguments import length_of, made, size_tuple
from .nested import array_of, is_sequence

ALIAS = Row("alias", lambda self: self[...], {"self": lambda grad: grad}, ("self",), ("self",), view=True)


def elements(dtype, args):
    """What the old constructors make of their arguments: a shape's worth of memory, or a copy of data, in *dtype*."""
    if not args:
        return np.empty(0, dtype.numpy)
    data = args[0]
    if isinstance(data, Size) or length_of(data) is not None:
        return np.empty(size_tuple("new", data if isinstance(data, Size) else args, None), dtype.numpy)
    if not is_sequence(data):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return array_of(data, dtype)


def fill(self, *args):
    """Give an empty tensor the elements and the place in the graph that ``Tensor(...)`` gives to what it makes."""
    if len(args) == 1 and isinstance(args[0], Tensor):
        source = apply(ALIAS, args)
        self._view = source._view
    else:
        source = made(elements(dtypes.get_default_dtype(), args))
    self._array, self._dtype, self._node = source._array, source._dtype, source._node
    self._counter, self._inference = source._counter, source._inference


methods["_fill"] = fill


def typed(dtype):
    return lambda *args: made(elements(dtype, args))


TYPES = {f"{dtype.legacy_name}Tensor": dtype for dtype in dtypes.ALL}
functions.update({name: typed(dtype) for name, dtype in TYPES.items()})
