"""A widget without a notebook: its front end as a script of a plain page, its words, its text."""

import json
import re
from pathlib import Path

from ..microscope.labels import legible
from ..words import of

HERE = Path(__file__).parent
COMMENT = re.compile(r"^ *(?://.*|/\*\*[^*]*(?:\*[^*/]+)*\*/)\n", re.MULTILINE)  # a line, or a block; no licence
KIT = of("widgets")["kit"]
PAGE = "".join(  # the style of other people's pages, light and dark
    f".anb-page{when} {{ --jp-ui-font-color1: {ink}; --jp-layout-color1: {ground}; --jp-layout-color2: {raised}; "
    f"--jp-border-color1: {line}; }}\n" for when, ink, ground, raised, line in (
        ("", "#1f2937", "#ffffff", "#f3f4f6", "#9ca3af"),
        ('[data-jp-theme-light="false"]', "#e5e7eb", "#1b1f27", "#2a303b", "#6b7280")))  # fmt: skip


def source(name, kind):
    """A file of a front end, or "" if there is none; others' module, with its licence, as an object of its name."""
    path = HERE / f"{name}.{kind}"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if not text or path.parent == HERE:
        return text
    code, exported = re.fullmatch(r"(.*)export\{(.*)\};\s*", text, re.DOTALL).groups()
    names = re.sub(r"(\w+) as (\w+)", r"\2: \1", exported)
    licence, _, _ = path.with_suffix(".txt").read_text(encoding="utf-8").partition("\n----\n")
    return f"/*!\n{licence}*/\nconst {path.stem} = (() => {{{code}\nreturn {{{names}}};}})();\n"


class Page:
    """A widget in a page without Python; a subclass names its ``files``, and says `as_text` and `as_state`."""

    files, own_words = "", {}
    page_parts = ("page.js",)  # it stands in for Python in a page

    @classmethod
    def sources(cls):
        return "vendored/preact", "reading", "slider", "kit", "pictures", cls.files

    @classmethod
    def front_end(cls, kind):
        """All of its JavaScript ("js"), or of its style ("css"); there is no build step."""
        return "\n".join(source(name, kind) for name in cls.sources())

    @classmethod
    def all_words(cls):
        return KIT | {"legend": of("drawing")["LEGEND"]} | cls.own_words

    @classmethod
    def page_words(cls):
        """The words, except those about a notebook."""
        return cls.all_words() | {"leave": "", "passed": of("course")["site"]["passed"]}

    @classmethod
    def page_script(cls):
        """The front end without comments, as a plain script: a page without Python has no address of a module."""
        module = cls.front_end("js").replace("\nexport default ", "\nconst { render } = ")
        parts = (module, *((HERE / name).read_text("utf-8") for name in cls.page_parts))
        return COMMENT.sub("", "\n".join(['"use strict";', *parts, ""]))

    def as_module(self):
        """An ES module whose ``render({el})`` shows the widget in a page without Python, for MyST's {anywidget}."""
        state = self.as_state() | {"words": self.page_words()}
        style, state = json.dumps(PAGE + self.front_end("css")), json.dumps(state)
        fill = f"within(el, {style}, (place) => {self.filled_by}(place, {state}))"
        return f"{self.page_script()}export default {{ render: ({{ el }}) => {fill} }};\n"

    def __repr__(self):
        return legible(self.as_text())
