"""What a picture says, by the names of drawing.toml."""

from ..words import of

TEXTS = of("drawing")
globals().update(TEXTS)
HOOKED = of("microscope")["values"]["hooked"]


def counted(number, what):
    return TEXTS["COUNTED"][what][number != 1].format(number)


def count(nodes):
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    parts = [counted(number, what) for number, what in ((tensors, "tensor"), (functions, "function")) if number]
    return TEXTS["AND"].join(parts) or TEXTS["COUNTED"]["node"].format(len(nodes))
