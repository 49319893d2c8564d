"""From a row's formulas to the backward function of a node.

A plan is a row for one pattern of inputs that require grad, shared by all nodes of that kind.  Its
backward functions take a node and the gradient of its output and return the gradients of the
inputs: one function for arrays and, under create_graph, one for tensors.  Both are generated here
as Python source, from the row, when first needed.  For ``mul``:

    def MulBackward0(node, grad):
        self, other = node.saved
        self = self._array if self.__class__ is Tensor and self._counter is None else value_of(node, self)
        other = other._array if other.__class__ is Tensor and other._counter is None else value_of(node, other)
        grad_other = other_formula(grad, self)
        grad_self = self_formula(grad, other)
        return grad_self, grad_other

Gradients are fitted at the end: summed over the dimensions that were broadcast, and cast to the
inputs' dtypes.
"""

import linecache
from functools import lru_cache
from itertools import count

import numpy as np

from . import dtypes
from .graph import BasePlan
from .modes import state
from .saved import FREED, SavedVariable, share_saved, tensor_of, value_of  # noqa: F401 used by generated code
from .table import on_tensors, ops, parameter_names, scalar  # noqa: F401
from .tensor import Tensor, ndarray, wrap  # noqa: F401


class Plan(BasePlan):
    """What nodes of one row do when the inputs named in *needs* require grad.

    *numbers* names the inputs given as Python numbers.  *fit* is "shape" when gradients are summed
    to the inputs' shapes, "dtype" when they also change dtype, else None.  *saves* names what
    ``node.saved`` holds: a single entry as it is, several as a tuple.  ``node.arguments`` holds the
    other values that formulas read, in the order of the row's parameters and shapes, or None; with
    a *fit* it is ``(those values, shapes, dtypes, common dtype)``.
    """

    def __init__(self, row, needs, numbers, fit):
        self.row = row
        self.node_name = row.node_name
        self.needs = needs
        self.numbers = numbers
        self.fit = fit
        self.several_outputs = row.several
        self.index_output = row.index_output
        self.shares_grad = fit is None and len([name for name in needs if passes_through(row.formulas[name])]) > 1
        self.only = row.differentiable.index(needs[0]) if len(needs) == 1 and not row.variadic else None
        self.saves = row.saves(needs)
        self.can_be_freed = bool(self.saves)
        returns = row.returns or ()
        self.output_numbers = [returns.index(name) if name in returns else None for name in self.saves]
        entries = [(name, row.parameters.index(name) if number is None else None, number)
                   for name, number in zip(self.saves, self.output_numbers, strict=True)]  # fmt: skip
        self.in_order = sorted(entries, key=lambda entry: (entry[1] is None, entry[0]))  # in which PyTorch unpacks them
        self.with_shapes = plan_of(row, needs, numbers, "shape") if row.broadcasts and fit is None else None
        self.written = {}  # (the wanted gradients, whether on tensors, whether fitted) -> backward function
        self.one_output, self.backward, self.backward_tensors = not row.several, None, None  # for speed.py

    def apply(self, node, grads):
        found = [grad for grad in grads if grad is not None] if self.several_outputs else grads
        if not found or found[0] is None:
            for entry in self.entries(node).values():
                value_of(node, entry)  # as PyTorch unpacks it, though there is nothing to compute
            return [None] * len(node.edges)
        tensors, task = isinstance(found[0], Tensor), state.graph_task  # tensors under create_graph
        wanted = None if task is None or task.needed is None or self.row.variadic else task.needed.get(node)
        function = self.function(wanted, tensors)
        given = grads if self.several_outputs else found[0]
        return function(node, given) if tensors else state.run(function, node, given)

    def function(self, wanted, tensors, fitted=True):
        """A backward function for the *wanted* gradients (None: all); it checks everything saved."""
        found = self.written.get((wanted, tensors, fitted))
        if found is None:
            source, names = source_of(self, wanted, tensors, fitted)
            found = self.written[wanted, tensors, fitted] = compiled(source, names, self.node_name)
        return found

    def call(self, node, grad_outputs):
        """Run the node alone, on tensors: its gradients, before they are fitted to the inputs."""
        backward = self.function(None, tensors=True, fitted=False)
        grads = backward(node, list(grad_outputs) if self.several_outputs else grad_outputs[0])
        return grads[0] if len(grads) == 1 else tuple(grads)

    def result_shared(self, node, number, tensor):
        if number in self.output_numbers:
            share_saved(node, self.output_numbers.index(number), len(self.saves), number, tensor)

    # -- looking at a node -------------------------------------------------------------------------

    def entries(self, node):
        """``{name: saved entry}`` of a node; RuntimeError when its buffers were freed."""
        if not self.saves:
            return {}
        if node.saved is FREED:
            FREED.unpack(node)
        return dict(zip(self.saves, node.saved if len(self.saves) > 1 else (node.saved,), strict=True))

    @property
    def readable(self):
        """The names of all that ``node._saved_NAME`` may be asked for."""
        return sorted({name for reads in self.row.reads.values() for name in reads})

    def saved_attribute(self, node, name):
        short = name.removeprefix("_raw").removeprefix("_saved_")
        row, raw = self.row, name.startswith("_raw")
        if short not in self.readable or raw and short not in (*row.tensors, *self.saves):
            return super().saved_attribute(node, name)
        if raw:
            index = self.saves.index(short) if short in self.saves else None
            return ops.saved_tensor(node, index, len(self.saves) == 1, index and self.output_numbers[index])
        if short not in self.saves:
            constants, names = constants_of(node), (*row.parameters, *row.shape_names)
            return constants[names.index(short)] if constants and short in names else None
        entry = self.entries(node)[short]
        if entry.__class__ in dtypes.PYTHON_NUMBERS:  # by class: a saved float64 is an instance of float too
            dtype = dtypes.float64 if entry.__class__ is float else dtypes.of_number(entry)
            return wrap(dtype.scalar(entry), dtype)
        number = self.output_numbers[self.saves.index(short)]
        value = tensor_of(None if number is None else node, entry, number)  # None: a detached one may be seen
        return value.shown() if hasattr(value, "shown") else value


def plan_of(row, needs, numbers=(), fit=None):
    """The row's plan for this pattern, made when it first occurs."""
    key = needs, numbers, fit
    plan = row.plans.get(key)
    if plan is None:
        plan = row.plans[key] = Plan(row, needs, numbers, fit)
    return plan


def constants_of(node):
    """What a node's formulas read besides tensors, in the order of the row's parameters, or None."""
    return node.arguments and node.arguments[0] if node.plan.fit else node.arguments


# -- generating a backward function ----------------------------------------------------------------


def source_of(plan, wanted, tensors, fitted):
    """The source of a plan's backward function, and the names that it uses."""
    row = plan.row
    names = {**globals(), "summed": ops.sum_to_size if tensors else sum_to}
    lines = [f"def {row.node_name}(node, grad):"]
    if plan.saves:
        lines.append(f"    {', '.join(plan.saves)} = node.saved")
    unpacked = unpacked_tensor if tensors else unpacked_array
    for name, _, number in plan.in_order:
        lines.append(f"    {name} = {unpacked(name, number, name in plan.numbers)}")
        if plan.fit == "dtype" and not tensors:
            lines.append(f"    {name} = cast({name}, node.arguments[3])")
    inputs = [name for name, each in zip(row.differentiable, wanted or row.differentiable, strict=True)
              if each and name in plan.needs]  # fmt: skip
    read = {each for name in inputs for each in row.reads[name]} - set(plan.saves)
    for position, name in enumerate((*row.parameters, *row.shape_names)):
        if name in read:
            value = f"node.arguments{'[0]' if plan.fit else ''}[{position}]"
            value = "None" if name in row.tensors else value
            lines.append(f"    {name} = scalar({value})" if tensors else f"    {name} = {value}")
    for name in sorted(inputs):  # alphabetically, as in PyTorch: under create_graph it is the order of the new nodes
        formula = row.formulas[name]
        names[name + "_formula"] = on_tensors(formula) if tensors else formula
        value = f"{name}_formula({', '.join(('grad', *row.reads[name]))})"
        if not tensors and row.broadcasts and set(plan.numbers).issuperset(row.reads[name]):
            value = f"everywhere({value.replace('(', ', ')}"
        lines.append(f"    grad_{name} = {'grad' if passes_through(formula) else value}")
        if plan.fit and fitted:
            lines += fitting(plan, name, row.differentiable.index(name), tensors)
    grads = [f"grad_{name}" if name in inputs else "None" for name in row.differentiable]
    lines.append(f"    return {grads[0] if row.variadic else ', '.join(grads) + ','}")
    return "\n".join(lines) + "\n", names


def fitting(plan, name, index, tensors):
    """The lines that bring a gradient to its input's shape and dtype."""
    shape = f"node.arguments[1][{index}]"
    lines = [f"    if grad_{name}{'._array' if tensors else ''}.shape != {shape}:",
             f"        grad_{name} = summed(grad_{name}, {shape})"]  # fmt: skip
    if plan.fit == "dtype":
        to = f"to(node.arguments[2][{index}])" if tensors else f"astype(node.arguments[2][{index}].numpy)"
        lines.append(f"    grad_{name} = grad_{name}.{to}")
    return lines


PASSED_ON = (lambda grad: grad).__code__.co_code


def passes_through(formula):
    """Whether an input's gradient is that of the output, unchanged."""
    return formula.__code__.co_code == PASSED_ON and len(parameter_names(formula)) == 1


def unpacked_array(name, number, is_number):
    """The expression for a saved entry as an array or number."""
    if is_number:
        return f"as_operand(node, {name}, grad)"
    if number is not None:
        return f"{name}.unpack(node) if isinstance({name}, SavedVariable) else {name}"
    return f"{name}._array if {name}.__class__ is Tensor and {name}._counter is None else value_of(node, {name})"


def unpacked_tensor(name, number, is_number):
    """The expression for a saved entry as a tensor or number."""
    return f"{name} if {name}.__class__ is Tensor and {name}._counter is None else tensor_of(node, {name}, {number})"


FOLDER, sources = __file__.removesuffix("vjp.py"), count()


def compiled(source, names, name):
    """The function that the source defines; tracebacks and ``inspect.getsource`` show its lines."""
    file = f"{FOLDER}<{name} {next(sources)}>"  # in the package's folder: it is not the learner's own code
    names["__name__"] = __name__
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    return names[name]


# -- called by generated functions -----------------------------------------------------------------


def as_operand(node, number, grad):
    """A saved Python number in the form that NumPy multiplies fastest by a gradient."""
    if number is FREED:
        FREED.unpack(node)
    return dtypes.BY_NUMPY[grad.dtype].numbers[number] if grad.__class__ is ndarray else number


def everywhere(formula, grad, *numbers):
    """The formula on a gradient and numbers; if a sum's gradient repeats one number, that is computed only once."""
    if grad.__class__ is ndarray and grad.size > 4096 and not any(grad.strides):
        return np.broadcast_to(formula(grad.item(0), *numbers), grad.shape)
    return formula(grad, *numbers)


def cast(value, dtype):
    """A saved array in the dtype of the computation."""
    if isinstance(value, ndarray | np.generic) and value.dtype.kind != "b" and value.dtype != dtype.numpy:
        return value.astype(dtype.numpy)
    return value


@lru_cache(64)
def ones(length, dtype):
    """A vector of ones: its product with a matrix adds up rows or columns three times as fast as a reduction."""
    return np.ones(length, dtype)


def sum_to(grad, shape):
    """A gradient summed over the dimensions that broadcasting added or stretched."""
    full = grad.shape
    if len(full) == 2 and full[1:] == shape and grad.itemsize > 2:
        return ones(full[0], grad.dtype).dot(grad)  # what the bias of a layer needs
    lead = len(full) - len(shape)
    axes = (*range(lead), *(lead + i for i, length in enumerate(shape) if length == 1 != full[lead + i]))
    return np.add.reduce(grad, axis=axes or None, keepdims=True).reshape(shape)[()]
