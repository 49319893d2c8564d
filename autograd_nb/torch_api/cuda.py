"""``torch.cuda``: reports that there is none, so that lines which choose a device run."""

from .absent import absent_from

__getattr__ = absent_from("torch.cuda")


def is_available():
    """False: autograd_nb computes on the CPU."""
    return False


def device_count():
    """0: there is no CUDA device."""
    return 0


def manual_seed(seed):
    """Does nothing, since no device draws random numbers."""


manual_seed_all = manual_seed


def empty_cache():
    """Does nothing, since no device keeps memory."""
