"""A script, run as it is: the error that it ends with is explained, or what was unusual in its first training steps."""

import argparse
import sys
import traceback
from contextlib import suppress
from functools import partial
from os.path import abspath, dirname, isfile
from types import ModuleType

from ..microscope.names import PACKAGE, is_ours
from ..microscope.trace import Recording
from ..optim.optimizer import Optimizer
from . import evidence_of, explain, survey


class FirstSteps:
    """Records the script until its optimizers have made so many steps, and then prints what was unusual."""

    def __init__(self, frame, steps):
        self.steps, self.left, self.hook, self.recording = steps, steps, None, Recording(frame)
        self.frame = None  # the learner's frame, at the last step
        self.told = False
        self.step = Optimizer.step
        Optimizer.step = lambda *given, **options: (self.step(*given, **options), self.stepped())[0]
        with suppress(Exception):  # if PyTorch is there and loads, we watch it from the start
            from torch.optim.optimizer import register_optimizer_step_post_hook

            self.hook = register_optimizer_step_post_hook(lambda *_: self.stepped())
        self.trace = self.recording.__enter__()

    def stepped(self):
        self.left -= 1
        self.frame = sys._getframe()
        while is_ours(self.frame.f_code.co_filename):
            self.frame = self.frame.f_back
        if self.left <= 0 and sys.getprofile() is None:  # the script's own profiler is left alone
            sys.setprofile(self.returning)  # nobody can remove a hook while PyTorch goes through them

    def returning(self, frame, event, _):
        if event == "return" and not is_ours(frame.f_back.f_code.co_filename):
            sys.setprofile(None)
            self.end(frame.f_back)

    def end(self, frame, error=None):
        """Record no more; print what was unusual, unless *error* will be explained."""
        Optimizer.step = self.step
        if self.hook is not None:
            self.hook.remove()
        if self.recording.recorder is None:
            return
        self.recording.__exit__(type(error), error, None)
        whole = self.trace if len(self.trace) and self.trace[-1].kind != "Ended" else None
        if error is None:
            steps = self.steps - self.left
            when = f"after {steps} step{'s' * (steps != 1)}" if steps else "at the end"
            self.told = True
            say(f"why, {when}: {guarded(lambda: survey([], evidence_of(self.frame or frame, whole)))}")


def guarded(answer):
    """The result of *answer*; a fault of ours does not end the script."""
    try:
        return answer()
    except Exception as error:
        return f"why() could not look at this script ({type(error).__name__}: {error}). Its run is not affected."


def say(text):
    print(f"\n{text}", file=sys.stderr)


def main(words=None):
    """Run the script that the words of the command line name; return the exit status of the process."""
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.why", description=__doc__)
    parser.add_argument("--steps", type=int, default=3, help="training steps to watch, 3 unless told otherwise")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    if not isfile(given.script):
        parser.error(f"there is no file {given.script}")
    with open(given.script, "rb") as file:
        code = compile(file.read(), abspath(given.script), "exec")
    module = ModuleType("__main__")
    module.__file__, module.__builtins__ = given.script, __builtins__
    sys.modules["__main__"], sys.argv = module, [given.script, *given.arguments]
    sys.path.insert(0, dirname(abspath(given.script)))
    frame = eval("__import__('sys')._getframe()", vars(module))
    first = FirstSteps(frame, max(given.steps, 1))
    try:
        exec(code, vars(module))
    except Exception as error:
        first.end(frame, error)
        told = traceback.TracebackException.from_exception(error)
        told.stack[:] = [each for each in told.stack if not each.filename.startswith(PACKAGE)]
        print(*told.format(), sep="", end="", file=sys.stderr)
        answer = guarded(partial(explain, error, None if first.told else first.trace))
        say(f"why: {answer or 'gradients have no part in this error.'}")
        return 1
    finally:
        first.end(frame)
    return 0
