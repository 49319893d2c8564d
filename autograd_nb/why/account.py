"""The account of a gradient, from the events of a recording alone: what arrived in .grad, from where and how large,
what first happened to it on the way from the loss, and what became of it: cleared, clipped, used by a step.

A cause is named only where the arithmetic on the values that the answer quotes shows it.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..microscope.labels import few, number, plain_name, short
from ..microscope.readings import version_of
from .code import first, here
from .evidence import once
from .nodes import is_all_zero, largest, magnitude

# the smallest number above 0 of a dtype
SMALLEST = {"float16": 6e-8, "bfloat16": 9.2e-41, "float32": 1.4e-45, "float64": 4.9e-324}


class Way(NamedTuple):
    """One contribution to a gradient: the event of the node that passed it on, and the snapshot."""

    event: object
    value: object


# -- what arrived ------------------------------------------------------------------------------------------------------


@once
def terms(case):
    """The Accumulated events whose sum the .grad is, or was when a step used it before it was cleared."""
    events = [event for event in case.history if event.kind != "Changed"]
    trace = case.recorded.trace
    new = [event.kind == "Zeroed" or event.kind == "GradSet" and trace[event.index - 1].kind != "Changed"
           for event in events]  # fmt: skip
    if case.grad is None and new[-1:] == [True]:
        new[-1] = False
    since = max((place + 1 for place, is_new in enumerate(new) if is_new), default=0)
    return [event for event in events[since:] if event.kind == "Accumulated"]


@once
def ways(case):
    """The contributions to the tensor's gradient in the pass that reached it last, each a :class:`Way`."""
    return ways_to(case.recorded).get(case.place, [])


@once
def ways_to(recorded):
    """``{place: [Way]}`` of the last pass."""
    found = {}
    for event in recorded.since_start:
        if event.kind == "Ran":
            for edge, value in zip(recorded.nodes[event.node].edges, event.results, strict=False):
                if value is not None:
                    found.setdefault(edge, []).append(Way(event, value))
    return found


def told_ways(case, found=None):
    """ "0.31 through MeanBackward0 (line 12, …) and −0.31 through SubBackward0 (line 9, …)", sizes of many numbers."""
    recorded, of_lines, found = case.recorded, {}, found or ways(case)
    small = all(few(way.value) for way in found)
    for way in found[:4]:
        made = recorded.of_node.get(way.event.node)
        line = f" ({case.code.at(made)})" if made else ""
        of_lines.setdefault(f"{recorded.nodes[way.event.node].name}{line}", []).append(
            short(way.value) if small else f"{number(magnitude(way.value), 2)} (root mean square)")  # fmt: skip
    told = [f"{' and '.join(values)} through {line}" for line, values in of_lines.items()]
    return " and ".join(told) + f" and {len(found) - 4} more" * (len(found) > 4)


# -- what first happened to it on the way ------------------------------------------------------------------------------


@once
def vanished(case):
    """The event that made zeros of a gradient that was not zero on the way to the tensor, nearest to it; or None."""
    recorded = case.recorded
    for event in reversed(recorded.events("Ran", "Summed", "Hooked")):
        if event.kind == "Summed":
            gone = event.node in case.above and is_all_zero(event.total) and not is_all_zero(event.added)
        elif event.kind == "Hooked":
            gone = event.node in case.above and is_all_zero(event.after) and not is_all_zero(event.before)
        else:
            results = case.passed_on(event)
            gone = results and all(is_all_zero(value) for _, value in results)
            gone = gone and any(value is not None and not is_all_zero(value) for value in event.grads)
        if gone:
            return event
    return None


@once
def cancelled(case):
    """Two contributions that cancel, as facts of a row; or None."""
    event = vanished(case)
    if not event or event.kind != "Summed":
        return None
    recorded = case.recorded
    key = recorded.trace.tensor_at((event.node, event.output))
    ran = [each for each in recorded.trace[: event.index] if each.kind == "Ran" and here_pass(case, each, event)]
    found = [Way(each, value) for each in ran
             for edge, value in zip(recorded.nodes[each.node].edges, each.results, strict=False)
             if value is not None and edge == (event.node, event.output)]  # fmt: skip
    own = key == case.key
    others = [each.grad for each in recorded.events("Accumulated") if here_pass(case, each, event)]
    reached = not all(map(is_all_zero, others))
    return {
        "at": recorded.of_node.get(event.node) if not own else None,
        "where": "" if own else f" at {recorded.title(key) if key else recorded.nodes[event.node].name}",
        "parts": told_ways(case, found),
        "design": own and reached and len(recorded.tensors[case.key].value.shape) < 2,
    }  # fmt: skip


def here_pass(case, event, other):
    passes = case.recorded.trace.passes
    return passes[event.index] is passes[other.index]


@once
def underflow(case):
    """A product that is below the smallest number of its dtype, as facts of a row; or None."""
    event = vanished(case)
    if not event or event.kind != "Ran":
        return None
    dtype = first(value.dtype for value in event.results if value is not None)
    came = max((largest(value) for value in event.grads if value is not None), default=0)
    factors = [largest(value) for _, value, _ in event.used if value is not None and 0 < largest(value) < np.inf]
    smallest, other = SMALLEST.get(dtype, 0), max(factors, default=1)
    if not 0 < came * other < smallest * 2 or any(is_all_zero(value) for _, value, _ in event.used):
        return None
    product = f"{number(came, 2)} · {number(other, 2)}" if factors else number(came, 2)
    root = first(key for key in case.recorded.roots)
    return {"dtype": dtype, "product": product, "smallest": number(smallest, 2), "root": case.recorded.title(root),
            "at": case.recorded.of_node.get(event.node)}  # fmt: skip


# -- much smaller, much larger -----------------------------------------------------------------------------------------


@once
def resized(case):
    """How a gradient shrank or grew by far on its way, and which nodes had most part in it, as facts of a row."""
    recorded = case.recorded
    own_sizes, sizes = sizes_of_grads(recorded)
    own = own_sizes.get(case.key)
    if case.name.endswith("bias") or not own or not sizes:
        return None
    (largest_size, other), itself = sizes[-1], magnitude(recorded.tensors[case.key].value)
    small, large = own < 1e-5 * largest_size, itself and own > 1e4 * itself
    factors, places = factors_on_the_way(case) if small or large else ({}, {})
    products = {name: float(np.prod(each)) for name, each in factors.items()}
    if not products:
        return None
    name = (min if small else max)(products, key=products.get)
    if not (small and products[name] < 1e-3 or large and products[name] > 1e3):
        return None
    return {
        "small": bool(small), "ratio": number(own / (largest_size if small else itself), 2),
        "other": f"that of {other}" if small else case.name, "node": name, "factor": number(products[name], 2),
        "count": f"{len(factors[name])} " * (len(factors[name]) > 1),
        "most": " (a sigmoid by at most 1/4 each)" * name.startswith("Sigmoid"), "at": places[name],
    }  # fmt: skip


@once
def sizes_of_grads(recorded):
    """``{key: size}`` of the gradients that the last pass brought, and ``[(size, name)]``, the smallest first."""
    added = {event.tensor: magnitude(event.grad) for event in recorded.since_start
             if event.kind == "Accumulated" and event.grad is not None}  # fmt: skip
    named_sizes = [(size, recorded.title(key)) for key, size in added.items() if 0 < size < np.inf]
    return added, sorted(pair for pair in named_sizes if not pair[1].endswith("bias"))


def factors_on_the_way(case):
    """``{name of a node: factors}`` by which the nodes on the way changed the size of the gradient, and their lines."""
    recorded, factors, places = case.recorded, {}, {}
    # what several uses add to the gradient goes no further
    end = case.node_key if len(ways(case)) > 1 else None
    for event in recorded.since_start:
        before = max(map(magnitude, filter(None, event.grads)), default=0) if event.kind == "Ran" else 0
        on = [magnitude(value) for _, value in case.passed_on(event, but=end)] if before else ()
        if on:
            name = recorded.nodes[event.node].name
            factors.setdefault(name, []).append(max(on) / before)
            places[name] = recorded.of_node.get(event.node)
    return factors, places


def diverges(case):
    """The sizes of the last gradients, each of a pass of its own, if each is ten times as large as the one before."""
    sizes = [magnitude(event.grad) for event in case.history if event.kind == "Accumulated"][-3:]
    stepped = any(event.kind == "Changed" for event in case.history)
    grows = stepped and len(sizes) == 3 and all(0 < 10 * one < other for one, other in pairwise(sizes))
    return {"sizes": ", ".join(number(each, 2) for each in sizes), "at": case.recorded.started} if grows else None


# -- what became of it -------------------------------------------------------------------------------------------------


@once
def several_passes(case):
    """The passes whose sum the .grad is, or was for the last step; whether a step had used some of them before."""
    found, recorded = terms(case), case.recorded
    if len(found) < 2:
        return None
    steps = [event.index for event in steps_of(case) if event.index > found[0].index]
    fresh = [event for event in found if steps and event.index > steps[0]]
    stale = bool(fresh) and (len(steps) > 1 or bool({*map(here, fresh)} & {*map(here, found[: -len(fresh)])}))
    places = {*map(here, found)}
    factors = [factors_of(recorded, event) for event in found]
    shown = [short(event.grad) for event in found] if found[0].grad.size == 1 and len(found) < 6 else []
    lines = f"lines {found[0].line} to {found[-1].line}" if len(places) > 1 else "one line run again"
    return {
        "count": len(found), "at": found[-1], "parts": " + ".join(shown) or lines, "steps": stale,
        "mean": all(any(abs(each * len(found) - 1) < 0.01 for each in some) for some in factors),
        "whole": not any(factors), "again": len(places) == 1, "apart": len(places) == len(found),
        "optimizer": case.optimizer or "optimizer",
    }  # fmt: skip


def factors_of(recorded, event):
    """The factors of the losses on the way to the root of the pass that an event is part of."""
    found, waiting = [], recorded.roots_of([recorded.trace.passes[event.index]])
    for key in waiting:
        made = recorded.made_by(key)
        if not made or made.kind != "Operation" or made.values[0].size != 1:
            continue
        op, inputs = plain_name(made.name), [each for each in made.inputs if recorded.tensors[each].requires_grad]
        values = [recorded.value_before(each, made.index) for each in inputs]
        if op in ("mul", "div") and len(inputs) == 1 and values[0].size == 1 and largest(values[0]):
            found.append(made.values[0].array.item() / values[0].array.item())
        if op in ("mul", "div", "add", "sub", "neg", "sum", "to_copy", "view"):
            waiting += [each for each in inputs if each not in waiting]
    return found


def steps_of(case):
    """The events by which optimizers changed the tensor."""
    return [event for event in case.history if event.kind == "Changed" and event.name[:1].isupper()]


@once
def last_step(case):
    """The last step that changed the tensor: the event, by how much, and the .grad that it had then; or None."""
    event = first(reversed(steps_of(case)))
    if event is None:
        return None
    before = case.recorded.value_before(case.key, event.index)
    if not (before.is_whole and event.value.is_whole):
        return event, None, grad_before(case, event)
    moved = np.abs(event.value.array.astype(float) - before.array.astype(float))
    return event, moved, grad_before(case, event)


def grad_before(case, event):
    """The snapshot of the .grad when an event happened."""
    found = case.recorded.tensors[case.key].grad
    for each in case.history:
        if each.index < event.index and each.kind != "Changed":
            found = each.total if each.kind == "Accumulated" else each.value
    return found


def moved_without(case):
    """The elements that the last step moved though their gradient was 0, as facts of a row; or None."""
    event, moved, grad = last_step(case) or (None, None, None)
    if moved is None or grad is None or not grad.is_whole:
        return None
    still = (grad.array == 0) & (moved > 0)
    if not still.any() or still.all():
        return None
    keeps = first(each for name, each in case.sight.optimizers if name == case.optimizer)
    state = keeps.state.get(case.tensor, {}) if keeps is not None else {}
    memory = any(state.get(name) is not None for name in ("momentum_buffer", "exp_avg"))
    by = "its mean of earlier gradients" if memory else "weight decay"
    size = number(float(moved[still].max()), 2)
    return {"count": int(still.sum()), "who": event.name, "by": by, "size": size, "at": event}


@once
def clipping(case):
    """Each call that clipped the .grad: its event, and whether no step used it before it was cleared."""
    found = [event for event in case.history
             if event.kind == "GradSet" and "clip_grad" in case.code.statement(event).text]  # fmt: skip
    if not found:
        return None
    later = [event for event in case.history if event.index > found[-1].index]
    earlier = [event for event in case.history if event.index < found[-1].index]
    since = first(reversed([event for event in earlier if event.kind == "Accumulated"]))
    stepped = since and any(since.index < event.index < found[-1].index for event in steps_of(case))
    used = any(event in later for event in steps_of(case))
    return {"late": bool(stepped) and not used, "at": found[-1]}


def clipped(case, late):
    found = clipping(case)
    return found if found and found["late"] == late else None


def clipped_while_scaled(case):
    """The factor of the GradScaler that a .grad still had when it was clipped, as facts of a row; or None."""
    recorded, clip = case.recorded, clipping(case)
    last = clip and first(event for event in reversed(case.history)
                          if event.kind == "Accumulated" and event.index < clip["at"].index)  # fmt: skip
    scaled = last and first(recorded.made_by(key) for key in recorded.roots_of([recorded.trace.passes[last.index]]))
    if not scaled or not case.code.statement(scaled).calls_any("scale") or plain_name(scaled.name) != "mul":
        return None
    between = [event for event in case.history if last.index < event.index <= clip["at"].index]
    if any(event.kind == "GradSet" and here(event) != here(clip["at"]) for event in between):
        return None
    factor = max(factors_of(recorded, last), default=1)
    return {"scale": number(factor), "at": scaled, "clip": case.code.statement(clip["at"]).text}


def unused(case):
    """Whether the .grad was cleared again and again, and no step had used it, as facts of a row; or None."""
    cleared = [event for event in case.history if event.kind == "Zeroed"]
    arrived = [event for event in case.history if event.kind == "Accumulated"]
    if len(arrived) < 2 or not case.optimizer or any(event.kind == "Changed" for event in case.history):
        return None
    used = [one for one, other in pairwise(arrived) if any(one.index < each.index < other.index for each in cleared)]
    return {"optimizer": case.optimizer, "count": len(used) + 1, "at": cleared[-1]} if used else None


def healthy(case):
    """What was looked at, as facts of a row."""
    if not case.key or not case.value.is_readable:
        return None
    count = len(terms(case))
    uses = len(ways(case))
    several = f"the sum of {count} passes" if count > 1 else "of one pass"
    hooked = any(event.node in case.above and event.after is not None for event in case.recorded.events("Hooked"))
    return {
        "passes": several + f", the sum over {uses} ways back ({told_ways(case)})" * (uses > 1 and count < 2),
        "hook": "a hook changed it" if hooked else "no hook changed it",
    }  # fmt: skip


def finite(case):
    """How often the .grad was changed in place, as its version tells, as facts of a row."""
    version = 0 if case.key else version_of(case.grad)
    times = "once" if version == 1 else f"{version} times"
    changed = f"; it was changed in place {times}, as further uses and passes, clipping, unscaling and zero_grad() do"
    missing = "; this recording does not have it" if case.recorded and not case.key else ""
    tells = "" if case.recorded else f". A recording tells how it came about: {case.record}"
    return {"changed": changed * bool(version), "missing": missing, "tells": tells}
