"""The steps of a story as one picture that moves: an SVG for a README or a slide, without script.

A part of the picture is visible at the same steps as in the story.  A reader who prefers no motion sees the last step,
and so does a viewer without animations.
"""

import textwrap

from ..drawing.shapes import COLOURS, QUIET, Group, Rectangle, Text
from ..drawing.svg import to_svg, write
from ..microscope.labels import clean
from ..words import of
from .stories import Story

SAY = of("widgets")["step"]
MOST, ROOM = 60, 1_000_000  # frames, and characters of the picture, at most
# frames, boxes and whether these have values, where not all fit
FEWER = (MOST, None, True), (MOST, 30, True), (40, 20, False), (20, 10, False), (8, 10, False)

LINE, MARGIN, LINES = 17, 12, 8  # pixels, and lines of a sentence at most
LETTER = 6.6  # average pixels of a sentence's letter, at most
SECONDS, END = 1.1, 1.2  # seconds of a step, and of the last one in addition


def moving(trace, title, whole):
    """The SVG of a trace: of all its steps, or else of its last backward pass, at steps evenly apart.

    ``whole()`` gives the story of all steps.
    """
    steps = trace.steps()
    if len(steps) <= MOST and len(svg := film(whole(), title)) <= ROOM:
        return svg
    starts = [place for place, step in enumerate(steps) if step.kind == "Started"]
    passed = steps[starts[-1] if starts else 0 :]
    for most, *size in FEWER:
        count = min(most, len(passed))
        chosen = [passed[(number + 1) * len(passed) // count - 1] for number in range(count)]
        svg = film(Story(trace, chosen, *size), title, SAY("brief", count=len(steps)))
        if len(svg) <= ROOM:
            break
    return svg


def film(story, title, note=""):
    """The SVG of a `Story`: below the picture the code and sentence of each step, its progress, and a *note*."""
    steps, width = story.steps[story.begins :], max(story.size[0], 420)
    letters = int((width - 2 * MARGIN) / LETTER)
    texts = [textwrap.wrap(clean(step.sentence), letters, max_lines=LINES, placeholder=" …") for step in steps]
    notes = textwrap.wrap(note, letters)
    size = width, story.size[1] + LINE * (max(map(len, texts)) + len(notes) + 2) + MARGIN
    times, rules, body = {}, {}, []  # times: {drawn thing: the numbers of its steps}
    for number, (step, parts) in enumerate(zip(steps, [*story.views()][story.begins :], strict=True)):
        code, far = story.trace.lines.get((step.file, step.line), ""), (number + 1) / len(steps)
        for drawn in (*parts, *caption(code, texts[number], far, story.size[1], size)):
            times.setdefault(drawn, []).append(number)
    for drawn, numbers in times.items():
        name = rules.setdefault(tuple(numbers), f"s{len(rules)}")
        hidden = "" if len(steps) - 1 in numbers else ' visibility="hidden"'
        body.append(f'<g class="{name}"{hidden}>{drawn}</g>')
    top = size[1] - MARGIN - LINE * len(notes)
    below = [Text(MARGIN, top + LINE * row, line, 12, QUIET, "start") for row, line in enumerate(notes)]
    svg = to_svg([*body, *below], *size, title, " ".join(clean(step.sentence) for step in steps))
    style = "".join(rule(name, numbers, len(steps)) for numbers, name in rules.items())
    still = "@media (prefers-reduced-motion: reduce){g{animation:none!important}}"
    return svg.replace("</svg>", f"<style>{style}{still}</style></svg>")


def caption(code, lines, far, top, size):
    """The line of code, the lines of the sentence, and a bar for the progress; *far*: from 0 to 1."""
    texts = [Text(MARGIN, top + LINE, clean(code.strip()), 12, QUIET, "start", mono=True)]
    texts += [Text(MARGIN, top + LINE * row, line, 12.5, anchor="start") for row, line in enumerate(lines, 2)]
    bar = Rectangle(MARGIN, size[1] - 6, (size[0] - 2 * MARGIN) * far, 3, COLOURS["gradient"].edge, None)
    return write([Group("", (*texts, bar))])


def rule(name, numbers, count):
    """The animation of a part that is visible at the steps with these *numbers*; *count*: of all steps."""
    whole = count * SECONDS + END
    frames = "".join(f"{100 * SECONDS * each / whole:.2f}%{{visibility:{'visible' if each in numbers else 'hidden'}}}"
                     for each in range(count))  # fmt: skip
    return f"@keyframes {name}{{{frames}}}.{name}{{animation:{name} {whole:.2f}s step-end infinite}}"
