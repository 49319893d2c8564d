"""A gradient that broadcasting sums equals the result of ``sum`` to the last bit; comparisons by hand rely on it."""

import pytest

import autograd_nb


@pytest.mark.parametrize("rows, columns", [(8, 5), (32, 27), (32, 32), (2, 9), (31, 31)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gradient_is_summed_as_sum_does_it_and_as_pytorchs_are(rows, columns, dtype, live):
    for torch in (autograd_nb, live):
        torch.manual_seed(rows)
        grad = torch.randn(rows, columns).to(getattr(torch, dtype))
        for shape, dim, keepdim in (((columns,), 0, False), ((1, columns), 0, True), ((rows, 1), 1, True)):
            term = torch.zeros(shape, dtype=grad.dtype, requires_grad=True)
            (term + torch.zeros_like(grad)).backward(grad)
            assert torch.equal(term.grad, grad.sum(dim, keepdim)), (torch.__name__, shape)
