# Written by `python -m tests.write stubs`.
# ruff: noqa
import builtins
import typing

from autograd_nb import Tensor

class Parameter(Tensor):
    """A leaf tensor that becomes a parameter of a module when it is assigned to one of its attributes."""
    def __init__(self, data=None, requires_grad=True) -> None: ...
