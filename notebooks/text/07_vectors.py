# %% [markdown]
# # 07 Vectors
#
# **You will be able to** go backward from a vector, say what the result means, get a whole Jacobian, and ask for gradients with autograd.grad.
#
# **Builds on** [06 Several inputs](06_several_inputs.ipynb): vectors, the dot product `@`, and a gradient for each input.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets

# %% [markdown]
# ## A scalar, or else
#
# So far every backward started from one number. What if there are several?

# %% tags=["F8", "D2", "raises-exception"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).backward()

# %% [markdown]
# The gradient of x² would be the slopes of three outputs along three inputs: a table of nine numbers, but x.grad has room for three. So you have to say how much each output counts: you give it a weight. ([Error clinic](92_error_clinic.ipynb#Not-a-scalar))

# %% tags=["F8"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
weights = torch.tensor([1.0, 0.0, 10.0])
(x**2).backward(gradient=weights)
print(x.grad)

# %%
course.ch07.p1

# %% tags=["F8"]
x.grad = None
(weights * x**2).sum().backward()
print(x.grad)

# %% [markdown]
# So the weights stand for whatever comes *after* this vector. In chapter 06 a vector y went into z = y @ [4, 7, 9]. Giving the same three numbers to y's own backward has the same effect:

# %% tags=["A13", "A16"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
(y @ torch.tensor([4.0, 7.0, 9.0])).backward(retain_graph=True)
print(x.grad)
x.grad = None
y.backward(gradient=torch.tensor([4.0, 7.0, 9.0]))
print(x.grad)

# %% [markdown]
# With all weights one, it is the gradient of the *sum*. For Q = 3a³ - b² the slopes are 9a² and -2b:

# %% tags=["B1"]
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(a.grad, b.grad)


# %% [markdown]
# ## The Jacobian
#
# The table is called the [Jacobian](91_glossary.ipynb#Jacobian). For inputs x₁ … xₙ and outputs y₁ … yₘ it has a row for each output and a column for each input, and in each place the slope of that output along that input:
#
# $$J = \begin{pmatrix} \frac{\partial y_1}{\partial x_1} & \cdots & \frac{\partial y_1}{\partial x_n} \\ \vdots & & \vdots \\ \frac{\partial y_m}{\partial x_1} & \cdots & \frac{\partial y_m}{\partial x_n} \end{pmatrix}$$

# %% tags=["B10"]
def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])


J = torch.autograd.functional.jacobian(f, torch.tensor([1.0, 2.0]))
print(J)

# %% [markdown]
# backward(v) never computes this table. It computes **v times the table**, `v @ J`, one number for each input: the [vector-Jacobian product](91_glossary.ipynb#vector–Jacobian-product), in books $v^T J$.
#
# $$v^T J = \left( \sum_i v_i \frac{\partial y_i}{\partial x_1}, \; \ldots, \; \sum_i v_i \frac{\partial y_i}{\partial x_n} \right)$$
#
# If y goes on into a loss L, and v holds the ∂L/∂yᵢ, then this is the chain rule: it gives the ∂L/∂xⱼ. Let v be [1, 10, 100].

# %%
course.ch07.p2

# %% tags=["B10", "C7"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = f(x)
v = torch.tensor([1.0, 10.0, 100.0])
y.backward(v, retain_graph=True)
print(x.grad, v @ J)

# %% [markdown]
# $v^T J = 1\cdot(2, 1) + 10\cdot(2, 0) + 100\cdot(0, 3) = (22, 301)$: the rows of the table, weighted and added. Drag the sliders of v and watch x.grad, or press **Next row** to see the rows come in one by one. Which v picks out a single row?

# %%
widgets.vector_jacobian(f, [1.0, 2.0], v=[1.0, 10.0, 100.0])

# %% [markdown]
# ## How many walks?
#
# Is the backward of a vector several scalar ones, one after another? A [hook](91_glossary.ipynb#hook) on y's node is called whenever that node runs, with the gradients that go out and those that came in. Ours counts:

# %%
course.ch07.p3

# %% tags=["B10"]
visits = []
handle = y.grad_fn.register_hook(lambda going_out, came_in: visits.append(came_in))
y.backward(v, retain_graph=True)
handle.remove()
print(len(visits), visits[0])

# %% [markdown]
# The whole v goes through the graph at once. Each node multiplies it by its own small Jacobian and passes on a gradient as large as its input. That is why a network with a million weights can be trained at all.
#
# ## The whole Jacobian after all
#
# v = [1, 0, 0] picks out the first row. So each row costs one backward. `autograd.grad` returns a tuple of gradients; `(row,) =` takes the only one out.

# %% tags=["F21", "B10"]
rows = []
for one in torch.eye(3):
    (row,) = torch.autograd.grad(y, x, grad_outputs=one, retain_graph=True)
    rows.append(row)
print(torch.stack(rows))

# %% [markdown]
# `functional.jacobian` does just this: three outputs, three backwards. If the result is a scalar, there is only one row, and only then does the Jacobian have the shape of x itself:

# %% tags=["B10"]
jacobian = torch.autograd.functional.jacobian
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(jacobian(lambda x: (x**2).sum(), x).shape)
print(jacobian(lambda x: (x**2).sum(dim=1), x).shape)
print(jacobian(lambda x: x**2, x).shape)

# %% [markdown]
# First comes the shape of the output, then the shape of the input. The third has 36 entries, and only 6 of them are not zero: each output depends on one input only.
#
# ## An example from PyTorch's tutorial
#
# v always has the shape of the output, whatever that is. In PyTorch's own tutorial on autograd the output is transposed. Its slope is 2 · (inp + 1).

# %%
course.ch07.p4

# %% tags=["C6", "long: three backwards to be compared"]
inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
print(out.shape, inp.shape)
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)

# %% [markdown]
# A v of another shape is [refused](92_error_clinic.ipynb#A-gradient-of-another-shape). The cell after that shows that for a scalar backward() is short for backward(tensor(1.0)):

# %% tags=["B6", "raises-exception"]
out.backward(torch.ones_like(inp))

# %% tags=["C8"]
x = torch.tensor(3.0, requires_grad=True)
for gradient in (None, torch.tensor(1.0), torch.tensor(2.0)):
    x.grad = None
    (x**2).backward(gradient)
    print(x.grad)

# %% [markdown]
# ## Several roots, some leaves
#
# `torch.autograd.backward` takes several [roots](91_glossary.ipynb#root), the tensors where backward starts, each with its own gradient (None for a scalar): one pass for all. And `inputs=` names the tensors whose `.grad` is written; all others are left alone.

# %% tags=["B3", "B6"]
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
torch.autograd.backward([a**2 * b, a.sum()], [torch.tensor([10.0, 1.0]), None], inputs=[a])
print(a.grad, b.grad)

# %% [markdown]
# ## autograd.grad: give it to me
#
# backward *leaves* gradients in `.grad`. `autograd.grad` *returns* them, in a tuple, and does not touch any `.grad`. For one input, too, it is a tuple: `(grad_x,) =` takes the gradient out, and two names there are a [common slip](92_error_clinic.ipynb#A-tuple-of-one).

# %% tags=["B7"]
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
grad_x, grad_y = torch.autograd.grad(x**2 * y, (x, y))
print(grad_x, grad_y, x.grad)

# %% [markdown]
# ## An input that is not used
#
# backward would just leave its `.grad` at None. `autograd.grad` takes it for a [mistake](92_error_clinic.ipynb#An-unused-input), unless you say that it is intended: allow_unused gives None in its place, materialize_grads gives zeros.

# %% tags=["B8"]
print(torch.autograd.grad(x**2, (x, y), allow_unused=True))
print(torch.autograd.grad(x**2, (x, y), materialize_grads=True))

# %% [markdown]
# ## Summary
#
# | you write | you get |
# |---|---|
# | `y.backward(v)` | v @ J, added into the leaves' `.grad`, in one pass |
# | `y.backward()` | the same with v = 1, for one element only |
# | `autograd.grad(y, x, v)` | v @ J, returned in a tuple; no `.grad` is touched |
# | `autograd.backward([y, z], [v, w])` | several roots, one pass |
# | `backward(inputs=[a])` | only a's `.grad` |
# | `functional.jacobian(f, x)` | the whole table, one backward for each row |

# %% [markdown]
# ## Exercises
#
# **1.** x = [1, 2], y = [x₀ · x₁, x₁²], and y.backward(gradient=[2, 1]). What is x.grad, as a list?

# %%
answer = ...
course.ch07.q1.check(answer)


# %% [markdown]
# **2.** Compute the Jacobian of f at x, where f turns a vector into a vector, with autograd.grad. (Not with functional.jacobian.)

# %%
def whole_jacobian(f, x):
    ...


course.ch07.q2.check(whole_jacobian)


# %% [markdown]
# **3.** `loss` is a function that returns a scalar. Return the gradient of loss(x) at x as a tensor, not a tuple: zeros if the loss does not use x. Touch no `.grad`.

# %%
def gradient_at(loss, x):
    ...


course.ch07.q3.check(gradient_at)


# %% [markdown]
# **4.** Return column `j` of the Jacobian of f at x. (One backward gives a row, not a column.)

# %%
def column(f, x, j):
    ...


course.ch07.q4.check(column)

# %% [markdown]
# **To invent**, without a verdict. Draw a grid of points, send it through a function of the plane, and draw what the Jacobian says of one small square. And a puzzle: a friend asks for v @ J with vectors of his choice; how few show what J is?

# %% [markdown]
# ## Next
#
# A question to take along: rows of the Jacobian are cheap. How would you get a single *column* without computing all rows?
#
# [08 Your own Function](08_own_function.ipynb): an operation that autograd does not know yet.
