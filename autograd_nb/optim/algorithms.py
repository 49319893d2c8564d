"""The optimizers: how each of them turns a gradient into an update.

Settings have PyTorch's names; foreach, fused and capturable choose among its implementations and have no effect here;
differentiable is refused.  The arithmetic is in PyTorch's order, so that steps agree
to the last digits.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.modes import enable_grad, no_grad
from ..engine.table import ops
from .optimizer import Optimizer, count_step, decayed, like, settings, started


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
        if nesterov and (momentum <= 0 or dampening):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, settings(locals(), "lr momentum dampening weight_decay nesterov maximize foreach "
                                                    "differentiable fused"))

    def update(self, group, elements, grad, memory):
        grad, momentum = decayed(group, elements, grad), group["momentum"]
        number = dtypes.BY_NUMPY[elements.dtype].numbers  # NumPy multiplies by these fastest
        if momentum:
            share = 1 - group["dampening"] if memory else 1
            if not memory:
                memory["momentum_buffer"] = like(elements)
            velocity = memory["momentum_buffer"]._array
            velocity *= number[momentum]
            velocity += grad if share == 1 else grad * number[share]
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
        super().__init__(params, settings(locals(), "lr betas eps weight_decay amsgrad maximize foreach capturable "
                                                    "differentiable fused decoupled_weight_decay"))

    def update(self, group, elements, grad, memory):
        beta1, beta2 = group["betas"]
        step = count_step(memory, elements, "exp_avg", "exp_avg_sq", group["amsgrad"] and "max_exp_avg_sq")
        grad = decayed(group, elements, grad)
        mean, square = memory["exp_avg"]._array, memory["exp_avg_sq"]._array
        number = dtypes.BY_NUMPY[elements.dtype].numbers
        mean += (grad - mean) * number[1 - beta1]
        square *= number[beta2]
        square += grad * number[1 - beta2] * grad
        if group["amsgrad"]:
            highest = memory["max_exp_avg_sq"]._array
            square = np.maximum(highest, square, out=highest)
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
        super().__init__(params, settings(locals(), "lr momentum alpha eps centered weight_decay capturable foreach "
                                                    "maximize differentiable"))

    def update(self, group, elements, grad, memory):
        count_step(memory, elements, "square_avg", group["momentum"] > 0 and "momentum_buffer",
                   group["centered"] and "grad_avg")  # fmt: skip
        grad, alpha = decayed(group, elements, grad), group["alpha"]
        square = memory["square_avg"]._array
        square *= alpha
        square += grad * (1 - alpha) * grad
        if group["centered"]:
            mean = memory["grad_avg"]._array
            mean += (grad - mean) * (1 - alpha)
            square = square - mean * mean
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
        super().__init__(params, settings(locals(), "lr lr_decay eps weight_decay initial_accumulator_value foreach "
                                                    "maximize differentiable fused"))
        for group in self.param_groups:
            for parameter in group["params"]:
                started(self.state[parameter], parameter._array, "sum")
                self.state[parameter]["sum"]._array += initial_accumulator_value

    def update(self, group, elements, grad, memory):
        step, grad, squares = count_step(memory, elements), decayed(group, elements, grad), memory["sum"]._array
        squares += grad * grad
        elements += grad * -(group["lr"] / (1 + (step - 1) * group["lr_decay"])) / (np.sqrt(squares) + group["eps"])
        return 1


class LBFGS(Optimizer):
    """Steps along -H grad, where H estimates the inverse of the Hessian from the latest *history_size* steps.

    A call of ``step(closure)`` makes up to *max_iter* of them; *closure* clears the gradients, computes the loss, runs
    its backward pass and returns it.  The state stands at the first parameter.
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):  # fmt: skip
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, settings(locals(), "lr max_iter max_eval tolerance_grad tolerance_change "
                                                    "history_size line_search_fn"))  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @no_grad()
    def step(self, closure):
        """Make the steps, and return the first loss."""
        self._opt_called = True
        group, parameters = self.param_groups[0], self.param_groups[0]["params"]
        memory = self.state[parameters[0]]
        for name in "func_evals", "n_iter":
            memory.setdefault(name, 0)
        result, grad = self._evaluated(closure)
        loss, evaluations = float(result), 1
        if grad.abs().max() <= group["tolerance_grad"]:
            return result
        for iteration in range(1, group["max_iter"] + 1):
            memory["n_iter"] += 1
            direction = self._direction(memory, grad, group["history_size"])
            memory["prev_flat_grad"], memory["prev_loss"] = grad, loss
            first = memory["n_iter"] == 1
            size = memory["t"] = (min(1.0, 1.0 / grad.abs().sum()) if first else 1) * group["lr"]
            if grad.dot(direction) > -group["tolerance_change"]:
                break
            self._move(parameters, direction, size)
            if iteration < group["max_iter"]:
                loss, grad = self._evaluated(closure)
                loss = float(loss)
                evaluations += 1
            if (evaluations >= group["max_eval"] or grad.abs().max() <= group["tolerance_grad"]
                    or (direction * size).abs().max() <= group["tolerance_change"]
                    or abs(loss - memory["prev_loss"]) < group["tolerance_change"]):  # fmt: skip
                break
        return result

    def _evaluated(self, closure):
        """The loss, and the gradients of all parameters as one vector."""
        with enable_grad():
            loss = closure()
        parameters = self.param_groups[0]["params"]
        self.state[parameters[0]]["func_evals"] += 1
        return loss, ops.cat([ops.zeros(each.numel(), dtype=each._dtype) if each.grad is None else
                              each.grad.reshape(-1) for each in parameters])  # fmt: skip

    def _move(self, parameters, direction, size):
        start = 0
        for each in parameters:
            end = start + each.numel()
            each.add_(direction[start:end].view(each.shape), alpha=float(size))
            start = end

    def _direction(self, memory, grad, history_size):
        """-H grad, computed from the differences of the steps and of the gradients."""
        if memory["n_iter"] == 1:
            memory.update(d=-grad, old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return memory["d"]
        changes, steps, shares = memory["old_dirs"], memory["old_stps"], memory["ro"]
        change, step = grad - memory["prev_flat_grad"], memory["d"] * memory["t"]
        product = change.dot(step)
        if product > 1e-10:
            if len(changes) == history_size:
                del changes[0], steps[0], shares[0]
            changes.append(change), steps.append(step), shares.append(1.0 / product)
            memory["H_diag"] = product / change.dot(change)
        direction, factors = -grad, []
        for change, step, share in zip(changes[::-1], steps[::-1], shares[::-1], strict=True):
            factors.append(step.dot(direction) * share)
            direction -= change * factors[-1]
        direction *= memory["H_diag"]
        for change, step, share, factor in zip(changes, steps, shares, factors[::-1], strict=True):
            direction += step * (factor - change.dot(direction) * share)
        memory["d"] = direction
        return direction
