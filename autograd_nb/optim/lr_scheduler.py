"""Learning rates that change as training goes on: each ``step()`` sets the optimizer's for the next epoch."""

import math
from collections import Counter
from types import FunctionType

from ..engine.tensor import Tensor
from ..engine.warning import warn
from ..torch_api.absent import absent_from
from .optimizer import Optimizer


def _note_step(optimizer, args, kwargs):
    optimizer._opt_called = True


class LRScheduler:
    """Base class: a subclass says in ``get_lr`` what the rates are in epoch ``last_epoch``."""

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", *copied([group["lr"]]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.optimizer = optimizer
        self.base_lrs = copied(group["initial_lr"] for group in optimizer.param_groups)
        self.last_epoch = last_epoch
        if _note_step not in optimizer._hooks["step_post"].values():
            optimizer.register_step_post_hook(_note_step)
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_last_lr(self):
        """The rates in force, one for each group."""
        return self._last_lr

    def get_lr(self):
        """The rates of epoch ``last_epoch``, one for each group; a subclass says them."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Go on to the next epoch, or to *epoch*, and set its rates; call it after the optimizer's step."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        if epoch is not None:
            warn(
                "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
                "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
                "from None, the closed form is used instead of the new chainable form, where available. Please open an "
                "issue if you are unable to replicate your use case: "
                "https://github.com/pytorch/pytorch/issues/new/choose."
            )
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._get_lr_called_within_step = True
        try:
            rates = (self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr))()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self):
        return copied(group["lr"] for group in self.optimizer.param_groups)

    def _inside_step(self):
        """The rates as they are, for ``get_lr``; a warning when that is called by others than ``step``."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        return self._rates()

    def state_dict(self):
        """All of the scheduler's state but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over a state from :meth:`state_dict`."""
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """The older name of the base class."""


def copied(rates):
    """The rates as a list, tensors among them as copies."""
    return [rate.clone() if isinstance(rate, Tensor) else rate for rate in rates]


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
        self._inside_step()
        return [base * rule(self.last_epoch) for rule, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def state_dict(self):
        """The scheduler's state, with what the rules have in them when they are objects, but not the rules."""
        rules = [None if isinstance(rule, FunctionType) else vars(rule).copy() for rule in self.lr_lambdas]
        state = super().state_dict()
        del state["lr_lambdas"]
        return {**state, "lr_lambdas": rules}

    def load_state_dict(self, state_dict):
        """Take over a state from :meth:`state_dict`; the rules stay the same objects."""
        own = self.lr_lambdas
        self.__dict__.update({**state_dict, "lr_lambdas": own})
        for rule, state in zip(own, state_dict["lr_lambdas"], strict=True):
            vars(rule).update(state or {})


class StepLR(LRScheduler):
    """The rate times *gamma* every *step_size* epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if due else rate for rate in self._inside_step()]

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The rate times *gamma* at each of the *milestones*."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in self._inside_step()]

    def _get_closed_form_lr(self):
        passed = sum(each <= self.last_epoch for each in self.milestones.elements())
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The rate times *gamma* every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate if self._is_initial else rate * self.gamma for rate in self._inside_step()]

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to *eta_min* in *T_max* epochs, along half a cosine, and up again."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, period, least, rates = self.last_epoch, self.T_max, self.eta_min, self._inside_step()
        if self._is_initial:
            return rates
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - period) % (2 * period) == 0:
            return [rate + (base - least) * (1 - math.cos(math.pi / period)) / 2
                    for base, rate in zip(self.base_lrs, rates, strict=True)]  # fmt: skip
        change = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [change * (rate - least) + least for rate in rates]

    def _get_closed_form_lr(self):
        least, share = self.eta_min, 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [least + (base - least) * share / 2 for base in self.base_lrs]


__getattr__ = absent_from("torch.optim.lr_scheduler")
