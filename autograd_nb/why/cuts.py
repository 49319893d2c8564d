"""Finds where the graph between a tensor and a loss was cut: by a recorded operation, or by a line in sight."""

import re
from typing import NamedTuple

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.names import parameters_of
from ..microscope.readings import is_leaf_tensor
from .code import first, line_of, only
from .evidence import once
from .nodes import node_of
from .sight import tensors_of

# calls that make a new leaf from numbers, and calls whose results have no graph
COPYING = {*"tensor as_tensor Tensor FloatTensor Variable from_numpy Parameter".split()}
ENDING = COPYING.union(
    "item tolist numpy float int bool .data detach argmax argmin argsort searchsorted bucketize comparison one_hot "
    "bincount multinomial histc nonzero long logical_and logical_or logical_not sample".split()
)
DRAWING = {"sample", "multinomial", "bernoulli"}
CHOOSING = DRAWING | {"argmax", "argmin", "argsort", "topk", "sort", "max", "min", "searchsorted", "bucketize"}
SWITCHES = {"no_grad", "inference_mode", "set_grad_enabled"}


class Link(NamedTuple):
    source: str  # the name of a tensor that requires grad
    target: str  # the name of a result of it that does not
    ops: set  # the operations or calls that cut it
    place: tuple  # (file, line)


@once
def links_of(case):
    """The links that keep a gradient from a tensor; for one without a graph, the links that it was made through."""
    if not case.key:
        return links_in_sight(case) if case.ends_here or not case.recorded else []
    recorded = case.recorded
    if case.ends_here:
        return [*links_behind(recorded, [case.key]).values()] or new_leaves(case, [case.key])
    below = recorded.downstream(case.key)
    found = [link for (source, _), link in links_behind_roots(recorded).items() if source in below]
    if found or not recorded.roots or case.key in recorded.upstream(recorded.roots):
        return found
    ran = [event for event in recorded.events("Operation") if not below.isdisjoint(event.inputs)]
    dead = [each for event in ran for each in event.outputs if not recorded.tensors[each].requires_grad]
    ends = [link for (source, _), link in links_behind(recorded, dead).items() if source in below]
    return new_leaves(case, recorded.roots) or ends[: len({link.place for link in ends}) == 1]


@once
def links_behind_roots(recorded):
    return links_behind(recorded, recorded.all_roots)


def links_behind(recorded, keys):
    """``{(key of the source, target): Link}`` for the ways back from tensors of a recording, the nearest first."""
    found, seen, tensors = {}, {}, recorded.tensors
    for key in (waiting := list(keys)):
        if key in seen:
            continue
        seen[key] = True
        for event in recorded.made.get(key, ()):
            waiting += event.inputs
            place, cut = line_of(event), event.cut
            for each in event.inputs:
                if tensors[each].requires_grad and (cut or not tensors[key].requires_grad):
                    ops = {cut or plain_name(event.name)}
                    ops |= hidden_causes(recorded.code, event, ops)
                    source = recorded.name_of(recorded.base_of(each)) or recorded.title(each)
                    source = "its input" if "…" in source or source == NAMELESS else source
                    found[each, key] = Link(source, recorded.title(key), ops, place)
    return found


def hidden_causes(code, event, ops):
    """A cause behind the operation or mode that cut an event off: the function that ran it."""
    if ops & {"no_grad", *DRAWING} and "sample" in code.statement(event).calls:
        return {"sample"}
    if "no_grad" in ops and event.pass_number is not None:
        return {"once"}
    return {"checkpoint"} if "no_grad" in ops and in_checkpoint(code) else set()


@once
def in_checkpoint(code):
    """The line at hand that calls a reentrant checkpoint, which runs under no_grad, if no line calls no_grad itself."""
    found = [each for file in code.at_hand for each in code.in_file(file)]
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
        binds = not record.names or record.name in statement.binds and op in statement.chain
        if op and binds and not case.code.is_given(statement):
            found.append(Link("its input", record.name, {op}, line_of(statement)))
    return found


def links_in_sight(case):
    """The links that the lines alone show, back from a root in sight through names that a single line binds.

    Such a line reads a tensor that requires grad, by its present value, and binds one that does not, or a new leaf.
    """
    sight, code, found = case.sight, case.code, {}
    roots = [each for each in (case.tensor, *case.failure.roots) if each is not None and ends(each)]
    roots += [root for root, leads, _ in case.graphs_in_sight if not leads and root is not case.tensor][:1]
    asked = {*filter(None, map(case.name_for, roots))}
    waiting = [*dict.fromkeys([*code.failing_names, *asked])]
    for name in waiting:
        made, lines = tensors_under(sight, name), code.binding(name)
        line = only(lines) or name in asked and only(each for each in lines if COPYING.intersection(each.chain))
        if not line or name.endswith(".grad") or code.is_given(line):
            continue
        ops = {op for op in line.chain if op in ENDING and (op in COPYING or not made or not made[0].requires_grad)}
        sources = [read for read in dict.fromkeys(line.reads)
                   if not any(f"{each}.".startswith(f"{read}.") for each in line.binds)]  # fmt: skip
        waiting += [each for read in sources for each in (read, *parts_of(sight, read)) if each not in waiting]
        is_other_name = any(each is one for read in sources for each in tensors_under(sight, read) for one in made)
        sources = [read for read in sources if any(each.requires_grad for each in tensors_under(sight, read))]
        if case.node is not None and not case.ends_here:  # only where a gradient could come from it to the tensor
            sources = [read for read in sources if case.node in sight.below(*tensors_under(sight, read))]
            below = sight.below(*(each for read in sources for each in tensors_under(sight, read)))
            ways = [root for root, leads, _ in case.graphs_in_sight if leads and node_of(root) not in below]
            if ways and not CHOOSING.isdisjoint(ops):  # the chosen elements are not the only way to the tensor
                continue
        kind = type(sight.resolve(name))
        computed = hasattr(kind, "__array__") or kind in (float, int, bool, list, tuple, dict)
        if computed and not is_other_name and all(map(ends, made)) and (sources or name in asked and ops):
            ops = ops or {op for op in line.calls if op in ENDING or is_grad(op, line)} or {"unknown"}
            found[name] = Link(" and ".join(sources) or "its input", name, ops, line_of(line))
    return [*found.values()]


@once
def tensors_under(sight, name):
    """The tensors in the value of a name; a question about many parameters asks for them often."""
    return tensors_of(sight.resolve(name)) if not name.endswith(".grad") else []


@once
def parts_of(sight, name):
    """The names of the parameters of a module that has this name."""
    return [f"{name}{path}" for path, _ in parameters_of(sight.resolve(name))]


def is_grad(op, line):
    return op == "grad" and "create_graph=True" not in line.text


def ends(tensor):
    """Whether a tensor has no graph behind it."""
    return not tensor.requires_grad or is_leaf_tensor(tensor)


def cut(case, by, renamed=False):
    """A way out of the graph: a link through one of these operations or calls; *renamed*: one that keeps the name."""
    links, code = links_of(case), case.code
    for link in links:
        op = first(each for each in by.split() if each in link.ops)
        aside = CHOOSING & link.ops and any(not CHOOSING & each.ops for each in links)  # it only chooses elements
        if op and not aside and (not renamed or link.source == link.target):
            switch = only(each for each in code.in_file(link.place[0])
                          if "set_grad_enabled" in each.calls and "True" not in each.text)  # fmt: skip
            same = dict.fromkeys(each.source for each in links if each.place == link.place and each.source)
            return {
                "op": op, "source": " and ".join(same), "target": link.target,
                "at": in_checkpoint(code) if op == "checkpoint" else link.place,
                "again": f", or see {code.at(switch)}" if switch else "",
            }  # fmt: skip
    return None
