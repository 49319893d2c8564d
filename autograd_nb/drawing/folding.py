"""Folding of large graphs: a module, a repetition, or else the middle becomes one box, which says so.

Calls stand in the order in which they ran, so folding a stretch of them leaves a graph without cycles.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from os.path import commonprefix

from . import words
from .describe import latest
from .picture import longest_way
from .stretches import choose_stretches, repeated, stretches

LONGEST = 64  # calls in a block that repeats
MODULE = "module "  # how the key of a module's box begins; its path follows
ALL, MOST_OPENED = "*", 100  # the path that opens a box of several modules, and how many it opens at most
FEW = 20  # boxes that modules may take, however little room there is
APART = "apart"  # the key of a box of tensors that the graph does not use
AFTER = "after "  # how the key of a box of calls begins that ran outside of modules; its leaves stay outside, too
NAMES = 5  # that a box lists of its content
MOST_APART = 8  # values that the graph does not use; up to this many have a box each
SMALL, LONG = 14, 5  # with up to so many calls, so many of them in a row, every value gets a box
MANY = 200  # and with up to so many values


@dataclass(eq=False)
class Group:
    """A box of several calls with the leaves that no other box needs, of leaves, or of tensors outside the graph."""

    key: str
    name: str = ""
    lines: list = ()  # the class of a module, or one repetition
    calls: list = ()
    values: list = ()  # keys of its leaves or tensors
    flags: list = ()  # the leaves that other boxes use too
    cuts: int = 0  # cuts inside, where no scissors are visible

    @cached_property
    def keys(self):
        return {*(call.key for call in self.calls), *self.values}

    @cached_property
    def parts(self):
        """What its box shows at any moment."""
        names, kind = _counted([call.name for call in self.calls]), "tensor" if self.key == APART else "leaf"
        counted = words.counted(**{"function": len(self.calls), kind: len(self.values)})
        notes = [words.FOLDED.format(", ".join(counted))] * (counted != [self.name])
        notes += [words.CUTS_INSIDE.format(self.cuts)] * bool(self.cuts)
        return {"kind": "group", "title": self.name, "lines": self.lines or names, "notes": notes,
                "flags": [*self.flags], "saved": names if self.lines else ()}  # fmt: skip


class Graph:
    """The calls and values of a *whole* that its picture shows, with all that does not depend on the picture's size."""

    def __init__(self, whole):
        self.scene, self.classes, self.alike = whole, whole.trace.classes, repeated(whole.trace.classes)
        self.origin = whole.origins()
        self.calls, self.shown = what_belongs(whole, self.origin)
        self.sequence = [*self.calls.values()]
        self.leaves = {call.key: [value for value in dict.fromkeys(call.inputs) if value and value not in self.origin]
                       for call in self.calls.values()}  # fmt: skip
        self.uses = Counter(chain(*self.leaves.values()))  # of a leaf: how many calls
        self.readers = Counter(value for key, call in self.calls.items() if not key.startswith("op")
                               for value in call.inputs)  # how many inputs of nodes a value is
        names = {key: whole.name(key) for key in whole.values}
        self.names = {key: names[key] for key, kind in whole.values.items() if kind == "leaf"}
        self.ways = []  # (source, target, kind, part)
        for key, call in self.calls.items():
            self.ways += [(value, key, "forward", (key, number, value)) for number, value in enumerate(call.inputs)
                          if value is not None]  # fmt: skip
            self.ways += [(key, value, "forward", (key, value, value)) for value in call.outputs]
        length = longest_way(self.ways, dict.fromkeys(whole.values, 1) | dict.fromkeys(self.calls, 0))
        self.ways += [(*ends, "cut", ends) for ends in whole.cuts] + [(*ends, "view", ends) for ends in whole.views]
        self.is_small = len(self.calls) <= SMALL and len(whole.values) <= MANY
        is_plain = self.is_small and not whole.brief and length <= LONG + 1
        self.results = {key for key, kind in whole.values.items() if kind == "tensor" and key not in whole.ends}
        self.hidden = {key for key in self.results if not (is_plain or names[key])}

    @cached_property
    def stretches(self):
        return stretches(self)

    def folded(self, limit, opened=()):
        """``(groups, hidden)``: the groups, and the values that have no box.

        *limit*: of boxes, about; *opened*: the paths of modules that stay open.
        """
        groups, hidden = self.groups(self.hidden, limit, opened), self.hidden
        if modules_of(groups) and not opened:  # values between them have names only in a module's own code
            hidden = hidden | {key for key in self.results
                               if not (record := latest(self.scene, key)) or not record.retains_grad}  # fmt: skip
            groups = self.groups(hidden, limit)
        return groups + self.apart(), hidden

    def apart(self):
        """The group of shown values from `detach` and `.data` that the graph does not use, if there are many.

        A copy of one network's parameters into another makes many.
        """
        found = [key for key in self.shown if not (self.uses[key] or key in self.origin or key in self.scene.ends)]
        lines = _counted(reason for (_, end), reason in self.scene.cuts.items() if end in found)
        return [Group(APART, words.APART, lines, values=found)] * (len(found) > MOST_APART)

    def groups(self, hidden, limit, opened=()):
        """The groups of calls and leaves; none when all boxes are within the limit."""
        parts, crowds = [], self.crowds(limit / 2)
        weights = self.weights(hidden, {value for crowd in crowds for value in crowd.values})
        if sum(weights.values()) > limit and len(weights) > 2:
            parts = self.modules(weights, limit, opened)
            if not opened and len(parts) < 3 and sum(type(part) is Group for part in parts) < 2:
                parts = [*self.sequence]  # one module has nearly all calls
            sizes = [weights.get(part.key, 1) for part in parts]
            if not opened and len(parts) > 2 and sum(sizes) > limit:
                _fold_middle(parts, sizes, limit)
        groups = [part for part in parts if type(part) is Group]
        own = [Counter(chain(*(self.leaves[call.key] for call in group.calls if not group.key.startswith(AFTER))))
               for group in groups]  # fmt: skip
        users, taken = Counter(chain(*own)), set()
        for group, leaves in zip(groups, own, strict=True):
            # a leaf of several calls of a module goes to the first; no lane leads from there to the others
            group.values = [value for value, count in leaves.items() if value not in taken and (
                count == self.uses[value] or self.names.get(value, "").startswith(f"{group.name}."))]  # fmt: skip
            taken.update(group.values)
            shared = [self.names[value].split(".") for value in leaves if users[value] > 1 and self.names.get(value)]
            if shared:
                path = ".".join(commonprefix(shared))  # of one leaf, its name
                counted = words.counted(leaf=len(shared)) if len(shared) > 1 else []
                group.flags = [words.SHARED.format(", ".join(filter(None, [path, *counted])))]
        for crowd in crowds:
            crowd.values = [value for value in crowd.values if value not in taken]
        return groups + crowds

    def crowds(self, most):
        """The groups of leaves that only one call has, if it has more than *most*."""
        found = {call: [value for value in leaves if self.uses[value] == 1] for call, leaves in self.leaves.items()}
        return [Group(f"leaves of {call}", *words.counted(leaf=len(leaves)), values=leaves)
                for call, leaves in found.items() if len(leaves) > most]  # fmt: skip

    def weights(self, hidden, crowds):
        """How many boxes each call adds: its own, its outputs', and the boxes of leaves that no earlier call reads."""
        seen, weights = {*crowds}, {}
        for key, call in self.calls.items():
            leaves = {*self.leaves[key]} - seen
            seen |= leaves
            weights[key] = 1 + len({*call.outputs} - hidden) + len(leaves)
        return weights

    def modules(self, weights, limit, opened):
        """Groups of modules and of calls between them, and the calls that stay, in their order."""
        mass, calls = [0, *accumulate(weights.values())], self.sequence

        def size(found):
            return mass[-1] + sum([1 - mass[each.last + 1] + mass[each.first] for each in found])

        found, parts, end, turns = choose_stretches(self.stretches, self.alike, size, limit, opened), [], 0, Counter()
        is_tight = not opened and size(found) > limit
        for each in found:
            between = calls[end : each.first]
            if end and is_tight and len(between) > 1:
                key = (AFTER if self.scene.within else "group ") + calls[end - 1].key
                between = [Group(key, words.INSIDE.format(len(between)), calls=between)]
            parts += between
            turns[each.path] += 1
            key, end = MODULE + each.path + f" #{turns[each.path]}" * (turns[each.path] > 1), each.last + 1
            kind = self.alike.get(each.path) or self.classes.get(each.path, "")
            parts.append(Group(key, each.path, [kind], calls[each.first : end]))
        return parts + calls[end:]


def modules_of(groups):
    """The keys of modules that are folded, each into a box of its own."""
    return {group.key for group in groups if group.key.startswith(MODULE)} - {MODULE + ALL}


def what_belongs(scene, origin):
    """``(calls, shown)``: the calls that lead into the graph or to values that the picture shows, or were cut off from
    it, and the values that the picture shows by themselves. All calls, if nothing was recorded.

    Of a scene that shows one pass alone only what led to it, also across cuts.
    """
    calls, shown = scene.calls, scene.shown
    before = {}  # value or call behind a cut -> the values that were cut off
    if scene.is_alone:
        waiting = [key for key in scene.trace.below(node for node, _ in scene.starts) if key in calls]
        for value, end in scene.cuts:
            before.setdefault(end, []).append(value)
    else:
        waiting = [key for key in calls if not key.startswith("op")] + [end for _, end in scene.cuts if end in calls]
        waiting += [origin[value] for value in shown if value in origin]
    wanted, values = set(), {}
    while waiting:
        key = waiting.pop()
        if key not in wanted:
            wanted.add(key)
            inputs = [each for each in calls[key].inputs if each is not None]
            inputs += [each for value in inputs for each in before.get(value, ())]
            values.update(dict.fromkeys(inputs))
            waiting += [origin[value] for value in inputs if value in origin]
    shown = {key: None for key in shown if key in values} if scene.is_alone else shown
    return {key: call for key, call in calls.items() if key in wanted} if wanted else dict(calls), shown


def _fold_middle(parts, sizes, limit):
    """Fold some of the *parts*, modules and calls, into one group: a repetition, or else the middle.

    Between a few modules only functions fold, so that each module has a box of its own.
    """
    names, kinds = [part.name for part in parts], [type(part) is Group and part.lines[:1] for part in parts]
    key, name, over = MODULE + ALL if any(kinds) and len(parts) < MOST_OPENED else "group", "", sum(sizes) - limit
    alike = [re.sub(r"\d+", "", f"{name} {kind}") for name, kind in zip(names, kinds, strict=True)]
    saved, period, start, stop = _repetition(alike, sizes)
    if saved >= over:
        name = count = words.TIMES.format((stop - start) // period)
        turns = ([*dict.fromkeys(names[place:stop:period])] for place in range(start, start + period))
        lines = [" … ".join(own[:1] + own[1:][-1:]) for own in turns]
        if period == 1 and kinds[start]:
            (name,), lines = lines, [f"{kinds[start][0]} {count}"]
    else:
        places = [place for place, kind in enumerate(kinds) if kind]
        start, stop = max(pairwise([-1, *places, len(parts)]), key=lambda run: run[1] - run[0])
        start, lines = start + 1, ()
        if not places or len(parts) - stop + start > FEW:
            mass, end = [*accumulate(sizes)], limit / 3  # so much stays at either end
            start, stop = max(1, bisect_left(mass, end)), min(len(parts) - 1, bisect_right(mass, mass[-1] - end) + 1)
            lines = _counted(names[place] for place in places if start <= place < stop)
    if stop - start > 1:
        calls = [call for part in parts[start:stop] for call in getattr(part, "calls", [part])]
        parts[start:stop] = [Group(key, name or words.INSIDE.format(len(calls)), lines, calls)]


def _counted(names):
    """Each of the names with how often it stands there, the most frequent first, as many as a box has room for."""
    told = [f"{name} {words.TIMES.format(count)}" if count > 1 else name
            for name, count in Counter(names).most_common()]  # fmt: skip
    if len(told) > NAMES + 1:
        told[NAMES:] = [words.AND_MORE.format(len(told) - NAMES)]
    return told


def _repetition(names, weights):
    """The repeat whose folding saves most boxes, without its first and last: (boxes saved, period, start, stop)."""
    mass, best = [0, *accumulate(weights)], (0, 0, 0, 0)
    for period in range(1, min(LONGEST, len(names) // 3) + 1):
        start = 0
        for place in range(period, len(names) + 1):
            if place == len(names) or names[place] != names[place - period]:  # the repetition ends here
                first, last = start + period, start + (place - start) // period * period - period
                if last - first >= 2 * period:
                    saved = mass[last] - mass[first] - 1
                    best = max(best, (saved, period, first, last), key=lambda each: each[0])
                start = place - period + 1
    return best
