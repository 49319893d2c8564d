"""A tensor that somebody asks about, and what the evidence tells of it: :class:`Case`."""

from functools import cached_property

import numpy as np

from . import readings
from .evidence import is_optimizer
from .labels import NAMELESS, node_name, number, plain_name, short
from .names import parameters_of
from .readings import is_freed, is_leaf, name_of, place_of, value_of

EDGES = {  # operations whose value or derivative may not be finite -> what to do
    "sqrt": "Add a small eps under the root, or mask the zeros before it",
    "pow": "Add a small eps to the base, or mask the zeros before it",
    "norm linalg_vector_norm": "Add a small eps under the norm, or mask the zeros before it",
    "std var": "Add a small eps, and see that there is more than one element",
    "log log2 log10 log1p xlogy": "Clamp its input away from 0, or use a function such as log_softmax or logsigmoid",
    "div reciprocal rsqrt": "Add a small eps to the divisor, or mask its zeros before it",
    "exp expm1 exp2 sinh cosh": "Clamp its input, or mask it, before {op}; for a softmax subtract the maximum",
    "acos asin atanh acosh": "Clamp its input to a little inside of −1 … 1",
    "softmax log_softmax": "See that no row is masked as a whole, or set such rows to 0 after it",
    "atan2": "Keep both arguments from being 0 at once",
    "add sub mul mm addmm bmm sum": "It overflows: keep its inputs smaller, by a smaller learning rate or by clipping",
    "mean nll_loss": "Skip it where there is nothing to average"
}
EDGES = {name: remedy.format(op=name) for names, remedy in EDGES.items() for name in names.split()}


class Case:
    """A tensor that is asked about, by its *name*, and the evidence."""

    def __init__(self, tensor, name, evidence):
        self.tensor, self.name, self.evidence = tensor, name, evidence
        self.trace, self.failure = evidence.trace, evidence.failure
        self.node = self.grad = self.value = self.key = self.node_key = None
        self.is_leaf = False
        if tensor is None:  # an error that came before there was any
            return
        self.node, _ = place_of(tensor)
        self.is_leaf = self.node is None or is_leaf(self.node)
        self.grad = readings.grad_of(tensor)
        self.value = value_of(self.grad)
        self.key = evidence.key_of(tensor)
        self.node_key = self.trace.tensors[self.key].node if self.key else None

    @cached_property
    def of_leaf(self):
        """What the trace tells of its .grad and of changes to itself, in order."""
        return [
            event
            for event in self.evidence.events("Accumulated", "Zeroed", "GradSet", "Changed")
            if self.key and event.tensor == self.key
        ]

    @property
    def last_set(self):
        """The event that gave the .grad what it has now, as far as the trace tells, or None."""
        return next((event for event in reversed(self.of_leaf) if event.kind != "Changed"), None)

    @cached_property
    def about(self):
        """What is to be explained: "failed", "constant", "none", "bad", "zero" or "value"."""
        if self.message and (self.tensor is None or self.is_concerned or self.trace and not self.key):
            return "failed"
        if self.node and not self.is_leaf and self.change:
            return "failed"
        if self.grad is None:
            return "constant" if self.node is None else "none"
        return "bad" if bad(self.value) else "zero" if nothing_in(self.value) else "value"

    @property
    def message(self):
        return self.evidence.message

    @property
    def retains(self):
        return not self.is_leaf and readings.retains(self.tensor)

    @cached_property
    def is_concerned(self):
        """Whether the error was that of a backward pass from this tensor, or from what was computed from it."""
        if self.trace is not None:
            roots = self.evidence.roots
            return self.key and self.key in self.evidence.upstream(roots) or self.changes_leaf
        below = self.evidence.below(*self.failure.roots)
        return any(each is self.tensor for each in self.failure.roots) or self.node in below or self.changes_leaf

    @cached_property
    def changes_leaf(self):
        """Whether the line that failed names this tensor, and the error is about a change in place."""
        statement = self.evidence.statement(self.failed_at)
        names = [*statement.binds, *statement.reads] if statement and "leaf" in self.message else []
        return any(self.evidence.values.get(name.partition("[")[0]) is self.tensor for name in names)

    @property
    def failed_at(self):
        return self.evidence.failed_at

    @cached_property
    def links(self):
        """The links that keep a gradient from this tensor; of one without a graph those that it was made through."""
        if self.trace is not None and self.key:
            return [link for _, link in self.linked]
        return [link for value, link in self.living_links if not self.node or self.leads_to(value)]

    def leads_to(self, value):
        """Whether a tensor, or a module that was called, was computed from this one or has it."""
        if not readings.is_tensor(value):
            return value is not None and any(each is self.tensor for _, each in parameters_of(value))
        return self.node in self.evidence.below(value)

    @cached_property
    def living_links(self):
        if self.tensor is None:
            return []
        roots = self.evidence.failing if self.node else [self.tensor]
        if self.node and not roots:  # what was not computed from it
            roots = [
                tensor
                for tensor, _ in self.evidence.known.values()
                if not tensor.is_leaf and self.node not in self.evidence.below(tensor)
            ]
        return [pair for root in roots for pair in self.evidence.living_links(root)]

    @property
    def all_links(self):
        """The links of the graph in question, whether they matter for this tensor or not."""
        if self.trace is None or not self.key:
            return [link for _, link in self.living_links]
        return list(self.evidence.links([self.key] if not self.node else self.evidence.all_roots).values())

    @cached_property
    def linked(self):
        """The links of the trace with the keys of their ends, those that matter for this tensor."""
        evidence = self.evidence
        if not self.key:
            return []
        if not self.node:
            return list(evidence.links([self.key]).items())
        below = evidence.downstream(self.key)
        return [pair for pair in evidence.links(evidence.all_roots).items() if pair[0][0] in below]

    # -- failed passes -----------------------------------------------------------------------------------------------

    @cached_property
    def old(self):
        """What the pass that failed needs and an earlier one freed: how they share it, its name, the earlier line."""
        if "second time" not in self.message:
            return None
        return self.old_in_trace() if self.trace is not None else self.old_living()

    def old_in_trace(self):
        evidence, trace = self.evidence, self.trace
        started = evidence.events("Started")
        ran = {
            event.node: each
            for each in started[:-1]
            if not each.retain_graph
            for event in trace
            if event.kind == "Ran" and trace.passes[event.index] is each
        }
        roots = [tuple(root) for root in started[-1].roots]
        places, seen = [], set()
        for place in (waiting := list(roots)):
            if place in seen or place[0] is None:
                continue
            seen.add(place)
            if place[0] in ran:
                places.append(place)
            else:
                waiting += trace.nodes[place[0]].edges
        if not places:
            return None
        place = next(
            (each for each in places if (key := trace.tensor_at(each)) and trace.tensors[key].names), places[0]
        )
        key, event, passed = trace.tensor_at(place), evidence.of_node.get(place[0]), ran[place[0]]
        again = event and any(
            each.line == event.line and each.file == event.file and each.index > passed.index
            for each in evidence.events("Operation")
        )
        kind = (
            "twice"
            if place in roots
            else "carried"
            if again
            else "outside"
            if (passed.file, passed.line) == (started[-1].file, started[-1].line)
            else "shared"
        )
        statement = event and evidence.statement((event.file, event.line))
        binds = statement.binds if statement else ()
        name = key and evidence.name_of(key) or next((each for each in binds if each in statement.reads), None)
        name = name or (binds[0] if len(binds) == 1 else "a result of this line")
        where = evidence.at(event) if event else evidence.bound_at(f"self.{name.rpartition('.')[2]}")
        return {"kind": kind, "part": name, "where": where, "passed": evidence.at(passed)}

    def old_living(self):
        """As far as the code that failed and the names in sight tell."""
        root, evidence = next(iter(self.failure.roots), None), self.evidence
        failed = evidence.statement(self.failed_at)
        if root is None or failed is None:
            return None
        below, code = evidence.below(root), evidence.code(failed.file)
        freed = {node for node in below if not is_leaf(node) and is_freed(node)}
        passes = [
            (each, call)
            for each in code
            for call in each.calls
            if each.line < failed.line and each.scope == failed.scope and call.name in ("backward", "grad")
        ]
        others = [evidence.values.get(name) for _, call in passes for name in call.of]
        others = [each for each in others if readings.is_tensor(each) and each is not root]
        common = evidence.below(*others)
        known = [pair for pair in evidence.known.values() if place_of(pair[0])[0] in below and not pair[0].is_leaf]
        known.sort(key=lambda pair: (pair[0] is not root, -place_of(pair[0])[0].sequence))
        for tensor, names in known:
            if freed.isdisjoint(evidence.below(tensor)):
                continue
            made = evidence.made_at(tensor, names[0], failed)
            facts = {"part": names[0], "where": made and evidence.where((made.file, made.line)), "passed": "a pass"}
            before = [each for each, call in passes if tensor is not root or names[0] in call.of]
            if before:
                facts["passed"] = evidence.where((failed.file, before[-1].line))
            if tensor is root:
                kind = "twice" if before else "outside" if made and set(failed.loops) - set(made.loops) else None
            elif made and made.scope[-1:] == ("__init__",):
                kind = "outside"
            elif (
                made
                and not {names[0], f"self.{names[0].rpartition('.')[2]}"}.isdisjoint(made.reads)
                and (made.scope != failed.scope or set(failed.loops) & set(made.loops))
            ):
                kind = "carried"
            else:
                outside = made and set(failed.loops) - set(made.loops)
                both = made and before and not outside and (not others or place_of(tensor)[0] in common)
                kind = "outside" if outside and not before else "shared" if both else None
            if kind:
                return facts | {"kind": kind}
        if not freed.isdisjoint(common):
            part = f"a part that {evidence.called(others[-1])} and {evidence.called(root)} share"
            passed = evidence.where((failed.file, passes[-1][0].line))
            return {"kind": "shared", "part": part, "where": None, "passed": passed}
        return {"kind": "unknown", "part": evidence.called(root) or "the root", "where": None, "passed": "a pass"}

    @cached_property
    def change(self):
        """What was saved and then changed in place, by whom and where; also before a pass fails because of it."""
        if self.trace is not None and self.message and "inplace operation" in self.message:
            found = self.evidence.events("FoundModified")
            if found:
                return self.change_in_trace(
                    found[-1].node, found[-1].name, found[-1].tensor, found[-1].expected, found[-1].version
                )
        roots = self.failure.roots if self.failure and self.trace is None and self.message else [self.tensor]
        roots = [each for each in roots if each is not None]
        for node in self.evidence.below(*roots):
            for saved in () if is_leaf(node) else readings.saved_of(node):
                if saved.is_modified:
                    return self.change_living(node, saved)
        return None

    def change_in_trace(self, node, name, key, expected, version):
        trace = self.trace
        key = key or next(
            (trace.tensor_at((node, number)) for number in (0, 1) if trace.tensor_at((node, number))), None
        )
        bases = {key} | {
            each
            for event in self.evidence.made.get(key, ())
            if event.kind == "Operation" and event.view
            for each in event.inputs[:1]
        }
        who = [
            event
            for event in self.evidence.events("Changed")
            if event.version > expected
            and not bases.isdisjoint([event.tensor, *(other for other, _ in event.others)])
        ]
        key = who[0].tensor if who and not (key and trace.tensors[key].names) else key
        what = self.evidence.title(key) if key else f"its {name}"
        facts = {
            "node": node_name(trace, node),
            "what": what,
            "expected": expected,
            "version": version,
            "by": "unknown"
        }
        if who:
            is_step, record = who[0].name[:1].isupper(), trace.tensors.get(key)
            is_own = record is not None and record.is_leaf and record.requires_grad
            facts |= {
                "by": "optimizer" if is_step else "leaf" if is_own else "operation",
                "who": who[0].name,
                "where": self.evidence.at(who[0])
            }
        return facts

    def change_living(self, node, saved):
        evidence, tensor = self.evidence, saved.tensor
        if self.trace is not None and evidence.key_of(self.tensor):
            key = evidence.key_of(tensor) if tensor is not None else None
            keys = [each for each, record in self.trace.nodes.items() if record.name == name_of(node)]
            if key or len(keys) == 1:
                return self.change_in_trace(
                    keys[0] if keys else None, saved.name, key, saved.expected, saved.version
                ) | {"node": name_of(node)}
        base = tensor if tensor is None or tensor._base is None else tensor._base
        what = tensor is not None and (evidence.called(tensor) or evidence.called(base)) or f"its {saved.name}"
        facts = {
            "node": name_of(node),
            "what": what,
            "expected": saved.expected,
            "version": saved.version,
            "by": "unknown"
        }
        failed = evidence.statement(self.failed_at) if self.failure and self.failure.file else None
        before = (
            [each for each in evidence.code(failed.file) if failed.lies_in(each) and each.line < failed.line]
            if failed
            else []
        )
        holders = [name for name, each in self.optimizers if base is not None and holds(each, base)]
        lines = [each for each in before if each.changes]
        steps = [
            each for each in before for call in each.calls if call.name == "step" and {*holders}.intersection(call.of)
        ]
        if len(steps) == 1 and not lines:
            return facts | {"by": "optimizer", "who": holders[0], "where": evidence.at(steps[0])}
        return facts | ({"by": "seen", "where": evidence.at(lines[0])} if len(lines) == 1 and not steps else {})

    # -- gradients ---------------------------------------------------------------------------------------------------

    @cached_property
    def bad_origin(self):
        """Where the NaN or inf of a gradient came from, in a trace."""
        trace, evidence = self.trace, self.evidence
        for event in evidence.events("Ran") if self.key else ():
            record = trace.nodes[event.node]
            results = [
                value
                for (node, _), value in zip(record.edges, event.results, strict=False)
                if node and bad(value) and self.node_key in trace.below([node])
            ]
            if not results or any(map(bad, event.grads)):
                continue
            facts = {
                "kinds": kinds(self.value),
                "node": record.name,
                "then": "",
                "where": evidence.forward(event.node)
            }
            used = next((each for each in event.used if bad(each[1])), None)
            if used is None:
                op = plain_name(record.row or record.name)
                given = [f"{self.used_name(each)} = {short(each[1])}" for each in event.used]
                if kinds(self.value) == "NaN" and kinds(results[0]) == "inf":
                    facts["then"] = "; then 0 · inf is NaN"
                return facts | {
                    "from": "slope",
                    "op": op,
                    "given": " and ".join(given) or "its input",
                    "made": short(results[0]),
                    "remedy": EDGES.get(op, "See what its input was")
                }
            kind = kinds(used[1])
            if any(map(has_zero, event.grads)):
                facts["then"] = f", and on the way back {record.name} multiplies 0 by it: 0 · {kind} is NaN"
            user = evidence.of_node.get(event.node)
            return facts | came_in(evidence, used[2] or trace.tensor_at((event.node, 0)), kind, facts, user)
        return None

    def used_name(self, used):
        name, _, tensor = used
        return self.evidence.title(tensor) if tensor else f"its {name}"

    @cached_property
    def closing(self):
        """The node that turned a gradient into zeros on the way to this tensor."""
        way = {self.node_key}
        for event in reversed(self.evidence.events("Ran") if self.key else ()):
            record = self.trace.nodes[event.node]
            pairs = zip(record.edges, event.results, strict=False)
            results = [value for edge, value in pairs if edge[0] in way and value is not None]
            if results:
                way.add(event.node)
                if all(map(nothing_in, results)) and not all(map(nothing_in, filter(None, event.grads))):
                    names = [name for name, edge in zip(record.inputs, record.edges, strict=False) if edge[0] in way]
                    zeros = [each for each in event.used if nothing_in(each[1]) and names != [each[0]]]
                    given = [f"{self.used_name(each)} = {short(each[1])}" for each in event.used]
                    itself = nothing_in(self.trace.tensors[self.key].value)
                    return {
                        "node": record.name,
                        "row": record.row or "",
                        "event": event,
                        "given": " and ".join(given) or "its input",
                        "zero": self.used_name(zeros[0]).replace(NAMELESS, "the other factor") if zeros else "a factor",
                        "both": f", as {self.name} is itself" * itself,
                        "where": self.evidence.forward(event.node)
                    }
        return None

    @cached_property
    def passes(self):
        """The backward passes whose sum a .grad is, if several; whether the tensor was changed between them."""
        added = self.of_leaf
        new = [
            event.kind == "Zeroed" or event.kind == "GradSet" and self.trace[event.index - 1].kind != "Changed"
            for event in added
        ]
        since = max((place + 1 for place, is_new in enumerate(new) if is_new), default=0)
        own = [event for event in added[since:] if event.kind == "Accumulated"]
        if len(own) < 2:
            return None
        factors = [self.factor_of(event) for event in own]
        shown = [short(event.grad) for event in own] if own[0].grad.size == 1 and len(own) < 6 else []
        lines = f"lines {own[0].line} to {own[-1].line}" if own[0].line != own[-1].line else "one line run again"
        return {
            "count": len(own),
            "total": short(self.value),
            "where": self.evidence.at(own[-1]),
            "parts": " + ".join(shown) or lines,
            "lines": [each.line for each in own],
            "mean": all(factor and abs(factor * len(own) - 1) < 0.01 for factor in factors),
            "optimizer": self.optimizer or "optimizer",
            "steps": self.stepped_between(added[added.index(own[0]) :])
        }

    def stepped_between(self, events):
        """Whether a pass was run, or a step made, again after a step with what was there before."""
        steps = [place for place, event in enumerate(events) if event.kind == "Changed"]
        before, after = ([each for each in part if each.kind == "Accumulated"]
                         for part in (events[: (steps or [0])[0]], events[(steps or [0])[0] :]))  # fmt: skip
        lines = {(each.file, each.line) for each in before}
        return bool(after and steps) and (len(steps) > 1 or not lines.isdisjoint((x.file, x.line) for x in after))

    def factor_of(self, event):
        """By what the loss of the pass that an event is part of was multiplied or divided last, or None."""
        roots = self.evidence.starts([self.trace.passes[event.index]])
        made = next(iter(self.evidence.made.get(roots[0], ())), None) if roots else None
        if made is None or made.kind != "Operation" or plain_name(made.name) not in ("mul", "div"):
            return None
        before, after = self.trace.tensors[made.inputs[0]].value, made.values[0]
        return float(after.array / before.array) if before.size == after.size == 1 and before.array.any() else None

    @cached_property
    def path(self):
        """How a gradient shrank or grew on its way here, when it did so by far; which nodes had most part in it."""
        evidence = self.evidence
        last = evidence.events("Started")[-1:] if self.key and not self.name.endswith("bias") else ()
        own, sizes, factors, where = None, [], {}, {}
        for event in self.trace[last[0].index :] if last else ():
            if event.kind == "Accumulated" and event.grad and event.grad.is_readable:
                own = size(event.grad) if event.tensor == self.key else own
                if not evidence.title(event.tensor).endswith("bias"):
                    sizes.append((size(event.grad), event.tensor))
            if event.kind == "Ran":
                record = self.trace.nodes[event.node]
                on = [
                    value
                    for (node, _), value in zip(record.edges, event.results, strict=False)
                    if node and value and self.node_key in self.trace.below([node])
                ]
                before = max(map(size, filter(None, event.grads)), default=0)
                if on and before:
                    factors.setdefault(record.name, []).append(max(map(size, on)) / before)
                    where[record.name] = evidence.forward(event.node)
        sizes = sorted(pair for pair in sizes if 0 < pair[0] < np.inf)
        # of many alike, one of which counts for nothing: where it happens at one place it is no way that shrinks
        products = {name: float(np.prod(sorted(each)[1:-1])) for name, each in factors.items() if len(each) > 3}
        if not own or not sizes or not products:
            return None
        itself = size(self.trace.tensors[self.key].value)
        small, large = own < 1e-5 * sizes[-1][0], itself and own > 1e4 * itself
        name = (min if small else max)(products, key=products.get)
        if not (small and products[name] < 1e-3 or large and products[name] > 1e3):
            return None
        return {
            "small": small,
            "ratio": number(own / (sizes[-1][0] if small else itself), 2),
            "other": f"that of {evidence.title(sizes[-1][1])}" if small else self.name,
            "node": name,
            "count": len(factors[name]),
            "factor": number(float(np.prod(factors[name])), 2),
            "most": " (a sigmoid by at most 1/4 each)" * name.startswith("Sigmoid"),
            "where": where[name]
        }

    @cached_property
    def optimizers(self):
        return [(name, each) for name, each in self.evidence.things if is_optimizer(each)]

    @cached_property
    def optimizer(self):
        """The name of an optimizer in sight that holds the tensor, or None."""
        return next((name for name, each in self.optimizers if holds(each, self.tensor)), None)

    @cached_property
    def is_unheld(self):
        """Whether it is a parameter that is to be trained, and of the optimizers in sight none holds it."""
        if not self.is_leaf or self.node is None or not self.optimizers or self.optimizer:
            return False
        return any(each is self.tensor for _, module in self.evidence.modules for _, each in parameters_of(module))


class Whole:
    """A module, an optimizer or a recording that is asked about."""

    def __init__(self, about, thing, name, evidence):
        self.about, self.thing, self.name, self.evidence, self.trace = about, thing, name, evidence, evidence.trace

    @cached_property
    def bad_root(self):
        """Where NaN or inf in a root of the last pass came from, or None."""
        started = self.evidence.events("Started")[-1:]
        after = self.trace[started[0].index :] if started else ()
        if any(event.kind == "Accumulated" and bad(event.total) for event in after):
            return None  # the gradients tell of it
        for key in self.evidence.starts(started):
            kind = kinds(self.trace.tensors[key].value)
            if kind:
                facts = {"root": self.evidence.title(key), "kind": kind, "node": "it"}
                return facts | came_in(self.evidence, key, kind, facts, None)
        return None

    @cached_property
    def parameters(self):
        """``[(name, tensor)]`` of a module's parameters."""
        return [(f"{self.name}{path}", each) for path, each in parameters_of(self.thing)]


def came_in(evidence, key, kind, facts, user):
    """The operation that made a value of this kind, or the tensor that had it from the beginning."""
    index, then = len(evidence.trace), facts.get("then", "")
    while key:
        event = next((each for each in reversed(evidence.made.get(key, ())) if each.index < index), None)
        if event is None:
            op = plain_name(user.name) if user else facts["node"]
            return {"from": "data", "source": evidence.title(key), "made": kind, "op": op, "bad": kind, "then": then}
        index, op = event.index, plain_name(event.name)
        values = [(each, evidence.value_before(each, index)) for each in event.inputs]
        inner = next((each for each, value in values if kinds(value) == kind), None)
        if inner is None and kind == "NaN" and op not in ("softmax", "log_softmax"):
            inner = next((each for each, value in values if kinds(value) == "inf"), None)
            kind, then = ("inf", f"; then {op} makes NaN of it{then}") if inner else (kind, then)
        if inner is None:
            given = " and ".join(f"{evidence.title(each)} = {short(value)}" for each, value in values)
            return {
                "from": "forward",
                "op": op,
                "then": then,
                "made": kind,
                "given": given,
                "where": evidence.at(event),
                "remedy": EDGES.get(op, "See what its input was")
            }
        key, user = inner, event
    return {"from": "data", "source": "a tensor", "made": kind, "op": facts["node"], "bad": kind, "then": then}


def size(value):
    """The root of the mean square of a snapshot."""
    norm = float(np.linalg.norm(np.abs(value.array).astype(np.float64))) if value.is_whole else value.norm
    return norm / max(value.size, 1) ** 0.5


def holds(optimizer, tensor):
    return any(each is tensor for group in optimizer.param_groups for each in group["params"])


def bad(value):
    """Whether there is NaN or inf in a snapshot."""
    return kinds(value) is not None


def kinds(value):
    """ "NaN" or "inf" when that is in a snapshot, else None."""
    if value is None or not value.is_readable:
        return None
    if value.is_whole:
        array = value.array
        if array.dtype.kind not in "fc" or np.isfinite(array).all():
            return None
        return "NaN" if np.isnan(array).any() else "inf"
    return "NaN" if value.nans else "inf" if value.infs else None


def nothing_in(value):
    """Whether a snapshot is all zeros."""
    return bool(value and value.size) and (not value.array.any() if value.is_whole else value.zeros == 1)


def has_zero(value):
    return value is not None and bool(value.size) and (not value.array.all() if value.is_whole else value.zeros > 0)
