"""The table of operations: each is a row, from which the engine makes everything else.

A row has a forward, which computes on NumPy arrays, and a formula for each differentiable input.
A formula's parameters name the values that it reads, so they also say what a node saves:

    mul     self * other     self: grad * other     other: grad * self

A formula is written once.  It runs on arrays as it stands; under create_graph the same code runs on
tensors, and the names in it mean operations on tensors.  The rows are in ``operations/``, whose
modules load when one of their names is first used.

This file rests on no other.  You may skip the code that loads modules and publishes names.
"""

from importlib import import_module
from types import FunctionType

functions = {}  # public name -> the function autograd_nb.NAME
methods = {}  # public name -> the method Tensor.NAME
operators = {}  # name of an operation -> the method behind Python's operator
calls = {}  # name -> the function on tensors, for internal operations too
parts = {}  # name -> a part of formulas, itself written as a formula
modules = {}  # name -> the module that defines it, within the package
also_functions = set()  # in-place operations that PyTorch has as functions too: torch.relu_(x)


def load(name):
    """Load the module that publishes *name*, if one does."""
    home = modules.get(name)
    return home and import_module(".." + home, __package__)


class Table(dict):
    """The rows by name; the module of a row loads when somebody first looks the row up."""

    def __missing__(self, name):
        start = name.partition(".")[0]
        load(start)
        load(start + "_")
        return dict(self)[name]


operations = Table()  # name -> Row


class FormulaNames(dict):
    """The global names of formulas on tensors, each made when a formula first names it."""

    def __missing__(self, name):
        load(name)
        if name not in self:
            self[name] = on_tensors(parts[name]) if name in parts else unmarked(calls[name])
        return self[name]


tensor_names = FormulaNames()


class Operations:
    """Every function on tensors, by name: ``ops.mm(a, b)``."""

    def __getattr__(self, name):
        load(name)
        if name not in calls:
            raise AttributeError(f"no operation is named '{name}'")
        call = self.__dict__[name] = calls[name]
        return call


ops = Operations()


class Row:
    """One operation: its name, NumPy forward and formulas, and all that follows from them.

    *parameters* are the forward's, *tensors* those that are tensors; *formulas* has one for each
    differentiable parameter.  *returns* names the outputs (``result``, or for example ``values``
    and ``indices``, which have no gradient); None means as many as the forward returns. *variadic*:
    the first parameter is a list of tensors.  *promoted*: these parameters are first cast to a
    common dtype, with *floats* to a floating one.  *broadcasts*: gradients are summed to the
    inputs' shapes.  *on_floats*: the forward for tensors of one floating dtype, which is the
    result's too; there NumPy checks shapes.  *write* does the work of the forward in
    the array itself.  For changes in place, *may_overlap*: the written elements may share memory
    with each other, or, if "itself", only where a tensor is written into itself.
    *reads_overwritten*: an input may share memory with the written elements; False: only if both
    are the same elements; None: not even then.
    *kernel*: PyTorch's name of the function that refuses to be differentiated in a tensor for which
    there is no formula, if it is not the row's.
    """

    def __init__(
        self, name, forward, formulas, parameters, tensors=(), *, node_name=None,
        returns=("result",), variadic=False, view=False, broadcasts=False, promoted=(),
        floats=False, on_floats=None, write=None, may_overlap=False, reads_overwritten=False,
        kernel=None,
    ):  # fmt: skip
        self.name, self.parameters, self.formulas = name, parameters, formulas
        self.kernel = kernel or name
        self.forward, self.on_floats = forward, on_floats or forward
        self.keeps_dtype = bool(on_floats or promoted and formulas)
        self.tensors = frozenset((*tensors, *formulas))
        words = "".join(map(str.capitalize, name.partition(".")[0].split("_")))
        self.node_name = node_name or words + "Backward0"
        self.returns, self.several = returns, returns is None or len(returns) > 1
        has_indices = returns is not None and "indices" in returns
        self.index_output = returns.index("indices") if has_indices else None
        self.variadic, self.view, self.broadcasts, self.floats = variadic, view, broadcasts, floats
        self.write, self.may_overlap = write, may_overlap
        self.reads_overwritten = reads_overwritten
        self.promoted = tuple([parameters.index(each) for each in promoted])
        defaults = getattr(forward, "__defaults__", None) or ()
        # those that may be None
        self.optional = self.tensors.intersection(parameters[len(parameters) - len(defaults) :])
        self.plans, self.recipes = {}, {}  # made by vjp.py and call.py, for reuse
        self.differentiable = tuple([name for name in parameters if name in formulas])
        self.positions = tuple([parameters.index(name) for name in self.differentiable])
        self.inputs = tuple(zip(self.differentiable, self.positions, strict=True))
        # tensors in which the row is not differentiable; without any formula there is no question
        constant = self.tensors.difference(formulas or self.tensors)
        self.constant_tensors = [name for name in parameters if name in constant]
        looked_at = *map(parameters.index, self.tensors.intersection(parameters)), *self.promoted
        self.leading = 1 + max(looked_at, default=-1)  # parameters after these are never tensors
        self.has_constants = not self.variadic and self.leading < len(parameters)
        self.has_fixed = len(self.positions) < self.leading
        self.reads = {name: parameter_names(formula)[1:] for name, formula in formulas.items()}
        # the inputs whose gradient is that of the output, unchanged
        self.passed_on = {
            name
            for name, read in self.reads.items()
            if not read and formulas[name].__code__.co_code == PASSED_ON
        }
        read = {name for reads in self.reads.values() for name in reads}
        self.shape_names = tuple(sorted(name for name in read if name.endswith("_sym_sizes")))
        self.shape_positions = [
            parameters.index(name.removesuffix("_sym_sizes")) for name in self.shape_names
        ]
        numbers = [name for name in parameters if name not in self.tensors]
        self.number_positions = [parameters.index(name) for name in numbers]
        self.constants = (*numbers, *self.shape_names)  # formulas may read these besides tensors
        self.rereads = [
            position for name, position in self.inputs if parameters[0] in self.reads[name]
        ]

    def saves(self, needs):
        """The names of the values that a node saves when the inputs *needs* require grad.

        PyTorch has the same rule, and packs and unpacks them in this order.
        A result that a formula reads is always saved.  So is an input, with one exception: if there
        are several differentiable inputs and only one formula reads it, it is saved only when that
        formula's input requires grad.
        """
        kept = []
        for name in (*sorted(self.parameters), *sorted(self.returns or ())):
            readers = [reader for reader in self.differentiable if name in self.reads[reader]]
            is_input = name in self.parameters
            if not readers or is_input and name not in self.tensors:
                continue
            several = len(self.differentiable) > 1 and not self.variadic
            # "backward": an exception that PyTorch's generator makes
            guarded = is_input and several and len(readers) == 1 and "backward" not in self.name
            if not guarded or readers[0] in needs:
                kept.append(name)
        return tuple(kept)


PASSED_ON = (lambda grad: grad).__code__.co_code


def parameter_names(function):
    """The names of a plain function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# numbers that stand in a formula: an operation on one of them records a node with one edge, as
# PyTorch's C++ code does
SCALARS = {kind: type(f"formula_{kind.__name__}", (kind,), {}) for kind in (int, float)}
FORMULA_NUMBERS = frozenset(SCALARS.values())


def scalar(value):
    """The value, with a number marked as part of a formula."""
    return SCALARS[value.__class__](value) if value.__class__ in SCALARS else value


def unmarked(call):
    """An operation as formulas on tensors call it: with their marked numbers as ordinary ones."""

    def in_formulas(*given, **options):
        values = [+each if each.__class__ in FORMULA_NUMBERS else each for each in given]
        return call(*values, **options)

    return in_formulas


def on_tensors(function):
    """A formula, or a part of one, on tensors: its names are operations, its numbers are marked."""
    code = function.__code__
    code = code.replace(co_consts=tuple(map(scalar, code.co_consts)))
    return FunctionType(code, tensor_names, function.__name__, function.__defaults__)
