# %% [markdown]
# # 04 Accumulation
#
# **You will be able to** explain why gradients add up, clear them in three ways, and use accumulation on purpose.
#
# **Builds on** [03 Backward](03_backward.ipynb): backward, retain_graph and what is freed.
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.course import figures

# %% [markdown]
# ## Twice
#
# The last chapter left a question open: what happens to x.grad when backward runs again? Let us look, one backward at a time. Each keeps the graph for the next.

# %% tags=["A7"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% tags=["A7"]
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% [markdown]
# 1.2000000476837158 is twice 0.6000000238418579, to the last digit. But is it doubled, or is something added? (Run the last cell again, and x.grad grows again. Run the one before to start anew.)

# %%
course.ch04.p1

# %%
z.backward()
print(f"{x.grad}")

# %% [markdown]
# **backward adds its gradient to `.grad`; it never replaces what is there.** This is called [accumulation](91_glossary.ipynb#accumulation).

# %%
figures.accumulation([("first backward", 0.6), ("second backward", 1.2), ("third backward", x.grad)])

# %% [markdown]
# The node that adds is [AccumulateGrad](91_glossary.ipynb#AccumulateGrad), the last one before the leaf. `torch.record` writes down what happens inside its block, in sentences. Look at number 4.

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
with torch.record() as trace:
    z.backward()
trace

# %% [markdown]
# ## Clearing, the first way: zero_()
#
# `x.grad` is a tensor like any other; `zero_()` fills it with zeros. (The underscore means that it changes the tensor itself.)

# %% tags=["A8"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% tags=["A8"]
x.grad.zero_()
z.backward()
print(f"{x.grad}")

# %% [markdown]
# 0.6000000238418579 both times: the second backward added to zero.
#
# ## The second way: None
#
# Before the first backward, `.grad` is None. You may set it back to that.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward(retain_graph=True)
x.grad = None
z.backward()
print(x.grad)

# %% [markdown]
# Zero and None are not the same. Zeros take memory and say “there is a gradient, and it is zero”. None says “there is none”. They also treat the old gradient differently:

# %%
course.ch04.p2

# %%
kept = x.grad
x.grad.zero_()
print(kept)

# %%
(x * 2).backward()
kept = x.grad
x.grad = None
print(kept, x.grad)

# %% [markdown]
# `zero_()` wrote into the tensor, and so into `kept` as well. Setting `x.grad` to None does not touch the tensor: it stays as it was.

# %% [markdown]
# ## Try it
#
# 1. Add a third backward with **+ z.backward()**. It is an error; tick *retain_graph* at the second. What is x.grad now?
# 2. **Reset**. Click **+ x.grad.zero_()**, **+ forward again** and **+ z.backward()**. Then click on one line after the other.
# 3. **Reset**, and move x. Both bars change, and the second is always twice the first.

# %%
torch.bench(preset="accumulation")

# %% [markdown]
# In 1. x.grad is three times 0.6. In 2. the bar falls to zero and starts again. The bright part of a bar was added by its line; the pale part was there before.

# %% [markdown]
# ## Why does it add?
#
# It would be easy to replace instead. There are two good reasons to add.
#
# First: a tensor may be used in several computations, each with its own backward. Its true gradient is the sum of theirs. ([Chapter 05](05_many_paths.ipynb) is about several uses within *one* backward.)
#
# Second: the gradient of a sum is the sum of the gradients. So a *loss*, which says how wrong a result is, can be summed over the data in parts.

# %% tags=["F7"]
data = torch.tensor([1.0, 2.0, 3.0, 4.0])
w = torch.tensor(2.0, requires_grad=True)
((w * data) ** 2).sum().backward()
whole = w.grad

# %%
course.ch04.p3

# %% tags=["F7"]
w.grad = None
for part in (data[:2], data[2:]):
    ((w * part) ** 2).sum().backward()
    print(w.grad)
print(whole)


# %% [markdown]
# 20 from the first half, 100 more from the second. No retain_graph was needed: each half has a graph of its own.
#
# Taking a large *batch* of data in parts is called *gradient accumulation*. Here adding up is exactly what we want.
#
# ## In a loop
#
# Now let us make a loss small: (w - 3)². Each turn computes the gradient and moves w a little against it, downhill. At w = 3 we have arrived.

# %% tags=["long: a loop with and without clearing"]
def walk(clear):
    w = torch.tensor(0.0, requires_grad=True)
    for _ in range(8):
        if clear:
            w.grad = None
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w -= 0.2 * w.grad
        print(f"{w.item():.2f}", end="  ")


# %%
course.ch04.p4

# %%
walk(clear=True)

# %%
walk(clear=False)

# %% [markdown]
# Without clearing, each step follows the sum of all gradients so far, like a ball that rolls without friction: it swings through the valley and does not come to rest. On an easy slope it may even be faster, but in general it overshoots, without an error or a warning ([error clinic](92_error_clinic.ipynb#Silent:-an-old-gradient)).

# %% [markdown]
# ## An optimizer does both
#
# In real training hardly anybody writes the update by hand. An [optimizer](91_glossary.ipynb#optimizer) such as `torch.optim.SGD` is given the tensors to move and the *learning rate* `lr`, which says how much of the gradient to move by. `zero_grad()` clears, `step()` moves.

# %% tags=["C9"]
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for _ in range(3):
    loss = (w**2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss, w)

# %% [markdown]
# Zero, backward, step: these three lines are in nearly every training loop. You may clear anywhere between one step and the next backward.
#
# Here is the map of a loss with two weights, a and b, seen from above. Take ten steps; then tick *forget zero_grad* and compare. (*Momentum* keeps a part of the last step on purpose. Forgetting keeps all of it: momentum 1.)

# %%
widgets.landscape(lr=0.05)

# %%
course.ch04.p5

# %% tags=["C9", "F7"]
(w**2).sum().backward()
optimizer.zero_grad(set_to_none=False)
print(w.grad)
optimizer.zero_grad()
print(w.grad)

# %% [markdown]
# ## Why no_grad around the update?
#
# w is a leaf that requires a gradient. What if we update it without no_grad?

# %%
course.ch04.p6

# %% tags=["F6", "raises-exception"]
(w**2).sum().backward()
w -= 0.1 * w.grad

# %% [markdown]
# If the update were recorded, it would become the operation that made w. But w is a leaf: nothing made it. Under [no_grad()](91_glossary.ipynb#no_grad) nothing is recorded, so w may be overwritten and stays the same leaf ([error clinic](92_error_clinic.ipynb#A-leaf-in-place)):

# %% tags=["F6"]
with torch.no_grad():
    w -= 0.1 * w.grad
print(w, w.is_leaf)

# %% [markdown]
# Writing `w = w - 0.1 * w.grad` instead is another mistake: it gives the name w to a *new* tensor, which is a result and not a leaf. (That cell fails when you run it a second time: this w has no `.grad`. Nor does the one above stay at one step, if you run it again.)

# %% tags=["F6"]
w = w - 0.1 * w.grad
print(w.is_leaf, w.requires_grad)

# %% [markdown]
# ## Summary
#
# | you want | you write |
# |---|---|
# | a fresh gradient each turn | `optimizer.zero_grad()`, or `w.grad = None`, before backward |
# | zeros in the same tensor | `w.grad.zero_()` |
# | a batch in parts | several backwards, one step |
# | to keep an old gradient | `kept = w.grad`, then `w.grad = None` |

# %% [markdown]
# ## Exercises
#
# **1.** z = ln(x³) at x = 5, and backward runs three times, each with `retain_graph=True`. What is x.grad?

# %%
answer = ...
course.ch04.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a leaf w and a list of tensors, and returns the gradient at w of the sum of all (w · part)². Run one backward for each part, so that no graph is larger than its part.

# %%
def in_parts(w, parts):
    ...


course.ch04.q2.check(in_parts)


# %% [markdown]
# **3.** This walk swings wildly. Repair it.

# %%
def descend(w, steps):
    for _ in range(steps):
        loss = (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


course.ch04.q3.check(descend)


# %% [markdown]
# **4.** Write a function that takes a leaf x which has a gradient, returns that gradient, and leaves x cleared for the next backward.

# %%
def take_gradient(x):
    ...


course.ch04.q4.check(take_gradient)

# %% [markdown]
# **To invent**, without a verdict. Let a line learn without ever clearing its gradient, and plot the loss: what does the learner resemble? And a puzzle: a loop with one forgotten line; a friend finds it by the numbers alone.
#
# ## Next
#
# A question to take along: if a gradient replaced the old one, which programs of this chapter would become longer?
#
# [05 Many paths](05_many_paths.ipynb): one tensor used twice, and the order in which backward walks.
