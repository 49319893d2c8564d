"""A tensor that somebody asks about, and what the evidence tells of it: :class:`Case`."""

import re
from functools import cached_property

import numpy as np

from ..words import of
from . import readings
from .evidence import may_be_root, params_of, was_freed
from .flow import Flow, tensors_of
from .labels import NAMELESS, number, plain_name, short
from .names import parameters_of
from .naming import names_in
from .readings import is_leaf, name_of, place_of, value_of
from .sight import (
    bad,
    base_of,
    has_zero,
    inputs_of,
    kinds,
    nothing_in,
    op_of,
    shapes_of,
    size,
)
from .statements import first, here, is_part, sources

RECORD = "with autograd_nb.record() as trace: … around forward and backward, then why({}trace)"
# operations whose value or derivative may not be finite -> what to do
EDGES = {name: each.format(op=name) for names, each in of("why")["edges"].items() for name in names.split()}


class Asked:
    """What is asked about, by its *name*; what is known of anything else, :class:`Evidence`, is known of it too."""

    def __init__(self, name, evidence):
        self.name, self.evidence = name, evidence

    def __getattr__(self, name):
        return getattr(self.evidence, name)

    @property
    def record(self):
        return RECORD.format("" if re.search(r"[ (]", self.name) else f"{self.name}, ")

    def came_bad(self, key, kind):
        """Where a value of this kind of a tensor of the trace came from, or None where it has none."""
        return kind and self.came_in(key, kind, "it") | {"root": self.title(key), "kind": kind}

    def came_in(self, key, kind, op, then=""):
        """The operation that made a value of this kind, or the tensor that had it before *op*, as facts of a row."""
        index = len(self.trace)
        while True:
            event = self.made_by(key, index)
            if event is None or plain_name(event.name) == "to_copy" and not self.name_of(event.inputs[0]):
                source = self.title(key) if key else "a tensor"
                return {"from": "data", "source": source, "made": kind, "op": op, "bad": kind, "then": then}
            if event.kind == "Changed" and event.name[:1].isupper():
                facts = {"from": "step", "source": self.title(key), "made": kind, "op": event.name, "then": then}
                return facts | {"at": event}
            index, op = event.index, plain_name(event.name)
            values = [(each, self.value_before(each, index)) for each in event.inputs]
            inner = first(each for each, value in values if kinds(value) == kind)
            if inner is None and kind == "NaN" and op not in ("softmax", "log_softmax"):
                inner = first(each for each, value in values if kinds(value) == "inf")
                kind, then = ("inf", f"; then {op} makes NaN of it{then}") if inner else (kind, then)
            if inner is None:
                given = self.given_to(event)
                return {"from": "forward", "op": op, "made": kind, "given": given, "then": then, "at": event}
            key = inner


class Case(Asked):
    """A tensor that is asked about, or None for an error that came before there was one."""

    def __init__(self, tensor, name, evidence):
        super().__init__(name, evidence)
        self.tensor = tensor
        self.node = self.grad = self.value = self.key = self.node_key = None
        self.is_leaf = False
        if tensor is not None:
            self.node, _ = place_of(tensor)
            self.is_leaf = self.node is None or is_leaf(self.node)
            self.grad = readings.grad_of(tensor)
            self.value = value_of(self.grad)
            self.key = evidence.key_of(tensor)
            self.node_key = self.trace.tensors[self.key].node if self.key else None

    @cached_property
    def of_leaf(self):
        """What the trace tells of its .grad and of changes to itself, in order."""
        events = self.events("Accumulated", "Zeroed", "GradSet", "Changed")
        return [event for event in events if self.key and event.tensor == self.key]

    @property
    def last_set(self):
        """The event that gave the .grad what it has now, as far as the trace tells, or None."""
        return first(event for event in reversed(self.of_leaf) if event.kind != "Changed")

    @property
    def clip(self):
        """The event of clipping gradients after the last one was added to the .grad, or None."""
        added = first(event for event in reversed(self.of_leaf) if event.kind == "Accumulated")
        return self.calling(added, "clip_grad_norm_", "clip_grad_value_")

    @property
    def emptied(self):
        """What set the .grad to None or to zero, and whether a step had used it before; or None.

        Nor is it the reason where a later pass ought to have reached it, as one from the same line did before.
        """
        last, passes = self.last_set, self.trace and self.trace.passes
        if not last or last.kind != "Zeroed":
            return None
        reached = {here(passes[event.index]) for event in self.of_leaf if event.kind == "Accumulated"}
        if any(event.index > last.index and here(event) in reached for event in self.events("Started")):
            return None
        used = any(event.kind == "Changed" for event in self.of_leaf[: self.of_leaf.index(last)][-1:])
        return {"used": used, "now": "None" if self.grad is None else "zero", "at": last}

    @property
    def head(self):
        if self.about == "constant" and self.node:
            return f"a pass from {self.name} reaches nothing that is trained"
        return self.name + (".grad is None" if self.node else " does not require grad")

    @property
    def kinds(self):
        return kinds(self.value) or kinds(value_of(self.tensor))

    @property
    def total(self):
        return short(self.value)

    @property
    def operation(self):
        return name_of(self.node)

    @cached_property
    def about(self):
        """What is to be explained: "failed", "constant", "none", "bad", "zero" or "value"."""
        unknown = self.trace and not self.key and not self.lacks
        if self.message and (self.tensor is None or self.is_concerned or unknown):
            return "failed"
        if self.node and not self.is_leaf and self.change:
            return "failed"
        if not self.is_leaf and bad(value_of(self.tensor)):
            return "wrong"
        if self.is_apart and self.links:
            return "constant"
        if self.grad is None:
            return "constant" if self.node is None else "none"
        return "bad" if bad(self.value) else "zero" if nothing_in(self.value) else "value"

    @property
    def retains(self):
        return not self.is_leaf and readings.retains(self.tensor)

    @cached_property
    def is_concerned(self):
        """Whether the error was that of a backward pass from this tensor, or from what was computed from it.

        Or whether the line that failed names it, and the error is about a change in place.
        """
        if self.lacks:
            return False
        if self.trace is not None and self.key in self.upstream(self.roots):
            return True
        roots = self.failure.roots if self.trace is None else ()
        if any(each is self.tensor for each in roots) or self.node in self.below(*roots):
            return True
        names = (*self.failed_line.binds, *self.failed_line.reads)
        values = [self.resolve(name.partition("[")[0]) for name in names]
        named = re.search("leaf|Inference tensor", self.message)
        return bool(named) and any(each is self.tensor for value in values for each in tensors_of(value))

    @cached_property
    def graphs_in_sight(self):
        """``[(tensor, whether it leads to this one, whether its graph is freed)]`` of the results in sight."""
        found = []
        for tensor, above, gone in self.results:
            leads = self.node in self.below(tensor)
            found.append((tensor, leads, gone and (not leads or any(map(was_freed, self.between(above))))))
        return found

    def between(self, above):
        """The nodes from which a way leads to this tensor; *above* names for a node those whose edges lead to it."""
        found, waiting = set(), [self.node]
        for node in waiting:
            new = [each for each in above.get(node, ()) if each not in found]
            yield from new
            found.update(new)
            waiting += new

    @cached_property
    def is_apart(self):
        """Whether a pass started from it that reached nothing of what is to be trained."""
        if self.node is None or self.trace is not None and self.key not in self.all_roots:
            return False
        nodes = self.below(self.tensor)
        if self.trace is None and not (self.is_leaf and may_be_root(self.tensor) or any(map(was_freed, nodes))):
            return False
        reached = {id(node.variable) for node in nodes if is_leaf(node)}
        return not reached & self.trained and (self.is_leaf or bool(self.trained) and self.tensor.numel() == 1)

    @cached_property
    def links(self):
        """The links that keep a gradient from this tensor; of one without a graph those that it was made through."""
        return [link for _, link in self.linked] or self.living_links

    @property
    def ends_here(self):
        """Whether it is to be explained why no gradient goes on from this tensor, not why none comes to it."""
        return not self.node or self.is_apart

    @cached_property
    def living_links(self):
        return self.found_by(None if self.ends_here else self.tensor)

    def found_by(self, target):
        """The links on the ways back from the tensors in sight that this one ought to be behind."""
        roots = ([self.tensor] if self.ends_here else self.failing) if self.tensor is not None else []
        if self.node and not roots and not any(leads and gone for _, leads, gone in self.graphs_in_sight):
            # what was not computed from it
            roots = [each for each in self.possible_roots if self.node not in self.below(each)]
        flow = Flow(self.evidence, target, self.below(self.tensor) if self.ends_here and self.node else ())
        found = [link for root in roots for link in flow.links(root)]
        return found or (flow.links_in_code() if self.is_missed and self.some_grad else [])

    @property
    def is_missed(self):
        """Whether it is a parameter that no pass has reached, and of which no graph in sight tells."""
        return self.node is not None and self.grad is None and not self.message

    def sources_at(self, place):
        """What the links at a place lead from, whether they matter for this tensor or not, if that has a name."""
        for links in self.traced.values(), [*self.found_by(None), *self.living_links]:
            if names := dict.fromkeys(each.source for each in links if each.place == place and each.source):
                return [*names]
        return ["the result before it"]

    @property
    def traced(self):
        """The links of the trace in the graph in question, by the keys of their ends."""
        return {} if not self.key else self.links_of([self.key]) if self.ends_here else self.root_links

    @cached_property
    def linked(self):
        """Those of the trace that matter for this tensor."""
        below = None if self.ends_here else self.downstream(self.key)
        return [pair for pair in self.traced.items() if below is None or pair[0][0] in below]

    # -- failed passes -----------------------------------------------------------------------------------------------

    @cached_property
    def old(self):
        """What the pass that failed needs and an earlier one freed: how they share it, its name, the earlier line."""
        stepped = "inplace operation" in self.message and self.change and self.change["by"] == "optimizer"
        if "second time" not in self.message and not stepped:
            return None
        found = self.old_in_trace(stepped) if self.trace is not None else self.old_living(stepped)
        if not stepped:
            passed = found.get("passed", "") if found else ""
            facts = {"spent": f"which {passed} has freed", "also": "", "asks": bool(re.search(r"\bgrad\(", passed))}
            return found and found | facts
        spent = f"in which the step of {self.change['who']} has changed {self.change['what']} since"
        facts = {"spent": spent, "also": ", and leave retain_graph=True out"}
        return found | facts if found and found["kind"] in ("carried", "added", "kept") else None

    def old_in_trace(self, stepped):
        trace, last = self.trace, self.started
        passes = {event.node: trace.passes[event.index] for event in reversed(self.events("Ran"))}
        ran = {node: each for node, each in passes.items() if each is not last and (stepped or not each.retain_graph)}
        places, seen = [], set()
        for place in (waiting := [tuple(root) for root in last.roots]):
            if place[0] in ran and place not in seen:
                places.append(place)
            elif place[0] and place not in seen:
                waiting += trace.nodes[place[0]].edges
            seen.add(place)
        if not places:
            return None
        named = (each for each in places if (key := trace.tensor_at(each)) and trace.tensors[key].names)
        place = first(named) or places[0]
        key, event, passed = trace.tensor_at(place), self.of_node.get(place[0]), ran[place[0]]
        operations = self.events("Operation", "Changed") if event else ()
        again = any(here(each) == here(event) and each.index > passed.index for each in operations)
        apart = here(passed) != here(last) or self.passes_before
        kind = "shared" if apart else "outside"
        kind = "twice" if place in last.roots else "carried" if again else kind
        roots = [self.title(each) for each in self.roots]
        statement = self.statement(event and here(event))
        binds = statement.binds
        name = key and self.name_of(key) or first(each for each in binds if each in statement.reads)
        name = name or (binds[0] if len(binds) == 1 else "a result of this line")
        at = event or self.bound_at(f"self.{name.rpartition('.')[2]}")
        kind = "added" if kind == "carried" and name in roots else kind
        of_many = "[" in name and not {name, name.partition("[")[0]}.intersection(binds)
        stores = [each for each in self.program if name in each.reads and each.feeds and name not in each.feeds]
        if kind == "carried" and stores and statement and not self.is_carried(name, statement, statement):
            name, at, of_many = stores[0].feeds[0], stores[0], True
        kind = "kept" if kind == "carried" and of_many else kind
        return {"kind": kind, "part": name, "at": at, "passed": self.at(passed)}

    def old_living(self, stepped):
        """As far as the code that failed and what its frames still hold tell."""
        root, failed = first(self.failure.roots), self.failed_line
        unknown = {"kind": "unknown", "part": (root is not None and self.called(root)) or "the root"}
        if root is None or not failed:
            return unknown
        passes = self.passes_before
        others = [self.values.get(name) for _, names in passes for name in names]
        others = [each for each in others if readings.is_tensor(each) and each is not root]
        freed, common = {*filter(is_stale if stepped else was_freed, self.below(root))}, self.below(*others)
        for user, tensor, name in sorted(self.held, key=lambda each: each[1] is not root):
            node, made = place_of(tensor)[0], self.made_at(name, user)
            if not made or freed.isdisjoint(self.below(tensor)):
                continue
            passed = [each for each, names in passes if tensor is not root or name in names]
            if tensor is root and passed:
                kind = "twice"
            elif made.makes(name.partition("[")[0], user) and self.is_carried(name, made, user):
                kind = "added" if tensor is root else "carried"
            elif name.partition("[")[0] in made.feeds:
                kind = "kept"
            elif made.scope[-1:] == ("__init__",) or not passed and self.is_older(made, user):
                kind = "outside"
            elif passed and node in self.below(root) and (not others or node in common):
                kind = "shared"
            else:
                continue
            name = name.partition("[")[0] if made.makes(name.partition("[")[0], user) else name
            return {"kind": kind, "part": name, "at": made, "passed": self.at(passed[-1]) if passed else "a pass"}
        if any(map(was_freed, common)):
            part = f"a part that {self.called(others[-1])} and {self.called(root)} share"
            return {"kind": "shared", "part": part, "passed": self.at(passes[-1][0])}
        whole = not any(any(readings.saved_of(node)) for node in self.below(root) if not is_leaf(node))
        again = whole and not failed.loops and not stepped
        return unknown | {"kind": "twice", "passed": "a pass"} if again else unknown

    @property
    def passes_before(self):
        """``[(statement, names)]`` that ran a pass earlier in the frames that failed, on what has these names."""
        found, inner = [], {"backward", "grad"}
        for frame, place in reversed(self.failure.stack):
            user = self.statement(place)
            near = [each for each in self.code(place[0]) if user and each.line < user.line and each.scope == user.scope]
            found = [(each, call.of) for each in near for call in each.calls if call.name in inner] + found
            inner = {frame.f_code.co_name}
        return found

    @property
    def held(self):
        """``[(statement, result, name)]`` of the results that the frames which failed hold, the latest first."""
        found = []
        for frame, user in reversed(self.failure.stack):
            given = frame.f_code.co_varnames[: frame.f_code.co_argcount]  # what is called otherwise by who made it
            named = [(each, name) for each, names in names_in(frame).values() for name in names if name not in given]
            found += [(self.statement(user), *pair) for pair in named]
        found += [(self.failed_line, each, names[0]) for each, names in self.known.values()]
        found = [each for each in found if each[0] and not readings.is_leaf_tensor(each[1])]
        return sorted(found, key=lambda each: -place_of(each[1])[0].sequence)

    def is_older(self, made, user):
        """Whether a statement ran before a loop began which a frame, or what it called, was in when it failed."""
        inner = [self.statement(place) for _, place in self.failure.stack]
        inner = inner[inner.index(user) + 1 :]
        return bool({*user.loops} - {*made.loops} or any(each and each.loops for each in inner))

    def is_carried(self, name, made, user):
        """Whether what a statement binds goes into it again, in the next turn of a loop or in the next call."""
        near = [each for each in self.code(made.file) if each.scope == made.scope]
        behind = [made]
        for each in behind:
            found = [one for read in each.reads for one in sources(near, read, each)]
            behind += [one for one in dict.fromkeys(found) if one not in behind]
        root, turns = name.partition("[")[0], {*made.loops} & {*user.loops}
        apart = "." in name or root != name and not any(root in each.binds for each in near)
        again = any(is_part(name, read) for each in behind for read in each.reads)
        begun = [each for each in near if each not in behind and each.makes(name, made)]
        begun = [each for each in begun if turns & {*each.loops} or not turns and each.line < made.line]
        return again and not begun and bool(turns or apart)

    @cached_property
    def change(self):
        """What was saved and then changed in place, by whom and where; also before a pass fails because of it."""
        found = self.events("FoundModified") if self.message and "inplace operation" in self.message else ()
        if found:
            *_, node, name, key, version, expected = (getattr(found[-1], each) for each in found[-1].__slots__)
            key = key or first(filter(None, (self.trace.tensor_at((node, number)) for number in (0, 1))))
            node, tensor = self.trace.nodes[node].name if node else "a node", self.living.get(key)
        else:
            roots = self.failure.roots if self.trace is None and self.message else [self.tensor]
            below = self.below(*(each for each in roots if each is not None))
            pairs = ((node, each) for node in below if not is_leaf(node) for each in readings.saved_of(node))
            node, saved = first(pair for pair in pairs if pair[1].is_modified) or (None, None)
            if node is None:
                return None
            name, tensor, version, expected = saved.name, saved.tensor, saved.version, saved.expected
            node, key = name_of(node), None if tensor is None else self.key_of(tensor)
        base = tensor if tensor is None or tensor._base is None else tensor._base
        key, who = self.changer(key, expected) if key else (None, None)
        what = key and self.title(key) or tensor is not None and (self.called(tensor) or self.called(base))
        facts = {"node": node, "what": what or f"its {name}", "version": version, "expected": expected, "at": None}
        facts |= who or self.changer_in_code(base)
        changes = self.statement(facts["at"] and here(facts["at"])).changes or "nothing"
        return facts | {"anew": of("why")["anew"][changes]}

    def changer(self, key, expected):
        """The key of a tensor of the trace, or of what it is a view of, and what changed it first since a version."""
        views = [event for event in self.made.get(key, ()) if event.kind == "Operation" and event.view]
        bases = {key}.union(*(event.inputs[:1] for event in views))
        who = first(
            event
            for event in self.events("Changed")
            if event.version > expected and bases.intersection([event.tensor, *(other for other, _ in event.others)])
        )
        if who is None:
            return key, None
        key = key if self.trace.tensors[key].names else who.tensor
        record = self.trace.tensors[key]
        by = "leaf" if record.is_leaf and record.requires_grad else "operation"
        by = "optimizer" if who.name[:1].isupper() else by
        return key, {"by": by, "who": who.name, "seen": "", "at": who}

    def changer_in_code(self, base):
        """Who may have changed a tensor, as far as the code around the line that failed or that asks tells."""
        user, code = self.failed_line, self.code(self.failed_line.file)
        near = [each for each in code if user.lies_in(each)]
        near = [each for each in near if each.line < user.line or {*each.loops} & {*user.loops}]
        trained = base is not None and readings.is_leaf_tensor(base) and base.requires_grad
        stepping = [(self.resolve(call.on), each) for each in near for call in each.calls if call.name == "step"]
        steps = [pair for pair in stepping if trained and pair[0] is not None and holds(pair[0], base)]
        lines = [each for each in near if each.changes] or [each for each in code if each.changes and not steps]
        if len(lines + steps) != 1:
            return {"by": "unknown"}
        if steps:
            return {"by": "optimizer", "who": type(steps[0][0]).__name__, "at": steps[0][1]}
        return {"by": "leaf" if trained else "operation", "seen": ", as far as the code tells here", "at": lines[0]}

    # -- gradients ---------------------------------------------------------------------------------------------------

    @cached_property
    def leads(self):
        """The keys of the nodes whose edges lead to this tensor, and its own."""
        found = {self.node_key}
        for key, record in self.trace.nodes.items():  # an edge leads to one before it
            if any(node in found for node, _ in record.edges):
                found.add(key)
        return found

    def passed_on(self, event, but=None):
        """``[(name of the input, Value)]`` of what a node passed on towards this tensor, to all nodes but one."""
        record = self.trace.nodes[event.node]
        names = (*record.inputs, *[""] * len(record.edges))
        triples = zip(names, record.edges, event.results, strict=False)
        return [(name, value) for name, (node, _), value in triples if value and node in self.leads and node != but]

    @cached_property
    def bad_root(self):
        """Where NaN or inf in the tensor itself came from."""
        return self.key and self.came_bad(self.key, kinds(value_of(self.tensor)))

    @cached_property
    def bad_origin(self):
        """Where the NaN or inf of a gradient came from, in a trace."""
        for event in self.events("Ran") if self.key else ():
            record = self.trace.nodes[event.node]
            results = [value for _, value in self.passed_on(event) if bad(value)]
            if not results or any(map(bad, event.grads)):
                continue
            made, op = self.of_node.get(event.node), plain_name(record.row or record.name)
            facts = {"kinds": kinds(self.value), "at": made}
            used = first(each for each in event.used if bad(each[1]))
            if used is None:
                given = [f"{self.used_name(each)} = {short(each[1])}" for each in event.used]
                then = "; then 0 · inf is NaN" * (facts["kinds"] == "NaN" and kinds(results[0]) == "inf")
                facts |= {"from": "slope", "op": op, "given": " and ".join(given) or "its input", "then": then}
                return facts
            kind, zero = kinds(used[1]), any(map(has_zero, event.grads))
            then = f", and on the way back {record.name} multiplies 0 by it: 0 · {kind} is NaN" * zero
            key = used[2] or self.trace.tensor_at((event.node, 0))
            return facts | self.came_in(key, kind, plain_name(made.name) if made else record.name, then)
        return None

    def used_name(self, used):
        name, _, tensor = used
        return self.title(tensor) if tensor else "its other factor" if name == "other" else f"its {name}"

    @cached_property
    def closing(self):
        """The node that turned a gradient into zeros on the way to this tensor."""
        for event in reversed(self.events("Ran") if self.key else ()):
            results = self.passed_on(event)
            gone = results and all(nothing_in(value) for _, value in results)
            if gone and not all(map(nothing_in, filter(None, event.grads))):
                record = self.trace.nodes[event.node]
                names = [name for name, _ in results]
                square = record.row == "pow_number"
                zeros = [each for each in event.used if nothing_in(each[1]) and (square or names != [each[0]])]
                given = [f"{self.used_name(each)} = {short(each[1])}" for each in event.used]
                itself = nothing_in(self.trace.tensors[self.key].value)
                return {
                    "node": record.name,
                    "row": record.row or event.node in self.of_node and self.of_node[event.node].name or "",
                    "event": event,
                    "given": " and ".join(given) or "its input",
                    "zero": self.used_name(zeros[0]).replace(NAMELESS, "the other factor") if zeros else "a factor",
                    "since": self.since_zero(zeros[0][2], event.node) if zeros else "",
                    "both": f", as {self.name} is itself" * itself,
                    "at": self.of_node.get(event.node),
                }
        return None

    @cached_property
    def stopping(self):
        """A node of the graphs in sight that lets nothing through to this tensor, whatever comes in; or None."""
        for root, above, _ in self.results if self.stops else ():
            led = {self.node, *self.between(above)}
            for node in self.below(self.tensor) if root is self.tensor else led:
                facts = self.stops.get(node, {"factors": ()})
                if "factors" not in facts or led.intersection(facts["factors"]) and facts["leaf"] != self.node:
                    return facts | {"at": self.line_of(root)}
        return None

    def since_zero(self, key, node):
        """How a tensor became zero, if an operation made that of what was not: ", made so by relu (line 3, …)".

        The line is left out where it is that of *node*, which the answer names.
        """
        event = self.made_by(key) if key else None
        while event and event.inputs and nothing_in(self.value_before(event.inputs[0], event.index)):
            event = self.made_by(event.inputs[0], event.index)
        if not event or not event.inputs:
            return ""
        user = self.of_node.get(node)
        place = f" ({self.at(event)})" if user is None or here(user) != here(event) else ""
        return f", made so by {plain_name(event.name)}{place}"

    @cached_property
    def passes(self):
        """The backward passes whose sum a .grad is, if several; whether the tensor was changed between them."""
        added = self.of_leaf
        new = [
            event.kind == "Zeroed" or event.kind == "GradSet" and self.trace[event.index - 1].kind != "Changed"
            for event in added
        ]
        new = new[:-1] if self.grad is None and new[-1:] == [True] else new  # those that a step used before
        since = max((place + 1 for place, is_new in enumerate(new) if is_new), default=0)
        own = [event for event in added[since:] if event.kind == "Accumulated"]
        if len(own) < 2:
            return None
        steps = [event.index for event in added[added.index(own[0]) :] if event.kind == "Changed"]
        before = {here(each) for each in own if each.index < (*steps, 0)[0]}
        after = {here(each) for each in own if each.index > (*steps, 0)[0]}
        shown = [short(event.grad) for event in own] if own[0].grad.size == 1 and len(own) < 6 else []
        lines = f"lines {own[0].line} to {own[-1].line}" if own[0].line != own[-1].line else "one line run again"
        return {
            "count": len(own),
            "total": short(self.value),
            "at": own[-1],
            "parts": " + ".join(shown) or lines,
            "apart": len({*map(here, own)}) == len(own),
            "again": len({*map(here, own)}) == 1,
            "mean": all((factor := self.factor_of(each)) and abs(factor * len(own) - 1) < 0.01 for each in own),
            "optimizer": self.optimizer or "optimizer",
            "steps": bool(after and steps) and (len(steps) > 1 or bool(before & after)),
        }

    def factor_of(self, event):
        """By what the loss of the pass that an event is part of was multiplied or divided last, or None."""
        made = self.made_by(first(self.starts([self.trace.passes[event.index]])))
        if made is None or made.kind != "Operation" or plain_name(made.name) not in ("mul", "div"):
            return None
        before, after = self.trace.tensors[made.inputs[0]].value, made.values[0]
        return float(after.array / before.array) if before.size == after.size == 1 and before.array.any() else None

    @cached_property
    def path(self):
        """How a gradient shrank or grew on its way here, when it did so by far; which nodes had most part in it."""
        own, sizes, factors, places = None, [], {}, {}
        summed = {event.node for event in self.since_start if event.kind == "Summed"}
        end = self.node_key if self.node_key in summed else None  # what a step adds to its weight goes no further
        for event in self.since_start if self.key and not self.name.endswith("bias") else ():
            if event.kind == "Accumulated" and event.grad and event.grad.is_readable:
                own = size(event.grad) if event.tensor == self.key else own
                sizes.append((size(event.grad), self.title(event.tensor)))
            before = max(map(size, filter(None, event.grads)), default=0) if event.kind == "Ran" else 0
            on = [size(value) for _, value in self.passed_on(event, but=end)] if before else ()
            if on:
                name = self.trace.nodes[event.node].name
                factors.setdefault(name, []).append(max(on) / before)
                places[name] = self.of_node.get(event.node)
        sizes = sorted(pair for pair in sizes if 0 < pair[0] < np.inf and not pair[1].endswith("bias"))
        # of many alike, the smallest and the largest do not count: what happens at one place is no way that shrinks
        products = {name: float(np.prod(sorted(each)[1:-1])) for name, each in factors.items() if len(each) > 3}
        if not own or not sizes or not products:
            return None
        (largest, other), itself = sizes[-1], size(self.trace.tensors[self.key].value)
        small, large = own < 1e-5 * largest, itself and own > 1e4 * itself
        name = (min if small else max)(products, key=products.get)
        usual = np.median(factors[name])  # step by step, not at one place or two
        if not (small and products[name] < 1e-3 and usual < 0.8 or large and products[name] > 1e3 and usual > 1.25):
            return None
        return {
            "small": small,
            "ratio": number(own / (largest if small else itself), 2),
            "other": f"that of {other}" if small else self.name,
            "node": name,
            "count": len(factors[name]),
            "factor": number(float(np.prod(factors[name])), 2),
            "most": " (a sigmoid by at most 1/4 each)" * name.startswith("Sigmoid"),
            "at": places[name],
        }

    @cached_property
    def optimizer(self):
        """The name of an optimizer in sight that holds the tensor, or None."""
        return first(name for name, each in self.optimizers if holds(each, self.tensor))

    @cached_property
    def unheld(self):
        """The last optimizer, if it is a parameter that is to be trained and none in sight holds it; or None."""
        held = not self.optimizers or self.optimizer
        free = self.is_leaf and self.node is not None and not held and id(self.tensor) in self.owned
        return {"optimizer": self.optimizers[-1][0]} if free else None


class Whole(Asked):
    """A module, an optimizer or a recording that is asked about."""

    tensor = None

    def __init__(self, about, thing, name, evidence):
        super().__init__(name, evidence)
        self.about, self.thing = about, thing

    @cached_property
    def bad_root(self):
        """Where NaN or inf in a root of the last pass came from, unless the gradients tell of it; or None."""
        if any(event.kind == "Accumulated" and bad(event.total) for event in self.since_start):
            return None
        roots = self.starts(filter(None, [self.started]))
        return first(filter(None, (self.came_bad(key, kinds(self.trace.tensors[key].value)) for key in roots)))

    @property
    def parts(self):
        """``[(name, thing)]`` of the attributes of a module and of those in it."""
        owners = [(".".join(filter(None, (self.name, path))), each) for path, each in self.thing.named_modules()]
        return [(f"{name}.{attribute}", each) for name, owner in owners for attribute, each in vars(owner).items()]

    @cached_property
    def nodes_in_sight(self):
        """``[(node, statement that made the result)]`` of the graphs in sight that lead to what is asked about."""
        about, found = {place_of(each)[0] for each in self.thing or ()}, {}
        for tensor, _, _ in self.results if self.trace is None else ():
            if not about or not about.isdisjoint(self.below(tensor)):
                line = self.named_at(tensor)
                found |= dict.fromkeys(self.below(tensor), line)  # of the result that was made first
        return list(found.items())

    @property
    def fed(self):
        """``(operation, the one that made what it is given, where)``, also of a view of that."""
        for event in self.events("Operation"):
            made = self.maker(event.inputs[0]) if event.inputs else None
            if made is not None:
                yield plain_name(event.name), plain_name(made.name), event
        for node, line in self.nodes_in_sight:
            made = base_of(next(iter(inputs_of(node)), None))
            if made is not None:
                yield op_of(node), op_of(made), line

    @property
    def pairings(self):
        """``(operation, shapes of its two operands, shape of the result or None, where)``; None is not known."""
        for event in self.events("Operation"):
            if len(event.inputs) == 2:
                makers = [self.made_by(key) for key in event.inputs]
                names = [maker and plain_name(maker.name) for maker in makers]
                triples = zip(event.inputs, makers, names, strict=True)
                keys = [maker.inputs[0] if name == "expand" else key for key, maker, name in triples]
                if "unsqueeze" not in names:
                    shapes = [tuple(self.trace.tensors[key].value.shape) for key in keys]
                    yield plain_name(event.name), shapes, None, event
        for node, line in self.nodes_in_sight:
            shapes, made = shapes_of(node) or ((), None)
            if len(shapes) == 2 and made:
                yield op_of(node), shapes, made, line

    @cached_property
    def parameters(self):
        """``[(name, tensor)]`` of a module's or an optimizer's parameters."""
        held = [(self.called(each), each) for each in params_of(self.thing)] if self.about == "optimizer" else ()
        own = () if held else parameters_of(self.thing)
        return [pair for pair in held if pair[0]] + [(f"{self.name}{path}", each) for path, each in own]


def is_stale(node):
    return not is_leaf(node) and any(saved.is_modified for saved in readings.saved_of(node))


def holds(optimizer, tensor):
    return any(each is tensor for each in params_of(optimizer))
