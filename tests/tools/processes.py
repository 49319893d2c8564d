"""A run of the whole suite goes on in several processes, because tests wait for a browser or a kernel most of the time.

Each share of the tests that `beside` names runs in a pytest of its own, whose reports become reports of this run. The
last lines of a run name each failing test, wherever it ran, and the command that repeats it alone.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import MappingProxyType

import pytest

REPORTS = "AUTOGRAD_NB_REPORTS"  # names the file for the reports of a process beside the run


def configure(config):
    """Let a process beside the run write its reports, and any other run name its failures."""
    if file := os.environ.pop(REPORTS, ""):
        config.pluginmanager.register(Writer(config, file))
    else:
        config.pluginmanager.register(Failures(config))


def beside(session, items, shares, again=MappingProxyType({})):
    """Start a process for each of *shares*, ``{name: condition on a test}``; the rest of the tests stay here.

    The tests of *again*, ``{name: (condition, environment)}``, run there in that environment and stay here as well.
    """
    config, option = session.config, session.config.option
    if config.args_source is config.ArgsSource.ARGS:  # the caller named these tests, as the processes below do
        return
    if option.collectonly or option.usepdb or os.name != "posix" or os.cpu_count() == 1:
        return
    parts = [(name, condition, environment) for name, (condition, environment) in again.items()]
    parts += [(name, condition, {}) for name, condition in shares.items()]
    started = []
    for name, condition, environment in parts:
        if chosen := {item: item.nodeid for item in items if condition(item)}:
            started.append(share := Share.from_parent(session, name=name))
            share.start([*chosen.values()], environment)
            items[:] = [item for item in items if environment or item not in chosen]
    config.pluginmanager.register(Gather(started))
    items += started


class Share(pytest.Item):
    """The tests of a share; it hands on their reports."""

    def start(self, names, environment):
        self.names = names
        self.setting = "".join(f"{name}={shlex.quote(value)} " for name, value in environment.items())
        self.folder = tempfile.TemporaryDirectory()
        self.log, self.file, listed = (Path(self.folder.name) / name for name in ("log", "reports", "names"))
        self.file.touch()
        listed.write_text("\n".join(names), encoding="utf-8")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *self.config.invocation_params.args, "-p", "no:cacheprovider",
                 f"@{listed}"], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                cwd=self.config.rootpath, start_new_session=True,
                env={**os.environ, **environment, REPORTS: str(self.file)})  # fmt: skip

    def written(self):
        """The reports, as they come."""
        with self.file.open(encoding="utf-8") as file:
            begun = ""
            while True:
                over = self.process.poll() is not None
                while line := file.readline():
                    begun += line
                    if begun.endswith("\n"):
                        yield json.loads(begun)
                        begun = ""
                if over:
                    return
                time.sleep(0.1)

    def runtest(self):
        hook, left, failed = self.config.hook, dict.fromkeys(self.names), False
        for data in self.written():
            report = hook.pytest_report_from_serializable(config=self.config, data=data)
            failed = failed or report.failed
            if report.when in ("teardown", "collect"):
                left.pop(report.nodeid, None)
            report.setting = self.setting
            if report.when == "collect":
                hook.pytest_collectreport(report=report)
            else:
                hook.pytest_runtest_logreport(report=report)
        code = self.process.returncode
        if code != int(failed) or left and not self.config.option.maxfail:
            hook.pytest_runtest_logreport(report=self.broken(code, [*left]))

    def broken(self, code, left):
        """The report of a process that ended before its tests did."""
        why = f"the process ended with exit code {code}, and {len(left)} of its tests did not end"
        log = self.log.read_text(encoding="utf-8", errors="replace")
        name = left[0] if left else f"::{self.name}"
        report = pytest.TestReport(name, (name.partition("::")[0], None, name), {}, "failed", f"{why}\n{log}", "call")
        report.setting = self.setting
        return report


class Gather:
    """Takes the reports of the other processes, and ends those that still run."""

    def __init__(self, shares):
        self.shares = shares

    def pytest_collection_finish(self, session):
        session.testscollected += sum(len(share.names) - 1 for share in self.shares)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if item not in self.shares:
            return None
        item.runtest()
        return True

    def pytest_sessionfinish(self):
        for share in self.shares:
            share.process.send_signal(signal.SIGINT)  # if this run was stopped, the share stops too
            share.process.wait()
            share.folder.cleanup()


class Writer:
    """Writes the reports of this process for the run beside which it goes on."""

    def __init__(self, config, file):
        self.config, self.file = config, open(file, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.file.write(json.dumps(data | {"keywords": {}}, default=str) + "\n")
        self.file.flush()

    def pytest_collectreport(self, report):
        if report.failed:
            self.pytest_runtest_logreport(report)


class Failures:
    """Names each failing test, with a line of why and the command that repeats it alone."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter):
        shown = terminalreporter.reportchars
        terminalreporter.reportchars = shown.translate({ord("f"): None, ord("E"): None})
        yield
        reports = [report for kind in ("error", "failed") for report in terminalreporter.stats.get(kind, ())]
        if reports and {*"fE"} & {*shown}:
            terminalreporter.section("what failed, why, and alone")
        for name, report in {self.repeat(report): report for report in reports}.items():
            terminalreporter.write_line(f"FAILED {report.nodeid} - {reason(report)}")
            terminalreporter.write_line(f"    {name}")

    def repeat(self, report):
        """The command that runs a test alone; the cells of a notebook need those before them."""
        given = self.config.invocation_params.args
        options = [each for each in given if each not in self.config.args and not each.startswith("@")]
        file = report.nodeid.partition("::")[0]
        which = file if file.endswith(".ipynb") else report.nodeid
        python = Path(sys.executable)
        if python.is_relative_to(Path.cwd()):
            python = python.relative_to(Path.cwd())
        command = [str(python), "-m", "pytest", *options, *([which] if file else [])]
        return getattr(report, "setting", "") + shlex.join(command)


def reason(report):
    """Why a test failed, on one line: the error's message."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = re.sub(r"\x1b\[[\d;]*m", "", crash.message if crash else str(report.longrepr))
    marked = re.findall(r"^E +(.*)", text, re.MULTILINE)  # of a file that cannot be collected
    return " ".join(" ".join(marked or [text]).split())[:200]
