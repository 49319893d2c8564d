"""Shared by all tests: live PyTorch, skips in a whole run, how long the course may take, the inner run."""

import functools
import importlib
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

import house
import nbval.kernel
import processes
import pytest
import widget_page
from jupyter_client.manager import KernelManager

# .ci/run sets it: a skipped test is a failure there. What a machine lacks is no skip; the last lines tell of it.
NO_SKIPS = os.environ.get("AUTOGRAD_NB_NO_SKIPS") == "1"
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
COURSE_SECONDS = 240  # the time limit for running the whole course
seconds, busy = Counter(), Counter()  # {notebook: seconds by the clock}, and of the processor

ON_TORCH = re.compile(r'^(torch = )?pytest\.importorskip\("torch"', re.MULTILINE)  # in a file whose tests all need it
left_out = defaultdict(Counter)  # {what this machine lacks: {file: how many tests were left out}}


@functools.cache
def why_no_torch():
    """Why PyTorch is not there, or "". PyTorch takes seconds to load, so ask late."""
    try:
        importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return "pip install torch==2.13.0"
    except Exception as error:
        sys.modules["torch"] = None  # for the tests PyTorch is absent, too
        return f"PyTorch is installed, but does not load: {type(error).__name__}: {error}"
    return ""


def pytest_ignore_collect(collection_path):
    if collection_path.suffix != ".py" or not ON_TORCH.search(collection_path.read_text("utf-8")) or not why_no_torch():
        return None
    left_out["PyTorch"][collection_path.name] = 0
    return True


@pytest.fixture(scope="session")
def torch():
    """Live PyTorch, the reference; without PyTorch, tests that take it are left out."""
    return importlib.import_module("torch")


@pytest.fixture(scope="session")
def live(torch):
    """Live PyTorch, in files where torch stands for our library."""
    return torch


@pytest.fixture
def without_torch(monkeypatch):
    """Make this process look like one that has not imported PyTorch, whatever the test makes of the name."""
    def loaded():
        return [path for path in sys.modules if path.partition(".")[0] == "torch"]

    for path in loaded():
        monkeypatch.delitem(sys.modules, path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])  # as_torch() in a chapter lasts as long as the test
    yield
    for path in loaded():
        del sys.modules[path]


def pytest_addoption(parser):
    parser.addoption("--fuzz", type=int, default=200, metavar="N", help="how many random programs test_fuzz.py runs")
    parser.addoption("--fuzz-seed", type=int, default=1, metavar="SEED", help="which random programs these are")
    parser.addoption("--nightly", action="store_true", help="long searches, too")
    parser.addoption("--edges", action="store_true", help="test_edges.py takes all samples, in both dtypes")
    parser.addoption("--late", type=int, default=0, metavar="MS", help="pages get answers so many milliseconds later: "
                     "does a test read what is still on its way?")
    parser.addoption("--pyodide", metavar="FOLDER", default=os.environ.get("AUTOGRAD_NB_PYODIDE"),
                     help="a copy of Pyodide: JupyterLite is tried with it in a browser")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    """Leave out the tests that cannot run here, and start the processes that run beside this one."""
    for what, (needed, why_not, _) in NEEDS.items():
        without = {item: None for item in items if needed(item) or what in needs(item)}
        if without and why_not(config):
            config.hook.pytest_deselected(items=[*without])
            left_out[what].update(item.path.name for item in without)
            items[:] = [item for item in items if item not in without]
    in_browser = {item.path for item in items if item.get_closest_marker("browser")}
    for item in items:
        item.stash[IN_BROWSER] = item.path in in_browser
    items.sort(key=SHARES["widgets in a browser"])  # at the end, for Playwright leaves an event loop running
    if has_course(items):
        processes.beside(session, items, SHARES, AGAIN)
    if has_course(items):
        items.append(CourseTime.from_parent(session, name="the whole course in time"))


def needs_torch(item):
    """Whether a test takes live PyTorch, as a fixture or as the library of its parameters."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return "torch" in (*getattr(item, "fixturenames", ()), *(each for each in given if isinstance(each, str)))


def is_on_torch(path):
    """Whether this is the chapter on real PyTorch."""
    return path.name.startswith("18_")


def needs(item):
    return {name for mark in item.iter_markers("needs") for name in mark.args}


# {what a machine may lack: (which tests need it, why it is not there or "", what the others do without it)}
NEEDS = {
    "PyTorch": (lambda item: needs_torch(item) or is_on_torch(item.path), lambda config: why_no_torch(),
                "; the others compare with its recorded results"),
    "Chromium": (lambda item: item.get_closest_marker("browser"),
                 lambda config: "" if widget_page.CHROMIUM else "apt install chromium", ""),
    "Pyodide": (lambda item: {"in_lite", "in_pyodide"} & {*getattr(item, "fixturenames", ())},
                lambda config: "" if config.getoption("--pyodide") else "--pyodide FOLDER", ""),
    "nightly": (lambda item: False, lambda config: "" if config.getoption("--nightly") else ".ci/nightly has them", ""),
    "torchviz": (lambda item: False,
                 lambda config: "" if all(map(find_spec, ("torchviz", "graphviz", "distutils"))) else
                 "pip install --no-deps torchviz graphviz setuptools", ""),
}  # fmt: skip


def notebooks():
    return {path for path in NOTEBOOKS.glob("*.ipynb") if ".new" not in path.name}


def has_course(items):
    """Whether every notebook that can run here is among these tests."""
    missing = notebooks() - {item.path for item in items}
    return all(map(is_on_torch, missing)) and (not missing or bool(why_no_torch()))


IN_BROWSER = pytest.StashKey()
# Tests that run beside the rest in a run of the whole suite
SHARES = {
    # all that reads the site stands in one process, which builds it once
    "sites in a browser": lambda item: "site" in getattr(item, "fixturenames", ()) or (
        item.stash[IN_BROWSER] and item.path.parent.name == "course"),
    "widgets in a browser": lambda item: item.stash[IN_BROWSER],
    "notebooks, installations and servers": lambda item: item.path.suffix == ".ipynb" or item.path.stem in (
        "test_how_tos", "test_installed", "test_launcher", "test_refresh", "test_frames", "test_benchmarks"),
    "the course and its widgets": lambda item: item.path.parent.name in ("course", "widgets", "why", "drawing"),
}  # fmt: skip

# Tests that run once more beside it, because without speed.py a program does the same
PLAIN = {"engine", "autograd", "nn", "optim"}
AGAIN = {
    "on the plain engine": (lambda item: not item.stash[IN_BROWSER] and not needs(item)
                        and item.path.parent.name in PLAIN, {"AUTOGRAD_NB_PLAIN": "1"}),
} if find_spec("autograd_nb.engine.speed") else {}  # fmt: skip


class CourseTime(pytest.Item):
    """The last test of a run with every notebook in it: together they kept to their time.

    The processor's time counts: on an idle machine it equals the clock's, and on a busy one it is still the course's
    own.
    """

    def runtest(self):
        longest = ", ".join(f"{name} {duration:.0f} s" for name, duration in busy.most_common(3))
        told = (f"The whole course, {len(seconds)} notebooks, ran in {sum(seconds.values()):.0f} s, with "
                f"{sum(busy.values()):.0f} s of the processor's time; longest: {longest}")
        self.user_properties.append(("course", told))
        assert 0 < sum(busy.values()) <= COURSE_SECONDS, f"the course took {dict(busy.most_common())}"

    def reportinfo(self):
        return self.path, 0, self.name


class Clock:
    """Counts the notebooks' seconds and prints them; a plugin too."""

    told = ""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        before, worked = time.monotonic(), sum(os.times()[:4])  # of this process and its ended children
        yield
        if item.path.parent == NOTEBOOKS:  # a translation runs the same code
            seconds[item.path.stem] += time.monotonic() - before
            busy[item.path.stem] += sum(os.times()[:4]) - worked

    def pytest_runtest_logreport(self, report):
        self.told = dict(report.user_properties).get("course", self.told)

    def pytest_terminal_summary(self, terminalreporter):
        if self.told:
            terminalreporter.write_line(self.told)
        for what, files in left_out.items():
            whole = f" and {n} whole files" if (n := list(files.values()).count(0)) else ""
            _, why_not, others = NEEDS[what]
            count = files.total()
            told = f"without {what}: {count} test{'s' * (count != 1)}{whole} left out{others} ({why_not(self.config)})"
            terminalreporter.write_line(told)


def kernel_manager(**options):
    """The manager of a kernel with named sockets: a TCP port that was free may be taken before the kernel opens it."""
    manager = KernelManager(transport="ipc", ip=tempfile.mktemp(prefix="kernel-"), **options)
    manager.start_kernel = functools.partial(manager.start_kernel, env=os.environ | {"PYTHONPATH": house.LEAN})
    return manager


def pytest_configure(config):
    # A process that a script starts in the background ignores Ctrl-C, and so would the servers that tests end by
    # Ctrl-C.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    processes.configure(config)
    config.pluginmanager.register(Clock(config))
    if os.name == "posix":
        nbval.kernel.KernelManager = kernel_manager


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    forbid_skip(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    outcome = yield
    forbid_skip(outcome.get_result())


def forbid_skip(report):
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr[-1]}"


@pytest.fixture
def progress(monkeypatch, tmp_path):
    """The file of a learner's progress during a test."""
    path = tmp_path / "progress.json"
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", str(path))
    return path


@pytest.fixture(scope="session")
def browser(pytestconfig):
    with widget_page.chromium(pytestconfig.getoption("--late")) as running:
        yield running


@pytest.fixture
def opened(browser):
    """A function that opens a file without network; an error in the page fails the test."""
    contexts, wrong = [], []

    def open_(path, width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else
                wrong.append(request.url))  # fmt: skip
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A JupyterLab and a page of it."""
    with widget_page.lab(browser, tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site to read."""
    out = tmp_path_factory.mktemp("site") / "pages"
    lean = os.environ | {"PYTHONPATH": house.LEAN}
    house.run("-m", "autograd_nb.course.site", "html", out, "--lite", "https://a.b/c", cwd=house.ROOT, env=lean)
    return out
