"""A copy in another dtype, through which gradients flow back in the old one."""

from ..engine.dispatch import operation
from ..torch_api.nested import cast


@operation("_to_copy", method=False, node_name="ToCopyBackward0",
           self=lambda grad, dtype, self_dtype: _to_copy(grad, self_dtype, dtype))  # fmt: skip
def _to_copy(self, dtype, self_dtype):
    """A copy in *dtype* of a tensor of *self_dtype*: what ``x.to(dtype)`` and ``x.double()`` run if it differs.

    >>> import autograd_nb as torch
    >>> torch.tensor([1.5], requires_grad=True).double()
    tensor([1.5000], dtype=torch.float64, grad_fn=<ToCopyBackward0>)
    """
    return cast(self, dtype, copy=True)
