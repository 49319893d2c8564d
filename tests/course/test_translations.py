"""A translation: a catalogue of messages, with the facts of the English ones; and the notebooks that it makes."""

import os
import re
import subprocess
import sys
from collections import Counter
from string import Formatter

import house
import pytest
import translations
from house import NOTEBOOKS

from autograd_nb import words
from autograd_nb.course import launcher, library

LANGUAGES = words.languages()[1:]
languages = pytest.mark.parametrize("spoken", LANGUAGES)


def entries(spoken):
    """(context, English text, translation) of each message that is translated."""
    return [(each.context, each.id, each.string)
            for each in translations.stored(spoken) if each.id and each.string and not each.fuzzy]  # fmt: skip


@languages
def test_a_catalogue_has_the_messages_of_today(spoken, capsys):
    """What is missing or fuzzy is no error: it is shown in English, and this says how much that is."""
    stored = translations.stored(spoken)
    with capsys.disabled():
        print(f"\n{translations.summary(spoken, stored)}")
    there, today = [(each.context, each.id) for each in stored if each.id], [*dict.fromkeys(translations.english())]
    changed = sorted(context for context, _ in {*there} ^ {*today})
    assert there == today, f"changed: {', '.join(changed[:20])}; {house.anew('translations')}"


@languages
def test_the_course_reads_a_catalogue_as_other_programs_do(spoken):
    assert words.catalogue(spoken) == {(context, text): said for context, text, said in entries(spoken)}


def test_a_changed_text_keeps_its_translation_as_a_fuzzy_one():
    messages = [("a", "The slope at one point."), ("a", "x"), ("b.c", "Up.")]
    old = translations.updated(translations.Catalog("ko"), messages)
    for message, said in zip([each for each in old if each.id], ["한 점의 기울기.", "엑스", "위로."], strict=True):
        message.string = said
    new = translations.updated(old, [("a", "x"), ("a", "The slope at a point."), ("a", "New."), ("b.d", "Up.")])
    found = [(each.id, each.string, each.fuzzy, *each.previous_id) for each in new if each.id]
    changed = "The slope at a point.", "한 점의 기울기.", True, "The slope at one point."
    assert found == [("x", "엑스", False), changed, ("New.", "", False), ("Up.", "", False)]
    again = translations.updated(new, [("a", "The slope at a point, read off.")])
    assert [(each.string, *each.previous_id) for each in again if each.id] == [(changed[1], changed[3])]
    assert translations.summary("ko", new) == "a: 1 missing, 1 fuzzy of 3\nb: 1 missing, 0 fuzzy of 1\n" \
        "ko: 1 of 4 messages are translated, 1 are fuzzy"  # fmt: skip


def test_a_long_previous_text_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(translations.words, "WORDS", tmp_path)
    text = "# A title\n\n" + "A text that is \"longer\" than a line, as most are. " * 5
    old = translations.updated(translations.Catalog("ko"), [("a", text)])
    old.get(text, "a").string = "글"
    translations.write("ko", translations.updated(old, [("a", text + "More.")]))
    (read,) = [each for each in translations.stored("ko") if each.id]
    assert (read.previous_id, read.string, read.fuzzy) == ([text], "글", True)


@languages
def test_a_translation_has_the_facts_code_and_links_of_the_english_text(spoken):
    """The places for facts, the texts between backticks, formulas, links, headings, and numbers with a point."""
    differing = {context: difference for context, text, said in entries(spoken)
                 if (difference := facts(text, "." in context) ^ facts(said, "." in context))}  # fmt: skip
    assert differing == {}


def facts(text, sentence):
    places = {field for _, field, *_ in Formatter().parse(text) if field} if sentence else set()
    links = {link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")}
    headings = Counter(re.findall(r"^#+", text, re.MULTILINE)).items()
    return places | links | {*headings} | {*re.findall(r"\$\$.*?\$\$|`[^`]+`|(?<![\w.])\d+\.\d+", text)}


@languages
def test_emphasis_ends_where_markdown_sees_its_end(spoken):
    """After a sign, as in **so()**로, a letter hides the end of the emphasis."""
    hidden = [(context, found) for context, _, said in entries(spoken)
              if (found := re.findall(r"[^\w\s*(“]\*{1,2}[가-힣]", said))]  # fmt: skip
    assert hidden == []


@languages
def test_a_translated_chapter_has_all_but_the_prose_of_the_english_one(spoken):
    for path in library.chapters():
        english, translated = library.content(path), library.content(path, spoken)
        for before, after in zip(english["cells"], translated["cells"], strict=True):
            assert before | {"source": ""} == after | {"source": ""}
            assert before["cell_type"] == "markdown" or before["source"] == after["source"]


@pytest.mark.parametrize(("text", "read"), [
    ("0.6을(를)", "0.6을"), ("125을(를)", "125를"), ("∂z/∂y을(를)", "∂z/∂y를"), ("`x`이(가)", "`x`가"),
    ("(x**3)은(는)", "(x**3)은"), ("텐서과(와) 값과(와)", "텐서와 값과"), ("1(으)로", "1로"), ("3(으)로", "3으로"),
    ("물(으)로 손(으)로 나무(으)로", "물로 손으로 나무로"), ("sum(x + …)을(를)", "sum(x + …)를"),
    ("a tensor (x)", "a tensor (x)"),
])  # fmt: skip
def test_korean_particles_follow_the_sound_before_them(text, read):
    assert words.with_particles(text) == read


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
        assert handed_out == {path.name: library.for_a_learner(path, "ko") for path in NOTEBOOKS.glob("*.ipynb")}
        linked = {link for path in (mine / "ko").glob("*.ipynb") for kind, text in library.cells(path)
                  for link in re.findall(r"\]\(([^):#]+\.(?:svg|ipynb))", text) if kind == "markdown"}  # fmt: skip
        assert len(linked) > 20 and [link for link in linked if not (mine / "ko" / link).exists()] == []
        changed = (mine / "ko" / "01_derivative.ipynb").read_text(encoding="utf-8").replace("x = 5에서", "x = 5일 때")
        (mine / "ko" / "01_derivative.ipynb").write_text(changed, encoding="utf-8")
        assert launcher.main(["--language", "ko", str(mine)]) == 0
        assert (mine / "ko" / "01_derivative.ipynb").read_text(encoding="utf-8") == changed
        assert [details[3] for details in served] == ["00_welcome.ipynb", *["ko/00_welcome.ipynb"] * 2]
        assert capsys.readouterr().out == f"과정은 {mine} 폴더에 있습니다. 여기서 Ctrl-C를 누르면 끝납니다.\n" * 2
    finally:
        words.of.cache_clear()


def test_a_language_that_is_not_there_is_refused_in_a_line(tmp_path):
    """As an option and as the variable, which modules read while they load."""
    told = "autograd-nb: language (--language, AUTOGRAD_NB_LANGUAGE): got 'tlh', expected one of en, ko\n"
    command = [sys.executable, "-m", "autograd_nb", tmp_path / "mine"]
    for more, spoken in ((["--language", "tlh"], ""), (["--language", "tlh"], "ko"), ([], "tlh"), (["--help"], "tlh")):
        ran = subprocess.run([*command, *more], env=os.environ | {"AUTOGRAD_NB_LANGUAGE": spoken}, text=True,
                             capture_output=True)  # fmt: skip
        assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", told)
