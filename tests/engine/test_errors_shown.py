"""A learner sees an error once, although speed.py raised it before the general call did."""

import traceback

import pytest

import autograd_nb as torch


@pytest.mark.parametrize("call", [
    lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    lambda: torch.ones(2) + torch.ones(3),
    lambda: torch.zeros(0).norm(p=float("inf")),
], ids=["matmul", "broadcasting", "norm of nothing"])  # fmt: skip
def test_an_error_is_shown_once(call):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert "During handling" not in "".join(traceback.format_exception(caught.value))
