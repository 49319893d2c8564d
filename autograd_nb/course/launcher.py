"""`autograd-nb` opens JupyterLab on the course.

In a clone the course is the clone's own notebooks folder. Installed from a wheel, the notebooks are first handed out
into a folder of the learner's, and what the learner wrote there is never overwritten. "Wrote" means that the sources
of the cells differ from the edition that was handed out: running a notebook changes outputs, counts and metadata and
is no change. A small manifest in the folder remembers, as hashes, which edition each file was handed out from.
"""

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import socket
import sys
import tempfile
import tomllib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
FIRST_CHAPTER = "00_welcome.ipynb"
DEFAULT_FOLDER = "autograd-nb-course"
MANIFEST = ".autograd-nb-manifest.json"
DESCRIPTION = """Open the autograd_nb course in JupyterLab. From a clone this serves the clone's notebooks; from
an installed package it copies them into a folder of yours first and never overwrites what you changed."""


class LauncherError(Exception):
    """Something the learner can put right; its text is the one line that is printed."""


def main(arguments=None):
    """Run the command line; returns the exit code. Anything wrong is one line on stderr and a code that is not 0."""
    parser = argparse.ArgumentParser(prog="autograd-nb", description=DESCRIPTION)
    parser.add_argument("folder", nargs="?", type=Path, help=f"where your copy lives (default: ./{DEFAULT_FOLDER})")
    parser.add_argument("--no-browser", action="store_true", help="only serve: open the printed address yourself")
    parser.add_argument("--port", type=int, help="the port to serve on (default: 8888, or the next free one)")
    parser.add_argument("--list", action="store_true", help="list the chapters, a line each, and stop")
    parser.add_argument("--version", action="store_true", help="show the version and stop")
    options = parser.parse_args(arguments)
    try:
        if options.version:
            print(f"autograd-nb {version()}")
        elif options.list:
            notebooks = notebooks_of(course_source())
            width = max(len(notebook.stem) for notebook in notebooks)
            for notebook in notebooks:
                print(f"{notebook.stem:<{width}}  {title(notebook)}")
        else:
            launch(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `autograd-nb --list | head -1`: nobody reads on, and closing stdout must not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (LauncherError, OSError) as error:
        print(f"autograd-nb: {error}", file=sys.stderr)
        return 1
    return 0


def version():
    try:
        return importlib.metadata.version("autograd-nb")
    except importlib.metadata.PackageNotFoundError:
        return tomllib.loads((CLONE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


# Serving


def launch(options):
    if importlib.util.find_spec("jupyterlab") is None:
        raise LauncherError("JupyterLab is not installed in this Python; add it with: python -m pip install jupyterlab")
    if options.port is not None:
        check_port(options.port)
    source = course_source()
    folder = (options.folder or (source if source.parent == CLONE else Path(DEFAULT_FOLDER))).resolve()
    if folder != source:
        for message in hand_out(source, folder):
            print(message)
    if not os.access(folder, os.W_OK):
        raise LauncherError(f"cannot write in {folder}: name a folder of yours, as in: autograd-nb my-course")
    print(f"The course is in {folder}. Ctrl-C here ends it.", flush=True)
    serve(folder, options.port, not options.no_browser)


def check_port(port):
    if not 1 <= port <= 65535:
        raise LauncherError(f"--port: got {port}, expected a number from 1 to 65535")
    with socket.socket() as probe:
        if os.name == "posix":  # a port whose last connection is still winding down is free, as Jupyter sees it too
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise LauncherError(f"cannot serve on port {port}: {error.strerror}; try another --port") from None


def serve(folder, port, browser):
    """Run JupyterLab in this process until it is told to stop, so that signals reach it and nothing outlives it."""
    from jupyterlab.labapp import LabApp

    # A learner's first sight is the course, not JupyterLab's question about news; nor does it ask the net for updates.
    config_path = [str(PACKAGE / "course" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, config_path))
    LabApp.launch_instance([
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{FIRST_CHAPTER}",
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # of the server's talk, the address to open is what a learner needs
        "-y",  # one Ctrl-C is enough
        "--allow-root",  # in a container everyone is root
        *([] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]),
    ])  # fmt: skip


# The course and its copies


def course_source():
    """The folder that holds this edition's notebooks: the clone's, or the installed package's."""
    for folder in (CLONE / "notebooks", PACKAGE / "course" / "notebooks"):
        if (folder / FIRST_CHAPTER).is_file():
            return folder
    raise LauncherError(f"the course's notebooks are missing beside {PACKAGE}: install autograd-nb again")


def notebooks_of(folder):
    return sorted(path for path in folder.glob("*.ipynb") if ".new" not in path.name)


def title(notebook):
    headings = (source.lstrip().partition("\n")[0] for kind, source in cells(notebook) if kind == "markdown")
    return next((heading.lstrip("# ") for heading in headings if heading.startswith("#")), "")


def cells(notebook):
    """(cell type, source) of each cell; raises LauncherError when the file is no notebook."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
        return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
    except (ValueError, TypeError, KeyError):
        raise LauncherError(f"{notebook} cannot be read as a notebook") from None


def edition(notebook):
    """A hash of what a learner may change in a notebook. Empty cells do not count: running the last cell adds one."""
    filled = [cell for cell in cells(notebook) if cell[1].strip()]
    return hashlib.sha256(json.dumps(filled).encode()).hexdigest()


def hand_out(source, folder):
    """Bring this edition of the course into a learner's folder; returns a line for each file of note.

    A missing file arrives; one that is as it was handed out is replaced by this edition; one that the learner changed
    stays, and this edition arrives once beside it as NAME.new.ipynb (or .new2 ... where that was changed as well).
    """
    if folder.exists() and not folder.is_dir():
        raise LauncherError(f"{folder} is a file, not a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handed_out = read_manifest(folder)
        messages = [hand_out_one(notebook, folder, handed_out) for notebook in notebooks_of(source)]
        write_whole(folder / MANIFEST, json.dumps(handed_out, indent=1, sort_keys=True).encode())
    except OSError as error:
        raise LauncherError(f"cannot write the course to {folder}: {error.strerror}: {error.filename}") from None
    return list(filter(None, messages))


def hand_out_one(notebook, folder, handed_out):
    """Hand out one notebook and note it in `handed_out` (file name -> edition); a line for the learner, or None."""
    this_edition, name = edition(notebook), notebook.name
    there = current_edition(folder / name)
    if there in (None, handed_out.get(name)) and there != this_edition:
        write_whole(folder / name, notebook.read_bytes())
        there = this_edition
    if there == this_edition:
        handed_out[name] = this_edition
        return None
    beside = [notebook.stem + ".new.ipynb"] + [f"{notebook.stem}.new{number}.ipynb" for number in range(2, 100)]
    if any(handed_out.get(known) == this_edition for known in [name, *beside]):
        return None  # the learner's changes are to this very edition, or it came before and was read or thrown away
    for new_name in beside:
        if current_edition(folder / new_name) in (None, this_edition, handed_out.get(new_name)):
            write_whole(folder / new_name, notebook.read_bytes())
            handed_out[new_name] = this_edition
            return f"{name} is as you left it; its new edition is beside it: {new_name}"
    raise LauncherError(f"{folder} holds too many changed copies of {name}: move some away")


def current_edition(path):
    """The edition of a learner's file: None when there is none, and one like no other when it is no notebook."""
    if not os.path.lexists(path):
        return None
    try:
        return edition(path)
    except LauncherError:
        return "no notebook"


def read_manifest(folder):
    """What was handed out into a folder. With the manifest lost or damaged, every differing file counts as changed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def write_whole(path, content):
    """Write a file so that a crash leaves the old one or the new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".autograd-nb-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.umask(mask := os.umask(0))
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp's file is the owner's alone; this one has the usual rights
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
