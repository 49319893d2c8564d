"""Warnings that point at the learner's own line, some of them once a process as PyTorch's are."""

import sys
import warnings

_HERE = __name__.partition(".")[0]
_said = set()
always = False  # whether each warning is said every time


def warn(message, category=UserWarning):
    """Warn at the first line outside this package; Python's own filters decide whether it is shown."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_HERE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_once(message, category=UserWarning):
    """Warn the first time in a process only."""
    if always or message not in _said:
        _said.add(message)
        warn(message, category)


def reset():
    """Forget which warnings were said, as a new process would."""
    _said.clear()
