"""why never fails, whatever it looks at: runs every detector and reader on every kind of unreadable tensor."""

import sys
import warnings

import pytest

from autograd_nb import draw, record, why
from autograd_nb.microscope.readings import value_of
from autograd_nb.why import evidence_of, nodes
from autograd_nb.why.answers import in_sight, is_trained
from autograd_nb.why.asked import Case, Whole
from autograd_nb.why.reasons import DETECTORS, ROWS, first_fitting, sentences

torch = pytest.importorskip("torch")


def sparse():
    layer = torch.nn.Embedding(5, 2, sparse=True)
    (layer(torch.tensor([1, 2])).sum() / 2).backward()
    return layer.weight


def meta():
    layer = torch.nn.Linear(3, 2, device="meta")
    layer(torch.ones(1, 3, device="meta")).sum().backward()
    return layer.weight


def wrapped():
    from torch.testing._internal.two_tensor import TwoTensor

    pair = TwoTensor(torch.ones(2, 2), torch.ones(2, 2)).requires_grad_()
    (pair * 2).sum().backward()
    return pair


def nested():
    w = torch.ones(5, requires_grad=True)
    jagged = torch.nested.nested_tensor([torch.ones(2, 5), torch.ones(3, 5)], layout=torch.jagged)
    (jagged * w).values().sum().backward()
    return w


def quantised():
    w = torch.ones(4, requires_grad=True)
    whole = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.quint8)
    (w * whole.dequantize()).sum().backward()
    return w


def one_number():
    layer = torch.nn.Linear(2, 1)
    for _ in range(2):
        (layer(torch.ones(2)) / 2).backward()
    return layer.weight


KINDS = [sparse, meta, wrapped, nested, quantised, one_number]


def recorded(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with record() as trace:
            tensor = make()
    return tensor, trace


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("with_trace", [True, False])
def test_no_detector_fails(make, with_trace):
    tensor, trace = recorded(make)
    evidence = evidence_of(sys._getframe(), trace if with_trace else None)
    things = [("tensor", tensor), *in_sight(evidence)]
    cases = [Case(each, name, evidence) for name, each in things if not is_trained(each)]
    cases += [Whole(None, "", evidence)]
    for case in cases:
        for row in ROWS[:-2]:
            if case.about in row.about and (found := DETECTORS[row.finds](case, **row.given)):
                assert sentences(case, row, found) or not row.words


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_question_has_an_answer_and_every_picture_is_drawn(make):
    tensor, trace = recorded(make)
    for answer in why(tensor, trace), why(tensor), why(trace=trace), why():
        assert answer and "found nothing" not in answer
    assert draw(trace)


@pytest.mark.parametrize("read", ["magnitude", "largest", "bad_kind", "is_all_zero", "has_zero"])
def test_no_reader_fails_on_what_cannot_be_read(read):
    quantised = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.quint8)
    jagged = torch.nested.nested_tensor([torch.ones(2, 5), torch.ones(3, 5)], layout=torch.jagged)
    for each in torch.ones(3).to_sparse(), torch.ones(3, device="meta"), quantised, jagged:
        value = value_of(each)
        assert not value.is_readable
        getattr(nodes, read)(value)


def test_a_detector_that_fails_is_no_reason(monkeypatch):
    def fails(case, **given):
        raise ZeroDivisionError

    w = torch.ones(2, requires_grad=True)
    evidence = evidence_of(sys._getframe())
    for name in {row.finds for row in ROWS} - {"always"}:
        monkeypatch.setitem(DETECTORS, name, fails)
    assert first_fitting(Case(w, "w", evidence))[1].startswith("w.grad is None")
    monkeypatch.setitem(DETECTORS, "always", fails)
    assert "found nothing to say of w" in first_fitting(Case(w, "w", evidence))[1]
