"""Keywords of PyTorch's functions: each works, or a sentence says that we lack it; ``out=`` and ``input=`` agree."""

import inspect
import warnings
from pathlib import Path

import forks
import numpy as np
import programs
import pytest
import record_keywords
from house import anew, run
from rows import tensors
from samples import all_samples

import autograd_nb
from autograd_nb.torch_api import keywords


def test_the_recorded_keywords_are_those_that_pytorch_has_and_we_lack(live):
    assert Path(keywords.KEYWORDS).read_text(encoding="utf-8") == record_keywords.text(), anew("keywords")


def test_each_keyword_that_pytorch_has_is_answered_or_told(live):
    """Python says which keywords it does not know before it looks at anything else of a call."""
    answered = told = 0
    for path, function, words in record_keywords.functions():
        for word in words if ".set_" not in path else ():
            try:
                function(**{word: NotImplemented})
            except NotImplementedError as error:
                assert str(error).startswith(f"{path.rpartition('.')[2]}() has no {word} in autograd_nb"), (path, word)
                told += 1
            except Exception as error:
                assert "unexpected keyword" not in str(error), (path, word)
                answered += 1
            else:
                answered += 1
    assert answered > 1300 and told > 100


def test_what_is_given_by_position_has_the_place_that_it_has_in_pytorch(live):
    for path, function, words in record_keywords.functions():
        if path.split(".")[1] in ("nn", "optim", "autograd") and words.keys() and path not in record_keywords.NOT_REAL:
            call = function.__init__ if inspect.isclass(function) else function
            mine = inspect.signature(call).parameters.values()
            named = [each.name for each in mine if each.kind is each.POSITIONAL_OR_KEYWORD]
            named[: named[:1] == ["self"]] = ["input"] if path.endswith(".linear") else []
            assert named == [*words][: len(named)], (path, named, [*words])


@pytest.mark.parametrize("call", [
    "nn.MSELoss(size_average=None, reduce=None)", "nn.CrossEntropyLoss(label_smoothing=0.0)",
    "torch.zeros(2, pin_memory=False)", "torch.add(x, x, out=None)",
    "torch.autograd.grad(x.sum(), x, is_grads_batched=False)",
])  # fmt: skip
def test_the_default_of_a_keyword_may_be_given(call):
    eval(call, {"torch": autograd_nb, "nn": autograd_nb.nn, "x": autograd_nb.ones(2, requires_grad=True)})


@pytest.mark.parametrize("size_average", [None, True, False])
@pytest.mark.parametrize("reduce", [None, True, False])
def test_a_loss_takes_the_reductions_of_old_programs(size_average, reduce, live):
    shown = []
    for torch in (autograd_nb, live):
        x, y, old = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3), {"size_average": size_average, "reduce": reduce}
        labels = torch.tensor([0, 2])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = [torch.nn.MSELoss(**old)(x, y), torch.nn.functional.l1_loss(x, y, **old),
                       torch.nn.CrossEntropyLoss(reduction="sum", **old)(x, labels),
                       torch.nn.functional.nll_loss(x, labels, **old)]  # fmt: skip
        shown.append((repr(results), [str(each.message) for each in caught]))
    assert shown[0] == shown[1]


SAMPLES = {name: all_samples()[name] for name in all_samples() if "out" in keywords.lacking(f"torch.{name}")}


@pytest.mark.filterwarnings("ignore")  # of degrees of freedom
@pytest.mark.parametrize("name", SAMPLES)
def test_a_result_is_written_into_out(name, live):
    for sample in SAMPLES[name]:
        kinds = []
        for torch in (autograd_nb, live):
            args, kwargs = (tensors(torch, each, "float32", False) for each in (sample.args, sample.kwargs))
            call = getattr(torch, name)
            if isinstance(expected := call(*args, **kwargs), torch.Tensor):
                out = torch.empty(0, dtype=expected.dtype)
                try:
                    assert call(*args, **kwargs, out=out) is out
                except TypeError:  # PyTorch has no out= for some forms of a call
                    assert torch is live
                    continue
                np.testing.assert_array_equal(out.numpy(), expected.numpy())
                kinds.append((out.dtype.itemsize, tuple(out.shape), out.requires_grad))
        assert len(kinds) < 2 or kinds[0] == kinds[1], sample


PROGRAMS = """
torch.add(g, x, out=e)
torch.add(x, x, out=g)
torch.cat([g, x], out=e)
torch.add(x, x, out=s), s._version
torch.add(x, x, out=x), x._version
torch.add(x, x, out=whole), torch.exp(x, out=whole), torch.sum(x, 0, out=whole)
torch.eq(x, x, out=x), torch.add(x, x, out=d)
torch.zeros(3, out=whole), torch.arange(3.0, out=whole), torch.linspace(0, 1, 3, out=d)
torch.add(x, x, out=torch.zeros(1).expand(3))
torch.matmul(input=m, other=m, out=e)
torch.clamp(x, None, 1.0, out=e), torch.exp(x, out=None), torch.mul(input=x, other=x), torch.mul(x, x2=x)
torch.exp(input=x), torch.sigmoid(x=x), torch.nn.functional.tanh(input=x), torch.mul(x1=x, x2=x)
torch.split(tensor=x, split_size_or_sections=2), m.swapaxes_(axis0=0, axis1=1), torch.linalg.det(A=m)
torch.linalg.norm(input=x), x.copy_(other=m[0]), torch.result_type(tensor=x, other=2)
multiply_without_grad()
saved_and_written()
""".strip().splitlines()
SETUP = """
x, m, e, s, d = torch.arange(3.0), torch.eye(3), torch.empty(0), torch.zeros(2), torch.zeros(3, dtype=torch.float64)
g, whole = torch.ones(3, requires_grad=True), torch.zeros(3, dtype=torch.int64)
def multiply_without_grad():
    with torch.no_grad():
        return torch.mul(g, 3, out=g) is g, g, g._version
def saved_and_written():
    p = g * 1
    y = (p * p).sum()
    torch.add(x, x, out=p.detach())
    y.backward()
"""


@pytest.mark.parametrize("code", PROGRAMS)
def test_out_and_input_do_what_they_do_in_pytorch(code, live):
    assert programs.told(autograd_nb, code, SETUP) == programs.told(live, code, SETUP)


@pytest.mark.parametrize("call", ["torch.sum(x, dim=0, axis=0)", "torch.sum(x, 0, axis=0)", "torch.exp(x, input=x)",
                                  "torch.exp(x, foo=1)", "x.sum(foo=1)", "torch.exp()", "torch.exp(x, x)"])  # fmt: skip
def test_an_argument_given_twice_and_one_that_nobody_knows_are_refused(call, live):
    for torch in (autograd_nb, live):
        with pytest.raises(TypeError):
            eval(call, {"torch": torch, "x": torch.ones(2)})


@pytest.mark.parametrize("name", ["exp", "relu", "sigmoid", "cat"])
def test_what_is_not_given_is_missing_and_not_none(name, live):
    for torch in (autograd_nb, live):
        with pytest.raises(TypeError, match=rf"{name}\(\) missing 1 required positional argument"):
            getattr(torch, name)()


def test_out_of_several_tensors_is_told():
    x = autograd_nb.ones(2, 2)
    for out in ((x, x), x[0]):
        with pytest.raises(NotImplementedError, match=r"max\(\) has no out of several tensors in autograd_nb"):
            autograd_nb.max(x, 0, out=out)


OLD_FORMS = """
import warnings, torch
x, y = torch.ones(2), torch.full((2,), 3.0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(FIRST, x.sub_(0.5, y), torch.sub(x, 2, y), x.addcmul_(3, y, y), x.addcdiv_(-2, y, y), x.add(2, 3))
print(*[str(each.message).partition(" (Triggered")[0] for each in caught])
"""


@pytest.mark.parametrize("first", ["x.add_(2, y)", "x.sub(2, y)", "x.addcdiv_(0.5, y, y)"])
def test_the_weight_may_come_second_as_in_old_programs(first, live):
    program = OLD_FORMS.replace("FIRST", first)
    expected = forks.python("-c", program).stdout
    ours = run("-c", f"import autograd_nb\nwith autograd_nb.as_torch():\n    exec({program!r})")
    assert expected and ours == expected
