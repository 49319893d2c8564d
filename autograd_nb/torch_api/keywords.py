"""Keywords that PyTorch's functions have and ours lack: ``input=`` and ``out=`` are served here, the others told.

A line of keywords.txt, which tests/tools/record_names.py writes, is ``keyword=default: paths of functions``.
"""

from functools import cache, wraps
from os.path import dirname, join
from types import FunctionType

import numpy as np

from ..engine.modes import is_grad_enabled, no_grad, warn
from ..engine.table import parameter_names
from ..engine.tensor import Tensor, is_foreign
from ..operations.publishing import ALIASES, renamed, taken_for_tensor, tensor_argument
from .absent import INSTEAD, absent_from, pytorch_names, read

KEYWORDS = join(dirname(__file__), "keywords.txt")
SEVERAL = "out of several tensors"


@cache
def lacking():
    """``{path of a function: {keyword: its default as text}}``"""
    found = {}
    for keyword, paths in read(KEYWORDS).items():
        name, _, default = keyword.partition("=")
        for path in paths.split():
            found.setdefault(path, {})[name] = default
    return found


def stands_for(namespace, names):
    """Complete what is in the module that stands for *namespace*; returns its ``__getattr__``."""
    for name in [*names]:
        names[name] = complete(f"{namespace}.{name}", names[name])
    return absent_from(namespace)


def complete(path, value):
    """A function, or a class with its methods, that knows every keyword of PyTorch's *path*; else the value."""
    namespace, _, name = path.rpartition(".")
    if isinstance(value, type):
        for name, member in [*vars(value).items()]:
            inner = path if name == "__init__" else f"{path}.{name}"
            if inner in lacking():
                setattr(value, name, completed(inner, member))
    elif isinstance(value, FunctionType) and name in pytorch_names(namespace):
        return completed(path, value)
    return value


def completed(path, function):
    told, parameters = lacking().get(path, {}), parameter_names(getattr(function, "__wrapped__", function))
    if not told and path.startswith("torch.Tensor."):
        return function
    others, name = {*told, *ALIASES}.difference(parameters), path.rpartition(".")[2]

    @wraps(function)
    def call(*args, **kwargs):
        if not kwargs or others.isdisjoint(kwargs):
            try:
                return function(*args, **kwargs)
            except AttributeError as error:
                if is_foreign(error.obj):
                    raise taken_for_tensor(error, name, parameters, args, kwargs) from None
                raise
        out = kwargs.pop("out", None)
        for keyword in [each for each in told if each in kwargs]:
            if repr(kwargs.pop(keyword)) != told[keyword]:
                raise not_there(path, keyword)
        kwargs = renamed(kwargs, parameters)
        if not args and "self" in kwargs:
            args = (kwargs.pop("self"),)
        if out is None:
            return function(*args, **kwargs)
        if isinstance(out, tuple | list):
            raise not_there(path, SEVERAL)
        out = tensor_argument(out, name, "out")
        refuse_gradients(name, [*args, *kwargs.values(), out])
        if "dtype" in parameters:
            kwargs.setdefault("dtype", out._dtype)
        result = function(*args, **kwargs)
        if not isinstance(result, Tensor):
            raise not_there(path, SEVERAL)
        return write(result, out)

    return call


def not_there(path, keyword):
    instead = read(INSTEAD).get(f"{path}({keyword})")
    return NotImplementedError(f"{path.rpartition('.')[2]}() has no {keyword} in autograd_nb"
                               + (f"; instead: {instead}" if instead else ""))  # fmt: skip


def refuse_gradients(name, values):
    for value in values:
        for each in value if isinstance(value, tuple | list) else [value]:
            if is_grad_enabled() and isinstance(each, Tensor) and each.requires_grad:
                raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                                   "differentiation, but one of the arguments requires grad.")  # fmt: skip


def write(result, out):
    """Write a result into the tensor *out*, which takes its shape."""
    shape, dtype = result.shape, out._dtype
    if result._dtype.category > dtype.category:
        raise RuntimeError(f"result type {result._dtype.legacy_name} can't be cast to the desired output type "
                           f"{dtype.legacy_name}")  # fmt: skip
    if out.shape != shape:
        if out._array.size:
            warn(f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                 f"not match the required output shape {list(shape)}. This behavior is deprecated, and in a future "
                 "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly "
                 "reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
        out._set_array(np.empty(shape, dtype.numpy))
    with no_grad():
        return out.copy_(result)
