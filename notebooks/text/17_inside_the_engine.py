# %% [markdown]
# # 17 Inside the engine
#
# **You will be able to** build an engine for gradients from nothing, find your way around the one that this course uses, and add an operation to it.
#
# **Mirrors** [source C, "Automatic differentiation with torch.autograd"](91_glossary.ipynb#Sources), which reads PyTorch beside DeZero; the engine here is our own.
#
# **Builds on** all chapters so far, most of all on [05 Many paths](05_many_paths.ipynb).
#
# **Time** 50 minutes.

# %%
import inspect
import math

import autograd_nb as torch
from autograd_nb import course


# %% [markdown]
# ## A number that remembers
#
# Our engine needs numbers that remember three things: their value, what they were computed from, and the slope along each of those. Python calls `__add__` for a `+`, and `__mul__` for a `*`:

# %%
class Value:
    def __init__(self, data, sources=(), slopes=()):
        self.data, self.sources, self.slopes, self.grad = data, sources, slopes, 0.0

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %%
course.ch17.p1


# %%
def log(x):
    return Value(math.log(x.data), (x,), (1 / x.data,))


x = Value(5.0)
y = x * x * x
z = log(y)
print(f"{z.data:.4f} {z.slopes[0]:.3f}")
print(len(y.sources), y.sources[1] is x)


# %% [markdown]
# Forward computed *and* recorded: z knows y, and y knows x·x and x. That is a [graph](91_glossary.ipynb#graph), made just by keeping references. A [leaf](91_glossary.ipynb#leaf) is a value without sources.
#
# ## Backward, the first try
#
# Follow every [path](91_glossary.ipynb#path) to its end, multiply along the way, and add at each value:

# %%
def follow(value, gradient):
    value.grad += gradient
    for source, slope in zip(value.sources, value.slopes, strict=True):
        follow(source, gradient * slope)


follow(z, 1.0)
print(f"{y.grad:.3f} {x.grad:.4f}")

# %% [markdown]
# 0.6: your first engine works, and its backward is four lines long. It calls itself for each source of a value. Now take a leaf, and `y = y + y` twelve times:

# %%
course.ch17.p2


# %%
def calls(value):
    return 1 + sum(calls(source) for source in value.sources)


y = Value(1.0)
for _ in range(12):
    y = y + y
print(calls(y))


# %% [markdown]
# Thirteen values, but thousands of calls. As in [05 Many paths](05_many_paths.ipynb), the cure is to wait until everything has arrived.
#
# ## Backward, the second try
#
# First count how many times each value is used (as in chapter 05, the list grows while the loop walks over it). Then go on from a value only when its last gradient has arrived, which gives a [topological order](91_glossary.ipynb#topological-order):

# %%
def uses(root):
    counts, to_see = {}, [root]
    for value in to_see:
        for source in value.sources:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


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
# That took no time, and it needs no recursion: a chain of any length is just a loop.
#
# ## Is it right?
#
# Compare it with the engine of the course, on an expression that uses x in many places:

# %%
def many(x, log):
    return log(x * x + x) * (x + x * x * x)


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
# The values in between still hold their old gradients as well: in the second backward 0.008 was added to the 0.008 that y still had, and everything before y got too much.
#
# A gradient *on its way* and a gradient that is *kept* are two different things. Let backward have its own place for the first kind:

# %% tags=["A7", "long: the heart of the engine put right in one piece"]
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


x = Value(5.0)
z = log(x * x * x)
backward(z)
backward(z)
print(f"{x.grad:.4f}")


# %% [markdown]
# 1.2, as in PyTorch. And only leaves keep a gradient now.
#
# ## Derivatives of derivatives
#
# The slopes are plain numbers here, so a gradient is a plain number too. The idea of [DeZero](91_glossary.ipynb#DeZero), and of PyTorch's [create_graph](91_glossary.ipynb#create_graph), is this: **compute gradients with the same recorded operations as everything else.** Instead of slopes, each value now has a function `back`: it takes the gradient that arrives, an Expression, and returns those that go on:

# %%
class Expression:
    def __init__(self, data, sources=(), back=None):
        self.data, self.sources, self.back = data, sources, back

    def __add__(self, other):
        return Expression(self.data + other.data, (self, other), lambda grad: (grad, grad))

    def __mul__(self, other):
        return Expression(self.data * other.data, (self, other), lambda grad: (grad * other, grad * self))


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
# Nothing had to be added for the second derivative: backward built a graph, just as forward does.
#
# ## Beside DeZero
#
# DeZero is a small framework that was written to be read. Its backward, too, calls the same operations on its Variables as forward does.
#
# | | DeZero | autograd_nb |
# |---|---|---|
# | a result knows | its `creator`, a Function | its `grad_fn`, a [Node](91_glossary.ipynb#node) |
# | order of backward | sorted by `generation`: 1 + the largest of the inputs | of the nodes that a gradient has reached, the latest operation first |
# | a gradient on its way | in `.grad` of the Variable, then cleared | in backward itself; `.grad` is for leaves |
# | backward's arithmetic | always on Variables | on bare arrays; on tensors under create_graph |
# | second backward | allowed | an [error](92_error_clinic.ipynb#Backward-a-second-time), unless [retain_graph](91_glossary.ipynb#retain_graph) |

# %% [markdown]
# ## Ours, file by file
#
# Now the real one. Everything that happens in `y = x**3; y.backward()` is in one folder, `autograd_nb/engine`, in thirteen files. Each imports only files that come before it in this list, so you can read them in this order and stop where you like:

# %%
from importlib import import_module

names = "dtypes events modes graph tensor saved table vjp views call inplace hooks backward function speed".split()
for name in names:
    print(f"{name:9}", import_module("autograd_nb.engine." + name).__doc__.splitlines()[0])

# %% [markdown]
# `dtypes.py` finds the [dtype](91_glossary.ipynb#dtype) of a result from those of its operands. `modes.py` holds what every operation looks at first: are we recording? `graph.py` and `tensor.py` are your `Value` in two parts. A [tensor](91_glossary.ipynb#tensor) has elements and one edge into the graph; a [node](91_glossary.ipynb#node) has edges to the nodes of its inputs, what it saved, and a plan that says how to go back:

# %%
from autograd_nb.engine.graph import Node
from autograd_nb.engine.modes import state

a, b = (torch.tensor(number, requires_grad=True) for number in (2.0, 7.0))
c = a * b
print(torch.Tensor.__slots__[:4], Node.__slots__[:6], sep="\n")
print(c.grad_fn.edges == (a._node, b._node))
print("recording:", state.recording)

# %% [markdown]
# ### A row of the table
#
# `table.py`: an operation is one *row*, with its forward on NumPy arrays and a formula for each input. The parameters of a formula say what it reads, and **what a formula reads is what a node saves**. `saved.py` keeps that. The rows themselves are next to the engine, in `autograd_nb/operations`. This is all that was written by hand for `mul`:

# %%
from autograd_nb.engine.table import operations

row = operations["mul"]
print(inspect.getsource(row.formulas["self"]))
print(row.node_name, row.reads)

# %%
course.ch17.p5

# %%
one, two = torch.tensor(2.0, requires_grad=True), torch.tensor(7.0)
print((one * two).grad_fn.saved is two)
two.add_(1)
print((one * two).grad_fn.saved.version)

# %% [markdown]
# The very tensor, not a copy. Once it has been changed [in place](91_glossary.ipynb#in-place), its [version](91_glossary.ipynb#version-counter) is kept as well, and compared before backward uses it.
#
# ### Forward
#
# `call.py` is the way from a call to a result and its node. It takes care of everything that may be so. Most calls are simpler, tensors of one dtype, and for these `speed.py` *writes a function* from the row, as PyTorch does from its table. Look for your three steps: compute, make the result, remember the sources.

# %%
print(inspect.getsource(torch.Tensor.__mul__))

# %% [markdown]
# Anything unusual goes to `otherwise`, which is `call.py` again. `speed.py` is the last file, and the only one that you may skip: with it or without, everything means the same.
#
# ### Back through one node
#
# `vjp.py` writes the way back from the same row when a backward first needs it: what was saved is checked, and each formula gives one gradient. A second function does the same on tensors, for [create_graph](91_glossary.ipynb#create_graph), with the same formulas: your `slopes` and your `back` in one.

# %%
c.backward(retain_graph=True)
print(inspect.getsource(c.grad_fn.plan.function(None, tensors=False)))
torch.autograd.grad(c, (a, b), create_graph=True)
print(inspect.getsource(c.grad_fn.plan.function(None, tensors=True)))

# %% [markdown]
# ### Views and changes in place
#
# `views.py`: a [view](91_glossary.ipynb#view) knows its base and shares its counter. `inplace.py`: a change overwrites the elements, counts up and gives the tensor a new node. If it was a view that changed, its base gets a new node too, [CopySlices](91_glossary.ipynb#CopySlices), and from then on the view takes its gradient from the base:

# %%
base = torch.ones(3, requires_grad=True) * 1
part = base[:2]
part.mul_(a)
print(part._counter is base._counter, base._version, base.grad_fn.name(), part.grad_fn.name())

# %% [markdown]
# ### The walk
#
# `backward.py` is your `backward`: count how many gradients each node will get; send gradients on, and add those that meet; take the latest of the nodes that wait for no more. `buffers` is your `arrived`, `ready` a heap. `evaluate` calls the [hooks](91_glossary.ipynb#hook) around a node and lets it run.
#
# Below the code is a recorded backward: press ▶ and compare.

# %%
walk = import_module("autograd_nb.engine.backward").GraphTask
for method in (walk.count_dependencies, walk.walk, walk.send):
    print(inspect.getsource(method))

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    z = torch.log(x**3) + torch.sqrt(x**2)
    z.backward()
torch.step(trace)


# %% [markdown]
# ## An operation of your own
#
# There are two ways. A [Function](91_glossary.ipynb#Function), in `function.py`, has a forward and a backward that you write, on tensors; its [ctx](91_glossary.ipynb#ctx) is simply its node:

# %%
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Cube.ctx = ctx
        return x**3


print(Cube.apply(a).grad_fn is Cube.ctx)

# %% [markdown]
# Or you add a row to the table, and everything else is written for you: the forward call, the node with its name, and both functions for the way back. The cube root's slope is 1/(3 · result²). Because the formula names `result`, the node saves the result and not the input. Are its first and second derivatives right?

# %%
import numpy as np
from autograd_nb.operations.rows import unary

cube_root = unary("cube_root", np.cbrt, lambda grad, result: grad / (3 * result**2))
x = torch.tensor([-8.0, 1.0, 27.0], dtype=torch.float64, requires_grad=True)
y = cube_root(x)
print(torch.autograd.gradcheck(cube_root, x), torch.autograd.gradgradcheck(cube_root, x))
print(inspect.getsource(y.grad_fn.plan.function(None, tensors=False)))

# %% [markdown]
# ## Summary
#
# | part | in your engine | in ours | where |
# |---|---|---|---|
# | record | `sources`, `slopes` | `grad_fn`, `next_functions`, `_saved_…` | graph, tensor, saved |
# | one operation | a function | a row, from which functions are written | table, call, vjp |
# | wait | `counts` | sequence numbers | backward |
# | a gradient on its way | `arrived` | sums kept by backward | backward |
# | a gradient that is kept | leaves' `grad` | AccumulateGrad | tensor, hooks |
# | higher derivatives | `back` with Expressions | the same formulas on tensors | vjp |
# | what single numbers do not need | | broadcasting, views, versions, hooks | vjp, views, inplace, hooks |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch17.q1.hint()`; solutions: `course.ch17.q1.solution()`. `course.ch17.Value` and `course.ch17.backward` are those from above.
#
# **1.** a = Value(3.0), b = a + a, c = b * b, and then backward(c). What is a.grad?

# %%
answer = ...
course.ch17.q1.check(answer)


# %% [markdown]
# **2.** Write division for the small engine: it takes two Values, and both slopes must be right.

# %%
def divide(a, b):
    ...


course.ch17.q2.check(divide)


# %% [markdown]
# **3.** This walk through the graph goes on from a value each time something arrives there, with what has arrived so far. Repair it.

# %% tags=["long: a walk to repair in one piece"]
def walk(root):
    arrived, ready = {root: 1.0}, [root]
    while ready:
        value = ready.pop()
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrived[source] = arrived.get(source, 0.0) + arrived[value] * slope
            ready.append(source)
    return arrived


course.ch17.q3.check(walk)


# %% [markdown]
# **4.** Write a row for the table of the real engine. Its forward is 1 / (1 + self\*\*2); you write the formula of its gradient. Its first parameter is `grad`; `self` and `result` may follow, if you need them. Use operators only, so that it runs on arrays and on tensors.

# %%
def formula(grad, self):
    ...


course.ch17.q4.check(formula)

# %% [markdown]
# ## Next
#
# What you know of this engine holds for PyTorch itself: [18 Your own PyTorch code](18_your_own_pytorch_code.ipynb) looks at real networks. And your engine finds gradients; now let it learn. [19 Moons and digits](19_moons_and_digits.ipynb) trains a network with it, and then reads handwriting. Or take a program of your own, `import autograd_nb as torch`, draw it, record it and read it; and whenever you want to know how the engine does something, open its file.
