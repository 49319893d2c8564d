"""The reasons that `why` knows: a table with a row for each, and what finds out whether it is the one.

A row is a detector, the words, the remedy and the chapter of the course.  A detector takes a :class:`Case` and returns
what the words name, or None where this is not the reason; *where* is added behind the words.  The first row that fits
is the answer: what is known for certain stands before what is only possible, and "I do not know" at the end.
"""

import re
from types import ModuleType
from typing import NamedTuple

from . import readings
from .asked import bad, kinds, nothing_in, size
from .cuts import with_cuts
from .evidence import unregistered
from .labels import number, plain_name, short
from .names import parameters_of
from .readings import is_freed, is_leaf, name_of, nodes_below, place_of, value_of

RECORD = "with autograd_nb.record() as trace: … around forward and backward, then why({asked}trace)"


class Row(NamedTuple):
    about: str  # what is asked: see Case.about
    finds: object
    words: str
    remedy: str
    chapter: str = ""


def told(case):
    """``(row, text)``: the first row that fits, and its sentences."""
    for row in ROWS:
        if case.about in row.about.split():
            facts = row.finds(case)
            if facts is not None:
                return row, sentences(case, row, facts)
    raise AssertionError(case.about)


def sentences(case, row, facts):
    asked = "" if case.name == "the root" else f"{case.name}, "
    facts = {"name": case.name, "record": RECORD.format(asked=asked)} | facts
    where = f" ({facts['where']})" if facts.get("where") else ""
    words, remedy = row.words.format_map(facts), row.remedy.format_map(facts)
    return f"{words}{where}.{remedy and ' '}{remedy}{'.' * bool(remedy)}"


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
            op = next((each for each in names.split() if each in link.ops), None)
            if op:
                sources = dict.fromkeys(each.source for each in case.all_links if each.place == link.place)
                return {
                    "op": op,
                    "source": " and ".join(sources),
                    "sources": ", ".join(sources),
                    "head": head(case),
                    "where": case.evidence.where(link.place)
                }
        return None

    row("failed constant none", "{head}: " + words, remedy, chapter)(finds)


def head(case):
    return f"{case.name}.grad is None" if case.node else f"{case.name} does not require grad"


def error(pattern, words, remedy, chapter="", done="", fits=None, unknown=""):
    """Add a row about an error that says what matches *pattern*; its groups may be named in the words.

    *what* is the tensor that the line does this to, by calls whose names match *done*, if only one *fits*; else
    *unknown* stands for it.
    """

    def finds(case):
        found = re.search(pattern, case.message)
        return found and found.groupdict() | {
            "where": case.evidence.where(case.failed_at),
            "what": (fits and blamed(case, done, fits)) or unknown
        }

    row("failed", words, remedy, chapter)(finds)


IN_PLACE = r"[a-z]\w*_|__i\w+__"


def blamed(case, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    statement, values = case.evidence.statement(case.failed_at), case.evidence.values
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
    return tensor.requires_grad and (tensor.is_leaf or tensor._base is not None and tensor._base.is_leaf)


# -- errors that say all there is to know ------------------------------------------------------------------------------

error(
    "leaf Variable that requires grad is being used in an in-place|view of a leaf Variable that requires grad",
    "{what} is a leaf that requires grad, or a part of one, and is to be changed in place here",
    "Change it inside `with torch.no_grad():`, or compute a new tensor under another name",
    "11_in_place",
    IN_PLACE,
    belongs_to_a_leaf,
    "a tensor in this line"
)
error(
    "grad can be implicitly created only for scalar",
    "{what} has more than one element, and backward() starts by itself from a single number only",
    "Make one number of it first, by .sum() or .mean(), or give backward() a gradient of that shape",
    "07_vectors",
    "backward",
    lambda tensor: tensor.numel() != 1,
    "the tensor that the pass starts from"
)
error(
    r"(?P<node>\w+) returned an invalid gradient at index (?P<number>\d+) - (?P<shapes>got .*?) but expected shape "
    "(?P<wanted>.*)",
    "the backward of {node} returned a gradient of another shape than its input {number}: {shapes}, expected {wanted}",
    "Sum over what was broadcast, so that it has the input's shape",
    "08_own_function"
)
error(
    r"(?P<node>\w+) returned an incorrect number of gradients \((?P<counts>.*?)\)",
    "the backward of {node} must return one gradient for each argument of forward ({counts})",
    "Return None for those that need none",
    "08_own_function"
)
error(
    "you can only change requires_grad flags of leaf",
    "{what} is the result of an operation, and whether it requires grad follows from its inputs",
    "Use .detach() for a tensor without a graph, or set requires_grad on the leaf",
    "02_leaves",
    "requires_grad_",
    lambda tensor: not tensor.is_leaf,
    "the tensor whose flag is set here"
)
error(
    "Can't call numpy|can't call numpy",
    "{what} requires grad, and NumPy has no gradients",
    "If none is needed here, use .detach().numpy(); if one is, write this with torch",
    "10_switching_off",
    "numpy",
    lambda tensor: tensor.requires_grad,
    "a tensor in this line"
)
error(
    "appears to not have been used in the graph|appears to not have been used",
    "a tensor that the gradient is asked for was not used in computing what is differentiated",
    "Ask for the one that was used (a slice or copy made beside it is another), or give allow_unused=True",
    "07_vectors"
)
error(
    r"Function '(?P<node>\w+)' returned nan values",
    "{node} was the first node of the way back that returned NaN",
    "A recording tells which value it came from: {record}",
    "09_is_it_right"
)
error(
    "Inference tensors? ",
    "a tensor made under inference_mode takes part in a computation that is recorded",
    "Use torch.no_grad() there, or clone the tensor outside of inference_mode",
    "10_switching_off"
)
error(
    "only support.* deepcopy|Only Tensors created explicitly by the user",
    "deepcopy copies leaves only, and something in what is copied is the result of an operation",
    "Copy it with .detach().clone(), or keep computed tensors out of attributes of the module",
    "02_leaves"
)
error(
    "is a view and is being modified inplace|is a view and its base",
    "a view is changed in place where autograd cannot follow",
    "Clone the view before it is changed",
    "11_in_place"
)


# -- a graph that was freed --------------------------------------------------------------------------------------------


def freed(kind):
    return lambda case: case.old if case.old and case.old["kind"] == kind else None


row(
    "failed",
    "{part} still belongs to the graph of the turn before, which {passed} has freed: it is carried from turn to turn",
    "Cut it off before the next turn: {part} = {part}.detach()",
    "03_backward"
)(freed("carried"))
row(
    "failed",
    "{part} was computed once, and every turn of the loop goes back through it; {passed} freed its graph",
    "Compute it inside the loop, anew for each backward pass",
    "03_backward"
)(freed("outside"))
row(
    "failed",
    "both passes go back through {part}, and {passed} freed its graph",
    "Add the losses and call backward() once, or give the first pass retain_graph=True",
    "03_backward"
)(freed("shared"))
row(
    "failed",
    "a backward pass has gone through the graph of {part} before: {passed}, which freed it",
    "Call backward() once, or give the first call retain_graph=True",
    "03_backward"
)(freed("twice"))


row(
    "failed",
    "an earlier pass has freed a part of the graph of {part}",
    "A state kept from the turn before is to be detached, what was made once outside the loop made anew, and losses "
    "that share a part added; a recording tells which it is: {record}",
    "03_backward"
)(freed("unknown"))


# -- something that was saved was changed ------------------------------------------------------------------------------


def changed(by):
    return lambda case: case.change if case.change and case.change["by"] == by else None


row(
    "failed",
    "{node} saved {what} for the way back, and the step of {who} has changed it since",
    "Compute the loss again after the step, or call both backward() before it",
    "11_in_place"
)(changed("optimizer"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since",
    "Write that line with a new tensor, x = x + … in place of x += …, or x.clone() before it",
    "11_in_place"
)(changed("operation"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since, as far as the code tells here",
    "Write that line with a new tensor, x = x + … in place of x += …",
    "11_in_place"
)(changed("seen"))
row(
    "failed",
    "{node} saved {what} for the way back, and it was changed in place since (version {expected} became {version})",
    "To see by which line, record it: {record}",
    "11_in_place"
)(changed("unknown"))


# -- ways out of the graph ---------------------------------------------------------------------------------------------


@row(
    "failed constant none",
    "{head}: no input of the reentrant checkpoint requires grad, so it ran all of its block without a graph",
    "Give checkpoint use_reentrant=False, or let its input require grad (enable_input_require_grads() of a "
    "language model)",
    "10_switching_off"
)
def checkpointed(case):
    evidence = case.evidence
    for event in evidence.events("Operation"):
        if event.name == "CheckpointFunction" and not event.node:
            inside = evidence.upstream(event.outputs)
            if any("no_grad" in link.ops and key in inside for (_, key), link in case.linked):
                return {"head": head(case), "where": evidence.at(event)}
    places = {link.place for link in case.all_links if link.source}
    return next(
        (
            {"head": head(case), "where": evidence.where(link.place)}
            for link in case.all_links
            if "checkpoint" in link.ops and link.place not in places
        ),
        None
    )


exits(
    "sample",
    "sample() draws without a graph",
    "Use rsample(), or the score function: loss = -log_prob(sample) * reward"
)
exits(
    "argmax argmin argsort searchsorted bucketize",
    "{op} returns indices, which have no gradient, so the graph ends there",
    "Give the scores themselves to the loss, such as cross_entropy, or use softmax"
)
exits(
    "max min sort topk median mode",
    "the indices that {op} returns have no gradient, so the graph ends there",
    "Use its values, or give the scores themselves to the loss"
)
exits(
    "comparison gt ge lt le eq ne logical_and logical_or logical_not isnan sign_bit",
    "a comparison gives True or False, which have no gradient, so the graph ends there",
    "Use a smooth stand-in, such as torch.sigmoid of the difference, or a loss of the scores themselves"
)
exits(
    "one_hot bincount multinomial histc unique nonzero to_copy long int type",
    "{op} makes whole numbers of {source}, which have no gradient",
    "Keep floating-point numbers up to the loss"
)
exits(
    "tensor as_tensor Tensor FloatTensor",
    "torch.{op}() copies the numbers of {source} out of the graph into a new leaf",
    "Join tensors with torch.stack([{sources}]) or torch.cat, which stay in the graph"
)
exits(
    "Parameter",
    "torch.nn.Parameter() makes a new leaf of the numbers of {source}, without its graph",
    "Use the computed tensor itself, by torch.func.functional_call(module, {{…}}, x) or a function such as "
    "torch.nn.functional.linear(x, {source})"
)
exits(
    "grad",
    "autograd.grad without create_graph=True returns a constant, which has no graph",
    "Give it create_graph=True",
    "13_derivatives_of_derivatives"
)
exits(
    "numpy array asarray from_numpy",
    "NumPy gets the numbers of {source} without their graph",
    "Write this part with torch, such as torch.sin for np.sin"
)
exits(
    "item tolist float int bool",
    "{op}() makes plain Python numbers of {source}, without its graph",
    "Compute with the tensor itself, and call {op}() only to print"
)
exits("deepcopy", "deepcopy makes a new leaf of {source}, which gets its own gradient", "Use {source} itself")
exits("detach", "detach() cut it off from {source}", "Leave it out where the gradient is to pass")
exits(".data", ".data cut it off from {source}", "Leave it out where the gradient is to pass")
exits(
    "no_grad inference_mode set_grad_enabled",
    "this ran under {op}, which records no graph",
    "Move what is to be trained out of {op}"
)


@row(
    "failed constant none",
    "{head}: {op} has no derivative here, so nothing comes back through it to {source}",
    "",
    "10_switching_off"
)
def other_exit(case):
    for link in case.links if case.key else ():
        return {
            "head": head(case),
            "op": next(iter(link.ops)),
            "source": link.source,
            "where": case.evidence.where(link.place)
        }
    return None


@row(
    "failed constant none",
    "{head}: {target} is computed from {source} here and has no graph of its own",
    "What cut it off a recording tells: {record}",
    "10_switching_off"
)
def unknown_exit(case):
    for link in case.links:
        if link.source:
            return {
                "head": head(case),
                "source": link.source,
                "target": link.target,
                "where": case.evidence.where(link.place)
            }
    return None


@row(
    "failed",
    "{what} does not require grad: nothing that it was computed from does, as far as was seen",
    "Set requires_grad on what is to be trained before computing with it; where the graph was cut, a recording "
    "tells: {record}",
    "10_switching_off"
)
def requires_no_grad(case):
    if "does not require grad" not in case.message:
        return None
    named = case.tensor is not None and case.evidence.called(case.tensor)
    return {"what": named or blamed(case, "backward|grad", lambda tensor: not tensor.requires_grad) or "the root"}


@row("failed", "the error is none that autograd explains", "", "")
def unknown_error(case):
    return {"where": case.evidence.where(case.failed_at)}


# -- .grad is None -----------------------------------------------------------------------------------------------------


@row(
    "constant none",
    "{name}.grad is None: {name} is {dtype}, and only floating-point tensors have gradients",
    "",
    "02_leaves"
)
def whole_numbers(case):
    dtype = case.tensor.dtype
    return None if dtype.is_floating_point or dtype.is_complex else {"dtype": dtype}


def rebound(case):
    """The leaf that a tensor was computed from and that has lost its name to it."""
    if case.is_leaf:
        return None
    names = {name for _, found in case.evidence.known.values() for name in found}
    below = [node for node in nodes_below([case.node]) if is_leaf(node)]
    lost = [node.variable for node in below if id(node.variable) not in case.evidence.known]
    if len(below) != 1 or not lost or case.name not in names or "." in case.name:
        return None
    event = case.key and case.evidence.made.get(case.key, (None,))[-1]
    place = (event.file, event.line) if event else None
    grad = value_of(readings.grad_of(lost[0]))
    statement = case.evidence.statement(place) if place else None
    return {
        "node": name_of(case.node),
        "where": place and case.evidence.where(place),
        "statement": statement,
        "grad": f" ({short(grad)})" if grad else ""
    }


@row(
    "none",
    "{name}.grad is None: {name} now names the result of {node}, which is no leaf; the gradient goes to the leaf that "
    "had the name before",
    "Update a leaf in place, `with torch.no_grad(): {name} -= …`, or leave it to an optimizer",
    "02_leaves"
)
def updated(case):
    found = rebound(case)
    return (
        found
        if found and (found["node"].startswith("Sub") or found["statement"] and ".grad" in found["statement"].text)
        else None
    )


@row(
    "none",
    "{name}.grad is None: {name} now names the result of {node}, which is no leaf; the leaf is the tensor before it, "
    "and has the gradient{grad}",
    "Do that first and call requires_grad_() on its result, or keep the leaf under a name of its own",
    "02_leaves"
)
def moved(case):
    return rebound(case)


@row(
    "none",
    "{name}.grad is None: {root} was computed from {base}, but not through {name}, which was made beside that",
    "Compute {root} from {name} itself",
    "02_leaves"
)
def made_beside(case):
    evidence = case.evidence
    events = evidence.made.get(case.key, ()) if case.key and not case.is_leaf else ()
    above = evidence.upstream(evidence.roots)
    base = next((key for event in events for key in event.inputs if key in above), None)
    if not base or case.key in above:
        return None
    return {"root": evidence.title(evidence.roots[0]), "base": evidence.title(base), "where": evidence.at(events[-1])}


@row("none", "{name}.grad is None: {name} retains its gradient, but no backward pass has reached it", "", "02_leaves")
@usual
def retained(case):
    return {} if not case.is_leaf and readings.retains(case.tensor) else None


@row(
    "none",
    "{name}.grad is None: {name} is no leaf but made by {node}, so backward leaves it no .grad",
    "Call {name}.retain_grad() first",
    "02_leaves"
)
@usual
def no_leaf(case):
    if case.is_leaf:
        return None
    event = case.key and case.evidence.made.get(case.key, (None,))[-1]
    return {"node": name_of(case.node), "where": event and case.evidence.at(event)}


@row(
    "none",
    "{name}.grad is None: the backward of {function} returned None as the gradient of {name}",
    "Return the gradient there",
    "08_own_function"
)
def returned_none(case):
    for event in case.evidence.events("Ran"):
        record = case.trace.nodes[event.node]
        for (node, _), result in zip(record.edges, event.results, strict=False):
            if result is None and node and case.node_key in case.trace.below([node]) and record.row is None:
                return {
                    "function": record.name.removesuffix("Backward"),
                    "where": case.evidence.function_of(record.name.removesuffix("Backward"))
                    or case.evidence.forward(event.node)
                }
    return None


@row(
    "none",
    "{name}.grad is None: autograd.grad returned the gradient, and leaves .grad alone",
    "Use what it returned, or call backward()",
    "07_vectors"
)
def captured(case):
    events = [event for event in case.evidence.events("Captured") if event.node == case.node_key]
    return {"where": case.evidence.at(events[-1])} if events else None


@row("none", "{name}.grad is None: a step used the gradient, and then this set it to None", "", "04_accumulation")
@usual
def done_with(case):
    events = case.of_leaf
    changed = [event for event in events[-2:-1] if event.kind == "Changed"]
    return {"where": case.evidence.at(events[-1])} if changed and events[-1].kind == "Zeroed" else None


@row(
    "none",
    "{name}.grad is None: it had a gradient, and this set it to None",
    "Do it before backward() or after the step, not between",
    "04_accumulation"
)
def set_to_none(case):
    last = case.last_set
    return {"where": case.evidence.at(last)} if last and last.kind == "Zeroed" and last.value is None else None


@row(
    "none",
    "{name}.grad is None: the backward pass was asked for other tensors only",
    "Name {name} among inputs=, or leave inputs= out",
    "07_vectors"
)
def other_inputs(case):
    started = case.evidence.events("Started")
    if started and case.key and case.node_key in case.trace.below(node for node, _ in started[-1].roots):
        return {"where": case.evidence.at(started[-1])}
    return None


@row("none", "{name}.grad is None: no backward pass was recorded", "Call backward() inside the recording")
def no_pass(case):
    return {} if case.key and not case.evidence.events("Started", "Failed") else None


@row(
    "none",
    "{name}.grad is None: {root} was not computed from {name}",
    "Use {name} in computing {root}, or see whether a copy of it was used instead",
    "07_vectors"
)
def not_used(case):
    if not case.key or not case.evidence.events("Started"):
        return None
    roots = case.evidence.roots
    return {
        "root": case.evidence.title(roots[0]) if roots else "the root",
        "where": case.evidence.at(case.evidence.events("Started")[-1])
    }


@row("none", "{name} does not take part in this recording", "Record forward and backward: {record}")
def not_recorded(case):
    return {} if case.trace is not None else None


def graphs_in_sight(case):
    """``[(name, whether it leads to the tensor, whether it is freed)]`` of the graphs in sight."""
    found = []
    for tensor, names in reversed(case.evidence.known.values()):
        node, _ = place_of(tensor)
        if node is not None and not is_leaf(node):
            nodes = nodes_below([node])
            found.append((names[0], case.node in nodes, any(is_freed(each) for each in nodes if not is_leaf(each))))
    return found


@row(
    "none",
    "{name}.grad is None, though a backward pass has freed the graph of {root}, which was computed from {name}: "
    "zero_grad() or other code set it to None, autograd.grad returned it, or the pass failed",
    "A recording tells which: {record}",
    "04_accumulation"
)
def gone(case):
    return next(({"root": root} for root, leads, was_freed in graphs_in_sight(case) if leads and was_freed), None)


@row(
    "constant",
    "{name} is {leaf}.grad itself, not a copy of it, so it changes with every pass that adds to it",
    "{name} = {leaf}.grad.clone() keeps what it was",
    "04_accumulation"
)
def kept_grad(case):
    leaves = [tensor for tensor, _ in case.evidence.known.values() if readings.grad_of(tensor) is case.tensor]
    return {"leaf": case.evidence.called(leaves[0])} if leaves else None


@row(
    "constant",
    "{name} does not require grad: it has the elements of {source}, but {how} cut it off",
    "Leave that out where the gradient is to pass",
    "10_switching_off"
)
def twin(case):
    for source, target, how in with_cuts([case.tensor], [None], case.evidence.known)[1]:
        if target is case.tensor:
            return {"source": case.evidence.called(source), "how": how}
    return None


@row(
    "constant",
    "{name}.grad is None: {name}.requires_grad is False, and nothing that requires grad was seen behind it",
    "If it is to be trained, call {name}.requires_grad_() before computing with it",
    "02_leaves"
)
def constant(case):
    return {}


@row(
    "none",
    "{name}.grad is None: {target} has the elements of {source}, but {how} cut it off",
    "Leave that out where the gradient is to pass",
    "10_switching_off"
)
def twins(case):
    known = case.evidence.known
    for tensor, _ in reversed(known.values()):
        node, _ = place_of(tensor)
        for source, target, how in (
            with_cuts([tensor], [node], known)[1] if node is None or case.node not in nodes_below([node]) else ()
        ):
            if case.node in nodes_below([place_of(source)[0]]):
                return {"source": case.evidence.called(source), "target": case.evidence.called(target), "how": how}
    return None


@row(
    "none",
    "{name}.grad is None: no backward pass has been run from {root}, which was computed from {name}",
    "Call backward() on the loss",
    "03_backward"
)
def not_yet(case):
    graphs = graphs_in_sight(case)
    return {"root": graphs[0][0]} if graphs and graphs[0][1] else None


@row(
    "none",
    "{name}.grad is None: {root} was not computed from {name}, as far as its graph tells{but}",
    "Use it in computing the loss; if it was used, a recording tells where it was cut off: {record}",
    "10_switching_off"
)
def not_computed(case):
    graphs = graphs_in_sight(case)
    but = next((f" ({root} was, but no backward pass has gone through it)" for root, leads, _ in graphs if leads), "")
    return {"root": graphs[0][0], "but": but} if graphs else None


@row(
    "none",
    "{name}.grad is None: no backward pass has reached it, and why is not to be seen any more",
    "A recording tells: {record}"
)
def not_reached(case):
    return {}


# -- NaN and inf -------------------------------------------------------------------------------------------------------

MASK = "Mask or replace it before that line: a where() or a factor 0 behind it does not help, as 0 · {kind} is NaN"


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
    "09_is_it_right"
)
def infinite_slope(case):
    found = case.bad_origin
    return found if found and found["from"] == "slope" else None


@row(
    "bad",
    "{name}.grad has {kinds}: {name} itself has {own}",
    "Go back to where it got that: a step with a gradient that was not finite, or the data",
    "09_is_it_right"
)
def bad_itself(case):
    own = kinds(value_of(case.tensor))
    return {"kinds": kinds(case.value), "own": own} if own else None


@row(
    "bad",
    "{name}.grad has {kinds}: the gradient that the backward pass started with had it",
    "See what was given to backward(), and whether the loss was scaled",
    "09_is_it_right"
)
def bad_from_the_start(case):
    for event in case.evidence.events("Started"):
        if any(map(bad, event.grads)):
            return {"kinds": kinds(case.value), "where": case.evidence.at(event)}
    return None


@row(
    "bad",
    "{name}.grad has {kinds}: which node made it is not to be seen any more",
    "A recording tells: {record}",
    "09_is_it_right"
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
    "04_accumulation"
)
def set_to_zero(case):
    last = case.last_set
    return {"where": case.evidence.at(last)} if last and last.kind == "Zeroed" else None


@row(
    "zero",
    "{name}.grad is zero: the hook {hook} turned a gradient into zeros",
    "Let it return None, or the gradient that is wanted",
    "12_hooks"
)
def hooked(case):
    for event in case.evidence.events("Hooked"):
        if (
            event.after
            and nothing_in(event.after)
            and not nothing_in(event.before)
            and case.node_key in case.trace.below([event.node])
        ):
            return {"hook": event.hook, "where": case.evidence.at(event)}
    return None


def single(case, event):
    grads = [grad for grad in event.grads if grad is not None and grad.shape]
    return bool(grads) and grads[0].shape[-1] == 1


def chosen(case, event):
    """Whether a condition or a mask is the same everywhere, as far as it was kept."""
    value = next((value for name, value, _ in event.used if name in ("condition", "mask")), None)
    return value is not None and (
        value.array.min() == value.array.max() if value.is_whole else value.low == value.high
    )


closed(
    "softmax log_softmax",
    "over a single class softmax is always 1, so the loss and every gradient are 0",
    "Give the model two outputs, or use binary_cross_entropy_with_logits",
    when=single
)
closed(
    "softmax log_softmax sigmoid tanh",
    "{node} passes nothing on, for its input is so large that it is flat there, {given}",
    "Keep its input small: scale it, normalise, or start with smaller weights; or give the loss the scores themselves"
)
closed(
    "relu threshold_backward clamp clamp_min hardtanh relu6",
    "{node} passes nothing on, for its whole input lies where it is flat, {given}",
    "Use leaky_relu or GELU, a smaller step, or another start of the bias"
)
closed(
    "where",
    "{node} passes nothing on, for the other side was chosen everywhere",
    "See what the condition compares",
    when=chosen
)
closed(
    "masked_fill_with_number masked_fill_with_tensor masked_fill",
    "{node} passes nothing on, for the mask is set everywhere",
    "See how the mask is made",
    when=chosen
)
closed(
    "mul div masked_scatter mm bmm addmm dot mv",
    "{node} passes nothing on, for {zero} is zero everywhere{both}",
    "See why that is zero, or start it from other numbers"
)
closed(
    "sign floor ceil round trunc fix round_whole",
    "{node} is flat everywhere, so its derivative is 0",
    "Pass the gradient straight through: x + (round(x) - x).detach()",
    "08_own_function"
)
closed("nll_loss", "every target is ignored", "Skip a batch without a target, for its mean loss is NaN")


@row("zero", "{name}.grad is zero: {node} turned {given} into zero", "", "16_training")
def other_closing(case):
    return case.closing


@row(
    "zero",
    "{name}.grad is zero: which node passed nothing on is not to be seen any more",
    "A recording tells: {record}",
    "16_training"
)
def zero_somehow(case):
    return {}


# -- a number that may be unwanted -------------------------------------------------------------------------------------


@row(
    "value zero none",
    "{name} is in a plain Python {kind}, which a Module does not register: {module}.parameters() and every optimizer "
    "made of it leave it out",
    "Make it a torch.nn.{remedy}",
    "16_training"
)
def in_a_list(case):
    for module, value in case.evidence.modules:
        for found in unregistered(value):
            if any(each is case.tensor for _, each in found["tensors"]):
                return found | {
                    "module": module,
                    "where": case.evidence.bound_at(f"self.{found['attribute']}", found["owner"])
                }
    return None


@row(
    "value",
    "{name} has its gradient, but no optimizer in sight holds it, so no step changes it: {optimizer} was made with "
    "other parameters",
    "Make the optimizer when the model is complete, or add the parameter with {optimizer}.add_param_group",
    "16_training"
)
def in_no_optimizer(case):
    optimizers = case.optimizers
    if not optimizers or not case.is_parameter or case.optimizer:
        return None
    name = optimizers[-1][0]
    return {"optimizer": name, "where": case.evidence.bound_at(name)}


def scale_of(case):
    """By how much the loss was scaled, and the event that did it, where the last pass began with that."""
    for key in case.evidence.roots if case.key else ():
        event = next(iter(case.evidence.made.get(key, ())), None)
        statement = event and case.evidence.statement((event.file, event.line))
        ran = [each for each in case.evidence.events("Ran") if event and each.node == event.node]
        if statement and "scale" in statement.called and plain_name(event.name) == "mul" and ran:
            return float(ran[-1].results[0].array / ran[-1].grads[0].array), event
    return None


@row(
    "value",
    "{name}.grad was clipped by `{clip}` while it still carried the factor {scale} of the GradScaler",
    "Call scaler.unscale_(optimizer) before clipping",
    "16_training"
)
def clipped_while_scaled(case):
    scaled = scale_of(case)
    clip = clipped(case)
    if not scaled or not clip or any("unscale_" in each.called for each in case.evidence.ran_since(scaled[1])):
        return None
    text = case.evidence.statement((clip.file, clip.line)).text
    return {"scale": f"{scaled[0]:g}", "where": case.evidence.at(scaled[1]), "clip": text}


def clipped(case):
    """The event of clipping this gradient after the last pass, or None."""
    started = case.evidence.events("Started")
    for event in case.trace[started[-1].index :] if started else ():
        statement = event.kind in ("Operation", "Changed") and case.evidence.statement((event.file, event.line))
        if statement and {"clip_grad_norm_", "clip_grad_value_"} & statement.called:
            return event
    return None


@row(
    "value",
    "{name}.grad is {total}, the sum of {count} backward passes ({parts}): nothing set it to zero between the steps",
    "Call optimizer.zero_grad() before backward() in the loop",
    "04_accumulation"
)
def never_zeroed(case):
    return case.passes if case.passes and case.passes["steps"] else None


@row(
    "value",
    "{name}.grad is {total}, the sum of {count} backward passes ({parts}): nothing set it to zero in between",
    "If it is to be a mean over them, divide the loss by {count}; if not, call zero_grad() before each backward()",
    "04_accumulation"
)
def summed(case):
    return case.passes


@row(
    "value",
    "{name}.grad is {ratio} times as large as that of {other}: on the way back {count} {node} multiply it by {factor} "
    "in all{most}",
    "Use another activation (ReLU, GELU), normalisation, residual connections, or another initialisation",
    "16_training"
)
def vanishing(case):
    return case.path if case.path and case.path["small"] else None


@row(
    "value",
    "{name}.grad is {ratio} times as large as that of {other}: on the way back {count} {node} multiply it by {factor} "
    "in all{most}",
    "Start with smaller weights, normalise, or clip the norm of the gradients",
    "16_training"
)
def exploding(case):
    return case.path if case.path and not case.path["small"] else None


@row(
    "value", "{name}.grad is {total}, the sum over {count} ways back: {name} was used that often", "", "05_many_paths"
)
@usual
def used_often(case):
    started = case.evidence.events("Started")
    events = (
        [event for event in case.trace[started[-1].index :] if event.kind == "Summed" and event.node == case.node_key]
        if started and case.key
        else ()
    )
    return {"total": short(case.value), "count": len(events) + 1} if events else None


@row("value", "{name}.grad is {total}. It was clipped", "", "16_training")
@usual
def was_clipped(case):
    event = case.key and clipped(case)
    return {"total": short(case.value), "where": case.evidence.at(event)} if event else None


@row(
    "value",
    "{name}.grad is {total}, and there is nothing unusual about it: it is finite, not zero, and of one backward pass"
)
@usual
def healthy(case):
    return {"total": short(case.value)} if case.key and case.value.is_readable else None


@row(
    "value",
    "{name}.grad is {total}; it was changed in place {count} since it was made, as several uses, further passes, "
    "clipping, unscaling and zero_grad() do",
    "A recording tells which: {record}",
    "04_accumulation"
)
@usual
def changed_since(case):
    version = readings.version_of(case.grad)
    return (
        {"total": short(case.value), "count": "once" if version == 1 else f"{version} times"}
        if version and not case.key
        else None
    )


@row("value", "{name}.grad is {total}, finite and not zero{other}")
@usual
def finite(case):
    return {
        "total": short(case.value),
        "other": "; this recording does not have it" * (case.trace is not None and not case.key)
    }


# -- a module, an optimizer, a recording -------------------------------------------------------------------------------


@row(
    "module",
    "{list} is a plain Python {kind}, which a Module does not register: {name}.parameters() leaves out what is in it",
    "Make it a torch.nn.{remedy}",
    "16_training"
)
def has_a_list(case):
    for found in unregistered(case.thing):
        return found | {
            "list": f"{case.name}.{found['path']}",
            "where": case.evidence.bound_at(f"self.{found['attribute']}", found["owner"])
        }
    return None


@row(
    "module",
    "requires_grad was set on the module {part}, where nothing reads it",
    "Call {part}.requires_grad_({value}), which sets it on every parameter",
    "10_switching_off"
)
def flag_on_a_module(case):
    for path, inner in case.thing.named_modules():
        if "requires_grad" in vars(inner):
            return {"part": ".".join(filter(None, (case.name, path))), "value": inner.requires_grad}
    return None


@row(
    "module",
    "{name}.grad is {ratio} times as large as that of {other}",
    "A recording tells what shrinks it on the way back: {record}",
    "16_training"
)
def uneven(case):
    if case.trace is not None:
        return None  # its parameters have the whole story
    sizes = [
        (size(value), name)
        for name, each in case.parameters
        if (value := value_of(readings.grad_of(each))) and value.is_readable and not bad(value)
    ]
    sizes = sorted(pair for pair in sizes if pair[0])
    if not sizes or sizes[0][0] > 1e-5 * sizes[-1][0]:
        return None
    return {"name": sizes[0][1], "ratio": number(sizes[0][0] / sizes[-1][0], 2), "other": sizes[-1][1]}


@row(
    "optimizer",
    "{name} holds {count} that no module in sight has any more, such as one of shape {shape}: a layer was replaced or "
    "copied after {name} was made",
    "Make the optimizer when the model is complete",
    "16_training"
)
def holds_strangers(case):
    known = {id(each) for _, module in case.evidence.modules for _, each in parameters_of(module)} | set(
        case.evidence.known
    )
    lost = [each for group in case.thing.param_groups for each in group["params"] if id(each) not in known]
    missing = any(
        not any(each is one for group in case.thing.param_groups for one in group["params"])
        for _, module in case.evidence.modules
        for _, each in parameters_of(module)
    )
    if not lost or not missing:
        return None
    return {
        "count": f"{len(lost)} parameter{'s' * (len(lost) > 1)}",
        "shape": tuple(lost[0].shape),
        "where": case.evidence.bound_at(case.name)
    }


@row(
    "optimizer",
    "{part} does not require grad, but {name} still moves it by the .grad that was left",
    "Set its .grad to None, or leave it out of {name}",
    "10_switching_off"
)
def frozen_with_grad(case):
    for group in case.thing.param_groups:
        for each in group["params"]:
            if place_of(each)[0] is None and each.grad is not None:
                return {"part": case.evidence.called(each) or "a parameter"}
    return None


@row("optimizer", "the learning rate of {name} is 0, so no step changes anything", "Set lr", "16_training")
def no_rate(case):
    return (
        {"where": case.evidence.bound_at(case.name)}
        if all(group.get("lr", 1) == 0 for group in case.thing.param_groups)
        else None
    )


@row(
    "trace",
    "softmax is taken twice: {outer} gets what {inner} has made, so differences between classes nearly vanish",
    "Give cross_entropy the scores before softmax",
    "16_training"
)
def softmax_twice(case):
    evidence = case.evidence
    for event in evidence.events("Operation"):
        for key in event.inputs if plain_name(event.name) in ("log_softmax", "softmax") else ():
            made = next(iter(evidence.made.get(key, ())), None)
            if made and plain_name(made.name) in ("softmax", "log_softmax"):
                return {"outer": plain_name(event.name), "inner": plain_name(made.name), "where": evidence.at(event)}
    return None


@row(
    "trace",
    "{op} of {shapes} gives {shape}: each of one is paired with each of the other",
    "Bring both into one shape, with .squeeze(-1) or .view_as",
    "06_several_inputs"
)
def paired_all(case):
    for event in case.evidence.events("Operation"):
        shapes = [value.shape for key in event.inputs if (value := case.trace.tensors[key].value).shape]
        out = event.values[0].shape if event.values else ()
        if (
            plain_name(event.name) in ("sub", "mse_loss", "l1_loss", "eq")
            and len(shapes) == 2
            and len(out) == 2
            and {shapes[0], shapes[1]} in ({(out[0], 1), (out[0],)}, {(out[1], 1), (out[1],)})
            and out[0] > 1
        ):
            sides = " and ".join(str(tuple(each)) for each in shapes)
            return {
                "op": plain_name(event.name),
                "shapes": sides,
                "shape": tuple(out),
                "where": case.evidence.at(event)
            }
    return None


@row("module optimizer trace", "")
@usual
def nothing_unusual(case):
    return {}


ONCE = {vanishing, exploding, never_zeroed, summed}  # of these the first stands for all
