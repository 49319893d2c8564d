"""NaN and inf: the operation that made the first, the tensor that brought it, or what may have made it."""

from ..microscope.labels import plain_name
from ..microscope.readings import value_of
from ..words import of
from .code import first, only
from .evidence import once
from .nodes import bad_kind, beyond_dtype, finite_in, has_zero, node_of, op_of
from .sight import holds

# operations whose value or derivative may not be finite -> the remedy
EDGES = {name: each.format(op=name) for names, each in of("why")["edges"].items() for name in names.split()}

# -- from a recording --------------------------------------------------------------------------------------------------


@once
def bad_root(case):
    """The origin of the NaN or inf of a tensor, or of a root of the last pass if no gradient has any; as facts."""
    recorded, keys = case.recorded, [case.key]
    if case.about != "wrong":
        known = any(event.kind == "Accumulated" and bad_kind(event.total) for event in recorded.since_start)
        keys = [] if known else recorded.roots_of(recorded.events("Started")[-1:])
    for key in filter(None, keys):
        value = value_of(case.tensor) if case.about == "wrong" else recorded.tensors[key].value
        if kind := bad_kind(value):
            return origin_of(recorded, key, kind, "it") | {"root": recorded.title(key), "kind": kind}
    return None


@once
def bad_origin(case):
    """The origin of the NaN or inf of a gradient: the first node on the way back that made one from finite numbers."""
    recorded = case.recorded
    for event in recorded.events("Started", "Ran"):
        if any(map(bad_kind, event.grads)):
            if event.kind == "Started":
                return {"from": "start", "at": event}
            continue
        results = [value for _, value in case.passed_on(event) if bad_kind(value)] if event.kind == "Ran" else ()
        if not results:
            continue
        record, made = recorded.nodes[event.node], recorded.of_node.get(event.node)
        op = plain_name(record.row or made and made.name or record.name)
        used = first(each for each in event.used if bad_kind(each[1]))
        if used is None:
            beyond = beyond_dtype(event, 1)
            then = "; then 0 · inf is NaN" * (case.kinds == "NaN" and bad_kind(results[0]) == "inf")
            facts = {"op": op, "given": recorded.read_by(event), "then": then, "at": made}
            return facts | {"from": "dtype" if beyond else "slope"} | (beyond or {})
        kind, zero = bad_kind(used[1]), any(map(has_zero, event.grads))
        then = f", and on the way back {record.name} multiplies 0 by it: 0 · {kind} is NaN" * zero
        key = used[2] or recorded.trace.tensor_at((event.node, 0))
        found = {"at": made} | origin_of(recorded, key, kind, plain_name(made.name) if made else record.name, then)
        return found | {"at": made} if zero and found["from"] == "data" else found  # data may be infinite by design
    return None


def origin_of(recorded, key, kind, op, then=""):
    """The operation that made a value of this kind, or the tensor that had it before *op*, as facts of a row."""
    index, user = len(recorded.trace), {}
    while True:
        event = recorded.made_by(key, index)
        if event is None or plain_name(event.name) == "to_copy" and not recorded.name_of(event.inputs[0]):
            source = recorded.title(key) if key else "a tensor"
            return {"from": "data", "source": source, "made": kind, "op": op, "bad": kind, "then": then} | user
        if event.kind == "Changed" and event.name[:1].isupper():
            cause = cause_of_step(recorded, key, kind)
            facts = {"source": recorded.title(key), "op": event.name, "remedy": EDGES[cause]}
            return facts | {"from": "step", "made": kind, "then": then, "at": event}
        index, op, user = event.index, plain_name(event.name), {"at": event}
        values = [(each, recorded.value_before(each, index)) for each in event.inputs]
        inner = first(each for each, value in values if bad_kind(value) == kind)
        if inner is None and kind == "NaN" and op not in ("softmax", "log_softmax"):
            inner = first(each for each, value in values if bad_kind(value) == "inf")
            kind, then = ("inf", f"; then {op} makes NaN of it{then}") if inner else (kind, then)
        if inner is None:
            facts = {"from": "forward", "op": op, "made": kind, "given": recorded.given_to(event), "at": event}
            cause = cause_of(op, [value for _, value in values], kind)
            then = ": 0 · inf is NaN" * (cause == "zero_times_inf") + then
            return facts | {"then": then} | ({"remedy": EDGES[cause]} if cause else {})
        key = inner


def cause_of(op, values, kind):
    """Why an operation made NaN or inf from these values, as a name in EDGES; "" if they do not show it."""
    low = min((finite_in(value).min(initial=0) for value in values), default=0)
    if op == "mul" and kind == "NaN" and any(map(has_zero, values)):
        return "zero_times_inf"  # finite factors give none
    if op in ("pow", "sqrt", "rsqrt", "log", "log2", "log10") and low < 0 and kind == "NaN":
        return "negative"
    return "overflow" if kind == "inf" and (op in PRODUCTS or op == "pow" and not any(map(has_zero, values))) else ""


PRODUCTS = "add sub mul mm addmm bmm mv dot sum".split()


def cause_of_step(recorded, key, kind):
    """Why a step made a parameter NaN or inf: Adam's eps is 0 in half precision, or the step was too large."""
    tensor = recorded.living.get(key)
    for _, optimizer in recorded.code.sight.optimizers:
        for group in optimizer.param_groups if tensor is not None and holds(optimizer, tensor) else ():
            if kind == "NaN" and "float16" in str(tensor.dtype) and 0 < group.get("eps", 1) < 6e-8 / 2:
                return "eps_is_zero"
    return "step"


# -- from graphs in sight ----------------------------------------------------------------------------------------------


def bad_in_sight(case):
    return not case.recorded and bad_data(case.sight)


@once
def bad_data(sight):
    """A tensor in sight that needs no gradient and has NaN or inf, as facts of a row; or None."""
    grads = {*map(id, sight.grads)}
    plain = [pair for pair in sight.known.values() if node_of(pair[0]) is None and id(pair[0]) not in grads]
    return first({"source": names[0], "made": kind} for each, names in plain if (kind := bad_kind(value_of(each))))


def risky(case, ops):
    """The only one of these operations on the way to a result in sight."""
    nodes = {node for root, leads, _ in case.graphs_in_sight if leads for node in case.sight.below(root)}
    op = only({*map(op_of, nodes)}.intersection(ops.split()))
    return not case.recorded and op and {"op": op}
