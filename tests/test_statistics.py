"""Errors of quantiles, counts and distances, what of them has no second derivative, how reductions lie: as PyTorch."""

import pytest

import autograd_nb


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


PROGRAMS = """
torch.quantile(torch.ones(3), 2.)
torch.quantile(torch.ones(3), torch.tensor([0.5, 2.]))
torch.quantile(torch.ones(3), torch.tensor(0.5, dtype=torch.float64))
torch.quantile(torch.ones(3), torch.ones(1, 1))
torch.quantile(torch.ones(3).long(), 0.5)
torch.quantile(torch.ones(0), 0.5)
torch.quantile(torch.ones(3), 0.5, interpolation="foo")
torch.nanquantile(torch.ones(3), -1.)
torch.quantile(torch.arange(12.).reshape(3, 4), torch.tensor([0.2, 0.7]))
torch.quantile(torch.arange(12.).reshape(3, 4), torch.tensor([0.2, 0.7]), 0)
torch.quantile(torch.arange(12.).reshape(3, 4), torch.tensor([0.2, 0.7]), 0, True)
torch.quantile(torch.arange(12.).reshape(3, 4), torch.tensor([0.2, 0.7]), 1, True)
torch.nanquantile(torch.tensor([[1., float("nan"), 2.], [0., 4., 9.]]), torch.tensor([0., 0.5, 1.]), 1)
torch.nanmean(torch.ones(3).long())
torch.diff(torch.tensor(1.))
torch.diff(torch.ones(3), -1)
torch.diff(torch.ones(3), 0)
torch.cov(torch.ones(2, 2, 2))
torch.cov(torch.ones(2) > 0)
torch.corrcoef(torch.ones(2, 2, 2))
torch.bincount(torch.tensor([-1]))
torch.bincount(torch.ones(2))
torch.bincount(torch.tensor([0, 1, 1]), torch.tensor([0.5, 1., 2.]))
torch.histc(torch.tensor([1., 2., 2., 5.]), 4)
torch.histc(torch.tensor([1., 2., 2., 5.]), 3, 0, 3)
torch.histc(torch.tensor([1., 1.]), 3)
torch.histc(torch.ones(2), 0)
torch.searchsorted(torch.ones(2, 3), torch.ones(3, 2))
torch.bucketize(torch.ones(2), torch.ones(2, 2))
torch.isin(3, torch.tensor([1, 3]))
torch.cdist(torch.ones(2, 3), torch.ones(2, 2))
torch.cdist(torch.ones(3), torch.ones(2, 3))
torch.cdist(torch.ones(2, 3).long(), torch.ones(2, 3))
torch.cdist(torch.ones(2, 3), torch.ones(2, 3), -1.)
torch.cdist(torch.ones(2, 1, 3, 2), torch.zeros(4, 5, 2)).shape
torch.renorm(torch.ones(2, 3), 2, 0, -1.)
torch.renorm(torch.ones(2, 3), 0, 0, 1.)
torch.renorm(torch.ones(3), 2, 0, 1.)
torch.mode(torch.ones(2, 3), 2)
torch.mode(torch.tensor([[1, 2, 2], [3, 1, 3]]))
""".strip().splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_and_errors_are_torchs(torch, program):
    found = []
    for library in (autograd_nb, torch):
        try:
            found.append(repr(eval(program, {"torch": library})))
        except (RuntimeError, TypeError, IndexError, NotImplementedError) as error:
            found.append((type(error).__name__, str(error).partition("\n")[0]))
    assert found[0] == found[1]


def test_distances_have_no_second_derivative_in_torch_either(torch):
    for library in (autograd_nb, torch):
        x, y = library.ones(2, 3, requires_grad=True), library.zeros(4, 3)
        (grad,) = library.autograd.grad(library.cdist(x, y).sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="^the derivative for '_cdist_backward' is not implemented.$"):
            grad.sum().backward()


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "var", "std", "norm", "logsumexp"])
@pytest.mark.parametrize("dims", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_reduction_lies_in_rows_whatever_it_was_made_of(name, dims, torch):
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2)):
        for keepdim in (False, True):
            ours, theirs = (getattr(library.arange(24.0).reshape(2, 3, 4).permute(dims), name)(dim=dim, keepdim=keepdim)
                            for library in (autograd_nb, torch))  # fmt: skip
            assert ours.stride() == theirs.stride() and ours.view(-1).shape == theirs.view(-1).shape
