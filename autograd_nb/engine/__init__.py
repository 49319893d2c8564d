"""The engine: everything that happens in ``y = x**3; y.backward()``, in files to be read in this order.

dtypes    what a tensor's elements are, and which type two of them make together
modes     whether operations are recorded, and who listens
graph     nodes, and the edges along which gradients flow back
tensor    the tensor as state: elements, version counter, place in the graph; and the leaves' AccumulateGrad
saved     what a node saved, and the check that it is still what it was
table     an operation is a row: a NumPy forward, and a formula for each differentiable input
vjp       from a row's formulas to the backward function of a node
views     tensors that share storage, and what an in-place change does to their histories
call      the way forward: from a call to arrays, a result and a node
inplace   an operation in place: its result is written over the tensor, and its node becomes the tensor's
hooks     what may be attached to a tensor or a node, and when a backward pass calls it
backward  the way back: from the roots down the graph, each node once, when all its gradients have arrived
function  operations with a derivative of one's own

A file imports NumPy, the standard library and, of the package, only files that stand above it in this list.
"""
