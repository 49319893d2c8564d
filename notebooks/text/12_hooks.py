# %% [markdown]
# # 12 Hooks
#
# **You will be able to** look at a gradient on its way, change it, and say in which order hooks run.
#
# **Builds on** [02 Leaves](02_leaves.ipynb), retain_grad, and [05 Many paths](05_many_paths.ipynb), where hooks looked on.
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course


# %% [markdown]
# ## A function on the way
#
# In training, hooks clip gradients, log their size and find the layer where a NaN begins. backward computes the gradient at y and throws it away. A [hook](91_glossary.ipynb#hook) is a function that you leave at y: it is called with the gradient as it passes through.

# %% tags=["A19"]
def double(grad):
    print("grad", grad)
    return grad * 2


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
handle = y.register_hook(double)
torch.draw(z)

# %% [markdown]
# The hook prints the gradient and returns twice as much. Without it, x.grad would be 0.6.

# %%
course.ch12.p1

# %% tags=["A19"]
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% [markdown]
# It is twice as large. (Run the cell again, and as much is added.) The hook saw tensor(0.0080), which is dz/dy, although y keeps no gradient. It passed on twice that, and everything before y felt it.
#
# `register_hook` gave a *handle*. `remove()` takes the hook away:

# %% tags=["A19"]
handle.remove()
x.grad = None
z.backward()
print(f"{x.grad}")

# %% [markdown]
# On the bench y has three hooks, *print*, *double*, *print*, and x one; the plan removes the doubling between two passes. Click on both lines `z.backward()`, and read what they print.
#
# 1. Press **Clear the plan** and **+ z.backward()**. Remove the hooks of y (✕), and add *double* at x with *+ hook*. Then tick *retain_grad* of y. What are x.grad and y.grad?
# 2. Remove *double* at x and add it at y instead. Which of the two is different now?

# %%
torch.bench(preset="hooks")

# %% [markdown]
# x.grad is doubled both times. But y.grad is 0.008 when you double at x, and twice that when you double at y. A hook on y changes what goes on from y to everything before y. A hook on x changes only what is added into `x.grad`. (`torch.bench(preset="hooks").beside()` shows both at once.)
#
# ## Look, or change
#
# A hook that returns None only looks. A hook that returns a tensor replaces the gradient. [Nothing else](92_error_clinic.ipynb#What-a-hook-returns) is allowed:

# %% tags=["F13", "raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: 3.0)
(x**2).backward()

# %% [markdown]
# There is a third way, and it is a trap: changing `grad` in place. Other parts of the backward pass may share that tensor. Return a new one.

# %% [markdown]
# ## With retain_grad
#
# `y.retain_grad()` keeps the gradient of y in `y.grad`. Suppose it is called first, and a doubling hook is registered after it. 0.008 arrives at y.

# %%
course.ch12.p2

# %% tags=["A19", "long: both orders"]
for hook_first in (True, False):
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    if hook_first:
        y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    if not hook_first:
        y.register_hook(lambda grad: grad * 2)
    torch.log(y).backward()
    print(y.grad, x.grad)

# %% [markdown]
# 0.0160 both times. Hooks run first and keeping comes last: what is kept is what goes on. The order of your two calls does not matter.
#
# ## Several hooks on one tensor
#
# Three hooks on y: the first prints, the second multiplies by 10, the third prints. The gradient that arrives is 3.

# %%
course.ch12.p3

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.register_hook(lambda grad: print("first", grad))
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("third", grad))
(y * 3).backward()

# %% [markdown]
# They run in the order in which they were registered, and each gets what the one before it returned.
#
# ## Where two paths meet
#
# x is used twice here, so [two gradients](05_many_paths.ipynb) come back to it.

# %%
course.ch12.p4

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()

# %% [markdown]
# Once, with the sum: a hook on a tensor waits until all paths have been added.
#
# On a leaf, the hook runs *before* the gradient is added into `.grad`, so it cannot see the result. For that there is another kind of hook, which is called afterwards, with the leaf itself:

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: print("hook:", grad, "x.grad", x.grad))
x.register_post_accumulate_grad_hook(lambda leaf: print("afterwards: x.grad", leaf.grad))
(x**2).backward()


# %% [markdown]
# One use: take the optimizer's step right away and drop the gradient. Then a large model never has all its gradients in memory at the same time.

# %%
def step_and_forget(leaf):
    with torch.no_grad():
        leaf -= 0.1 * leaf.grad
    leaf.grad = None


w = torch.tensor([1.0, -2.0], requires_grad=True)
w.register_post_accumulate_grad_hook(step_and_forget)
(w**2).sum().backward()
print(w, w.grad)

# %% [markdown]
# ## Hooks on nodes
#
# You can also register hooks on the nodes of the graph. A *prehook* is called before the node runs, with the gradients of its outputs; a *hook* is called after it, with the gradients of its inputs and of its outputs.

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.grad_fn.register_prehook(lambda outputs: print("before:", outputs))
y.grad_fn.register_hook(lambda inputs, outputs: print("after:", inputs, outputs))
(y * 3).backward()

# %% [markdown]
# 3 came in and 12 goes out: the node multiplied by 2x. The names are those of the forward pass: “outputs” is what the operation returned, so the gradients of the outputs are what *arrives* in the backward pass.
#
# ## All of them, in order
#
# Here are five kinds of hook, registered in this order: after accumulation, on x, after y's node, before it, on y.

# %%
course.ch12.p5

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
x.register_post_accumulate_grad_hook(lambda leaf: print("accumulated", leaf.grad))
x.register_hook(lambda grad: print("on x", grad))
y.grad_fn.register_hook(lambda inputs, outputs: print("after the node", inputs))
y.grad_fn.register_prehook(lambda outputs: print("before the node", outputs))
y.register_hook(lambda grad: print("on y", grad))
(y * 3).backward()

# %% [markdown]
# The order of registration does not matter here: each hook has its place, and the gradient passes these places one after the other. On the bench, *add a hook …* has them too: before and after the node at y and z, after += at x. The picture marks their places.
#
# A recording shows where a hook was. Step through this one, and stop where the 4 becomes 40:

# %%
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: grad * 10)
with torch.record() as trace:
    y = x**2
    y.backward()
torch.step(trace)

# %% [markdown]
# ## Several tensors, one hook
#
# `register_multi_grad_hook` waits until the gradients of all its tensors are there, and is called once. On a layer, `register_full_backward_hook` shows the gradients that leave its inputs and those that arrived at its outputs.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: print("both:", grads))
(a * b).backward()

# %%
layer = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.constant_(layer.weight, 3.0)
layer.register_full_backward_hook(lambda layer, inputs, outputs: print("out of:", inputs, "into:", outputs))
layer(torch.ones(1, 2, requires_grad=True)).backward()

# %% [markdown]
# The first can only look; what the second returns replaces the gradients of the inputs, here 3 times 1.
#
# You will meet the first where the *norm* (the length) of all gradients together is watched, which tells whether a training step is about to explode.

# %% [markdown]
# ## What hooks are for
#
# They help to find the place where a gradient turns into NaN, or limit how large a gradient may be:

# %%
x = torch.tensor([0.01, 1.0, 4.0], requires_grad=True)
x.register_hook(lambda grad: grad.clamp(-1.0, 1.0))
(1 / x).sum().backward()
print(x.grad)

# %% [markdown]
# The slope of 1/x at 0.01 is -10000; it was clamped to -1. In [20](20_gradients_in_a_deep_network.ipynb), hooks at twenty layers show where a gradient vanishes.
#
# The result of a module with a full backward hook may not be changed in place by the next layer ([an error](92_error_clinic.ipynb#A-module-hook-and-a-layer-in-place)). Instead, a forward hook can set a hook on the tensor:
#
# ```python
# def show(module, inputs, result):
#     result.register_hook(lambda grad: print(module, grad))
#
# layer.register_forward_hook(show)
# ```

# %% [markdown]
# ## Summary
#
# | hook | when, with what | may replace |
# |---|---|---|
# | `tensor.register_hook` | when the tensor's whole gradient is there, before it is kept or goes on | yes |
# | `node.register_prehook` | before the node, gradients of its outputs | yes |
# | `node.register_hook` | after the node, gradients of inputs and outputs | yes |
# | `leaf.register_post_accumulate_grad_hook` | after adding into `.grad`, the leaf | no |
# | `register_multi_grad_hook` | when the gradients of all its tensors are there | no |
# | `module.register_full_backward_hook` | after a module, gradients of its inputs and outputs | those of inputs |

# %% [markdown]
# ## Exercises
#
# **1.** y = x² at x = 3, a hook on y returns grad + 1, and (2y).backward() runs. What is x.grad?

# %%
answer = ...
course.ch12.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a tensor x and a bound, and registers a hook on x. If the norm of the gradient is larger than the bound, the hook scales the gradient down so that its norm is the bound; otherwise it leaves it alone.

# %%
def limit(x, bound):
    ...


course.ch12.q2.check(limit)


# %% [markdown]
# **3.** Write a function that takes two leaves a and b, computes (a·b)², runs backward, and returns a list with the gradient that a hook heard at the product a·b. The product itself must keep no `.grad`.

# %%
def spy(a, b):
    ...


course.ch12.q3.check(spy)


# %% [markdown]
# **4.** This should flip the sign of the gradient at x in the first backward only. Repair it.

# %%
def flip_once(x):
    x.register_hook(lambda grad: -grad)
    (x**2).sum().backward()
    (x * 3).sum().backward()
    return x.grad


course.ch12.q4.check(flip_once)

# %% [markdown]
# **To invent**, without a verdict. Plot the size of the gradient at each layer while a network learns, by hooks. And a puzzle: hide a hook that spoils the learning; a friend may only print gradients.

# %% [markdown]
# ## Next
#
# A question to take along: a hook that keeps a tensor of the graph in a list keeps the graph alive. How would you log the size of a gradient without such a leak?
#
# A hook watches a gradient pass. In [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb) the gradient itself gets a graph, and is differentiated again.
