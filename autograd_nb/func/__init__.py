"""``torch.func``: derivatives as functions of functions, which may be nested.

>>> import autograd_nb as torch
>>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(2.))
tensor(-0.9093)
"""

from functools import wraps

from .. import autograd
from ..autograd import functional
from ..autograd.functional import detached
from ..engine.modes import inference_mode, state
from ..engine.tensor import Tensor
from ..torch_api.absent import absent_from
from .forward import jacfwd, jvp
from .trees import leaves_of, mapped, ordinary, with_leaves

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"]


def chosen(args, argnums):
    """The positions *argnums* as a tuple, counted from the front; RuntimeError for one that is not there."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
    return tuple(number % len(args) for number in numbers)


def separated(args, positions):
    """The arguments with new tensors, which require grad, at the positions; and these tensors.

    A tensor that requires grad already stays tied to where it came from, so that derivatives nest.
    """
    inputs = []

    def separate(value):
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        value = ordinary(value)
        inputs.append(value.view_as(value) if value.requires_grad else detached(value).requires_grad_())
        return inputs[-1]

    with inference_mode(False):
        args = [mapped(separate, each) if i in positions else each for i, each in enumerate(args)]
    return args, inputs


def given_back(values, inputs):
    """Results without history, unless the inputs of the whole have one and it is being recorded."""
    if not state.hot[1] or all(each.is_leaf for each in inputs):
        return mapped(lambda value: detached(value) if isinstance(value, Tensor) else value, values)
    return values


def split_aux(output, has_aux, name):
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RuntimeError(f"{name}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is "
                           "True")
    return output


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient of *func*, which returns one element, and its value.

    *argnums* says with respect to which positional arguments: a number, or a tuple of them; an argument may be a dict,
    list or tuple of tensors.  With *has_aux* func returns a pair, of which the second is handed on.

    >>> import autograd_nb as torch
    >>> torch.func.grad_and_value(lambda x, y: x * y ** 2, argnums=1)(torch.tensor(2.), torch.tensor(3.))
    (tensor(12.), tensor(18.))
    """

    @wraps(func)
    def call(*args, **kwargs):
        positions = chosen(args, argnums)
        args, inputs = separated(args, positions)
        with inference_mode(False):
            output, aux = split_aux(func(*args, **kwargs), has_aux, "grad_and_value")
            if not isinstance(output, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                                   f"{type(output)}")
            if output.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            slopes = gradients([output] if output.requires_grad else [], inputs)
        found = with_leaves([args[i] for i in positions], slopes)
        found = found[0] if isinstance(argnums, int) else tuple(found)
        found, output, aux = given_back((found, output, aux), inputs)
        return (found, (output, aux)) if has_aux else (found, output)

    return call


def gradients(outputs, inputs, given=None):
    """The gradients of outputs that require grad for each input, zeros where none depends on it."""
    if not outputs:
        return [each.detach() * 0 for each in inputs]
    return autograd.grad(outputs, inputs, given, create_graph=True, materialize_grads=True)


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of *func*; arguments as for :func:`grad_and_value`.

    >>> import autograd_nb as torch
    >>> torch.func.grad(lambda x: x ** 3)(torch.tensor(2.))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def call(*args, **kwargs):
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return call


def vjp(func, *primals, has_aux=False):
    """The output of *func*, and a function from a gradient of the output to a tuple of those of the inputs.

    >>> import autograd_nb as torch
    >>> output, pull = torch.func.vjp(lambda x: x ** 2, torch.tensor([1., 2.]))
    >>> pull(torch.tensor([1., 10.]))
    (tensor([ 2., 40.]),)
    """
    args, inputs = separated(primals, range(len(primals)))
    with inference_mode(False):
        output, aux = split_aux(func(*args), has_aux, "vjp")

    def pull(cotangents):
        pairs = zip(leaves_of(output), leaves_of(cotangents), strict=True)
        pairs = [(out, each) for out, each in pairs if out.requires_grad]
        with inference_mode(False):
            found = gradients([out for out, _ in pairs], inputs, [each for _, each in pairs])
        return given_back(tuple(with_leaves(args, found)), [*inputs, *leaves_of(cotangents)])

    shown = given_back(output, inputs)
    return (shown, pull, given_back(aux, inputs)) if has_aux else (shown, pull)


def jacrev(func, argnums=0, *, has_aux=False):
    """A function that gives the Jacobian of *func*, from one backward pass for each element of the output.

    >>> import autograd_nb as torch
    >>> torch.func.jacrev(lambda x: x * x.sum())(torch.tensor([1., 2.]))
    tensor([[4., 1.],
            [2., 5.]])
    """

    @wraps(func)
    def call(*args, **kwargs):
        positions = chosen(args, argnums)
        aux = []

        def of_chosen(*inputs):
            changed = list(args)
            for position, each in zip(positions, inputs, strict=True):
                changed[position] = each
            output, extra = split_aux(func(*changed, **kwargs), has_aux, "jacrev")
            aux.append(extra)
            return output

        with inference_mode(False):
            inputs = tuple(ordinary(args[i]) for i in positions)
            nested = any(each.requires_grad for each in inputs)
            found = functional.jacobian(of_chosen, inputs, create_graph=nested)
        if nested and not state.hot[1]:
            found = mapped(detached, found)
        if isinstance(argnums, int):
            found = tuple(row[0] for row in found) if isinstance(found[0], tuple) else found[0]
        return (found, aux[0] if nested else mapped(lambda each: each.detach(), aux[0])) if has_aux else found

    return call


def hessian(func, argnums=0):
    """A function that gives the Hessian of *func*.

    >>> import autograd_nb as torch
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call *module* with the tensors of a dict (or of several) in place of its parameters and buffers of these names.

    RuntimeError, with *strict*, for names that are not the module's or are missing.

    >>> import autograd_nb as torch
    >>> double = torch.nn.Linear(1, 1, bias=False)
    >>> torch.func.functional_call(double, {"weight": torch.tensor([[2.]])}, torch.tensor([3.]))
    tensor([6.])
    """
    given = parameter_and_buffer_dicts
    values = dict(given) if isinstance(given, dict) else {name: value for each in given for name, value in each.items()}
    names = {name for name, _ in [*module.named_parameters(), *module.named_buffers()]}
    if strict and set(values) != names:
        raise RuntimeError(f"functional_call: missing names {sorted(names - set(values))}, unexpected names "
                           f"{sorted(set(values) - names)}")
    places = []
    for name in values:
        if name in names:
            *path, last = name.split(".")
            owner = module
            for part in path:
                owner = getattr(owner, part)
            places.append((owner._parameters if last in owner._parameters else owner._buffers, last, values[name]))
    before = [held[last] for held, last, _ in places]
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for held, last, value in places:
            held[last] = value
        return module(*args, **(kwargs or {}))
    finally:
        for (held, last, _), value in zip(places, before, strict=True):
            held[last] = value


__getattr__ = absent_from("torch.func")
