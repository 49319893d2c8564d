# %% [markdown]
# # 14 Reading the graph
#
# **You will be able to** go from any result back to its leaves, say what each node saved, and find out where a graph is cut.
#
# **Builds on** [05 Many paths](05_many_paths.ipynb) and [03 Backward](03_backward.ipynb).
#
# **Time** 40 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## The graph from above
#
# In training you read a graph when a parameter gets no gradient, such as a head that nobody uses. Program 9 once more: x reaches z by two paths.

# %% tags=["A22"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
torch.draw(z)

# %% [markdown]
# To draw this picture it was enough to ask the [nodes](91_glossary.ipynb#node). Each knows where its gradients go: [next_functions](91_glossary.ipynb#next_functions). We start at the end:

# %% tags=["A22"]
print(z.grad_fn.name())
for node, number in z.grad_fn.next_functions:
    print(node.name(), number)

# %% [markdown]
# A pair for each *input* of the addition: the node that made that input, and which of that node's outputs it was. A number may have a pair, too, with None in it: `x + 1` has two, `x**3` one.
#
# Now go on from the logarithm: one step further back, and then one more.

# %%
course.ch14.p1

# %% tags=["A22"]
log, sqrt = z.grad_fn.next_functions[0][0], z.grad_fn.next_functions[1][0]
print(log.next_functions, sqrt.next_functions)
cube, square = log.next_functions[0][0], sqrt.next_functions[0][0]
print(cube.next_functions, square.next_functions)

# %% [markdown]
# ## The last node: AccumulateGrad
#
# x was not computed, so no operation made it. But its gradient must go somewhere: [AccumulateGrad](91_glossary.ipynb#AccumulateGrad) adds it into x.grad. It knows its tensor, as `variable`.

# %%
course.ch14.p2

# %% tags=["A22"]
end_of_log, end_of_sqrt = cube.next_functions[0][0], square.next_functions[0][0]
print(end_of_log.variable is x, end_of_sqrt.variable is x)
print(end_of_log is end_of_sqrt)

# %% [markdown]
# A leaf has one such node, however many paths lead to it. That is why it can wait for both gradients and write once ([05 Many paths](05_many_paths.ipynb)). And x itself has no grad_fn: that is what makes it a leaf.

# %% [markdown]
# ## A node is an object
#
# Ask twice for the node of a result that nobody changes in place, and you get the same one. The number in its printed form is its address in memory, which is what `id` gives.

# %% tags=["D4"]
node = z.grad_fn
print(node)
print(int(str(node).split(" at ")[1].rstrip(">"), 16) == id(node), z.grad_fn is node)

# %% [markdown]
# ## Where there is nothing: (None, 0)
#
# Inputs that require no gradient have no node. Their place stays, so that the pairs keep the order of the inputs.

# %% tags=["D2", "B13"]
values = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z2 = 2 * values + 1
product, number = z2.grad_fn.next_functions
print(z2.grad_fn.name(), product[0].name(), number)
constant = torch.tensor(3.0)
print((constant * x).grad_fn.next_functions[0], (constant * 2).grad_fn)

# %% [markdown]
# ## The second number
#
# Nearly always it is 0. An operation with several outputs has one node for all of them, and the number tells them apart. `unbind` is one: it takes a vector apart. A node and a number together are an [edge](91_glossary.ipynb#edge): one step that backward can take.

# %% tags=["F18"]
pair = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = pair.unbind()
product = a * b
print([(node.name(), number) for node, number in product.grad_fn.next_functions])
print(a.output_nr, b.output_nr, a.grad_fn is b.grad_fn)
torch.draw(product)


# %% [markdown]
# ## A walker
#
# This short function prints any graph, starting at the end. Each node is indented further than the one that leads to it. (It calls itself for each node that comes next; some names begin with `torch::autograd::`, which we leave out.)

# %%
def walk(node, depth=0):
    if node is None:
        return
    print("  " * depth + node.name().split("::")[-1])
    for earlier, _ in node.next_functions:
        walk(earlier, depth + 1)


walk(z.grad_fn)

# %% [markdown]
# It prints AccumulateGrad twice, because it gets there twice. For a large graph you would keep a set of the nodes already seen.

# %% [markdown]
# ## Forward, or backward?
#
# next_functions points from result to input, the way gradients go. Many pictures draw the arrows the other way, the way the data flowed. It is the same graph; some call it the [tape](91_glossary.ipynb#tape). Here it is with the names of the leaves and with forward arrows:

# %% tags=["B11"]
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2


# %% tags=["B11", "long: a function in one piece"]
def show(node, leaves):
    for earlier, _ in node.next_functions:
        if earlier is not None:
            show(earlier, leaves)
            name = earlier.name()
            if hasattr(earlier, "variable"):
                name = leaves[earlier.variable]
            print(name, "->", node.name())


show(Q.grad_fn, {a: "a", b: "b"})
torch.draw(Q)

# %% [markdown]
# The graph begins at the [leaves](91_glossary.ipynb#leaf) and ends at the [root](91_glossary.ipynb#root). Following the arrows, you never come back to where you have been: it is a directed *acyclic* graph, a [DAG](91_glossary.ipynb#DAG). This is no accident, since an operation computes from what is there already.

# %% [markdown]
# ## What a node saved
#
# To go back, some nodes need numbers from forward: [saved tensors](91_glossary.ipynb#saved-tensors), and constants such as an exponent. You find them under names that begin with `_saved_`, and at the node of a Function of your own in `saved_tensors`.

# %% tags=["A22"]
print(cube._saved_self is x, cube._saved_exponent)
print(log._saved_self)
print(sqrt._saved_result)

# %% [markdown]
# The power saved its input, because its slope is 3x². So did the logarithm, for 1/y. The square root saved its *result*: its slope is 1/(2√w), and √w is already known.

# %%
course.ch14.p3

# %% tags=["D6", "F2"]
times_two = 2 * x
print(times_two.grad_fn._saved_other, times_two.grad_fn._saved_self)
plus = x + y
plus.grad_fn(torch.tensor(1.0))

# %% [markdown]
# 2·x saved the 2, as a tensor, and None instead of x: the value of x would only be needed for the gradient at 2, which nobody wants.
#
# An addition saves no tensor: the last line *called* its node directly, with a gradient, and it passed that on to both inputs unchanged. We can call other nodes like this, too:

# %%
print(f"{log(torch.tensor(1.0)).item():.3f}")
print(f"{cube(torch.tensor(0.008)).item():.3f}")

# %% [markdown]
# These are the links of the chain: 0.008, and 75 times that. backward does this in the right order, and adds where paths meet. Press ▶ and watch which node is called, and with what:

# %%
torch.step(z.backward, retain_graph=True)

# %% [markdown]
# ## What is saved is freed
#
# The logarithm saved 125. Now `z.backward()` runs.

# %%
course.ch14.p4

# %% tags=["raises-exception"]
z.backward()
log._saved_self


# %% [markdown]
# backward [frees](91_glossary.ipynb#freed) what was saved as it goes. The nodes and next_functions are still there; only the tensors are gone. This is where the error of a second backward comes from. ([03 Backward](03_backward.ipynb), [error clinic](92_error_clinic.ipynb#Backward-a-second-time))

# %% [markdown]
# ## Another way to save
#
# Two functions can step in: one *packs* a tensor when a node saves it, the other *unpacks* it when backward needs it. They are [hooks](12_hooks.ipynb), too. Here `half()` keeps about three digits. x is 1.2345, and y = x · x is computed while these two functions are in place.

# %%
def pack(tensor):
    calls.append("packed")
    return tensor.detach().half()


def unpack(packed):
    calls.append("unpacked")
    return packed.float()


# %%
course.ch14.p5

# %%
calls, x = [], torch.tensor(1.2345, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
y.backward()
print(calls)
print(f"{y.item():.6f} {x.grad.item():.6f} exact: {2 * 1.2345:.6f}")


# %% [markdown]
# Forward computed y with x itself; the gradient is a little off, since it comes from what was kept, in half the memory. The product saved both of its factors, so each function ran twice. unpack has to give back a tensor of the same shape and dtype ([or else](92_error_clinic.ipynb#What-unpack-returns)). `save_on_cpu` is such a pair, ready to use.

# %% [markdown]
# ## Reading to find a mistake
#
# Suppose a parameter has no gradient after backward. Why? Most often it was not used, or the graph is cut, or it is no leaf: `torch.randn(3, requires_grad=True) * 0.1` is the result of a product, and its gradient goes on to the tensor that was multiplied. Ask the graph which leaves it reaches:

# %%
def leaves(node):
    if node is None:
        return []
    found = [node.variable] if hasattr(node, "variable") else []
    for earlier, _ in node.next_functions:
        found += leaves(earlier)
    return found


# %%
first = torch.tensor(2.0, requires_grad=True)
second = torch.tensor(3.0, requires_grad=True)
hidden = torch.tanh(first).detach()
out = hidden * second
print(leaves(out.grad_fn))
torch.draw(out)

# %% [markdown]
# `first` is not among them, and in the picture no arrow leads to `hidden`: the [detach](91_glossary.ipynb#detach) cut it off ([error clinic](92_error_clinic.ipynb#An-unused-input)).

# %% [markdown]
# ## Summary
#
# | you ask | you read |
# |---|---|
# | what made this tensor | `t.grad_fn`, None for a leaf |
# | where its gradients go | `node.next_functions`: (node, output number) for each input |
# | which leaf a path ends at | AccumulateGrad's `variable` |
# | what was kept for backward | `node._saved_self`, `_saved_other`, `_saved_result`, … until freed |
# | where no gradient flows | (None, 0) |
# | and to save in your own way | `saved_tensors_hooks(pack, unpack)` |

# %% [markdown]
# ## Exercises
#
# **1.** `torch.exp(2 * x + 1)`: how many nodes does its graph have, AccumulateGrad included?

# %%
answer = ...
course.ch14.q1.check(answer)


# %% [markdown]
# **2.** Write a function that takes a tensor and returns how many *different* nodes its graph has.

# %%
def count_nodes(t):
    ...


course.ch14.q2.check(count_nodes)


# %% [markdown]
# **3.** Write a function that takes a result and a leaf and returns True or False: would a backward from the result reach that leaf?

# %%
def reaches(result, leaf):
    ...


course.ch14.q3.check(reaches)


# %% [markdown]
# **4.** Write a function that takes x and returns the tensor that exp's node saved when torch.exp(x) was computed.

# %%
def what_exp_saved(x):
    ...


course.ch14.q4.check(what_exp_saved)

# %% [markdown]
# **To invent**, without a verdict. Let a walk of yours draw the graph as text, indented by depth. And a puzzle: hand a friend only `grad_fn` of a result; what was computed, and on which leaves?
#
# ## Next
#
# A question to take along: the graph knows what was computed, but not why. Which mistakes in a network can it never show?
#
# In [15 Define-by-run](15_define_by_run.ipynb) the program has loops and branches. What does the graph make of them?
