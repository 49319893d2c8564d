"""Who steps through ``y = x**3; y.backward()`` with a debugger passes through few files and functions."""

import json

import house

PROGRAM = """
import json, sys
import autograd_nb as torch

x = torch.tensor(2., requires_grad=True)


def passed_through():
    codes = set()
    sys.setprofile(lambda frame, event, _: codes.add(frame.f_code) if event == "call" else None)
    y = x**3; y.backward()
    sys.setprofile(None)
    codes = [code for code in codes if "autograd_nb" in code.co_filename]
    return len({code.co_filename for code in codes}), len(codes)


print(json.dumps([passed_through(), passed_through()]))
"""


def test_a_first_backward_pass_can_be_stepped_through():
    (files, functions), (files_again, functions_again) = json.loads(house.run("-c", PROGRAM))
    assert files <= 14 and functions <= 73, "the first time, when the functions of the row are written"
    assert files_again <= 10 and functions_again <= 29
