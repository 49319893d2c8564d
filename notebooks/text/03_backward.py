# %% [markdown]
# # 03 Backward
#
# **You will be able to** say what backward frees and why, keep a graph with `retain_graph`, and tell when you need not.
#
# **Builds on** [02 Leaves](02_leaves.ipynb): leaf, grad_fn, and the graph behind a result.
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## Forward records, backward walks
#
# Computing y and z from x is called the [forward](91_glossary.ipynb#forward) pass. On the way, each operation notes what it will need for its derivative. The notes form a [graph](91_glossary.ipynb#graph), and `backward()` walks it from z back to x. Here is your picture again, before backward. What has to be noted in it?

# %%
course.ch03.p9

# %% [markdown]
# The first backward uses these two numbers, and then strikes them out. Run it, and press backward again:

# %% tags=["A6"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
print(x.grad)

# %%
course.ch03.p1

# %% tags=["A6", "raises-exception"]
z.backward()

# %% [markdown]
# Read the message to the end. “Saved intermediate values of the graph are freed”: the notes are gone, so the graph cannot be walked again. The message also names a cure, `retain_graph=True`. When it *is* the cure, and when it is not, is what this chapter is about.

# %% [markdown]
# ## What was saved
#
# The derivative of x³ is 3x², so the power has to know x. The derivative of ln(y) is 1/y, so the logarithm has to know y. You can read these notes; they are called [saved tensors](91_glossary.ipynb#saved-tensors). (`self` is what PyTorch calls the first input of an operation.) In the picture each operation shows what it saved:

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
print(z.grad_fn._saved_self)
print(y.grad_fn._saved_self, y.grad_fn._saved_exponent)
torch.draw(z, saved=True)

# %%
course.ch03.p2

# %% tags=["raises-exception"]
z.backward()
z.grad_fn._saved_self

# %%
torch.draw(z)

# %% [markdown]
# The nodes are drawn with dashes now: what they held has been [freed](91_glossary.ipynb#freed). Why so soon? Because such notes are what fills the memory: in a network they are the inputs of every layer. Most of the time one backward is all you want, and the memory is needed for the next forward.

# %% [markdown]
# ## Keeping the graph
#
# With [retain_graph=True](91_glossary.ipynb#retain_graph) nothing is freed, and backward can run again.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward(retain_graph=True)
z.backward()
print(x.grad)

# %% [markdown]
# It runs, but 1.2 is not 0.6: the second gradient was added to the first. [The next chapter](04_accumulation.ipynb) is about that.

# %%
course.ch03.p3

# %% tags=["raises-exception"]
z.backward()

# %% [markdown]
# retain_graph applies to one call only: the second call did not retain, so it freed the graph.
#
# ## Where nothing is saved
#
# The derivative of x + 1 is 1, whatever x is. And the sum of some elements grows by 1 when one of them does.

# %%
course.ch03.p4

# %% tags=["F2"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)


# %% [markdown]
# No error, even without retain_graph. So it is not the graph itself that is used up, only what its nodes saved. Let us try some more:

# %% tags=["F2"]
def runs_twice(y):
    y.sum().backward()
    try:
        y.sum().backward()
        return True
    except RuntimeError:
        return False


# %%
course.ch03.p5

# %% tags=["F2"]
print("-x    ", runs_twice(-x))
print("x * x ", runs_twice(x * x))
print("exp(x)", runs_twice(x.exp()))
print("x * 2 ", runs_twice(x * 2))

# %% [markdown]
# exp saves its *result*, because the derivative of exp(x) is exp(x) itself. And x * 2? Below.
#
# ## Try it
#
# 1. Tick *retain_graph* at the first backward. What is x.grad?
# 2. Press **Reset**, and change z to `x + 1`, then `-x`, `exp(x)`, `x * 2`. Which of them fail?
# 3. **Reset**, **Clear the plan**, and click **+ z.backward()**, **+ forward again**, **+ z.backward()**. Is there an error?

# %%
torch.bench(preset="freed graph")

# %% [markdown]
# In 1. x.grad is 1.2, and in 2. exp(x) and x * 2 fail. The third way is the usual one: a new forward makes a new graph with notes of its own, so there is no error, and no need for retain_graph. (`torch.bench(preset="freed graph").beside()` shows two benches; what differs between them is marked.)
#
# ## A matrix, and a scalar to start from
#
# Now a small matrix, and no single number at the end.

# %%
course.ch03.p6

# %% tags=["D2", "raises-exception"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
z.backward()

# %% [markdown]
# “grad can be implicitly created only for scalar outputs”: a gradient says how fast *one* number, a *scalar*, grows. z holds four numbers, so which one? [Chapter 07](07_vectors.ipynb) answers that ([error clinic](92_error_clinic.ipynb#Not-a-scalar)); here we add them up to one.

# %% tags=["D3"]
out = z.sum()
print(out, out.grad)
out.backward()
print(y.grad)

# %% [markdown]
# Each element of y moves its own element of z twice as fast, and that moves the sum: all 2.
#
# z and out are not leaves. Reading their `.grad` gives None, after backward as well as before, and a warning:

# %% tags=["D3"]
print(y.is_leaf, z.is_leaf, out.is_leaf)
print(z.grad, out.grad)

# %% [markdown]
# ### An aside: why 2 * y runs only once
#
# `sum` and the addition save nothing. The product should only need the 2 …

# %% tags=["D6"]
z = 2 * y + 1
product = z.grad_fn.next_functions[0][0]
print(product._saved_other, product._saved_self)

# %% [markdown]
# … and it does keep the 2, as a tensor, `_saved_other`, which is freed like any other. `_saved_self` is None: y would only be needed for a gradient at the 2, and nobody asked for one. So a second backward fails, unless the first retains:

# %%
course.ch03.p7

# %% tags=["D7"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
out = (2 * y + 1).sum()
out.backward(retain_graph=True)
out.backward()
print(y.grad)

# %% [markdown]
# ## The usual mistake
#
# Most people who meet this error do not want to use a graph twice. In a notebook they ran a cell with `backward()` again: first run the cell that computes again. In a program they computed something *once*, outside a loop, that belongs inside. Here it is `scale`.

# %%
course.ch03.p8

# %% tags=["raises-exception"]
w = torch.tensor(1.0, requires_grad=True)
scale = w.exp()
for turn in (1, 2):
    print("turn", turn)
    loss = (scale - 3) ** 2
    loss.backward()

# %% [markdown]
# Each turn has a new loss, but all of them share `scale`, and the first backward freed its notes. Retaining would hide the mistake: scale would stay as it was for the first w. Compute it again in each turn instead ([error clinic](92_error_clinic.ipynb#Backward-a-second-time)):

# %%
w = torch.tensor(1.0, requires_grad=True)
for _ in range(2):
    loss = (w.exp() - 3) ** 2
    loss.backward()
print(w.grad)

# %% [markdown]
# ## What backward changes
#
# `backward()` returns nothing, and by itself it changes no numbers but those in `.grad`. The nodes stay, but what they saved is gone; once no name refers to z, Python frees the graph.
#
# (In PyTorch 1.4 the error of a second backward had other words.)

# %% [markdown]
# ## Summary
#
# | operation | saves | backward twice? |
# |---|---|---|
# | `x + 1`, `-x`, `sum` | nothing | yes |
# | `x * x`, `x**3`, `log(x)` | its inputs | only with retain_graph |
# | `exp(x)` | its result | only with retain_graph |
# | `x * 2` | the 2, as a tensor | only with retain_graph |

# %% [markdown]
# ## Exercises
#
# **1.** For which of x + 1, x * x, x * 2, -x may backward run twice without retain_graph? Answer with a list of four True or False.

# %%
answer = ...
course.ch03.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a leaf x, computes z = ln(x³) once, runs backward through it twice, and returns x.grad.

# %%
def twice(x):
    ...


course.ch03.q2.check(twice)


# %% [markdown]
# **3.** This should move w downhill, one gradient per step, but it fails in the second turn. Repair it, so that every step follows the gradient at the w of that step.

# %%
def descend(w, steps):
    loss = (w - 3) ** 2
    for _ in range(steps):
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


course.ch03.q3.check(descend)


# %% [markdown]
# **4.** `(2 * x).sum()` cannot go backward twice. Write a function that returns the same for a leaf x and can go backward twice, without retain_graph.

# %%
def doubled(x):
    ...


course.ch03.q4.check(doubled)

# %% [markdown]
# **To invent**, without a verdict. Collect expressions that survive a second backward, and sort them: what do they have in common? And a puzzle: the longest program that runs backward twice without retain_graph.
#
# ## Next
#
# A question to take along: what would you have to keep, if you wanted to run *forward* again from the end, without the inputs?
#
# [04 Accumulation](04_accumulation.ipynb): why the second gradient was added, and how to start again.
