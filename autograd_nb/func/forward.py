"""``torch.func.jvp`` and ``jacfwd``: derivatives along a direction, from dual numbers; they nest in each other and in
``grad``."""

from functools import wraps

from ..autograd.forward_ad import Level
from ..autograd.functional import detached
from ..engine.modes import inference_mode, state
from ..engine.table import ops
from ..engine.tensor import Tensor
from .trees import leaves_of, mapped, ordinary, with_leaves


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The output of *func* at *primals*, and how it changes along *tangents*.

    RuntimeError unless primals and tangents are tuples of one structure, and func returns tensors.

    >>> import autograd_nb as torch
    >>> torch.func.jvp(lambda x: x ** 2, (torch.tensor([1., 2.]),), (torch.tensor([1., 10.]),))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    what = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{what}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    if structure(primals) != structure(tangents):
        raise RuntimeError(
            f"{what}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and tangents "
            f"with structure {structure(tangents)}"
        )
    for name, tree in (("primals", primals), ("tangents", tangents)):
        require_tensors(name, leaves_of(tree))
    level, aux = Level(state.dual), None
    with level.opened(), inference_mode(False):
        primals, tangents = mapped(ordinary, primals), mapped(ordinary, tangents)
        pairs = zip(leaves_of(primals), leaves_of(tangents), strict=True)
        output = func(*with_leaves(primals, [level.dual(*pair) for pair in pairs]))
        if has_aux:
            if not isinstance(output, tuple) or len(output) != 2:
                raise RuntimeError(f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True")
            output, aux = output
    for each in leaves_of(output):
        if not isinstance(each, Tensor):
            kind = type(each)
            raise RuntimeError(f"{what}: expected f(*primals) to return only tensors, got unsupported type {kind}")
    found = [level.unpacked(each) for each in leaves_of(output)]
    slopes = [slope_or_zeros(each, strict, number) for number, each in enumerate(found)]
    if not any(each.requires_grad for each in (*leaves_of(primals), *leaves_of(tangents), *(e.primal for e in found))):
        slopes = [detached(each) for each in slopes]  # what history it has is that of a gradient taken by func
    results = with_leaves(output, [each.primal for each in found]), with_leaves(output, slopes)
    if not has_aux:
        return results
    return *results, mapped(lambda each: level.unpacked(each).primal if isinstance(each, Tensor) else each, aux)


def structure(tree):
    """How a tree is built, as text."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {structure(value)}" for key, value in tree.items()) + "}"
    if isinstance(tree, list | tuple):
        inside = ", ".join(map(structure, tree))
        return f"[{inside}]" if isinstance(tree, list) else f"({inside})"
    return "*"


def require_tensors(name, leaves):
    if not leaves:
        raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to contain at least one Tensor.")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got {type(each)}"
            )


def slope_or_zeros(pair, strict, number):
    if pair.tangent is not None:
        return pair.tangent
    if strict:
        raise RuntimeError(f"The output of f is independent of input {number}. This is not allowed with strict=True.")
    return ops.zeros_like(pair.primal.detach())


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives the Jacobian of *func*, column by column: from one call for each element of the input.

    >>> import autograd_nb as torch
    >>> torch.func.jacfwd(lambda x: x * x.sum())(torch.tensor([1., 2.]))
    tensor([[4., 1.],
            [2., 5.]])
    """
    from . import chosen

    @wraps(func)
    def call(*args, **kwargs):
        positions, found, aux = chosen(args, argnums), [], None
        for position in positions:
            primal = args[position]

            def along(each, position=position):
                changed = list(args)
                changed[position] = each
                return func(*changed, **kwargs)

            columns = []
            for number in range(primal.numel() or 1):  # of no elements too, for the output's shape
                basis = ops.zeros_like(primal.detach()).view(-1)
                basis[number : number + 1] = 1
                result = jvp(along, (primal,), (basis.view(primal.shape),), has_aux=has_aux)
                columns.append(leaves_of(result[1]))
                output, aux = result[0], result[2] if has_aux else None
            count = primal.numel()
            stacked = [ops.stack(column, -1) if count else column[0].new_empty((*column[0].shape, 0))
                       for column in zip(*columns, strict=True)]  # fmt: skip
            matrices = [each.reshape((*each.shape[:-1], *primal.shape)) for each in stacked]
            found.append((output, matrices))
        if isinstance(argnums, int):
            jacobian = with_leaves(*found[0])
        else:  # for each output a tuple with one for each argument
            output = found[0][0]
            jacobian = with_leaves(output, zip(*(matrices for _, matrices in found), strict=True))
        return (jacobian, aux) if has_aux else jacobian

    return call
