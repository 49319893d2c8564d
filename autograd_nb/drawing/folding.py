"""Folding of large graphs: a module, what repeats, or else the middle becomes one box, which says so.

Calls stand in the order in which they ran, so folding a stretch of them leaves a graph without cycles.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise

from . import words

LONGEST = 64  # calls in a block that repeats
MODULE = "module "  # how the key of a module's box begins; its path follows
NAMES = 5  # told of what is inside
FEW = 8  # boxes; where fewer are wanted, what lies between modules is folded too


@dataclass(slots=True)
class Group:
    key: str
    title: str
    calls: list  # their names
    block: list = None  # names of one repetition
    leaves: int = 0
    module: str = ""  # its class
    cuts: int = 0  # that lie inside, where no scissors are seen

    def parts(self):
        names = list(self.block or (f"{name} {words.TIMES.format(count)}" if count > 1 else name
                                    for name, count in Counter(self.calls).most_common()))  # fmt: skip
        if len(names) > NAMES + 1:
            names[NAMES:] = [words.AND_MORE.format(len(names) - NAMES)]
        notes = [words.FOLDED.format(len(self.calls))] * bool(self.calls)
        notes += [words.LEAVES.format(self.leaves)] * bool(self.leaves)
        notes += [words.CUTS_INSIDE.format(self.cuts)] * bool(self.cuts)
        return {"kind": "group", "title": self.title, "lines": [self.module] * bool(self.module) + names,
                "notes": notes}  # fmt: skip


def fold(classes, calls, hidden, names, limit, opened=()):
    """The groups of calls: key of a folded call or leaf -> `Group`; empty when all boxes are within the limit.

    *hidden* values have no box; *names* are those of leaves, *opened* paths of modules that are not to be folded.
    """
    calls = list(calls.values())
    crowds = _crowds(calls, limit / 2)
    weights = _weights(calls, hidden, crowds)
    if sum(weights) <= limit or len(calls) < 3:
        return crowds
    modules = _modules(classes, names, opened, calls, weights, limit)
    if len({id(modules.get(call.key, call)) for call in calls}) < 3 and not opened:  # one has nearly all
        modules = {}
    names, sizes, parts, before = [], [], [], None  # of what has a box: a module, or one call
    for call, weight in zip(calls, weights, strict=True):
        module = modules.get(call.key)
        if module is None or module is not before:
            names.append(call.name if module is None else module.module or module.title)
            sizes.append(weight if module is None else 1)
            parts.append([])
        parts[-1].append(call)
        before = module
    enough = 2 * limit if modules and limit >= FEW else limit  # a smaller limit may fold larger modules
    if opened or sum(sizes) <= enough or len(parts) < 3:
        return crowds | modules
    saved, period, start, stop = _repetition(names, sizes)
    if saved and sum(sizes) - saved <= limit:
        group = Group("group", words.TIMES.format((stop - start) // period), [], names[start : start + period])
    else:  # a third of the limit stays at either end
        start = max(1, bisect_left(list(accumulate(sizes)), limit / 3))
        stop = len(parts) - max(1, bisect_left(list(accumulate(reversed(sizes))), limit / 3))
        start, stop = (start, stop) if stop - start > 1 else (1, len(parts) - 1)
        group = Group("group", "", [])
    inside, outside = sum(parts[start:stop], []), sum(parts[:start] + parts[stop:], [])
    group.calls = [call.name for call in inside]
    group.title = group.title or words.INSIDE.format(len(inside))
    seen = {value for call in outside for value in call.inputs}.union({None}, *(call.outputs for call in calls))
    leaves = {value for call in inside for value in call.inputs} - seen  # of no other call
    group.leaves = len(leaves)
    return crowds | modules | dict.fromkeys([*(call.key for call in inside), *leaves], group)


def _modules(classes, names, opened, calls, weights, limit):
    """The groups of modules, known by their parameters: key of a call or leaf -> `Group`; empty without any.

    A module stretches from the first call that uses a parameter of it or of a module in it to the last; what a numbered
    one in a container leaves to the next is its own.  As many are opened, all of one depth at a time, as the limit
    allows, and those that are to be.
    """
    spans, inside = _spans(names, calls)
    shown, mass = inside.pop("", []), [0, *accumulate(weights)]
    while shown:
        following = [each for path in shown for each in inside.get(path, [path])]
        folded = [spans[path] for path in following if spans[path][0] < spans[path][1]]
        size = mass[-1] - sum(mass[last + 1] - mass[first] - 1 for first, last in folded)
        if following == shown or size > limit and len(shown) > 1:
            asked = {path for path in shown if any(f"{each}.".startswith(f"{path}.") for each in opened)}
            if not asked:
                break
            following = [each for path in shown for each in (inside.get(path, ()) if path in asked else [path])]
        shown = following
    if not opened and mass[-1] - sum(mass[end + 1] - mass[first] - 1 for first, end in map(spans.get, shown)) > limit:
        for one, next_ in pairwise(shown):  # what lies between them goes to the one before
            spans[one] = spans[one][0], spans[next_][0] - 1
    uses = Counter((value, call.key) for call in calls for value in {*call.inputs})
    users = Counter(value for value, _ in uses)
    made, groups = {value for call in calls for value in call.outputs}, {None: None}
    for path in shown:
        inner = calls[spans[path][0] : spans[path][1] + 1]
        if len(inner) > 1:
            within = Counter(value for call in inner for value in {*call.inputs} if value not in made)
            leaves = [value for value, count in within.items() if count == users[value] and value is not None]
            kind = classes.get(path, "")
            kinds = [inner for each, inner in classes.items() if each.rpartition(".")[0] == path]
            if len(kinds) > 2 and len(set(kinds)) == 1:
                kind = f"{kinds[0]} {words.TIMES.format(len(kinds))}"
            if kind and not any(names.get(value, "").startswith(f"{path}.") for value in inner[-1].inputs):
                kind = words.UP_TO_NEXT.format(kind)  # what follows its last parameter may be of another
            group = Group(MODULE + path, path, [call.name for call in inner], leaves=len(leaves), module=kind)
            groups |= dict.fromkeys([*(call.key for call in inner), *leaves], group)
    del groups[None]
    return groups


def _spans(names, calls):
    """``({path of a module: places of its first and last call}, {path: those in it})``, "" standing for all."""
    spans, inside = {}, {}
    for place, call in enumerate(calls):
        for value in call.inputs:
            path = names.get(value, "").partition(" = ")[0].split(".")[:-1]
            for depth in range(1, len(path) + 1):
                parent, own = ".".join(path[: depth - 1]), ".".join(path[:depth])
                inside.setdefault(parent, {})[own] = None
                spans[own] = spans.get(own, (place, place))[0], place
    for parent, paths in list(inside.items()):
        inside[parent] = paths = sorted(paths, key=spans.get)
        if any(spans[one][1] >= spans[next_][0] for one, next_ in pairwise(paths)):  # they take turns
            del inside[parent]
            continue
        for one, next_ in pairwise(paths):
            if one.rpartition(".")[2].isdigit():
                spans[one] = spans[one][0], spans[next_][0] - 1
    return spans, inside


def _crowds(calls, most):
    """The groups of leaves that one call alone has, where they are more than that: key of a leaf -> `Group`."""
    uses = Counter(value for call in calls for value in call.inputs)
    uses.update({value: 2 for call in calls for value in [None, *call.outputs]})
    crowds = {}
    for call in calls:
        leaves = [value for value in call.inputs if uses[value] == 1]
        if len(leaves) > most:
            crowds |= dict.fromkeys(leaves, Group(f"leaves of {call.key}", words.LEAVES.format(len(leaves)), []))
    return crowds


def _weights(calls, hidden, crowds):
    """How many boxes each call brings along: its own, its outputs', those of leaves that no call had before it."""
    seen, weights = set(), []
    for call in calls:
        seen.update(call.outputs)
        leaves = {value for value in call.inputs if value is not None and value not in seen and value not in crowds}
        seen |= leaves
        weights.append(1 + sum(value not in hidden for value in call.outputs) + len(leaves))
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
