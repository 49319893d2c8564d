# %% [markdown]
# # 01 Derivative
#
# **You will be able to** say what a derivative is, measure one with a small step, choose that step well, and join derivatives by the chain rule.
#
# **Builds on** [00 Welcome](00_welcome.ipynb) and the derivatives of x², x³ and ln(x) from school.
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.course import figures

# %% [markdown]
# ## One function throughout
#
# Most of this course looks at one function, in two steps: from x to y = x³, and from y to z = ln(y), the natural logarithm, which programs call `log`. Here it is at x = 5.

# %% tags=["A1"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(x)
print(y)
print(z)

# %% [markdown]
# The question of this chapter: if x grows a little, how much does z grow?
#
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

# %%
course.ch01.p1

# %% tags=["A2"]
print((z2 - z) / (x2 - x))

# %% [markdown]
# Rise over run is the **slope**. Here it is 0.5999, which is close to 0.6 but not 0.6. There are two reasons why a measured slope can be off, and we will meet both.
#
# ## A picture: secants and the tangent
#
# A line through two points of a curve is a *secant*. What happens to its slope when the second point is far away, at x = 25?

# %%
course.ch01.p2


# %%
def f(x):
    return torch.log(x**3)


figures.tangent(f, 5.0, steps=(20.0, 8.0, 2.0), around=(4.0, 22.0), name="ln(x³)")

# %% [markdown]
# With h = 20 the secant has slope 0.2414, with h = 2 already 0.5047. As the second point comes closer, the secant turns into the *tangent*, the line that only touches. The tangent's slope is 0.6000.

# %% [markdown]
# ## The derivative is a limit
#
# The slope over a step h, as h shrinks towards zero, tends to a number. That number is the **derivative** of f at x, written df/dx:
#
# $$\frac{df}{dx} = \lim_{h \to 0} \frac{f(x + h) - f(x)}{h}$$
#
# Let us take h = 1, then 0.1, and so on, ten times smaller each time.

# %%
course.ch01.p3


# %% tags=["A0"]
def slope(f, x, h, dtype=torch.float64):
    here, there = torch.tensor(x, dtype=dtype), torch.tensor(x + h, dtype=dtype)
    return ((f(there) - f(here)) / (there - here)).item()


for h in (1.0, 0.1, 0.01, 0.001, 0.0001):
    print(f"h = {h:g}: {slope(f, 5.0, h):.5f}")

# %% [markdown]
# For h = 0.001 the slope is 0.59994. So most of what 0.5999 lacks comes from the step, which was not small enough; the rest is rounding. The step is the first reason: its part is the **truncation error**, and it shrinks with h.
#
# The rules of calculus give the limit itself: ln(x³) = 3 · ln(x), and the derivative of ln(x) is 1/x. So here it is 3/x, which at x = 5 is 0.6.

# %%
course.ch01.p4

# %%
print(f"{slope(f, 10.0, 0.0001):.5f}, {3 / 10.0}")

# %% [markdown]
# A derivative belongs to a point: the curve gets flatter, so its slope gets smaller. The formula 3/x says it for all points at once.

# %% [markdown]
# ## Is smaller always better?
#
# So why not take h = 0.000001 and be done? So far we used `float64`, numbers with about sixteen digits. PyTorch's usual numbers are `float32`, with about seven.

# %%
course.ch01.p5

# %% tags=["A2"]
for h in (0.1, 1e-2, 1e-4, 1e-5, 1e-6):
    print(f"h = {h:g}: {slope(f, 5.0, h, torch.float32):.4f}")

# %% [markdown]
# It gets better, and then it goes wrong: 0.5714 and 0.5000. Look at the two numbers that are divided at the last step.

# %%
there = torch.tensor(5.0 + 1e-6)
print(f"run  {(there - 5.0).item():.3e}")
print(f"rise {(f(there) - f(torch.tensor(5.0))).item():.3e}")

# %% [markdown]
# The rise is the difference of two numbers near 4.8 that agree in all their digits but the last. Only that last digit is left, and it was rounded. Even the run is not the 1e-06 that we asked for: x + h had to be rounded to a float32 first. This is the second reason, the **rounding error**.

# %%
figures.difference_error(f, 5.0, name="ln(x³)")

# %% [markdown]
# On the right, where the step is long, truncation wins; on the left rounding does. The valley in between is near h = 0.001 for float32, and much further left for float64. (Where the error happens to be exactly 0, a curve has a gap: a logarithmic axis has no 0.)
#
# So measuring a slope is a good way to *check* a gradient ([chapter 09](09_is_it_right.ipynb) does), and a poor way to compute one.

# %% [markdown]
# ## Try it yourself
#
# 1. Drag the point along the curve: where is the tangent steep, and where flat?
# 2. Move h from 1 down to 0.001: the orange secant turns into the green tangent.
# 3. Go down to 0.000001: the float32 slope moves away again.
# 4. Change the function to `x**2` and the formula to `2*x`.
# 5. Change it to `abs(x)`, with no formula, and x to 0. Then type -1 for h: a secant to the left.

# %%
widgets.tangent("log(x**3)", x=5.0, h=1.0, formula="3/x")


# %% [markdown]
# The last one has a corner: from the right its slope is 1, whatever h is; from the left it is -1. The limit does not exist at 0, and autograd says 0, one of the slopes in between. Such a corner is called a [kink](91_glossary.ipynb#kink); chapter 09 comes back to it.

# %% [markdown]
# ## Two variables: partial derivatives
#
# Let the exponent be a variable too: f(x, q) = x^q. Nudge one and **hold the other constant**: that slope is a *partial derivative*, written with a round ∂:
#
# $$\frac{\partial f}{\partial x} = \lim_{h \to 0} \frac{f(x + h, q) - f(x, q)}{h} \qquad \frac{\partial f}{\partial q} = \lim_{h \to 0} \frac{f(x, q + h) - f(x, q)}{h}$$

# %% tags=["A0"]
def power(x, q):
    return x**q


h = 1e-6
print(f"along x: {(power(5.0 + h, 3.0) - power(5.0, 3.0)) / h:.3f}")
print(f"along q: {(power(5.0, 3.0 + h) - power(5.0, 3.0)) / h:.3f}")

# %% [markdown]
# Along x the power rule says q · x^(q-1), which is 75. Along q the function is an exponential, with slope x^q · ln(x):

# %%
import math

print(3 * 5.0**2, f"{5.0**3 * math.log(5.0):.3f}")

# %%
course.ch01.p6

# %%
print(f"{power(5.01, 3.0) - power(5.0, 3.0):.3f}, {power(5.0, 3.01) - power(5.0, 3.0):.3f}")

# %% [markdown]
# All partial derivatives of a function together are its [gradient](91_glossary.ipynb#gradient): one number for each variable, which says how fast the result grows with it.
#
# ## Links of a chain
#
# z depends on y, and y depends on x. A nudge of x moves y, and that moves z. Measure each link on its own:

# %% tags=["A0"]
h = 1e-6
dy_dx = ((5.0 + h) ** 3 - 125.0) / h
dz_dy = (math.log(125.0 + h) - math.log(125.0)) / h
print(f"dy/dx {dy_dx:.3f}")
print(f"dz/dy {dz_dy:.5f}")

# %%
course.ch01.p7

# %% tags=["A0"]
dz_dx = (math.log((5.0 + h) ** 3) - math.log(125.0)) / h
print(f"{dz_dy * dy_dx:.4f} {dz_dx:.4f}")

# %% [markdown]
# The product of the two links and the whole way measured in one go agree. That is the [chain rule](91_glossary.ipynb#chain-rule): along a chain, derivatives are multiplied.
#
# $$\frac{dz}{dx} = \frac{dz}{dy} \cdot \frac{dy}{dx}$$
#
# This is the idea of autograd. Every operation knows the derivative of its own link; `backward()` multiplies them, from the end to the beginning.
#
# Be `backward()` yourself. The picture shows each tensor's value. Begin at z; write a gradient, press Enter, and go on, further back.

# %%
course.ch01.p8

# %% [markdown]
# Watch a nudge travel: move dx, and read off how far each number moves. Then choose *backward*: 1 at z, 0.008 at y, 0.008 · 75 at x.

# %%
widgets.nudge(5.0)

# %% [markdown]
# ## And autograd?
#
# Autograd takes no small steps, and it does not rewrite formulas. It computes the exact derivative of each link at the current numbers, and multiplies. Press ▶ until you can say: at which step does 0.008 appear, and what turns it into 0.6?

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
torch.step(z.backward)

# %% [markdown]
# First comes 1/125 = 0.008, the link from y to z; then 0.008 · 75, the link from x to y. It starts at the end: chapter 03 says more about this.

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
# | chain rule | links are multiplied | 0.008 · 75 = 0.6 |

# %% [markdown]
# ## Exercises
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
# **5.** This should measure the partial derivative along x, but it does not hold q constant. Repair it.

# %%
def along_x(f, x, q, h):
    return (f(x + h, q + h) - f(x, q)) / h


course.ch01.q5.check(along_x)

# %% [markdown]
# **To invent**, without a verdict. Plot a function of yours with its slope by small steps: where do the two go wrong? And a puzzle: give a friend slopes at five points; which function is it?
#
# ## Next
#
# A question to take along: nudging costs one more forward run for each input. What would it cost for a network of a million weights?
#
# [02 Leaves](02_leaves.ipynb): which tensors get a gradient, and how a result remembers where it came from.
