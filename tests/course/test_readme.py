"""README.md keeps its word: its links lead somewhere, CI runs its test command, its links fit the setting."""

import ast
import base64
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zlib
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

import pytest
import readme_pictures
from house import ROOT, anew
from packaging.requirements import Requirement
from serving import empty_home

from autograd_nb.course import header
from tests import refresh

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

EXTRAS = SETTINGS["project"]["optional-dependencies"]


def imported(paths):
    """The installed packages whose modules these files import, at load and inside functions."""
    modules = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            modules |= {name.partition(".")[0] for name in names}
    there = metadata.packages_distributions()
    names = {name.lower().replace("_", "-") for module in modules for name in there.get(module, ())}
    return names - {"autograd-nb", "torch", "torchviz", "torchlens", "torchvista"}  # tests compare with it


def declared(*extras):
    lines = [*SETTINGS["project"]["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return {Requirement(line).name for line in lines}


def test_what_is_imported_is_declared():
    files = {*(ROOT / "autograd_nb").rglob("*.py")}
    course = {path for path in files if path.is_relative_to(ROOT / "autograd_nb" / "course")}
    site = {path for path in course if path.parent.name == "site"}
    assert imported(files - course) - {"matplotlib"} <= declared()  # it says so if it is missing
    assert imported(course - site) <= declared("course")
    assert imported(site) <= declared("course", "site")
    assert imported([*files, *ROOT.glob("tests/**/*.py")]) <= declared("course", "site", "test")
    assert [EXTRAS[extra][0] for extra in ("site", "test", "oracle")] == [
        "autograd-nb[course]", "autograd-nb[site]", "autograd-nb[test]"]


def test_every_relative_link_and_picture_is_there():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_pictures_at_the_top_are_drawn_as_the_package_draws_them():
    for name, svg in readme_pictures.drawn().items():
        assert (readme_pictures.FOLDER / name).read_text(encoding="utf-8") == svg, anew("pictures")


def test_the_badges_say_what_the_project_is():
    project, ci = SETTINGS["project"], (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    said = {name: " ".join(words) for name, words in readme_pictures.BADGES.items()}
    assert said["licence"] == "licence MIT" and project["license"].startswith("MIT")
    assert said["python"] == f"Python {project['requires-python'].removeprefix('>=')} or newer"
    (torch,) = (each for each in EXTRAS["oracle"] if each.startswith("torch=="))
    assert torch.startswith(f"torch=={said['tests'].rpartition(' ')[2]}.") and "pip install -q -e '.[oracle]'" in ci


def test_every_chapter_is_on_the_map():
    linked = set(re.findall(r"\]\(notebooks/([^)]+\.ipynb)\)", README))
    assert linked == {path.name for path in (ROOT / "notebooks").glob("*.ipynb") if ".new" not in path.name}


def test_ci_runs_the_two_commands_as_they_stand_here():
    """`.ci/run` greps them out of README.md; its pattern finds no others."""
    (pattern,) = re.findall(r"grep '([^']+)' README\.md", (ROOT / ".ci" / "run").read_text("utf-8"))
    assert re.findall(f"{pattern}.*", README, re.MULTILINE) == [
        "python3 -m venv .venv && .venv/bin/pip install -e '.[course]' && .venv/bin/autograd-nb",
        "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"]


def test_what_stands_before_the_table_of_chapters_is_read_in_two_minutes():
    text = re.sub(r"!\[[^]]*\]|\]\([^)]*\)|<!--.*?-->", "", README.partition("<details>")[0], flags=re.DOTALL)
    assert len(re.findall(r"\S*\w\S*", text)) <= 500


def test_the_engine_is_as_long_as_is_said():
    files = [*(ROOT / "autograd_nb" / "engine").glob("*.py")]
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    said = re.search(r"about ([\d,]+) lines in (\d+) files", README)
    assert abs(int(said[1].replace(",", "")) - lines) <= 100 and int(said[2]) == len(files) - 1  # without __init__.py


LINKS = runpy.run_path(str(ROOT / "binder" / "links.py"))


def test_the_links_are_those_of_the_repository_setting():
    command = [sys.executable, ROOT / "binder" / "links.py"]
    check = subprocess.run([*command, "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr
    refused = subprocess.run([*command, "--bogus"], capture_output=True, text=True)
    assert refused.returncode == 2 and "--bogus" in refused.stderr
    assert (ROOT / "README.md").read_text(encoding="utf-8") == README


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Binder runs Linux, and postBuild is a script for it")
def test_binder_pins_what_the_course_needs_and_shows_it_without_a_question_about_news(tmp_path):
    pinned = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()[2:]
    versions = {Requirement(line).name.replace("_", "-"): Requirement(line).specifier for line in pinned}
    needed = [*map(Requirement, [*SETTINGS["project"]["dependencies"], *EXTRAS["course"]])]
    for each in needed:
        (pin,) = versions[each.name]
        assert pin.operator == "==" and each.specifier.contains(pin.version), each
    environment = empty_home(tmp_path / "home", NB_PYTHON_PREFIX=str(tmp_path / "prefix"))
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    clone = tmp_path / "clone"  # it may change the notebooks there
    for folder in ("notebooks", "autograd_nb"):
        shutil.copytree(ROOT / folder, clone / folder, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["bash", ROOT / "binder" / "postBuild"], cwd=clone, env=environment, check=True, capture_output=True)
    program = "from jupyterlab_server.config import get_page_config as get; print(get([])['disabledExtensions'])"
    environment["JUPYTER_CONFIG_PATH"] = str(tmp_path / "prefix" / "etc" / "jupyter")
    said = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert "@jupyterlab/apputils-extension:announcements" in said


def test_the_source_distribution_has_what_readme_and_its_tests_need():
    packed = [entry.lstrip("/") for entry in SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    left_out = [name for name in files if not any(fnmatch(name, one) or name.startswith(one + "/") for one in packed)]
    assert files or not (ROOT / ".git").exists()
    assert set(left_out) <= {".gitattributes", ".gitignore", "pyproject.toml"}  # every sdist has it


def test_each_host_has_its_links_and_what_is_no_address_is_refused():
    github, gitlab, own = map(LINKS["links"], ("https://github.com/someone/course", "https://gitlab.com/a/b/c/-/tree/main",
                                               "git@git.school.edu:a/b.git"))  # fmt: skip
    assert "(https://mybinder.org/v2/gh/someone/course/HEAD?urlpath=lab/tree/notebooks/00_welcome.ipynb)" in github
    for host in ("nbviewer.org", "colab.research.google.com"):
        assert f"(https://{host}/github/someone/course/blob/HEAD/notebooks/17_inside_the_engine.ipynb)" in github
    assert "/v2/gl/a%2Fb%2Fc/HEAD?" in gitlab and "/urls/gitlab.com/a/b/c/-/raw/HEAD/notebooks/" in gitlab
    assert "/v2/git/https%3A%2F%2Fgit.school.edu%2Fa%2Fb/HEAD?" in own and "nbviewer" not in own and "olab" not in own
    assert LINKS["links"](None) == ""
    for wrong in ("course", "https://github.com", "https://github.com/someone", "see below"):
        with pytest.raises(ValueError, match="expected an address such as"):
            LINKS["repository"](wrong)


def test_links_work_on_a_package_index_once_there_is_a_repository(tmp_path):
    for file in ("README.md", "README.ko.md", "pyproject.toml", "binder/links.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_welcome.ipynb").touch()
    project = tmp_path / "pyproject.toml"
    before = {name: (tmp_path / name).read_text("utf-8") for name in ("README.md", "README.ko.md")}
    bare = re.sub(r"(?ms)^\[project\.urls\].*?(?=^\[|\Z)", "", project.read_text("utf-8"))
    project.write_text(f'{bare}\n[project.urls]\nRepository = "https://github.com/someone/course"\n', encoding="utf-8")
    for _ in range(2):
        subprocess.run([sys.executable, tmp_path / "binder" / "links.py"], check=True)
        for name in before:
            targets = re.findall(r"\]\(([^)]+)\)", (tmp_path / name).read_text("utf-8"))
            assert targets and [each for each in targets if not each.startswith(("https://", "#"))] == []
            host = "https://github.com/someone/course"
            files = [re.sub(f"^{host}/(blob|raw)/HEAD/|#.*", "", each) for each in targets if each.startswith(host)]
            assert [each for each in files if not (ROOT / each).exists()] == []
    project.write_text(bare, encoding="utf-8")
    subprocess.run([sys.executable, tmp_path / "binder" / "links.py"], check=True)
    assert {name: (tmp_path / name).read_text("utf-8") for name in before} == before


def unpacked(link):
    packed = link.partition("#code=")[2]
    return zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15).decode()


@pytest.mark.parametrize("name, prefix", [("README.md", ""), ("README.ko.md", "ko/")])
def test_pictures_open_the_live_pages_as_soon_as_the_site_has_an_address(tmp_path, name, prefix):
    for file in ("README.md", "README.ko.md", "pyproject.toml", "binder/links.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    project = tmp_path / "pyproject.toml"
    bare = re.sub(r"(?ms)^\[project\.urls\].*?(?=^\[|\Z)", "", project.read_text("utf-8"))
    texts = []
    for urls in ('[project.urls]\nDocumentation = "https://a.b/c/"\n', ""):
        project.write_text(f"{bare}\n{urls}", encoding="utf-8")
        subprocess.run([sys.executable, tmp_path / "binder" / "links.py"], check=True)
        texts.append((tmp_path / name).read_text("utf-8"))
    live, still = (re.findall(r"\[!\[[^]]*\]\([^)]*\)\]\(([^)]*)\)", text) for text in texts)
    assert [text.count("[try it here](https://a.b/c/") for text in texts] == [0 if prefix else 3, 0]
    assert len(live) == (5 if prefix else 8) and f"https://a.b/c/{prefix}02_leaves.html" in live
    run = [each for each in live if each.startswith("https://a.b/c/play/#code=")]
    assert len(run) == (0 if prefix else 2)
    assert [LINKS["PLAYED"][name][1] for name in ("walk", "why") if not prefix] == [*map(unpacked, run)]
    pages = [each.replace(f"https://a.b/c/{prefix}", "notebooks/").replace(".html", ".ipynb")
             for each in live if each not in run]  # fmt: skip
    assert set(pages) == set(still) - {f"notebooks/{chapter}.ipynb" for chapter, _ in LINKS["PLAYED"].values()} | {
        "notebooks/03_backward.ipynb"}  # fmt: skip
    assert all((ROOT / each).is_file() for each in still)


def test_the_picture_at_the_top_is_that_of_the_chapters():
    """Each panel links to its chapter as in a notebook's header, and shows the same image."""
    panels = header.source("90_playground", {"89": "89", "90_playground": "90 Playground"}).partition("\n")[0]
    there = [line for line in LINKS["panels"](README, None).splitlines() if "images/map_" in line]
    assert "".join(there).replace("notebooks/", "") == panels
    for name, picture in refresh.panels(images := ROOT / "notebooks" / "images"):
        assert (images / name).read_text(encoding="utf-8") == picture
        told = header.text(name.removeprefix("map_").partition(".")[0].removesuffix("_here"))
        assert "prefers-reduced-motion: reduce" in picture and f"<desc>{told}</desc>" in picture
        assert ("you are here" in picture) == ("_here" in name)
