"""What PyTorch prints for an experiment, in a notebook: as it was recorded, so that it is the same everywhere."""

import sys
from html import escape

from . import recorded, words


def in_pytorch(name):
    """Print what PyTorch 2.13 prints for an experiment: its text, its warnings, and the error that ends it.

    In a notebook its program stands folded above. ValueError for an experiment that is not there.

    >>> in_pytorch("A1")
    tensor(5.)
    tensor(125.)
    tensor(4.8283)
    """
    text = recorded.transcript(name)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        heading = words.say("in_pytorch", version=recorded.file_content()["torch"])
        program = escape(recorded.source(name))
        shown = f"<details><summary>{escape(heading)}</summary><pre>{program}</pre></details>"
        sys.modules["IPython"].display.display({"text/html": shown, "text/plain": heading}, raw=True)
    print(text, end="")
