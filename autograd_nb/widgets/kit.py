"""The base of all widgets: traits that a page sees, undo, a stored form, pictures."""

import gc
import inspect
import math
import re
import threading
import weakref
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import NamedTuple

import anywidget
import ipywidgets
from IPython import get_ipython
from traitlets import All, Dict, Float, Int, List, Unicode, default, observe

import autograd_nb

from ..drawing.svg import write
from ..learner.executing import Endless, limited
from ..learner.needed import cell_names
from ..learner.programs import Refused, plain
from ..microscope.labels import message_of
from .pages import HERE, KIT, Page, source

_parts = {}
_handling = threading.RLock()


class Part(ipywidgets.Widget):
    """Files of front ends, which go to the browser once per kernel; widgets refer to the parts that they need."""

    js, css = Unicode().tag(sync=True), Unicode().tag(sync=True)


def part(name):
    """The part of this name; a new one if there is none yet, or if a learner's `Widget.close_all()` closed it."""
    if name not in _parts or _parts[name].comm is None:
        _parts[name] = Part(js=source(name, "js"), css=source(name, "css"))
    return _parts[name]


class Finite(Float):
    """A float that is neither nan nor infinite: JSON, in which widgets talk with a page, has neither."""

    info_text = "a finite number"

    def validate(self, obj, value):
        value = super().validate(obj, value)
        return value if math.isfinite(value) else self.error(obj, value)


class ExpressionText(Unicode):
    """An expression that a learner writes, kept as Python writes it."""

    def validate(self, obj, value):
        return plain(super().validate(obj, value))


def seen(trait, **tags):
    """A trait that a page sees."""
    return trait.tag(sync=True, **tags)


def setting(trait, **tags):
    """A trait that a learner sets: it comes with undo, reset and linking to other controls."""
    return seen(trait, state=True, echo_update=False, **tags)  # without an echo there is one message less to wait for


LONE_HALF = re.compile("[\ud800-\udfff]")


def paired(value, _=None):
    """A value with "\ufffd" for each lone half of a surrogate pair, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return LONE_HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {paired(key): paired(each) for key, each in value.items()}
    return [*map(paired, value)] if isinstance(value, list | tuple) else value


def call_text(function, /, *values, **options):
    """The line of Python that calls a widget's function with values, and with options that are not defaults."""
    known = inspect.signature(function).parameters.items()
    given = (f"{name}={options[name]!r}" for name, each in known if options.get(name, each.default) != each.default)
    return f"autograd_nb.widgets.{function.__name__}({', '.join([*values, *given])})"


class Widget(Page, anywidget.AnyWidget):
    """A widget with undo, reset, a line of Python for its state and a form that can be read without a kernel.

    A subclass names its ``files``, and calls `begin` when it has its first state; the learner sets the traits of
    `setting`, and a widget that has none is opened without a beginning.  It has
    `as_code`, the line of Python that makes it again, `as_text`, and `as_html`, the form for readers without a kernel;
    methods named ``do_…`` handle the requests of views.
    """

    # anywidget's own traits: it would add them to each object, and with them a class
    _esm = seen(Unicode((HERE / "stub.js").read_text(encoding="utf-8")))
    _anywidget_id = seen(Unicode(__name__))
    # made when they are sent; front: its parts, which the stub loads
    front = seen(List(Unicode()), to_json=lambda _, self: [f"IPY_MODEL_{each.model_id}" for each in self.parts()])
    words = seen(Dict(), to_json=lambda _, self: self.all_words())
    line = seen(Unicode())  # the state as a line of Python that runs in this notebook
    stored = seen(Unicode())  # HTML that replaces the stored form once a learner has answered
    undoable = seen(Int(0))  # changes that can be undone
    heard = seen(Int(0))  # the number of a page's last action that was done
    _trait_to_json = staticmethod(paired)

    def __init__(self, **traits):
        self._past, self._first = [], {}  # settings before each change, and at first
        self._change = self._last = None  # the change under way, and the last one
        self.open = lambda: None  # later, or a page would get a state that changes at once
        super().__init__(**traits)
        del self.open
        self.on_msg(self._answer)
        note(self)

    def __reduce_ex__(self, protocol=None):
        raise TypeError(f"{type(self).__name__}: a widget belongs to its kernel and is neither copied nor pickled; "
                        "as_code() is the line of Python that makes another")

    __copy__ = __deepcopy__ = __reduce_ex__

    @classmethod
    def parts(cls):
        return [part(name) for name in cls.sources()]

    @default("keys")
    def _default_keys(self):
        return [name for name, trait in self.traits().items() if trait.metadata.get("sync") and name != "layout"]

    @observe("layout", type=All)
    def _lay_out(self, _):
        """A layout is a model of its own in a page, so a widget has one only when somebody asks for it."""
        if "layout" not in self.keys:
            self.keys.append("layout")
            self.send_state("layout")

    def add_traits(self, **traits):
        if new := {name: trait for name, trait in traits.items() if not self.has_trait(name)}:
            super().add_traits(**new)

    def begin(self):
        """A subclass calls this when it has set its first state, to which reset goes back; a page gets it whole."""
        self.begin_settings(self.settings())
        self.line = pasted(self.as_code())
        self.open()

    def begin_settings(self, settings):
        """Let changes of settings, whose first values these are, be undone from now on."""
        self._first |= settings
        self.observe(self._remember, [*settings])

    def settings(self):
        """The values that the learner has set, by name."""
        return {name: getattr(self, name) for name in self.traits(state=True)}

    # -- settings and requests of a view -----------------------------------------------------------------------------

    def __setattr__(self, name, value):
        """A page's messages come in a thread of their own: they and the cells' assignments wait for each other."""
        with _handling:
            super().__setattr__(name, value)

    def set_state(self, sync_data):
        """Take a page's message: its log, or plain state from other controls; one message answers it.

        While the kernel is busy, changes of state wait in the page, requests overtake them, and JupyterLab may hand
        messages to two threads.  So each message of a view brings a log of all actions without a confirmation yet;
        this does every action once, in order, and `heard` confirms it.
        """
        with _handling, self.hold_sync():
            log = sync_data.get("log")
            super().set_state({key: it for key, it in sync_data.items() if log is None or key not in self._first})
            for deed in log or ():
                if deed["turn"] > self.heard:
                    self.heard = deed["turn"]
                    with self.one_change(deed.get("gesture")):
                        if "set" in deed:
                            super().set_state(deed["set"])
                        else:
                            getattr(self, f"do_{deed['do']}", lambda **_: None)(**deed["details"])

    def _answer(self, _, content, buffers):
        """Take a page's message: state, {} if it only hastens an answer, or "front" if it finds no parts."""
        if "front" in content:
            self.send({"front": [{"js": each.js, "css": each.css} for each in self.parts()]})
        else:
            self.set_state(content)

    @contextmanager
    def one_change(self, gesture=None):
        """One undo takes back everything that is set inside, and by the same gesture of a page."""
        self._change = gesture or object()
        try:
            yield
        finally:
            self._change = None

    def do_undo(self):
        *past, last = self._past or [{}]
        for name, value in last.items():
            setattr(self, name, value)
        self._past, self.undoable, self._last = past, len(past), None  # an undo is not a change to undo

    def do_reset(self):
        """Set everything as it was at first; this can be undone."""
        for name, value in self._first.items():
            setattr(self, name, value)

    def do_store(self):
        """Have the notebook store the present state; on another day it shows the widget as the learner left it."""
        self.stored = self.as_html()

    def _remember(self, change):
        """Keep the settings from before a change, unless it continues the previous change."""
        self.line = pasted(self.as_code())
        if self._change is None or self._change != self._last:
            self._past.append(self.settings() | {change["name"]: change["old"]})
            self.undoable = len(self._past)
        self._last = self._change

    # -- stored forms ------------------------------------------------------------------------------------------------

    def how_to_use(self):
        """The sentence below the stored form; a cell needs those above it unless it reads modules alone.

        A course's kernel begins with the imports of its notebook.
        """
        names, (text, *_) = getattr(get_ipython(), "user_ns", {}), getattr(self, "origin", ("",))
        alone = all(isinstance(names.get(name, math), ModuleType) for name in cell_names(text)[0])
        return KIT["stored" if alone else "stored_above"]

    _ipython_display_ = None  # ipywidgets 7, as on Colab, has one that would come first and show no stored picture

    def close(self):
        """Take it off the page; shown again, it opens again."""
        super().close()
        vars(self).pop("_repr_mimebundle_", None)  # ipywidgets' None, by which a closed widget shows only its name

    def open_again(self):
        """Open what was closed, perhaps by `Widget.close_all()`."""
        if "layout" in self.keys:
            self.layout.open()
        self.open()

    def _repr_mimebundle_(self, **options):
        self.open_again()
        note(self)
        data, metadata = super()._repr_mimebundle_(**options)
        return data | {"text/plain": repr(self), "text/html": self.as_html()}, metadata


class Live(Widget):
    """A widget that computes anew at every change: `run` takes the settings by name, and `tell` shows its results.

    After an error `problem` says it, and the last good picture stays; `last` holds the facts of its run.
    """

    problem, status = seen(Unicode()), seen(Unicode())
    last, budget = None, False  # budget: whether a learner's code runs that might never end

    def begin(self):
        """Compute, and do so again at every change; ValueError if there is no first picture that could stay."""
        self.compute()
        if self.last is None:
            raise ValueError(self.problem)
        self.observe(self.compute, list(self.traits(state=True, look=None)))
        super().begin()
        self.take_over()

    def take_over(self):
        """Take the settings of the widget that the same text made when the cell ran before."""
        earlier = made_before(self)
        if earlier is None or any(earlier._first.get(name) != value for name, value in self._first.items()):
            return
        with self.one_change():
            for name, value in 2 * [*earlier.settings().items()]:  # twice, as a typed expression adds inputs
                if self.has_trait(name):
                    setattr(self, name, value)
            if self.problem:
                self.do_reset()

    def compute(self, _=None):
        with self.hold_sync():
            settings = {name: getattr(self, name) for name in self.traits(state=True, look=None)}
            run, cause = partial(self.run, **settings), ""
            try:
                self.tell(limited(run) if self.budget else run())
            except (Endless, Refused) as hindrance:
                cause = str(hindrance)
            except (Exception, SystemExit) as error:
                cause = self.error_text(error)
            self.problem = self.own_words("kept", cause=cause, **self.last) if cause and self.last else cause

    def error_text(self, error):
        return f"{type(error).__name__}: {message_of(error)}"


def pasted(code):
    """A line of code with the notebook's name for this package; with an import if the notebook has no name."""
    names = getattr(get_ipython(), "user_ns", {}).items()
    name = next((name for name, value in names if value is autograd_nb and not name.startswith("_")), None)
    return code.replace("autograd_nb", name, 1) if name else f"import autograd_nb\n{code}"


class Figure(NamedTuple):
    """A picture in a widget: its shapes, their size, title and text; axes: of a chart, their ends and sides."""

    shapes: list
    size: tuple
    title: str
    text: str
    axes: dict = None

    def data(self):
        """What a view takes, which draws anew only those groups that differ."""
        return {"size": self.size, "text": self.text, "axes": self.axes, "groups": write(self.shapes, True)}


# -- one cell's widgets ------------------------------------------------------------------------------------------------

TWINS = 3  # the widgets of so many runs of equal texts stay if a front end does not tell cells apart
_places = defaultdict(weakref.WeakKeyDictionary)  # cell -> {widget that it made or showed: the run that did so}
DEPTH, LONG = 8, 1000  # the depth and length of lists that may hold a learner's widget


def note(widget):
    """Write down that the running cell made or shows a widget."""
    cell, run, text = _running()
    if cell:
        if not hasattr(widget, "origin"):  # it is made, and not only shown
            kind = type(widget).__name__  # added traits make another class
            same = [each for each, of in _places[cell].items() if each.origin[1] == kind and of == run]
            widget.origin = text, kind, len(same)
        _places[cell][widget] = run
        get_ipython().events.register("post_run_cell", _tidy)  # once


def made_before(widget):
    """The widget of the same kind and number that the same text made in an earlier run of this cell; or None."""
    cell, run, _ = _running()
    if type(cell) is not str:  # cells without names cannot be told apart
        return None
    earlier = [each for each, of in _places[cell].items() if of != run and each.origin == widget.origin]
    return earlier[-1] if earlier else None


def _running():
    """``(the running cell, this run of it, its text)``, three times None if no cell runs.

    A cell goes by its name or, if it has none, by a tuple of its text.
    """
    parent = getattr(get_ipython(), "parent_header", None) or {}
    name, text = parent.get("metadata", {}).get("cellId"), parent.get("content", {}).get("code")
    return (name or (text,), parent["header"]["msg_id"], text) if name or text else (None,) * 3


def _tidy(_=None):
    """At a cell's end close the widgets that its earlier runs made or showed: they left the page with their outputs.

    Widgets that another cell shows stay, and so do those that the learner still holds.
    """
    cell, run, _ = _running()
    if cell in _places:
        runs = dict.fromkeys([*_places[cell].values(), run])
        stay = [*runs][-1 if type(cell) is str else -TWINS :]
        earlier = {each for each, of in _places[cell].items() if of not in stay}
        for each in earlier and earlier.difference(_held(get_ipython().user_ns)):
            del _places[cell][each]
            if not any(each in others for others in _places.values()):
                if "layout" in each.keys:
                    each.layout.close()
                each.close()


def _held(names):
    """The widgets that a learner's names lead to; `Out`, `_` and other names of IPython for outputs do not count."""
    waiting = [value for name, value in names.items() if name[0] != "_" and name not in ("In", "Out")]
    for _ in range(DEPTH):
        yield from (each for each in waiting if isinstance(each, Widget))
        waiting = gc.get_referents(*filter(_holds, waiting))


def _holds(value):
    """Whether a learner may hold things in a value: a short list, a dict, a widget, an object of an own class."""
    if isinstance(value, list | tuple | set | dict):
        return len(value) < LONG
    return isinstance(value, ipywidgets.Widget) or type(value).__module__ == "__main__"
