# %% [markdown]
# # 11 In place, versions, views
#
# **You will be able to** say when a change in place is harmless, when it is refused, and when it is silently wrong.
#
# **Mirrors** source D, "Backprop by Autograd": detach, .data and clone.
#
# **Time** 30 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## Writing over a tensor
#
# Methods that end in `_` write into the tensor itself. `+=` and an assignment to an index do, too. Each tensor counts how often that happened: its [version](91_glossary.ipynb#version-counter).

# %% tags=["F5"]
t = torch.tensor([1.0, 2.0])
print(t._version)
t.add_(1)
t[0] = 7.0
t *= 2
print(t, t._version)

# %% [markdown]
# What does backward say to that? Sometimes nothing:

# %% tags=["F3"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.add_(1)
y.sum().backward()
print(x.grad, y.grad_fn, y._version)

# %% [markdown]
# y is now the result of an addition: the tensor moved on in the graph. Nobody needed its old value, since the slope of x · 2 is 2, whatever comes out.
#
# Now the same with z = exp(x): add 1 in place, then backward.

# %%
course.ch11.p1

# %% tags=["F3"]
z = x.exp()
print(z._version)
z.add_(1)
print(z._version, z)

# %% tags=["F3", "raises-exception"]
z.sum().backward()

# %% [markdown]
# Read it [slowly](92_error_clinic.ipynb#Modified-in-place). *output 0 of Exp*: which tensor. *is at version 1; expected version 0*: saved at version 0, written to once since. So the rule is: **a tensor that backward needs must be in the version in which it was saved.** exp saved its *result*.
#
# On the bench, line 4 is such a write. Take it away (✕); then choose y, and `y.add_(1)` from *change in place …*. Does it harm after `backward()`?

# %%
torch.bench(preset="in place")

# %% [markdown]
# The cure is not to write over: `z = z + 1` makes a new tensor and leaves the old one be.

# %% tags=["F3"]
z = x.exp()
z = z + 1
x.grad = None
z.sum().backward()
print(x.grad)

# %% [markdown]
# ## Through a second name
#
# `detach()` gives the same memory without a past. Source D writes zeros through it: b is exp(a), `c = b.detach()`, and then `c.zero_()`.

# %%
course.ch11.p2

# %% tags=["D9"]
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a.exp()
c = b.detach()
c.zero_()
print(b, b._version)

# %% tags=["D9", "raises-exception"]
b.sum().backward()

# %% tags=["D9"]
print(a.grad)

# %% [markdown]
# An error, and no gradient: that is the good case. Memory and *version counter* are shared, so backward noticed.
#
# ## The silent error
#
# The same through `.data`. It shares the memory, but has a version counter of its own.

# %%
course.ch11.p3

# %% tags=["D10"]
b = a.exp()
c = b.data
c.zero_()
print(b, b._version)
b.sum().backward()
print(a.grad)

# %% [markdown]
# **No error, no warning, a wrong gradient.** The slope of exp is taken from b, and b is zero. This is why `.data` [should be left alone](92_error_clinic.ipynb#Silent:-changed-through-.data). The counters, side by side:

# %% tags=["F5"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().mul_(2)
print(y._version)
y.data.mul_(2)
print(y._version)

# %% [markdown]
# `detach()` shares the counter and `.data` does not. And NumPy? Zeros are now written through `b.detach().numpy()`.

# %%
course.ch11.p4

# %% tags=["D8"]
a.grad = None
b = a.exp()
b.detach().numpy()[:] = 0.0
b.sum().backward()
print(b._version, a.grad)

# %% [markdown]
# NumPy writes to the memory and knows of no counter. Safe is a copy: `detach().clone()` has memory of its own.

# %% tags=["D11"]
a.grad = None
b = a.exp()
c = b.detach().clone()
c.zero_()
b.sum().backward()
print(b)
print(a.grad)

# %% [markdown]
# b is intact, and the gradient is exp of 1, 2 and 3: 2.7183, 7.3891, 20.0855.
#
# ## Leaves
#
# A leaf that requires a gradient has no function before it that a change could be recorded on. So this is [refused](92_error_clinic.ipynb#A-leaf-in-place):

# %% tags=["F6", "raises-exception"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.add_(1)

# %% tags=["F6"]
with torch.no_grad():
    w.add_(1)
print(w, w.is_leaf, w._version)

# %% [markdown]
# no_grad lifts that ban, as an optimizer needs it. Now `loss = (w * w).sum()`, then w changes under no_grad, and only then `loss.backward()`.

# %%
course.ch11.p5

# %% tags=["F6", "raises-exception"]
loss = (w * w).sum()
with torch.no_grad():
    w.sub_(0.5)
loss.backward()

# %% [markdown]
# no_grad does not stop the counting. So first backward, then the step: the order in every training loop.
#
# ## Views
#
# A slice, a transpose, a reshape look at the memory of another tensor, their *base*: they are [views](91_glossary.ipynb#view). They are in the graph, and they share the version.

# %% tags=["F17"]
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
row = y[0]
print(row._is_view(), row._base is y)
print(y.grad_fn.name(), row.grad_fn.name())

# %%
course.ch11.p6

# %% tags=["F17"]
row.mul_(10)
print(y)
print(row._version, y._version)
y.sum().backward()
print(x.grad)

# %%
torch.draw(y)

# %% [markdown]
# The write through the view went into the graph of the base, as it must: afterwards y *is* another tensor. Its node is CopySlices, "a part of me was replaced". An assignment to an index is the same thing:

# %% tags=["F17"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y[1] = 5.0
y.sum().backward()
print(y.grad_fn.name(), x.grad)

# %% [markdown]
# The middle one has no gradient any more: its value no longer comes from x.
#
# Some functions return several views at once. Those may [not be written to](92_error_clinic.ipynb#Several-views):

# %% tags=["F17", "raises-exception"]
first, second = (torch.ones(2, 2, requires_grad=True) * 1).unbind()
first.mul_(10)

# %% [markdown]
# And an expanded tensor has one number in many places, so a write would [not know where to go](92_error_clinic.ipynb#One-number-in-many-places):

# %% tags=["raises-exception"]
torch.zeros(1).expand(3).add_(1)

# %% [markdown]
# The same in PyTorch: refused through detach, silent through .data.

# %% tags=["D9"]
course.in_pytorch("D9")

# %% tags=["D10"]
course.in_pytorch("D10")

# %% [markdown]
# ## Summary
#
# | a write | what happens |
# |---|---|
# | to a result that nobody saved | recorded; backward is right |
# | to a tensor that backward needs | error at backward: the version differs |
# | through `detach()` | shared memory, shared version: error |
# | through `.data` or NumPy | shared memory, not counted: **silently wrong** |
# | to `detach().clone()` | nothing: a copy |
# | to a leaf that requires a gradient | refused, but for `no_grad` |
# | to a view | recorded on its base, as CopySlices |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch11.q1.hint()`; solutions: `course.ch11.q1.solution()`.
#
# **1.** t = torch.zeros(3); t.add_(1); u = t + 1; u.mul_(2); t[0] = 4. What is t._version?

# %%
answer = ...
course.ch11.q1.check(answer)

# %% [markdown]
# **2.** Which of these go backward without an error? Answer with a list of letters: (a) y = x.sin(); y.add_(1); (b) y = x.sqrt(); y.add_(1); (c) y = x.sigmoid(); y.mul_(2); (d) y = x + 3; y.mul_(2). Each time y.sum().backward() follows.

# %%
answer = ...
course.ch11.q2.check(answer)


# %% [markdown]
# **3.** This function should return b = exp(x), ready for backward, and c: b's values with all below 1 set to 0, and no graph. But it spoils b. Repair it.

# %%
def pair(x):
    b = x.exp()
    c = b.data
    c[c < 1] = 0.0
    return b, c


course.ch11.q3.check(pair)


# %% [markdown]
# **4.** Return a tensor equal to x but for its first element, which is `value`, so that the gradient at that element of x is 0 and at the others is right. x itself, a leaf, must stay as it is.

# %%
def with_first(x, value):
    ...


course.ch11.q4.check(with_first)

# %% [markdown]
# ## Next
#
# [12 Hooks](12_hooks.ipynb): looking at gradients, and changing them, on their way.
