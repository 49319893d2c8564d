# %% [markdown]
# # 02 Leaves
#
# **You will be able to** say which tensors receive a gradient and why, read `grad_fn`, and keep a gradient that would otherwise only pass through.
#
# **Builds on** [01 Derivative](01_derivative.ipynb): the function ln(x³) and the two links of its chain rule.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## What is kept?
#
# This is the picture in which you walked back in chapter 01. Now `backward()` has done the same. It computed all three gradients; which of them can you still read afterwards?

# %%
course.ch02.p3

# %%
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
torch.draw(z)

# %% [markdown]
# Only x has its gradient: it is a *leaf*. What this word means, and how y can keep its gradient as well, is what this chapter is about.
#
# ## Five facts about a tensor
#
# Besides its numbers, every tensor carries five facts.
#
# | fact | question it answers |
# |---|---|
# | `requires_grad` | does it take part in gradients? |
# | `is_leaf` | is there no recorded operation that made it? |
# | `retains_grad` | was it asked to keep a gradient that would only pass through? |
# | `grad_fn` | which operation made it? |
# | `grad` | the gradient it has received |
#
# `torch.info`, which is ours and not PyTorch's, shows them in a table.

# %% [markdown]
# ## With nothing asked for
#
# Here is our function again, at x = 5, and nobody wants a gradient. A [leaf](91_glossary.ipynb#leaf) is where a record begins, such as a tensor that you made yourself.

# %%
course.ch02.p1

# %% tags=["A3"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
torch.info(x, y, z)

# %% [markdown]
# Three times the same: nothing required, nothing recorded. y and z are results, and still they are leaves. The word means exactly this: a **leaf** is a tensor that no *recorded* operation made.

# %% [markdown]
# ## Asking for a gradient
#
# One switch at x changes that.

# %%
course.ch02.p2

# %% tags=["A4"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
torch.info(x, y, z)

# %% [markdown]
# `requires_grad` spreads from inputs to results (not to whole numbers, or True and False: `x > 2` has no gradient). x is a leaf, made by hand; y and z are not.

# %% tags=["A4"]
print(x)
print(y)
print(z)

# %% [markdown]
# A result that requires a gradient shows its [grad_fn](91_glossary.ipynb#grad_fn): the operation that made it, as seen on the way back. PowBackward0 knows how to go back through a power, LogBackward0 through a logarithm. One such operation in the record is called a *node*.
#
# `torch.draw`, another helper of ours, draws that record: tensors are rounded, operations square, and the leaf is blue.

# %%
torch.draw(z)

# %% [markdown]
# ## Before and after backward
#
# So far every `.grad` is None.

# %% tags=["A4"]
z.backward()
print(x.grad)
torch.info(x, y, z)

# %% tags=["A4"]
print(y.grad)

# %% [markdown]
# PyTorch warns because y is not a leaf: its `.grad` stays None, and if you read it you probably expect something else. (Python shows the same warning only once for each line of code.)
#
# x.grad is 0.6000000238418579: this is 0.6 as float32 holds it. The table shows all digits of a single number, `print` rounds it.
#
# ## Why only the leaf?
#
# To get from z to x, backward also needs the gradients at z and at y. By hand:

# %% tags=["A4"]
dz_dy = 1 / y.item()
dy_dx = 3 * x.item() ** 2
print(dz_dy, dy_dx, dz_dy * dy_dx)

# %% [markdown]
# So 0.008, the gradient at y, was computed, but it was not *kept*. In a real network there are many large intermediate results, and the things that learn are the leaves: the weights. The gradients in between are dropped as soon as they have been used.
#
# This is behind most questions of “why is my `.grad` None?” ([error clinic](92_error_clinic.ipynb#No-gradient-on-a-non-leaf)).
#
# ## Keeping it anyway
#
# [retain_grad()](91_glossary.ipynb#retain_grad) asks an intermediate tensor to keep its gradient.

# %% tags=["A5", "F4"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
y.retain_grad()
z.retain_grad()

# %%
course.ch02.p4

# %% tags=["A5"]
z.backward()
torch.info(x, y, z)

# %% [markdown]
# From the bottom up: 1.0 at z, 0.00800000037997961 at y, 0.6000000238418579 at x. Reading y.grad no longer warns, because there is something to read.

# %% [markdown]
# Now it is your turn. This **bench** runs its program again whenever you change something; a click on a line shows the picture after it. Try:
#
# 1. Tick *retain_grad* of z, and untick that of y. Which `.grad` is kept?
# 2. Press **Reset**. Untick *requires_grad* of x, and read what PyTorch says. Then untick *retain_grad* of y too.
# 3. Press **Reset** and move x. The gradients on the orange edges follow. Which of them never changes?

# %%
torch.bench(preset="retain_grad")

# %% [markdown]
# In 1. it is z.grad, which is 1. In 2. nothing is recorded: first y has no gradient to keep, then backward has no way to go back, which is the error of the welcome chapter. In 3. it is the 1 at z, with which a backward from one number begins.

# %% [markdown]
# ## A switch afterwards
#
# You can also ask a leaf for gradients later, with `requires_grad_()`. The underscore at the end of a name says: this changes the tensor itself. Here z = x + y is computed before x is switched on.

# %%
course.ch02.p5

# %% tags=["D1"]
x, y = torch.ones(1) + torch.ones(1), torch.ones(1)
z = x + y
print(x.requires_grad_(), z.requires_grad)
z = x + y
print(x.is_leaf, z.requires_grad)

# %% [markdown]
# x is the result of a sum, but nothing was recorded, so it was a leaf and could be switched on. The old z stays without a record; only what is computed *afterwards* has one. And a result that *was* recorded, can that be switched off?

# %%
course.ch02.p6

# %% tags=["raises-exception"]
y = x * 2
y.requires_grad = False

# %% [markdown]
# The message names a cure, `detach()`, which chapter 10 explains. There is more about it in the [error clinic](92_error_clinic.ipynb#The-flag-of-a-result).
#
# Only numbers that can change a little can have a gradient. `torch.tensor(5, requires_grad=True)`, a whole number, is [an error too](92_error_clinic.ipynb#A-whole-number).
#
# ## When only one asks
#
# b requires a gradient, a does not.

# %%
course.ch02.p7

# %% tags=["D5"]
a = torch.ones(2)
b = torch.ones(2, requires_grad=True)
c = a * b
d = c + a
d.sum().backward()
torch.info(a, b, c, d)

# %% [markdown]
# One input that requires a gradient was enough for c and d. a did not ask and received nothing.
#
# ## Reading grad_fn
#
# This time we take a matrix and two operations. `grad_fn` is the *last* of them; [next_functions](91_glossary.ipynb#next_functions) leads to what came before it.

# %% tags=["D2", "D4", "D12"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
print(z)
print(z.grad_fn)
z.grad_fn.next_functions

# %% [markdown]
# The last operation is the addition. It has a pair for each of its inputs: the node that the gradient goes to next, and which of that node's results it belongs to. For the number 1 there is nowhere to go: None.

# %% tags=["D2"]
product = z.grad_fn.next_functions[0][0]
print(product.next_functions)

# %% [markdown]
# At the end stands [AccumulateGrad](91_glossary.ipynb#AccumulateGrad): it belongs to the leaf y and adds what arrives into y.grad. So the record is a [graph](91_glossary.ipynb#graph), from the result back to the leaves. [Chapter 14](14_reading_the_graph.ipynb) reads it in depth.

# %% [markdown]
# ## A leaf in float64?
#
# `.double()` turns float32 into float64. Suppose you want the more exact numbers, and write it after the tensor.

# %%
course.ch02.p8

# %% tags=["F4"]
x = torch.tensor(2.0, requires_grad=True).double()
print(x.is_leaf, x.grad_fn)

# %% [markdown]
# `.double()` is an operation too, and it was recorded. x is its result; the leaf before it no longer has a name, and x.grad would stay None. Instead, say from the start what the leaf should be: `torch.tensor(2.0, dtype=torch.float64, requires_grad=True)`.

# %% [markdown]
# ## Summary
#
# | tensor | requires_grad | is_leaf | grad_fn | .grad after backward |
# |---|---|---|---|---|
# | made by hand | False | True | None | None |
# | made by hand, `requires_grad=True` | True | True | None | the gradient |
# | result of such a tensor | True | False | its operation | None, unless retain_grad() |
# | result of an operation that was not recorded | False | True | None | None |

# %% [markdown]
# ## Exercises
#
# **1.** x requires a gradient, y = x * 2; c does not, d = c + 1. Which of x, y, c, d are leaves? Answer with a list of four True or False.

# %%
answer = ...
course.ch02.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a leaf x and returns dz/dy, for y = x³ and z = ln(y), as found by backward.

# %%
def middle(x):
    ...


course.ch02.q2.check(middle)


# %% [markdown]
# **3.** This should compute the gradient of x³ in double precision, but returns None. Repair it.

# %%
def in_double(number):
    x = torch.tensor(number, requires_grad=True).double()
    y = x**3
    y.backward()
    return x.grad


course.ch02.q3.check(in_double)

# %% [markdown]
# **4.** x requires a gradient and z = 2 * x + 1. What is the name of `z.grad_fn`? Answer with a text in quotes.

# %%
answer = ...
course.ch02.q4.check(answer)

# %% [markdown]
# **To invent**, without a verdict. Draw a family tree of ten tensors, and mark the leaves before you ask is_leaf. And a puzzle: write four lines in which exactly one tensor gets a gradient; a friend says which.
#
# ## Next
#
# A question to take along: PyTorch throws the gradients in between away. When would you want to see them?
#
# [03 Backward](03_backward.ipynb): what backward does with the graph, and why it runs only once.
