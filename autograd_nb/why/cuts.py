"""Finds where the graph between a tensor and a loss was cut: by a recorded operation, or by a line in sight."""

import ast
from typing import NamedTuple

from ..microscope.labels import plain_name
from .code import SAY, first, line_of, only
from .evidence import once
from .sight import tensors_of

# calls that make a new leaf from numbers, and calls whose results have no graph
COPYING = {*"tensor as_tensor Tensor FloatTensor Variable from_numpy Parameter".split()}
ENDING = COPYING.union(
    "data detach argmax argmin argsort searchsorted bucketize one_hot bincount multinomial histc nonzero long "
    "logical_and logical_or logical_not sample grad".split()
)


class Link(NamedTuple):
    key: str  # of a tensor that requires grad; a name of one in sight
    source: str  # how an answer calls it
    target: str  # the name of a result of it that does not
    op: str  # the operation or call that cut it
    at: tuple  # (file, line)


@once
def links_of(case):
    """The links that keep a gradient from a tensor; for a tensor without a graph, the links on the way to it."""
    recorded, sight = case.recorded, case.sight
    named = case.ends_here and sight.resolve(case.name) is not None
    names = [case.name] if named else case.code.failing_names
    shown = [each for each in links_in_sight(case.code, tuple(names))
             if case.ends_here or case.node in sight.below(*tensors_under(sight, each.key))]  # fmt: skip
    if not case.key:
        return shown
    if case.ends_here:
        roots, below = [case.key], {key for key, record in recorded.tensors.items() if record.requires_grad}
    elif not case.is_leaf and any(event.node == case.node_key for event in recorded.events("Ran")):
        return []  # a gradient has come to it
    else:
        roots, below = recorded.all_roots, recorded.downstream([case.key])
    found, ends = ([link for link in links_behind(recorded, tuple(keys)) if link.key in below]
                   for keys in (roots, recorded.tensors))  # fmt: skip
    if found or not case.ends_here and (not roots or case.key in recorded.upstream(recorded.roots)):
        return found
    # an earlier pass that came to the tensor shows that this was no cut
    alone = len({link.at for link in ends}) == 1 and case.key not in recorded.upstream(roots)
    return links_of_numbers(recorded, roots, below) or ends * alone or shown


@once
def links_behind(recorded, keys):
    """The links on the ways back from tensors of a recording."""
    found, tensors = [], recorded.tensors
    for key in recorded.upstream(keys):
        for event in recorded.made.get(key, ()):
            for each in event.inputs:
                if tensors[each].requires_grad and (event.cut or not tensors[key].requires_grad):
                    op, place = cut_by(recorded, event)
                    source, target = recorded.name_of(each) or SAY["its_input"], recorded.title(key)
                    op = "renamed" if (op, source) == ("no_grad", target) else op
                    found.append(Link(each, source, target, op, place))
    return found


def cut_by(recorded, event):
    """The name and the place of the operation, the mode or the function that left an event without a graph."""
    op, statement = event.cut or plain_name(event.name), recorded.code.statement(event)
    if "sample" in statement.calls:
        op = "sample"
    elif op == "no_grad" and event.pass_number is not None:
        op = "once"
    written = {part.attr.strip("_") for part in statement.parts if isinstance(part, ast.Attribute)}
    if op.strip(".") in {"detach", "data"} - written and statement.calls:
        # a library did it inside of a call, and functions of C do no such thing
        calls = [ast.unparse(part.func) for part in statement.parts if isinstance(part, ast.Call)]
        return f"{calls[0].rpartition('.')[2]}()" if calls[1:] == [] else SAY["call"], line_of(event)
    blocks = (each for each in recorded.events("Operation")
              if each.index > event.index and each.name == "CheckpointFunction")  # fmt: skip
    block = op == "no_grad" and first(blocks)
    if block and {*event.outputs} & (recorded.upstream(block.outputs).keys() - recorded.upstream(block.inputs)):
        return "checkpoint", line_of(block)
    return op, line_of(event)


def links_of_numbers(recorded, keys, sources):
    """The links behind tensors that the program made of numbers, taken out of *sources* or of their results.

    The line that made such a tensor also took the numbers.  Or it is a loss or a leaf without a name, or NumPy made it,
    and its first use is the next event after the numbers were taken.
    """
    if not recorded.events("Read", "Captured"):
        return []
    found, behind = [], recorded.downstream(sources, cut=True)
    unused = behind.difference(recorded.upstream(recorded.all_roots))
    taken = [(event, event.name, event.lines) for event in recorded.events("Read")
             if not unused.isdisjoint(event.inputs)]  # fmt: skip
    # of autograd.grad
    passes = dict.fromkeys(recorded.pass_of(event) for event in recorded.events("Captured"))
    taken += [(event, "grad", [line_of(event)]) for event in passes
              if not event.create_graph and not behind.isdisjoint(recorded.roots_of([event]))]  # fmt: skip
    for key in recorded.upstream(keys):
        record, made = recorded.tensors[key], recorded.made_by(key)
        event = made or recorded.trace[record.born]  # its first use
        line = event.line if made or not record.names else record.names[0][1]
        for read, op, lines in taken:
            likely = key in keys or record.requires_grad and not record.names or op in ("numpy", "array")
            is_next = likely and line and not made and read.index == event.index - 1
            if is_next or read.index < event.index and (event.file, line) in lines:
                found.append(Link(key, SAY["its_input"], record.name, op, lines[0]))
    return found


@once
def links_in_sight(code, names):
    """The links that the program's lines show, followed back from these names as long as one line binds a name.

    Such a line reads a name whose value requires grad, and binds one whose tensors do not.
    """
    found, sight = [], code.sight
    for name in (waiting := [*names]):
        copies = (each for each in code.binding(name) if not COPYING.isdisjoint(each.path))
        line = code.bound_at(name) or only(copies)
        if line is None or not tensors_under(sight, name) or requires_grad(sight, name):
            continue
        sources = [read for read in line.reads if requires_grad(sight, read)]
        waiting += [] if sources else [read for read in line.reads if read not in waiting]
        constant = "grad" in line.calls and "create_graph=True" not in line.text
        op = first(each for each in line.path if each in ENDING and (each != "grad" or constant))
        sources = sources or [name] * (op in COPYING and name in code.failing_names)
        found += [Link(each, SAY["its_input"], name, op or "unknown", line_of(line)) for each in sources]
    return found


@once
def tensors_under(sight, name):
    """The tensors in the value of a name; a question about many parameters asks for them often."""
    return tensors_of(sight.resolve(name)) if not name.endswith(".grad") else []


def requires_grad(sight, name):
    """Whether a tensor in the value of a name requires grad."""
    return any(each.requires_grad for each in tensors_under(sight, name))


def cut(case, kind="", unheld=False):
    """A way out of the graph: a link through one of these operations or calls, or through any.

    *unheld*: that of a parameter which no optimizer in sight holds.
    """
    held = unheld and (case.optimizer or not case.is_parameter or not case.sight.optimizers)
    other = case.about == "failed" and case.failure.message  # an error that a cut may not explain
    if held or other and "does not require grad" not in other:
        return False
    link = first(each for each in links_of(case) if not kind or each.op in kind.split())
    return bool(link) and link._asdict()
