"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled, inference_mode.

The state is one object per thread, as in PyTorch: a mode switched in one thread is not seen
by another.  Each class works as a context manager, as a decorator of functions and of
generators, and (but for set_grad_enabled, which acts at once) as a bare decorator.
"""

import contextvars
import functools
import threading

import numpy as np

from .warning import warn


class State(threading.local):
    """What a thread's operations look at: the modes, and how a NumPy function is called.

    ``hot`` is all of it that every operation reads, in one look: ``(run, recording, special)``; special means that
    the plain path will not do (inference mode, saved-tensor hooks, tangents being computed).
    """

    def __init__(self):
        # PyTorch never warns of a division by zero or an overflow.  NumPy keeps its error state in a context
        # variable, so a function run in this context stays silent and the learner's own settings stay theirs.
        with np.errstate(all="ignore"):
            self.run = contextvars.copy_context().run
        self.inference = False
        self.switched_on = True  # what is_grad_enabled() says in inference mode, where nothing is recorded either way
        self.caller = None  # the context in which the backward pass under way was asked for
        self.saved_hooks = ()  # (pack, unpack) pairs, innermost last
        self.saved_hooks_disabled = None  # or the message of the error that using them raises
        self.walk = None  # the backward pass under way
        self.dual = None  # the level of forward_ad at which tangents are computed
        self.hot = self.run, True, False

    @property
    def grad_enabled(self):
        return self.switched_on if self.inference else self.hot[1]

    def set_grad_enabled(self, enabled):
        own = self.__dict__  # this thread's: one look at a thread's state takes as long as several at a dict
        run, _, special = own["hot"]
        own["switched_on"] = enabled
        own["hot"] = run, enabled and not own["inference"], special

    def set_inference(self, inference, grad_enabled):
        self.inference = inference
        self.switched_on = grad_enabled
        self.hot = self.run, grad_enabled and not inference, self.special

    def call_user(self, function, *arguments):
        """Call user code from within a function run in the silent context, which cannot be entered twice."""
        run, hot = self.run, self.hot
        self.run = contextvars.copy_context().run
        self.hot = self.run, *hot[1:]
        caller, self.caller = self.caller, None
        try:
            return function(*arguments) if caller is None else caller.run(function, *arguments)
        finally:
            self.run, self.hot, self.caller = run, hot, caller

    def set_saved_hooks(self, hooks):
        self.saved_hooks = hooks
        self.hot = self.run, self.hot[1], self.special

    def set_dual(self, level):
        self.dual = level
        self.hot = self.run, self.hot[1], self.special

    @property
    def special(self):
        return self.inference or bool(self.saved_hooks) or self.dual is not None


state = State()


def is_grad_enabled():
    """Whether operations in this thread are recorded for backward.

    >>> import autograd_nb as torch
    >>> with torch.no_grad():
    ...     torch.is_grad_enabled()
    False
    """
    return state.grad_enabled


def is_inference_mode_enabled():
    """Whether this thread is inside :class:`inference_mode`."""
    return state.inference


class _Mode:
    """A context manager that is a decorator too; a decorated generator runs each of its steps in the mode."""

    def __new__(cls, function=None):
        return object.__new__(cls) if function is None else cls()(function)  # used bare: @no_grad

    def clone(self):
        return self.__class__()

    def __call__(self, function):
        if isinstance(function, type):
            warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                 "functions or methods. To preserve the current behavior of class decoration, you can directly "
                 "decorate the `__init__` method and nothing else.", FutureWarning)
            made = function
            function = functools.wraps(made, updated=())(lambda *args, **kwargs: made(*args, **kwargs))
        if function.__code__.co_flags & 0x20 if hasattr(function, "__code__") else False:  # a generator function

            @functools.wraps(function)
            def steps(*args, **kwargs):
                generator = function(*args, **kwargs)
                send, argument = generator.send, None
                while True:
                    try:
                        with self.clone():
                            value = send(argument)
                    except StopIteration as stop:
                        return stop.value
                    try:
                        argument, send = (yield value), generator.send
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as error:
                        argument, send = error, generator.throw

            return steps

        @functools.wraps(function)
        def call(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return call

    def __enter__(self):
        own = state.__dict__
        self._before = own["hot"], own["inference"], own["switched_on"]
        self._switch()

    def __exit__(self, *exception):
        own = state.__dict__
        own["hot"], own["inference"], own["switched_on"] = self._before


class no_grad(_Mode):
    """Operations inside record nothing; their results do not require grad.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def _switch(self):
        state.set_grad_enabled(False)


class enable_grad(_Mode):
    """Operations inside are recorded, also within :class:`no_grad`.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(2., requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    def _switch(self):
        state.set_grad_enabled(True)


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once when called, until the end of the block in a ``with``.

    >>> import autograd_nb as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __new__(cls, *mode, **named):
        return object.__new__(cls)

    def __init__(self, mode):
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.mode = mode
        self._before = state.hot, state.inference, state.switched_on
        self._switch()

    def clone(self):
        return self.__class__(self.mode)

    def __call__(self, function):
        self.__exit__()  # as a decorator it acts in the function only
        return super().__call__(function)

    def __enter__(self):
        self._switch()

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def _switch(self):
        state.set_grad_enabled(self.mode)


class inference_mode(_Mode):
    """Like :class:`no_grad`, and tensors made inside can never take part in recording later.

    >>> import autograd_nb as torch
    >>> with torch.inference_mode():
    ...     y = torch.ones(2)
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode=True):
        return cls()(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode=True):
        self.mode = bool(mode)

    def clone(self):
        return self.__class__(self.mode)

    def _switch(self):
        state.set_inference(self.mode, not self.mode)


class set_multithreading_enabled:
    """Accepted as PyTorch's: a backward pass runs in the thread that starts it, whatever is set here."""

    def __init__(self, mode):
        self.mode = bool(mode)

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None


for _mode in (no_grad, enable_grad, set_grad_enabled, inference_mode, set_multithreading_enabled):
    _mode.__module__ = "torch.autograd.grad_mode"  # so that they print as PyTorch's do
