"""`draw`: the graph behind tensors, or a trace, as a picture."""

import sys
from collections.abc import Iterable

from ..microscope import readings
from ..microscope.labels import SAY as VALUES
from ..microscope.moments import Moment
from ..microscope.names import is_module, names_in, parameters_in, written_arguments
from ..microscope.standing import Standing
from ..microscope.trace import is_trace
from . import words
from .display import Drawing
from .folding import Graph, modules_of
from .outline import Outline, Painter
from .picture import Picture
from .render import arranged
from .views import EVERYTHING, LONG, asked, at_event, part_of, views_of, whole_of

MOST, MOST_OF_MODULES = 100, 40  # about how many boxes a picture has before it is folded; with modules
WIDEST, HIGHEST, FEWEST = 1168, 1140, 4  # pixels of a picture without its title, and a number of boxes that always fits
LOW, LOWER = 560, 900  # up to this many pixels modules are not folded; the limit if they are
FEW = 8  # nearly every graph with modules is folded to this many boxes
MOST_ROOTS = 1000
NAME_LIMIT = 30  # longest expression that may stand for a name, in characters


def draw(*roots, step=None, turn=None, backward=None, params=None, model=None, values=True, saved=False,
         max_nodes=None, open=()):  # fmt: skip
    """The graph that led to *roots* as a picture: tensors, or one trace of `record`.

    Tensors may come in lists, tuples and dicts, whose keys are then their names.

    A plain picture shows what the graph still knows; the picture of a trace has every gradient on its edge. *step*:
    show a trace as it was after this one of its ``steps()``. *turn*: show this turn, counted from 1, of the loop around
    the backward passes of a trace, or all with 0; *backward*: only what led to the backward pass of this number. Of a
    long trace the last turn is shown, or its last pass where that is too wide; in a notebook one can choose. *params*:
    names of parameters, such as ``dict(model.named_parameters())``; or *model*, a module that no variable refers to.
    *values*: whether to show the values of tensors (without them a nameless box says its shape). *saved*: whether
    functions show their saved values on a second line, and not only under the pointer. *max_nodes*: about how many
    boxes to show (else as many as fit on a screen, up to 100, or 40 of modules); a larger graph is folded, modules
    first. *open*: the path of a module that stays open, such as ``"model.3"``, or several; in a notebook a click or
    Enter opens one too. TypeError for other roots, IndexError for a step, a turn or a pass that does not exist.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> print(torch.draw(y))
    The graph of y: 2 tensors and 1 function.
      x: leaf, requires grad; 5.; .grad None
      PowBackward0: function; from x; self=5.; exponent=3
      y: root, backward starts here; from PowBackward0; 125.; .grad not kept
    """
    if not roots:
        raise TypeError("draw() needs something to draw: a tensor or a trace")
    opened = (open,) if isinstance(open, str) else tuple(open)
    if is_trace(roots[0]):
        if len(roots) > 1:
            raise TypeError("draw() draws one trace at a time")
        return draw_trace(roots[0], step, turn, backward, (values, saved), max_nodes, opened)
    if (step, turn, backward) != (None, None, None):
        raise TypeError("draw(): only a trace has steps, turns and backward passes; record one with "
                        "autograd_nb.record() and draw that")  # fmt: skip
    frame = sys._getframe(1)
    try:
        classes = {}
        given = {name: each for name, each, _ in parameters_in("model", model, {}, classes)}
        given |= {name: each for root in roots if isinstance(root, dict) for name, each in root.items()}
        known = names_in(frame, (params or {}) | given, classes)
        written = written_arguments(frame, len(roots))
    finally:
        del frame
    tensors = [*outputs(roots).values()]
    for tensor in tensors:
        if not readings.is_tensor(tensor):
            advice = words.A_MODULE if is_module(tensor) else words.OUTPUTS if isinstance(tensor, Iterable) else ""
            raise TypeError(f"draw(): expected tensors or a trace, got {type(tensor).__name__}{advice}")
    if len({readings.readers[type(each)] for each in tensors}) > 1:
        raise TypeError(words.TWO_ENGINES)
    name_more(known, roots, written)
    if len(tensors) > MOST_ROOTS:
        raise ValueError(f"draw() takes at most {MOST_ROOTS:,} tensors at once, got {len(tensors):,}")
    if not tensors:
        return Drawing(Picture(VALUES["none"], words.NOTHING_THERE))
    living = Standing(tensors, known, classes).advance()
    names = [known[id(tensor)][1][0] if id(tensor) in known else words.A_TENSOR for tensor in tensors]
    title, caption = words.GRAPH_OF.format(", ".join(dict.fromkeys(names))), ""
    if len(tensors) == 1 and not living.calls:
        caption = (words.A_LEAF if tensors[0].requires_grad else words.NO_GRAPH).format(names[0])
    look = values, saved
    return Drawing(None, opened, lambda opened, view=None: captioned(living, max_nodes, opened, look, title, caption))


def outputs(roots):
    """``{id: each}`` of the contents of *roots*, taken out of lists, tuples and dicts."""
    found, waiting = {}, [roots]
    while waiting:
        root = waiting.pop()
        if root is not None and id(root) not in found:
            found[id(root)] = root
            if isinstance(root, dict | list | tuple):
                waiting += reversed(root.values() if isinstance(root, dict) else root)
    return {key: each for key, each in found.items() if not isinstance(each, dict | list | tuple)}


def captioned(whole, limit, opened, look, title, caption, moment=None):
    """``(picture, arrangement)`` of a *whole*, or of a *moment* of it; *look*: settings of `Painter`."""
    outline, picture, arrangement = fitted(whole, look, limit, opened)
    if moment is not None:
        picture, arrangement = Painter(outline, moment, *look).picture(), None
    picture.title, picture.caption = title, caption
    return picture, arrangement


def fitted(whole, look, limit=None, opened=()):
    """``(outline, picture, arrangement)`` of about this many boxes, by default as many as fit on a screen."""
    graph, most, highest = Graph(whole), MOST, HIGHEST
    if graph.classes:
        most, highest = MOST_OF_MODULES, LOW if modules_of(graph.folded(FEW)[0]) else HIGHEST
    most, found, tried = limit or most, [], None
    while True:
        outline = Outline(graph, most, opened)
        settled = limit or opened or most <= FEWEST
        if settled or outline.length() < HIGHEST and outline.boxes.keys() != tried:
            tried, picture = outline.boxes.keys(), Painter(outline, whole, *look).picture()
            found.insert(0, (outline, picture, arranged(picture)))
            width, height = found[0][2].size
            if settled or width <= WIDEST and height <= (LOWER if outline.modules else highest):
                return max(found, key=_worth)
        most = most * 4 // 5


def _worth(found):
    """How good a picture is: one that fits on a screen, or nearly, then with the most modules, then the smallest."""
    outline, _, arrangement = found
    width, height = arrangement.size
    return -max(1, width / WIDEST, height / HIGHEST), len(outline.modules), -width * height


def name_more(known, roots, written):
    for root, text in zip(roots, written, strict=False):
        if readings.is_tensor(root) and text and len(text) <= NAME_LIMIT:
            known.setdefault(id(root), (root, [text]))
    for tensor, names in list(known.values()):
        grad = readings.grad_of(tensor)
        if grad is not None:
            known.setdefault(id(grad), (grad, [f"{names[0]}.grad"]))


def draw_trace(trace, step, turn, backward, look, limit, opened):
    if not len(trace):
        return Drawing(Picture(words.TRACE, words.EMPTY_TRACE))
    wanted, shown, index = (turn, backward) != (None, None), None, len(trace)
    views = views_of(trace) if wanted or len(trace) > LONG else []
    if step is not None:
        steps = trace.steps()
        if not -len(steps) <= step < len(steps):
            raise IndexError(f"draw(): step is {step}, and the trace has {len(steps)} steps")
        shown = steps[step]
        index = shown.events[0].index
    view = asked(views, turn, backward) if wanted and not shown else at_event(trace, views, index)

    def again(opened, view=None):
        view = view or EVERYTHING
        part, moment, told = part_of(trace, view), None, []
        if shown:
            at = told = [shown]
            moment = Moment(part).advance(shown.end - (0, 0, *trace.turns)[view.turn], shown.highlights)
        else:
            at = [each for each in part if each.kind == "Started" and view.backward in (None, each.pass_number)]
            if any([each.kind == "Failed" for each in part]):
                told = [each for each in part.steps() if each.kind == "Failed"]
        title = "".join([trace.lines.get((each.file, each.line), "").strip() for each in at[-1:]])
        title = title or (words.TRACE if trace.nodes else words.COMPUTED)
        if view.turn:
            title = f"{title} ({words.TURN.format(view.turn, len(trace.turns) + 1)})"
        caption = " ".join([*(each.sentence for each in told[-1:]), trace.notice]).strip()
        return captioned(whole_of(part, view), limit, opened, look, title, caption, moment)

    if not shown and not wanted:  # a view that is too wide is shown pass by pass
        alone = [each for each in views if each.turn == view.turn and each.backward is not None]
        if alone and again(opened, view)[1].size[0] > WIDEST:
            view = alone[-1]
    return Drawing(None, opened, again, views, view)
