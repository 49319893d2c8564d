# %% [markdown]
# # 17 Inside the engine
#
# **You will be able to** build an engine from nothing, train a network with it, compare it with the real one, and add an operation to that.
#
# **Builds on** [05 Many paths](05_many_paths.ipynb), [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb) and [16 Training](16_training.ipynb).
#
# **Time** 65 minutes.

# %%
import math
import random

import autograd_nb as torch
from autograd_nb import course
from autograd_nb.course import figures


# %% [markdown]
# ## A number that remembers
#
# Our engine needs numbers that remember three things: their value, what they were computed from, and the slope along each of those. Python calls `__add__` for a `+`, `__mul__` for a `*`, and `__repr__` to show a value. There is nothing else: no `-`, and both sides must be Values, `x + Value(1.0)`.

# %% tags=["long: a value with its two operations"]
class Value:
    def __init__(self, data, sources=(), slopes=()):
        self.data, self.sources, self.slopes, self.grad = data, sources, slopes, 0.0

    def __repr__(self):
        return f"Value({self.data:.6g}, grad={self.grad:.6g})"

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
# Forward computed *and* recorded: z knows y, and y knows x·x and x. That is a [graph](91_glossary.ipynb#graph), made just by keeping references. A [leaf](91_glossary.ipynb#leaf) is a value without sources. Here is your graph, with the slopes on its arrows:

# %% tags=["long: a picture of the graph of Values"]
from autograd_nb.drawing.display import Drawing
from autograd_nb.drawing.picture import Picture, PictureEdge, PictureNode


def draw(root):
    found, arrows = [root], []
    for value in found:
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrows.append((PictureEdge(str(id(source)), str(id(value)), label=f"{slope:.4g}"),))
            found += [] if source in found else [source]
    boxes = [PictureNode(str(id(each)), "tensor" if each.sources else "leaf", f"{each.data:.4g}") for each in found]
    return Drawing(Picture("The graph of Values", nodes=boxes[::-1], lanes=arrows[::-1]))


draw(z)


# %% [markdown]
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

# %% tags=["long: the heart of the engine in one piece"]
def uses(root):
    counts, to_see = {}, [root]
    for value in to_see:
        for source in value.sources:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


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
# ## Break it
#
# In the cell of `backward`, write `=` in place of `+=`. Run it, the sixty doublings, and the comparison. What breaks?
#
# Where a value is used more than once, each use wipes out what came before it, and only the last one counts. A chain such as log(log(x)) would still be right. Write `+=` again and run all three.
#
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
# The slopes are plain numbers here, so a gradient is a plain number too. The idea of [DeZero](91_glossary.ipynb#DeZero), and of PyTorch's [create_graph](91_glossary.ipynb#create_graph), is this: **compute gradients with the same recorded operations as everything else.** Instead of slopes, each value now has a function `back`: it takes the gradient that arrives, an Expression, and returns those that go on.

# %% tags=["long: a value with its operations"]
class Expression:
    def __init__(self, data, sources=(), back=None):
        self.data, self.sources, self.back = data, sources, back

    def __add__(self, other):
        return Expression(self.data + other.data, (self, other), lambda grad: (grad, grad))

    def __mul__(self, other):
        return Expression(self.data * other.data, (self, other), lambda grad: (grad * other, grad * self))


def inverse(x):
    result = Expression(1 / x.data, (x,))
    result.back = lambda grad: (grad * Expression(-1.0) * result * result,)
    return result


def logarithm(x):
    return Expression(math.log(x.data), (x,), lambda grad: (grad * inverse(x),))


# %% tags=["long: the heart of the engine once more in one piece"]
def gradients(root):
    counts, ready, arrived = uses(root), [root], {root: Expression(1.0)}
    while ready:
        value = ready.pop()
        grads = value.back(arrived[value]) if value.sources else ()
        for source, grad in zip(value.sources, grads, strict=True):
            arrived[source] = arrived[source] + grad if source in arrived else grad
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)
    return arrived


# %%
course.ch17.p4

# %% tags=["A18"]
x = Expression(5.0)
first = gradients(logarithm(x * x * x))[x]
second = gradients(first)[x]
third = gradients(second)[x]
print(f"{first.data:.4f} {second.data:.4f} {third.data:.4f}")

# %% [markdown]
# Nothing had to be added for the second derivative: backward built a graph, just as forward does. ([DeZero](91_glossary.ipynb#DeZero), a framework written to be read, works like this throughout.)
#
# ## A network of your own
#
# An engine is for learning. A neuron multiplies by weights and adds; layer on layer of that is one straight line. So a network also needs a bend. *tanh* squeezes any number between -1 and 1, and its slope is 1 - tanh²:

# %%
one, minus = Expression(1.0), Expression(-1.0)


def tanh(x):
    result = Expression(math.tanh(x.data), (x,))
    result.back = lambda grad: (grad * (one + minus * result * result),)
    return result


# %% [markdown]
# A *neuron* multiplies each of its inputs by a weight and adds everything up, together with a bias. (`__call__` says what happens when you call it like a function; `zip` goes through two lists in step.) Our network has two layers: eight neurons that look at a point, with a tanh each, and one neuron that looks at these eight and gives a score.

# %% tags=["long: the whole network"]
class Neuron:
    def __init__(self, inputs):
        self.weights = [Expression(random.uniform(-1, 1)) for _ in range(inputs)]
        self.bias = Expression(0.0)

    def __call__(self, inputs):
        total = self.bias
        for weight, value in zip(self.weights, inputs):
            total = total + weight * value
        return total


random.seed(1)
hidden, last = [Neuron(2) for _ in range(8)], Neuron(8)
parameters = [each for neuron in [*hidden, last] for each in [*neuron.weights, neuron.bias]]


def score(x, y):
    point = [Expression(x), Expression(y)]
    return last([tanh(neuron(point)) for neuron in hidden])


# %% [markdown]
# ## Two moons
#
# Twenty points lie on two half circles that reach into each other, each shifted a little at random. No straight line can separate them. The score should be -1 for class 0 and 1 for class 1, and the loss is the mean of the squared distances from that.

# %% tags=["long: two moons"]
torch.manual_seed(0)
angle = torch.linspace(0, math.pi, 10)
upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
lower = torch.stack([1 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
points = torch.cat([upper, lower]) + 0.1 * torch.randn(20, 2)
labels = torch.tensor([0.0] * 10 + [1.0] * 10)
figures.points(points, labels)


# %% tags=["long: the loss of the whole network"]
def loss():
    total = Expression(0.0)
    for point, label in zip(points.tolist(), labels.tolist()):
        distance = score(*point) + Expression(1 - 2 * label)
        total = total + distance * distance
    return total * Expression(1 / 20)


print(f"{loss().data:.4f}", len(uses(loss())))


# %% [markdown]
# The second number counts the values that the loss was computed from: so large is the graph of twenty points. Now forward, backward, step. `gradients` returns what has arrived, so there is nothing to clear.

# %% tags=["long: a step and its repetition"]
def update(rate):
    now = loss()
    arrived = gradients(now)
    for parameter in parameters:
        parameter.data -= rate * arrived[parameter].data
    return now.data


start, losses = [parameter.data for parameter in parameters], []
for step in range(200):
    losses.append(update(0.1))
    if step % 40 == 0:
        print(f"after {step:3} updates: {losses[-1]:.4f}")
figures.loss(losses)


# %%
def scores(grid):
    return torch.tensor([score(x, y).data for x, y in grid.tolist()])


figures.decision_boundary(scores, points, labels, resolution=40)


# %% [markdown]
# A curve between the moons, with all points but one on their side, found by your own engine: about thirty lines, and thirty more for the network. What a library adds is arrays, more operations, and speed.
#
# ## The same network on the real engine
#
# Now all twenty points go through at once, as arrays. `train` takes the library to use as an argument: you will see why. The weights begin where those of your neurons began.

# %% tags=["long: the whole network and its training"]
def train(torch):
    w_1 = torch.tensor([start[3 * i : 3 * i + 2] for i in range(8)], dtype=torch.float64, requires_grad=True)
    b_1 = torch.zeros(8, dtype=torch.float64, requires_grad=True)
    w_2 = torch.tensor(start[24:32], dtype=torch.float64, requires_grad=True)
    b_2 = torch.zeros((), dtype=torch.float64, requires_grad=True)
    x = torch.tensor(points.tolist(), dtype=torch.float64)
    y = torch.tensor([2 * label - 1 for label in labels.tolist()], dtype=torch.float64)
    optimizer, losses = torch.optim.SGD([w_1, b_1, w_2, b_2], lr=0.1), []
    for _ in range(200):
        loss = ((torch.tanh(x @ w_1.t() + b_1) @ w_2 + b_2 - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
course.ch17.p6

# %%
try:
    import torch as pytorch
except ImportError:
    pytorch = torch
engine, theirs = train(torch), train(pytorch)
for step in (0, 50, 199):
    print(f"{losses[step]:.6f} {engine[step]:.6f} {theirs[step]:.6f}")

# %% [markdown]
# Yours, this engine, and PyTorch, if you have it (if not, this engine once more): after two hundred steps they agree to six digits. How the real engine walks, line by line beside your walk, is in [94](94_the_engine_file_by_file.ipynb#The-walk).

# %% [markdown]
# ## An operation of your own
#
# In the real engine an operation is one *row* of a table: its forward on NumPy arrays, and a formula for each input, which is your `back`. The parameters of a formula say what it reads, and **what a formula reads is what a node saves**. Of the two formulas of `mul` each reads the other factor.

# %%
course.ch17.p5

# %%
a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(7.0)
node = (a * b).grad_fn
print(node._saved_self, node._saved_other)

# %% [markdown]
# Add a row, and everything else is made from it: the forward call, the node with its name, and both ways back, on arrays and on tensors. The cube root's slope is 1/(3 · result²). Because the formula names `result`, the node saves the result and not the input. Are its first and second derivatives right?

# %%
import numpy as np
from autograd_nb.operations.rows import unary

cube_root = unary("cube_root", np.cbrt, lambda grad, result: grad / (3 * result**2))
x = torch.tensor([-9.0, 2.0, 30.0], dtype=torch.float64, requires_grad=True)
print(cube_root(x))
print(torch.autograd.gradcheck(cube_root, x), torch.autograd.gradgradcheck(cube_root, x))

# %% [markdown]
# ## Summary
#
# | part | in your engine | in the real one |
# |---|---|---|
# | what was done is remembered | `sources`, `back` | `grad_fn`, `next_functions`, `_saved_…` |
# | an operation | a function | a row: a forward, and a formula for each input |
# | wait until everything has arrived | `counts`, `ready` | `dependencies`, `ready` |
# | a gradient on its way | `arrived` | `buffers` |
# | a gradient that is kept | `.grad` of the leaves | `.grad` of the leaves |
# | higher derivatives | `back` computes with Expressions | the same formulas on tensors |
# | learning | step against the gradient | `loss.backward()`, `optimizer.step()` |

# %% [markdown]
# ## Exercises
#
# `course.ch17.Value` and `course.ch17.backward` are those from above.
#
# **1.** In the `backward` of *the second try*, `=` stands in place of `+=` once more. a = Value(3.0), b = a + a, c = b * b, and then backward(c). What is a.grad? (24 would be right.)

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
# **3.** This walk through the graph goes on from a value each time something arrives there, with what has arrived so far. Repair it, so that it goes on from each value once.

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
# **5.** Write relu for the small engine: it takes a Value and returns one, which is x itself for a positive x and 0 otherwise, with the right slope.

# %%
def relu(x):
    ...


course.ch17.q5.check(relu)

# %% [markdown]
# **To invent**, without a verdict. Give Value an operation that no library has, and train with it. And a puzzle: break one line of it; a friend finds it by three gradients.
#
# ## Next
#
# A question to take along: how would your backward free the graph, and what would then fail?
#
# What you know holds for PyTorch, too: [18 Your own PyTorch code](18_your_own_pytorch_code.ipynb). [19 Digits](19_digits.ipynb) reads handwriting. [94 The engine, file by file](94_the_engine_file_by_file.ipynb) leads through the engine.
