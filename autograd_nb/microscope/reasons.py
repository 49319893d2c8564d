"""The reasons that `why` knows: a table with a row for each, and what finds out whether it is the one.

A row is a detector, the words, the remedy and the chapter of the course.  A detector takes a :class:`Case` and returns
what the words name, or None where this is not the reason; *where* is added behind the words.  The first row that fits
is the answer: what is known for certain stands before what is only possible, and "I do not know" at the end.
"""

import re
from types import ModuleType
from typing import NamedTuple

from . import readings
from .asked import bad, kinds, nothing_in, was_freed
from .cuts import with_cuts
from .evidence import unregistered
from .labels import plain_name, short
from .names import parameters_of
from .readings import TooLarge, is_leaf, name_of, place_of, value_of
from .statements import binding, first, here

RECORD = "with autograd_nb.record() as trace: … around forward and backward, then why({asked}trace)"


class Row(NamedTuple):
    about: str  # what is asked: see Case.about
    finds: object
    words: str
    remedy: str
    chapter: str = ""


def told(case):
    """``(row, text)``: the first row that fits, and its sentences."""
    try:
        for row in ROWS:
            if case.about in row.about.split() and (facts := row.finds(case)) is not None:
                return row, sentences(case, row, facts)
    except TooLarge:
        pass
    return TOO_LARGE, sentences(case, TOO_LARGE, {})


def sentences(case, row, facts):
    asked = "" if case.name == "the root" else f"{case.name}, "
    facts = {"name": case.name, "record": RECORD.format(asked=asked), "passed": "a pass", "at": None} | facts
    facts["head"] = f"{case.name}.grad is None" if getattr(case, "node", None) else f"{case.name} does not require grad"
    where = f" ({case.at(facts['at'])})" if facts["at"] else ""
    words, remedy = row.words.format_map(facts), row.remedy.format_map(facts)
    return f"{words}{where}.{remedy and ' '}{remedy}{'.' * bool(remedy)}"


TOO_LARGE = Row(
    "",
    lambda case: {},
    "{name}: the graphs in sight have more nodes than are looked at",
    "Ask about fewer turns of the loop, or cut the graph with detach() before the part in question",
)
ROWS = []
USUAL = set()  # the detectors whose rows tell of nothing unusual


def usual(finds):
    USUAL.add(finds)
    return finds


def row(about, words, remedy="", chapter=""):
    """Decorate the detector of a row that stands behind those before it."""

    def add(finds):
        ROWS.append(Row(about, finds, words, remedy, chapter))
        return finds

    return add


def exits(names, words, remedy, chapter="10_switching_off"):
    """Add a row about a way out of the graph: a link through one of these operations or calls."""

    def finds(case):
        for link in case.links:
            op = first(each for each in names.split() if each in link.ops)
            if op:
                sources = dict.fromkeys(each.source for each in case.all_links if each.place == link.place)
                sources = [*filter(None, sources)] or ["the result before it"]
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

    row("failed constant none", "{head}: " + words, remedy, chapter)(finds)


JOIN = "Join tensors with torch.stack([{}]) or torch.cat, which stay in the graph"
COMPUTE = "Use the tensor itself, computed with torch all the way"
AGAIN = ", or switch on again what set_grad_enabled(False) switched off"


def error(pattern, words, remedy, chapter="", done="", fits=None, unknown=""):
    """Add a row about an error that says what matches *pattern*; its groups may be named in the words.

    *what* is the tensor that the line does this to, by calls whose names match *done*, if only one *fits*; else
    *unknown* stands for it.
    """

    def finds(case):
        found = re.search(pattern, case.message)
        return found and found.groupdict() | {
            "at": case.failed_at,
            "what": (fits and blamed(case, done, fits)) or unknown,
        }

    row("failed", words, remedy, chapter)(finds)


IN_PLACE = r"[a-z]\w*_|__i\w+__"


def blamed(case, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    statement, values = case.statement(case.failed_at), case.values
    texts = []
    for call in statement.calls if statement else ():
        if re.fullmatch(done, call.name):
            owner = values.get(call.on.partition(".")[0])
            texts.append(call.first if isinstance(owner, ModuleType) else call.on)
    if done == IN_PLACE and statement:
        texts += [name for name in statement.binds if "[" in name or name in statement.reads]
    fitting = []
    for text in dict.fromkeys(texts):
        value = values.get(text.partition("[")[0])
        if text and (value is None or readings.is_tensor(value) and fits(value)):
            fitting.append(text)
    return fitting[0] if len(fitting) == 1 else None


def belongs_to_a_leaf(tensor):
    return tensor.requires_grad and (
        readings.is_leaf_tensor(tensor) or tensor._base is not None and readings.is_leaf_tensor(tensor._base)
    )


# -- errors that say all there is to know ------------------------------------------------------------------------------

error(
    "leaf Variable that requires grad is being used in an in-place|view of a leaf Variable that requires grad",
    "{what} is a leaf that requires grad, or a part of one, and is to be changed in place here",
    "Change it inside `with torch.no_grad():`, or compute a new tensor under another name",
    "11_in_place",
    IN_PLACE,
    belongs_to_a_leaf,
    "a tensor in this line",
)
error(
    "grad can be implicitly created only for scalar",
    "{what} has more than one element, and backward() starts by itself from a single number only",
    "Make one number of it first, by .sum() or .mean(), or give backward() a gradient of that shape",
    "07_vectors",
    "backward",
    lambda tensor: tensor.numel() != 1,
    "the tensor that the pass starts from",
)
error(
    r"(?P<node>\w+) returned an invalid gradient at index (?P<number>\d+) - (?P<shapes>got .*?) but expected shape "
    "(?P<wanted>.*)",
    "the backward of {node} returned a gradient of another shape than its input {number}: {shapes}, expected {wanted}",
    "Sum over what was broadcast, so that it has the input's shape",
    "08_own_function",
)
error(
    r"(?P<node>\w+) returned an incorrect number of gradients \((?P<counts>.*?)\)",
    "the backward of {node} must return one gradient for each argument of forward ({counts})",
    "Return None for those that need none",
    "08_own_function",
)
error(
    r"function (?P<node>\w+) returned a gradient different than None at position (?P<number>\d+)",
    "the backward of {node} returned a gradient for argument {number} of forward, which needs none",
    "Return the gradients in the order of forward's arguments, None for each that is no tensor",
    "08_own_function",
)
error(
    "you can only change requires_grad flags of leaf",
    "{what} is the result of an operation, and whether it requires grad follows from its inputs",
    "Use .detach() for a tensor without a graph, or set requires_grad on the leaf",
    "02_leaves",
    "requires_grad_",
    lambda tensor: not readings.is_leaf_tensor(tensor),
    "the tensor whose flag is set here",
)
error(
    "Can't call numpy|can't call numpy",
    "{what} requires grad, and NumPy has no gradients",
    "If none is needed here, use .detach().numpy(); if one is, write this with torch",
    "10_switching_off",
    "numpy",
    lambda tensor: tensor.requires_grad,
    "a tensor in this line",
)
error(
    r"Function '(?P<node>\w+)' returned nan values",
    "{node} was the first node of the way back that returned NaN",
    "A recording tells which value it came from: {record}",
    "09_is_it_right",
)
error(
    "Inference tensors? ",
    "a tensor made under inference_mode takes part in a computation that is recorded",
    "Use torch.no_grad() there, or clone the tensor outside of inference_mode",
    "10_switching_off",
)
error(
    "only support.* deepcopy|Only Tensors created explicitly by the user",
    "deepcopy copies leaves only, and something in what is copied is the result of an operation",
    "Copy it with .detach().clone(), or keep computed tensors out of attributes of the module",
    "02_leaves",
)
error(
    "is a view and is being modified inplace|is a view and its base",
    "a view is changed in place where autograd cannot follow",
    "Clone the view before it is changed",
    "11_in_place",
)


@row(
    "failed",
    "{what} was not used in computing {root}, of which the gradient is asked for",
    "Ask for the tensor that was used (a slice or copy made beside it is another), or give allow_unused=True",
    "07_vectors",
)
def not_used_there(case):
    found = re.search(r"(?:at index (\d+) )?appears to not have been used", case.message)
    if not found:
        return None
    asked, roots = (case.failure.inputs[int(found[1] or 0) :], case.failure.roots) if case.failure else ((), ())
    what, root = (each[0] is not None and case.called(each[0]) for each in ((*asked, None), (*roots, None)))
    what, root = what or "a tensor that is asked for", root or "what is differentiated"
    return {"what": what, "root": root, "at": case.failed_at}


@row(
    "failed",
    "the gradient of {what} is asked for, which does not require grad",
    "Call requires_grad_() on it before computing with it, or do not ask for its gradient",
    "07_vectors",
)
def asked_of_a_constant(case):
    if not re.search("differentiated Tensors does not|can't retain_grad on|cannot register a hook on", case.message):
        return None
    what = first(each for each in case.failure.inputs if not each.requires_grad) if case.failure else None
    what = case.called(what) if what is not None else blamed(case, "retain_grad|register_hook", is_constant)
    return {"what": what or "a tensor", "at": case.failed_at}


def is_constant(tensor):
    return not tensor.requires_grad


# -- a graph that was freed --------------------------------------------------------------------------------------------


def freed(kind):
    return lambda case: case.old if case.old and case.old["kind"] == kind else None


row(
    "failed",
    "{part} still belongs to the graph of the turn before, which {passed} has freed: it is carried from turn to turn",
    "Cut it off before the next turn, {part} = {part}.detach() (of a tuple each part), or start it anew",
    "03_backward",
)(freed("carried"))
row(
    "failed",
    "{part} was computed once, and every turn of the loop goes back through it; {passed} freed its graph",
    "Compute it inside the loop, anew for each backward pass",
    "03_backward",
)(freed("outside"))
row(
    "failed",
    "both passes go back through {part}, and {passed} freed its graph",
    "Add the losses and call backward() once, or give the first pass retain_graph=True",
    "03_backward",
)(freed("shared"))
row(
    "failed",
    "a backward pass has gone through the graph of {part} before: {passed}, which freed it",
    "Call backward() once, or give the first call retain_graph=True",
    "03_backward",
)(freed("twice"))


row(
    "failed",
    "an earlier pass has freed a part of the graph of {part}",
    "A state kept from the turn before is to be detached, what was made once outside the loop made anew, and losses "
    "that share a part added; a recording tells which it is: {record}",
    "03_backward",
)(freed("unknown"))


@row(
    "failed none",
    "the hook {hook} reads {part}.grad, but it runs before the pass adds to that",
    "Use the gradient that the hook is given, or {part}.register_post_accumulate_grad_hook(), whose hooks run after it",
    "12_hooks",
)
def hook_runs_before(case):
    hook = case.failure and case.failure.hook
    part = case.called(case.lacking) if hook and case.lacking is not None else None
    return {"hook": hook, "part": part, "at": case.start} if part else None


# -- something that was saved was changed ------------------------------------------------------------------------------


def changed(by):
    return lambda case: case.change if case.change and case.change["by"] == by else None


row(
    "failed",
    "{node} saved {what} for the way back, and the step of {who} has changed it since",
    "Compute the loss again after the step, or call both backward() before it",
    "11_in_place",
)(changed("optimizer"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since",
    "Do that after backward(), or compute the loss after it",
    "11_in_place",
)(changed("leaf"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since",
    "Write that line with a new tensor, x = x + … in place of x += …, or x.clone() before it",
    "11_in_place",
)(changed("operation"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since, as far as the code tells here",
    "Write that line with a new tensor, x = x + … in place of x += …",
    "11_in_place",
)(changed("seen"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since (version {expected} became {version})",
    "To see by which line, record it: {record}",
    "11_in_place",
)(changed("unknown"))


# -- ways out of the graph ---------------------------------------------------------------------------------------------


@row(
    "failed constant none",
    "{head}: no input of the reentrant checkpoint requires grad, so it ran all of its block without a graph",
    "Give checkpoint use_reentrant=False, or let its input require grad (enable_input_require_grads() of a "
    "language model)",
    "10_switching_off",
)
def checkpointed(case):
    for event in case.events("Operation"):
        if event.name == "CheckpointFunction" and not event.node:
            inside = case.upstream(event.outputs)
            if any("no_grad" in link.ops and key in inside for (_, key), link in case.linked):
                return {"at": event}
    places = {link.place for link in case.all_links if link.source}
    found = (link for link in case.all_links if "checkpoint" in link.ops and link.place not in places)
    return first({"at": link.place} for link in found)


exits(
    "sample",
    "sample() draws without a graph",
    "Use rsample() where there is one, or the score function: loss = -(log_prob(sample) * reward)",
)
exits(
    "argmax argmin argsort searchsorted bucketize",
    "{op} returns indices, which have no gradient, so the graph ends there",
    "Give the scores themselves to the loss, such as cross_entropy, or use softmax",
)
exits(
    "max min sort topk median mode",
    "the indices that {op} returns have no gradient, so the graph ends there",
    "Use its values, or give the scores themselves to the loss",
)
exits(
    "comparison gt ge lt le eq ne logical_and logical_or logical_not isnan sign_bit",
    "a comparison gives True or False, which have no gradient, so the graph ends there",
    "Use a smooth stand-in, such as torch.sigmoid of the difference, or a loss of the scores themselves",
)
exits(
    "one_hot bincount multinomial histc unique nonzero to_copy long int type",
    "{op} makes whole numbers of {source}, which have no gradient",
    "Keep floating-point numbers up to the loss",
)
exits(
    "tensor as_tensor Tensor FloatTensor",
    "torch.{op}() copies the numbers of {source} out of the graph into a new leaf",
    "{instead}",
)
exits(
    "Parameter",
    "torch.nn.Parameter() makes a new leaf of the numbers of {source}, without its graph",
    "Use the computed tensor itself, by torch.func.functional_call(module, {{…}}, x) or a function such as "
    "torch.nn.functional.linear(x, {source})",
)
exits(
    "grad",
    "autograd.grad without create_graph=True returns a constant, which has no graph",
    "Give it create_graph=True",
    "13_derivatives_of_derivatives",
)
exits(
    "numpy array asarray from_numpy",
    "NumPy gets the numbers of {source} without their graph",
    "Write this part with torch, such as torch.sin for np.sin",
)
exits(
    "item tolist float int bool",
    "{op}() makes plain Python numbers of {source}, without its graph",
    "Compute with the tensor itself, and call {op}() only to print",
)
exits("deepcopy", "deepcopy makes a new leaf of {source}, which gets its own gradient", "Use {source} itself")
exits("detach", "detach() gives {source} without its graph", "Leave it out where the gradient is to pass")
exits(".data", ".data gives {source} without its graph", "Leave it out where the gradient is to pass")
exits(
    "no_grad inference_mode set_grad_enabled",
    "this ran under {op}, which records no graph",
    "Move what is to be trained out of {op}{again}",
)


@row(
    "failed constant none",
    "{head}: {op} has no derivative here, so nothing comes back through it to {source}",
    "",
    "10_switching_off",
)
def other_exit(case):
    links = ({"op": first(each.ops), "source": each.source, "at": each.place} for each in case.links)
    return first(links) if case.key else None


@row(
    "failed constant none",
    "{head}: {target} is computed from {source} here, and {cut}",
    "What cut it off a recording tells: {record}",
    "10_switching_off",
)
def unknown_exit(case):
    link = first(each for each in case.links if each.source)
    known = link and readings.is_tensor(case.values.get(link.target))
    cut = "has no graph of its own" if known else "the graph ends here or later"
    return link and {"source": link.source.removeprefix("*"), "target": link.target, "at": link.place, "cut": cut}


@row(
    "failed",
    "{what} does not require grad: nothing that it was computed from does, as far as was seen",
    "Set requires_grad on what is to be trained before computing with it; where the graph was cut, a recording "
    "tells: {record}",
    "10_switching_off",
)
def requires_no_grad(case):
    if "does not require grad" not in case.message:
        return None
    named = case.tensor is not None and case.node is None and case.called(case.tensor)
    return {"what": named or blamed(case, "backward|grad", is_constant) or "the root"}


@row("failed", "why() knows no more of this error than it says", "", "")
def unknown_error(case):
    return {"at": case.failed_at}


# -- .grad is None -----------------------------------------------------------------------------------------------------


@row(
    "constant none",
    "{name}.grad is None: {name} is {dtype}, and only floating-point tensors have gradients",
    "",
    "02_leaves",
)
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
    between = [
        tensor for tensor, _ in case.known.values() if not readings.is_leaf_tensor(tensor) and tensor is not case.tensor
    ]
    if any(place_of(tensor)[0] in case.below(case.tensor) for tensor in between):
        return None  # it was computed from what has a name
    event = case.made_by(case.key, len(case.trace)) if case.key else None
    grad = value_of(readings.grad_of(lost[0]))
    statement = event and case.statement(here(event))
    update = name_of(case.node).startswith("Sub") or statement and ".grad" in statement.text
    return {"node": name_of(case.node), "at": event, "update": update, "grad": f" ({short(grad)})" if grad else ""}


@row(
    "none",
    "{name}.grad is None: {name} now names the result of {node}, which is no leaf; the gradient goes to the leaf that "
    "had the name before",
    "Update a leaf in place, `with torch.no_grad(): {name} -= …`, or leave it to an optimizer",
    "02_leaves",
)
def updated(case):
    found = rebound(case)
    return found if found and found["update"] else None


@row(
    "none",
    "{name}.grad is None: {name} now names the result of {node}, which is no leaf; the leaf is the tensor before it, "
    "and has the gradient{grad}",
    "Do that first and call requires_grad_() on its result, or keep the leaf under a name of its own",
    "02_leaves",
)
def moved(case):
    return rebound(case)


@row(
    "none",
    "{name}.grad is None: {root} was computed from {base}, but not through {name}, which was made beside that",
    "Compute {root} from {name} itself",
    "02_leaves",
)
def made_beside(case):
    event = None if case.is_leaf else case.made_by(case.key)
    above = case.upstream(case.roots)
    base = first(key for key in (event.inputs if event else ()) if key in above)
    if not base or case.key in above:
        return None
    return {"root": case.title(case.roots[0]), "base": case.title(base), "at": event}


@row("none", "{name}.grad is None: {name} retains its gradient, but no backward pass has reached it", "", "02_leaves")
@usual
def retained(case):
    return {} if not case.is_leaf and readings.retains(case.tensor) else None


@row(
    "none",
    "{name}.grad is None: {name} is a view of {base}, and the leaf {base} has the gradient, {grad}",
    "Use {base}.grad; for a gradient of its own compute the loss from {name}, after {name}.retain_grad()",
    "02_leaves",
)
def view_of_leaf(case):
    base = case.tensor._base
    grad = value_of(readings.grad_of(base)) if base is not None and readings.is_leaf_tensor(base) else None
    return {"base": case.called(base), "grad": short(grad)} if grad and case.called(base) else None


@row(
    "none",
    "{name}.grad is None: {name} is no leaf but made by {node}, so backward leaves it no .grad",
    "Call {name}.retain_grad() first",
    "02_leaves",
)
@usual
def no_leaf(case):
    return None if case.is_leaf else {"node": name_of(case.node), "at": case.key and case.made_by(case.key)}


@row(
    "none",
    "{name}.grad is None: the backward of {function} returned None as the gradient of {name}",
    "Return the gradient there",
    "08_own_function",
)
def returned_none(case):
    for event in case.events("Ran") if case.key else ():
        record = case.trace.nodes[event.node]
        results = [result for (node, _), result in zip(record.edges, event.results, strict=False) if node in case.leads]
        if record.row is None and None in results:
            name = record.name.removesuffix("Backward")
            return {"function": name, "at": case.function_of(name) or case.of_node.get(event.node)}
    return None


@row(
    "none",
    "{name}.grad is None: autograd.grad returned the gradient, and leaves .grad alone",
    "Use what it returned, or call backward()",
    "07_vectors",
)
def captured(case):
    return first({"at": event} for event in reversed(case.events("Captured")) if event.node == case.node_key)


@row("none zero", "{name}.grad is {now}: a step used the gradient, and then this cleared it", "", "04_accumulation")
@usual
def done_with(case):
    events = case.of_leaf
    changed = [event for event in events[-2:-1] if event.kind == "Changed"]
    now = "None" if case.grad is None else "zero"
    return {"at": events[-1], "now": now} if changed and events[-1].kind == "Zeroed" else None


@row(
    "none",
    "{name}.grad is None: it had a gradient, and this set it to None",
    "Do it before backward() or after the step, not between",
    "04_accumulation",
)
def set_to_none(case):
    last = case.last_set
    return {"at": last} if last and last.kind == "Zeroed" and last.value is None else None


@row(
    "none",
    "{name}.grad is None: the backward pass was asked for other tensors only",
    "Name {name} among inputs=, or leave inputs= out",
    "07_vectors",
)
def other_inputs(case):
    reached = case.key and case.started and any(node in case.leads for node, _ in case.started.roots)
    return {"at": case.started} if reached else None


@row(
    "none",
    "{name}.grad is None, and no optimizer in sight holds {name}: {optimizer} was made with other parameters",
    "If it is to be trained, make the optimizer when the model is complete",
    "16_training",
)
def not_held(case):
    return {"optimizer": case.optimizers[-1][0]} if case.is_unheld else None


@row("none", "{name}.grad is None: no backward pass was recorded", "Call backward() inside the recording")
def no_pass(case):
    return {} if case.key and not case.events("Started", "Failed") else None


@row(
    "none",
    "{name}.grad is None: {root} was not computed from {name}",
    "Use {name} in computing {root}, or see whether a copy of it was used instead",
    "07_vectors",
)
def not_used(case):
    root = case.title(case.roots[0]) if case.trace is not None and case.roots else "the root"
    return {"root": root, "at": case.started} if case.key and case.started else None


@row("none", "{name}.grad is None: nothing that was recorded uses {name}", "Use it in computing the loss", "07_vectors")
def not_in_graphs(case):
    return {} if case.trace is not None and case.trace.living and case.started else None


@row("none", "{name} is not in this recording{saved}", "Record forward and backward: {record}")
def not_recorded(case):
    if case.trace is None:
        return None
    return {"saved": "" if case.trace.living else ", which was saved and no longer knows which tensors it speaks of"}


def graphs_in_sight(case):
    """``[(name, whether it leads to the tensor, whether it is freed)]`` of the graphs in sight."""
    found = []
    for tensor, names in reversed(case.known.values()):
        if not readings.is_leaf_tensor(tensor):
            nodes = case.below(tensor)
            found.append((names[0], case.node in nodes, any(map(was_freed, nodes))))
    return found


@row(
    "none",
    "{name}.grad is None, though a backward pass has freed the graph of {root}, which was computed from {name}: "
    "zero_grad() or other code set it to None, autograd.grad returned it, or the pass failed",
    "A recording tells which: {record}",
    "04_accumulation",
)
def gone(case):
    return first({"root": root} for root, leads, was_freed in graphs_in_sight(case) if leads and was_freed)


@row(
    "constant",
    "{name} is {leaf}.grad itself, not a copy of it, so it changes with every pass that adds to it",
    "{name} = {leaf}.grad.clone() keeps what it was",
    "04_accumulation",
)
def kept_grad(case):
    leaves = [tensor for tensor, _ in case.known.values() if readings.grad_of(tensor) is case.tensor]
    return {"leaf": case.called(leaves[0])} if leaves else None


@row(
    "constant",
    "{name} does not require grad: it has the elements of {source}, but {how} cut it off",
    "Leave that out where the gradient is to pass",
    "10_switching_off",
)
def twin(case):
    for source, target, how in with_cuts([case.tensor], [None], case.known)[1]:
        if target is case.tensor:
            return {"source": case.called(source), "how": how}
    return None


@row(
    "constant",
    "{name} does not require grad, and nothing that does was seen behind it",
    "Set requires_grad on what is to be trained before computing with it; where the graph was cut, a recording "
    "tells: {record}",
    "10_switching_off",
)
def computed(case):
    """Whether it was computed, as far as the trace or the code tells; a number of unknown origin may be a loss."""
    if case.key:
        return {} if case.made_by(case.key) else None
    user = case.statement(case.start)
    made = user and binding(case.code(case.start[0]), case.name, user)
    values = [case.values.get(name.partition(".")[0]) for name in made.reads] if made else ()
    plain = [isinstance(each, ModuleType | type | int | float) for each in values]
    return None if plain and all(plain) else {}


@row(
    "constant",
    "{name}.grad is None: {name}.requires_grad is False, and nothing that requires grad was seen behind it",
    "If it is an input whose gradient is wanted, call {name}.requires_grad_() before computing with it",
    "02_leaves",
)
def constant(case):
    return {}


@row(
    "none",
    "{name}.grad is None: {target} has the elements of {source}, but {how} cut it off",
    "Leave that out where the gradient is to pass",
    "10_switching_off",
)
def twins(case):
    known = case.known
    for tensor, _ in reversed(known.values()):
        node, _ = place_of(tensor)
        for source, target, how in with_cuts([tensor], [node], known)[1] if case.node not in case.below(tensor) else ():
            if case.node in case.below(source):
                return {"source": case.called(source), "target": case.called(target), "how": how}
    return None


@row(
    "none",
    "{name}.grad is None: {root} was computed from {name}, and its graph shows no backward pass",
    "Call backward() on it or on its loss",
    "03_backward",
)
def not_yet(case):
    graphs = graphs_in_sight(case)
    return {"root": graphs[0][0]} if graphs and graphs[0][1] else None


@row(
    "none",
    "{name}.grad is None: {root} computed from {name}, as far as graphs tell{but}",
    "Use it in computing the loss; if it was used, a recording tells where it was cut off: {record}",
    "10_switching_off",
)
def not_computed(case):
    graphs = sorted(graphs_in_sight(case), key=lambda each: not each[2])  # those first that a pass has freed
    but = first(f" ({root} was, but no backward pass has gone through it)" for root, leads, _ in graphs if leads) or ""
    known = graphs and (graphs[0][2] or but)
    return {"root": f"{graphs[0][0]} was not" if known else "nothing in sight was", "but": but} if graphs else None


@row(
    "none",
    "{name}.grad is None: no backward pass has reached it, and why is not to be seen any more",
    "A recording tells: {record}",
)
def not_reached(case):
    return {}


@row(
    "value zero bad",
    "{name} does not require grad: its .grad is left from a pass before it was frozen, or was set by hand{moved}",
    "Set its .grad to None",
    "10_switching_off",
)
def left_over(case):
    moved = f", and {case.optimizer} still moves {case.name} by it" * bool(case.optimizer)
    return {"moved": moved} if case.node is None else None


# -- NaN and inf -------------------------------------------------------------------------------------------------------

MASK = "Mask or replace it before that line: a where() or a factor 0 behind it does not help, as 0 · {bad} is NaN"


@row("bad", "{name}.grad has {kinds}: {op} made {made} of {given}{then}", "{remedy}", "09_is_it_right")
def made_in_forward(case):
    found = case.bad_origin
    return found if found and found["from"] == "forward" else None


@row("bad", "{name}.grad has {kinds}: {source} has {made} before {op} uses it{then}", MASK, "09_is_it_right")
def bad_before(case):
    found = case.bad_origin
    return found if found and found["from"] == "data" else None


@row(
    "bad",
    "{name}.grad has {kinds}: the derivative of {op} is not finite at {given}{then}",
    "{remedy}",
    "09_is_it_right",
)
def infinite_slope(case):
    found = case.bad_origin
    return found if found and found["from"] == "slope" else None


@row(
    "bad",
    "{name}.grad has {kinds}, and {source}, which is no parameter, has {made}",
    "If the loss is computed from that, mask or replace it before; a recording tells: {record}",
    "09_is_it_right",
)
def bad_in_sight(case):
    grads = [readings.grad_of(tensor) for tensor, _ in case.known.values()]
    for tensor, names in case.known.values() if case.trace is None else ():
        made = kinds(value_of(tensor)) if place_of(tensor)[0] is None else None
        if made and not any(each is tensor for each in grads):
            return {"kinds": kinds(case.value), "source": names[0], "made": made}
    return None


@row(
    "bad",
    "{name}.grad has {kinds}, and so has {name} itself: it had it before the pass, or a step gave it that since",
    "A recording tells where it came from: {record}",
    "09_is_it_right",
)
def bad_itself(case):
    return {"kinds": kinds(case.value)} if bad(value_of(case.tensor)) else None


@row(
    "bad",
    "{name}.grad has {kinds}: the gradient that the backward pass started with had it",
    "See what was given to backward(), and whether the loss was scaled",
    "09_is_it_right",
)
def bad_from_the_start(case):
    return first({"kinds": kinds(case.value), "at": x} for x in case.events("Started") if any(map(bad, x.grads)))


@row(
    "bad",
    "{name}.grad has {kinds}: which node made it is not to be seen any more",
    "A recording tells: {record}",
    "09_is_it_right",
)
def bad_somehow(case):
    return {"kinds": kinds(case.value)}


# -- zero --------------------------------------------------------------------------------------------------------------


def closed(rows, words, remedy, chapter="16_training", when=lambda case, event: True):
    """Add a row about a node of these rows that turned a gradient into zeros."""

    def finds(case):
        found = case.closing
        if not found or plain_name(found["row"]) not in rows.split() or not when(case, found["event"]):
            return None
        return found

    row("zero", "{name}.grad is zero: " + words, remedy, chapter)(finds)


@row(
    "zero",
    "{name}.grad is zero: this set it to zero",
    "Do it before backward() or after the step, not between",
    "04_accumulation",
)
def set_to_zero(case):
    last = case.last_set
    return {"at": last} if last and last.kind == "Zeroed" else None


@row(
    "zero",
    "{name}.grad is zero: the hook {hook} turned a gradient into zeros",
    "Let it return None, or the gradient that is wanted",
    "12_hooks",
)
def hooked(case):
    for event in case.events("Hooked"):
        if nothing_in(event.after) and not nothing_in(event.before) and event.node in case.leads:
            return {"hook": event.hook, "at": event}
    return None


def single(case, event):
    grads = [grad for grad in event.grads if grad is not None and grad.shape]
    return bool(grads) and grads[0].shape[-1] == 1


def chosen(case, event):
    """Whether a condition or a mask is the same everywhere, as far as it was kept."""
    value = first(value for name, value, _ in event.used if name in ("condition", "mask"))
    return value is not None and (value.array.min() == value.array.max() if value.is_whole else value.low == value.high)


closed(
    "softmax log_softmax",
    "over a single class softmax is always 1, so the loss and every gradient are 0",
    "Give the model two outputs, or use binary_cross_entropy_with_logits",
    when=single,
)
closed(
    "softmax log_softmax sigmoid tanh",
    "{node} passes nothing on, for its input is so large that it is flat there, {given}",
    "Keep its input small: scale it, normalise, or start with smaller weights; or give the loss the scores themselves",
)
closed(
    "clamp clamp_min clamp_max hardtanh",
    "{node} passes nothing on, for its whole input lies outside of its bounds, {given}",
    "Widen the bounds, or use a function that is flat nowhere, such as tanh",
)
closed(
    "relu threshold_backward relu6",
    "{node} passes nothing on, for its whole input lies where it is flat, {given}",
    "Use leaky_relu or GELU, a smaller step, or another start of the bias",
)
closed(
    "where",
    "{node} passes nothing on, for the other side was chosen everywhere",
    "See what the condition compares",
    when=chosen,
)
closed(
    "masked_fill_with_number masked_fill_with_tensor masked_fill",
    "{node} passes nothing on, for the mask is set everywhere",
    "See how the mask is made",
    when=chosen,
)
closed(
    "mul div masked_scatter mm bmm addmm dot mv",
    "{node} passes nothing on, for {zero} is zero everywhere{both}",
    "See why that is zero, or start it from other numbers",
)
closed(
    "sign floor ceil round trunc fix round_whole",
    "{node} is flat everywhere, so its derivative is 0",
    "Pass the gradient straight through: x + (round(x) - x).detach()",
    "08_own_function",
)
closed(
    "embedding",
    "every index is its padding_idx, whose row gets no gradient",
    "See how the indices are made, or which index is the padding",
)
closed("nll_loss", "every target is ignored", "Skip a batch without a target, for its mean loss is NaN")


@row("zero", "{name}.grad is zero: {node} turned {given} into zero", "", "16_training")
def other_closing(case):
    return case.closing


@row(
    "zero",
    "{name}.grad is zero, and no pass of this recording reached {name}",
    "Use it in computing the loss, or set its .grad to None",
    "16_training",
)
def zero_elsewhere(case):
    reached = any(event.kind == "Accumulated" for event in case.of_leaf)
    return {} if case.trace is not None and not reached else None


@row(
    "zero",
    "{name}.grad is zero: a node passed nothing on, or zero_grad(set_to_none=False) or other code set it to zero",
    "A recording tells which: {record}",
    "16_training",
)
def zero_somehow(case):
    return {}


# -- a number that may be unwanted -------------------------------------------------------------------------------------


@row(
    "value zero none",
    "{name} is in a plain Python {kind}, which a Module does not register: {module}.parameters() and every optimizer "
    "made of it leave it out",
    "Make it a torch.nn.{remedy}",
    "16_training",
)
def in_a_list(case):
    return first(
        found | {"module": module, "at": case.bound_at(f"self.{found['attribute']}", found["owner"])}
        for module, found in case.lists
        if any(each is case.tensor for _, each in found["tensors"])
    )


@row(
    "value zero",
    "{name}.grad is used or changed here during the pass, before the pass adds its gradient to it",
    "Let the hook return the gradient that is wanted, or use register_post_accumulate_grad_hook()",
    "12_hooks",
)
def touched_too_early(case):
    last = first(event for event in reversed(case.of_leaf) if event.kind == "Accumulated")
    events = case.touched.get(case.key, []) + case.touched.get(f"{case.title(case.key)}.grad", []) if last else ()
    passes = case.trace.passes if last else ()
    early = (each for each in events if each.index < last.index and passes[each.index] is passes[last.index])
    return first({"at": each} for each in early)


@row(
    "value",
    "{name} has its gradient, but no optimizer in sight holds it, so no step changes it: {optimizer} was made with "
    "other parameters",
    "Make the optimizer when the model is complete, or add the parameter with {optimizer}.add_param_group",
    "16_training",
)
def in_no_optimizer(case):
    if not case.is_unheld:
        return None
    name = case.optimizers[-1][0]
    return {"optimizer": name, "at": case.bound_at(name)}


@row(
    "value",
    "{name}.grad was clipped by `{clip}` while it still carried the factor {scale} of the GradScaler",
    "Call scaler.unscale_(optimizer) before clipping",
    "16_training",
)
def clipped_while_scaled(case):
    scaled = case.made_by(first(case.roots)) if case.key and case.clip else None
    ran = first(each for each in case.events("Ran") if scaled and each.node == scaled.node)
    if not ran or plain_name(scaled.name) != "mul" or "scale" not in {x.name for x in case.calls_at(here(scaled))}:
        return None
    scale = float(ran.results[0].array / ran.grads[0].array)
    clip = case.statement(here(case.clip)).text
    return None if case.calling(scaled, "unscale_") else {"scale": f"{scale:g}", "at": scaled, "clip": clip}


@row("value", "{name}.grad is {total}, the mean over {count} backward passes, for each loss was divided by {count}")
@usual
def averaged(case):
    return case.passes if case.passes and case.passes["mean"] and not case.passes["steps"] else None


@row("value", "{name}.grad is {total}, the sum of the {count} backward passes that start in {parts}")
@usual
def added_up(case):
    return case.passes if case.passes and case.passes["apart"] and not case.passes["steps"] else None


@row(
    "value",
    "{name}.grad is {total}, the sum of {count} backward passes ({parts}): nothing set it to zero between the steps",
    "Call {optimizer}.zero_grad() before backward() in the loop",
    "04_accumulation",
)
def never_zeroed(case):
    return case.passes if case.passes and case.passes["steps"] else None


@row(
    "value",
    "{name}.grad is {total}, the sum of {count} backward passes ({parts}): nothing set it to zero in between",
    "If it is to be a mean over them, divide the loss by {count}; if not, call zero_grad() before each backward()",
    "04_accumulation",
)
def summed(case):
    return case.passes


@row(
    "value",
    "{name}.grad is {ratio} times as large as {other}: on the way back {count} {node} multiply it by {factor} "
    "in all{most}",
    "Use another activation (ReLU, GELU), normalisation, residual connections, or another initialisation",
    "16_training",
)
def vanishing(case):
    return case.path if case.path and case.path["small"] else None


@row(
    "value",
    "{name}.grad is {ratio} times as large as {other}: on the way back {count} {node} multiply it by {factor} "
    "in all{most}",
    "Start with smaller weights, normalise, or clip the norm of the gradients",
    "16_training",
)
def exploding(case):
    return case.path if case.path and not case.path["small"] else None


@row("value", "{name}.grad is {total}, the sum over {count} ways back: {name} was used that often", "", "05_many_paths")
@usual
def used_often(case):
    events = [event for event in case.events("Summed") if event.node == case.node_key]
    count = sum(event.index > case.started.index for event in events) if case.key and events else 0
    return {"total": short(case.value), "count": count + 1} if count else None


@row("value", "{name}.grad is {total}. It was clipped", "", "16_training")
@usual
def was_clipped(case):
    return {"total": short(case.value), "at": case.clip} if case.key and case.clip else None


@row(
    "value",
    "{name}.grad is {total}, and there is nothing unusual about it: it is finite, not zero, and of one backward pass",
)
@usual
def healthy(case):
    return {"total": short(case.value)} if case.key and case.value.is_readable else None


@row(
    "value",
    "{name}.grad is {total}; it was changed in place {count} since it was made, as several uses, further passes, "
    "clipping, unscaling and zero_grad() do",
    "A recording tells which: {record}",
    "04_accumulation",
)
@usual
def changed_since(case):
    version = 0 if case.key else readings.version_of(case.grad)
    return {"total": short(case.value), "count": "once" if version == 1 else f"{version} times"} if version else None


@row("value", "{name}.grad is {total}, finite and not zero{other}")
@usual
def finite(case):
    return {
        "total": short(case.value),
        "other": "; this recording does not have it" * (case.trace is not None and not case.key),
    }


# -- a module, an optimizer, a recording -------------------------------------------------------------------------------


@row(
    "module",
    "{list} is a plain Python {kind}, which a Module does not register: {name}.parameters() leaves out what is in it",
    "Make it a torch.nn.{remedy}",
    "16_training",
)
def has_a_list(case):
    return first(
        each | {"list": f"{case.name}.{each['path']}", "at": case.bound_at(f"self.{each['attribute']}", each["owner"])}
        for each in unregistered(case.thing)
    )


@row(
    "module",
    "requires_grad was set on the module {part}, where nothing reads it",
    "Call {part}.requires_grad_({value}), which sets it on every parameter",
    "10_switching_off",
)
def flag_on_a_module(case):
    for path, inner in case.thing.named_modules():
        if "requires_grad" in vars(inner):
            return {"part": ".".join(filter(None, (case.name, path))), "value": inner.requires_grad}
    return None


@row(
    "optimizer",
    "{name} holds {count} that no module in sight has any more, such as one of shape {shape}: a layer was replaced or "
    "copied after {name} was made",
    "Make the optimizer when the model is complete",
    "16_training",
)
def holds_strangers(case):
    held = {id(each): each for group in case.thing.param_groups for each in group["params"]}
    own = {id(each) for _, module in case.modules for _, each in parameters_of(module)}
    lost = [each for place, each in held.items() if place not in own and place not in case.known]
    if not lost or own.issubset(held):
        return None
    count = f"{len(lost)} parameter{'s' * (len(lost) > 1)}"
    return {"count": count, "shape": tuple(lost[0].shape), "at": case.bound_at(case.name)}


@row(
    "optimizer",
    "{part} {lacks}, but {name} still moves it by {what}",
    "Set its .grad to None, or leave it out of {name}",
    "10_switching_off",
)
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
                    "lacks": "does not require grad" if frozen else "gets no gradient",
                    "what": "the .grad that was left"
                    if not nothing_in(grad)
                    else "its memory of earlier steps"
                    if keeps
                    else "weight_decay",
                }
    return None


@row("optimizer", "the learning rate of {name} is 0, so no step changes anything", "Set lr", "16_training")
def no_rate(case):
    return {"at": case.bound_at(case.name)} if all(x.get("lr", 1) == 0 for x in case.thing.param_groups) else None


def fed(outer, inner, words, remedy):
    """Add a row about an operation that is given what another one made, as it is or as a view."""

    def finds(case):
        events = [each for each in case.events("Operation") if plain_name(each.name) in outer.split() and each.inputs]
        pairs = ((each, case.maker(each.inputs[0])) for each in events)
        found = (each for each, made in pairs if made and plain_name(made.name) == inner)
        return first({"outer": plain_name(each.name), "at": each} for each in found)

    row("trace", words, remedy, "16_training")(finds)


@row("trace", "{root} is {kind}: {op} made {made} of {given}{then}", "{remedy}", "09_is_it_right")
def bad_loss(case):
    found = case.bad_root
    return found if found and found["from"] == "forward" else None


@row("trace", "{root} is {kind}: {source} has {made} before {op} uses it{then}", MASK, "09_is_it_right")
def bad_data(case):
    return case.bad_root


fed(
    "log_softmax softmax",
    "softmax",
    "softmax is taken twice: {outer} gets what softmax has made, so differences between classes nearly vanish",
    "Give cross_entropy the scores before softmax",
)
fed(
    "binary_cross_entropy_with_logits",
    "sigmoid",
    "sigmoid is taken twice: {outer} takes the sigmoid of what it gets, which is one already",
    "Give it the scores before sigmoid, or use binary_cross_entropy",
)
fed(
    "nll_loss",
    "softmax",
    "nll_loss gets what softmax has made, and expects logarithms",
    "Use log_softmax, or give cross_entropy the scores themselves",
)


@row(
    "trace",
    "{op} of {shapes} gives {shape}: each of one is paired with each of the other",
    "If each belongs to one of the other, bring both into one shape, with .squeeze(-1) or .view_as",
    "06_several_inputs",
)
def paired_all(case):
    for event in case.events("Operation"):
        if plain_name(event.name) in PAIRED and len(event.inputs) == 2:
            makers = [case.made_by(key) for key in event.inputs]
            names = [maker and plain_name(maker.name) for maker in makers]
            triples = zip(event.inputs, makers, names, strict=True)
            keys = [maker.inputs[0] if name == "expand" else key for key, maker, name in triples]
            shapes = [tuple(case.trace.tensors[key].value.shape) for key in keys]
            one, other = sorted(shapes, key=len)
            if len(one) == 1 and one[0] > 1 and other == (one[0], 1) and "unsqueeze" not in names:
                op, both = plain_name(event.name), f"{shapes[0]} and {shapes[1]}"
                return {"op": op, "shapes": both, "shape": one * 2, "at": event}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


@row("module optimizer trace", "")
@usual
def nothing_unusual(case):
    return {}


OF_A_RESULT = {updated, moved}  # what is worth a line of its own though no leaf is concerned
ONCE = {vanishing, exploding, never_zeroed, summed}  # of these the first stands for all
