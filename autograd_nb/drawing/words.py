"""What a picture says, by the names of drawing.toml."""

from ..words import of

TEXTS = of("drawing")
globals().update(TEXTS)
HOOKED = of("microscope")["values"]["hooked"]


def count(nodes):
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    said = TEXTS["COUNTED"]
    parts = [said[word][number != 1].format(number) for number, word in
             ((tensors, "tensor"), (functions, "function")) if number]  # fmt: skip
    return TEXTS["AND"].join(parts) or said["node"].format(len(nodes))
