# %% [markdown]
# # 07 Vectors
#
# **You will be able to** go backward from a vector, say what the result means, get a whole Jacobian, and ask for gradients with autograd.grad.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): programs 13 and 16; source B, "Backward": backward() and grad(); source C, "Automatic differentiation with torch.autograd": the vector-Jacobian product.
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets

# %% [markdown]
# ## A scalar, or else
#
# Every chapter so far ended in one number. What if it does not?

# %% tags=["F8", "D2", "raises-exception"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).backward()

# %% [markdown]
# "The gradient of x²" would be three slopes for each of three inputs: a table of nine numbers, and x.grad has room for three. So you must say how the outputs are to be weighed. ([Error clinic](92_error_clinic.ipynb#Not-a-scalar))

# %% tags=["F8"]
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
# So the weights stand for whatever comes *after* this vector. In source A a vector y goes into z = y @ [4, 7, 9], and the same three numbers, given to y, do the same:

# %% tags=["A13", "A16"]
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
(y @ torch.tensor([4.0, 7.0, 9.0])).backward(retain_graph=True)
print(x.grad)
x.grad = None
y.backward(gradient=torch.tensor([4.0, 7.0, 9.0]))
print(x.grad)

# %% [markdown]
# Source B's example is Q = 3a³ - b², with the weights all one: the gradient of Q's *sum*. The slopes are 9a² and -2b.

# %% tags=["B1"]
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(a.grad, b.grad)


# %% [markdown]
# ## The Jacobian
#
# The table is called the [Jacobian](91_glossary.ipynb#Jacobian). It has a row for each output, a column for each input, in each place the slope of that output along that input.

# %% tags=["B10"]
def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])


J = torch.autograd.functional.jacobian(f, torch.tensor([1.0, 2.0]))
print(J)

# %% [markdown]
# backward(v) never makes this table. It makes **v times the table**, one number for each input: a [vector-Jacobian product](91_glossary.ipynb#vector–Jacobian-product). Say v is [1, 10, 100].

# %%
course.ch07.p2

# %% tags=["B10", "C7"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = f(x)
v = torch.tensor([1.0, 10.0, 100.0])
y.backward(v, retain_graph=True)
print(x.grad, v @ J)

# %% [markdown]
# $v\,J = 1\cdot(2, 1) + 10\cdot(2, 0) + 100\cdot(0, 3) = (22, 301)$: the rows of the table, weighed and added. Drag the sliders of v and watch x.grad, or press **Next row** to see the rows come in one by one. Which v leaves one row alone?

# %%
widgets.vector_jacobian(f, [1.0, 2.0], v=[1.0, 10.0, 100.0])

# %% [markdown]
# ## One walk, not three
#
# Source B guesses that a vector's backward is several scalar ones, one after another. A [hook](91_glossary.ipynb#hook), a function that is called whenever y's node runs, counts the visits.

# %%
course.ch07.p3

# %% tags=["B10"]
visits = []
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: visits.append(grad_outputs))
y.backward(v, retain_graph=True)
print(len(visits), visits[0])

# %% [markdown]
# The whole v goes through the graph at once. Each node multiplies its own small Jacobian into it, and passes on a gradient no larger than its input. That is why a network with a million weights can be trained at all: its Jacobian never exists.
#
# ## The whole Jacobian after all
#
# v = [1, 0, 0] picks the first row. So a row costs one backward, and the identity matrix gives the vectors:

# %% tags=["F21", "B10"]
rows = [torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)[0] for v in torch.eye(3)]
print(torch.stack(rows))

# %% [markdown]
# `functional.jacobian` does just this. Three outputs, three backwards. For a scalar root one row is all there is, and only then the Jacobian has the shape of x itself:

# %% tags=["B10"]
from autograd_nb.autograd.functional import jacobian

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(jacobian(lambda x: (x**2).sum(), x).shape)
print(jacobian(lambda x: (x**2).sum(dim=1), x).shape)
print(jacobian(lambda x: x**2, x).shape)

# %% [markdown]
# Shape of the output, then shape of the input. The third has 36 entries, and only 6 of them are not zero: each output hangs on one input.
#
# ## The quickstart's example
#
# v always has the shape of the output, whatever that is. Here the output is transposed, and its slope is 2 · (inp + 1).

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
# A v of another shape is [refused](92_error_clinic.ipynb#A-gradient-of-another-shape). And for a scalar, backward() is short for backward(tensor(1.0)):

# %% tags=["B6", "raises-exception"]
out.backward(torch.ones_like(inp))

# %% tags=["C8"]
x = torch.tensor(3.0, requires_grad=True)
for gradient in (None, torch.tensor(1.0), torch.tensor(2.0)):
    x.grad = None
    (x**2).backward(gradient)
    print(x.grad)

# %% [markdown]
# ## Several roots
#
# Two losses, one walk: `torch.autograd.backward` takes several [roots](91_glossary.ipynb#root), each with its gradient (None for a scalar). Here b = a² is weighed with [10, 1], and c is the sum of a; a is [1, 2].

# %%
course.ch07.p5

# %% tags=["B6"]
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a**2
c = a.sum()
torch.autograd.backward([b, c], [torch.tensor([10.0, 1.0]), None])
print(a.grad)

# %% [markdown]
# ## Only some leaves: inputs=
#
# Nothing is accumulated but into the tensors that you name. One of them may be a result; it retains its gradient from then on.

# %% tags=["B3", "B4"]
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
(a * b).backward(inputs=[a])
print(a.grad, b.grad)
c = a * 3
(c**2).backward(inputs=[c])
print(c.grad, c.retains_grad, a.grad)

# %% [markdown]
# ## autograd.grad: give it to me
#
# backward *leaves* gradients in `.grad`. `autograd.grad` *returns* them, and touches no `.grad`.

# %% tags=["B7"]
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
out = x**2 * y
grad_x, grad_y = torch.autograd.grad(out, (x, y))
print(grad_x, grad_y)
print(x.grad, y.grad)

# %% [markdown]
# It always returns a tuple, for one input too. Taking it for two is a [common slip](92_error_clinic.ipynb#A-tuple-of-one):

# %% tags=["B9", "raises-exception"]
(grad_x,) = torch.autograd.grad(x**2, x)
print(grad_x)
grad_x, grad_y = torch.autograd.grad(x**2, x)

# %% [markdown]
# Source B says that what grad returns always requires a gradient. Three gradients: of x²; of x² with create_graph=True, which [records the walk](13_derivatives_of_derivatives.ipynb); of 3x with create_graph=True.

# %%
course.ch07.p6

# %% tags=["B7"]
(plain,) = torch.autograd.grad(x**2, x)
(recorded,) = torch.autograd.grad(x**2, x, create_graph=True)
(linear,) = torch.autograd.grad(3 * x, x, create_graph=True)
print(plain, recorded, linear)

# %% [markdown]
# ## An input that is not used
#
# backward lets its `.grad` stay None. `autograd.grad` takes it for a [mistake](92_error_clinic.ipynb#An-unused-input):

# %% tags=["B8", "F16", "raises-exception"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
unused = torch.tensor([3.0, 4.0], requires_grad=True)
y = (x**2).sum()
torch.autograd.grad(y, (x, unused), retain_graph=True)

# %% [markdown]
# If it is none, say so: allow_unused gives None in its place, materialize_grads gives zeros.

# %% tags=["B8"]
print(torch.autograd.grad(y, (x, unused), allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y, (x, unused), materialize_grads=True, retain_graph=True))

# %% [markdown]
# And no inputs at all is an [error](92_error_clinic.ipynb#No-inputs) in both, each in its own words (below them, the one walk in PyTorch):

# %% tags=["B5", "B10"]
for attempt in (lambda: y.backward(inputs=[]), lambda: torch.autograd.grad(y, [])):
    try:
        attempt()
    except (RuntimeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
course.in_pytorch("B10")

# %% [markdown]
# ## Summary
#
# | you write | you get |
# |---|---|
# | `y.backward(v)` | v @ J, added into the leaves' `.grad`, in one walk |
# | `y.backward()` | the same with v = 1, for one element only |
# | `autograd.grad(y, x, v)` | v @ J, returned in a tuple, no `.grad` touched |
# | `autograd.backward([y, z], [v, w])` | several roots, one walk |
# | `backward(inputs=[a])` | only a's `.grad` |
# | `functional.jacobian(f, x)` | the whole table, a backward for each row |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch07.q1.hint()`; solutions: `course.ch07.q1.solution()`.
#
# **1.** x = [1, 2], y = [x₀ · x₁, x₁²], and y.backward(gradient=[2, 1]). What is x.grad, as a list?

# %%
answer = ...
course.ch07.q1.check(answer)


# %% [markdown]
# **2.** Write the Jacobian of f at x, a vector to a vector, with autograd.grad. (Not with functional.jacobian.)

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
# **4.** Return column `j` of the Jacobian of f at x. (Rows are cheap, columns are not.)

# %%
def column(f, x, j):
    ...


course.ch07.q4.check(column)

# %% [markdown]
# ## Next
#
# [08 Your own Function](08_own_function.ipynb): an operation that autograd does not know yet.
