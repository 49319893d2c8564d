"""``torch.backends``: says of each that it is not there, and lets settings be made that have nothing to change."""

from .absent import absent_from

__getattr__ = absent_from("torch.backends")


class Backend:
    """A backend that is not there.

    >>> import autograd_nb as torch
    >>> torch.backends.mps.is_available()
    False
    """

    def is_available(self):
        """False: autograd_nb computes on the CPU."""
        return False

    is_built = is_available


cuda, cudnn, mps, mkl, openmp = (Backend() for _ in range(5))
