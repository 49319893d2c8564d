"""What all widgets share: what a page sets and asks for arrives in its order, in few messages; nothing is left behind."""

import gc
import weakref

import pytest
from ipywidgets import widgets
from traitlets import Float, Unicode

from autograd_nb.widgets.kit import Widget, front_end

MODELS = widgets.widget._instances


class Sum(Widget):
    """A widget that adds one, and says what it did."""

    _esm, _css = front_end("cards")
    x = Float(1.0).tag(sync=True, state=True)
    name = Unicode("sum").tag(sync=True, state=True)
    result = Float().tag(sync=True)

    def __init__(self):
        super().__init__()
        self.done = []
        self.observe(self.compute, ["x", "name"])
        self.compute()
        self.begin()

    def compute(self, _=None):
        self.result = self.x + 1

    def do_note(self, mark=""):
        self.done.append((self.x, self.name, mark))

    def as_code(self):
        return f"Sum({self.x}, {self.name!r})"


class Page:
    """A page as the front end's View is one: `set` waits while the kernel is busy, `ask` does not."""

    def __init__(self, widget):
        self.widget, self.values, self.turns, self.waiting = widget, {}, {}, {}

    def set(self, **traits):
        turn = max(self.turns.values(), default=0) + 1
        self.turns = self.turns | dict.fromkeys(traits, turn)
        self.values |= traits
        self.waiting |= traits | {"turns": self.turns}

    def ask(self, what, **details):
        self.send({"do": what, "details": details, "state": self.values | {"turns": self.turns}}, "custom")

    def free(self):
        """The kernel is no longer busy: what waited is sent."""
        self.send(self.waiting, "update")
        self.waiting = {}

    def send(self, what, method):
        data = {"method": method, "state" if method == "update" else "content": what, "buffer_paths": []}
        self.widget._handle_msg({"content": {"data": data}, "buffers": []})


@pytest.fixture
def page():
    return Page(Sum())


def test_a_request_knows_what_was_set_before_it(page):
    page.set(x=4.0, name="four")
    page.ask("note", mark="first")
    assert page.widget.done == [(4.0, "four", "first")] and page.widget.result == 5.0
    page.set(x=5.0)
    page.ask("note")
    page.free()
    assert page.widget.done[1:] == [(5.0, "four", "")] and page.widget.x == 5.0


def test_what_a_request_changed_is_not_set_back_by_what_waited(page):
    page.set(x=4.0)
    page.free()
    page.set(name="again")
    page.ask("reset")
    assert (page.widget.x, page.widget.name) == (1.0, "sum")
    page.set(x=3.0)  # after the reset, and waiting together with what came before it
    page.free()
    assert (page.widget.x, page.widget.name) == (3.0, "sum")
    page.ask("undo")
    assert (page.widget.x, page.widget.name) == (1.0, "sum")
    page.ask("undo")
    assert (page.widget.x, page.widget.name) == (4.0, "again")


def test_a_state_from_elsewhere_has_no_turn_and_counts(page):
    page.set(x=4.0)
    page.ask("note")
    page.send({"x": 7.0}, "update")
    assert page.widget.x == 7.0
    page.ask("no such request")
    page.send({}, "custom")
    assert page.widget.x == 7.0, "what the page set before is no news"


def test_a_change_is_answered_in_one_message(page, monkeypatch):
    sent = []
    monkeypatch.setattr(page.widget, "_send", lambda message, buffers=None: sent.append(message))
    page.set(x=4.0)
    page.free()
    assert [set(message["state"]) for message in sent] == [{"result", "line"}]
    sent.clear()
    page.ask("undo")
    assert [set(message["state"]) for message in sent] == [{"x", "result", "line"}]


def test_a_widget_that_is_closed_is_gone():
    before = len(MODELS)
    made = Sum()
    gone = weakref.ref(made)
    assert len(MODELS) > before
    made.layout.close()
    made.close()
    del made
    gc.collect()
    assert len(MODELS) == before and gone() is None
