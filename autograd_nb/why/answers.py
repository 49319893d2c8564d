"""`why`: what is the matter with a gradient, and what to do about it, in one or two sentences."""

import sys

from ..microscope.labels import clean, escape, number
from ..microscope.names import held_in, is_module
from ..microscope.naming import scopes_of, written_arguments
from ..microscope.readings import grad_of, is_leaf_tensor, is_tensor, value_of, version_of
from ..microscope.trace import Trace, is_trace
from .asked import Case, Whole
from .code import first
from .errors import blamed
from .evidence import evidence_of
from .failure import Failure
from .missing import unheld
from .nodes import magnitude, node_of
from .reasons import NO_ANSWER, ROWS, first_fitting
from .sight import is_trained, params_of, tensors_of

MOST = 10  # lines of an answer, at most
ENDED = (
    "The recording ended before the program, as it grew too long, and was left aside: record fewer turns of the loop."
)
KNOWS_NOT = "whether {} the gradient{} that you want, why() cannot know."
NO_EVENTS = (
    "Nothing was recorded: a recording sees what runs inside its with block, in the same thread, and PyTorch only if "
    "it was imported before."
)
SEVERE = "failed", "bad", "wrong", "module", "none", "constant", "zero", "optimizer", "trace", "value"


class Answer(str):
    """Sentences that a cell shows as they are, a line for each trouble; `chapters` are about it.

    *is_quiet*: no trouble was seen.
    """

    __repr__ = str.__str__

    def __new__(cls, text, chapters=(), is_quiet=False):
        answer = super().__new__(cls, text)
        answer.is_quiet = is_quiet
        answer.chapters = list(dict.fromkeys(filter(None, chapters)))
        return answer

    def _repr_html_(self):
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.split("\n"))
        return lines + f"<p><small>In the course: {', '.join(self.chapters)}</small></p>" * bool(self.chapters)


def last_error():
    """The error that ended the last statement or cell, as Python and IPython keep it, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and shell.last_execution_succeeded:
        return None  # the error is from an earlier cell
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def explain(error, trace=None):
    """The answer about an error, or None if the error has nothing to do with gradients."""
    stack = Failure(error).stack
    return of_error(evidence_of(stack[-1][0], trace, error)) if stack else None


def of_error(evidence):
    code, recorded = evidence.code, evidence.recorded
    root = first([*recorded.failing, code.lacking])
    name = root is not None and recorded.name_for(root) or blamed(code, "backward|grad", "constant")
    row, text = first_fitting(Case(root, name or "this tensor", evidence))
    return None if row.finds == "unknown_error" else Answer(text, [row.chapter])


def unknown(error):
    return Answer(f"Gradients have no part in this error, as far as why() knows: {type(error).__name__}: {error}")


def why(*asked, trace=None):
    """Why gradients are None, zero, NaN or not what was expected, or why a backward pass failed, and what to do.

    *asked*: a tensor of this engine or of PyTorch, a module, an optimizer, something that holds these, such as a
    distribution, or several of them, or an error; without any, the error that came last, or all that is unusual among
    the caller's variables, in ten lines.  *trace*: a recording, which may also be the last argument; it knows the lines
    of code.  Without one, a recording in a variable of the caller is read that has these tensors as they are now.
    TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.why(x)
    x.grad is None: y was computed from x, and its graph shows no backward pass. Call backward() on it or on its loss.
    >>> torch.why(y)
    y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad. Call y.retain_grad() first.
    """
    given = asked
    if asked and is_trace(asked[-1]) and trace is None:
        *asked, trace = asked
    if trace is not None and not is_trace(trace):
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
    if trace is not None and not len(trace) and not at_hand:
        return Answer(NO_EVENTS)
    names = [written[place] or evidence.recorded.name_for(each) or "this tensor" for place, each in enumerate(asked)]
    things = [*zip(names, asked, strict=True)]
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
    """A tensor, module or optimizer itself, or those that something else holds, such as a distribution, by name."""
    pairs = [(name, thing)] if is_tensor(thing) or is_trained(thing) else held_in(name, thing)
    return [pair for pair in pairs if is_tensor(pair[1]) or is_trained(pair[1])]


def recording_of(asked, frame):
    """The recording in a variable of the caller that has the tensors in question as they are now; or None."""
    held = [value for variables in scopes_of(frame) for _, value in variables if is_trace(value)]
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
    name = name if sight.resolve(name) is tensor else evidence.recorded.name_for(tensor) or name
    row, text = first_fitting(Case(tensor, name, evidence))
    if row.usual:
        whole, of_all = first_fitting(Whole("trace", [tensor], "", evidence))
        row, text = (row, text) if whole.usual or whole in NO_ANSWER else (whole, of_all)
        passed = whole.usual and row.finds == "no_leaf" and tensor.numel() == 1 and sight.trained
        if passed and any(grad_of(each) is not None for each in sight.leaves_behind(tensor)):
            answer = survey([], evidence)
            return Answer(f"{answer}\n{text}", answer.chapters) if answer.is_quiet else answer
    return Answer(text, [row.chapter])


def in_sight(evidence):
    """The modules that are in no other one, the optimizers, and the leaves, of the caller and of the trace."""
    sight, recorded = evidence.sight, evidence.recorded
    inner = {id(each) for _, module in sight.modules for each in module.modules() if each is not module}
    things = [(name, module) for name, module in sight.modules if id(module) not in inner] + sight.optimizers
    for tensor in {id(each): each for each in (*sight.tensors, *recorded.living.values())}.values():
        taken = not recorded.living or recorded.trace.key_of(tensor) or id(tensor) in sight.owned
        if taken and node_of(tensor) is not None and (is_leaf_tensor(tensor) or id(tensor) in sight.known):
            things.append((recorded.name_for(tensor), tensor))
    return things


def survey(things, evidence):
    """The answer about several things: a line for each trouble, the most severe first; one sentence if all is well."""
    cases, parts, asked = [], {}, things
    for name, thing in things or in_sight(evidence):
        pairs = [(name, thing)]
        if is_trained(thing):
            cases.append(Whole("module" if is_module(thing) else "optimizer", thing, name, evidence))
            pairs = cases[-1].parameters
        for name, each in pairs:
            parts.setdefault(id(each), (name, each))
    for name, each in evidence.sight.optimizers if asked else ():  # one of them may hold the tensors in question
        if all(each is not case.thing for case in cases) and not parts.keys().isdisjoint(map(id, params_of(each))):
            cases.append(Whole("optimizer", each, name, evidence))
    frozen = [name for name, each in parts.values() if node_of(each) is None]
    parameters = [Case(each, name, evidence) for name, each in parts.values() if node_of(each) is not None]
    cases += [*parameters, Whole("trace", [case.tensor for case in parameters], "", evidence)]
    groups, idle = {}, []
    for case in cases:
        row, text = first_fitting(case)
        kept = (
            row not in NO_ANSWER if isinstance(case, Whole) else case.is_leaf or case.tensor.retains_grad or row.result
        )
        unused = row not in NO_ANSWER and case.about == "none" and unheld(case)
        if kept and unused and (not asked or evidence.sight.some_grad):
            idle += [case.name] * bool(asked)
        elif kept and not row.usual and row.finds != "unknown_error":
            rank = SEVERE.index(case.about), ROWS.index(row)
            same = "" if row.once else text.replace(case.name, "…") if case.name else text
            groups.setdefault((rank, same), []).append((case, text))
    groups = sorted(groups.items(), key=lambda item: item[0][0])
    failed = [item for item in groups if SEVERE[item[0][0][0]] == "failed"]
    groups = failed or groups  # an error that ended the program explains the rest
    is_quiet, lines = not groups, [of_group(members) for _, members in groups]
    chapters = [ROWS[place].chapter for ((_, place), _), _ in groups[:MOST]]
    if not lines and asked and evidence.failure.message and (answer := of_error(evidence)):
        return answer
    if not lines:
        lines = [healthy(parameters, evidence.recorded)]
    if idle:
        lines.append(f"No optimizer in sight holds {enumerated(idle)}, which the last pass did not reach.")
    if frozen:
        lines.append(f"{enumerated(frozen)} do{'es' * (len(frozen) == 1)} not require grad.")
    if len(lines) > MOST:
        lines = [*lines[: MOST - 1], f"And {len(lines) - MOST + 1} lines more."]
    return Answer("\n".join(lines), chapters, is_quiet)


def of_group(members):
    (case, text), *others = members
    names = [other.name for other, _ in others if other.name not in text]
    return f"{text} Likewise {enumerated(names)}." if names and case.about != "failed" else text


def enumerated(names):
    names = [clean(name) for name in names]
    names = names if len(names) < 4 else [*names[:2], f"{len(names) - 2} others"]
    return " and ".join([", ".join(names[:-1])][: len(names) - 1] + names[-1:])


def sizes_of(cases):
    sizes = [(magnitude(case.value), case.name) for case in cases if case.value is not None]
    return sorted(pair for pair in sizes if pair[0] > 0)


def healthy(cases, recorded):
    """A sentence that says which gradients were looked at, how large they are, and what only a recording shows."""
    sizes, unread = sizes_of(cases), [case for case in cases if case.value and not case.value.is_readable]
    if not sizes and unread:
        count = f"{len(unread)} gradient{'s' * (len(unread) > 1)}"
        return f"{count} cannot be read: such values are sparse, nested, quantised or of no device."
    if not sizes:
        said = (text for row, text in map(first_fitting, cases) if row.finds == "emptied")
        return next(said, "No tensor that was looked at has a gradient, and none waits for one.")
    extent = " to ".join(f"{number(each, 2)} ({name})" for each, name in dict.fromkeys((sizes[0], sizes[-1])))
    several = not recorded and any(case.grad is not None and version_of(case.grad) for case in cases)
    many = len(sizes) > 1
    text = (
        f"{len(sizes)} gradient{'s are' if many else ' is'} finite and not zero, "
        f"of a root mean square {'from' if many else 'of'} {extent}"
    )
    text += "; whether of several passes, clipped or scaled, a recording tells" * several
    text += "; no backward pass was recorded, nor is one in another thread" * (bool(recorded) and not recorded.started)
    return f"{text}; {KNOWS_NOT.format(*(('they are', 's') if many else ('it is', '')))}"
