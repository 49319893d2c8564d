# %% [markdown]
# # 94 The engine, file by file
#
# A guide for whoever wants to read the engine: what is in which file, and where to find the parts of the small engine that you built in [17 Inside the engine](17_inside_the_engine.ipynb).

# %%
import inspect
import time

from matplotlib.figure import Figure

import autograd_nb as torch
from autograd_nb import engine
from autograd_nb.course import figures

# %% [markdown]
# ## The files
#
# Everything that happens in `y = x**3; y.backward()` is in one folder, `autograd_nb/engine`. You can read the files in this order, and stop where you like:

# %%
print(engine.__doc__)

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
# ## A row of the table
#
# `table.py`: an operation is one *row*, with its forward on NumPy arrays and a formula for each input. The parameters of a formula say what it reads, and **what a formula reads is what a node saves**. `saved.py` keeps that. The rows themselves are next to the engine, in `autograd_nb/operations`. This is all that was written by hand for `mul`:

# %%
from autograd_nb.engine.table import operations

row = operations["mul"]
print(inspect.getsource(row.formulas["self"]))
print(row.node_name, row.reads)

# %% [markdown]
# What is saved is the very tensor, not a copy. Once it has been changed [in place](91_glossary.ipynb#in-place), its [version](91_glossary.ipynb#version-counter) is kept as well, and compared before backward uses it.

# %%
one, two = torch.tensor(2.0, requires_grad=True), torch.tensor(7.0)
print((one * two).grad_fn.saved is two)
two.add_(1)
print((one * two).grad_fn.saved.version)

# %% [markdown]
# ## Forward
#
# `call.py` is the way from a call to a result and its node. Look for your three steps: compute, make the result, remember the sources.

# %% tags=["long: two functions of the engine"]
from autograd_nb.engine import call

print(inspect.getsource(call.compute))
print(inspect.getsource(call.record))

# %% [markdown]
# | in 17 | here | what it does besides |
# |---|---|---|
# | `Value(self.data * other.data, …)` | `result = forward(row, recipe, values, arrays, run)` | `forward` casts to a common dtype first; `run` keeps NumPy from warning, as PyTorch does not warn |
# | `(self, other)`, the sources | `edge = value._node if value._counter is None else gradient_edge(value)` | a source becomes an *edge*; a view may need a new node first |
# | the slopes | `plan = fitted_plan(recipe.plan, inputs, made[0] if row.several else made)` | the derivative, in the form of a plan that all nodes of this kind share; it casts and sums gradients only where an input has another dtype or shape than the result |
# | what `back` can see | `saved.append(value if unshared else save_input(value))` | only what the formulas read, with its version |
# | | `kinds.append(value._dtype)` | what the *Recipe* depends on |
#
# Some words that you meet there:
#
# - **An edge is a node**: the node that made the source, or a leaf's `AccumulateGrad`. Only where an operation has several outputs, as `split` has, is it an `OutputEdge`, a node with the number of an output. It is `None` where nothing requires a gradient, and `DEAD_END` where something does in vain: a view of a tensor that requires grad, made under no_grad.
# - **A Recipe** is what follows from the dtypes of the operands and from which of them require grad: the dtype to compute in, what to cast, the plan. To work it out takes longer than to multiply two numbers, so each row remembers its recipes.
# - **Modes are a triple**, `run, recording, unusual`, because every call reads all three: how to call NumPy, whether to record, and whether anything else is switched on, such as inference mode or a listener.
# - **`_share()`** is called before a second tensor uses the same elements, and before a change in place. Only then does a tensor need a version counter, and only then does a single number become an array.
# - **`extras`** of a node are its [hooks](91_glossary.ipynb#hook) and the gradients that it retains. Most nodes have none.

# %% [markdown]
# ## Back through one node
#
# `vjp.py` writes the way back from the same row when a backward first needs it: what was saved is checked, and each formula gives one gradient. A second function does the same on tensors, for [create_graph](91_glossary.ipynb#create_graph), with the same formulas: your `slopes` and your `back` in one.

# %%
from autograd_nb.engine.vjp import backward_function

c.backward(retain_graph=True)
print(inspect.getsource(backward_function(c.grad_fn.plan, None, False)))
torch.autograd.grad(c, (a, b), create_graph=True)
print(inspect.getsource(backward_function(c.grad_fn.plan, None, True)))

# %% [markdown]
# ## Views and changes in place
#
# `views.py`: a [view](91_glossary.ipynb#view) knows its base and shares its counter. `inplace.py`: a change overwrites the elements, counts up and gives the tensor a new node. If it was a view that changed, its base gets a new node too, [CopySlices](91_glossary.ipynb#CopySlices), and from then on the view takes its gradient from the base:

# %%
base = torch.ones(3, requires_grad=True) * 1
part = base[:2]
part.mul_(a)
print(part._counter is base._counter, base._version, base.grad_fn.name(), part.grad_fn.name())

# %% [markdown]
# ## The walk
#
# `backward.py` walks as yours in 17 does. But what has arrived waits in *buffers*, and of the values that are ready the one made last runs first, which a *heap* finds. Your walk, written so (each `Expression` would count how many were made before it, its `number`):

# %% tags=["long: the walk of chapter 17 once more"]
from heapq import heappop, heappush


def walk(root, uses, one):
    counts, buffers, ready, kept = uses(root) | {root: 1}, {}, [], {}

    def send(sources, grads):
        for source, grad in zip(sources, grads, strict=True):
            buffers[source] = buffers[source] + grad if source in buffers else grad
            counts[source] -= 1
            if counts[source] == 0:
                heappush(ready, (-source.number, source))

    send([root], [one])
    while ready:
        _, value = heappop(ready)
        if value.sources:
            send(value.sources, value.back(buffers.pop(value)))
        else:
            kept[value] = buffers.pop(value)
    return kept


# %% [markdown]
# These four functions are the steps of the real one:

# %% tags=["long: the walk of the engine"]
from autograd_nb.engine.backward import GraphTask

steps = GraphTask.walk, GraphTask.count_dependencies, GraphTask.send, GraphTask.evaluate
print(*map(inspect.getsource, steps), sep="\n")

# %% [markdown]
# | yours | the real engine | what it does besides |
# |---|---|---|
# | `uses(root)` | `self.count_dependencies(edges)`, before the walk | it counts from several roots |
# | `send([root], [one])` | `self.send(edges, grads)` | the first gradient may be given |
# | `while ready:` | `while self.ready:` | |
# | `_, value = heappop(ready)` | `_, node = heappop(self.ready)` | |
# | `send(value.sources, value.back(buffers.pop(value)))` | `self.send(node.edges, self.evaluate(node, self.buffers.pop(node)))` | `evaluate` also calls [hooks](91_glossary.ipynb#hook), frees what the node saved, and leaves out gradients that nobody wants |
# | `for source, grad in zip(sources, grads, strict=True):` | `for edge, grad in zip(edges, grads):` | an edge is the node that it leads to, or an `OutputEdge` where that has several outputs; it is None where nothing requires a gradient |
# | `buffers[source] = buffers[source] + grad if source in buffers else grad` | `waiting[number] = grad if before is None else self.add(edge, before, grad)` | an operation with several outputs has a place for each |
# | `counts[source] -= 1` | `self.dependencies[node] = left = self.dependencies[node] - 1` | |
# | `if counts[source] == 0:` | `if left == 0:` | |
# | `heappush(ready, (-source.number, source))` | `self.is_ready(node)` | pushes `(-node.sequence, node)`; a leaf accumulates at once |

# %% [markdown]
# `backward()` wants every gradient, and then `needed` is None. `autograd.grad(c, a)` wants one: `captures` says where it arrives, `targets` are the nodes of these places, and `needed` holds the nodes on the way there. All others are left out. Not shown are `is_ready`, `add`, which adds two gradients, and `apply`, which runs the node's [hooks](91_glossary.ipynb#hook) and its plan, and frees the saved tensors.
#
# To see it run, set a breakpoint in it, or look over its shoulder:

# %% tags=["long: a function put in place of another"]
from autograd_nb.engine import speed

evaluate = GraphTask.evaluate


def told(task, node, grads):
    print(node.plan.node_name, *grads)
    return evaluate(task, node, grads)


GraphTask.evaluate = told
with speed.off():
    (a * b).backward()
GraphTask.evaluate = evaluate


# %% [markdown]
# ## A Function
#
# `function.py`: a [Function](91_glossary.ipynb#Function) has a forward and a backward that you write, on tensors; its [ctx](91_glossary.ipynb#ctx) is simply its node:

# %%
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Cube.ctx = ctx
        return x**3


print(Cube.apply(a).grad_fn is Cube.ctx)


# %% [markdown]
# ## Two speeds
#
# `speed.py` is the last file, and the only one that you may skip: with it or without, everything means the same. The files before it look at each call and each node with everything in mind that may be so. For what is simpler `speed.py` has shorter ways: for a call on tensors of one dtype it *writes a function* from the row. It stands aside when a pass is recorded or debugged, and within `speed.off()`.

# %%
def chain():
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(500):
        y = torch.sin(y) * x
    y.backward()
    return x.grad


# %%
def milliseconds(function):
    begin = time.perf_counter()
    result = function()
    return 1000 * (time.perf_counter() - begin), result.item()


quick, gradient = min(milliseconds(chain) for _ in range(9))
with speed.off():
    plain, same_gradient = min(milliseconds(chain) for _ in range(9))
print(gradient == same_gradient, quick < plain)

# %%
figure = Figure(figsize=(6, 1.2), layout="constrained")
axes = figure.add_subplot()
axes.barh(["without speed.py", "with speed.py"], [plain, quick])
axes.set_xlabel("milliseconds for forward and backward of 1,000 operations")
figures.Figure(figure, [plain, quick], "A bar each for the time without and with speed.py, as measured here.")

# %% [markdown]
# Why both? What is quick can hardly be read, for it takes every shortcut that happens to be right; what can be read looks at everything, and that takes time. So one says what the engine means, and the other makes it fast enough to work with, and the tests compare them: results, warnings, the order of hooks.

# %% [markdown]
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
