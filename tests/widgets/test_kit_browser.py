"""A page and a kernel that set the same values: in any order of their messages none is lost, and both agree.

The page's half is the real `View` in Chromium, the kernel's a real widget; between them messages wait until a test
passes them on, like JupyterLab's on a busy machine.
"""

import json
import random

import pytest
from traitlets import Float

from autograd_nb.widgets.kit import Widget

pytestmark = pytest.mark.browser

# A model as in ipywidgets: one message with changes is on its way, others wait together; requests do not wait.
HOST = """
const state = STATE, handlers = {}, messages = [], seen = {};
let changes = {}, waiting = null, busy = false;
const put = (news, mine) => {
  const names = Object.keys(news).filter((name) => state[name] !== news[name]);
  Object.assign(state, news);
  for (const name of names) if (mine) changes[name] = news[name];
  for (const name of names) for (const each of [...(handlers[`change:${name}`] ?? [])]) each();
};
const model = {
  get: (name) => state[name],
  set: (name, value) => put({ [name]: value }, true),
  on: (event, handler) => (handlers[event] ??= []).push(handler),
  off: () => {},
  send: (content) => Object.keys(content).length && messages.push({ method: "custom", content }),
  save_changes() {
    waiting = { ...waiting, ...changes };
    changes = {};
    next();
  },
};
const next = () => {
  if (busy || !waiting) return;
  messages.push({ method: "update", state: waiting });
  [busy, waiting] = [true, null];
};
const told = (news) => (news ? put(news) : ((busy = false), next()));
const view = new View({ model, el: document.body }, "two numbers");
view.draw(() => void Object.assign(seen, { x: view.get("x"), y: view.get("y") }));
"""


class Two(Widget):
    """Two numbers, and a request that doubles one."""

    files = "predict"
    x, y = (Float(1.0).tag(sync=True, state=True) for _ in range(2))

    def __init__(self):
        super().__init__()
        self.begin()

    def do_double(self):
        self.x *= 2

    def as_code(self):
        return "two"


class Between:
    """A page and a widget, and the messages between them."""

    def __init__(self, page):
        self.page, self.widget, self.answers = page, Two(), []
        state = {name: getattr(self.widget, name) for name in ("x", "y", "heard", "words")}
        page.add_script_tag(content=Two.page_script() + HOST.replace("STATE", json.dumps(state)))
        self.widget._send = lambda message, buffers=None: self.answers.append(message["state"])

    def do(self, action):
        self.page.evaluate(action)

    def up(self):
        """The kernel reads a message; says whether there was one."""
        data = self.page.evaluate("messages.shift()")
        if data:
            self.widget._handle_msg({"content": {"data": data | {"buffer_paths": []}}, "buffers": []})
            self.answers += [None] * (data["method"] == "update")  # the kernel is free again
        return bool(data)

    def down(self):
        """The page reads an answer; says whether there was one."""
        if self.answers:
            self.page.evaluate("told", self.answers.pop(0))
            return True
        return False

    def settle(self):
        while self.up() or self.down():
            pass
        told = self.page.evaluate("[state, seen].map(({x, y}) => [x, y])")
        assert told == [[self.widget.x, self.widget.y]] * 2
        return told[0]


@pytest.fixture
def between(opened, tmp_path):
    (tmp_path / "empty.html").write_text("<!DOCTYPE html><title>empty</title>", "utf-8")
    return Between(opened(tmp_path / "empty.html"))


def test_what_python_sets_after_a_key_that_changed_nothing_stays(between):
    between.do("view.set({ x: 4 })")
    between.up()
    between.do("view.set({ x: 4 })")  # as an arrow key does at the last line
    between.widget.x = 3.0
    assert between.settle() == [3.0, 1.0]


def test_after_a_request_that_python_has_not_heard_a_value_is_set_though_it_seems_to_be_there(between):
    between.do("view.ask('double')")
    between.do("view.set({ x: 1 })")
    assert between.settle() == [1.0, 1.0]


ACTIONS = ("view.set({ x: %d })", "view.set({ y: %d })", "view.set({ x: %d, y: 0 })", "view.ask('double')",
           "view.ask('undo')")  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_page_and_python_agree_whatever_the_order_of_their_messages(between, seed):
    chance = random.Random(seed)
    for _ in range(12):
        for _ in range(20):
            kind = chance.randrange(4)
            if kind == 0:
                action = chance.choice(ACTIONS)
                between.do(action % chance.randrange(9) if "%" in action else action)
            elif kind == 1:
                setattr(between.widget, chance.choice("xy"), float(chance.randrange(9)))
            else:
                (between.up, between.down)[kind - 2]()
        between.settle()
