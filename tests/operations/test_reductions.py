"""How results of reductions lie in memory: as PyTorch's do."""

import pytest

import autograd_nb


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "var", "std", "norm", "logsumexp"])
@pytest.mark.parametrize("dims", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_reduction_lies_in_rows_whatever_it_was_made_of(name, dims, torch):
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2)):
        for keepdim in (False, True):
            ours, theirs = (getattr(library.arange(24.0).reshape(2, 3, 4).permute(dims), name)(dim=dim, keepdim=keepdim)
                            for library in (autograd_nb, torch))  # fmt: skip
            assert ours.stride() == theirs.stride() and ours.view(-1).shape == theirs.view(-1).shape
