"""The sentences in which a trace explains its events to a learner."""

import re
from functools import lru_cache

from ..words import of
from .events import MOST_EVENTS, MOST_NODES, Value
from .formulas import derivations, once
from .labels import node_name, plain_name, short, tensor_name

TEXTS = say = of("microscope")
RULES = {row: rule["told"] for rule in TEXTS["rules"].values() for row in rule["rows"].split()}
MOST_SHOWN = 200  # sentences in a notebook's list, at most
SILENT = ("Used", "Freed", "Ready")  # a node's own sentence makes these needless


def place_name(trace, edge):
    return trace.titles[edge] or node_name(trace, edge[0])


def some(parts):
    """The parts; of many, the first ones and the number of the others."""
    parts = list(parts)
    return parts if len(parts) <= 12 else [*parts[:10], say("others", number=len(parts) - 10)]


def listed(parts):
    parts = some(parts)
    return TEXTS["and"].join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def derivative(trace, event, edge):
    """The gradient at an edge ``(node, output)`` in calculus' words: ∂z/∂y; vᵀ · ∂z/∂y for a root with a gradient v."""
    started = trace.passes[event.index]
    above = numerator(trace, started) if started else "∂out"
    return f"{above}/∂{in_fraction(place_name(trace, edge))}"


@once
def numerator(trace, started):
    """What the gradients of a pass are derivatives of, as "∂z" or "vᵀ · ∂z"."""
    names, grads = [in_fraction(place_name(trace, root)) for root in started.roots], started.grads
    above = f"∂{names[0]}" if len(names) == 1 else f"∂({' + '.join(names)})"
    if all(grad.is_whole and grad.size == 1 and grad.array.item() == 1 for grad in grads):
        return above
    return f"{'vᵀ' if any(grad.shape for grad in grads) else 'v'} · {above}"


@lru_cache
def in_fraction(name):
    """A name or expression after ∂: "x", "(sin x)", "(x**3)", "(y, line 4)"."""
    name = re.sub(r"^(\w+)\((\w+)\)$", r"\1 \2", name)
    name = re.sub(r" \((line \d+)\)", r", \1", name)
    return name if re.fullmatch(r"[\w.\[\]']+", name) else f"({name})"


def sentence(trace, group):
    said = []
    for event in group:
        silent = event.kind in SILENT and group[0].kind != "Started"
        if len(group) > 1 and (silent or is_in_hook(event) or is_inside(trace, event)):
            continue
        text = globals().get("on_" + event.kind.lower(), event_text)(trace, event)
        if text not in said:
            said.append(text)
    return " ".join(said)


def is_in_hook(event):
    """Whether an operation ran in a hook; the hook's event has the result."""
    return event.computes and event.pass_number is not None and event.within is None


def is_inside(trace, event):
    """Whether an operation that is not recorded ran in the forward or backward of a user's Function."""
    return event.computes and event.node is None and event.within and is_users(trace.nodes[event.within])


def is_users(record):
    """Whether a node is that of a user's Function; names of PyTorch's own nodes end in a number."""
    return record.row is None and record.name.endswith("Backward")


def on_operation(trace, event):
    name, node = plain_name(event.name), event.node and node_name(trace, event.node)
    if event.within is not None:
        recorded = say("on_the_way_recorded", node=node) if node else ""
        values = listed(map(short, event.values)) or say("nothing")
        return say("on_the_way", name=name, values=values, recorded=recorded)
    inputs = [tensor_name(trace, key) for key in dict.fromkeys(event.inputs)]
    outputs = listed(f"{tensor_name(trace, key)} = {short(value)}"
                     for key, value in zip(event.outputs, event.values, strict=True))  # fmt: skip
    if event.cut == "detach":
        return say("detached", outputs=outputs, input=inputs[0])
    hooked = say("in_a_hook") if event.pass_number is not None else ""
    text = say("computes_from" if inputs else "computes", hooked=hooked, name=name, inputs=listed(inputs),
               outputs=outputs or say("nothing"))  # fmt: skip
    if event.cut:
        return text + say("cut", cut=event.cut)
    if event.view:
        text += say("view", input=inputs[0])
    return text + (say("recorded", node=node) if node else say("stop"))


def exchange_of(event):
    """``("mean", "2")`` of an event by which two processes averaged a gradient; None of any other."""
    found = re.fullmatch(r"(\w+)\(processes=(\d+)\)", event.name)
    return found and found.groups()


def on_exchanged(trace, event):
    """Several processes have exchanged the gradients of a leaf, and its .grad changed by that."""
    what, count = exchange_of(event)
    name = trace.tensors[event.tensor].name
    before = [each.total for each in trace[: event.index]
              if each.kind == "Accumulated" and f"{trace.tensors[each.tensor].name}.grad" == name]  # fmt: skip
    return say(f"{what}_of_processes", tensor=tensor_name(trace, event.tensor), count=count, value=short(event.value),
               before=short(before[-1]) if before else say("nothing"))  # fmt: skip


def on_changed(trace, event):
    if exchange_of(event):
        return on_exchanged(trace, event)
    shared = listed(tensor_name(trace, key) for key, _ in event.others)
    name = plain_name(event.name)
    name += "_" if name.islower() else ""  # an optimizer's has no in-place form
    text = say("changed", name=name, tensor=tensor_name(trace, event.tensor), value=short(event.value),
               version=event.version)  # fmt: skip
    text += say("changed_too", shared=shared) if shared else ""
    return text + (say("changed_recorded", node=node_name(trace, event.node)) if event.node else say("stop"))


def on_started(trace, event):
    roots = listed(say("starts_at", root=place_name(trace, root), grad=short(grad))
                   for root, grad in zip(event.roots, event.grads, strict=True))  # fmt: skip
    text = say("starts", again="" if event.pass_number == 1 else f" {event.pass_number}", roots=roots)
    return text + say("create_graph" if event.create_graph else "retain_graph" if event.retain_graph else "stop")


@once
def on_ran(trace, event):
    node = node_name(trace, event.node)
    came = listed(derivative(trace, event, (event.node, number)) for number in range(len(event.grads)))
    record = trace.nodes[event.node]
    if is_users(record):
        parts = [say("own_part", value=short(value), name=place_name(trace, edge))
                 for value, edge in zip(event.results, record.edges, strict=True) if value is not None]  # fmt: skip
        if parts:
            return say("ran_own", node=node, grads=listed(map(short, event.grads)), parts=listed(parts))
    parts = [say("part", derivative=derivative(trace, event, record.edges[each.edge]),
                 rule=rule_in_words(record, each, event)) for each in derivations(trace, event)]  # fmt: skip
    if not parts:
        return say("ran_for_nobody", node=node, came=came)
    product = say("product") if any(grad is not None and grad.shape for grad in event.grads) else ""
    return say("ran", node=node, came=came, parts=say("next_part").join(some(parts)), product=product)


def edges_in_words(trace, event):
    """``{input's number: text}`` of the gradients that a node gave: "∂z/∂y = 1 / 125 = 0.008"."""
    record, found = trace.nodes[event.node], {}
    for each in derivations(trace, event):
        parts = [derivative(trace, event, record.edges[each.edge]), each.numbers, short(each.result)]
        found[each.edge] = " = ".join(dict.fromkeys(filter(None, parts)))
    return found


def rule_in_words(record, each, event):
    result = short(each.result)
    grad = next((grad for grad in event.grads if grad is not None), None)
    if each.text is None:
        told = RULES.get(record.row, say("own_rule" if record.row is None else "other_rule"))
        return f"{told}: {result}"
    shapes = ""
    if each.elementwise and each.result.size != grad.size:
        shapes = say("summed_shape" if each.result.size < grad.size else "each_element")
    if each.numbers is None or each.numbers == result:
        return f"{each.text}{shapes} = {result}"
    return f"{each.text}{shapes} = {each.numbers}{shapes and ' …'} = {result}"


def event_text(trace, event):
    """The text of an event's kind, filled with its facts; there may be another text for a fact that is None."""
    kind, facts = event.kind.lower(), event._asdict()
    lacking = (f"{kind}_without_{name}" for name, it in facts.items() if it is None)
    kind, node, tensor = next(filter(TEXTS.get, lacking), kind), facts.get("node"), facts.get("tensor")
    facts = {name: short(each) if isinstance(each, Value) else each for name, each in facts.items()}
    facts |= {"node": node_name(trace, node), "tensor": tensor_name(trace, tensor) if tensor else facts.get("name"),
              "most_events": MOST_EVENTS, "most_nodes": MOST_NODES}  # fmt: skip
    if "output" in facts:
        facts["where"] = place_name(trace, event.edge)
    if event.kind == "Hooked":
        facts["who"] = TEXTS["hooks"](event.stage, **facts)
        facts["hook"], _, computed = event.hook.partition(": ")  # of a lambda
        before = trace[event.index - 1]
        if before.kind == "Changed":  # perhaps the gradient itself
            return f"{say('hooked_without_before', **facts)} {on_changed(trace, before)}"
        if kind == "hooked" and event.stage == "tensor" and computed:
            kind, facts["hook"] = "hooked_computes", computed.replace(" * ", " · ")
    return say(kind, **facts)


def summary(trace):
    if not len(trace):
        return say("summary_empty")
    passes = sum(event.kind == "Started" for event in trace)
    forward = sum(event.computes and event.pass_number is None for event in trace)
    facts = {name: TEXTS[name][number != 1].format(number)
             for name, number in (("forward", forward), ("passes", passes))}  # fmt: skip
    return say("summary", notice=trace.notice, events=len(trace), **facts).rstrip()
