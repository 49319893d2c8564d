"""A walk through recordings in sentences and pictures: as text, as a strip of pictures, as a page of its own."""

import json
from base64 import b64encode

from ..drawing.display import image
from ..drawing.draw import draw
from ..drawing.saving import page
from ..microscope.files import save
from ..microscope.labels import clean, escape
from ..microscope.sentences import MOST_SHOWN
from ..words import of
from .moving import moving
from .pages import Page
from .stories import Story, packed

SAY = of("widgets")["step"]
# a film strip's frames, most boxes in each, and whether they have values: the first of these that has room
STRIPS = (6, None, True), (4, None, True), (4, 30, True), (4, 30, False), (4, 10, False), (2, 10, False)
WHOLE = (6, None, True), (4, None, True), (2, None, True)  # for a page, which has the story's pictures anyway
ROOM = 60_000  # characters of a strip, at most
LONG = 40  # steps; a page of more opens at its last backward pass
# the page's stepper gets the keys before anybody presses Tab, unless the page is part of another one
LISTENING = 'if (self === top) widget.querySelector("input[type=range]")?.focus({preventScroll: true});'


class TextStepper(Page):
    """The stepper without a notebook: `traces` are one or two recordings; `trace` is the first."""

    files = "step"
    own_words, filled_by = SAY, "begin"  # filled_by: the function of page.js
    step, detail, speed = 0, "fast", 1.0

    def __init__(self, traces, titles, arguments):
        self.traces, self.titles, self.arguments = traces, titles, arguments
        self.trace, self.stories_by_detail = traces[0], {}  # it makes stories on request
        self.count = max(len(trace.steps()) for trace in traces)

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
        whole = self.stories_by_detail.get("fast") if most is None else None
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
        the last backward pass alone, one frame for each module, and says so.
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
        details = {detail: {
            "stories": [b64encode(packed(story)).decode() for story in self.stories_in(detail)],
            "count": len(self.longer(detail)), "ends": ends_of(self.longer(detail)),
        } for detail in SAY["details"]}  # fmt: skip
        known = {name: getattr(self, name) for name in ("detail", "speed", "titles")}
        begin, steps = min(story.begins for story in self.stories_in(self.detail)), self.longer(self.detail)
        if len(steps) > LONG:
            begin = max([begin, *(step.index for step in steps if step.kind == "Started")])
        return known | {"step": max(self.step, begin), "words": self.page_words(), "details": details}


def ends_of(steps):
    return [step.end for step in steps]
