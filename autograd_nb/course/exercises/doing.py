"""Records how an answer reached its result, for tasks that ask for a method, or exclude one.

The engine reports its operations and passes. Nothing reports other facts, such as which function of a library was
called: these are read from the answer's own code.
"""

import ast
import contextlib
import dis
import inspect
import types
import weakref
from collections import Counter

from ...engine import events, modes
from ...learner.programs import definition


class Did:
    """Notes what happened while an answer ran. Listens to the engine; holds no tensor and no node.

    operations: the names of the operations, in order. passes: how many backward passes ran.
    recorded: how many of these were recorded themselves, with create_graph. retained: how many gradients were kept with
    retain_grad(). alive: the most nodes that were there at one time.
    """

    def __init__(self):
        self.operations, self.passes, self.recorded, self.retained, self.alive = [], 0, 0, 0, 0
        self._nodes = weakref.WeakSet()

    def __call__(self, event):
        self.passes += type(event) is events.Started
        self.recorded += type(event) is events.Started and event.create_graph
        self.retained += type(event) is events.Retained
        if type(event) is events.Operation:
            self.operations.append(getattr(event.row, "name", None) or event.row.__name__)
            if event.node is not None:
                self._nodes.add(event.node)
                self.alive = max(self.alive, len(self._nodes))

    def likeness(self, other):
        """How alike both worked: passes and kept gradients, then the operations that only one of them ran."""
        alike = self.passes == other.passes, bool(self.retained) == bool(other.retained)
        ours, theirs = Counter(self.operations), Counter(other.operations)
        return sum(alike), -((ours - theirs) + (theirs - ours)).total()

    @contextlib.contextmanager
    def listening(self):
        modes.add_listener(self)
        try:
            yield self
        finally:
            modes.remove_listener(self)


def functions_of(answer):
    """A function, or a class's functions (its methods), by name; nothing for anything else."""
    if inspect.isfunction(answer):
        return {"": inspect.unwrap(answer)}
    members = vars(answer).items() if inspect.isclass(answer) else ()
    functions = {name: inspect.unwrap(getattr(member, "__func__", member)) for name, member in members}
    return {name: function for name, function in functions.items() if inspect.isfunction(function)}


def _codes(answer):
    """The code of an answer's functions, and of those within them."""
    codes = [function.__code__ for function in functions_of(answer).values()]
    for code in codes:
        codes += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return codes


HOOKS = {"register_hook", "register_prehook", "register_post_accumulate_grad_hook", "register_multi_grad_hook"}
CLIPS = {"clip_grad_norm_", "clip_grad_value_", "clamp", "clamp_", "clip", "norm", "min"}
CLEARS = {"grad =", "zero_", "zero_grad", "fill_", "mul_"}


def names_in(answer):
    """The names in an answer's code: {"torch", "backward"}; keywords and texts too; with a sign, what it sets.

    >>> sorted(names_in(lambda w: getattr(w, "backward")(retain_graph=True)))
    ['backward', 'getattr', 'retain_graph']
    >>> def clears(w):
    ...     w.grad = None
    >>> names_in(clears) >= {"grad", "grad ="}
    True
    """
    codes = _codes(answer)
    names = {name for code in codes for name in code.co_names}
    constants = [each for code in codes for each in code.co_consts]
    texts = [text for each in constants for text in (each if isinstance(each, tuple) else [each])]
    steps = [step for code in codes for step in dis.get_instructions(code)]
    stored = {f"{step.argval} =" for step in steps if step.opname == "STORE_ATTR"}
    return names | stored | {text for text in texts if isinstance(text, str)}


def branches(answer):
    """Whether a function decides anything: an `if`, a loop's condition, `and`."""
    return any(each.opname.startswith("POP_JUMP") for code in _codes(answer) for each in dis.get_instructions(code))


def returns_nothing(function):
    """Whether a function has neither a `return` with a value nor a `yield`.

    >>> def prints(x):
    ...     print(x)
    >>> returns_nothing(prints), returns_nothing(lambda x: x)
    (True, False)
    """
    if function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        return False
    steps = list(dis.get_instructions(function))
    pairs = zip([None, *steps[:-1]], steps, strict=True)
    ends = [pair for pair in pairs if pair[1].opname.startswith("RETURN_")]
    given = [step if step.opname == "RETURN_CONST" else before for before, step in ends]
    return all(each.opname.endswith("_CONST") and each.argval is None for each in given)


def is_stub(answer):
    """Whether a function, or every method of a class, has only `...`, `pass` and docstrings."""
    functions = functions_of(answer).values()
    return bool(functions) and all(
        operation.opname in ("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")
        and (not operation.opname.endswith("CONST") or operation.argval in (None, ...))
        for function in functions for operation in dis.get_instructions(function)
    )  # fmt: skip


def as_shipped(answer, shipped):
    """Whether a function or a class is what the notebook ships, but for comments and its name."""
    ours, theirs = functions_of(answer), functions_of(shipped)
    return ours.keys() == theirs.keys() and all(_tree(ours[name]) == _tree(theirs[name]) for name in theirs)


def _tree(function):
    """A function's source without its comments, its place and its name."""
    _, tree = definition(function)
    if tree is None:  # it has no source, or is a piece of a longer expression
        return function
    tree.name = ""
    return ast.dump(tree)
