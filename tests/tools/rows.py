"""A call on a sample's arrays in either library: its results, gradients and second pass, and how close they are."""

import math
import warnings

import numpy as np
from programs import strides

import autograd_nb
from autograd_nb.engine import table

GRADIENT_ULPS = 8  # a gradient is the result of several operations


def tensors(library, values, dtype, requires_grad=True):
    """The values with arrays replaced by tensors of *library*, floats in *dtype*; names of dtypes become dtypes."""
    if isinstance(values, dict):
        return {key: tensors(library, [value], dtype, requires_grad)[0] for key, value in values.items()}
    return [tensor(library, value, dtype, requires_grad) for value in values]


def tensor(library, value, dtype, requires_grad):
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [tensor(library, each, dtype, requires_grad) for each in value]
    if isinstance(value, str) and value.startswith("float"):
        return getattr(library, value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return library.tensor(value)
    return library.tensor(value, dtype=getattr(library, dtype), requires_grad=requires_grad)


def leaves(values):
    flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [each for each in flat if getattr(each, "requires_grad", False)]


def ours(name):
    """The function or method that a learner calls by this name, operators included; else the operation."""
    try:
        return theirs(autograd_nb, name)
    except (AttributeError, LookupError):
        return getattr(table.ops, name)


def theirs(torch, name):
    room, _, short = name.partition("_")
    if room in ("linalg", "special"):
        return getattr(getattr(torch, room), short)
    for place in (torch.Tensor,) if name.startswith("__") else (torch, torch.Tensor, torch.nn.functional):
        if hasattr(place, name):
            return getattr(place, name)
    raise LookupError(name)


def outputs(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def run(library, operation, sample, dtype):
    """Outputs and gradients of the sample, or the error's type and text."""
    args, kwargs = tensors(library, sample.args, dtype), tensors(library, sample.kwargs, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = outputs(operation(*args, **kwargs))
    roots = [each for each in results if getattr(each, "requires_grad", False)]
    inputs = leaves([*args, *kwargs.values()])
    seconds = None
    grads = []
    if roots:
        weights = [library.tensor(weight_of(root), dtype=root.dtype) for root in roots]
        try:
            grads = library.autograd.grad(roots, inputs, weights, allow_unused=True)
        except RuntimeError as error:
            return results, str(error).partition("\n")[0], None
        try:
            library.autograd.grad(roots, inputs, weights, allow_unused=True)
            seconds = "ran"
        except RuntimeError as error:
            seconds = str(error)
    return results, grads, seconds


def weight_of(root):
    return np.cos(np.arange(int(np.prod(root.shape)))).reshape(tuple(root.shape))


def assert_close(mine, other, ulps, of_largest=False, additions=0):
    """The elements agree within so many units in the last place, of each element or of the largest one.

    A gradient cancels (self - mean(self)) to elements that are less exact than the terms they are made of. Each of the
    *additions* that made an element rounds, so it may be one unit more.
    """
    mine, other = np.asarray(mine), np.asarray(other)
    if mine.dtype.kind != "f":
        np.testing.assert_array_equal(mine, other)
        return
    size = np.maximum(np.abs(mine), np.abs(other))
    if of_largest and np.isfinite(size).any():
        size = np.where(np.isfinite(size), size[np.isfinite(size)].max(), size)
    scale = np.spacing(size.astype(mine.dtype))
    same = (mine == other) | (np.isnan(mine) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0, np.abs(mine.astype(np.float64) - other) / scale)
    most = ulps + additions
    rule = f"{ulps} and 1 for each of {additions} additions" if additions else f"{most}"
    assert np.all(off <= most), f"{np.nanmax(off):g} ulp apart, expected at most {rule}:\n{mine}\n{other}"


def described(x):
    where = x.storage_offset() if x._is_view() and x.numel() else None
    return strides(x), x._is_view(), where, x.is_contiguous()


def assert_same(mine, other, of_results, of_grads):
    """The results of `run` are the same in both libraries, up to these arguments of `assert_close`."""
    (results, grads, second), (its_results, its_grads, its_second) = mine, other
    for a, b in zip(results, its_results, strict=True):
        if not hasattr(b, "grad_fn"):
            assert a == b and type(a) is type(b)
            continue
        assert (repr(a.dtype), tuple(a.shape)) == (repr(b.dtype), tuple(b.shape))
        assert (a.grad_fn and a.grad_fn.name()) == (b.grad_fn and b.grad_fn.name())
        lapack = "Linalg" in str(b.grad_fn)  # whose results lie in columns
        assert lapack or described(a) == described(b), "strides, and whether and where it is a view"
        assert_close(a.detach().numpy(), b.detach().numpy(), *of_results)
    if isinstance(its_grads, str):
        assert grads == its_grads
        return
    assert_same_gradients(grads, its_grads, of_grads, max(math.prod(getattr(each, "shape", ())) for each in results))
    assert second == its_second


def assert_same_gradients(mine, other, ulps, size=0):
    """The same gradients. *size*: how many elements a result has; the gradient of a smaller input adds up several."""
    for a, b in zip(mine, other, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            assert (repr(a.dtype), tuple(a.shape)) == (repr(b.dtype), tuple(b.shape))
            additions = max(size // max(a.numel(), 1) - 1, 0)
            assert_close(a.numpy(), b.numpy(force=True), ulps, of_largest=True, additions=additions)


def checked(call, sample):
    """The call as a function of the tensors that require grad alone, and these, in float64."""
    args, kwargs = tensors(autograd_nb, sample.args, "float64"), tensors(autograd_nb, sample.kwargs, "float64")
    inputs = leaves([*args, *kwargs.values()])

    def function(*values):
        values = iter(values)

        def put(value):
            if isinstance(value, list):
                return [put(each) for each in value]
            return next(values) if getattr(value, "requires_grad", False) else value

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(*map(put, args), **{key: put(value) for key, value in kwargs.items()})
        roots = tuple(each for each in outputs(result) if getattr(each, "requires_grad", False))
        return roots if len(roots) != 1 else roots[0]

    return function, inputs


def run_twice(function, inputs, twice):
    """Run a function and, where there are gradients, its first and second derivative."""
    results = function(*inputs)
    roots = [root for root in outputs(results) if getattr(root, "requires_grad", False)]
    if not roots or not twice:
        return
    ones = [autograd_nb.ones_like(root).requires_grad_() for root in roots]
    grads = autograd_nb.autograd.grad(roots, inputs, ones, create_graph=True, allow_unused=True)
    seconds = [grad for grad in grads if grad is not None and grad.requires_grad]
    if seconds:
        ones_again = [autograd_nb.ones_like(grad).requires_grad_() for grad in seconds]
        autograd_nb.autograd.grad(seconds, [*inputs, *ones], ones_again, create_graph=True, allow_unused=True)


def can_be_checked(function, inputs):
    """Whether there is something to differentiate, and little enough for quick differences."""
    return bool(inputs) and function(*inputs) != () and all(0 < each.numel() <= 30 for each in inputs)


def compare_in_place(form, sample, torch):
    """form(library) changes the sample's first tensor in the same way in both libraries."""
    results = []
    for library in (autograd_nb, torch):
        args, kwargs = tensors(library, sample.args, "float64"), tensors(library, sample.kwargs, "float64")
        base = args[0] * 1 if args[0].dtype.is_floating_point else args[0].clone()
        try:
            assert form(library)(base, *args[1:], **kwargs) is base
            grads = ()
            if base.requires_grad:
                weights = library.tensor(weight_of(base), dtype=base.dtype)
                grads = library.autograd.grad(base, leaves([*args, *kwargs.values()]), weights, allow_unused=True)
            results.append((base, grads))
        except (RuntimeError, TypeError, IndexError) as error:
            results.append((type(error), str(error).partition("\n")[0]))
    (mine, my_grads), (other, its_grads) = results
    if isinstance(other, type):
        assert (mine, my_grads) == (other, its_grads) or "can't be cast to the desired output type" in str(my_grads)
        return
    assert mine._version == other._version
    assert repr(mine.dtype) == repr(other.dtype)
    assert (mine.grad_fn and mine.grad_fn.name()) == (other.grad_fn and other.grad_fn.name())
    assert_close(mine.detach().numpy(), other.detach().numpy(), max(2, sample.ulps))
    assert_same_gradients(my_grads, its_grads, GRADIENT_ULPS)
