"""Finds where the graph between a tensor and a loss was cut: by a recorded operation, or by a line in sight."""

import re
from typing import NamedTuple

from ..microscope.labels import plain_name
from .code import first, line_of, only
from .evidence import once
from .sight import tensors_of

# calls that make a new leaf from numbers, and calls whose results have no graph
COPYING = {*"tensor as_tensor Tensor FloatTensor Variable from_numpy Parameter".split()}
ENDING = COPYING.union(
    "data detach argmax argmin argsort searchsorted bucketize one_hot bincount multinomial histc nonzero long "
    "logical_and logical_or logical_not sample grad".split()
)
DRAWING = {"sample", "multinomial", "bernoulli"}
SWITCHES = {"no_grad", "inference_mode", "set_grad_enabled"}


class Link(NamedTuple):
    key: str  # of a tensor that requires grad; a name of one in sight
    source: str  # how an answer calls it
    target: str  # the name of a result of it that does not
    op: str  # the operation or call that cut it
    place: tuple  # (file, line)


@once
def links_of(case):
    """The links that keep a gradient from a tensor; for one without a graph, the links that it was made through."""
    recorded, sight = case.recorded, case.sight
    if not recorded or not case.key and case.ends_here:
        names = case.failure.roots and case.code.failing_names
        names = [case.name] if case.ends_here and sight.resolve(case.name) is not None else names
        links = links_in_sight(case.code, tuple(names))
        return [each for each in links if case.ends_here or case.node in sight.below(*tensors_under(sight, each.key))]
    if not case.key:
        return []
    if case.ends_here:
        return links_behind(recorded, (case.key,)) or new_leaves(case, [case.key])
    below = recorded.downstream(case.key)
    found = [link for link in links_behind(recorded, tuple(recorded.all_roots)) if link.key in below]
    if found or not recorded.roots or case.key in recorded.upstream(recorded.roots):
        return found
    ran = [event for event in recorded.events("Operation") if not below.isdisjoint(event.inputs)]
    dead = tuple(each for event in ran for each in event.outputs if not recorded.tensors[each].requires_grad)
    ends = [link for link in links_behind(recorded, dead) if link.key in below]
    return new_leaves(case, recorded.roots) or ends[: len({link.place for link in ends}) == 1]


@once
def links_behind(recorded, keys):
    """The links on the ways back from tensors of a recording."""
    found, tensors = [], recorded.tensors
    for key in recorded.upstream(keys):
        for event in recorded.made.get(key, ()):
            for each in event.inputs:
                if tensors[each].requires_grad and (event.cut or not tensors[key].requires_grad):
                    op = event.cut or plain_name(event.name)
                    op = hidden_cause(recorded.code, event, op) or op
                    source = recorded.name_of(each) or "its input"
                    found.append(Link(each, source, recorded.title(key), op, line_of(event)))
    return found


def hidden_cause(code, event, op):
    """A cause behind the operation or mode that cut an event off: the function that ran it."""
    if op in {"no_grad", *DRAWING} and "sample" in code.statement(event).calls:
        return "sample"
    if op == "no_grad" and event.pass_number is not None:
        return "once"
    return "checkpoint" if op == "no_grad" and in_checkpoint(code) else None


@once
def in_checkpoint(code):
    """The line at hand that calls a reentrant checkpoint, which runs under no_grad, if no line calls no_grad itself."""
    found = code.at_hand
    lines = (each for each in found if "checkpoint" in each.calls and "use_reentrant=False" not in each.text)
    return first(lines) if all(SWITCHES.isdisjoint(each.calls) for each in found) else None


def new_leaves(case, keys):
    """The links behind recorded tensors, through leaves that a recorded line made without a graph."""
    recorded, found = case.recorded, []
    for key in recorded.upstream(keys):
        record = recorded.tensors[key]
        if recorded.made_by(key) or record.names and record.names[0][1] is None:
            continue
        event = recorded.trace[min(record.born, len(recorded.trace) - 1)]  # its first use
        statement = case.code.statement((event.file, record.names[0][1] if record.names else event.line))
        op = first(each for each in statement.calls if (each in COPYING or is_grad(each, statement))
                   and re.search(rf"\b{each}\(\W*[^\W\d]", statement.text))  # fmt: skip
        binds = not record.names or record.name in statement.binds
        if op and binds and not is_given(statement, case.sight):
            found.append(Link(key, "its input", record.name, op, line_of(statement)))
    return found


def is_given(statement, sight):
    """Whether a statement computes only with numbers that it writes itself: it names only functions and modules."""
    if any(name.endswith(".grad") for name in statement.reads):  # reading the .grad of a result makes PyTorch warn
        return False
    values = [sight.resolve(name) for name in statement.reads]
    return all(callable(value) or type(value).__name__ == "module" for value in values)


def is_grad(op, line):
    return op == "grad" and "create_graph=True" not in line.text


@once
def links_in_sight(code, names):
    """The links that lines alone show: back from these names, through those that a single line binds.

    Such a line reads a name whose value requires grad, and binds one whose tensors do not.
    """
    found, sight = [], code.sight
    for name in (waiting := [*names]):
        line = only(each for each in code.binding(name) if not COPYING.isdisjoint(each.path))
        line = code.bound_at(name) or line
        if line is None or not tensors_under(sight, name) or requires_grad(sight, name):
            continue
        sources = [read for read in line.reads if requires_grad(sight, read)]
        waiting += [] if sources else [read for read in line.reads if read not in waiting]
        op = first(each for each in line.path if each in ENDING and (each != "grad" or is_grad(each, line)))
        sources = sources or [name] * (op in COPYING and name in code.failing_names)
        found += [Link(each, "its input", name, op or "unknown", line_of(line)) for each in sources]
    return found


@once
def tensors_under(sight, name):
    """The tensors in the value of a name; a question about many parameters asks for them often."""
    return tensors_of(sight.resolve(name)) if not name.endswith(".grad") else []


def requires_grad(sight, name):
    """Whether a tensor in the value of a name requires grad."""
    return any(each.requires_grad for each in tensors_under(sight, name))


def cut(case, by, renamed=False):
    """A way out of the graph: a link through one of these operations or calls; *renamed*: one that keeps the name."""
    for link in links_of(case):
        if link.op in by.split() and (not renamed or link.source == link.target):
            at = in_checkpoint(case.code) if link.op == "checkpoint" else link.place
            return {"op": link.op, "source": link.source, "target": link.target, "at": at}
    return None
