"""The words of words.toml, or of another language, by their names there."""

from ..replay import language

TEXTS = language.translated(__file__, "drawing")
globals().update(TEXTS)


def count(nodes):
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    said = TEXTS["COUNTED"]
    parts = [said[word][number != 1].format(number) for number, word in
             ((tensors, "tensor"), (functions, "function")) if number]  # fmt: skip
    return TEXTS["AND"].join(parts) or said["node"].format(len(nodes))
