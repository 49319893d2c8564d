# %% [markdown]
# # 13 Derivatives of derivatives
#
# **You will be able to** differentiate a gradient, and use that: curvature, Newton's method, a gradient penalty.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): programs 17 and 18; source B, "Backward"; and source C, "Automatic differentiation with torch.autograd", where it reads DeZero.
#
# **Time** 30 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course
from autograd_nb.drawing import figures

# %% [markdown]
# ## A gradient is a plain tensor
#
# z = ln(x³) at 5 has slope 3/x. The slope has a slope again: -3/x². Can we get it by differentiating x.grad?

# %% tags=["A17"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
torch.info(x.grad)

# %%
course.ch13.p1

# %% tags=["A17", "raises-exception"]
torch.autograd.grad(x.grad, x)

# %% [markdown]
# The row above said it: no requires_grad, no [grad_fn](91_glossary.ipynb#grad_fn). The number 0.6 does not know where it came from. backward computes with bare numbers and forgets, which saves memory; it is what you want nearly always.

# %% [markdown]
# ## create_graph=True
#
# With [create_graph](91_glossary.ipynb#create_graph) backward is recorded as it runs, like a forward. (PyTorch [warns](92_error_clinic.ipynb#Warned-of-a-cycle) here, once a process; why comes below.)

# %%
import warnings

warnings.simplefilter("ignore")

# %% tags=["A18"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(create_graph=True)
print(x.grad)
print(x.grad.grad_fn.next_functions)

# %% [markdown]
# Now x.grad has a grad_fn. CopyBackwards stands for the copy into `.grad`; behind it the product of the chain rule's links. So it can be differentiated.

# %%
course.ch13.p2

# %% tags=["A18"]
print(torch.autograd.grad(x.grad, x))

# %% [markdown]
# ## By hand
#
# The first derivative is a product: c = a · b, with a = 3x² (from the cube) and b = 1/y (from the logarithm). Both hang on x.

# %% tags=["A18"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
a = 3 * x**2
b = 1 / y
c = a * b
torch.draw(c)

# %% [markdown]
# The rule for products: the slope of c is the slope of a times b, plus a times the slope of b. The slope of a is 6x, and b is 1/x³.

# %%
course.ch13.p3

# %% tags=["A18"]
(through_a,) = torch.autograd.grad(a, x, grad_outputs=b.detach(), retain_graph=True)
(through_b,) = torch.autograd.grad(b, x, grad_outputs=a.detach(), retain_graph=True)
print(through_a, through_b, through_a + through_b)
print(torch.autograd.grad(c, x))

# %% [markdown]
# That is the whole difference. Plain backward makes a and b *constants*, 75 and 0.008; with create_graph they stay *expressions* in x.

# %% tags=["A18"]
constant = a.detach() * b.detach()
print(a.detach(), f"{b.item():.3f}", constant, constant.requires_grad)

# %% [markdown]
# ## autograd.grad is the better tool
#
# It returns the gradient instead of storing it in `.grad`:

# %% tags=["A18"]
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    z = torch.log(x**3)
    (slope,) = torch.autograd.grad(z, x, create_graph=True)
print(slope, x.grad)
torch.step(trace)

# %% [markdown]
# No copy, no warning: the product itself comes back. Press ▶ past the two steps of forward, and watch: each step of the backward adds nodes of its own, and the slope hangs on the end of them.
#
# ## What the warning is about
#
# backward(create_graph=True) puts a gradient into x.grad. That gradient has a graph, which holds x. So x holds its gradient and the gradient holds x: a circle.

# %% tags=["F11"]
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward(create_graph=True)
print(x.grad.grad_fn is not None)
x.grad = None
(grad,) = torch.autograd.grad(x**2, x, create_graph=True)
print(x.grad, grad)

# %% [markdown]
# Python lets go of an object when nobody holds it. In a circle somebody always does, so the memory stays until `x.grad = None`. With autograd.grad there is no circle.
#
# The same in PyTorch, with its warning:

# %% tags=["A18"]
course.in_pytorch("A18d")

# %% [markdown]
# ## As often as you like
#
# The first and the second derivative of x⁴ are 4x³ and 12x²: 32 and 48 at x = 2. The third?

# %%
course.ch13.p4

# %% tags=["B02"]
x = torch.tensor(2.0, requires_grad=True)
y = x**4
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
(third,) = torch.autograd.grad(second, x)
print(first, second, third, sep="\n")

# %% [markdown]
# The last one was not to be differentiated any more, so it has no grad_fn.
#
# Source B says that with create_graph a result always requires grad. Look at a linear function:

# %% tags=["B07"]
(recorded,) = torch.autograd.grad(x**2, x, create_graph=True)
(linear,) = torch.autograd.grad(3 * x, x, create_graph=True)
print(recorded)
print(linear, linear.requires_grad)

# %% [markdown]
# The slope of 3x is 3 wherever you stand: x does not occur in it, so nothing leads back to x.

# %% [markdown]
# ## Round in a circle
#
# sin and its derivatives at 0, each by differentiating the one before:

# %%
x = torch.tensor(0.0, requires_grad=True)
value, derivatives = torch.sin(x), []
for _ in range(6):
    derivatives.append(value.item())
    (value,) = torch.autograd.grad(value, x, create_graph=True)
print([f"{abs(d):.0f}" if d == 0 else f"{d:.0f}" for d in derivatives])

# %% [markdown]
# sin, cos, -sin, -cos, and round again.
#
# ## Newton's method
#
# Where a slope is zero, a function may be lowest. Newton's method steps to where the slope *would* be zero, if it went on as it does: x - slope/curvature. DeZero, which source C reads, shows off with this program.
#
# The function is x⁴ - 2x², lowest at 1; drawn is its slope. From 2, follow the green line down to zero: there is the next x, near 1.45.

# %%
figures.tangent(lambda x: 4 * x**3 - 4 * x, 2.0, around=1.5, name="the slope, 4x³ - 4x")


# %% tags=["C10"]
def newton_step(x):
    y = x**4 - 2 * x**2
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x)
    with torch.no_grad():
        x -= slope / curvature


# %% tags=["C10"]
x = torch.tensor(2.0, requires_grad=True)
for _ in range(6):
    print(f"{x.item():.4f}")
    newton_step(x)

# %%
course.ch13.p5

# %%
x = torch.tensor(2.0, requires_grad=True)
steps = 0
while abs(x.item() - 1) > 0.001:
    (slope,) = torch.autograd.grad(x**4 - 2 * x**2, x)
    x, steps = (x.detach() - 0.01 * slope).requires_grad_(), steps + 1
print(steps)


# %% [markdown]
# Newton's steps grow ever better, but each needs the curvature. With a million parameters the curvature is a matrix of a million times a million: that is why training uses plain slopes.

# %% [markdown]
# ## The whole matrix, or only a product
#
# The second derivatives of a function of several variables are its [Hessian](91_glossary.ipynb#Hessian).

# %% tags=["F21"]
def f(x):
    return x[0] ** 2 * x[1] + x[1] ** 3


point = torch.tensor([1.0, 2.0])
print(torch.autograd.functional.hessian(f, point))

# %% [markdown]
# Often only its product with one vector is needed. That takes no matrix: the gradient of (gradient · v).

# %%
x = point.clone().requires_grad_()
v = torch.tensor([1.0, 10.0])
(gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
(product,) = torch.autograd.grad(gradient @ v, x)
print(product)
print(torch.autograd.functional.hessian(f, point) @ v)

# %% [markdown]
# ## A gradient in the loss
#
# A [gradient penalty](91_glossary.ipynb#gradient-penalty) asks that a function be not steep. The slope is part of the loss, and the loss is differentiated by the parameters: a derivative of a derivative.

# %%
w = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([0.5, -0.5], requires_grad=True)
(slope,) = torch.autograd.grad(torch.sin(w @ x), x, create_graph=True)
penalty = (slope.norm() - 1) ** 2
penalty.backward()
print(f"{slope.norm().item():.4f} {penalty.item():.4f}", w.grad)

# %%
course.ch13.p6

# %% tags=["raises-exception"]
(slope,) = torch.autograd.grad(torch.sin(w @ x), x)
((slope.norm() - 1) ** 2).backward()

# %% [markdown]
# slope is a constant then, and so is the penalty. A loud error, for once. If the loss has other parts too, there is none: the penalty is silently a constant, and training ignores it. Print `slope.requires_grad` when in doubt.

# %% [markdown]
# ## Summary
#
# | you want | you write |
# |---|---|
# | a gradient to be differentiated | `torch.autograd.grad(y, x, create_graph=True)` |
# | the second derivative | `torch.autograd.grad` of that |
# | Hessian · v | the gradient of `gradient @ v` |
# | the whole Hessian | `torch.autograd.functional.hessian(f, x)` |
# | no circle in memory | autograd.grad, or `x.grad = None` after backward |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch13.q1.hint()`; solutions: `course.ch13.q1.solution()`.
#
# **1.** What is the second derivative of 5x³ - 2x at x = 2?

# %%
answer = ...
course.ch13.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a function f of one number, a leaf x and n, and returns the n-th derivative of f at x.

# %%
def nth_derivative(f, x, n):
    ...


course.ch13.q2.check(nth_derivative)


# %% [markdown]
# **3.** Write a function that takes f (from a vector to a number), a leaf x and a vector v, and returns the Hessian of f at x times v, without a matrix.

# %%
def hessian_product(f, x, v):
    ...


course.ch13.q3.check(hessian_product)


# %% [markdown]
# **4.** This loss should keep the slope at x small, but w.grad takes no notice of the slope. Repair it.

# %%
def penalised(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, retain_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


course.ch13.q4.check(penalised)

# %% [markdown]
# ## Next
#
# The graph has been in every picture. In [14 Reading the graph](14_reading_the_graph.ipynb) we walk it by hand, node for node.
