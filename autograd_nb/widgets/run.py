"""A run of a bench's program: after each line the picture, what it did to every .grad, and a sentence about that."""

import math
from collections import Counter, namedtuple
from dataclasses import fields
from itertools import chain

import numpy as np

from ..drawing.draw import fitted
from ..drawing.layout import Edge, Layout, layout
from ..drawing.render import Arrangement, largest
from ..microscope.moments import Moment
from ..microscope.readings import value_of
from ..microscope.sentences import sentence
from ..microscope.steps import highlights
from ..microscope.trace import Trace
from ..microscope.values import SAY as VALUES
from ..microscope.values import in_line, precise
from ..words import of
from .stories import Story

SAY = of("widgets")["bench"]
DID = SAY["did"]
# pixels: the width of a box for a short number, between columns, around the picture, and by which it may become wider
# than the page before it turns and runs down
LEAST, APART, MARGIN, MORE = 52, 11, 6, 80
CUT = 80, 18  # pixels that scissors and the word detach need, which are kept where a switch may cut
MOST_SAID = 300  # characters about a line

Row = namedtuple("Row", "end highlights place")  # a line that ran, as a step of a story


class Places:
    """Layouts that know each other: what was drawn before keeps its room, and its place where the graph is the same.

    ``called`` has a name for each key that is the same in every run.
    """

    def __init__(self):
        self.called, self.sizes, self.edges, self.plans, self.beyond = {}, {}, {}, {}, {}
        self.cuttable = self.cuts = ()  # tensors that a switch beside them may cut off, and these as in ``called``
        self.right = False  # whether the latest picture ran from left to right

    def __call__(self, sizes, edges, direction, aside):
        """The `layout` of boxes and edges, with the names and sizes that they had in earlier runs."""
        names, count, ends = {key: self.called.get(key, key) for key in sizes}, Counter(), []
        for key, size in sizes.items():
            grown = max(LEAST, size[0]), size[1], aside[key]
            name = direction, names[key]
            self.sizes[name] = largest([grown, self.sizes.get(name, grown)])
        for edge in edges:
            pair = names[edge.source], names[edge.target]
            count[pair] += 1
            ends.append((*pair, count[pair]))
            name = direction, ends[-1]
            old = self.edges.get(name, edge)
            label = largest([old.label, edge.label, CUT if pair[1] in self.cuts else (0, 0)])
            self.edges[name] = Edge(*pair, label, max(old.thickness, edge.thickness),
                                    max(old.weight, edge.weight))  # fmt: skip
        boxes = tuple(names.values())
        plan, order = self.plan(direction, boxes, tuple(ends))
        places = [order.index(each) for each in ends]
        return Layout({key: plan.boxes[name] for key, name in names.items()}, [plan.routes[at] for at in places],
                      [plan.labels[at] for at in places], plan.width, plan.height)  # fmt: skip

    def corner(self, arrangement, name, key):
        """Where the switches of a tensor begin, their upper left corner: as far from its box as in any run."""
        name = arrangement.down, name
        self.beyond[name] = max(arrangement.beyond(key), self.beyond.get(name, 0))
        point = arrangement.corner(key, self.beyond[name])
        point[arrangement.down] -= arrangement.extra(key, arrangement.down) / 2
        return point

    def plan(self, direction, boxes, ends):
        """The plan of the latest graph with all of these, or of the graph itself where there was none; its ends."""
        wanted = {direction, *boxes, *ends}
        known = [each for each in self.plans if wanted <= {each[0], *each[1], *each[2]}]
        key = known[-1] if known else (direction, boxes, ends)
        sizes = {name: self.sizes[direction, name] for name in key[1]}
        edges = [self.edges[direction, each] for each in key[2]]
        if self.plans.get(key, ())[:2] != (sizes, edges):
            aside = {name: size[2] for name, size in sizes.items()}
            areas = {name: size[:2] for name, size in sizes.items()}
            self.plans[key] = sizes, edges, layout(areas, edges, direction, aside, APART)
        return self.plans[key][2], key[2]


class Brief(Moment):
    """A moment of a bench: only what has a name gets a box, and a name stands alone where every line runs once."""

    brief, runs_once, named = True, False, ()

    def hooks_at(self, _):
        """None: a bench marks the hooks that its program registered."""
        return []

    def name(self, key):
        return super().name(key) if self.tensor_of.get(key) in self.named else ""

    def after_Started(self, event):
        self.first = {}  # what came to a hook first, by the place
        super().after_Started(event)

    def after_Hooked(self, event):
        """Of hooks that change a gradient one after the other, the first number and the last are enough."""
        if event.stage != "tensor" or event.before is None:
            return super().after_Hooked(event)
        place, after = (event.node, self.arriving(event.edge)), event.after or event.before
        first = self.first.setdefault(place, event.before)
        if first == after:
            return super().after_Hooked(event)
        return self.arrive(event.edge, after, f"{in_line(first)} → {in_line(after)}")

    def title(self, key):
        title = super().title(key)
        return title.partition(" (line ")[0] if self.runs_once else title


def own(outcome):
    """The trace of a program without the tensors and graphs that were in sight before and have no part in it."""
    trace = outcome.trace
    parts = {part for event in trace for part in flat([getattr(event, each.name) for each in fields(event)])}
    parts.update(map(trace.key_of, outcome.tensors.values()))
    parts.update(trace.tensors[key].node for key in trace.tensors.keys() & parts)
    below = set(trace.below(trace.nodes.keys() & parts))
    nodes = {key: node for key, node in trace.nodes.items() if key in below}
    parts.update(node.leaf for node in nodes.values())
    tensors = {key: record for key, record in trace.tensors.items() if key in parts or record.node in nodes}
    return Trace(trace.events, tensors, nodes, trace.lines, trace.classes, trace.calls)


def flat(parts):
    """The texts in tuples, however deep they lie."""
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, (tuple, list)):
            yield from flat(part)


class Run(Story):
    """The moments after the lines of an *outcome* that ran, and what is told of each line.

    *names*: of the program's tensors; *marked*: those whose hooks are marked in the picture; *extras*: ``{name: (width,
    height)}`` of the switches that stand at a tensor; *places*: the `Places` of earlier runs; *page*: pixels.
    ``corners`` has the point at which a tensor's switches
    begin: below its box, or at its right.
    """

    def __init__(self, outcome, names, marked, extras, places, page):
        self.outcome, self.names, self.marked = outcome, names, marked
        self.extras, self.places, self.page = extras, places, page
        trace, self.keys, self.spans, rows, before = own(outcome), {}, {}, [], 0
        for place, state in enumerate(outcome.states):
            if state != "not reached":
                end = len(trace) if outcome.ends[place] is None else outcome.ends[place]
                self.spans[place], before = trace.events[before:end], end
                rows.append((place, end))
        # what a switch replaces at once, as in y = y.detach(), has no box of its own
        replaced = {event.inputs[0] for place, events in self.spans.items() for event in events
                    if event.kind == "Operation" and outcome.lines[place].part == "switch"}  # fmt: skip
        self.named = [key for key, each in trace.tensors.items() if each.name in names and key not in replaced]
        for key in self.named:
            self.keys.setdefault(trace.tensors[key].name, key)  # the first tensor of that name
        rows = [Row(end, tuple(self.about(trace, place)), place) for place, end in rows]
        super().__init__(trace, rows)
        self.corners = {name: places.corner(self.arrangement, name, key)
                        for name, key in self.keys.items() if key in self.boxes}  # fmt: skip

    # -- the picture after each line ---------------------------------------------------------------------------------

    def about(self, trace, place):
        """The keys of what a line is about."""
        line = self.outcome.lines[place]
        if line.part != "plan" and line.name in self.keys:
            yield self.keys[line.name]
        for event in self.spans[place]:
            if event.computes and event.pass_number is None:
                yield from highlights(trace, [event])
            elif event.kind in ("Accumulated", "Retained", "Zeroed", "GradSet"):
                yield event.tensor

    def moment(self):
        moment = Brief(self.trace)
        moment.named = self.named
        moment.runs_once = not any(line.name and line.part == "plan" for line in self.outcome.lines)
        return moment

    def outline(self, *_):
        self.whole = self.show(self.moment().advance())
        return fitted(self.whole, (True,))[0]

    def show(self, moment):
        """Give a box to each tensor that has a name, and is there by now."""
        for key in moment.entries:
            if key in self.named:
                moment.shown.setdefault(moment.held(key))
        return moment

    def advance(self, moment, row):
        self.show(super().advance(moment, row))
        hooks = self.outcome.hooks[row.place] or {}
        for name in hooks.keys() & self.keys.keys() & {*self.marked}:
            key, flags = self.keys[name], [f"{VALUES['hooked']} {hook}" for hook in hooks[name]]
            if flags != moment.flags.get(key, []):
                moment.flags[key] = flags
                moment.changed.add(key)
        return moment

    def arranged(self):
        self.places.called = called = self.names_in_every_run()
        self.places.cuts = {called[self.keys[name]] for name in self.places.cuttable if name in self.keys}
        extras = {self.keys[name]: size for name, size in self.extras.items() if name in self.keys}
        page = self.page - 2 * MARGIN + MORE * self.places.right
        self.arrangement = Arrangement(self.boxes, self.lanes.values(), self.places, page, extras, MARGIN)
        self.places.right = not self.arrangement.down
        return self.arrangement

    def names_in_every_run(self):
        """``{key: what it is called in every run}``: calls after the lines that make them, and values after these."""
        found, count = {}, Counter()
        for place, events in self.spans.items():
            line = self.outcome.lines[place]
            for event in events:
                if event.computes and event.pass_number is None:
                    name = line.name or line.code, line.part == "switch"
                    count[name] += 1
                    found.setdefault(event.node or f"op{event.index}", (*name, count[name]))
        origin = self.whole.origins()
        for value in self.whole.values:
            name = self.whole.name(value) and self.trace.tensors[self.whole.tensor_of[value]].name
            name = name or found.get(origin.get(value), value)
            count[name, "value"] += 1
            found[value] = name, "value", count[name, "value"]
        return found

    # -- what is told of the lines -----------------------------------------------------------------------------------

    def rows(self, names):
        """What a view shows of each line; *names*: of the tensors whose .grad has a column."""
        bars, lines = Bars(self.outcome, names), self.outcome.lines
        for place, line in enumerate(lines):
            state, before = self.outcome.states[place], self.grads(place - 1)
            after = self.grads(place) if state != "not reached" else before
            says = [{"kind": said.kind, "text": said.text, "who": self.who(said.origin, place)}
                    for said in self.outcome.says[place]]  # fmt: skip
            yield {
                "code": line.code, "part": line.part, "place": line.place, "state": state, "name": line.name,
                "says": says, "cells": bars.cells(place) if state != "not reached" else {},
                "sentence": self.sentence(place, state, before, after),
            }  # fmt: skip

    def grads(self, place):
        """What every .grad is after a line."""
        return next((each for each in self.outcome.grads[place::-1] if each is not None), {}) if place >= 0 else {}

    def who(self, origin, place):
        """Whose a printed line is: of a hook of a tensor, which a line of the program registered."""
        if origin is None or origin == place:
            return ""
        return SAY("who", name=self.outcome.lines[origin].name, line=origin + 1)

    def sentence(self, place, state, before, after):
        line, number = self.outcome.lines[place], place + 1
        if state != "ran":
            return DID("failed" if state == "failed" else "not_reached", line=number)
        changed = {name: (before.get(name), value) for name, value in after.items() if value != before.get(name)}
        if changed:
            return " ".join(chain(self.hooked(place), self.added(number, changed)))
        if line.part == "input":
            kind = "leaf" if self.outcome.tensors[line.name].requires_grad else "constant"
            return DID(kind, line=number, name=line.name)
        said = [sentence(self.trace, [event]) for event in self.spans[place] if event.computes]
        if said:
            return clipped(" ".join(said))
        kinds = "retain_grad", "register", "remove", "backward", "optimizer"
        kind = next((kind for kind in kinds if kind in line.code), "nothing")
        return " ".join([*self.hooked(place), DID(kind, line=number, name=line.name)])

    def hooked(self, place):
        """What hooks made of gradients while a line ran."""
        return [sentence(self.trace, [event]) for event in self.spans[place]
                if event.kind == "Hooked" and event.after is not None]  # fmt: skip

    @staticmethod
    def added(number, changed):
        """Sentences about what became of .grad."""
        parts = {}
        for name, (before, after) in changed.items():
            difference = difference_of(before, after)
            kind = "cleared" if after is None else "put" if before is None else "added" if difference else "set"
            if before is not None and after is not None and after.is_whole and not after.array.any():
                kind = "zeroed"
            facts = {"name": name, "before": in_line(before), "after": in_line(after), "added": difference}
            parts.setdefault(kind, []).append(DID(f"{kind}_part", **facts))
        for kind, each in parts.items():
            listed = DID["and"].join([", ".join(each[:-1]), each[-1]] if each[1:] else each)
            yield DID("line", line=number, what=DID(kind, parts=listed))


def clipped(text):
    return text if len(text) <= MOST_SAID else text[:MOST_SAID] + " …"


def difference_of(before, after):
    """What was added to finite numbers, as a text; "" where there are no two of one shape."""
    old, new = finite(before), finite(after)
    if old is None or new is None or old.shape != new.shape:
        return ""
    return in_line(value_of((new - old).astype(np.float32)))


def finite(value):
    """Finite numbers as an array, or None."""
    known = value is not None and value.is_whole and np.isfinite(value.array).all()
    return value.array.astype(float) if known else None


def number_of(value):
    """A single finite number, or None."""
    array = finite(value)
    return None if array is None or array.size != 1 else float(array.reshape(-1)[0])


class Bars:
    """What every .grad was after each line, and which backward passes its parts came from; all share one scale."""

    def __init__(self, outcome, names):
        self.outcome, self.names, self.shares, self.told = outcome, names, {}, []
        self.roots = list(dict.fromkeys(filter(None, map(root_of, outcome.lines))))
        for line, grads in zip(outcome.lines, outcome.grads, strict=True):
            self.follow(root_of(line), grads or {})
            self.told.append({name: (grads.get(name), shares) for name, shares in self.shares.items()} if grads else {})
        sizes = [abs(sum(each for each, _ in shares)) for told in self.told for _, shares in told.values()]
        self.most = max(sizes, default=0) or 1

    def follow(self, root, grads):
        for name in self.names:
            shares, now = self.shares.get(name, ()), number_of(grads.get(name))
            total = sum(each for each, _ in shares)
            if now is None:
                shares = ()
            elif not math.isclose(now, total, rel_tol=1e-6):
                shares = (*shares, (now - total, root)) if root else ((now, None),) if now else ()
            self.shares[name] = shares

    def cells(self, place):
        """The cells of a row: texts, and the parts of a bar, each ``[width, number of its pass's root, is new]``."""
        before = self.told[place - 1] if place else {}
        return {name: self.cell(*told, before.get(name, (None, ()))[1]) for name, told in self.told[place].items()}

    def cell(self, grad, shares, before):
        parts = [[abs(each) / self.most, self.roots.index(root) if root else 0, place >= len(before)]
                 for place, (each, root) in enumerate(shares)]  # fmt: skip
        total = sum(each for each, _ in shares)
        if any(each * total < 0 for each, _ in shares):  # no part of a bar can say that
            parts = [[abs(total) / self.most, *parts[-1][1:]]]
        root = shares[-1][1] if len(self.roots) > 1 and shares and shares != before else None
        return {"text": in_line(grad), "precise": "" if grad is None else precise(grad), "parts": parts,
                "less": total < 0, "root": root or ""}  # fmt: skip


def root_of(line):
    """The name of the tensor whose backward a line of the plan calls, or ""."""
    name, called, _ = line.code.partition(".backward(")
    return name if called else ""
