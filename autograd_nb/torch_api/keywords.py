"""The door to what is public: it knows NumPy's and PyTorch's names of arguments, and explains what fails.

``axis=`` and ``input=`` mean what they mean in PyTorch, ``out=`` is served here for all functions; keywords that only
PyTorch has are told, as are tensors of PyTorch.  A line of keywords.txt, which tests/tools/record_keywords.py writes,
is ``path of a function: keyword=default keyword=default``.
"""

from functools import cache, wraps
from os.path import dirname, join
from types import FunctionType

import numpy as np

from ..engine.dtypes import PYTHON_NUMBERS
from ..engine.modes import is_grad_enabled, no_grad, warn, warn_once, warned
from ..engine.table import parameter_names
from ..engine.tensor import Tensor, refuse_foreign
from ..operations.publishing import tensor_argument
from .absent import INSTEAD, absent_from, mark_absent, pytorch_names, read

KEYWORDS = join(dirname(__file__), "keywords.txt")
ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other", "A": "self",
           "tensor": "self", "split_size_or_sections": "split_size", "axis0": "dim0", "axis1": "dim1"}  # fmt: skip


def lacking(path):
    """``{keyword: its default as text}``, of those that PyTorch's function *path* has and ours lacks."""
    return dict(each.split("=", 1) for each in read(KEYWORDS).get(path, "").split())


def stands_for(namespace, names):
    """Complete what is in the module that stands for *namespace*; returns its ``__getattr__``."""
    for name in [*names]:
        names[name] = complete(f"{namespace}.{name}", names[name])
    return absent_from(namespace)


def complete(path, value):
    """A function, or a class with its methods, that knows every keyword of PyTorch's *path*; else the value."""
    namespace, _, name = path.rpartition(".")
    if path in THEMSELVES:
        return value
    if isinstance(value, type):
        mark_absent(value, path)
        for name, member in [*vars(value).items()]:
            inner = path if name == "__init__" else f"{path}.{name}"
            if lacking(inner):
                setattr(value, name, completed(inner, member))
    elif isinstance(value, FunctionType) and name in pytorch_names(namespace):
        return completed(path, value)
    return value


@cache
def completed(path, function):
    """The function with every keyword of PyTorch's *path*."""
    told, name = lacking(path), path.rpartition(".")[2]
    parameters, checks = parameter_names(getattr(function, "__wrapped__", function)), getattr(function, "checks", None)
    if not told and checks is None and len(parameters) == 1 and path.startswith("torch.Tensor."):
        return function  # there is nothing to explain
    others = {*told, *ALIASES}.difference(parameters)

    @wraps(function)
    def call(*args, **kwargs):
        out = None
        if kwargs and not others.isdisjoint(kwargs):
            args, kwargs, out = understood(args, kwargs)
        if checks and not (args and isinstance(args[0], Tensor)):
            tensor_argument(args[0] if args else kwargs.get(parameters[0]), name)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            if name.rstrip("_") in WEIGHTED and args[len(parameters) - 1 :] and isinstance(args[1], PYTHON_NUMBERS):
                return weighted(name, function, parameters, args)
            refuse_foreign(*each_of(args), *each_of(kwargs.values()))
            named = [*zip(parameters, args), *kwargs.items()]  # noqa: B905
            for position, (argument, value) in enumerate(named, 1):
                if isinstance(error, AttributeError) and error.name and value is error.obj:
                    tensor_argument(value, name, argument, position)
            raise
        return result if out is None else write(path, result, out)

    def understood(args, kwargs):
        out = kwargs.pop("out", None)
        for keyword in told.keys() & kwargs:
            if repr(kwargs.pop(keyword)) != told[keyword]:
                raise not_there(path, keyword)
        kwargs = {key if key in parameters or ALIASES.get(key) in kwargs else ALIASES.get(key, key): value
                  for key, value in kwargs.items()}  # fmt: skip
        if not args and "self" in kwargs:
            args = (kwargs.pop("self"),)
        if isinstance(out, tuple | list):
            raise not_there(path, SEVERAL)
        if out is not None:
            tensor_argument(out, name, "out")
            given = each_of([args, *kwargs.values(), out])
            if is_grad_enabled() and any([isinstance(each, Tensor) and each.requires_grad for each in given]):
                raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                                   "differentiation, but one of the arguments requires grad.")  # fmt: skip
            if "dtype" in parameters:
                kwargs.setdefault("dtype", out._dtype)
        return args, kwargs, out

    return call


WEIGHTED = "add", "sub", "addcmul", "addcdiv"  # whose weight came second before PyTorch 1.5


def weighted(name, function, parameters, args):
    """What ``x.add_(2, y)`` does, the old form of ``x.add_(y, alpha=2)``."""
    given, weight = ", ".join([f"Tensor {each}" for each in parameters[1:-1]]), f"Number {parameters[-1]}"
    if not any([each.startswith("This overload") for each in warned]):
        warn_once(f"This overload of {name} is deprecated:\n\t{name}({weight}, {given})\nConsider using one of the "
                  f"following signatures instead:\n\t{name}({given}, *, {weight} = 1)")  # fmt: skip
    return function(args[0], *args[2:], **{parameters[-1]: args[1]})


SEVERAL = "out of several tensors"
THEMSELVES = "torch.tensor", "torch.Tensor.backward"  # which a first gradient passes through; they explain what fails


def not_there(path, keyword):
    instead = read(INSTEAD).get(f"{path}({keyword})")
    return NotImplementedError(f"{path.rpartition('.')[2]}() has no {keyword} in autograd_nb"
                               + (f"; instead: {instead}" if instead else ""))  # fmt: skip


def each_of(values):
    """The values, and those in lists and tuples."""
    for value in values:
        yield from each_of(value) if isinstance(value, tuple | list) else [value]


def write(path, result, out):
    """Write a result into the tensor *out*, which takes its shape."""
    if not isinstance(result, Tensor):
        raise not_there(path, SEVERAL)
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
