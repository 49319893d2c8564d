"""Folding of large graphs: a module, a repetition, or else the middle becomes one box, which says so.

Calls stand in the order in which they ran, so folding a stretch of them leaves a graph without cycles.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from os.path import commonprefix

from . import words
from .stretches import choose_stretches, repeated, stretches

LONGEST = 64  # calls in a block that repeats
MODULE = "module "  # how the key of a module's box begins; its path follows
ALL, MANY = "*", 100  # the path that opens a box of several modules, and how many it opens at most
FEW = 20  # boxes that modules may take, however little room there is
NAMES = 5  # that a box lists of its content
MOST_APART = 8  # values that the graph does not use; up to this many have a box each


@dataclass(slots=True, eq=False)
class Group:
    key: str
    name: str
    calls: list  # names of the calls
    lines: list = ()  # the class of a module, or one repetition
    leaves: int = 0
    shared: str = ""  # the leaves that other boxes use too
    goes_on: bool = False  # a module's box reaches up to the next module
    cuts: int = 0  # cuts inside, where no scissors are visible
    apart: frozenset = frozenset()  # keys of tensors that the graph does not use
    tensors: list = field(default_factory=list)  # those of its leaves
    told: dict = None  # the content of its box, once all is known

    def parts(self):
        names = _counted(self.calls)
        counted = words.counted(function=len(self.calls), leaf=self.leaves, tensor=len(self.apart))
        notes = [words.FOLDED.format(", ".join(counted))] * bool(counted)
        notes += [words.CUTS_INSIDE.format(self.cuts)] * bool(self.cuts)
        told = [words.UP_TO_NEXT] * self.goes_on + names
        lines = [line + words.ON * self.goes_on for line in self.lines] or names
        return {"kind": "group", "title": self.name, "lines": lines, "notes": notes,
                "flags": [self.shared] * bool(self.shared), "saved": told if self.lines else ()}  # fmt: skip


def fold(modules, calls, hidden, names, limit, opened=()):
    """The groups of calls: key of a folded call or leaf -> `Group`; empty when all boxes are within the limit.

    *modules*: a trace's module classes, and the modules around each call; *hidden* values have no box; *names* are
    those of leaves, *opened* the paths of modules that stay open.
    """
    calls = list(calls.values())
    groups = _crowds(calls, limit / 2)
    weights = _weights(calls, hidden, groups)
    if sum(weights.values()) <= limit or len(calls) < 3:
        return groups
    modules = _modules(*modules, names, opened, calls, weights, limit)
    outside = sum(call.key not in modules for call in calls)
    if opened or outside > 1 or len({*map(id, modules.values())}) > 1:  # else one module has nearly all calls
        groups |= modules
    runs = [(part, [*run]) for part, run in groupby(calls, lambda call: groups.get(call.key, call))]
    parts = [part for part, _ in runs]  # modules, and calls outside of these
    sizes = [weights.get(part.key, 1) for part in parts]
    if opened or sum(sizes) <= limit or len(parts) < 3:
        return groups
    group, start, stop = _middle(parts, sizes, limit)
    if stop - start < 2:
        return groups
    inside, outside = ([call for _, run in some for call in run]
                       for some in (runs[start:stop], runs[:start] + runs[stop:]))  # fmt: skip
    group.calls = [call.name for call in inside]
    group.name = group.name or words.INSIDE.format(len(inside))
    seen = {value for call in outside for value in call.inputs}.union({None}, *(call.outputs for call in calls))
    leaves = {value for call in inside for value in call.inputs} - seen  # leaves of no other call
    group.leaves = len(leaves)
    return groups | dict.fromkeys([*(call.key for call in inside), *leaves], group)


def _middle(parts, sizes, limit):
    """The box in place of some of the *parts*, and where these start and stop: a repetition, or else the middle.

    Between a few modules only functions fold, so that each module has a box of its own.
    """
    names, kinds = [part.name for part in parts], [type(part) is Group and "".join(part.lines[:1]) for part in parts]
    group = Group(MODULE + ALL if any(kinds) and len(parts) < MANY else "group", "", [])
    over = sum(sizes) - limit
    numbered = [(re.sub(r"\d+", "", name), kind) for name, kind in zip(names, kinds, strict=True)]
    for alike in names, numbered:  # the same modules, or else modules that differ by a number
        saved, period, start, stop = _repetition(alike, sizes)
        if 0 < saved < over:  # the first and the last time too
            start, stop = start - period, stop + period
            saved = sum(sizes[start:stop]) - 1
        if saved >= over:
            group.name = count = words.TIMES.format((stop - start) // period)
            turns = ([*dict.fromkeys(names[place:stop:period])] for place in range(start, start + period))
            group.lines = [" … ".join(own[:1] + own[1:][-1:]) for own in turns]
            if period == 1 and kinds[start]:
                (group.name,), group.lines = group.lines, [f"{kinds[start]} {count}"]
            return group, start, stop
    places = [place for place, kind in enumerate(kinds) if kind]
    start, stop = max(pairwise([-1, *places, len(parts)]), key=lambda run: run[1] - run[0])
    if places and len(parts) - stop + start < FEW:
        return group, start + 1, stop
    mass, end = [*accumulate(sizes)], limit / 3  # so much stays at either end
    start, stop = max(1, bisect_left(mass, end)), min(len(parts) - 1, bisect_right(mass, mass[-1] - end) + 1)
    group.lines = _counted(names[place] for place in places if start <= place < stop)
    return group, start, stop


def _counted(names):
    """Each of the names with how often it stands there, the most frequent first, as many as a box has room for."""
    told = [f"{name} {words.TIMES.format(count)}" if count > 1 else name
            for name, count in Counter(names).most_common()]  # fmt: skip
    if len(told) > NAMES + 1:
        told[NAMES:] = [words.AND_MORE.format(len(told) - NAMES)]
    return told


def apart(scene, calls, shown):
    """The group of *shown* values from `detach` and `.data` that the graph does not use, if there are many.

    A copy of one network's parameters into another makes many.
    """
    used = {value for call in calls.values() for value in (*call.inputs, *call.outputs)}
    found = [key for key in shown if key not in used and key not in scene.ends]
    if len(found) <= MOST_APART:
        return {}
    lines = _counted(reason for (_, end), reason in scene.cuts.items() if end in found)
    return dict.fromkeys(found, Group("apart", words.APART, [], lines, apart=frozenset(found)))


def _modules(classes, within, names, opened, calls, weights, limit):
    """The groups of modules: key of a call or leaf -> `Group`; empty without any."""
    mass, alike = [0, *accumulate(weights.values())], repeated(classes)

    def size(found):
        return mass[-1] + sum(1 - mass[each.last + 1] + mass[each.first] for each in found)

    found = choose_stretches(stretches(names, classes, within, calls), alike, size, limit, opened)
    groups = {}
    if not opened and size(found) > limit:
        for one, next_ in pairwise(found):
            between = calls[one.last + 1 : next_.first]
            if not within and between:  # calls between two modules go to the one before
                one.goes_on, one.last = True, next_.first - 1
            elif len(between) > 1:  # it is known that they ran outside
                group = Group(f"after {calls[one.last].key}", words.INSIDE.format(len(between)),
                              [call.name for call in between])  # fmt: skip
                groups |= {call.key: group for call in between}
    uses = Counter(value for call in calls for value in {*call.inputs})
    made, turns, folded = {value for call in calls for value in call.outputs} | {None}, Counter(), []
    for each in found:
        inner, kind = calls[each.first : each.last + 1], alike.get(each.path) or classes.get(each.path, "")
        own = Counter(value for call in inner for value in dict.fromkeys(call.inputs))
        leaves = [value for value, count in own.items() if value not in made and (
            count == uses[value] or names.get(value, "").startswith(f"{each.path}."))]  # fmt: skip
        turns[each.path] += 1
        key = f"{MODULE}{each.path}" + (f" #{turns[each.path]}" if turns[each.path] > 1 else "")
        group = Group(key, each.path, [call.name for call in inner], [kind], len({*leaves} - {*groups}),
                      goes_on=each.goes_on)  # fmt: skip
        folded.append((group, own))
        # a leaf of several calls of a module goes to the first; no lane leads from there to the others
        groups = dict.fromkeys(leaves, group) | groups | dict.fromkeys((call.key for call in inner), group)
    users = Counter(value for _, own in folded for value in own)
    for group, own in folded:
        shared = [names[value].split(".") for value in own if users[value] > 1 and value in names]
        path = ".".join(commonprefix(shared))  # of one leaf, its name
        counted = words.counted(leaf=len(shared)) if len(shared) > 1 else []
        group.shared = words.SHARED.format(", ".join(filter(None, [path, *counted]))) if shared else ""
    return groups


def _crowds(calls, most):
    """The groups of leaves that only one call has, if it has more than *most*: key of a leaf -> `Group`."""
    uses = Counter(value for call in calls for value in call.inputs)
    uses.update({value: 2 for call in calls for value in [None, *call.outputs]})
    crowds = {}
    for call in calls:
        leaves = [value for value in call.inputs if uses[value] == 1]
        if len(leaves) > most:
            crowds |= dict.fromkeys(leaves, Group(f"leaves of {call.key}", *words.counted(leaf=len(leaves)), []))
    return crowds


def _weights(calls, hidden, crowds):
    """How many boxes each call adds: its own, its outputs', and the boxes of leaves that no earlier call reads."""
    seen, weights = {None, *crowds}, {}
    for call in calls:
        seen.update(call.outputs)
        leaves = {*call.inputs} - seen
        seen |= leaves
        weights[call.key] = 1 + len({*call.outputs} - hidden) + len(leaves)
    return weights


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
