"""The third carrier: a row's own formula runs on texts, and so writes itself down.

A formula runs on arrays, and on tensors under create_graph; here the same code object runs on expressions.  An
operator or function of an expression gives a larger one, which is then written with the learner's names
("grad_output · 3 · x²") or with numbers in their place ("0.008 · 3 · 5²").  A formula that does anything else, such as
putting a gradient back into its place in a larger array, is not arithmetic: a sentence in words describes it.
"""

import math
import re
from types import FunctionType
from typing import NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..engine.table import operations
from .events import Value
from .labels import few, number, tensor_name

# how strongly the parts of an expression hold together
LOGIC, COMPARE, ADD, MULTIPLY, NEGATE, POWER, ATOM = range(7)
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
INFIX = {
    np.add: (ADD, " + "), np.subtract: (ADD, " − "), np.multiply: (MULTIPLY, " · "), np.divide: (MULTIPLY, " / "),
    np.matmul: (MULTIPLY, " @ "), np.less: (COMPARE, " < "), np.greater: (COMPARE, " > "), np.equal: (COMPARE, " = "),
    np.less_equal: (COMPARE, " ≤ "), np.greater_equal: (COMPARE, " ≥ "), np.bitwise_and: (LOGIC, " and "),
    np.logical_and: (LOGIC, " and "), np.logical_or: (LOGIC, " or "),
}  # fmt: skip
REGROUPED = (np.multiply, np.divide), (np.multiply, np.matmul), (np.add, np.subtract)  # except these
WEAK = re.compile("[ */@]")  # signs in a name that holds together less than a product
LONGEST = 120  # characters of a rule in numbers, at most


class Expression(NDArrayOperatorsMixin):
    """A ufunc or the name of a function and its arguments, a name, or a constant; TypeError for anything else.

    Its operators call the ufuncs of NumPy, and these call :func:`applied`.
    """

    __slots__ = ("kind", "parts", "shape")
    __array_function__ = None

    def __init__(self, kind, *parts, shape=None):
        self.kind, self.parts, self.shape = kind, parts, shape  # the shape of a name; formulas may ask for it

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return NotImplemented if method != "__call__" or options else applied(ufunc, *map(expression, inputs))

    def __bool__(self):
        raise TypeError("a choice that depends on elements")


def expression(value):
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | float | np.number):
        return Expression("constant", value)
    raise TypeError(f"no arithmetic: {type(value).__name__}")


def applied(ufunc, first, *others):
    """A ufunc applied to expressions; it leaves out a factor, divisor or exponent of one."""
    last = others[-1] if others else first
    if ufunc is np.sqrt:
        return first**0.5
    if ufunc in (np.multiply, np.divide, np.power) and is_constant(last, 1):
        return first
    if ufunc is np.power and is_constant(last, 0):
        return expression(1)
    if ufunc is np.multiply and is_constant(first, 1):
        return last
    if ufunc is np.multiply and first.kind == last.kind == "name" and first.parts == last.parts:
        return first**2
    return Expression(ufunc, first, *others)


def is_constant(each, value):
    return each.kind == "constant" and each.parts[0] == value


def function(name, count=None):
    """The text form of a formula's function: its name and its first *count* arguments."""
    return lambda *arguments: Expression(name, *map(expression, arguments[:count]))


where = function("where", 3)


def transposed(self, dim0, dim1):
    """The last two dimensions swapped, as ᵀ says; other swaps are not arithmetic."""
    count = len(self.shape)
    if {dim0 % count, dim1 % count} != {count - 1, count - 2}:
        raise TypeError("no arithmetic: transpose")
    return Expression("transposed", self)


def passed_through(self, *_):
    """For functions that only change the shape or dtype of a gradient, spread it over more elements, or keep it."""
    return self


TEXT = {
    "where": where, "zeros_like": lambda _: 0, "masked_fill": lambda self, mask, value: where(mask, value, self),
    "sign": function("sign"), "sgn": function("sign"), "sigmoid": function("sigmoid"),
    "expand": passed_through, "full": passed_through, "restored": passed_through, "power": np.power,
    "mm": np.matmul, "mv": np.matmul, "bmm": np.matmul,
    "t": function("transposed"), "transpose": transposed, "ger": function("outer"),
    "threshold_backward": lambda grad, self, threshold: where(self > threshold, grad, 0),
    "clamp_min": function("max"), "log1p": lambda self: np.log(1 + self),
    "xlogy": lambda self, other: self * np.log(other),
    "sum_to_size": passed_through, "sum": function("sum", 1), "share": lambda self, reduction:
    1 / max(math.prod(self.shape), 1) if reduction == 1 else 1,
}  # fmt: skip


def textual(function, callers=()):
    """A copy of a function, whose global names are bound to their text forms."""
    names, callers = {}, (*callers, function)
    for name in function.__code__.co_names:
        found = function.__globals__.get(name)
        if name in TEXT:
            names[name] = TEXT[name]
        elif found is not None:  # a function that calls itself is not arithmetic
            inner = isinstance(found, FunctionType) and found not in callers
            names[name] = textual(found, callers) if inner else found
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def rule(row, parameter, arguments):
    """The expression of the gradient that a row's formula gives an input; None when it is not arithmetic."""
    try:
        formula = textual(row.formulas[parameter])
        return expression(formula(arguments["grad"], *(arguments.get(name) for name in row.reads[parameter])))
    except Exception:  # it needs something that an expression lacks
        return None


def name(text, shape=None):
    return Expression("name", text, shape=shape)


def expression_text(each, values=None, digits=4):
    """An expression as text.  *values* (name -> text) puts numbers in place of names; KeyError for others."""

    def write(each):
        """The text, and how strongly its outermost part holds together."""
        kind, first, last = each.kind, each.parts[0], each.parts[-1]
        if kind == "constant":
            return signed(number(first, digits))
        if kind == "name":
            return signed(first if values is None else values[first])
        if kind is np.negative:
            return "−" + inside(first, NEGATE), NEGATE
        if kind is np.power and is_constant(last, 0.5):
            return "√" + inside(first, ATOM), NEGATE
        if kind is np.power:
            power = last.parts[0] if last.kind == "constant" else math.inf
            raised = str(int(power)).translate(SUPERSCRIPTS) if float(power).is_integer() and abs(power) < 1000 else ""
            return inside(first, ATOM) + (raised or "^" + inside(last, ATOM)), POWER
        if kind == "transposed":
            return inside(first, ATOM) + "ᵀ", ATOM
        if kind not in INFIX:
            called = getattr(kind, "__name__", kind).replace("absolute", "abs")
            return f"{called}({', '.join(write(part)[0] for part in each.parts)})", ATOM
        strength, between = INFIX[kind]
        # products and sums may be regrouped when read, quotients and differences may not
        right = inside(last, strength + (kind not in (np.add, np.multiply)), kind)
        return inside(first, strength + (strength <= COMPARE)) + between + right, strength

    def inside(each, strength, after=None):
        """The text of a part, in parentheses if the operation around it binds more strongly."""
        text, own = write(each)
        regrouped = (after, each.kind) in REGROUPED
        leading = INFIX.get(after, (LOGIC,))[0] in (ADD, MULTIPLY) and text.startswith("−")
        return f"({text})" if own < strength or regrouped or leading else text

    return write(each)[0]


def signed(text):
    """A number or name with its strength: as weak as a sign before it, or as words and operators in a name."""
    weak = WEAK.search(text) and not text.startswith("[")
    return text, LOGIC if weak else NEGATE if text[:1] in "−-" else ATOM


class Derivation(NamedTuple):
    """How a node got the gradient of one of its inputs."""

    edge: int  # the input's number
    text: str | None  # the rule with names; None for a formula that is not arithmetic
    numbers: str | None  # the same with numbers where these are few
    result: Value  # the gradient
    elementwise: bool  # the rule holds for each element of a larger result, and for sums of elements in a smaller one


def once(function):
    """Decorate a function of a trace and an event: the trace keeps what it returns, for pictures ask for it again."""
    def call(trace, event):
        key = function.__name__, event.index
        if key not in trace.derived:
            trace.derived[key] = function(trace, event)
        return trace.derived[key]

    return call


@once
def derivations(trace, event):
    """A :class:`Derivation` for each gradient that a node gave when it ran."""
    record, found = trace.nodes[event.node], []
    arguments, values = arguments_of(trace, record, event)
    for edge, (parameter, result) in enumerate(zip(record.inputs, event.results, strict=False)):
        if result is not None:
            each = rule(operations.get(record.row), parameter, arguments)
            found.append(Derivation(edge, *in_both(each, values), result, is_elementwise(each)))
    return found


def arguments_of(trace, record, event):
    """The arguments of a node's formulas by name, as expressions with the learner's names, and their values' texts."""
    grad_name = "grad" if any(name == "grad_output" for name, *_ in event.used) else "grad_output"
    arguments = dict(record.constants)
    snapshots = {}

    def add_argument(parameter, text, value):
        if snapshots.get(text, value) != value:
            text = parameter  # the learner gave one name to two tensors
        snapshots[text] = value
        arguments[parameter] = name(text, value and value.shape)

    add_argument("grad", grad_name, event.grads[0])
    for parameter, value, tensor in event.used:
        if value is None:
            add_argument(parameter, parameter, None)
        elif tensor is None and parameter in record.inputs:
            arguments[parameter] = Expression("constant", value.array[()].item())
        else:
            tensor = tensor or trace.tensor_at((record.key, 0))
            title = tensor_name(trace, tensor) if tensor else trace.titles[record.key, 0]
            add_argument(parameter, tensor in trace.tensors and trace.tensors[tensor].name or title or parameter, value)
    return arguments, {text: told for text, value in snapshots.items() if (told := few(value))}


def is_elementwise(each):
    """Whether an expression contains no product of matrices, no sum and the like."""
    if not isinstance(each, Expression):
        return True
    return each.kind not in (np.matmul, "outer", "sum", "transposed") and all(map(is_elementwise, each.parts))


def in_both(each, values):
    if each is None:
        return None, None
    try:
        numbers = expression_text(each, values)
    except KeyError:  # too many
        numbers = None
    return expression_text(each), numbers if len(numbers or "") <= LONGEST else None
