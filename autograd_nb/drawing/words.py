"""The texts of pictures, by their names in drawing.toml."""

from ..words import of

TEXTS = of("drawing")
globals().update(TEXTS)
HOOKED = of("microscope")["values"]["hooked"]


def counted(**numbers):
    """Each number that is not 0, with its noun."""
    return [TEXTS["COUNTED"][what][number != 1].format(number) for what, number in numbers.items() if number]


def count(nodes):
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    return TEXTS["AND"].join(counted(tensor=tensors, function=functions)) or TEXTS["COUNTED"]["node"].format(len(nodes))
