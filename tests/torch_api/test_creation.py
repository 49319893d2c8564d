"""New tensors share memory and have dtypes as PyTorch's do."""

import numpy as np
import pytest
from rows import assert_close

import autograd_nb as torch


def test_tensor_copies_and_from_numpy_shares():
    array = np.zeros(3)
    copied, shared, seen = torch.tensor(array), torch.from_numpy(array), torch.as_tensor(array)
    array[0] = 7
    assert copied[0] == 0 and shared[0] == 7 and seen[0] == 7
    shared[1] = 5.0
    assert array[1] == 5
    assert shared._version == 1


def test_tensors_made_in_inference_mode_are_inference_tensors():
    with torch.inference_mode():
        made = [torch.tensor(1.0), torch.ones(2), torch.rand(2), torch.arange(3), torch.from_numpy(np.ones(2))]
    assert all(each.is_inference() for each in made)


def test_another_device_is_refused():
    with pytest.raises(RuntimeError, match="device 'meta' is not available: autograd_nb computes on the CPU only"):
        torch.zeros(2, device="meta")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranges_are_live_pytorchs_to_the_last_places(dtype, live):
    """PyTorch's own last digit depends on the width of the processor's vectors from 16 elements on."""
    numbers = np.random.default_rng(0)
    for _ in range(200):
        start, end = numbers.uniform(-50, 50, 2)
        count = int(numbers.integers(0, 40))
        for name, arguments in ("linspace", (start, end, count)), ("arange", (start, start + 30, 0.7)):
            ours, theirs = (getattr(each, name)(*arguments, dtype=getattr(each, dtype)) for each in (torch, live))
            assert ours.shape == theirs.shape
            assert_close(ours.numpy(), theirs.numpy(), 2, of_largest=True)


@pytest.mark.parametrize("made", ["FloatTensor", "LongTensor", "BoolTensor"])
@pytest.mark.parametrize("given", ["float32", "int64", "bool"])
def test_an_old_constructor_of_one_dtype_takes_a_tensor_as_live_pytorchs(made, given, live):
    def outcome(library):
        source = library.ones(2, dtype=getattr(library, given), requires_grad=given == "float32")
        try:
            result = getattr(library, made)(source)
        except TypeError:
            return TypeError
        result.detach()[0] = 0
        return result.tolist(), source.tolist(), result.grad_fn and result.grad_fn.name()

    assert outcome(torch) == outcome(live)
