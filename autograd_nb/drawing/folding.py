"""Folding of large graphs: what repeats, or else the middle, becomes one box, which says so.

Calls stand in the order in which they ran, so folding a stretch of them leaves a graph without cycles.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from . import words

LONGEST = 64  # calls in a block that repeats
NAMES = 5  # told of what is inside


@dataclass(slots=True)
class Group:
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
        notes = [words.FOLDED.format(len(self.calls)), *[words.LEAVES.format(self.leaves)] * bool(self.leaves)]
        return {"kind": "group", "title": self.title, "lines": names, "notes": notes}


def fold(scene, limit):
    """The groups of a scene: key of a folded call or leaf -> `Group`; empty when all boxes are within the limit."""
    calls = list(scene.calls.values())
    weights = _weights(scene, calls)
    if sum(weights) <= limit or len(calls) < 3:
        return {}
    names = [call.name for call in calls]
    saved, period, start, stop = _repetition(names, weights)
    if saved and sum(weights) - saved <= limit:
        times = words.TIMES.format((stop - start) // period)
        group = Group("group", times, names[start:stop], names[start : start + period])
    else:  # a third of the limit stays at either end
        start = bisect_left(list(accumulate(weights)), limit / 3)
        stop = len(calls) - bisect_left(list(accumulate(reversed(weights))), limit / 3)
        start, stop = (start, stop) if stop - start > 1 else (0, len(calls))
        group = Group("group", words.INSIDE.format(stop - start), names[start:stop])
    inside, outside = calls[start:stop], calls[:start] + calls[stop:]
    seen = {value for call in outside for value in call.inputs}.union({None}, *(call.outputs for call in calls))
    leaves = {value for call in inside for value in call.inputs} - seen  # of no other call
    group.leaves = len(leaves)
    return dict.fromkeys([*(call.key for call in inside), *leaves], group)


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


def _repetition(names, weights):
    """What saves most boxes when folded, but for the first and last time: (boxes saved, period, start, stop)."""
    mass, best = [0, *accumulate(weights)], (0, 0, 0, 0)
    for period in range(1, min(LONGEST, len(names) // 3) + 1):
        start = 0
        for place in range(period, len(names) + 1):
            if place == len(names) or names[place] != names[place - period]:  # so the repetition ends here
                first, last = start + period, start + (place - start) // period * period - period
                if last - first >= 2 * period:
                    saved = mass[last] - mass[first] - 1
                    best = max(best, (saved, period, first, last), key=lambda each: each[0])
                start = place - period + 1
    return best
