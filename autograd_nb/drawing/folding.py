"""Folding of large graphs: repeated blocks, long stretches and crowds of leaves become one box each, which says so.

Calls stand in the order in which they ran, so whatever folds a stretch of them leaves a graph without cycles.  Looked
for first are blocks of one to 64 calls that repeat; of a repeated block the first and the last stay.  What is still
too large loses its middle.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from . import words

LONGEST = 64  # calls in a block that repeats
MOST_BLOCKS = 20  # looked for
NAMES = 5  # told of what is inside
CROWD = 6  # leaves with the same consumers that may be folded into one box


@dataclass(slots=True)
class Group:
    """Calls and leaves that are shown as one box."""

    key: str
    title: str
    calls: list  # their names
    block: list = None  # names of one repetition
    leaves: int = 0

    def parts(self):
        names = list(self.block or (f"{name} {words.TIMES.format(count)}" if count > 1 else name
                                    for name, count in Counter(self.calls).most_common()))  # fmt: skip
        if len(names) > NAMES + 1:
            names[NAMES:] = [words.AND_MORE.format(len(names) - NAMES)]
        notes = [words.FOLDED.format(len(self.calls))] if self.calls else []
        if self.leaves and self.calls:
            notes.append(words.LEAVES.format(self.leaves))
        return {"kind": "group", "title": self.title, "lines": names, "notes": notes}


def fold(scene, limit):
    """The groups of a scene: key of a folded call or leaf -> `Group`; empty when all boxes are within the limit."""
    calls = list(scene.calls.values())
    weights = _weights(scene, calls)
    total = sum(weights)
    if total <= limit:
        return {}
    ids = {name: number for number, name in enumerate(dict.fromkeys(call.name for call in calls))}
    codes = np.array([ids[call.name] for call in calls])
    mass = np.concatenate([[0], np.cumsum(weights)])
    stretches = [(0, len(calls))]  # not folded yet
    folded = []  # (start, stop, length of the block)
    for _ in range(MOST_BLOCKS):
        found = (each for stretch in stretches for each in _repeats(codes, mass, *stretch))
        best = max(found, key=lambda each: (each[0], -each[3]), default=None) if total > limit else None
        if best is None:
            break
        saved, start, stop, period = best
        folded.append((start, stop, period))
        total -= saved
        stretches = [
            piece for a, b in stretches
            for piece in ([(a, start), (stop, b)] if a <= start and stop <= b else [(a, b)]) if piece[1] - piece[0] > 2
        ]  # fmt: skip
    if total > limit and len(calls) > 2:
        folded = _without_middle(mass, folded, len(calls), limit)
    groups = {}
    for index, (start, stop, period) in enumerate(sorted(folded)):
        inside = calls[start:stop]
        title = words.TIMES.format((stop - start) // period) if period else words.INSIDE.format(stop - start)
        names = [call.name for call in inside]
        group = Group(f"group{index}", title, names, names[:period] or None)
        groups.update((call.key, group) for call in inside)
    _take_leaves(scene, calls, groups, limit)
    return groups


def _weights(scene, calls):
    """How many boxes each call brings along: its own, its outputs', those of leaves that no call had before it."""
    seen, weights = set(), []
    for call in calls:
        seen.update(call.outputs)
        leaves = {value for value in call.inputs if value is not None and value not in seen}
        seen |= leaves
        weights.append(1 + sum(value not in scene.hidden for value in call.outputs)
                       + sum(2 if leaf in scene.leaves else 1 for leaf in leaves))  # fmt: skip
    return weights


def _repeats(codes, mass, start, stop):
    """The best repetition of each period in a stretch: (boxes saved, first folded, behind the last, period)."""
    part = codes[start:stop]
    for period in range(1, min(LONGEST, len(part) // 3) + 1):
        same = np.concatenate([[0], part[period:] == part[:-period], [0]]).astype(np.int8)
        edges = np.flatnonzero(np.diff(same))
        first, last = edges[::2], edges[1::2] + period  # every call in a run equals the one a period later
        times = (last - first) // period
        long = times >= 4  # the first and the last stay, so two are folded at least
        starts, stops = start + first[long] + period, start + (first + period * (times - 1))[long]
        if len(starts):
            saved = mass[stops] - mass[starts] - 1
            best = int(saved.argmax())
            yield int(saved[best]), int(starts[best]), int(stops[best]), period


def _without_middle(mass, folded, count, limit):
    """One group for the middle, swallowing those in it; about a third of the limit stays at either end."""
    weights = np.diff(mass)
    for start, stop, _ in folded:
        weights[start:stop] = 0
    ahead, behind = np.cumsum(weights), np.cumsum(weights[::-1])
    start = int(np.searchsorted(ahead, limit / 3))
    stop = count - int(np.searchsorted(behind, limit / 3))
    start, stop = min(start, count - 1), max(stop, 1)
    while any(a < start < b for a, b, _ in folded):
        start -= 1
    while any(a < stop < b for a, b, _ in folded):
        stop += 1
    if stop - start < 2:
        start, stop = 0, count
    return [each for each in folded if each[1] <= start or each[0] >= stop] + [(start, stop, 0)]


def _take_leaves(scene, calls, groups, limit):
    """Leaves used inside one group only go into it; crowds of leaves with the same consumers become a group."""
    made = {value for call in calls for value in call.outputs}
    consumers = {}
    for call in calls:
        place = groups[call.key].key if call.key in groups else call.key
        for value in call.inputs:
            if value is not None and value not in made:
                consumers.setdefault(value, {})[place] = groups.get(call.key)
    crowds = {}
    for value, places in consumers.items():
        (group, *others) = places.values()
        if group is not None and not others:
            groups[value] = group
            group.leaves += 1
        elif scene.values[value] != "root":
            crowds.setdefault(tuple(places), []).append(value)
    if sum(map(len, crowds.values())) > limit / 3:
        for index, crowd in enumerate(crowds.values()):
            if len(crowd) > CROWD:
                group = Group(f"leaves{index}", words.LEAVES.format(len(crowd)), [], leaves=len(crowd))
                groups.update(dict.fromkeys(crowd, group))
