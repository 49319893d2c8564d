"""Tangents of every operation of the table on its samples, and what dual numbers do around them, beside PyTorch's."""

import warnings

import numpy as np
import pytest
from samples import all_samples
from samples_losses import FUNCTIONAL
from test_table import assert_close, leaves, ours, outputs, tensors, theirs, weight_of

import autograd_nb
import autograd_nb.autograd.forward_ad as forward_ad
import autograd_nb.nn.functional as F


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


def tangents(library, forward, operation, sample):
    """The tangents of the outputs when each input of floats has one; or the type and first line of the error."""
    args, kwargs = tensors(library, sample.args, "float64"), tensors(library, sample.kwargs, "float64")
    with forward.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def dual(value):
            if isinstance(value, list | tuple):
                return type(value)([dual(each) for each in value])
            if not getattr(value, "requires_grad", False):
                return value
            return forward.make_dual(value.detach(), library.tensor(weight_of(value), dtype=value.dtype))

        try:
            results = outputs(operation(*map(dual, args), **{key: dual(value) for key, value in kwargs.items()}))
        except RuntimeError as error:  # NotImplementedError is one
            return type(error).__name__, str(error).partition("\n")[0]
        return [forward.unpack_dual(each).tangent if hasattr(each, "grad_fn") else None for each in results]


TANGENT_ULPS = 32  # a tangent comes of other steps here than there
MANY = 100  # sums of so many terms that cancel say more of rounding than of the rule
KNOWN = {
    # PyTorch has the tangent of what is read of a larger source, though it has not its gradient; here neither
    "scatter(d[2,3], 0, l[1,2], d[2,3])", "scatter_add(d[2,3], 0, l[1,2], d[2,3])",
    # PyTorch loses the tangent of such products; here it is there
    "scatter_reduce(d[3,3], 0, l[2,3], d[2,3], 'prod')", "scatter_reduce(d[3], 0, l[3], d[3], 'prod')",
    "scatter_reduce(d[3,3], 0, l[2,3], d[2,3], 'prod', include_self=False)",
    # PyTorch goes by logarithms and loses digits; compared to four digits in tests/test_pasted.py
    "logcumsumexp(d[3,4], 1)", "logcumsumexp(d[4], -1)", "logcumsumexp(d[], 0)",
    "mse_loss(d[5], l[5])",  # PyTorch's rule for it does not take a target of integers, though its loss does
}  # fmt: skip
CASES = [
    *((name, "table", each) for name, samples in all_samples().items() for each in samples),
    *((name, "functional", each) for name, samples in FUNCTIONAL.items() for each in samples),
]


NAMED = {f"{name}({each})": (name, home, each) for name, home, each in CASES}


@pytest.mark.parametrize("name, home, sample", [
    pytest.param(*case, id=each) for each, case in NAMED.items() if each not in KNOWN
])  # fmt: skip
def test_tangents_are_torchs(torch, name, home, sample):
    inputs = leaves([*tensors(autograd_nb, sample.args, "float64"), *sample.kwargs.values()])
    if not all(0 < each.numel() <= MANY for each in inputs):
        return
    mine, its = (ours(name), theirs(torch, name)) if home == "table" else (
        getattr(F, name), getattr(torch.nn.functional, name))  # fmt: skip
    mine = tangents(autograd_nb, forward_ad, mine, sample)
    its = tangents(torch, torch.autograd.forward_ad, its, sample)
    if isinstance(its, tuple) or isinstance(mine, tuple):
        assert mine == its
        return
    for a, b in zip(mine, its, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            assert repr(a.dtype) == repr(b.dtype) and tuple(a.shape) == tuple(b.shape)
            if sample.smooth:  # at a kink the two may take different sides
                ulps = max(TANGENT_ULPS, sample.ulps)
                assert_close(a.detach().numpy(), b.detach().numpy(force=True), ulps, of_largest=True)


# -- levels, and what is said ------------------------------------------------------------------------------------------

PROGRAMS = {
    "a dual number prints its tangent": "d, d.sum(), repr(d.requires_grad), d._is_view(), d._base is x",
    "unpacking": "fw.unpack_dual(d), fw.unpack_dual(x), fw.unpack_dual(d * d + 1), fw.unpack_dual(d).tangent is v",
    "a level within a level": "fw.enter_dual_level()",
    "a tangent of another size": "fw.make_dual(x, torch.ones(2))",
    "a tangent of another dtype": "fw.make_dual(x, v.double())",
    "integers": "fw.make_dual(torch.arange(3), v)",
    "a tangent of integers": "fw.make_dual(x, torch.arange(3))",
    "no tensor": "fw.make_dual(3., v)",
    "a tangent for a dual number": "fw.make_dual(d, v)",
    "a dual number for a tangent": "fw.make_dual(x, d)",
    "unpacking no tensor": "fw.unpack_dual(3.)",
    "another level's number": "fw.unpack_dual(d, level=3), fw.make_dual(x, v, level=2)",
    "detached": "fw.unpack_dual(d.detach()), fw.unpack_dual(d.data), fw.unpack_dual(d.clone())",
    "not differentiable": "fw.unpack_dual(d.long()), fw.unpack_dual(d > 1), fw.unpack_dual(d.argmax())",
    "no rule in PyTorch": "torch.cdist(d[None], d[None])",
    "no rule in PyTorch, for a number": "d // 2",
    "an operation in place": "fw.unpack_dual(x.clone().add_(d)), fw.unpack_dual(d.clone().mul_(2).zero_())",
    "a view of what changes": "(b := x.clone(), w := b[1:], b.mul_(d)) and [fw.unpack_dual(w), fw.unpack_dual(b)]",
    "a view that changes": "(b := x.clone(), w := b[1:], w.mul_(d[1:])) and [fw.unpack_dual(w), fw.unpack_dual(b)]",
    "a part assigned": "(b := x.clone(), b.__setitem__(slice(1, 3), d[:2])) and fw.unpack_dual(b)",
    "a shape that changes": "fw.unpack_dual(d.clone().unsqueeze_(0))",
    "views": "fw.unpack_dual(d[1:].view(2, 1).expand(2, 2).T)",
    "without recording": "torch.no_grad()(lambda: fw.unpack_dual(d * d))()",
    "a graph of the tangent": "(b := x.clone().requires_grad_(), e := fw.make_dual(b, v)) and "
                              "torch.autograd.grad(fw.unpack_dual(e * e * e).tangent.sum(), b)",
    "an end of a level that is none": "fw.exit_dual_level(level=3)",
    "jvp of a Function": "fw.unpack_dual(Square.apply(d))",
    "jvp of a Function that has none": "NoRule.apply(d)",
    "jvp of a Function with too many": "TooMany.apply(d)",
    "jvp of a Function of a wrong size": "WrongSize.apply(d)",
    "jvp of a Function that is no tensor": "NoTensor.apply(d)",
    "tensors for jvp that are none": "KeepsANumber.apply(d)",
}  # fmt: skip


def functions(torch):
    """Functions of a user's with different jvp, by name."""

    def made(name, jvp, keep=lambda ctx, x: ctx.save_for_forward(x)):
        def forward(ctx, x):
            keep(ctx, x)
            return x * x

        body = {"forward": staticmethod(forward)} | ({} if jvp is None else {"jvp": staticmethod(jvp)})
        return type(name, (torch.autograd.Function,), body)

    return {each.__name__: each for each in [
        made("Square", lambda ctx, t: 2 * ctx.saved_tensors[0] * t), made("NoRule", None),
        made("TooMany", lambda ctx, t: (t, t)), made("WrongSize", lambda ctx, t: t[:1]),
        made("NoTensor", lambda ctx, t: 3.0),
        made("KeepsANumber", lambda ctx, t: t, lambda ctx, x: ctx.save_for_forward(3)),
    ]}  # fmt: skip


def outcome(library, forward, program):
    names = {"torch": library, "fw": forward, **functions(library)}
    x, v = library.tensor([1.0, 2.0, 3.0]), library.tensor([1.0, 0.0, 2.0])
    with forward.dual_level():
        try:
            return repr(eval(program, names | {"x": x, "v": v, "d": forward.make_dual(x, v)}))
        except (RuntimeError, TypeError, ValueError, AttributeError, AssertionError) as error:
            return type(error).__name__, str(error).partition("\n")[0]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_with_dual_numbers_come_to_what_torchs_do(torch, program):
    mine = outcome(autograd_nb, forward_ad, program)
    assert mine == outcome(torch, torch.autograd.forward_ad, program)


def test_tangents_are_gone_after_the_level(torch):
    for library, forward in ((autograd_nb, forward_ad), (torch, torch.autograd.forward_ad)):
        x = library.ones(2)
        with forward.dual_level() as number:
            d = forward.make_dual(x, x)
        assert number == 0 and repr(d) == "tensor([1., 1.])" and forward.unpack_dual(d).tangent is None
        with forward.dual_level():
            assert forward.unpack_dual(d).tangent is None
        with pytest.raises(RuntimeError, match="^Trying to create a dual Tensor for forward AD but no level exists, "):
            forward.make_dual(x, x)
        with pytest.raises(RuntimeError, match="^Dual level must be a positive number.$"):
            forward.exit_dual_level()


def test_nothing_is_recorded_or_kept_when_no_level_is_open():
    x = autograd_nb.ones(2, requires_grad=True)
    assert not autograd_nb.engine.modes.state.special
    with forward_ad.dual_level():
        assert autograd_nb.engine.modes.state.special
    assert (x * x)._tangents == {}


def test_the_steps_of_tangents_do_not_show_in_a_trace():
    with forward_ad.dual_level():
        d = forward_ad.make_dual(autograd_nb.ones(2), autograd_nb.ones(2))
        with autograd_nb.record() as trace:
            d * d
    assert [step.kind for step in trace.steps()].count("Applied") <= 1


def test_dual_level_decorates_functions():
    @forward_ad.dual_level()
    def slope(x):
        return forward_ad.unpack_dual(forward_ad.make_dual(x, autograd_nb.ones_like(x)).exp()).tangent

    np.testing.assert_allclose(slope(autograd_nb.zeros(2)).numpy(), 1)


def cube_by_parts(x):
    return (x.exp() * x).sum() + (x * x * x).sum() + x.tanh().prod() + x.sigmoid().clone().sqrt_().sum()


def test_a_gradient_taken_inside_a_level_has_tangents(torch):
    found = []
    for library, forward in ((autograd_nb, forward_ad), (torch, torch.autograd.forward_ad)):
        x = library.tensor([0.3, 0.5, 0.9], dtype=library.float64, requires_grad=True)
        with forward.dual_level():
            d = forward.make_dual(x, library.tensor([1.0, -1.0, 2.0], dtype=library.float64))
            (slope,) = library.autograd.grad(cube_by_parts(d), d)
            primal, tangent = forward.unpack_dual(slope)
            assert not primal.requires_grad
        found.append((primal.numpy(), tangent.detach().numpy()))
    for a, b in zip(*found, strict=True):
        assert_close(a, b, 64, of_largest=True)


FUNCTIONAL_PROGRAMS = """
func.jvp(lambda x: x ** 3, (x,), (v,))
func.jvp(lambda x, y: (x * y, {"a": x.exp()}), (x, v), (v, x))
func.jvp(lambda x: (x * 2, x), (x,), (v,), has_aux=True)
func.jvp(lambda x: torch.ones(2), (x,), (v,))
func.jvp(lambda x: func.jvp(torch.sin, (x,), (v,))[1], (x,), (v,))
func.jvp(func.grad(lambda x: (x.exp() * x).sum()), (x,), (v,))
func.jvp(func.grad(func.grad(lambda x: x.exp() * x ** 3)), (x[0],), (v[0],))
func.grad(lambda x: func.jvp(torch.sin, (x,), (v,))[1].sum())(x)
func.grad(lambda x: func.jvp(lambda y: (y ** 2 * x).sum(), (x,), (v,))[1])(x)
func.jvp(lambda x: func.vjp(torch.tanh, x)[1](v)[0], (x,), (v,))
func.jvp(lambda x: x * 2, x, v)
func.jvp(lambda x: x * 2, (), ())
func.jvp(lambda x: 2, (x,), (v,))
func.jvp(lambda x: x, (x,), (torch.ones(2),))
func.jvp(lambda x: x, (x,), (3.,))
func.jvp(lambda x: x // 2, (x,), (v,))
func.jvp(lambda x: x.clone().mul_(x), (x,), (v,))
func.jacfwd(torch.sin)(x)
func.jacfwd(lambda x, y: (x * y.sum(), x.sum()), argnums=1)(x, v)
func.jacfwd(lambda x, y: x * y.sum(), argnums=(0, 1))(x, v)
func.jacfwd(lambda x: (x ** 2, x), has_aux=True)(x)
func.jacfwd(func.jacrev(lambda x: (x ** 3).prod()))(x)
func.jacfwd(func.jacfwd(lambda x: (x ** 3).sum()))(x)
func.hessian(lambda x: (x.exp() * x[0]).sum())(x)
func.jacfwd(lambda x: x * 2)(torch.tensor(3.))
""".strip().splitlines()


@pytest.mark.parametrize("program", FUNCTIONAL_PROGRAMS)
def test_derivatives_of_functions_along_a_direction_are_torchs(torch, program):
    found = []
    for library in (autograd_nb, torch):
        names = {"torch": library, "func": library.func, "x": library.tensor([1.0, 2.0, 3.0]),
                 "v": library.tensor([1.0, 0.5, 2.0])}  # fmt: skip
        try:
            found.append(repr(eval(program, names)))
        except (RuntimeError, TypeError, ValueError) as error:
            found.append((type(error).__name__, str(error).partition("\n")[0].partition(" Got primals with")[0]))
    assert found[0] == found[1]
