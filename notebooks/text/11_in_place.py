# %% [markdown]
# # 11 In place, versions, views
#
# **You will be able to** say when a change in place is harmless, when it is refused, and when it is silently wrong.
#
# **Builds on** [03 Backward](03_backward.ipynb), what nodes save, and [10 Switching it off](10_switching_off.ipynb), detach and .data.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## Writing over a tensor
#
# In training this is the error after somebody saved memory with `relu_` or `+=`. Methods that end in `_` write into the tensor itself (a few, such as `requires_grad_`, only set a flag). So do `+=` and an assignment to an index. Each tensor counts how often this has happened: its [version](91_glossary.ipynb#version-counter).

# %% tags=["F5"]
t = torch.tensor([1.0, 2.0])
print(t._version)
t.add_(1)
t[0] = 7.0
t *= 2
print(t, t._version)

# %% [markdown]
# Does backward mind? Sometimes not:

# %% tags=["F3"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.add_(1)
y.sum().backward()
print(x.grad, y.grad_fn, y._version)

# %% [markdown]
# y is now the result of an addition: the tensor has moved on in the graph. Nobody needed its old value, since the slope of x · 2 is 2, whatever comes out.
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
# Read it [slowly](92_error_clinic.ipynb#Modified-in-place). *output 0 of Exp*: this is the tensor. *is at version 1; expected version 0*: it was saved at version 0 and written to once since then. The rule: **a tensor that backward needs must still be at the version at which it was saved.**
#
# On the bench, line 4 is such a write. Remove it (✕); then press **+ y.add_(1)**, which puts it at the end. Does the write do any harm after `backward()`?

# %%
torch.bench(preset="in place")

# %% [markdown]
# It does no harm there: backward has already used what it needed. The cure for the error is not to overwrite: `z = z + 1` makes a new tensor and leaves the old one alone.

# %% tags=["F3"]
z = x.exp()
z = z + 1
x.grad = None
z.sum().backward()
print(x.grad)

# %% [markdown]
# ## Through a second name
#
# `detach()` gives the same memory without its history. Zeros are written through it: b is exp(a), `c = b.detach()`, and then `c.zero_()`.

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
# An error and no gradient: that is the good case. b and c share their memory and their *version counter*, so backward noticed.
#
# ## And through .data?
#
# Now the same through `.data`. It shares the memory, but it has a version counter of its own.

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
# **No error, no warning, a wrong gradient.** The slope of exp is read from b, and b is zero. This is why you should [leave `.data` alone](92_error_clinic.ipynb#Silent:-changed-through-.data). Through `detach()` b came to version 1; through `.data` it stayed at 0, as if nobody had written. And NumPy? Now zeros are written through `b.detach().numpy()`.

# %%
course.ch11.p4

# %% tags=["D8"]
a.grad = None
b = a.exp()
b.detach().numpy()[:] = 0.0
b.sum().backward()
print(b._version, a.grad)

# %% [markdown]
# NumPy writes to the memory and knows nothing about counters. What is safe is a copy: `detach().clone()` has memory of its own.

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
# A leaf that requires a gradient was made by no operation, and it must stay that way to keep its gradient. So this is [refused](92_error_clinic.ipynb#A-leaf-in-place):

# %% tags=["F6", "raises-exception"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.add_(1)

# %% tags=["F6"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    w.add_(1)
print(w, w.is_leaf, w._version)

# %% [markdown]
# no_grad lifts that ban, because an optimizer has to change leaves. But now take `loss = (w * w).sum()`, then change w under no_grad, and only then run `loss.backward()`.

# %%
course.ch11.p5

# %% tags=["F6", "raises-exception"]
loss = (w * w).sum()
with torch.no_grad():
    w.sub_(0.5)
loss.backward()

# %% [markdown]
# no_grad does not stop the counting. So first backward, then the step, as in the usual training loop.
#
# ## Views
#
# A slice, a transpose or (if it need not copy) a reshape looks at the memory of another tensor, its *base*: it is a [view](91_glossary.ipynb#view). Views are in the graph, and they share the version counter of their base.

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
# The write through the view also went into the graph of the base, as it must: afterwards y holds other numbers. Its node is CopySlices, which means “a part of me was replaced”. An assignment to an index does the same:

# %% tags=["F17"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y[1] = 5.0
y.sum().backward()
print(y.grad_fn.name(), x.grad)

# %% [markdown]
# The middle one has no gradient any more: its value no longer comes from x.
#
# Some functions return several views at once. Where they require a gradient, you may [not write to them](92_error_clinic.ipynb#Several-views):

# %% tags=["F17", "raises-exception"]
first, second = (torch.ones(2, 2, requires_grad=True) * 1).unbind()
first.mul_(10)

# %% [markdown]
# And an expanded tensor has one number in many places, so it is [not clear what a write should do](92_error_clinic.ipynb#One-number-in-many-places):

# %% tags=["raises-exception"]
torch.zeros(1).expand(3).add_(1)

# %% [markdown]
# ## Summary
#
# | a write | what happens |
# |---|---|
# | to a result that nobody saved | recorded; backward is right |
# | to a tensor that backward needs | error at backward: the version differs |
# | through `detach()` | shared memory, shared version: error |
# | through `.data` or NumPy | shared memory, but not counted: **silently wrong** |
# | to `detach().clone()` | nothing: a copy |
# | to a leaf that requires a gradient | refused, except under `no_grad` |
# | to a view | recorded on its base, as CopySlices |

# %% [markdown]
# ## Exercises
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
# **3.** This function should return two tensors: b = exp(x), ready for backward, and c, which has b's values with everything below 1 set to 0, and no graph. But it spoils b. Repair it.

# %%
def pair(x):
    b = x.exp()
    c = b.data
    c[c < 1] = 0.0
    return b, c


course.ch11.q3.check(pair)


# %% [markdown]
# **4.** Return a tensor that equals x except for its first element, which is `value`. The gradient at that element of x should be 0, and right at the others. x itself, a leaf, must stay as it is.

# %%
def with_first(x, value):
    ...


course.ch11.q4.check(with_first)

# %% [markdown]
# **To invent**, without a verdict. Write a simulation, such as heat in a bar, once in place and once without: what does each keep? And a puzzle: the shortest program that is silently wrong.
#
# ## Next
#
# A question to take along: an optimizer writes into every weight in each step. Why does that never spoil a backward?
#
# [12 Hooks](12_hooks.ipynb): looking at gradients, and changing them, on their way.
