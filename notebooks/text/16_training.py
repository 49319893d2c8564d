# %% [markdown]
# # 16 Two layers to a trained network
#
# **You will be able to** write a training loop from memory, say what each line does to the graph, and check its gradients by hand.
#
# **Mirrors** source C, "Automatic differentiation with torch.autograd": the quickstart and the optimizer; and source E, "Gradient" (2023-07-10): two layers on one page.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.drawing import figures

# %% [markdown]
# ## Two matrices
#
# An input goes through one matrix, then through another. No bias, no bend between: just enough to see two layers' gradients.

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
# y_2 holds two numbers, so backward refuses, and no gradient is written ([error clinic](92_error_clinic.ipynb#Not-a-scalar)). Their sum is one number:

# %% tags=["E1"]
print(w_1.grad, w_2.grad)
output.backward()
print(w_1.grad, w_2.grad, sep="\n")

# %% [markdown]
# ## By hand
#
# Each gradient is an *outer product*: what comes back from behind, times what went in. For w_2 ones come back, and y_1 went in. For w_1 inp went in. What comes back to it is the gradient of y_1, and it comes through w_2.

# %%
course.ch16.p2

# %% tags=["E3"]
back_at_y_2 = torch.ones(2)
back_at_y_1 = w_2.detach().t() @ back_at_y_2
print(back_at_y_1)
print(torch.outer(back_at_y_1, inp))
print(torch.outer(back_at_y_2, y_1.detach()))

# %% [markdown]
# The same as w_1.grad and w_2.grad. This is all of [backpropagation](91_glossary.ipynb#backpropagation) in a network: matrices turned over, and outer products.
#
# Every result between has a grad_fn, not the last one only; the inputs and weights, the leaves, have none. And the optimizer's step uses the gradients:

# %% tags=["E5"]
for tensor in (inp, w_1, y_1, y_2, output):
    print(tensor.is_leaf, tensor.grad_fn and tensor.grad_fn.name())
optimizer = torch.optim.SGD([w_1, w_2], lr=0.125)
optimizer.step()
print(w_1, w_2, sep="\n")

# %% [markdown]
# Each weight went against its gradient: 1 - 0.125 · 6 = 0.25.

# %% [markdown]
# ## One layer, and a loss
#
# The official quickstart: five inputs, three outputs, weights and a bias that start at random.

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
torch.draw(loss)

# %% [markdown]
# w and b are [parameters](91_glossary.ipynb#parameter): what training may move. So they require gradients; x and y, the data, do not.
#
# `matmul` of a vector and a matrix is no node of its own; it is made of others:

# %% tags=["C1"]
print([node.name().split("::")[-1] for node, _ in z.grad_fn.next_functions])
squeeze = z.grad_fn.next_functions[0][0]
print([node.name() for node, _ in squeeze.next_functions])

# %% [markdown]
# ## What the loss measures
#
# Each z is a *score*: the sigmoid 1/(1 + e^-z) makes a probability p of it. The target says yes (1) or no (0). The loss is minus the logarithm of the probability given to the truth, averaged.

# %%
p = torch.sigmoid(z)
by_hand = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
print(f"{by_hand.item():.4f} {loss.item():.4f}")

# %% [markdown]
# Why not write it like this, then? For a large score p rounds to 1, and the logarithm of 1 - p is minus infinity:

# %%
large = torch.tensor([200.0])
print(-torch.log(1 - torch.sigmoid(large)))
print(torch.nn.functional.binary_cross_entropy_with_logits(large, torch.zeros(1)))

# %% [markdown]
# ## Its gradients
#
# The slope of the loss along z turns out to be (p - y), divided by the 3 of the mean. w.grad has five rows, one for each element of x.

# %%
course.ch16.p3

# %% tags=["C2"]
loss.backward()
print(w.grad)
print(b.grad)
print(torch.allclose(b.grad, torch.sigmoid(z) / 3))

# %% [markdown]
# Only leaves that require a gradient get one, and one graph serves one backward: source C says so, and the cell shows it ([error clinic](92_error_clinic.ipynb#Backward-a-second-time)).

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
print([node and node.name().split("::")[-1] for node, _ in frozen.grad_fn.next_functions])
w.requires_grad_(True)

# %% [markdown]
# ## The loop
#
# Forward, clear, backward, step. That is training.

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
# Each turn has a graph of its own. It is built in the first line, used up by backward, and let go when the name `loss` takes the next one.

# %% [markdown]
# ## A real task
#
# Points in the plane: class 1 within a circle, class 0 outside it.

# %%
torch.manual_seed(0)
points = torch.randn(150, 2)
labels = ((points**2).sum(dim=1) < 1.2).float()
print(points[:2], labels[:2])

# %%
course.ch16.p4


# %%
def train_step(model, optimizer):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# %%
def train(model, steps=150):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.7)
    return [train_step(model, optimizer) for _ in range(steps)]


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
# A tanh between, and the line closes to a ring. Nothing in the engine changed: one more node, with one more slope. Train one yourself: **One update**, **Ten updates**, or **Train**. Then tick *forget zero_grad* ([error clinic](92_error_clinic.ipynb#Silent:-an-old-gradient)), press **New start**, train again, and compare the loss and the gradients' norms.

# %%
widgets.training("rings")

# %% [markdown]
# ## The graph of a network
#
# The parameters are leaves, and every row of the batch goes through the same ones.

# %%
out = torch.nn.functional.binary_cross_entropy_with_logits(bent(points[:4]).squeeze(1), labels[:4])
torch.draw(out, params=dict(bent.named_parameters()), values=False)

# %%
course.ch16.p5

# %% tags=["F14"]
bent.eval()
print(bent(points[:1]).requires_grad)
with torch.no_grad():
    print(bent(points[:1]).requires_grad)

# %% tags=["C2", "E1"]
course.in_pytorch("E1")

# %% [markdown]
# ## Summary
#
# | line | what it does |
# |---|---|
# | `loss = criterion(model(x), y)` | computes, and records a new graph |
# | `optimizer.zero_grad()` | lets the old gradients go |
# | `loss.backward()` | fills `.grad` of every parameter, frees what was saved |
# | `optimizer.step()` | moves the parameters against their gradients, unrecorded |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch16.q1.hint()`; solutions: `course.ch16.q1.solution()`.
#
# **1.** w = [[1, 0], [0, 1]], inp = [3, 4] and (w @ inp).sum() goes backward. What is w.grad, as a list of lists?

# %%
answer = ...
course.ch16.q1.check(answer)


# %% [markdown]
# **2.** Write the gradient of the binary cross-entropy with logits: given scores z and targets y, both of n elements, return the gradient at z of the mean loss. No autograd.

# %%
def slope_of_loss(z, y):
    ...


course.ch16.q2.check(slope_of_loss)


# %% [markdown]
# **3.** Write backpropagation for two layers with a tanh: for out = (w_2 @ tanh(w_1 @ x)).sum(), return the gradients at w_1 and w_2. No autograd.

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
# ## Next
#
# You have used the engine all this time. In [17 Inside the engine](17_inside_the_engine.ipynb) we open it, and build a small one from nothing.
