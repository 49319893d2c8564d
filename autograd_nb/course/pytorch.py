"""What real PyTorch does with an experiment, in a notebook: run now where it is installed, else as it was recorded."""

import sys
from html import escape

from . import recorded, words
from .comparison import run_differences


class Shown:
    """What `in_pytorch` showed: `.text`, and in `.source` where it came from."""

    def __init__(self, text, source):
        self.text, self.source = text, source

    def __repr__(self):
        return f"<{self.source}>"

    def _ipython_display_(self):
        """Nothing: it differs between machines, while stored outputs must not."""


def in_pytorch(name):
    """Print what PyTorch prints for an experiment: its text, its warnings, and the error that ends it.

    In a notebook its program stands folded above.

    The text is the recorded one, with and without PyTorch, unless the installed PyTorch does something else: `.source`
    of what is returned says where it came from. ValueError for an experiment that is not there.

    >>> shown = in_pytorch("A1")
    tensor(5.)
    tensor(125.)
    tensor(4.8283)
    >>> shown.source
    '... PyTorch 2.13.0...'
    """
    result, origin = recorded.recording(name), f"recorded from PyTorch {recorded.file_content()['torch']}"
    try:
        import torch
    except (ImportError, OSError):
        pass
    else:
        live = recorded.run(name, "torch")
        differs = bool(run_differences(live, result))
        result = live if differs else result
        origin = f"run now on PyTorch {torch.__version__}" + (", which differs from the recording" if differs else "")
    text = recorded.transcript(name, result)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        heading = words.say("in_pytorch", version=recorded.file_content()["torch"])
        program = escape(recorded.source(name))
        shown = f"<details><summary>{escape(heading)}</summary><pre>{program}</pre></details>"
        sys.modules["IPython"].display.display({"text/html": shown, "text/plain": heading}, raw=True)
    print(text, end="")
    return Shown(text, origin)
