"""An error: its message, its place, and the tensors that the frames on its way still hold."""

from ..microscope.labels import message_of
from ..microscope.names import is_ours, variables_of
from ..microscope.naming import expression_at
from ..microscope.readings import is_tensor
from .code import first, line_of


class Failure:
    """An error, or None; one that ended the recording, *trace*, comes before it.  Somebody asks about it at *place*.

    *doing* is the syntax tree of the learner's expression that failed, or None.  What is kept of the last call of
    backward() or grad() that the error went through: *roots*, the tensors from which the pass should start, *inputs*,
    the tensors whose gradients the call asked for, and *hook*, a function of the learner's in it.
    """

    def __init__(self, error, trace=(), place=None):
        self.stack = []  # (frame, (file, line)) for each of the learner's frames
        self.roots, self.inputs, self.hook, self.doing = [], [], "", None
        step = getattr(error, "__traceback__", None)
        while step is not None:
            frame = step.tb_frame
            file, held = frame.f_code.co_filename, dict(variables_of(frame))
            if not is_ours(file):
                self.hook = frame.f_code.co_name if self.roots else self.hook
                self.stack.append((frame, (file, step.tb_lineno)))
                self.roots, self.doing = [], expression_at(frame, step.tb_lasti)
            elif frame.f_code.co_name in ("backward", "grad") and not self.roots:
                given = held.get("self", held.get("tensors", held.get("outputs"))), held.get("inputs")
                given = [each if isinstance(each, list | tuple) else [each] for each in given]
                self.roots, self.inputs = [[one for one in each if is_tensor(one)] for each in given]
            step = step.tb_next
        self.event = first(event for event in reversed(trace[-2:]) if event.kind == "Failed")
        said = message_of(error) if error and not len(trace) else ""
        self.message = self.event.message if self.event else said
        self.place = self.stack[-1][1] if self.stack else place  # (file, line): where it was raised, or asked
        self.at = line_of(self.event) if self.event else self.place
