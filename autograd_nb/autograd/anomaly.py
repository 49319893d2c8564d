"""Anomaly mode: which call in forward led to an error or a NaN in backward?"""

from os.path import dirname

import numpy as np

from ..engine import events
from ..engine.graph import extras_of
from ..engine.modes import add_listener, remove_listener, state, warn
from ..engine.tensor import Tensor

PACKAGE = dirname(dirname(__file__))


class Detector:
    """Remembers where each node was made; checks the gradients that each node returns."""

    def __init__(self, check_nan):
        self.check_nan = check_nan

    def __call__(self, event):
        import traceback  # late, for a quick import of the package

        node = getattr(event, "node", None)
        if isinstance(event, events.Operation) and node is not None:
            outside = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)]
            extras_of(node).traceback = "".join(traceback.format_list(outside))
        elif isinstance(event, events.Ran) and self.check_nan:
            for number, grad in enumerate(event.results):
                array = grad._array if isinstance(grad, Tensor) else grad
                if array is not None and np.isnan(array).any():
                    raise RuntimeError(f"Function '{node.revealed().name()}' returned nan values in its {number}th "
                                       "output.")
        elif isinstance(event, events.Failed | events.HookFailed):
            where = node.extras and node.extras.traceback
            warn(f"Error detected in {node.revealed().name()}. " + (
                 f"Traceback of forward call that caused the error:\n{where}" if where else
                 "No forward pass information available. Enable detect anomaly during forward pass for more "
                 "information."))  # fmt: skip


class set_detect_anomaly:
    """Switch anomaly mode on or off: at once when called, in a ``with`` until its block ends."""

    def __init__(self, mode, check_nan=True):
        self.before = state.anomaly
        switch(Detector(check_nan) if mode else None)

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        switch(self.before)


def switch(detector):
    if state.anomaly is not None:
        remove_listener(state.anomaly)
    if detector is not None:
        add_listener(detector)
    state.anomaly = detector


class detect_anomaly(set_detect_anomaly):
    """In a ``with``: before an error in backward, a warning shows the forward line that caused it.

    With *check_nan* a NaN in a gradient is such an error.

    >>> import warnings, autograd_nb as torch
    >>> x = torch.tensor(-1., requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         torch.sqrt(x).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan=True):
        warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
             "debugging.")
        self.check_nan = check_nan

    def __enter__(self):
        super().__init__(True, self.check_nan)


for _class in (set_detect_anomaly, detect_anomaly):
    _class.__module__ = "torch.autograd.anomaly_mode"
