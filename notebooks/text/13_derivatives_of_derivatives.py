# %% [markdown]
# # 13 Derivatives of derivatives
#
# **You will be able to** differentiate a gradient, use that for curvature, Newton's method and a gradient penalty, and compute slopes forward.
#
# **Builds on** [07 Vectors](07_vectors.ipynb), autograd.grad, and [01 Derivative](01_derivative.ipynb), the chain rule link by link.
#
# **Time** 45 minutes.

# %%
import math

import autograd_nb as torch
from autograd_nb import course
from autograd_nb.course import figures

# %% [markdown]
# ## A gradient is a plain tensor
#
# In training this is behind gradient penalties and everything that reads curvature. z = ln(x³) has the slope 3/x. The slope has a slope again: -3/x². Can we get it by differentiating x.grad?

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
# The table above says why: no requires_grad, no [grad_fn](91_glossary.ipynb#grad_fn). The number 0.6 does not know where it came from. backward computes with bare numbers and records nothing, which saves memory.
#
# ## create_graph=True
#
# With [create_graph](91_glossary.ipynb#create_graph) backward is recorded while it runs, like a forward. (PyTorch [warns](92_error_clinic.ipynb#Warned-of-a-cycle) here, once per process; below you will see why. We switch warnings off first.)

# %% tags=["A18"]
import warnings

warnings.simplefilter("ignore")
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(create_graph=True)
print(x.grad)
print(x.grad.grad_fn.next_functions)

# %% [markdown]
# Now x.grad has a grad_fn. CopyBackwards is the copy into `.grad`; behind it is the product of the chain rule's links. So x.grad can be differentiated.

# %%
course.ch13.p2

# %% tags=["A18"]
print(torch.autograd.grad(x.grad, x))

# %% [markdown]
# ## By hand
#
# The first derivative is a product: c = a · b, with a = 3x² (from the cube) and b = 1/y (from the logarithm). Both depend on x.

# %% tags=["A18"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
a = 3 * x**2
b = 1 / y
c = a * b
torch.draw(c)

# %% [markdown]
# The rule for products: the slope of c is the slope of a times b, plus a times the slope of b. Link by link, at x = 5, where a is 75 and b is 0.008:
#
# $$\frac{\partial a}{\partial x} = 6x = 30 \qquad \frac{\partial b}{\partial y} = -\frac{1}{y^2} = -0.000064 \qquad \frac{\partial y}{\partial x} = 3x^2 = 75$$
#
# $$\frac{\partial c}{\partial x} = \frac{\partial a}{\partial x} \, b + a \, \frac{\partial b}{\partial y} \frac{\partial y}{\partial x} = 30 \cdot 0.008 + 75 \cdot (-0.000064) \cdot 75$$

# %%
course.ch13.p3

# %% tags=["A18"]
(through_a,) = torch.autograd.grad(a, x, grad_outputs=b.detach(), retain_graph=True)
(through_b,) = torch.autograd.grad(b, x, grad_outputs=a.detach(), retain_graph=True)
print(through_a, through_b, through_a + through_b)
print(f"{30 * 0.008:.2f} {75 * -0.000064 * 75:.2f}")
print(torch.autograd.grad(c, x))

# %% [markdown]
# That is the whole difference: to plain backward a and b are *constants*, 75 and 0.008; with create_graph they stay *expressions* in x.
#
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
# No copy, no warning: you get the product itself. Press ▶ past the two steps of forward and watch: each step of the backward adds nodes of its own, and at the end of them is the slope.
#
# ## What the warning is about
#
# backward(create_graph=True) puts a gradient into x.grad. That gradient has a graph, and the graph leads to x. So x holds on to its gradient, and the gradient holds on to x: a cycle.

# %% tags=["F11"]
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward(create_graph=True)
print(x.grad.grad_fn is not None)
x.grad = None
(grad,) = torch.autograd.grad(x**2, x, create_graph=True)
print(x.grad, grad)

# %% [markdown]
# Python frees an object when nothing refers to it any more; in a cycle something does. Here Python's garbage collector finds the cycle sooner or later; in PyTorch it runs through C++, where the collector cannot look, and the memory stays in use until `x.grad = None`. With autograd.grad there is no cycle.
#
# ## As often as you like
#
# The first and the second derivative of x⁴ are 4x³ and 12x²: 108 at x = 3, both times. The third?

# %%
course.ch13.p4

# %% tags=["B02"]
x = torch.tensor(3.0, requires_grad=True)
y = x**4
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
(third,) = torch.autograd.grad(second, x)
print(first, second, third, sep="\n")

# %% [markdown]
# We did not ask to differentiate the last one again, so it has no grad_fn.
#
# Does a result with create_graph always require grad? Look at a linear function:

# %% tags=["B07"]
(recorded,) = torch.autograd.grad(x**2, x, create_graph=True)
(linear,) = torch.autograd.grad(3 * x, x, create_graph=True)
print(recorded)
print(linear, linear.requires_grad)


# %% [markdown]
# The slope of 3x is 3: nothing leads back to x.
#
# ## Newton's method
#
# Where its slope is zero, a function may be at its lowest. Newton's method steps to where it *would* be zero if it ran straight on: to x - slope/curvature. *Curvature* is the slope of the slope.
#
# Here is the slope of x⁴ - 2x², which is lowest at 1 and -1. From 2, follow the green tangent to the zero line: near 1.45 is the next x.

# %%
def slope_of(x):
    return 4 * x**3 - 4 * x


figures.tangent(slope_of, 2.0, around=(2.0, 0.5), name="slope of x⁴ - 2x²", zero=True)


# %% tags=["C10"]
def newton_step(x):
    y = x**4 - 2 * x**2
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x)
    with torch.no_grad():
        x -= slope / curvature


# %% tags=["C10"]
x = torch.tensor(2.0, requires_grad=True)
steps = 0
while abs(x.item() - 1) > 0.001:
    newton_step(x)
    steps += 1
    print(f"{x.item():.4f}")
print(steps)

# %% [markdown]
# Four steps to come within 0.001; but each one needs the curvature. With a million parameters the curvature is a matrix of a million times a million numbers: so training mostly uses plain slopes.
#
# On a map you can compare them. Choose *Newton* and take one step. Then go back to the start, choose gradient descent and take ten. (This loss is quadratic, its slope runs straight on: so one Newton step ends in the minimum, but for rounding.)

# %%
from autograd_nb import widgets

widgets.landscape("a**2 + 6 * b**2 + a * b")


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
# Often you only need its product with one vector. For that you need no matrix: take the gradient of (gradient · v).

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
# A [gradient penalty](91_glossary.ipynb#gradient-penalty) keeps a function from being too steep. The slope is part of the loss, and the loss is differentiated with respect to the parameters: a derivative of a derivative.

# %%
w = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([0.5, -0.5], requires_grad=True)
(slope,) = torch.autograd.grad(torch.sin(w @ x), x, create_graph=True)
penalty = (slope.norm() - 1) ** 2
penalty.backward()
print(f"{slope.norm().item():.4f} {penalty.item():.4f}", w.grad)

# %%
course.ch13.p5

# %% tags=["raises-exception"]
(slope,) = torch.autograd.grad(torch.sin(w @ x), x)
((slope.norm() - 1) ** 2).backward()


# %% [markdown]
# Without create_graph the slope is a constant, and so is the penalty. Here you get a loud error. But if the loss has other parts too, there is none: the penalty is silently a constant, and training ignores it. Print `slope.requires_grad` when in doubt.

# %% [markdown]
# ## The other direction
#
# So far slopes went from the result to the inputs. They can go along with the values, too. A *dual number* is a value and its slope, and each operation computes both: this is [forward mode](91_glossary.ipynb#forward-mode).

# %% tags=["long: dual numbers with four operations"]
class Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)


def log(a):
    return Dual(math.log(a.value), a.slope / a.value)


def sqrt(a):
    return Dual(math.sqrt(a.value), a.slope / (2 * math.sqrt(a.value)))


# %% [markdown]
# The expression of [chapter 05](05_many_paths.ipynb), with two paths. x gets the slope 1, since we ask how z changes with x:

# %%
at = Dual(5.0, 1.0)
z = log(at * at * at) + sqrt(at * at)
print(f"{z.value:.4f} {z.slope:.4f}")
leaf = torch.tensor(5.0, requires_grad=True)
(torch.log(leaf * leaf * leaf) + torch.sqrt(leaf * leaf)).backward()
print(f"{leaf.grad.item():.4f}")

# %%
course.ch13.p6


# %%
def product_sum(a, b, c):
    return a * b + b * c * a


for chosen in range(3):
    a, b, c = (Dual(value, float(place == chosen)) for place, value in enumerate((2.0, 3.0, 4.0)))
    print(f"run {chosen + 1}: {product_sum(a, b, c).slope}")

# %% [markdown]
# No graph, and nothing is kept: when z is there, so is its slope. But one run gives the slopes along *one* input; one backward pass gives the slopes of *one* result along every input. A loss of a million weights goes backward.
#
# | a function of n inputs with m outputs | forward mode | backward mode |
# |---|---|---|
# | passes for all slopes | n | m |
# | memory for what is computed on the way | none | all that the formulas read |
# | fits | few inputs: a curve, a simulation with three knobs | one loss of many weights |
# | one pass gives | the Jacobian times a vector | a vector times the Jacobian |
# | in PyTorch | `torch.func.jacfwd`, `torch.autograd.forward_ad` | `backward()`, `torch.func.jacrev` |
#
# With slopes other than 1 and 0, one run gives the Jacobian times these. `torch.autograd.functional.jvp` gives the same, by two backward passes; autograd_nb has no forward mode.

# %%
inputs, directions = (2.0, 3.0, 4.0), (1.0, 10.0, 100.0)
print(product_sum(*map(Dual, inputs, directions)).slope)
primals, tangents = (tuple(map(torch.tensor, numbers)) for numbers in (inputs, directions))
print(torch.autograd.functional.jvp(product_sum, primals, tangents)[1])

# %% [markdown]
# ## Summary
#
# | you want | you write |
# |---|---|
# | a gradient that you can differentiate | `torch.autograd.grad(y, x, create_graph=True)` |
# | the second derivative | `torch.autograd.grad` of that |
# | Hessian · v | the gradient of `gradient @ v` |
# | the whole Hessian | `torch.autograd.functional.hessian(f, x)` |
# | no cycle in memory | autograd.grad, or `x.grad = None` after backward |
# | slopes of many outputs along one input | forward mode: each operation hands on a value and its slope |

# %% [markdown]
# ## Exercises
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
# **3.** Write a function that takes f (from a vector to a number), a leaf x and a vector v, and returns the Hessian of f at x times v, without computing the matrix.

# %%
def hessian_product(f, x, v):
    ...


course.ch13.q3.check(hessian_product)


# %% [markdown]
# **4.** This loss should keep the slope at x small, but w.grad ignores the slope. Repair it.

# %%
def penalised(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, retain_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


course.ch13.q4.check(penalised)


# %% [markdown]
# **5.** Write the derivative of tanh for dual numbers: it takes one and returns one. `course.ch13.Dual` is the class of above.

# %%
def tanh(a):
    ...


course.ch13.q5.check(tanh)

# %% [markdown]
# **To invent**, without a verdict. Plot sin with its first four derivatives. And a puzzle: a curve's slopes at 0, up to the sixth, for a friend to name the curve.
#
# ## Next
#
# A question to take along: each derivative is a graph that is longer than the last. How long is that of the tenth derivative of sin, and of x¹⁰?
#
# In [14 Reading the graph](14_reading_the_graph.ipynb) we walk through it by hand, node by node.
