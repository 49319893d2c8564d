# %% [markdown]
# # 16 From two layers to a trained network
#
# **You will be able to** write a training loop from memory, say what each line does to the graph, and check its gradients by hand.
#
# **Builds on** [04 Accumulation](04_accumulation.ipynb), the training loop, [06](06_several_inputs.ipynb), the bias, and [07 Vectors](07_vectors.ipynb).
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.course import figures

# %% [markdown]
# ## Two matrices
#
# An input goes through one matrix and then through another. There is no bias, and no *nonlinearity* between them, nothing that bends: just enough to see the gradients of two layers. y_1, in the middle, is a *hidden layer*: neither input nor output.

# %% tags=["E1"]
inp = torch.Tensor([1, 2])
w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)
y_1 = w_1 @ inp
y_2 = w_2 @ y_1
output = y_2.sum()
print(y_1, y_2, output, sep="\n")

# %%
torch.draw(output)

# %%
course.ch16.p1

# %% tags=["E2", "raises-exception"]
y_2.backward()

# %% [markdown]
# y_2 holds two numbers, so backward refuses, and no gradient is written ([error clinic](92_error_clinic.ipynb#Not-a-scalar)). The sum of the two is one number:

# %% tags=["E1"]
print(w_1.grad, w_2.grad)
output.backward()
print(w_1.grad, w_2.grad, sep="\n")

# %% [markdown]
# ## By hand
#
# Each gradient is an *outer product*, the table of all products of two vectors' elements: what comes back, times what went in. For w_2, ones come back, and y_1 went in. For w_1, inp went in; what comes back is the gradient at y_1, and that comes through w_2.

# %%
course.ch16.p2

# %% tags=["E3"]
back_at_y_2 = torch.ones(2)
back_at_y_1 = w_2.detach().t() @ back_at_y_2
print(back_at_y_1)
print(torch.outer(back_at_y_1, inp))
print(torch.outer(back_at_y_2, y_1.detach()))

# %% [markdown]
# The same as w_1.grad and w_2.grad. For layers without a bend this is all of [backpropagation](91_glossary.ipynb#backpropagation): transposed matrices and outer products. Several rows of data add their outer products, and a bend multiplies what comes back by its slope. In [21](21_backward_by_hand.ipynb) you do it for a whole network.

# %%
bent = torch.tanh(w_1 @ inp)
(gradient,) = torch.autograd.grad((w_2 @ bent).sum(), w_1)
back = w_2.t() @ back_at_y_2 * (1 - bent**2)
print(torch.allclose(gradient, torch.outer(back, inp), rtol=1e-3))

# %% [markdown]
# Here every intermediate result has a grad_fn, not only the last one; the inputs and weights, the leaves, have none. Then the optimizer's step uses the gradients:

# %% tags=["E5"]
for tensor in (inp, w_1, y_1, y_2, output):
    print(tensor.is_leaf, tensor.grad_fn)
optimizer = torch.optim.SGD([w_1, w_2], lr=0.125)
optimizer.step()
print(w_1, w_2, sep="\n")

# %% [markdown]
# Each weight moved against its gradient: 1 - 0.125 · 6 = 0.25. (Run the cell again, and it moves as far again.)
#
# ## One layer, and a loss
#
# This is the example of PyTorch's tutorial on autograd: five inputs, three outputs, and weights and a bias that start at random. `manual_seed` makes the random numbers the same each time.

# %% tags=["C1"]
x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(0)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
loss

# %%
torch.draw(loss, values=False)

# %% [markdown]
# w and b are [parameters](91_glossary.ipynb#parameter), the numbers that training may change. So they require gradients; x and y, the data, do not.
#
# `matmul` of a vector and a matrix has no node of its own; it is made of others:

# %% tags=["C1"]
squeeze, to_b = z.grad_fn.next_functions
print(z.grad_fn.name(), squeeze[0].name(), to_b[0].name())
print(squeeze[0].next_functions[0][0].name())

# %% [markdown]
# ## What the loss measures
#
# Each z is a *score*, or *logit*: the sigmoid 1/(1 + e^-z) turns it into a probability p. The target y says yes (1) or no (0). The loss is minus the logarithm of the probability that was given to the truth, averaged.

# %%
p = torch.sigmoid(z)
by_hand = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
print(f"{by_hand.item():.4f} {loss.item():.4f}")

# %% [markdown]
# Why not simply write it like this? For a large score p rounds to 1, and the logarithm of 1 - p is minus infinity:

# %%
large = torch.tensor([200.0])
print(-torch.log(1 - torch.sigmoid(large)))
print(torch.nn.functional.binary_cross_entropy_with_logits(large, torch.zeros(1)))

# %% [markdown]
# ## Its gradients
#
# The slope of the sigmoid is p(1 - p). So for a target of 1, by the chain rule:
#
# $$\frac{\partial}{\partial z}(-\ln p) = -\frac{1}{p} \, p \, (1 - p) = p - 1$$
#
# and for a target of 0 it is p in the same way. Both are p - y, divided by the 3 of the mean. w.grad has five rows, one for each element of x.

# %%
course.ch16.p3

# %% tags=["C2"]
loss.backward()
print(w.grad)
print(b.grad)
print(torch.allclose(b.grad, torch.sigmoid(z) / 3))

# %% [markdown]
# Of the leaves, only those that require a gradient get one, and this graph is good for one backward, as the cell shows ([error clinic](92_error_clinic.ipynb#Backward-a-second-time)).

# %% tags=["C3"]
print(x.grad, y.grad)
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(" (")[0])

# %% [markdown]
# ## Frozen
#
# A part that should not learn is [frozen](91_glossary.ipynb#frozen): its gradient is not even computed.

# %% tags=["C4"]
w.requires_grad_(False)
frozen = torch.matmul(x, w) + b
print(frozen.grad_fn.next_functions[0], frozen.grad_fn.next_functions[1][0].name())
w.requires_grad = True

# %% [markdown]
# ## The loop
#
# Forward, clear, backward, step. This is what training is.

# %% tags=["C9"]
optimizer = torch.optim.SGD([w, b], lr=1.0)
losses = []
for _ in range(30):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(torch.matmul(x, w) + b, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

# %%
figures.loss(losses)

# %% [markdown]
# Each turn has a graph of its own. It is built in the first line, used up by backward, and freed when the name `loss` goes to the next one.
#
# ## A real task
#
# Here are points in the plane: class 0 inside a circle, class 1 outside it.

# %%
torch.manual_seed(0)
points = torch.randn(150, 2)
labels = ((points**2).sum(dim=1) > 1.2).float()
figures.points(points, labels)

# %%
course.ch16.p4


# %% [markdown]
# PyTorch has the pieces of a network ready in `torch.nn`. A `Linear(2, 12)` is a layer with 2 inputs and 12 outputs, a matrix and a bias; with the tanh behind it, it is twelve of the [neurons](05_many_paths.ipynb#A-neuron) of chapter 05. `Tanh` is the nonlinearity, also called *activation function*. A `Sequential` runs its layers one after the other, and its `parameters()` are all their matrices and biases.

# %% tags=["long: a whole training loop"]
def train(model, steps=150):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.7)
    losses = []
    for _ in range(steps):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
torch.manual_seed(1)
straight = torch.nn.Sequential(torch.nn.Linear(2, 12), torch.nn.Linear(12, 1))
bent = torch.nn.Sequential(torch.nn.Linear(2, 12), torch.nn.Tanh(), torch.nn.Linear(12, 1))
figures.loss({"straight": train(straight), "bent": train(bent)})

# %%
figures.decision_boundary(straight, points, labels)

# %%
figures.decision_boundary(bent, points, labels)

# %% [markdown]
# With a tanh in between, the line closes into a ring. The graph just got one more node. Now train a network yourself:
#
# 1. Press **Ten updates** ten times, or **Train**. The loss falls, and all points get to the right side.
# 2. Tick *forget zero_grad*, press **New start**, and train again. The loss goes up and down and grows.
# 3. Set *Momentum* to 0, and train with and without forgetting, 100 updates each. Which is faster?

# %%
widgets.training("rings")

# %% [markdown]
# In 3. forgetting is faster, and here is why: a sum of all gradients so far is plain SGD with momentum 1. On this small task the extra speed helps. In general it has no brakes, and together with real momentum, as in 2., the steps overshoot ([error clinic](92_error_clinic.ipynb#Silent:-an-old-gradient)).

# %% [markdown]
# ## The graph of a network
#
# The parameters are leaves, and every row of the batch goes through the same ones.

# %%
bent.zero_grad()
out = torch.nn.functional.binary_cross_entropy_with_logits(bent(points[:4]).squeeze(1), labels[:4])
torch.draw(out, params=dict(bent.named_parameters()), values=False)

# %%
course.ch16.p5

# %% tags=["F14"]
bent.eval()
print(bent(points[:1]).requires_grad)
with torch.no_grad():
    print(bent(points[:1]).requires_grad)

# %% [markdown]
# ## Summary
#
# | line | what it does |
# |---|---|
# | `loss = loss_fn(model(x), y)` | computes, and records a new graph |
# | `optimizer.zero_grad()` | clears the old gradients |
# | `loss.backward()` | adds to `.grad` of each parameter that was used, frees what was saved |
# | `optimizer.step()` | moves the parameters against their gradients, unrecorded |

# %% [markdown]
# ## Exercises
#
# **1.** w = [[1, 0], [0, 1]], inp = [3, 4] and (w @ inp).sum() goes backward. What is w.grad, as a list of lists?

# %%
answer = ...
course.ch16.q1.check(answer)


# %% [markdown]
# **2.** Write the gradient of the binary cross-entropy with logits: given scores z and targets y, both with n elements, return the gradient of the mean loss at z. Do not use autograd.

# %%
def slope_of_loss(z, y):
    ...


course.ch16.q2.check(slope_of_loss)


# %% [markdown]
# **3.** Write backpropagation for two layers with a tanh: for out = (w_2 @ tanh(w_1 @ x)).sum(), return the gradients at w_1 and w_2. Do not use autograd.

# %%
def two_layers(w_1, w_2, x):
    ...


course.ch16.q3.check(two_layers)


# %% [markdown]
# **4.** This loop never learns. Repair it.

# %%
def fit(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    return w


course.ch16.q4.check(fit)

# %% [markdown]
# **To invent**, without a verdict. Draw points that the network cannot separate; then change it. And a puzzle: a training loop that looks right and does not learn.
#
# ## Next
#
# A question to take along: without a nonlinearity, two layers draw a straight line. How many straight layers would it take to draw a ring?
#
# You have been using the engine all this time. In [17 Inside the engine](17_inside_the_engine.ipynb) we open it, and build a small one from nothing.
