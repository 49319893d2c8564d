"""What stands below every chapter's title: the big picture with "you are here", and the chapters before and after.

The picture is five panels side by side, an image each, so that each can lead to its chapter wherever images can be
links. They move once when they are loaded, one after the other, and not for those who want reduced motion. `refresh`
writes the images and the header of every notebook from here; the chapters' texts do not have it.
"""

from ..drawing.shapes import COLOURS, Circle, Path, Polygon, Rectangle, Text, pill
from ..drawing.svg import to_svg
from . import words

WIDTH, HEIGHT, MIDDLE = 146, 112, 58
# panel -> the chapter that it leads to, and the chapters that are at home in it
PARTS = {
    "record": ("02_leaves", "02 08 10 15"),
    "graph": ("14_reading_the_graph", "05 11 13 14"),
    "walk": ("03_backward", "03 06 07 12"),
    "grad": ("04_accumulation", "01 04 09"),
    "step": ("16_training", "16 18 19"),
}
REVIEWS = "04 08 12 16"  # the chapters before which four others lie
MOTION = """<style>
.go {{ opacity: 0; animation: go 0.7s {delay}s ease-in-out 1; }}
@keyframes go {{ from {{ opacity: 1; transform: translateX({start}px); }} to {{ opacity: 1; transform: none; }} }}
@media (prefers-reduced-motion: reduce) {{ .go {{ animation: none; }} }}
</style>"""


def source(stem, stems, spoken="en", translated=()):
    """The markdown of a chapter's header; `stems` are the names of all notebooks in their order. None for one alone.

    *translated*: the names of those in the chapter's own language, which stand in a folder below the others.
    """
    if len(stems) < 2:
        return None
    place, number, said = stems.index(stem), stem[:2], words.of("course", spoken)

    def file(name):
        return f"{'' if spoken == 'en' or name in translated else '../'}{name}.ipynb"

    def link(name):
        number, _, title = name.partition("_")
        title = words.of(f"ch{number}", spoken)["title"] if name in translated else title.replace("_", " ").capitalize()
        return f"[{number} {title}]({file(name)})"

    here = {part: "_here" if number in at else "" for part, (_, at) in PARTS.items()}
    panels = "".join(f"[![{text(part, spoken)}](images/map_{part}{here[part]}.svg)]({file(chapter)})"
                     for part, (chapter, _) in PARTS.items())  # fmt: skip
    links = [f"← {link(stems[place - 1])}" if place else "", f"[{said['contents']}](00_welcome.ipynb)",
             f"{link(stems[place + 1])} →" if place + 1 < len(stems) else ""]  # fmt: skip
    again = f"\n\n{said['review_now']}" if number in REVIEWS else ""
    return f"{panels}\n\n{' · '.join(filter(None, links))}{again}"


def text(part, spoken="en"):
    return ": ".join(words.of("course", spoken)["map"][part])


def images(spoken="en"):
    """(file name, SVG) of every panel, plain and as the place where the reader is."""
    for place, part in enumerate(PARTS):
        for here in (False, True):
            yield f"map_{part}{'_here' if here else ''}.svg", panel(place, part, here, spoken)


def panel(place, part, here, spoken="en"):
    title = words.of("course", spoken)["map"][part][0]
    frame = COLOURS["leaf"] if here else COLOURS["constant"]
    shapes = [Rectangle(3, 3, WIDTH - 6, HEIGHT - 6, COLOURS["leaf"].fill if here else None, frame.edge,
                        2.5 if here else 1, 6), Text(WIDTH / 2, 21, title, bold=True)]  # fmt: skip
    shapes += DRAWN[part]()
    if here:
        shapes.append(Text(WIDTH / 2, HEIGHT - 10, words.of("course", spoken)["here"], 11, frame.edge, bold=True))
    mark = COLOURS["gradient" if part in ("walk", "grad") else "leaf"].edge
    ends = {"walk": (30, 90), "grad": (73, 50)}.get(part, (116, -90))  # where the mark comes to rest, how far it came
    dot = f'<circle class="go" cx="{ends[0]}" cy="{MIDDLE}" r="6" fill="{mark}"/>'
    svg = to_svg(shapes, WIDTH, HEIGHT, title, text(part, spoken))
    return svg.replace("</svg>", MOTION.format(delay=0.2 + 0.7 * place, start=ends[1]) + "\n" + dot + "\n</svg>")


def box(x, label, ink, width=30, y=MIDDLE, radius=5):
    frame = Rectangle(x - width / 2, y - 12, width, 24, ink.fill, ink.edge, 1.5, radius)
    return [frame, Text(x, y + 4, label, mono=True)]


def arrow(start, end, ink, width=1.5, y=MIDDLE):
    turn = 1 if end > start else -1
    return [Path((("M", start, y), ("L", end - 5 * turn, y)), ink.edge, width),
            Polygon(((end, y), (end - 7 * turn, y - 4), (end - 7 * turn, y + 4)), ink.edge)]  # fmt: skip


def recorded():
    return [*arrow(38, 58, COLOURS["forward"]), *arrow(88, 106, COLOURS["forward"]), *box(24, "x", COLOURS["leaf"]),
            *box(73, "x³", COLOURS["function"], radius=0), *box(122, "y", COLOURS["tensor"])]  # fmt: skip


def graph():
    function, added = COLOURS["function"], COLOURS["accumulate"]
    return [*arrow(108, 88, COLOURS["backward"]), *arrow(60, 40, COLOURS["backward"]),
            Circle(28, MIDDLE, 12, added.fill, added.edge, 1.5), Text(28, MIDDLE + 4, "+=", mono=True),
            *box(74, "3x²", function, radius=0), *box(122, "1/y", function, radius=0)]  # fmt: skip


def walked():
    return [*arrow(106, 42, COLOURS["gradient"], 4), *pill(74, MIDDLE + 20, "∂z/∂y", COLOURS["gradient"]),
            *box(24, "x", COLOURS["leaf"]), *box(122, "z", COLOURS["tensor"])]  # fmt: skip


def added():
    grad = box(73, ".grad += 0.6", COLOURS["grad"], 112, MIDDLE + 18, 3)
    return [*box(73, "x", COLOURS["leaf"], y=MIDDLE - 8), *grad]


def stepped():
    valley = Path((("M", 18, MIDDLE - 22), ("C", 40, MIDDLE + 44, 106, MIDDLE + 44, 128, MIDDLE - 22)),
                  COLOURS["tensor"].edge, 1.5)  # fmt: skip
    ball = COLOURS["leaf"]
    before, after = Circle(38, MIDDLE + 8, 5, ball.fill, ball.edge, 1.5), Circle(73, MIDDLE + 20, 6, ball.edge)
    return [valley, before, *arrow(46, 66, ball, y=MIDDLE + 14), after]


DRAWN = {"record": recorded, "graph": graph, "walk": walked, "grad": added, "step": stepped}
