# %% [markdown]
# # 10 Switching it off
#
# **You will be able to** compute without recording, cut a graph and join it again, and choose between no_grad, inference_mode, detach and eval.
#
# **Builds on** [03 Backward](03_backward.ipynb), what nodes save, and [07 Vectors](07_vectors.ipynb), gradient=.
#
# **Time** 40 minutes.

# %%
import time
import tracemalloc

import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## no_grad
#
# In training this decides whether a validation loop fits into memory. Recording costs time and memory. If you only want the numbers, switch it off for a block.

# %% tags=["A12"]
with torch.no_grad():
    x = torch.tensor(5.0, requires_grad=True)
    q = torch.tensor(3.0, requires_grad=True)
    y = x**q
    z = torch.log(y)

# %%
course.ch10.p1

# %% tags=["A12"]
torch.info(x, q, y, z)

# %% [markdown]
# x and q require a gradient: you asked for it, and no_grad does not take that back. y and z have no grad_fn, so they count as [leaves](91_glossary.ipynb#leaf), although they were computed. There is no way back from z, and the [message](92_error_clinic.ipynb#Nothing-to-go-back-through) that says so is one of the most frequent. It means: *there is no graph behind this tensor*.

# %% tags=["A12", "raises-exception"]
z.backward()

# %% [markdown]
# ## What does it save?
#
# The node, and everything that the node keeps for its backward. A power keeps its base and its exponent:

# %% tags=["A12"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
print(y.grad_fn._saved_self is x, y.grad_fn._saved_exponent)
with torch.no_grad():
    y = x**3
print(y.grad_fn)


# %% [markdown]
# In a chain of sines the nodes keep every intermediate tensor alive (additions would keep none). Without nodes, each can go as soon as the next one is there. Let us measure twenty sines of a million numbers, which take 4 megabytes:

# %% tags=["C4", "long: two measurements in one function"]
def cost(x):
    tracemalloc.start()
    begin = time.perf_counter()
    y = x
    for _ in range(20):
        y = torch.sin(y)
    seconds = time.perf_counter() - begin
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, megabytes


x = torch.rand(1_000_000, requires_grad=True)
time_recorded, memory_recorded = min(cost(x) for _ in range(5))
with torch.no_grad():
    time_without, memory_without = min(cost(x) for _ in range(5))
print(f"recorded {memory_recorded:.0f} MB, without {memory_without:.0f} MB")
print("faster without:", time_without < time_recorded)

# %% [markdown]
# Twenty results are kept, or only the newest and the one before it. To see the times, print them: most of the difference is the fresh memory that each result needs. (`tracemalloc` counts NumPy's memory, but not PyTorch's: with PyTorch itself both are 0.)
#
# Blocks can be nested. Inside a `no_grad()` block, `enable_grad()` opens another: is recording on in there, and after both?

# %%
course.ch10.p2

# %% tags=["C4"]
with torch.no_grad():
    print(torch.is_grad_enabled())
    with torch.enable_grad():
        print(torch.is_grad_enabled())
print(torch.is_grad_enabled())

# %% [markdown]
# Each block restores what was before it, even if it ends with an error. `@torch.no_grad()` above a function does the same for each of its calls.
#
# ## detach: one tensor, cut off
#
# no_grad is for a *block of code*. `detach()` is for *one tensor*: it gives the same numbers in the same memory, but without a history.

# %% tags=["A14"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach()
z = w @ torch.tensor([4.0, 7.0, 9.0])
torch.info(x, y, w, z)

# %%
course.ch10.p3

# %% tags=["A14", "raises-exception"]
z.backward()

# %% [markdown]
# ## Why would anybody cut?
#
# To freeze parts of a network; to keep a target from being pulled towards the prediction; to log a number. In PyTorch's tutorial on autograd:

# %% tags=["C4"]
inputs = torch.ones(5)
weights = torch.ones(5, 3, requires_grad=True)
bias = torch.ones(3, requires_grad=True)
z = torch.matmul(inputs, weights) + bias
print(z.requires_grad, z.detach().requires_grad)
with torch.no_grad():
    print((torch.matmul(inputs, weights) + bias).requires_grad)

# %% [markdown]
# A parameter can be [frozen](91_glossary.ipynb#frozen) by its own flag. Then its gradient is not even computed:

# %% tags=["C4"]
weights.requires_grad_(False)
bias.grad = None
z = torch.matmul(inputs, weights) + bias
print(z.grad_fn.next_functions[0][0], z.grad_fn.next_functions[1][0].name())
z.sum().backward()
print(weights.grad, bias.grad)

# %% [markdown]
# It gets tricky when you cut one path while another stays open: there is no error, only a different gradient. Here x is 3, and `x * x.detach()` goes backward.

# %%
course.ch10.p4

# %%
x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()
print(x.grad)

# %% [markdown]
# One of the two paths is cut: the second factor is a constant. On the bench x also has two ways to z: through a = x³ and its logarithm, and through c = q · x. The first is detached at a.
#
# 1. Cut the way at c instead of the one at a. What is x.grad?
# 2. Cut both. Is there an error?
# 3. Try `no_grad` and `.data` in place of `detach()`. Does it make a difference?

# %%
torch.bench(preset="cuts")

# %% [markdown]
# With the first way cut, x.grad is 3, the value of q. In 1. it is 3/x, the slope of ln(x³). In 2. nothing leads back, so backward is an error. In 3. the numbers are the same: all three cut the path back.
#
# ## A new leaf at the cut
#
# Make the detached tensor require a gradient: then it is a leaf, and backward stops there.

# %% tags=["A15"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach().requires_grad_()
z = w @ torch.tensor([4.0, 7.0, 9.0])
z.backward()
print(w.grad, x.grad)
torch.draw(z, y)

# %% [markdown]
# w.grad is [4, 7, 9], x.grad is None. The chain is in two halves, and only the second half has done its work.
#
# ## Joining the halves
#
# w and y hold the same numbers. So the gradient at w, [4, 7, 9], is also the gradient at y, but y does not know it. Tell it with `y.backward(gradient=w.grad)`.

# %%
course.ch10.p5

# %% tags=["A16"]
y.backward(gradient=w.grad)
print(x.grad)

# %% [markdown]
# It is as if there had been no cut. This is all that `gradient=` is: what has come back so far, from outside the graph. Large models are cut like this on purpose, with each half on a machine of its own.
#
# y has three elements, so backward *needs* a gradient. For a single element, in whatever shape, it does not:

# %% tags=["A16"]
x = torch.tensor(5.0, requires_grad=True)
for shape in ((), (1,), (1, 1)):
    (2 * x).reshape(shape).backward()
    print(shape, x.grad)

# %% tags=["A16", "raises-exception"]
(x * torch.tensor([2.0, 3.0, 5.0])).backward()

# %% [markdown]
# ## detach shares its memory
#
# Nothing is copied. What you write through one, you see through the other. This is intended, for speed; where it hurts is the subject of chapter 11. It is also the way to NumPy, as is `z.data`, an older way; without either there is an [error](92_error_clinic.ipynb#NumPy-refused).

# %% tags=["D8"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
detached = z.detach().numpy()
detached[0, 0] = 100.0
print(z.data.numpy())
print(z)

# %% tags=["D8", "F19", "raises-exception"]
print(y.tolist(), y[0, 0].item())
z.numpy()

# %% [markdown]
# NumPy does not record, so whatever you did there would silently be lost to backward. PyTorch wants you to say that you know. Plain numbers, from `tolist()` and `item()`, need no such promise. And `.data`? Backward does not notice what you write through it. Don't use it; chapter 11 shows the harm.
#
# ## inference_mode
#
# This is a stricter no_grad. Its results are *inference tensors*: they keep even less, not so much as a version counter.

# %% tags=["F14"]
x = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():
    without = x * 2
with torch.inference_mode():
    inferred = x * 2
print(without.is_inference(), inferred.is_inference())

# %%
course.ch10.p6

# %% tags=["F14", "raises-exception"]
print((without * x).requires_grad)
inferred * x

# %% [markdown]
# An inference tensor can [never be saved](92_error_clinic.ipynb#An-inference-tensor) for a backward; a `clone()` of it, made outside the block, can.
#
# ## eval is something else
#
# `model.eval()` sounds like one of these, but it is not: it changes how some layers *compute* (dropout, batch normalization). Recording goes on as before.

# %% tags=["F14"]
layer = torch.nn.Linear(1, 1).eval()
print(layer.training, layer(torch.ones(1)).requires_grad)

# %% [markdown]
# ## Four ways to one message
#
# “element 0 of tensors does not require grad”: here is what may have happened.

# %% tags=["F9"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    unrecorded = (x**2).sum()
forgotten = torch.tensor(1.0) * 2
detached = (x.detach() ** 2).sum()
integer = x.argmax()
for y in (forgotten, detached, unrecorded, integer):
    print(y.requires_grad, y.grad_fn)

# %% [markdown]
# requires_grad was forgotten; the tensor was detached; it was made under no_grad; or it is a whole number, such as a position. The cure: go back from the result, and print `requires_grad` of each tensor until it is True. The cut is right after that one. (If it never is, nothing required a gradient.)

# %% [markdown]
# ## Summary
#
# | you want | you write |
# |---|---|
# | numbers only, for a block | `with torch.no_grad():` |
# | the same, with no way back later | `with torch.inference_mode():` |
# | one tensor without its history | `t.detach()` |
# | its own memory as well | `t.detach().clone()` |
# | a parameter that is not trained | `p.requires_grad_(False)` |
# | two halves joined | `y.backward(gradient=w.grad)` |
# | layers such as dropout switched off | `model.eval()`, which is not about gradients |

# %% [markdown]
# ## Exercises
#
# **1.** x = 4, and y = x² + x · x.detach() goes backward. What is x.grad?

# %%
answer = ...
course.ch10.q1.check(answer)


# %% [markdown]
# **2.** Take one step downhill: w becomes w - rate · w.grad, in place and unrecorded. Return w.

# %%
def step(w, rate):
    ...


course.ch10.q2.check(step)


# %% [markdown]
# **3.** This mean of losses keeps the graph of every turn alive. Find the leak, and repair it: the result should be the same number, as a tensor without a graph.

# %%
def mean_loss(w, batches):
    total = torch.tensor(0.0)
    for batch in batches:
        total = total + ((w * batch) ** 2).sum()
    return total / len(batches)


course.ch10.q3.check(mean_loss)


# %% [markdown]
# **4.** Cut and rejoin: `first` and `second` are functions of a tensor, and `second` returns a scalar. Compute second(first(x)) with a cut between the two, so that each has a graph of its own; go backward through both halves, and return x.grad.

# %%
def in_halves(x, first, second):
    ...


course.ch10.q4.check(in_halves)

# %% [markdown]
# **To invent**, without a verdict. Let two networks learn from each other's detached results: do they meet? And a puzzle: six lines with one detach; a friend says which gradients are None.
#
# ## Next
#
# A question to take along: a target network in reinforcement learning is a copy that must not learn. Which of the ways of this chapter would you take, and why?
#
# [11 In place](11_in_place.ipynb): writing into a tensor that backward still needs.
