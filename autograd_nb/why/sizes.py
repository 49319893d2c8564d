"""A gradient that is a number, if perhaps not the wanted one: a sum, too small, too large, clipped, or not used."""

import numpy as np

from ..microscope.labels import number, plain_name, short
from ..microscope.readings import version_of
from .evidence import once
from .missing import unheld
from .nodes import magnitude
from .sight import params_of
from .statements import calls_of, first, here, only


@once
def several_passes(case):
    """The backward passes whose sum a .grad is, if several; whether the tensor was changed between them."""
    added, trace = case.history, case.recorded.trace
    new = [
        event.kind == "Zeroed" or event.kind == "GradSet" and trace[event.index - 1].kind != "Changed"
        for event in added
    ]
    new = new[:-1] if case.grad is None and new[-1:] == [True] else new  # those that a step used before
    since = max((place + 1 for place, is_new in enumerate(new) if is_new), default=0)
    own = [event for event in added[since:] if event.kind == "Accumulated"]
    if len(own) < 2:
        return None
    steps = [event.index for event in added[added.index(own[0]) :] if event.kind == "Changed"]
    before = {here(each) for each in own if each.index < (*steps, 0)[0]}
    after = {here(each) for each in own if each.index > (*steps, 0)[0]}
    shown = [short(event.grad) for event in own] if own[0].grad.size == 1 and len(own) < 6 else []
    lines = f"lines {own[0].line} to {own[-1].line}" if own[0].line != own[-1].line else "one line run again"
    factors = [factor_of(case.recorded, each) for each in own]
    places = {*map(here, own)}
    return {
        "count": len(own),
        "at": own[-1],
        "parts": " + ".join(shown) or lines,
        "apart": len(places) == len(own),
        "again": len(places) == 1,
        "mean": all(each and abs(each * len(own) - 1) < 0.01 for each in factors),
        "optimizer": case.optimizer or "optimizer",
        "steps": bool(after and steps) and (len(steps) > 1 or bool(before & after)),
    }


def factor_of(recorded, event):
    """By what the loss of the pass that an event is part of was multiplied or divided last, or None."""
    made = recorded.made_by(first(recorded.roots_of([recorded.trace.passes[event.index]])))
    if made is None or made.kind != "Operation" or plain_name(made.name) not in ("mul", "div"):
        return None
    before, after = recorded.tensors[made.inputs[0]].value, made.values[0]
    both = all(value.is_whole and value.size == 1 for value in (before, after))
    return after.array.item() / before.array.item() if both and before.array.any() else None


def used_often(case):
    count = sum(event.node == case.node_key for event in case.recorded.since_start if event.kind == "Summed")
    return count and {"count": count + 1}


def changed_since(case):
    version = 0 if case.key else version_of(case.grad)
    return version and {"count": "once" if version == 1 else f"{version} times"}


def healthy(case):
    return case.key and case.value.is_readable


def finite(case):
    return {"other": "; this recording does not have it" * (bool(case.recorded) and not case.key)}


# -- too small, too large ----------------------------------------------------------------------------------------------


@once
def grown_or_shrunk(case):
    """How a gradient shrank or grew on its way here, when it did so by far; which nodes had most part in it."""
    recorded = case.recorded
    events = recorded.since_start
    own, sizes, factors, places = None, [], {}, {}
    summed = {event.node for event in events if event.kind == "Summed"}
    end = case.node_key if case.node_key in summed else None  # what a step adds to its weight goes no further
    for event in events if not case.name.endswith("bias") else ():
        if event.kind == "Accumulated" and event.grad and event.grad.is_readable:
            own = magnitude(event.grad) if event.tensor == case.key else own
            sizes.append((magnitude(event.grad), recorded.title(event.tensor)))
        before = max(map(magnitude, filter(None, event.grads)), default=0) if event.kind == "Ran" else 0
        on = [magnitude(value) for _, value in case.passed_on(event, but=end)] if before else ()
        if on:
            name = recorded.nodes[event.node].name
            factors.setdefault(name, []).append(max(on) / before)
            places[name] = recorded.of_node.get(event.node)
    sizes = sorted(pair for pair in sizes if 0 < pair[0] < np.inf and not pair[1].endswith("bias"))
    # of many alike, the smallest and the largest do not count: what happens at one place is no way that shrinks
    products = {name: float(np.prod(sorted(each)[1:-1])) for name, each in factors.items() if len(each) > 3}
    if not own or not sizes or not products:
        return None
    (largest, other), itself = sizes[-1], magnitude(recorded.tensors[case.key].value)
    small, large = own < 1e-5 * largest, itself and own > 1e4 * itself
    name = (min if small else max)(products, key=products.get)
    usual = np.median(factors[name])  # step by step, not at one place or two
    if not (small and products[name] < 1e-3 and usual < 0.8 or large and products[name] > 1e3 and usual > 1.25):
        return None
    return {
        "small": small,
        "ratio": number(own / (largest if small else itself), 2),
        "other": f"that of {other}" if small else case.name,
        "node": name,
        "count": len(factors[name]),
        "factor": number(float(np.prod(factors[name])), 2),
        "most": " (a sigmoid by at most 1/4 each)" * name.startswith("Sigmoid"),
        "at": places[name],
    }


def diverges(case):
    """The sizes of the last gradients, each of a pass of its own, if each is ten times as large as the one before."""
    added = [event.grad for event in case.history if event.kind == "Accumulated"]
    sizes = [magnitude(each) for each in added if each.is_readable][-3:]
    stepped = case.key and any(event.kind == "Changed" for event in case.history)
    grows = stepped and len(sizes) == 3 and sizes[2] > 10 * sizes[1] > 100 * sizes[0] > 0
    return {"sizes": ", ".join(number(each, 2) for each in sizes), "at": case.recorded.started} if grows else None


# -- clipped, or not used ----------------------------------------------------------------------------------------------


def was_clipped(case):
    """The event of clipping gradients after the last one was added to the .grad, or None."""
    added = first(event for event in reversed(case.history) if event.kind == "Accumulated")
    return case.recorded.next_calling(added, "clip_grad_norm_", "clip_grad_value_")


def clipped_while_scaled(case):
    recorded, code, clip = case.recorded, case.code, was_clipped(case)
    if not recorded:
        return clipped_in_code(code)
    scaled = recorded.made_by(first(recorded.roots)) if clip else None
    ran = first(each for each in recorded.events("Ran") if scaled and each.node == scaled.node)
    if not ran or plain_name(scaled.name) != "mul" or "scale" not in {x.name for x in code.calls_at(here(scaled))}:
        return None
    scale = float(magnitude(ran.results[0]) / magnitude(ran.grads[0]))
    clip = code.statement(here(clip)).text
    return None if recorded.next_calling(scaled, "unscale_") else {"scale": f"{scale:g} ", "at": scaled, "clip": clip}


def clipped_in_code(code):
    scaled, clipped = (only(calls_of(code.program, name)) for name in ("scale", "clip_grad_norm_"))
    scaler = scaled and clipped and code.sight.resolve(scaled[0].on)
    known = hasattr(scaler, "unscale_") and not calls_of(code.program, "unscale_")
    return {"scale": "", "at": scaled[1], "clip": clipped[1].text} if known else None


def in_no_optimizer(case):
    found, sight = unheld(case), case.sight
    if not found:
        return None
    name, last = sight.optimizers[-1]
    held = {*map(id, params_of(last))}
    owns = first(each for each, module in sight.modules if held == {*map(id, params_of(module))})
    return found | {"at": case.code.bound_at(name), "other": f"those of {owns}" if owns else "other parameters"}
