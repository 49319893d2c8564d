"""`why`: what is the matter with a gradient, and what to do about it, in one or two sentences."""

import sys

from . import readings
from .asked import Case, Whole, size
from .evidence import Evidence, Failure
from .info import is_module
from .labels import clean, escape, number
from .naming import written_arguments
from .readings import place_of
from .reasons import ONCE, ROWS, USUAL, told, unknown_error
from .trace import Trace

MOST = 10  # lines of an answer
SEVERE = "failed", "bad", "module", "optimizer", "none", "constant", "zero", "trace", "value"


class Answer(str):
    """Sentences that a cell shows as they are, a line for each thing that is unusual; `chapters` teach of it."""

    __repr__ = str.__str__

    def __new__(cls, text, chapters=()):
        answer = super().__new__(cls, text)
        answer.chapters = list(dict.fromkeys(filter(None, chapters)))
        return answer

    def _repr_html_(self):
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.split("\n"))
        return lines + f"<p><small>In the course: {', '.join(self.chapters)}</small></p>" * bool(self.chapters)


def last_error():
    """The error that ended the last statement or cell, as Python and IPython keep it, or None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and shell.last_execution_succeeded:
        return None  # it is that of an earlier cell
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def explain(error, trace=None):
    """The answer about an error, or None where it has nothing to do with gradients."""
    failure = Failure(error)
    return of_error(Evidence(failure.frames[-1], trace, failure)) if failure.frames else None


def of_error(evidence):
    root = next(iter(evidence.failing), evidence.lacking)
    row, text = told(Case(root, (root is not None and evidence.called(root)) or "the root", evidence))
    return None if row.finds is unknown_error else Answer(text, [row.chapter])


def why(*asked, trace=None):
    """Why gradients are None, zero, NaN or not what was expected, or why a backward pass failed, and what to do.

    *asked*: a tensor of this engine or of PyTorch, a module, an optimizer, or several of them; without any, the error
    that came last, or all that is unusual among the variables of the caller, at most ten lines.  *trace*: a recording,
    which may also be the last argument; it knows the lines of code.  TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.why(x)
    x.grad is None: no backward pass has been run from y, which was computed from x. Call backward() on the loss.
    >>> torch.why(y)
    y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad. Call y.retain_grad() first.
    """
    given = asked
    if asked and isinstance(asked[-1], Trace) and trace is None:
        *asked, trace = asked
    if trace is not None and not isinstance(trace, Trace):
        raise TypeError(f"why(): expected a trace of record(), got {type(trace).__name__}")
    for each in asked:
        if not (readings.is_tensor(each) or is_module(each) or is_optimizer(each)):
            raise TypeError(f"why(): expected a tensor, a module or an optimizer, got {type(each).__name__}")
    frame = sys._getframe(1)
    try:
        error = last_error()
        evidence = Evidence(frame, trace, Failure(error) if error is not None else None)
        written = written_arguments(frame, len(given))
    finally:
        del frame
    things = [(written[place] or name_of(each, evidence), each) for place, each in enumerate(asked)]
    if len(things) == 1 and readings.is_tensor(asked[0]):
        row, text = told(Case(asked[0], evidence.called(asked[0]) or things[0][0], evidence))
        return Answer(text, [row.chapter])
    return not things and evidence.message and of_error(evidence) or survey(things, evidence)


def is_optimizer(thing):
    return hasattr(thing, "param_groups") and hasattr(type(thing), "zero_grad")


def name_of(thing, evidence):
    return next(
        (name for name, value in evidence.things if value is thing), "x" if readings.is_tensor(thing) else "it"
    )


def in_sight(evidence):
    """The modules that are in no other one, the optimizers, and the leaves, of the caller and of the trace."""
    inner = {id(each) for _, module in evidence.modules for each in module.modules() if each is not module}
    things = [(name, module) for name, module in evidence.modules if id(module) not in inner]
    things += [(name, each) for name, each in evidence.things if is_optimizer(each)]
    tensors = [tensor for tensor, _ in evidence.known.values()] + list(evidence.living.values())
    for tensor in {id(each): each for each in tensors}.values():
        if place_of(tensor)[0] is not None and (tensor.is_leaf or id(tensor) in evidence.known):
            things.append((evidence.called(tensor), tensor))
    return things


def survey(things, evidence):
    """The answer about several things: a line for each that is unusual, the most severe first; or that nothing is."""
    cases, frozen, seen = [], [], set()
    things = things or in_sight(evidence)
    for name, thing in things:
        pairs = [(name, thing)]
        if is_module(thing):
            cases.append(Whole("module", thing, name, evidence))
            pairs = cases[-1].parameters
        elif is_optimizer(thing):
            cases.append(Whole("optimizer", thing, name, evidence))
            pairs = [
                (called, each)
                for group in thing.param_groups
                for each in group["params"]
                if (called := evidence.called(each))
            ]
        for name, each in pairs:
            if id(each) not in seen:
                seen.add(id(each))
                if place_of(each)[0] is None:
                    frozen.append(name)
                else:
                    cases.append(Case(each, name, evidence))
    if evidence.trace is not None:
        cases.append(Whole("trace", evidence.trace, "", evidence))
    groups = {}
    for case in cases:
        row, text = told(case)
        if row.finds not in USUAL:
            rank = SEVERE.index(case.about), ROWS.index(row)
            same = "" if row.finds in ONCE else text.replace(case.name, "…") if case.name else text
            groups.setdefault((rank, same), []).append((case, text))
    groups = sorted(groups.items(), key=lambda item: item[0][0])
    lines = [of_group(members) for _, members in groups]
    chapters = [ROWS[place].chapter for ((_, place), _), _ in groups[:MOST]]
    parameters = [case for case in cases if isinstance(case, Case)]
    if not lines:
        lines = [healthy(parameters)]
    if frozen:
        lines.append(f"{some(frozen)} do{'es' * (len(frozen) == 1)} not require grad.")
    if len(lines) > MOST:
        lines = [*lines[: MOST - 1], f"And {len(lines) - MOST + 1} lines more."]
    return Answer("\n".join(lines), chapters)


def of_group(members):
    (_, text), *others = members
    return f"{text} Likewise {some([case.name for case, _ in others])}." if others else text


def some(names):
    names = [clean(name) for name in names]
    names = names if len(names) < 4 else [*names[:2], f"{len(names) - 2} others"]
    return " and ".join([", ".join(names[:-1])][: len(names) - 1] + names[-1:])


def healthy(cases):
    """One sentence: what was looked at, and how large the gradients are."""
    sizes = sorted(
        (size(case.value), case.name) for case in cases if case.value is not None and case.value.is_readable
    )
    if not sizes:
        return "Nothing unusual: there is no gradient and no parameter that waits for one."
    return (
        f"Nothing unusual: {len(sizes)} gradients are finite and not zero, of a root mean square from "
        f"{number(sizes[0][0], 2)} ({sizes[0][1]}) to {number(sizes[-1][0], 2)} ({sizes[-1][1]})."
    )
