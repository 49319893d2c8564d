"""`why`: what is the matter with a gradient, and what to do about it, in one or two sentences."""

import sys

import numpy as np

from ..microscope.labels import clean, escape, number
from ..microscope.names import held_in, is_module
from ..microscope.naming import scopes_of, written_arguments
from ..microscope.readings import grad_of, is_leaf_tensor, is_tensor, value_of, version_of
from ..microscope.trace import Trace
from .asked import RECORD, Case, Whole
from .errors import blamed
from .evidence import evidence_of
from .failure import Failure
from .missing import retains, unheld
from .nodes import magnitude, node_of
from .reasons import ROWS, TOO_LARGE, told
from .sight import is_trained, params_of, tensors_of
from .statements import first

MOST = 10  # lines of an answer
ENDED = (
    "The recording ended before the program, as it grew too long, and was left aside: record fewer turns of the loop."
)
SEVERE = "failed", "bad", "wrong", "module", "none", "constant", "zero", "optimizer", "trace", "value"


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
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and shell.last_execution_succeeded:
        return None  # it is that of an earlier cell
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def explain(error, trace=None):
    """The answer about an error, or None where it has nothing to do with gradients."""
    stack = Failure(error).stack
    return of_error(evidence_of(stack[-1][0], trace, error)) if stack else None


def of_error(evidence):
    code, recorded = evidence.code, evidence.recorded
    root = first([*recorded.failing, code.lacking])
    name = root is not None and recorded.called(root) or blamed(code, "backward|grad", "constant")
    row, text = told(Case(root, name or "the root", evidence))
    return None if row.finds == "unknown_error" else Answer(text, [row.chapter])


def unknown(error):
    return Answer(f"Gradients have no part in this error, as far as why() knows: {type(error).__name__}: {error}")


def why(*asked, trace=None):
    """Why gradients are None, zero, NaN or not what was expected, or why a backward pass failed, and what to do.

    *asked*: a tensor of this engine or of PyTorch, a module, an optimizer, what holds such, or several of them, or an
    error; without any, the error that came last, or all that is unusual among the caller's variables, in ten lines.
    *trace*: a recording, which may also be the last argument; it knows the lines of code.  TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.why(x)
    x.grad is None: y was computed from x, and its graph shows no backward pass. Call backward() on it or on its loss.
    >>> torch.why(y)
    y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad. Call y.retain_grad() first.
    """
    given = asked
    if asked and isinstance(asked[-1], Trace) and trace is None:
        *asked, trace = asked
    if trace is not None and not isinstance(trace, Trace):
        raise TypeError(f"why(): expected a trace of record(), got {type(trace).__name__}")
    error, asked = (asked[0], ()) if len(asked) == 1 and isinstance(asked[0], BaseException) else (None, asked)
    for each in asked:
        if not parts_in("", each):
            raise TypeError(f"why(): expected a tensor, a module, an optimizer or an error, got {type(each).__name__}")
    frame = sys._getframe(1)
    try:
        at_hand = error or sys.exception() or "IPython" in sys.modules and last_error()
        error = at_hand or last_error()
        trace = trace.so_far() if trace is not None else None if error else recording_of(asked, frame)
        ended = trace is not None and len(trace) > 0 and trace[-1].kind == "Ended"
        trace = None if ended else trace
        evidence = evidence_of(frame, trace, error)
        written = written_arguments(frame, len(given))
    finally:
        del frame
    things = [(written[place] or evidence.recorded.called(each) or "it", each) for place, each in enumerate(asked)]
    things = [part for name, each in things for part in parts_in(name, each)]
    answer = (
        of_tensor(*things[0], evidence)
        if len(things) == 1 and is_tensor(asked[0])
        else not things
        and (evidence.failure.message and of_error(evidence) or at_hand and unknown(at_hand))
        or survey(things, evidence)
    )
    return Answer(f"{answer}\n{ENDED}", answer.chapters) if ended else answer


def parts_in(name, thing):
    """A tensor, module or optimizer itself, or the modules and optimizers that something else holds, by name."""
    if is_tensor(thing) or is_trained(thing):
        return [(name, thing)]
    return [pair for pair in held_in(name, thing) if is_trained(pair[1])]


def recording_of(asked, frame):
    """The recording in a variable of the caller that has what is asked about, as it is now, or None."""
    held = [value for variables in scopes_of(frame) for _, value in variables if isinstance(value, Trace)]
    tensors = [tensor for thing in asked for tensor in tensors_of(thing)]
    for trace in map(Trace.so_far, reversed(held)):
        known = [(tensor, key) for tensor in tensors if (key := trace.key_of(tensor))]
        grads = {key: record.grad for key, record in trace.tensors.items()}
        for event in trace:
            if event.kind in ("Accumulated", "Zeroed", "GradSet"):
                grads[event.tensor] = event.total if event.kind == "Accumulated" else event.value
        if known and all(value_of(grad_of(tensor)) == grads[key] for tensor, key in known):
            return trace
    return None


def of_tensor(name, tensor, evidence):
    sight = evidence.sight
    name = name if sight.resolve(name) is tensor else evidence.recorded.called(tensor) or name
    row, text = told(Case(tensor, name, evidence))
    if row.usual:
        whole, of_all = told(Whole("trace", [tensor], "", evidence))
        row, text = (row, text) if whole.usual or whole is TOO_LARGE else (whole, of_all)
        passed = whole.usual and row.finds == "no_leaf" and tensor.numel() == 1 and sight.trained
        if passed and any(grad_of(each) is not None for each in sight.leaves_behind(tensor)):
            answer = survey([], evidence)
            return Answer(f"{answer}\n{text}", answer.chapters) if answer.startswith("Nothing") else answer
    return Answer(text, [row.chapter])


def in_sight(evidence):
    """The modules that are in no other one, the optimizers, and the leaves, of the caller and of the trace."""
    sight, recorded = evidence.sight, evidence.recorded
    inner = {id(each) for _, module in sight.modules for each in module.modules() if each is not module}
    things = [(name, module) for name, module in sight.modules if id(module) not in inner] + sight.optimizers
    for tensor in {id(each): each for each in (*sight.tensors, *recorded.living.values())}.values():
        if node_of(tensor) is not None and (is_leaf_tensor(tensor) or id(tensor) in sight.known):
            things.append((recorded.called(tensor), tensor))
    return things


def survey(things, evidence):
    """The answer about several things: a line for each that is unusual, the most severe first; or that nothing is."""
    cases, parts, asked = [], {}, things
    for name, thing in things or in_sight(evidence):
        pairs = [(name, thing)]
        if is_trained(thing):
            cases.append(Whole("module" if is_module(thing) else "optimizer", thing, name, evidence))
            pairs = cases[-1].parameters
        for name, each in pairs:
            parts.setdefault(id(each), (name, each))
    for name, each in evidence.sight.optimizers if asked else ():  # what is asked about may be in it
        if all(each is not case.thing for case in cases) and not parts.keys().isdisjoint(map(id, params_of(each))):
            cases.append(Whole("optimizer", each, name, evidence))
    frozen = [name for name, each in parts.values() if node_of(each) is None]
    parameters = [Case(each, name, evidence) for name, each in parts.values() if node_of(each) is not None]
    cases += [*parameters, Whole("trace", [case.tensor for case in parameters], "", evidence)]
    groups, idle = {}, []
    for case in cases:
        row, text = told(case)
        kept = row is not TOO_LARGE if isinstance(case, Whole) else case.is_leaf or retains(case) or row.result
        unused = row is not TOO_LARGE and case.about == "none" and unheld(case)
        if kept and unused and (not asked or evidence.sight.some_grad):
            idle += [case.name] * bool(asked)
        elif kept and not row.usual and row.finds != "unknown_error":
            rank = SEVERE.index(case.about), ROWS.index(row)
            same = "" if row.once else text.replace(case.name, "…") if case.name else text
            groups.setdefault((rank, same), []).append((case, text))
    groups = sorted(groups.items(), key=lambda item: item[0][0])
    lines = [of_group(members) for _, members in groups]
    chapters = [ROWS[place].chapter for ((_, place), _), _ in groups[:MOST]]
    if not lines and asked and evidence.failure.message and (answer := of_error(evidence)):
        return answer
    if not lines:
        lines = [healthy(parameters, evidence.recorded)]
    elif not evidence.recorded:
        lines += uneven(parameters)
    if idle:
        lines.append(f"No optimizer in sight holds {some(idle)}, which the last pass did not reach.")
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


def sizes_of(cases):
    sizes = [(magnitude(case.value), case.name) for case in cases if case.value is not None and case.value.is_readable]
    return sorted(pair for pair in sizes if pair[0])


def uneven(cases):
    """A line where gradients are of very different size; that of a bias may be next to nothing, before a norm."""
    sizes = [pair for pair in sizes_of(cases) if np.isfinite(pair[0]) and not pair[1].endswith("bias")]
    own = {case.name: magnitude(value_of(case.tensor)) for case in cases}
    grown = [pair for pair in sizes if pair[0] > 1e6 * own[pair[1]] > 0]
    if grown:
        (large, name), what, other = grown[-1], "makes it grow", f"{grown[-1][1]} itself"
        ratio = large / own[name]
    elif sizes and sizes[0][0] < 1e-5 * sizes[-1][0]:
        (small, name), (large, other) = sizes[0], sizes[-1]
        what, other, ratio = "shrinks it", f"that of {other}", small / large
    else:
        return []
    return [
        f"{name}.grad is {number(ratio, 2)} times as large as {other}. A recording tells what {what} on the way back: "
        f"{RECORD.format('')}."
    ]


def healthy(cases, recorded):
    """What was looked at, how large the gradients are, and what cannot be seen without a recording."""
    sizes = sizes_of(cases)
    if not sizes:
        told_of = (text for row, text in map(told, cases) if row.finds in ("cleared", "emptied"))
        return f"Nothing unusual: {next(told_of, 'there is no gradient now, and no parameter that waits for one.')}"
    if not recorded and uneven(cases):
        return uneven(cases)[0]
    extent = " to ".join(f"{number(each, 2)} ({name})" for each, name in dict.fromkeys((sizes[0], sizes[-1])))
    text = (
        f"Nothing unusual: {len(sizes)} gradient{'s are' if len(sizes) > 1 else ' is'} finite and not zero, "
        f"of a root mean square {'from' if len(sizes) > 1 else 'of'} {extent}"
    )
    several = not recorded and any(case.grad is not None and version_of(case.grad) for case in cases)
    return text + "; whether of several passes, clipped or scaled, a recording tells" * several + "."
