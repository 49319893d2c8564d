"""A run of the whole suite goes on in several processes, because tests wait for a browser or a kernel most of the time.

Each share of the tests that `beside` names runs in a pytest of its own. At the end of this run it counts as one test,
which shows the share's output and passes if all tests in it do.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType

import pytest


def beside(session, items, shares, again=MappingProxyType({})):
    """Start a process for each of *shares*, ``{name: condition on a test}``; the rest of the tests stay here.

    The tests of *again*, ``{name: (condition, environment)}``, run there in that environment and stay here as well.
    """
    config, option = session.config, session.config.option
    if config.args_source is config.ArgsSource.ARGS:  # the caller named these tests, as the processes below do
        return
    if option.collectonly or option.usepdb or os.name != "posix" or os.cpu_count() == 1:
        return
    started = []
    for name, (condition, environment) in again.items():
        started.append(share := Share.from_parent(session, name=name))
        share.start([item.nodeid for item in items if condition(item)], environment)
    for name, condition in shares.items():
        started.append(share := Share.from_parent(session, name=name))
        share.start([item.nodeid for item in items if condition(item)])
        items[:] = [item for item in items if not condition(item)]
    config.pluginmanager.register(End(started))
    items += started


class Share(pytest.Item):
    """The tests of a share, as one: it waits for their process."""

    def start(self, names, environment=()):
        self.folder = tempfile.TemporaryDirectory()
        self.log, listed = (Path(self.folder.name) / name for name in ("log", "names"))
        listed.write_text("\n".join(names), encoding="utf-8")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *self.config.invocation_params.args, "-p", "no:cacheprovider",
                 f"@{listed}"], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                cwd=self.config.rootpath, start_new_session=True, env={**os.environ, **dict(environment)})  # fmt: skip

    def runtest(self):
        assert self.process.wait() == 0

    def repr_failure(self, excinfo):
        return f"the process beside this one ended with exit code {self.process.returncode}"

    def reportinfo(self):
        return self.path, 0, self.name


class End:
    """Shows the output of the other processes and ends those that still run."""

    def __init__(self, shares):
        self.shares = shares

    def pytest_sessionfinish(self):
        for share in self.shares:
            share.process.send_signal(signal.SIGINT)  # if this run was stopped, the share stops too
            share.process.wait()

    def pytest_terminal_summary(self, terminalreporter):
        for share in self.shares:
            terminalreporter.section(share.name)
            terminalreporter.write_line(share.log.read_text(encoding="utf-8", errors="replace").strip())
            share.folder.cleanup()
