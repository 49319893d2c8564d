"""Programs that use PyTorch, each in a copy of one process that has imported it: the import takes two seconds.

`python(*arguments)` does what Python does with these arguments, in a process that nothing else has used.
"""

import atexit
import functools
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

SECONDS = 300  # after which a program is ended


def python(*arguments, cwd=None, env=None):
    """Run Python with these arguments; the result is that of `subprocess.run`, with text."""
    command = [str(each) for each in arguments]
    if not hasattr(os, "fork"):
        return subprocess.run([sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("out", "err")]
        asked = {"command": command, "cwd": str(cwd or Path.cwd()), "env": dict(env or os.environ)}
        origin = server()
        origin.stdin.write(json.dumps(asked | {"files": list(map(str, files))}) + "\n")
        origin.stdin.flush()
        code = int(origin.stdout.readline())
        return subprocess.CompletedProcess(command, code, *(file.read_text(encoding="utf-8") for file in files))


@functools.cache
def server():
    """The process of which the others are copies."""
    started = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(started.stdin.close)
    return started


def serve():
    import torch  # noqa: F401 - which is what this process is for

    for line in sys.stdin:
        asked = json.loads(line)
        copy = os.fork()
        if not copy:
            become(**asked)
        print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)


def become(command, cwd, env, files):
    """Be Python with these arguments, from its start to its end."""
    signal.alarm(SECONDS)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for place, file in enumerate(files, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), place)
    if command[0] == "-W":
        warnings.simplefilter(command[1])
        command = command[2:]
    kind, *rest = command
    sys.argv[:] = [kind, *rest[1:]] if kind in ("-c", "-m") else command
    own = "" if kind in ("-c", "-m") else str(Path(kind).parent)
    sys.path[0:1] = [own, *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    code = 0
    try:
        if kind == "-m":
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif kind == "-c":
            exec(compile(rest[0], "<string>", "exec"), vars(sys.modules["__main__"]))
        else:
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        code = 1
        sys.excepthook(type(error), error, error.__traceback__.tb_next)
    finally:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
        os._exit(code)


if __name__ == "__main__":
    serve()
