# %% [markdown]
# # 17 Inside the engine
#
# **You will be able to** build an engine for gradients from nothing, and find your way in the one that this course has used.
#
# **Mirrors** source C, "Automatic differentiation with torch.autograd", which reads PyTorch beside DeZero; the engine here is our own.
#
# **Time** 40 minutes.

# %%
import math

import autograd_nb as torch
from autograd_nb import course


# %% [markdown]
# ## A number that remembers
#
# Three things: its value, what it was computed from, and the slope along each of those. Nothing else is needed.

# %%
class Value:
    def __init__(self, data, sources=(), slopes=()):
        self.data, self.sources, self.slopes = data, sources, slopes
        self.grad = 0.0


# %%
def add(a, b):
    return Value(a.data + b.data, (a, b), (1.0, 1.0))


def multiply(a, b):
    return Value(a.data * b.data, (a, b), (b.data, a.data))


# %%
def log(x):
    return Value(math.log(x.data), (x,), (1 / x.data,))


Value.__add__, Value.__mul__ = add, multiply

# %%
course.ch17.p1

# %%
x = Value(5.0)
y = x * x * x
z = log(y)
print(f"{z.data:.4f} {z.slopes[0]:.3f}")
print(len(y.sources), y.sources[1] is x)


# %% [markdown]
# Forward computed, *and* recorded: z knows y, y knows x·x and x. That is a [graph](91_glossary.ipynb#graph), made by nothing but keeping references. A [leaf](91_glossary.ipynb#leaf) is what has no sources.

# %% [markdown]
# ## Backward, the first try
#
# Follow every [path](91_glossary.ipynb#path) to its end, multiply along, add at each value:

# %%
def follow(value, gradient):
    value.grad += gradient
    for source, slope in zip(value.sources, value.slopes, strict=True):
        follow(source, gradient * slope)


# %%
follow(z, 1.0)
print(f"{y.grad:.3f} {x.grad:.4f}")

# %% [markdown]
# 0.6: your first engine works. It is four lines long. It calls itself for each source of a value. Now `y = y + y`, twelve times, on a leaf:

# %%
course.ch17.p2


# %%
def calls(value):
    return 1 + sum(calls(source) for source in value.sources)


# %%
y = Value(1.0)
for _ in range(12):
    y = y + y
print(calls(y))


# %% [markdown]
# Thirteen values, thousands of calls. As in [05 Many paths](05_many_paths.ipynb), the cure is to wait until everything has arrived.

# %% [markdown]
# ## Backward, the second try
#
# First count how often each value is used:

# %%
def uses(root):
    counts, to_see = {}, [root]
    for value in to_see:
        for source in value.sources:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


# %% [markdown]
# Then go on from a value only when its last gradient is in, which gives a [topological order](91_glossary.ipynb#topological-order):

# %% tags=["long: the heart of the engine in one piece"]
def backward(root):
    counts, ready = uses(root), [root]
    root.grad = 1.0
    while ready:
        value = ready.pop()
        for source, slope in zip(value.sources, value.slopes, strict=True):
            source.grad += value.grad * slope
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)


# %% tags=["F1"]
a = Value(1.0)
y = a
for _ in range(60):
    y = y + y
backward(y)
print(a.grad == 2.0**60)


# %% [markdown]
# At once, and no recursion either: a chain of any length is a loop.

# %% [markdown]
# ## Is it right?
#
# Try it against the engine of the course, on an expression that uses x in many places:

# %%
def many(x, log):
    return log(x * x + x) * (x + x * x * x)


# %%
small, ours = Value(1.7), torch.tensor(1.7, dtype=torch.float64, requires_grad=True)
backward(many(small, log))
many(ours, torch.log).backward()
print(f"{small.grad:.6f} {ours.grad.item():.6f}")

# %% [markdown]
# ## A flaw
#
# Run backward twice on z = log(x · x · x). Gradients [add up](91_glossary.ipynb#accumulation), as they should at x.

# %%
course.ch17.p3

# %%
x = Value(5.0)
z = log(x * x * x)
backward(z)
backward(z)
print(f"{x.grad:.4f}")


# %% [markdown]
# The values in between still hold their old gradients as well: in the second walk 0.008 was added to the 0.008 that y still had, and everything before y got too much.
#
# A gradient *on its way* and a gradient that is *kept* are two things. Let the walk have its own place for the first:

# %% tags=["long: the heart of the engine put right in one piece"]
def backward(root):
    counts, ready, arrived = uses(root), [root], {root: 1.0}
    while ready:
        value = ready.pop()
        gradient = arrived.pop(value)
        if not value.sources:
            value.grad += gradient
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrived[source] = arrived.get(source, 0.0) + gradient * slope
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)


# %% tags=["A7"]
x = Value(5.0)
z = log(x * x * x)
backward(z)
backward(z)
print(f"{x.grad:.4f}")


# %% [markdown]
# 1.2, as PyTorch has it. And now only leaves keep a gradient: the rule of [02 Leaves](02_leaves.ipynb) falls out by itself. [retain_grad()](91_glossary.ipynb#retain_grad) would be one more line.

# %% [markdown]
# ## Derivatives of derivatives
#
# The slopes are plain numbers here, so a gradient is one too. The idea of [DeZero](91_glossary.ipynb#DeZero), and of PyTorch's [create_graph](91_glossary.ipynb#create_graph): **compute gradients with the same recorded operations as everything else.**

# %%
class Expression:
    def __init__(self, data, sources=(), back=None):
        self.data, self.sources, self.back = data, sources, back

    def __add__(self, other):
        return Expression(self.data + other.data, (self, other), lambda grad: (grad, grad))

    def __mul__(self, other):
        return Expression(self.data * other.data, (self, other), lambda grad: (grad * other, grad * self))


# %% [markdown]
# In place of numbers each has a function `back`, from an Expression to Expressions. 1/x and the logarithm:

# %%
def inverse(x):
    result = Expression(1 / x.data, (x,))
    result.back = lambda grad: (grad * Expression(-1.0) * result * result,)
    return result


def logarithm(x):
    return Expression(math.log(x.data), (x,), lambda grad: (grad * inverse(x),))


# %% tags=["long: the heart of the engine once more in one piece"]
def gradient(root, leaf):
    counts, ready, arrived = uses(root), [root], {root: Expression(1.0)}
    while ready:
        value = ready.pop()
        grads = value.back(arrived[value]) if value.sources else ()
        for source, grad in zip(value.sources, grads, strict=True):
            arrived[source] = arrived[source] + grad if source in arrived else grad
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)
    return arrived[leaf]


# %%
course.ch17.p4

# %% tags=["A18"]
x = Expression(5.0)
first = gradient(logarithm(x * x * x), x)
second = gradient(first, x)
third = gradient(second, x)
print(f"{first.data:.4f} {second.data:.4f} {third.data:.4f}")

# %% [markdown]
# Nothing was added for the second derivative: the walk built a graph, as forward does. [Newton's method](91_glossary.ipynb#Newton's-method) works on it too, as in source C:

# %% tags=["C10"]
x = Expression(2.0)
for _ in range(6):
    y = x * x * x * x + Expression(-2.0) * x * x
    slope = gradient(y, x)
    print(f"{x.data:.4f}")
    x = Expression(x.data - slope.data / gradient(slope, x).data)

# %% [markdown]
# ## Beside DeZero
#
# DeZero is a small framework that was written to be read. Its `Variable` holds data and gradient, its `Function` computes forward and backward. Its backward calls the same operations on Variables, as ours above: that is how it gets its higher derivatives.
#
# | | DeZero | autograd_nb |
# |---|---|---|
# | a result knows | its `creator`, a Function | its `grad_fn`, a [Node](91_glossary.ipynb#node) |
# | order of the walk | sorted by `generation`: 1 + the largest of the inputs | later operations first, and counted users where that is not enough |
# | a gradient on its way | in `.grad` of the Variable, then cleared | in the walk itself; `.grad` is for leaves |
# | backward's arithmetic | on Variables always | on bare arrays; on tensors under create_graph |
# | second backward | allowed | an [error](92_error_clinic.ipynb#Backward-a-second-time), unless [retain_graph](91_glossary.ipynb#retain_graph) |

# %% [markdown]
# Both orders are right: a result is always of a later generation, and always made later, than its inputs. Here is ours:

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
start = y.grad_fn._sequence_nr()
print([node._sequence_nr() - start for node in (y.grad_fn, w.grad_fn, z.grad_fn)])

# %% [markdown]
# ## Reading ours
#
# `engine.py` is the [walk](91_glossary.ipynb#walk), `graph.py` the nodes, `derivatives/` the formulas: for each operation one row with its forward and a formula for each input. The logarithm's says `grad / self`; so does what its node kept:

# %%
print(torch.log(y).grad_fn._saved_self)
torch.draw(z)

# %% [markdown]
# Recorded, our walk can be stepped through. Press ▶, and compare with your `backward`: ready, run, arrived, added up.

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    z = torch.log(x**3) + torch.sqrt(x**2)
    z.backward()
torch.step(trace)

# %% [markdown]
# What else is in a real engine? Tensors in place of numbers, [broadcasting](91_glossary.ipynb#broadcasting), [views](91_glossary.ipynb#view) and changes [in place](91_glossary.ipynb#in-place) with their [versions](91_glossary.ipynb#version-counter), [hooks](91_glossary.ipynb#hook), freeing, [errors that help](92_error_clinic.ipynb), and speed. The heart is what you have built.

# %% [markdown]
# ## Summary
#
# | part | in your engine | in ours |
# |---|---|---|
# | record | `sources`, `slopes` | `grad_fn`, `next_functions`, `_saved_…` |
# | wait | `counts` | the same counts, or the order in which nodes were made |
# | on the way | `arrived` | the walk's own sums |
# | keep | leaves' `grad` | AccumulateGrad |
# | higher derivatives | `back` with Expressions | create_graph |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch17.q1.hint()`; solutions: `course.ch17.q1.solution()`. `course.ch17.Value` and `course.ch17.backward` are those from above.
#
# **1.** a = Value(3.0), b = a + a, c = b * b, and backward(c). What is a.grad?

# %%
answer = ...
course.ch17.q1.check(answer)


# %% [markdown]
# **2.** Write tanh for the small engine: it takes a Value and returns one.

# %%
def tanh(x):
    ...


course.ch17.q2.check(tanh)


# %% [markdown]
# **3.** Write division for the small engine: it takes two Values, and both slopes must be right.

# %%
def divide(a, b):
    ...


course.ch17.q3.check(divide)


# %% [markdown]
# **4.** This walk goes on from a value each time something arrives there, with what has arrived so far. Repair it.

# %% tags=["long: a walk to repair in one piece"]
def walk(root):
    arrived, ready = {root: 1.0}, [root]
    while ready:
        value = ready.pop()
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrived[source] = arrived.get(source, 0.0) + arrived[value] * slope
            ready.append(source)
    return arrived


course.ch17.q4.check(walk)

# %% [markdown]
# ## Next
#
# This was the last chapter. Take a program of your own, `import autograd_nb as torch`, draw it, record it, and read it.
