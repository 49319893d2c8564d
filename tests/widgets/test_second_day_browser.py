"""A notebook that somebody opens again after the kernel of its widgets has long ended."""

import pytest
from widget_page import READY, put, says, until

pytestmark = pytest.mark.browser
CELLS = (
    "import autograd_nb as torch\nfrom autograd_nb import course",
    "x = torch.tensor(5., requires_grad=True)\nz = torch.log(x**3)\ntorch.step(z.backward)",
    "torch.bench(preset='accumulation')",
    "course.ch04.p1",
    "course.ch04.q1.check(1.8)",
    "course.ch01.p8",
)
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
WIDGETS = len(CELLS) - 1


def shows_pictures(page):
    """Whether each widget's output is its stored picture and text, without an error."""
    outputs = page.locator(".jp-OutputArea-output").all_inner_texts()
    images, live = (page.locator(each).count() for each in (".jp-OutputArea-output img", ".anb"))
    return len(outputs) == WIDGETS and "Error displaying" not in str(outputs) and images >= 2 and not live and outputs


def test_a_notebook_that_is_opened_on_the_second_day_shows_its_pictures_and_answers(lab):
    page = lab.notebook(*CELLS)
    until(lambda: page.locator(".anb").count() == WIDGETS, 90)
    card = page.locator(".anb").nth(2)
    put(card.get_by_role("textbox"), "0.6")
    says(card, "Not quite")
    graph = page.locator(".anb").nth(4)
    put(graph.get_by_role("textbox", name="∂z/∂z"), "1")
    put(graph.get_by_role("textbox", name="∂z/∂y"), "8")
    says(graph, "times y itself")
    path = lab.folder / "n.ipynb"
    page.evaluate(SAVE)
    until(lambda: "times y itself" in path.read_text(encoding="utf-8"))

    page.evaluate(RESTART)  # the page stays, its widgets' kernel does not
    page.wait_for_function(READY)
    page.reload()
    page.wait_for_function(READY, timeout=60_000)
    until(lambda: shows_pictures(page))
    assert lab.troubles == []

    lab.close()  # in a new browser, which remembers nothing, with a new kernel
    page = lab.open("n.ipynb")
    outputs = until(lambda: shows_pictures(page))
    assert "0.6" in outputs[2] and "Not quite" in outputs[2] and "Right" in outputs[3]
    assert "1;8" in outputs[4] and "times y itself" in outputs[4]
    assert lab.troubles == []
    lab.run_all(page)
    until(lambda: page.locator(".anb").count() == WIDGETS, 90)
    assert lab.troubles == []
