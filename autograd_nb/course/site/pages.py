"""The course as static pages: the stored notebooks, with steppers that step and cards that answer.

nbconvert makes a page, and all changes of it are made in its tree. It reads without scripts too. A translation's pages
lie in a folder of its name; for a page that it lacks, links lead to the English one.
"""

import base64
import hashlib
import json
import os
import posixpath
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from copy import copy
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbformat import v4

from ... import words
from ...widgets.predict import PredictionCard
from ...widgets.step import Stepper
from .. import library
from . import file_text, play_page, reference
from .lite import own_wheel
from .live import made_live

DOCUMENTS = """README docs/microscope docs/support docs/speed docs/teaching docs/site docs/promises docs/versions
    docs/SECURITY CONTRIBUTING CHANGELOG""".split()
REFERENCE = Path("reference")  # not a folder: its documents come from docstrings
# in the search: the glossary comes first, pages for authors come after pages for learners
WEIGHT = {"CHANGELOG": 0.3, "CONTRIBUTING": 0.4, "reference": 0.5, "support": 0.6, "promises": 0.7, "README": 0.8,
          "91_glossary": 1.5}  # fmt: skip
ASKED = tomllib.loads(file_text("asked.toml"))
FORMULA = re.compile(r"(\$\$?)(?=\S)([^$`]+?)(?<=\S)\1(?!\w)")
BLOCKS = "p", "li", "td", "th", "pre", "div", "br", "summary", "dt", "dd"  # whose ends part words


def build(options):
    """Write the site, each language in a process of its own, because a process speaks only one; a sentence about it."""
    out, running, made = options.folder, [], editions()
    for spoken in made:
        command = [sys.executable, "-m", __name__, out / words.subfolder(spoken), options.lite]
        running.append(subprocess.Popen(command, env=os.environ | {"AUTOGRAD_NB_LANGUAGE": spoken}))
    if any([each.wait() for each in running]):
        raise library.CourseError(f"the pages in {out} could not be made")
    with tempfile.TemporaryDirectory() as folder:
        own_wheel(Path(folder, "wheels"))
        play_page.write(out, next(Path(folder).glob("wheels/autograd_nb-*.whl")))
    return f"{sum(map(len, made.values()))} pages are in {out}: open {out / 'index.html'}"


def editions():
    """{language: {name of a page: its document or chapter}}, the pages in their order."""
    made = {}
    for spoken in words.languages():
        documents = [library.CLONE / f"{name}.md" for name in DOCUMENTS]
        if spoken != "en":
            said = {context for context, _ in words.catalogue(spoken)}
            documents = [each for each in documents if f"docs/{each.stem}" in said]
            documents.insert(0, library.CLONE / f"README.{spoken}.md")
        documents = [*filter(Path.exists, documents)]
        paths = [*documents[:1], *library.notebooks_of(library.course_source()), *documents[1:]]
        made[spoken] = {"index.html": paths[0]} | {f"{Path(path.stem).stem}.html": path for path in paths[1:]}
    made["en"] |= {f"{each}.html": REFERENCE / f"{each}.md" for each in reference.NAMESPACES}
    return made


def write(out, lite):
    """Write the pages of the current language."""
    source, spoken, made = library.course_source(), words.current_language(), editions()

    def way(there, name):
        """The address of a page, seen from this language's pages."""
        return posixpath.relpath(posixpath.join(words.subfolder(there), name), words.subfolder(spoken))

    spoken_of = {name: spoken if name in made[spoken] else "en" for name in made["en"]}
    links = {path: way(spoken_of[name], name) for pages in made.values() for name, path in pages.items()}
    contents = [(way(each, name), title_of(made[each][name], each), each) for name, each in spoken_of.items()]
    site = words.of("course")["site"] | {"contents": words.say("contents")}
    called = {each: words.of("course", each)["site"]["language"] for each in made}
    for folder in ("images", "notebooks", "pictures"):
        (out / folder).mkdir(parents=True)
    for path in (path for folder in (library.CLONE / "docs", source) for path in folder.glob("images/*")):
        shutil.copy(path, out / "images")
    address = repository()
    exporter = HTMLExporter(raw_template=template("page"))
    index = []
    for name, path in made[spoken].items():
        others = [(way(each, name if name in pages else "index.html"), each, called[each])
                  for each, pages in made.items() if each != spoken]  # fmt: skip
        facts = {"contents": contents, "place": [*spoken_of].index(name), "others": others, "words": site,
                 "play": way("en", "play/index.html")}  # fmt: skip
        if path.suffix == ".ipynb":
            facts |= {"download": path.name, "places": places(library.place_of(path), address, lite)}
            (out / "notebooks" / path.name).write_bytes(library.for_a_learner(path, spoken))
        page = page_of(path, exporter, facts, out, links)
        sections = sections_of(page.main)
        summary = textwrap.shorten(next(each["text"] for each in sections if each["text"]), 160, placeholder=" …")
        page.title.insert_before(page.new_tag("meta", attrs={"name": "description", "content": summary}), "\n")
        index += search_entries(name, path, sections)
        (out / name).write_text(str(page), "utf-8")
        if (spoken, name) == ("en", "index.html"):
            page.main.clear()
            page.main.append(page.new_tag("h1", string=site["missing"]))
            del page.find(attrs={"aria-current": "page"})["aria-current"]
            (out / "404.html").write_text(str(page), "utf-8")
    write_shared(out, index)


def page_of(path, exporter, facts, out, links):
    """A page as a tree; *facts* fill the template."""
    new = path.suffix != ".ipynb"
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(text_of(path))]) if new else made_live(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(formula, cell.source)
    page = tree(exporter.from_notebook_node(notebook, resources={"site": facts})[0], path, out, links)
    if (first := page.find(["h2", "h3"])) and first.name == "h3":  # a page of parts in thirds, such as the glossary
        for heading in page("h3"):
            heading.name = "h2"
    if path.suffix == ".md" and path.parent != REFERENCE:  # its links are written for GitHub, in English
        names = library.HEADING.findall("\n".join(text for prose, text in library.document(path) if prose))
        for heading, name in zip(page(["h1", "h2", "h3", "h4"], id=True), names, strict=True):
            heading["id"] = place_of(name.replace(" ", "-"))
    return page


def tree(text, path, out, links):
    """The tree of nbconvert's page of a document: its pictures are files, and its links lead to the site's pages."""
    page = BeautifulSoup(text, "html.parser")
    for anchor in page("a", class_="anchor-link"):
        anchor.decompose()
    for shown in page("img"):
        if shown["src"].startswith("data:"):
            shown["src"], shown["loading"] = picture(out, shown["src"]), "lazy"
        elif ":" not in shown["src"]:
            shown["src"] = "images/" + shown["src"].partition("images/")[2]
    for link in page("a", href=True):
        direct(link, path, links)
    return page


def search_entries(name, path, sections):
    """The entries of a page in the search index; the first section names the subject, so it counts more."""
    weight = WEIGHT.get("reference" if path.parent == REFERENCE else path.stem, 1)
    for number, section in enumerate(sections):
        place = unquote(f"{Path(name).stem}#{section['anchor']}")
        asked = "; ".join(question for question, places in ASKED.items() if place in places)
        yield {"page": name, "chapter": title_of(path, words.current_language()), "asked": asked,
               "weight": weight * (1 if number else 1.3), **section}  # fmt: skip


def write_shared(out, index):
    """Write the files that a language's pages share: scripts, style, search index."""
    (out / "search.js").write_text(f"{searcher()}anb.index = {json.dumps(index, ensure_ascii=False)};\n", "utf-8")
    for name, widget, begin in (("step", Stepper, "begin"), ("ask", PredictionCard, "ask")):
        (out / f"{name}.js").write_text(script_of(name, widget, begin), "utf-8")
    (out / "site.js").write_text(own_script("site"), "utf-8")
    style = [file_text("site.css"), Stepper.front_end("css"), PredictionCard.front_end("css")]
    (out / "site.css").write_text("\n".join(style), "utf-8")


def template(name):
    """A template of nbconvert's, with the part that shows a cell, which pages and slides share."""
    whole, cell = (file_text(f"{each}.html.j2") for each in (name, "cell"))
    return whole.replace("{# cell #}\n", cell)


def own_script(name):
    """The script of a page or of the slides, after the part that both share."""
    return "".join(file_text(f"{each}.js") for each in ("live", name))


def script_of(name, widget, begin):
    """The script whose `anb.step(element, state)` or `anb.ask` makes a widget live."""
    said = json.dumps(widget.page_words(), ensure_ascii=False)
    script = f"{widget.page_script()}return (el, state) => {begin}(el, {{ ...state, words: {said} }});"
    return f"anb.{name} = (() => {{ {script} }})();\n"


# -- what there is -----------------------------------------------------------------------------------------------------


def title_of(path, spoken=None):
    if path.suffix == ".ipynb":
        return library.title(path, spoken)
    if path.parent == REFERENCE:
        return path.stem
    return next(line.lstrip("# ") for line in text_of(path, spoken).splitlines() if line.startswith("# "))


def text_of(path, spoken=None):
    if path.parent == REFERENCE:
        return reference.document(path.stem)
    return "".join(text for _, text in library.document(path, spoken or words.current_language()))


def repository():
    """The repository's address as pyproject.toml has it, or ""."""
    file = library.CLONE / "pyproject.toml"
    project = tomllib.loads(file.read_text("utf-8"))["project"] if file.exists() else {}
    return project.get("urls", {}).get("Repository", "")


def places(name, address, lite):
    """``[(what, address)]`` of the known places where a chapter can run."""
    found = [("JupyterLite", f"{lite.rstrip('/')}/lab/index.html?path={name}")] if lite else []
    if address:
        links = runpy.run_path(str(library.CLONE / "binder" / "links.py"))
        host, path = links["repository"](address)
        found += [(told, links[told.lower()](host, path, name)) for told in ("Binder", "Colab")]
    return [(told, place) for told, place in found if place]


def sections_of(main):
    """``[{"anchor", "heading", "text", "shown"}]`` of all text between two headings of a page, for the search.

    That is the text, and beside it the code cells and their outputs, for the error messages in them; but nothing
    folded.
    """
    main, found = copy(main), []
    for each in main.select(".live, .places, .around, .code details"):
        each.decompose()
    for block in main(BLOCKS):
        block.insert_before(" ")
        block.append(" ")
    for text in main.strings:
        heading = text.find_parent(["h1", "h2", "h3"], id=True)
        if heading and (not found or heading["id"] != found[-1]["anchor"]):
            found.append({"anchor": heading["id"], "heading": "", "text": "", "shown": ""})
        if found:
            found[-1]["heading" if heading else "shown" if text.find_parent(class_="code") else "text"] += text
    return [{name: " ".join(text.split()) for name, text in each.items()} for each in found]


def searcher():
    """MiniSearch and the stemmer, with their licences."""
    libraries = []
    for name in ("minisearch", "stemmer"):
        licence, code = (file_text(f"vendored/{name}.{end}") for end in ("txt", "js"))
        libraries.append(f"/*!\n{licence}*/\n{code}\n")
    minisearch, stemmer = libraries
    return f"{minisearch}anb.stemmer = (() => {{ {stemmer.replace('export function', 'return function')}}})();\n"


def place_of(heading):
    """A heading's anchor in a document, as GitHub names it."""
    return re.sub(r"[^\w-]", "", heading.lower())


# -- the content of a page ---------------------------------------------------------------------------------------------


def formula(found):
    """A TeX formula as MathML, which browsers draw by themselves."""
    return f'<div class="formula">{convert(found[2], "block")}</div>' if found[1] == "$$" else convert(found[2])


def picture(out, source):
    """The address of a picture, which gets a file of its own."""
    kind, _, data = source.removeprefix("data:image/").partition(";base64,")
    name = f"pictures/{hashlib.sha256(data.encode()).hexdigest()[:12]}.{kind[:3]}"
    (out / name).write_bytes(base64.b64decode(data))
    return name


def direct(link, path, links):
    """Let a link of a document lead to a page, or to the repository; without a repository only its text stays."""
    file, _, place = link["href"].partition("#")
    if not file or ":" in file or file.endswith(".html") or link.has_attr("download"):
        return
    file = (path.parent / file).resolve()
    if file in links:
        translated = library.anchors(file.parent, words.current_language()).get(f"{file.name}#{place}")
        place = translated.partition("#")[2] if translated else place
        link["href"] = f"{links[file]}#{place}" if place else links[file]
    elif address := repository():
        link["href"] = f"{address}/blob/HEAD/{file.relative_to(library.CLONE).as_posix()}"
    else:
        link.unwrap()


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
