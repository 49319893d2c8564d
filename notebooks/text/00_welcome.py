# %% [markdown]
# # 00 Welcome
#
# **You will be able to** find your way in this course, run its cells, make predictions, compute a first gradient, and let a line learn from one.
#
# **Builds on** nothing but a little Python and school calculus. You do not need to know PyTorch.
#
# **Time** 30 minutes.

# %% [markdown]
# ## What this is about
#
# A neural network learns by asking the same question for each of its numbers: if I turn this one up a little, does the error grow or shrink, and how fast?
#
# Together, the answers are called the [gradient](91_glossary.ipynb#gradient). PyTorch finds millions of them with a single call: `backward()`. This course shows what happens in that call.

# %% [markdown]
# ## How to use a notebook
#
# A notebook is made of cells. Click on the next one, which has a grey background, and press **Shift+Enter**: it runs, and the next cell is selected. The number in brackets tells you in which order cells were run.

# %%
import autograd_nb as torch
from autograd_nb import course
from autograd_nb.course import figures

# %% [markdown]
# `autograd_nb` is the engine of this course: PyTorch's way of finding gradients, rebuilt small. We import it under PyTorch's own short name, so each cell looks as it would in PyTorch. If you have PyTorch, write `import torch, autograd_nb` there: what uses PyTorch's names prints the same. The tests of this project run all chapters so. Our helpers then come from `autograd_nb`: `draw`, `step`, `info`, `record`, `why`, `bench`. Widgets, `figures.tangent` and `figures.difference_error` keep to this engine. `course` asks you questions.

# %%
2 + 3

# %% [markdown]
# A notebook shows the value of a cell's last line below the cell. To show anything else, use `print`.

# %%
print("first")
print("second")
"last"

# %% [markdown]
# | key | what it does |
# |---|---|
# | Shift+Enter | run the cell and go to the next |
# | Ctrl+Enter | run the cell and stay |
# | Enter, Esc | start and stop editing a cell |
# | A, B (after Esc) | add a cell above or below |
# | Shift+Tab (inside a call) | show what the function does |
# | Ctrl+S | save |

# %% [markdown]
# Change cells as you like; that is what they are for. Names keep their values from cell to cell, so run a chapter from the top, one cell at a time. Where you go on another day, or after **Kernel → Restart Kernel**, choose **Run → Run All Above Selected Cell** first.

# %% [markdown]
# ## A tensor
#
# Numbers live in *tensors*: one number, a row of them, a table, or more.

# %%
print(torch.tensor(4.0))
print(torch.tensor([1.0, 2.0, 3.0]))

# %% [markdown]
# You can calculate with them as with numbers. The point in 4.0 matters: only numbers with decimals can be moved *a little*, and that is what gradients are about.

# %%
x = torch.tensor(4.0)
x**2

# %% [markdown]
# ## Predict, run, see why
#
# You learn most from a wrong guess. So before an important cell you will find a card with a question. Decide first, press **Check**, read the reason, and only then run the next cell.
#
# Here is one: how fast does x² grow at x = 4? Try it by hand first: nudge x a little, and see how far x² moves.

# %%
h = 0.01
print(f"{4.0**2:.4f}, {(4.0 + h) ** 2:.4f}")

# %%
course.ch00.p1

# %%
slope = ((4.0 + h) ** 2 - 4.0**2) / h
print(f"{slope:.2f}")

# %% [markdown]
# A little more than 8, because our step was not infinitely small. The exact answer, for a step that shrinks to zero, is the *derivative* of x². You know it from school: 2x, so 8 at x = 4. [Chapter 01](01_derivative.ipynb) takes its time over this.

# %% [markdown]
# ## A first gradient
#
# Now let autograd find it. We say that we want a gradient for x, and then compute as before.

# %%
x = torch.tensor(4.0, requires_grad=True)
y = x**2
y

# %% [markdown]
# `grad_fn=<PowBackward0>` is new: y remembers that it came from a power. Chapter 02 looks at such records closely.
#
# `y.backward()` will follow the record back from y to x, and leave what it finds in `x.grad`. It uses the record up: before you run that cell a second time, run the one that computes y again.

# %%
course.ch00.p2

# %%
y.backward()
x.grad

# %% [markdown]
# We did not nudge anything, and we wrote down no derivative. A gradient also has a sign:

# %%
course.ch00.p3

# %%
x = torch.tensor(-3.0, requires_grad=True)
(x**2).backward()
x.grad

# %% [markdown]
# Minus: left of zero, x² *falls* when x grows. The size says how fast, the sign says which way. That is all a network needs to know which way to turn each of its numbers.

# %% [markdown]
# ## Watch it work
#
# Here are two operations, one after the other. The cell makes a **widget**, something to play with. Press ▶, or click into it and use the → key, and follow the orange gradient from y back to x. (**Play** does it by itself.)

# %%
x = torch.tensor(0.5, requires_grad=True)
s = torch.sin(x)
y = s**2
torch.step(y.backward)

# %% [markdown]
# Each grey box is one operation. It knows only its own small rule, such as “the derivative of sin is cos”, and what it remembered for that: sin its input, 0.5. The sentence calls `grad_output` what comes in from the right; the rule turns it into what goes out to the left. At y it starts with 1, for y grows exactly as fast as y. `+=` adds what arrives into x.grad. After [chapter 03](03_backward.ipynb) you can explain every step.

# %% [markdown]
# A widget needs a running kernel: where you see only its picture, run the cell, and in a new kernel those above it first. You cannot break anything in it.

# %% [markdown]
# ## When something fails
#
# Errors are part of the course. Some cells are *meant* to fail, and the text says so.

# %%
course.ch00.p4

# %% tags=["raises-exception"]
torch.tensor(4.0).backward()

# %% [markdown]
# In an error, PyTorch's message is what counts: here the line that begins with `RuntimeError`. This one says that there is no `grad_fn`: nothing was recorded, because nothing required a gradient. The words are PyTorch's own. The [error clinic](92_error_clinic.ipynb#Nothing-to-go-back-through) names cause and cure of such errors, and the [glossary](91_glossary.ipynb) explains the terms of the course. (The first click on such a link may only open the page; click again to jump to the place.)

# %% [markdown]
# ## Something learns
#
# What is a gradient good for? Here are eight points, and a line w · x + b that should run through them. The *loss* says how far it misses them: the mean of the squared distances. Turn the line with w and lift it with b: how low can you bring its loss?

# %%
from autograd_nb import widgets

xs = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
ys = torch.tensor([0.9, 1.2, 2.2, 2.3, 3.1, 3.2, 4.3, 4.4])
widgets.line(xs, ys)

# %% [markdown]
# Remember your lowest loss. Now the gradient tries, from where you began: w and b are 0, and the line lies flat on the ground.

# %%
w, b = torch.tensor(0.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
loss = ((w * xs + b - ys) ** 2).mean()
loss

# %%
course.ch00.p5

# %%
loss.backward()
w.grad, b.grad

# %% [markdown]
# Both are negative: the loss falls when w or b grows. So move each number a little *against* its gradient, forget the gradient, and ask again. Two hundred times:

# %%
lines = [(0.0, 0.0)]
for step in range(200):
    with torch.no_grad():
        w -= 0.04 * w.grad
        b -= 0.04 * b.grad
    w.grad = b.grad = None
    ((w * xs + b - ys) ** 2).mean().backward()
    lines.append((w.item(), b.item()))

# %%
figures.fit(xs, ys, lines, after=(0, 5, 200))

# %% [markdown]
# Its loss is 0.0426. Was yours as low? To four digits no line has a lower one. That is learning: nobody told the line where to go, only how far it missed. A network has more numbers, and a curve in place of the line; the loop stays the same. [Chapter 16](16_training.ipynb) writes it with PyTorch's own parts.

# %% [markdown]
# ## Summary
#
# | | |
# |---|---|
# | `torch.tensor(4.0, requires_grad=True)` | a number for which you want a gradient |
# | `y = x**2` | computes, and records how |
# | `y.backward()` | follows the record back |
# | `x.grad` | how fast y grows when x grows; negative where it falls |
# | `torch.step(y.backward)` | shows the way back, step by step |
# | `w -= 0.04 * w.grad` | a small step against the gradient: the loss falls |

# %% [markdown]
# ## Exercises
#
# Replace `...` with your answer and run the cell. If your answer is wrong, you are told why. Below it are four buttons: **Check** runs the cell again, **Hint** gives a hint and then the next one, **Solution** shows the solution, and **Reset** brings back the cell as it was.
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
# **4.** This should return the gradient of √x at a number, but it fails. Call it yourself, read the error, and repair it.

# %%
def slope_of_root(number):
    x = torch.tensor(number)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


course.ch00.q4.check(slope_of_root)

# %% [markdown]
# Your answers and predictions are kept in the folder `autograd-nb-progress`, beside the notebooks. Three calls, each in a cell of your own, make use of them: `course.progress()` shows a bar per chapter; `course.home()` shows the contents of the course, how far you are in each chapter, and where to go on; and `course.review()` asks you ten questions again, first of all those that you did not know.

# %% [markdown]
# **To invent**, without a verdict. Plot sin(3x) for 100 values of x between -2 and 2, and its slope from x.grad beside it. Where the slope is 0, what does the curve do? And a puzzle for a friend: hide the numbers of a line in a function; only calls and .grad may be used to find them.

# %% [markdown]
# ## Next
#
# A question to take along: if a network has a million numbers, would you want to nudge each of them to see what the loss does?
#
# [01 Derivative](01_derivative.ipynb) takes a close look at that nudge: what a derivative is, and why a smaller step is not always better. The chapters build on each other, so take them in order. For experiments of your own there is always the [playground](90_playground.ipynb).
