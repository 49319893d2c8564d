"""Are the derivatives right?  The Jacobian from difference quotients is compared with the one from backward.

As a quotient subtracts numbers that are nearly equal, the check means something in float64 only.
"""

import numpy as np

from ..engine.dtypes import float64
from ..engine.modes import state, warn
from ..engine.tensor import wrap
from .jacobians import as_tuple, differentiable, jacobian_rows, matrix, numerical_jacobian, tensors_of
from .passes import grad


class GradcheckError(RuntimeError):
    """The numerical and the analytical derivatives differ, or backward breaks a rule."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


# -- the check -----------------------------------------------------------------------------------------------------


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, fast_mode=False,
              masked=None):  # fmt: skip
    """Check the gradients of ``func(*inputs)`` against difference quotients with step *eps*; True if they agree.

    *func* returns a tensor or several; *inputs* is a tensor or a sequence, those with requires_grad are checked and
    should be float64.  They agree where ``|analytical - numerical| <= atol + rtol * |numerical|``.  If they do not,
    raises GradcheckError, or returns False without *raise_exception*.  *nondet_tol* is how much two runs of one
    backward may differ.  *check_undefined_grad*: backward must also cope with outputs that have no gradient at all.
    Every entry of the Jacobians is compared, in *fast_mode* too; *check_batched_grad* has nothing to add.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.log, x)
    True
    """
    inputs = as_tuple(inputs)
    try:
        check_inputs(inputs)
        results = as_tuple(func(*inputs))
        outputs = differentiable(results)
        compare(func, inputs, results, eps, atol, rtol, nondet_tol)
        check_linear_in_gradient(outputs, inputs, masked)
        if check_undefined_grad:
            check_undefined_gradients(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def check_inputs(inputs):
    """Warn of inputs that are not float64; ValueError when none requires grad."""
    for position, tensor in tensors_of(inputs):
        if tensor._dtype is not float64:
            warn(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        steps = zip(tensor._array.strides, tensor.shape, strict=True)
        if tensor._array.size and any(stride == 0 and length > 1 for stride, length in steps):
            raise RuntimeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not tensors_of(inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")


def compare(func, inputs, results, eps, atol, rtol, nondet_tol):
    """Compare every entry of every Jacobian."""
    numerical = numerical_jacobian(func, inputs, eps)
    positions = [position for position, _ in tensors_of(inputs)]
    changes = [each._array for row in numerical for each in row if each is not None]
    if not differentiable(results) and any(np.any(change) for change in changes):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    kept = [row for output, row in zip(results, numerical, strict=True) if output.requires_grad]
    for i, (output, row) in enumerate(zip(differentiable(results), kept, strict=True)):
        jacobians = twice(lambda output=output: jacobian_rows(output, inputs), nondet_tol)
        for j, (analytical, position) in enumerate(zip(jacobians, positions, strict=True)):
            if not close(analytical, row[position]._array, atol, rtol):
                raise GradcheckError(f"Jacobian mismatch for output {i} with respect to input {j},\n"
                                     f"numerical:{row[position]}\nanalytical:{matrix(analytical)}\n")


def twice(compute, nondet_tol):
    """What *compute* gives; GradcheckError when it gives something else at once afterwards."""
    first, second = compute(), compute()
    if any(np.any(np.abs(state.run(np.subtract, a, b)) > nondet_tol) for a, b in zip(first, second, strict=True)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient."
            f"The tolerance for nondeterminism was {nondet_tol}."
        )
    return first


def close(analytical, numerical, atol, rtol):
    return state.run(np.allclose, analytical, numerical, rtol, atol)


def check_linear_in_gradient(outputs, inputs, masked):
    """A gradient of zeros has to come back as zeros: backward multiplies by what it is given."""
    tensors = [tensor for _, tensor in tensors_of(inputs)]
    for found in grad(outputs, tensors, zeros_of(outputs), allow_unused=True) if outputs else ():
        if found is not None and not (close(found._array, 0, 1e-8, 0) if masked else not np.any(found._array)):
            raise GradcheckError("backward not multiplied by grad_output")


def zeros_of(outputs):
    return [wrap(np.zeros(output.shape, output._dtype.numpy)[()], output._dtype) for output in outputs]


def without_gradient(tensor):
    """The tensor passed on by a function that passes no gradient back."""
    from ..engine.function import Function

    class Undefined(Function):
        @staticmethod
        def forward(ctx, tensor):
            return wrap(tensor._array, tensor._dtype)

        @staticmethod
        def backward(ctx, grad_output):
            return None

    return Undefined.apply(tensor)


def check_undefined_gradients(func, inputs):
    """Backward has to treat outputs without gradient as zeros: all of them, and one at a time."""
    tensors = [tensor for _, tensor in tensors_of(inputs)]
    count = len(differentiable(func(*inputs)))
    for chosen in (None, *(range(count) if count > 1 else ())):
        outputs = differentiable(func(*inputs))
        outputs = [output if chosen not in (None, i) else without_gradient(output) for i, output in enumerate(outputs)]
        problem = cause = None
        try:
            found = grad(outputs, tensors, zeros_of(outputs), allow_unused=True) if outputs else ()
            if any(each is not None and np.any(each._array) for each in found):
                problem = ("Expected all input grads to be undefined or zero when all output grads are undefined or "
                           "zero.")
        except RuntimeError as error:
            problem, cause = "Expected backward function to handle undefined output grads.", error
        if problem:
            warn(
                "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but "
                "it may break existing callers of this function. If this is true for you, you can call this function "
                'with "check_undefined_grad=False" to disable the feature'
            )
            raise GradcheckError(problem + ' Please look at "Notes about undefined output gradients" in '
                                 '"tools/autograd/derivatives.yaml"') from cause


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
                  nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  fast_mode=False, masked=False):  # fmt: skip
    """Check the gradients of the gradients of ``func(*inputs)``, as :func:`gradcheck` does for the first ones.

    What is differentiated is the backward pass, as a function of the inputs and of *grad_outputs*, random numbers
    between -1 and 1 if not given.  The other arguments are those of gradcheck.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.log, x)
    True
    """
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = [random_gradient(output) for output in differentiable(func(*inputs))]
    grad_outputs = as_tuple(grad_outputs)
    needed = [position for position, _ in tensors_of(inputs)]

    def gradients(*arguments):
        values = arguments[: len(inputs)]
        found = grad(differentiable(func(*values)), [values[i] for i in needed], arguments[len(inputs) :],
                     create_graph=True, allow_unused=True)  # fmt: skip
        return tuple(each for each in found if each is not None)

    return gradcheck(gradients, (*inputs, *grad_outputs), eps=eps, atol=atol, rtol=rtol, nondet_tol=nondet_tol,
                     raise_exception=raise_exception, check_undefined_grad=check_undefined_grad, masked=masked)


def random_gradient(output):
    from ..torch_api.distributions import uniform  # only here: the package's import need not pay for it

    array = uniform((output._array.size,), output._dtype.numpy, -1.0, 1.0)
    return wrap(array.reshape(output.shape)[()], output._dtype).requires_grad_()
