"""An error: its message, its place, and the tensors that the frames on its way still hold."""

from ..microscope.labels import message_of
from ..microscope.names import is_ours, variables_of
from ..microscope.naming import expression_at
from ..microscope.readings import is_tensor
from .code import first


class Failure:
    """An error, or None; one that ended the recording, *trace*, comes before it.  Somebody asks about it at *place*.

    *doing* is the syntax tree of the learner's expression that failed, or None.  What is kept of the last call of
    backward() or grad() that the error went through: *roots*, the tensors from which the pass should start, *inputs*,
    the tensors whose gradients the call asked for, and *hook*, a function of the learner's in it.
    """

    def __init__(self, error, trace=(), place=None):
        self.frames, self.place = [], place  # the learner's frames; (file, line) where it was raised, or asked
        self.roots, self.inputs, self.hook, self.doing = [], [], "", None
        step = getattr(error, "__traceback__", None)
        while step is not None:
            frame, code = step.tb_frame, step.tb_frame.f_code
            if not is_ours(code.co_filename):
                self.hook = code.co_name if self.roots else self.hook
                self.frames.append(frame)
                self.place = code.co_filename, step.tb_lineno
                self.roots, self.doing = [], expression_at(frame, step.tb_lasti)
            elif code.co_name in ("backward", "grad") and not self.roots:
                held = dict(variables_of(frame))
                given = held.get("self", held.get("tensors", held.get("outputs"))), held.get("inputs")
                given = (each if isinstance(each, list | tuple) else [each] for each in given)
                self.roots, self.inputs = ([*filter(is_tensor, each)] for each in given)
            step = step.tb_next
        self.event = first(event for event in reversed(trace[-2:]) if event.kind == "Failed")
        self.message = self.event.message if self.event else message_of(error) if error and not len(trace) else ""
        self.at = self.event or self.place
