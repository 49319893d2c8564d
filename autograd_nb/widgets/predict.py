"""A card that asks for a prediction before a cell runs; it says why an answer is right, or what a wrong one would mean.

The answer's type decides how a learner gives it: a learner chooses among texts, and writes a number or a shape.
The card knows nothing of a learner's progress; its maker may hand in a function that keeps the outcome.
"""

import math
import re
from html import escape
from numbers import Real

from traitlets import Dict, Unicode

from ..drawing.display import image
from ..learner.answers import how_wrong, no_number, number_in, shape_in
from ..microscope.files import save
from ..microscope.labels import legible
from ..words import of
from .kit import Widget, seen, setting


class PredictionCard(Widget):
    """The widget that `predict` makes; ``verdict`` is {} or has kind ("right", "wrong", "none"), heading, reason."""

    files = "predict"
    own_words, filled_by = of("widgets")["predict"], "ask"  # filled_by: the function of judging.js
    page_parts = ("page.js", "judging.js")
    question = seen(Unicode())
    asks = seen(Dict())  # kind: "choice", "number" or "shape"; choices: texts
    chosen = setting(Unicode())
    verdict = seen(Dict())
    context = seen(Dict())  # title and code of its chapter's cell, if the card is elsewhere

    def __init__(self, question, choices, answer, tolerance, keep, earlier):
        self.choices, self.answer, self.tolerance, self.keep = choices, answer, tolerance, keep
        self.kind = kind_of(answer)
        texts = list(map(str, choices)) if self.kind == "choice" else []
        super().__init__(question=question, asks={"kind": self.kind, "choices": texts})
        self.observe(lambda _: self.set_trait("verdict", self.still_right()), "chosen")
        self.begin()
        self.remember(earlier or {})  # after the beginning, so that Reset empties the card to try it again

    def remember(self, earlier):
        """Show an earlier answer with its verdict; only the outcome if the answer is lost, or no longer an answer."""
        given, outcome = earlier.get("given"), earlier.get("outcome")
        verdict = self.judge(given) if isinstance(given, str) else {"kind": "none"}
        if verdict["kind"] != "none":
            self.chosen = given
            self.verdict = verdict | {"note": f"{self.own_words['earlier']} {verdict.get('note', '')}".rstrip()}
        elif outcome in ("right", "wrong"):
            self.verdict = {"kind": outcome, "heading": self.own_words[f"earlier_{outcome}"], "reason": ""}

    def still_right(self):
        """The part of a verdict that stays when the answer changes."""
        return {}

    def do_check(self):
        """Judge the learner's answer, show why, and keep it."""
        self.verdict = verdict = self.judge(self.chosen)
        if self.keep and verdict["kind"] != "none" and (problem := self.keep(verdict["kind"], self.chosen)):
            self.verdict = verdict | {"note": problem}
        self.stored = self.as_html()

    def do_pass(self):
        """The learner does not know: the next cell will tell; kept as "unknown"."""
        self.verdict = {"kind": "none", "heading": self.own_words["passed"], "reason": ""}
        if self.keep:
            self.keep("unknown", "")

    def judge(self, text):
        try:
            given = self.read(text)
        except ValueError as problem:
            return {"kind": "none", "heading": str(problem), "reason": ""}
        if self.same(given, self.answer):
            return {"kind": "right", "heading": self.own_words["right"], "reason": self.choices[self.answer]}
        reasons = [reason for each, reason in self.choices.items() if self.same(given, each)]
        key = how_wrong(given, self.answer) if self.kind == "number" else "other"
        reason = reasons[0] if reasons else self.own_words(key, got=text.strip())
        return {"kind": "wrong", "heading": self.own_words["wrong"], "reason": reason, "note": self.own_words["then"]}

    def read(self, text):
        """The value of a written answer; ValueError says why it has none."""
        text = text.strip()
        if self.kind == "choice":
            found = [each for each in self.choices if str(each) == text]
            if not found:
                raise ValueError(self.own_words["nothing_chosen"])
            return found[0]
        if not text:
            raise ValueError(self.own_words["nothing_written"])
        try:
            return shape_in(text) if self.kind == "shape" else number_in(text)
        except ValueError:
            key = no_number(text) if self.kind == "number" else "no_shape"
            raise ValueError(self.own_words(key, text=text)) from None

    def same(self, given, other):
        if self.kind != "number" or kind_of(other) != "number":
            return given == other
        close = math.isclose(given, other, rel_tol=self.tolerance, abs_tol=self.tolerance)
        return close or math.isnan(given) and math.isnan(other)

    def is_answer(self, choice):
        return choice is self.answer or choice == self.answer  # nan equals nothing

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        return f"autograd_nb.predict({self.question!r}, {self.choices!r}, answer={self.answer!r})"

    def as_text(self):
        title = self.own_words("title", question=self.question)
        items = (f"  - {each}" for each in self.asks.get("choices", ()))
        right, *others = self.reasons()
        return "\n".join([title, *items, f"{self.own_words['in_text']}: {right}", *others])

    def as_html(self):
        items = "".join(f"<li>{marked_up(each)}</li>" for each in self.asks.get("choices", ()))
        right, *others = (f"<p>{marked_up(each)}</p>" for each in self.reasons())
        title = f"<p><strong>{self.own_words['predict']}</strong>: {marked_up(self.question)}</p>"
        answer = f"<details><summary>{self.own_words['answer']}</summary>{right}{''.join(others)}</details>"
        told = self.verdict if self.chosen and "kind" in self.verdict else {}
        given = [self.own_words("yours", answer=self.chosen), told["heading"], told["reason"]] if told else []
        given += (why for _, why in told.get("done", ()))
        said = "".join(f"<p>{marked_up(each)}</p>" for each in given if each)
        return f"{title}{f'<ul>{items}</ul>' if items else ''}{said}{answer}"

    def save(self, path, overwrite=False):
        """Write the card, ``"card.mjs"``, as a module for other people's pages, such as MyST's ``{anywidget}``.

        FileExistsError where there is a file that save() did not write, unless *overwrite* is true.
        """
        save(path, {".mjs": self.as_module}, overwrite)

    def as_state(self):
        """All that a page without Python needs, as plain data."""
        known = {name: getattr(self, name) for name in ("question", "asks", "tolerance")}
        return known | {"answers": self.answers()}

    def answers(self):
        """Each answer as a text, its reason, and whether it is right."""
        return [[self.written(each), reason, self.is_answer(each)] for each, reason in self.choices.items()]

    def written(self, answer):
        return ", ".join(map(str, answer)) if self.kind == "shape" else str(answer)

    def reasons(self):
        """A line for the right answer with its reason, then one for each other answer."""
        for answer, reason in sorted(self.choices.items(), key=lambda choice: not self.is_answer(choice[0])):
            yield self.own_words("answer_is", answer=str(answer).rstrip("."), reason=reason)


class Gradients(PredictionCard):
    """A drawn graph with an empty field for each gradient, filled from the root to the leaves; `blanks` makes it.

    ``chosen`` has the contents of the fields, with semicolons between, and ``verdict["done"]`` has for each right one
    its text and its reason.
    """

    def __init__(self, question, fields, svg, code, keep, earlier):
        self.fields, self.svg, self.code = fields, svg, code
        super().__init__(question, fields[0][2], fields[0][3], 1e-3, keep, earlier)
        self.asks = {"kind": "gradients", "picture": svg, "fields": [field[:2] for field in fields]}

    def judge(self, text):
        done, verdict = [], {}
        for part, field in zip(text.split(";"), self.fields, strict=False):
            label, _, self.choices, self.answer = field
            verdict = super().judge(part)
            if verdict["kind"] != "right":
                return verdict | {"done": done}
            done.append([part.strip(), self.own_words("answer_is", answer=label, reason=verdict["reason"])])
        return verdict | {"kind": "right" if len(done) == len(self.fields) else "none", "reason": "", "done": done}

    def read(self, text):
        """A number; nan for "None", as of a `.grad` that autograd did not keep."""
        return super().read("nan" if text.strip().lower() == "none" else text)

    def still_right(self):
        before = self.chosen.rpartition(";")[0]
        return {"done": self.judge(before)["done"]} if before else {}

    def do_pass(self):
        """Fill in the next field; the card keeps no later answer, for it is not the learner's own."""
        done = [text for text, _ in self.judge(self.chosen)["done"]]
        if len(done) < len(self.fields):
            super().do_pass()
            self.keep = None
            self.chosen = ";".join([*done, gradient_text(self.fields[len(done)][3])])
            self.verdict = self.judge(self.chosen) | {"heading": ""}

    def as_code(self):
        return self.code

    def as_html(self):
        return f"{image(self.svg, self.question)}{super().as_html()}"

    def answers(self):
        return [super(Gradients, self).answers() for _, _, self.choices, self.answer in self.fields]

    def written(self, answer):
        return gradient_text(answer)

    def reasons(self):
        for label, _, choices, answer in self.fields:
            yield self.own_words("answer_is", answer=label, reason=choices[answer])


def gradient_text(value):
    return "None" if math.isnan(value) else f"{value:g}"


class Exercise(Widget):
    """An exercise's verdict on an answer, with buttons: the cell again, hints, solution, the cell's first text.

    *verdict* is a card with kind, heading, paragraphs, text and html; the *exercise* gives others by check(*answer*),
    hint() and solution(), and by cell() the cell's first text, or None if nobody knows it.
    """

    files = "predict"
    own_words = of("widgets")["exercise"]
    shown = seen(Dict())  # verdict and more: kind, heading, paragraphs
    cell = seen(Dict())  # number of the reset, text

    def __init__(self, verdict, exercise, answer):
        self.exercise, self.answer = exercise, answer
        super().__init__()
        self.tell(verdict)
        self.open()

    def tell(self, verdict):
        self.verdict, self.shown = verdict, {"verdict": facts_of(verdict), "more": {}}

    def add(self, **more):
        self.shown = self.shown | {"more": more}

    def do_check(self):
        """Judge the answer of the last run again, if the page cannot run the cell."""
        self.tell(self.exercise.check(self.answer))
        self.stored = self.as_html()

    def do_hint(self):
        self.add(**facts_of(self.exercise.hint()))

    def do_solution(self):
        self.add(**facts_of(self.exercise.solution()))

    def do_again(self):
        text = self.exercise.cell()
        heading = self.own_words["again" if text else "unknown"]
        self.add(kind="hint", heading=heading, paragraphs=[text + "\n"] if text else [])
        if text:
            self.cell = {"number": self.cell.get("number", 0) + 1, "text": text}

    def as_text(self):
        return self.verdict.text

    def as_html(self):
        return self.verdict.html


def facts_of(card):
    return {"kind": card.kind, "heading": card.heading, "paragraphs": card.paragraphs}


def predict(question, choices, *, answer, tolerance=1e-4, keep=None, earlier=None):
    """A card with a question; `choices` maps each answer to its reason, or to what it would have meant.

    A learner chooses an *answer* that is a text, True, False or None, and writes a number, right within *tolerance*, or
    a shape; then the other choices are mistakes that the card recognises.  It calls *keep* with "right", "wrong" or
    "unknown" and the answer's text; *keep* may return a sentence to show.  *earlier* has "outcome" and "given".

    >>> from autograd_nb import widgets
    >>> card = widgets.predict("How many elements has zeros(2, 3)?", {6: "2 · 3.", 5: "the sizes added"}, answer=6)
    >>> card.judge("5")["reason"]
    'the sizes added'
    """
    if kind_of(answer) is None:
        raise TypeError(f"predict(): answer must be a text, a number or a shape, got {type(answer).__name__}")
    if answer not in choices:
        raise ValueError(f"predict(): answer {answer!r} is not among the choices: {', '.join(map(repr, choices))}")
    return PredictionCard(question, dict(choices), answer, tolerance, keep, earlier)


def kind_of(answer):
    """How a learner gives an answer: "choice", "number" or "shape"; None for a value that cannot be an answer."""
    if isinstance(answer, str | bool | None):
        return "choice"
    if isinstance(answer, Real):
        return "number"
    return "shape" if isinstance(answer, tuple) and all(isinstance(size, int) for size in answer) else None


def marked_up(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(legible(text)))
