# %% [markdown]
# # 18 Your own PyTorch code
#
# **You will be able to** put a real PyTorch network under the microscope, find out why it does not learn, with `why`, `step` and `info`, and cure it.
#
# **Builds on** [04 Accumulation](04_accumulation.ipynb), [10 Switching it off](10_switching_off.ipynb), [11 In place](11_in_place.ipynb) and [16 Training](16_training.ipynb).
#
# **Time** 60 minutes.

# %% tags=["long: with and without PyTorch"]
try:
    import torch
except Exception as error:  # it is not installed, or does not load
    import autograd_nb as torch

    cause = "pip install torch==2.13.0 brings it" if isinstance(error, ModuleNotFoundError) else error
    print(f"Without PyTorch ({cause}) this chapter looks at autograd_nb.")
from autograd_nb import course, draw, info, record, step, why
from autograd_nb.course import figures
from autograd_nb.course.patients import Patient

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
del x, z
torch.manual_seed(0)
points = torch.randn(64, 2)
classes = (points[:, 0] * points[:, 1] > 0).float()


# %%
def network():
    torch.manual_seed(1)
    layers = torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    return torch.nn.Sequential(*layers)


def loss_of(outputs, classes):
    return torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)


# %% tags=["long: a whole training loop"]
def train(model, compute, steps=60, zero=True):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=2.0), []
    for _ in range(steps):
        zero and optimizer.zero_grad()
        loss = compute(model)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% [markdown]
# A coin would score the logarithm of 2, about 0.7. This one does better:

# %%
def compute(model):
    return loss_of(model(points), classes)


model = network()
cleared = train(model, compute)
print(f"{cleared[-1]:.2f}")

# %% [markdown]
# The graph of its loss is folded into its modules, which have the names that PyTorch gives them. A click or Enter opens one and shows its parameters, and so does `draw(loss, open="model.2")`. `info` of a model has a row for each parameter: of more than twelve numbers it shows the smallest, the mean and the largest.

# %%
draw(compute(model))

# %%
info(model)

# %% [markdown]
# ## Half of it stands still
#
# Here somebody cut the outputs of the first layer off, and trains.

# %%
course.ch18.p1

# %%
model = network()


def cut(model):
    inner = model[1](model[0](points)).detach()
    return loss_of(model[2](inner), classes)


print(f"{train(model, cut)[-1]:.2f}")
why(model)

# %% [markdown]
# It learned something, but less than before: the last layer is fine, and the first never got a gradient. Given a model, `why` lists the parameters with trouble. To learn where the way back was cut, record a step.

# %%
with record() as trace:
    cut(model).backward()
first = model[0].weight
why(first, trace)

# %% [markdown]
# There it is, with its line. Without `.detach()` the gradient passes. The picture shows the cut too:

# %%
draw(trace)

# %% [markdown]
# ## Without zero_grad

# %%
course.ch18.p2

# %%
forgotten = train(network(), compute, zero=False)
figures.loss({"cleared": cleared, "forgotten": forgotten})

# %% [markdown]
# For a while it is even faster: each step follows all gradients so far, like a ball that rolls on. But nothing slows it down. It runs over the bottom, and comes back worse. No error, and no parameter without a gradient; a recording of three steps tells.

# %%
model = network()
last = model[2].bias
with record() as trace:
    train(model, compute, 3, zero=False)
why(last, trace)


# %% [markdown]
# ## What cannot be seen
#
# The elements of large arrays (statistics only); what a change to part of a tensor saved; what a compiled program, a fused operation such as an LSTM, a transform of `torch.func` or another thread does inside; tensors that are sparse, quantised or without memory. Looking changes nothing: results are the same, and the hooks are gone afterwards. (`docs/microscope.md` in the project has the whole list.)

# %% [markdown]
# ## Summary
#
# | what you see | what to ask | what it may be |
# |---|---|---|
# | some parameters never change | `why(model)`, then `why(weight, trace)` | detach, no_grad |
# | it learns, then goes astray | `why(weight, trace)` | gradients added up |
# | nothing moves | `why(weight, trace)`, `step(trace)` | a dead ReLU, shapes |
# | NaN | `why(weight, trace)` of the first step | the slope of a root at 0 |
# | an error in backward | `why(trace=trace)` | a change in place |

# %% [markdown]
# ## Exercises
#
# Six patients, each trained by code you have not seen. Ask about each in a cell of your own (Esc, then B): `why(patient.model)`, `info(patient.model)`, `step(trace)`, `draw(trace)`. Two have two faults, one has none. Answer with letters, such as "a" or "bd":
#
# **a** the way back is cut, **b** gradients add up, **c** shapes that do not fit are broadcast, **d** a ReLU passes nothing, **e** a slope is infinite, **f** something was changed in place, **g** nothing is wrong.

# %%
def examine(patient):
    with record() as trace:
        try:
            print([round(patient.turn(), 3) for _ in range(3)])
        except RuntimeError as error:
            print(error)
    return trace


# %% [markdown]
# **1.** The first patient. Its loss falls, but slowly: sixty turns bring it to a half. Which parameters stand still?

# %%
patient = Patient(torch, 1)
trace = examine(patient)

# %%
answer = ...
course.ch18.q1.check(answer)

# %% [markdown]
# **2.** The second patient. Its loss hardly moves. Two things keep it there: read all of the answer.

# %%
patient = Patient(torch, 2)
trace = examine(patient)

# %%
answer = ...
course.ch18.q2.check(answer)

# %% [markdown]
# **3.** The third patient. Sixty turns do not help it. None, zero, or small: what are its gradients?

# %%
patient = Patient(torch, 3)
trace = examine(patient)

# %%
answer = ...
course.ch18.q3.check(answer)

# %% [markdown]
# **4.** The fourth patient. The very first loss is a number. What about the second?

# %%
patient = Patient(torch, 4)
trace = examine(patient)

# %%
answer = ...
course.ch18.q4.check(answer)

# %% [markdown]
# **5.** The fifth patient. Train it for sixty turns, `[patient.turn() for _ in range(60)][-1]`, and ask.

# %%
patient = Patient(torch, 5)
trace = examine(patient)

# %%
answer = ...
course.ch18.q5.check(answer)

# %% [markdown]
# **6.** The sixth patient. It fails. Is that all? Look at `draw(trace)` as well.

# %%
patient = Patient(torch, 6)
trace = examine(patient)

# %%
answer = ...
course.ch18.q6.check(answer)


# %% [markdown]
# **7.** Now cure them. Here is what a turn of the first patient does. Mend it: after 100 turns the loss should be below 0.1. `examine(Patient(torch, turn))` looks at your cure as it did at the patient.

# %%
def turn(model, optimizer, points, classes):
    with torch.no_grad():
        hidden = model[1](model[0](points))
    loss = loss_of(model[2](hidden), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


course.ch18.q7.check(turn)


# %% [markdown]
# **8.** The second patient's turn. A loss like this one, of squares, should come below 0.1 as well.

# %%
def turn(model, optimizer, points, classes):
    outputs = torch.sigmoid(model(points))
    loss = ((outputs - classes) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss


course.ch18.q8.check(turn)


# %% [markdown]
# **9.** The third patient's turn is sound. This is its network.

# %%
def third_network():
    layer = torch.nn.Linear(2, 16)
    with torch.no_grad():
        layer.bias.fill_(-20.0)
    return torch.nn.Sequential(layer, torch.nn.ReLU(), torch.nn.Linear(16, 1))


course.ch18.q9.check(third_network)


# %% [markdown]
# **10.** The fourth patient should not go far from where it began, its weights `model.start`: keep that term, and cure it. The loss of its outputs counts.

# %%
def turn(model, optimizer, points, classes):
    pairs = zip(model.parameters(), model.start, strict=True)
    moved = sum(((now - then) ** 2).sum() for now, then in pairs)
    loss = loss_of(model(points), classes) + 0.01 * moved.sqrt()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


course.ch18.q10.check(turn)


# %% [markdown]
# **11.** The sixth patient's turn, with two faults.

# %%
def turn(model, optimizer, points, classes):
    hidden = model[1](model[0](points).detach())
    loss = loss_of(model[2](hidden), classes)
    hidden.mul_(0.9)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


course.ch18.q11.check(turn)

# %% [markdown]
# **To invent**, without a verdict. Make a patient of your own from a network that works, and let `why` try it. And a puzzle for a friend: which line did you change?
#
# ## Next
#
# An open question: which of these faults would a better loss curve have hidden from you? Open a notebook of your own, add one line, `from autograd_nb import draw, step, info, record, why`, and look. Or see what your own engine can learn in [19 Digits](19_digits.ipynb).
