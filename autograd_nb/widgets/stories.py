"""A trace as a story for a view: all the forms of each part of its picture, and the form of each part at each step.

The outline of the picture has the parts of all steps; each step has the changes of its events.  Boxes and
arrows that look the same after two steps are one form.  A view puts all forms into the page once, and then shows and
hides them.  The layout has room for the largest form of everything, so that nothing moves from step to step.
"""

import json
import textwrap
import zlib
from itertools import chain

import numpy as np

from ..drawing.draw import fitted
from ..drawing.legend import legend_of
from ..drawing.outline import Painter
from ..drawing.picture import Picture
from ..drawing.render import Arrangement
from ..drawing.svg import to_svg, write
from ..microscope.events import Value
from ..microscope.labels import in_line, precise
from ..microscope.moments import Moment
from ..words import of

SAY = of("widgets")["step"]
FEW, MOST_GOALS = 40, 200  # steps to go through one by one, and goals to choose from in a longer story


def story_as_data(story):
    """A story as plain data: slots and forms of the picture, sentences, code, values, and changes by step."""
    trace, code = story.trace, story.trace.code
    places = {place: number for number, (place, _) in enumerate(code)}
    texts = textwrap.dedent("\n".join(text for _, text in code)).split("\n")
    names = {key: label for key, label in trace.labels.items() if label}
    rows = [{key: row_of(trace.tensors[key], entry) for key, entry in entries.items() if key in names}
            for entries in story.entries]  # fmt: skip
    picture = pictured(story)
    steps = [{"sentence": step.sentence, "line": places.get((step.file, step.line), -1), "rows": news} | shown
             for step, shown, news in zip(story.steps, picture["steps"], rows[1:], strict=True)]  # fmt: skip
    picture |= {"places": goals(trace, story.steps)} if len(steps) > FEW else {}
    return picture | {
        "steps": steps, "notice": trace.notice, "names": names, "first": rows[0],
        "code": [{"file": file, "number": number, "text": text}
                 for ((file, number), _), text in zip(code, texts, strict=False)],
    }  # fmt: skip


def pictured(story):
    """The picture of a story as plain data: its slots, their forms, and the changes and highlights of each step."""
    steps = [{"picture": changed, "lit": list(step.highlights)}
             for step, changed in zip(story.steps, story.changes, strict=True)]  # fmt: skip
    return {"size": story.size, "slots": story.slots, "steps": steps, "legend": story.legend}


def goals(trace, steps):
    """``[text, number of a step]`` of goals in a long story: passes, the first NaN, gradients."""
    found, wrong = {}, first_nan(trace)
    for place, step in enumerate(steps):
        for event in step.events:
            if event.kind == "Started":
                found.setdefault(SAY("pass", number=event.pass_number), place)
            elif event.kind == "Accumulated" and trace.labels.get(event.tensor):
                found.setdefault(f"{trace.labels[event.tensor]}.grad", place)
            if event.index == wrong:
                found[SAY["nan"]] = place
    return [*map(list, found.items())][:MOST_GOALS]


def first_nan(trace):
    """The index of the first event that has a NaN, or the number of events."""
    if "nan" not in trace.derived:
        trace.derived["nan"] = next((event.index for event in trace if any(
            np.isnan(value.array).any() if value.is_whole else value.nans for value in values_of(event))), len(trace))
    return trace.derived["nan"]


def values_of(event):
    for held in event:
        yield from (each for each in (held if isinstance(held, tuple) else (held,)) if isinstance(each, Value))


class Story:
    """The moments of a trace after some of its *steps*: the slots of their picture, and the changes of each step.

    A step has an ``end``, how many events there were by then, and ``highlights``, the keys of its tensors and calls.
    ``changes`` has ``{slot: form}`` for each step, -1 for nothing; ``entries`` has those of the tensors
    before the first step, and after each step those that changed.  ``boxes`` and ``lanes`` have the forms of every
    slot, a box by its key and a lane as a tuple of edges.  ``begins`` is the first step with something to see.
    """

    def __init__(self, trace, steps, limit=None, values=True):
        self.trace, self.steps, self.boxes, self.lanes = trace, steps, {}, {}
        moment = self.moment()
        painter = Painter(self.outline(limit, values), moment, values)
        known, shown = dict(moment.entries), {}
        self.entries, changes = [known.copy()], []
        for step in steps:
            changed = self.advance(moment, step).changes()
            forms = self.forms(painter, changed)
            changes.append({slot: form for slot, form in forms.items() if shown.get(slot) != form})
            shown |= forms
            self.entries.append({})
            for key in sorted(changed & moment.entries.keys()):
                if moment.entries[key] != known.get(key):
                    self.entries[-1][key] = known[key] = moment.entries[key]
        arrangement = self.arranged()
        boxes, lanes = arrangement.groups()
        self.size = arrangement.size
        self.slots = [{"kind": "lane", "keys": [slot.source, slot.target],
                       "forms": [*map("".join, map(write, forms))]}
                      for slot, forms in zip(self.lanes, lanes, strict=True)]  # fmt: skip
        self.slots += [{"kind": "box", "keys": [key], "forms": write(forms)} for key, forms in boxes.items()]
        places = {slot: place for place, slot in enumerate([*self.lanes, *self.boxes])}
        self.changes = [{places[slot]: form for slot, form in news.items()} for news in changes]
        self.begins = next((place for place, news in enumerate(self.changes) if news), 0)
        whole = Picture(nodes=chain(*self.boxes.values()), lanes=chain(*self.lanes.values()))
        self.legend = legend_of(whole)

    def moment(self):
        return Moment(self.trace)

    def outline(self, limit, values):
        """The outline of the whole recording, made once."""
        derived, key = self.trace.derived, ("outline", limit, values)
        if key not in derived:
            derived[key] = fitted(self.moment().advance(), (values,), limit)[0]
        return derived[key]

    def advance(self, moment, step):
        """Bring a moment to the end of a step."""
        return moment.advance(step.end, step.highlights)

    def arranged(self):
        return Arrangement(self.boxes, self.lanes.values())

    def forms(self, painter, changed):
        """``{slot: form}`` of the boxes and lanes that may have changed, -1 for one that is absent."""
        boxes, lanes = painter.changes(changed)
        drawn = [(self.boxes, key, painter.node(key)) for key in filter(painter.is_there, boxes)]
        drawn += [(self.lanes, lane, painter.edges(lane)) for lane in lanes]
        found = {}
        for slots, slot, look in drawn:
            if look:
                forms = slots.setdefault(slot, [])
                forms += [look] * (look not in forms)
                found[slot] = forms.index(look)
            elif slot in slots:
                found[slot] = -1
        return found

    def frames(self, chosen):
        """An SVG for each of the *chosen* steps; all have the same size, and every box has the same place in them."""
        views = zip(self.steps, self.views(), strict=True)
        return (to_svg(parts, *self.size) for step, parts in views if step in chosen)

    def views(self):
        """The markup of what is visible after each step."""
        shown = {}
        for changed in self.changes:
            shown |= changed
            yield [slot["forms"][shown[place]] for place, slot in enumerate(self.slots) if shown.get(place, -1) >= 0]


def packed(story):
    text = json.dumps(story_as_data(story), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 6)


def row_of(record, entry):
    """The cells of a tensor's row: value, .grad, flags, and the same in more digits."""
    value, grad = entry["value"], entry["grad"]
    so = {"leaf": record.is_leaf, "retained": record.retains_grad, "needs_grad": record.requires_grad,
          "version": entry["version"], "cut": entry["cut"], "place": record.place}  # fmt: skip
    flags = [SAY(name, **{name: it}) for name, it in so.items() if it]
    return [in_line(value) if value is not None else SAY["unknown"], in_line(grad), ", ".join(flags),
            *("" if each is None else precise(each) for each in (value, grad))]  # fmt: skip
