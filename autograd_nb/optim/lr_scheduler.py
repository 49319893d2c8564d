"""Learning-rate schedules: each ``step()`` sets the optimizer's learning rates for the next epoch."""

import math
from collections import Counter
from types import FunctionType

from ..engine.modes import warn
from ..torch_api.keywords import stands_for
from .optimizer import Optimizer


def require_optimizer(value):
    if not isinstance(value, Optimizer):
        raise TypeError(f"{type(value).__name__} is not an Optimizer")


class LRScheduler:
    """Base class: a subclass defines ``get_lr``, which returns the learning rates of the epoch ``last_epoch``."""

    def __init__(self, optimizer):
        require_optimizer(optimizer)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = 0, 1
        self._is_initial = self._get_lr_called_within_step = False  # a state_dict of PyTorch's has them
        self._set_rates()

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        raise NotImplementedError

    def get_last_lr(self):
        """The current learning rates, one for each group."""
        return self._last_lr

    def step(self):
        """Advance to the next epoch and set its learning rates; call it after the optimizer's step."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self.last_epoch += 1
        self._step_count += 1
        self._set_rates()

    def state_dict(self):
        """All that the schedule keeps, except the optimizer; a function for the rates counts as None."""
        state = {name: value for name, value in vars(self).items() if name not in ("optimizer", "lr_lambdas")}
        if "lr_lambdas" in vars(self):
            state["lr_lambdas"] = [None if isinstance(each, FunctionType) else vars(each).copy()
                                   for each in self.lr_lambdas]  # fmt: skip
        return state

    def load_state_dict(self, state_dict):
        """Take over the result of :meth:`state_dict`."""
        functions = state_dict.get("lr_lambdas", ())
        vars(self).update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for number, each in enumerate(functions):
            if each is not None:
                vars(self.lr_lambdas[number]).update(each)

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


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rates by *factor* when a number has not improved for more than *patience* epochs.

    It improves if it is below, or with the *mode* "max" above, the best one so far by a share of *threshold*, or with
    the *threshold_mode* "abs" by *threshold* itself.
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, eps=1e-8):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        require_optimizer(optimizer)
        self.optimizer, groups, several = optimizer, len(optimizer.param_groups), isinstance(min_lr, list | tuple)
        if several and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.default_min_lr, self.min_lrs = None if several else min_lr, [*min_lr] if several else [min_lr] * groups
        vars(self).update(patience=patience, cooldown=cooldown, eps=eps)
        self.last_epoch, self._last_lr = 0, self._rates()
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        vars(self).update(mode=mode, threshold=threshold, threshold_mode=threshold_mode)
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    @property
    def in_cooldown(self):
        """Whether epochs do not count, since the learning rates were reduced a short time ago."""
        return self.cooldown_counter > 0

    def step(self, metrics):
        """Take the number *metrics* of an epoch, and reduce the learning rates if it is time."""
        current, margin = float(metrics), self.threshold if self.mode == "max" else -self.threshold
        self.last_epoch += 1
        goal = self.best * (1.0 + margin) if self.threshold_mode == "rel" else self.best + margin
        if current > goal if self.mode == "max" else current < goal:
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, low in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                rate = max(group["lr"] * self.factor, low)
                if group["lr"] - rate > self.eps:
                    group["lr"] = rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._rates()


__getattr__ = stands_for("torch.optim.lr_scheduler", globals())
