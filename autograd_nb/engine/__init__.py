"""The engine: all that happens in ``y = x**3; y.backward()``. Read the files in this order.

dtypes    data types, and type promotion for operations on several tensors
events    the events that listeners receive
modes     whether operations are recorded; listeners to events
graph     nodes, and the edges along which gradients flow back
table     an operation is a row: a NumPy forward, and a formula for each differentiable input
tensor    the tensor as state: elements, version, place in the graph; the leaves' AccumulateGrad
saved     the tensors that a node saves for backward, and the check that nobody changed them
vjp       from a row's formulas to the backward function of a node
views     tensors that share storage, and how a change in place rewrites their histories
call      the forward pass: a call computes a result on arrays and records a node
inplace   an operation in place: its result overwrites the tensor, its node becomes the tensor's
hooks     hooks of tensors and nodes, and when a pass calls them
backward  the backward pass: down the graph, each node once, when all its gradients are there
function  operations whose derivative the user writes
speed     quicker ways to the same results, which a reader may skip

Many names come from PyTorch's own engine, in C++: GraphTask, SavedVariable, CopySlices. A file
imports NumPy, the standard library and earlier files of the package.
"""
