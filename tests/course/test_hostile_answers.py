"""An answer may do and be anything: within two seconds a sentence says what happened, and every setting is as before.

Each hostile answer meets an exercise or two, each exercise one hostile answer at least.
"""

import asyncio
import os
import random
import signal
import sys
import time
import warnings

import house
import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel
from pace import pace

import autograd_nb as torch
from autograd_nb import course
from autograd_nb.course import progress_file
from autograd_nb.course.exercises import Question, chapters, running
from autograd_nb.course.exercises.running import name_of
from autograd_nb.course.overview import items
from autograd_nb.engine import modes
from autograd_nb.learner.executing import CLOCKS, ELSEWHERE

pytestmark = pytest.mark.usefixtures("progress")
QUESTIONS = [question for chapter in chapters() for question in items(chapter, Question).values()]
SCHEDULED = "/proc/self/schedstat"
MEGABYTES = "much " * 1_000_000


def raising(error):
    def answer(*_):
        raise error

    return answer


def giving(make):
    return lambda *_: make()


class Hostile:
    """Raises whenever it is used."""

    def refuse(self, *_, **__):
        raise RuntimeError("I am not to be looked at")

    __eq__ = __ne__ = __lt__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = __float__ = __index__ = refuse
    __hash__ = __getattr__ = __call__ = __copy__ = __deepcopy__ = __array__ = __format__ = refuse


class Meta(type):
    __name__ = property(Hostile.refuse)
    __repr__ = __eq__ = __instancecheck__ = __subclasscheck__ = Hostile.refuse
    __hash__ = type.__hash__


class Nameless(metaclass=Meta):
    pass


class Unspeakable(Exception):
    __str__ = __repr__ = Hostile.refuse
    __traceback__ = __context__ = __notes__ = property(Hostile.refuse)


class Number(float):
    __eq__ = __float__ = __repr__ = __sub__ = __abs__ = Hostile.refuse
    __hash__ = float.__hash__


class Text(str):
    strip = lower = __eq__ = __repr__ = Hostile.refuse
    __hash__ = str.__hash__


class Sequence(list):
    def __iter__(self):
        while True:
            try:
                yield self
            except:  # noqa: E722
                pass

    __len__ = __repr__ = Hostile.refuse


class Slow:
    def __repr__(self):
        while True:
            try:
                time.sleep(1)
            except:  # noqa: E722
                pass


class Stubborn(torch.Tensor):
    detach = tolist = item = __repr__ = Hostile.refuse


def objects():
    array = np.empty(2, dtype=object)
    array[0] = Hostile()
    return array


def deep():
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return nest


def circle():
    around = []
    around.append(around)
    return around


def forever():
    while True:
        yield 1


VALUES = {
    "refuses": Hostile, "nameless": Nameless, "class": lambda: Nameless, "number": Number,
    "text": lambda: Text("0.6"), "sequence": Sequence, "slow": Slow, "tensor": lambda: Stubborn([1.0]),
    "deep list": deep, "circle": circle, "forever": forever,
    "long text": lambda: MEGABYTES,
    "long list": lambda: [0.5] * 1_000_000, "digits": lambda: 10**5000, "surrogate": lambda: "\udc80</script>\u202e\0",
    "objects": objects, "module": lambda: sys, "exception": Unspeakable,
}  # fmt: skip


def loops(*_):
    while True:
        pass


def catches_all(*_):
    while True:
        try:
            sum(range(10))
        except:  # noqa: E722
            pass


def sleeps_and_catches(*_):
    while True:
        try:
            time.sleep(5)
        except:  # noqa: E722
            pass


def untraced(*_):
    sys.settrace(None)
    while True:
        pass


exec(compile("def _elsewhere(*_): time.sleep(100)", ELSEWHERE[2] + "/module.py", "exec"))
elsewhere = vars()["_elsewhere"]  # not the learner's line


def recurses(*_):
    return recurses() + 1


def recurses_through_c(*_):
    sys.setrecursionlimit(10**6)
    return sorted([1], key=recurses_through_c)


def prints(*_):
    while True:
        print(MEGABYTES, file=sys.stderr)
        print(MEGABYTES)


def enters(make):
    return lambda *_: make().__enter__()


def closes(*_):
    sys.stdout.close()
    sys.stdout = sys.stderr = None


def sets_warnings(*_):
    warnings.filterwarnings("error")
    warnings.showwarning = None


def silences_the_clock(*_):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


DEEDS = {
    **{f"raises {type(error).__name__}": raising(error) for error in (
        GeneratorExit(), KeyboardInterrupt(), SystemExit(3), StopIteration(), MemoryError(), asyncio.CancelledError(),
        BaseExceptionGroup("two", [KeyboardInterrupt(), SystemExit()]), UnicodeDecodeError("utf-8", b"\xff", 0, 1, ""),
        ValueError(MEGABYTES), OSError("\udc80\0<script>"), AssertionError(Hostile()))},
    "raises the unspeakable": raising(Unspeakable()),
    "raises no exception": raising(3),
    **{each.__name__: each for each in (loops, catches_all, sleeps_and_catches, untraced, recurses, recurses_through_c,
                                        prints, closes, sets_warnings, silences_the_clock)},
    "sleeps": lambda *_: time.sleep(100),
    "huge number": lambda *_: 10**10**9,
    "long record": lambda *_: [torch.ones(3, requires_grad=True).sum() for _ in range(10**9)],
    "numpy errors": lambda *_: np.seterr(all="raise"),
    "numpy printing": lambda *_: np.set_printoptions(precision=1, threshold=2),
    "dtype": lambda *_: torch.set_default_dtype(torch.float64),
    "printing": lambda *_: torch.set_printoptions(precision=1, sci_mode=True),
    "seeds": lambda *_: (torch.manual_seed(1), random.seed(1), np.random.seed(1)),
    "warns always": lambda *_: torch.set_warn_always(True),
    "no gradients": lambda *_: torch.set_grad_enabled(False),
    "anomaly": lambda *_: torch.autograd.set_detect_anomaly(True),
    "inference": enters(torch.inference_mode),
    "record": enters(torch.record),
    "hooks": enters(lambda: torch.autograd.graph.saved_tensors_hooks(loops, loops)),
    "recursion limit": lambda *_: sys.setrecursionlimit(200),
    "folder": lambda *_: os.chdir("/"),
    "profile": lambda *_: sys.setprofile(raising(ValueError())),
    "trace": lambda *_: sys.settrace(raising(ValueError())),
    "streams": lambda *_: setattr(sys, "stdout", Hostile()),
}
ANSWERS = {**DEEDS, **{f"is {name}": make for name, make in VALUES.items()}}


def settings():
    state = {name: value for name, value in vars(modes.state).items() if name not in ("for_calls", "run", "listeners")}
    return {
        "state": state, "listeners": [*modes.state.listeners],
        "grad": torch.is_grad_enabled(), "always": modes.always, "errors": np.geterr(), "shown": np.get_printoptions(),
        "silence": modes.state.run(np.geterr),
        "dtype": torch.get_default_dtype(), "folder": os.getcwd(), "text": repr(torch.tensor([0.123456, 1e6])),
        "seed": torch.get_rng_state().tolist(), "random": random.getstate(),
        "numpy": str(np.random.get_state()), "filters": list(warnings.filters), "show": warnings.showwarning,
        "streams": (sys.stdin, sys.stdout, sys.stderr), "trace": (sys.gettrace(), sys.getprofile()),
        "depth": sys.getrecursionlimit(), "handled": sys.exc_info(),
        "clocks": [(signal.getsignal(kind), signal.getitimer(timer)) for kind, (timer, _) in CLOCKS.items()],
    }  # fmt: skip


def meetings(all_of_them):
    """(exercise, name of the answer)."""
    of = {takes: [each for each in QUESTIONS if callable(each.right) is takes] for takes in (True, False)}
    few = [(of[True][7 * place % len(of[True])], name) for place, name in enumerate(ANSWERS)]
    few += [(of[False][3 * place % len(of[False])], f"is {name}") for place, name in enumerate(VALUES)]
    names = sorted(set(ANSWERS) - {"sleeps", "huge number", "untraced", "sleeps_and_catches", "is slow", "is forever"})
    few += [(question, names[5 * place % len(names)]) for place, question in enumerate(QUESTIONS) if all_of_them]
    few += [(course.ch17.q4, "numpy errors")]  # its formula runs while the engine keeps NumPy silent
    return list(dict.fromkeys(few))


def answer_for(question, name):
    if name in DEEDS:
        return DEEDS[name]
    make = VALUES[name.removeprefix("is ")]
    return giving(make) if callable(question.right) else make()


timed = pytest.mark.skipif(not CLOCKS, reason="without a timer's signal sleep is not interrupted")


@timed
def test_no_answer_hurts_the_kernel(capfd, monkeypatch, request):
    # Python can only report some interrupts; pytest's own hook would be interrupted like the answer
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    monkeypatch.setattr(running, "SECONDS", (1.2, 2))  # the test does not wait for sleeping threads
    told = [meet(question, name, capfd) for question, name in meetings(request.config.getoption("--nightly"))]
    assert [each for each in told if each] == []


def awake():
    """Seconds that this process had the processor or, if Linux counts it, waited for the processor."""
    if not os.path.exists(SCHEDULED):
        return time.process_time()
    with open(SCHEDULED) as file:
        return sum(map(int, file.read().split()[:2])) / 1e9


def meet(question, name, capfd):
    """A sentence on what went wrong with a hostile answer; pytest would show the answer itself."""
    try:
        answer, before = answer_for(question, name), settings()
        began, worked = awake(), time.process_time()
        start = time.monotonic()
        outcome = question.check(answer)
        asleep = time.monotonic() - start - (awake() - began)
        took = time.process_time() - worked
        after = settings()
        changed = [key for key in before if before[key] != after[key]]
        text, html = outcome.text, outcome.html
        (text + html).encode()
        said = outcome.kind in ("right", "wrong") and 10 < len(outcome.paragraphs[0]) < 800 and text.count("\n") <= 2
        printed = sum(map(len, capfd.readouterr()))
    except BaseException as error:
        return f"{question.name}, {name}: {name_of(type(error))} in line {sys.exc_info()[2].tb_lineno}"
    good = said and not changed and took < 4 * pace() and asleep < 5 and printed < 25_000
    return None if good else f"{question.name}, {name}: {changed} changed, {took:.2f} s, {printed} printed, {text:.300}"


def test_the_next_answer_is_judged_as_ever():
    for name in ("hooks", "no gradients", "dtype", "catches_all", "is refuses", "raises the unspeakable"):
        assert course.ch04.q2.check(answer_for(course.ch04.q2, name)).kind == "wrong"
        assert course.ch04.q2.check(course.ch04.q2.right).kind == "right"
    assert course.ch04.q1.check(Hostile()).kind == "wrong" and course.ch04.q1.check(1.8)


# Time is the processor's, and the machine's is nobody's fault


@timed
@pytest.mark.parametrize(("answer", "seconds", "told"), [
    (lambda *_: time.sleep(100), (1.2, 3), "more than 3 seconds at line"), (untraced, (0.2, 100), "more than 0.2 sec"),
    (elsewhere, (1.2, 1), "Stopped after more than 1 seconds: your code seems to wait"),
    (raising(KeyboardInterrupt()), (1.2, 10), "with KeyboardInterrupt")])
def test_what_a_clock_or_an_interrupt_ended_is_not_written_down(answer, seconds, told, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", seconds)
    outcome = course.ch04.q2.check(answer)
    assert outcome.kind == "wrong" and told in outcome.text
    assert progress_file.read()["answers"] == {}
    monkeypatch.setattr(running, "SECONDS", (60, 600))  # a busy machine may take its time for an answer that ends
    assert not course.ch04.q2.check(lambda w, parts: 5) and "ch04.q2" in progress_file.read()["answers"]


@timed
def test_the_first_check_of_a_kernel_tells_the_line_too(tmp_path):
    program = """import time
from autograd_nb import course
from autograd_nb.course.exercises import running

running.SECONDS = 1.2, 3
print(course.ch04.q2.check(lambda *_: time.sleep(100)))
"""
    (tmp_path / "program.py").write_text(program)
    assert "after more than 3 seconds at line 6, `print(course.ch04" in house.run(tmp_path / "program.py", cwd=tmp_path)


@timed
def test_waiting_for_the_processor_is_not_held_against_an_answer(monkeypatch):
    monkeypatch.setattr(running, "SECONDS", (0.5, 10))
    right = course.ch04.q2.right
    assert course.ch04.q2.check(lambda w, parts: (time.sleep(0.3), right(w, parts))[1])  # in each of its samples


def test_a_check_within_a_check_is_refused_in_a_sentence():
    calls = []

    def answer(w, parts):
        calls.append(w)
        course.ch04.q2.check(answer)

    outcome = course.ch04.q2.check(answer)
    assert "`course.ch04.q2.check(answer)`, with RuntimeError: a check within a check: take this" in outcome.text
    assert 1 <= len(calls) <= 10
    assert course.ch04.q2.check(course.ch04.q2.right)


def test_a_kernel_outlives_exit_and_reset_in_an_answer():
    manager, client = start_new_kernel()
    said = []

    def hears(message):
        content = message["content"]
        said.extend(filter(None, [content.get("text"), content.get("data", {}).get("text/plain")]))

    def runs(code):
        return client.execute_interactive(code, timeout=60, output_hook=hears)["content"]["status"]

    try:
        assert runs("from autograd_nb import course\nkept = 5") == "ok"
        for deed in ("exit()", "quit(True)", "%reset -f", "!true", "get_ipython().run_cell('kept = 6')"):
            assert runs(f"def answer(w, parts):\n    {deed}\ncourse.ch04.q2.check(answer)") == "ok"
            assert "RuntimeError: exit(), magics and other commands of IPython do nothing while" in said[-1], deed
        assert runs("get_ipython().run_line_magic('time', 'print(kept)')") == "ok" and said[-1].startswith("5\n")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_settings_come_back_and_each_call_begins_in_the_same_folder_though_the_first_removed_it(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    here, begun = os.stat(".").st_ino, []

    def answer(w, parts):
        begun.append(os.stat(".").st_ino)
        torch.set_default_dtype(torch.float64)
        os.chdir(tmp_path)
        if (tmp_path / "gone").exists():
            (tmp_path / "gone").rmdir()

    opened = len(os.listdir("/dev/fd")) if os.path.exists("/dev/fd") else 0
    course.ch04.q2.check(answer)
    assert len(begun) > 1 and {*begun, os.stat(".").st_ino} == {here} and torch.get_default_dtype() is torch.float32
    assert not opened or len(os.listdir("/dev/fd")) == opened


def test_settings_of_pytorch_come_back_too(live):
    def settings():
        return (live.is_grad_enabled(), live.get_default_dtype(), live.get_rng_state().tolist(),
                live.is_anomaly_enabled(), live.is_warn_always_enabled(), live.is_inference_mode_enabled(),
                repr(live.tensor([0.123456, 1e6])))

    def answer(w, parts):
        begun.append(settings()[0])
        live.set_grad_enabled(False)
        live.set_default_dtype(live.float64)
        live.manual_seed(7)
        live.autograd.set_detect_anomaly(True)
        live.set_warn_always(True)
        live.set_printoptions(precision=1, sci_mode=True)
        return course.ch04.q2.right(w, parts)

    begun = []
    with live.no_grad():
        before = settings()
        assert course.ch04.q2.check(answer)
        assert settings() == before and {*begun} == {True}


def test_settings_come_back_though_one_does_not(monkeypatch):
    def answer(w, parts):
        torch.set_default_dtype(torch.float64)
        sys.setrecursionlimit(5000)
        torch.manual_seed(7)
        monkeypatch.setattr(np, "seterrcall", Hostile())

    before = sys.getrecursionlimit(), torch.get_rng_state().tolist()
    outcome = course.ch04.q2.check(answer)
    monkeypatch.undo()
    assert outcome.kind == "wrong" and torch.get_default_dtype() is torch.float32
    assert (sys.getrecursionlimit(), torch.get_rng_state().tolist()) == before
