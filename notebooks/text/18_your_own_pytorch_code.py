# %% [markdown]
# # 18 Your own PyTorch code
#
# **You will be able to** put a real PyTorch network under the microscope, and find out why it does not learn, with `why`, `step` and `info`.
#
# **Mirrors** no source: this is what the course is for.
#
# **Builds on** [04 Accumulation](04_accumulation.ipynb), [10 Switching it off](10_switching_off.ipynb), [11 In place](11_in_place.ipynb) and [16 Training](16_training.ipynb).
#
# **Time** 25 minutes.

# %%
try:
    import torch
except ModuleNotFoundError:
    import autograd_nb as torch

    print("Without PyTorch (pip install torch==2.13.0) this chapter looks at autograd_nb.")
from autograd_nb import course, draw, info, record, step, why

course.tracebacks("short")

# %% [markdown]
# This time `torch` is PyTorch itself, if it is installed. `draw`, `step`, `info` and `record` are the ones you know: they look at PyTorch's tensors as they look at ours. `why` is new here.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
draw(z)

# %% [markdown]
# It is the graph of chapter 03, and its walk is the same too. Step through it with the arrow keys.

# %%
step(z.backward)

# %% [markdown]
# ## A network that should learn
#
# Two layers, and points to be told apart by whether their two coordinates have the same sign. Nothing about it is hard.

# %%
torch.manual_seed(0)
points = torch.randn(64, 2)
classes = (points[:, 0] * points[:, 1] > 0).float()


# %%
def network():
    torch.manual_seed(1)
    layers = torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    return torch.nn.Sequential(*layers)


def loss_of(outputs):
    return torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)


# %%
def train(model, compute, steps=100, zero=True):
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    for _ in range(steps):
        zero and optimizer.zero_grad()
        loss = compute(model)
        loss.backward()
        optimizer.step()
    return round(loss.item(), 3)


# %% [markdown]
# A coin would score the logarithm of 2, about 0.7. This one does better:

# %%
model = network()
train(model, lambda model: loss_of(model(points)))

# %% [markdown]
# The graph of its loss has the names that PyTorch gives the parameters. A larger network is folded into its modules; a click or Enter opens one, and so does `draw(loss, open="model.2")`.

# %%
loss = loss_of(model(points))
draw(loss)

# %% [markdown]
# `info` of a model has a row for each parameter. These are small, so all their numbers are there; of more than 64 it shows the range, mean and norm, and how they are spread.

# %%
info(model)

# %% [markdown]
# Here are five networks that learn badly or not at all. Each is broken in one place. Can you find it before you read on?
#
# ## The first: half of it stands still

# %%
model = network()


def compute(model):
    inner = model[1](model[0](points)).detach()
    return loss_of(model[2](inner))


train(model, compute)

# %% [markdown]
# It learned something, but less than before. Which parameters have trouble? Given a model, `why` lists them.

# %%
why(model)

# %% [markdown]
# The last layer is fine; the first never got a gradient. To learn where the way back was cut, record a step.

# %%
with record() as trace:
    loss = compute(model)
    loss.backward()
first = model[0].weight
why(first, trace)

# %% [markdown]
# There it is, with its line. Without `.detach()` the gradient passes. The picture shows the cut too:

# %%
draw(trace)


# %% [markdown]
# ## The second: it learns, then goes astray

# %%
def compute(model):
    return loss_of(model(points))


[train(network(), compute, steps, zero=False) for steps in (20, 32)]

# %% [markdown]
# After 20 steps it is nearly perfect, after 32 it is worse than a coin. No error, and no parameter without a gradient. But how large are the gradients? Here are three steps of that loop, recorded.

# %%
model = network()
last = model[2].bias
with record() as trace:
    train(model, compute, 3, zero=False)
why(last, trace)

# %% [markdown]
# Each pass added to what was there, as [04 Accumulation](04_accumulation.ipynb) explained. `optimizer.zero_grad()` was missing.
#
# ## The third: nothing moves at all

# %%
model = network()
with torch.no_grad():
    model[0].bias.fill_(-20.0)
train(model, lambda model: loss_of(model(points)))

# %% [markdown]
# The loss stays where a coin would put it. Are the gradients None?

# %%
first = model[0].weight
with record() as trace:
    loss_of(model(points)).backward()
why(first, trace)

# %% [markdown]
# They are there, and they are zero: with a bias of -20 no point gets past the ReLU, so nothing comes back either. Look for its node among the steps:

# %%
step(trace)

# %% [markdown]
# Such a ReLU is called dead. A smaller step or another start keeps it alive.
#
# ## The fourth: NaN

# %%
model = network()
same = torch.zeros(64, 1)


def compute(model):
    outputs = model(points)
    distance = ((outputs - outputs) ** 2 + same).sqrt()
    return loss_of(outputs) + distance.mean()


train(model, compute)

# %% [markdown]
# Once one parameter is NaN, soon everything is. So look at the very first step. The last value of a loss says nothing about where a NaN was made; the trace does.

# %%
model = network()
last = model[2].bias
with record() as trace:
    compute(model).backward()
why(last, trace)

# %% [markdown]
# The forward pass was fine: the root of 0 is 0. But its slope there is infinite, and infinity times zero is NaN. A small number under the root helps: `(... + 1e-12).sqrt()`.
#
# ## The fifth: it fails

# %%
model = network()


def compute(model):
    inner = torch.sigmoid(model[0](points))
    outputs = model[2](inner)
    inner.mul_(0.9)
    return loss_of(outputs)


with record() as trace:
    loss = compute(model)

# %% tags=["raises-exception"]
loss.backward()

# %% [markdown]
# PyTorch says that something was changed in place, and what shape it had. `why` adds who did it.

# %%
why(loss, trace)

# %% [markdown]
# `inner = inner * 0.9`, before it is used, would leave what was saved alone.
#
# ## What cannot be seen
#
# PyTorch does not show everything: not what a change to part of a tensor saved, not what a compiled program or a transform of `torch.func` does inside. Large arrays are kept as statistics only. And looking leaves nothing behind: the results are the same, and the hooks are gone. `docs/microscope.md`, next to the README, has the whole list.

# %% [markdown]
# ## Summary
#
# | what you see | what to ask | what it was |
# |---|---|---|
# | some parameters never change | `why(model)`, then `why(weight, trace)` | detach cut them off |
# | it learns, then goes astray | `why(weight, trace)` | gradients added up |
# | nothing moves | `why(weight, trace)`, `step(trace)` | a dead ReLU |
# | NaN | `why(weight, trace)` of the first step | the slope of a root at 0 |
# | an error in backward | `why(loss, trace)` | a change in place |

# %% [markdown]
# ## Exercises
#
# Put your answer in place of the dots. `course.ch18.q1.hint()` helps, `course.ch18.q1.solution()` shows how it is done.

# %% [markdown]
# **1.** Ten steps without `zero_grad()`, and each backward brings 0.5. What does `why` say that `w.grad` is?

# %%
answer = ...
course.ch18.q1.check(answer)

# %% [markdown]
# **2.** A model has three Linear layers, each with a bias, and its forward detaches what the second one returns. After `loss.backward()`, of how many parameters does `why(model)` say that `.grad` is None?

# %%
answer = ...
course.ch18.q2.check(answer)

# %% [markdown]
# **3.** In a deep network a sigmoid follows every layer, and the first layers hardly learn. What is the largest factor by which a sigmoid can multiply a gradient?

# %%
answer = ...
course.ch18.q3.check(answer)

# %% [markdown]
# ## Next
#
# Open a notebook of your own, add one line, `from autograd_nb import draw, step, info, record, why`, and look. Or see what your own engine can learn in [19 Moons and digits](19_moons_and_digits.ipynb).
