# %% [markdown]
# # 12 Hooks
#
# **You will be able to** look at a gradient on its way, change it, and say in which order hooks run.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): program 19; and what learners ask most about the order of hooks.
#
# **Time** 30 minutes.

# %%
import autograd_nb as torch


# %% [markdown]
# ## A function on the way
#
# backward computes the gradient at y and throws it away. A *hook* is a function that you leave at y: it is called with that gradient as it passes.

# %% tags=["A19"]
def double(grad):
    print("grad", grad)
    return grad * 2


# %% tags=["A19"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
handle = y.register_hook(double)
torch.draw(z)

# %% [markdown]
# <details><summary><b>Predict</b>: this hook prints the gradient and returns twice as much. What will x.grad be? It was 0.6 without the hook.</summary>
#
# What a hook returns goes on in the gradient's place: x.grad is twice 0.6.
#
# </details>

# %% tags=["A19"]
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% [markdown]
# 1.2000000476837158. The hook saw tensor(0.0080), which is dz/dy, although y keeps no gradient. It handed on twice that, and everything before y felt it.

# %% [markdown]
# `register_hook` gave a *handle*. `remove()` takes the hook away:

# %% tags=["A19"]
handle.remove()
x.grad = None
z.backward()
print(f"{x.grad}")

# %% [markdown]
# ## Look, or change
#
# A hook that returns None only looks. A hook that returns a tensor replaces. Nothing else is allowed:

# %% tags=["F13", "raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: 3.0)
(x**2).backward()

# %% [markdown]
# A third way works, and is a trap: changing `grad` in place. The tensor may be shared with other parts of the walk. Return a new one.

# %% [markdown]
# ## With retain_grad
#
# <details><summary><b>Predict</b>: y.retain_grad() is called first, then a doubling hook is registered. Does y.grad show the gradient before the hook, 0.008, or after it?</summary>
#
# After it. And the order of the two calls does not matter.
#
# </details>

# %% tags=["A19"]
for hook_first in (True, False):
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    asks = [lambda y=y: y.register_hook(lambda grad: grad * 2), y.retain_grad]
    for ask in asks if hook_first else reversed(asks):
        ask()
    torch.log(y).backward()
    print(y.grad, x.grad)

# %% [markdown]
# 0.0160 in both. Hooks run first, storing comes last: what is kept is what went on.

# %% [markdown]
# ## Several hooks on one tensor
#
# <details><summary><b>Predict</b>: three hooks on y: one prints, one multiplies by 10, one prints. Do both print the same?</summary>
#
# No. They run in the order of registration, each with what the one before it returned.
#
# </details>

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.register_hook(lambda grad: print("first", grad))
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("third", grad))
(y * 3).backward()

# %% [markdown]
# ## Where two paths meet
#
# A hook on a tensor runs once in a backward, with the whole gradient: all paths have been added before.

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()

# %% [markdown]
# On a leaf, the hook runs *before* the gradient is added into `.grad`. So it cannot see the result. For that there is another kind, which is called afterwards with the leaf itself:

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: print("hook:", grad, "x.grad", x.grad))
x.register_post_accumulate_grad_hook(lambda leaf: print("afterwards: x.grad", leaf.grad))
(x**2).backward()


# %% [markdown]
# One use of it: take the optimizer's step at once and let the gradient go. Then no two gradients of a large model are in memory together.

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
# The functions of the graph take hooks too. A *prehook* is called before the node runs, with the gradients of its outputs; a *hook* after it, with those of its inputs as well.

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.grad_fn.register_prehook(lambda outputs: print("before:", outputs))
y.grad_fn.register_hook(lambda inputs, outputs: print("after:", inputs, outputs))
(y * 3).backward()

# %% [markdown]
# 3 came in, 12 goes out: the node multiplied by 2x. The names are forward's names: "outputs" is what the operation gave, so its gradients are what *arrives*.

# %% [markdown]
# ## All of them, in order
#
# <details><summary><b>Predict</b>: hooks on y, on y's node before and after, on x, and after accumulation, registered in some other order. Which comes first?</summary>
#
# The walk decides, not the order of registration: y, before the node, after the node, x, accumulated.
#
# </details>

# %% tags=["F13"]
x = torch.tensor(2.0, requires_grad=True)
y = x**2
x.register_post_accumulate_grad_hook(lambda leaf: print("5 accumulated", leaf.grad))
x.register_hook(lambda grad: print("4 on x", grad))
y.grad_fn.register_hook(lambda inputs, outputs: print("3 after the node", inputs))
y.grad_fn.register_prehook(lambda outputs: print("2 before the node", outputs))
y.register_hook(lambda grad: print("1 on y", grad))
(y * 3).backward()

# %% [markdown]
# Recorded, the same walk shows where each of them stood:

# %%
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: grad * 10)
with torch.record() as trace:
    y = x**2
    y.backward()
trace

# %%
torch.draw(trace)

# %% [markdown]
# ## Several tensors, one hook
#
# `register_multi_grad_hook` waits until the gradients of all its tensors are there, and is called once.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: print("both:", grads))
(a * b).backward()


# %% [markdown]
# It only looks; what it returns is not used.
#
# A use you will meet: the *norm* of all gradients together, which tells whether a training step is about to explode.

# %% [markdown]
# ## Hooks on what is saved
#
# A node keeps tensors for its backward. Two functions can stand between: one *packs* a tensor when it is saved, the other *unpacks* it when backward asks.

# %%
def pack(tensor):
    calls.append("packed")
    return tensor.detach().half()


def unpack(packed):
    calls.append("unpacked")
    return packed.float()


calls = []

# %% [markdown]
# <details><summary><b>Predict</b>: x is 1.2345, and half precision keeps about three digits. Is y = x·x rounded? Is the gradient?</summary>
#
# y is not: forward computes with x itself. The gradient is, since it is computed from what was kept.
#
# </details>

# %%
x = torch.tensor(1.2345, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
y.backward()
print(calls)
print(f"{y.item():.6f} {x.grad.item():.6f} exact: {2 * 1.2345:.6f}")

# %% [markdown]
# The product saved its two factors, which here are one tensor: two calls each. Half the memory, for a gradient that is a little off. Others pack to a file, or to another device: `save_on_cpu` is such a pair, ready made.

# %% [markdown]
# unpack should give back what was packed: a tensor of the same shape and dtype. The engine refuses at least what is no tensor, when backward asks:

# %% tags=["raises-exception"]
with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda packed: "lost"):
    y = x * x
y.backward()

# %% [markdown]
# ## What hooks are for
#
# Looking for the place where a gradient turns into NaN, or limiting how large one may be:

# %%
x = torch.tensor([0.01, 1.0, 4.0], requires_grad=True)
x.register_hook(lambda grad: grad.clamp(-1.0, 1.0))
(1 / x).sum().backward()
print(x.grad)

# %% [markdown]
# The slope of 1/x at 0.01 is -10000; it was clamped to -1, like the one at 1, which was -1 already.
#
# The same in PyTorch:

# %% tags=["A19"]
from autograd_nb import course

course.in_pytorch("A19")

# %% tags=["F13"]
course.in_pytorch("F13")

# %% [markdown]
# ## Summary
#
# | hook | when, with what | may replace |
# |---|---|---|
# | `tensor.register_hook` | the whole gradient of the tensor, before it is kept or goes on | yes |
# | `node.register_prehook` | before the node, gradients of its outputs | yes |
# | `node.register_hook` | after the node, gradients of inputs and outputs | yes |
# | `leaf.register_post_accumulate_grad_hook` | after adding into `.grad`, the leaf | no |
# | `register_multi_grad_hook` | when all are there | no |
# | `saved_tensors_hooks` | at saving, and when backward asks | what is kept |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch12.q1.hint()`; solutions: `course.ch12.q1.solution()`.
#
# **1.** y = x² at x = 3, a hook on y returns grad + 1, and (2y).backward() runs. What is x.grad?

# %%
answer = ...
course.ch12.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a tensor x and a bound, and leaves a hook at x which scales the gradient down to that norm if its norm is larger, and leaves it alone otherwise.

# %%
def limit(x, bound):
    ...


course.ch12.q2.check(limit)


# %% [markdown]
# **3.** Write a function that takes two leaves a and b, computes (a·b)², runs backward, and returns a list with the gradient that reached the product a·b. The product must end up with no `.grad`.

# %%
def spy(a, b):
    ...


course.ch12.q3.check(spy)


# %% [markdown]
# **4.** This should flip the sign of the gradient at x for one backward only, and not for those after it. Repair it.

# %%
def flip_once(x):
    x.register_hook(lambda grad: -grad)
    (x**2).sum().backward()
    (x * 3).sum().backward()
    return x.grad


course.ch12.q4.check(flip_once)

# %% [markdown]
# ## Next
#
# A hook sees a gradient go by. In [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb) the gradient itself gets a graph, and is differentiated again.
