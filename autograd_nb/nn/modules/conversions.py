"""All of a module in another dtype: the part of Module that replaces the elements of what it has."""

from ...engine import dtypes
from ...engine.modes import no_grad
from ...engine.table import ops
from ...engine.tensor import Tensor


class Conversions:
    """The part of Module that converts parameters, their gradients and buffers; all stay the same objects."""

    def _apply(self, fn, recurse=True):
        for module in self.children() if recurse else ():
            module._apply(fn)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is not None:
                    grad, parameter.grad = parameter.grad, None  # one of another dtype would be refused
                    parameter.data = fn(parameter)
                    if grad is not None:
                        grad.data = fn(grad)
                        parameter.grad = grad
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def type(self, dst_type):
        """Bring all parameters and buffers to the dtype *dst_type*."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def _to_floating(self, dtype):
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)

    def float(self):
        """Bring all floating-point parameters and buffers to float32."""
        return self._to_floating(dtypes.float32)

    def double(self):
        """Bring all floating-point parameters and buffers to float64."""
        return self._to_floating(dtypes.float64)

    def half(self):
        """Bring all floating-point parameters and buffers to float16."""
        return self._to_floating(dtypes.float16)

    def cpu(self):
        """The module itself, which is on the CPU anyway."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device=None):
        """AssertionError: there is no CUDA device."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def to_empty(self, *, device, recurse=True):
        """Replace all elements by whatever the memory holds."""
        return self._apply(lambda tensor: ops.empty_like(tensor, device=device), recurse)

    def to(self, *args, **kwargs):
        """Bring the floating-point parameters and buffers to a dtype, given alone, after a device, or as a tensor has
        it.

        TypeError for a dtype that is not floating, RuntimeError or AssertionError for another device than the CPU.

        >>> import autograd_nb as torch
        >>> torch.nn.Linear(1, 2).to("cpu", torch.float64).bias.dtype
        torch.float64
        """
        dtype = ops.empty(0, dtype=dtypes.int8).to(*args, **kwargs)._dtype  # says what is wrong with the arguments
        given = [each._dtype if isinstance(each, Tensor) else each for each in (*args, *kwargs.values())]
        if not any(isinstance(each, dtypes.dtype) for each in given):
            return self
        if not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")
        return self._to_floating(dtype)
