"""The account of a gradient, from the events of a recording alone: which gradients arrived in .grad, who changed or
cleared it, and how the steps used it."""

import math
from collections import defaultdict

import numpy as np

from ..microscope.labels import number, plain_name, short
from ..microscope.sentences import exchange_of, listed
from .code import SAY, enumerated, first, line_of
from .cuts import links_of_numbers
from .evidence import once
from .nodes import is_step, largest, magnitude

VANISHED = 1e-5  # of the largest gradient: with one rate for both, such a weight stays in the last digits of float32
EXPLODED = 1e4  # times the weight itself: a step with any usual rate, 1e-4 and more, throws it away
MUCH = 1e3  # what one kind of node must have to do with either, to be named for it
ROUNDED = 0.01  # what float16 and a small eps leave uncertain of a factor
LEAST_SCALE = 100  # scalers of PyTorch begin at 65536 and are halved; a factor below that is the learner's own

# -- what arrived ------------------------------------------------------------------------------------------------------


@once
def spell(case):
    """The events of a tensor and of its .grad since the .grad was last cleared, or before if it is None."""
    trace, before, found = case.recorded.trace, [], []
    for event in case.history:
        found.append(event)
        if event.kind == "Zeroed" or event.kind == "GradSet" and trace[event.index - 1].kind != "Changed":
            before, found = found, []
    return before if case.grad is None else found


def of_kind(events, kind):
    return [event for event in events if event.kind == kind]


def terms(case):
    """The Accumulated events whose sum is the .grad, or was the .grad before it was cleared."""
    return of_kind(spell(case), "Accumulated")


@once
def ways_to(recorded, started):
    """``{place: [(event, value)]}``: the contributions to each gradient in a pass, and the events that sent them."""
    found = defaultdict(list)
    for event in of_kind(recorded.events_of(started), "Ran"):
        for edge, value in zip(recorded.nodes[event.node].edges, event.results, strict=False):
            found[edge] += [(event, value)] if value else []
    return found


def ways_in_words(case, found):
    """ "0.31 through MeanBackward0 (line 12, …) and −0.31 through SubBackward0 (line 9, …)"."""
    recorded, of_lines = case.recorded, defaultdict(list)
    for event, value in found[:4]:
        line = recorded.nodes[event.node].name + case.code.at(recorded.of_node.get(event.node))
        of_lines[line].append(short(value))
    return listed(SAY("through", values=listed(values), line=line) for line, values in of_lines.items())


# -- much smaller, much larger -----------------------------------------------------------------------------------------


@once
def resized(case):
    """How much a gradient shrank or grew on its way, and which kind of node did most of that, as facts of a row."""
    recorded, sizes, factors, places = case.recorded, sizes_of_grads(case.recorded), defaultdict(list), {}
    if case.key not in sizes:
        return None
    own, itself, other = sizes[case.key], magnitude(recorded.tensors[case.key].value), max(sizes, key=sizes.get)
    small, scale = own < VANISHED * sizes[other], max([1, *factors_of(recorded, recorded.started)])
    if not small and not 0 < EXPLODED * scale * itself < own:
        return None
    # if several uses add to the gradient, their parts do not count
    end = case.node_key if len(ways_to(recorded, recorded.started)[case.node_output]) > 1 else None
    for event in of_kind(recorded.events_of(recorded.started), "Ran"):
        before, after = (max(map(magnitude, filter(None, values)), default=0)
                         for values in (event.grads, case.passed_on(event, but=end)))  # fmt: skip
        if before and after:
            factors[node := recorded.nodes[event.node].name].append(after / before)
            places[node] = recorded.of_node.get(event.node)
    product, node = (min if small else max)(((math.prod(each), name) for name, each in factors.items()))
    if product * MUCH > 1 if small else product < MUCH:
        return None
    return {
        "kind": "small" if small else "large", "other": recorded.title(other),
        "ratio": number(own / (sizes[other] if small else itself), 2), "count": len(factors[node]), "node": node,
        "factor": number(product, 2), "at": places[node],
    }  # fmt: skip


@once
def sizes_of_grads(recorded):
    """``{key: size}`` of the gradients that the last pass brought, without those of biases."""
    return {each.tensor: size for each in of_kind(recorded.events_of(recorded.started), "Accumulated")
            if 0 < (size := magnitude(each.grad)) < math.inf and not recorded.title(each.tensor).endswith("bias")}


# -- who changed or cleared it -----------------------------------------------------------------------------------------


@once
def several_passes(case):
    """The passes whose sum is the .grad, or was the .grad in the last step.

    Their kind: a step had used some of them before; the .grad was changed between them; one line ran again, with its
    whole loss; else a sum.
    """
    found, change, recorded = terms(case), altered(case), case.recorded
    if len(found) < 2:
        return None
    steps = [event.index for event in steps_of(spell(case))]
    scaled = any(factors_of(recorded, recorded.pass_of(event)) for event in found)
    kind = "sum" if scaled or len({*map(line_of, found)}) == len(found) else "again"
    if any(steps[0] < event.index < steps[-1] for event in found if steps):
        kind = "steps"
    elif change and change["at"].index < found[-1].index:
        kind = "changed_between"
    return {
        "kind": kind, "count": len(found), "at": found[-1],
        "parts": enumerated(short(event.grad) if event.grad.size == 1 else SAY("line", line=event.line)
                            for event in found),
        "change": case.code.at(change and change["at"]),
        "optimizer": case.optimizer or "optimizer",
    }  # fmt: skip


@once
def factors_of(recorded, started):
    """The numbers by which the program multiplied its loss before a pass started."""
    found, nodes = [], {node for node, _ in started.roots}
    for event in recorded.events("Ran"):
        record, values = recorded.nodes[event.node], [*filter(None, (*event.grads, *event.results))]
        op = plain_name(record.row or "")
        if event.node in nodes and op in (*LINEAR, "div") and all(value.size == 1 for value in values):
            nodes.update(node for node, _ in record.edges)
            if op in ("mul", "div") and len(values) == 2:
                incoming, outgoing = (value.array.item() for value in values)
                found.append(outgoing / (incoming or np.nan))
    return found


# their derivatives are finite, and 0 only where a factor is
LINEAR = "mul add sub neg sum to_copy view mm bmm addmm mv dot linear convolution".split()


@once
def altered(case):
    """The first change of the .grad after a pass, as facts.

    kind: "late", as a step had used it before, and none did after; "scaled", as it did not take the factor of a
    GradScaler back, which is a large power of two; or "".
    """
    events, arrived = spell(case), terms(case)
    since = events[events.index(arrived[0]) :] if arrived else []
    event = first(each for each in of_kind(since, "GradSet") if each.value != case.grad_before(each))
    if event is None:
        return None
    factor, recorded = multiple(case.grad_before(event), event.value) or 0, case.recorded
    scale = first(each for each in factors_of(recorded, recorded.pass_of(arrived[-1]))
                  if each > LEAST_SCALE and np.log2(each) % 1 == 0 and abs(factor * each - 1) > ROUNDED)  # fmt: skip
    late = {step.index < event.index for step in steps_of(since)} == {True}
    how = SAY("multiplied", factor=number(factor, 2)) if factor else SAY["changed"]
    kind = "late" if late else "scaled" if scale else ""
    return {"how": how, "kind": kind, "scale": number(scale or 1), "at": event}


def multiple(before, after):
    """The factor between two snapshots, if the second is a multiple of the first; None if they show none."""
    if not before.is_readable:
        return None
    one, other = (each.array.astype(np.float64) for each in (before, after))
    factor = np.vdot(one, other) / (np.vdot(one, one) or np.nan)
    return factor if np.allclose(other, factor * one, rtol=ROUNDED, atol=1e-12) else None


@once
def emptied(case):
    """The event that set the .grad to None or to zero; or None.

    Its kind: a step had "used" it before; a library did it "inside" of the pass; or it was too "early".
    None, too, if the last pass, from the same line as one before, should have reached the tensor again.
    """
    last, started = first(event for event in reversed(case.history) if event.kind != "Changed"), case.recorded.started
    lines = {line_of(case.recorded.pass_of(event)) for event in of_kind(case.history, "Accumulated")}
    if not lines or last.kind != "Zeroed" or started.index > last.index and line_of(started) in lines:
        return None
    used = case.history[case.history.index(last) - 1].kind == "Changed"
    inside = case.recorded.pass_of(last) and line_of(last) == line_of(started)  # where a library did it
    kind = "used" if used else "inside" if inside else "early"
    return {"kind": kind, "now": "None" if case.grad is None else 0, "at": last}


# -- what the steps did ------------------------------------------------------------------------------------------------


def steps_of(events):
    return [*filter(is_step, events)]


def begin_of_step(trace, event):
    """The index of the first event of a step, which may have changed the same memory under another name."""
    index = event.index
    while index and is_step(trace[index - 1]) and trace[index - 1][1:4] == event[1:4]:
        index -= 1
    return index


@once
def last_step(case):
    """The last step that changed the tensor, as facts: how far the step moved it, and which .grad the step used.

    kind: "stale", as the step before used the same; "still", as it moved nothing; or "".
    """
    event = first(each for each in reversed(of_kind(case.history, "Changed"))
                  if is_step(each) or "step" in case.code.statement(each).calls)  # fmt: skip
    if event is None or not is_step(event):  # a step with a closure is several events
        return None
    was = case.recorded.value_before(case.key, begin_of_step(case.recorded.trace, event))
    if was is None or not was.is_readable:
        return None
    grad, before = case.grad_before(event), case.history[: case.history.index(event)][-1:]
    moved, at_work = np.abs(event.value.array - was.array), largest(grad) > 0
    return {
        "who": event.name, "by": short(grad), "at": event,
        "size": number(float(moved.max(initial=0)), 2) + SAY["in_a_sample"] * (not was.is_whole),
        "kind": at_work and ("stale" if any(is_step(each) and each.name == event.name for each in before)
                             else "still" if was.is_whole and not moved.any() else ""),
    }  # fmt: skip


# -- nothing is wrong --------------------------------------------------------------------------------------------------


def healthy(case):
    """How a gradient arrived in which nothing is wrong, as facts of a row."""
    found, recorded, step, change = terms(case), case.recorded, last_step(case), altered(case)
    if not found and not of_kind(case.history, "GradSet"):
        return None
    ways = ways_to(recorded, recorded.started)[case.node_output]
    passes = SAY["of_one_pass" if found else "set_by_the_program"]
    if found and len(ways) > 1:
        passes += SAY("over_ways", count=len(ways), ways=ways_in_words(case, ways))
    told = SAY["no_hook"] * (not hooks_above(case)) + unusual(case)
    if change:
        told += SAY("then", how=change["how"], at=case.code.at(change["at"]))
    if step:
        told += SAY("stepped", **{key: step[key] for key in ("who", "by", "size")})
    return {"passes": passes, "hook": told}


def unusual(case):
    """The end of a sentence that tells what is unusual about the last pass, though not wrong; or ""."""
    recorded, at = case.recorded, case.code.at
    told = [SAY(what, count=count, name=case.name, value=short(event.value))
            for event in case.exchanges for what, count in [exchange_of(event)]]  # fmt: skip
    told += [SAY("hook_changed" if event.after else "hook_ran", hook=event.hook) for event in hooks_above(case)]
    for event in recorded.events("Changed"):
        if event.pass_number is not None and recorded.source_of(event.tensor) == case.key:
            told.append(SAY("changed_meanwhile", name=case.name, at=at(event)))
    if block := recorded.again(recorded.started):
        told.append(SAY("again", at=at(block)))
    for link in links_of_numbers(recorded, recorded.roots, [case.key]):
        if link.op == "grad" and link.key not in recorded.made:
            told.append(SAY("is_constant", name=link.target, at=at(link.at)))
    return "".join(f"; {each}" for each in dict.fromkeys(told))


def hooks_above(case):
    """The events of hooks on the ways back to a tensor."""
    return [event for event in case.recorded.events("Hooked") if event.node in case.above]
