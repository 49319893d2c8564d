"""From a row of the table to what a node runs: which formulas, on what, and what that makes it save.

A row holds an operation's NumPy forward and, for each differentiable input, a formula such as
``lambda grad, other: grad * other``.  The names of a formula's parameters say what it reads and
thereby what the node saves.  A formula is written once and runs on two carriers: on arrays as it
stands, and on tensors (create_graph) with the same code bound to another set of global names.

A plan is a row for one pattern of inputs that require grad.  It is made when that pattern first
occurs and shared by all nodes of that kind.
"""

from functools import lru_cache
from operator import itemgetter
from types import CodeType, FunctionType

import numpy as np

from . import dtypes
from .contents import load
from .saved import FREED, Kept, SavedTensor, checked, share_saved, tensor_of, value_of
from .tensors import Tensor, ndarray, wrap

tensor_names = {}  # the formulas' global names when they run on tensors; dispatch fills it from the table


class Row:
    """One operation: its name, its NumPy forward, its formulas and what follows from them.

    *parameters* are the forward's, in order; *tensors* those that are tensors, *formulas* has one for each of these
    that is differentiable.  *returns* names the outputs (``result``, or for example ``values`` and ``indices``); None
    stands for a list of as many outputs as the forward gives.  *variadic*: the first parameter is a list of tensors.
    """

    def __init__(self, name, forward, formulas, parameters, tensors=(), *, node_name=None, returns=("result",),
                 variadic=False, view=False, broadcasts=False, promotes=False, floats=False, element_wise=False,
                 linear=False, no_forward=None):  # fmt: skip
        self.name = name
        self.forward = forward
        self.formulas = formulas
        self.parameters = parameters
        self.tensors = frozenset((*tensors, *formulas))
        self.node_name = node_name or camel(name) + "Backward0"
        self.returns = returns
        self.variadic = variadic
        self.view = view
        self.broadcasts = broadcasts
        self.promotes = promotes
        self.floats = floats  # integers are computed in the default dtype
        self.element_wise = element_wise  # each element of a result comes of one of each input, as forward_ad asks
        self.linear = linear or view  # the result is a linear function of all its tensors together
        self.no_forward = no_forward  # or why PyTorch computes no tangents here
        self.differentiable = tuple(name for name in parameters if name in formulas)
        self.positions = tuple(parameters.index(name) for name in self.differentiable)
        self.reads = {name: parameter_names(formula)[1:] for name, formula in formulas.items()}
        read = {name for reads in self.reads.values() for name in reads}
        self.shape_names = tuple(sorted(name for name in read if name.endswith("_sym_sizes")))
        self.shape_positions = tuple(parameters.index(name.removesuffix("_sym_sizes")) for name in self.shape_names)
        self.has_constants = bool(self.shape_names) or any(name not in self.tensors for name in parameters)
        self.several = returns is None or len(returns) > 1
        # whether all but the first parameter are no tensors, and the one output is no view: then calls take a short way
        self.of_one = not (variadic or view or self.several) and self.tensors == {parameters[0]} and (
            self.shape_positions in ((), (0,)) and len(self.shape_names) < 2)  # fmt: skip
        self.plain = None  # the short way, once it was taken
        self.plans = {}

    def plan(self, needs, numbers=(), fit=None):
        """The plan for the inputs named in *needs* requiring grad.

        *numbers* names the inputs given as Python numbers.  *fit* is "shape" when gradients are summed to the inputs'
        shapes, "dtype" when they also change dtype, else None.
        """
        key = needs, numbers, fit
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = Plan(self, needs, numbers, fit)
        return plan

    def saves(self, needs):
        """The names of what a node keeps when the inputs *needs* require grad, by PyTorch's rule."""
        kept = []
        for name in (*self.parameters, *(self.returns or ())):
            readers = [reader for reader in self.differentiable if name in self.reads[reader]]
            is_input = name in self.parameters
            if not readers or is_input and name not in self.tensors:
                continue
            guarded = is_input and len(self.differentiable) > 1 and not self.variadic and len(readers) == 1
            guarded = guarded and "backward" not in self.name  # an exception that PyTorch's generator makes
            if not guarded or readers[0] in needs:
                kept.append(name)
        return tuple(kept)


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def parameter_names(function):
    """The names of a plain function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def handed_on(grad):
    """The formula of an input whose gradient is that of the output: a term of a sum."""
    return grad


class WholeScalar(int):
    """A number of a formula's own: operations with one of these have nodes of one edge, as in PyTorch's C++ code."""


class FloatScalar(float):
    __doc__ = WholeScalar.__doc__


SCALARS = {int: WholeScalar, float: FloatScalar}


def scalar(value):
    """The value, a number marked as a formula's own."""
    marked = SCALARS.get(value.__class__)
    return value if marked is None else marked(value)


def on_tensors(function):
    """A formula, or a part of some, with its names bound to operations on tensors and its numbers marked."""
    code = function.__code__
    code = code.replace(co_consts=tuple(map(scalar, code.co_consts)))
    return FunctionType(code, tensor_names, function.__name__, function.__defaults__)


def load_names(code, seen):
    """Load the modules of the operations that code names, and those that parts of formulas named in it name."""
    seen.add(code)
    for name in code.co_names:
        load(name)
        part = tensor_names.get(name)
        if isinstance(part, FunctionType) and part.__globals__ is tensor_names and part.__code__ not in seen:
            load_names(part.__code__, seen)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            load_names(inner, seen)


class Plan:
    """What nodes of one row do when the same inputs require grad.

    ``backward(node, grad)`` gives the gradients, one for each edge, on arrays; ``backward_tensors`` does the same on
    tensors.  When a single edge needs one, *only* is its index and its gradient comes alone.  *saves* names what
    ``node.saved`` holds: a single entry as it is, several as a tuple.  A node of several outputs is given the list of
    their gradients.
    """

    def __init__(self, row, needs, numbers, fit):
        self.row = row
        self.node_name = row.node_name
        self.needs = needs
        self.numbers = numbers
        self.fit = fit
        self.several_outputs = row.several
        self.saves = row.saves(needs)
        self.keeps = bool(self.saves)
        self.output_numbers = [row.returns.index(name) if name in (row.returns or ()) else None for name in self.saves]
        self.positions = [row.parameters.index(name) if name in row.parameters else None for name in self.saves]
        self.only = row.differentiable.index(needs[0]) if len(needs) == 1 and not row.variadic else None
        self.partials = {}
        self.calls_user_code = False
        # Both are made when a walk first asks for them: few of the table's plans are ever walked.  Then they take their
        # makers' places; a cached_property would make all attributes several times as slow to read.
        self.backward = self.make_backward
        self.backward_tensors = self.make_backward_tensors

    def make_backward(self, node, grad):
        formulas = [self.row.formulas[name] if name in self.needs else None for name in self.row.differentiable]
        self.backward = (None if self.fit == "dtype" else fast_backward(self, formulas)) or self._general(formulas)
        return self.backward(node, grad)

    def make_backward_tensors(self, node, grad):
        formulas = self.on_tensors()
        fast = None if self.fit else fast_backward(self, formulas, tensors=True)
        self.backward_tensors = fast or self._general(formulas, True)
        return self.backward_tensors(node, grad)

    def on_tensors(self):
        """The formulas of the inputs that need one, bound to operations on tensors."""
        row, formulas = self.row, []
        for name in row.differentiable:
            formula = row.formulas[name] if name in self.needs else None
            if formula is not None:
                load_names(formula.__code__, set())
            formulas.append(formula and on_tensors(formula))
        return formulas

    def partial(self, wanted, tensors):
        """A backward, on tensors or arrays, without the gradients of the edges that are not *wanted*; and its *only*.

        Like the whole one it checks everything that the node saved.
        """
        found = self.partials.get((wanted, tensors))
        if found is None:
            row = self.row
            formulas = self.on_tensors() if tensors else [
                row.formulas[name] if name in self.needs else None for name in row.differentiable
            ]  # fmt: skip
            formulas = [formula if each else None for formula, each in zip(formulas, wanted, strict=True)]
            only = wanted.index(True) if wanted.count(True) == 1 else None
            found = self.partials[wanted, tensors] = self._general(formulas, tensors, only=only), only
        return found

    def _general(self, formulas, tensors=False, fitting=True, only=None):
        """The backward of any row: gather what the formulas read, run them, fit the gradients."""
        row, fit, numbers = self.row, self.fit, self.output_numbers
        fitting = fitting and fit
        # without constants the formulas read nothing but what is saved
        names = (*row.parameters, *row.shape_names, *self.saves) if row.has_constants else self.saves
        last = {name: index for index, name in enumerate(names)}
        # in alphabetical order, as PyTorch's generated code does: under create_graph it is the order of the new nodes
        steps = [
            (index, formulas[index], picker([last[read] for read in row.reads[row.differentiable[index]]]))
            for index in sorted(range(len(formulas)), key=row.differentiable.__getitem__)
            if formulas[index]
        ]
        blank = (None,) * (len(row.parameters) + len(row.shape_names))
        several = len(self.saves) > 1
        if only is None:
            only = 0 if row.variadic else self.only

        def backward(node, grad):
            entries = () if not numbers else node.saved if several else (node.saved,)
            if tensors:
                values = [
                    entry if entry.__class__ is Tensor and entry._counter is None else tensor_of(node, entry, number)
                    for entry, number in zip(entries, numbers, strict=True)
                ]
            else:
                values = [
                    entry._array if entry.__class__ is Tensor and entry._counter is None else value_of(node, entry)
                    for entry in entries
                ]
                if fit == "dtype":
                    values = [node.arguments.cast(value) for value in values]
            if row.has_constants:
                constants = arguments_of(node) or blank
                values = (*(map(scalar, constants) if tensors else constants), *values)
            grads = [None] * len(formulas)
            for index, formula, pick in steps:
                grads[index] = formula(grad, *pick(values))
            if fitting:
                grads = (fit_tensors if tensors else fit_arrays)(node.arguments, grads)
            return grads if only is None else grads[only]

        return backward

    # -- looking at a node -----------------------------------------------------------------------------------------

    def entries(self, node):
        """``{name: saved entry}`` of a node; RuntimeError when its buffers were freed."""
        if not self.saves:
            return {}
        if node.saved is FREED:
            FREED.value(node)
        return dict(zip(self.saves, node.saved if len(self.saves) > 1 else (node.saved,), strict=True))

    @property
    def readable(self):
        """The names of all that ``node._saved_NAME`` may be asked for."""
        return sorted({name for reads in self.row.reads.values() for name in reads})

    def saved_attribute(self, node, name):
        """The value of ``node._saved_NAME``."""
        short = name.removeprefix("_raw").removeprefix("_saved_")
        row = self.row
        if short in self.saves and name.startswith("_raw"):
            index = self.saves.index(short)
            return SavedTensor.of(node, index, len(self.saves) == 1, self.output_numbers[index])
        if short in self.saves:
            entry = self.entries(node)[short]
            if entry.__class__ in dtypes.PYTHON_NUMBERS:  # a saved float64 is an instance of float too
                dtype = dtypes.float64 if entry.__class__ is float else dtypes.of_number(entry)
                return wrap(dtype.scalar(entry), dtype)
            value = tensor_of(node, entry, self.output_numbers[self.saves.index(short)])
            return value.shown() if hasattr(value, "shown") else value
        if name.startswith("_raw") and short in row.tensors and any(short in reads for reads in row.reads.values()):
            return SavedTensor.of(node, None, True, None)
        if not name.startswith("_raw") and any(short in reads for reads in row.reads.values()):
            constants = arguments_of(node)
            names = (*row.parameters, *row.shape_names)
            value = constants[names.index(short)] if constants and short in names else None
            return unsigned(value) if short in WHOLE else value
        raise AttributeError(f"'{self.node_name}' object has no attribute '{name}'")

    def result_shared(self, node, number, tensor):
        """The storage of output *number* is about to be shared: from now on its version counts."""
        if number in self.output_numbers:
            share_saved(node, self.output_numbers.index(number), len(self.saves), number, tensor)

    def call(self, node, grad_outputs):
        """Run the node alone, on tensors: its gradients, one for each edge, before they are fitted to the inputs."""
        # without the last step, which PyTorch's walk takes and not its nodes
        backward = self._general(self.on_tensors(), True, fitting=False) if self.fit else self.backward_tensors
        grads = backward(node, list(grad_outputs) if self.several_outputs else grad_outputs[0])
        if self.only is not None:
            grads = [grads if index == self.only else None for index in range(len(node.edges))]
        return grads[0] if len(grads) == 1 else tuple(grads)

    def for_edges(self, node, grad, tensors):
        """The gradients, one for each edge, None where none is needed."""
        grads = self.backward_tensors(node, grad) if tensors else self.backward(node, grad)
        if self.only is None:
            return grads
        return [grads if index == self.only else None for index in range(len(node.edges))]


# what PyTorch shows as unsigned: -1 as 2**64 - 1
WHOLE = frozenset(
    "dim dims dim0 dim1 dim2 dimension diagonal offset k shifts index pad start padding_idx ignore_index".split()
)


def unsigned(value):
    """Whole numbers, also in a tuple, modulo 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple([unsigned(each) for each in value])
    return int(value) % 2**64 if isinstance(value, int) else value


def picker(indices):
    """A function from a tuple to the tuple of its elements at *indices*."""
    if len(indices) > 1:
        return itemgetter(*indices)
    return itemgetter(slice(indices[0], indices[0] + 1)) if indices else itemgetter(slice(0))


class Fit(tuple):
    """What the gradients of a broadcasting or type-mixing node are brought to: the shapes, one for each edge.

    A plain tuple of shapes does where there is nothing else to tell.  *dtypes* are those of the edges (None when all
    are alike), *dtype* the one in which the operation was computed, *constants* what else the node's formulas read.
    """

    dtypes = dtype = constants = None

    def cast(self, value):
        """A saved array in the dtype of the computation."""
        if isinstance(value, ndarray | np.generic) and value.dtype.kind != "b" and value.dtype != self.dtype.numpy:
            return value.astype(self.dtype.numpy)
        return value


def arguments_of(node):
    """What a node's formulas read besides tensors, in the order of the row's parameters, or None."""
    return getattr(node.arguments, "constants", None) if node.plan.fit else node.arguments


def fit_arrays(shapes, grads):
    """The gradients of a node's inputs in these shapes, and in the dtypes that a Fit names."""
    grads = [None if grad is None else fitted(grad, shape) for grad, shape in zip(grads, shapes, strict=True)]
    wanted = getattr(shapes, "dtypes", None)
    if wanted is None:
        return grads
    return [None if grad is None else grad.astype(each.numpy) for grad, each in zip(grads, wanted, strict=True)]


def fit_tensors(shapes, grads):
    """The same for gradients that are tensors, as operations that are recorded."""
    wanted = getattr(shapes, "dtypes", None) or [None] * len(shapes)
    fitting = []
    for grad, shape, each in zip(grads, shapes, wanted, strict=True):
        if grad is not None:
            if grad._array.shape != shape:
                grad = grad.sum_to_size(shape)
            if each is not None:
                grad = grad.to(each)
        fitting.append(grad)
    return fitting


@lru_cache(64)
def ones(length, dtype):
    """A vector of ones: its product with a matrix adds up rows or columns three times as fast as a reduction."""
    return np.ones(length, dtype)


def sum_to(grad, shape):
    """*grad* summed over the dimensions that broadcasting added or stretched."""
    if grad.ndim == 2 and shape == grad.shape[1:] and grad.itemsize > 2:
        return ones(grad.shape[0], grad.dtype).dot(grad)  # what the bias of a layer needs
    lead = grad.ndim - len(shape)
    axes = (*range(lead), *(lead + i for i, length in enumerate(shape) if length == 1 != grad.shape[lead + i]))
    return np.add.reduce(grad, axis=axes or None, keepdims=True).reshape(shape)[()]


def fitted(grad, shape):
    """*grad* summed to *shape* unless it has it."""
    return grad if grad.shape == shape else sum_to(grad, shape)


def fit_array(grad, shape, dtype):
    """*grad* in this shape and dtype."""
    grad = fitted(grad, shape)
    return grad if grad.dtype == dtype.numpy else grad.astype(dtype.numpy)


def fast_backward(plan, formulas, tensors=False):
    """Backward functions for the shapes that most nodes have, or None.

    Each is what the general one does, written out: a saved tensor is taken as it is unless its storage was ever shared.
    """
    row, saves, only = plan.row, plan.saves, plan.only
    if not plan.needs:  # of inputs whose gradients lead nowhere
        return None
    if row.has_constants and row.of_one and len(saves) < 2:
        return _fast_with_constants(plan, saves, formulas[0], tensors)
    if row.variadic or row.has_constants or plan.several_outputs or len(saves) > 2:
        return None
    if only is not None:
        name = row.differentiable[only]
        fast = _fast_single(plan, saves, formulas[only], tensors) if row.reads[name] == saves else None
        if fast and plan.fit:
            return lambda node, grad: fitted(fast(node, grad), node.arguments[only])
    else:
        fast = _fast_pair(row, saves, *formulas, tensors) if len(formulas) == 2 else None
        if fast and plan.fit:

            def pair_fitted(node, grad):
                first, second = fast(node, grad)
                first_shape, second_shape = node.arguments
                return (
                    first if first.shape == first_shape else sum_to(first, first_shape),
                    second if second.shape == second_shape else sum_to(second, second_shape),
                )

            return pair_fitted
    return fast


def _fast_with_constants(plan, saves, formula, tensors):
    row = plan.row
    names = (*row.parameters, *row.shape_names)
    places = {name: index for index, name in enumerate(names)}
    places |= {name: len(names) for name in saves}
    pick = picker([places[name] for name in row.reads[row.parameters[0]]])
    if not saves:
        if tensors:
            return lambda node, grad: formula(grad, *map(scalar, pick(node.arguments)))
        return lambda node, grad: formula(grad, *pick(node.arguments))

    number = plan.output_numbers[0]

    def from_constants_and_saved(node, grad):
        entry = node.saved
        if tensors:
            saved = tensor_of(node, entry, number)
        else:
            plain = entry.__class__ is Tensor and entry._counter is None
            saved = entry._array if plain else value_of(node, entry)
        read = pick((*node.arguments, saved))
        return formula(grad, *(map(scalar, read) if tensors else read))

    return from_constants_and_saved


def _fast_single(plan, saves, formula, tensors):
    if not saves:
        return lambda node, grad: formula(grad)
    if len(saves) > 1:
        return None
    if saves[0] in plan.row.returns:

        if tensors:
            return lambda node, grad: formula(grad, tensor_of(node, node.saved, 0))

        def from_result(node, grad):
            result = node.saved
            return formula(grad, result.value(node) if isinstance(result, Kept) else result)

        return from_result
    if saves[0] in plan.numbers:

        def from_number(node, grad):
            number = node.saved
            return formula(grad, number.value(node) if isinstance(number, Kept) else number)

        return from_number

    if tensors:
        return lambda node, grad: formula(grad, unchanged(node, node.saved))

    def from_input(node, grad):
        entry = node.saved
        return formula(grad, entry._array if entry._counter is None else checked(node, entry))

    return from_input


def _fast_pair(row, saves, first, second, tensors):
    if not saves:
        if first is second is handed_on:
            return lambda node, grad: (grad, grad)
        return lambda node, grad: (first(grad), second(grad))
    if saves == row.differentiable and [row.reads[name] for name in saves] == [saves[1:], saves[:1]]:

        if tensors:

            second_first = row.differentiable[1] < row.differentiable[0]

            def tensors_from_each_other(node, grad):
                a, b = node.saved
                if second_first:
                    second_grad = second(grad, unchanged(node, a))
                    return first(grad, unchanged(node, b)), second_grad
                return first(grad, unchanged(node, b)), second(grad, unchanged(node, a))

            return tensors_from_each_other

        def from_each_other(node, grad):
            a, b = node.saved
            return (
                first(grad, b._array if b._counter is None else checked(node, b)),
                second(grad, a._array if a._counter is None else checked(node, a)),
            )

        return from_each_other
    return None


def unchanged(node, entry):
    """A saved input as a tensor, checked to be what it was."""
    return entry if entry._counter is None else tensor_of(node, entry, None)
