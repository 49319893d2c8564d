"""A run of a bench's program: for each line the picture after it, every .grad, and a sentence about its effects."""

import math
from collections import Counter, namedtuple
from copy import copy
from itertools import pairwise

from ..drawing.draw import fitted
from ..drawing.layout import Layout, layout
from ..drawing.render import Arrangement, largest, united
from ..drawing.shapes import text_width
from ..microscope.labels import SAY as VALUES
from ..microscope.labels import in_line, precise
from ..microscope.moments import Moment
from ..microscope.sentences import sentence
from ..microscope.steps import highlights
from ..words import of
from .stories import Story

SAY = of("widgets")["bench"]
DID = SAY["did"]
# pixels: the width of a box for a short number, between columns, around the picture, and the excess over the page's
# width at which the picture turns and runs down
LEAST, APART, MARGIN, MORE = 52, 10, 6, 75
CUT = 80, 18  # pixels for scissors and the word detach, wherever a switch may cut
MOST_SAID = 300  # characters about a line, at most
HIGH, HOOK = 25, 30  # pixels of a switch, and of a hook besides its name
WIDE = {"requires_grad": 104, "retain_grad": 98, "hooks": 94, "cut": 78}  # pixels of the switches
GRADS = "Accumulated", "Retained", "Zeroed", "GradSet"  # events that change a .grad

LineStep = namedtuple("LineStep", "end highlights place")  # a line that ran is a step of a story


class Brief(Moment):
    """A moment of a bench, without boxes for tensors that have no name."""

    brief = True

    def title(self, key):
        """The name of a value, without the number that a name in a loop gets."""
        return super().title(key).partition(" #")[0]

    def after_Hooked(self, event):
        """If hooks change a gradient one after the other, show only the first number and the last."""
        super().after_Hooked(event)
        after, passes = event.after or event.before, self.trace.passes
        first = next(each.before for each in self.trace if each.kind == "Hooked" and each.edge == event.edge
                     and passes[each.index] is passes[event.index])  # fmt: skip
        if event.stage == "tensor" and first != after:
            self.arrive(event.edge, after, f"{in_line(first)} → {in_line(after)}")


class Run(Story):
    """The moments after the lines of an *outcome* that ran, and a sentence about each line.

    *names*: of the program's tensors; *page*: pixels; *opened*: ``{name: the open switches of a tensor}``, and
    *tensors* their settings; *room*: the sizes that earlier runs of this graph needed, so that nothing moves.
    ``corners`` has the upper left corner of the switches of a tensor, below its box or at its right.
    """

    def __init__(self, outcome, names, page, opened, tensors, room):
        self.outcome, self.page, self.opened, self.room = outcome, page, opened, room
        trace, self.events, rows, before = copy(outcome.trace), {}, [], 0
        named = {key: each.name for key, each in trace.tensors.items() if each.name in names}
        for place, line in enumerate(outcome.lines):
            if line.state != "not reached":
                end = len(trace) if line.end is None else line.end
                self.events[place] = told = [*filter(is_reported, trace.events[before:end])]
                rows.append((place, end))
                before = end
                for event in told if line.part == "switch" else ():
                    named.pop(event.inputs[0])  # the line replaces it at once, as in y = y.detach(): no box
        runs_once = not any(line.name and line.part == "plan" for line in outcome.lines)
        labels = named if runs_once else trace.labels
        trace.labels = {key: labels[key] if key in named else "" for key in trace.labels}
        self.keys = {name: key for key, name in reversed(named.items())}  # the first tensor of that name
        self.extras = {self.keys[name]: room_for(kinds, tensors.get(name, {}).get("hooks", ()))
                       for name, kinds in self.opened.items() if kinds and name in self.keys}  # fmt: skip
        super().__init__(trace, [LineStep(end, tuple(self.about(trace, place)), place) for place, end in rows])
        self.corners = {name: self.arrangement.corner(key, self.beyond[key])
                        for name, key in self.keys.items() if key in self.boxes}  # fmt: skip

    # -- the picture after each line ---------------------------------------------------------------------------------

    def about(self, trace, place):
        """The keys of the tensors and calls that a line concerns."""
        name, told = self.outcome.lines[place].name, self.events[place]
        computed, grads = ([each for each in told if each.kind in kinds] for kinds in (("Operation", "Changed"), GRADS))
        return [*highlights(trace, computed), *(event.tensor for event in grads)] or filter(None, [self.keys.get(name)])

    def moment(self):
        return Brief(self.trace)

    def outline(self, *_):
        self.whole = self.show(self.moment().advance())
        return fitted(self.whole, (True,))[0]

    def show(self, moment):
        """Give a box to each named tensor that exists by now."""
        for key in moment.entries:
            if self.trace.labels[key] and (value := moment.latest_value(key)) not in moment.shown:
                moment.shown[value] = None
        return moment

    def advance(self, moment, row):
        self.show(super().advance(moment, row))
        for name, hooks in (self.outcome.lines[row.place].hooks or {}).items():
            if key := self.keys.get(name):
                hooks = () if "hooks" in self.opened.get(name, ()) else hooks  # the switch shows them
                moment.flags[key] = [f"{VALUES['hooked']} {hook}" for hook in hooks]
                moment.changed.add(key)
        return moment

    def arranged(self):
        page = self.page - 2 * MARGIN + MORE * ([*self.room] == ["right"])  # a picture that ran to the right stays so
        self.arrangement = Arrangement(self.boxes, self.lanes.values(), self.layout, page, self.extras, MARGIN)
        return self.arrangement

    def names_of_boxes(self):
        """``{key of a box: its name in every run}``: keys depend on the events before, names do not."""
        count, tensors, whole = Counter(), self.trace.tensors, self.whole
        found = {key: (whole.title(key) if key in whole.values else key,) for key in self.boxes}
        for call in whole.calls.values():
            names = [tensors[whole.tensor_of[key]].name for key in call.outputs if key in whole.tensor_of]
            found[call.key] = "call", *names
        for key, name in found.items():
            count[name] += 1
            found[key] = *name, count[name]
        return found

    def layout(self, sizes, edges, direction, aside):
        """The layout with room for everything that earlier runs drew, so that boxes keep their places."""
        # by name: width, height, room beyond the box and for its switches; edges
        boxes, lanes = self.room.setdefault(direction, ({}, {}))
        names, ends = self.names_of_boxes(), []
        for key, size in sizes.items():
            extra = self.extras.get(key, (0, 0))[direction == "right"]
            grown = max(LEAST, size[0]), size[1], aside[key] - extra, extra
            boxes[names[key]] = largest([grown, boxes.get(names[key], grown)])
        cuts = {self.keys.get(name) for name, kinds in self.opened.items() if "cut" in kinds}
        self.beyond = {key: boxes[names[key]][2] for key in sizes}
        for edge in edges:
            pair = names[edge.source], names[edge.target]
            ends.append((*pair, sum(end[:2] == pair for end in ends)))
            label = largest([edge.label, CUT]) if edge.target in cuts else edge.label
            edge = edge._replace(source=pair[0], target=pair[1], label=label)
            lanes[ends[-1]] = united([edge, lanes.get(ends[-1], edge)])
        plan = layout({name: size[:2] for name, size in boxes.items()}, [*lanes.values()], direction,
                      {name: sum(size[2:]) for name, size in boxes.items()}, APART)  # fmt: skip
        places = [[*lanes].index(each) for each in ends]
        return Layout({key: plan.boxes[names[key]] for key in sizes}, [plan.routes[at] for at in places],
                      [plan.labels[at] for at in places], plan.width, plan.height)  # fmt: skip

    # -- the lines as rows of a table --------------------------------------------------------------------------------

    def rows(self, names):
        """Each line as a view shows it; *names*: of the tensors whose .grad has a column."""
        for place, (line, cells) in enumerate(zip(self.outcome.lines, bars(self.outcome.lines, names), strict=True)):
            says = [{"kind": said.kind, "text": said.text, "who": self.who(said.origin, place)} for said in line.says]
            yield {"code": line.code, "part": line.part, "name": line.name, "place": line.place, "state": line.state,
                   "says": says, "cells": cells, "sentence": self.sentence(place)}  # fmt: skip

    def who(self, origin, place):
        """The tensor, and the line of the program, whose hook printed a line; "" if it was no hook."""
        if origin is None or origin == place:
            return ""
        return SAY("who", name=self.outcome.lines[origin].name, line=origin + 1)

    def sentence(self, place):
        line, said = self.outcome.lines[place], ""
        if line.state != "ran":
            kind = line.state.replace(" ", "_")
        elif line.part == "input":
            kind = "leaf" if self.outcome.tensors[line.name].requires_grad else "constant"
        else:
            said = sentence(self.trace, self.events[place])
            kinds = "retain_grad", "register", "remove", "backward", "optimizer"
            kind = next((kind for kind in kinds if kind in line.code), "nothing")
        said = said or DID(kind, line=place + 1, name=line.name)
        return said if len(said) <= MOST_SAID else said[:MOST_SAID] + " …"


def room_for(kinds, hooks):
    """``(width, height)`` of the open switches of a tensor, in pixels; *hooks*: those that it has."""
    hooks = hooks if "hooks" in kinds else ()
    widths = [text_width(SAY["hooks"].get(hook, hook), 12) + HOOK for hook in hooks]
    return max([0, *(WIDE[kind] for kind in kinds), *widths]), HIGH * (len(kinds) + len(hooks))


def is_reported(event):
    """Whether a sentence reports an event: a result, a hook's change, or a change of a .grad."""
    if event.computes:
        return event.pass_number is None
    return event.kind in GRADS or event.kind == "Hooked" and event.after is not None


def bars(lines, names):
    """For each line ``{name: its .grad, and the bar of that}``; all bars share one scale.

    Parts of a bar are ``[width, number of the root whose pass added it, whether this line did]``.
    """
    roots = list(dict.fromkeys(filter(None, map(root_of, lines))))
    shares = [dict.fromkeys(names, ())]  # after each line: the parts of a .grad, with the roots of their passes
    for line in lines:
        root, after = root_of(line), {}
        for name, parts in shares[-1].items():
            now, before = number_of((line.grads or {}).get(name)), sum(each for each, _ in parts)
            if now is None or not math.isclose(now, before, rel_tol=1e-6):
                adds = now is not None and root and before * (now - before) >= 0  # no bar shows a decrease
                parts = (*parts, (now - before, root)) if adds else ((now, root),) if now else ()
            after[name] = parts
        shares.append(after)
    totals = [sum(each for each, _ in parts) for line in shares for parts in line.values()]
    most = max(map(abs, totals)) or 1

    def cell(grad, parts, is_new):
        bar = [[abs(share) / most, roots.index(root) if root else 0, False] for share, root in parts]
        for part in bar[-1:]:
            part[2] = is_new
        root = parts[-1][1] if len(roots) > 1 and parts and is_new else ""
        return {"text": in_line(grad), "precise": "" if grad is None else precise(grad), "parts": bar,
                "less": sum(each for each, _ in parts) < 0, "root": root}  # fmt: skip

    for line, (before, after) in zip(lines, pairwise(shares), strict=True):
        yield {name: cell(line.grads[name], parts, parts is not before[name])
               for name, parts in after.items() if name in (line.grads or {})}  # fmt: skip


def number_of(value):
    """A single finite number, or None."""
    is_one = value is not None and value.is_whole and value.size == 1
    return value.array.item() if is_one and math.isfinite(value.array.item()) else None


def root_of(line):
    """The name of the tensor whose backward a line of the plan calls, or ""."""
    name, called, _ = line.code.partition(".backward(")
    return name if called else ""
