"""The course as a site: static pages to read, JupyterLite to work with in a browser alone, and slides.

    python -m autograd_nb.course.site html FOLDER
    python -m autograd_nb.course.site lite FOLDER
    python -m autograd_nb.course.site slides FOLDER
"""

from pathlib import Path


def file_text(name):
    """A file of this folder."""
    return (Path(__file__).parent / name).read_text("utf-8")
