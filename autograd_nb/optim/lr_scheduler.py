"""Learning-rate schedules: each ``step()`` sets the optimizer's learning rates for the next epoch."""

from ..engine.modes import warn
from ..torch_api.absent import absent_from


class LRScheduler:
    """Base class: ``get_lr`` of a subclass returns the learning rates of epoch ``last_epoch``."""

    def __init__(self, optimizer, last_epoch=-1):
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self.step()

    def get_last_lr(self):
        """The current learning rates, one for each group."""
        return self._last_lr

    def get_lr(self):
        """The learning rates of epoch ``last_epoch``, one for each group; a subclass defines it."""
        raise NotImplementedError

    def step(self):
        """Advance to the next epoch and set its learning rates; call it after the optimizer's step."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        self.last_epoch += 1
        self._last_lr = list(self.get_lr())
        for group, rate in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = rate


class StepLR(LRScheduler):
    """Multiplies the learning rates by *gamma* every *step_size* epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return [group["lr"] * self.gamma if due else group["lr"] for group in self.optimizer.param_groups]


__getattr__ = absent_from("torch.optim.lr_scheduler")
