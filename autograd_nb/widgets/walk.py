"""A walk through recordings in sentences and pictures: as text, as a strip of pictures, as a page of its own."""

import json
from base64 import b64encode

from ..drawing.display import image
from ..drawing.draw import draw
from ..drawing.saving import page
from ..drawing.views import EVERYTHING, LONG, at_event, part_of, views_of
from ..microscope.files import save
from ..microscope.labels import clean, escape
from ..microscope.sentences import MOST_SHOWN
from ..words import of
from .moving import moving
from .pages import Page
from .stories import Story, first_nan, packed

SAY = of("widgets")["step"]
# a film strip's frames, most boxes in each, and whether they have values: the first of these that has room
STRIPS = (6, None, True), (4, None, True), (4, 30, True), (4, 30, False), (4, 10, False), (2, 10, False)
WHOLE = (6, None, True), (4, None, True), (2, None, True)  # for a page, which has the story's pictures anyway
ROOM = 60_000  # characters of a strip, at most
MANY = 40  # steps; a page of more opens where it matters
MOST_TURNS, ROOM_OF_TURNS = 5, 400_000  # that a page has to choose from, and the characters of the other ones
# the page's stepper gets the keys before anybody presses Tab, unless the page is part of another one
LISTENING = 'if (self === top) widget.querySelector("input[type=range]")?.focus({preventScroll: true});'


class TextStepper(Page):
    """The stepper without a notebook: `traces` are one or two recordings; `trace` is the first.

    Of a long recording with several turns of a loop it shows one, the view of this number of those named in ``views``.
    """

    files = "step"
    own_words, filled_by = SAY, "begin"  # filled_by: the function of page.js
    step, detail, speed, view, views, turns = 0, "fast", 1.0, 0, (), ()

    def __init__(self, traces, titles, arguments):
        self.given, self.titles, self.arguments = traces, titles, arguments
        if len(traces) == 1 and len(traces[0]) > LONG:
            self.turns = [each for each in views_of(traces[0]) if each.backward is None]
        if self.turns:
            self.views = [each.name for each in self.turns]
            self.view = self.turns.index(at_event(traces[0], self.turns, first_nan(traces[0])))
        self.show()

    def show(self):
        """Turn to the turn that the view names."""
        turn = self.turns[self.view % len(self.turns)] if self.turns else EVERYTHING
        self.traces = [part_of(self.given[0], turn), *self.given[1:]]
        self.trace, self.stories_by_detail = self.traces[0], {}  # it makes stories on request
        self.count = len(self.longer("fast"))

    def stories_in(self, detail):
        if detail not in self.stories_by_detail:
            self.stories_by_detail[detail] = [Story(trace, trace.steps(detail)) for trace in self.traces]
        return self.stories_by_detail[detail]

    def title(self):
        return f"{SAY['title']}: {', '.join(self.titles)}"

    def longer(self, detail):
        """The steps of the trace that has more of them."""
        return max((trace.steps(detail) for trace in self.traces), key=len)

    def as_text(self):
        return "\n".join([self.title(), *(trace.text() for trace in self.traces)])

    def as_svg(self):
        return draw(self.trace).svg

    def as_html(self):
        return self.film(image)

    def _repr_html_(self):
        return self.as_html()

    def film(self, shown, strips=STRIPS):
        """HTML of some steps of each trace, evenly apart, and all sentences; *shown* writes an SVG and its text."""
        for count, *size in strips:
            few = max(2, count // len(self.traces))
            html = "".join(self.strip(place, few, *size, shown) for place in range(len(self.traces)))
            if len(html) <= ROOM:
                break
        return html

    def strip(self, place, count, most, values, shown):
        """Some steps of a trace, in words and in pictures with at *most* so many boxes, if given; and all sentences."""
        trace, steps = self.traces[place], self.traces[place].steps()
        if not steps:
            return shown(draw(trace).svg, SAY["empty"])
        whole = most is None and self.stories_by_detail.get("fast")
        first = whole[place].begins if whole else 0
        apart, html = (len(steps) - 1 - first) / (count - 1), ""
        chosen = [steps[number] for number in sorted({first + round(place * apart) for place in range(count)})]
        story = whole[place] if whole else Story(trace, chosen, most, values)
        for step, svg in zip(chosen, story.frames(chosen), strict=True):
            where, sentence = SAY("of", step=step.index + 1, count=len(steps)), clean(step.sentence)
            line = escape(clean(trace.lines.get((step.file, step.line), "").strip()))
            code = f" <code>{line}</code>" * bool(line)
            html += f"<p><strong>{where}</strong>:{code} {escape(sentence)}</p>{shown(svg, f'{where}: {sentence}')}"
        if len(steps) > count:
            items = "".join(f"<li>{escape(clean(step.sentence))}</li>" for step in steps[:MOST_SHOWN])
            html += f"<details><summary>{SAY['all']}</summary><ol>{items}</ol></details>"
        return html

    def save(self, path, overwrite=False):
        """Write a page of its own, ``"walk.html"``, in which the stepper works without a kernel and without network.

        ``"walk.mjs"`` is a module for other people's pages, such as MyST's directive ``{anywidget}``; ``"walk.svg"`` is
        a picture that moves through the steps, of the first recording if there are two; of more than 60 steps it shows
        the last backward pass alone, in 60 frames at most, and says so.
        FileExistsError where there is a file that save() did not write, unless *overwrite* is true.
        """
        save(path, {".html": self.as_page, ".mjs": self.as_module, ".svg": self.as_moving}, overwrite)

    def as_moving(self):
        return moving(self.trace, self.title(), lambda: self.stories_in("fast")[0])

    def as_page(self):
        data = json.dumps(self.as_state())
        body = self.film(lambda svg, told: f'<div class="picture">{svg}</div>', WHOLE)
        script = f"{self.page_script()}followSystem();\nbegin(widget, JSON.parse(data.textContent));\n{LISTENING}"
        return page(self.title(), f'<div id="widget">{body}</div>', self.front_end("css"), script, data)

    def as_state(self):
        """Everything that a page without Python needs, as plain data."""
        known = {name: getattr(self, name) for name in ("detail", "speed", "titles")}
        parts, room = {self.view: None}, ROOM_OF_TURNS  # None: what is shown at first
        for place, turn in reversed([*enumerate(self.turns)]):
            if turn.turn and place not in parts and room > 0 and len(parts) < MOST_TURNS:
                other = TextStepper(self.given, self.titles, self.arguments)
                other.view, other.detail = place, self.detail
                other.show()
                parts[place] = other.packed_stories()
                room -= len(json.dumps(parts[place]))
        places = sorted(parts)
        known |= {"views": self.views and [self.views[place] for place in places], "view": places.index(self.view)}
        return known | self.packed_stories() | {"words": self.page_words(), "parts": [parts[place] for place in places]}

    def packed_stories(self):
        """The stories of all details, and the step to open at."""
        details = {detail: {
            "stories": [b64encode(packed(story)).decode() for story in self.stories_in(detail)],
            "count": len(self.longer(detail)), "ends": [step.end for step in self.longer(detail)],
        } for detail in SAY["details"]}  # fmt: skip
        return {"step": max(self.step, self.opening()), "details": details}

    def opening(self):
        """The step to open a page at: the first to see or, of many, an error, the first NaN, or the start of a pass."""
        begin, steps = min(story.begins for story in self.stories_in(self.detail)), self.longer(self.detail)
        if len(steps) <= MANY:
            return begin
        failed = [step.index for step in steps if step.kind == "Failed"]
        started = [step.index for step in steps if step.kind == "Started"]
        wrong = [step.index for step in steps if step.end > first_nan(self.trace)]
        return max([begin, *(failed[:1] or wrong[:1] or started[-1:])])
