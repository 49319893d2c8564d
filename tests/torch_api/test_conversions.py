"""Conversions and questions: tensors answer as PyTorch's do."""

import copy

import numpy as np
import pytest

import autograd_nb as torch


@pytest.mark.parametrize("source", ["float16", "float32", "float64", "int64", "int32", "int8", "uint8", "bool"])
@pytest.mark.parametrize("target", ["float16", "float32", "float64", "int64", "int32", "int8", "uint8", "bool"])
def test_every_pair_of_dtypes_converts_as_in_live_pytorch(source, target, live):
    values = [0, 1, 2, 100, 0.3, 2.7, 65520.0, 1.00048828125] if source.startswith("float") else [0, 1, 2, 100]
    with np.errstate(over="ignore"):
        array = np.array(values).astype(source)
    if target == "int8" or target == "uint8":
        array = array[array < 128]  # a number that does not fit is undefined in PyTorch
    ours = torch.from_numpy(array).to(getattr(torch, target))
    theirs = live.from_numpy(array).to(getattr(live, target))
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy(), strict=True)


def test_deepcopy_of_a_leaf_copies_elements_gradient_and_attributes():
    x = torch.ones(2, requires_grad=True)
    x.note = ["mine"]
    (x * 3).sum().backward()
    twin = copy.deepcopy(x)
    twin.grad.zero_()
    twin.note.append("its")
    with torch.no_grad():
        twin.add_(1)
    assert (x.tolist(), x.grad.tolist(), x.note) == ([1.0, 1.0], [3.0, 3.0], ["mine"])
    assert (twin.is_leaf, twin.requires_grad) == (True, True)


def test_array_protocol_copies_when_asked():
    x = torch.ones(2)
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x, copy=True), x.numpy())
    assert np.asarray(x, np.float64).dtype == np.float64


OUTWARD = {
    "numpy": lambda x: x.numpy(), "of a detached one": lambda x: x.detach().numpy(), "asarray": np.asarray,
    "of data": lambda x: x.data.numpy(), "of a view": lambda x: x.view(6).numpy(),
    "force": lambda x: x.numpy(force=True),
}  # fmt: skip


@pytest.mark.parametrize("give", OUTWARD.values(), ids=OUTWARD)
def test_the_shape_and_the_flags_of_an_array_that_was_given_away_are_its_own(give):
    x = torch.arange(6.0)
    array = give(x)
    array.shape, array.dtype = (2, 3), np.int32
    array.flags.writeable = False
    assert x.shape == (6,) and x.dtype == torch.float32
    assert x.add_(1).sum() == 21 and np.shares_memory(array, x.numpy())


@pytest.mark.parametrize("take", [torch.from_numpy, torch.as_tensor])
def test_the_shape_and_the_flags_of_an_array_that_was_taken_do_not_reach_the_tensor(take):
    array = np.arange(3.0)
    x = take(array)
    array.shape = (3, 1)
    array.flags.writeable = False
    assert x.shape == (3,) and x.add_(1).tolist() == [1, 2, 3] and array.tolist() == [[1], [2], [3]]
