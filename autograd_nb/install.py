"""Gives Tensor its operators and methods from the table, in one loop, as PyTorch generates its bindings."""

from .absent import Absent, pytorch_names
from .dispatch import methods, operations, operators, ops
from .inplace import publish_in_place, shorten_arithmetic
from .tensors import Tensor

# Python's operators and the operations they stand for
OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__rtruediv__": "rdiv", "__pow__": "pow", "__rpow__": "rpow", "__matmul__": "matmul",
    "__rmatmul__": "rmatmul", "__floordiv__": "floor_divide", "__rfloordiv__": "rfloor_divide", "__mod__": "remainder",
    "__rmod__": "rremainder", "__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__eq__": "eq", "__ne__": "ne",
    "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__invert__": "bitwise_not",
    "__and__": "bitwise_and", "__rand__": "bitwise_and", "__or__": "bitwise_or", "__ror__": "bitwise_or",
    "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
    "__rxor__": "bitwise_xor", "__getitem__": "getitem", "__setitem__": "setitem", "__iadd__": "add_",
    "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ipow__": "pow_",
    "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
}  # fmt: skip

IN_PLACE = (
    "add sub mul div pow neg exp exp2 log log1p log2 log10 expm1 sqrt rsqrt reciprocal abs sign sgn sin cos tan asin "
    "acos atan sinh cosh asinh acosh atanh tanh sigmoid logit sinc relu clamp floor ceil round trunc frac remainder fmod "
    "erf erfc erfinv square atan2 hypot deg2rad rad2deg nan_to_num masked_fill tril triu cumsum cumprod addcmul "
    "addcdiv addmm addmv addr baddbmm"
).split()


def install():
    """Publish the in-place forms and put every operator and method on the class; missing ones say that they are."""
    for name in IN_PLACE:
        if name in operations and name + "_" not in methods:
            publish_in_place(name)
    for name in ("add", "sub", "mul", "div"):
        shorten_arithmetic(name)
    for name, method in methods.items():
        if name not in Tensor.__dict__:
            setattr(Tensor, name, method)
    for operator, name in OPERATORS.items():
        call = operators.get(name) or getattr(ops, name, None)
        if call is not None:
            setattr(Tensor, operator, call)
    for name in pytorch_names("torch.Tensor"):
        if not hasattr(Tensor, name):
            setattr(Tensor, name, Absent("torch.Tensor", name))
