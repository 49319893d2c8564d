"""Optimizers with a step size for each element: it follows from the gradients that the element has had.

As in algorithms.py the arithmetic is done in PyTorch's order, so that steps agree to the last digits.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.tensor import wrap
from .optimizer import Optimizer, averages, bound, check, count_step, decayed, like, settings, started


def number(value):
    """A number that PyTorch keeps as a tensor."""
    return wrap(np.float32(value), dtypes.float32)


class Adadelta(Optimizer):
    """Steps as large as the last ones were, times the gradient over the root of a running mean of its square.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):  # fmt: skip
        check(lr, eps=eps, weight_decay=weight_decay)
        bound("rho value", rho, 0 <= rho <= 1)
        super().__init__(params, settings(locals(), "lr rho eps weight_decay maximize capturable foreach "
                                                    "differentiable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            started(memory, elements, "square_avg", "acc_delta")
        count_step(memory)
        grad, rho, eps = decayed(group, elements, grad), group["rho"], group["eps"]
        square, steps = memory["square_avg"]._array, memory["acc_delta"]._array
        square *= rho
        square += grad * (1 - rho) * grad
        delta = np.sqrt(steps + eps) / np.sqrt(square + eps) * grad
        steps *= rho
        steps += delta * (1 - rho) * delta
        elements -= delta * group["lr"]
        return 1


class Adamax(Optimizer):
    """Adam with the greatest of the gradients, which fades, in place of the root of their mean square.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):  # fmt: skip
        check(lr, betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, settings(locals(), "lr betas eps weight_decay foreach maximize differentiable "
                                                    "capturable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            started(memory, elements, "exp_avg", "exp_inf")
        step, (beta1, beta2) = count_step(memory), group["betas"]
        grad = decayed(group, elements, grad)
        mean, greatest = memory["exp_avg"]._array, memory["exp_inf"]._array
        mean += (grad - mean) * (1 - beta1)
        greatest *= beta2
        np.maximum(greatest, np.abs(grad) + group["eps"], out=greatest)
        elements -= mean * (group["lr"] / (1 - beta1**step)) / greatest
        return 1


class NAdam(Optimizer):
    """Adam that looks ahead: the mean it steps by has the next gradient's share in it already.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):  # fmt: skip
        check(lr, betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, settings(locals(), "lr betas eps weight_decay momentum_decay decoupled_weight_decay "
                                                    "maximize foreach capturable differentiable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            memory.update(step=number(0), mu_product=number(1), exp_avg=like(elements), exp_avg_sq=like(elements))
        step, (beta1, beta2), lr = count_step(memory), group["betas"], group["lr"]
        grad = decayed(group, elements, grad)
        now, soon = (beta1 * (1 - 0.5 * 0.96 ** (each * group["momentum_decay"])) for each in (step, step + 1))
        product = memory["mu_product"]
        product._array = product._array * np.float32(now)
        so_far = float(product._array)
        mean, square = averages(memory, grad, beta1, beta2)
        scale = np.sqrt(square / (1 - beta2**step)) + group["eps"]
        elements -= grad * (lr * (1 - now) / (1 - so_far)) / scale
        elements -= mean * (lr * soon / (1 - so_far * soon)) / scale
        return 3 if group["weight_decay"] and group["decoupled_weight_decay"] else 2


class RAdam(Optimizer):
    """Adam that goes by the mean gradient alone for as long as too few squares are known.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):  # fmt: skip
        check(lr, betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, settings(locals(), "lr betas eps weight_decay maximize foreach capturable "
                                                    "decoupled_weight_decay differentiable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            started(memory, elements, "exp_avg", "exp_avg_sq")
        step, (beta1, beta2) = count_step(memory), group["betas"]
        grad = decayed(group, elements, grad)
        mean, square = averages(memory, grad, beta1, beta2)
        change = mean / (1 - beta1**step) * group["lr"]
        missing = 1 - beta2**step
        most = 2 / (1 - beta2) - 1  # as many squares as the running mean can ever be of, and as many as it is of now
        known = most - 2 * step * beta2**step / missing
        if known > 5:
            trust = math.sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known))
            change = change * (math.sqrt(missing) / (np.sqrt(square) + group["eps"])) * trust
        elements -= change
        return 2 if group["weight_decay"] and group["decoupled_weight_decay"] else 1


class Rprop(Optimizer):
    """Goes by the gradient's sign: steps grow while it stays the same and shrink when it turns.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):  # fmt: skip
        check(lr)
        bound("eta values", f"{etas[0]}, {etas[1]}", 0 < etas[0] < 1 < etas[1])
        super().__init__(params, settings(locals(), "lr etas step_sizes foreach maximize differentiable capturable"))

    def update(self, group, elements, grad, memory):
        if not memory:
            started(memory, elements, "prev")
            memory["step_size"] = like(elements, group["lr"])
        count_step(memory)
        before, sizes, (shrink, grow) = memory["prev"]._array, memory["step_size"]._array, group["etas"]
        turn = np.sign(grad * before)
        sizes *= np.where(turn > 0, grow, np.where(turn < 0, shrink, 1)).astype(sizes.dtype)
        np.clip(sizes, *group["step_sizes"], out=sizes)
        before[...] = np.where(turn < 0, 0, grad)  # after a turn the element rests for one step
        elements -= np.sign(before) * sizes
        return 1


class ASGD(Optimizer):
    """Gradient descent with shrinking steps, which also averages (in its state's ``ax``) the places it has been at.

    ValueError for settings out of bounds.
    """

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):  # fmt: skip
        check(lr, weight_decay=weight_decay)
        super().__init__(params, settings(locals(), "lr lambd alpha t0 weight_decay foreach maximize differentiable "
                                                    "capturable"))

    def update(self, group, elements, grad, memory):
        lr, decay = group["lr"], group["lambd"]
        if not memory:
            memory.update(step=number(0), eta=number(lr), mu=number(1), ax=like(elements))
        step, grad = count_step(memory), decayed(group, elements, grad)
        eta, share, average = float(memory["eta"]._array), memory["mu"]._array, memory["ax"]._array
        elements *= 1 - decay * eta
        elements -= grad * eta
        average += (elements - average) * share if share != 1 else elements - average
        memory["eta"]._array = np.float32(lr / (1 + decay * lr * step) ** group["alpha"])
        memory["mu"]._array = np.float32(1 / max(1, step - group["t0"]))
        return 2
