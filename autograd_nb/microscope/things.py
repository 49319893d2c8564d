"""Reads that are the same for both libraries: a tensor's grad_fn, whether it is a leaf, a node's saved tensors."""

from functools import lru_cache
from typing import NamedTuple

PLAIN = (bool, int, float, str, tuple, list, type(None))  # types of the nodes' constants that are kept


def grad_fn_of(tensor):
    """The grad_fn of a tensor of either library; None for a view whose history was lost by a change to its base."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_leaf_tensor(tensor):
    """Whether a tensor of either library is a leaf; a view whose history was lost by a change to its base is none."""
    try:
        return tensor.is_leaf
    except RuntimeError:
        return False


def dtype_name(tensor):
    return name_of_dtype(tensor.dtype)


@lru_cache
def name_of_dtype(dtype):
    return str(dtype).removeprefix("torch.")


class Saved(NamedTuple):
    name: str
    tensor: object  # None for the node's own result, and for a number
    values: object  # the elements or the number; None if a pack hook took them
    version: int = 0  # of the tensor now
    expected: int = 0  # when it was saved
    packed: bool = False

    @property
    def is_modified(self):
        return self.version != self.expected
