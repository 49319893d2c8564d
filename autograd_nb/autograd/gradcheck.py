"""Are the derivatives right?  gradcheck compares the Jacobian from difference quotients with backward's.

A difference quotient subtracts nearly equal numbers, so the check is meaningful in float64 only.
"""

import numpy as np

from ..engine.dtypes import float64
from ..engine.function import Function
from ..engine.modes import state, warn
from ..engine.table import ops
from ..engine.tensor import refuse_foreign
from ..torch_api.absent import absent_from
from .jacobians import as_tuple, differentiable, jacobian_blocks, numerical_jacobian, tensors_of
from .passes import grad

__getattr__ = absent_from("torch.autograd.gradcheck")


class GradcheckError(RuntimeError):
    """The numerical and the analytical derivatives differ, or backward breaks a rule."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, check_undefined_grad=True,
              fast_mode=False):  # fmt: skip
    """Check the gradients of ``func(*inputs)`` against difference quotients with step *eps*; True if they agree.

    Inputs that require grad are checked and should be float64.  Derivatives agree if ``|analytical - numerical| <= atol
    + rtol * |numerical|``.  If they do not, raises GradcheckError, or returns False without *raise_exception*.
    With *check_undefined_grad*, backward also runs with None for the gradients of outputs, which it gets if a later
    Function returns None.  Every entry of the Jacobians is compared, also in *fast_mode*.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.log, x)
    True
    """
    inputs = as_tuple(inputs)
    try:
        check_inputs(inputs)
        results = as_tuple(func(*inputs))
        refuse_foreign(*results)
        compare(func, inputs, results, eps, atol, rtol)
        check_linear_in_gradient(differentiable(results), inputs)
        if check_undefined_grad:
            check_undefined(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def check_inputs(inputs):
    for position, tensor in tensors_of(inputs):
        if tensor._dtype is not float64:
            warn(f"Input #{position} requires gradient and is not a double precision floating point or complex. This "
                 "check will likely fail if all the inputs are not of double precision floating point or complex. ")
    if not tensors_of(inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")


def compare(func, inputs, results, eps, atol, rtol):
    numerical = [[block for block in row if block is not None] for row in numerical_jacobian(func, inputs, eps)]
    if not differentiable(results) and any(np.any(block._array) for row in numerical for block in row):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    kept = [(output, row * (output.numel() > 0)) for output, row in zip(results, numerical, strict=True)
            if output.requires_grad]  # fmt: skip
    for i, (output, row) in enumerate(kept):
        analytical = [block for block in jacobian_blocks(output, inputs) if block is not None]
        for j, (found, expected) in enumerate(zip(analytical, row, strict=True)):
            if not close(found._array, expected._array, atol, rtol):
                raise GradcheckError(f"Jacobian mismatch for output {i} with respect to input {j},\n"
                                     f"numerical:{expected}\nanalytical:{found}\n")


def close(analytical, numerical, atol, rtol):
    return state.run(np.allclose, analytical, numerical, rtol, atol)


def check_linear_in_gradient(outputs, inputs):
    """Backward is linear in the gradient that it receives: from zeros it must compute zeros."""
    tensors = [tensor for _, tensor in tensors_of(inputs)]
    zeros = [ops.zeros_like(output) for output in outputs]
    for result in grad(outputs, tensors, zeros, materialize_grads=True) if outputs else ():
        if np.any(result._array):
            raise GradcheckError("backward not multiplied by grad_output")


class UndefinedGrad(Function):
    """Returns its input; its backward returns None."""

    @staticmethod
    def forward(ctx, tensor):
        return ops.view_as(tensor, tensor)

    @staticmethod
    def backward(ctx, grad):
        return None


def check_undefined(func, inputs):
    """Backward must return None or zeros if no output gets a gradient, or one gets none and the others zeros."""
    tensors = [tensor for _, tensor in tensors_of(inputs)]
    count = len(differentiable(func(*inputs)))
    for left_out in [range(count), *([each] for each in range(count) if count > 1)]:
        outputs = [*differentiable(func(*inputs))]
        for place in left_out:
            outputs[place] = UndefinedGrad.apply(outputs[place])
        try:
            zeros = [ops.zeros_like(output) for output in outputs]
            results = grad(outputs, tensors, zeros, allow_unused=True) if outputs else ()
        except RuntimeError as error:
            warn(UNDEFINED_IS_NEW)
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {NOTES}") from error
        if any(result is not None and np.any(result._array) for result in results):
            warn(UNDEFINED_IS_NEW)
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined "
                                 f"or zero. {NOTES}")


NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
UNDEFINED_IS_NEW = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    'existing callers of this function. If this is true for you, you can call this function with "check_undefined_grad'
    '=False" to disable the feature'
)


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
                  check_undefined_grad=True, fast_mode=False):  # fmt: skip
    """Check the second derivatives of ``func(*inputs)``, as :func:`gradcheck` checks the first ones.

    The function under test is the backward pass, a function of the inputs and of *grad_outputs* (by default random).

    >>> import autograd_nb as torch
    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.log, x)
    True
    """
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = [ops.rand_like(output, requires_grad=True) for output in differentiable(func(*inputs))]
    grad_outputs = as_tuple(grad_outputs)
    needed = [position for position, _ in tensors_of(inputs)]

    def gradients(*arguments):
        values = arguments[: len(inputs)]
        grads = grad(differentiable(func(*values)), [values[i] for i in needed], arguments[len(inputs) :],
                     create_graph=True, allow_unused=True)  # fmt: skip
        return tuple(each for each in grads if each is not None)

    return gradcheck(gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     check_undefined_grad=check_undefined_grad)
