"""``python -m autograd_nb.versions`` prints what a report of a fault needs: versions, the system and the processor."""

import os
import platform
from importlib import metadata

LIBRARIES = "numpy ipython ipywidgets anywidget ipykernel jupyterlab notebook matplotlib torch".split()


def installed(name):
    """The version of an installed library, ``"none"`` if it is not installed.

    >>> installed("a library that nobody has")
    'none'
    """
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def lines():
    """``"name: version"`` of this package, Python, the system, the libraries, and the settings of ours."""
    yield f"autograd-nb: {installed('autograd-nb')}"
    yield f"Python: {platform.python_version()}, {platform.python_implementation()}"
    yield f"system: {platform.platform()}, {platform.machine()}"
    yield from (f"{name}: {installed(name)}" for name in LIBRARIES)
    settings = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("AUTOGRAD_NB_")]
    yield f"settings: {', '.join(sorted(settings)) or 'none'}"


if __name__ == "__main__":
    print(*lines(), sep="\n")
