"""``torch.linalg``: what the table has of linear algebra, under PyTorch's names.

>>> import autograd_nb as torch
>>> torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))
tensor(6.)
"""

from ..engine.table import ops
from ..operations import decompositions, linear_algebra, matrices, spectra  # noqa: F401 these fill the table
from ..operations.linear_algebra import LinAlgError
from .absent import absent_from

_NAMES = (
    "cholesky cond cross det diagonal eigh eigvalsh inv lstsq matmul matrix_exp matrix_norm matrix_power matrix_rank "
    "multi_dot norm pinv qr slogdet solve solve_triangular svd svdvals vander vecdot"
).split()
vector_norm = ops.linalg_vector_norm_of
globals().update({name: getattr(ops, f"linalg_{name}") for name in _NAMES})

__all__ = ["LinAlgError", "vector_norm", *_NAMES]
__getattr__ = absent_from("torch.linalg")
