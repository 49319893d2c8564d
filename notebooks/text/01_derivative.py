# %% [markdown]
# # 01 Derivative
#
# **You will be able to** say what a derivative is, measure one with a small step, choose that step well, and join derivatives by the chain rule.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): its introduction and programs 1 to 3.
#
# **Time** 20 minutes.

# %%
import autograd_nb as torch
from autograd_nb.drawing import figures

# %% [markdown]
# ## One function, all along
#
# Most of this course looks at one function, in two steps: from x to y = x³, and from y to z = ln(y). Here it is at x = 5.

# %% tags=["A1"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(x)
print(y)
print(z)

# %% [markdown]
# The question of this chapter: if x grows a little, how much does z grow?

# %% [markdown]
# ## Try it: a small step
#
# We move x from 5 to 5.001 and compute again.

# %% tags=["A2"]
x2 = torch.tensor(5.001)
y2 = x2**3
z2 = torch.log(y2)
print(x2)
print(y2)
print(z2)

# %% [markdown]
# <details><summary><b>Predict</b>: z rose from 4.8283 to 4.8289, over a run of 0.001. What is rise over run, about?</summary>
#
# A rise of 0.6 thousandths over a run of one thousandth: 0.6.
#
# </details>

# %% tags=["A2"]
print((z2 - z) / (x2 - x))


# %% [markdown]
# Rise over run is the **slope**. Here 0.5999, close to 0.6 and yet not 0.6. There are two reasons why a measured slope can be off, and we shall meet both.

# %% [markdown]
# ## A picture: secants and the tangent
#
# A line through two points of a curve is a *secant*. As the second point comes closer, the secant turns into the *tangent*: the line that only touches.

# %%
def f(x):
    return torch.log(x**3)


figures.tangent(f, 5.0, steps=(20.0, 8.0, 2.0), around=(4.0, 22.0), name="ln(x³)")


# %% [markdown]
# With h = 20 the secant has slope 0.2414, with h = 2 already 0.5047. The tangent's slope is 0.6000.

# %% [markdown]
# ## The derivative is a limit
#
# The slope over a step h, as h shrinks towards zero, tends to a number. That number is the **derivative** of f at x, written df/dx:
#
# $$\frac{df}{dx} = \lim_{h \to 0} \frac{f(x + h) - f(x)}{h}$$

# %% tags=["A0"]
def slope(f, x, h, dtype=torch.float64):
    here, there = torch.tensor(x, dtype=dtype), torch.tensor(x + h, dtype=dtype)
    return ((f(there) - f(here)) / (there - here)).item()


for h in (1.0, 0.1, 0.01, 0.001, 0.0001):
    print(f"h = {h:g}: {slope(f, 5.0, h):.5f}")

# %% [markdown]
# Each ten times smaller h brings ten times less error. For h = 0.001 the slope is 0.59994, so 0.5999 was no mistake of the computer: the step was finite. This is the first reason, the **truncation error**.

# %% [markdown]
# By the rules of calculus: ln(x³) = 3 · ln(x), and its derivative is 3/x. At x = 5 that is 0.6.

# %% tags=["A0"]
3 / 5.0

# %% [markdown]
# ## Smaller, then worse
#
# So why not take h = 0.000001? PyTorch's usual numbers are `float32`, with about seven digits.
#
# <details><summary><b>Predict</b>: in float32, will the slope over h = 0.000001 be better or worse than over h = 0.01?</summary>
#
# Much worse. Run on.
#
# </details>

# %% tags=["A2"]
for h in (0.1, 1e-2, 1e-4, 1e-5, 1e-6):
    print(f"h = {h:g}: {slope(f, 5.0, h, torch.float32):.4f}")

# %% [markdown]
# First it gets better, then it goes wrong: 0.5714 and 0.5000. Look at what is divided.

# %%
there = torch.tensor(5.0 + 1e-6)
print(f"run  {(there - 5.0).item():.3e}")
print(f"rise {(f(there) - f(torch.tensor(5.0))).item():.3e}")

# %% [markdown]
# The rise is the difference of two numbers near 4.8 that agree in all their digits but the last. What is left is that last digit, and it was rounded. This is the second reason, the **rounding error**.

# %%
figures.difference_error(f, 5.0, name="ln(x³)")

# %% [markdown]
# On the left truncation wins, on the right rounding; the valley between lies near 0.001 for float32. With float64, which has sixteen digits, it lies much further to the right.
#
# So measuring a slope is a way to *check* a gradient (chapter 09 does so, in float64), and a poor way to compute one.

# %% [markdown]
# Now by hand: drag the point along the curve, then move h. See the secant turn into the tangent, and the error fall and rise again. Both functions may be changed too.

# %%
from autograd_nb import widgets

widgets.tangent("log(x**3)", x=5.0, h=1.0, formula="3/x")


# %% [markdown]
# ## Two variables: partial derivatives
#
# Let the exponent be a variable too: f(x, q) = x^q. Nudge one and **hold the other constant**: that slope is a *partial derivative*, written with a round ∂.

# %% tags=["A0"]
def power(x, q):
    return x**q


h = 1e-6
print(f"along x: {(power(5.0 + h, 3.0) - power(5.0, 3.0)) / h:.3f}")
print(f"along q: {(power(5.0, 3.0 + h) - power(5.0, 3.0)) / h:.3f}")

# %% [markdown]
# Along x the power rule says q · x^(q-1) = 75. Along q it is another function, an exponential: x^q · ln(x).

# %%
import math

print(3 * 5.0**2, f"{5.0**3 * math.log(5.0):.3f}")

# %% [markdown]
# <details><summary><b>Predict</b>: a step of 0.01 along x, or along q: which one moves f more?</summary>
#
# Along q: 201.180 is more than 75.
#
# </details>

# %%
print(f"{power(5.01, 3.0) - power(5.0, 3.0):.3f}, {power(5.0, 3.01) - power(5.0, 3.0):.3f}")

# %% [markdown]
# All partial derivatives of a function together are its **gradient**: one number for each variable, saying how fast the result grows with it.

# %% [markdown]
# ## Links of a chain
#
# z depends on y, and y on x. A nudge of x moves y, and that moves z. Measure each link alone:

# %% tags=["A0"]
h = 1e-6
dy_dx = ((5.0 + h) ** 3 - 125.0) / h
dz_dy = (math.log(125.0 + h) - math.log(125.0)) / h
print(f"dy/dx {dy_dx:.3f}")
print(f"dz/dy {dz_dy:.5f}")

# %% [markdown]
# <details><summary><b>Predict</b>: y moves 75 times as far as x, and z 0.008 times as far as y. How far does z move, compared with x?</summary>
#
# 75 · 0.008 = 0.6 times as far.
#
# </details>

# %% tags=["A0"]
dz_dx = (math.log((5.0 + h) ** 3) - math.log(125.0)) / h
print(f"{dy_dx * dz_dy:.4f} {dz_dx:.4f}")

# %% [markdown]
# That is the **chain rule**: along a chain, derivatives are multiplied.
#
# $$\frac{dz}{dx} = \frac{dy}{dx} \cdot \frac{dz}{dy}$$
#
# It is the whole idea of autograd. Every operation knows the derivative of its own link; `backward()` multiplies them, from the end to the beginning.

# %% [markdown]
# ## And autograd?
#
# It neither takes small steps nor transforms formulas. It takes the exact derivative of each link, at the numbers at hand, and multiplies: 75 and 0.008.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward()
x.grad

# %% [markdown]
# What does a tensor know about all this when we do not ask for gradients? Nothing: three plain tensors, no record. The four facts shown here are the subject of the next chapter.

# %% tags=["A3"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
for t in (x, y, z):
    print(t.requires_grad, t.is_leaf, t.grad_fn, t.grad)

# %% [markdown]
# The same in PyTorch, with float64 below:

# %%
from autograd_nb import course

course.in_pytorch("A2b")

# %% [markdown]
# ## Summary
#
# | word | meaning | here |
# |---|---|---|
# | slope | rise over run, for a step h | 0.5999 for h = 0.001 |
# | derivative | the limit of the slope as h shrinks | 3/x = 0.6 |
# | truncation error | the step is finite | h large |
# | rounding error | digits are finite | h small |
# | partial derivative | one variable moves, the others are held | 75 and 201.180 |
# | chain rule | links are multiplied | 75 · 0.008 = 0.6 |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch01.q1.hint()`; solutions: `course.ch01.q1.solution()`.
#
# **1.** f(x, q) = q · x². What is its partial derivative along x, at x = 2 and q = 3?

# %%
answer = ...
course.ch01.q1.check(answer)


# %% [markdown]
# **2.** A better slope goes from x - h to x + h, instead of from x to x + h. Write it.

# %%
def slope(f, x, h):
    ...


course.ch01.q2.check(slope)

# %% [markdown]
# **3.** y = 3x + 1 and z = y². What is dz/dx at x = 2?

# %%
answer = ...
course.ch01.q3.check(answer)

# %% [markdown]
# **4.** Choose a step h for which the slope of ln(x³) at 5, in float32, is wrong by less than 0.001.

# %%
answer = ...
course.ch01.q4.check(answer)

# %% [markdown]
# ## Next
#
# [02 Leaves](02_leaves.ipynb): which tensors get a gradient, and how a result remembers where it came from.
