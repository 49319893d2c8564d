"""A script, run as it is: the error that it ends with is explained, or what was unusual in its first training steps."""

import argparse
import sys
from contextlib import suppress
from functools import partial
from os.path import abspath, dirname
from traceback import TracebackException
from types import ModuleType

from ..microscope.names import PACKAGE
from ..microscope.trace import Recording
from ..optim.optimizer import Optimizer
from . import evidence_of, explain, survey
from .check import of_script
from .code import SAY


class FirstSteps(Recording):
    """Records a script, and prints what was unusual after the first steps of its optimizers, or at its end before that.

    *frame* has the script's variables; later that is the learner's frame at the last step.
    """

    def __init__(self, frame, steps):
        super().__init__(frame)
        self.place, self.steps, self.left = frame, steps, steps

    def __enter__(self):
        with suppress(Exception):  # if PyTorch is there and loads, we watch it from the start
            from torch.optim.optimizer import register_optimizer_step_post_hook

            register_optimizer_step_post_hook(lambda *_: self.stepped())
        trace, step = super().__enter__(), Optimizer.step
        Optimizer.step = lambda *given, **options: (step(*given, **options), self.stepped())[0]
        return trace

    def stepped(self):
        if self.recorder is not None and self.left:
            self.left, self.place = self.left - 1, self.recorder.names.frame
            if not self.left:
                self.tell()
                self.recorder.end()

    def __exit__(self, kind, error, traceback):
        failed = isinstance(error, Exception)  # and no exit or interrupt
        super().__exit__(kind, error if failed else None, traceback)
        if self.left and not failed:
            self.tell()

    def tell(self):
        steps = self.steps - self.left
        title = SAY("after_steps", count=steps) if steps else SAY["at_the_end"]
        say(title, lambda: survey([], evidence_of(self.place, self.trace.so_far())))


def say(title, answer):
    """Print the result of *answer*, if there is one; a fault of ours does not end the script."""
    try:
        text = answer()
    except Exception as error:
        text = SAY("no_script", error=f"{type(error).__name__}: {error}")
    if text:
        print(f"\n{title}: {text}", file=sys.stderr)


def main():
    """Run the script that the words of the command line name; return the exit status of the process."""
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.why", description=__doc__)
    parser.add_argument("--steps", type=int, default=3, help="training steps to watch, 3 unless told otherwise")
    parser.add_argument("--check", action="store_true", help="ask whether the first gradients are the derivatives")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    module = sys.modules["__main__"] = ModuleType("__main__")
    module.__file__, sys.argv = abspath(given.script), [given.script, *given.arguments]
    sys.path.insert(0, dirname(module.__file__))
    frame = eval("__import__('sys')._getframe()", vars(module))
    with open(module.__file__, "rb") as file:
        text = file.read()
    if given.check:
        say("check", partial(of_script, frame, text))
        return 0
    first = FirstSteps(frame, max(given.steps, 1))
    try:
        with first:
            exec(compile(text, module.__file__, "exec"), vars(module))
    except Exception as error:
        told = TracebackException.from_exception(error)
        told.stack[:] = [each for each in told.stack if not each.filename.startswith(PACKAGE)]
        told.print()
        say("why", partial(explain, error, first.trace, unknown=True))
        return 1
    return 0
