"""Who steps through a first gradient with a debugger passes through few files and functions."""

import json

import house
import pytest

# Counted are functions, and classes that are made, but not the bodies of modules, comprehensions and generated code
PROGRAM = """
import json, pathlib, sys
import autograd_nb as torch


def passed_through():
    codes = set()
    sys.setprofile(lambda frame, event, _: codes.add(frame.f_code) if event == "call" else None)
    x = torch.tensor(5., requires_grad=True); y = x**3; y.backward()
    sys.setprofile(None)
    unnamed = "<module>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"
    codes = [code for code in codes if "autograd_nb" in code.co_filename and code.co_name not in unnamed
             and not pathlib.Path(code.co_filename).name.startswith("<")]
    return len({code.co_filename for code in codes}), len(codes)


print(json.dumps([passed_through(), passed_through()]))
"""


@pytest.mark.parametrize("plain, first, again", [("0", (20, 70), (9, 23)), ("1", (20, 96), (13, 48))])
def test_a_first_gradient_can_be_stepped_through(monkeypatch, plain, first, again):
    monkeypatch.setenv("AUTOGRAD_NB_PLAIN", plain)
    counts = json.loads(house.run("-c", PROGRAM))
    for (files, functions), (most_files, most_functions) in zip(counts, (first, again), strict=True):
        assert files <= most_files and functions <= most_functions
