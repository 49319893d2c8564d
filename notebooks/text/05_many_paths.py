# %% [markdown]
# # 05 Many paths
#
# **You will be able to** find a gradient where paths split and meet again, and say in which order backward must go through the graph.
#
# **Builds on** [04 Accumulation](04_accumulation.ipynb): what happens between two backwards. This chapter is about a single one.
#
# **Time** 45 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

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
torch.draw(z)

# %% [markdown]
# On paper: ln(x³) + √(x²) is 3 · ln(x) + x, for a positive x.

# %%
course.ch05.p1

# %% tags=["A9"]
z.backward()
print(f"{x.grad}")

# %% [markdown]
# ## Multiply along, add across
#
# Along each path the links are multiplied, as in chapter 01. Where paths meet again, at x, they are **added**.

# %% tags=["A9"]
upper = 3 * 5.0**2 * (1 / 125)
lower = 2 * 5.0 * (1 / (2 * 5.0))
print(f"{upper:.1f} + {lower:.1f} = {upper + lower:.1f}")


# %% [markdown]
# 75 · 0.008 through y, and 10 · 0.1 through w. Why add? Nudge x by a little: y moves, and w moves, and z feels both at once. Small movements add up.

# %% [markdown]
# Take one path away, and see its part disappear. This bench runs a function of our own:
#
# 1. At y, choose the cut `detach()`: it ends the way back there. What is left of x.grad?
# 2. **Reset**, and add the hook *double* at w: what comes back through w counts twice. What is x.grad now?

# %%
def program_9(x):
    y = x**3
    w = x**2
    z = torch.log(y) + torch.sqrt(w)
    return z


torch.bench(program_9, x=5.0, plan=["z.backward()"], controls=["y.cut", "w.hooks"])

# %% [markdown]
# Without the path through y, 1 is left. With the path through w doubled it is 0.6 + 2. Neither path knows about the other.
#
# You meet this wherever a weight is *shared*. A filter that slides over an image is used at every place: thousands of paths, one gradient. Here one weight multiplies three numbers:

# %%
course.ch05.p2

# %% tags=["F1"]
weight = torch.tensor(2.0, requires_grad=True)
for_each = weight * torch.tensor([1.0, 2.0, 3.0])
for_each.sum().backward()
print(weight.grad)

# %% [markdown]
# ## Where is it added?
#
# A common guess: the paths add up because backward adds into `.grad`, as in the last chapter. That is not quite what happens, and you can see the difference.
#
# A [hook](91_glossary.ipynb#hook) on x is a function of yours that is called with each gradient that reaches x. Here it is a `lambda`, a short function without a name: this one takes `grad` and prints it.

# %%
course.ch05.p3

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("hook on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()
print(x.grad)

# %% [markdown]
# It is called once, with 1.6. The engine adds first and then writes into x.grad once. Accumulation into `.grad` is what happens between two backwards; within one backward the sum is made on the way.
#
# Go through it step by step: at which step are 0.6 and 1 on their way, and at which do they meet?

# %%
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    y, w = x**3, x**2
    z = torch.log(y) + torch.sqrt(w)
    z.backward()
torch.step(trace)

# %% [markdown]
# AccumulateGrad, the green circle, has to wait: its step comes last, when both gradients have arrived. It receives 1.6.

# %% [markdown]
# ## Why the order matters
#
# A smaller example shows why the engine must wait. b is a + a, and c is b + b.

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
torch.draw(c)

# %%
course.ch05.p4

# %% tags=["F1"]
a.grad = None
c.backward()
print(a.grad)

# %% [markdown]
# There are four paths, each with slope 1. How should backward go through them? The first idea is a function that calls itself: give each source its share, and then do the same from there.

# %%
made_of, grads = {"c": "bb", "b": "aa", "a": ""}, {"c": 1, "b": 0, "a": 0}


def back(name):
    for source in made_of[name]:
        grads[source] += grads[name]
    for source in made_of[name]:
        back(source)


back("c")
grads


# %% [markdown]
# 8, and 4 is right. b comes twice, and each time it passes on all that it has, though it had passed on a part before. One cure is to follow every path with a gradient of its own, and to add at the leaf. That is right, and hopeless: each further doubling doubles the number of paths.

# %%
def every_path(node):
    return sum(every_path(source) for source, _ in node.next_functions) or 1


y = torch.tensor(1.0, requires_grad=True)
for _ in range(16):
    y = y + y
every_path(y.grad_fn)

# %% [markdown]
# Sixteen additions, 65536 paths. With 60 additions there are more paths than this function could follow in your lifetime.

# %%
course.ch05.p5

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
y = a
for _ in range(60):
    y = y + y
y.backward()
print(a.grad == 2.0**60)

# %% [markdown]
# ## The second rule
#
# Nodes can have hooks too; theirs are called with two things, the gradients that go out and those that came in. We print what came in at the node that made b:

# %%
course.ch05.p6

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
b.grad_fn.register_hook(lambda going_out, came_in: print("at b:", came_in))
c.backward()


# %% [markdown]
# So the second rule is: visit each node once, but only when *everything* that leads to it has arrived. Then its gradient is complete, and it is passed on as a whole.
#
# If the engine went on after the first gradient, and again after the second, b's node would run twice, and so would everything before it: all paths again.
#
# An order in which each node comes after all that use it is called a [topological order](91_glossary.ipynb#topological-order).

# %% [markdown]
# ## How to find it
#
# Count, for each node, how many gradients will be sent to it. Start at the end; whenever a node has run, subtract one from the count of each of its inputs. A node whose count reaches zero is ready.
#
# The loop below walks over a list that grows while it does so: whenever a new node is found, it is put at the end, and the loop gets to it later.

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
# c's node waits for nobody, b's node for two gradients, and AccumulateGrad for two as well. PyTorch's engine counts like this, and so does ours.
#
# That is all it takes for an engine of your own. A node is a function: call it with the gradient that arrived, and it gives one for each of its inputs. AccumulateGrad gives nothing, but adds to `.grad`:

# %% tags=["long: an engine in one piece"]
def my_backward(root):
    counts, arrived, ready = users(root), {root: torch.tensor(1.0)}, [root]
    while ready:
        node = ready.pop()
        given = node(arrived[node])
        given = given if isinstance(given, tuple) else (given,)
        for (source, _), gradient in zip(node.next_functions, given):
            arrived[source] = arrived.get(source, 0) + gradient
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)


x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3) + torch.sqrt(x**2)
with torch.no_grad():
    my_backward(z.grad_fn)
print(x.grad)

# %% [markdown]
# 1.6, as from `z.backward()`, and without following every path. (A constant has no node: with `x + 1` you would have to leave out what is None. Do it, and try your engine on graphs of yours; but a node with several results, as that of `unbind`, wants a gradient for each.)
#
# It needs no recursion, which is a second advantage: a long loop makes a long chain. This one is as long as Python lets functions nest.

# %% tags=["long: the same chain walked in both ways"]
import sys

y = x = torch.tensor(1.0, requires_grad=True)
for _ in range(sys.getrecursionlimit()):
    y = y + 1
y.backward()
print(x.grad)
try:
    every_path(y.grad_fn)
except RecursionError as error:
    print(type(error).__name__)

# %% [markdown]
# There is only one path, and yet it is too deep for a function that calls itself.
#
# ## A neuron
#
# From here on another example goes along, the part that networks are made of: a *neuron*. It multiplies each input by a weight, adds a bias, and squeezes the sum between -1 and 1 by tanh, whose slope is 1 - tanh². The weights and the bias are what learns.

# %%
x1, x2 = torch.tensor(2.0), torch.tensor(1.0)
w1, w2, b = (torch.tensor(each, requires_grad=True) for each in (1.0, -1.0, -0.5))
out = torch.tanh(w1 * x1 + w2 * x2 + b)
torch.draw(out)

# %%
out.backward()
slope = 1 - out.item() ** 2
print(f"{slope:.4f}: {w1.grad:.4f} {w2.grad:.4f} {b.grad:.4f}")

# %% [markdown]
# All three paths lead through tanh, so its slope, 0.7864, is in each gradient: times 2 at w1, times 1 at w2, and as it is at b. If the sum were 10, the slope of tanh would be nearly 0, and none of the three would learn.
#
# ## All together
#
# Now walk back yourself: write each gradient into its field, from the root on. A field opens when all that leads to it is known.

# %%
course.ch05.p7

# %% tags=["F1"]
x = torch.tensor(2.0, requires_grad=True)
y, w = x**3, x + 1
y.retain_grad()
w.retain_grad()
z = y * w
z.backward()
torch.info(x, y, w, z)

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
# **1.** b = a * a and c = b + a, at a = 3. What is a.grad after c.backward()?

# %%
answer = ...
course.ch05.q1.check(answer)


# %% [markdown]
# **2.** This finds the gradient of ln(x³) + √(x²) by hand, one path per line, but it loses one of them. Repair it.

# %%
def by_hand(x):
    gradient = 3 * x**2 * (1 / x**3)
    gradient = 2 * x * (1 / (2 * x))
    return gradient


course.ch05.q2.check(by_hand)


# %% [markdown]
# **3.** Write a function that takes a leaf w and a tensor data, and returns the gradient at w of the sum of (w · data)², as backward finds it.

# %%
def shared(w, data):
    ...


course.ch05.q3.check(shared)


# %% [markdown]
# **4.** `inputs` says for each node which nodes it was computed from, such as `{"z": ["y", "w"], "y": ["x"], "w": ["x"], "x": []}`. Return a list of all nodes in which each appears once, after every node that uses it.

# %%
def walk(inputs):
    ...


course.ch05.q4.check(walk)

# %% [markdown]
# **To invent**, without a verdict. Build an expression with 100 paths in as few lines as you can, and check its slope. And a puzzle: draw a graph with numbers on its links; a friend computes the gradient by hand.

# %% [markdown]
# ## Next
#
# A question to take along: could the engine also walk from the leaves to the result? What would it have to carry along for two million leaves?
#
# So far nearly every tensor was one number. In [06 Several inputs](06_several_inputs.ipynb) tensors of different shapes meet, and broadcasting makes many paths by itself.
