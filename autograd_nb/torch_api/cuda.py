"""``torch.cuda``: says that there is none."""

from .absent import absent_from
from .devices import require_cpu

__getattr__ = absent_from("torch.cuda")


def is_available():
    """False: autograd_nb computes on the CPU.

    >>> import autograd_nb as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def device_count():
    """0: there is no CUDA device."""
    return 0


def current_device():
    """AssertionError: there is no CUDA device."""
    require_cpu("cuda")


def manual_seed(seed):
    """Nothing to seed."""


manual_seed_all = manual_seed


def empty_cache():
    """Nothing to empty."""
