"""A translation: the same code and the same facts as in English, and an English text that has not changed since."""

import json
import os
import re
import tomllib
from string import Formatter

import house
import mark_translated
import pytest
from house import NOTEBOOKS

from autograd_nb import words
from autograd_nb.course import launcher, library

LANGUAGES = [name for name in words.languages() if name != "en"]
EACH_CHAPTER = [(spoken, name) for spoken in LANGUAGES for name in mark_translated.chapters(spoken)]
EACH_FILE = [(spoken, name) for spoken in LANGUAGES for name in mark_translated.words(spoken)]
chapters = pytest.mark.parametrize(("spoken", "name"), EACH_CHAPTER)
files = pytest.mark.parametrize(("spoken", "name"), EACH_FILE)


def test_korean_is_there():
    assert "ko" in LANGUAGES and ("ko", "00_welcome") in EACH_CHAPTER and ("ko", "microscope") in EACH_FILE


@pytest.mark.parametrize(("spoken", "name"), EACH_CHAPTER + EACH_FILE)
def test_the_english_is_still_what_was_translated(spoken, name):
    told = f"{name} has changed since it was translated; look at these, then: {mark_translated.COMMAND} {spoken} {name}"
    assert mark_translated.changed(spoken, name) == [], told


@chapters
def test_a_translated_chapter_has_the_code_of_the_english_one(spoken, name):
    english, translated = (
        [(cell.cell_type, cell.cell_type == "code" and cell.source, cell.metadata.get("tags", [])) for cell in cells]
        for cells in map(mark_translated.cells, (NOTEBOOKS / "text" / f"{name}.py",
                                                 NOTEBOOKS / spoken / "text" / f"{name}.py"))
    )  # fmt: skip
    assert translated == english


@chapters
def test_it_has_the_numbers_code_and_links_of_the_english_one(spoken, name):
    """Cell by cell: the texts between backticks, formulas, links and numbers with a point."""
    pairs = zip(mark_translated.cells(NOTEBOOKS / "text" / f"{name}.py"),
                mark_translated.cells(NOTEBOOKS / spoken / "text" / f"{name}.py"), strict=True)  # fmt: skip
    for english, translated in pairs:
        if english.cell_type == "markdown":
            assert facts(translated.source) == facts(english.source)


@chapters
def test_emphasis_ends_where_markdown_sees_its_end(spoken, name):
    """After a sign, as in **so()**로, a letter hides the end of the emphasis."""
    prose = (NOTEBOOKS / spoken / "text" / f"{name}.py").read_text(encoding="utf-8")
    assert re.findall(r"[])}.,!?”`]\*{1,2}[가-힣]", prose) == []


def facts(source):
    links = {re.sub(r"^(\.\./)*|README.*", "", link) for link in re.findall(r"\]\(([^)]+)\)", source)}
    return set(re.findall(r"`[^`]+`", source)), re.findall(r"\$\$.*?\$\$", source), links, set(
        re.findall(r"(?<![\w.])\d+\.\d+", source))  # fmt: skip


@files
def test_words_have_the_keys_and_the_facts_of_the_english_ones(spoken, name):
    english = mark_translated.flat(mark_translated.english_words(name))
    translated = mark_translated.flat(tomllib.loads((words.WORDS / spoken / f"{name}.toml").read_text("utf-8")))
    assert translated.keys() <= english.keys()
    for key, text in translated.items():
        assert type(text) is type(english[key]) or isinstance(text, list | tuple), key
        assert places(text) == places(english[key]), key


def places(text):
    """The names of the facts with a place in a text, or in the texts of a list; and the number of texts."""
    texts = [text] if isinstance(text, str) else text
    fields = {field for each in texts for _, field, *_ in Formatter().parse(each) if field}
    return len(texts), fields


@pytest.mark.parametrize(("text", "read"), [
    ("0.6을(를)", "0.6을"), ("125을(를)", "125를"), ("∂z/∂y을(를)", "∂z/∂y를"), ("`x`이(가)", "`x`가"),
    ("(x**3)은(는)", "(x**3)은"), ("텐서과(와) 값과(와)", "텐서와 값과"), ("1(으)로", "1로"), ("3(으)로", "3으로"),
    ("물(으)로 손(으)로 나무(으)로", "물로 손으로 나무로"), ("sum(x + …)을(를)", "sum(x + …)를"),
    ("a tensor (x)", "a tensor (x)"),
])  # fmt: skip
def test_korean_particles_follow_the_sound_before_them(text, read):
    assert words.with_particles(text) == read


@chapters
def test_a_translated_chapter_speaks_its_language(spoken, name):
    """In a Korean chapter's outputs widgets, traces and cards are Korean, and every particle is chosen."""
    outputs = {source: json.dumps(cell.get("outputs"), ensure_ascii=False)
               for cell, source in house.cells(NOTEBOOKS / spoken / f"{name}.ipynb")}  # fmt: skip
    assert not any("(를)" in shown or "(으)" in shown for shown in outputs.values())
    speaking = [shown for source, shown in outputs.items()
                if re.search(r"torch\.(step|bench|draw)\(|course\.ch\d\d|widgets\.|^trace$", source, re.MULTILINE)]
    assert len(speaking) > 5 and all(re.search("[가-힣]", shown) for shown in speaking if '"data"' in shown)


def speaking(program, folder, **environment):
    return house.run("-c", program, cwd=folder, env=os.environ | environment)


TRACE = "import autograd_nb as torch\nx = torch.tensor(5., requires_grad=True)\n" \
        "with torch.record() as trace:\n    y = x**3\n    y.backward()\nprint(trace)"  # fmt: skip


def test_a_folder_or_the_environment_chooses_the_language(tmp_path):
    (tmp_path / "ko").mkdir()
    told = "3. PowBackward0이 ∂y/∂y를 받아 다음을 넘겨줍니다. ∂y/∂x: grad_output · 3 · x² = 1 · 3 · 5² = 75."
    assert told in speaking(TRACE, tmp_path, AUTOGRAD_NB_LANGUAGE="ko")
    assert told in speaking(TRACE, tmp_path / "ko", AUTOGRAD_NB_LANGUAGE="")
    for folder, spoken in ((tmp_path, ""), (tmp_path / "ko", "en")):
        assert "PowBackward0 turns ∂y/∂y into" in speaking(TRACE, folder, AUTOGRAD_NB_LANGUAGE=spoken)


def test_progress_is_shared_with_the_english_chapters(tmp_path):
    (tmp_path / "ko").mkdir()
    solve = "from autograd_nb import course\nprint(course.ch00.q1.check(8.0))"
    environment = {"AUTOGRAD_NB_LANGUAGE": "", "AUTOGRAD_NB_PROGRESS": ""}
    assert "맞습니다." in speaking(solve, tmp_path / "ko", **environment)
    shown = "from autograd_nb import course\nprint(course.progress().counts['ch00'].solved, course.home())"
    assert speaking(shown, tmp_path, **environment).startswith("1 The course\n█░░░░░░░░░░░  00 Welcome")
    assert speaking(shown, tmp_path / "ko", **environment).startswith("1 과정\n█░░░░░░░░░░░  00 시작하기")


def test_the_launcher_hands_out_translated_chapters_beside_the_english_ones(tmp_path, monkeypatch, capsys):
    served, mine = [], tmp_path / "mine"
    monkeypatch.setattr(launcher, "serve", lambda *details: served.append(details))
    monkeypatch.setenv("AUTOGRAD_NB_LANGUAGE", "")
    words.of.cache_clear()
    try:
        assert launcher.main([str(mine)]) == 0 and not (mine / "ko").exists()
        assert capsys.readouterr().out == f"The course is in {mine}. Ctrl-C here ends it.\n"
        words.of.cache_clear()
        assert launcher.main(["--language", "ko", str(mine)]) == 0
        assert os.environ["AUTOGRAD_NB_LANGUAGE"] == "ko"  # for the kernels
        handed_out = {path.name: path.read_bytes() for path in (mine / "ko").glob("*.ipynb")}
        assert handed_out == {path.name: library.for_a_learner(path) for path in (NOTEBOOKS / "ko").glob("*.ipynb")}
        changed = (mine / "ko" / "01_derivative.ipynb").read_text(encoding="utf-8").replace("x = 5에서", "x = 5일 때")
        (mine / "ko" / "01_derivative.ipynb").write_text(changed, encoding="utf-8")
        assert launcher.main(["--language", "ko", str(mine)]) == 0
        assert (mine / "ko" / "01_derivative.ipynb").read_text(encoding="utf-8") == changed
        assert [details[3] for details in served] == ["00_welcome.ipynb", *["ko/00_welcome.ipynb"] * 2]
        assert capsys.readouterr().out == f"과정은 {mine} 폴더에 있습니다. 여기서 Ctrl-C를 누르면 끝납니다.\n" * 2
    finally:
        words.of.cache_clear()


def test_a_language_that_is_not_there_is_refused_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRAD_NB_LANGUAGE", "tlh")
    told = "autograd-nb: AUTOGRAD_NB_LANGUAGE: got 'tlh', and there are words in en, ko"
    assert launcher.main([str(tmp_path)]) == told
