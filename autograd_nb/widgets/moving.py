"""The steps of a story as one picture that moves: an SVG for a README or a slide, without script.

A part of the picture is visible at the same steps as in the story.  A reader who prefers no motion sees the last step,
and so does a viewer without animations.
"""

import textwrap

from ..drawing.shapes import COLOURS, QUIET, Rectangle, Text
from ..drawing.svg import to_svg
from ..microscope.labels import clean
from .stories import markup_of

LINE, MARGIN = 17, 12  # pixels
LETTER = 6.6  # average pixels of a sentence's letter, at most
SECONDS, END = 1.1, 1.2  # seconds of a step, and of the last one in addition


def moving(story, title):
    """The SVG of a `Story`: below the picture the code and sentence of each step, and its progress."""
    steps, width = story.steps[story.begins :], max(story.size[0], 420)
    texts = [textwrap.wrap(clean(step.sentence), int((width - 2 * MARGIN) / LETTER)) for step in steps]
    size = width, story.size[1] + LINE * (max(map(len, texts)) + 2) + MARGIN
    times, shown, rules, body = {}, {}, {}, []  # times: {drawn thing: the numbers of its steps}
    for number, changed in enumerate(story.changes, -story.begins):
        shown |= changed
        if number >= 0:
            step, far = steps[number], (number + 1) / len(steps)
            code = story.trace.lines.get((step.file, step.line), "")
            forms = [story.slots[slot]["forms"][form] for slot, form in shown.items() if form >= 0]
            for drawn in (*forms, caption(code, texts[number], far, story.size[1], size)):
                times.setdefault(drawn, []).append(number)
    for drawn, numbers in times.items():
        name = rules.setdefault(tuple(numbers), f"s{len(rules)}")
        hidden = "" if len(steps) - 1 in numbers else ' visibility="hidden"'
        body.append(f'<g class="{name}"{hidden}>{drawn}</g>')
    svg = to_svg(body, *size, title, " ".join(clean(step.sentence) for step in steps))
    style = "".join(rule(name, numbers, len(steps)) for numbers, name in rules.items())
    still = "@media (prefers-reduced-motion: reduce){g{animation:none!important}}"
    return svg.replace("</svg>", f"<style>{style}{still}</style></svg>")


def caption(code, lines, far, top, size):
    """The line of code, the lines of the sentence, and a bar for the progress; *far*: from 0 to 1."""
    texts = [Text(MARGIN, top + LINE, clean(code.strip()), 12, QUIET, "start", mono=True)]
    texts += [Text(MARGIN, top + LINE * row, line, 12.5, anchor="start") for row, line in enumerate(lines, 2)]
    bar = Rectangle(MARGIN, size[1] - 6, (size[0] - 2 * MARGIN) * far, 3, COLOURS["gradient"].edge, None)
    return markup_of(("", (*texts, bar)))


def rule(name, numbers, count):
    """The animation of a part that is visible at the steps with these *numbers*; *count*: of all steps."""
    whole, frames = count * SECONDS + END, ""
    for number in range(count):
        seen = "visible" if number in numbers else "hidden"
        frames += f"{100 * SECONDS * number / whole:.2f}%{{visibility:{seen}}}"
    return f"@keyframes {name}{{{frames}}}.{name}{{animation:{name} {whole:.2f}s step-end infinite}}"
