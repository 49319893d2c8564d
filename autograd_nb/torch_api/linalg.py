"""``torch.linalg``: the linear algebra of the table, under PyTorch's names.

>>> import autograd_nb as torch
>>> torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))
tensor(6.)
"""

from ..engine.table import ops
from ..operations.linear_algebra import LinAlgError
from ..operations.linear_algebra import linalg_norm as norm
from .keywords import stands_for

det, inv, solve, vector_norm = ops.linalg_det, ops.linalg_inv, ops.linalg_solve, ops.vector_norm

__all__ = ["LinAlgError", "det", "inv", "norm", "solve", "vector_norm"]
__getattr__ = stands_for("torch.linalg", globals())
