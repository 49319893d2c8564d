"""Random numbers are PyTorch's: every draw and the state after it, against live PyTorch and against recorded values."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_nb.engine import dtypes
from autograd_nb.engine.tensor import wrap
from autograd_nb.torch_api import random
from autograd_nb.torch_api.random_streams import bernoulli, integers, normal, permutation, uniform

FLOATING = ["float16", "float32", "float64"]
INTEGER = ["uint8", "int8", "int16", "int32", "int64"]
SIZES = [0, 1, 2, 3, 15, 16, 17, 31, 32, 40, 1000, 8192, 8200]


def state_bytes():
    return random.get_rng_state()._array.tobytes()


def assert_in_step(torch, expected, got):
    """Equal to the bit in value, dtype and shape, and both generators' states equal byte for byte."""
    expected = expected.numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got, expected, strict=True)
    assert state_bytes() == torch.get_rng_state().numpy().tobytes()


def seed_both(torch, seed):
    torch.manual_seed(seed)
    random.manual_seed(seed)


# ---- recorded from PyTorch 2.13, for machines without it -------------------------------------------------------------


def test_a_sequence_of_draws_gives_the_recorded_values_and_state():
    random.manual_seed(2024)
    assert uniform((2,)).tolist() == [0.5317158699035645, 0.8312679529190063]
    assert normal((3,)).tolist() == [0.13970451056957245, -0.8927909135818481, -0.38572749495506287]
    assert integers((3,), 0, 1000).tolist() == [577, 444, 611]
    assert permutation(6).tolist() == [4, 1, 2, 3, 0, 5]
    assert normal((1,), np.float64).tolist() == [-2.017897429578197]
    assert normal((17,))[-2:].tolist() == [-0.9224638342857361, -0.9809549450874329]
    assert bernoulli(0.4, (6,)).tolist() == [0.0] * 6
    assert integers((2,), 0, 2**40).tolist() == [997458853301, 405606926221]
    assert normal((20,), np.float16)[3:6].tolist() == [0.098388671875, -0.369384765625, -1.154296875]
    assert uniform((2,), np.float64).tolist() == [0.7150325853767102, 0.2246129763111837]
    digest = "86998407602cd40a4d3ce16456620eac457770273edfdb45e21fe8bc78178de9"
    assert hashlib.sha256(state_bytes()).hexdigest() == digest


@pytest.mark.parametrize("low, high", [(0, 10), (-5, 100), (0, 2**28 - 1), (0, 2**28), (-(2**31), 2**31 - 1),
                                       (-(2**40), 2**41), (-(2**63), 2**63 - 1), (2**62, 2**63 - 1)])
@pytest.mark.parametrize("dtype", [*INTEGER, "bool"])
def test_randint_of_every_range_and_dtype_or_pytorchs_refusal(torch, low, high, dtype):
    seed_both(torch, 6)
    try:
        expected = torch.randint(low, high, (4, 5), dtype=getattr(torch, dtype))
    except RuntimeError as error:
        with pytest.raises(RuntimeError) as raised:
            integers((4, 5), low, high, np.dtype(dtype))
        assert str(raised.value) == str(error)
    else:
        assert_in_step(torch, expected, integers((4, 5), low, high, np.dtype(dtype)))


CALLS = {
    "rand": (lambda t, n, d: t.rand(n, dtype=getattr(t, d)), lambda n, d: uniform((n,), np.dtype(d))),
    "randn": (lambda t, n, d: t.randn(n, dtype=getattr(t, d)), lambda n, d: normal((n,), np.dtype(d))),
    "randint": (lambda t, n, d: t.randint(-7, 90, (n,)), lambda n, d: integers((n,), -7, 90)),
    "wide": (lambda t, n, d: t.randint(0, 2**50, (n,)), lambda n, d: integers((n,), 0, 2**50)),
    "randperm": (lambda t, n, d: t.randperm(n), lambda n, d: permutation(n)),
    "bernoulli": (lambda t, n, d: t.empty(n).bernoulli_(0.6), lambda n, d: bernoulli(0.6, (n,))),
}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(-(2**63), 2**64 - 1),
       program=st.lists(st.tuples(st.sampled_from(sorted(CALLS)), st.sampled_from([*SIZES, 700]),
                                  st.sampled_from(FLOATING)), max_size=8))
def test_any_mix_of_calls_stays_in_step(torch, seed, program):
    seed_both(torch, seed)
    for name, size, dtype in program:
        theirs, ours = CALLS[name]
        assert_in_step(torch, theirs(torch, size, dtype), ours(size, dtype))


@pytest.mark.parametrize("seed", [0, 1, -1, 2**32, 2**32 + 5, 2**64 - 1, -(2**63), True, 3.7, "12", np.int64(4)])
def test_manual_seed_takes_what_int_takes_and_wraps(torch, seed):
    assert random.manual_seed(seed).initial_seed() == torch.manual_seed(seed).initial_seed()
    assert random.initial_seed() == torch.initial_seed()
    assert_in_step(torch, torch.rand(3), uniform((3,)))


@pytest.mark.parametrize("drawn", [0, 1, 623, 624, 625, 1248])
def test_states_travel_between_pytorch_and_here(torch, drawn):
    torch.manual_seed(1)
    torch.rand(drawn)
    if drawn % 2:
        torch.randn(3)
    bytes_of_theirs = torch.get_rng_state().numpy().copy()
    random.set_rng_state(wrap(bytes_of_theirs, dtypes.uint8))
    assert state_bytes() == bytes_of_theirs.tobytes()
    assert_in_step(torch, torch.randn(3), normal((3,)))
    torch.set_rng_state(torch.tensor(np.frombuffer(state_bytes(), np.uint8).copy()))
    assert_in_step(torch, torch.rand(700), uniform((700,)))


def test_a_generator_leaves_the_default_one_alone():
    random.manual_seed(0)
    before = state_bytes()
    assert uniform((2,), generator=random.Generator().manual_seed(0)).tolist() == uniform((2,)).tolist()
    assert state_bytes() != before
