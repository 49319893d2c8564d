"""`autograd-nb` opens JupyterLab on the course.

It first copies the notebooks into a folder of the learner's, and never overwrites the learner's changes there. A change
means that the sources of the cells differ from the edition that was handed out: running a notebook changes only
outputs, counts and metadata. A small manifest in the folder remembers the edition of each file as a hash. Chapters that
ask for predictions come without outputs, which are the answers. In a clone git ignores the folder, so that learning
changes nothing there; `--in-place` serves the clone's own notebooks to their authors. Translated chapters go into a
folder of the copy, such as ko.
"""

import argparse
import importlib.util
import itertools
import json
import logging
import os
import shlex
import shutil
import socket
import sys
from pathlib import Path

from .. import __version__, words
from . import library
from .library import CourseError, edition, for_a_learner, notebooks_of

DEFAULT_FOLDER = "autograd-nb-course"
MANIFEST = ".autograd-nb-manifest.json"
WITH = "--with"  # its entry for the folder of a teacher's own chapters
UNSEEN = "autograd-nb-progress*", "__pycache__", "*.pyc", ".DS_Store", "*~"  # in the list of files


def main(arguments=None):
    """Run the command line; returns 0, or one line on the error, for `sys.exit` to print."""
    try:
        launch(parser(arguments).parse_args(arguments))
    except KeyboardInterrupt:
        return 130
    except (CourseError, OSError, ValueError) as error:  # ValueError: there is no such language
        return f"autograd-nb: {error}"
    return 0


def parser(arguments):
    """The command line, with its help in the language that the arguments or the environment name."""
    language = argparse.ArgumentParser(add_help=False)
    spoken = language.add_argument("--language", metavar="|".join(words.languages()))
    if chosen := language.parse_known_args(arguments)[0].language:
        os.environ[words.LANGUAGE] = chosen  # the kernels have it from here
    said = words.of("course")["launcher"]
    spoken.help = said["language"]
    found = argparse.ArgumentParser(prog="autograd-nb", description=said["lead"], parents=[language])
    found.add_argument("folder", nargs="?", type=Path, help=said("folder", default=DEFAULT_FOLDER))
    found.add_argument("--with", type=Path, metavar="FOLDER", help=said["own"], dest="own")
    found.add_argument("--in-place", action="store_true", help=said["in_place"])
    found.add_argument("--no-browser", action="store_true", help=said["no_browser"])
    found.add_argument("--port", type=int, help=said["port"])
    found.add_argument("--version", action="version", version=f"%(prog)s {__version__.partition('autograd_nb.')[2]}")
    return found


# Serving


def launch(options):
    if importlib.util.find_spec("jupyterlab") is None:
        add = f"{shlex.quote(sys.executable)} -m pip install 'autograd-nb[course]'"
        raise CourseError(f"JupyterLab is not installed in this Python; add it with: {add}")
    if options.port is not None:
        check_port(options.port)
    check_home()
    source = library.course_source()
    in_clone = source.parent == library.CLONE
    if options.in_place and (options.folder or options.own or not in_clone):
        raise CourseError("--in-place serves the notebooks of a clone, and takes no other folder")
    copy = options.folder or Path(library.CLONE if in_clone else "", DEFAULT_FOLDER)
    folder = source if options.in_place else copy.resolve()
    if with_folder := options.own or (None if options.in_place else remembered(folder)):
        from . import own  # this loads all questions of the course

        own.use(with_folder)
    if folder != source:
        for place in library.sources():
            for spoken in dict.fromkeys(["en", words.current_language()]):
                for message in hand_out(place, folder, spoken):
                    print(message)
                trust(place, folder, spoken)
    if not os.access(folder, os.W_OK):
        raise CourseError(f"cannot write in {folder}: name a folder of yours, as in: autograd-nb my-course")
    print(words.say("course_is", folder=folder), flush=True)
    there = chapter_to_open(folder)
    place = library.place_of(there, "en" if options.in_place else None).as_posix()
    serve(folder, options.port, not options.no_browser, place)


def remembered(folder):
    """The source of the own chapters in a learner's folder; None, and a printed sentence, if it is gone."""
    own = read_manifest(folder).get(WITH)
    if isinstance(own, str) and not os.path.isdir(own):
        print(words.say("own_gone", folder=own))
        return None
    return own if isinstance(own, str) else None


def chapter_to_open(folder):
    """This edition's chapter in which the learner of a folder stopped; the first if none was begun."""
    from .overview import next_asked
    from .progress_file import NAME, read

    kept = read(None if os.environ.get("AUTOGRAD_NB_PROGRESS") else folder / NAME)
    name = next_asked(kept) if kept["answers"] or kept["predictions"] else None
    first, *_ = chapters = library.chapters()
    return next((each for each in chapters if name and each.name.startswith(name[2:4])), first)


def check_port(port):
    """Raise CourseError if a port cannot be used; it names a free one."""
    if not 1 <= port <= 65535:
        raise CourseError(f"--port: got {port}, expected a number from 1 to 65535")
    with socket.socket() as taken, socket.socket() as free:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
        except OSError as error:
            free.bind(("127.0.0.1", 0))
            other = f"{free.getsockname()[1]} is free: --port {free.getsockname()[1]}"
            raise CourseError(f"--port: {port} cannot be had ({error.strerror}); {other}") from None


def check_home():
    """Raise CourseError if JupyterLab cannot keep its own files."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir, jupyter_runtime_dir

    for folder in (jupyter_config_dir(), jupyter_data_dir(), jupyter_runtime_dir()):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            why = f"JupyterLab keeps its own files in {folder}, which cannot be made ({error.strerror})"
            raise CourseError(f'{why}; give it a home that you can write in, as in: HOME="$PWD" autograd-nb') from None


def serve(folder, port, browser, chapter=library.FIRST_CHAPTER):
    """Run JupyterLab in this process until somebody stops it, so that signals reach it and nothing outlives it."""
    from jupyterlab.labapp import LabApp

    # A learner first sees the course, not JupyterLab's question about news; JupyterLab looks for no updates either.
    config_path = [str(library.PACKAGE / "course" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, config_path))
    os.environ["AUTOGRAD_NB_STARTUP"] = os.environ.get("PYTHONSTARTUP", "")
    os.environ["PYTHONSTARTUP"] = str(library.PACKAGE / "course" / "jupyter" / "startup.py")
    logging.getLogger("tornado.general").setLevel(logging.ERROR)  # it warns of the server's own settings
    LabApp.launch_instance([
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{chapter}",
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # a learner needs only the address to open
        "--LabApp.log_level=WARN",
        *kernels_reached_by_files(),
        *(f"--ContentsManager.hide_globs={each}" for each in UNSEEN),
        "-y",  # one Ctrl-C is enough
        "--allow-root",  # in a container everyone is root
        *([] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]),
    ])  # fmt: skip
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # only threads of a library of the server's are left; Python would wait forever for their end


def kernels_reached_by_files():
    """Options that let kernels listen on no port, which would cause a warning; none if the path would be too long.

    A socket's path has at most 107 bytes; a file in the folder of running kernels takes 50 of them.
    """
    from jupyter_core.paths import jupyter_runtime_dir

    short = len(os.fsencode(jupyter_runtime_dir())) < 56
    return ["--KernelManager.transport=ipc"] if os.name == "posix" and short else []


# The course and its copies


def trust(source, folder, language="en"):
    """Sign the unchanged copies, so that JupyterLab trusts them."""
    from nbformat import reads
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for notebook in library.notebooks_of(source):
        copy, content = folder / words.subfolder(language) / notebook.name, library.for_a_learner(notebook, language)
        if copy.is_file() and copy.read_bytes() == content:
            notary.sign(reads(content.decode(), as_version=4))


def hand_out(source, folder, language="en"):
    """Bring this edition of the course into a learner's folder; returns a line for each file of note.

    A missing file arrives. This edition replaces a file that the learner left unchanged. A file that the learner
    changed stays, and this edition arrives once beside it as NAME.new.ipynb (or .new2 ... if that was changed as well).
    If a folder or a dangling link stands in a chapter's place, the others arrive. Pictures are this edition's. Progress
    beside the source comes along if the folder has none yet.
    """
    from ..microscope.files import write_whole

    pictures, folder = folder / "images", folder / words.subfolder(language)
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file, not a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handed_out = read_manifest(folder)
        upgrade = bool(handed_out)
        messages = []
        for notebook in notebooks_of(source):
            if (folder / notebook.name).is_file() or not os.path.lexists(folder / notebook.name):
                messages.append(hand_out_one(notebook, folder, language, handed_out, upgrade))
            else:
                messages.append(words.say("chapter_left_out", name=notebook.name))
        for picture in source.glob("images/*.*"):
            pictures.mkdir(exist_ok=True)
            write_whole(pictures / picture.name, picture.read_bytes())
        own = source == words.own
        handed_out |= {WITH: str(words.own)} if own else {}
        # a teacher's progress stays with the teacher
        for kept in () if own or language != "en" else source.glob("autograd-nb-progress*"):
            if not (folder / kept.name).exists():
                (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, folder / kept.name)
        write_whole(folder / MANIFEST, json.dumps(handed_out, indent=1, sort_keys=True).encode())
    except OSError as error:
        raise CourseError(f"cannot write the course to {folder}: {error.strerror}: {error.filename}") from None
    return list(filter(None, messages))


def hand_out_one(notebook, folder, language, handed_out, upgrade):
    """Hand out one notebook and note it in `handed_out` (file name -> edition); a line for the learner, or None."""
    from ..microscope.files import write_whole

    this_edition, name, message = edition(notebook, language), notebook.name, None
    there = current_edition(folder / name)
    if there in (None, handed_out.get(name)) and there != this_edition:
        write_whole(folder / name, for_a_learner(notebook, language))
        if upgrade:
            message = words.say("chapter_new" if name not in handed_out else "chapter_renewed", name=name)
        there = this_edition
    if there == this_edition:
        handed_out[name] = this_edition
        return message
    if this_edition in handed_out.values():
        return None  # the learner changed this very edition, or it came before and was read or thrown away
    beside = (f"{notebook.stem}.new{number if number > 1 else ''}.ipynb" for number in itertools.count(1))
    free = next(new for new in beside if current_edition(folder / new) in (None, this_edition, handed_out.get(new)))
    write_whole(folder / free, for_a_learner(notebook, language))
    handed_out[free] = this_edition
    return words.say("chapter_beside", name=name, new=free)


def current_edition(path):
    """The edition of a learner's file; None without a file, "no notebook" for any other file."""
    if not os.path.lexists(path):
        return None
    try:
        return edition(path)
    except CourseError:
        return "no notebook"


def read_manifest(folder):
    """The files handed out into a folder. Without an intact manifest every differing file counts as changed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}
