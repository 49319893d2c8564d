# %% [markdown]
# # 00 Welcome
#
# **You will be able to** find your way in this course, run its cells, make predictions, and compute a first gradient.
#
# **Mirrors** no source: this chapter opens the course. The others say whose experiments they follow.
#
# **Time** 15 minutes.

# %% [markdown]
# ## What this is about
#
# A neural network learns by asking, for each of its numbers: if I turn this one up a little, does the error grow or shrink, and how fast?
#
# The answers together are called the [gradient](91_glossary.ipynb#gradient). PyTorch finds millions of them at once, with one call: `backward()`. This course shows what happens in that call. You need Python and the calculus of school. You need not know PyTorch.

# %% [markdown]
# ## How to use a notebook
#
# A notebook is made of cells. Click on the next one, which has a grey background, and press **Shift+Enter**: it runs, and the cell after it is chosen. The number in brackets says in which order cells were run.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# `autograd_nb` is the engine of this course: PyTorch's way of finding gradients, rebuilt small enough to read. It is imported under PyTorch's own short name, so that each cell is what you would write for PyTorch. Where PyTorch is installed, change this one line to `import torch`, and the cells print the same, but for a few helpers of our own such as `torch.step`. `course` is what asks you questions.

# %%
2 + 3

# %% [markdown]
# The value of a cell's last line is shown below the cell. What should be shown before that goes through `print`.

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
# Change cells as you like; that is what they are for. Names keep their values between cells, so run a chapter from its top, cell by cell. If something looks odd, choose **Kernel → Restart Kernel** and begin again at the top.

# %% [markdown]
# ## A tensor
#
# Numbers live in *tensors*: one number, a row of them, a table, or more.

# %%
print(torch.tensor(4.0))
print(torch.tensor([1.0, 2.0, 3.0]))

# %% [markdown]
# They calculate as numbers do. The point in 4.0 matters: only numbers with a fraction can be moved *a little*, and that is what gradients are about.

# %%
x = torch.tensor(4.0)
x**2

# %% [markdown]
# ## Predict, run, see why
#
# You learn most from a wrong guess. So before an important cell stands a card. Decide first, press **Check**, read the reason, and only then run the next cell.
#
# The question: how fast does x² grow at x = 4? By hand: nudge x by a little, and see how much further x² has moved.

# %%
h = 0.01
print(f"{4.0**2:.4f}, {(4.0 + h) ** 2:.4f}")

# %%
course.ch00.p1

# %%
slope = ((4.0 + h) ** 2 - 4.0**2) / h
print(f"{slope:.2f}")

# %% [markdown]
# A little more than 8, because the step is a little more than nothing. The exact answer, for a step that shrinks to zero, is the *derivative* of x². From school: 2x, so 8 at x = 4. [Chapter 01](01_derivative.ipynb) takes its time for this.

# %% [markdown]
# ## A first gradient
#
# Now let autograd find it. We say that we want a gradient for x, and compute as before.

# %%
x = torch.tensor(4.0, requires_grad=True)
y = x**2
y

# %% [markdown]
# `grad_fn=<PowBackward0>` is new: y remembers that it came from a power. Chapter 02 reads such records closely.
#
# `y.backward()` will follow the record back from y to x, and leave what it finds in `x.grad`.

# %%
course.ch00.p2

# %%
y.backward()
x.grad

# %% [markdown]
# No nudging, and no formula of ours. A gradient has a sign, too:

# %%
course.ch00.p3

# %%
x = torch.tensor(-3.0, requires_grad=True)
(x**2).backward()
x.grad

# %% [markdown]
# Minus: left of zero, x² *falls* when x grows. Size says how fast, sign says which way. That is all a network needs in order to know in which direction to turn each of its numbers.

# %% [markdown]
# ## Watch it work
#
# Here are two operations, one inside the other. The cell makes a **widget**: something to play with, below the cell. Press **Play**, or click into it and use the → key, and follow the orange gradient from y back to x.

# %%
x = torch.tensor(1.0, requires_grad=True)
y = torch.exp(torch.sin(x))
torch.step(y.backward)

# %% [markdown]
# Each grey box is one operation of the formula. It knows only its own small rule, such as "the derivative of sin is cos". The way back joins the rules; in three chapters you will be able to explain every step. What arrived at x:

# %%
print(f"{x.grad.item():.4f}")


# %% [markdown]
# And the nudge agrees:

# %%
def f(x):
    return torch.exp(torch.sin(x))


x = torch.tensor(1.0, dtype=torch.float64)
print(f"{(f(x + 1e-6) - f(x)).item() / 1e-6:.4f}")

# %% [markdown]
# A widget needs a running kernel: where you see only its picture, run the cell. Nothing in it can break; **Reset** puts everything back.

# %% [markdown]
# ## When something fails
#
# Errors are part of the course. Some cells are *meant* to fail, and the text says so.

# %%
course.ch00.p4

# %% tags=["raises-exception"]
torch.tensor(4.0).backward()

# %% [markdown]
# Read an error from its last line up. This one says that there is no `grad_fn`: nothing was recorded, because nothing required a gradient. The words are PyTorch's own. The [error clinic](92_error_clinic.ipynb#Nothing-to-go-back-through) has a cause and a cure for each of them, and the [glossary](91_glossary.ipynb) explains the words of the course. (The first click on such a link may only open the page; a second one jumps to the place.)

# %% [markdown]
# ## Is it really what PyTorch does?
#
# `course.in_pytorch` shows what PyTorch prints for an experiment: run now where it is installed, otherwise as it was recorded. The text is the same.

# %%
course.in_pytorch("A1")

# %% [markdown]
# ## Summary
#
# | | |
# |---|---|
# | `torch.tensor(4.0, requires_grad=True)` | a number for which you want a gradient |
# | `y = x**2` | computing also records |
# | `y.backward()` | walks the record back |
# | `x.grad` | how fast y grows when x grows; negative where it falls |
# | `torch.step(y.backward)` | the walk, step by step |

# %% [markdown]
# ## Exercises
#
# Write your answer where `...` stands and run the cell. A wrong answer is told what is wrong with it. `course.ch00.q1.hint()` in a cell of your own gives a hint, then the next one; `course.ch00.q1.solution()` shows the solution.
#
# **1.** What is the gradient of x² at x = 4?

# %%
answer = ...
course.ch00.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a tensor x, computes x² + 3x, and returns its gradient at x. (x requires a gradient already.)

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
# **4.** This should return the gradient of √x at a number, and fails. Run it by hand, read the error, and repair it.

# %%
def slope_of_root(number):
    x = torch.tensor(number)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


course.ch00.q4.check(slope_of_root)

# %% [markdown]
# Your answers and predictions are kept in `autograd-nb-progress.json`, beside the notebooks. `course.progress()`, in a cell of your own, shows a bar per chapter.

# %% [markdown]
# ## Next
#
# [01 Derivative](01_derivative.ipynb) looks at that nudge closely: what a derivative is, and why a smaller step is not always better. The chapters build on each other; take them in order. To try things of your own at any time, there is the [playground](90_playground.ipynb).
