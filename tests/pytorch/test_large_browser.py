"""Large networks in a real JupyterLab: folded modules open and close by mouse and keys; how soon a stepper is there."""

import os
import re
from pathlib import Path

import pytest
import widget_page
from widget_page import says, until

pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
pytestmark = pytest.mark.browser

NESTED = """import torch
from autograd_nb import draw
def block():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))
model = torch.nn.Sequential(block(), block(), block(), torch.nn.Linear(4, 1))
loss = model(torch.ones(2, 4)).sum()
draw(loss, max_nodes=8)"""


def test_modules_open_and_close_by_click_and_by_keys(lab):
    page = lab.notebook(NESTED)
    graph = page.locator(".anb")

    def boxes():
        box = graph.locator('g[data-key^="module "]:not([data-key*=">"])')
        return box.evaluate_all("all => all.map((each) => each.dataset.key.slice(7))")

    def functions():
        return graph.locator('g[data-key^="n"]:not([data-key*=">"])').all_text_contents()

    def is_on_picture():
        return page.evaluate("document.activeElement.classList.contains('anb-picture')")

    folded = ["model.0", "model.1", "model.2", "model.3"]
    until(lambda: boxes() == folded, 120)
    graph.locator('g[data-key="module model.1"]').click()
    until(lambda: boxes() == ["model.0", "model.1.0", "model.1.2", "model.2", "model.3"])
    told = graph.locator(".anb-pointed")
    assert functions() == ["TanhBackward0", "SumBackward0"]
    page.mouse.move(0, 0)  # a hint would show below the pointer
    page.keyboard.press("ArrowDown")  # from model.1.0, the first opened module
    says(told, "model.1.2 is folded: a click or Enter opens it.")
    page.keyboard.press("Enter")
    until(lambda: boxes() == ["model.0", "model.1.0", "model.2", "model.3"])
    assert functions() == ["TanhBackward0", "TBackward0", "AddmmBackward0", "SumBackward0"]
    assert is_on_picture()
    graph.get_by_role("button", name="Close model.1.2").click()
    until(lambda: boxes() == ["model.0", "model.1.0", "model.1.2", "model.2", "model.3"])
    assert is_on_picture()
    page.mouse.move(0, 0)
    graph.get_by_role("button", name="Close model.1", exact=True).focus()
    page.keyboard.press("Enter")
    until(lambda: boxes() == folded)
    says(told, "model.1 is folded")
    until(lambda: is_on_picture() and graph.get_by_role("button").count() == 0)


def test_a_stored_picture_is_seen_without_a_kernel(lab):
    space = {}
    exec(NESTED.replace("draw(loss, max_nodes=8)", "shown = draw(loss, max_nodes=8)"), space)
    output = {"output_type": "execute_result", "execution_count": 1, "metadata": {},
              "data": space["shown"]._repr_mimebundle_()}  # fmt: skip
    page = lab.notebook("draw(loss, max_nodes=8)", run=False, outputs=[[output]])
    image = page.locator(".jp-OutputArea-output img")
    until(lambda: image.count() == 1)
    until(lambda: "model.1: group" in image.get_attribute("alt"))
    (width,) = re.search(r"min-width:(\d+)px", output["data"]["text/html"]).groups()
    until(lambda: image.evaluate("each => each.naturalWidth") == int(width))


FOLDERS = [str(Path(__file__).parent), str(Path(widget_page.__file__).parent)]
LARGE = """import sys
sys.path[:0] = {folders!r}
import torch
from test_large import Transformer, data
from autograd_nb import step
torch.set_num_threads(1)
model, (inputs, targets) = Transformer(), data()
loss = torch.nn.functional.cross_entropy(model(inputs).flatten(0, -2), targets.flatten())
stepper = step(loss.backward)"""
# Milliseconds from the arrival of a cell's output to the first sentence of its stepper.
WATCH = """() => {
    window.arrived = window.operable = 0;
    new MutationObserver(() => {
        if (!window.arrived && document.querySelector(".jp-OutputArea-output")) window.arrived = performance.now();
        if (!window.operable && document.querySelector(".anb-stage"))
            requestAnimationFrame(() => (window.operable ||= performance.now()));
    }).observe(document.body, { subtree: true, childList: true });
}"""


def test_the_stepper_of_a_large_pass_opens_within_a_second(lab, capsys):
    page = lab.notebook(LARGE.format(folders=FOLDERS), "stepper", run=False)
    page.evaluate(WATCH)
    lab.run_all(page)
    until(lambda: page.evaluate("window.operable"), 60)
    opened = page.evaluate("window.operable - window.arrived") / 1000
    stepper = page.locator(".anb")
    says(stepper.locator(".anb-status"), "Backward pass starts at loss")
    stepper.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    says(stepper.locator(".anb-status"), "The backward pass is done.")
    with capsys.disabled():
        print(f"\nThe stepper of a large network opened in {opened:.2f} s")
    assert opened <= max(1, os.getloadavg()[0] / os.cpu_count())
