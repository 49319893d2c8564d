"""The course as static pages: the stored notebooks, with steppers that step and cards that answer.

The module makes each stepper again by running its chapter up to it, and turns a bench into a stepper of its run. All
else is as stored, so a page reads without scripts too. A translation's pages lie in a folder of its name; for a page
that it lacks, links lead to the English one.
"""

import base64
import hashlib
import html
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
import zlib
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import nbformat
from ipykernel.compiler import XCachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbformat import v4

from ... import words
from ...widgets import links as programs
from ...widgets.bench import Bench
from ...widgets.predict import PredictionCard
from ...widgets.step import Stepper
from .. import exercises, library, overview
from . import play_page, reference
from .lite import own_wheel

HERE = Path(__file__).parent
DOCUMENTS = """README docs/microscope docs/support docs/speed docs/teaching docs/site docs/promises docs/versions
    docs/SECURITY CONTRIBUTING CHANGELOG""".split()
REFERENCE = Path("reference")  # not a folder: its documents come from docstrings
# in the search: the glossary comes first, pages for authors come after pages for learners
WEIGHT = {"CHANGELOG": 0.3, "CONTRIBUTING": 0.4, "reference": 0.5, "support": 0.6, "promises": 0.7, "README": 0.8,
          "91_glossary": 1.5}  # fmt: skip
ASKED = tomllib.loads((HERE / "asked.toml").read_text("utf-8"))
FORMULA = re.compile(r"(\$\$?)(?=\S)([^$`]+?)(?<=\S)\1(?!\w)")
PICTURE = re.compile(r'src="data:image/(png|svg)[^;]*;base64,([^"]+)"')
LINK = re.compile(r'<a ([^>]*?)href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
# the first words in the stored text of such an output
LIVE = tuple(f"{words.of('widgets', 'en')[kind]['title']}: " for kind in ("step", "bench"))


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
        folder = words.subfolder(spoken)
        named = (library.CLONE / f"{name}{folder and '.'}{folder}.md" for name in DOCUMENTS)
        documents = [*filter(Path.exists, named)]
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
        text = page_text(path, exporter, facts, out, partial(linked, path, links, address))
        sections = Sections(text).found
        summary = textwrap.shorten(next(each["text"] for each in sections if each["text"]), 160, placeholder=" …")
        text = text.replace("<title>", f'<meta name="description" content="{html.escape(summary)}">\n<title>', 1)
        index += search_entries(name, path, sections)
        (out / name).write_text(text, "utf-8")
    write_shared(out, site, spoken, index)


def page_text(path, exporter, facts, out, link):
    """The HTML of a page; *facts* fill the template, *link* replaces each match of LINK."""
    new = path.suffix != ".ipynb"
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(text_of(path))]) if new else made_live(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(formula, cell.source)
    text, _ = exporter.from_notebook_node(notebook, resources={"site": facts})
    text = re.sub('<a class="anchor-link".*?</a>', "", text)
    text = PICTURE.sub(lambda found: f'src="{picture(out, *found.groups())}" loading="lazy"', text)
    text = LINK.sub(link, text)
    if "<h3" in re.findall("<h[23]", text)[:1]:  # a page of parts in thirds, such as the glossary
        text = re.sub("(</?h)3", r"\g<1>2", text)
    if path.suffix == ".md" and path.parent != REFERENCE:  # its links are written for GitHub
        text = re.sub(r'(<h\d id=")([^"]+)', lambda found: found[1] + place_of(unquote(found[2])), text)
    return re.sub(r'src="[./]*(docs/|notebooks/(\w\w/)?)?images/', 'src="images/', text)


def search_entries(name, path, sections):
    """The entries of a page in the search index; the first section names the subject, so it counts more."""
    weight = WEIGHT.get("reference" if path.parent == REFERENCE else path.stem, 1)
    for number, section in enumerate(sections):
        place = unquote(f"{Path(name).stem}#{section['anchor']}")
        asked = "; ".join(question for question, places in ASKED.items() if place in places)
        yield {"page": name, "chapter": title_of(path, words.current_language()), "asked": asked,
               "weight": weight * (1 if number else 1.3), **section}  # fmt: skip


def write_shared(out, site, spoken, index):
    """Write the files that a language's pages share: scripts, style, search index, the page for missing addresses."""
    if spoken == "en":
        main = f'\\1<h1>{site["missing"]}</h1>\\2'
        page = re.sub(r'(<main id="text">).*(</main>)', main, (out / "index.html").read_text("utf-8"), flags=re.DOTALL)
        (out / "404.html").write_text(page.replace(' aria-current="page"', ""), "utf-8")
    (out / "search.js").write_text(f"{searcher()}anb.index = {json.dumps(index, ensure_ascii=False)};\n", "utf-8")
    for name, widget, begin in (("step", Stepper, "begin"), ("ask", PredictionCard, "ask")):
        (out / f"{name}.js").write_text(script_of(name, widget, begin), "utf-8")
    shutil.copy(HERE / "site.js", out)
    style = [(HERE / "site.css").read_text("utf-8"), Stepper.front_end("css"), PredictionCard.front_end("css")]
    (out / "site.css").write_text("\n".join(style), "utf-8")


def template(name):
    """A template of nbconvert's, with the part that shows a cell, which pages and slides share."""
    whole, cell = ((HERE / f"{each}.html.j2").read_text("utf-8") for each in (name, "cell"))
    return whole.replace("{# cell #}\n", cell)


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
    return next(line.lstrip("# ") for line in text_of(path).splitlines() if line.startswith("# "))


def text_of(document):
    return reference.document(document.stem) if document.parent == REFERENCE else document.read_text("utf-8")


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


class Sections(HTMLParser):
    """``[{"anchor", "heading", "text", "shown"}]`` of all text between two headings of a page, for the search.

    That is the text, and beside it the code cells and their outputs, for the error messages in them; but nothing
    folded.
    """

    BLOCKS = {"p", "li", "td", "th", "pre", "div", "br", "summary", "dt", "dd"}

    def __init__(self, page):
        super().__init__()
        self.found, self.heading, self.code, self.left_out = [], None, 0, []
        self.feed(page.partition("<main")[2].partition('<p class="places"')[0].partition('<nav class="around"')[0])
        self.close()
        for section in self.found:
            section |= {name: " ".join(text.split()) for name, text in section.items() if name != "anchor"}

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if self.left_out or given.get("class") == "live" or self.code and tag == "details":
            self.left_out += [tag] * (tag not in ("br", "img", "input", "hr"))
        elif tag in ("h1", "h2", "h3") and "id" in given:
            self.found.append({"anchor": given["id"], "heading": "", "text": "", "shown": ""})
            self.heading = tag
        elif tag == "div" and (self.code or given.get("class") == "code"):
            self.code += 1
        if tag in self.BLOCKS:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag in self.left_out:
            while self.left_out.pop() != tag:
                pass
        elif tag == self.heading:
            self.heading = None
        elif tag == "div" and self.code:
            self.code -= 1
        if tag in self.BLOCKS:
            self.handle_data(" ")

    def handle_data(self, data):
        if self.found and not self.left_out:
            self.found[-1]["heading" if self.heading else "shown" if self.code else "text"] += data


def searcher():
    """MiniSearch and the stemmer, with their licences."""
    libraries = []
    for name in ("minisearch", "stemmer"):
        licence, code = ((HERE / "vendored" / name).with_suffix(end).read_text("utf-8") for end in (".txt", ".js"))
        libraries.append(f"/*!\n{licence}*/\n{code}\n")
    minisearch, stemmer = libraries
    return f"{minisearch}anb.stemmer = (() => {{ {stemmer.replace('export function', 'return function')}}})();\n"


def place_of(heading):
    """A heading's anchor in a document, as GitHub names it."""
    return re.sub(r"[^\w-]", "", heading.lower())


# -- the content of a page ---------------------------------------------------------------------------------------------


def made_live(path):
    """A notebook whose steppers, benches and cards have the form that a page's scripts make live."""
    notebook = nbformat.reads(json.dumps(library.content(path, words.current_language())), as_version=4)
    shown = {place: output for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"
             for output in cell.outputs if "text/html" in output.get("data", {})}  # fmt: skip
    wanted = [place for place, output in shown.items() if output.data.get("text/plain", "").startswith(LIVE)]
    with tempfile.TemporaryDirectory() as elsewhere:
        os.environ["AUTOGRAD_NB_PROGRESS"] = str(Path(elsewhere, "progress.json"))
        shell = InteractiveShell.instance(compiler_class=XCachingCompiler)
        shell.reset()
        for place, cell in enumerate(notebook.cells[: max(wanted, default=-1) + 1]):
            if cell.cell_type == "code" and not library.CARD.search(cell.source):
                with capture_output():
                    result = shell.run_cell(cell.source).result
                if place in wanted and isinstance(result, Stepper | Bench):
                    insert_live(shown[place].data, result)
                if isinstance(result, Bench):
                    cell.metadata["play"] = programs.address_ending(result.shown["cell"])
    for place, output in shown.items():
        if card := library.CARD.search(notebook.cells[place].source):
            following = (cell for cell in notebook.cells[place + 1 :] if cell.cell_type == "code")
            next(cell for cell in following if not library.CARD.search(cell.source)).metadata["answer"] = True
            _, chapter, name = card[0].split(".")
            insert_live(output.data, overview.items(chapter, exercises.Prediction)[f"{chapter}.{name}"].card())
    for cell, code in programs_of(notebook):
        cell.metadata.setdefault("play", programs.address_ending(code))
    return notebook


def programs_of(notebook):
    """``(cell, program)`` of a notebook's cells that the page `play` can run."""
    before, failed = [], set()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not library.CARD.search(cell.source):
            code, source = programs.program(before, cell.source), cell.source
            if any(output.output_type == "error" for output in cell.outputs):
                source = programs.caught(source)
                failed.add(source)
            elif "why(" in source and any(each in code for each in failed):
                code = ""  # the page shows this answer with the cell that fails
            before.append(source)
            if code:
                yield cell, code


def insert_live(data, widget):
    """Put a live form around the stored one. Without scripts the stored one stays, without a card's answer."""
    kind, note, stored = "step", "", data["text/html"]
    if isinstance(widget, PredictionCard):
        kind, stored = "ask", stored.partition("<details>")[0]
    if isinstance(widget, Bench):
        widget, note = widget.film(), f"<p>{words.of('course')['site']['bench']}</p>"
    state = {name: it for name, it in widget.as_state().items() if name != "words"}
    packed = base64.b64encode(zlib.compress(json.dumps(state).encode(), 9)).decode()
    data["text/html"] = f'{note}<div class="live" data-kind="{kind}" data-state="{packed}">{stored}</div>'


def formula(found):
    """A TeX formula as MathML, which browsers draw by themselves."""
    return f'<div class="formula">{convert(found[2], "block")}</div>' if found[1] == "$$" else convert(found[2])


def picture(out, kind, data):
    """The address of a picture, which gets a file of its own."""
    name = f"pictures/{hashlib.sha256(data.encode()).hexdigest()[:12]}.{kind}"
    (out / name).write_bytes(base64.b64decode(data))
    return name


def linked(path, links, address, found):
    """The site's form of a link: to a page, to the repository, or, without a repository, only its text."""
    before, target, after, text = found.groups()
    file, _, place = html.unescape(target).partition("#")
    if not file or ":" in file or file.endswith(".html") or "download" in before + after:
        return found[0]
    file = (path.parent / file).resolve()
    if file in links:
        target = f"{links[file]}#{place}" if place else links[file]
    elif address:
        target = f"{address}/blob/HEAD/{file.relative_to(library.CLONE).as_posix()}"
    else:
        return text
    return f'<a {before}href="{html.escape(target)}"{after}>{text}</a>'


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
