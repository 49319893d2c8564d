"""Numbers that can go to a page: JSON, in which widgets talk with it, knows neither nan nor inf."""

import math

from traitlets import Float, TraitError


class Finite(Float):
    """A float that is no nan and not infinite.

    >>> from traitlets import HasTraits
    >>> class Slider(HasTraits):
    ...     value = Finite()
    >>> Slider(value=float("inf"))
    Traceback (most recent call last):
    ...
    traitlets.traitlets.TraitError: value of Slider must be a finite number, got inf
    """

    def validate(self, obj, value):
        """*value* as a float; TraitError for what is none."""
        value = super().validate(obj, value)
        if not math.isfinite(value):
            name = self.name or "every number"
            raise TraitError(f"{name} of {type(obj).__name__} must be a finite number, got {value}")
        return value
