"""A saved stepper in Chromium: from the file system, by keyboard, in an iframe, without network and without scripts."""

import re

import pytest
from widget_page import inaccessible, says, until

import autograd_nb as torch

pytestmark = pytest.mark.browser
HOSTILE = "</script><script>canary=1</script>"


def walk(path, **names):
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    z = torch.log(y)
    stepper = torch.step(z.backward)
    stepper.save(path)
    return stepper


def where(page):
    return page.locator(".anb-counter").inner_text()


def test_a_saved_stepper_is_walked_by_keyboard(opened, tmp_path):
    stepper = walk(tmp_path / "walk.html")
    assert (tmp_path / "walk.html").stat().st_size < 100_000
    page = opened(tmp_path / "walk.html")
    until(lambda: where(page) == "step 1 of 5")
    sentences = [step.sentence for step in stepper.trace.steps()]
    for number, sentence in enumerate(sentences, 1):  # it listens at once
        until(lambda number=number: where(page) == f"step {number} of 5")
        says(page.locator(".anb-status"), sentence)
        page.keyboard.press("ArrowRight")
    graph = page.locator(".anb-picture svg").evaluate("svg => [...svg.querySelectorAll(':scope > g:not([display])')]"
                                                      ".map((each) => each.textContent).join(' ')")  # fmt: skip
    until(lambda: ".grad 0.6" in graph and "0.6" in page.locator("table").inner_text())
    page.keyboard.press("Home")
    until(lambda: where(page) == "step 1 of 5")
    page.get_by_text("Speed and detail").click()
    page.get_by_label("Detail").select_option("full")
    full = len(stepper.trace.steps("full"))
    until(lambda: where(page).endswith(f"of {full}"))
    page.get_by_label("Last step").click()
    page.get_by_label("Detail").select_option("fast")
    until(lambda: where(page) == "step 5 of 5")
    page.get_by_role("slider").fill("2")
    until(lambda: where(page) == "step 3 of 5")
    page.get_by_role("button", name="Play").click()
    until(lambda: where(page) == "step 5 of 5")


def test_play_leaves_each_sentence_the_time_to_be_read(opened, tmp_path):
    walk(tmp_path / "walk.html")
    page = opened(tmp_path / "walk.html")
    until(lambda: where(page) == "step 1 of 5")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.get_by_text("Speed and detail").click()
    page.get_by_label("Speed").select_option("4")
    for button in ("Last step", "First step", "Play"):
        page.get_by_role("button", name=button).click()
    for number in range(1, 5):
        reading = max(1500, 300 * len(page.locator(".anb-status").inner_text().split())) / 4
        page.clock.run_for(reading - (20 if number == 1 else 40))  # it was there for 20 already
        until(lambda number=number: where(page) == f"step {number} of 5")
        page.clock.run_for(40)
        until(lambda number=number: where(page) == f"step {number + 1} of 5")


def test_a_long_stepper_goes_to_a_place_that_is_chosen_and_its_table_keeps_to_its_frame(opened, tmp_path):
    weights_of_the_whole_network_of_many_layers = torch.ones(2, requires_grad=True)
    with torch.record() as trace:
        for turn in range(8):
            loss = (weights_of_the_whole_network_of_many_layers * 2).sum() * (float("nan") if turn == 2 else 1.0)
            loss.backward()
    torch.step(trace).save(tmp_path / "long.html")
    page = opened(tmp_path / "long.html")
    places = page.get_by_label("Go to")
    until(lambda: places.locator("option").count() == 1 + 8 + 2)
    kinds = [step.kind for step in trace.steps()]
    second = kinds.index("Started", kinds.index("Started") + 1)
    places.select_option("backward pass 2")
    until(lambda: where(page) == f"step {second + 1} of {len(kinds)}")
    places.select_option("the first NaN")
    until(lambda: "= nan" in page.locator(".anb-status").inner_text())
    until(lambda: places.input_value() == "")
    for width in (1280, 420):
        page.set_viewport_size({"width": width, "height": 800})
        until(lambda: page.evaluate("(() => { const [table, frame] = ['.anb-table', '.anb-panel'].map((each) =>"
                                    "document.querySelector(each).getBoundingClientRect());"
                                    "return table.right <= frame.right; })()"))  # fmt: skip


def test_a_table_of_many_values_scrolls_in_its_frame_to_what_is_new(opened, tmp_path):
    model = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(30)])
    with torch.record() as trace:
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
    torch.step(trace).save(tmp_path / "many.html")
    page = opened(tmp_path / "many.html")
    page.set_viewport_size({"width": 1280, "height": 800})
    until(lambda: re.match(r"step \d+ of", where(page)))
    box = page.locator(".anb-values-box")
    for button in ("Last step", "One step back"):
        page.get_by_role("button", name=button).click()
        until(lambda: box.evaluate("""box => {
            const row = (box.querySelector(".anb-new") ?? box).getBoundingClientRect();
            const frame = box.getBoundingClientRect();
            return box.scrollHeight > 2 * box.clientHeight && frame.height < 400
                && row.top >= frame.top && row.bottom <= frame.bottom + 1;
        }"""))


def test_a_page_of_two_traces_keeps_its_moment_in_another_detail(opened, tmp_path):
    def program(factor):
        x = torch.tensor(2.0, requires_grad=True)
        y = (x * factor).exp()
        y.backward()

    stepper = torch.step(torch.record(program, 1.0), torch.record(program, 3.0))
    stepper.step = 3
    stepper.save(tmp_path / "two.html")
    page = opened(tmp_path / "two.html")
    until(lambda: where(page).startswith("step 4 of"))
    until(lambda: page.locator(".anb-stages .anb-title").count() >= 2)
    stepper.detail = "full"
    page.get_by_text("Speed and detail").click()
    page.get_by_label("Detail").select_option("full")
    until(lambda: where(page) == f"step {stepper.step + 1} of {stepper.count}")


def test_a_page_lives_in_an_iframe(opened, tmp_path):
    walk(tmp_path / "walk.html")
    for sandbox in ("", ' sandbox="allow-scripts"'):
        (tmp_path / "blog.html").write_text(f'<!DOCTYPE html><title>A blog</title><iframe src="walk.html"{sandbox}>')
        page = opened(tmp_path / "blog.html")
        counter = page.frame_locator("iframe").locator(".anb-counter")
        until(lambda counter=counter: counter.inner_text() == "step 1 of 5")
        page.frame_locator("iframe").get_by_label("Last step").click()
        until(lambda counter=counter: counter.inner_text() == "step 5 of 5")


def test_a_page_of_a_loop_opens_at_the_last_turn_fits_the_window_and_shows_the_others(opened, tmp_path):
    model = torch.nn.Sequential(*(torch.nn.Linear(6, 6) for _ in range(10)))
    with torch.record() as trace:
        for _ in range(3):
            model(torch.ones(5, 6)).square().mean().backward()
    with torch.record() as wrong:
        for turn in range(3):
            (model(torch.ones(5, 6)) * (float("nan") if turn == 1 else 1)).square().mean().backward()
    assert wrong.step().views[wrong.step().view] == "turn 2 of 3"  # the first with a NaN
    trace.step().save(tmp_path / "loop.html")
    page = opened(tmp_path / "loop.html")
    page.set_viewport_size({"width": 1280, "height": 800})
    until(lambda: page.locator(".anb-counter").count())
    says = page.locator(".anb-sentence").first
    until(lambda: "Backward pass 3 starts" in says.inner_text())
    until(lambda: page.evaluate("document.documentElement.scrollHeight") <= 800)
    before = where(page)
    page.keyboard.press("ArrowRight")  # it listens at once
    until(lambda: where(page) != before)
    page.get_by_label("Show").select_option(label="turn 1 of 3")
    until(lambda: "Backward pass starts" in says.inner_text())


def test_a_page_without_scripts_still_reads(opened, tmp_path):
    walk(tmp_path / "walk.html")
    page = opened(tmp_path / "walk.html", java_script_enabled=False)
    text = page.locator("main").inner_text()
    assert "step 1 of 5: stepper = torch.step(z.backward) Backward pass starts" in text
    until(lambda: page.locator("svg").count() >= 4)
    torch.draw(torch.tensor(1.0, requires_grad=True) * 2).save(tmp_path / "graph.html")
    page = opened(tmp_path / "graph.html", java_script_enabled=False)
    page.locator("summary").click()
    until(lambda: page.locator("svg").count() == 1 and page.locator("li").first.is_visible())


def test_hostile_texts_do_not_run_in_a_page_nor_does_what_is_put_into_it(browser, tmp_path):
    x = torch.tensor(2.0, requires_grad=True)
    scope = {"given": {HOSTILE: x}, "torch": torch}
    exec(f"y = given[{HOSTILE!r}] * 2\nstepper = torch.step(y.backward)", scope)
    for saved in (scope["stepper"], torch.draw(x * 2, params={HOSTILE: x})):
        saved.save(tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text("utf-8")
        assert "canary=1" in text
        more = f"<main>{HOSTILE}<img src=x onerror=canary=1><style>main {{ color: red }}</style>"
        injected = re.sub("<main>", more, text, count=1)
        for content in (text, injected):
            (tmp_path / "page.html").write_text(content, "utf-8")
            page = browser.new_page()
            page.goto((tmp_path / "page.html").as_uri())
            if saved is scope["stepper"]:
                until(lambda page=page: page.locator(".anb-counter").count())
            assert page.evaluate("() => window.canary") is None
            assert page.evaluate("() => getComputedStyle(document.querySelector('main')).color") != "rgb(255, 0, 0)"
            page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_accessible(opened, tmp_path, scheme):
    walk(tmp_path / "walk.html")
    torch.draw(torch.tensor(1.0, requires_grad=True).exp()).save(tmp_path / "graph.html")
    for name in ("walk.html", "graph.html"):
        page = opened(tmp_path / name, color_scheme=scheme)
        page.wait_for_selector("svg")
        if name == "walk.html":
            until(lambda page=page: page.locator(".anb-counter").count())
        # Playwright bypasses the page's policy; no page could
        assert inaccessible(page) == []
    until(lambda: page.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(27, 31, 39)"))  # fmt: skip
