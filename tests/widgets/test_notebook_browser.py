"""Widgets as guests of a notebook, in a real JupyterLab: its keys, its saving, and a kernel that ends."""

import pytest
from test_small_widgets_browser import IMPORT, LINES
from widget_page import ask, until

pytestmark = pytest.mark.browser
STEPPED = "x = torch.tensor(5., requires_grad=True)\ns = torch.step((x**3).backward)\ns"
FOLDED = """layers = [torch.nn.Linear(8, 8) for _ in range(12)]
model = torch.nn.Sequential(*(torch.nn.Sequential(each, torch.nn.Tanh()) for each in layers))
torch.draw(model(torch.ones(2, 8)).sum(), model=model)"""
CELLS = {
    **{name: f"{name} = {line}\n{name}" for name, line in LINES.items()},
    "bench": "b = torch.bench(preset='accumulation')\nb",
    "stepper": STEPPED,
    "choices": "course.ch02.p1",
    "field": "course.ch04.p1",
    "graph": "course.ch01.p8",
    "exercise": "course.ch04.q1.check(1.8)",
    "unfolding": FOLDED,
}
CONTROLS = "button", "input[type=range]", "input[type=checkbox]", "input[type=radio]", "input:not([type])", \
    "select", "textarea", "[role=img][tabindex]"  # fmt: skip
NOTE = """() => {
    window.done = [];
    window.saved = 0;
    const { commands, shell } = window.jupyterapp;
    shell.currentWidget.context.saveState.connect((_, state) => (window.saved += state === "completed"));
    commands.commandExecuted.connect((_, { id }) => window.done.push(id));
}"""
DONE = "() => window.done.splice(0)"


def opened(lab):
    page = lab.notebook(IMPORT, *CELLS.values(), height=12_000)
    until(lambda: page.locator(".anb").count() == len(CELLS), 90)
    page.evaluate(NOTE)
    return page


def controls(widget):
    """One control of each kind that a widget has, and its selector."""
    for kind in CONTROLS:
        usable = [each for each in widget.locator(kind).all() if each.is_visible() and each.is_enabled()]
        if usable:
            yield kind, usable[-1]


def test_keys_with_ctrl_go_to_the_notebook_and_letters_stay_in_the_widget(lab):
    page = opened(lab)
    tried = set()
    for place, name in enumerate(CELLS):
        widget = page.locator(".anb").nth(place)
        for kind, control in controls(widget):
            tried.add(kind)
            control.focus()
            for key in ("d", "d", "Shift+M", "ArrowDown", "Control+z"):
                page.keyboard.press(key)
            assert page.evaluate(DONE) == [], (name, kind)
            page.keyboard.press("Control+s")
            assert until(lambda: page.evaluate(DONE)) == ["docmanager:save"], (name, kind)
    assert tried == {*CONTROLS} and until(lambda: page.evaluate("() => window.saved"))
    cell = page.locator(".jp-CodeCell").nth(1 + list(CELLS).index("nudge"))
    for key, command in (("Control", "notebook:run-cell"), ("Shift", "notebook:run-cell-and-select-next"),
                         ("Alt", "notebook:run-cell-and-insert-below")):  # fmt: skip
        before = cell.locator(".anb").element_handle()
        cell.get_by_label("Direction").focus()
        page.keyboard.press(f"{key}+Enter")
        until(lambda before=before: not before.is_visible() and cell.locator(".anb").count() == 1)
        until(lambda command=command: command in page.evaluate(DONE))
    box = page.locator(".anb").nth(list(CELLS).index("workshop")).get_by_label("forward", exact=True)
    box.fill("def forward(ctx, x):\n    return x")
    box.press("Control+Enter")
    until(lambda: "return x" in ask(page, "workshop.forward"))
    assert page.evaluate(DONE) == [], "in a box it runs what stands there"


def test_ctrl_z_takes_back_what_was_done_in_a_widget_and_in_a_field_its_letters(lab):
    page = lab.notebook(IMPORT, CELLS["nudge"])
    until(lambda: page.locator(".anb").count() == 1, 60)
    page.evaluate(NOTE)
    page.get_by_role("slider", name="Nudge of x", exact=True).focus()
    page.keyboard.press("Home")
    until(lambda: ask(page, "nudge.dx") == "-0.05")
    page.keyboard.press("Control+z")
    until(lambda: ask(page, "nudge.dx") == "0.05")
    page.evaluate("() => window.addEventListener('keydown', (event) => setTimeout(() => (window.last = event)), true)")
    page.get_by_label("Nudge of x, value").focus()
    page.keyboard.press("Control+z")
    page.wait_for_function("() => window.last?.key === 'z'")
    assert page.evaluate("() => window.last.defaultPrevented") is False, "the browser's own undo"
    assert page.evaluate(DONE) == [] and ask(page, "nudge.dx") == "0.05"


GONE = {
    "restarted": "() => void window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()",
    "shut down": "() => void window.jupyterapp.shell.currentWidget.sessionContext.shutdown()",
}
HELP = "run this cell; if a name is not defined there, choose Run > Run All Above Selected Cell first."
USABLE = """all => all.flatMap(root => [...root.querySelectorAll("button, input, select, textarea")])
                 .filter(each => !each.disabled && !each.closest("[data-in-page]")).length"""


@pytest.mark.parametrize("how", GONE)
def test_a_widget_whose_kernel_is_gone_says_what_helps_and_nothing_in_it_fails(lab, how):
    page = opened(lab)
    page.evaluate(GONE[how])
    if how == "shut down":  # the page notices it at the first touch
        page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.sessionContext.session")
        for widget in page.locator(".anb").all():
            widget.dispatch_event("pointerdown")
    until(lambda: page.locator(".anb-trouble", has_text=HELP).count() == len(CELLS))
    until(lambda: page.locator(".anb").evaluate_all(USABLE) == 0)
    for picture in page.locator(".anb [role=img][tabindex]").all():
        picture.click()
    page.evaluate("() => document.querySelectorAll('.anb-history').forEach((menu) => (menu.open = true))")
    for usable in page.locator(".anb [data-in-page] button, .anb button[data-in-page]").all():
        usable.click()
    stepper = page.locator(".anb").nth(list(CELLS).index("stepper"))
    until(lambda: "is done" in stepper.locator(".anb-status").inner_text())
    rows = page.locator(".anb").nth(list(CELLS).index("vector_jacobian"))
    rows.locator("[data-key='row 1']").click()
    until(lambda: "Row 1:" in rows.locator(".anb-status").inner_text())
    assert lab.troubles == []
    if how == "restarted":
        page.locator(".jp-CodeCell").nth(1 + list(CELLS).index("nudge")).locator(".anb-lead").click()
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-above')")
        until(lambda: ask(page, "'line' in globals()") == "True")
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")
        until(lambda: ask(page, "nudge.dx") == "0.05")
