"""A run of the whole suite goes on in two processes, one for each of two cores.

Tests that mostly wait for other programs run in a second pytest, beside the first one, which has the others and at the
end shows the second's reports, so that all is counted, timed and told as in one run. A run of a part of the suite stays
in one process, as does one that enters the debugger.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import pytest

# Set by the first process for the second: the file for its reports, one a line.
REPORTS = os.environ.get("AUTOGRAD_NB_REPORTS")


def plugin(is_whole, is_for_second):
    """The plugin of this process.

    *is_whole* says whether a list of tests is the whole suite, *is_for_second* whether a test of it runs there.
    """
    return Second() if REPORTS else First(is_whole, is_for_second)


class First:
    """Starts the second process once the tests are known, and shows its reports when all others have been made."""

    def __init__(self, is_whole, is_for_second):
        self.is_whole, self.is_for_second = is_whole, is_for_second
        self.process = None
        self.reports = defaultdict(list)  # by test
        self.rest = b""  # of a line that was not yet written to its end
        self.due = set()  # tests of the second process whose reports were not yet shown

    def pytest_collection_finish(self, session):
        options = session.config.option
        alone = options.collectonly or options.usepdb or os.name != "posix" or os.cpu_count() == 1
        if alone or not self.is_whole(session.items):
            return
        second = [item for item in session.items if self.is_for_second(item)]
        session.items[:] = [item for item in session.items if not self.is_for_second(item)] + second
        self.due = {item.nodeid for item in second}
        self.folder = tempfile.TemporaryDirectory()
        self.log, reports, names = (Path(self.folder.name) / name for name in ("log", "reports", "names"))
        names.write_text("\n".join(item.nodeid for item in second if item.path.is_file()), encoding="utf-8")
        reports.touch()
        self.stream = reports.open("rb")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"@{names}"], cwd=session.config.rootpath,
                env=os.environ | {"AUTOGRAD_NB_REPORTS": str(reports)}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if item.nodeid not in self.due:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.reports_of(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.due.remove(item.nodeid)
        return True

    def reports_of(self, item):
        """What the second process reported of a test, once it has; a failure if it ended before."""
        reports = self.reports[item.nodeid]
        while not any(report.when == "teardown" for report in reports):
            code = self.process.poll()
            self.read(item.config)
            if code is not None and not any(report.when == "teardown" for report in reports):
                why = f"the second process ended with exit code {code} before this test did:\n{self.told()[-4000:]}"
                return [*reports, pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")]
            time.sleep(0.02)
        return reports

    def read(self, config):
        *lines, self.rest = (self.rest + self.stream.read()).split(b"\n")
        for line in lines:
            report = config.hook.pytest_report_from_serializable(config=config, data=json.loads(line))
            if isinstance(report.longrepr, list):
                report.longrepr = tuple(report.longrepr)  # of a skip; JSON knows lists only
            self.reports[report.nodeid].append(report)

    def told(self):
        """What the second process printed: figures for the reader, or why it could not run."""
        return self.log.read_text(encoding="utf-8", errors="replace").strip()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self):
        if self.process:
            if self.due:  # this run was stopped
                self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(120)
            finally:
                self.process.kill()

    def pytest_terminal_summary(self, terminalreporter):
        if self.process:
            terminalreporter.write_line(self.told())
            self.stream.close()
            self.folder.cleanup()


class Second:
    """Writes the reports of the tests that it was given; prints nothing but what tests print for the reader."""

    def pytest_configure(self, config):
        self.config = config
        config.pluginmanager.set_blocked("terminalreporter")
        self.stream = open(REPORTS, "a", encoding="utf-8")  # noqa: SIM115

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        print(json.dumps(data), file=self.stream, flush=True)

    def pytest_sessionfinish(self):
        self.stream.close()
