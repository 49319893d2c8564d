# %% [markdown]
# # 06 Several inputs and broadcasting
#
# **You will be able to** find the gradient at each of several inputs, and say what broadcasting does to it.
#
# **Builds on** [05 Many paths](05_many_paths.ipynb): multiply along a path, add where paths meet.
#
# **Time** 40 minutes.

# %%
import math

import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## The exponent moves too
#
# So far the 3 in x³ was a plain number. Now let it be a tensor q that requires a gradient, just as x does.

# %% tags=["A10"]
x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = x**q
z = torch.log(y)
torch.draw(z)

# %% [markdown]
# There are two leaves, and the power has two inputs. Look at the name of its node: when the exponent was a number, it was PowBackward0.

# %% tags=["A10"]
print((x**3).grad_fn.name(), (x**q).grad_fn.name(), (2**q).grad_fn.name())
print([node.name() for node, _ in y.grad_fn.next_functions])
to_x, to_q = y.grad_fn.next_functions
print(to_x[0].variable is x, to_q[0].variable is q)

# %% [markdown]
# PyTorch has three powers: a tensor to a number, a tensor to a tensor, a number to a tensor. Each has its own rule for going back, and the digit at the end says which. 0 and 2 have one tensor input. 1 has two, so two ways lead on from it: one to x, one to q.

# %% [markdown]
# ## One backward, two gradients
#
# z = ln(x^q) is q · ln(x). Hold q constant: the slope along x is q/x. Hold x constant: the slope along q is ln(x).

# %%
course.ch06.p1

# %% tags=["A10"]
z.backward()
print(f"{x.grad} {q.grad}")

# %% [markdown]
# One backward gave both. That is the great advantage of going backward: one pass gives the slope along *every* input, whether there are two or two million. Nudging needs a separate run for each.
#
# By hand, the chain along q has two links: dz/dy = 1/y, and dy/dq = x^q · ln(x).

# %% tags=["A10"]
dz_dy = 1 / 5**3
dy_dq = 5**3 * math.log(5)
print(f"{dz_dy:.3f} * {dy_dq:.4f} = {dz_dy * dy_dq:.4f}")

# %% [markdown]
# And by nudging, in float64, as in chapter 01: first q moves a little and x does not, then the other way round.

# %% tags=["A0", "A10"]
x64 = torch.tensor(5.0, dtype=torch.float64)
h = 1e-6
along_q = (torch.log(x64 ** (3 + h)) - torch.log(x64 ** (3 - h))) / (2 * h)
along_x = (torch.log((x64 + h) ** 3) - torch.log((x64 - h) ** 3)) / (2 * h)
print(f"{along_q.item():.4f} {along_x.item():.4f}")

# %% [markdown]
# ## Two sliders
#
# 1. Move q to 0 and look at both gradients. Why is x.grad zero, but not q.grad?
# 2. Move x to 1: now q.grad is zero. Why?
# 3. **Reset**, and untick *requires_grad* of q. What is left in the graph, and what has become of q.grad?
# 4. **Reset**, and write -5 into the field of x (its slider ends where the logarithm does). z is nan: a negative number has no logarithm. What does backward make of it?

# %%
torch.bench("log(x ** q)", x=5.0, q=3.0, plan=["z.backward()"], controls=["requires_grad"])

# %% [markdown]
# The slopes are q/x and ln(x). With q = 0 or x = 1, z is 0 whatever the other is. Where a slope is zero, a small step along that input changes (nearly) nothing. In 3. only x gets a gradient: q.grad is None. In 4. q.grad is nan, but x.grad is not: its formulas, 1/y and q · x^(q-1), know nothing of the nan in z. (A bench takes vectors: `torch.bench("(w * x).sum()", w=[1., 2.], x=[3., 4.])`.)

# %%
course.ch06.p2

# %% tags=["A10"]
fixed = torch.tensor(3.0)
y = x**fixed
print(y.grad_fn.name(), y.grad_fn.next_functions[1])
torch.draw(y)

# %% [markdown]
# ## One number meets a vector
#
# Now x is multiplied by a *vector*, a row of three numbers. Then a dot product, `@`, multiplies in pairs and adds up, which gives one number again.

# %% tags=["A13"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
z = y @ torch.tensor([4.0, 7.0, 9.0])
y.retain_grad()
z.retain_grad()
print(y)
print(z)
torch.draw(z)

# %% [markdown]
# y has three elements although x has only one: x was [broadcast](91_glossary.ipynb#broadcasting), that is, used once for each element. z = 4 · 10 + 7 · 15 + 9 · 25 = 370.

# %%
course.ch06.p3

# %%
course.ch06.p4

# %% tags=["A13"]
z.backward()
print(y.grad, x.grad)
print(2 * 4, 3 * 7, 5 * 9, 2 * 4 + 3 * 7 + 5 * 9)
torch.info(x, y, z)

# %% [markdown]
# Each element of y is multiplied by 4, 7 or 9, so that is its slope. And a gradient always has the shape of its tensor: y.grad has three elements, x.grad has one.
#
# ## Broadcasting is copying, and the gradient of copying is adding
#
# There is no copy in memory, but the rule is that of [05 Many paths](05_many_paths.ipynb): where one tensor is used three times, three gradients meet, and they are added. Written out:

# %% tags=["A13"]
x = torch.tensor(5.0, requires_grad=True)
z = (x * 2) * 4 + (x * 3) * 7 + (x * 5) * 9
z.backward()
print(z, x.grad)
torch.draw(z)

# %% [markdown]
# The same numbers, 370 and 74, and now you see the three paths. In the short form they are inside one node, MulBackward0.
#
# ## The rule
#
# Broadcasting lines up shapes from the right; missing dimensions are added in front, and a dimension of 1 is stretched. On the way back, **sum over every dimension that was stretched or added in front**, until the gradient has the tensor's shape again.
#
# A column of shape (4, 1) plus a row of shape (3,):

# %%
course.ch06.p5

# %%
course.ch06.p6

# %%
column = torch.zeros(4, 1, requires_grad=True)
row = torch.zeros(3, requires_grad=True)
total = column + row
total.sum().backward()
print(total.shape)
print(column.grad)
print(row.grad)


# %% [markdown]
# Each element of the column was used three times, each element of the row four times: that is how often it was counted. The rule fits in a few lines; an engine applies it in every function that broadcasts:

# %%
def sum_to(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            gradient = gradient.sum(d, keepdim=True)
    return gradient


# %%
coming_back = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
print(sum_to(coming_back, (2, 1)))
print(sum_to(coming_back, (3,)))
print(sum_to(coming_back, ()))

# %% [markdown]
# ## You use it all the time: a bias
#
# A layer of a network adds the same *bias* to each row of a batch. Four rows, and the loss is the sum of everything:

# %%
course.ch06.p7

# %%
batch = torch.arange(8.0).reshape(4, 2)
bias = torch.zeros(2, requires_grad=True)
out = batch + bias
out.sum().backward()
print(bias.grad)

# %% [markdown]
# So the gradient of a bias grows with the size of the batch. If the loss is a *mean* over the batch, it no longer does. Here is the [neuron](05_many_paths.ipynb#A-neuron) with its two weights in one vector, and four examples at once:

# %%
w, b = torch.tensor([0.1, -0.1], requires_grad=True), torch.tensor(0.0, requires_grad=True)
for loss_of in (torch.sum, torch.mean):
    w.grad = b.grad = None
    loss_of(torch.tanh(batch @ w + b)).backward()
    print(w.grad, b.grad)

# %% [markdown]
# ## Nearly the same shape
#
# Predictions of shape (3, 1) and targets of shape (3,) differ only by one dimension. Here each prediction is what it should be:

# %%
prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
target = torch.tensor([1.0, 2.0, 3.0])
difference = prediction - target

# %%
course.ch06.p8

# %%
prediction.grad = None
(difference**2).mean().backward()
print(prediction.grad)
print(difference.shape, (difference**2).mean())

# %%
prediction.grad = None
((prediction.squeeze(1) - target) ** 2).mean().backward()
print(prediction.grad)

# %% [markdown]
# Broadcasting silently made nine differences of three. `squeeze(1)` removes the dimension of 1, and the gradient is zero, as it should be. A gradient of the right shape proves nothing: check the shapes of what goes *into* the loss.
#
# ## By hand
#
# Broadcasting aside, a neuron is a product and a sum; here is one with a loss behind it. Walk back from L yourself.

# %%
course.ch06.p9

# %%
x = torch.tensor(3.0)
w, b = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
L = (w * x + b) ** 2
L.backward()
print(w.grad, b.grad)

# %% [markdown]
# What arrives at a sum goes on to both of its inputs as it is; what arrives at a product goes on times the *other* factor.

# %% [markdown]
# ## Summary
#
# | where | what happens |
# |---|---|
# | several inputs | one backward gives each its gradient: the slope along it while the others are held constant |
# | an input that needs no gradient | (None, 0) in next_functions, and nothing is computed for it |
# | broadcasting forward | one element is used many times |
# | broadcasting backward | sum over what was stretched, to the tensor's own shape |

# %% [markdown]
# ## Exercises
#
# **1.** x = 2 and q = 3 are leaves, y = x**q and z = 5 · y. What is x.grad after z.backward()?

# %%
answer = ...
course.ch06.q1.check(answer)

# %% [markdown]
# **2.** w has shape (4, 1), data has shape (3, 4, 5), and (w * data).sum() goes backward. What is the shape of w.grad, as a list?

# %%
answer = ...
course.ch06.q2.check(answer)


# %% [markdown]
# **3.** Write the backward of a product that broadcasts: given the tensors a and b and the gradient at a * b, return the gradients at a and at b. Do not use autograd; `course.ch06.sum_to` is the function from above.

# %%
def product_backward(a, b, gradient):
    ...


course.ch06.q3.check(product_backward)


# %% [markdown]
# **4.** `predictions` has shape (n, 1), `targets` (n,). This mean squared error learns badly. Repair it.

# %%
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).mean()


course.ch06.q4.check(mean_squared_error)

# %% [markdown]
# **To invent**, without a verdict. Plot how one pixel changes the contrast of a picture. And a puzzle: tell a friend the shapes; what was computed?
#
# ## Next
#
# A question to take along: the loss of a batch is a mean. What becomes of a training run if you double the batch, and what if it were a sum?
#
# [07 Vectors](07_vectors.ipynb): a vector that is *not* turned into one number at the end. What does backward mean then?
