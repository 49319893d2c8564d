# %% [markdown]
# # 20 Gradients in a deep network
#
# **You will be able to** measure the gradient at every layer, say why it shrinks or grows, and keep it alive.
#
# **Builds on** [12 Hooks](12_hooks.ipynb), [16 Training](16_training.ipynb), and [19 Moons and digits](19_moons_and_digits.ipynb).
#
# **Time** 40 minutes.

# %%
import math

import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.drawing import figures


# %% [markdown]
# ## A gradient for each layer
#
# So far our networks had two layers. Here are twenty. The same number of inputs and outputs, 64, makes them easy to compare. A hook at each layer's output writes down the size of the gradient that passes: its norm.

# %% tags=["long: the network of this chapter"]
def gradients(activation, gain=1.0, depth=20):
    torch.manual_seed(0)
    x, sizes = torch.randn(64, 64), []
    for _ in range(depth):
        w = (gain * torch.randn(64, 64) / 8).requires_grad_()
        x = activation(x @ w)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.backward(torch.randn(64, 64) / 64)
    return sizes[::-1]


# %% [markdown]
# In place of a loss, random numbers of norm 1 arrive at the last layer. backward meets that one first, so `sizes[::-1]` turns the list around: layer 1 comes first.
#
# The activation function is a sigmoid. Its slope is p(1 - p), which is largest at p = 0.5.

# %%
course.ch20.p1

# %%
print(f"{0.25**20:.1e}, and {-math.log10(0.25**20):.1f} places behind the point")

# %%
sigmoid = gradients(torch.sigmoid)
for layer in (1, 2, 10, 19, 20):
    print(f"layer {layer:2}: {sigmoid[layer - 1]:.1e}")
figures.layers({"sigmoid": sigmoid})

# %% [markdown]
# On a scale of powers of ten the curve is a straight line: each layer takes away the same share. Layer 1 would have to take steps many millions of times as large as layer 20 to learn as fast. This is a [vanishing gradient](91_glossary.ipynb#vanishing-gradient).
#
# A gradient is a product, one factor a layer. Products of many factors below 1 vanish; of many above 1, they explode.

# %%
print(f"{(sigmoid[0] / sigmoid[19]) ** (1 / 19):.2f}")

# %% [markdown]
# That is the factor of each layer: a little below 0.25, since few scores are exactly at the steepest place. The matrices between the sigmoids hardly change the size. Why not?
#
# ## How large should the weights be?
#
# One output is a sum over n inputs, $y = \sum_j w_j x_j$. Weights and inputs are independent, and the mean of the weights is 0. Then:
#
# $$\mathrm{Var}(y) = \sum_{j=1}^{n} \mathrm{Var}(w_j x_j) = n \, \mathrm{Var}(w) \, \mathrm{E}(x^2)$$
#
# $$\mathrm{Var}(y) = \mathrm{E}(x^2) \quad \text{if} \quad \mathrm{Var}(w) = \frac{1}{n}$$
#
# $$\text{after a ReLU } \mathrm{E}(x^2) = \tfrac{1}{2} \mathrm{Var}(y), \quad \text{so} \quad \mathrm{Var}(w) = \frac{2}{n}$$

# %% [markdown]
# The first is Yann LeCun's [initialisation](91_glossary.ipynb#initialisation), the second Kaiming He's. On the way back the same sum runs over the n *outputs* of a layer. Xavier Glorot takes the mean of the two numbers: 2 / (n_in + n_out), which is 1/n for as many outputs as inputs.
#
# Our weights have the spread gain / 8, and 8 is the square root of 64. So a gain of 1 is Glorot's. Now a ReLU with it:

# %%
course.ch20.p2

# %%
relu = {f"gain {gain:.2f}": gradients(torch.relu, gain) for gain in (1.0, 2**0.5, 2.0)}
for name, sizes in relu.items():
    print(f"{name}: {sizes[0]:.1e}, a factor of {(sizes[0] / sizes[19]) ** (1 / 19):.2f} a layer")
figures.layers(relu)

# %% [markdown]
# With 1 a ReLU loses half of the square at each layer: a factor of about 0.7, the root of a half. He's root of 2 makes up for it. A gain of 2 is a little too much each time, and twenty times too much in the end: an [exploding gradient](91_glossary.ipynb#exploding-gradient).
#
# The tanh bends little near 0, so it asks for a little more than 1; about 1.2 keeps the gradient over twenty layers:

# %%
tanh = {f"gain {gain:.2f}": gradients(torch.tanh, gain) for gain in (0.5, 1.0, 1.2, 5 / 3)}
figures.layers(tanh)

# %% [markdown]
# PyTorch has numbers for these. `calculate_gain` gives the gain, and `torch.nn.init` draws the weights. That for the ReLU is He's; 5/3 for the tanh is a convention, and 1 for the sigmoid keeps nothing, as the first picture shows:

# %%
for name in ("sigmoid", "tanh", "relu"):
    print(name, f"{torch.nn.init.calculate_gain(name):.4f}")
weight = torch.nn.init.kaiming_normal_(torch.empty(64, 64), nonlinearity="relu")
print(f"{weight.std().item():.3f} {(2 / 64) ** 0.5:.3f}")


# %% [markdown]
# ## A way around
#
# A good start helps at the start; training moves the weights. Two inventions help later, too. The first: a layer does not replace its input, it adds to it.

# %% tags=["long: the network once more with what keeps gradients alive"]
def gradients_of(layer, depth=20):
    torch.manual_seed(0)
    x, sizes = torch.randn(64, 64), []
    for _ in range(depth):
        w = (torch.randn(64, 64) / 8).requires_grad_()
        x = layer(x, w)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.backward(torch.randn(64, 64) / 64)
    return sizes[::-1]


plain = gradients_of(lambda x, w: torch.sigmoid(x @ w))

# %%
course.ch20.p3

# %%
residual = gradients_of(lambda x, w: x + torch.sigmoid(x @ w))
print(f"{plain[0]:.1e} {residual[0]:.1e}")
figures.layers({"plain": plain, "residual": residual})

# %% [markdown]
# The sum has two paths back. Through the sigmoid little arrives; through the `+` everything does, over all layers. This is a [residual connection](91_glossary.ipynb#residual-connection). Nothing is lost; but the other path adds its part, and with a ReLU that part is large:

# %%
for size in (1.0, 0.1):
    sizes = gradients_of(lambda x, w: x + size * torch.relu(x @ w))
    print(f"{size} of a ReLU: {sizes[0]:.4g}, a factor of {(sizes[0] / sizes[19]) ** (1 / 19):.2f} a layer")

# %% [markdown]
# So networks with a hundred layers normalise on that path, or let it begin near 0. This is what the graph of one layer looks like:

# %%
torch.manual_seed(0)
x = torch.randn(1, 2, requires_grad=True)
w = torch.randn(2, 2)
y = x + torch.sigmoid(x @ w)
torch.draw(y)

# %% [markdown]
# The second invention is [normalisation](91_glossary.ipynb#normalisation): bring the scores to mean 0 and variance 1 before the activation function, which takes the scale of the weights out. Whether the rest keeps its size still depends on the activation. *Layer norm* does it for each sample, *batch norm* for each column of the batch.
#
# Below, the weights are twice too small, and twice too large.

# %%
course.ch20.p4


# %%
def normalised(gain, norm):
    return gradients_of(lambda x, w: torch.tanh(norm(x @ (gain * w))))


layer_norm, batch_norm = torch.nn.LayerNorm(64), torch.nn.BatchNorm1d(64)
for gain in (0.5, 2.0):
    plain = gradients_of(lambda x, w: torch.tanh(x @ (gain * w)))
    print(f"{gain}: {plain[0]:.1g} {normalised(gain, layer_norm)[0]:.1f} {normalised(gain, batch_norm)[0]:.1f}")

# %% [markdown]
# The scale of the weights is gone from these gradients at a layer's output: normalising takes it away again. At the weights themselves the gradient is four times smaller for weights four times as large, so these learn more slowly. And a score now depends on all others of its row or column, as its gradient does. In [21](21_backward_by_hand.ipynb) you work that gradient out.

# %% [markdown]
# ## Try them all
#
# This network tells a disc from a ring. You see gradients and activations at the start, and the loss.
#
# 1. Does a larger scale help the sigmoids? Go up to 4, and then down again to 1.
# 2. Tick *residual connections*. What becomes of the gradient, what of the loss? Untick it; choose *batch norm*.
# 3. Choose relu without norm, at scale 1, at 1.41 and at 4. Which learns? Then batch norm, at scale 1.

# %%
widgets.depth()

# %% [markdown]
# A larger scale helps the gradient of sigmoids a little; residual connections keep it, and the loss stays high all the same. It is the batch norm that makes sigmoids learn here. The relu learns at 1.41, and not at 1; at 4 the loss is NaN. With batch norm its gradient grows over the layers, and yet it learns well. **The size of a gradient warns you; whether a network learns, its loss tells.**

# %% [markdown]
# ## On a network of your own
#
# There you need no loop of hooks. Record a step, and ask `why` about a gradient: it compares with the other parameters and looks for what happened on the way. Here are 18 sigmoids, with Glorot's weights:

# %%
torch.manual_seed(0)
model = torch.nn.Sequential(*[each for _ in range(18) for each in (torch.nn.Linear(64, 64), torch.nn.Sigmoid())])
for place in range(0, 36, 2):
    torch.nn.init.xavier_normal_(model[place].weight)
with torch.record() as trace:
    model(torch.randn(64, 64)).mean().backward()
print(torch.why(model[0].weight, trace))

# %% [markdown]
# This works on real PyTorch, too, as in [18](18_your_own_pytorch_code.ipynb).

# %% [markdown]
# ## Too large
#
# In a recurrent network the same weight is used at each step in time, so the factors are all alike. Thirty steps, with one number w for a weight:

# %%
for start in (0.5, 1.0, 1.5):
    w, h = torch.tensor(start, requires_grad=True), torch.tensor(1.0)
    for _ in range(30):
        h = w * h
    h.backward()
    print(f"w = {start}: h = {h.item():.2e}, slope {w.grad.item():.2e}")


# %% [markdown]
# The slope is 30 w to the power of 29: nearly nothing, 30, or millions. Let this network learn that h should be 0.5 after thirty steps. It begins at w = 1.2, and `clip` says where the gradient is clipped:

# %% tags=["long: the loop with and without clipping"]
def learn(clip):
    w = torch.nn.Parameter(torch.tensor(1.2))
    optimizer, losses = torch.optim.SGD([w], lr=0.01), []
    for _ in range(100):
        h = torch.tensor(1.0)
        for _ in range(30):
            h = w * h
        loss = (h - 0.5) ** 2
        optimizer.zero_grad()
        loss.backward()
        if clip == "before the step":
            torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
        if clip == "after the step":
            torch.nn.utils.clip_grad_norm_([w], 1.0)
        losses.append(loss.item())
    return losses


# %% [markdown]
# `clip_grad_norm_(parameters, 1.0)` looks at the norm of all gradients together. If it is above 1.0, it makes all of them smaller by the same factor, so that it is 1.0. The direction stays: the step is shorter and leads the same way.

# %%
course.ch20.p5

# %%
runs = {clip: learn(clip) for clip in ("never", "after the step", "before the step")}
for clip, losses in runs.items():
    print(f"{clip}: {losses[0]:.0f}, {losses[1]:.4g}, {losses[2]:.4g} … {losses[99]:.4f}")
figures.loss(runs)

# %% [markdown]
# Without [clipping](91_glossary.ipynb#clipping) the first step is so long that the second loss is infinite, and the next ones are NaN: the curves end at their crosses. Clipping after the step changes gradients that nobody will use any more, since zero_grad comes next.
#
# `clip_grad_value_` limits each number by itself, and so turns the direction:

# %%
w = torch.zeros(2, requires_grad=True)
for clip in (torch.nn.utils.clip_grad_norm_, torch.nn.utils.clip_grad_value_):
    w.grad = torch.tensor([30.0, 0.4])
    clip([w], 1.0)
    print(w.grad)

# %% [markdown]
# ## What the optimizer makes of sizes
#
# SGD's step is the gradient times the learning rate. Adam divides each gradient by its own usual size first. Here are the first steps for three gradients, with a learning rate of 0.001:

# %%
course.ch20.p6

# %%
for size in (1e-6, 1.0, 1e6):
    for kind in (torch.optim.SGD, torch.optim.Adam):
        w = torch.nn.Parameter(torch.zeros(()))
        w.grad = torch.tensor(size)
        kind([w], lr=0.001).step()
        print(f"{size:g} {kind.__name__}: {w.item():.3g}")

# %% [markdown]
# So Adam forgives a gradient that is small in all layers alike. It cannot bring back one that is 0, and NaN stays NaN.
#
# ## Too small for its dtype
#
# Large networks compute in float16, whose smallest number is about 6e-8. Smaller ones become 0. The cure is *loss scaling*: a loss that is 1024 times as large has gradients 1024 times as large, and the step divides them again.

# %%
small = torch.tensor(1e-4, dtype=torch.float16)
for scale in (1, 1024):
    w = torch.tensor(3.0, dtype=torch.float16, requires_grad=True)
    (w * small * (small * scale)).backward()
    print(f"{w.grad.item():.2e} {w.grad.item() / scale:.2e}")

# %% [markdown]
# The right gradient is 1e-8. Without the scale nothing of it is left.

# %% [markdown]
# ## Summary
#
# | what you see | what it is | what helps |
# |---|---|---|
# | the gradient shrinks by a factor a layer | vanishing | another activation, normalisation over the batch, residual connections |
# | it grows by a factor a layer | exploding | a smaller gain, normalisation, clipping |
# | `Var(w) = 2 / (n_in + n_out)`, with a ReLU `2 / n_in` | Glorot's and He's initialisation | `torch.nn.init` |
# | one huge gradient, then NaN | a step too long | `clip_grad_norm_` between backward and step |
# | float16, and gradients of 0 | underflow | scale the loss, divide before the step |

# %% [markdown]
# ## Exercises
#
# **1.** A layer with a ReLU has 200 inputs. What is the standard deviation of its weights at the start, after He?

# %%
answer = ...
course.ch20.q1.check(answer)


# %% [markdown]
# **2.** `layers` is a list of functions, to be applied to x one after the other. Return the norms of the gradients at their outputs, the first layer's first, for the backward pass from the sum of the last output.

# %%
def norms(layers, x):
    ...


course.ch20.q2.check(norms)


# %% [markdown]
# **3.** This loop should clip the norm of the gradients at 1 before each step. Repair it.

# %%
def fit(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
    return w


course.ch20.q3.check(fit)

# %% [markdown]
# ## Next
#
# A question to take along: a residual connection lets the whole gradient pass. Then why does a network with residual connections still need a good start?
#
# You have measured gradients. In [21 Backward by hand](21_backward_by_hand.ipynb) you work them out, all 23 of a network as people train it.
#
# **Mirrors** PyTorch's tutorial "Visualizing gradients"; *Dive into Deep Learning*, "Numerical stability and initialization"; and A. Karpathy's *makemore*, part 3. The programs are our own.
