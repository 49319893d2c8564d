# %% [markdown]
# # 15 Define-by-run
#
# **You will be able to** use loops and branches in a computation, say what its gradient is, and tell a dynamic graph from a static one.
#
# **Builds on** [14 Reading the graph](14_reading_the_graph.ipynb), and on `where` in [09 Is it right?](09_is_it_right.ipynb).
#
# **Time** 30 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course


# %% [markdown]
# ## A loop whose length depends on the numbers
#
# In training this is what makes sentences of any length and debugging with `print` possible. This function doubles a number until it reaches a limit; once the number is 4 or more, it squares it instead.

# %% tags=["C5"]
def grow(x, limit):
    y = x
    while y < limit:
        if y < 4:
            y = y * 2
        else:
            y = y**2
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
# The slopes are 2, 4 and 48. The last one: y = (4x)² = 16x², so the slope is 32x, which is 48 at 1.5. Nobody told the engine which case it was.

# %% [markdown]
# ## Where is the `if`?

# %%
torch.draw(grow(x, 5))

# %%
torch.draw(grow(x, 20))

# %% [markdown]
# Nowhere. The graph has no loop and no branch. Python decided, and only the operations that *ran* were recorded. Two calls, two graphs.
#
# 1. Drag x up and down. Where does the graph change?
# 2. Drag x to 0 or below. Why does the bench stop the program?

# %%
torch.bench(grow, x=1.5, limit=20.0, plan=["z.backward()"], controls=[])

# %% [markdown]
# In 1. it changes wherever other operations are needed, such as at x = 2 and at x = 4. In 2. no doubling ever takes x to the limit: the loop would run forever.
#
# The condition `y < limit` was computed with tensors as well, but it leaves no trace:

# %%
condition = y < 20
print(condition, condition.requires_grad, condition.grad_fn)

# %% [markdown]
# True or False has no [slope](91_glossary.ipynb#slope): nudge y a little, and the answer stays the same (or jumps). So the gradient is that of the branch that was taken, *as if it were always taken*.

# %% [markdown]
# ## The graph is built anew
#
# A common guess is that backward builds the graph. But **forward** builds it, each time. backward walks it and [frees](91_glossary.ipynb#freed) what was saved. The next forward makes new nodes:

# %% tags=["C5"]
first = x**2
second = x**2
print(first.grad_fn is second.grad_fn)
first.backward()
second.backward()


# %% [markdown]
# There is no complaint about a [second backward](92_error_clinic.ipynb#Backward-a-second-time): each result has a graph of its own. Only the leaf is the same.

# %% [markdown]
# ## A graph for each sentence
#
# Sentences have different lengths. A loop over the words makes a graph that is as long as the sentence; the weight is shared. (tanh squeezes any number between -1 and 1.)

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
# This is a [recurrent](91_glossary.ipynb#recurrent) network, and going back through it is called [backpropagation](91_glossary.ipynb#backpropagation) through time. It needs no new idea.

# %% [markdown]
# ## The other way: define-and-run
#
# Older systems, such as TensorFlow 1, had a [static](91_glossary.ipynb#static) graph. First you wrote down a plan without its inputs, and later you fed numbers through it.
#
# In its simplest form the plan is a list of steps.

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
# The plan has slope 4 everywhere. The loop has slope 16 at 1, since it doubled four times, and 4 at 3. A static graph *can* have loops and branches, but only as special nodes of the plan; Python's own `while` and `if` have finished before there are any numbers.

# %% [markdown]
# What is a plan good for? It can be improved as a whole before it runs. So PyTorch makes plans on request: `torch.compile(f)` watches a call of f, writes down its operations, and makes faster code of them for calls of the same kind. At an `if` that depends on a tensor's values the plan ends; Python decides, and another plan begins after it. What backward computes stays as you know it.

# %% [markdown]
# ## A branch for each element
#
# `if` needs one answer. A tensor with several elements [has several](92_error_clinic.ipynb#True-or-false-of-many):

# %% tags=["raises-exception"]
values = torch.tensor([-1.0, 2.0], requires_grad=True)
if values > 0:
    print("positive")

# %% [markdown]
# `torch.where` chooses element by element. Both branches are computed, and the gradient goes to the chosen one:

# %%
values = torch.tensor([-1.0, 2.0], requires_grad=True)
chosen = torch.where(values > 0, values**2, -3 * values)
print(chosen)
chosen.sum().backward()
print(values.grad)

# %%
torch.draw(chosen)

# %% [markdown]
# Here both branches *are* in the graph. That is the difference from `if`. x/√x is 0/0 at 0; here it is in the branch that is not taken there:

# %%
course.ch15.p4

# %% tags=["F10"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x / x.sqrt(), 0.0)
y.sum().backward()
print(y)
print(x.grad)

# %% [markdown]
# [Chapter 09](09_is_it_right.ipynb#What-comes-back-through-the-branch-not-taken?) followed this NaN step by step. The cure is to make the *input* harmless before the branch ([error clinic](92_error_clinic.ipynb#Silent:-NaN)):

# %% tags=["F10"]
x.grad = None
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, safe / safe.sqrt(), 0.0)
y.sum().backward()
print(x.grad)

# %% [markdown]
# ## Summary
#
# | | define-by-run | define-and-run |
# |---|---|---|
# | when is the graph made | while forward runs, each time | once, before there are any numbers |
# | loops and branches | Python's own | special nodes of the plan |
# | what backward sees | only what ran | the whole plan |
# | examples | PyTorch, [DeZero](91_glossary.ipynb#DeZero), this engine | TensorFlow 1, what `torch.compile` makes |

# %% [markdown]
# ## Exercises
#
# **1.** y = x; while y < 100: y = y * 3. What is the slope of the result at x = 2?

# %%
answer = ...
course.ch15.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes x and n and returns x to the power n, using only products, in a loop; for n = 0 it returns 1. Its gradient must be right too.

# %%
def power(x, n):
    ...


course.ch15.q2.check(power)


# %% [markdown]
# **3.** This gives nan as the gradient wherever x is not positive. It should be √x for positive x and 0 elsewhere, with a gradient of 0 there. Repair it.

# %%
def root(x):
    return torch.where(x > 0, torch.sqrt(x), 0.0)


course.ch15.q3.check(root)


# %% [markdown]
# **4.** Write a function of one number x, with Python's `if`: it is x² for x below 1, and 2x - 1 from there on.

# %%
def two_parts(x):
    ...


course.ch15.q4.check(two_parts)

# %% [markdown]
# **To invent**, without a verdict. Write a program whose graph depends on a number: a game, a search, a recursion. Plot its slope; where does it jump? And a puzzle: two programs with one graph.
#
# ## Next
#
# A question to take along: the gradient treats the branch that was taken as if it were always taken. When would that mislead an optimizer?
#
# Now you have all the pieces. In [16 Training](16_training.ipynb) they come together, and a network learns.
