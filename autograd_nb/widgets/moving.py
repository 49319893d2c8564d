"""The steps of a story as one picture that moves: an SVG for a README or a slide, without script.

Each form of a part of the picture is shown at those steps at which the story shows it.  Whoever prefers no motion, and
a viewer that knows none, sees the last step.
"""

import textwrap

from ..drawing.shapes import COLOURS, QUIET, Group, Rectangle, Text
from ..drawing.svg import to_svg, write
from ..microscope.labels import clean

LINE, MARGIN, TRACK = 17, 12, "#E5E7EB"  # pixels, pixels; behind how far the steps are
LETTER = 6.6  # pixels that a letter of a sentence takes at most, on the average
READING = 0.016  # seconds for a letter of a sentence
LEAST, MOST = 0.8, 1.2  # seconds for a step
END = 1.2  # seconds more for the last one


def moving(story, title):
    """The SVG of a `Story`: code and sentence of each step below its picture, and how far it is."""
    steps = story.steps[story.begins :]
    ends = times(steps)
    width = max(story.size[0], 420)
    under, height = captions(steps, story, width)
    parts, shown = [], {}
    for number, changed in enumerate(story.changes):
        shown |= changed
        if number >= story.begins:
            for slot, form in shown.items():
                if form >= 0:
                    parts.append((story.slots[slot]["forms"][form], number - story.begins))
    seen = {}  # {what is drawn: the steps at which it is}
    for drawn, number in [*parts, *under]:
        seen.setdefault(drawn, []).append(number)
    rules, last = {}, len(steps) - 1
    body = []
    for drawn, numbers in seen.items():
        if len(numbers) == len(steps):
            body.append(drawn)
            continue
        name = rules.setdefault(tuple(numbers), f"s{len(rules)}")
        hidden = "" if last in numbers else ' visibility="hidden"'
        body.append(f'<g class="{name}"{hidden}>{drawn}</g>')
    svg = to_svg(body, width, height, title, " ".join(clean(step.sentence) for step in steps))
    return svg.replace("</svg>", f"<style>{style(rules, ends)}</style></svg>")


def times(steps):
    """When each step ends, in seconds."""
    ends = [0.0]
    for step in steps:
        ends.append(ends[-1] + min(max(LEAST, READING * len(step.sentence)), MOST))
    return [*ends[1:-1], ends[-1] + END]


def style(rules, ends):
    """The animations: what belongs to some steps is visible from their begins to their ends."""
    starts, whole, texts = [0.0, *ends[:-1]], ends[-1], []
    for numbers, name in rules.items():
        marks = {0.0: 0 in numbers}
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            marks[start], marks[end] = number in numbers, number + 1 in numbers
        frames = "".join(f"{100 * moment / whole:.2f}%{{visibility:{'visible' if on else 'hidden'}}}"
                         for moment, on in marks.items() if moment < whole)  # fmt: skip
        texts.append(f"@keyframes {name}{{{frames}}}.{name}{{animation:{name} {whole:.2f}s step-end infinite}}")
    return "".join(texts) + "@media (prefers-reduced-motion: reduce){g{animation:none!important}}"


def captions(steps, story, width):
    """([(what is drawn, number of the step)], height of all): line of code, sentence, and how far the steps are."""
    letters, top = int((width - 2 * MARGIN) / LETTER), story.size[1]
    wrapped = [textwrap.wrap(clean(step.sentence), letters) for step in steps]
    height, drawn = top + LINE * (max(map(len, wrapped)) + 2) + MARGIN, []
    for number, (step, lines) in enumerate(zip(steps, wrapped, strict=True)):
        code = clean(story.trace.lines.get((step.file, step.line), "").strip())
        texts = [Text(MARGIN, top + LINE, code, 12, QUIET, "start", mono=True)]
        texts += [Text(MARGIN, top + LINE * (2 + row), line, 12.5, anchor="start") for row, line in enumerate(lines)]
        across = (width - 2 * MARGIN) / len(steps)
        bar = Rectangle(MARGIN, height - 6, across * (number + 1), 3, COLOURS["gradient"].edge, None)
        drawn.append((write(Group("", (*texts, bar)), False), number))
    track = write(Group("", (Rectangle(MARGIN, height - 6, width - 2 * MARGIN, 3, TRACK, None),)), False)
    return [(track, number) for number in range(len(steps))] + drawn, height
