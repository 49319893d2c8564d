"""Gives Tensor its operators and methods, each of which loads from its module when it is first used."""

from ..engine.dtypes import dtype
from ..engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..engine.table import methods, operators, ops
from ..engine.tensor import Tensor
from . import contents
from .absent import mark_absent

# Python's operators and the operations they stand for
SAME = "add sub mul neg abs eq ne lt le gt ge getitem setitem"  # __add__ is add
OPERATORS = {f"__{name}__": name for name in SAME.split()} | {
    "__radd__": "add", "__rmul__": "mul", "__rmatmul__": "matmul", "__truediv__": "div", "__pos__": "positive",
    "__invert__": "bitwise_not", "__and__": "bitwise_and", "__rand__": "bitwise_and", "__or__": "bitwise_or",
    "__ror__": "bitwise_or", "__xor__": "bitwise_xor", "__rxor__": "bitwise_xor", "__iadd__": "add_",
    "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ipow__": "pow_",
    "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
}  # fmt: skip


class Later(str):
    """Stands on Tensor for a method whose module is not loaded, until somebody looks the method up."""

    __slots__ = ()

    def __get__(self, instance, owner=None):
        name = str(self)
        operation = OPERATORS.get(name, name)
        contents.load(operation)
        if name is not operation:
            method = operators.get(operation) or getattr(ops, operation)
        else:
            method = methods[name]
            if not name.startswith("__"):
                from .keywords import complete

                method = complete(f"torch.Tensor.{name}", method)
        setattr(Tensor, name, method)
        return method.__get__(instance, owner)

    def __set__(self, instance, value):
        self.__get__(None, Tensor)
        setattr(instance, str(self), value)  # a property refuses


def install():
    """Put a placeholder on Tensor for every operator and method, and on classes an error for each missing name."""
    for name in (*contents.methods, *OPERATORS):
        if name not in Tensor.__dict__:
            setattr(Tensor, name, Later(name))
    for cls in (Tensor, dtype, no_grad, enable_grad, set_grad_enabled, inference_mode):
        mark_absent(cls, f"torch.{cls.__name__}")
