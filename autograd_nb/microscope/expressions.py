"""Titles of results that nobody gave a name: the expression that made each, such as "x**3" or "sin(x)".

Operands keep their own names; in a long expression they become "…".  No two results of one graph have the same title:
a second "x**3" is "x**3 #2".
"""

import re
from functools import lru_cache

from . import labels

LONGEST = 24  # characters of an expression, at most
UNKNOWN = "…"
BETWEEN = {"add": " + ", "sub": " - ", "mul": " * ", "div": " / ", "pow": "**", "mm": " @ ", "mv": " @ ", "bmm": " @ ",
           "dot": " @ ", "matmul": " @ "}  # fmt: skip
OTHERWISE = {"neg": "-{}", "reciprocal": "1 / {}", "t": "{}.T"}
SIGNS = (" #", "("), (" + ", " - "), (" * ", " / ", " @ "), ("**", "-")
ATOM = len(SIGNS)
ARGUMENTS = ("self", "exponent", "other")  # of operators; a number among them is a constant of the node


def expression(name, operands, constants=()):
    """The text of a call, from the name of its row or Function, its operands by parameter, and its node's constants."""
    plain, constants = labels.plain_name(name), dict(constants)
    operands = {each: labels.number(constants[each]) if text == UNKNOWN and each in constants else text
                for each, text in operands.items()}  # fmt: skip
    if plain == "select" and constants.get("dim") == 0:
        return f"{inside(*operands.values())}[{constants['index']}]"
    if plain in ("pow", "rsub") and constants:
        numbers = {each: labels.number(it) for each, it in constants.items() if isinstance(it, int | float)} | operands
        operands = {each: numbers[each] for each in ARGUMENTS if each in numbers}
    texts = list(operands.values())
    if plain == "rsub":
        plain, texts = "sub", texts[::-1]
    for shown in (texts, [text if re.fullmatch(r"[\w.−]+", text) else UNKNOWN for text in texts]):
        if plain in BETWEEN and len(texts) == 2:
            sign = BETWEEN[plain]
            own = strength(sign)
            text = sign.join(inside(each, own + (place or own > 2)) for place, each in enumerate(shown))
        elif plain in OTHERWISE and len(texts) == 1:
            text = OTHERWISE[plain].format(inside(*shown))
        else:
            text = f"{plain}({', '.join(shown)})"
        if len(text) <= LONGEST:
            return text
    return f"{plain}({UNKNOWN})"


@lru_cache
def strength(text):
    """How strongly the outermost part of an expression holds together: its place in SIGNS."""
    while text != (text := re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", text)):
        pass
    return next((place for place, signs in enumerate(SIGNS) if any(sign in text for sign in signs)), ATOM)


def inside(text, least=ATOM):
    """An expression as part of another one; it gets parentheses if it holds together less strongly than *least*."""
    return f"({text})" if strength(text) < least else text


def unlike(text, taken):
    """A text, with a number if somebody took it already; *taken* counts how often each text was given."""
    taken[text] = taken.get(text, 0) + 1
    return text if taken[text] == 1 else unlike(f"{text} #{taken[text]}", taken)


def saved_numbers(edges, saved):
    """``(parameter, value)`` of the numbers that a node with these edges *saved* in place of a tensor."""
    if None not in [below for below, _ in edges]:
        return []
    return [(each.name, each.values) for each in saved if isinstance(each.values, int | float)]


class Titles(dict):
    """``{key of a tensor, or place (node, output number): title}``, "" where nothing is known.

    A tensor's title is its label; without one, the expression that made it, which stands under the node's key.
    """

    def __init__(self, trace):
        self.trace, self.taken = trace, {}
        self.update({key: unlike(label, self.taken) for key, label in trace.labels.items() if label})
        made = {event.node for event in trace if event.kind == "Operation"}
        for key, record in trace.nodes.items():
            if key not in made and record.leaf is None:
                self.add(record)
        for event in trace:
            if event.kind == "Operation":
                self.add_results(event)

    def __missing__(self, key):
        if key.__class__ is not tuple:  # a tensor, or the result of a node whose gradient goes the same way
            record = self.trace.tensors.get(key)
            return self[record.node, record.output] if record else ""
        node, number = key
        tensor = self.trace.outputs.get(key)
        if tensor in self or node not in self:
            return self.get(tensor, "")
        return self[node] + (f"[{number}]" if number else "")

    def add(self, record, inputs=()):
        read, count = self.trace.operands.get(record.key, {}), len(record.inputs)
        inputs = inputs if len(inputs) == count else [None] * count
        operands = {name: self.get(tensor) or self[edge] or self.get(read.get(name)) or UNKNOWN
                    for name, edge, tensor in zip(record.inputs, record.edges, inputs, strict=False)}  # fmt: skip
        name = record.row or re.sub(r"Backward\d*$", "", record.name)
        self[record.key] = unlike(expression(name, operands, record.constants), self.taken)

    def add_results(self, event):
        inputs = [self.get(key, UNKNOWN) for key in event.inputs]
        if event.node in self.trace.nodes and any(key not in self for key in event.outputs):
            self.add(self.trace.nodes[event.node], event.inputs)
        for number, key in enumerate(event.outputs):
            if key not in self:
                made = expression(event.name, dict(enumerate(inputs)))
                self[key] = self[event.node, number] or unlike(made, self.taken)
