"""The account of a gradient, from the events of a recording alone: what arrived in .grad, from where and how large,
what became of it, cleared or multiplied, and what the steps did with it.

A cause is named only where the arithmetic on the values that the answer quotes shows it.
"""

from collections import defaultdict

import numpy as np

from ..microscope.labels import few, number, plain_name, short
from ..microscope.readings import version_of
from .code import first, line_of
from .evidence import once
from .nodes import largest, magnitude

# -- what arrived ------------------------------------------------------------------------------------------------------


@once
def spells(case):
    """The events of its .grad and of itself, in lists; each list but the last ends where the .grad was cleared."""
    trace, found = case.recorded.trace, [[]]
    for event in case.history:
        found[-1].append(event)
        if event.kind == "Zeroed" or event.kind == "GradSet" and trace[event.index - 1].kind != "Changed":
            found.append([])
    return found


@once
def spell(case):
    """The last of these lists; the one before it if the .grad was just cleared."""
    *before, last = spells(case)
    return before[-1] if before and case.grad is None and not of_kind(last, "Accumulated") else last


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
    """ "0.31 through MeanBackward0 (line 12, …) and −0.31 through SubBackward0 (line 9, …)", sizes of many numbers."""
    recorded, of_lines = case.recorded, defaultdict(list)
    tell = short if all(few(value) for _, value in found) else size_of
    for event, value in found[:4]:
        made = recorded.of_node.get(event.node)
        line = f" ({case.code.at(made)})" if made else ""
        of_lines[f"{recorded.nodes[event.node].name}{line}"].append(tell(value))
    told = [f"{' and '.join(values)} through {line}" for line, values in of_lines.items()]
    return " and ".join(told) + f" and {len(found) - 4} more" * (len(found) > 4)


def size_of(value):
    return f"a root mean square of {number(magnitude(value), 2)}"


# -- much smaller, much larger -----------------------------------------------------------------------------------------


@once
def resized(case):
    """How a gradient shrank or grew a lot on its way, and which nodes did most of it, as facts of a row."""
    recorded = case.recorded
    sizes = sizes_of_grads(recorded)
    own, itself = sizes.get(case.key, (0, ""))[0], magnitude(recorded.tensors[case.key].value) if case.key else 0
    if case.name.endswith("bias") or not 0 < own < np.inf:
        return None
    (most, other), factors, places = max(sizes.values()), defaultdict(list), {}
    small = own < 1e-5 * most
    if not small and not 0 < 1e4 * itself < own:
        return None
    # if several uses add to the gradient, their parts do not count
    end = case.node_key if len(ways_to(recorded, recorded.started)[case.node_output]) > 1 else None
    for event in recorded.since_start:
        before = max(map(magnitude, filter(None, event.grads)), default=0) if event.kind == "Ran" else 0
        after = [magnitude(value) for _, value in case.passed_on(event, but=end)] if before else ()
        if after:
            name = recorded.nodes[event.node].name
            factors[name].append(max(after) / before)
            places[name] = recorded.of_node.get(event.node)
    products = {name: float(np.prod(each)) for name, each in factors.items()}
    name = (min if small else max)(products, key=products.get, default=None)
    if not name or not (products[name] < 1e-3 if small else products[name] > 1e3):
        return None
    return {
        "small": small, "ratio": number(own / (most if small else itself), 2),
        "other": f"that of {other}" if small else case.name, "node": name, "factor": number(products[name], 2),
        "count": f"{len(factors[name])} " * (len(factors[name]) > 1),
        "most": " (a sigmoid by at most 1/4 each)" * name.startswith("Sigmoid"), "at": places[name],
    }  # fmt: skip


@once
def sizes_of_grads(recorded):
    """``{key: (size, name)}`` of the gradients that the last pass brought, without those of biases."""
    added = [event for event in of_kind(recorded.since_start, "Accumulated") if event.grad]
    added = {event.tensor: magnitude(event.grad) for event in added}
    named = {key: (size, recorded.title(key)) for key, size in added.items() if 0 < size < np.inf}
    return {key: pair for key, pair in named.items() if not pair[1].endswith("bias")}


def diverges(case):
    """The sizes of the last gradients, each of a pass of its own, if each is ten times as large as the one before."""
    sizes = [magnitude(event.grad) for event in of_kind(case.history, "Accumulated")][-3:]
    if len(sizes) < 3 or not of_kind(case.history, "Changed") or not 0 < 100 * sizes[0] < 10 * sizes[1] < sizes[2]:
        return None
    return {"sizes": ", ".join(number(each, 2) for each in sizes), "at": case.recorded.started}


# -- what became of it -------------------------------------------------------------------------------------------------


@once
def several_passes(case):
    """The passes whose sum the .grad is, or was for the last step; whether a step had used some of them before."""
    found, recorded = terms(case), case.recorded
    if len(found) < 2:
        return None
    steps = [event.index for event in steps_of(spell(case)) if event.index > found[0].index]
    used, fresh = ([*map(line_of, (event for event in found if (event.index < steps[0]) == before))] if steps else []
                   for before in (True, False))  # fmt: skip
    stale = bool(fresh) and (len(steps) > 1 or not {*used}.isdisjoint(fresh))
    places, changed = {*map(line_of, found)}, [each["factor"] for each in changes(case)]
    factors = [[factor for factor, _ in factors_of(recorded, event)] for event in found]
    shown = [short(event.grad) for event in found] if found[0].grad.size == 1 and len(found) < 6 else []
    lines = f"lines {found[0].line} to {found[-1].line}" if len(places) > 1 else "one line run again"
    return {
        "count": len(found), "at": found[-1], "parts": " + ".join(shown) or lines, "steps": stale,
        "mean": all(any(abs(each * len(found) - 1) < 0.01 for each in some + changed if each) for some in factors),
        "whole": not any(factors), "again": len(places) == 1, "apart": len(places) == len(found),
        "optimizer": case.optimizer or "optimizer",
    }  # fmt: skip


def factors_of(recorded, event):
    """``[(factor, event)]``: the numbers that multiplied the loss, on the way to the root of the pass of an event."""
    found, waiting = [], recorded.roots_of([recorded.trace.passes[event.index]])
    for key in waiting:
        made = recorded.made_by(key)
        if not made or made.kind != "Operation" or made.values[0].size != 1:
            continue
        op, inputs = plain_name(made.name), [each for each in made.inputs if recorded.tensors[each].requires_grad]
        before = [recorded.value_before(each, made.index) for each in inputs]
        if op in ("mul", "div") and len(before) == 1 and before[0].size == 1 and largest(before[0]):
            found.append((made.values[0].array.item() / before[0].array.item(), made))
        if op in ("mul", "div", "add", "sub", "neg", "sum", "to_copy", "view"):
            waiting += [each for each in inputs if each not in waiting]
    return found


@once
def changes(case):
    """How the .grad was changed after it had arrived, ``{"factor", "late", "at"}`` each; factor: None for no multiple.

    late: a step had used it before, and none did after.
    """
    events = spell(case)
    last, found = max((events.index(event) for event in terms(case)), default=len(events)), []
    for place, event in enumerate(events[last + 1 :], last + 1):
        if event.kind == "GradSet":
            factor = multiple(case.grad_before(event), event.value)
            late = steps_of(events[last:place]) and not steps_of(events[place:])
            found += [{"factor": factor, "late": bool(late), "at": event}] if factor != 1 else []
    return found


def multiple(before, after):
    """The factor between two snapshots, if the second is a multiple of the first; None if they show none."""
    if before is None or after is None or not before.is_readable or before.array.shape != after.array.shape:
        return None
    one, other = (each.array.astype(np.float64).ravel() for each in (before, after))
    factor = float(one @ other) / (float(one @ one) or np.nan)
    return factor if np.allclose(other, factor * one, rtol=1e-2, atol=1e-12) else None


def altered(case, how):
    """A change of the .grad: one after the step, one that turned its sign, or any, as *how* says; as facts of a row."""
    fits = {"late": lambda each: each["late"], "turned": lambda each: (each["factor"] or 0) < 0, "any": bool}[how]
    found = first(filter(fits, changes(case)))
    factor = found and found["factor"]
    return found and found | {"how": f"multiplied by {number(factor, 2)}" if factor else "changed"}


def clipped_while_scaled(case):
    """A change of a .grad that still had the factor of a GradScaler, a large power of two, as facts; or None."""
    found = first(changes(case))
    for scale, made in factors_of(case.recorded, terms(case)[-1]) if found else ():
        if scale > 100 and np.log2(scale) % 1 == 0 and abs((found["factor"] or 0) * scale - 1) > 0.01:
            return {"scale": number(scale), "at": made, "clip": case.code.statement(found["at"]).text}
    return None


@once
def emptied(case):
    """The event that set the .grad to None or to zero, and whether a step had used it before; or None.

    None, too, if a later pass from the same line should have reached the tensor again.
    """
    last = first(event for event in reversed(case.history) if event.kind != "Changed")
    passes = case.recorded.trace.passes
    reached = {line_of(passes[event.index]) for event in of_kind(case.history, "Accumulated")}
    if not reached or last.kind != "Zeroed":
        return None
    if any(line_of(event) in reached for event in case.recorded.events("Started") if event.index > last.index):
        return None
    used = case.history[case.history.index(last) - 1].kind == "Changed"
    return {"used": used, "now": "None" if case.grad is None else "zero", "at": last}


def unused(case):
    """How often the .grad was cleared again though no step had used it, as facts of a row; or None."""
    found = [each for each in spells(case) if of_kind(each, "Accumulated")]
    if len(found) < 2 or not case.optimizer or of_kind(case.history, "Changed"):
        return None
    return {"optimizer": case.optimizer, "count": len(found), "at": found[-2][-1]}


# -- what the steps did ------------------------------------------------------------------------------------------------


def steps_of(events):
    """The events by which optimizers changed the tensor."""
    return [event for event in events if event.kind == "Changed" and event.name[:1].isupper()]


@once
def last_step(case):
    """The last step that changed the tensor, as facts: by how much, the .grad that it used, whether that was old."""
    *before, event = [None, None, *steps_of(case.history)][-2:]
    if event is None:
        return None
    grad, was = case.grad_before(event), case.recorded.value_before(case.key, event.index)
    moved = np.abs(event.value.array.astype(float) - was.array.astype(float)) if was.is_readable else np.zeros(0)
    between = [each for each in case.history if before[0] and before[0].index < each.index < event.index]
    at_work = grad is not None and largest(grad) > 0
    return {
        "who": event.name, "moved": moved, "grad": grad, "by": short(grad) if few(grad) or not grad else size_of(grad),
        "size": number(float(moved.max(initial=0)), 2) + " in a sample of it" * (not was.is_whole), "at": event,
        "stale": at_work and before[0] and before[0].name == event.name and not between,
        "still": at_work and was.is_whole and not moved.any(),
    }  # fmt: skip


def moved_without(case):
    """How many elements the last step moved though their gradient was 0, as facts of a row; or None."""
    found = last_step(case)
    if not found or not found["grad"] or not found["grad"].is_whole or not found["moved"].size:
        return None
    still = (found["grad"].array == 0) & (found["moved"] > 0)
    if not still.any() or still.all():
        return None
    return found | {"count": int(still.sum()), "size": number(float(found["moved"][still].max()), 2)}


# -- nothing is wrong --------------------------------------------------------------------------------------------------


def healthy(case):
    """The facts that why() looked at, as facts of a row."""
    found, recorded = terms(case), case.recorded
    if not case.key or not case.value.is_readable or not found and not of_kind(case.history, "GradSet"):
        return None
    step, change, ways = last_step(case), altered(case, "any"), ways_to(recorded, recorded.started)[case.node_output]
    several = f"the sum of {len(found)} passes" if found[1:] else "of one pass" if found else "set by the program"
    if len(found) == 1 and len(ways) > 1:
        several += f", the sum over {len(ways)} ways back ({ways_in_words(case, ways)})"
    hooked = any(event.node in case.above and event.after is not None for event in recorded.events("Hooked"))
    told = ("a hook" if hooked else "no hook") + " changed it"
    if change:
        told += f"; then it was {change['how']} ({case.code.at(change['at'])})"
    if step:
        told += f"; the last step of {step['who']} used a .grad of {step['by']} and moved it by up to {step['size']}"
    return {"passes": several, "hook": told}


def finite(case):
    """How often the .grad was changed in place, by its version, as facts of a row."""
    version = 0 if case.key and terms(case) else version_of(case.grad)
    times = "once" if version == 1 else f"{version} times"
    changed = f"; it was changed in place {times}, as further uses and passes, clipping, unscaling and zero_grad() do"
    tells = "; no pass of this recording brought it: one before or after it did, or one in another thread"
    tells = tells if case.recorded else f". A recording tells how it came about: {case.record}"
    return {"changed": changed * bool(version), "tells": tells}
