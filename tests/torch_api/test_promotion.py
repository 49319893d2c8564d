"""The dtype of a result, for operands of every two dtypes and ranks."""

import pytest

import autograd_nb

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
NUMBERS = [True, 2, 0.5]


def dtypes_of_sums(torch, name):
    """The dtypes of sums of this dtype, with and without dimensions, with every other and with Python numbers."""
    found = []
    for shape in ((), (2,)):
        first = torch.ones(shape, dtype=getattr(torch, name))
        others = [torch.ones(each, dtype=getattr(torch, other)) for each in ((), (2,)) for other in NAMES]
        found += [str((first + other).dtype) for other in (*others, *NUMBERS)]
        found += [str(torch.stack([first, first * other]).dtype) for other in NUMBERS[1:]]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_sum_has_pytorchs_dtype(torch, name):
    assert dtypes_of_sums(autograd_nb, name) == dtypes_of_sums(torch, name)
