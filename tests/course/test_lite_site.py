"""The site to work with: the build needs only the package index, and each chapter installs the course."""

import email
import functools
import http.server
import importlib
import json
import os
import subprocess
import sys
import threading
import time
import zipfile

import nbformat
import pytest
from house import NOTEBOOKS, ROOT, cells
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from widget_page import Lab, put, says, until

from autograd_nb.course import library
from autograd_nb.course.site.chapter import renew

pytest.importorskip("jupyterlite_core", reason="jupyterlite-core is not installed")
pytestmark = pytest.mark.slow


def build(out, *options, **environment):
    command = [sys.executable, "-m", "autograd_nb.course.site", "lite", str(out), *map(str, options)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | environment)


def copy_of_pyodide(folder, python=None, **lock):
    """A folder with the files that a copy of Pyodide has, all of them empty but the lock."""
    lite = importlib.import_module("autograd_nb.course.site.lite")
    names = *lite.FROM_PYODIDE, "packaging", "prompt-toolkit"
    packages = {name: {"file_name": f"{name}.whl", "depends": []} for name in names}
    packages["numpy"]["depends"] += ["packaging", "Prompt_toolkit"]  # names may have any spelling there
    info = {"python": f"{python or lite.PYODIDE_PYTHON_VERSION}.2"}
    folder.mkdir()
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": packages} | lock))
    for name in ("pyodide.mjs", "pyodide.js", *(each["file_name"] for each in packages.values())):
        (folder / name).write_text("")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lite")
    copy_of_pyodide(folder / "pyodide")
    before = set(ROOT.iterdir())
    built = build(folder / "out", "--pyodide", folder / "pyodide")
    assert built.returncode == 0, built.stderr
    assert set(ROOT.iterdir()) == before
    return folder / "out"


def test_every_chapter_is_there_and_begins_by_installing_the_course(site):
    names = {library.place_of(path, spoken).as_posix(): (path, spoken)
             for spoken in ("en", "ko") for path in library.notebooks_of(NOTEBOOKS)}  # fmt: skip
    files = {path.relative_to(site / "files").as_posix(): path for path in (site / "files").rglob("*.*")}
    assert {name for name in files if "images/" not in name} == names.keys()
    assert all(path.read_bytes().isascii() for name, path in files.items() if "images/" in name)
    for name, chapter in names.items():
        there = cells(site / "files" / name)
        place = next(number for number, (cell, _) in enumerate(there) if cell["cell_type"] == "code")
        told, begins = there[place - 1][1], there[place][1]
        assert begins.startswith('import piplite\nawait piplite.install("autograd-nb[course]")\n')
        assert f'renew("{name}", "{library.edition(*chapter)[:12]}")' in begins
        fails = any("raises-exception" in cell["metadata"].get("tags", ()) for cell, _ in there)
        begin, stops = ("여기서는", "모두 실행(Run All)") if name[:2] == "ko" else ("The course", "Run All stops at")
        assert told.startswith(begin) and "autograd-nb-progress.json" in told and "cdn.jsdelivr.net" in told
        assert (stops in told) == fails, name


def test_all_that_is_installed_lies_in_the_site_and_nothing_else_is_sought(site):
    index = json.loads((site / "pypi" / "all.json").read_text("utf-8"))
    assert {"autograd-nb", "ipywidgets", "anywidget", "psygnal"} <= {name.replace("_", "-") for name in index}
    for project in index.values():
        for (wheel,) in project["releases"].values():
            assert wheel["filename"].endswith("-none-any.whl") and (site / "pypi" / wheel["filename"]).is_file()
    settings = json.loads((site / "jupyter-lite.json").read_text("utf-8"))["jupyter-config-data"]
    kernel = settings["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert kernel["disablePyPIFallback"] is True and "static/pyodide/" in kernel["pyodideUrl"]
    assert (site / "static" / "pyodide" / "pyodide-lock.json").is_file() and (site / "lab" / "index.html").is_file()
    extensions = {each["name"] for each in settings["federated_extensions"]}
    assert {"anywidget", "@jupyter-widgets/jupyterlab-manager"} <= extensions


def test_what_the_first_cell_installs_is_all_in_the_site_or_in_pyodide(site):
    lite = importlib.import_module("autograd_nb.course.site.lite")
    there = {}
    for path in site.rglob("pypi/*.whl"):
        with zipfile.ZipFile(path) as wheel:
            (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
            there[canonicalize_name(path.name.partition("-")[0])] = wheel.read(name).decode()
    needed = [Requirement("autograd-nb[course]")]
    for each in needed:
        if each.name in lite.FROM_PYODIDE:
            continue
        assert canonicalize_name(each.name) in there, f"{each} is not in the site"
        told = email.message_from_string(there[canonicalize_name(each.name)]).get_all("Requires-Dist", ())
        browser = {"sys_platform": "emscripten", "platform_system": "Emscripten"}
        for next_one in map(Requirement, told):
            extras = each.extras or {""}
            if not next_one.marker or any(next_one.marker.evaluate(browser | {"extra": one}) for one in extras):
                needed.append(next_one)
    assert {"numpy", "matplotlib", "anywidget", "psygnal"} <= {each.name for each in needed}


def test_what_hinders_it_is_told_in_a_sentence(tmp_path):
    copies = {name: copy_of_pyodide(tmp_path / name) for name in ("empty", "without")}
    (copies["empty"] / "pyodide-lock.json").unlink()
    (copies["without"] / "packaging.whl").unlink()
    (copies["without"] / "numpy.whl").unlink()
    copies["older"] = copy_of_pyodide(tmp_path / "older", "3.9")
    copies["torn"] = copy_of_pyodide(tmp_path / "torn", packages=3)
    expected = {"empty": "it has no pyodide-lock.json", "without": "it lacks numpy.whl, packaging.whl\n",
                "older": "it has Python 3.9.2, and jupyterlite-pyodide-kernel requires 3.1",
                "torn": "its pyodide-lock.json cannot be read"}  # fmt: skip
    for name, told in expected.items():
        built = build(tmp_path / "out", "--pyodide", copies[name])
        assert built.returncode == 1 and built.stderr.count("\n") == 1
        assert f"{copies[name]} holds no copy of Pyodide that can work here: {told}" in built.stderr
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    built = build(tmp_path / "out", **nowhere)
    assert built.returncode == 1 and built.stderr.count("\n") == 1
    assert "pip could not get the wheels: is the package index within reach?" in built.stderr


def test_a_recursion_ends_before_the_stack_of_a_browser_does():
    allowed = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(3000)  # as in Pyodide's kernel, where Chromium's stack ends after some 2,500 calls
        renew("00_welcome.ipynb", library.edition(NOTEBOOKS / "00_welcome.ipynb")[:12])
        assert sys.getrecursionlimit() <= 1000
    finally:
        sys.setrecursionlimit(allowed)


def test_a_returning_reader_gets_a_new_edition_beside_his_own(site, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mine, name = tmp_path / "05_many_paths.ipynb", "ko/05_many_paths.ipynb"
    mine.write_text("mine")
    renew(name, library.edition(NOTEBOOKS / mine.name, "ko")[:12])
    renew("no_more.ipynb", "0123456789ab")
    assert [*tmp_path.iterdir()] == [mine] and capsys.readouterr().out == ""
    (tmp_path / "05_many_paths.new.ipynb").write_text("of an edition between")
    for _ in range(2):
        renew(name, "0123456789ab")
        assert capsys.readouterr().out == (
            "05_many_paths.ipynb is as you left it; its new edition is beside it: 05_many_paths.new2.ipynb\n")
    there = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert there.pop("05_many_paths.new2.ipynb").count("\n") > 500
    assert there == {mine.name: "mine", "05_many_paths.new.ipynb": "of an edition between"}
    assert nbformat.validate(nbformat.read(tmp_path / "05_many_paths.new2.ipynb", 4)) is None


KERNEL = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@pytest.fixture
def in_lite(request, browser, tmp_path):
    """A function that opens a chapter in JupyterLite and runs it up to a text, for a page without any other network."""
    built = build(tmp_path / "out", "--pyodide", request.config.getoption("--pyodide"))
    assert built.returncode == 0, built.stderr
    config = json.loads((tmp_path / "out" / "jupyter-lite.json").read_text("utf-8"))
    config["jupyter-config-data"]["exposeAppInBrowser"] = True
    (tmp_path / "out" / "jupyter-lite.json").write_text(json.dumps(config))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "out")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base, elsewhere = f"http://127.0.0.1:{server.server_port}", []
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.route(lambda url: not url.startswith(base), lambda route: route.abort())
    context.on("request", lambda request: None if request.url.startswith((base, "data:", "blob:")) else
               elsewhere.append(request.url))  # fmt: skip

    def run(name, text):
        page = context.new_page()
        page.goto(f"{base}/lab/index.html?reset&path={name}")
        page.wait_for_function(KERNEL, timeout=120_000)
        there = cells(tmp_path / "out" / "files" / name)
        codes = [place for place, (cell, _) in enumerate(there) if cell["cell_type"] == "code"]
        began = time.monotonic()
        Lab.run_cell(page, codes[0])
        assert time.monotonic() - began <= 15  # seconds for installing the course
        for place in codes[1:]:
            Lab.run_cell(page, place)
            if text in there[place][1]:
                return page.locator(".jp-Notebook .jp-Cell.jp-mod-active .anb")
        raise AssertionError(f"{name} has no {text}")

    yield run
    context.close()
    server.shutdown()
    server.server_close()
    assert elsewhere == []


@pytest.mark.browser
def test_three_chapters_run_in_the_browser_alone(in_lite):
    stepper = in_lite("00_welcome.ipynb", "torch.step(")
    stepper.get_by_label("First step").focus()
    stepper.press("End")
    says(stepper, "The backward pass is done.")
    bench = in_lite("02_leaves.ipynb", "torch.bench(")
    before = until(bench.inner_text)
    bench.get_by_role("slider", name="x", exact=True).fill("1")
    until(lambda: bench.inner_text() != before)
    in_lite("05_many_paths.ipynb", "except RecursionError")  # the kernel survives this
    card = in_lite("ko/05_many_paths.ipynb", "course.ch05.p1")
    put(card.get_by_role("textbox"), "1.6")
    says(card, "맞습니다.")
    says(in_lite("ko/05_many_paths.ipynb", "course.ch05.p1"), "전에 이렇게 답했습니다.")  # in a reopened page
