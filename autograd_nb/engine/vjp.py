"""From a row's formulas to the backward function of a node.

A plan is a row for one pattern of inputs that require grad; all nodes of that kind share it.  Its
backward functions take a node and the gradient of its output, and return the gradients of the
inputs: one function works on arrays, the other, under create_graph, on tensors.  Both are generated
here from the row, as Python source, when first needed.  For ``mul``:

    def MulBackward0(node, grad):
        self, other = node.saved
        self = value_of(node, self)
        other = value_of(node, other)
        grad_other = other_formula(grad, self)
        grad_self = self_formula(grad, other)
        return grad_self, grad_other

At the end each gradient is held against its input, as in PyTorch's engine: it is summed over the
dimensions that were broadcast, and cast if a formula gave another dtype than the input's.
"""

import linecache
from functools import cache, cached_property, lru_cache
from itertools import count
from types import FunctionType

import numpy as np

from .dtypes import BY_NUMPY  # noqa: F401 used by generated code
from .graph import BasePlan
from .modes import state

# noqa below: used by generated code
from .saved import FREED, SavedVariable, share_saved, tensor_of, value_of  # noqa: F401
from .table import Row, on_tensors, ops, scalar  # noqa: F401
from .tensor import Tensor, ndarray, wrap  # noqa: F401


class Plan(BasePlan):
    """The backward step of a row's nodes when the inputs named in *needs* require grad.

    *numbers* names the inputs that are Python numbers.  *restored* says how a gradient is fitted to
    its input: by "shape" where inputs were broadcast, by "dtype" too where an input's dtype is not
    the result's.
    *saves* names the entries of ``node.saved``: one stands alone, several form a tuple.
    *arguments* names the entries of the tuple ``node.arguments``: values other than tensors that
    formulas read, and each input's shape or dtype to restore.
    """

    helpers = {}  # names in the source of the backward functions, besides those of this file

    def __init__(self, row, needs, numbers, restored):
        self.row, self.needs, self.numbers, self.restored = row, needs, numbers, restored
        self.node_name = row.node_name
        self.several_outputs, self.index_output = row.several, row.index_output
        tensors = [name for name in row.differentiable if name not in numbers]
        inputs = [f"{name}_{what}" for what in restored for name in tensors]
        self.arguments = (*row.constants, *inputs)
        self.saves = row.saves(needs)
        self.can_be_freed = bool(self.saves)
        returns, parameters = row.returns or (), row.parameters
        self.saved_inputs = [parameters.index(name) for name in self.saves if name in parameters]
        self.saved_outputs = [returns.index(name) for name in self.saves if name in returns]
        self.output_numbers = [None] * len(self.saved_inputs) + self.saved_outputs
        broadcasts = row.broadcasts and not restored
        self.with_shapes = plan_of(row, needs, numbers, ("shape",)) if broadcasts else self

    @property
    def with_dtypes(self):
        """The plan for inputs of other dtypes than the result's."""
        restored = ("shape", "dtype") if self.row.broadcasts else ("dtype",)
        return plan_of(self.row, self.needs, self.numbers, restored)

    def apply(self, node, grads):
        given = found = grads[0]
        if self.several_outputs:
            given, found = grads, next((grad for grad in grads if grad is not None), None)
        if found is None:
            for entry in self.entries(node).values():
                value_of(node, entry)  # PyTorch unpacks it, though there is nothing to compute
            return [None] * len(node.edges)
        task = state.graph_task
        wanted = task and task.needed and task.needed.get(node)
        if isinstance(found, Tensor):  # under create_graph
            return backward_function(self, wanted, True)(node, given)
        function = self.on_arrays if wanted is None else backward_function(self, wanted, False)
        return state.run(function, node, given)

    @cached_property
    def on_arrays(self):
        """The backward function of arrays that computes all gradients."""
        return backward_function(self, None, False)

    def unpacked(self, name, number, tensors):
        """The expression for a saved entry: an input, or the output *number*."""
        if tensors:
            return f"tensor_of(node, {name}, {number})"
        return f"value_of(node, {name})"

    def call(self, node, grads):
        """Run the node alone, on tensors; return its gradients, not yet fitted to the inputs."""
        if all(grad is None for grad in grads):
            return [None] * len(node.edges)
        backward = backward_function(self, None, True, fitted=False)
        return backward(node, grads if self.several_outputs else grads[0])

    def output_count(self, node):
        return len(self.row.returns or range(node.arguments[-1]))

    def result_shared(self, node, number, tensor):
        if number in self.output_numbers:
            share_saved(node, self.output_numbers.index(number), len(self.saves), number, tensor)

    # -- looking at a node -----------------------------------------------------------------------

    def entries(self, node):
        """``{name: saved entry}`` of a node; RuntimeError when its buffers were freed."""
        if self.saves and node.saved is FREED:
            FREED.unpack(node)
        entries = node.saved if len(self.saves) > 1 else (node.saved,)
        found = dict(zip(self.saves, entries))  # noqa: B905 there may be nothing
        in_order = *self.row.parameters, *found
        return {name: found[name] for name in in_order if name in found}

    @property
    def readable(self):
        """Every NAME for which a node has ``_saved_NAME``."""
        names = {name for reads in self.row.reads.values() for name in reads}
        ours = {name for name in names if name.endswith(("scalar_type", "dtype", "dtypes"))}
        return sorted(names - ours)

    def saved_attribute(self, node, name):
        return ops.saved_attribute(node, name)


def plan_of(row, needs, numbers=(), restored=()):
    """The row's plan for this pattern, made at its first use."""
    key = needs, numbers, restored
    plan = row.plans.get(key)
    if plan is None:
        plan = row.plans[key] = row.new_plan(row, *key)
    return plan


Row.new_plan = Plan


# -- generating a backward function --------------------------------------------------------------


@cache
def backward_function(plan, wanted, tensors, fitted=True):
    """The function from a node and the gradient of its output to the gradients of its inputs.

    *wanted* is true or false for each input, or None for all; *tensors*: gradients are tensors, not
    arrays; *fitted*: each gradient is brought to its input's shape and dtype.
    """
    wanted = None if plan.row.variadic else wanted
    return compiled(*source_of(plan, wanted, tensors, fitted), plan.node_name)


def source_of(plan, wanted, tensors, fitted):
    """The source of a plan's backward function, and the names that it uses."""
    row, names = plan.row, {**globals(), **plan.helpers}
    if tensors:
        names["sum_to"] = sum_to_size
    wanted = zip(row.differentiable, wanted or row.differentiable, strict=True)
    inputs = [name for name, each in wanted if each and name in plan.needs]
    source, like = f"def {row.node_name}(node, grad):\n", "grad"
    if row.several:
        source += "    given = next(each for each in grad if each is not None)\n"
        like = "given"
    if plan.saves:
        source += f"    {', '.join(plan.saves)} = node.saved\n"
    for name, number in zip(plan.saves, plan.output_numbers, strict=True):
        value = plan.unpacked(name, number, tensors)
        if "dtype" in plan.restored:
            operand = name in row.parameters and row.parameters.index(name) in row.promoted
            value = f"promoted({value}, {like}, {operand})"
        source += f"    {name} = {value}\n"
    read = {each for name in inputs for each in row.reads[name]} - set(plan.saves)
    for name in sorted(read):
        value = f"node.arguments[{plan.arguments.index(name)}]" if name in plan.arguments else None
        source += f"    {name} = {f'scalar({value})' if tensors else value}\n"
    # alphabetically, as in PyTorch: under create_graph it is the order of the new nodes
    for name in sorted(inputs):
        formula = row.formulas[name]
        names[name + "_formula"] = on_tensors(formula) if tensors else formula
        value = f"{name}_formula({', '.join(('grad', *row.reads[name]))})"
        source += f"    grad_{name} = {'grad' if name in row.passed_on else value}\n"
        if fitted:
            source += fitting(plan, name, like, tensors)
    grads = [f"grad_{name}" if name in inputs else "None" for name in row.differentiable]
    return source + f"    return {grads[0] if row.variadic else ', '.join(grads) + ','}\n", names


def fitting(plan, name, like, tensors):
    """The lines that bring a gradient to its input's shape and dtype.

    Where no dtype is given, it is held against *like*, the gradient of the output.
    """
    grad, variadic, source = f"grad_{name}", plan.row.variadic, ""
    for what in plan.restored:
        given = f"node.arguments[{plan.arguments.index(f'{name}_{what}')}]"
        if variadic:
            source += f"    {grad} = [*map(cast, {grad}, {given})]\n"
        elif what == "dtype":
            source += f"    {grad} = cast({grad}, {given})\n"
        else:
            source += f"""    if {grad}{"._array" * tensors}.shape != {given}:
        {grad} = sum_to({grad}, {given})
"""
    if variadic or "dtype" in plan.restored or name in plan.row.passed_on:
        return source
    if tensors:
        return source + f"    {grad} = cast({grad}, {like}._dtype)\n"
    unlike = f"{grad}.__class__ is not {like}.__class__"
    return source + f"""    if {unlike} or {grad}.__class__ is ndarray:
        if {grad} is not None and {grad}.dtype is not {like}.dtype:
            {grad} = cast({grad}, BY_NUMPY[{like}.dtype])
"""


FOLDER, sources = __file__.removesuffix("vjp.py"), count()


def compiled(source, names, name):
    """The function that *source* defines; ``inspect.getsource`` and tracebacks show its lines."""
    # in the package's folder, as it is not the learner's code
    file = f"{FOLDER}<{name} {next(sources)}>"
    names["__name__"] = __name__
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    return names[name]


def written_at_first(name, write, *given, **names):
    """A function that is written when somebody first calls it, since a program calls few of all.

    ``write(function, *given)`` returns the function to run, as a rule the same one with its code.
    *names* are its global names.
    """
    names.update(__name__=__name__, write=write)
    function = FunctionType(AT_FIRST, names, name)
    function.__qualname__, names["given"] = name, (function, *given)
    return function


# the names are those of the function
AT_FIRST = (lambda *args, **kwargs: write(*given)(*args, **kwargs)).__code__  # noqa: F821


# -- called by generated functions -----------------------------------------------------------------


def cast(grad, dtype):
    """A gradient in the dtype of its input."""
    if isinstance(grad, Tensor):
        return grad if grad._dtype is dtype else grad.to(dtype)
    return grad if grad is None else grad.astype(dtype.numpy, copy=False)


def promoted(value, grad, operand):
    """A saved value in the dtype of its gradient, in which the formula computes; masks stay bools.

    A tensor of floats stays in its graph: operations on tensors promote it themselves.
    """
    if isinstance(value, Tensor):
        fits = value._dtype.is_floating_point or not operand
        return value if fits else value.to(grad._dtype)
    cast = isinstance(value, ndarray | np.generic) and (operand or value.dtype.kind != "b")
    return value.astype(grad.dtype) if cast else value


@lru_cache(64)
def ones(length, dtype):
    """A vector of ones; its product with a matrix sums the rows three times as fast as ``sum``."""
    return np.ones(length, dtype)


def sum_to(grad, shape):
    """A gradient, summed over the dimensions that broadcasting added or stretched."""
    full = grad.shape
    if len(full) == 2 and grad.itemsize > 2:
        if full[1:] == shape[-1:]:  # the bias of a layer
            total = ones(full[0], grad.dtype).dot(grad)
            return total if full[1:] == shape else total[None]
        if shape == (full[0], 1):
            return grad.dot(ones(full[1], grad.dtype))[:, None]
    axes = stretched(full, shape)
    return np.add.reduce(grad, axis=axes or None, keepdims=True).reshape(shape)[()]


def sum_to_size(tensor, size):
    """The same for a tensor, with operations, as in PyTorch's graph."""
    shape = tensor._array.shape
    if size == shape:
        return tensor
    if not size:
        return ops.sum(tensor)
    total = ops.sum(tensor, stretched(shape, size), True)
    return ops.view(total, size) if len(size) < len(shape) else total


def stretched(full, shape):
    """The dimensions of shape *full* that broadcasting from *shape* added or stretched."""
    lead = len(full) - len(shape)
    kept = enumerate(shape, lead)
    return *range(lead), *[dim for dim, length in kept if length == 1 and full[dim] != 1]
