"""The engine: all that happens in ``y = x**3; y.backward()``, in files to be read in this order.

dtypes    data types, and the one in which an operation on several tensors is computed
events    what listeners are told of all that happens
modes     whether operations are recorded, and listeners to what happens
graph     nodes, and the edges along which gradients flow back
table     an operation is a row: a NumPy forward, and a formula for each differentiable input
tensor    the tensor as state: elements, version, place in the graph; the leaves' AccumulateGrad
saved     what a node saves for backward, and the check that it has not changed since
vjp       from a row's formulas to the backward function of a node
views     tensors that share storage, and what an in-place change does to their histories
call      the forward pass: a call computes a result on arrays and records a node
inplace   an operation in place: its result overwrites the tensor, its node becomes the tensor's
hooks     hooks of tensors and nodes, when a pass calls them, and how a leaf accumulates
backward  the backward pass: down the graph, each node once, when all its gradients are there
function  operations whose derivative the user writes
speed     quicker ways to the same results, which a reader may skip

Many names are those of PyTorch's own engine, in C++, such as GraphTask, SavedVariable and
CopySlices. A file imports NumPy, the standard library, and those files of the package that come
before it.
"""
