"""What a picture shows of a long trace: one turn of the loop around its backward passes, or one pass of a turn."""

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from ..microscope.moments import Moment
from . import words

LONG = 200  # events of a recording; a longer one is shown turn by turn


class PictureView(NamedTuple):
    """A *turn* of a trace's loop, 0 for all of them, and there perhaps the number of one *backward* pass alone."""

    turn: int
    backward: int | None
    name: str


EVERYTHING = PictureView(0, None, words.ALL)


def views_of(trace):
    """The views of a trace to choose from: its turns, each pass of a turn that has several, and all; none for one."""
    starts = [each for each in trace if each.kind == "Started" and not (each.index and trace.passes[each.index - 1])]
    spans, views = [*pairwise([0, *trace.turns, len(trace)])], []
    for turn, (first, stop) in enumerate(spans, bool(trace.turns)):
        name = words.TURN.format(turn, len(spans)) if turn else ""
        inside = [each for each in starts if first <= each.index < stop]
        views.append(PictureView(turn, None, name or words.ALL))
        for each in inside if len(inside) > 1 else ():
            own = words.PASS.format(each.pass_number, trace.lines.get((each.file, each.line), "").strip())
            views.append(PictureView(turn, each.pass_number, ", ".join(filter(None, (name, own)))))
    views += [EVERYTHING] * bool(trace.turns)
    return views if len(views) > 1 else []


def asked(views, turn, backward):
    """The view of a turn or of a pass; IndexError if there is none."""
    for view in views or [EVERYTHING]:
        if view.backward == backward and turn in (None, view.turn):
            return view
    what, number = ("turn", turn) if backward is None else ("backward", backward)
    raise IndexError(f"draw(): {what} is {number}, and the trace has no such one to show alone")


def at_event(trace, views, index):
    """The view of the turn that an event belongs to; of the whole trace if it has no turns."""
    turn = bisect_right(trace.turns, index) + 1
    return next((view for view in views if view.turn == turn), EVERYTHING)


def part_of(trace, view):
    """The trace of a view's turn."""
    key = "turn", view.turn
    if key not in trace.derived:
        trace.derived[key] = trace.turn(view.turn - 1) if view.turn else trace
    return trace.derived[key]


def whole_of(part, view):
    """The moment at the end of a part, or before the pass that follows the view's."""
    alone = view.backward is not None
    later = [each.index for each in part if alone and each.kind == "Started" and each.pass_number > view.backward
             and not part.passes[each.index - 1]]  # fmt: skip
    moment = Moment(part).advance(*later[:1])
    moment.is_alone = alone
    return moment
