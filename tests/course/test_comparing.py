"""course.compare on the network of chapter 21, in both libraries: right lines, and sentences about wrong ones."""

import contextlib
import io
import re

import house
import pytest

import autograd_nb
from autograd_nb import course

LINES = course.ch21.LINES
SLIPS = """
dlogprobs = -dlogprobs
    every sign is the opposite
dlogprobs = dlogprobs * n
    32 times as large as it should be. Is a division by 32 missing
dprobs = dlogprobs
    the gradient of `logprobs`, passed on unchanged
dprobs = 1 / probs
    the slope of the step to `logprobs` alone
dinv_total = dprobs * counts
    Summed over dimension 1 it is right
dinv_total = (dprobs * counts).sum(1)
    the right numbers in shape (32,); it should have (32, 1)
dtotal = dinv_total * total**-2
    every sign is the opposite
dcounts = dprobs * inv_total
    only what comes through `probs`. Add what comes through `total`
dcounts = dtotal.expand_as(counts)
    only what comes through `total`. Add what comes through `probs`
dlogits = dcounts
    the gradient of `counts`, passed on unchanged
dlogits = probs / n
    Exactly one of the 27 elements of each row is wrong, by 0.03125
dlogits = (dcounts * counts) * n
    32 times as large
db2 = dlogits
    Summed over dimension 0 it is right: `b2` was used again
db2 = dlogits.sum(1)
    `db2` has shape (32,); it should have (27,)
dW2 = dlogits.t() @ h
    transposed: rows and columns
dh = dlogits
    This is the gradient of `logits`.
dpreact = dh * (1 - preact**2)
    of 512 elements are wrong. The largest difference: `dpreact[
dpreact = dh
    the gradient of `h`, passed on unchanged
dgain = dpreact * normed
    Summed over dimension 0 it is right: `gain`
dbias = dpreact.sum(0)
    the right numbers in shape (16,); it should have (1, 16)
dvar = dinv_std * (var + 1e-5) ** -1.5
    Every element is -2 times what it should be
dsquared = torch.ones_like(squared) * dvar
    Is a division by 32 missing
dsquared = dvar / n
    A sum gives its gradient to every element that it added
dsquared = torch.ones_like(squared) * dvar / (n - 1)
    by the ratio of 32 and 31
dcentred = dnormed * inv_std
    only what comes through `normed`. Add what comes through `squared`
dmean = -dcentred.mean(0, keepdim=True)
    32 times as small
dprebn = dcentred
    only what comes through `centred`. Add what comes through `mean`
dprebn = inv_std * gain / n * (n * dpreact - dpreact.sum(0))
    if the gradient of `centred` left out what comes through `squared`
demb = dflat
    the right numbers in shape (32, 12); it should have (32, 3, 4)
dC = torch.zeros_like(C).index_put_((x,), demb)
    Row 0 of `C` was read 33 times, and here it has the gradient of one reading only
dh = (dlogits @ W2.t()).double()
    its dtype is float64; it should be float32
dh = 0.5
    of type float; it should be a tensor of shape (32, 16)
dh = None
    of type NoneType
dh = dh * float("nan")
    512 elements that are NaN
dlogit = dlogits
    Do you mean `dlogits`?
dn = dlogits
    `dn` has no counterpart
dy = dlogits
    There is no tensor `y` here that requires grad
""".strip().split("\n")
SLIPS = [*zip(SLIPS[::2], map(str.strip, SLIPS[1::2]), strict=True)]


def network(library):
    """The names from chapter 21's cells up to backward(), and every gradient computed as in its solutions."""
    names = {"torch": library, "course": course}
    cells = [source for _, source in house.cells(house.chapter("21"), "code")]
    for source in cells[1 : 1 + next(at for at, each in enumerate(cells) if "retain_graph" in each)]:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(source, names)
    for name, line in LINES.items():
        names[name] = eval(line, names)
    return names


def compared(names, *lines):
    """The sentences about the gradients that these lines compute."""
    wrong = {name: eval(line, names) for name, line in (each.split(" = ", 1) for each in lines)}
    return eval("course.compare(**wrong)", names | {"wrong": wrong})


@pytest.fixture(params=["autograd_nb", "torch"])
def names(request):
    return network(pytest.importorskip(request.param))


def test_the_solutions_are_right_and_come_in_the_order_of_the_way_back(names):
    said = compared(names, *(f"{name} = {name}" for name in reversed(LINES)))
    rows = [line.split() for line in said.paragraphs[0].splitlines()]
    assert said.kind == "right" and {row[-1] for row in rows} <= {"exact", "rounding"}
    order = [row[0] for row in rows]
    assert sorted(order) == sorted(LINES)
    assert all(order.index(a) < order.index(b) for b, line in LINES.items() for a in LINES if a in line)


def test_each_slip_is_told_its_own_cause(names):
    assert len(SLIPS) > 30
    for line, told in SLIPS:
        said = compared(names, line)
        assert said.kind == "wrong" and told in said.text, line


def test_the_first_wrong_one_on_the_way_back_is_named(names):
    said = compared(names, "dcounts = dprobs * inv_total", "dlogits = dprobs * inv_total * counts", "db2 = 3",
                    "dprobs = dprobs", "dh = ...")  # fmt: skip
    assert "1 of 4 are right. The first wrong one on the way back from the loss is dcounts" in said.text
    assert "Add what comes through `total`" in said.text and "`db2` is of type int" in said.text
    assert re.search(r"dh +\(32, 16\) +not filled in", said.text)


def test_comparing_changes_nothing(names):
    tensors = names["middle"] + names["parameters"]
    before = [tensor.grad.clone() for tensor in tensors]
    compared(names, "dprebn = dcentred"), compared(names, "dlogits = probs / n")
    assert all((tensor.grad == grad).all() for tensor, grad in zip(tensors, before, strict=True))


def test_two_backward_passes_are_told_and_where_the_graph_is_gone_both_causes(names):
    exec("loss.backward(retain_graph=True)", names)
    assert "backward() has run 2 times, and .grad adds up" in compared(names, "dW2 = dW2").text
    exec("loss.backward()", names)
    assert "Either a factor of 3 is missing, or backward() has run 3 times" in compared(names, "dW2 = dW2").text
    exec("for tensor in middle + parameters: tensor.grad /= 3", names)
    assert compared(names, "dW2 = dW2").kind == "right"
    assert "of 864 elements are wrong" in compared(names, "dcounts = dprobs * inv_total").text


def test_what_is_to_be_done_first_is_said(torch):
    for library in (autograd_nb, torch):
        names = {"torch": library, "course": course}
        exec("w = torch.ones(2, requires_grad=True); h = w * 2; loss = h.sum()", names)
        assert compared(names, "dw = w").text.endswith("Run loss.backward() first.")
        exec("loss.backward()", names)
        assert "Call `h.retain_grad()` before loss.backward()" in compared(names, "dh = w").text
        assert compared(names, "dw = torch.ones(2) * 2").kind == "right"
        assert "Either a factor of 2 is missing" in compared(names, "dw = torch.ones(2)").text
        assert "takes gradients by their names" in eval("course.compare()", names).text


def test_a_hint_and_a_solution_for_each_line(monkeypatch):
    for name, line in LINES.items():
        assert len(course.ch21.hint(name).text) > 30 and f"{name} = {line}" in course.ch21.solution(name).text
    with pytest.raises(ValueError, match="no gradient 'dlogit'"):
        course.ch21.hint("dlogit")
    monkeypatch.setenv("AUTOGRAD_NB_SOLUTIONS", "off")
    assert "dlogits @ W2" not in course.ch21.solution("dh").text
