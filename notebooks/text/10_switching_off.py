# %% [markdown]
# # 10 Switching it off
#
# **You will be able to** compute without recording, cut a graph where you want, join it again, and choose between no_grad, inference_mode, detach and eval.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): programs 12, 14, 15 and 16; source C, "Automatic differentiation with torch.autograd": no_grad and detach; source D, "Backprop by Autograd": numpy.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## no_grad
#
# Recording costs time and memory. When you only want the numbers, switch it off for a block.

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
# x and q require one: you said so, and no_grad does not take it back. y and z have no grad_fn, so they count as [leaves](91_glossary.ipynb#leaf), although they were computed. There is no way back from z, and the [message](92_error_clinic.ipynb#Nothing-to-go-back-through) that says so is one of the most frequent of all. It means: *there is no graph behind this tensor*.

# %% tags=["A12", "raises-exception"]
z.backward()

# %% [markdown]
# ## What is saved?
#
# The node, and all that the node holds for its backward. A power keeps its base and its exponent:

# %% tags=["A12"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
print(y.grad_fn._saved_self is x, y.grad_fn._saved_exponent)
with torch.no_grad():
    y = x**3
print(y.grad_fn)

# %% [markdown]
# In a chain of a hundred operations the nodes keep every tensor between alive. Without nodes, each is free as soon as the next is there.
#
# Blocks can stand in one another. `enable_grad()` inside a `no_grad()`: is recording on there, and after both?

# %%
course.ch10.p2

# %% tags=["C4"]
with torch.no_grad():
    print(torch.is_grad_enabled())
    with torch.enable_grad():
        print(torch.is_grad_enabled())
print(torch.is_grad_enabled())

# %% [markdown]
# Each block puts back what was before it, even if it ends with an error, and only for its own thread. `@torch.no_grad()` above a function does the same for each call of it.
#
# ## detach: one tensor, cut off
#
# no_grad is about a *stretch of code*. `detach()` is about *one tensor*: the same numbers in the same memory, without a past.

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
# Frozen parts of a network; a target that should not be pulled towards the prediction; a number for a log. In the quickstart:

# %% tags=["C4"]
inputs, weights, bias = torch.ones(5), torch.ones(5, 3, requires_grad=True), torch.ones(3, requires_grad=True)
z = torch.matmul(inputs, weights) + bias
print(z.requires_grad, z.detach().requires_grad)
with torch.no_grad():
    print((torch.matmul(inputs, weights) + bias).requires_grad)

# %% [markdown]
# A parameter can be [frozen](91_glossary.ipynb#frozen) by its own flag. Then its gradient is not even computed:

# %% tags=["C4"]
weights.requires_grad_(False)
z = torch.matmul(inputs, weights) + bias
print([node and node.name() for node, _ in z.grad_fn.next_functions])
z.sum().backward()
print(weights.grad, bias.grad)

# %% [markdown]
# A cut in the middle, while another path stays open, is the treacherous case: no error, only another gradient. Here x is 3, and `x * x.detach()` goes backward.

# %%
course.ch10.p4

# %%
x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()
print(x.grad)

# %% [markdown]
# Of the two paths one is cut: the second factor is a constant. On the bench, too, x has two ways to z: a = x³ with its logarithm, and c = q · x. The first is detached at a. In the column *cut*, close the other way at c instead, then both; then try `no_grad` and `.data`. Which numbers reach `x.grad`, and when is there an error?

# %%
torch.bench(preset="cuts")

# %% [markdown]
# ## A new leaf at the cut
#
# Make the detached tensor require a gradient: it is a leaf then, and backward stops there.

# %% tags=["A15"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach().requires_grad_()
z = w @ torch.tensor([4.0, 7.0, 9.0])
z.backward()
print(w.grad, x.grad)

# %%
torch.draw(z, y)

# %% [markdown]
# w.grad is [4, 7, 9], x.grad is None. The chain is in two halves, and the second half has done its work.
#
# ## Joining the halves
#
# w and y are the same numbers. So the gradient at w, [4, 7, 9], is the gradient at y, if only y knew. Tell it with `y.backward(gradient=w.grad)`.

# %%
course.ch10.p5

# %% tags=["A16"]
y.backward(gradient=w.grad)
print(x.grad)

# %% [markdown]
# As if there had been no cut. This is all that `gradient=` is: what has come back so far, from outside of the graph. Large models are cut so on purpose, and each half lives on a machine of its own.
#
# y has three elements, and so *needs* to be told. One element, in whatever shape, does not:

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
# Nothing is copied. What is written through one is seen through the other. That is meant so, for speed; where it hurts is the matter of chapter 11. It is also the way to NumPy; without it there is an [error](92_error_clinic.ipynb#NumPy-refused).

# %% tags=["D8"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
detached = z.detach().numpy()
detached[0, 0] = 100.0
print(z)

# %% tags=["D8", "F19", "raises-exception"]
z.numpy()

# %% [markdown]
# NumPy does not record, so whatever you did there would be lost to backward without a word. PyTorch asks you to say that you know. Plain numbers need no such promise:

# %% tags=["F19"]
print(y.tolist(), y[0, 0].item())

# %% [markdown]
# There is an older way, `z.data`. It does the same, but backward never hears of what you write through it. Don't use it; chapter 11 shows the harm.
#
# ## inference_mode
#
# A stricter no_grad. Its results are *inference tensors*: they keep even less, and may [never be saved](92_error_clinic.ipynb#An-inference-tensor) for a backward.

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
# ## eval is something else
#
# `model.eval()` sounds like one of these, and is not: it changes how some layers *compute* (dropout, batch normalization). It records as ever.

# %% tags=["F14"]
layer = torch.nn.Linear(1, 1).eval()
print(layer.training, layer(torch.ones(1)).requires_grad)

# %% [markdown]
# ## Four ways to one message
#
# "element 0 of tensors does not require grad": here is what may have happened.

# %% tags=["F9"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    unrecorded = (x**2).sum()
roots = {"requires_grad forgotten": torch.tensor(1.0) * 2, "detached": (x.detach() ** 2).sum(),
         "made under no_grad": unrecorded, "an integer result": x.argmax()}
for name, y in roots.items():
    print(f"{name}: {y.requires_grad}, {y.grad_fn}")

# %% [markdown]
# The cure: go back from the root, and print `requires_grad` of each tensor until it is True. Between the two is the cut. The same in PyTorch:

# %% tags=["A16"]
course.in_pytorch("A16")

# %% [markdown]
# ## Summary
#
# | you want | you write |
# |---|---|
# | numbers only, for a block | `with torch.no_grad():` |
# | the same, and never back | `with torch.inference_mode():` |
# | one tensor without its past | `t.detach()` |
# | its own memory as well | `t.detach().clone()` |
# | a parameter that stays as it is | `p.requires_grad_(False)` |
# | two halves joined | `y.backward(gradient=w.grad)` |
# | layers in their working mode | `model.eval()`, which is not about gradients |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch10.q1.hint()`; solutions: `course.ch10.q1.solution()`.
#
# **1.** x = 4, and y = x² + x · x.detach() goes backward. What is x.grad?

# %%
answer = ...
course.ch10.q1.check(answer)


# %% [markdown]
# **2.** Take one step downhill: w becomes w - rate · w.grad, in place, unrecorded. Return w.

# %%
def step(w, rate):
    ...


course.ch10.q2.check(step)


# %% [markdown]
# **3.** This running mean of losses keeps the graph of every turn alive. Find the leak, and repair it: the result should be the same number, as a tensor without a graph.

# %%
def mean_loss(w, batches):
    total = torch.tensor(0.0)
    for batch in batches:
        total = total + ((w * batch) ** 2).sum()
    return total / len(batches)


course.ch10.q3.check(mean_loss)


# %% [markdown]
# **4.** Cut and rejoin: `first` and `second` are functions of a tensor, and `second` returns a scalar. Compute second(first(x)) with a cut between the two, so that first has a graph of its own; go backward through both halves, and return x.grad.

# %%
def in_halves(x, first, second):
    ...


course.ch10.q4.check(in_halves)

# %% [markdown]
# ## Next
#
# [11 In place](11_in_place.ipynb): writing into a tensor that backward still needs, what is noticed, and what is not.
