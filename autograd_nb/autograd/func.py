"""``torch.func``: derivatives as functions of functions, which may be nested: ``grad(grad(f))(x)``.

Arguments may be tensors, or tuples, lists and dicts of them, such as the parameters of a module by name.  A result is
part of the graph if a tensor outside requires grad on which it depends.
"""

from functools import wraps

from ..engine.graph import reachable
from ..engine.modes import enable_grad, is_grad_enabled
from ..engine.table import ops
from ..engine.tensor import AccumulateGrad, Tensor, gradient_edge
from ..torch_api.keywords import stands_for
from .functional import gradients, pushed, separate
from .passes import grad as gradients_of


def mapped(function, tree, strict=False):
    """The same structure of tuples, lists and dicts, with the function's result in place of each tensor.

    Other values stay; with *strict* they raise ValueError.
    """
    if isinstance(tree, dict):
        return {key: mapped(function, each, strict) for key, each in tree.items()}
    if isinstance(tree, tuple | list):
        parts = [mapped(function, each, strict) for each in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if strict and not isinstance(tree, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(tree)}")
    return function(tree) if isinstance(tree, Tensor) else tree


def tensors_in(tree, strict=False):
    found = []
    mapped(found.append, tree, strict)
    return found


def filled(tree, values):
    """The structure with *values* in place of its tensors, in order."""
    values = iter(values)
    return mapped(lambda tensor: next(values), tree)


def own(tree):
    """New tensors in place of those in a structure, with a gradient each."""
    return filled(tree, separate(tensors_in(tree, strict=True), create_graph=True))


def reaches_others(outputs, inputs):
    """Whether the graph of the outputs has a leaf that is none of the inputs."""
    own, below = {each._node for each in inputs}, reachable(map(gradient_edge, outputs))
    return any(node.__class__ is AccumulateGrad and node not in own for node in below)


def with_aux(name, result, has_aux):
    """The output and the rest of what a function returned."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def given_back(tree, connected):
    return tree if connected else mapped(Tensor.detach, tree)


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient of *func*, with respect to one argument or several, and its value."""
    name = "grad_and_value(f)(*args)"

    @wraps(func)
    def call(*args, **kwargs):
        outside, args = is_grad_enabled(), list(args)
        places = argnums if isinstance(argnums, tuple) else (argnums,)
        with enable_grad():
            for place in places:
                args[place] = own(args[place])
            output, aux = with_aux(name, func(*args, **kwargs), has_aux)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim():
                raise RuntimeError(f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                                   f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            chosen = tuple(args[place] for place in places)
            inputs = tensors_in(chosen)
            connected = outside and reaches_others([output], inputs)
            found = filled(chosen, gradients([output], inputs, (None,), connected))
        value = given_back((output, aux) if has_aux else output, connected)
        return given_back(found if isinstance(argnums, tuple) else found[0], connected), value

    return call


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of *func*, whose result is a number, with respect to one argument or several.

    >>> import autograd_nb as torch
    >>> cube = lambda x: x ** 3
    >>> torch.func.grad(cube)(torch.tensor(2.)), torch.func.grad(torch.func.grad(cube))(torch.tensor(2.))
    (tensor(12.), tensor(12.))
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def call(*args, **kwargs):
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return call


def vjp(func, *primals, has_aux=False):
    """The output of ``func(*primals)``, and a function from a vector of its shape to the products with the Jacobians.

    >>> import autograd_nb as torch
    >>> output, product = torch.func.vjp(lambda x: x * x, torch.tensor([1., 2.]))
    >>> output, product(torch.tensor([1., 10.]))
    (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    outside = is_grad_enabled()
    with enable_grad():
        primals = own(primals)
        output, aux = with_aux("vjp(f, *primals)", func(*primals), has_aux)
    inputs, outputs = tensors_in(primals), tensors_in(output)
    connected = outside and reaches_others(outputs, inputs)

    def product(cotangents, retain_graph=True, create_graph=None):
        create_graph = is_grad_enabled() and reaches_others([*outputs, *tensors_in(cotangents)], inputs) \
            if create_graph is None else create_graph
        found = gradients_of(outputs, inputs, tensors_in(cotangents), retain_graph, create_graph, True,
                             materialize_grads=True)  # fmt: skip
        return filled(primals, found)

    result = given_back(output, connected), product
    return (*result, given_back(aux, connected)) if has_aux else result


def jvp(func, primals, tangents, *, has_aux=False):
    """The output of ``func(*primals)``, and the product of its Jacobian with *tangents*, a tuple like *primals*.

    >>> import autograd_nb as torch
    >>> torch.func.jvp(lambda x: x * x, (torch.tensor([1., 2.]),), (torch.tensor([1., 10.]),))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    name, outside = "jvp(f, primals, tangents)", is_grad_enabled()
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    with enable_grad():
        primals = own(primals)
        output, aux = with_aux(name, func(*primals), has_aux)
        outputs, inputs, vectors = tensors_in(output), tensors_in(primals), tensors_in(tangents)
        connected = outside and reaches_others([*outputs, *vectors], inputs)
        products = filled(output, pushed(outputs, inputs, vectors, connected))
    result = given_back((mapped(ops.alias, output), products, aux), connected)
    return result if has_aux else result[:2]


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None):
    """The output of a module with other parameters and buffers, given by their names, in place of its own."""
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    modules, replaced = dict(module.named_modules()), []
    try:
        for path, value in parameter_and_buffer_dicts.items():
            owner, _, name = path.rpartition(".")
            owner = modules[owner]
            held = owner._parameters if name in owner._parameters else owner._buffers
            if name in held:
                replaced.append((held, name, held[name]))
                held[name] = value
        return module(*args, **kwargs or {})
    finally:
        for held, name, value in replaced:
            held[name] = value


__getattr__ = stands_for("torch.func", globals())
