"""The table refuses what PyTorch refuses: wrong shapes, dimensions, dtypes, numbers and overlaps for every operation.

The tests change each sample of an operation in one place at a time, or make all of it integers, even if the operation's
author did not think of these, and call both libraries. Both raise the same type of error, or give the same shapes,
dtypes and values.
"""

import inspect
import warnings

import numpy as np
import pytest
from rows import ours, outputs, tensors, theirs
from samples import Sample, all_samples

import autograd_nb
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = {name: samples for name, samples in all_samples().items() if samples}


def shapes_beside(array):
    """The array in shapes that are nearly right."""
    yield "0-d", np.array(array.flat[0] if array.size else 0, array.dtype)
    yield "a dimension more", array.reshape((1, *array.shape))
    for dim in range(array.ndim):
        first = np.take(array, [0] if array.shape[dim] else [], dim)
        yield f"one more along {dim}", np.concatenate([array, first], dim)
        yield f"none along {dim}", np.take(array, [], dim)
        yield f"one along {dim}", first
    if array.ndim:
        yield "a dimension fewer", array[0, ...] if len(array) else np.zeros(array.shape[1:], array.dtype)


def dtypes_beside(array):
    for dtype in (np.float64, np.int64, np.bool_, np.uint8):
        if array.dtype != dtype:
            yield np.dtype(dtype).name, array.astype(dtype)


def values_beside(value):
    """Wrong values in place of an argument that is not a tensor."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int):
        yield from ((str(each), each) for each in (-100, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 100))
        yield "a float", 1.5
        yield "a bool", True
    elif isinstance(value, tuple | list) and value and all(isinstance(each, int) for each in value):
        yield "one fewer", value[:-1]
        yield "one more", (*value, 1)
        yield "too large", (*value[:-1], 7)
        yield "too small", (*value[:-1], -7)
        yield "repeated", (*value[:-1], value[0])
    elif isinstance(value, float):
        yield "a huge number", 1e300
        yield "negative", -value


def changed_once(name, sample):
    """The sample with one argument changed at a time, each with words for the change."""
    places = [*enumerate(sample.args), *sample.kwargs.items()]
    for key, value in places:
        if isinstance(value, np.ndarray):
            beside = [*shapes_beside(value), *dtypes_beside(value), ("a number", 2.0)]
        elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            beside = [(f"first {words}", [each, *value[1:]])
                      for words, each in (*shapes_beside(value[0]), *dtypes_beside(value[0]))]  # fmt: skip
            beside.append(("empty", []))
        else:
            beside = values_beside(value)
        for words, each in beside:
            args, kwargs = list(sample.args), dict(sample.kwargs)
            (args if isinstance(key, int) else kwargs)[key] = each
            yield f"{key}: {words}", Sample(tuple(args), kwargs)
    if not name.startswith("__"):  # Python asks these for NotImplemented
        yield from left_out_or_added(sample)
        yield from with_wrong_flags(name, sample)


def left_out_or_added(sample):
    """The sample without its last argument, without each keyword, and with keywords that reductions take."""
    if len(sample.args) > 1:
        yield f"{len(sample.args) - 1}: left out", Sample(sample.args[:-1], sample.kwargs)
    for key in sample.kwargs:
        rest = {name: value for name, value in sample.kwargs.items() if name != key}
        yield f"{key}: left out", Sample(sample.args, rest)
    for key, value in ("keepdim", True), ("dim", ()), ("dtype", "float64"), ("nonsense", 1):
        if key not in sample.kwargs:
            yield f"{key}: added", Sample(sample.args, sample.kwargs | {key: value})


def with_wrong_flags(name, sample):
    """The sample with each flag of the operation in turn, given as something else than a bool."""
    for flag, parameter in inspect.signature(ours(name)).parameters.items():
        if isinstance(parameter.default, bool):
            for value in 1, 0.0, None, [True], np.True_, "yes":
                yield f"{flag}: {value!r}", Sample(sample.args, sample.kwargs | {flag: value})


def without_floats(sample):
    """The sample with integers, and with bools, in place of all floats; its author may have left these out."""
    for dtype in (np.int64, np.bool_):
        args, kwargs = in_dtype(list(sample.args), dtype), in_dtype(list(sample.kwargs.values()), dtype)
        yield f"throughout: {np.dtype(dtype).name}", Sample(tuple(args), dict(zip(sample.kwargs, kwargs, strict=True)))


def in_dtype(value, dtype):
    """The value with this dtype for all arrays of floats in it."""
    if isinstance(value, list):
        return [in_dtype(each, dtype) for each in value]
    is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return np.array(np.nan_to_num(value, posinf=9, neginf=-9), dtype) if is_float else value


def answer(library, operation, sample):
    """The outcome of a call: the results' shapes, dtypes and elements; or the type of its error."""
    try:
        args, kwargs = [tensors(library, each, "float32", False) for each in (sample.args, sample.kwargs)]
        return [described(each) for each in outputs(operation(*args, **kwargs))]
    except NotImplementedError:  # of a dtype; it is a RuntimeError, too
        return RuntimeError
    except Exception as error:
        return type(error)


def described(result):
    if not hasattr(result, "dtype") or not hasattr(result, "numpy"):
        return result
    return str(result.dtype), tuple(result.shape), result.numpy()


def same(mine, other):
    if isinstance(mine, type) or isinstance(other, type):
        return mine is other
    return len(mine) == len(other) and all(map(same_result, mine, other))


def same_result(mine, other):
    if not isinstance(other, tuple) or len(other) != 3 or not isinstance(other[2], np.ndarray):
        return mine == other or mine != mine
    return mine[:2] == other[:2] and np.allclose(mine[2], other[2], 1e-4, 1e-5, equal_nan=True)


# Differences that stay: (operation, the error here, the error in PyTorch; None where it passes) and why
KNOWN = {
    ("linalg_norm", IndexError, RuntimeError): "two errors in one call",
    ("linear", RuntimeError, TypeError): "two errors in one call",
    **{(name, RuntimeError, None): "bools without elements" for name in ("mv", "mm", "matmul")},
    ("norm", None, RuntimeError): "the smallest of no elements",
    ("softmax", RuntimeError, None): "integers without elements",
    ("log_softmax", RuntimeError, None): "integers without elements",
    ("pow", None, RuntimeError): "a bool to the power of a bool",
    ("view", RuntimeError, TypeError): "a dtype besides a shape; here no view has another dtype",
    ("linalg_norm", RuntimeError, None): "norms of matrices, which are not here",
    ("linalg_norm", None, RuntimeError): "no dimension at all",
    **{(name, None, RuntimeError): "bools between bools" for name in ("clamp", "clamp_min", "clamp_max")},
    ("to", RuntimeError, None): "a number in place of a dtype",
    ("gather", IndexError, TypeError): "a dimension that is 1.5, of a 0-d tensor",
    ("index_select", IndexError, TypeError): "a dimension that is 1.5, of a 0-d tensor",
    ("index_select", RuntimeError, IndexError): "an index out of range, along another dimension than the last",
    ("index_add", RuntimeError, None): "tensors without elements",
    ("index_add", RuntimeError, IndexError): "an index out of range, by the number of elements",
    ("index_put", None, None): "uint8 as indices, which are numbers here",
    ("index_put", None, RuntimeError): "no index at all, where PyTorch fails internally",
    ("index_put", IndexError, RuntimeError): "two errors in one call",
    ("index_put", RuntimeError, None): "a mask and a value of another dtype",
    ("topk", None, None): "among equal elements",
    ("argsort", None, TypeError): "None for stable, which sort takes",
    ("stride", None, None): "steps over dimensions of length one",
}  # fmt: skip
# with numbers alone PyTorch computes some; functions that it wrote in Python and methods ask a number for an attribute
OF_NUMBERS = {
    "add", "sub", "mul", "div", "true_divide", "__rsub__", "__rtruediv__", "__rpow__", "__rmod__", "floor_divide",
    "remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "norm", "split",
    "to", "type_as", "__getitem__",
}  # fmt: skip


def is_known(name, words, mine, other):
    if words.endswith("a huge number") or words.endswith(": a number") and name in OF_NUMBERS:
        return True
    return (name, *(each if isinstance(each, type) else None for each in (mine, other))) in KNOWN


@pytest.mark.parametrize("name", SAMPLES)
def test_a_row_refuses_what_torchs_refuses(name, torch):
    tried, _, different = compared(name, torch)
    assert tried and different == []


def compared(name, torch):
    """The numbers of calls and of PyTorch's refusals, and the calls that differ in unknown ways."""
    tried = refused = 0
    different = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in SAMPLES[name]:
            for words, changed in (*changed_once(name, sample), *without_floats(sample)):
                mine, other = answer(autograd_nb, ours(name), changed), answer(torch, theirs(torch, name), changed)
                tried += 1
                refused += isinstance(other, type)
                if not same(mine, other) and not is_known(name, words, mine, other):
                    different.append((words, changed, mine, other))
    return tried, refused, different


OVERLAPS = """
a[1:].copy_(a[:-1]); a[:-1].copy_(a[1:]); a[1:].add_(a[:-1]); a.copy_(a); a[::2].copy_(a[1::2]); a[:2].copy_(a[2:])
a.__setitem__(slice(1, None), a[:-1]); m.copy_(m.T); m.T.copy_(m); m[0].copy_(m[:, 0]); m[1:].copy_(m[:-1])
m.copy_(m[0]); m.add_(m.T); m.mul_(m[0]); m[:, 0].add_(m[:, 1]); a[1:].fill_(a[0]); a[1:].lerp_(a[:-1], .5)
a[1:].addcmul_(a[:-1], a[:-1]); a[1:].pow_(a[:-1]); a.scatter_(0, pair, a[1:3])
a.index_add_(0, pair, a[1:3]); a.index_put_((pair[:1],), a[1:2]); e.add_(1); e.copy_(a[1:]); e.fill_(1); e.zero_()
e.mul_(e); e.clamp_(0, 1); e.relu_(); e.exp_(); e.index_put_((pair[:1],), a[0]); a.add_(m[:2, :1] + a)
a.lerp_(wide, .5); a.fill_(wide); a.copy_(wide); a.pow_(wide); a.div_(wide); a.long().mul_(1.5)
"""


@pytest.mark.parametrize("text", [text for text in map(str.strip, OVERLAPS.replace("\n", ";").split(";")) if text])
def test_writing_to_memory_that_is_also_read_does_what_torch_does(text, torch):
    shown = []
    for library in (autograd_nb, torch):
        space = {
            "a": library.arange(1.0, 5.0), "m": library.arange(9.0).reshape(3, 3), "e": library.ones(1).expand(3),
            "pair": library.tensor([0, 1]), "wide": library.ones(2, 4),
        }  # fmt: skip
        try:
            eval(text, space)
            shown.append([space[name].tolist() for name in "ame"])
        except RuntimeError as error:
            shown.append(str(error))
    assert shown[0] == shown[1]
