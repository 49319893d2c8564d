"""The optimizers: how each of them turns a gradient into an update.

Settings have PyTorch's names; foreach, fused and capturable choose among its implementations and have no effect here;
amsgrad, centered, dampening and differentiable are refused.  The arithmetic is in PyTorch's order, so that steps agree
to the last digits.
"""

import math

import numpy as np

from ..engine import dtypes
from .optimizer import Optimizer, check, count_step, decayed, like, settings, started


class SGD(Optimizer):
    """Gradient descent: each step subtracts *lr* times the gradient; *momentum* keeps part of the previous step.

    >>> import autograd_nb as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1)
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8000, requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):  # fmt: skip
        check(lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and momentum <= 0:
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, settings(locals(), "lr momentum dampening weight_decay nesterov maximize foreach "
                                                    "differentiable fused"))

    def update(self, group, elements, grad, memory):
        grad, momentum = decayed(group, elements, grad), group["momentum"]
        number = dtypes.BY_NUMPY[elements.dtype].numbers  # NumPy multiplies by these fastest
        if momentum:
            if not memory:
                memory["momentum_buffer"] = like(elements)
            velocity = memory["momentum_buffer"]._array
            velocity *= number[momentum]
            velocity += grad
            grad = grad + velocity * number[momentum] if group["nesterov"] else velocity
        elements -= grad * number[group["lr"]]
        return 1

    def remembers(self, group):
        return group["momentum"] != 0


class Adam(Optimizer):
    """Steps of about *lr* per element: the gradient's running mean over the root of its square's running mean."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False, fused=None,
                 decoupled_weight_decay=False):  # fmt: skip
        check(lr, betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, settings(locals(), "lr betas eps weight_decay amsgrad maximize foreach capturable "
                                                    "differentiable fused decoupled_weight_decay"))

    def update(self, group, elements, grad, memory):
        beta1, beta2 = group["betas"]
        if not memory:
            started(memory, elements, "exp_avg", "exp_avg_sq")
        step = count_step(memory)
        grad = decayed(group, elements, grad)
        mean, square = memory["exp_avg"]._array, memory["exp_avg_sq"]._array
        number = dtypes.BY_NUMPY[elements.dtype].numbers
        mean += (grad - mean) * number[1 - beta1]
        square *= number[beta2]
        square += grad * number[1 - beta2] * grad
        # bias correction, since the running means start at zero
        scale = np.sqrt(square)
        scale /= math.sqrt(1 - beta2**step)
        scale += number[group["eps"]]
        elements -= mean * (group["lr"] / (1 - beta1**step)) / scale
        return 2 if group["weight_decay"] and group["decoupled_weight_decay"] else 1


class AdamW(Adam):
    """Adam with decoupled weight decay, which shrinks the parameters and is not part of the running means."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):  # fmt: skip
        Adam.__init__(**locals(), decoupled_weight_decay=True)


class RMSprop(Optimizer):
    """Steps of *lr* times the gradient over the root of the running mean of its square."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):  # fmt: skip
        check(lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, settings(locals(), "lr momentum alpha eps centered weight_decay capturable foreach "
                                                    "maximize differentiable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            started(memory, elements, "square_avg", *(("momentum_buffer",) if group["momentum"] > 0 else ()))
        count_step(memory)
        grad, alpha = decayed(group, elements, grad), group["alpha"]
        square = memory["square_avg"]._array
        square *= alpha
        square += grad * (1 - alpha) * grad
        scale = np.sqrt(square)
        scale += group["eps"]
        if group["momentum"] > 0:
            velocity = memory["momentum_buffer"]._array
            velocity *= group["momentum"]
            velocity += grad / scale
            elements -= velocity * group["lr"]
        else:
            elements -= grad * group["lr"] / scale
        return 1


class Adagrad(Optimizer):
    """Steps of *lr* times the gradient over the root of the sum of all its squares so far."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):  # fmt: skip
        check(lr, lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value,
              eps=eps)
        super().__init__(params, settings(locals(), "lr lr_decay eps weight_decay initial_accumulator_value foreach "
                                                    "maximize differentiable fused"))
        for group in self.param_groups:
            for parameter in group["params"]:
                started(self.state[parameter], parameter._array, "sum")
                self.state[parameter]["sum"]._array += initial_accumulator_value

    def update(self, group, elements, grad, memory):
        step, grad, squares = count_step(memory), decayed(group, elements, grad), memory["sum"]._array
        squares += grad * grad
        elements += grad * -(group["lr"] / (1 + (step - 1) * group["lr_decay"])) / (np.sqrt(squares) + group["eps"])
        return 1
