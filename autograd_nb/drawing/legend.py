"""The marks of the visual language in one small picture, each box saying what it is."""

from . import words
from .display import Drawing
from .model import Picture


def legend():
    """A picture of every kind of box and edge, with its name.

    >>> print(legend().text.splitlines()[0])
    How to read the pictures: 6 tensors and 3 functions.
    """
    say = words.LEGEND
    picture = Picture(words.LEGEND_TITLE, caption=words.LEGEND_CAPTION)
    picture.node("leaf", "leaf", title=say["leaf"], lines=[say["value"]], grad=say["grad"])
    picture.node("constant", "constant", title=say["constant"], lines=[say["value"]])
    picture.node("add", "accumulate", title="AccumulateGrad")
    picture.node("function", "function", title=say["function"], lines=[say["saved"]])
    picture.node("tensor", title=say["tensor"], lines=[say["value"]], flags=[words.RETAINED])
    picture.node("freed", "function", title=say["freed"], freed=True)
    picture.node("root", "root", title=say["root"], lines=[say["value"]])
    picture.node("cut", "constant", title=say["copy"], lines=[say["value"]])
    picture.node("view", title=say["view"], lines=[say["value"]])
    picture.node("error", "function", title=say["failing"], error=say["error"])
    picture.node("group", "group", title=say["group"], lines=[say["inside"]])
    for ends in (("leaf", "function"), ("constant", "function"), ("function", "tensor"), ("tensor", "freed"),
                 ("freed", "root"), ("cut", "error"), ("group", "error")):  # fmt: skip
        picture.edge(*ends)
    picture.edge("root", "freed", "gradient", say["gradient"])
    picture.edge("freed", "tensor", "gradient", say["gradient"])
    picture.edge("tensor", "function", "gradient", hook=say["hook"])
    picture.edge("function", "add", "gradient", say["gradient"])
    picture.edge("add", "leaf", "gradient", say["sum"])
    picture.edge("tensor", "cut", "cut", say["cut"])
    picture.edge("tensor", "view", "view", say["shared"])
    picture.edge("error", "cut", "backward", say["open"])
    return Drawing(picture)
