"""``torch.autograd.functional``: derivatives of functions, rather than of a recorded graph.

Each calls the function on new tensors in place of the inputs and runs backward through that graph: once for a product
with a vector, once for each element of the output for a whole Jacobian.  The products J @ v and H @ v (jvp, hvp) take
two passes: the first is linear in the gradient that it receives, so a pass back through it computes the transpose.
"""

from ..engine.modes import enable_grad
from ..engine.table import ops
from ..engine.tensor import Tensor, refuse_foreign
from ..torch_api.keywords import stands_for
from .passes import grad

# -- shared by all ---------------------------------------------------------------------------------------------------


def as_tensors(values, what, name):
    """Whether the caller gave a tuple, and the tensors as a tuple; TypeError for anything else."""
    several = isinstance(values, tuple)
    tensors = values if several else (values,)
    refuse_foreign(*tensors)
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            which = f"value at index {place}" if several else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} "
                            f"has type {type(each)}.")  # fmt: skip
    return several, tensors


def separate(tensors, create_graph, requires_grad=True):
    """New tensors in place of the inputs, so that a tensor that the function captures is not its input."""
    return tuple([
        ops.view_as(each, each) if create_graph and each.requires_grad else each.detach().requires_grad_(requires_grad)
        for each in tensors
    ])  # fmt: skip


def evaluated(name, func, inputs, create_graph):
    several_inputs, inputs = as_tensors(inputs, "inputs", name)
    inputs = separate(inputs, create_graph)
    several_outputs, outputs = as_tensors(func(*inputs), "outputs of the user-provided function", name)
    return several_inputs, inputs, several_outputs, outputs


def vector(name, v, like, create_graph):
    """The vector of a product, in the shapes of *like*; None stands for 1 if *like* has a single element."""
    if v is None:
        if [each.numel() for each in like] != [1]:
            what = "user-provided function returns" if name == "vjp" else "input to the user-provided function is"
            raise RuntimeError(f"The vector v can only be None if the {what} a single Tensor with a single element.")
        return (None,)
    tensors = separate(as_tensors(v, "v", name)[1], create_graph, requires_grad=False)
    given, needed = (", ".join([str(each.shape) for each in some]) for some in (tensors, like))
    if given != needed:
        raise RuntimeError(f"v has invalid size: should be {needed} but got {given}.")
    return tensors


def gradients(outputs, inputs, vectors, create_graph, retain_graph=None):
    """The gradients of the outputs that require grad; zeros for inputs on which none of them depends."""
    pairs = [(out, v) for out, v in zip(outputs, vectors, strict=True) if out.requires_grad]
    if not pairs:
        return tuple(ops.zeros_like(each) for each in inputs)
    outputs, vectors = zip(*pairs, strict=True)
    return grad(outputs, inputs, vectors, retain_graph, create_graph, materialize_grads=True)


def pushed(outputs, inputs, vectors, create_graph):
    """The Jacobian-vector products, one for each output."""
    weights = [ops.zeros_like(out, requires_grad=True) for out in outputs]
    slope = gradients(outputs, inputs, weights, create_graph=True)
    return gradients(slope, weights, vectors, create_graph)


def given_back(tensors, several, create_graph):
    """The results for the caller: detached unless *create_graph*, and a tuple only if *several*."""
    if not create_graph:
        tensors = tuple(each.detach() for each in tensors)
    return tensors if several else tensors[0]


def gradient_of(name, func, inputs):
    """The gradient of *func* as a function, and a list in which it keeps each value of *func*, a single element."""
    several, values = as_tensors(inputs, "inputs", name)[0], []

    def gradient(*inputs):
        is_tuple, outputs = as_tensors(func(*inputs), "outputs of the user-provided function", name)
        if is_tuple:
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if outputs[0].numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
        values.extend(outputs)
        grads = gradients(outputs, inputs, (None,), create_graph=True)
        return grads if several else grads[0]

    return gradient, values


# -- products with a vector ------------------------------------------------------------------------------------------


def vjp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)`` and the vector-Jacobian product with *v*, which has the output's shape.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        several_inputs, inputs, several, outputs = evaluated("vjp", func, inputs, create_graph)
        products = gradients(outputs, inputs, vector("vjp", v, outputs, create_graph), create_graph)
    return given_back(outputs, several, create_graph), given_back(products, several_inputs, create_graph)


def jvp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)`` and the Jacobian-vector product with *v*, which has the inputs' shape.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        _, inputs, several, outputs = evaluated("jvp", func, inputs, create_graph)
        products = pushed(outputs, inputs, vector("jvp", v, inputs, create_graph), create_graph)
    return given_back(outputs, several, create_graph), given_back(products, several, create_graph)


def vhp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)``, a single element, and the vector-Hessian product with *v*.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor(9.), tensor([  6., 120.]))
    """
    return hessian_product("vhp", vjp, func, inputs, v, create_graph)


def hvp(func, inputs, v=None, create_graph=False):
    """The output and the Hessian-vector product with *v*; :func:`vhp` returns the same after one pass less."""
    return hessian_product("hvp", jvp, func, inputs, v, create_graph)


def hessian_product(name, product, func, inputs, v, create_graph):
    """The Hessian is the Jacobian of the gradient, so its products are products with that Jacobian."""
    gradient, values = gradient_of(name, func, inputs)
    products = product(gradient, inputs, v, create_graph)[1]
    return given_back(values, False, create_graph), products


# -- whole matrices --------------------------------------------------------------------------------------------------


def jacobian(func, inputs, create_graph=False, *, vectorize=False):
    """The Jacobian of *func* at *inputs*: a tensor of the output's shape followed by the input's.

    For several inputs a tuple, for several outputs a tuple of tuples.  *vectorize* has no effect here.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.jacobian(lambda x: x * x.sum(), torch.tensor([1., 2.]))
    tensor([[4., 1.],
            [2., 5.]])
    """
    with enable_grad():
        several_inputs, inputs, several, outputs = evaluated("jacobian", func, inputs, create_graph)
        rows = [jacobian_of(output, inputs, create_graph) for output in outputs]
    rows = tuple(given_back(row, several_inputs, create_graph) for row in rows)
    return rows if several else rows[0]


def jacobian_of(output, inputs, create_graph):
    rows = [gradients((element,), inputs, (None,), create_graph, retain_graph=True)
            for element in ops.reshape(output, (-1,))]  # fmt: skip
    columns = [(ops.stack([row[i] for row in rows]), input.shape) for i, input in enumerate(inputs)]
    return tuple(ops.view(column, (*output.shape, *shape)) for column, shape in columns)


def hessian(func, inputs, create_graph=False, *, vectorize=False):
    """The Hessian of *func*, which must return a single element: the Jacobian of its gradient.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum() + x.prod(), torch.tensor([1., 2.]))
    tensor([[ 6.,  1.],
            [ 1., 12.]])
    """
    gradient, _ = gradient_of("hessian", func, inputs)
    return jacobian(gradient, inputs, create_graph)


__getattr__ = stands_for("torch.autograd.functional", globals())
