"""Where the graph between a tensor and a loss was cut: by an operation of a recording, or as one line says."""

from typing import NamedTuple

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.readings import is_leaf_tensor
from .code import first, here, only
from .evidence import once

# calls that make a new leaf of numbers, and those behind which nothing has a graph
COPYING = "tensor as_tensor Tensor FloatTensor Variable from_numpy Parameter".split()
ENDING = COPYING + (
    "item tolist numpy float int bool .data detach argmax argmin argsort searchsorted bucketize comparison one_hot "
    "bincount multinomial histc nonzero long logical_and logical_or logical_not sample"
).split()


DRAWING = {"sample", "multinomial", "bernoulli"}


class Link(NamedTuple):
    source: str  # the name of what requires grad
    target: str  # of what was computed from it and does not
    ops: set  # the operations or calls that cut it
    place: tuple  # (file, line)


@once
def links_of(case):
    """The links that keep a gradient from a tensor; of one without a graph those that it was made through."""
    if not case.key:
        return in_one_line(case)
    recorded = case.recorded
    if case.ends_here:
        return [*links_behind(recorded, [case.key]).values()] or new_leaves(case, [case.key])
    below = recorded.downstream(case.key)
    found = [link for (source, _), link in links_behind_roots(recorded).items() if source in below]
    reached = case.key in recorded.upstream(recorded.roots)
    return found or ([] if reached or not recorded.roots else new_leaves(case, recorded.roots))


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
            place, cut = here(event), getattr(event, "cut", None)
            for each in event.inputs:
                if tensors[each].requires_grad and (cut or not tensors[key].requires_grad):
                    ops = {cut or plain_name(event.name)}
                    ops |= hidden_causes(recorded.code, event, ops)
                    source = recorded.name_of(recorded.base_of(each)) or recorded.title(each)
                    source = "its input" if "…" in source or source == NAMELESS else source
                    found[each, key] = Link(source, recorded.title(key), ops, place)
    return found


def hidden_causes(code, event, ops):
    """What else may be said of an operation that these cut: who ran it."""
    if ops & {"no_grad", *DRAWING} and code.statement(event).calls_any("sample"):
        return {"sample"}
    if "no_grad" in ops and event.pass_number is not None:
        return {"once"}
    return {"checkpoint"} if "no_grad" in ops and in_checkpoint(code) else set()


@once
def in_checkpoint(code):
    """Whether the code at hand uses a reentrant checkpoint, which runs under no_grad, and no other no_grad."""
    found = [each for file in code.at_hand for each in code.in_file(file)]
    others = any(each.calls_any("no_grad", "inference_mode", "set_grad_enabled") for each in found)
    lines = [each for each in found if each.calls_any("checkpoint") and "use_reentrant=False" not in each.text]
    return not others and first(lines)


def new_leaves(case, keys):
    """The links through leaves, behind tensors of a recording, that a line of it made without a graph."""
    recorded, found = case.recorded, []
    for key in recorded.upstream(keys):
        record = recorded.tensors[key]
        if recorded.made_by(key) or record.names and record.names[0][1] is None:
            continue
        event = recorded.trace[min(record.born, len(recorded.trace) - 1)]  # its first use
        line = record.names[0][1] if record.names else event.line
        statement = case.code.statement((event.file, line))
        call = statement.calls_any(*COPYING, *["grad"] * ("create_graph=True" not in statement.text))
        binds = not record.names or record.name in statement.binds and call and call.name in statement.chain
        if call and binds and not case.code.is_given(statement):
            found.append(Link("its input", record.name, {call.name}, here(statement)))
    return found


def in_one_line(case):
    """The link of a tensor without a graph that one line says: the only one that gives it its name, or makes a leaf."""
    tensor = case.tensor if case.tensor is not None else first(case.failure.roots)
    if tensor is None or tensor.requires_grad and not (is_leaf_tensor(tensor) and case.is_apart):
        return []
    name = case.called(tensor)
    binding = case.code.binding(name) if name else []
    copying = [each for each in binding if not {*COPYING}.isdisjoint(each.chain)]
    statement = only(copying) or only(binding)
    op = statement and first(each for each in statement.chain if each in ENDING)
    if op and (op in COPYING or not tensor.requires_grad) and not case.code.is_given(statement):
        return [Link("its input", name, {op}, here(statement))]
    return []


def cut(case, by):
    """A way out of the graph: a link through one of these operations or calls."""
    links, code = links_of(case), case.code
    for link in links:
        op = first(each for each in by.split() if each in link.ops)
        aside = DRAWING & link.ops and any(not DRAWING & each.ops for each in links)  # for what was chosen only
        if op and not aside:
            switch = only(each for each in code.in_file(link.place[0]) if (call := each.calls_any("set_grad_enabled"))
                          and call.given[:1] != ("True",))  # fmt: skip
            same = dict.fromkeys(each.source for each in links if each.place == link.place and each.source)
            place = here(in_checkpoint(code)) if op == "checkpoint" else link.place
            return {
                "op": op, "source": " and ".join(same), "target": link.target, "at": place,
                "again": f", or see {code.at(switch)}" if switch else "",
            }  # fmt: skip
    return None


def renamed(case):
    return first({"part": each.target, "at": each.place} for each in links_of(case)
                 if each.source == each.target and "no_grad" in each.ops)  # fmt: skip
