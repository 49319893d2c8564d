"""Every row in inference mode, on tensors from outside: which results are inference tensors, which are normal ones."""

import warnings

import pytest
from rows import leaves, ours, outputs, tensors, theirs
from samples import all_samples

import autograd_nb
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = {name: samples for name, samples in all_samples().items() if samples}


def kinds(library, call, sample):
    """For each result: whether it is an inference tensor, requires grad, and is one of the inputs."""
    args, kwargs = tensors(library, sample.args, "float64"), tensors(library, sample.kwargs, "float64")
    with warnings.catch_warnings(), library.inference_mode():
        warnings.simplefilter("ignore")
        results = [each for each in outputs(call(*args, **kwargs)) if hasattr(each, "grad_fn")]
    given = leaves([*args, *kwargs.values()])
    return [(each.is_inference(), each.requires_grad, any(each is other for other in given)) for each in results]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_row_gives_inference_tensors_where_torchs_does(name, torch):
    for sample in SAMPLES[name]:
        assert kinds(autograd_nb, ours(name), sample) == kinds(torch, theirs(torch, name), sample), sample


def test_a_view_made_in_inference_mode_can_be_used_as_any_other():
    base = autograd_nb.ones(3)
    with autograd_nb.inference_mode():
        part = base[:2]
    part.mul_(2)
    x = autograd_nb.ones(2, requires_grad=True)
    (x * part).sum().backward()
    assert x.grad.tolist() == [2, 2] and base.tolist() == [2, 2, 1] and part._version == 1
