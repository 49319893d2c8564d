"""Limits of time that hold on a slow or busy machine, too: its pace is measured beside the timed work."""

import gc
import time
from contextlib import contextmanager

USUAL = 0.006  # seconds of the processor for the work of `pace`, on the machine on which the limits were set


def pace():
    """How many times as long this machine takes now: the middle one of five."""
    return sorted(spent(lambda: sum(number * number for number in range(200_000))) for _ in range(5))[2] / USUAL


def spent(function):
    """Seconds that the processor works for a function."""
    began = time.process_time()
    function()
    return time.process_time() - began


@contextmanager
def within(seconds):
    """The block takes the processor at most so long; twice that is allowed for the rest of the machine's work.

    What earlier tests left to the collector is not collected meanwhile.
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
