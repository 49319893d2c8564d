# %% [markdown]
# # 05 Many paths
#
# **You will be able to** find a gradient where paths part and meet again, and say in which order backward must walk.
#
# **Mirrors** source A, "PyTorch Autograd" by Taeho Oh (2020-03-01): program 9, and sets one of its explanations right.
#
# **Time** 25 minutes.

# %%
import autograd_nb as torch

# %% [markdown]
# ## Two ways from x to z
#
# So far there was one path. Now x is used twice: in y = x³ and in w = x², and both lead to z.

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
print(z)

# %%
torch.draw(z)

# %% [markdown]
# On paper: ln(x³) + √(x²) is 3 · ln(x) + x, for a positive x. Its derivative is 3/x + 1.
#
# <details><summary><b>Predict</b>: what is that at x = 5?</summary>
#
# 0.6 + 1 = 1.6.
#
# </details>

# %% tags=["A9"]
z.backward()
print(f"{x.grad}")

# %% [markdown]
# ## Multiply along, add across
#
# Along each path the links are multiplied, as before. Where paths meet again, at x, they are **added**.

# %% tags=["A9"]
upper = 3 * 5.0**2 * (1 / 125)
lower = 2 * 5.0 * (1 / (2 * 5.0))
print(f"{upper:.1f} + {lower:.1f} = {upper + lower:.1f}")

# %% [markdown]
# 75 · 0.008 through y, and 10 · 0.1 through w. Why add? Nudge x by a little: y moves, and w moves, and z feels both at once. Small movements add up.

# %% [markdown]
# You have seen this wherever a weight is *shared*. A filter of a convolution slides over an image and is used at every place: thousands of paths, one gradient.

# %% tags=["F1"]
weight = torch.tensor(2.0, requires_grad=True)
for_each = weight * torch.tensor([1.0, 2.0, 3.0])
for_each.sum().backward()
print(weight.grad)

# %% [markdown]
# One weight, three uses: 1 + 2 + 3.

# %% [markdown]
# ## Where is it added?
#
# Source A explains: the paths add up because backward adds into `.grad`, as in the last chapter. That is a good guess. It is not quite what happens, and you can see the difference.

# %% [markdown]
# A *hook* on x is a function that is called with each gradient that reaches x.
#
# <details><summary><b>Predict</b>: two paths end at x. How many times will the hook be called, and with what?</summary>
#
# If each path added into x.grad by itself: twice, with 0.6 and with 1. Run and see.
#
# </details>

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("hook on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()
print(x.grad)

# %% [markdown]
# Once, with 1.6. The engine adds first, *before* x.grad, and writes once. Accumulation into `.grad` is what happens between two backwards; within one, the sum is made on the way.

# %% [markdown]
# Step by step, as it was recorded:

# %%
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    y, w = x**3, x**2
    z = torch.log(y) + torch.sqrt(w)
    z.backward()
torch.draw(trace)

# %%
trace

# %% [markdown]
# The gradients lie on the edges, from right to left. The two that lead to x meet before the last circle.

# %% [markdown]
# ## Why the order matters
#
# A smaller example shows why the engine must wait. b is a + a, and c is b + b.

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
torch.draw(c)

# %% [markdown]
# <details><summary><b>Predict</b>: what is the gradient of c at a?</summary>
#
# c = 2b = 4a: 4.
#
# </details>

# %% tags=["F1"]
c.backward()
print(a.grad)


# %% [markdown]
# Four paths, each of slope 1. Two rules for a walk come to mind. The first: follow every path to its end, and add at the leaf.

# %%
def every_path(node):
    if not node.next_functions:
        return 1
    return sum(every_path(source) for source, _ in node.next_functions)


every_path((b + b).grad_fn)

# %% [markdown]
# That is right, and hopeless: each further doubling doubles the paths.

# %%
a = torch.tensor(1.0, requires_grad=True)
y = a
for _ in range(16):
    y = y + y
every_path(y.grad_fn)

# %% [markdown]
# Sixteen additions, 65536 paths. With 60 it would take longer than your life.
#
# <details><summary><b>Predict</b>: how long will backward take for 60 doublings?</summary>
#
# No time at all: 60 nodes, each visited once.
#
# </details>

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
y = a
for _ in range(60):
    y = y + y
y.backward()
print(a.grad == 2.0**60)

# %% [markdown]
# ## The second rule: wait
#
# Visit each node once, but only when *everything* that leads to it has arrived. Then its gradient is complete, and it is passed on as a whole.

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
b.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print("at b:", grad_outputs))
c.backward()


# %% [markdown]
# The node of b was visited once, with 2: both gradients of c had come together there.

# %% [markdown]
# <details><summary><b>Predict</b>: what if it had gone on after the first of the two, and again after the second?</summary>
#
# Then b's node would run twice, and everything before it too: the walk along all paths again.
#
# </details>
#
# An order in which each node comes after all that use it is called a **topological order**.

# %% [markdown]
# ## How to find it
#
# Count, for each node, how many edges lead to it. Start at the end; whenever a node has run, take one off the count of each of its inputs. Whose count reaches zero is ready.

# %%
def users(root):
    counts, to_see = {root: 0}, [root]
    for node in to_see:
        for source, _ in node.next_functions:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


# %%
for node, count in users(c.grad_fn).items():
    print(count, node.name())

# %% [markdown]
# c's node waits for nobody, b's for two gradients, AccumulateGrad for two as well. PyTorch's engine counts just so, and ours too, without recursion: a chain of a million nodes is no trouble.

# %%
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(20_000):
    y = y + 1
y.backward()
print(x.grad)

# %% [markdown]
# ## All together
#
# Back to program 9. The same rules give every tensor between its gradient: 0.008 at y, 0.1 at w.

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
y, w = x**3, x**2
y.retain_grad()
w.retain_grad()
z = torch.log(y) + torch.sqrt(w)
z.backward()
torch.info(x, y, w, z)

# %% [markdown]
# The same in PyTorch, with the hook:

# %% tags=["A9"]
from autograd_nb import course

course.in_pytorch("A9b")

# %% [markdown]
# ## Summary
#
# | where | what happens |
# |---|---|
# | along a path | links are multiplied |
# | where paths meet | gradients are added, before anything goes on |
# | order | each node once, after all its users: topological |
# | at the leaf | one write into `.grad`, adding to what an earlier backward left |

# %% [markdown]
# ## Exercises
#
# Hints: `course.ch05.q1.hint()`; solutions: `course.ch05.q1.solution()`.
#
# **1.** b = a + a and c = b + b. What is a.grad after c.backward()?

# %%
answer = ...
course.ch05.q1.check(answer)

# %% [markdown]
# **2.** In program 9, two paths lead from x to z. How many times does a hook on x run in one backward?

# %%
answer = ...
course.ch05.q2.check(answer)


# %% [markdown]
# **3.** Write a function that takes a leaf w and a tensor data, and returns the gradient at w of the sum of (w · data)².

# %%
def shared(w, data):
    ...


course.ch05.q3.check(shared)


# %% [markdown]
# **4.** `inputs` says for each node which nodes it was computed from, as `{"z": ["y", "w"], "y": ["x"], "w": ["x"], "x": []}`. Return a list of all nodes, each once, each after every node that uses it.

# %%
def walk(inputs):
    ...


course.ch05.q4.check(walk)

# %% [markdown]
# ## Next
#
# So far nearly every tensor was one number. In [06 Several inputs](06_several_inputs.ipynb) tensors of different shapes meet, and broadcasting makes many paths by itself.
