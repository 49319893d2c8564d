"""Starts the course as a learner does and follows the address that it prints; for tests of the launcher and widgets.

    python3 tests/tools/serving.py COMMAND      # it may install the course first; ends it when a chapter was served
"""

import contextlib
import functools
import http.server
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def folder(place):
    """Serves the files of a folder; gives the address."""
    handler = functools.partial(Quiet, directory=place)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def empty_home(folder, **extra):
    """This environment with an empty home and without settings for Jupyter or pytest.

    pip keeps the settings from our home, so packages come from the same index.
    """
    folder.mkdir(parents=True)
    own = ("JUPYTER", "XDG_", "PYTEST_", "AUTOGRAD_NB_", "PYTHONPATH", "VIRTUAL_ENV")
    pip = {"PIP_CONFIG_FILE": str(Path.home() / ".config" / "pip" / "pip.conf")}
    kept = pip | {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {"HOME": str(folder)} | extra


@contextlib.contextmanager
def serving(command, log, seconds=60, quiet=True, end=signal.SIGINT, **options):
    """Runs a command that serves the course; gives its address (with token) and ends it as Ctrl-C does.

    The command's output goes to the file `log`. Fails if no address comes in time, if the signal `end` does not end
    it with exit code 0, and, if *quiet*, if it printed a traceback. It kills a server that is not ours (`end` is None),
    and does not test its end; so it does where Ctrl-C reaches no process alone, in Windows.
    """
    said = functools.partial(log.read_text, "utf-8", "replace")
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, **options)
    try:
        deadline = time.monotonic() + seconds
        while not (address := ADDRESS.search(said())):
            assert process.poll() is None and time.monotonic() < deadline, said()
            time.sleep(0.1)
        yield address[1]
        assert end is None or os.name != "posix" or ended(process, log, end) == 0, said()
        assert not quiet or "Traceback" not in LOST.sub("", said()), said()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()
            process.wait()


# A whole line: reading a file during a write may end in the middle of one.
ADDRESS = re.compile(r"(http://(?:127|localhost)\S+)\n")

# Messages after a Ctrl-C in a callback of a weak reference, which lets no exception out, or during the reading of a
# request, which tornado then takes for a failed one.
LOST = re.compile(r"(Exception ignored in|\[E [^\n]* Uncaught exception\n).*?\n *KeyboardInterrupt:? *\n", re.S)


def ended(process, log, end):
    """The exit code of a server after Ctrl-C; like a person, sends it again if one was lost."""
    os.killpg(process.pid, end)
    for _ in range(12):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(5)
        said = log.read_text("utf-8", "replace")
        if LOST.search(said) and "Interrupted" not in said:
            os.killpg(process.pid, end)
    return process.wait(0)


def page(address):
    """(address after redirects, text) of a page that answers."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.url, answer.read().decode()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        with serving(["bash", "-c", sys.argv[1]], Path(temporary, "log"), seconds=1800) as served:
            url, text = page(served)
            chapter = url.partition("?")[0].rpartition("/")[2]
            assert chapter == "00_welcome.ipynb" and "<title>JupyterLab</title>" in text, url
    print(f"served {chapter}, and ended by Ctrl-C")
