"""The search of the site, from a page that was scrolled: learners' queries, and the places that should come first."""

import re
import tomllib
from urllib.parse import unquote

import nbformat
import pytest
from house import ROOT
from widget_page import until

pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
pytestmark = pytest.mark.browser

ASKED = ROOT / "autograd_nb" / "course" / "site" / "asked.toml"
# a reader's query, and the places of which one should come first
ENGLISH = {
    "accumulating": ["04_accumulation", "91_glossary#accumulation"],
    "gradients add up": ["04_accumulation", "05_many_paths#Multiply-along"],
    "zero_grad": ["91_glossary#zero_grad"],
    "retain": ["91_glossary#retain_g"],
    "retain_graph": ["91_glossary#retain_graph"],
    "when should I use retain_graph=True": ["91_glossary#retain_graph", "03_backward"],
    "why is my grad None": ["91_glossary#torch.why", "92_error_clinic#No-gradient"],
    "weights do not change after optimizer.step()": ["18_your_own"],
    "None": ["04_accumulation#The-second-way:-None"],
    "why a topological order": ["91_glossary#topological", "05_many"],
    "leaf": ["91_glossary#leaf"],
    "what is a leaf tensor": ["91_glossary#leaf", "02_leaves"],
    "leaves": ["02_leaves", "91_glossary#leaf"],
    "gradient": ["91_glossary#gradient"],
    "how do I print the gradient of an intermediate tensor": ["02_leaves#Keeping-it"],
    "chain rule": ["91_glossary#chain", "01_derivative"],
    "broadcasting": ["91_glossary#broadcasting", "06_several"],
    "vector-Jacobian product": ["91_glossary#vector", "07_vectors"],
    "write my own function with forward and backward": ["08_own", "91_glossary#Function"],
    "gradchecking": ["91_glossary#gradcheck", "09_is_it"],
    "derivative of relu at zero": ["09_is_it_right#At-a-kink"],
    "how do I stop the gradient from flowing": ["10_switching"],
    "stop gradients detach": ["10_switching", "91_glossary#detach"],
    "does model.eval() disable gradients": ["10_switching_off#eval"],
    "no_grad": ["91_glossary#no_grad", "10_switching"],
    "how to freeze a layer": ["91_glossary#frozen", "16_training#Frozen"],
    "in-place operation": ["11_in_place"],
    "hook": ["91_glossary#hook", "12_hooks"],
    "how do I compute the hessian": ["91_glossary#Hessian", "13_derivatives"],
    "AccumulateGrad": ["91_glossary#AccumulateGrad", "14_reading"],
    "if statement in forward": ["15_define"],
    "optimiz": ["91_glossary#optimizer", "16_training"],
    "build autograd from scratch": ["17_inside"],
    "where is my progress saved": ["promises"],
    "for teachers": ["teaching"],
    "how do I install it": ["index#learn"],
    "torch.where": ["autograd_nb#where"],
}  # fmt: skip
KOREAN = {
    "그래디언트": ["ko/0", "ko/91_glossary#그래디언트"],
    "그래디언트를 지우려면": ["ko/04"],
    "왜 더해지나": ["ko/04", "ko/05"],
    "리프 텐서가 뭐예요": ["ko/02"],
    "연쇄법칙": ["ko/01", "ko/91_glossary#연쇄"],  # the chapter has its two words apart
    "편도함수": ["ko/01"],
    "역전파 순서": ["ko/05"],
    "backward를 두 번 호출하면": ["ko/03"],
    "기울기 누적": ["ko/04"],
    "누적되나요": ["ko/04"],
    "왜 grad가 None인가요": ["ko/02"],
    "순서는": ["ko/05"],
    "연습 문제": ["ko/0"],
    "훅": ["ko/12"],
    "손실이 줄어들지 않아요": ["ko/18"],
    "detach": ["ko/91_glossary#detach"],
    "현미경": ["ko/microscope"],
    "진도는 어디에 저장되나요": ["ko/promises"],
    "수업 계획": ["ko/teaching"],
    "RuntimeError: Can't call numpy() on Tensor that requires grad.": ["ko/92_error_clinic#NumPy가-거부됨"],
}
# without its ends of lines, as a field takes it
TRACEBACK = """Traceback (most recent call last):  File "/home/me/project/train.py", line 112, in <module>    main()
  File "/home/me/project/train.py", line 87, in main    loss.backward()
  File "/usr/lib/python3/torch/_tensor.py", line 647, in backward    torch.autograd.backward(
  File "/usr/lib/python3/torch/autograd/__init__.py", line 354, in backward    _engine_run_backward(
""".replace("\n", "")
# {a misspelt query: the query whose answers it should get}
AMISS = {
    "graident": "gradient", "jacobain": "Jacobian", "in-palce operation": "in-place operation", "hesian": "Hessian",
    "zero_gard": "zero_grad", "requries_grad": "requires_grad", "retaingraph": "retain_graph", "gradchek": "gradcheck",
    "vector jacobian prodcut": "vector-Jacobian product", "back propagation": "backpropagation",
    "grad check": "gradcheck", "accumulategard": "AccumulateGrad", "optimiser": "optimizer",
}  # fmt: skip

# subjects that the course does not cover; and questions on its subjects, in words that it does not use
ELSEWHERE = {
    "": ["pandas dataframe", "weather in Seoul", "kubernetes deployment", "collate_fn", "torchvision pretrained resnet",
         "tensorboard logging", "confusion matrix", "image augmentation", "random forest", "diffusion model sampling",
         "quantization int8", "export to ONNX", "No module named torchvision", "lightning trainer"],
    "ko": ["이미지 증강", "쿠다 메모리 부족", "김치찌개 만드는 법", "랜덤 포레스트", "트랜스포머 학습"],
}  # fmt: skip
COVERED = {
    "": ["how can I get the gradient with respect to the input image", "memory leak in training loop",
         "can't convert CUDA tensor to numpy. Use Tensor.cpu()", "leaf variable has been moved into the graph interior",
         "gradient accumulation over mini batches", "view vs reshape", "RuntimeError: one of the variables needed for "
         "gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [64, 512]], which is "
         "output 0 of ReluBackward0, is at version 2; expected version 1 instead."],
    "ko": ["detach와 no_grad의 차이", "가중치가 갱신되지 않아요", "retain_graph는 언제 쓰나요",
           "그래프가 해제되는 이유"],
}  # fmt: skip


def ask(page, query):
    page.evaluate("document.getElementById('found').replaceChildren()")
    page.get_by_role("searchbox").fill(query)
    until(lambda: page.locator("#found [role=status]").count())
    return page.locator("#found")


def in_view(found):
    return found.evaluate("""each => { const { top, bottom, left, right } = each.getBoundingClientRect();
        return 0 <= top && bottom <= innerHeight && 0 <= left && right <= innerWidth; }""")


def places(found):
    """The found places, in order, as paths within pages/."""
    hrefs = found.locator("a").evaluate_all("all => all.map((each) => each.href)")
    return [unquote(href).partition("/pages/")[2].replace(".html", "") for href in hrefs]


@pytest.mark.parametrize("name, width, queries", [
    ("05_many_paths.html", 1280, ENGLISH), ("05_many_paths.html", 390, dict(list(ENGLISH.items())[:6])),
    ("ko/04_accumulation.html", 390, KOREAN)], ids=["wide", "phone", "ko"])  # fmt: skip
def test_queries_are_answered_under_the_field_from_a_scrolled_page(opened, site, name, width, queries):
    page = opened(site / name, width=width)
    page.evaluate("scrollTo(0, 3000)")
    missed = {}
    for query, wanted in queries.items():
        found = ask(page, query)
        if not places(found)[0].startswith(tuple(wanted)):
            missed[query] = places(found)
        until(lambda found=found: in_view(found) and page.evaluate("scrollY") > 2000)
        told = found.inner_text()
        assert not re.search(r"\]\([\w.]+\.(ipynb|md|svg)|!\[|\bundefined\b(?! (output )?grad)", told)
    assert missed == {}


def test_a_pasted_error_finds_its_cure(opened, site):
    """Each error and warning that the clinic has, alone and as the end of a traceback."""
    page = opened(site / "05_many_paths.html")
    clinic = nbformat.read(ROOT / "notebooks" / "92_error_clinic.ipynb", 4)
    heading, cures = "", {}
    for cell in clinic.cells:
        heading = (re.findall("^## (.*)", cell.source, re.M) or [heading])[-1]
        for output in cell.get("outputs", ()):
            if output.output_type == "error" and output.ename.endswith("Error"):
                message = f"{output.ename}: {output.evalue}".replace("\n", "")
                cures.setdefault(message, set()).add(f"92_error_clinic#{heading.replace(' ', '-')}")
    assert len(cures) > 30
    found = {query: places(ask(page, query))[0] for each in cures for query in (each, TRACEBACK + each)}
    assert {each: first for each, first in found.items() if first not in cures[each.removeprefix(TRACEBACK)]} == {}


def test_what_is_typed_amiss_finds_what_was_meant(opened, site):
    page = opened(site / "index.html")
    for typed, word in AMISS.items():
        assert places(ask(page, typed))[0] == places(ask(page, word))[0], typed


@pytest.mark.parametrize("spoken", ["", "ko"])
def test_what_the_course_does_not_cover_is_said_to_be_elsewhere(opened, site, spoken):
    page = opened(site / spoken / "index.html")
    nothing = page.locator("#found").get_attribute("data-nothing")
    assert {query: places(ask(page, query))[:1] for query in ELSEWHERE[spoken]} == dict.fromkeys(ELSEWHERE[spoken], [])
    until(lambda: page.locator("#found").inner_text() == nothing)
    assert [query for query in COVERED[spoken] if not places(ask(page, query))] == []


@pytest.mark.parametrize("spoken", ["en", "ko"])
def test_what_people_ask_finds_all_that_answers_it(opened, site, spoken):
    page = opened(site / ("" if spoken == "en" else spoken) / "index.html")
    for questions, answers in tomllib.loads(ASKED.read_text("utf-8")).items():
        for question in questions.split("; ") if (spoken == "ko") == bool(re.search("[가-힣]", questions)) else ():
            hrefs = page.locator("#found a")
            ask(page, question)
            told = [unquote(href).removeprefix("../").replace(".html", "")
                    for href in hrefs.evaluate_all("all => all.map((each) => each.getAttribute('href'))")]  # fmt: skip
            assert {*answers} <= {*told[:5]}, question


def test_keys_open_walk_and_close_what_was_found(opened, site):
    page = opened(site / "05_many_paths.html")
    page.evaluate("scrollTo(0, 3000)")
    found = ask(page, "retain_graph")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    until(lambda: page.evaluate("document.activeElement.textContent") == found.locator("a").nth(1).inner_text())
    page.keyboard.press("Escape")
    until(lambda: found.is_hidden() and page.evaluate("document.activeElement.id") == "search")
    until(lambda: page.get_by_role("searchbox").input_value() == "retain_graph")  # nothing typed is lost
    ask(page, "no such thing as qqqqqq")
    page.locator("h1").dispatch_event("click")
    until(lambda: found.is_hidden())
    ask(page, "x" * 10_000)
    until(lambda: found.inner_text() == "Nothing here about that.")
    first = ask(page, "zero_grad").locator("a").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")
    assert in_view(page.locator(f"[id='{first.partition('#')[2]}']"))


def test_a_search_may_come_with_the_address_as_from_the_page_play(opened, site):
    page = opened(site / "index.html")
    page.goto(f"{page.url}?search=in+place+%26+more")
    until(lambda: page.locator("#found a").count())
    until(lambda: page.get_by_role("searchbox").input_value() == "in place & more")
    assert places(page.locator("#found"))[0].startswith(("11_in_place", "92_error_clinic"))


def test_an_entry_holds_what_a_page_shows_and_nothing_folded_in_outputs():
    from bs4 import BeautifulSoup

    from autograd_nb.course.site.pages import sections_of

    text = """<main><h1 id="a">A <code>b</code></h1><p>one<br>two<!-- no --> <img alt="no"> <em>thr</em>ee</p>
        <div class="code"><div><pre>x = 1</pre></div><details class="answer"><pre>42</pre></details>
        <details><summary>Legend</summary><ul><li>arrow</li></ul></details></div>
        <h2 id="c">C</h2><div class="live"><p>asked</p></div><p>end</p><nav class="around">next</nav></main>"""
    one, two = sections_of(BeautifulSoup(text, "html.parser").main)
    assert one == {"anchor": "a", "heading": "A b", "text": "one two three", "shown": "x = 1"}
    assert two == {"anchor": "c", "heading": "C", "text": "end", "shown": ""}
