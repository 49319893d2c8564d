"""Learning rates that change as training goes on: each ``step()`` sets the optimizer's for the next epoch."""

import math

from ..absent import absent_from
from ..warning import warn
from .optimizer import Optimizer


class LRScheduler:
    """Base class: a subclass says in ``get_lr`` what the rates are in epoch ``last_epoch``."""

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group["initial_lr"] = group["lr"]
        elif any("initial_lr" not in group for group in optimizer.param_groups):
            raise KeyError("param 'initial_lr' is not specified in param_groups[0] when resuming an optimizer")
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._optimizer_steps = 0
        optimizer.register_step_post_hook(self._optimizer_stepped)
        self.step()

    def _optimizer_stepped(self, optimizer, args, kwargs):
        self._optimizer_steps += 1

    def get_last_lr(self):
        """The rates in force, one for each group."""
        return self._last_lr

    def step(self):
        """Go on to the next epoch and set its rates; call it after the optimizer's step."""
        if self._step_count == 1 and not self._optimizer_steps:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call "
                "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
                "will result "
                "in PyTorch skipping the first value of the learning rate schedule. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _rates(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        """All of the scheduler's state but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "lr_lambdas")}

    def load_state_dict(self, state_dict):
        """Take over a state from :meth:`state_dict`."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``; one function, or one for each group.

    >>> import autograd_nb as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.)
    >>> torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1)).get_last_lr()
    [1.0]
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * rule(self.last_epoch) for rule, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class StepLR(LRScheduler):
    """The rate times *gamma* every *step_size* epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if due else rate for rate in self._rates()]


class MultiStepLR(LRScheduler):
    """The rate times *gamma* at each of the *milestones*."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate * self.gamma ** self.milestones.count(self.last_epoch) for rate in self._rates()]


class ExponentialLR(LRScheduler):
    """The rate times *gamma* every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate * self.gamma if self.last_epoch else rate for rate in self._rates()]


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to *eta_min* in *T_max* epochs, along half a cosine, and up again."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, period, least = self.last_epoch, self.T_max, self.eta_min
        if epoch == 0:
            return self._rates()
        if (epoch - 1 - period) % (2 * period) == 0:
            return [rate + (base - least) * (1 - math.cos(math.pi / period)) / 2
                    for base, rate in zip(self.base_lrs, self._rates(), strict=True)]  # fmt: skip
        change = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [change * (rate - least) + least for rate in self._rates()]


__getattr__ = absent_from("torch.optim.lr_scheduler")
