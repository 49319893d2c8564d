"""The door to public functions: when a call fails, it tries again with NumPy's and PyTorch's argument names.

``axis=`` and ``input=`` mean the same as in PyTorch, and ``out=`` works here for all functions.  An error names
keywords that only PyTorch has, and tensors of PyTorch.  tests/tools/record_keywords.py writes the lines of
keywords.txt: ``path of a function: keyword@place=default keyword=default``.
"""

import re
from functools import cache, wraps
from os.path import dirname, join
from types import FunctionType

import numpy as np

from ..engine.dtypes import PYTHON_NUMBERS
from ..engine.modes import is_grad_enabled, no_grad, warn, warn_once, warned
from ..engine.table import parameter_names
from ..engine.tensor import Tensor, kind_of, refuse_foreign
from ..operations.publishing import tensor_argument
from .absent import absent_from, mark_absent, pytorch_names, recorded, sentence

KEYWORDS = join(dirname(__file__), "keywords.txt")
ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other", "A": "self",
           "tensor": "self", "split_size_or_sections": "split_size", "axis0": "dim0", "axis1": "dim1"}  # fmt: skip
NAMED = {"dim", "keepdim", "split_size", "dim0", "dim1", "diagonal"}  # of methods, too


@cache
def lacking(path):
    """``{keyword: (its default as text, its place)}`` for the keywords of PyTorch's function *path* that ours lacks."""
    found = [re.match(r"(\w+)(?:@(\d+))?=(.*)", each).groups() for each in recorded(KEYWORDS).get(path, "").split()]
    return {name: (default, place and int(place)) for name, place, default in found}


def stands_for(namespace, names):
    """Complete the functions in the module for *namespace*, and list them; returns the module's ``__getattr__``."""
    names["__all__"] = [name for name in names if name in pytorch_names(namespace)]
    for name in names["__all__"]:
        names[name] = complete(f"{namespace}.{name}", names[name])
    return absent_from(namespace)


def complete(path, value):
    """A function, or a class with its methods, that knows every keyword of PyTorch's *path*; else the value."""
    namespace, _, name = path.rpartition(".")
    if name not in pytorch_names(namespace) or path in THEMSELVES:
        return value
    if isinstance(value, type):
        mark_absent(value, path)
        for name, member in [*vars(value).items()]:
            inner = path if name == "__init__" else f"{path}.{name}"
            if inner in recorded(KEYWORDS):
                setattr(value, name, completed(inner, member))
    return completed(path, value) if isinstance(value, FunctionType) else value


# a first gradient passes through these; they explain errors
THEMSELVES = "torch.tensor", "torch.Tensor.backward"


@cache
def completed(path, function):
    """The function with every keyword of PyTorch's *path*."""
    body = getattr(function, "__wrapped__", function)
    parameters, is_row = parameter_names(body), hasattr(function, "row")  # rows report bad arguments themselves
    positional, flags = parameters[: body.__code__.co_argcount], FLAGS.intersection(parameters)
    looked_at = path in recorded(KEYWORDS) or flags or NAMED.intersection(parameters)
    if is_row and path.startswith("torch.Tensor.") and not looked_at:
        return function
    first = min([*map(positional.index, flags.intersection(positional)), len(parameters)])
    checks = flags and path.rpartition(".")[0] in OF_C

    @wraps(function)
    def call(*args, **kwargs):
        if checks and (len(args) > first or not flags.isdisjoint(kwargs)):
            check_flags(path, positional, args, kwargs)
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if others(path, parameters).isdisjoint(kwargs):  # otherwise Python refused one of these: nothing has run
                name, full = path.rpartition(".")[2], len(args) == len(parameters)
                if full and name.rstrip("_") in WEIGHTED and isinstance(args[1], PYTHON_NUMBERS):
                    return weighted(name, function, parameters, args)
                order = in_order(parameters, lacking(path))
                if not body.__code__.co_argcount < len(args) <= len(order):  # otherwise Python refused so many
                    explain(error, path, parameters, args, kwargs)
                    raise
                args, kwargs = (), dict(zip(order, args, strict=False)) | kwargs
        return again(args, kwargs)

    def again(args, kwargs):
        given, out = (args, {**kwargs}), kwargs.pop("out", None)
        if "reduction" in parameters and not LEGACY.isdisjoint(kwargs):
            legacy_reduction(kwargs)
        translate(path, kwargs, others(path, parameters), given)
        if "self" in kwargs and not args:
            args = (kwargs.pop("self"),)
        return call(*args, **kwargs) if out is None else call_into(out, call, path, parameters, args, kwargs)

    return call


def others(path, parameters):
    """PyTorch's keywords of *path* that are not among our *parameters*."""
    return {*lacking(path), *ALIASES}.difference(parameters)


def in_order(parameters, told):
    """The parameters with those that we lack, each at its place in PyTorch; none if there are no places."""
    placed = sorted((place, name) for name, (_, place) in told.items() if place is not None)
    order = [*parameters] if placed else []
    for place, name in placed:
        order.insert(place, name)
    return order


def translate(path, kwargs, others, given):
    """Replace PyTorch's keywords *others* by ours.  NotImplementedError for one that we lack, unless its value is the
    default; TypeError for one that is given under both names.  *given*: the call's arguments."""
    defaults, name = lacking(path), path.rpartition(".")[2]
    for key in others & kwargs.keys():
        value, ours = kwargs.pop(key), ALIASES.get(key)
        if ours in kwargs:
            raise TypeError(f"{name}() got both {key} and {ours}")
        if key in defaults and repr(value) != defaults[key][0]:
            raise NotImplementedError(sentence(f"{path}({key})", *given))
        if ours:
            kwargs[ours] = value


def call_into(out, call, path, parameters, args, kwargs):
    """Write the result of a call into the tensor *out*.  RuntimeError if one of the tensors requires grad."""
    name = path.rpartition(".")[2]
    if isinstance(out, tuple | list):
        raise NotImplementedError(sentence(f"{path}({SEVERAL})"))
    tensor_argument(out, name, "out")
    if "dtype" in parameters:
        kwargs.setdefault("dtype", out._dtype)
    given = each_of([args, *kwargs.values(), out])
    if is_grad_enabled() and any([isinstance(each, Tensor) and each.requires_grad for each in given]):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the arguments requires grad.")  # fmt: skip
    result = call(*args, **kwargs)
    if not isinstance(result, Tensor):
        raise NotImplementedError(sentence(f"{path}({SEVERAL})"))
    return write(result, out)


def explain(error, path, parameters, args, kwargs):
    """Raise PyTorch's error in place of Python's own, if an argument should be a tensor or an int and is not.

    TypeError if a tensor of PyTorch is among the arguments, too.
    """
    refuse_foreign(*each_of([args, *kwargs.values()]))
    namespace, _, name = path.rpartition(".")
    no_int = re.fullmatch("'(.*)' object cannot be interpreted as an integer", str(error))
    first = 0 if namespace == "torch.Tensor" else 1
    for position, (argument, value) in enumerate([*zip(parameters, args), *kwargs.items()], first):  # noqa: B905
        if isinstance(error, AttributeError) and error.name and value is error.obj:
            tensor_argument(value, name, argument, position)
        kind = type(value).__name__
        if isinstance(error, TypeError) and kind in lacking(path):  # x.view(dtype)
            raise NotImplementedError(sentence(f"{path}({kind})"))
        if no_int and (value is error.obj if hasattr(error, "obj") else kind == no_int[1]) and namespace in OF_C:
            refuse_type(path, parameters, argument, value, "int", kwargs)


OF_C = "torch", "torch.Tensor", "torch.linalg"  # namespaces of functions that PyTorch has written in C++
FLAGS = {*"accumulate as_tuple copy density descending equal_nan force keepdim largest non_blocking replacement "
         "requires_grad sorted sparse_grad stable training wrap".split()}  # fmt: skip


def check_flags(path, parameters, args, kwargs):
    """TypeError for a flag that is no bool; requires_grad and stable may be None."""
    for argument, value in [*zip(parameters, args, strict=False), *kwargs.items()]:
        if argument in FLAGS and value.__class__ is not bool and (
            value is not None or argument not in ("requires_grad", "stable") or path == "torch.tensor"
        ):
            refuse_type(path, parameters, argument, value, "bool", kwargs)


def refuse_type(path, parameters, argument, value, wanted, kwargs):
    """PyTorch's TypeError for an argument that is not of the type *wanted*."""
    namespace, _, name = path.rpartition(".")
    place = parameters.index(argument) + (namespace != "torch.Tensor") if argument not in kwargs else None
    position = "" if place is None else f" (position {place})"
    raise TypeError(f"{name}(): argument '{argument}'{position} must be {wanted}, not {kind_of(value)}")


WEIGHTED = "add", "sub", "addcmul", "addcdiv"  # the weight came second before PyTorch 1.5


def weighted(name, function, parameters, args):
    """Run ``x.add_(2, y)``, the old form of ``x.add_(y, alpha=2)``."""
    given, weight = ", ".join([f"Tensor {each}" for each in parameters[1:-1]]), f"Number {parameters[-1]}"
    if not any([each.startswith("This overload") for each in warned]):
        warn_once(f"This overload of {name} is deprecated:\n\t{name}({weight}, {given})\nConsider using one of the "
                  f"following signatures instead:\n\t{name}({given}, *, {weight} = 1)")  # fmt: skip
    return function(args[0], *args[2:], **{parameters[-1]: args[1]})


SEVERAL = "out of several tensors"


LEGACY = {"size_average", "reduce"}  # arguments of losses before PyTorch 0.4


def legacy_reduction(kwargs):
    """Replace ``size_average`` and ``reduce`` by the ``reduction`` that PyTorch derives from them."""
    average, reduces = kwargs.pop("size_average", None), kwargs.pop("reduce", None)
    if average is not None or reduces is not None:
        reduction = "none" if reduces is False else "sum" if average is False else "mean"
        kwargs["reduction"] = reduction
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")


def each_of(values):
    """The values, with lists and tuples opened."""
    for value in values:
        yield from each_of(value) if isinstance(value, tuple | list) else [value]


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
