"""Modes: whether operations are recorded, and who listens to events.

Each thread has a state of its own, as in PyTorch: a mode switched in one thread does not affect
another.  ``no_grad``, ``enable_grad``, ``set_grad_enabled`` and ``inference_mode`` switch it, as
context managers and as decorators. Listeners, which trace a program or look for anomalies, are part
of that state too.  Warnings are here because any file of the engine may give one.

For speed, one attribute, ``for_calls``, holds the part of the state that every operation reads.

At first ``recording`` and ``notify`` are all that matters; the rest can be skipped.
"""

import contextvars
import functools
import inspect
import sys
import warnings
from _thread import _local  # threading.local; all of threading takes a tenth of our import

import numpy as np

from . import events

PACKAGE = __name__.partition(".")[0]


class State(_local):
    """The modes of a thread, and how a NumPy function is called in it.

    ``for_calls`` is ``(run, recording, unusual)``.  *unusual* is true in inference mode, under
    saved-tensor hooks, with listeners, and while ``speed.py`` is off; then calls take the plain
    way.
    """

    def __init__(self):
        # PyTorch never warns of a division by zero or an overflow.  NumPy keeps its error state in
        # a context variable: a function that runs in this context stays silent, and the learner's
        # own settings stay as they are.
        with np.errstate(all="ignore"):
            self.run = contextvars.copy_context().run
        self.plain = False  # whether only the plain engine runs
        self.inference = False
        # the answer of is_grad_enabled() in inference mode, where nothing is recorded either way
        self.grad_mode = True
        self.caller = None  # the context from which the running backward pass was called
        self.saved_hooks = ()  # (pack, unpack) pairs, innermost last
        self.saved_hooks_off = None  # or the text of the error that they raise
        self.graph_task = None  # the running backward pass
        self.anomaly = None  # or the listener that anomaly mode has added
        self.listeners = []  # called with every event
        self.for_calls = self.run, True, False

    def change(self, recording, grad_mode, inference, hooks=None):
        """Change the modes, with no call in between: an interrupt falls before or after it."""
        own = self.__dict__
        hooks = own["saved_hooks"] if hooks is None else hooks
        own["grad_mode"], own["inference"], own["saved_hooks"] = grad_mode, inference, hooks
        unusual = inference or hooks or own["listeners"] or own["plain"]
        own["for_calls"] = own["run"], recording and not inference, True if unusual else False

    def refresh(self):
        self.change(self.recording, self.grad_mode, self.inference)

    @property
    def recording(self):
        """Whether operations that run now are recorded."""
        return self.for_calls[1]

    @property
    def grad_enabled(self):
        return self.grad_mode if self.inference else self.recording

    def run_pass(self, task, edges, grads):
        """Run a backward pass, which records only under create_graph, and restore the modes."""
        own = self.__dict__  # one read of a thread-local costs as much as several of a dict
        run, recording, unusual = own["for_calls"]
        mode, inference, hooks = own["grad_mode"], own["inference"], own["saved_hooks"]
        outer, caller, create_graph = own["graph_task"], own["caller"], task.create_graph
        for_calls = run, create_graph and not inference, unusual
        try:  # all modes at once: an interrupt falls before or after the whole change
            own.update(
                grad_mode=create_graph,
                graph_task=task,
                # unpack hooks run in it, so that a notebook finds their cell
                caller=contextvars.copy_context(),
                for_calls=for_calls,
            )
            task.run(edges, grads)
            notify(events.Finished)
        except BaseException as error:
            notify(events.Stopped, error)
            raise
        finally:
            unusual = inference or hooks or own["listeners"] or own["plain"]
            own.update(
                grad_mode=mode,
                inference=inference,
                saved_hooks=hooks,
                graph_task=outer,
                caller=caller,
                for_calls=(run, recording, True if unusual else False),
            )

    def call_user(self, function, *arguments):
        """Call user code from within the silent context, which cannot be entered twice."""
        run, caller, fresh = self.run, self.caller, contextvars.copy_context().run
        try:
            self.run, self.caller, self.for_calls = fresh, None, (fresh, *self.for_calls[1:])
            return function(*arguments) if caller is None else caller.run(function, *arguments)
        finally:
            self.run, self.caller, self.for_calls = run, caller, (run, *self.for_calls[1:])


state = State()


def add_listener(listener):
    """Call *listener* with every event of this thread from now on, one at a time, as they happen.

    The events are those of ``events.py``.
    """
    state.listeners.append(listener)
    state.refresh()


def remove_listener(listener):
    """Stop calling *listener*."""
    state.listeners[:] = [each for each in state.listeners if each is not listener]
    state.refresh()


def notify(kind, *details):
    """Send an event of this kind to the listeners."""
    if listeners := state.listeners:
        for listener in [*listeners]:
            listener(tuple.__new__(kind, details))


warned = set()  # the messages given so far that a process gives only once
always = False  # whether to give them every time


def warn(message, category=UserWarning):
    """Warn at the first line outside this package; Python's filters decide whether it is shown."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_once(message):
    """Warn the first time in a process only."""
    if always or message not in warned:
        warned.add(message)
        warn(message)


def is_grad_enabled():
    """Whether operations in this thread are recorded for backward."""
    return state.grad_enabled


def is_inference_mode_enabled():
    """Whether this thread is inside :class:`inference_mode`."""
    return state.inference


class _Mode:
    """A context manager that also decorates functions; some take a *mode* as their argument."""

    def __new__(cls, mode=True):
        if callable(mode):  # used bare: @no_grad
            return cls()(mode)
        made = object.__new__(cls)
        made.mode = mode
        return made

    def __call__(self, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with self.__class__(self.mode):
                return function(*args, **kwargs)

        @functools.wraps(function)
        def generate(*args, **kwargs):
            generator = call(*args, **kwargs)
            resume, given = generator.send, None
            while True:
                try:
                    with self.__class__(self.mode):
                        value = resume(given)
                except StopIteration as stop:
                    return stop.value
                try:
                    resume, given = generator.send, (yield value)
                except BaseException as error:  # GeneratorExit as well
                    resume, given = generator.throw, error

        return generate if inspect.isgeneratorfunction(function) else call

    def __enter__(self):
        own = state.__dict__
        self._before = own["for_calls"][1], own["grad_mode"], own["inference"]
        self._switch(own["inference"])

    def __exit__(self, *exception):
        state.change(*self._before)

    def _switch(self, inference):
        state.change(self.mode, self.mode, inference)


class no_grad(_Mode):
    """Operations inside record nothing; their results do not require grad.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    def _switch(self, inference):
        state.change(False, False, inference)


class enable_grad(_Mode):
    """Operations inside are recorded, also within :class:`no_grad`.

    >>> import autograd_nb as torch
    >>> with torch.no_grad(), torch.enable_grad():
    ...     torch.is_grad_enabled()
    True
    """


class inference_mode(_Mode):
    """Like :class:`no_grad`, and tensors made inside can never take part in recording later.

    >>> import autograd_nb as torch
    >>> with torch.inference_mode():
    ...     torch.ones(2).is_inference()
    True
    """

    def _switch(self, inference):
        state.change(not self.mode, not self.mode, bool(self.mode))


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once when called, in a ``with`` until its block ends.

    >>> import autograd_nb as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __new__(cls, mode=None):
        return object.__new__(cls)

    def __init__(self, mode):
        self.mode = bool(mode)
        super().__enter__()

    def __call__(self, function):
        self.__exit__()  # a decorator acts in the function only
        return super().__call__(function)

    def __enter__(self):
        self._switch(state.inference)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


for _mode in (no_grad, enable_grad, inference_mode, set_grad_enabled):
    _mode.__module__ = "torch.autograd.grad_mode"  # so that they print as PyTorch's do
