"""Optimizers and learning-rate schedules: their steps, text and errors beside torch's."""


import numpy as np
import pytest
from programs import shown

import autograd_nb
import autograd_nb.optim

SETTINGS = {
    "SGD": [dict(lr=0.1), dict(lr=0.1, momentum=0.9), dict(lr=0.1, momentum=0.9, weight_decay=0.1),
            dict(lr=0.1, momentum=0.9, nesterov=True), dict(lr=0.1, momentum=0.9, dampening=0.5),
            dict(lr=0.1, maximize=True, weight_decay=0.1)],
    "Adam": [dict(), dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3),
             dict(lr=0.1, weight_decay=0.1), dict(lr=0.1, maximize=True),
             dict(lr=0.1, weight_decay=0.1, decoupled_weight_decay=True), dict(lr=0.3, betas=(0.5, 0.6), amsgrad=True)],
    "AdamW": [dict(lr=0.1), dict(lr=0.1, weight_decay=0.3), dict(lr=0.1, amsgrad=True)],
    "RMSprop": [dict(), dict(lr=0.1, momentum=0.9), dict(lr=0.1, weight_decay=0.1),
                dict(lr=0.1, alpha=0.5), dict(lr=0.1, centered=True, alpha=0.9),
                dict(lr=0.1, centered=True, momentum=0.5)],
    "Adagrad": [dict(), dict(lr=0.5, lr_decay=0.1, weight_decay=0.01),
                dict(lr=0.1, initial_accumulator_value=0.5, eps=1e-3, maximize=True)],
}  # fmt: skip
CASES = [pytest.param(name, each, id=f"{name}({each})") for name, settings in SETTINGS.items() for each in settings]


def trained(library, name, settings, dtype, steps=12):
    """Parameters, and the optimizer's state, after some steps down a bowl."""
    library.manual_seed(0)
    bowl = library.tensor(np.linspace(0.5, 2, 6).reshape(2, 3), dtype=getattr(library, dtype))
    matrix = library.ones(2, 3, dtype=bowl.dtype, requires_grad=True)
    number = library.tensor(2.0, dtype=bowl.dtype, requires_grad=True)
    unused = library.ones(1, requires_grad=True)
    optimizer = getattr(library.optim, name)([matrix, number, unused], **settings)
    for _ in range(steps):
        optimizer.zero_grad()
        ((matrix * bowl) ** 2).sum().add(library.cos(number)).backward()
        optimizer.step()
    return [matrix, number, unused], optimizer


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, settings", CASES)
def test_steps_are_torchs(torch, name, settings, dtype):
    mine, my_optimizer = trained(autograd_nb, name, settings, dtype)
    its, its_optimizer = trained(torch, name, settings, dtype)
    tolerance = 2e-5 if dtype == "float32" else 1e-12  # a last digit lost in one step is carried into the next ones
    for a, b in zip(mine, its, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=tolerance)
        assert a._version == b._version
        memory, its_memory = my_optimizer.state[a], its_optimizer.state[b]
        assert list(memory) == list(its_memory)
        for key in memory:
            np.testing.assert_allclose(memory[key].numpy(), its_memory[key].numpy(), rtol=tolerance, atol=tolerance)
            assert repr(memory[key].dtype) == repr(its_memory[key].dtype)


SCHEDULES = [
    "StepLR(o, 3)", "StepLR(o, 2, gamma=0.5)", "MultiStepLR(o, [2, 5, 5], gamma=0.5)", "MultiStepLR(o, [0, 3])",
    "ExponentialLR(o, 0.9)", "LambdaLR(o, lambda epoch: 0.95**epoch)",
    "LambdaLR(o, [lambda epoch: 1 / (epoch + 1), lambda epoch: 2.0])", "LambdaLR(o, [abs])", "CosineAnnealingLR(o, 5)",
    "CosineAnnealingLR(o, 4, eta_min=0.01)", "CosineAnnealingLR(o, T_max=1)", "ExponentialLR(3, 0.1)",
]  # fmt: skip


@pytest.mark.parametrize("make", SCHEDULES)
def test_learning_rates_are_torchs_to_the_last_bit(torch, make):
    def rates(library):
        w, v = library.nn.Parameter(library.ones(2)), library.nn.Parameter(library.ones(1))
        o = library.optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.3}], lr=0.1)
        schedules = library.optim.lr_scheduler
        try:
            schedule = eval(make, {**vars(schedules), "o": o})
        except Exception as error:
            return repr(error)
        seen = [schedule.get_last_lr(), schedule.base_lrs, schedule.last_epoch]
        for _ in range(25):
            o.step(), schedule.step()
            seen.append([group["lr"] for group in o.param_groups])
            assert schedule.get_last_lr() == seen[-1]
        return seen, schedule.last_epoch, str(o), isinstance(schedule, library.optim.lr_scheduler.LRScheduler)

    assert rates(autograd_nb) == rates(torch)


RELOADED = """
StepLR(o, 3)
MultiStepLR(o, [2, 5])
ExponentialLR(o, 0.9)
LambdaLR(o, [lambda epoch: 0.9**epoch, Factor()])
CosineAnnealingLR(o, 5)
ReduceLROnPlateau(o, patience=1)
""".strip().splitlines()


class Factor:
    def __init__(self):
        self.shift = 1

    def __call__(self, epoch):
        return 1 / (epoch + self.shift)


@pytest.mark.parametrize("make", RELOADED)
def test_a_schedule_goes_on_from_its_state(torch, make):
    def shown(library):
        w, v = library.nn.Parameter(library.ones(2)), library.nn.Parameter(library.ones(1))
        o = library.optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.3}], lr=0.1)
        first, again = (eval(make, {**vars(library.optim.lr_scheduler), "o": o, "Factor": Factor}) for _ in range(2))
        said = []
        for epoch in range(7):
            o.step(), first.step(*[5 - epoch % 3] * ("Plateau" in make))
        said += [first.state_dict(), again.load_state_dict(first.state_dict()), again.state_dict(), again.get_last_lr()]
        for schedule in (first, again):
            o.step(), schedule.step(*[9] * ("Plateau" in make))
            said += [schedule.state_dict(), [group["lr"] for group in o.param_groups]]
        return said

    assert shown(autograd_nb) == shown(torch)


@pytest.mark.parametrize("settings", [
    dict(), dict(mode="max"), dict(threshold_mode="abs", threshold=0.3), dict(mode="max", threshold_mode="abs"),
    dict(cooldown=2, patience=0), dict(min_lr=0.02, factor=0.5), dict(min_lr=[0.01, 0.2]), dict(min_lr=[0.1]),
    dict(eps=0.05), dict(factor=1.0), dict(mode="mean"), dict(threshold_mode="none"),
])  # fmt: skip
def test_a_plateau_lowers_the_rates_as_in_pytorch(torch, settings):
    def rates(library):
        w, v = library.nn.Parameter(library.ones(2)), library.nn.Parameter(library.ones(1))
        o = library.optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.3}], lr=0.1)
        try:
            schedule = library.optim.lr_scheduler.ReduceLROnPlateau(o, **{"patience": 1, **settings})
        except Exception as error:
            return repr(error)
        seen = []
        for loss in np.abs(np.sin(np.arange(20.0))):
            schedule.step(library.tensor(loss))
            seen.append((schedule.get_last_lr(), schedule.best, schedule.in_cooldown, schedule.last_epoch))
        return seen

    assert rates(autograd_nb) == rates(torch)


@pytest.mark.parametrize("settings", [dict(lr=0.5, max_iter=5), dict(lr=0.1, history_size=3), dict(lr=0.01, max_eval=3),
                                      dict(tolerance_grad=1.0), dict(lr=0.1, tolerance_change=0.1)])  # fmt: skip
def test_lbfgs_takes_pytorchs_steps(torch, settings):
    def steps(library):
        x = library.tensor([-1.5, 2.0], dtype=library.float64, requires_grad=True)
        y = library.tensor([[3.0]], dtype=library.float64, requires_grad=True)
        unused = library.ones(2, dtype=library.float64, requires_grad=True)
        o = library.optim.LBFGS([x, unused, y], **settings)

        def closure():
            o.zero_grad()
            loss = (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2 + y.cos().sum()
            loss.backward()
            return loss

        seen = []
        for _ in range(4):
            seen += [o.step(closure).item(), *x.tolist(), y.item()]
        memory = o.state[x]
        return seen, (x._version, unused._version, memory["n_iter"], memory["func_evals"], str(o))

    mine, its = steps(autograd_nb), steps(torch)
    np.testing.assert_allclose(mine[0], its[0], rtol=1e-6)  # estimates of curvature magnify a last digit
    assert mine[1] == its[1]


@pytest.mark.parametrize(("name", "settings"), [("Adam", dict(differentiable=True)),
                                                ("LBFGS", dict(line_search_fn="strong_wolfe"))])  # fmt: skip
def test_a_setting_without_an_effect_here_is_refused(name, settings):
    with pytest.raises(NotImplementedError, match=rf"{name}\(\) has no {[*settings][0]} in autograd_nb"):
        getattr(autograd_nb.optim, name)([autograd_nb.ones(1)], **settings)


SETUP = """
torch.manual_seed(0)
from warnings import simplefilter
optim = torch.optim
model = nn.Linear(2, 1)
p = nn.Parameter(torch.ones(2))
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## text
for name in ("SGD", "Adam", "AdamW", "RMSprop"):
    o = getattr(optim, name)([p], lr=0.1)
    print(o)
    print(list(o.defaults.items()), list(o.param_groups[0]))
## states
for name in ("SGD", "Adam", "RMSprop"):
    o = getattr(optim, name)([p], lr=0.1)
    p.grad = torch.ones(2)
    o.step()
    print(o.state)
## groups
o = optim.SGD([{"params": [p]}, {"params": model.parameters(), "lr": 1.0}], lr=0.1, momentum=0.9)
print(o, [len(g["params"]) for g in o.param_groups])
## a training step
o = optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    o.zero_grad()
    loss = (model(torch.ones(4, 2)) ** 2).mean()
    loss.backward()
    o.step()
    print(loss.item(), model.weight, model.weight._version)
## closure
o = optim.SGD(model.parameters(), lr=0.1)
def closure():
    o.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    return loss
print(o.step(closure), model.bias)
with torch.no_grad():
    print(o.step(closure))
## the graph is out of date after a step
o = optim.SGD(model.parameters(), lr=0.1)
loss = (model(torch.ones(1, 2, requires_grad=True)) ** 2).sum()
loss.backward(retain_graph=True)
o.step()
loss.backward()
## nothing to optimize
optim.SGD([], lr=0.1)
## a tensor alone
optim.SGD(p, lr=0.1)
## lr
optim.SGD([p], lr=-1)
## beta
optim.Adam([p], betas=(0.9, 1.0))
## epsilon
optim.RMSprop([p], eps=-1.0)
## weight decay
optim.AdamW([p], weight_decay=-1.0)
## momentum
optim.SGD([p], momentum=-1.0)
## nesterov
optim.SGD([p], lr=0.1, nesterov=True)
## schedules
o = optim.SGD(model.parameters(), lr=1.0)
s = optim.lr_scheduler.StepLR(o, 2, 0.5)
for _ in range(8):
    o.step()
    s.step()
    print(s.get_last_lr(), s.last_epoch, o.param_groups[0]["lr"], o.param_groups[0]["initial_lr"])
""".split("\n## ")[1:])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    program = SETUP + PROGRAMS[name]
    assert shown(autograd_nb, program) == shown(torch, program)
