"""Learning-rate schedules: each ``step()`` sets the optimizer's learning rates for the next epoch."""

from ..engine.modes import warn
from ..torch_api.keywords import stands_for


class StepLR:
    """Multiplies the learning rates by *gamma* every *step_size* epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1):
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.optimizer, self.step_size, self.gamma = optimizer, step_size, gamma
        self.last_epoch = 0

    def get_last_lr(self):
        """The current learning rates, one for each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

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
        if self.last_epoch % self.step_size == 0:
            for group in self.optimizer.param_groups:
                group["lr"] *= self.gamma


__getattr__ = stands_for("torch.optim.lr_scheduler", globals())
