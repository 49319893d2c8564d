# %% [markdown]
# # 91 Glossary
#
# The terms of the course, each in a line or two, with the chapter that explains it; the course's [sources](#Sources) are at the end. Where a line of code says more than words, it follows; it uses the x, y and z made here.

# %%
import autograd_nb as torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

# %% [markdown]
# ### .data
#
# Like `detach()`, and older: the same memory, but a version counter of its own, so that backward does not notice a change. [11 In place](11_in_place.ipynb#And-through-.data?)

# %% [markdown]
# ### AccumulateGrad
#
# The node at the end of every path, one for each leaf: it adds what arrives into the leaf's `.grad`. [14 Reading the graph](14_reading_the_graph.ipynb#The-last-node:-AccumulateGrad)

# %%
print(y.grad_fn.next_functions[0][0].name())

# %% [markdown]
# ### accumulation
#
# Adding a new gradient to the one that is already in `.grad`, instead of replacing it. [04 Accumulation](04_accumulation.ipynb#Why-does-it-add?)

# %% [markdown]
# ### adversarial example
#
# An input that was changed a little along its gradient, so that a network misreads it. [19 Digits](19_digits.ipynb#Walking-uphill)

# %% [markdown]
# ### analytical
#
# Of a slope: computed by backward, from formulas. The opposite is numerical. [09 Is it right?](09_is_it_right.ipynb#A-bug)

# %% [markdown]
# ### anomaly mode
#
# `torch.autograd.detect_anomaly()`: backward stops at the first node that returns NaN, and says where forward made it. [09 Is it right?](09_is_it_right.ipynb#Anomaly-mode)

# %% [markdown]
# ### apply
#
# How you use a Function of your own: `Name.apply(inputs)` runs its forward and records its node. [08 Your own Function](08_own_function.ipynb#A-pair-of-functions)

# %% [markdown]
# ### autograd.grad
#
# Returns the gradients for the inputs you name, as a tuple, and leaves every `.grad` alone. [07 Vectors](07_vectors.ipynb#autograd.grad:-give-it-to-me)

# %%
print(torch.autograd.grad(x**3, x))

# %% [markdown]
# ### backpropagation
#
# Going backward through a network: transposed matrices and outer products. [16 From two layers to a trained network](16_training.ipynb#By-hand)

# %% [markdown]
# ### backward
#
# Going from a root to the leaves, which computes the gradients. Also the half of a Function that is called on the way. [03 Backward](03_backward.ipynb#Forward-records,-backward-walks)

# %% [markdown]
# ### base
#
# The tensor whose memory a view uses. [11 In place](11_in_place.ipynb#Views)

# %% [markdown]
# ### batch
#
# Several examples that go through a network together. [04 Accumulation](04_accumulation.ipynb#Why-does-it-add?)

# %% [markdown]
# ### bench
#
# The widget with sliders, switches and a plan of lines to run: `torch.bench`. [04 Accumulation](04_accumulation.ipynb#Try-it)

# %% [markdown]
# ### bias
#
# Numbers that a layer adds to each row of its result. [06 Several inputs](06_several_inputs.ipynb#You-use-it-all-the-time:-a-bias)

# %% [markdown]
# ### broadcasting
#
# Making different shapes fit by repeating the smaller tensor. Its gradient is the sum over the repetitions. [06 Several inputs](06_several_inputs.ipynb#Broadcasting-is-copying,-and-the-gradient-of-copying-is-adding)

# %%
print((torch.ones(3) * x).shape)

# %% [markdown]
# ### chain rule
#
# Derivatives are multiplied along a path, and added where paths meet. [01 Derivative](01_derivative.ipynb#Links-of-a-chain)

# %% [markdown]
# ### clipping
#
# Making a gradient smaller that is too large, before the step. `clip_grad_norm_` keeps its direction, `clip_grad_value_` limits each number. [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#A-cliff)

# %% [markdown]
# ### clone
#
# A copy with memory of its own, still in the graph; `detach().clone()` is outside it. [11 In place](11_in_place.ipynb#And-through-.data?)

# %% [markdown]
# ### CopySlices
#
# The node of a tensor after a part of it was replaced. [11 In place](11_in_place.ipynb#Views)

# %% [markdown]
# ### create_graph
#
# An option of backward and `autograd.grad`: backward itself is recorded, so that gradients can be differentiated again. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#create_graph=True)

# %%
print(torch.autograd.grad(x**3, x, create_graph=True))

# %% [markdown]
# ### cross-entropy
#
# A loss for several classes: minus the logarithm of the probability given to the right one. [19 Digits](19_digits.ipynb#Batches)

# %% [markdown]
# ### ctx
#
# What forward passes to backward in a Function of your own: saved tensors and plain attributes. [08 Your own Function](08_own_function.ipynb#ctx:-a-parcel-from-forward-to-backward)

# %% [markdown]
# ### curvature
#
# The slope of the slope: the second derivative. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#Newton's-method)

# %% [markdown]
# ### DAG
#
# A directed acyclic graph: following its arrows, you never come back to where you have been. [14 Reading the graph](14_reading_the_graph.ipynb#Forward,-or-backward?)

# %% [markdown]
# ### dead end
#
# The edge of a tensor that requires grad in vain: its gradient goes nowhere. A view has one that was made under no_grad of a tensor that requires grad. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#Forward)

# %% [markdown]
# ### define-by-run
#
# The graph is made by running the program, anew each time; the opposite, define-and-run, fixes it beforehand. [15 Define-by-run](15_define_by_run.ipynb#The-graph-is-built-anew)

# %% [markdown]
# ### derivative
#
# How fast a result changes when a number is changed: the slope, for a step that shrinks to nothing. [01 Derivative](01_derivative.ipynb#The-derivative-is-a-limit)

# %% [markdown]
# ### detach
#
# Gives a tensor with the same memory, outside the graph: no gradient goes back through it. [10 Switching it off](10_switching_off.ipynb#detach:-one-tensor,-cut-off)

# %%
print(y.detach())

# %% [markdown]
# ### DeZero
#
# A small framework that was written to be read; like PyTorch it is define-by-run. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#Beside-DeZero)

# %% [markdown]
# ### dtype
#
# The kind of number that a tensor holds, such as float32. Only kinds with decimals can have gradients. [02 Leaves](02_leaves.ipynb#A-switch-afterwards)

# %%
print(x.dtype, x.double().dtype)

# %% [markdown]
# ### dual number
#
# A number together with its slope. Computing with dual numbers is forward mode. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#The-other-direction)

# %% [markdown]
# ### edge
#
# A pair of a node and the number of one of its outputs: a step that backward can take. [14 Reading the graph](14_reading_the_graph.ipynb#The-second-number)

# %%
print(z.grad_fn.next_functions[0])

# %% [markdown]
# ### embedding
#
# A table with a row of numbers for each sign or word; reading a row is an operation, and its gradient goes to that row. [21 Backward by hand](21_backward_by_hand.ipynb#The-network)

# %% [markdown]
# ### enable_grad
#
# Switches recording on again, inside a `no_grad` block. [10 Switching it off](10_switching_off.ipynb#What-does-it-save?)

# %% [markdown]
# ### eval
#
# A switch of layers such as dropout. It has nothing to do with gradients. [10 Switching it off](10_switching_off.ipynb#eval-is-something-else)

# %% [markdown]
# ### exploding gradient
#
# A gradient that grows by a factor at each layer or step in time, until a training step is so long that the loss becomes NaN. [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#A-cliff)

# %% [markdown]
# ### extras
#
# The part of a node that most nodes lack: its hooks, and the tensors that retain their gradients. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#Forward)

# %% [markdown]
# ### float32
#
# Numbers with about seven digits: what tensors hold unless you ask for float64, which has about sixteen. [09 Is it right?](09_is_it_right.ipynb#In-float32)

# %% [markdown]
# ### forward
#
# Computing the results; meanwhile the graph is recorded. [03 Backward](03_backward.ipynb#Forward-records,-backward-walks)

# %% [markdown]
# ### forward mode
#
# Carrying slopes along with the values, from the inputs to the results. One pass gives the slopes along one input. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#The-other-direction)

# %% [markdown]
# ### freed
#
# What a node saved is dropped after its backward. Where something was saved, a second backward is an error. [03 Backward](03_backward.ipynb#What-was-saved)

# %% [markdown]
# ### frozen
#
# Of a parameter: it does not require a gradient, so backward leaves it alone. If it was frozen after a backward, its `.grad` is still there, and the optimizer still moves it: set it to None. [16 From two layers to a trained network](16_training.ipynb#Frozen)

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
# Compares the gradients of backward with slopes found by nudging, in float64. [09 Is it right?](09_is_it_right.ipynb#A-bug)

# %%
print(torch.autograd.gradcheck(torch.log, x.detach().double().requires_grad_()))

# %% [markdown]
# ### gradgradcheck
#
# gradcheck for the derivative of a backward. [09 Is it right?](09_is_it_right.ipynb#In-float32)

# %% [markdown]
# ### gradient
#
# How much a scalar result changes for a small change of each number of a tensor. It has the tensor's shape. [01 Derivative](01_derivative.ipynb#And-autograd?)

# %% [markdown]
# ### gradient accumulation
#
# Running backward for each part of a batch, and stepping once with the sum. [04 Accumulation](04_accumulation.ipynb#Why-does-it-add?)

# %% [markdown]
# ### gradient penalty
#
# A part of the loss that keeps a gradient small, which needs `create_graph`. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#A-gradient-in-the-loss)

# %% [markdown]
# ### gradient=
#
# The argument of backward that says how much each number of a vector output counts. [07 Vectors](07_vectors.ipynb#A-scalar,-or-else)

# %% [markdown]
# ### graph
#
# Nodes and edges: what was computed from what, recorded at that moment. It has no cycles. [14 Reading the graph](14_reading_the_graph.ipynb#The-graph-from-above)

# %% [markdown]
# ### handle
#
# What `register_hook` returns; its `remove()` removes the hook. [12 Hooks](12_hooks.ipynb#A-function-on-the-way)

# %% [markdown]
# ### Hessian
#
# All second derivatives of a scalar function, as a matrix. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#The-whole-matrix,-or-only-a-product)

# %%
print(torch.autograd.functional.hessian(lambda x: x**3, x.detach()))

# %% [markdown]
# ### hook
#
# A function of yours that is called when a gradient passes: it may look, or return another gradient. [12 Hooks](12_hooks.ipynb#A-function-on-the-way)

# %% [markdown]
# ### in place
#
# Overwriting a tensor, as `add_` and `+=` do. [11 In place](11_in_place.ipynb#Writing-over-a-tensor)

# %% [markdown]
# ### inference_mode
#
# Like `no_grad`, but stricter: its tensors have no version counter and can never be saved for a backward. [10 Switching it off](10_switching_off.ipynb#inference_mode)

# %% [markdown]
# ### initialisation
#
# How the weights are drawn at the start. LeCun's variance 1/n, Glorot's 2 / (n_in + n_out), and He's 2/n for a ReLU keep the size of activations and gradients from layer to layer. [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#Why:-a-factor-a-layer)

# %% [markdown]
# ### Jacobian
#
# All first derivatives of several outputs along several inputs: one row for each output, one column for each input. [07 Vectors](07_vectors.ipynb#The-Jacobian)

# %%
print(torch.autograd.functional.jacobian(lambda v: v**2, torch.tensor([1.0, 2.0])))

# %% [markdown]
# ### kink
#
# A corner, a point with more than one slope, such as relu's at 0. Autograd takes one of them. [09 Is it right?](09_is_it_right.ipynb#At-a-kink)

# %% [markdown]
# ### leaf
#
# A tensor that no recorded operation made: you made it, or it does not require a gradient. Gradients end up at leaves. [02 Leaves](02_leaves.ipynb#Asking-for-a-gradient)

# %%
print(x.is_leaf, y.is_leaf)

# %% [markdown]
# ### learning rate
#
# `lr`: how much of the gradient a step moves by. [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)

# %% [markdown]
# ### legend
#
# What the signs in the pictures of graphs mean. It opens under each picture; here are all signs at once. [00 Welcome](00_welcome.ipynb#Watch-it-work)

# %%
from autograd_nb.drawing import legend

legend()

# %% [markdown]
# ### loss
#
# One number that says how wrong a result is. Training makes it small. [04 Accumulation](04_accumulation.ipynb#In-a-loop)

# %% [markdown]
# ### materialize_grads
#
# An option of `autograd.grad`: zeros instead of None for an input that is not used. [07 Vectors](07_vectors.ipynb#An-input-that-is-not-used)

# %% [markdown]
# ### momentum
#
# Following earlier gradients as well, each a little less than the one after it; with momentum 1, all of them alike. [04 Accumulation](04_accumulation.ipynb#In-a-loop)

# %% [markdown]
# ### NaN
#
# Not a number: what 0/0 gives, or 0 times infinity. Nearly everything that is computed with it is NaN again. [09 Is it right?](09_is_it_right.ipynb#What-comes-back-through-the-branch-not-taken?)

# %%
print(torch.tensor(0.0) / 0)

# %% [markdown]
# ### needs_input_grad
#
# In a Function's ctx: whether the gradient of each input is needed. [08 Your own Function](08_own_function.ipynb#Don't-compute-what-nobody-asks-for)

# %% [markdown]
# ### neuron
#
# The smallest part of a network: it multiplies its inputs by weights and adds them up, together with a bias. [17 Inside the engine](17_inside_the_engine.ipynb#A-network-of-your-own)

# %% [markdown]
# ### Newton's method
#
# Steps of slope/curvature, towards the place where the slope is zero. [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#Newton's-method)

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
# ### norm
#
# The length of a vector: the root of the sum of squares. [12 Hooks](12_hooks.ipynb#Several-tensors,-one-hook)

# %%
print(torch.tensor([3.0, 4.0]).norm())

# %% [markdown]
# ### normalisation
#
# Bringing scores to mean 0 and variance 1, for each sample (layer norm) or for each column of a batch (batch norm). [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#A-way-around)

# %% [markdown]
# ### numerical
#
# Of a slope: found by nudging an input. [09 Is it right?](09_is_it_right.ipynb#A-bug)

# %% [markdown]
# ### once_differentiable
#
# Marks a backward that cannot itself be differentiated: asking for a second derivative becomes an error. [08 Your own Function](08_own_function.ipynb#When-backward-cannot-be-differentiated)

# %% [markdown]
# ### optimizer
#
# Clears the gradients of parameters (`zero_grad`) and moves the parameters by them (`step`). [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)

# %% [markdown]
# ### outer product
#
# The table of all products of two vectors' elements: for one row of data, a weight's gradient is one. [16 From two layers to a trained network](16_training.ipynb#By-hand)

# %%
print(torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])))

# %% [markdown]
# ### parameter
#
# A leaf that training may change, such as a weight. [16 From two layers to a trained network](16_training.ipynb#One-layer,-and-a-loss)

# %% [markdown]
# ### partial derivative
#
# The derivative along one variable while the others are held constant. [01 Derivative](01_derivative.ipynb#Two-variables:-partial-derivatives)

# %% [markdown]
# ### path
#
# A way from a leaf to the root. Gradients of several paths are added. [05 Many paths](05_many_paths.ipynb#Two-ways-from-x-to-z)

# %% [markdown]
# ### plan
#
# The backward step of a node, made from the formulas of its operation. All nodes of one kind share a plan. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#Back-through-one-node)

# %% [markdown]
# ### prehook
#
# A hook on a node that is called before the node runs. [12 Hooks](12_hooks.ipynb#Hooks-on-nodes)

# %% [markdown]
# ### recipe
#
# How an operation computes on operands of given dtypes: in which dtype, with which casts, and with which plan. Its row remembers it. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#Forward)

# %% [markdown]
# ### recurrent
#
# Of a network: it reads one input after another with the same weights, in a loop. [15 Define-by-run](15_define_by_run.ipynb#A-graph-for-each-sentence)

# %% [markdown]
# ### requires_grad
#
# Whether gradients are computed for a tensor. What is computed from such a tensor requires them too. [02 Leaves](02_leaves.ipynb#Asking-for-a-gradient)

# %%
print(x.requires_grad, y.requires_grad)

# %% [markdown]
# ### residual connection
#
# Adding a layer's input to its output, so that the gradient has a path on which nothing changes it. [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#A-way-around)

# %% [markdown]
# ### retain_grad
#
# Asks a tensor that is not a leaf to keep its gradient. [02 Leaves](02_leaves.ipynb#Keeping-it-anyway)

# %% [markdown]
# ### retain_graph
#
# An option of backward: what is saved is kept, for another backward through the same graph. [03 Backward](03_backward.ipynb#Keeping-the-graph)

# %% [markdown]
# ### root
#
# Where backward starts: the tensor whose gradient is 1, or is given. [07 Vectors](07_vectors.ipynb#Several-roots,-some-leaves)

# %% [markdown]
# ### row
#
# One operation of the engine's table: its name, its forward on NumPy arrays, and a formula for the gradient of each input. [94 The engine, file by file](94_the_engine_file_by_file.ipynb#A-row-of-the-table)

# %% [markdown]
# ### saved tensors
#
# What forward kept in a node for backward; you can read it as `_saved_…`. [14 Reading the graph](14_reading_the_graph.ipynb#What-a-node-saved)

# %%
print(y.grad_fn._saved_self)

# %% [markdown]
# ### saved_tensors_hooks
#
# Two functions, one called when a tensor is saved, the other when backward needs it. [14 Reading the graph](14_reading_the_graph.ipynb#Another-way-to-save)

# %% [markdown]
# ### scalar
#
# A single number; its shape is empty. backward without arguments starts at one. [03 Backward](03_backward.ipynb#A-matrix,-and-a-scalar-to-start-from)

# %%
print(x.shape)

# %% [markdown]
# ### score
#
# What a network returns before the sigmoid turns it into a probability; also called *logit*. [16 From two layers to a trained network](16_training.ipynb#What-the-loss-measures)

# %% [markdown]
# ### secant
#
# The straight line through two points of a curve. The closer the points, the closer its slope is to the derivative. [01 Derivative](01_derivative.ipynb#A-picture:-secants-and-the-tangent)

# %% [markdown]
# ### setup_context
#
# A method of a Function that does the saving, so that forward only computes. [08 Your own Function](08_own_function.ipynb#Don't-compute-what-nobody-asks-for)

# %% [markdown]
# ### SGD
#
# The plainest optimizer: each parameter moves against its gradient, `lr` times as far. [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)

# %% [markdown]
# ### sigmoid
#
# 1/(1 + e^-z): turns any number into a probability. [16 From two layers to a trained network](16_training.ipynb#What-the-loss-measures)

# %%
print(torch.sigmoid(torch.tensor(0.0)))

# %% [markdown]
# ### slope
#
# How steep a curve is at a point: another word for the derivative there. [01 Derivative](01_derivative.ipynb#Try-it:-a-small-step)

# %% [markdown]
# ### softmax
#
# Turns several scores into probabilities that add up to 1. [19 Digits](19_digits.ipynb#Batches)

# %%
print(torch.softmax(torch.tensor([1.0, 1.0, 2.0]), dim=0))

# %% [markdown]
# ### static
#
# Of a graph: written down as a plan before there are any numbers. [15 Define-by-run](15_define_by_run.ipynb#The-other-way:-define-and-run)

# %% [markdown]
# ### straight-through
#
# A backward that passes the gradient on as if forward, such as rounding, had not been there. [08 Your own Function](08_own_function.ipynb#A-backward-of-your-own-choice)

# %% [markdown]
# ### subgradient
#
# Any slope between those to the left and to the right of a kink. [09 Is it right?](09_is_it_right.ipynb#At-a-kink)

# %% [markdown]
# ### tangent
#
# The straight line that touches a curve at a point, with the slope of the curve there. [01 Derivative](01_derivative.ipynb#A-picture:-secants-and-the-tangent)

# %% [markdown]
# ### tape
#
# Another word for the record that forward makes. In PyTorch, and here, it is a graph. [14 Reading the graph](14_reading_the_graph.ipynb#Forward,-or-backward?)

# %% [markdown]
# ### tensor
#
# One number, a row of them, a table, or more, with a shape and a dtype. [00 Welcome](00_welcome.ipynb#A-tensor)

# %%
print(torch.zeros(2, 3))

# %% [markdown]
# ### topological order
#
# An order in which every node comes after all nodes that send gradients to it, so that each runs once, with its whole sum. [05 Many paths](05_many_paths.ipynb#Why-the-order-matters)

# %% [markdown]
# ### torch.record
#
# Writes down what happens inside its block, to be read or stepped through. [04 Accumulation](04_accumulation.ipynb#Twice)

# %% [markdown]
# ### torch.step
#
# The widget that shows a backward step by step. [00 Welcome](00_welcome.ipynb#Watch-it-work)

# %% [markdown]
# ### torch.why
#
# Says why a tensor's grad is None, zero, NaN or too large, or why backward fails. [18 Your own PyTorch code](18_your_own_pytorch_code.ipynb#Half-of-it-stands-still)

# %% [markdown]
# ### vanishing gradient
#
# A gradient that shrinks by a factor at each layer, until the first layers learn nothing. [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb#Why:-a-factor-a-layer)

# %% [markdown]
# ### vector
#
# A tensor that is one row of numbers. [06 Several inputs](06_several_inputs.ipynb#One-number-meets-a-vector)

# %% [markdown]
# ### vector–Jacobian product
#
# v times the Jacobian: what a single backward computes, without ever making the matrix. [07 Vectors](07_vectors.ipynb#How-many-walks?)

# %% [markdown]
# ### version counter
#
# Counts how many times a tensor's memory was written to. Backward compares it with the count when the tensor was saved. [11 In place](11_in_place.ipynb#Writing-over-a-tensor)

# %%
print(y._version)

# %% [markdown]
# ### view
#
# A tensor that uses the memory of another, such as a row of a matrix: changing one changes both. [11 In place](11_in_place.ipynb#Views)

# %%
print(torch.zeros(2, 2)[0]._base)

# %% [markdown]
# ### walk
#
# What backward does: from node to node, each once, the root's first. [03 Backward](03_backward.ipynb#Forward-records,-backward-walks)

# %% [markdown]
# ### workshop
#
# The widget for a forward and a backward of your own, checked as you write. [08 Your own Function](08_own_function.ipynb#A-backward-of-your-own-choice)

# %% [markdown]
# ### zero_grad
#
# Clears gradients before the next backward, to None or to zeros. [04 Accumulation](04_accumulation.ipynb#An-optimizer-does-both)

# %% [markdown]
# ## Sources
#
# The course mirrors the experiments of five walkthroughs, which are in Korean; its text and its code are its own. Which chapter follows which of them stands at the end.
#
# - **A** "PyTorch Autograd" by Taeho Oh, 2020-03-01: 22 numbered programs, each a small change to an earlier one, written for PyTorch 1.4. Where PyTorch has changed since then, the chapter says so.

# %% [markdown]
# - **B** "Backward": reference notes on backward(), autograd.grad(), the graph and Function. As further reading it names PyTorch's tutorial "Double Backward with Custom Functions" and its notes "Extending PyTorch"; chapters 08, 09 and 13 cover what these show.
# - **C** "Automatic differentiation with torch.autograd": study notes on PyTorch's tutorial on autograd, which compare it with DeZero.
# - **D** "Backprop by Autograd": a notebook with the output of every cell.
# - **E** "Gradient", 2023-07-10: a one-page summary with an example of two layers.

# %% [markdown]
# Which chapter follows which source: 01 A0-A3; 02 A3-A5, D; 03 A6, D; 04 A7, A8, C; 05 A9; 06 A10, A13; 07 A13, A16, B, C; 08 A11, B, E; 09 A20, A21; 10 A12, A14-A16, C, D; 11 D; 12 A19; 13 A17, A18, B, C; 14 A22, B, D; 15 C, E; 16 C, E; 17 C.
#
# 05, 06 and 15 correct something in theirs.

# %% [markdown]
# Beside these, 20 follows PyTorch's tutorial "Visualizing gradients", *Dive into Deep Learning*, "Numerical stability and initialization", and A. Karpathy's *makemore*, part 3; 21 sets the exercise of its part 4, "Becoming a backprop ninja", on a network of our own. The programs of 00, 18 and 19 follow no source.
