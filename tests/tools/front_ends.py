"""A stepper, a bench and a card in a front end, operated in headless Chromium.

    python tests/tools/front_ends.py notebook     # or another of FRONT_ENDS

in an environment that has this front end, this package, Playwright and pytest. docs/promises.md lists the results.
"""

import argparse
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from serving import empty_home, free_port, serving
from widget_page import chromium, put, says, until, write_notebook

CELLS = ("import autograd_nb as torch\nfrom autograd_nb import course",
         "torch.step(lambda x: torch.log(x**3), torch.tensor(5., requires_grad=True))",
         "torch.bench(preset='accumulation')", "course.ch04.p1")  # fmt: skip
RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
IDLE = "() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


def jupyter(folder, app, trait, page):
    """The command that serves a notebook with the cells, and the path of its page."""
    write_notebook(folder / "page.ipynb", CELLS)
    options = ["--no-browser", "--allow-root", f"--port={free_port()}", "--ip=127.0.0.1",
               f"--ServerApp.root_dir={folder}", f"--{trait}.expose_app_in_browser=True"]  # fmt: skip
    return [sys.executable, "-m", app, *options], page


def marimo(folder):
    """The command that serves an app with the cells."""
    cells = [*(f"    {line}" for line in CELLS[0].split("\n")), "    return course, torch"]
    lines = ["import marimo", "app = marimo.App()", "", "@app.cell", "def _():", *cells]
    for cell in CELLS[1:]:
        lines += ["", "@app.cell", "def _(course, torch):", f"    {cell}", "    return"]
    (folder / "page.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(free_port())]
    return [sys.executable, "-m", "marimo", "run", str(folder / "page.py"), *options], ""


FRONT_ENDS = {
    "jupyterlab": lambda folder: jupyter(folder, "jupyterlab", "LabApp", "/lab/tree/page.ipynb"),
    "notebook": lambda folder: jupyter(folder, "notebook", "JupyterNotebookApp", "/notebooks/page.ipynb"),
    "marimo": marimo,
}


def operate(page):
    """Step, drag and answer; fails if a widget does not follow."""
    until(lambda: page.locator(".anb").count() == 3, 90)
    stepper, bench, card = map(page.locator(".anb").nth, range(3))
    said = stepper.locator(".anb-status")
    says(said, "pow computes")
    stepper.get_by_role("button", name="One step on").click()
    says(said, "log computes")
    before = bench.inner_text()
    bench.get_by_role("slider", name="x", exact=True).fill("1")
    until(lambda: bench.inner_text() != before)
    put(card.get_by_role("textbox"), "0.6")
    says(card, "Not quite. That would mean that backward replaces the old gradient")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("front_end", choices=FRONT_ENDS)
    name = parser.parse_args().front_end
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = Path(temporary) / "served"
        folder.mkdir()
        command, path = FRONT_ENDS[name](folder)
        home = empty_home(folder.parent / "home", PYTHONPATH=str(Path(__file__).parents[2]))
        with serving(command, folder.parent / "log.txt", quiet=False, env=home) as address:
            page, wrong = browser.new_page(), []
            page.on("pageerror", lambda error: wrong.append(str(error)))
            base, _, token = address.partition("?token=")
            base = base.removesuffix("/lab").removesuffix("/tree").rstrip("/")
            page.goto(base + path + f"?token={token}" * bool(token))
            if path.endswith(".ipynb"):
                page.wait_for_function(IDLE, timeout=90_000)
                page.evaluate(RUN)
            operate(page)
    print(f"{name} {version(command[2])}: 3 widgets operated, {len(wrong)} page errors", *wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
