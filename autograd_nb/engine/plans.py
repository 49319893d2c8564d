"""From a row of the table to what a node runs: which formulas, on what, and what that makes it save.

A row holds an operation's NumPy forward and, for each differentiable input, a formula.  The names of a formula's
parameters say what it reads and thereby what the node saves.

A plan is a row for one pattern of inputs that require grad.  It is made when that pattern first occurs and shared by
all nodes of that kind.
"""

from . import dtypes
from .fitting import arguments_of, fit_arrays, fit_tensors
from .formulas import load_names, on_tensors, parameter_names, scalar
from .saved import FREED, PackedNumber, SavedTensor, number_as_tensor, share_saved, tensor_of, value_of
from .short_backwards import fast_backward, picker
from .tensor import Tensor


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
        formulas = self.on_arrays()
        self.backward = self._backward(formulas, self.only, False)
        return self.backward(node, grad)

    def make_backward_tensors(self, node, grad):
        self.backward_tensors = self._backward(self.on_tensors(), self.only, True)
        return self.backward_tensors(node, grad)

    def _backward(self, formulas, only, tensors):
        fast = None if self.fit == "dtype" else fast_backward(self, formulas, only, tensors)
        return fast or self._general(formulas, tensors, only=only)

    def on_arrays(self):
        """The formulas of the inputs, None for those that need none."""
        return [self.row.formulas[name] if name in self.needs else None for name in self.row.differentiable]

    def on_tensors(self):
        """The same formulas, bound to operations on tensors."""
        formulas = self.on_arrays()
        for formula in filter(None, formulas):
            load_names(formula.__code__, set())
        return [formula and on_tensors(formula) for formula in formulas]

    def partial(self, wanted, tensors):
        """A backward, on tensors or arrays, without the gradients of the edges that are not *wanted*; and its *only*.

        Like the whole one it checks everything that the node saved.
        """
        found = self.partials.get((wanted, tensors))
        if found is None:
            formulas = self.on_tensors() if tensors else self.on_arrays()
            formulas = [formula if each else None for formula, each in zip(formulas, wanted, strict=True)]
            only = wanted.index(True) if wanted.count(True) == 1 else None
            found = self.partials[wanted, tensors] = self._backward(formulas, only, tensors), only
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
            if entry.__class__ is PackedNumber:
                entry = entry.value(node)
            if entry.__class__ in dtypes.PYTHON_NUMBERS:  # a saved float64 is an instance of float too
                return number_as_tensor(entry)
            number = self.output_numbers[self.saves.index(short)]
            value = tensor_of(None if number is None else node, entry, number)  # None: who looks may see a detached one
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
    "dim dims dim0 dim1 dim2 dimension diagonal offset k shifts index pad start end padding_idx ignore_index".split()
)


def unsigned(value):
    """Whole numbers, also in a tuple, modulo 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple([unsigned(each) for each in value])
    return int(value) % 2**64 if isinstance(value, int) else value
