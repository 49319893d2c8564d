"""The site to read: whole and small pages, links that work, steppers and cards that work, nothing from elsewhere."""

import base64
import inspect
import json
import os
import posixpath
import re
import shutil
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import serving
from house import ROOT
from widget_page import inaccessible, put, until

pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")

import autograd_nb as torch
from autograd_nb.course import exercises, library, overview, playing
from autograd_nb.course.site import __main__ as command
from autograd_nb.course.site import reference


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.parts, self.tags, self.open = [], [], [], [], []
        self.feed(path.read_text("utf-8"))
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        self.ids += [unquote(given["id"])] if "id" in given else []  # a browser finds a place as it is written, too
        self.links += [given[name] for name in ("href", "src") if name in given]


def test_every_document_that_another_links_to_is_a_page(site):
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    linked = {target for each in documents for target in re.findall(r"\]\(([\w./]+)\.md[#)]", each.read_text("utf-8"))}
    pages = {name: site / f"{Path(name).name}.html" for name in linked - {"README.ko", "README"}}
    assert len(pages) > 6 and [name for name, page in pages.items() if not page.exists()] == []


def test_the_reference_has_what_a_docstring_says(site):
    page = (site / "autograd_nb.autograd.graph.html").read_text("utf-8")
    said = inspect.getdoc(torch.autograd.graph.register_multi_grad_hook).splitlines()[0]
    assert '<h2 id="register_multi_grad_hook"' in page and re.sub("[`*].*", "", said) in page
    for namespace, name in (("nn", "Linear"), ("nn.Module", "zero_grad"), ("nn.functional", "relu"), ("Tensor", "T")):
        assert f'<h2 id="{name}"' in (site / f"autograd_nb.{namespace}.html").read_text("utf-8")
    assert "<h2" not in re.sub('<h2 id="[a-z]', "", (site / "autograd_nb.nn.utils.html").read_text("utf-8"))
    for namespace in reference.NAMESPACES:  # a backtick stays where code was not recognised
        text = re.sub("(?s)<(pre|code|script).*?</\\1>", "", (site / f"{namespace}.html").read_text("utf-8"))
        assert "`" not in text, (namespace, text[max(0, text.find("`") - 80) :][:160])


@pytest.fixture(scope="module")
def pages(site):
    """All but `play`, which test_play.py looks at."""
    paths = [path for path in sorted(site.rglob("*.html")) if path.parent != site / "play"]
    return {path.relative_to(site).as_posix(): Page(path) for path in paths}


def test_every_chapter_and_every_document_has_its_page(site, pages):
    source = library.course_source()
    chapters = {library.place_of(path, spoken).with_suffix(".html").as_posix()
                for spoken in ("en", "ko") for path in library.notebooks_of(source)}  # fmt: skip
    documents = "index microscope support speed teaching site promises versions SECURITY".split()
    only_english = ["404", "CONTRIBUTING", "CHANGELOG", *reference.NAMESPACES]
    assert set(pages) == chapters | {f"{name}.html" for each in documents for name in (each, f"ko/{each}")} | {
        f"{name}.html" for name in only_english}  # fmt: skip
    for name, page in pages.items():
        assert (site / name).stat().st_size <= 300_000
        assert [tag for tag, _ in page.tags if tag in ("main", "h1", "header")] == ["header", "main", "h1"], name
        assert name == "404.html" or page.links.count(Path(name).name) >= 1, name
        assert len(page.ids) == len(set(page.ids)), name


def test_no_link_is_dead_and_nothing_loads_from_elsewhere(site, pages):
    for name, page in pages.items():
        for tag, given in page.tags:
            target = given.get("src") or given.get("href", "") * (tag == "link")
            assert not re.match("(?!data:)[a-z]+:|//", target), (name, target)
        for target in page.links:
            file, _, place = unquote(target).partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)) if file else name
            if not re.match("https?:|mailto:|data:", file):
                assert (site / there).is_file(), (name, target)
                assert not place or there == "play/index.html" or place in pages[there].ids, (name, target)
        places = json.loads((site / name).with_name("search.js").read_text("utf-8").rpartition("anb.index = ")[2][:-2])
        assert {unquote(each["anchor"]) for each in places if each["page"] == Path(name).name} <= set(page.ids)
        (about,) = [given["content"] for tag, given in page.tags if given.get("name") == "description"]
        assert 20 < len(about) <= 160, name
        links = [given["href"] for tag, given in page.tags if tag == "a" and "/lab/index.html?path=" in given["href"]]
        chapter = (library.course_source() / name.removeprefix("ko/")).with_suffix(".ipynb").is_file()
        assert links == ([f"https://a.b/c/lab/index.html?path={name[:-4]}ipynb"] if chapter else [])
        assert (f"notebooks/{Path(name).stem}.ipynb" in page.links) == chapter
        assert not any("mybinder" in link for link in page.links)  # because no address of a repository is set


def test_the_other_language_is_a_click_away_and_each_page_keeps_to_its_own(site, pages):
    for name, page in pages.items():
        here, other = ("ko", "en") if name.startswith("ko/") else ("en", "ko")
        assert next(given["lang"] for tag, given in page.tags if tag == "html") == here
        own = f"../{name[3:]}" if here == "ko" else f"ko/{name}" if f"ko/{name}" in pages else "ko/index.html"
        link, switch = [given for tag, given in page.tags if "hreflang" in given]
        assert link == {"rel": "alternate", "href": own, "hreflang": other}
        assert switch == {"href": own, "lang": other, "hreflang": other}
        if here == "ko" and name != "ko/index.html":  # by these the switch keeps the reader's place
            mine, theirs = ([tag for tag, _ in each.tags if re.fullmatch("h[1-4]|pre", tag)]
                            for each in (page, pages[name[3:]]))  # fmt: skip
            assert mine == theirs, name
    last = f"../{reference.NAMESPACES[-1]}.html"
    assert pages["ko/04_accumulation.html"].links[-1] == last  # the contents lead to all that there is
    assert {"03_backward.html", "05_many_paths.html", "14_reading_the_graph.html"} < set(
        pages["ko/04_accumulation.html"].links)  # fmt: skip
    (stepper,) = states(pages["ko/01_derivative.html"], "step")
    assert "LogBackward0이 ∂z/∂z를 받아" in str(story_of(stepper))
    said = {name: (site / "ko" / name).read_text("utf-8") for name in ("step.js", "ask.js", "search.js")}
    assert "맞습니다." in said["ask.js"] and "단계 보기" in said["step.js"]
    assert "그래디언트" in said["search.js"]


def test_an_address_gives_links_for_each_chapter():
    from autograd_nb.course.site.pages import places

    found = dict(places("00_welcome.ipynb", "git@github.com:someone/course.git", ""))
    assert found["Binder"].endswith("gh/someone/course/HEAD?urlpath=lab/tree/notebooks/00_welcome.ipynb")
    assert found["Colab"].endswith("/github/someone/course/blob/HEAD/notebooks/00_welcome.ipynb")
    assert list(dict(places("00_welcome.ipynb", "https://gitlab.com/a/b", "https://x.y/"))) == ["JupyterLite", "Binder"]


def states(page, kind):
    packed = [given["data-state"] for _, given in page.tags if given.get("data-kind") == kind]
    return [json.loads(zlib.decompress(base64.b64decode(each))) for each in packed]


def story_of(stepper):
    (story,) = [json.loads(zlib.decompress(base64.b64decode(each))) for each in stepper["details"]["fast"]["stories"]]
    return story


def test_answers_are_packed_and_steppers_are_those_of_the_chapter(site, pages):
    for chapter in exercises.chapters():
        (name,) = [each for each in pages if each[:2] == chapter[2:]]  # of the English pages
        asked = [(state["question"], answer) for state in states(pages[name], "ask") for each in state["answers"]
                 for answer in (each if isinstance(each[0], list) else [each])]  # fmt: skip
        shown = (site / name).read_text("utf-8")
        for prediction in overview.items(chapter, exercises.Prediction).values():
            card = prediction.card()
            fields = [field[2:] for field in card.fields] if hasattr(card, "fields") else [(card.choices, card.answer)]
            for reason in (choices[right] for choices, right in fields):
                assert any(given == (card.question, [text, reason, True]) for given in asked for text in [given[1][0]])
                assert reason not in shown
    steps = {name: states(page, "step") for name, page in pages.items()}
    assert [len(steps[f"{name}.html"]) for name in ("01_derivative", "04_accumulation", "08_own_function")] == [1, 1, 1]
    assert sum(map(len, steps.values())) >= 20
    (stepper,) = steps["01_derivative.html"]
    assert "LogBackward0 turns ∂z/∂z into ∂z/∂y" in " ".join(step["sentence"] for step in story_of(stepper)["steps"])


def test_formulas_are_mathml(site, pages):
    count = {name: sum(tag == "math" for tag, _ in page.tags) for name, page in pages.items()}
    chapters = {"01_derivative", "07_vectors", "13_derivatives_of_derivatives", "16_training",
                "20_gradients_in_a_deep_network", "21_backward_by_hand"}  # fmt: skip
    assert {name[:-5] for name, number in count.items() if number} == chapters | {f"ko/{name}" for name in chapters}
    text = (site / "01_derivative.html").read_text("utf-8")
    assert not re.search(r"\$\$|\\frac", re.sub(r"<pre>.*?</pre>", "", text))


@pytest.mark.parametrize("make", [lambda path: path.write_text(""), lambda path: (path.mkdir(), (path / "a").mkdir())])
def test_a_folder_that_is_not_empty_is_left_alone(tmp_path, make):
    make(tmp_path / "out")
    told = f"autograd_nb.course.site: {tmp_path / 'out'} is not an empty folder: name a new one"
    assert command.main(["html", str(tmp_path / "out")]) == told


@pytest.mark.parametrize("kind", ["html", "lite"])
def test_a_folder_without_rights_is_told_in_a_sentence(tmp_path, monkeypatch, kind):
    below_a_file = tmp_path / "file" / "out"
    below_a_file.parent.write_text("")
    assert command.main([kind, str(below_a_file)]).endswith(f"Not a directory: '{below_a_file}'")
    monkeypatch.setattr("os.access", lambda folder, mode: (folder, mode) != (tmp_path, os.W_OK))  # root may write
    assert command.main([kind, str(tmp_path)]) == (
        f"autograd_nb.course.site: {tmp_path} is not an empty folder: name a new one")
    below_a_file.parent.unlink()
    assert command.main([kind, str(tmp_path)]) == f"autograd_nb.course.site: cannot write in {tmp_path}"


def test_without_the_extra_one_sentence_tells_what_to_type(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    monkeypatch.delitem(sys.modules, "autograd_nb.course.site.pages", raising=False)
    said = command.main(["html", str(tmp_path / "out")])
    assert "\n" not in said and said.endswith("add it with: python -m pip install latex2mathml")


@pytest.fixture
def opened(site, opened):
    return lambda name, **options: opened(site / name, **options)


def test_every_stepper_and_every_entry_of_the_clinic_opens_in_play(site):
    for path in [*site.glob("[0-9]*.html"), *site.glob("ko/[0-9]*.html")]:
        for cell in path.read_text("utf-8").split('<div class="code">')[1:]:
            if 'data-kind="step"' in cell or path.stem.startswith("92") and '<pre class="output error">' in cell:
                assert cell.startswith('<a class="play" href="'), (path.stem, cell[:300])


@pytest.mark.browser
@pytest.mark.parametrize("name", ["04_accumulation.html", "ko/04_accumulation.html"])
def test_a_cell_opens_in_play_with_what_it_needs_of_those_before_it(site, browser, without_torch, name):
    context = browser.new_context()
    with serving.folder(site) as address:
        page = context.new_page()
        page.goto(f"{address}/{name}")
        links = page.locator(".code > a.play")
        assert links.count() > 5
        links.nth(3).click()
        page.wait_for_url(re.compile("/play/index.html#code="))
        until(lambda: "import" in page.locator("#code").input_value())
        program = page.locator("#code").input_value()
    context.close()
    assert "backward()" in program and "course." not in program
    assert playing.run(program)["stepper"]


@pytest.mark.browser
@pytest.mark.parametrize("name", ["04_accumulation.html", "microscope.html"])
def test_the_other_language_opens_at_the_same_place(opened, name):
    place = "Math.round(document.querySelectorAll('main h2')[2].getBoundingClientRect().top)"
    page = opened(f"ko/{name}")
    until(lambda: page.evaluate(f"document.querySelectorAll('main h2')[2].scrollIntoView(); {place}") in (55, 56, 57))
    for folder in ("", "ko/"):
        page.locator("header a[hreflang]").click()
        page.wait_for_url(re.compile(f"pages/{folder}{name}#at="))
        until(lambda: abs(page.evaluate(place) - 56) < 4)


@pytest.mark.browser
def test_a_reader_steps_answers_searches_and_turns_the_page(opened):
    page = opened("01_derivative.html")
    live = page.locator(".live[data-kind=step]")
    live.scroll_into_view_if_needed()
    until(lambda: live.locator(".anb-counter").count())
    live.get_by_label("First step").focus()
    page.keyboard.press("End")
    until(lambda: "The backward pass is done." in live.inner_text())
    page.locator("nav.around a[rel=next]").click()
    page.wait_for_url("**/02_leaves.html")

    page = opened("04_accumulation.html")
    number, choice = page.locator(".live[data-kind=ask]").nth(0), page.locator(".live[data-kind=ask]").nth(1)
    number.scroll_into_view_if_needed()
    for text, said in (("six", "is not a number"), ("9/5", "Right. 0.6 + 0.6")):
        number.get_by_role("textbox").fill(text)
        number.get_by_role("button", name="Check").click()
        until(lambda said=said: said in number.inner_text())
    choice.scroll_into_view_if_needed()
    choice.get_by_role("radio", name="zero").check()
    choice.get_by_role("button", name="Check").click()
    until(lambda: "Right. kept is a second name" in choice.inner_text())
    choice.get_by_role("button", name="I don't know").click()
    until(lambda: "Then read on and see." in choice.inner_text())

    page = opened("01_derivative.html")
    for card in page.locator(".live[data-kind=ask]").all():  # they come to life when the reader reaches them
        card.scroll_into_view_if_needed()
    first = page.get_by_role("textbox", name="∂z/∂z")
    first.wait_for()
    graph = page.locator(".live[data-kind=ask]").filter(has=first)
    for name, text, said in (("z", "1", "Every backward begins"), ("y", "1/8", "grad_output / y = 1 / 8")):
        put(graph.get_by_role("textbox", name=f"∂z/∂{name}"), text)
        until(lambda said=said: said in graph.inner_text())
    graph.get_by_role("button", name="I don't know").click()
    until(lambda: "0.125 · 3 · 2² = 1.5" in graph.inner_text() and "Every backward" in graph.inner_text())
    until(lambda: graph.get_by_role("textbox", name="∂z/∂x").input_value() == "1.5")


@pytest.mark.browser
def test_what_answers_a_card_is_folded_until_all_cards_before_it_are_answered(opened, site, pages):
    folded = {name: [given for _, given in each.tags if given.get("class") == "answer"] for name, each in pages.items()}
    asked = sum(tag == "div" and given.get("data-kind") == "ask" for page in pages.values() for tag, given in page.tags)
    assert asked - 4 <= sum(map(len, folded.values())) < asked  # two answer two cards each, one shows nothing
    assert not any("open" in given for each in folded.values() for given in each)

    page = opened("06_several_inputs.html")
    cards, answers = page.locator(".live[data-kind=ask]"), page.locator("details.answer")
    for each in cards.all():
        each.scroll_into_view_if_needed()
        until(lambda each=each: each.locator(".anb").count())
    opens = lambda: answers.evaluate_all("all => all.map((each) => each.open)")  # noqa: E731
    assert not any(opens())
    cards.nth(2).get_by_role("button", name="Check").click()  # nothing was written
    cards.nth(2).get_by_role("button", name="I don't know").click()
    until(lambda: "Then read on and see." in cards.nth(2).inner_text())
    assert not any(opens())  # its cell answers the next card too
    cards.nth(3).get_by_role("button", name="I don't know").click()
    until(lambda: opens()[2])
    assert sum(opens()) == 1

    page = opened("05_many_paths.html", java_script_enabled=False)
    folded = page.locator("details.answer")
    assert not folded.locator("pre.output").first.is_visible()
    folded.locator("summary").first.click()
    until(lambda: folded.locator("pre.output").first.inner_text().startswith("1.6"))


GROUND = "() => getComputedStyle(document.body).backgroundColor"


@pytest.mark.browser
def test_light_and_dark_follow_the_system_until_the_reader_chooses(opened):
    page = opened("00_welcome.html", color_scheme="dark")
    dark = page.evaluate(GROUND)
    page.get_by_role("button", name="Light or dark").click()
    light = page.evaluate(GROUND)
    assert (dark, light) == ("rgb(27, 31, 39)", "rgb(255, 255, 255)")
    page.reload()
    until(lambda: page.evaluate(GROUND) == light)


@pytest.mark.browser
def test_a_browser_that_stores_nothing_shows_all_the_same(opened):
    page = opened("05_many_paths.html", color_scheme="dark")
    page.context.add_init_script("""for (const store of ["localStorage", "sessionStorage", "indexedDB"])
        Object.defineProperty(window, store, { get() { throw new DOMException("denied", "SecurityError"); } });""")
    page.reload()
    page.get_by_role("button", name="Light or dark").click()
    until(lambda: page.evaluate(GROUND) == "rgb(255, 255, 255)")
    card = page.locator(".live[data-kind=ask]").first
    card.scroll_into_view_if_needed()
    put(card.get_by_role("textbox"), "1.6")
    until(lambda: "Right." in card.inner_text())


@pytest.mark.browser
def test_a_page_is_ready_soon_fits_a_phone_and_reads_without_scripts(opened, site):
    page = opened("05_many_paths.html")
    began = "() => performance.getEntriesByType('navigation')[0].domInteractive"
    until(lambda: page.evaluate(began) <= 1500 or page.reload() and None, 30)  # other programs may slow it down
    until(lambda: page.locator(".live").first.locator(".anb").count())
    until(lambda: page.locator(".live").last.locator(".anb").count() == 0)  # it wakes when a reader comes near
    page = opened("13_derivatives_of_derivatives.html", width=390)
    until(lambda: page.evaluate("() => document.documentElement.scrollWidth") == 390)
    page.get_by_role("link", name="Contents").first.click()
    until(lambda: page.locator("#contents").evaluate("each => each.getBoundingClientRect().top < innerHeight"))
    page = opened("05_many_paths.html", java_script_enabled=False)
    text = page.locator("main").inner_text()
    assert "step 1 of 13: y, w = x**3, x**2 pow computes y = 125" in text and "Predict" in text
    until(lambda: page.locator(".live img").count() >= 4 and page.locator("#contents a").first.is_visible())


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, scheme):
    for name in ("index.html", "91_glossary.html", "ko/02_leaves.html"):
        page = opened(name, width=1280 if scheme == "light" else 390, color_scheme=scheme)
        page.get_by_role("searchbox").fill("grad")
        until(lambda page=page: page.locator("#found a").count())
        assert inaccessible(page) == [], name
        page.keyboard.press("Escape")
        page.locator("details.answer").evaluate_all("all => all.forEach((each) => { each.open = true; })")
        lives = page.locator(".live")
        for each in lives.all():
            each.scroll_into_view_if_needed()
            until(lambda each=each: each.locator(".anb").count())
        assert inaccessible(page) == [], name


LOOKS = """() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector(".k, .kn")).color,
                  getComputedStyle(document.querySelector("img[src*=map]")).filter]"""
LIGHT = ["rgb(31, 41, 55)", "rgb(255, 255, 255)", "rgb(11, 83, 148)", "none"]
DARK = ["rgb(229, 231, 235)", "rgb(27, 31, 39)", "rgb(142, 203, 255)", "invert(0.9) hue-rotate(180deg)"]


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_follows_the_system_and_is_printed_black_on_white(opened, scripts, width):
    page = opened("05_many_paths.html", width=width, color_scheme="dark", java_script_enabled=scripts)
    until(lambda: page.evaluate(LOOKS) == DARK)
    until(lambda: page.locator(".prose").first.evaluate("each => getComputedStyle(each).maxWidth") == "736px")
    page.emulate_media(media="print")
    until(lambda: page.evaluate(LOOKS) == LIGHT)
    for gone in ("header", "#contents", "nav.around", ".places"):
        until(lambda gone=gone: page.locator(gone).is_hidden())
    if scripts:
        page.locator(".live").first.scroll_into_view_if_needed()
        until(lambda: page.locator(".live .anb").count())
        until(lambda: page.locator(".live button:visible, .live input:visible").count() == 0)
        whole = "each => getComputedStyle(each).breakInside"
        until(lambda: page.locator(".live > .anb").first.evaluate(whole) == "avoid")
    told = page.locator(".live > p", has_text="step 3 of 13")  # stands with its picture
    until(lambda: told.first.evaluate("each => getComputedStyle(each).breakAfter") == "avoid")
    page.emulate_media(media="screen", color_scheme="light")
    until(lambda: page.evaluate(LOOKS) == LIGHT)


@pytest.mark.browser
@pytest.mark.parametrize("folder", ["", "ko/"])
def test_where_there_is_no_page_the_contents_are(site, opened, folder):
    shutil.copy(site / "404.html", site / folder / "gone.html")  # as a server gives it
    page = opened(f"{folder}gone.html")
    until(lambda: page.locator("main").inner_text() == "There is no such page; the contents and the search are here.")
    page.get_by_role("link", name="03").click()
    page.wait_for_url(f"**/{folder}03_backward.html")
    (site / folder / "gone.html").unlink()


def test_every_rule_of_the_style_stands_outside_those_before_it(site):
    """With a brace too many or too few, all rules after it hold only for narrow pages, or for none."""
    depth = 0
    for number, line in enumerate((site / "site.css").read_text("utf-8").splitlines(), 1):
        depth += line.count("{") - line.count("}")
        assert depth == 0 or line.startswith((" ", "@", ".anb {", "}")) or line.endswith("{"), (number, line)
        assert depth >= 0, (number, line)
    assert depth == 0


# -- every live stepper at the size of a laptop's notebook: all of it is visible without scrolling ---------------------

NOTEBOOK = {"width": 940, "height": 679}  # JupyterLab leaves this of 1280 × 800 beside its file browser
OUTPUT = 850  # pixels of it for an output
# A page with one of its steppers alone, as wide as an output
ALONE = """([place, width]) => {
  const live = document.querySelectorAll(".live[data-kind=step]")[place];
  document.body.replaceChildren(live);
  live.style.width = `${width}px`;
}"""
SEEN = """() => {
  const box = (element) => element.getBoundingClientRect();
  const bar = document.querySelector(".anb-bar-of-steps"), figure = document.querySelector(".anb-figure");
  const parts = [bar, document.querySelector(".anb-sentence"), ...document.querySelectorAll(".anb-figure")].map(box);
  return {
    height: Math.max(...parts.map((each) => each.bottom)) - box(bar).top,
    hidden: [figure.scrollWidth - figure.clientWidth, figure.scrollHeight - figure.clientHeight],
    letters: Math.min(...[...figure.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize)
      * box(figure.querySelector("svg")).width / figure.querySelector("svg").width.baseVal.value)),
  };
}"""
WHERE = """() => [...document.querySelectorAll(".anb-figure svg > g[data-kind=box]")].flatMap((group) => {
  const shown = !group.hasAttribute("display");
  const { x, width } = shown ? group.querySelector("text").getBBox() : {};
  const tops = shown ? [...group.querySelectorAll("rect[fill]")].map((each) => each.getBBox().y) : [];
  return shown ? [[group.dataset.slot, [x + width / 2, Math.min(...tops)]]] : [];
})"""


def steppers(site):
    for page in sorted(site.glob("[0-9]*.html")):
        for place in range(page.read_text("utf-8").count('class="live" data-kind="step"')):
            yield page, place


@pytest.mark.browser
def test_every_stepper_is_seen_whole_and_nothing_moves_in_it(site, browser):
    found = 0
    with browser.new_context(viewport=NOTEBOOK, offline=True) as context:
        page = context.new_page()
        for path, place in steppers(site):
            page.goto(path.as_uri())
            page.evaluate(ALONE, [place, OUTPUT])
            page.locator(".anb-figure svg").first.wait_for()
            said, places, found = f"{path.stem}, stepper {place + 1}", {}, found + 1
            count = int(page.locator(".anb-bar-of-steps input[type=range]").get_attribute("max")) + 1
            page.get_by_label("First step").click()
            for step in range(count):
                seen = page.evaluate(SEEN)
                if path.stem[:2] != "18":  # its network, with values of 64 samples, scrolls in its frame
                    assert max(seen["hidden"]) <= 1, (said, step, seen)
                assert seen["height"] <= NOTEBOOK["height"] and seen["letters"] >= 10, (said, step, seen)
                for slot, where in page.evaluate(WHERE):
                    assert where == pytest.approx(places.setdefault(slot, where), abs=1), (said, step, slot)
                page.keyboard.press("ArrowRight")
    assert found
