"""JupyterLab in headless Chromium, for tests of widgets: one server and one page, a notebook for each test.

`Lab.notebook(*cells)` opens a new notebook with these cells and runs them; the page is Playwright's own.
"""

import contextlib
import functools
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pytest
from house import link
from serving import empty_home, free_port, serving

# the variable names another browser of this kind, or hides one by naming none
NAMES = [os.environ["CHROMIUM"]] if "CHROMIUM" in os.environ else ["chromium", "chromium-browser", "google-chrome"]
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
# If the notebook before closed while this one opened, none may be the current one.
READY = """() => {
    const shell = window.jupyterapp?.shell;
    if (window.opened && !shell.currentWidget) shell.activateById(window.opened.id);
    return shell?.currentWidget?.sessionContext?.session?.kernel?.status === "idle"
        && document.querySelector(".jp-Notebook .jp-Cell");
}"""
# A kernel that is just restarting cannot be ended; the server's end is its end too.
END = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown().catch(() => {})"
ANOTHER = """async (path) => {
    const { commands, shell } = window.jupyterapp, before = shell.currentWidget;
    await before.sessionContext.shutdown().catch(() => {});
    await commands.execute("apputils:change-theme", { theme: "JupyterLab Light" });
    window.opened = await commands.execute("docmanager:open", { path });
    before.dispose();  // not earlier: where nothing is open JupyterLab opens its launcher, perhaps before the notebook
}"""


# In a page everything that answers later does so another time later: a file, an unpacked story, what comes into sight,
# a kernel. So does a test fail that reads without waiting for it.
LATE = """(() => {
    const later = (action) => setTimeout(action, MILLISECONDS);
    for (const name of ["text", "json", "arrayBuffer", "blob"]) {
        const own = Response.prototype[name];
        Response.prototype[name] = function (...given) {
            return new Promise((done, fail) => later(() => own.apply(this, given).then(done, fail)));
        };
    }
    window.IntersectionObserver = class extends IntersectionObserver {
        constructor(seen, options) { super((...given) => later(() => seen(...given)), options); }
    };
    const { requestAnimationFrame: next } = window, { addEventListener: listen } = MediaQueryList.prototype;
    window.requestAnimationFrame = (act) => next(() => setTimeout(() => next(act), MILLISECONDS / 8));
    window.ResizeObserver = class extends ResizeObserver {
        constructor(seen) { super((...given) => requestAnimationFrame(() => seen(...given))); }
    };
    MediaQueryList.prototype.addEventListener = function (kind, hear) {
        listen.call(this, kind, (event) => requestAnimationFrame(() => hear(event)));
    };
    const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
    Object.defineProperty(WebSocket.prototype, "onmessage", {
        set(hear) { set.call(this, hear && ((event) => later(() => hear.call(this, event)))); },
    });
})()"""


@contextlib.contextmanager
def chromium(late=0):
    """Headless Chromium, whose pages get answers *late* milliseconds later; skips without Playwright or Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip(f"there is no {' or '.join(NAMES)}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        if late:
            browser.new_context = functools.partial(late_context, browser.new_context, late)
        try:
            yield browser
        finally:
            browser.close()


def late_context(new_context, late, **options):
    context = new_context(**options)
    context.add_init_script(LATE.replace("MILLISECONDS", str(late)))
    return context


@contextlib.contextmanager
def lab(browser, folder):
    """A `Lab` of the notebooks under *folder*, with an empty home."""
    root = folder / "notebooks"
    root.mkdir(parents=True, exist_ok=True)
    here = str(Path(__file__).parents[2])  # the trial uses the package beside these tests, installed or not
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as runtime:  # short, for sockets
        Path(runtime, "labextensions").mkdir()
        link(Path(runtime, "labextensions", "autograd-nb"), Path(here, "autograd_nb", "widgets", "labextension"))
        own = {"OMP_NUM_THREADS": "1", "PYTHONPATH": here, "JUPYTER_PATH": runtime, "JUPYTER_RUNTIME_DIR": runtime}
        environment = empty_home(Path(runtime) / "home", **own)
        # Now and then another program takes a TCP port that was free when a kernel got it.
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={free_port()}",
                   "--ip=127.0.0.1", f"--ServerApp.root_dir={root}", "--LabApp.expose_app_in_browser=True",
                   "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
                   "--KernelManager.transport=ipc"]  # fmt: skip
        # On a busy machine JupyterLab was once still waiting for a kernel a minute after a SIGTERM.
        with serving(command, folder / "lab.txt", quiet=False, end=None, env=environment) as address:
            running = Lab(browser, address, root)
            yield running
            running.close()


def write_notebook(path, cells, outputs=()):
    written = [{"cell_type": "code", "id": f"c{number}", "metadata": {}, "execution_count": None, "source": cell,
                "outputs": outputs[number] if number < len(outputs) else []}
               for number, cell in enumerate(cells)]  # fmt: skip
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {"cells": written, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


class Lab:
    """A running JupyterLab and a browser: a page in which one notebook after the other is opened, each in its folder.

    JupyterLab takes three times as long to load as a notebook to open.
    """

    def __init__(self, browser, address, root):
        self.browser = browser
        self.base, _, token = address.partition("/lab")
        self.base = self.base.rstrip("/")
        self.token = token.partition("token=")[2]
        self.root = root
        self.count = 0
        self.page = self.folder = None
        self.troubles = []  # errors in the page's console

    def notebook(self, *cells, width=1280, height=1000, run=True, outputs=()):
        """A page that shows a new notebook whose cells have run; *outputs*: stored ones, by cell."""
        write_notebook(self.new_folder() / "n.ipynb", cells, outputs)
        page = self.open("n.ipynb", width, height)
        if run:
            self.run_all(page)
        return page

    def new_folder(self):
        """The folder of the notebook that is opened next."""
        self.count += 1
        self.folder = self.root / str(self.count)
        self.folder.mkdir()
        return self.folder

    def open(self, name, width=1280, height=1000):
        """A page that shows a notebook of the newest folder, with its kernel ready."""
        size, path = {"width": width, "height": height}, f"{self.count}/{name}"
        if self.page is None:
            allowed = ["clipboard-read", "clipboard-write"]
            self.page = self.browser.new_context(viewport=size, permissions=allowed).new_page()
            self.page.set_default_timeout(60_000)
            self.page.on("console", lambda message: message.type == "error" and self.trouble(message.text))
            self.page.on("pageerror", lambda error: self.trouble(f"{error}\n{error.stack}"))
            self.page.goto(f"{self.base}/lab/tree/{path}?token={self.token}")
        else:
            self.page.mouse.move(0, 0)
            self.page.emulate_media(reduced_motion="no-preference")
            self.page.set_viewport_size(size)
            self.page.evaluate(ANOTHER, path)
        self.page.wait_for_function(READY, timeout=60_000)
        self.troubles = []
        return self.page

    def trouble(self, text):
        # JupyterLab's own: what the site's tests bring and it loads in vain; what it asked a kernel that has ended
        if "@jupyterlite/" not in text and "Canceled future" not in text:
            self.troubles.append(text)

    @staticmethod
    def run_all(page):
        page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")

    @staticmethod
    def run_cell(page, place):
        page.evaluate("""async (place) => {
            window.jupyterapp.shell.currentWidget.content.activeCellIndex = place;
            await window.jupyterapp.commands.execute("notebook:run-cell");
        }""", place)

    def close(self):
        """End the page and its kernel; the next notebook gets a new one."""
        if self.page is not None:
            self.page.evaluate(END)
            self.page.context.close()
            self.page = None


def ask(page, code):
    """The value of an expression in the page's kernel, as text."""
    return page.evaluate(
        """async (code) => {
            const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
            const future = kernel.requestExecute({ code: "", user_expressions: { it: code }, store_history: false });
            const reply = await future.done;
            const it = reply.content.user_expressions.it;
            return it.status === "ok" ? it.data["text/plain"] : `${it.ename}: ${it.evalue}`;
        }""", code)


def until(condition, seconds=120, step=0.05):
    """Wait until a condition is true and return its value; fails with its last value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"still {value!r} after {seconds} s"
        time.sleep(step)
    return value


def says(locator, text, seconds=120):
    """Wait until a part of a page shows a text, with any line breaks."""
    def said():
        return " ".join(locator.inner_text().split())

    end = time.monotonic() + seconds
    while text not in said():
        assert time.monotonic() < end, f"{said()!r} says not {text!r}"
        time.sleep(0.03)


# Whether Python has answered all widgets of a page, the pictures in sight are there, and for some frames nothing moves.
STILL = """async () => {
    const awaited = (note) => note.getBoundingClientRect().top < innerHeight && note.getBoundingClientRect().bottom > 0;
    if ([...document.querySelectorAll(".anb-stages > .anb-note")].some(awaited)) return false;
    const frame = () => new Promise(requestAnimationFrame);
    const places = () => [...document.querySelectorAll(".anb, .anb :is(button, input, select, svg)")]
        .map((each) => JSON.stringify(each.getBoundingClientRect())).join();
    const before = places(), begun = performance.now();
    for (let frames = 0; frames < 8 || performance.now() - begun < 150; frames++) {
        await frame();
        if (document.querySelector(".anb[aria-busy=true]") || places() !== before) return false;
    }
    return true;
}"""


def still(page):
    """Wait until the widgets of a page have come to rest."""
    until(lambda: page.evaluate(STILL), 90, 0)


def put(field, text):
    field.fill(text)
    field.press("Enter")


def menu(widget, entry):
    if not widget.get_by_role("button", name=entry).is_visible():
        widget.locator(".anb-history > summary").click()
    widget.get_by_role("button", name=entry).click()


AT_REST = """() => document.getAnimations().every((each) =>
    each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)"""


def inaccessible(page, **options):
    """The faults that axe finds in a page; the test is skipped without axe."""
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="axe-core-python is not installed")
    page.wait_for_function(AT_REST)  # a part that fades in has too little contrast as yet
    for _ in range(3):  # a page that is still changing may have faults for a moment
        result = axe.Axe().run(page, **options)
        assert len(result["passes"]) > 10
        if not result["violations"]:
            break
        page.wait_for_timeout(500)
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in result["violations"]]


def change_theme(page, theme):
    """JupyterLab Dark or JupyterLab Light."""
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")


# Milliseconds from each of *count* times that `act` is done to a change in `look`, a part of `root`, on the screen.
MEASURE = """async ([root, act, look, count]) => {
    const times = [], step = new Function("root", "turn", act);
    for (let turn = 0; turn < count; turn++) {
        const start = performance.now();
        const changed = new Promise((resolve, reject) => {
            setTimeout(() => reject(new Error(`turn ${turn} changed nothing`)), 5000);
            const watch = new MutationObserver(() => {
                watch.disconnect();
                requestAnimationFrame(() => resolve(performance.now()));
            });
            const what = { subtree: true, childList: true, attributes: true, characterData: true };
            watch.observe(root.querySelector(look), what);
        });
        step(root, turn);
        times.push(await changed - start);
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return times;
}"""


def measured(page, widget, act, look, count):
    """The median of these times, and the 95th percentile."""
    times = sorted(page.evaluate(MEASURE, [widget.element_handle(), act, look, count]))
    return statistics.median(times), times[int(0.95 * len(times))]
