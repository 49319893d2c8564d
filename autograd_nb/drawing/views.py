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


def views_of(trace):
    """The views of a trace to choose from: its turns, each pass of a turn that has several, and all; none for one."""
    starts = [each for each in trace if each.kind == "Started" and not (each.index and trace.passes[each.index - 1])]
    spans, views = [*pairwise([0, *trace.turns, len(trace)])], []
    for number, (first, stop) in enumerate(spans, 1):
        turn, inside = number * bool(trace.turns), [each for each in starts if first <= each.index < stop]
        name = words.TURN.format(number, len(spans)) if turn else words.ALL
        views.append(PictureView(turn, None, name))
        for each in inside if len(inside) > 1 else ():
            line = trace.lines.get((each.file, each.line), "").strip()
            own = words.PASS.format(each.pass_number, line)
            views.append(PictureView(turn, each.pass_number, f"{name}, {own}" if turn else own))
    if trace.turns:
        views.append(PictureView(0, None, words.ALL))
    return views if len(views) > 1 else []


def asked(trace, views, turn, backward):
    """The view of a turn or of a pass; IndexError if there is none. Of a long trace the last turn, else None."""
    if (turn, backward) != (None, None):
        for view in views or [PictureView(0, None, "")]:
            if view.backward == backward and turn in (None, view.turn):
                return view
        what, number = ("turn", turn) if backward is None else ("backward", backward)
        raise IndexError(f"draw(): {what} is {number}, and the trace has no such one to show alone")
    return last_of(trace, views) if len(trace) > LONG else None


def last_of(trace, views):
    """The view of the last turn, or None."""
    count = len(trace.turns)
    return next((view for view in views if view.turn == (count and count + 1) and view.backward is None), None)


def at_event(trace, views, index):
    """The view of the turn that an event belongs to."""
    turn = bisect_right(trace.turns, index) + 1
    return next((view for view in views if view.turn == turn), None)


def part_of(trace, view):
    """The trace of a view's turn."""
    key = "turn", view.turn if view else 0
    if key not in trace.derived:
        trace.derived[key] = trace.turn(view.turn - 1) if view and view.turn else trace
    return trace.derived[key]


def whole_of(part, view):
    """The moment at the end of a part, or before the pass that follows the view's."""
    alone = None if view is None else view.backward
    later = [each.index for each in part if each.kind == "Started" and alone is not None
             and each.pass_number > alone and not part.passes[each.index - 1]]  # fmt: skip
    moment = Moment(part).advance(*later[:1])
    moment.is_alone = alone is not None
    return moment
