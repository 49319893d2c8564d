"""What finds out which of the reasons that `why` knows is the one; `words/en/why.toml` is the table of them.

A row of it names a detector: a function of this file, which takes a :class:`Case` or :class:`Whole` and what the row
gives it, and returns what the words name, or None where this is not the reason; *at* is the line behind the words.
"""

import re
from types import ModuleType
from typing import NamedTuple

from ..words import of
from . import readings
from .asked import EDGES, holds
from .evidence import made_at, unregistered
from .flow import LEAVING
from .labels import plain_name, short
from .names import is_ours, parameters_of
from .readings import TooLarge, is_leaf, name_of, place_of, value_of
from .sight import bad, kinds, nothing_in, op_of
from .statements import binding, first, here, is_part

RECORD = "with autograd_nb.record() as trace: … around forward and backward, then why({asked}trace)"


class Row(NamedTuple):
    about: str
    finds: str
    words: str = ""
    remedy: str = ""
    chapter: str = ""
    given: dict = {}
    usual: bool = False
    once: bool = False
    result: bool = False


ROWS = [Row(**each) for each in of("why")["row"]]
TOO_LARGE = Row(
    "",
    "",
    "{name}: the graphs in sight have more nodes than are looked at",
    "Ask about fewer turns of the loop, or cut the graph with detach() before the part in question",
)


def told(case):
    """``(row, text)``: the first row that fits, and its sentences."""
    try:
        for row in ROWS:
            if case.about in row.about.split() and (facts := globals()[row.finds](case, **row.given)) is not None:
                return row, sentences(case, row, facts)
    except TooLarge:
        pass
    return TOO_LARGE, sentences(case, TOO_LARGE, {})


def sentences(case, row, facts):
    asked = "" if case.name == "the root" else f"{case.name}, "
    facts = {"name": case.name, "record": RECORD.format(asked=asked), "passed": "a pass", "at": None} | facts
    lacks = ".grad is None" if getattr(case, "node", None) else " does not require grad"
    apart = row.about and case.about == "constant" and getattr(case, "node", None)
    name = case.name if case.name != "the root" else blamed(case, "backward|grad", is_constant) or case.name
    facts["head"] = f"a pass from {name} reaches nothing that is trained" if apart else name + lacks
    where = f" ({case.at(facts['at'])})" if facts["at"] else ""
    words, remedy = row.words.format_map(facts), row.remedy.format_map(facts)
    return f"{words}{where}.{remedy and ' '}{remedy}{'.' * bool(remedy)}"


DRAWING = {"sample", "multinomial", "bernoulli"}
JOIN = "Join tensors with torch.stack([{}]) or torch.cat, which stay in the graph"
COMPUTE = "Use the tensor itself, computed with torch all the way"
AGAIN = ", or switch on again what set_grad_enabled(False) switched off"


def fact(case, of, **wanted):
    """What *of* is, if its parts are as they are *wanted*."""
    found = globals()[of](case) if of in globals() else getattr(case, of)
    return found if found and all(found[part] == value for part, value in wanted.items()) else None


def ended(case, by):
    """A way out of the graph: a link through one of these operations or calls."""
    for link in case.links:
        op = first(each for each in by.split() if each in link.ops)
        aside = DRAWING & link.ops and any(not DRAWING & each.ops for each in case.links)  # for what was chosen only
        if op and not aside:
            sources = case.sources_at(link.place)
            given = [call.first for call in case.calls_at(link.place) if call.name == op]
            joins = any(each.startswith(("*", "[", "(")) for each in (*sources, *given))
            return {
                "op": op,
                "source": " and ".join(each.removeprefix("*") for each in sources),
                "instead": JOIN.format(", ".join(sources)) if joins else COMPUTE,
                "again": AGAIN * any("set_grad_enabled" in text for text in case.texts(link.place[0])),
                "at": link.place,
            }
    return None


def error(case, pattern, done="", fits="", unknown=""):
    """An error that says what matches *pattern*, whose groups may be named in the words.

    *what* is the tensor that the line does this to, by calls whose names match *done*, if only one *fits*; else
    *unknown* stands for it.
    """
    found = re.search(pattern, case.message)
    what = found and fits and blamed(case, done, globals()[fits])
    return found and found.groupdict() | {"at": case.failed_at, "what": what or unknown}


def given_a_result(case):
    if "can't optimize a non-leaf" not in case.message:
        return None
    failed = case.statement(case.failed_at)
    what = first(name for name in (failed.reads if failed else ()) if readings.is_tensor(each := case.resolve(name))
                 and is_result(each))  # fmt: skip
    made = what and case.made_at(what, failed)
    return {"what": what or "a tensor that it was given", "at": made or case.failed_at}


IN_PLACE = r"[a-z]\w*_|__i\w+__"


def blamed(case, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    statement = case.statement(case.failed_at)
    texts = []
    for call in statement.calls if statement else ():
        if re.fullmatch(done, call.name):
            owner = case.resolve(call.on)
            texts.append(call.first if isinstance(owner, ModuleType) or not call.on else call.on)
    if done == IN_PLACE and statement:
        texts += [name for name in statement.binds if "[" in name or name in statement.reads]
        texts += statement.feeds if statement.changes == "parts" and not any("[" in each for each in texts) else ()
    fitting = []
    for text in dict.fromkeys(texts):
        value = case.resolve(text.partition("[")[0])
        if text and (value is None or readings.is_tensor(value) and fits(value)):
            fitting.append(text)
    return fitting[0] if len(fitting) == 1 else None


def belongs_to_a_leaf(tensor):
    return tensor.requires_grad and (
        readings.is_leaf_tensor(tensor) or tensor._base is not None and readings.is_leaf_tensor(tensor._base)
    )


# -- errors that say all there is to know ------------------------------------------------------------------------------

def first_nan(case):
    found = re.search(r"Function '(\w+)' returned nan values", case.message)
    if not found:
        return None
    facts = {"node": found[1], "given": "", "at": case.failed_at}
    ran = [case.of_node.get(each.node) for each in case.events("Ready") if case.trace.nodes[each.node].name == found[1]]
    if ran and ran[-1]:
        op, inputs = plain_name(ran[-1].name), [(key, case.trace.tensors[key].value) for key in ran[-1].inputs]
        given = f", and {op} was given {' and '.join(f'{case.title(key)} = {short(value)}' for key, value in inputs)}"
        return facts | {"given": given, "remedy": EDGES.get(op, "See what its input was"), "at": ran[-1]}
    nodes = [node for node in case.below(*case.failure.roots) if name_of(node) == found[1]] if case.failure else []
    places = {made_at(node) for node in nodes} - {None}
    remedy = f"A recording tells which value it came from: {RECORD.format(asked='')}"
    op = found[1].partition("Backward")[0].lower()
    return facts | {"remedy": EDGES.get(op, remedy), "at": places.pop() if len(places) == 1 else case.failed_at}


def of_inference(case):
    if "Inference tensor" not in case.message:
        return None
    failed = case.statement(case.failed_at)
    values = {name: case.values.get(name) for name in (failed.reads if failed else ())}
    what = first(name for name, each in values.items() if readings.is_tensor(each) and each.is_inference())
    made = what and binding(case.code(failed.file), what, failed)
    return {"what": what or "a tensor in this line", "at": made or case.failed_at}


def not_used_there(case, again):
    found = re.search(r"(?:at index (\d+) )?appears to not have been used", case.message)
    if not found:
        return None
    asked, roots = (case.failure.inputs[int(found[1] or 0) :], case.failure.roots) if case.failure else ((), ())
    what, root = (each[0] is not None and case.called(each[0]) for each in ((*asked, None), (*roots, None)))
    failed = case.statement(case.failed_at)
    made = [case.made_at(name, failed) for name in (failed.reads if failed else ()) if name != what]
    grads = [call for each in made if each for call in each.calls if call.name == "grad" and what in call.of]
    what, root = what or "a tensor that is asked for", root or "what is differentiated"
    return {"what": what, "root": root, "at": case.failed_at} if again == bool(grads) else None


def asked_of_a_constant(case):
    if not re.search("differentiated Tensors does not|can't retain_grad on|cannot register a hook on", case.message):
        return None
    what = first(each for each in case.failure.inputs if not each.requires_grad) if case.failure else None
    what = case.called(what) if what is not None else blamed(case, "retain_grad|register_hook", is_constant)
    return {"what": what or "a tensor", "at": case.failed_at}


def is_constant(tensor):
    return not tensor.requires_grad


def wants_grad(tensor):
    return tensor.requires_grad


def has_several(tensor):
    return tensor.numel() != 1


def is_result(tensor):
    return not readings.is_leaf_tensor(tensor)


def is_whole(tensor):
    return not tensor.dtype.is_floating_point


def no_tensor(case):
    found = re.search(r"'(\w+)' object has no attribute '(backward|grad|grad_fn|detach)'", case.message)
    failed = case.statement(case.failed_at) if found else None
    names = [name for name in failed.reads if type(case.values.get(name)).__name__ == found[1]] if failed else ()
    made = names and binding(case.code(failed.file), names[0], failed)
    if not made:
        return None
    remedy = "See whether what is called here returns it"
    if found[1] != "NoneType":
        ways = [f"Leave {call.name}() out here" for call in made.calls if call.name in LEAVING]
        remedy = f"{(*ways, 'Keep the tensor itself')[0]}: backward() starts from a tensor"
    kind = f"a {found[1]}".replace("a NoneType", "None")
    return {"what": names[0], "kind": kind, "remedy": remedy, "at": made}


# -- a graph that was freed --------------------------------------------------------------------------------------------


def hook_runs_before(case):
    hook = case.failure and case.failure.hook
    part = case.called(case.lacking) if hook and case.lacking is not None else None
    if part:
        return {"hook": hook, "part": part, "at": case.start}
    pairs = [(call, each) for each in case.calls_of(case.program, "register_hook") for call in each.calls]
    for call, statement in pairs if case.tensor is not None else ():
        if call.name == "register_hook" and case.resolve(call.on) is case.tensor:
            inside = [each for each in case.program if each.scope[-1:] == (call.first,)]
            for each in [*inside, statement]:
                read = [case.resolve(name[:-5]) for name in each.reads if name.endswith(".grad")]
                if any(one is case.tensor for one in read):
                    return {"hook": call.first, "part": case.name, "at": each}
    return None


# -- something that was saved was changed ------------------------------------------------------------------------------


def changed(case, by):
    found = fact(case, "change", by=by)
    statement = found and by == "operation" and case.statement(here(found["at"]))
    anew = {"": WITHOUT, "parts": JOINED}.get(statement.changes if statement else None, ANEW)
    return found and {"seen": "", "anew": anew} | found


ANEW = "Write that line with a new tensor, x = x + … in place of x += …, or x.clone() before it"
JOINED = "Collect the parts in a list and join them by torch.stack, or choose by torch.where, in place of this line"
WITHOUT = "Leave inplace=True out of what is called there, or give it x.clone()"


def set_to_none(case):
    last = case.last_set
    passes = {here(case.trace.passes[event.index]) for event in case.of_leaf if event.kind == "Accumulated"}
    later = [each for each in case.events("Started") if last and each.index > last.index]
    missed = any(here(each) in passes for each in later)  # that a pass of the same line reached before
    used = last and case.of_leaf[-2:-1] and case.of_leaf[-2].kind == "Changed"
    gone = last and last.kind == "Zeroed" and last.value is None and not missed and not used
    return {"at": last} if gone else None


def kept_grad(case):
    leaf = first(case.called(each) for each, _ in case.known.values() if readings.grad_of(each) is case.tensor)
    kept = [each for each in case.program if f"{leaf}.grad" in each.reads and (each.binds or each.feeds)]
    return {"leaf": leaf, "at": kept[0] if len(kept) == 1 else None} if leaf else None


# -- ways out of the graph ---------------------------------------------------------------------------------------------


def checkpointed(case):
    for event in case.events("Operation"):
        if event.name == "CheckpointFunction" and not event.node:
            inside = case.upstream(event.outputs)
            if any("no_grad" in link.ops and key in inside for (_, key), link in case.linked):
                return {"at": event}
    found = (link.place for link in case.living_links if "checkpoint" in link.ops)
    return first({"at": place} for place in found if case.sources_at(place) == ["the result before it"])


def renamed(case):
    for link in case.links:
        statement = case.statement(link.place)
        if link.source == link.target and "no_grad" in link.ops and statement and link.target in statement.binds:
            return {"part": link.target, "at": link.place}
    return None


def unknown_exit(case):
    link = first(each for each in case.links if each.source and not case.key)  # of which all may be a part
    target = link and case.values.get(link.target)
    cut = "the graph ends here or later"
    if readings.is_tensor(target):
        cut = "its graph does not lead there" if target.requires_grad else "has no graph of its own"
    return link and {"source": link.source.removeprefix("*"), "target": link.target, "at": link.place, "cut": cut}


def not_trained(case):
    own = {id(each) for _, module in case.modules for _, each in parameters_of(module)}
    held = [(each, name) for name, one in case.optimizers for group in one.param_groups for each in group["params"]]
    held = [pair for pair in held if not pair[0].requires_grad and id(pair[0]) not in own and case.called(pair[0])]
    held = [pair for pair in held if case.about == "failed" or pair[0] is case.tensor]
    return first({"what": case.called(each), "optimizer": name, "at": case.bound_at(name)} for each, name in held)


def all_frozen(case):
    if case.node or case.tensor is None:
        return None
    above = case.upstream([case.key]) if case.key else {}
    for name, module in case.modules:
        own = [each for _, each in parameters_of(module)]
        used = any(case.key_of(each) in above for each in own) if case.key else name in case.behind(case.name)
        if own and used and not any(each.requires_grad for each in own):
            return {"module": name, "at": case.frozen_at}
    return None


def requires_no_grad(case):
    return {} if "does not require grad" in case.message and case.node is None else None


def unknown_error(case):
    return {"at": case.failed_at}


# -- .grad is None -----------------------------------------------------------------------------------------------------


def whole_numbers(case):
    dtype = case.tensor.dtype
    return None if dtype.is_floating_point or dtype.is_complex else {"dtype": dtype}


def rebound(case):
    """The leaf that a tensor was computed from and that has lost its name to it."""
    if case.is_leaf:
        return None
    names = {name for _, found in case.known.values() for name in found}
    below = [node for node in case.below(case.tensor) if is_leaf(node)]
    lost = [node.variable for node in below if id(node.variable) not in case.known]
    if len(below) != 1 or not lost or case.name not in names or "." in case.name:
        return None
    if lost[0].numel() != case.tensor.numel():
        return None
    between = [
        tensor for tensor, _ in case.known.values() if not readings.is_leaf_tensor(tensor) and tensor is not case.tensor
    ]
    if any(place_of(tensor)[0] in case.below(case.tensor) for tensor in between):
        return None  # it was computed from what has a name
    event = case.made_by(case.key, len(case.trace)) if case.key else None
    grad = value_of(readings.grad_of(lost[0]))
    statement = event and case.statement(here(event))
    update = name_of(case.node).startswith("Sub") or statement and ".grad" in statement.text
    at = event or case.line_of(case.tensor)
    return {"node": name_of(case.node), "at": at, "update": update, "grad": f" ({short(grad)})" if grad else ""}


def flag_set_later(case):
    """Whether it was made to require grad only after it had been computed with."""
    code = case.program
    flags = [each for each in code if f"{case.name}.requires_grad" in each.binds
             or any(call.name == "requires_grad_" and call.on == case.name for call in each.calls)]  # fmt: skip
    made = binding(code, case.name, flags[0]) if len(flags) == 1 else None
    near = [each for each in code if made and (each.scope, each.loops) == (made.scope, made.loops)]
    used = [each for each in near if made.line < each.line < flags[0].line and case.name in each.reads and each.binds]
    return {"at": used[0]} if used and flags[0] in near else None


def made_beside(case):
    event = None if case.is_leaf else case.made_by(case.key)
    above = case.upstream(case.roots)
    base = first(key for key in (event.inputs if event else ()) if key in above)
    if base and case.key not in above:
        return {"root": case.title(case.roots[0]), "base": case.title(base), "at": event}
    if not case.retains or any(leads for root, leads, _ in case.graphs_in_sight if root is not case.tensor):
        return None
    leaves = {node: case.called(node.variable) for node in case.below(case.tensor) if is_leaf(node)}
    for root, _, _ in case.graphs_in_sight:
        base = first(leaves[node] for node in leaves if node in case.below(root) and leaves[node])
        if base and root is not case.tensor:
            return {"root": case.called(root), "base": base, "at": case.bound_at(case.name)}
    return None


def retained(case):
    return {} if not case.is_leaf and readings.retains(case.tensor) else None


def view_of_leaf(case):
    base = case.tensor._base
    grad = value_of(readings.grad_of(base)) if base is not None and readings.is_leaf_tensor(base) else None
    return {"base": case.called(base), "grad": short(grad)} if grad and case.called(base) else None


def no_leaf(case):
    return None if case.is_leaf else {"node": name_of(case.node), "at": case.key and case.made_by(case.key)}


def returned_none(case):
    for edges, name, ends in case.own_functions:
        if len(edges) == len(ends.returns) and (case.node, "None") in zip(edges, ends.returns, strict=True):
            return {"function": name, "at": ends}
    for event in case.events("Ran") if case.key else ():
        record = case.trace.nodes[event.node]
        results = [result for (node, _), result in zip(record.edges, event.results, strict=False) if node in case.leads]
        if record.row is None and None in results:
            name = record.name.removesuffix("Backward")
            return {"function": name, "at": case.function_of(name) or case.of_node.get(event.node)}
    return None


def captured(case):
    return first({"at": event} for event in reversed(case.events("Captured")) if event.node == case.node_key)


def done_with(case):
    events = case.of_leaf
    used = [event.kind for event in events[-2:]] == ["Changed", "Zeroed"]
    later = used and case.started and case.started.index > events[-1].index
    return {"at": events[-1], "now": "None" if case.grad is None else "zero"} if used and not later else None


def other_inputs(case):
    reached = case.key and case.started and any(node in case.leads for node, _ in case.started.roots)
    return {"at": case.started} if reached else None


def not_held(case):
    return {"optimizer": case.optimizers[-1][0]} if case.is_unheld else None


def no_pass(case):
    return {} if case.key and not case.started and not case.roots else None


def not_used(case):
    return {"root": case.title(case.roots[0]), "at": case.started} if case.key and case.roots else None


def not_in_graphs(case):
    made = case.bound_at(case.name.removesuffix(".weight").removesuffix(".bias"))
    return {"at": made} if case.trace is not None and case.trace.living and case.started else None


def not_recorded(case):
    if case.trace is None or case.key:
        return None
    return {"saved": "" if case.trace.living else ", which was saved and no longer knows which tensors it speaks of"}


def cleared(case, used):
    """Whether the code sets it to None after the pass, be it *used* by a step before or not."""
    if case.trace is not None or not any(leads and gone for _, leads, gone in case.graphs_in_sight):
        return None
    cleaners, asked = case.calls_of(case.program, "zero_grad"), case.statement(case.start)
    for each in cleaners if len(cleaners) == 1 else (one for one in cleaners if asked and one.scope == asked.scope):
        near = case.calls_near(each)
        if "backward" in near and each.end >= near["backward"].end:
            steps = near.get("step")
            if bool(steps and near["backward"].line <= steps.line <= each.line) == used and (used or steps):
                return {"at": each}
    return None


def gone(case):
    return first({"root": case.called(root)} for root, leads, gone in case.graphs_in_sight if leads and gone)


def twin(case):
    for source, target, how in case.twins.with_cuts([case.tensor], [None])[1]:
        if target is case.tensor:
            return {"source": case.called(source), "how": how}
    return None


def computed(case):
    """Whether it was computed, as far as the trace or the code tells; a number of unknown origin may be a loss."""
    if case.key:
        return {} if case.made_by(case.key) else None
    user = case.statement(case.start)
    made = user and binding(case.code(case.start[0]), case.name, user)
    values = [case.values.get(name.partition(".")[0]) for name in made.reads] if made else ()
    plain = [isinstance(each, ModuleType | type | int | float) for each in values]
    return None if plain and all(plain) else {}


def constant(case):
    return {}


def twins(case):
    for tensor, cuts in case.cuts:
        for source, target, how in cuts if case.node not in case.below(tensor) else ():
            if case.node in case.below(source):
                return {"source": case.called(source), "target": case.called(target), "how": how}
    return None


def not_yet(case):
    graphs = case.graphs_in_sight
    return {"root": case.called(graphs[0][0])} if graphs and graphs[0][1] else None


def not_computed(case):
    graphs = sorted(case.graphs_in_sight, key=lambda each: not each[2])  # those first that a pass has freed
    graphs = [(case.called(root), *each) for root, *each in graphs]
    but = first(f" ({root} was, but no backward pass has gone through it)" for root, leads, _ in graphs if leads) or ""
    known = graphs and (graphs[0][2] or but)
    return {"root": f"{graphs[0][0]} was not" if known else "nothing in sight was", "but": but} if graphs else None


def not_reached(case):
    return {}


def left_over(case):
    moved = f", and {case.optimizer} still moves {case.name} by it" * bool(case.optimizer)
    return {"moved": moved} if case.node is None else None


# -- NaN and inf -------------------------------------------------------------------------------------------------------

MASK = "Mask or replace it before that line: a where() or a factor 0 behind it does not help, as 0 · {bad} is NaN"


def bad_in_sight(case):
    own = kinds(case.value) or kinds(value_of(case.tensor))
    return case.bad_data and case.bad_data | {"kinds": own} if case.trace is None else None


def bad_itself(case):
    return {"kinds": kinds(case.value)} if bad(value_of(case.tensor)) else None


def bad_from_the_start(case):
    return first({"kinds": kinds(case.value), "at": x} for x in case.events("Started") if any(map(bad, x.grads)))


def bad_somehow(case):
    return {"kinds": kinds(case.value)}


# -- zero --------------------------------------------------------------------------------------------------------------


def closed(case, rows, when=""):
    """A node of these rows that turned a gradient into zeros."""
    found = case.closing or case.stopping
    if not found or plain_name(found["row"]) not in rows.split():
        return None
    fits = not when or (when == found["when"] if "when" in found else globals()[when](case, found["event"]))
    return found if fits else None


def set_to_zero(case):
    last = case.last_set
    return {"at": last} if last and last.kind == "Zeroed" else None


def hooked(case):
    for event in case.events("Hooked"):
        if nothing_in(event.after) and not nothing_in(event.before) and event.node in case.leads:
            code = case.code(event.file)
            added = case.calls_of(code, "register_hook", "register_full_backward_hook", "register_prehook")
            added = [each for each in added if event.hook.partition(":")[0].removeprefix("lambda ") in each.text]
            return {"hook": event.hook, "at": added[0] if len(added) == 1 else event}
    return None


def single(case, event):
    grads = [grad for grad in event.grads if grad is not None and grad.shape]
    return bool(grads) and grads[0].shape[-1] == 1


def even(case, event):
    """Whether all that came back to a node is the same number."""
    grads = [grad for grad in event.grads if grad is not None and grad.is_whole]
    return bool(grads) and all(grad.array.size and grad.array.min() == grad.array.max() for grad in grads)


def no_loss(case, event):
    """Whether the pass started from a single 0."""
    values = [case.trace.tensors[key].value for key in case.roots]
    return all(value.size == 1 and nothing_in(value) for value in values)


def chosen(case, event):
    """Whether a condition or a mask is the same everywhere, as far as it was kept."""
    value = first(value for name, value, _ in event.used if name in ("condition", "mask"))
    return value is not None and (value.array.min() == value.array.max() if value.is_whole else value.low == value.high)


def returned_zero(case):
    found = case.closing
    name = found["node"].removesuffix("Backward") if found else ""
    return found | {"function": name, "at": case.function_of(name) or found["at"]} if name in case.values else None


def zero_elsewhere(case):
    reached = any(event.kind == "Accumulated" for event in case.of_leaf)
    return {} if case.trace is not None and not reached else None


def zero_somehow(case):
    return {}


# -- a number that may be unwanted -------------------------------------------------------------------------------------


def in_a_list(case):
    return first(
        found | {"module": module, "at": case.bound_at(f"self.{found['attribute']}", found["owner"])}
        for module, found in case.lists
        if any(each is case.tensor for _, each in found["tensors"]) and not case.optimizer
    )


def touched_too_early(case):
    last = first(event for event in reversed(case.of_leaf) if event.kind == "Accumulated")
    events = case.touched.get(case.key, []) + case.touched.get(f"{case.title(case.key)}.grad", []) if last else ()
    passes = case.trace.passes if last else ()
    early = (each for each in events if each.index < last.index and passes[each.index] is passes[last.index])
    return first({"at": each} for each in early)


def in_no_optimizer(case):
    if not case.is_unheld:
        return None
    name = case.optimizers[-1][0]
    held = {id(each) for group in case.optimizers[-1][1].param_groups for each in group["params"]}
    owns = first(each for each, module in case.modules if held == {id(one) for _, one in parameters_of(module)})
    return {"optimizer": name, "at": case.bound_at(name), "other": f"those of {owns}" if owns else "other parameters"}


def at_no_rate(case):
    for name, each in case.optimizers:
        rates = [group.get("lr", 1) for group in each.param_groups if any(x is case.tensor for x in group["params"])]
        if rates == [0]:
            return {"optimizer": name, "at": case.bound_at(name)}
    return None


def clipped_while_scaled(case):
    scaled = case.made_by(first(case.roots)) if case.key and case.clip else None
    ran = first(each for each in case.events("Ran") if scaled and each.node == scaled.node)
    if not ran or plain_name(scaled.name) != "mul" or "scale" not in {x.name for x in case.calls_at(here(scaled))}:
        return None
    scale = float(ran.results[0].array / ran.grads[0].array)
    clip = case.statement(here(case.clip)).text
    return None if case.calling(scaled, "unscale_") else {"scale": f"{scale:g}", "at": scaled, "clip": clip}


def used_often(case):
    events = [event for event in case.events("Summed") if event.node == case.node_key]
    count = sum(event.index > case.started.index for event in events) if case.key and events else 0
    return {"total": short(case.value), "count": count + 1} if count else None


def was_clipped(case):
    return {"total": short(case.value), "at": case.clip} if case.key and case.clip else None


def healthy(case):
    return {"total": short(case.value)} if case.key and case.value.is_readable else None


def changed_since(case):
    version = 0 if case.key else readings.version_of(case.grad)
    return {"total": short(case.value), "count": "once" if version == 1 else f"{version} times"} if version else None


def finite(case):
    return {
        "total": short(case.value),
        "other": "; this recording does not have it" * (case.trace is not None and not case.key),
    }


# -- a module, an optimizer, a recording -------------------------------------------------------------------------------


def has_a_list(case):
    return first(
        each | {"list": f"{case.name}.{each['path']}", "at": case.bound_at(f"self.{each['attribute']}", each["owner"])}
        for each in unregistered(case.thing)
        if not any(holds(optimizer, one) for _, optimizer in case.optimizers for _, one in each["tensors"])
    )


def flag_on_a_module(case):
    for path, inner in case.thing.named_modules():
        if "requires_grad" in vars(inner):
            part = ".".join(filter(None, (case.name, path)))
            return {"part": part, "value": inner.requires_grad, "at": case.bound_at(f"{part}.requires_grad")}
    return None


def holds_strangers(case):
    held = {id(each): each for group in case.thing.param_groups for each in group["params"]}
    own = {id(each) for _, module in case.modules for _, each in parameters_of(module)}
    lost = [each for place, each in held.items() if place not in own and place not in case.known]
    if not lost or own.issubset(held):
        return None
    count = f"{len(lost)} parameter{'s' * (len(lost) > 1)}"
    return {"count": count, "shape": tuple(lost[0].shape), "at": case.bound_at(case.name)}


def still_moved(case):
    for group in case.thing.param_groups:
        for each in group["params"]:
            grad, frozen = value_of(each.grad), place_of(each)[0] is None
            memory = case.thing.state.get(each, {})
            keeps = [value_of(memory.get(name)) for name in ("momentum_buffer", "exp_avg")]
            keeps = any(value and not nothing_in(value) for value in keeps)
            if grad and (frozen and (group.get("weight_decay") or not nothing_in(grad)) or keeps and nothing_in(grad)):
                return {
                    "part": case.called(each) or "a parameter",
                    "at": case.frozen_at if frozen else None,
                    "lacks": "does not require grad" if frozen else "gets no gradient",
                    "what": "the .grad that was left"
                    if not nothing_in(grad)
                    else "its memory of earlier steps"
                    if keeps
                    else "weight_decay",
                }
    return None


def no_parameter(case):
    """A tensor in a module that was computed from a leaf which is nowhere else."""
    parts = case.parts if case.about == "module" else [(case.name, case.tensor)] if "." in case.name else ()
    for name, each in parts:
        if readings.is_tensor(each) and each.requires_grad and not readings.is_leaf_tensor(each):
            leaves = [node.variable for node in case.below(each) if is_leaf(node)]
            made = case.bound_at(f"self.{name.rpartition('.')[2]}", "__init__")
            if made and leaves and not any(id(leaf) in case.known for leaf in leaves):
                return {"part": name, "node": name_of(place_of(each)[0]), "at": made}
    return None


def made_each_time(case):
    for _, inner in case.thing.named_modules():
        name = type(inner).__name__
        code = getattr(type(inner).forward, "__code__", None)
        for each in case.code(code.co_filename) if code and not is_ours(code.co_filename) else ():
            fresh = any(call.name == "Parameter" for call in each.calls) and not any("." in one for one in each.binds)
            if fresh and each.scope[-2:] == (name, "forward"):
                return {"owner": name, "at": each}
    return None


def never_run(case):
    calls = {call.name for each in case.program for call in each.calls} if case.trace is None else ()
    return {} if "step" in calls and "backward" not in calls else None


def update_lost(case):
    for each in case.program:
        heads = [one for one in case.calls_of(case.program, "parameters", "named_parameters") if one.line in each.loops]
        drawn = {name for head in heads for name in head.binds}
        lost = first(name for name in each.binds if name in drawn and f"{name}.grad" in each.reads)
        if lost:
            return {"part": lost, "at": each}
    return None


def never_zeroed(case):
    code = case.program
    steps = [each for each in code for call in each.calls if call.name == "step" and is_part(case.name, call.on)]
    held = [each.grad for group in case.thing.param_groups for each in group["params"]]
    added = any(each is not None and readings.version_of(each) for each in held)
    set_anew = any(name.endswith(".grad") for each in code for name in each.binds)
    zeroed = set_anew or case.calls_of(code, "zero_grad", "zero_")
    turns = any(each.loops or each.scope for each in steps)
    passes = case.calls_of(code, "backward")
    found = case.trace is None and turns and added and passes and not zeroed
    return {"at": passes[0] if len(passes) == 1 else None} if found else None


def too_soon(case):
    pairs = [(call, each) for each in case.program for call in each.calls]
    for call, each in pairs:
        if call.name == "step" and hasattr(case.resolve(call.on), "param_groups") or call.name.startswith("clip_grad_"):
            near = [(one.name, one.on) for one, line in pairs if (line.scope, line.loops) == (each.scope, each.loops)]
            kinds_of_calls = [name for name, _ in near]
            after = near[kinds_of_calls.index("backward") :] if "backward" in kinds_of_calls else [(call.name, call.on)]
            if (call.name, call.on) not in after:
                return {"call": call.name, "then": " and before the step" * (call.name != "step"), "at": each}
    return None


def no_rate(case):
    return {"at": case.bound_at(case.name)} if all(x.get("lr", 1) == 0 for x in case.thing.param_groups) else None


def fed(case, outer, inner):
    """An operation that is given what another one made, as it is or as a view."""
    found = first(each for each in case.fed if each[0] in outer.split() and each[1] == inner)
    return found and {"outer": found[0], "at": found[2]}


def may_be_bad(case):
    """What may have given NaN or inf, of the operations behind the first result in sight that has it.

    If none has, but a gradient: of those behind a result that leads there.
    """
    if case.trace is not None or case.about == "trace" and any(bad(value_of(grad)) for grad in case.grads):
        return None
    results = case.aged
    if case.about == "bad":
        results = [pair for pair in results if case.node in case.below(pair[0])]
    elif case.about == "wrong":
        results = [pair for pair in results if place_of(pair[0])[0] in case.below(case.tensor)]
    wrong = first(pair for pair in results if pair[1])
    if not results or not wrong and case.about != "bad":
        return None
    source, made = wrong or results[-1]
    sound = [each for each, kind in results if wrong and not kind]
    key = id(source), *map(id, sound)
    if key not in case.risks:
        case.risks[key] = risks_of(case, source, sound, wrong)
    told = f"{case.called(source)} is the first result in sight that has {made}" if wrong else "no result in sight has"
    what = f"{case.called(source)} has {made}"
    what = f"{case.name}.grad has {kinds(case.value)}: {told}" if case.about == "bad" else what
    return case.risks[key] and {"what": what} | case.risks[key]


def risks_of(case, source, sound, wrong):
    """The operations that may have given NaN or inf between some results and a later one, as facts of a row."""
    before, statement, name = case.below(*sound), case.line_of(source), case.called(source)
    nodes = [node for node in case.below(source) if node not in before and not is_harmless(node)]
    calls = statement.calls if statement else ()
    ops = dict.fromkeys([*map(op_of, nodes), *(call.name for call in calls)])
    ops = [op for op in ops if op in EDGES and op not in ALWAYS and not (wrong and op in SLOPES)]
    given = [case.resolve(call.on) for call in calls if call.name in ops]
    given = [f", of {case.called(each)} = {short(value_of(each))}" for each in given if readings.is_tensor(each)]
    facts = {"ops": " and ".join(ops), "given": given[0] if len(given) == 1 else "", "source": name, "at": statement}
    return facts | {"remedy": EDGES[ops[-1]] if len(ops) == 1 else RECORDED} if 0 < len(ops) < 4 else None


RECORDED = "A recording tells which: " + RECORD.format(asked="")
ALWAYS = "add sub mul mm addmm bmm mv dot sum mean nll_loss softmax log_softmax".split()  # not for the first time
SLOPES = "norm", "linalg_vector_norm", "atan2"  # whose value is finite


def is_harmless(node):
    exponent = dict(readings.constants_of(node)).get("exponent")
    return isinstance(exponent, int | float) and exponent >= 0 and exponent == int(exponent)


def wrong_somehow(case):
    return {"kinds": kinds(value_of(case.tensor))}


def no_logarithms(case):
    for event in case.events("Operation"):
        value = case.trace.tensors[event.inputs[0]].value if plain_name(event.name).startswith("nll_loss") else None
        if value is not None and value.is_readable and (value.array.max() if value.is_whole else value.high) > 0:
            return {"given": short(value), "at": event}
    return None


def paired_all(case):
    for op, shapes, made, at in case.pairings:
        known = [shape for shape in shapes if shape]
        one = first(shape[:1] for shape in known if len(shape) == 2 and shape[0] > 1 == shape[1])
        if op in PAIRED and one and made in (None, one * 2) and any(shape in (None, one) for shape in shapes):
            others = case.statement(here(at)).reads if None in shapes and at else ()
            others = [each for each in map(case.values.get, others) if readings.is_tensor(each)]
            if None not in shapes or any(tuple(each.shape) == one for each in others):
                both = " and ".join(str(shape or one) for shape in shapes)
                return {"op": op, "shapes": both, "shape": one * 2, "at": at}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


def nothing_unusual(case):
    return {}
