"""`why`: what is the matter with a gradient, and what to do about it, in one or two sentences."""

import ast
import sys

from ..microscope.labels import NAMELESS, escape, number
from ..microscope.moments import Moment
from ..microscope.names import held_in, written_arguments
from ..microscope.readings import grad_of, is_leaf_tensor, is_tensor, value_of
from ..microscope.trace import is_trace, within_reach
from ..torch_api.contents import load_module
from .account import unusual
from .asked import Case, Whole
from .code import SAY, enumerated, first
from .errors import blamed
from .evidence import evidence_of
from .failure import Failure
from .missing import unheld
from .nodes import magnitude, node_of
from .reasons import ROWS, first_fitting
from .sight import is_optimizer, is_trained, tensors_of

MOST = 10  # lines of an answer, at most


class Answer(str):
    """Sentences that a cell shows as they are, a line for each trouble; `chapters` are about it."""

    __repr__ = str.__str__

    def __new__(cls, text, chapters=()):
        answer = super().__new__(cls, text)
        answer.chapters = list(dict.fromkeys(filter(None, chapters)))
        return answer

    def _repr_html_(self):
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.split("\n"))
        told = SAY("in_the_course", chapters=", ".join(self.chapters))
        return lines + f"<p><small>{told}</small></p>" * bool(self.chapters)


def last_error():
    """The error that ended the last statement or cell, as Python and IPython keep it, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell and shell.last_execution_succeeded:
        return None  # the error is from an earlier cell
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def explain(error, trace=None, unknown=False):
    """The answer about an error, or None: for one that no frame of the learner's raised, and, unless errors that no row
    explains are told of, for such an *unknown* one that stopped no backward pass."""
    frames = Failure(error).frames
    if not frames:
        return None
    evidence = evidence_of(frames[-1], trace, error)
    row, answer = of_error(evidence)
    return answer if unknown or evidence.failure.call or not is_unknown(row) else None


def of_error(evidence):
    """``(row, answer)`` about an error; ``(None, None)`` if there is none."""
    code, recorded = evidence.code, evidence.recorded
    if not evidence.failure.message:
        return None, None
    root = first([*recorded.failing, code.lacking])
    name = root is not None and recorded.name_for(root) or blamed(code, "backward|grad", "constant")
    case = Case(root, name or SAY["in_this_line"], evidence)
    if code.lacking is None:
        case.about = "failed"
    row, text = first_fitting(case)
    return row, Answer(text, [row.chapter])


def is_unknown(row):
    """Whether a row tells of an error that no other row explains."""
    return row is not None and row.finds == "unknown_error"


def why(*asked, trace=None):
    """Why gradients are None, zero, NaN or not what was expected, or why a backward pass failed, and what to do.

    *asked*: a tensor of this engine or of PyTorch, a module, an optimizer, something that holds these, such as a
    distribution, or several of them, or an error; without any, the error that came last, or all that is unusual among
    the caller's variables, in ten lines.  *trace*: a recording, which may also be the last argument; it knows the lines
    of code.  Without one, a recording in a variable of the caller, or one that runs, is read that has these tensors as
    they are now.  A text is looked up in the error clinic, as a message of PyTorch.  TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.why(x)
    x.grad is None: y was computed from x, and its graph shows no backward pass. Call backward() on it or on its loss.
    """
    if len(asked) == 1 and isinstance(asked[0], str):
        return Answer(*load_module("course.clinic").answer(asked[0]))
    frame = sys._getframe(1)
    names = written_arguments(frame, len(asked))
    if asked and is_trace(asked[-1]):
        *asked, trace = asked
    if trace is not None and not is_trace(trace):
        raise TypeError(f"why(): expected a trace of record(), got {type(trace).__name__}")
    given = first(each for each in asked if isinstance(each, BaseException))
    error = given or sys.exception() or last_error()
    trace = trace.so_far() if trace is not None else None if error else recording_of(asked, frame)
    evidence, things = evidence_of(frame, trace, error), []
    if trace is not None and not len(trace) and not error:
        return Answer(SAY["no_events"])
    for name, each in zip(names, asked, strict=False):
        if each is not given:
            things += parts_of(evidence, name, each)
    row, told = of_error(evidence)
    if len(things) == 1 and is_tensor(things[0][1]) and not is_unknown(row):
        answer = of_tensor(*things[0], evidence, told)
    elif told and (not is_unknown(row) or given and not things):
        answer = told  # it explains the rest
    else:
        answer = survey(things, evidence, [told] if told else [], bool(told))
    return Answer(answer + f"\n{SAY['ended']}" * (trace is not None and not evidence.recorded), answer.chapters)


def parts_of(evidence, name, thing):
    """``[(name, part)]`` of a tensor, a module or an optimizer, or of those that something holds."""
    if name not in evidence.sight.values or any(ast.For in line.kinds for line in evidence.code.binding(name)):
        name = evidence.recorded.name_for(thing) or name or SAY["this_tensor"]  # no name of a loop, nor an expression
    pairs = [(name, thing)] if is_tensor(thing) or is_trained(thing) else held_in(name, thing)
    parts = [pair for pair in pairs if is_tensor(pair[1]) or is_trained(pair[1])]
    if not parts:
        raise TypeError(f"why(): expected a tensor, a module, an optimizer or an error, got {type(thing).__name__}")
    return parts


def recording_of(asked, frame):
    """The latest recording within reach in which each .grad of *asked* has the value that it has now."""
    tensors = [tensor for thing in asked for tensor in tensors_of(thing)]
    for trace in within_reach(frame):
        if known := [(tensor, key) for tensor in tensors if (key := trace.key_of(tensor))]:
            entries = Moment(trace).advance().entries
            if all(value_of(grad_of(tensor)) == entries[key]["grad"] for tensor, key in known):
                return trace
    return None


def of_tensor(name, tensor, evidence, told):
    """The answer about a tensor, behind what was *told* of an error; if all is well with it, about all in sight."""
    sight = evidence.sight
    case = Case(tensor, name, evidence)
    row, text = first_fitting(case)
    if told and (row.finds, case.about) != ("cut", "constant"):  # it explains a gradient that is None
        return told if case.about in ("none", "constant", "failed") else Answer(f"{told}\n{text}", told.chapters)
    if row.finds == "no_leaf" and not wants_grad(case):
        behind = [(found, each) for each in sight.leaves_behind(tensor) if (found := case.name_for(each))]
        return survey([], evidence) if tensor.numel() == 1 else survey(behind, evidence, [text])
    whole, of_all = first_fitting(Whole(None, "", evidence))
    return Answer(text, [row.chapter]) if whole.usual or not row.usual else Answer(of_all, [whole.chapter])


def wants_grad(case):
    """Whether a line at hand reads the .grad of a result, or calls retain_grad()."""
    return any(f"{case.name}.grad" in each.reads or "retain_grad" in each.calls for each in case.code.at_hand)


def in_sight(evidence):
    """The modules, and the tensors of the recording or else of the caller."""
    sight, recorded = evidence.sight, evidence.recorded
    seen = (each for each in recorded.living.values() or sight.tensors
            if node_of(each) is not None and (is_leaf_tensor(each) or id(each) in sight.known))  # fmt: skip
    return sight.modules + [(recorded.name_for(each), each) for each in seen]


def survey(things, evidence, also=(), stopped=False):
    """The answer about several things, or about all in sight: a line for each trouble, the most severe first.

    If all is well, *also*, and one sentence about all.  *stopped*: an error that no row explains, which *also* tells
    of, stopped the program; then nothing is said of a gradient that is None.
    """
    pairs = [*(things or in_sight(evidence))]
    pairs += [part for name, thing in pairs if is_trained(thing) for part in Whole(thing, name, evidence).parameters]
    if not (things and is_optimizer(things[0][1])):
        pairs += evidence.sight.optimizers
    named = [pair for pair in reversed(pairs) if pair[0] != NAMELESS]
    subjects = [*{id(thing): (thing, name, evidence) for name, thing in named}.values()][::-1]
    parts = [Case(*each) for each in subjects if not is_trained(each[0])]
    cases, frozen = [each for each in parts if each.node], [each.name for each in parts if not each.node]
    found, usual, groups = [], [], {}
    for case in [Whole(None, "", evidence), *(Whole(*each) for each in subjects if is_trained(each[0])), *cases]:
        row, text = first_fitting(case)
        if stopped and case.about in ("failed", "none", "constant"):
            continue
        if isinstance(case, Whole) or case.is_leaf or case.tensor.retains_grad or row.finds == "lost_leaf":
            idle = case.about == "none" and unheld(case)
            (usual if row.usual or idle else found).append((ROWS.index(row), text, case))
    for rank, text, case in sorted(found, key=lambda each: each[0]):
        same = rank, ROWS[rank].once or text.replace(case.name, "…")
        groups.setdefault(same, (text, []))[1].append(case.name)
    lines = [with_others(*group) for group in groups.values()]
    lines = [*also, *lines] if stopped else lines or [*also, healthy(cases, usual, evidence.recorded)]
    if frozen and not stopped:
        lines.append(SAY("are_frozen" if frozen[1:] else "frozen", name=enumerated(frozen)) + ".")
    if len(lines) > MOST:
        lines[MOST - 1 :] = [SAY("lines_more", count=len(lines) - MOST + 1)]
    return Answer("\n".join(lines), [ROWS[rank].chapter for rank, _ in groups])


def with_others(text, names):
    """The text about the first of the names, and the names of the others that it is true of."""
    others = [name for name in names if name not in text]
    return text + SAY("likewise", others=enumerated(others)) if others and names[0] in text else text


def healthy(cases, usual, recorded):
    """A sentence about all gradients, how large they are, and what only a recording shows; *usual*: one about each."""
    sizes = sorted((size, case.name) for case in cases if (size := magnitude(case.value)) > 0)
    if len(sizes) < 2:
        nothing = 0, SAY["nothing_waits"]
        return max((each for each in usual if each[1]), key=lambda each: each[0], default=nothing)[1]
    low, high = (f"{number(size, 2)} ({name})" for size, name in (sizes[0], sizes[-1]))
    more = SAY["a_recording_tells"] * (not recorded.started)
    more += first(filter(None, (unusual(case) for case in cases if case.key))) or ""
    return SAY("fine", count=len(sizes), low=low, high=high, more=more)
