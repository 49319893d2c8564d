"""The account of a gradient, from the events of a recording alone: what happened to it on its way, what arrived in
.grad, what became of it, cleared or multiplied, and what the steps did with it.

A cause is named only where the arithmetic on the values that the answer quotes shows it.
"""

import math
from collections import defaultdict

import numpy as np

from ..microscope.labels import number, plain_name, short
from ..microscope.readings import version_of
from .code import a_name, first, line_of
from .evidence import once
from .nodes import beyond_dtype, is_learners, is_step, largest, magnitude

VANISHED = 1e-5  # of the largest gradient: with one rate for both, such a weight stays in the last digits of float32
EXPLODED = 1e4  # times the weight itself: a step with any usual rate, 1e-4 and more, throws it away
MUCH = 1e3  # what one kind of node must have to do with either, to be named for it
ROUNDED = 0.01  # what float16 and a small eps leave uncertain of a factor
LEAST_SCALE = 100  # scalers of PyTorch begin at 65536 and are halved; a factor below that is the learner's own

# -- on the way --------------------------------------------------------------------------------------------------------


def way_of(case, order=iter):
    """``(event, came, went)`` for each event: what came to it, and what went on from it towards the tensor."""
    for event in order(case.recorded.events("Started", "Ran", "Summed", "Hooked")):
        came = went = ()
        if event.kind == "Started":
            went = event.grads
        elif event.kind == "Ran":
            came, went = event.grads, case.passed_on(event)
        elif event.node in case.above:
            came, went = ([event.added], [event.total]) if event.kind == "Summed" else ([event.before], [event.after])
        came, went = ([*filter(None, values)] for values in (came, went))
        if went:
            yield event, came, went


def turned(case, has, order=iter):
    """The first part of this way where what went on has something, by *has* of the values, that what came had not."""
    return first(part for part in way_of(case, order) if has(part[2]) and not has(part[1]))


def shown_by(case, event, came, went):
    """How an event turned what came into what went on, as facts: *by* what, as far as its values show it."""
    if event.kind != "Ran":
        return {"by": event.kind, "at": event, "hook": getattr(event, "hook", "")}
    recorded, record, made = case.recorded, case.recorded.nodes[event.node], case.recorded.of_node.get(event.node)
    beyond = beyond_dtype(came, went, event.used)
    return {
        "by": "own" if is_learners(record) else "dtype" if beyond else "node",
        "node": record.name,
        "op": plain_name(record.row or made and made.name or record.name).removesuffix("Backward"),
        "given": recorded.given_to(made) if made and len(made.inputs) == 1 else recorded.read_by(event),
        "input": a_name(recorded.name_or_maker(made.inputs[0])) if made and made.inputs else "y",
        "at": made,
    } | beyond  # fmt: skip


def traced(recorded, key, has, index):
    """``(key, event, user)``: the first tensor with something, by *has*, on the way to one that has it before *index*.

    event: the one that made it so, or None; user: the one that used it, or None.
    """
    user = None
    while event := recorded.made_by(key, index):
        inner = first(each for each in event.inputs if has(recorded.value_before(each, event.index)))
        if inner is None or is_step(event):
            break
        key, index, user = inner, event.index, event
    return key, event, user


# -- what arrived ------------------------------------------------------------------------------------------------------


@once
def spell(case):
    """The events of its .grad and of itself since that was cleared, or those before if it was just cleared."""
    trace, before, found = case.recorded.trace, [], []
    for event in case.history:
        found.append(event)
        if event.kind == "Zeroed" or event.kind == "GradSet" and trace[event.index - 1].kind != "Changed":
            before, found = found, []
    return before if case.grad is None and not of_kind(found, "Accumulated") else found


def of_kind(events, kind):
    return [event for event in events if event.kind == kind]


def terms(case):
    """The Accumulated events whose sum the .grad is, or was when a step used it before it was cleared."""
    return of_kind(spell(case), "Accumulated")


@once
def ways_to(recorded, started):
    """``{place: [(event, value)]}``: the contributions to each gradient in a pass, and the events that sent them."""
    found = defaultdict(list)
    for event in recorded.events("Ran"):
        if recorded.trace.passes[event.index] is started:
            for edge, value in zip(recorded.nodes[event.node].edges, event.results, strict=False):
                if value is not None:
                    found[edge].append((event, value))
    return found


def ways_in_words(case, found):
    """ "0.31 through MeanBackward0 (line 12, …) and −0.31 through SubBackward0 (line 9, …)"."""
    recorded, of_lines = case.recorded, defaultdict(list)
    for event, value in found[:4]:
        made = recorded.of_node.get(event.node)
        line = f" ({case.code.at(made)})" if made else ""
        of_lines[f"{recorded.nodes[event.node].name}{line}"].append(short(value))
    told = [f"{' and '.join(values)} through {line}" for line, values in of_lines.items()]
    return " and ".join(told) + f" and {len(found) - 4} more" * (len(found) > 4)


# -- much smaller, much larger -----------------------------------------------------------------------------------------


@once
def resized(case):
    """How a gradient shrank or grew a lot on its way, and which nodes did most of it, as facts of a row."""
    recorded, sizes, factors, places = case.recorded, sizes_of_grads(case.recorded), defaultdict(list), {}
    if case.key not in sizes:
        return None
    own, itself, other = sizes[case.key], magnitude(recorded.tensors[case.key].value), max(sizes, key=sizes.get)
    small, scale = own < VANISHED * sizes[other], max([1, *factors_of(recorded, recorded.started)])
    if not small and not 0 < EXPLODED * scale * itself < own:
        return None
    # if several uses add to the gradient, their parts do not count
    end = case.node_key if len(ways_to(recorded, recorded.started)[case.node_output]) > 1 else None
    for event in of_kind(recorded.since_start, "Ran"):
        before = max(map(magnitude, filter(None, event.grads)), default=0)
        after = [*map(magnitude, case.passed_on(event, but=end))]
        if before and after:
            name = recorded.nodes[event.node].name
            factors[name].append(max(after) / before)
            places[name] = recorded.of_node.get(event.node)
    product, name = (min if small else max)(
        ((math.prod(each), name) for name, each in factors.items()), default=(1, "")
    )
    return (product * MUCH < 1 if small else product > MUCH) and {
        "small": small, "ratio": number(own / (sizes[other] if small else itself), 2), "other": recorded.title(other),
        "count": len(factors[name]), "node": name, "factor": number(product, 2), "at": places[name],
    }  # fmt: skip


@once
def sizes_of_grads(recorded):
    """``{key: size}`` of the gradients that the last pass brought, without those of biases."""
    sizes = {event.tensor: magnitude(event.grad) for event in of_kind(recorded.since_start, "Accumulated")}
    return {key: size for key, size in sizes.items()
            if 0 < size < math.inf and not recorded.title(key).endswith("bias")}  # fmt: skip


# -- what became of it -------------------------------------------------------------------------------------------------


@once
def several_passes(case):
    """The passes whose sum the .grad is, or was for the last step; *steps*: a step had used some of them before."""
    found, change, recorded = terms(case), altered(case), case.recorded
    if len(found) < 2:
        return None
    steps, places = [event.index for event in steps_of(spell(case))], {*map(line_of, found)}
    factors = [factors_of(recorded, recorded.trace.passes[event.index]) for event in found]
    later = [change["factor"] or 0] if change else []
    shown = [short(event.grad) for event in found] if found[0].grad.size == 1 and len(found) < 6 else []
    lines = f"lines {found[0].line} to {found[-1].line}" if len(places) > 1 else "one line run again"
    return {
        "count": len(found), "at": found[-1], "parts": " + ".join(shown) or lines, "again": len(places) < len(found),
        "between": change and change["at"].index < found[-1].index,
        "change": change and case.code.at(change["at"]),
        "steps": any(steps[0] < event.index < steps[-1] for event in found if steps),
        "mean": all(any(abs(each * len(found) - 1) < ROUNDED for each in some + later) for some in factors),
        "whole": not any(factors), "optimizer": case.optimizer or "optimizer",
    }  # fmt: skip


@once
def factors_of(recorded, started):
    """The numbers that multiplied the loss from which a pass started."""
    found, nodes = [], {node for node, _ in started.roots}
    for event in recorded.events("Ran"):
        record, values = recorded.nodes[event.node], [*filter(None, (*event.grads, *event.results))]
        op = plain_name(record.row or "")
        if event.node in nodes and op in LINEAR and all(value.size == 1 for value in values):
            nodes.update(node for node, _ in record.edges)
            if op in ("mul", "div") and len(values) == 2:
                came, went = (value.array.item() for value in values)
                found.append(went / (came or np.nan))
    return found


LINEAR = "mul div add sub neg sum to_copy view".split()


@once
def altered(case):
    """The first change of the .grad after a pass, as facts; *factor* is None if it is no multiple of before.

    late: a step had used it before, and none did after.
    """
    events, arrived = spell(case), terms(case)
    since = events[events.index(arrived[0]) :] if arrived else []
    event = first(each for each in of_kind(since, "GradSet") if each.value != case.grad_before(each))
    if event is None:
        return None
    factor = multiple(case.grad_before(event), event.value)
    late = {step.index < event.index for step in steps_of(since)} == {True}
    how = f"multiplied by {number(factor, 2)}" if factor else "changed"
    return {"factor": factor, "how": how, "turned": (factor or 0) < 0, "late": late, "at": event}


def multiple(before, after):
    """The factor between two snapshots, if the second is a multiple of the first; None if they show none."""
    if not before.is_readable:
        return None
    one, other = (each.array.astype(np.float64) for each in (before, after))
    factor = float(np.vdot(one, other)) / (float(np.vdot(one, one)) or np.nan)
    return factor if np.allclose(other, factor * one, rtol=ROUNDED, atol=1e-12) else None


def clipped_while_scaled(case):
    """A change of a .grad that still had the factor of a GradScaler, a large power of two, as facts; or None."""
    change, arrived = altered(case), first(reversed(terms(case)))
    for scale in factors_of(case.recorded, case.recorded.trace.passes[arrived.index]) if change else ():
        if scale > LEAST_SCALE and np.log2(scale) % 1 == 0 and abs((change["factor"] or 0) * scale - 1) > ROUNDED:
            return {"scale": number(scale), "at": arrived, "clip": case.code.statement(change["at"]).text}
    return None


@once
def emptied(case):
    """The event that set the .grad to None or to zero, and whether a step had used it before; or None.

    None, too, if the last pass, from the same line as one before, should have reached the tensor again.
    """
    last, started = first(event for event in reversed(case.history) if event.kind != "Changed"), case.recorded.started
    lines = {line_of(case.recorded.trace.passes[event.index]) for event in of_kind(case.history, "Accumulated")}
    if not lines or last.kind != "Zeroed" or started.index > last.index and line_of(started) in lines:
        return None
    used = case.history[case.history.index(last) - 1].kind == "Changed"
    return {"used": used, "now": "None" if case.grad is None else "zero", "at": last}


def unused(case):
    """How often a gradient arrived and was cleared again though no step had used it, as facts of a row; or None."""
    arrived, cleared = (of_kind(case.history, kind) for kind in ("Accumulated", "Zeroed"))
    if not case.optimizer or not arrived[1:] or not cleared or of_kind(case.history, "Changed"):
        return None
    return cleared[-1].index > arrived[0].index and {"count": len(arrived), "at": cleared[-1]}


# -- what the steps did ------------------------------------------------------------------------------------------------


def steps_of(events):
    return [*filter(is_step, events)]


@once
def last_step(case):
    """The last step that changed the tensor, as facts: by how much, by which .grad, and what is odd about that.

    stale: the step before used the same; still: it moved nothing.
    """
    event = first(reversed(steps_of(case.history)))
    was = event and case.recorded.value_before(case.key, event.index)
    if not was or not was.is_readable:
        return None
    grad, before = case.grad_before(event), case.history[: case.history.index(event)][-1:]
    moved, at_work = np.abs(event.value.array.astype(float) - was.array.astype(float)), largest(grad) > 0
    return {
        "who": event.name, "by": short(grad), "at": event,
        "size": number(float(moved.max(initial=0)), 2) + " in a sample of it" * (not was.is_whole),
        "stale": at_work and any(is_step(each) and each.name == event.name for each in before),
        "still": at_work and was.is_whole and not moved.any(),
    }  # fmt: skip


# -- nothing is wrong --------------------------------------------------------------------------------------------------


def healthy(case):
    """The facts that why() looked at, as facts of a row."""
    found, recorded, step, change = terms(case), case.recorded, last_step(case), altered(case)
    if not case.key or not case.value.is_readable or not found and not of_kind(case.history, "GradSet"):
        return None
    ways = ways_to(recorded, recorded.started)[case.node_output]
    passes = "of one pass" if found else "set by the program"
    if found and len(ways) > 1:
        passes += f", the sum over {len(ways)} ways back ({ways_in_words(case, ways)})"
    hooked = (event.node in case.above and event.after is not None for event in recorded.events("Hooked"))
    told = ("a hook" if any(hooked) else "no hook") + " changed it" + unusual(case)
    if change:
        told += f"; then it was {change['how']} ({case.code.at(change['at'])})"
    if step:
        told += f"; the last step of {step['who']} used a .grad of {step['by']} and moved it by up to {step['size']}"
    return {"passes": passes, "hook": told}


def unusual(case):
    """What is unusual about the pass that brought a gradient, though not wrong, as the end of a sentence; or ""."""
    recorded, at, told = case.recorded, case.code.at, []
    for event in recorded.events("Hooked", "Changed"):
        if event.kind == "Hooked" and event.node in case.above and event.after is None:
            told.append(f"the hook {event.hook} ran and returned no new gradient")
        if event.kind == "Changed" and event.pass_number is not None and recorded.source_of(event.tensor) == case.key:
            told.append(f"{case.name} itself was changed while the pass ran ({at(event)})")
    if block := recorded.again(recorded.started):
        told.append(f"the pass computed a block again, as checkpoint does ({at(block)})")
    for name, event in recorded.constants:
        if case.key in recorded.upstream(recorded.roots_of([event])):
            told.append(f"{name} counts as a constant, for autograd.grad had no create_graph=True ({at(event)})")
    return "".join(f"; {each}" for each in dict.fromkeys(told))


def finite(case):
    """How often the .grad was changed in place, by its version, as facts of a row."""
    version = 0 if case.key and terms(case) else version_of(case.grad)
    times = "once" if version == 1 else f"{version} times"
    changed = f"; it was changed in place {times}, as further uses and passes, clipping, unscaling and zero_grad() do"
    tells = "; no pass of this recording brought it: one before or after it did, or one in another thread"
    tells = tells if case.recorded else f". A recording tells how it came about: {case.record}"
    return {"changed": changed * bool(version), "tells": tells}
