"""The small program behind a bench: an expression or a function, switches on its tensors, and a plan.

An expression is taken apart into statements of one operation each, so that every intermediate result has a name and
can be switched.  A learner's text is parsed with ast and may hold only numbers, the inputs' names, operators and
functions of the engine.  The resulting text is the one that runs, and that can be copied as a cell.
"""

import ast
import inspect
import keyword
import re
import sys
import textwrap
import warnings
from collections import namedtuple
from functools import lru_cache
from itertools import starmap

import numpy as np

import autograd_nb

from ..microscope.readings import is_tensor
from ..words import of

SAY = of("widgets")["bench"]
FUNCTIONS = frozenset(
    "abs acos add asin atan ceil clamp cos cosh div erf exp exp2 expm1 floor fmod lerp log log10 log1p log2 logaddexp "
    "maximum minimum mul neg pow reciprocal relu remainder round rsqrt sigmoid sign sin sinh sqrt square sub tan tanh "
    "trunc where xlogy".split()
)
OF_MANY = frozenset(  # a bench takes these too: functions and methods of several numbers
    "amax amin cumsum dot flatten log_softmax matmul max mean min mm mv norm outer prod reshape softmax std sum "
    "transpose var".split()
)
CONSTANTS = ("pi", "e", "inf", "nan")
OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod, ast.UAdd, ast.USub, ast.Lt, ast.LtE, ast.Gt,
    ast.GtE, ast.Eq, ast.NotEq,
)  # fmt: skip
LONGEST = 200  # characters of an expression
MOST = 24  # operations in it
MOST_NUMBERS, MOST_DIMENSIONS = 64, 2  # of an input
# Signs that people write, some of them pasted, and their form in Python; full width is of East Asian keyboards.
SIGNS = str.maketrans("·×÷−–—", "**/---", "\u200b\u200e\u2060\ufeff“”‘’")
SIGNS |= str.maketrans({"^": "**", "²": "**2", "³": "**3", "½": ".5", "¼": ".25", "¾": ".75"})
SIGNS |= {code + 0xFEE0: code for code in range(33, 127)}
LIBRARY = re.compile(r"\b(?:math|torch|np|numpy)\.(?=[a-z])")  # before a function
# A number right before a name or a bracket is a factor: 2x, 3(x + 1); but 1e5, 0xff, 2j and 1or 2 are Python's.
FACTOR = re.compile(r"(?<![\w.])(\d+\.?\d*|\.\d+)(?=[a-z(])"
                    r"(?!e\b|e[+-]?\d|x[\da-f]|b[01]|o[0-7]|j\b|or\b|and\b|i[fns]\b)", re.IGNORECASE)  # fmt: skip
WHOLE = re.compile(r"(?<![\w.])\d+(?![\w.])")  # a whole number
NAME = re.compile(r"(?<![\w.])[^\W\d]\w*\b(?!\s*(?:\(|=[^=]))")  # of no function, attribute or argument
NAMES = "abcdfghkmnprstuvw"  # of intermediate results, where there are several
# How a hook is registered: on a tensor, around its node, and after a gradient was added to a leaf's .grad.
HOOKS = {
    "print": "{}.register_hook(print)",
    "double": "{}.register_hook(lambda grad: grad * 2)",
    "clip": "{}.register_hook(lambda grad: torch.clamp(grad, -1, 1))",
    "zero": "{}.register_hook(lambda grad: grad * 0)",
    "before": "{}.grad_fn.register_prehook(lambda outputs: print('before the node:', outputs))",
    "after": "{}.grad_fn.register_hook(lambda inputs, outputs: print('after the node:', inputs, outputs))",
    "accumulated": "{}.register_post_accumulate_grad_hook(lambda leaf: print('after +=:', leaf.grad))",
}
CUTS = ("", "detach", "no_grad", "data")
OPTIMIZER = "optimizer.zero_grad"
OPTIMIZED = [f"{OPTIMIZER}({option})" for option in ("", "set_to_none=True", "set_to_none=False")]  # lines of a plan
FORWARD = "forward"  # the line of a plan that computes everything again
NUMBERS = r"\((?:(?:\w+=)?(?:True|False|[+-]?\d[\d.e+-]*)(?:, |(?=\))))*\)"  # as arguments
CHANGES = "add_|sub_|mul_|div_|pow_|exp_|sin_|zero_|requires_grad_|detach_|retain_grad"
# The lines of a plan, as ast writes them: z.backward(…), x.grad = None, x.grad.zero_(), y.add_(1), y_hook.remove().
PLANNED = re.compile(
    rf"(?:with torch\.no_grad\(\): )?(?P<name>\w+?)(?:\.backward{NUMBERS}|\.grad = None|\.grad\.zero_\(\)"
    rf"|(?:\.data)?\.(?:{CHANGES}){NUMBERS}|_hook(?:_[2-9])?\.remove\(\))"
)
DEFAULTS = {"requires_grad": True, "retain_grad": False, "hooks": [], "cut": ""}


class Refused(ValueError):
    """Input that a widget cannot take or show; the text says why."""


Statement = namedtuple("Statement", "name code")  # a line of the forward pass and the tensor that it makes


class Line:
    """A line of a program. *part* is "input", "forward", "switch" or "plan", *place* its place in the plan.

    A run notes its ``state``, "ran", "failed" or "not reached", and what it ``says``; after it, ``grads`` is ``{name:
    Value or None}`` of every .grad, ``end`` counts the events so far, and ``hooks`` is ``{name: names of its hooks}``.
    """

    def __init__(self, code, part, name="", place=None):
        self.code, self.part, self.name, self.place = code, part, name, place
        self.state, self.says = "not reached", []
        self.grads = self.end = self.hooks = None


# -- reading input -----------------------------------------------------------------------------------------------------


def plain(text):
    """An expression as Python writes it.

    >>> [plain(text) for text in ("2x² − 1", "np.log(x^3)", "3(x + ½)", "1e-3x", "2×10^3", "log2(x)")]
    ['2*x**2 - 1', 'log(x**3)', '3*(x + .5)', '1e-3*x', '2*10**3', 'log2(x)']
    """
    return FACTOR.sub(r"\1*", LIBRARY.sub("", text.translate(SIGNS)))


def parsed(text, names, of_many=frozenset()):
    """An expression as ast, with ``torch.`` before its functions.

    Raises Refused, with the cause, for anything but numbers, *names*, operators and functions of the engine.  With
    *of_many*, functions of many numbers, it may hold these too, also as methods, and ``@``, ``.T`` and ``x[0]``.
    """
    text = plain(text)
    if not text.strip():
        raise Refused(SAY["empty"])
    if len(text) > LONGEST:
        raise Refused(SAY("long", count=len(text), most=LONGEST))
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # about "1or 2"
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:  # ValueError: characters that no program may have
        cause, offset = getattr(error, "msg", error), getattr(error, "offset", None)
        place = SAY("at", place=offset) if offset else ""
        raise Refused(SAY("syntax", cause=cause, text=text.strip(), place=place)) from None
    nodes, functions = [*ast.walk(tree)], FUNCTIONS | of_many
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        check(node, names, functions, of_many, id(node) in called)
    for node in nodes:
        if isinstance(getattr(node, "op", None), ast.Pow) and is_huge(node):
            raise Refused(SAY("huge", text=ast.unparse(node)))
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in names:
            node.id = f"torch.{node.id}"
    return tree


@lru_cache
def compiled(text, names):
    """An expression as a function of *names*, a tuple; raises Refused for anything but numbers, names and functions."""
    code = compile(ast.unparse(parsed(text, names)), "expression", "eval")
    return lambda *values: eval(code, {"torch": autograd_nb, **dict(zip(names, values, strict=True))})


def check(node, names, functions, of_many, is_called):
    """Raise Refused unless an expression may hold this node of its tree."""
    match node:
        case ast.Constant(value=bool() | int() | float()) | ast.Call(func=ast.Name()) | ast.keyword():
            pass
        case ast.operator() | ast.unaryop() | ast.cmpop() | ast.expr_context():
            pass  # the node that has the operator is refused
        case ast.Name(id=name):
            if name not in (functions if is_called else {*names, *CONSTANTS}):
                kind = "no_function" if is_called else "function_alone" if name in functions else "unknown"
                raise Refused(SAY(kind, name=name, names=", ".join(names)))
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]) if isinstance(op, OPERATORS):
            pass
        case ast.BinOp(op=ast.MatMult()) | ast.Subscript() | ast.Slice() | ast.Tuple() if of_many:
            pass
        case ast.Call(func=ast.Attribute(attr=attr)) if of_many and attr in functions:
            pass
        case ast.Attribute(attr=attr) if of_many and (is_called or attr == "T"):
            pass
        case ast.Attribute(attr=attr) | ast.Call(func=ast.Attribute(attr=attr)):
            alone = SAY("alone", name=attr) if attr in functions else ""
            raise Refused(SAY("attribute", text=ast.unparse(node)) + alone)
        case _:
            raise Refused(SAY("not_allowed", text=ast.unparse(node)[:60]))


def is_huge(tree):
    """Whether a power of numbers is too large for a float, and so too large to compute with whole numbers."""
    try:
        eval(WHOLE.sub(r"\g<0>.0", ast.unparse(tree)), {"__builtins__": {}})
    except Exception as error:  # any other error comes when the expression runs
        return isinstance(error, OverflowError)
    return False


# -- the forward pass --------------------------------------------------------------------------------------------------


def typed_inputs(text, inputs):
    """The names in an expression that are not among *inputs* yet, and could be."""
    names = dict.fromkeys(NAME.findall(plain(text)))
    return [name for name in names if name not in inputs and not means_something(name)]


def means_something(name):
    return name in FUNCTIONS | OF_MANY or name in (*CONSTANTS, "torch", "grad") or keyword.iskeyword(name)


def taken_apart(text, inputs, of_many=frozenset()):
    """The statements of an expression, one operation each; the last makes the result.  Raises Refused as `parsed`."""
    tree = parsed(text, inputs, of_many)
    count = sum(map(is_operation, ast.walk(tree)))
    if not count:
        raise Refused(SAY("no_operation", text=text.strip(), names=", ".join(inputs)))
    if count > MOST:
        raise Refused(SAY("many", count=count, most=MOST))
    result = "z" if "z" not in inputs else "loss"
    names = ["y"] * (count == 2) + list(NAMES) + [f"t{number}" for number in range(1, MOST + 1)]
    free = [name for name in names if name not in (*inputs, result)]
    apart = Apart([*free[: count - 1], result])
    apart.visit(tree)
    return apart.statements


class Apart(ast.NodeTransformer):
    """Puts a name in the place of every operation, and keeps the statement that makes it."""

    def __init__(self, names):
        self.names, self.statements = iter(names), []

    def visit(self, tree):
        tree = self.generic_visit(tree)
        if not is_operation(tree):
            return tree
        self.statements.append(Statement(next(self.names), ast.unparse(tree)))
        return ast.Name(self.statements[-1].name)


def is_operation(tree):
    kinds = ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call | ast.Subscript
    made = isinstance(tree, kinds) or isinstance(tree, ast.Attribute) and tree.attr == "T"
    return made and any(isinstance(each, ast.Name) and each.id[:6] != "torch." for each in ast.walk(tree))


def of_function(function, inputs):
    """The statements of a learner's function: its own lines if they simply follow each other, else one call."""
    name = name_of(function)
    result = next(each for each in ("z", "loss", "result") if each not in inputs)
    scope = dict(getattr(function, "__globals__", {}))
    if any(scope.get(each) is autograd_nb for each in getattr(getattr(function, "__code__", None), "co_names", ())):
        scope.pop("torch", None)  # it names this engine, so it runs on it whatever else is loaded
    whole = [Statement(result, f"{name}({', '.join(inputs)})")], {name: function, "torch": scope.get("torch")}
    _, tree = definition(function)
    if tree is None or list(inspect.signature(function).parameters) != list(inputs):
        return whole
    if function.__closure__ or tree.decorator_list or not isinstance(tree.body[-1], ast.Return):
        return whole
    made = {}  # name -> code
    for each in tree.body[ast.get_docstring(tree) is not None :]:
        match each:
            case ast.Return(ast.Name(id=last)) if [*made][-1:] == [last]:
                continue
            case ast.Return(value) if value is not None:
                target = result
            case ast.Assign([ast.Name(id=target)], value) if target not in inputs:
                pass
            case _:
                return whole
        if target in made:
            return whole
        made[target] = ast.unparse(value)
    return list(starmap(Statement, made.items())), scope


def definition(function):
    """``(text, tree)`` of the def that made a function; ("", None) if there is none."""
    text, trees = lines_of(function)
    return (text, trees[0]) if trees and isinstance(trees[0], ast.FunctionDef) else ("", None)


def lines_of(function):
    """``(text, trees)`` of the lines in which a function begins; ("", []) if these are not there or no statements."""
    try:
        text = textwrap.dedent(inspect.getsource(function)).rstrip()
        return text, ast.parse(text).body
    except (OSError, TypeError, SyntaxError):
        return "", []


def name_of(function):
    name = getattr(function, "__name__", "f")
    return name if name.isidentifier() else "f"


def function_text(function):
    """A function as an argument in a line of code: its name or, for a lambda without a name, its text."""
    name = name_of(function)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    names = getattr(shell, "user_ns", {})
    known = [key for key, each in names.items() if each is function and not key.startswith("_")]
    if known or function.__name__ == name:
        return name if name in known or not known else known[0]
    _, trees = lines_of(function)
    lambdas = [each for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Lambda)]
    return ast.unparse(lambdas[0]) if len(lambdas) == 1 else name


def numbers(name, value):
    """The value of an input as a float or lists of floats; *value* may be a tensor of either library or an array too.

    Raises TypeError for anything that is not a number, ValueError for a shape or number that a bench does not take.
    """
    kind = type(value).__name__
    try:
        array = np.asarray(value.detach().tolist() if is_tensor(value) else value)
    except ValueError:
        raise ValueError(SAY("uneven", name=name)) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(SAY("no_number", name=name, kind=str(array.dtype) if array.dtype.kind == "c" else kind))
    shape = " × ".join(map(str, array.shape))
    if array.ndim > MOST_DIMENSIONS or not 0 < array.size <= MOST_NUMBERS:
        raise ValueError(SAY("no_shape", name=name, shape=shape, most=MOST_NUMBERS))
    if not np.isfinite(array).all():
        raise ValueError(SAY("not_finite", name=name))
    return array.astype(float).tolist()


def check_name(name, taken):
    if taken or means_something(name) or not name.isidentifier():
        raise Refused(SAY("bad_name", name=name))


# -- switches and plan -------------------------------------------------------------------------------------------------


def program(values, statements, tensors, plan):
    """All lines of a bench's program.  Raises Refused for an unknown switch or line of the plan."""
    names = [*values, *(each.name for each in statements)]
    for name in tensors:
        if name not in names:
            raise Refused(SAY("unknown", name=name, names=", ".join(names)))
    options = {name: options_of(name, tensors.get(name, {}), name in values) for name in names}
    plan_code = [FORWARD if line.strip() == FORWARD else planned(line, names) for line in plan]
    lines, forward = [], []
    for name, value in values.items():
        grad = ", requires_grad=True" if options[name]["requires_grad"] else ""
        lines.append(Line(f"{name} = torch.tensor({value!r}{grad})", "input", name))
        lines += switches(name, options[name], plan_code)
    if not {*OPTIMIZED}.isdisjoint(plan_code):
        lines.append(Line(f"optimizer = torch.optim.SGD([{', '.join(values)}], lr=0.1)", "switch"))
    for name, code in ((each.name, each.code) for each in statements):
        cut = options[name]["cut"]
        forward.append(Line(f"{'with torch.no_grad(): ' * (cut == 'no_grad')}{name} = {code}", "forward", name))
        if cut in ("detach", "data"):
            forward.append(Line(f"{name} = {name}.{'detach()' if cut == 'detach' else 'data'}", "switch", name))
        if not options[name]["requires_grad"]:
            forward.append(Line(f"{name}.requires_grad_(False)", "switch", name))
        forward += switches(name, options[name], plan_code)
    lines += forward
    for place, code in enumerate(plan_code):
        again = forward if code == FORWARD else [Line(code, "plan")]
        lines += [Line(line.code, "plan", line.name, place) for line in again]
    return lines


def options_of(name, given, is_input):
    options = DEFAULTS | given
    if extra := given.keys() - DEFAULTS:
        raise Refused(SAY("no_switch", name=name, switch=sorted(extra)[0]))
    if options["cut"] not in CUTS or is_input and options["cut"]:
        raise Refused(SAY("no_cut", name=name, cut=options["cut"]))
    return options


def switches(name, options, plan_code):
    lines = [Line(f"{name}.retain_grad()", "switch", name)] if options["retain_grad"] else []
    for number, hook in enumerate(options["hooks"], 1):
        handle = handle_of(name, number)
        kept = f"{handle} = " if f"{handle}.remove()" in plan_code else ""
        lines.append(Line(f"{kept}{hook_code(name, hook)}", "switch", name))
    return lines


def handle_of(name, number):
    return f"{name}_hook" if number == 1 else f"{name}_hook_{number}"


def hook_code(name, hook):
    """The line that registers a hook of a tensor: one of HOOKS, or an expression of ``grad``.  Raises Refused."""
    if hook in HOOKS:
        return HOOKS[hook].format(name)
    try:
        return f"{name}.register_hook(lambda grad: {ast.unparse(parsed(hook, ('grad',)))})"
    except Refused as refused:
        raise Refused(SAY("in_hook", cause=refused)) from None


def planned(line, names):
    """A line of a plan in its normal form.  Raises Refused for one that a plan cannot have."""
    try:
        code = ast.unparse(ast.parse(line.strip())).replace(":\n    ", ": ")
    except (SyntaxError, ValueError):
        code = ""
    found = PLANNED.fullmatch(code)
    if not found and code not in OPTIMIZED:
        raise Refused(SAY("no_plan", line=line))
    if found and found["name"] not in names:
        raise Refused(SAY("unknown", name=found["name"], names=", ".join(names)))
    return code
