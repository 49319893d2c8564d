# %% [markdown]
# # 00 Welcome
#
# **You will be able to** find your way in this course, run its cells, and compute a first gradient.
#
# **Mirrors** no source: this chapter opens the course. The others say whose experiments they follow.
#
# **Time** 10 minutes.

# %% [markdown]
# ## What this is about
#
# A neural network learns by asking, for each of its numbers: if I turn this one up a little, does the error grow or shrink, and how fast?
#
# The answer is called a *gradient*. PyTorch finds millions of them at once, with one call: `backward()`. This course shows what happens in that call.

# %% [markdown]
# The engine here is `autograd_nb`: PyTorch's autograd, rebuilt in NumPy, small enough to read. We import it under PyTorch's own name, so that every cell is the cell you would write for PyTorch.

# %%
import autograd_nb as torch

# %% [markdown]
# Only that one line differs. Change it to `import torch` where PyTorch is installed, and the cells print the same.

# %% [markdown]
# ## How to use a notebook
#
# A notebook is made of cells. Click on the next one and press **Shift+Enter**: it runs, and the cell after it is chosen. The number in brackets says in which order cells were run.

# %%
2 + 3

# %% [markdown]
# The last line's value is shown below the cell. What should be shown before that goes through `print`.

# %%
print("first")
print("second")
"last"

# %% [markdown]
# | key | what it does |
# |---|---|
# | Shift+Enter | run the cell and go to the next |
# | Ctrl+Enter | run the cell and stay |
# | Enter, Esc | begin and end writing in a cell |
# | A, B (after Esc) | a new cell above or below |
# | Shift+Tab (in a call) | what the function does |
# | Ctrl+S | save |

# %% [markdown]
# Change cells as you like; that is what they are for. Names keep their values between cells, so run a chapter from its top. If something looks odd, choose **Kernel → Restart Kernel and Run All Cells**.

# %% [markdown]
# ## A tensor
#
# Numbers live in *tensors*: one number, a row of them, a table, or more.

# %%
print(torch.tensor(4.0))
print(torch.tensor([1.0, 2.0, 3.0]))

# %% [markdown]
# They calculate as numbers do.

# %%
x = torch.tensor(4.0)
x**2

# %% [markdown]
# ## A first gradient
#
# How fast does x² grow at x = 4? First by hand: nudge x by a little, and see how much further x² has moved.

# %%
h = 0.01
print(f"{4.0**2:.4f}, {(4.0 + h) ** 2:.4f}")

# %% [markdown]
# <details><summary><b>Predict</b>: x moved by 0.01. By how many times that did x² move?</summary>
#
# By about 8 times: from 16 to 16.0801. Take it from the next cell.
#
# </details>

# %%
slope = ((4.0 + h) ** 2 - 4.0**2) / h
print(f"{slope:.2f}")

# %% [markdown]
# A little more than 8, because the step is a little more than nothing. The exact answer, for a step that shrinks to zero, is the *derivative* of x²: 2x, so 8 at x = 4.

# %% [markdown]
# Now let autograd find it. We say that we want a gradient for x, and compute as before.

# %%
x = torch.tensor(4.0, requires_grad=True)
y = x**2
y

# %% [markdown]
# `grad_fn=<PowBackward0>` is new: y remembers that it came from a power. The next chapters read such records closely.
#
# <details><summary><b>Predict</b>: what will be in x.grad after y.backward()?</summary>
#
# The derivative of x² at 4: 8.
#
# </details>

# %%
y.backward()
x.grad

# %% [markdown]
# No nudging, no formula of ours: `backward()` went back along the record, from y to x, and left the gradient in `x.grad`.

# %% [markdown]
# The same for something you would not like to differentiate by hand:

# %%
x = torch.tensor(2.0, requires_grad=True)
y = torch.sin(x) * torch.exp(-(x**2)) / torch.sqrt(x + 1)
y.backward()
print(f"{x.grad.item():.4f}")


# %% [markdown]
# And the nudge agrees:

# %%
def f(x):
    return torch.sin(x) * torch.exp(-(x**2)) / torch.sqrt(x + 1)


x = torch.tensor(2.0, dtype=torch.float64)
print(f"{(f(x + 1e-6) - f(x)).item() / 1e-6:.4f}")

# %% [markdown]
# ## Predict, run, see why
#
# You learn most from a wrong guess. So before an important cell stands a **Predict**: decide first, then open it, then run. Exercises at the end of a chapter check your answer, with hints when you want them.

# %% [markdown]
# Errors are part of the course: where a cell is meant to fail, the text says so. This one asks for a gradient that nobody recorded.

# %% tags=["raises-exception"]
torch.tensor(4.0).backward()

# %% [markdown]
# Read an error from its last line up. This one says that there is no `grad_fn`: nothing was recorded, because nothing required a gradient. It is PyTorch's own text.

# %% [markdown]
# ## Is it really what PyTorch does?
#
# `course.in_pytorch` shows what PyTorch prints for an experiment: run now where it is installed, otherwise as it was recorded. The text is the same.

# %%
from autograd_nb import course

course.in_pytorch("A1")

# %% [markdown]
# ## Summary
#
# | | |
# |---|---|
# | `torch.tensor(4.0, requires_grad=True)` | a number for which you want a gradient |
# | `y = x**2` | computing also records |
# | `y.backward()` | walks the record back |
# | `x.grad` | how fast y grows when x grows |

# %% [markdown]
# ## Exercises
#
# Write your answer where `...` stands and run the cell. `course.ch00.q1.hint()` in a cell of your own gives a hint, then the next one; `course.ch00.q1.solution()` shows the solution.
#
# **1.** What is the gradient of x² at x = 4?

# %%
answer = ...
course.ch00.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a tensor x, computes x² + 3x, and returns its gradient at x.

# %%
def gradient(x):
    ...


course.ch00.q2.check(gradient)

# %% [markdown]
# **3.** At which x is the gradient of x² - 6x zero?

# %%
answer = ...
course.ch00.q3.check(answer)

# %% [markdown]
# Your right answers are kept in `autograd-nb-progress.json`, beside the notebooks. `course.progress()`, in a cell of your own, shows a bar per chapter.

# %% [markdown]
# ## Next
#
# [01 Derivative](01_derivative.ipynb) looks at that nudge closely: what a derivative is, and why a smaller step is not always better.
