"""Devices: programs can use only the CPU.

They exist so that pasted lines such as ``x.to(torch.device("cpu"))`` run; using any other device is an error.
"""

from ..engine.dtypes import PrintedAsPyTorch
from ..engine.tensor import refuse_foreign

TYPES = ("cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
         "privateuseone").split()


class device(metaclass=PrintedAsPyTorch):
    """A type of device and perhaps an index.  Any can be named, but only the CPU can be used."""

    def __init__(self, type, index=None):
        refuse_foreign(type)
        self.type, _, number = str(type).partition(":")
        if self.type not in TYPES:
            raise RuntimeError(f"Expected one of {', '.join(TYPES)} device type at start of device string: {self.type}")
        self.index = int(number) if number else index

    def __repr__(self):
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


CPU = device("cpu")


def require_cpu(place):
    """Check that *place* (a device, its name, or None) is the CPU; AssertionError for CUDA, else RuntimeError."""
    if place is None or place is CPU or place == "cpu":
        return
    kind = device(place).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise RuntimeError(f"device {str(place)!r} is not available: autograd_nb computes on the CPU only")
