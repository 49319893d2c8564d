"""``torch.linalg``: what the table has of linear algebra, under PyTorch's names.

>>> import autograd_nb as torch
>>> torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))
tensor(6.)
"""

from ..engine.table import ops
from ..operations.linear_algebra import LinAlgError, det, inv, matrix_norm, norm, solve
from ..operations.linear_algebra import linalg_cross as cross
from .absent import absent_from

vector_norm = ops.vector_norm

__all__ = ["LinAlgError", "cross", "det", "inv", "matrix_norm", "norm", "solve", "vector_norm"]
__getattr__ = absent_from("torch.linalg")
