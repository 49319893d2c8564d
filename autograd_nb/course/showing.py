"""What an exercise answers with: a card that a cell shows as HTML, and as plain text where there is no HTML."""

import html
import importlib.util
import re
import sys

from ..microscope.labels import legible

# Okabe-Ito; the heading says in words what the edge says in colour.
EDGES = {"right": "#009E73", "wrong": "#D55E00", "unattempted": "#6B7280", "hint": "#0072B2", "solution": "#AA4499"}
CARD = '<div role="status" style="border-left:4px solid {edge};padding:.2em .8em">{body}</div>'


class Card:
    """A heading and paragraphs; `kind` is one of EDGES. A paragraph that ends in a line break is shown as code."""

    def __init__(self, kind, heading, paragraphs=()):
        self.kind, self.heading = kind, heading
        self.paragraphs = [legible(text) for text in paragraphs if text]

    @property
    def text(self):
        return "\n".join(part.rstrip("\n") for part in (legible(self.heading), *self.paragraphs))

    @property
    def html(self):
        body = f"<p><strong>{html.escape(self.heading)}</strong></p>" + "".join(map(_paragraph, self.paragraphs))
        return CARD.format(edge=EDGES[self.kind], body=body)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}


def shell():
    """IPython's shell, None where there is none."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def in_kernel():
    """Whether this runs in a notebook's kernel, with what widgets need."""
    return hasattr(shell(), "kernel") and importlib.util.find_spec("anywidget") is not None


def _paragraph(text):
    if text.endswith("\n"):
        return f"<pre>{html.escape(text.rstrip())}</pre>"
    return "<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False)) + "</p>"
