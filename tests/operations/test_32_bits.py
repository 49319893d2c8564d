"""Where NumPy counts in 32 bits, as in a browser, indices are int64 as everywhere else."""

import house

# NumPy's functions that count give np.intp; here they give what np.intp is on such a platform
PROGRAM = """
import numpy as np

def in_32_bits(function):
    def counted(*args, **options):
        found = function(*args, **options)
        return tuple(map(np.int32, found)) if isinstance(found, tuple) else np.int32(found)
    return counted

for name in ("argmax", "argmin", "argsort", "argwhere", "nonzero"):
    setattr(np, name, in_32_bits(getattr(np, name)))
plain_arange = np.arange
np.arange = lambda *args, **options: plain_arange(*args, **options) if len(args) > 3 or options else (
    np.int32(plain_arange(*args)))

import autograd_nb as torch

x = torch.tensor([[3., 1., 2.], [6., 5., 4.]])
found = [x.argmax(), x.argmax(1), x.argmin(), x.argmin(0, keepdim=True), x[0, 0].argmax(), x.max(1).indices,
         x.min(0, keepdim=True).indices, x.median(1).indices, x.sort().indices, x.argsort(descending=True),
         x.topk(2).indices, x.nonzero(), *x.nonzero(as_tuple=True), *torch.where(x > 2), torch.randperm(3)]
assert {each.dtype for each in found} == {torch.int64}, found
assert {each._array.dtype.name for each in found} == {"int64"}, [each._array.dtype for each in found]
assert torch.arange(2**31, 2**31 + 3).tolist() == [2**31, 2**31 + 1, 2**31 + 2]
x.requires_grad_()
(x.max(1).values.sum() + x.median(0).values.sum() + x.sort().values[0, 0]).backward()
print(x.grad.tolist())
"""


def test_indices_are_int64_where_numpy_counts_in_32_bits():
    assert house.run("-c", PROGRAM) == "[[2.0, 2.0, 1.0], [1.0, 0.0, 0.0]]\n"
