"""Every experiment of the sources gives PyTorch's recorded results on this engine."""

import numpy as np
import pytest
from comparison import differences
from experiments import NAMES, digest, recorded, run
from house import anew


def results(name):
    return {key: value for key, value in recorded()[name].items() if key != "sha256"}


@pytest.mark.parametrize("name", NAMES)
def test_our_engine_does_what_pytorch_did(name):
    assert differences(run(name), results(name)) == []


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", NAMES)
def test_pytorch_still_does_what_was_recorded(name):
    assert differences(run(name, "torch"), results(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_recording_is_of_the_program_as_it_stands(name):
    assert recorded()[name]["sha256"] == digest(name), anew("experiments")


def test_only_the_last_places_of_a_number_printed_in_full_may_differ():
    one_ulp_up = float(np.nextafter(np.float32(0.6), np.float32(1)))
    assert not differences(f"x {one_ulp_up}", f"x {float(np.float32(0.6))}")
    assert differences("x 0.6001", "x 0.6000")
    assert differences("x 0.6000001", "x 0.6000")
    assert differences("x 0.60001", "x 0.6000000238418579")
    assert differences("1 True", "2 True") and differences("a", "a\nb")
