"""The picture below every chapter's title, the big picture with "you are here", and the chapters before and after.

The picture is five panels side by side, an image each, so that each can link to its chapter wherever images can be
links. They move once when they load, one after the other, unless the reader wants reduced motion. tests/refresh.py puts
the header into every notebook, and writes the images; the chapters' texts do not have it.
"""

from .. import words

# panel -> the chapter that it links to, and the chapters that belong to it
PARTS = {
    "record": ("02_leaves", "02 08 10 15"),
    "graph": ("14_reading_the_graph", "05 11 13 14"),
    "walk": ("03_backward", "01 03 06 07 09 12 20 21"),
    "grad": ("04_accumulation", "04"),
    "step": ("16_training", "16 18 19"),
}
REVIEWS = "04 08 12 16"  # each comes after four others


def source(stem, titles, spoken="en"):
    """The markdown of a chapter's header; `titles` are those of all notebooks by name. None for a notebook alone."""
    if len(titles) < 2:
        return None
    stems, number, said = sorted(titles), stem[:2], words.of("course", spoken)
    place = stems.index(stem)

    def link(name):
        return f"[{titles[name]}]({name}.ipynb)"

    here = {part: "_here" if number in at else "" for part, (_, at) in PARTS.items()}
    panels = "".join(f"[![{text(part, spoken)}](images/map_{part}{here[part]}{ending(spoken)})]({chapter}.ipynb)"
                     for part, (chapter, _) in PARTS.items())  # fmt: skip
    links = [f"← {link(stems[place - 1])}" if place else "", f"[{said['contents']}](00_welcome.ipynb)",
             f"{link(stems[place + 1])} →" if place + 1 < len(stems) else ""]  # fmt: skip
    again = f"\n\n{said['review_now']}" if number in REVIEWS else ""
    return f"{panels}\n\n{' · '.join(filter(None, links))}{again}"


def text(part, spoken="en"):
    return ": ".join(words.of("course", spoken)["map"][part])


def ending(spoken):
    return ".svg" if spoken == "en" else f".{spoken}.svg"
