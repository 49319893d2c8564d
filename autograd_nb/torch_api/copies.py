"""Copies of tensors by Python's own means: ``copy.deepcopy`` and pickle.

Only leaves can be copied deeply.  A pickle keeps elements, dtype and whether gradients are wanted, and no graph.
"""

from copy import deepcopy

from ..engine import dtypes
from ..engine.table import methods
from ..engine.tensor import new

# what a tensor's __dict__ holds beside the user's attributes
STATE = ("_view", "_kept_grad", "_inactive", "_inference", "_detached")


def attributes(tensor):
    return {name: value for name, value in tensor.__dict__.items() if name not in STATE}


def rebuild(cls, array, dtype, requires_grad, given):
    """A leaf of class *cls* on these elements; what a pickled tensor is made by."""
    tensor = new(cls)
    tensor._array, tensor._dtype, tensor._node, tensor._counter = array, getattr(dtypes, dtype), None, None
    for name, value in given.items():
        setattr(tensor, name, value)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def __reduce_ex__(self, protocol):
    return rebuild, (self.__class__, self._array, self._dtype.name, self.requires_grad, attributes(self))


def __deepcopy__(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    twin = rebuild(self.__class__, self._array.copy(), self._dtype.name, self.requires_grad, {})
    twin._share().version = 1  # PyTorch puts the copied storage under an empty tensor
    memo[id(self)] = twin
    twin.__dict__.update(deepcopy(attributes(self), memo))
    twin.grad = deepcopy(self.grad, memo)
    return twin


methods.update(__reduce_ex__=__reduce_ex__, __deepcopy__=__deepcopy__)
