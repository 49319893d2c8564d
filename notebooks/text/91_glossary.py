# %% [markdown]
# # 91 Glossary
#
# The words of the course, each in a line or two, with the chapter that explains it. Where a line of code says more than words, it follows; x, y and z are those made here.

# %%
import autograd_nb as torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

# %% [markdown]
# ### AccumulateGrad
#
# The node at the end of every path, one for each leaf: it adds what arrives into the leaf's `.grad`. [14 Reading the graph](14_reading_the_graph.ipynb#The-last-node:-AccumulateGrad)

# %%
print(y.grad_fn.next_functions[0][0].name())

# %% [markdown]
# ### accumulation
#
# Adding a new gradient to the one that is in `.grad` already, instead of replacing it. [04 Accumulation](04_accumulation.ipynb#Why-does-it-add?)

# %% [markdown]
# ### anomaly mode
#
# `torch.autograd.detect_anomaly()`: backward stops at the first node that returns NaN, and tells where forward made it. [09 Is it right?](09_is_it_right.ipynb#Anomaly-mode)

# %% [markdown]
# ### apply
#
# How a Function of your own is used: `Name.apply(inputs)` runs its forward and records its node. [08 Your own Function](08_own_function.ipynb#A-pair-of-functions)

# %% [markdown]
# ### autograd.grad
#
# Returns the gradients for the inputs named, as a tuple, and leaves every `.grad` alone. [07 Vectors](07_vectors.ipynb#autograd.grad:-give-it-to-me)

# %%
print(torch.autograd.grad(x**3, x))

# %% [markdown]
# ### backward
#
# The walk from a root to the leaves, by which gradients are computed. Also the half of a Function that it calls. [03 Backward](03_backward.ipynb#Forward-records,-backward-walks)

# %% [markdown]
# ### broadcasting
#
# Shapes that differ are made to fit by repeating the smaller tensor. Its gradient is the sum over the repetitions. [06 Several inputs](06_several_inputs.ipynb#Broadcasting-is-copying,-and-the-gradient-of-copying-is-adding)

# %%
print((torch.ones(3) * x).shape)

# %% [markdown]
# ### chain rule
#
# Derivatives are multiplied along a path, and added where paths meet. [01 Derivative](01_derivative.ipynb#Links-of-a-chain)

# %% [markdown]
# ### create_graph
#
# An option of backward and `autograd.grad`: the walk itself is recorded, so that gradients can be differentiated again. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#create_graph=True)

# %%
print(torch.autograd.grad(x**3, x, create_graph=True))

# %% [markdown]
# ### ctx
#
# What forward hands to backward in a Function of your own: saved tensors and plain attributes. [08 Your own Function](08_own_function.ipynb#ctx:-a-parcel-from-forward-to-backward)

# %% [markdown]
# ### define-by-run
#
# The graph is made by running the program, anew each time; the opposite, define-and-run, fixes it beforehand. [15 Define-by-run](15_define_by_run.ipynb#The-graph-is-built-anew)

# %% [markdown]
# ### detach
#
# A tensor with the same memory, outside the graph: no gradient goes back through it. [10 Switching it off](10_switching_off.ipynb#detach:-one-tensor,-cut-off)

# %%
print(y.detach())

# %% [markdown]
# ### edge
#
# A pair of a node and the number of one of its outputs: a step that backward can take. [14 Reading the graph](14_reading_the_graph.ipynb#The-second-number)

# %%
print(z.grad_fn.next_functions[0])

# %% [markdown]
# ### eval
#
# A switch of layers such as dropout. It has nothing to do with gradients. [10 Switching it off](10_switching_off.ipynb#eval-is-something-else)

# %% [markdown]
# ### forward
#
# Computing the results, during which the graph is recorded. [03 Backward](03_backward.ipynb#Forward-records,-backward-walks)

# %% [markdown]
# ### freed
#
# What a node had saved is let go after its backward, so a second walk is an error. [03 Backward](03_backward.ipynb#What-was-saved)

# %% [markdown]
# ### Function
#
# `torch.autograd.Function`: a forward and a backward written by you, which becomes a node like any other. [08 Your own Function](08_own_function.ipynb#A-pair-of-functions)

# %% [markdown]
# ### grad_fn
#
# The node that made a tensor: None for a leaf. [02 Leaves](02_leaves.ipynb#Reading-grad_fn)

# %%
print(z.grad_fn.name(), x.grad_fn)

# %% [markdown]
# ### gradcheck
#
# Compares what backward says with small differences, in float64. [09 Is it right?](09_is_it_right.ipynb#A-bug)

# %%
print(torch.autograd.gradcheck(torch.log, x.detach().double().requires_grad_()))

# %% [markdown]
# ### gradient
#
# How much a scalar result changes for a small change of each number of a tensor. It has the tensor's shape. [01 Derivative](01_derivative.ipynb#And-autograd?)

# %% [markdown]
# ### gradient=
#
# The argument of backward that says how much each number of a vector output counts. [07 Vectors](07_vectors.ipynb#A-scalar,-or-else)

# %% [markdown]
# ### graph
#
# Nodes and edges: what was computed from what, recorded while it was computed. It has no cycles. [14 Reading the graph](14_reading_the_graph.ipynb#The-graph-from-above)

# %% [markdown]
# ### Hessian
#
# All second derivatives of a scalar function, as a matrix. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#The-whole-matrix,-or-only-a-product)

# %%
print(torch.autograd.functional.hessian(lambda x: x**3, x.detach()))

# %% [markdown]
# ### hook
#
# Your function, called when a gradient passes: it may look, or give another gradient back. [12 Hooks](12_hooks.ipynb#A-function-on-the-way)

# %% [markdown]
# ### in place
#
# An operation that overwrites its tensor, such as `add_` or `+=`. [11 In place](11_in_place.ipynb#Writing-over-a-tensor)

# %% [markdown]
# ### inference mode
#
# Like `no_grad`, and further: its tensors have no version counter and may never enter a graph. [10 Switching it off](10_switching_off.ipynb#inference_mode)

# %% [markdown]
# ### Jacobian
#
# All first derivatives of several outputs by several inputs: a row an output, a column an input. [07 Vectors](07_vectors.ipynb#The-Jacobian)

# %%
print(torch.autograd.functional.jacobian(lambda v: v**2, torch.tensor([1.0, 2.0])))

# %% [markdown]
# ### kink
#
# A place without a single slope, such as relu's at 0. Autograd takes one of the possible slopes. [09 Is it right?](09_is_it_right.ipynb#At-a-kink)

# %% [markdown]
# ### leaf
#
# A tensor that nothing recorded has made: you made it, or it does not require grad. Gradients end at leaves. [02 Leaves](02_leaves.ipynb#Asking-for-a-gradient)

# %%
print(x.is_leaf, y.is_leaf)

# %% [markdown]
# ### materialize_grads
#
# An option of `autograd.grad`: zeros instead of None for an input that is not used. [07 Vectors](07_vectors.ipynb#An-input-that-is-not-used)

# %% [markdown]
# ### needs_input_grad
#
# In a Function's ctx: for each input, whether its gradient is asked for. [08 Your own Function](08_own_function.ipynb#Don't-compute-what-nobody-asks-for)

# %% [markdown]
# ### next_functions
#
# The edges of a node, in the order of its inputs; `(None, 0)` where an input requires no grad. [14 Reading the graph](14_reading_the_graph.ipynb#The-graph-from-above)

# %%
print(z.grad_fn.next_functions)

# %% [markdown]
# ### no_grad
#
# Within it, nothing is recorded. [10 Switching it off](10_switching_off.ipynb#no_grad)

# %% [markdown]
# ### node
#
# One recorded operation: it turns the gradient of its output into the gradients of its inputs. [14 Reading the graph](14_reading_the_graph.ipynb#A-node-is-an-object)

# %% [markdown]
# ### once_differentiable
#
# Marks a backward that cannot itself be differentiated: asking for a second derivative becomes an error. [08 Your own Function](08_own_function.ipynb#When-backward-cannot-be-differentiated)

# %% [markdown]
# ### optimizer
#
# Clears the gradients of parameters (`zero_grad`) and moves the parameters by them (`step`). [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)

# %% [markdown]
# ### parameter
#
# A leaf that requires grad and is to be learnt, such as a weight. [16 Two layers to a trained network](16_training.ipynb#One-layer,-and-a-loss)

# %% [markdown]
# ### partial derivative
#
# The derivative by one variable while the others are held. [01 Derivative](01_derivative.ipynb#Two-variables:-partial-derivatives)

# %% [markdown]
# ### requires_grad
#
# Whether gradients are to be computed for a tensor. Results of such tensors have it too. [02 Leaves](02_leaves.ipynb#Asking-for-a-gradient)

# %%
print(x.requires_grad, y.requires_grad)

# %% [markdown]
# ### retain_grad
#
# Asks a tensor that is no leaf to keep its gradient. [02 Leaves](02_leaves.ipynb#Keeping-it-all-the-same)

# %% [markdown]
# ### retain_graph
#
# An option of backward: what is saved is kept, for another walk through the same graph. [03 Backward](03_backward.ipynb#Keeping-the-graph)

# %% [markdown]
# ### root
#
# Where backward starts: the tensor whose gradient is 1, or is given. [07 Vectors](07_vectors.ipynb#Several-roots)

# %% [markdown]
# ### saved tensors
#
# What forward kept in a node for its backward; read as `_saved_…`. [14 Reading the graph](14_reading_the_graph.ipynb#What-a-node-saved)

# %%
print(y.grad_fn._saved_self)

# %% [markdown]
# ### setup_context
#
# A method of a Function that saves, apart from a forward that only computes. [08 Your own Function](08_own_function.ipynb#Don't-compute-what-nobody-asks-for)

# %% [markdown]
# ### tape
#
# Another word for the record that forward makes. In PyTorch, and here, it is a graph. [14 Reading the graph](14_reading_the_graph.ipynb#Forward,-or-backward?)

# %% [markdown]
# ### topological order
#
# Every node after all nodes that send gradients to it, so each runs once, with its whole sum. [05 Many paths](05_many_paths.ipynb#Why-the-order-matters)

# %% [markdown]
# ### vector–Jacobian product
#
# v times the Jacobian: what one walk computes, without ever making the matrix. [07 Vectors](07_vectors.ipynb#One-walk,-not-three)

# %% [markdown]
# ### version counter
#
# Counts how often a tensor's memory was written to. Backward compares it with the count when it was saved. [11 In place](11_in_place.ipynb#Writing-over-a-tensor)

# %%
print(y._version)

# %% [markdown]
# ### view
#
# A tensor on another's memory, such as a row: to change one is to change both. [11 In place](11_in_place.ipynb#Views)

# %%
print(torch.zeros(2, 2)[0]._base)

# %% [markdown]
# ### zero_grad
#
# Clears gradients before the next backward, to None or to zeros. [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)
