"""The modules, a file for each kind; all of them have their names here too."""

from . import (
    activations,
    attention,
    containers,
    convolutions,
    layers,
    losses,
    normalizations,
    parameter_containers,
    recurrent,
    windows,
)  # fmt: skip
from .module import Module

_found = {
    name: value
    for part in (activations, attention, containers, convolutions, layers, losses, normalizations,
                 parameter_containers, recurrent, windows)
    for name, value in vars(part).items()
    if isinstance(value, type) and issubclass(value, Module) and not name.startswith("_")
}
globals().update(_found)
__all__ = ["Module", *(name for name in _found if name != "Module")]
