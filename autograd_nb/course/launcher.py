"""`autograd-nb` opens JupyterLab on the course.

The notebooks are first handed out into a folder of the learner's, and what the learner wrote there is never
overwritten. "Wrote" means that the sources of the cells differ from the edition that was handed out: running a notebook
changes outputs, counts and metadata and is no change. A small manifest in the folder remembers, as hashes, which
edition each file was handed out from. Chapters that ask for predictions come without outputs, which are the answers.
In a clone the folder is one that git ignores, so that learning changes nothing there; `--in-place` serves the clone's
own notebooks to those who write them. Translated chapters are handed out into a folder of the copy, as in notebooks/ko.
"""

import argparse
import contextlib
import hashlib
import importlib.util
import itertools
import json
import os
import re
import shutil
from pathlib import Path

from .. import __version__
from ..replay import language
from . import words

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
FIRST_CHAPTER = "00_welcome.ipynb"
DEFAULT_FOLDER = "autograd-nb-course"
MANIFEST = ".autograd-nb-manifest.json"
CARD = re.compile(r"^course\.ch\d\d\.p\d+$", re.MULTILINE)
DESCRIPTION = """Open the autograd_nb course in JupyterLab. The notebooks are copied into a folder of yours first, and
what you changed there is never overwritten."""


class LauncherError(Exception):
    """Something the learner can put right; its text is the one line that is printed."""


def main(arguments=None):
    """Run the command line; returns 0, or one line that says what is wrong, for `sys.exit` to print."""
    parser = argparse.ArgumentParser(prog="autograd-nb", description=DESCRIPTION)
    place = f"where your copy lives (default: {DEFAULT_FOLDER}, here or in the clone)"
    parser.add_argument("folder", nargs="?", type=Path, help=place)
    parser.add_argument("--language", choices=language.known(), help="where there are translated chapters: ko (Korean)")
    parser.add_argument("--in-place", action="store_true", help="serve the clone's own notebooks: for their authors")
    parser.add_argument("--no-browser", action="store_true", help="only serve: open the printed address yourself")
    parser.add_argument("--port", type=int, help="the port to serve on (default: 8888, or the next free one)")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    options = parser.parse_args(arguments)
    try:
        if options.language:
            os.environ["AUTOGRAD_NB_LANGUAGE"] = options.language  # the kernels have it from here
        launch(options)
    except KeyboardInterrupt:
        return 130
    except (LauncherError, OSError, ValueError) as error:  # ValueError: a language that is not there
        return f"autograd-nb: {error}"
    return 0


# Serving


def launch(options):
    if importlib.util.find_spec("jupyterlab") is None:
        raise LauncherError("JupyterLab is not installed in this Python; add it with: python -m pip install jupyterlab")
    if options.port is not None and not 1 <= options.port <= 65535:
        raise LauncherError(f"--port: got {options.port}, expected a number from 1 to 65535")
    source = course_source()
    in_clone = source.parent == CLONE
    if options.in_place and (options.folder or not in_clone):
        raise LauncherError("--in-place serves the notebooks of a clone, and takes no other folder")
    own = options.folder or Path(CLONE if in_clone else "", DEFAULT_FOLDER)
    folder = source if options.in_place else own.resolve()
    first = chapters()[0].relative_to(source)
    if folder != source:
        for part in dict.fromkeys([Path(), first.parent]):
            for message in hand_out(source / part, folder / part):
                print(message)
    if not os.access(folder, os.W_OK):
        raise LauncherError(f"cannot write in {folder}: name a folder of yours, as in: autograd-nb my-course")
    print(words.say("course_is", folder=folder), flush=True)
    serve(folder, options.port, not options.no_browser, first.as_posix())


def serve(folder, port, browser, chapter=FIRST_CHAPTER):
    """Run JupyterLab in this process until it is told to stop, so that signals reach it and nothing outlives it."""
    from jupyterlab.labapp import LabApp

    # A learner's first sight is the course, not JupyterLab's question about news; nor does it ask the net for updates.
    config_path = [str(PACKAGE / "course" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, config_path))
    LabApp.launch_instance([
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{chapter}",
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # of the server's talk, the address to open is what a learner needs
        "--LabApp.log_level=WARN",
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


def chapters():
    """This edition's notebooks, each in the language that is spoken where it is translated."""
    source = course_source()
    translated = {path.name: path for path in notebooks_of(source / language.chosen())}
    return [translated.get(path.name, path) for path in notebooks_of(source)]


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


def cells_with(text):
    """The sources of this edition's code cells that hold a text; none where the notebooks are not to be had."""
    with contextlib.suppress(LauncherError):
        for notebook in notebooks_of(course_source()):
            yield from (source for kind, source in cells(notebook) if kind == "code" and text in source)


def edition(notebook):
    """A hash of what a learner may change in a notebook. Empty cells do not count: running the last cell adds one."""
    filled = [cell for cell in cells(notebook) if cell[1].strip()]
    return hashlib.sha256(json.dumps(filled).encode()).hexdigest()


def hand_out(source, folder):
    """Bring this edition of the course into a learner's folder; returns a line for each file of note.

    A missing file arrives; one that is as it was handed out is replaced by this edition; one that the learner changed
    stays, and this edition arrives once beside it as NAME.new.ipynb (or .new2 ... where that was changed as well).
    Pictures are this edition's. Progress that was kept beside the source is taken along where there is none yet.
    """
    if folder.exists() and not folder.is_dir():
        raise LauncherError(f"{folder} is a file, not a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handed_out = read_manifest(folder)
        upgrade = bool(handed_out)
        messages = [hand_out_one(notebook, folder, handed_out, upgrade) for notebook in notebooks_of(source)]
        for picture in source.glob("images/*.svg"):
            (folder / "images").mkdir(exist_ok=True)
            write_whole(folder / "images" / picture.name, picture.read_bytes())
        for kept in source.glob("autograd-nb-progress*"):
            if not (folder / kept.name).exists():
                (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, folder / kept.name)
        write_whole(folder / MANIFEST, json.dumps(handed_out, indent=1, sort_keys=True).encode())
    except OSError as error:
        raise LauncherError(f"cannot write the course to {folder}: {error.strerror}: {error.filename}") from None
    return list(filter(None, messages))


def hand_out_one(notebook, folder, handed_out, upgrade):
    """Hand out one notebook and note it in `handed_out` (file name -> edition); a line for the learner, or None."""
    this_edition, name, message = edition(notebook), notebook.name, None
    there = current_edition(folder / name)
    if there in (None, handed_out.get(name)) and there != this_edition:
        write_whole(folder / name, for_a_learner(notebook))
        if upgrade:
            message = words.say("chapter_new" if name not in handed_out else "chapter_renewed", name=name)
        there = this_edition
    if there == this_edition:
        handed_out[name] = this_edition
        return message
    if this_edition in handed_out.values():
        return None  # the learner's changes are to this very edition, or it came before and was read or thrown away
    beside = (f"{notebook.stem}.new{number if number > 1 else ''}.ipynb" for number in itertools.count(1))
    free = next(new for new in beside if current_edition(folder / new) in (None, this_edition, handed_out.get(new)))
    write_whole(folder / free, for_a_learner(notebook))
    handed_out[free] = this_edition
    return words.say("chapter_beside", name=name, new=free)


def for_a_learner(notebook):
    """A notebook as bytes; where it asks for predictions, without the outputs that would give the answers away."""
    if not any(CARD.search(source) for _, source in cells(notebook)):
        return notebook.read_bytes()
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


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
    temporary = path.with_name(f".autograd-nb-{os.getpid()}-{path.name}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
