"""Common to all widgets: a page's settings and requests arrive in order, in few messages; nothing is left over."""

import gc
import threading
import time
import weakref

import pytest
from IPython.core.events import EventManager
from ipywidgets import widgets
from makers import EVERY, MAKERS, stepper
from traitlets import Float, Unicode

import autograd_nb
from autograd_nb import course
from autograd_nb.course import kernel
from autograd_nb.widgets import bench, kit, nudge, tangent
from autograd_nb.widgets.kit import Widget, setting

LESSONS = [name for name, make in MAKERS.items() if issubclass(type(make()), kit.Live)]
MODELS = widgets.widget._instances
VIEW = "application/vnd.jupyter.widget-view+json"


class Sum(Widget):
    """A widget that adds one, and reports it."""

    files = "predict"
    x = setting(Float(1.0))
    name = setting(Unicode("sum"))
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

    def do_slow(self):
        self.at_work = getattr(self, "at_work", 0) + 1
        time.sleep(0.02)
        self.done.append("alone" if self.at_work == 1 else "together")
        self.at_work -= 1

    def as_code(self):
        return f"Sum({self.x}, {self.name!r})"


class Page:
    """A page like the front end's View: `set` waits while the kernel is busy, `ask` does not."""

    def __init__(self, widget):
        self.widget, self.log, self.waiting, self.turn = widget, [], {}, 0

    def did(self, **deed):
        self.turn += 1
        self.log = [each for each in self.log if each["turn"] > self.widget.heard] + [{"turn": self.turn} | deed]
        return self.log

    def set(self, **traits):
        self.waiting |= traits | {"log": self.did(set=traits)}

    def ask(self, what, **details):
        message = {"log": self.did(do=what, details=details)}
        self.send(message, "custom")
        return message

    def free(self):
        """The kernel is free again: send the waiting messages."""
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
    page.set(x=3.0)  # after the reset, and waiting together with the earlier changes
    page.free()
    assert (page.widget.x, page.widget.name) == (3.0, "sum")
    page.ask("undo")
    assert (page.widget.x, page.widget.name) == (1.0, "sum")
    page.ask("undo")
    assert (page.widget.x, page.widget.name) == (4.0, "again")


def test_messages_that_overtake_each_other_do_everything_once_and_in_order(page):
    page.set(x=4.0)
    early = page.ask("note", mark="first") and dict(page.waiting)
    page.widget.done.clear()
    page.widget.heard = 0  # as if the first had not arrived
    log = [{"turn": turn, "do": "note", "details": {"mark": str(turn)}} for turn in (5, 6, 7)]
    page.send({"log": log[:2]}, "custom")
    page.send({"log": log[:1]}, "custom")
    page.send({"log": log}, "update")
    page.send(early, "update")
    assert [mark for *_, mark in page.widget.done] == ["5", "6", "7"]


def test_a_widget_does_one_thing_at_a_time(page):
    logs = [{"log": [{"turn": turn, "do": "slow", "details": {}}]} for turn in range(1, 5)]
    threads = [threading.Thread(target=page.send, args=(log, "custom")) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(page.widget.done) == {"alone"}


def test_a_change_is_answered_in_one_message(page, monkeypatch):
    sent = []
    monkeypatch.setattr(page.widget, "_send", lambda message, buffers=None: sent.append(message))
    page.set(x=4.0)
    page.free()
    assert [set(message["state"]) for message in sent] == [{"result", "line", "undoable", "heard"}]
    sent.clear()
    page.ask("undo")
    assert [set(message["state"]) for message in sent] == [{"x", "result", "line", "undoable", "heard"}]


def test_a_widget_that_is_closed_is_gone():
    Sum.parts()  # they live as long as the kernel
    before = len(MODELS)
    made = Sum()
    gone = weakref.ref(made)
    assert len(MODELS) > before
    made.layout.close()
    made.close()
    del made
    gc.collect()
    assert len(MODELS) == before and gone() is None


def test_a_page_gets_the_first_state_at_once_and_a_layout_once_it_is_asked_for(monkeypatch):
    Sum.parts()
    opened, sent = [], []
    monkeypatch.setattr(widgets.widget.comm, "create_comm", lambda make=widgets.widget.comm.create_comm, **message: (
        opened.append(message["data"]["state"]) or make(**message)))  # fmt: skip
    monkeypatch.setattr(Sum, "_send", lambda self, message, buffers=None: sent.append(message["state"]))
    made = Sum()
    assert type(made) is Sum and not sent and [state["result"] for state in opened] == [2.0]
    assert opened[0]["line"].endswith("Sum(1.0, 'sum')") and "layout" not in opened[0]
    made.layout.width = "50%"
    assert sent == [{"layout": f"IPY_MODEL_{made.layout.model_id}"}] and len(opened) == 2
    widgets.Widget.close_all()
    made.open_again()
    assert made.layout.comm is not None and opened[-1]["layout"] == sent[0]["layout"] and made.layout.width == "50%"


class Shell:
    """IPython's shell from the widgets' side: runs functions as cells, which a front end names or not."""

    def __init__(self, monkeypatch):
        self.user_ns, self.parent_header = {}, {}
        self.events = EventManager(self, {"post_run_cell": lambda result: None})
        monkeypatch.setattr(kit, "get_ipython", lambda: self)

    def run(self, make, cell="a cell", text="make()"):
        """The output of the cell with this name and text."""
        self.parent_header = {"metadata": {"cellId": cell}, "content": {"code": text}, "header": {"msg_id": object()}}
        made = make()
        made._repr_mimebundle_()
        self.events.trigger("post_run_cell", None)
        self.parent_header = {}
        return made


@pytest.fixture
def shell(monkeypatch):
    return Shell(monkeypatch)


@pytest.mark.parametrize("make", [
    stepper, lambda: bench("x**3", x=5.0), lambda: course.ch04.p1, nudge, lambda: tangent("x**2")])  # fmt: skip
def test_a_cell_that_is_run_again_gives_back_what_it_made_before(make, progress, shell):
    def objects():
        for _ in range(10):
            shell.run(make)
        gc.collect()
        return len(gc.get_objects())

    before = objects()
    assert (objects() - before) / 10 <= 10  # four to six after all other tests; a model has a hundred


def two_benches():
    return widgets.HBox([bench("x**3", x=5.0), bench("x**3", x=5.0)])


def test_a_cell_whose_text_is_the_same_keeps_what_was_set_in_its_widgets(shell):
    def both(**how):
        return shell.run(two_benches, **how).children

    first, second = both()
    first.x, second.expression = 4.0, "x**3 * q"
    second.q = 2.0
    first, second = both()
    assert (first.x, second.x, second.expression, second.q) == (4.0, 5.0, "x**3 * q", 2.0)
    first.do_undo()
    assert first.x == 5.0, "all that was taken over is undone at once"
    second.do_reset()
    first.x = 3.0
    assert [each.x for each in both(text="another")] == [5.0, 5.0]
    assert [each.x for each in both(cell="elsewhere", text="another")] == [5.0, 5.0]
    changed = shell.run(lambda: bench("x**3", x=2.0))
    changed.plan = ["z.backward()"]
    assert shell.run(lambda: bench("x**3", x=1.0)).plan == [], "it begins otherwise"


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_whose_cell_runs_again_is_as_it_was_left(shell, name):
    made = shell.run(MAKERS[name])
    for trait in made.traits(state=True).values():
        value = getattr(made, trait.name)
        if isinstance(trait, Float) and trait.metadata.get("control"):
            control = trait.metadata["control"]
            setattr(made, trait.name, control["min"] if value != control["min"] else control["max"])
            break
    left, problem = made.settings(), made.problem
    assert problem or shell.run(MAKERS[name]).settings() == left


@pytest.mark.parametrize("cell", ["a cell", None])
def test_a_hundred_runs_of_a_steppers_cell_leave_a_handful_of_widgets(shell, cell):
    shell.run(stepper, cell)
    before = len(MODELS)
    for _ in range(100):
        shell.run(stepper, cell)
    assert len(MODELS) - before <= 5


def test_what_is_shown_elsewhere_stays_open_until_it_is_so_no_more(shell):
    made = shell.run(stepper, "first")
    shell.run(lambda: made, "second")
    shell.run(stepper, "first")
    assert made.comm is not None
    shell.run(nudge, "second")
    assert made.comm is None


@pytest.mark.parametrize("hold", [
    lambda made: made, lambda made: [made], lambda made: {"a": (made,)}, lambda made: widgets.VBox([made]),
    lambda made: type("Kept", (), {"__module__": "__main__", "__init__": lambda self: setattr(self, "it", made)})()])
def test_what_a_variable_holds_stays_open_until_it_holds_it_no_more(shell, hold):
    made = shell.run(stepper)
    shell.user_ns |= {"mine": hold(made), "many": [0.0] * 10**6}
    for _ in range(2):
        shell.run(stepper)
    assert made.comm is not None
    shell.user_ns = {"_3": made, "Out": {3: made}}  # IPython keeps it
    shell.run(stepper)
    assert made.comm is None


def test_where_cells_have_no_names_three_of_the_same_text_stay_open(shell):
    made = [shell.run(stepper, None) for _ in range(4)]
    shell.run(nudge, None, "another()")
    assert [each.comm is not None for each in made] == [False, True, True, True]


def test_a_front_end_goes_to_the_browser_once_a_kernel():
    """Every widget refers to the same parts of it, and adds little more than its own content."""
    first, *others = [Sum() for _ in range(10)]
    fronts = [each.get_state()["front"] for each in (first, *others)]
    assert fronts == 10 * fronts[:1]
    parts = [MODELS[name.removeprefix("IPY_MODEL_")] for name in fronts[0]]
    assert first.front_end("js") == "\n".join(part.js for part in parts) and len(first.front_end("js")) > 20_000
    assert "htm/preact/standalone 3.1.1" in parts[0].js and "Permission is hereby granted" in first.page_script()
    assert max(len(str(widget.get_state())) for widget in others) < 10_000


def test_every_maker_is_tried():
    assert {*autograd_nb.widgets.__all__} <= EVERY.keys()


@pytest.mark.parametrize("name", EVERY)
def test_after_all_widgets_were_closed_a_new_one_works_and_an_old_one_that_is_shown_again(name, progress, monkeypatch):
    monkeypatch.setattr(kernel, "in_kernel", lambda: True)
    old = EVERY[name]()
    shown = old._repr_mimebundle_()
    widgets.Widget.close_all()
    for made in (EVERY[name](), old):
        again = made._repr_mimebundle_()
        data, of_old = (each[0] if isinstance(each, tuple) else each for each in (again, shown))
        assert data.keys() == of_old.keys() and data["text/html"] == of_old["text/html"]
        model = MODELS[data[VIEW]["model_id"]]
        assert model.layout.comm is not None and MODELS[model.layout.model_id] is model.layout
        front = model.get_state()["front"]
        assert front and {name.removeprefix("IPY_MODEL_") for name in front} <= MODELS.keys()


def test_a_page_that_finds_no_parts_is_sent_them(monkeypatch):
    widget, sent = Sum(), []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._handle_custom_msg({"front": True}, [])
    assert "\n".join(part["js"] for part in sent[0]["front"]) == widget.front_end("js") and widget.x == 1.0


def test_what_a_cell_sets_while_a_page_is_heard_is_neither_lost_nor_untold(page, monkeypatch):
    told = {}
    monkeypatch.setattr(page.widget, "_send", lambda message, buffers=None: told.update(message["state"]))
    cell = threading.Thread(target=setattr, args=(page.widget, "x", 7.0))

    def do_meanwhile():
        cell.start()
        cell.join(0.2)  # it ends only if it need not wait

    page.widget.do_meanwhile = do_meanwhile
    log = [{"turn": 1, "do": "meanwhile", "details": {}}, {"turn": 2, "set": {"x": 4.0}}]
    page.send({"log": log}, "custom")
    cell.join()
    assert page.widget.x == told["x"] == 7.0


def test_a_stored_picture_sends_to_the_cells_above_only_where_its_cell_reads_more_than_modules(shell):
    shell.user_ns |= {"torch": autograd_nb, "f": nudge, "y": 3.0}
    for text, above in (("torch.bench('x', x=1.)", False), ("torch.bench(f, x=1.)", True), ("print(y)", True)):
        assert ("Run All Above" in shell.run(nudge, text=text).as_html()) == above
