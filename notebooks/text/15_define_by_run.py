# %% [markdown]
# # 15 Define-by-run
#
# **You will be able to** put loops and branches into a computation and say what its gradient is, and tell a dynamic graph from a static one.
#
# **Mirrors** source C, "Automatic differentiation with torch.autograd", and source E, "Gradient" (2023-07-10), on dynamic graphs; and puts two of their remarks right.
#
# **Time** 25 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course


# %% [markdown]
# ## A loop whose length depends on the numbers
#
# This doubles a number until it passes a limit; when it is large enough, it squares instead.

# %% tags=["C5"]
def grow(x, limit):
    y = x
    while y < limit:
        y = y * 2 if y < 4 else y**2
    return y


# %%
course.ch15.p1

# %% tags=["C5"]
x = torch.tensor(1.5, requires_grad=True)
for limit in (2, 5, 20):
    x.grad = None
    y = grow(x, limit)
    y.backward()
    print(limit, y, x.grad)

# %% [markdown]
# Slopes 2, 4 and 48. The last: y = (4x)², so 32x, and at 1.5 that is 48. Nobody told the engine which case it was.

# %% [markdown]
# ## Where is the `if`?

# %%
torch.draw(grow(x, 5))

# %%
torch.draw(grow(x, 20))

# %% [markdown]
# Nowhere. The graph has no loop and no branch. Python decided, the operations that *ran* were recorded, and nothing else. Two calls, two graphs. Drag x, and see where the graph changes its shape:

# %%
torch.bench(grow, x=1.5, limit=20.0, plan=["z.backward()"])

# %% [markdown]
# The condition `y < limit` was computed with tensors as well, but it leaves no trace:

# %%
condition = y < 20
print(condition, condition.requires_grad, condition.grad_fn)

# %% [markdown]
# True or false has no [slope](91_glossary.ipynb#slope): nudge y a little, and the answer stays the same (or jumps). So the gradient is that of the branch which was taken, *as if it would be taken always*.

# %% [markdown]
# ## The graph is built anew
#
# Source C has it that backward rebuilds the graph. To put it right: **forward** builds it, each time. backward walks it, and [frees](91_glossary.ipynb#freed) what was saved. The next forward makes new nodes:

# %% tags=["C5"]
first = x**2
second = x**2
print(first.grad_fn is second.grad_fn)
first.backward()
second.backward()


# %% [markdown]
# No complaint about a [second backward](92_error_clinic.ipynb#Backward-a-second-time): each result has a graph of its own. Only the leaf is the same.

# %% [markdown]
# ## A graph for each datum
#
# Sentences have different lengths. A loop over the words makes a graph as long as the sentence; the weight is shared.

# %%
def read(words, w):
    state = torch.tensor(0.0)
    for word in words:
        state = torch.tanh(w * state + word)
    return state


# %%
course.ch15.p2

# %%
w = torch.tensor(0.5, requires_grad=True)
torch.draw(read(torch.tensor([1.0, -1.0, 0.5]), w))

# %%
for words in (torch.tensor([1.0, 0.5]), torch.tensor([1.0, -1.0, 0.5])):
    w.grad = None
    read(words, w).backward()
    print(len(words), w.grad)

# %% [markdown]
# This is a [recurrent](91_glossary.ipynb#recurrent) network, and going back through it is called [backpropagation](91_glossary.ipynb#backpropagation) through time. It needed no new idea.

# %% [markdown]
# ## The other way: define-and-run
#
# Older systems, TensorFlow 1 among them, had a [static](91_glossary.ipynb#static) graph. You first wrote down a plan, with no numbers in it, and later fed numbers through it.
#
# In its simplest form the plan is a list of steps:

# %% tags=["E6"]
steps = [lambda y: y * 2, lambda y: y * 2]


def run(steps, y):
    for step in steps:
        y = step(y)
    return y


# %%
course.ch15.p3

# %% tags=["E6"]
for start in (1.0, 3.0):
    x = torch.tensor(start, requires_grad=True)
    fixed = run(steps, x)
    y = x
    while y < 10:
        y = y * 2
    print(start, torch.autograd.grad(fixed, x), torch.autograd.grad(y, x))

# %% [markdown]
# The plan has slope 4 everywhere. The loop has slope 16 at 1, since it doubled four times, and 4 at 3. A static graph *can* have loops and branches, but as special nodes of the plan; Python's own `while` and `if` are over before any number is there.

# %% [markdown]
# Two notes. Source C counts [DeZero](91_glossary.ipynb#DeZero) as define-and-run; it is [define-by-run](91_glossary.ipynb#define-by-run): each call makes its nodes. And TensorFlow 2 is dynamic too, unless asked otherwise.
#
# What is gained by a plan? It can be improved as a whole before it runs, and sent to another machine.

# %% [markdown]
# ## A small static graph
#
# To see it from inside, here is one: a plan of *names*, run with whatever numbers come.

# %%
plan = [("y", torch.pow, "x", 3), ("z", torch.log, "y")]


def execute(plan, **values):
    for name, function, *arguments in plan:
        values[name] = function(*(values.get(a, a) for a in arguments))
    return values


# %%
x = torch.tensor(5.0, requires_grad=True)
values = execute(plan, x=x)
print(values["z"], torch.autograd.grad(values["z"], x))
print(execute(plan, x=torch.tensor(2.0))["z"])

# %% [markdown]
# One plan, any number of runs. Our engine did not notice: it records what runs, whoever decided it.

# %% [markdown]
# ## A branch for each element
#
# `if` asks one question. Ask it of a tensor with several elements, and there is [no one answer](92_error_clinic.ipynb#True-or-false-of-many):

# %% tags=["raises-exception"]
values = torch.tensor([-1.0, 2.0], requires_grad=True)
if values > 0:
    print("positive")

# %% [markdown]
# `torch.where` chooses element by element. Both branches are computed, and the gradient goes to the chosen one:

# %%
chosen = torch.where(values > 0, values**2, -3 * values)
print(chosen)
chosen.sum().backward()
print(values.grad)

# %%
torch.draw(chosen)

# %% [markdown]
# Here both branches *are* in the graph. That is the difference to `if`, and the source of a trap. x/√x at 0 is 0/0:

# %%
course.ch15.p4

# %% tags=["F10"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x / x.sqrt(), 0.0)
y.sum().backward()
print(y)
print(x.grad)

# %% [markdown]
# The cure is to make the *input* harmless, before the branch ([error clinic](92_error_clinic.ipynb#Silent:-NaN)):

# %% tags=["F10"]
x.grad = None
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, safe / safe.sqrt(), 0.0)
y.sum().backward()
print(x.grad)

# %% [markdown]
# ## At the edge
#
# Exactly where a branch changes, the function may have a [kink](91_glossary.ipynb#kink): two slopes, left and right. One has to be taken.

# %% tags=["F20"]
x = torch.tensor(0.0, requires_grad=True)
for f in (torch.abs, torch.relu, lambda x: x.clamp(min=0)):
    print(torch.autograd.grad(f(x), x))

# %% [markdown]
# abs takes 0, between -1 and 1. relu takes 0, and clamp at its bound takes 1, although the two functions are the same! Any slope between the two sides is allowed: a [subgradient](91_glossary.ipynb#subgradient). It is a choice, and PyTorch made these.

# %% [markdown]
# The same in PyTorch:

# %% tags=["C5"]
course.in_pytorch("C5")

# %% [markdown]
# ## Summary
#
# | | define-by-run | define-and-run |
# |---|---|---|
# | when is the graph made | as forward runs, each time | once, before any number |
# | loops and branches | Python's own | special nodes of the plan |
# | what backward sees | only what ran | the whole plan |
# | examples | PyTorch, DeZero, TensorFlow 2, this engine | TensorFlow 1 |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch15.q1.hint()`; solutions: `course.ch15.q1.solution()`.
#
# **1.** y = x; while y < 100: y = y * 3. What is the slope of the result at x = 2?

# %%
answer = ...
course.ch15.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes x and n and returns x to the n-th power with products alone, in a loop; for n = 0 it is 1. Its gradient must be right too.

# %%
def power(x, n):
    ...


course.ch15.q2.check(power)


# %% [markdown]
# **3.** This gives nan as the gradient wherever x is 0. It should be √x for positive x and 0 elsewhere, with a gradient of 0 there. Repair it.

# %%
def root(x):
    return torch.where(x > 0, torch.sqrt(x), 0.0)


course.ch15.q3.check(root)


# %% [markdown]
# **4.** Write a function of one number x that is x² for x below 1 and 2x - 1 from there on, with Python's `if`.

# %%
def two_parts(x):
    ...


course.ch15.q4.check(two_parts)

# %% [markdown]
# ## Next
#
# All pieces are there. In [16 Training](16_training.ipynb) they come together, and a network learns.
