"""Learning-rate schedules: each ``step()`` sets the optimizer's learning rates for the next epoch."""

import math
from collections import Counter

from ..engine.modes import warn
from ..torch_api.keywords import stands_for
from .optimizer import Optimizer


class LRScheduler:
    """Base class: a subclass defines ``get_lr``, which returns the learning rates of the epoch ``last_epoch``."""

    def __init__(self, optimizer):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.optimizer, self.last_epoch = optimizer, 0
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._set_rates()

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        raise NotImplementedError

    def get_last_lr(self):
        """The current learning rates, one for each group."""
        return self._last_lr

    def step(self):
        """Advance to the next epoch and set its learning rates; call it after the optimizer's step."""
        if self.last_epoch == 0 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self.last_epoch += 1
        self._set_rates()

    def _set_rates(self):
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self, factor=1):
        """The present learning rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class StepLR(LRScheduler):
    """Multiplies the learning rates by *gamma* every *step_size* epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        return self._rates(self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1)


class MultiStepLR(LRScheduler):
    """Multiplies the learning rates by *gamma* at each of the epochs *milestones*."""

    def __init__(self, optimizer, milestones, gamma=0.1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer)

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        return self._rates(self.gamma ** self.milestones[self.last_epoch])


class ExponentialLR(LRScheduler):
    """Multiplies the learning rates by *gamma* after each epoch."""

    def __init__(self, optimizer, gamma):
        self.gamma = gamma
        super().__init__(optimizer)

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        return self._rates(self.gamma if self.last_epoch else 1)


class LambdaLR(LRScheduler):
    """Multiplies the first learning rates by ``lr_lambda(epoch)``: one function, or a list of one for each group."""

    def __init__(self, optimizer, lr_lambda):
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer)

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        return [rate * factor(self.last_epoch) for factor, rate in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """Brings the learning rates along half a cosine wave down to *eta_min* in *T_max* epochs, and up again."""

    def __init__(self, optimizer, T_max, eta_min=0.0):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group; each follows from the one before."""
        epoch, half, low = self.last_epoch, self.T_max, self.eta_min
        if not epoch:
            return self._rates()
        if (epoch - 1 - half) % (2 * half) == 0:  # from the lowest point, where the quotient below is 0 / 0
            rise = (1 - math.cos(math.pi / half)) / 2
            return [rate + (first - low) * rise for rate, first in zip(self._rates(), self.base_lrs, strict=True)]
        factor = (1 + math.cos(math.pi * epoch / half)) / (1 + math.cos(math.pi * (epoch - 1) / half))
        return [factor * (rate - low) + low for rate in self._rates()]


__getattr__ = stands_for("torch.optim.lr_scheduler", globals())
