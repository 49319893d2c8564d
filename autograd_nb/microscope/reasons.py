"""What finds out which of the reasons that `why` knows is the one; `words/en/why.toml` is the table of them.

A row of it names a detector: a function of this file, which takes a :class:`Case` or :class:`Whole` and what the row
gives it, or something that a case knows, whose parts are to be as the row gives them.  What is found are facts that the
words name, the place that is the line behind the words (as a fact: *at*), or True; None and False where this is not the
reason.  Words may name whatever else the case knows.
"""

import re
from types import ModuleType
from typing import NamedTuple

from ..words import of
from . import readings
from .asked import EDGES, RECORD, holds
from .evidence import made_at, params_of, unregistered
from .flow import LEAVING
from .labels import number, plain_name, short
from .names import parameters_of
from .readings import TooLarge, is_leaf, name_of, place_of, value_of
from .sight import bad, inputs_of, nothing_in, op_of, size
from .statements import first, here, is_part


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


TOO_LARGE = Row(
    "",
    "",
    "{name}: the graphs in sight have more nodes than are looked at",
    "Ask about fewer turns of the loop, or cut the graph with detach() before the part in question",
)
ROWS = [*(Row(**each) for each in of("why")["row"]), TOO_LARGE]


def told(case):
    """``(row, text)``: the first row that fits, and its sentences."""
    try:
        for row in ROWS:
            if case.about in row.about.split() and (found := finding(case, row)):
                return row, sentences(case, row, found)
    except TooLarge:
        pass
    return TOO_LARGE, sentences(case, TOO_LARGE, True)


def finding(case, row):
    if row.finds in globals():
        return globals()[row.finds](case, **row.given)
    found = getattr(case, row.finds)
    return found and all(found[part] == wanted for part, wanted in row.given.items()) and (
        found if isinstance(found, dict) else True
    )


class Facts(dict):
    """What a detector found and, beside that, all that is known of a case."""

    def __missing__(self, name):
        return EDGES.get(self.get("op"), "See what its input was") if name == "remedy" else getattr(self["case"], name)


def sentences(case, row, found):
    found = found if isinstance(found, dict) else {"at": None if found is True else found}
    facts = Facts({"at": None, "passed": "a pass"} | found, case=case)
    where = f" ({case.at(facts['at'])})" if facts["at"] else ""
    words, remedy = row.words.format_map(facts), row.remedy.format_map(facts)
    return f"{words}{where}.{remedy and ' '}{remedy}{'.' * bool(remedy)}"


def always(case):
    return True


# -- errors ------------------------------------------------------------------------------------------------------------

FITS = {
    "any": lambda tensor: True,
    "constant": lambda tensor: not tensor.requires_grad,
    "inference": lambda tensor: tensor.is_inference(),
    "leaf": lambda tensor: tensor.requires_grad and any(
        each is not None and readings.is_leaf_tensor(each) for each in (tensor, tensor._base)),
    "result": lambda tensor: not readings.is_leaf_tensor(tensor),
    "several": lambda tensor: tensor.numel() != 1,
    "trained": lambda tensor: tensor.requires_grad,
    "whole": lambda tensor: not tensor.dtype.is_floating_point,
}  # fmt: skip


def error(case, pattern, done="", fits="any", unknown="", among="", made=False):
    """An error that says what matches *pattern*, whose groups may be named in the words.

    *what* is the tensor that the line does this to, by calls whose names match *done*, or reads, if only one *fits*, or
    the one *among* those that the pass that failed was given; else *unknown* stands for it.
    """
    found = re.search(pattern, case.message)
    if not found:
        return None
    given = (case.called(each) for each in getattr(case.failure, among, ()) if FITS[fits](each))
    what = unknown and (first(given) or blamed(case, done, fits))
    at = made and what and case.made_at(what, case.failed_line) or case.failed_at
    return found.groupdict() | {"at": at, "what": what or unknown}


def blamed(case, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    line = case.failed_line
    texts = [] if done else [*line.reads]
    for call in line.calls:
        if re.fullmatch(done, call.name):
            owner = case.resolve(call.on)
            texts.append(call.first if isinstance(owner, ModuleType) or not call.on else call.on)
    texts += [name for name in line.binds if "[" in name or name in line.reads]
    texts += line.feeds if line.changes == "parts" and not any("[" in each for each in texts) else ()
    values = {text: case.resolve(text.partition("[")[0]) for text in texts if text}
    fitting = [text for text, value in values.items() if readings.is_tensor(value) and FITS[fits](value)
               or value is None and done]  # fmt: skip
    return fitting[0] if len(fitting) == 1 else None


def first_nan(case):
    found = re.search(r"Function '(\w+)' returned nan values", case.message)
    if not found:
        return None
    node, given = found[1], ""
    ran = [case.of_node.get(each.node) for each in case.events("Ready") if case.trace.nodes[each.node].name == node]
    made = first(reversed(ran))
    if made:
        op = plain_name(made.name)
        given = f", and {op} was given {case.given_to(made)}"
    else:
        op = node.partition("Backward")[0].lower()
        places = {made_at(each) for each in case.below(*case.failure.roots) if name_of(each) == node} - {None}
        made = places.pop() if len(places) == 1 else case.failed_at
    return {"node": node, "given": given, "op": op, "at": made}


def not_used_there(case, again):
    found = re.search(r"(?:at index (\d+) )?appears to not have been used", case.message)
    if not found:
        return None
    what, root = (
        first(map(case.called, each)) for each in (case.failure.inputs[int(found[1] or 0) :], case.failure.roots)
    )
    made = [case.made_at(name, case.failed_line) for name in case.failed_line.reads if name != what]
    grads = [call for each in made for call in each.calls if call.name == "grad" and what in call.of]
    what, root = what or "a tensor that is asked for", root or "what is differentiated"
    return {"what": what, "root": root, "at": case.failed_at} if again == bool(grads) else None


def no_tensor(case):
    found = re.search(r"'(\w+)' object has no attribute '(backward|grad|grad_fn|detach)'", case.message)
    reads = case.failed_line.reads if found else ()
    what = first(name for name in reads if type(case.values.get(name)).__name__ == found[1])
    made = what and case.made_at(what, case.failed_line)
    if not made:
        return None
    ways = [f"Leave {call.name}() out here" for call in made.calls if call.name in LEAVING]
    remedy = f"{(*ways, 'Keep the tensor itself')[0]}: backward() starts from a tensor"
    if found[1] == "NoneType":
        return {"what": what, "kind": "None", "remedy": "See whether what is called here returns it", "at": made}
    return {"what": what, "kind": f"a {found[1]}", "remedy": remedy, "at": made}


def hook_runs_before(case):
    hook, lacking = case.failure.hook, case.lacking
    if hook and lacking is not None and case.called(lacking):
        return {"hook": hook, "part": case.called(lacking), "at": case.start}
    for statement in case.calls_of(case.program, "register_hook"):
        call = first(each for each in statement.calls if each.name == "register_hook")
        inside = [each for each in case.program if each.scope[-1:] == (call.first,)]
        read = first(each for each in [*inside, statement] if uses_grad(case, each))
        if read and case.resolve(call.on) is case.tensor is not None:
            return {"hook": call.first, "part": case.name, "at": read}
    return None


def uses_grad(case, statement):
    """Whether a statement reads the .grad of the tensor that is asked about, or clips it."""
    read = [case.resolve(name[:-5]) for name in statement.reads if name.endswith(".grad")]
    clips = [call for call in statement.calls if call.name.startswith("clip_grad_") and call.arguments]
    clipped = [case.resolve(name) for call in clips for name in call.arguments[0][2]]
    return any(each is case.tensor for each in (*read, *(one for each in clipped for one in case.tensors_in(each))))


# -- ways out of the graph ---------------------------------------------------------------------------------------------

DRAWING = {"sample", "multinomial", "bernoulli"}
JOIN = "Join tensors with torch.stack([{}]) or torch.cat, which stay in the graph"
COMPUTE = "Use the tensor itself, computed with torch all the way"


def ended(case, by):
    """A way out of the graph: a link through one of these operations or calls."""
    for link in case.links:
        op = first(each for each in by.split() if each in link.ops)
        aside = DRAWING & link.ops and any(not DRAWING & each.ops for each in case.links)  # for what was chosen only
        if op and not aside:
            sources = case.sources_at(link.place)
            switch = [each for each in case.calls_of(case.code(link.place[0]), "set_grad_enabled")
                      if not any(call.first == "True" for call in each.calls)]  # fmt: skip
            given = [call.first for call in case.calls_at(link.place) if call.name == op]
            joins = any(each.startswith(("*", "[", "(")) for each in (*sources, *given))
            return {
                "op": op,
                "source": " and ".join(each.removeprefix("*") for each in sources),
                "instead": JOIN.format(", ".join(sources)) if joins else COMPUTE,
                "again": f", or see {case.at(switch[0])}" if len(switch) == 1 else "",
                "at": link.place,
            }
    return None


def kept_grad(case):
    leaf = first(case.called(each) for each, _ in case.known.values() if readings.grad_of(each) is case.tensor)
    kept = [each for each in case.program if f"{leaf}.grad" in each.reads and (each.binds or each.feeds)]
    return leaf and {"leaf": leaf, "at": kept[0] if len(kept) == 1 else None}


def checkpointed(case):
    found = (link.place for link in case.living_links if "checkpoint" in link.ops)
    return first(place for place in found if not any(each.source for each in case.living_links if each.place == place))


def renamed(case):
    return first({"part": each.target, "at": each.place} for each in case.links
                 if each.source == each.target and "no_grad" in each.ops)  # fmt: skip


def unknown_exit(case):
    link = first(each for each in case.links if each.source and not case.key)  # of which all may be a part
    target = link and case.values.get(link.target)
    cut = "the graph ends here or later"
    if readings.is_tensor(target):
        cut = "its graph does not lead there" if target.requires_grad else "has no graph of its own"
    return link and {"source": link.source.removeprefix("*"), "target": link.target, "at": link.place, "cut": cut}


def twins(case):
    for tensor, cuts in case.cuts:
        for source, target, how in cuts:
            led = case.node and case.node in case.below(source) and case.node not in case.below(tensor)
            if target is case.tensor or led:
                return {"source": case.called(source), "target": case.called(target), "how": how}
    return None


def computed(case):
    """Whether it was computed, as far as the trace or the code tells; a number of unknown origin may be a loss."""
    if case.key:
        return bool(case.made_by(case.key))
    reads = case.made_at(case.name, case.statement(case.start)).reads
    values = [case.values.get(name.partition(".")[0]) for name in reads]
    return not (values and all(isinstance(each, ModuleType | type | int | float) for each in values))


def not_trained(case):
    held = [(each, name) for name, one in case.optimizers for each in params_of(one) if not each.requires_grad]
    held = [pair for pair in held if id(pair[0]) not in case.owned and case.called(pair[0])]
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
    return "does not require grad" in case.message and case.node is None


def unknown_error(case):
    return case.failed_at


# -- .grad is None -----------------------------------------------------------------------------------------------------


def whole_numbers(case):
    dtype = case.tensor.dtype
    return not (dtype.is_floating_point or dtype.is_complex)


def rebound(case, update):
    """The leaf that a tensor was computed from and that has lost its name to it."""
    leaves = [node.variable for node in case.below(case.tensor) if is_leaf(node)]
    if case.is_leaf or "." in case.name or len(leaves) != 1 or leaves[0].numel() != case.tensor.numel():
        return None
    between = (place_of(each)[0] for each, *_ in case.results if each is not case.tensor)
    if id(leaves[0]) in case.known or not case.below(case.tensor).keys().isdisjoint(between):
        return None  # it was computed from what has a name
    at = case.made_by(case.key, len(case.trace)) if case.key else case.line_of(case.tensor)
    grad = value_of(readings.grad_of(leaves[0]))
    updates = case.operation.startswith("Sub") or at is not None and ".grad" in case.at(at)
    return {"at": at, "grad": f" ({short(grad)})" if grad else ""} if update <= updates else None


def flag_set_later(case):
    """Whether it was made to require grad only after it had been computed with."""
    code, name = case.program, case.name
    flags = [each for each in code if f"{name}.requires_grad" in each.binds
             or any(call.name == "requires_grad_" and call.on == name for call in each.calls)]  # fmt: skip
    made = case.made_at(name, flags[0]) if len(flags) == 1 else None
    near = [each for each in code if made and (each.scope, each.loops) == (made.scope, made.loops)]
    used = (each for each in near if made.line < each.line < flags[0].line and name in each.reads and each.binds)
    return first(used) if made and flags[0] in near else None


def made_beside(case):
    event = None if case.is_leaf else case.made_by(case.key)
    above = case.upstream(case.roots)
    base = first(key for key in (event.inputs if event else ()) if key in above and case.differentiable(key))
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


def view_of_leaf(case):
    base = case.tensor._base
    grad = None if base is None else value_of(readings.grad_of(base))
    return {"base": case.called(base), "grad": short(grad)} if grad and case.called(base) else None


def no_leaf(case):
    return not case.is_leaf and (case.made_by(case.key) or True)


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
    return first(event for event in reversed(case.events("Captured")) if event.node == case.node_key)


def other_inputs(case):
    roots = case.started.roots if case.key and case.started else ()
    return case.started if any(node in case.leads for node, _ in roots) else None


def no_pass(case):
    return case.key and not case.started and not case.roots


def not_used(case):
    return case.key and case.roots and {"root": case.title(case.roots[0]), "at": case.started}


def not_in_graphs(case):
    recorded = case.trace is not None and case.trace.living and case.started
    return recorded and (case.bound_at(case.name.removesuffix(".weight").removesuffix(".bias")) or True)


def not_recorded(case):
    saved = ", which was saved and no longer knows which tensors it speaks of"
    return case.trace is not None and {"saved": saved * (not case.trace.living)}


def cleared(case, used):
    """Whether the code clears it after the pass, be it *used* by a step before or not."""
    reached = any(leads and gone for _, leads, gone in case.graphs_in_sight)
    if case.trace is not None or not (reached or used and not case.some_grad):
        return None
    now, asked = "None" if case.grad is None else "zero", case.statement(case.start)
    cleaners = [each for each in case.program for call in each.calls if call.name == "zero_grad" or call.name == "zero_"
                if case.grad is None or call.name == "zero_" or call.has("set_to_none=False")]  # fmt: skip
    for each in cleaners if len(cleaners) == 1 else (one for one in cleaners if not asked or one.scope == asked.scope):
        near = case.calls_near(each)
        if "backward" in near and each.end >= near["backward"].end:
            steps = near.get("step") or near.get(f"{case.name}.grad")
            if bool(steps and near["backward"].line <= steps.line <= each.line) == used and (used or steps):
                then = "" if reached else f"Whether a pass had reached it a recording tells: {RECORD.format('')}"
                return {"at": each, "now": now, "then": then}
    return None


def gone(case):
    return first({"root": case.called(root)} for root, leads, gone in case.graphs_in_sight if leads and gone)


def not_yet(case):
    return first({"root": case.called(root)} for root, leads, _ in case.graphs_in_sight[:1] if leads)


def not_computed(case):
    graphs = sorted(case.graphs_in_sight, key=lambda each: not each[2])  # those first that a pass has freed
    led = first(case.called(root) for root, leads, _ in graphs if leads)
    but = f" ({led} was, but no backward pass has gone through it)" if led else ""
    known = graphs and (graphs[0][2] or but)
    return graphs and {"root": f"{case.called(graphs[0][0])} was not" if known else "nothing in sight was", "but": but}


def left_over(case):
    moved = f", and {case.optimizer} still moves {case.name} by it"
    return case.node is None and {"moved": moved * bool(case.optimizer)}


# -- zero --------------------------------------------------------------------------------------------------------------


def closed(case, rows, when=""):
    """A node of these rows that turned a gradient into zeros."""
    found = case.closing or case.stopping
    if not found or plain_name(found["row"]) not in rows.split():
        return None
    fits = not when or (when == found["when"] if "when" in found else globals()[when](case, found["event"]))
    return found if fits else None


def hooked(case):
    for event in case.events("Hooked"):
        if nothing_in(event.after) and not nothing_in(event.before) and event.node in case.leads:
            code = case.code(event.file)
            added = case.calls_of(code, "register_hook", "register_full_backward_hook", "register_prehook")
            added = [each for each in added if event.hook.partition(":")[0].removeprefix("lambda ") in each.text]
            return {"hook": event.hook, "at": added[0] if len(added) == 1 else event}
    return None


def single(case, event):
    made = [value.array for name, value, _ in event.used if name == "result" and value.is_whole]
    shapes = [grad.shape for grad in event.grads if grad is not None and grad.shape]
    return made and made[0].min() == made[0].max() in (0, 1) or shapes and shapes[0][-1] == 1


def even(case, event):
    """Whether all that came back to a node is the same number."""
    return all(extent(grad) == 0 for grad in event.grads if grad is not None)


def extent(value):
    """The largest number of a snapshot less the smallest."""
    low, high = (value.array.min(), value.array.max()) if value.is_whole else (value.low, value.high)
    return float(high) - float(low)


def no_loss(case, event):
    """Whether the pass started from a single 0."""
    values = [case.trace.tensors[key].value for key in case.roots]
    return all(value.size == 1 and nothing_in(value) for value in values)


def chosen(case, event):
    """Whether a condition or a mask is the same everywhere, as far as it was kept."""
    value = first(value for name, value, _ in event.used if name in ("condition", "mask"))
    return value is not None and extent(value) == 0


def returned_zero(case):
    found = case.closing
    name = found["node"].removesuffix("Backward") if found else ""
    return name in case.values and found | {"function": name, "at": case.function_of(name) or found["at"]}


# -- NaN and inf -------------------------------------------------------------------------------------------------------


def bad_in_sight(case):
    return case.trace is None and case.bad_data


def bad_itself(case):
    sound = any(not kind and case.node in case.below(result) for result, kind in case.aged)  # so it was, too
    return bad(value_of(case.tensor)) and not sound


def bad_from_the_start(case):
    return first(each for each in case.events("Started") if any(map(bad, each.grads)))


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
    what = f"{case.name}.grad has {case.kinds}: {told}" if case.about == "bad" else what
    return case.risks[key] and {"what": what} | case.risks[key]


def risks_of(case, source, sound, wrong):
    """The operations that may have given NaN or inf between some results and a later one, as facts of a row."""
    before, statement, name = case.below(*sound), case.line_of(source), case.called(source)
    nodes = [node for node in case.below(source) if node not in before and not is_harmless(node)]
    calls = statement.calls if statement else ()
    ops = dict.fromkeys([*map(op_of, nodes), *(call.name for call in calls)])
    usual = {*ALWAYS} - {"softmax"} if "masked_fill" in ops else ALWAYS
    ops = [op for op in ops if op in EDGES and op not in usual and not (wrong and op in SLOPES)]
    given = [case.resolve(call.on) for call in calls if call.name in ops]
    given = [f", of {case.called(each)} = {short(value_of(each))}" for each in given if readings.is_tensor(each)]
    facts = {"ops": " and ".join(ops), "given": given[0] if len(given) == 1 else "", "source": name, "at": statement}
    return facts | {"remedy": EDGES[ops[-1]] if len(ops) == 1 else RECORDED} if 0 < len(ops) < 4 else None


RECORDED = "A recording tells which: " + RECORD.format("")
ALWAYS = "add sub mul mm addmm bmm mv dot sum mean nll_loss softmax log_softmax".split()  # not for the first time
SLOPES = "norm", "linalg_vector_norm", "atan2"  # whose value is finite


def is_harmless(node):
    exponent = dict(readings.constants_of(node)).get("exponent")
    if op_of(node) == "div" and inputs_of(node)[1:] == [None]:  # by what was given, which is seldom 0
        return True
    return isinstance(exponent, int | float) and exponent >= 0 and exponent == int(exponent)


# -- a number that may be unwanted -------------------------------------------------------------------------------------


def in_a_list(case):
    """What a module holds and does not know of: the tensor, or anything that no optimizer in sight holds."""
    if case.about == "failed" and "empty parameter list" not in case.message:
        return None
    for name, module in [(case.name, case.thing)] if case.about == "module" else case.modules:
        for each in unregistered(module):
            tensors = [one for _, one in each["tensors"] if case.tensor is None or one is case.tensor]
            if tensors and not any(holds(optimizer, one) for _, optimizer in case.optimizers for one in tensors):
                at = case.bound_at(f"self.{each['attribute']}", each["owner"])
                return each | {"module": name, "list": f"{name}.{each['path']}", "at": at}
    return None


def in_no_optimizer(case):
    if not case.unheld:
        return None
    name, last = case.optimizers[-1]
    held = {*map(id, params_of(last))}
    owns = first(each for each, module in case.modules if held == {id(one) for _, one in parameters_of(module)})
    return case.unheld | {"at": case.bound_at(name), "other": f"those of {owns}" if owns else "other parameters"}


def at_no_rate(case):
    """An optimizer whose learning rate is 0: the one asked about, or that of the tensor."""
    for name, each in [(case.name, case.thing)] if case.about == "optimizer" else case.optimizers:
        groups = [group for group in each.param_groups if case.tensor is None
                  or any(x is case.tensor for x in group["params"])]
        if groups and all(group.get("lr", 1) == 0 for group in groups):
            return {"optimizer": name, "at": case.scheduled_at(name, groups)}
    return None


def clipped_while_scaled(case):
    if case.trace is None:
        return clipped_in_code(case)
    scaled = case.made_by(first(case.roots)) if case.key and case.clip else None
    ran = first(each for each in case.events("Ran") if scaled and each.node == scaled.node)
    if not ran or plain_name(scaled.name) != "mul" or "scale" not in {x.name for x in case.calls_at(here(scaled))}:
        return None
    scale = float(ran.results[0].array / ran.grads[0].array)
    clip = case.statement(here(case.clip)).text
    return None if case.calling(scaled, "unscale_") else {"scale": f"{scale:g} ", "at": scaled, "clip": clip}


def clipped_in_code(case):
    scaled, clips = (case.calls_of(case.program, name) for name in ("scale", "clip_grad_norm_"))
    scalers = [case.resolve(call.on) for each in scaled for call in each.calls if call.name == "scale"]
    known = any(hasattr(each, "unscale_") for each in scalers) and not case.calls_of(case.program, "unscale_")
    return {"scale": "", "at": scaled[0], "clip": clips[0].text} if known and len(clips) == len(scaled) == 1 else None


def diverges(case):
    """The sizes of the last gradients, each of a pass of its own, if each is ten times as large as the one before."""
    sizes = [size(event.grad) for event in case.of_leaf if event.kind == "Accumulated" and event.grad.is_readable][-3:]
    stepped = case.key and any(event.kind == "Changed" for event in case.of_leaf)
    grows = stepped and len(sizes) == 3 and sizes[2] > 10 * sizes[1] > 100 * sizes[0] > 0
    return {"sizes": ", ".join(number(each, 2) for each in sizes), "at": case.started} if grows else None


def used_often(case):
    count = sum(event.node == case.node_key for event in case.since_start if event.kind == "Summed")
    return count and {"count": count + 1}


def was_clipped(case):
    return case.key and case.clip


def healthy(case):
    return case.key and case.value.is_readable


def changed_since(case):
    version = 0 if case.key else readings.version_of(case.grad)
    return version and {"count": "once" if version == 1 else f"{version} times"}


def finite(case):
    return {"other": "; this recording does not have it" * (case.trace is not None and not case.key)}


# -- a module, an optimizer, a recording -------------------------------------------------------------------------------


def flag_on_a_module(case):
    for path, inner in (*case.thing.named_modules(), *case.thing.named_parameters()):
        flag = first(name for name in getattr(inner, "__dict__", ()) if re.fullmatch("requires?_?grads?", name))
        if flag:
            part = ".".join(filter(None, (case.name, path)))
            set_at = [each for each in case.program if any(name.endswith(f".{flag}") for name in each.binds)]
            at = set_at[0] if len(set_at) == 1 else None
            own = readings.is_tensor(inner)
            whose, also = ("", "") if own else ("the module ", ", which sets it on every parameter")
            return {"part": part, "flag": flag, "value": getattr(inner, flag), "whose": whose, "also": also, "at": at}
    return None


def holds_strangers(case):
    held = {id(each): each for each in params_of(case.thing)}
    lost = [each for place, each in held.items() if place not in case.owned and place not in case.known]
    if not lost or case.owned.issubset(held):
        return None
    count = f"{len(lost)} parameter{'s' * (len(lost) > 1)}"
    return {"count": count, "shape": tuple(lost[0].shape), "at": case.bound_at(case.name)}


def still_moved(case):
    for group in case.thing.param_groups:
        for each in group["params"]:
            grad, frozen = value_of(each.grad), place_of(each)[0] is None
            state = case.thing.state.get(each, {})
            keeps = [value_of(state.get(name)) for name in ("momentum_buffer", "exp_avg")]
            keeps = any(value and not nothing_in(value) for value in keeps)
            frozen = frozen and bool(case.freezing or not case.flags)  # not for a while only
            if grad and (frozen and (group.get("weight_decay") or not nothing_in(grad)) or keeps and nothing_in(grad)):
                memory = "its memory of earlier steps" if keeps else "weight_decay"
                return {
                    "part": case.called(each) or "a parameter",
                    "at": case.frozen_at if frozen else None,
                    "lacks": "does not require grad" if frozen else "gets no gradient",
                    "what": memory if nothing_in(grad) else "the .grad that was left",
                }
    return None


def no_parameter(case):
    """A tensor in a module that was computed from a leaf which is nowhere else."""
    parts = case.parts if case.about == "module" else [(case.name, case.tensor)] if "." in case.name else ()
    for name, each in parts:
        if readings.is_tensor(each) and not readings.is_leaf_tensor(each):
            leaves = [node.variable for node in case.below(each) if is_leaf(node)]
            made = case.bound_at(f"self.{name.rpartition('.')[2]}", "__init__")
            if made and leaves and not any(id(leaf) in case.known for leaf in leaves):
                return {"part": name, "node": name_of(place_of(each)[0]), "at": made}
    return None


def made_each_time(case):
    for _, inner in case.thing.named_modules():
        for each in case.body_of(inner.forward)[1]:
            if any(re.match("Parameter$|Linear|Conv|Embedding|LSTM|GRU", call.name) for call in each.calls):
                return {"owner": type(inner).__name__, "at": each}
    return None


def drops_all(case):
    for path, inner in case.thing.named_modules():
        if type(inner).__name__.startswith("Dropout") and inner.p == 1 and inner.training:
            return {"part": f"{case.name}.{path}", "at": case.bound_at(f"self.{path.rpartition('.')[2]}")}
    return None


def never_stepped(case):
    """Whether a loop sets its gradients to zero and runs passes, but no line of the code makes a step."""
    loops = [{*each.loops} for each in case.program for call in each.calls
             if call.name == "zero_grad" and is_part(case.name, call.on)]  # fmt: skip
    passes = [each for each in case.calls_of(case.program, "backward") if any({*each.loops} & loop for loop in loops)]
    return {"at": passes[0]} if passes and not case.thing.state and not case.calls_of(case.program, "step") else None


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
    added = any(each.grad is not None and readings.version_of(each.grad) for each in params_of(case.thing))
    set_anew = any(name.endswith(".grad") for each in code for name in each.binds)
    zeroed = set_anew or case.calls_of(code, "zero_grad", "zero_")
    turns = any(each.loops or each.scope for each in steps)
    passes = case.calls_of(code, "backward")
    found = case.trace is None and turns and added and not zeroed
    return found and {"at": passes[0] if len(passes) == 1 else None}


def too_soon(case):
    pairs = [(call, each) for each in case.program for call in each.calls]
    for call, each in pairs:
        if call.name == "step" and hasattr(case.resolve(call.on), "param_groups") or call.name.startswith("clip_grad_"):
            near = [(one.name, one.on) for one, line in pairs if (line.scope, line.loops) == (each.scope, each.loops)]
            names = [name for name, _ in near]
            if "backward" in names and (call.name, call.on) not in near[names.index("backward") :]:
                return {"call": call.name, "then": " and before the step" * (call.name != "step"), "at": each}
    return None


def fed(case, outer, inner):
    """An operation that is given what another one made, as it is or as a view."""
    return first(
        {"outer": op, "at": case.within(at)} for op, made, at in case.fed if op in outer.split() and made == inner
    )


def no_logarithms(case):
    """A loss of logarithms of probabilities that is given numbers above 0: of the trace, or as the code tells."""
    given = [("nll_loss", case.trace.tensors[event.inputs[0]].value, event)
             for event in case.events("Operation") if plain_name(event.name).startswith("nll_loss")]  # fmt: skip
    for statement in case.calls_of(case.program, "kl_div"):
        tensor = first(case.resolve(call.first) for call in statement.calls if call.name == "kl_div"
                       and getattr(case.resolve(call.on), "__name__", "").endswith("nn.functional"))  # fmt: skip
        given.append(("kl_div", value_of(tensor) if readings.is_tensor(tensor) else None, statement))
    for op, value, at in given:
        if value is not None and value.is_readable and (value.array.max() if value.is_whole else value.high) > 0:
            return {"op": op, "given": short(value), "at": at}
    return None


def paired_all(case):
    for op, shapes, made, at in case.pairings:
        known = [shape for shape in shapes if shape]
        one = first(shape[:1] for shape in known if len(shape) == 2 and shape[0] > 1 == shape[1])
        if op in PAIRED and one and made in (None, one * 2) and any(shape in (None, one) for shape in shapes):
            others = case.statement(here(at)).reads if None in shapes and at else ()
            others = [each for each in map(case.values.get, others) if readings.is_tensor(each)]
            like = one if any(tuple(each.shape) == one for each in others) else ""
            unknown = like or "a target of another shape" * op.endswith("_loss")
            if None not in shapes or unknown:
                both = " and ".join(str(shape or unknown) for shape in shapes)
                return {"op": op, "shapes": both, "shape": one * 2, "at": case.within(at)}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"
