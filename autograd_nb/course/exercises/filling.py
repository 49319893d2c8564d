"""A backward pass by hand: a drawn graph with an empty field for each gradient.

A recording of the engine gives the gradients, how each comes about, and the numbers that a learner may take for it.
"""

import contextlib
import math
import re
from functools import cached_property
from itertools import permutations

import autograd_nb as torch

from ... import words
from ...microscope.formulas import derivations
from .. import progress_file
from .item import Item
from .prediction import Prediction

BLANK = "________"  # where a page puts the field


class Filling(Prediction):
    """Asks for all gradients of the graph through which `program`, lines of code, walks back.

    Tensors have the names that they have there; the root comes first, the leaves last.

    >>> from autograd_nb import course
    >>> course.ch01.p8.answer
    {'z': 1.0, 'y': 0.125, 'x': 1.5}
    """

    choices, wrong = None, {}

    def __init__(self, program):
        Item.__init__(self)
        self.program = program

    @cached_property
    def trace(self):
        with torch.record() as trace:
            exec(compile(self.program, self.name, "exec"), {"torch": torch})
        return trace

    @property
    def answer(self):
        """{name: right number}, from the root to the leaves."""
        return {name: right for _, name, _, right in self.fields()}

    def arrivals(self):
        """(name, gradient, ways) of each tensor in the order of the pass.

        A way: (node, gradient that came, rule, gradient that goes, the rule without numbers).
        """
        trace, ways = self.trace, {}
        for event in trace:
            if event.kind not in ("Ran", "Accumulated"):
                continue
            key = trace.tensor_at((event.node, 0))
            arrived = (event.grads[0] if event.kind == "Ran" else event.grad).data
            yield trace.labels[key], arrived, ways.get(key, [])
            if event.kind == "Ran":
                record = trace.nodes[event.node]
                for each in derivations(trace, event):
                    rule = " = ".join(dict.fromkeys([each.text, each.numbers, _text(each.result.data)]))
                    way = record.name, arrived, rule, each.result.data, each.text
                    ways.setdefault(trace.tensor_at(record.edges[each.edge]), []).append(way)

    def fields(self):
        """(label, name, {number: reason}, right number) of each gradient, from the root on."""
        values = {trace_name: self.value(key) for key, trace_name in self.trace.labels.items() if trace_name}
        said, root = words.of("course")["filling"], None
        for name, right, ways in self.arrivals():
            root = root or name
            facts = {"name": name, "root": root, "value": _text(right)}
            parts = [said("way", node=node, came=_text(came), rule=rule) for node, came, rule, *_ in ways]
            key = ("root", "one", "several")[min(len(ways), 2)]
            reasons = {right: said(key, ways="; ".join(parts), **facts)}
            for wrong, key, more in [*_mistakes(values[name], ways), *_elsewhere(values, ways)]:
                reasons.setdefault(wrong, said(key, got=_text(wrong), **facts, **more))
            yield f"∂{root}/∂{name}", name, reasons, right

    def value(self, key):
        made = [value for event in self.trace if event.kind == "Operation"
                for tensor, value in zip(event.outputs, event.values, strict=True) if tensor == key]  # fmt: skip
        return (made[-1] if made else self.trace.tensors[key].value).data

    def picture(self):
        """The graph as SVG before backward, with a field under each value that gets a gradient."""
        from ...drawing import words as signs
        from ...drawing.render import render
        from ...drawing.svg import to_svg

        before = [step.index for step in self.trace.steps() if step.kind == "Operation"]
        picture = torch.draw(self.trace, step=before[-1]).picture
        picture.title, picture.caption, labels = "", "", {name: label for label, name, *_ in self.fields()}
        for place, node in enumerate(picture.nodes):
            node = node._replace(signs=[sign for sign in node.signs if sign != "current"])
            if node.title in labels:
                node = node._replace(lines=[*node.lines, f"{labels[node.title]} =", BLANK], notes=())
            picture.nodes[place] = node
        shapes, size = render(picture)
        return to_svg(shapes, *size, signs.GRAPH, self.words["question"])

    def card(self, turn=""):
        from ...widgets.predict import Gradients  # widgets load with the first card, not with the chapter

        return Gradients(self.words["question"], list(self.fields()), self.picture(), f"autograd_nb.course.{self.name}",
                         **progress_file.kept_prediction(self.name))  # fmt: skip


class Kept(Filling):
    """The same picture after backward: does each `.grad` hold a number or None (nan here), and which?

    >>> from autograd_nb import course
    >>> course.ch02.p3.answer
    {'z': nan, 'y': nan, 'x': 1.5}
    """

    def fields(self):
        said, trace = words.of("course")["filling"], self.trace
        leaves = {trace.labels[key] for key, tensor in trace.tensors.items() if tensor.is_leaf}
        for name, arrived, _ in self.arrivals():
            pairs = [(math.nan, "dropped"), (arrived, "passed")]
            if name in leaves:
                pairs = [(arrived, "kept"), (math.nan, "is_leaf")]
            reasons = {number: said(key, name=name, value=_text(arrived)) for number, key in pairs}
            yield f"{name}.grad", name, reasons, pairs[0][0]


class SavedNumbers(Filling):
    """The same picture before backward: which number does each operation have to keep for its slope?

    >>> from autograd_nb import course
    >>> course.ch03.p9.answer
    {'LogBackward0': 8.0, 'PowBackward0': 2.0}
    """

    def fields(self):
        said, labels = words.of("course")["filling"], self.trace.labels
        rules = {node: rule for _, _, ways in self.arrivals() for node, _, rule, *_ in ways}
        for used in (event for event in self.trace if event.kind == "Used"):  # a node reads a tensor that it saved
            node, right, name = self.trace.nodes[used.node].name, used.value.data, labels[used.tensor]
            facts = {"node": node, "rule": rules[node], "name": name}
            reasons = {right: said("saves", value=_text(right), **facts)}
            for key, other in labels.items():
                facts |= {"got": _text(self.value(key)), "other": other}
                reasons.setdefault(self.value(key), said("saves_other", **facts))
            yield said("keeps", node=node), node, reasons, right


def _mistakes(value, ways):
    """(number, key, facts) of each number that a learner may take for a gradient, the most telling first."""
    for node, came, _, gives, _ in ways:
        facts = {"node": node, "came": _text(came), "slope": _text(gives / came)}
        if len(ways) > 1:
            yield gives, "path", facts
        yield gives / came, "slope", facts
        yield came, "came", facts
        yield came * value, "own", facts
        if came != 1:
            yield came + gives / came, "added", facts
    yield value, "value", {}


def _elsewhere(values, ways):
    """The same for a rule that took another tensor's value: 1 / x where the slope is 1 / y."""
    for node, came, _, _, text in ways:
        formula = re.sub("[²³]", lambda power: "**" + str("²³".index(power[0]) + 2), (text or "").replace("·", "*"))
        for needs, other in permutations(values, 2):
            if re.search(rf"\b{needs}\b", formula):
                facts = {"node": node, "other": other, "needs": needs, "at": _text(values[needs])}
                moved = values | {needs: values[other], "grad_output": came}
                with contextlib.suppress(ArithmeticError, NameError, SyntaxError, TypeError, ValueError):
                    yield eval(formula, vars(math) | moved), "elsewhere", facts


def _text(value):
    return f"{value:g}"
