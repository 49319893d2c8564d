"""Modules in a graph: each module's first and last call; without a recording, by the names of parameters."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import groupby
from os.path import commonprefix

from ..microscope.trace import levels_of
from . import words

TURNED = "TBackward0", "PermuteBackward0", "TransposeBackward0"  # what they return still counts as a parameter


@dataclass(slots=True, eq=False)
class Stretch:
    """Calls from the first to the last within one call of a module.

    Or, without a recording, from the first to the last call that uses its parameters and none of a neighbour's.
    """

    path: str
    first: int
    last: int
    inside: list  # the stretches of modules in it; of a single module that has others, the stretches of these


def stretches(graph):
    """The stretches of the outermost modules. A call in a module without parameters stays a function."""
    uses, names, within = [], {**graph.names}, graph.scene.within
    for place, call in enumerate(graph.sequence):
        own = [names[value] for value in call.inputs if value in names]
        if own and call.name in TURNED:
            names |= dict.fromkeys(call.outputs, own[0])
        levels = within.get(call.key)
        for path in [] if levels else [path for name in own if (path := name.rpartition(".")[0])][:1]:
            levels = tuple((each, None) for each in levels_of(path, graph.classes))
        if levels:
            uses.append((place, levels, not own))
    found = _found(uses, 1, graph.alike)
    if not within:  # else it is known what ran outside
        _extend(found, graph.classes, [call.name for call in graph.sequence], [place for place, *_ in uses])
    return found


def _found(uses, depth, closed):
    found = []
    for path, run in groupby([use for use in uses if len(use[1]) >= depth], lambda use: use[1][:depth]):
        run = [*run]
        (first, _, is_bare), (last, *_) = run[0], run[-1]
        if first < last or not is_bare:
            inside = _found(run, depth + 1, closed)
            if len(inside) == 1 and inside[0].path not in closed:
                inside = inside[0].inside or inside
            found.append(Stretch(path[-1][0], first, last, inside))
    return found


def _extend(found, classes, names, places):
    """Add equal calls after equal neighbouring modules to these modules: a sum with the input, an activation."""
    tails = {}
    for each in found:
        _extend(each.inside, classes, names, places)
        if each.inside:
            each.last = max(each.last, each.inside[-1].last)
            stop = [*places, len(names)][bisect_right(places, each.last)]
            tails.setdefault(classes.get(each.path, each.path), {})[each] = names[each.last + 1 : stop]
    for like in tails.values():
        for each in like if len(like) > 1 else ():
            each.last += len(commonprefix([*like.values()]))


def repeated(classes):
    """``{path: (class of its modules, number)}`` of containers whose modules are numbered and of one class."""
    inside, found = {}, {}
    for path, kind in classes.items():
        parent, _, own = path.rpartition(".")
        inside.setdefault(parent, {})[own] = kind
    for path, own in inside.items():
        if len({*own.values()}) == 1 < len(own) and [*own] == list(map(str, range(len(own)))):
            found[path] = f"{own['0']} {words.TIMES.format(len(own))}"
    return found


def choose_stretches(found, closed, size, limit, opened):
    """The stretches to fold: outer ones, opened one whole depth at a time while the *size* allows, and those *opened*.

    The *closed* paths open only if there is nothing else; a stretch with a single module in it stays closed.
    """
    def opening(which):
        return [one for each in found for one in (each.inside if each in which else [each])]

    while which := {each for each in found if each.inside and (
            len({one.path for one in found}) == 1 or each.path not in closed and (
            len(each.inside) > 1 or each.inside[0].path in closed))}:  # fmt: skip
        deeper = opening(which)
        if len(found) > 1 and size(deeper) > limit:
            break
        found = deeper
    while which := {each for each in found if any(f"{path}.".startswith(f"{each.path}.") for path in opened)}:
        found = opening(which)
    return found
