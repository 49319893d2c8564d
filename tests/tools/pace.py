"""Time limits that also hold on a slow or busy machine: this module measures its pace beside the timed work."""

import gc
import time
from contextlib import contextmanager

USUAL = 0.006  # seconds of the processor for the work of `pace`, on the machine that the limits come from


def pace():
    """How many times as long this machine takes now: the median of five."""
    return sorted(spent(lambda: sum(number * number for number in range(200_000))) for _ in range(5))[2] / USUAL


def spent(function):
    """The processor's seconds for a function."""
    began = time.process_time()
    function()
    return time.process_time() - began


@contextmanager
def within(seconds):
    """The block takes at most this much processor time; the machine's other work may double it.

    Meanwhile Python does not collect earlier tests' garbage.
    """
    before = pace()
    gc.freeze()
    try:
        began = time.process_time()
        yield
        took = time.process_time() - began
    finally:
        gc.unfreeze()
    allowed = 2 * seconds * max(before, pace(), 1)
    assert took <= allowed, f"it took {took:.2f} s, and {allowed:.2f} s are allowed"
