"""An error: its message, its place, and the tensors that the frames on its way still hold."""

from ..microscope.labels import message_of
from ..microscope.names import expression_at, is_ours, variables_of
from ..microscope.readings import is_tensor
from .code import first


class Failure:
    """An error; without one, the error that ended the recording, *trace*, if an error did.

    message: its text, "" if there is no error; kind: its class; place: the ``(file, line)`` of the learner's that
    raised it, else the *place* that asks; event: its event in the recording, or None; doing: the syntax tree of the
    learner's expression that failed, or None.  If the error went through a call of backward() or grad(), the last such
    call gives roots, the tensors from which the pass starts; inputs, the tensors whose gradients it asks for; call, the
    place of the call.  method: the function that raised it; files: those of all frames.
    """

    def __init__(self, error, trace=(), place=None):
        self.frames, self.place = [], place  # the learner's frames
        self.roots, self.inputs, self.doing, self.call = [], [], None, None
        self.method, self.files = "", []
        step = getattr(error, "__traceback__", None)
        while step is not None:
            frame, code = step.tb_frame, step.tb_frame.f_code
            self.files.append(code.co_filename)
            if not is_ours(code.co_filename):
                self.frames.append(frame)
                self.method = code.co_qualname
                self.place = code.co_filename, step.tb_lineno
                self.roots, self.doing = [], expression_at(frame, step.tb_lasti)
            elif code.co_name in ("backward", "grad") and not self.roots:
                held = dict(variables_of(frame))
                given = held.get("self", held.get("tensors", held.get("outputs"))), held.get("inputs")
                given = (each if isinstance(each, list | tuple) else [each] for each in given)
                self.roots, self.inputs = ([*filter(is_tensor, each)] for each in given)
                self.call = self.place
            step = step.tb_next
        self.message = message_of(error) if error else ""
        # without the error itself, it is the one that ended the recording
        events = (event for event in reversed(trace if error else trace[-2:]) if event.kind == "Failed")
        self.event = first(event for event in events if not error or event.message == self.message)
        self.message = self.event.message if self.event else self.message
        self.kind = type(error).__name__ if error else self.event and self.event.error

    @property
    def at(self):
        """Where it was raised: its event, else its place."""
        return self.event or self.place
