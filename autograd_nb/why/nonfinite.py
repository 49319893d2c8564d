"""NaN and inf: the operation that made the first, the tensor that brought it, or what may have made it."""

from ..microscope.labels import plain_name, short
from ..microscope.readings import constants_of, is_tensor, value_of
from ..words import of
from .asked import RECORD
from .evidence import once
from .nodes import bad_kind, has_zero, inputs_of, is_bad, node_of, op_of
from .statements import first, only

# operations whose value or derivative may not be finite -> what to do
EDGES = {name: each.format(op=name) for names, each in of("why")["edges"].items() for name in names.split()}

# -- as recorded -------------------------------------------------------------------------------------------------------


@once
def bad_root(case):
    """Where the NaN or inf of a tensor came from; of a recording that of a root of the last pass, unless the gradients
    tell of it; or None."""
    recorded = case.recorded
    if case.about != "trace":
        found = [(case.key, value_of(case.tensor))]
    elif any(event.kind == "Accumulated" and is_bad(event.total) for event in recorded.since_start):
        return None
    else:
        keys = recorded.roots_of(recorded.events("Started")[-1:])
        found = [(key, recorded.tensors[key].value) for key in keys]
    for key, value in found:
        if key and (kind := bad_kind(value)):
            return origin_of(recorded, key, kind, "it") | {"root": recorded.title(key), "kind": kind}
    return None


@once
def bad_origin(case):
    """Where the NaN or inf of a gradient came from."""
    recorded = case.recorded
    for event in recorded.events("Ran"):
        record = recorded.nodes[event.node]
        results = [value for _, value in case.passed_on(event) if is_bad(value)]
        if not results or any(map(is_bad, event.grads)):
            continue
        made, op = recorded.of_node.get(event.node), plain_name(record.row or record.name)
        used = first(each for each in event.used if is_bad(each[1]))
        if used is None:
            then = "; then 0 · inf is NaN" * (case.kinds == "NaN" and bad_kind(results[0]) == "inf")
            return {"from": "slope", "op": op, "given": recorded.read_by(event), "then": then, "at": made}
        kind, zero = bad_kind(used[1]), any(map(has_zero, event.grads))
        then = f", and on the way back {record.name} multiplies 0 by it: 0 · {kind} is NaN" * zero
        key = used[2] or recorded.trace.tensor_at((event.node, 0))
        return {"at": made} | origin_of(recorded, key, kind, plain_name(made.name) if made else record.name, then)
    return None


def origin_of(recorded, key, kind, op, then=""):
    """The operation that made a value of this kind, or the tensor that had it before *op*, as facts of a row."""
    index = len(recorded.trace)
    while True:
        event = recorded.made_by(key, index)
        if event is None or plain_name(event.name) == "to_copy" and not recorded.name_of(event.inputs[0]):
            source = recorded.title(key) if key else "a tensor"
            return {"from": "data", "source": source, "made": kind, "op": op, "bad": kind, "then": then}
        if event.kind == "Changed" and event.name[:1].isupper():
            source = recorded.title(key)
            return {"from": "step", "source": source, "made": kind, "op": event.name, "then": then, "at": event}
        index, op = event.index, plain_name(event.name)
        values = [(each, recorded.value_before(each, index)) for each in event.inputs]
        inner = first(each for each, value in values if bad_kind(value) == kind)
        if inner is None and kind == "NaN" and op not in ("softmax", "log_softmax"):
            inner = first(each for each, value in values if bad_kind(value) == "inf")
            kind, then = ("inf", f"; then {op} makes NaN of it{then}") if inner else (kind, then)
        if inner is None:
            given = recorded.given_to(event)
            return {"from": "forward", "op": op, "made": kind, "given": given, "then": then, "at": event}
        key = inner


def bad_from_the_start(case):
    return first(each for each in case.recorded.events("Started") if any(map(is_bad, each.grads)))


# -- as graphs in sight tell -------------------------------------------------------------------------------------------


def bad_in_sight(case):
    return not case.recorded and bad_data(case.sight)


@once
def bad_data(sight):
    """A tensor in sight that needs no gradient and has NaN or inf, as facts of a row; or None."""
    grads = {*map(id, sight.grads)}
    plain = [pair for pair in sight.known.values() if node_of(pair[0]) is None and id(pair[0]) not in grads]
    return first({"source": names[0], "made": kind} for each, names in plain if (kind := bad_kind(value_of(each))))


def bad_itself(case):
    sound = any(not kind and case.node in case.sight.below(result) for result, kind in by_age(case.sight))  # so it was
    return is_bad(value_of(case.tensor)) and not sound


@once
def by_age(sight):
    """``[(result, its NaN or inf or None)]`` of the results in sight, the earliest first."""
    results = sorted((each for each, *_ in sight.results), key=lambda each: node_of(each).sequence)
    return [(each, bad_kind(value_of(each))) for each in results]


def may_be_bad(case):
    """What may have given NaN or inf, of the operations behind the first result in sight that has it.

    If none has, but a gradient: of those behind a result that leads there.
    """
    sight = case.sight
    if case.recorded or case.about == "trace" and any(is_bad(value_of(grad)) for grad in sight.grads):
        return None
    results = by_age(sight)
    if case.about == "bad":
        results = [pair for pair in results if case.node in sight.below(pair[0])]
    elif case.about == "wrong":
        results = [pair for pair in results if node_of(pair[0]) in sight.below(case.tensor)]
    wrong = first(pair for pair in results if pair[1])
    if not results or not wrong and case.about != "bad":
        return None
    source, made = wrong or results[-1]
    name = case.called(source)
    told = f"{name} is the first result in sight that has {made}" if wrong else "no result in sight has"
    what = f"{case.name}.grad has {case.kinds}: {told}" if case.about == "bad" else f"{name} has {made}"
    risks = risks_of(case.code, source, wrong is not None, *(each for each, kind in results if wrong and not kind))
    return risks and {"what": what} | risks


@once
def risks_of(code, source, wrong, *sound):
    """The operations that may have given NaN or inf between some results and a later one, as facts of a row."""
    before, statement, name = code.sight.below(*sound), code.line_of(source), code.sight.called(source)
    nodes = [node for node in code.sight.below(source) if node not in before and not is_harmless(node)]
    calls = statement.calls if statement else ()
    ops = dict.fromkeys([*map(op_of, nodes), *(call.name for call in calls)])
    usual = {*ALWAYS} - {"softmax"} if "masked_fill" in ops else ALWAYS
    ops = [op for op in ops if op in EDGES and op not in usual and not (wrong and op in SLOPES)]
    given = [code.sight.resolve(call.on) for call in calls if call.name in ops]
    given = [f", of {code.sight.called(each)} = {short(value_of(each))}" for each in given if is_tensor(each)]
    facts = {"ops": " and ".join(ops), "given": only(given) or "", "source": name, "at": statement}
    return facts | {"remedy": EDGES[ops[-1]] if len(ops) == 1 else RECORDED} if 0 < len(ops) < 4 else None


RECORDED = "A recording tells which: " + RECORD.format("")
ALWAYS = "add sub mul mm addmm bmm mv dot sum mean nll_loss softmax log_softmax".split()  # not for the first time
SLOPES = "norm", "linalg_vector_norm", "atan2"  # whose value is finite


def is_harmless(node):
    exponent = dict(constants_of(node)).get("exponent")
    if op_of(node) == "div" and inputs_of(node)[1:] == [None]:  # by what was given, which is seldom 0
        return True
    return isinstance(exponent, int | float) and exponent >= 0 and exponent == int(exponent)
