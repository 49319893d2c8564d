"""info(): for every kind of tensor the rows agree with PyTorch's attributes, without a warning."""

import re
import warnings

import pytest
from sample_graphs import power

import autograd_nb as torch
from autograd_nb import info
from autograd_nb.words import of


def test_versions_have_a_column_where_something_was_changed_in_place():
    changed, other = torch.ones(1).add_(1), torch.ones(1)
    assert [row[7:] for row in info(changed, other, None).rows] == [("1",), ("0",), ("",)]
    assert [row[7:] for row in info(other, None).rows] == [(), ()]


def test_rows_are_what_the_attributes_say():
    x, y, z = power()
    y.retain_grad()
    table = info(x, y, z, y.detach(), z + 1)
    for row, tensor in zip(table.rows, (x, y, z, y.detach(), z + 1), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = [tensor.requires_grad, tensor.is_leaf, tensor.retains_grad]
            assert row[2:5] == tuple(map(str, told)) and row[6] == str(tensor.grad and tensor.grad.item())
        assert row[1] == f"{tensor}"
        assert (row[5] == "None") == (tensor.grad_fn is None)


def test_looking_raises_no_warning_and_none_is_taken():
    x, y, z = power()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = info(y, z, None, x.grad)
    assert [row[:2] for row in table.rows] == [
        ("y", "125.0"), ("z", "4.828313827514648"), ("None", "None"), ("x.grad", "0.6000000238418579")]  # fmt: skip


def test_arrays_integers_empty_and_inference_tensors():
    with torch.inference_mode():
        made = torch.ones(1)
    ints, nothing = torch.tensor([[1, 2], [3, 4]]), torch.ones(0)
    rows = info(ints, nothing, made).rows
    assert rows[0][1] == "[[1, 2],\n [3, 4]]" and rows[1][1] == "[]" and rows[2][7] == "not counted"


def test_both_forms_hold_every_text_and_no_markup_of_others():
    hostile = {"<b>&\"'": torch.ones(1)}
    table = info(hostile["<b>&\"'"], torch.ones(2, 2))
    html, text = table._repr_html_(), repr(table)
    assert html.count('scope="col"') == 7 and html.count('scope="row"') == 2
    assert set(re.findall(r"</?(\w+)", html)) == {"table", "thead", "tbody", "tr", "th", "td", "br"}
    assert text.split("\n")[0].split() == list(of("microscope")["info"]["columns"])[:7]
    assert max(map(len, text.split("\n"))) == len(text.split("\n")[0].rstrip()) or "[[1., 1.]," in text


def test_anything_else_is_refused_by_place():
    with pytest.raises(TypeError, match="info.*: argument 2 must be a tensor or None, not int"):
        info(torch.ones(1), 3)
    assert info().rows == [] and repr(info()).split() == list(of("microscope")["info"]["columns"])[:7]
