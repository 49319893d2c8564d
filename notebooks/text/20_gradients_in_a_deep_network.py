# %% [markdown]
# # 20 Gradients in a deep network
#
# **You will be able to** say which deep network learns, measure what its weights feel, and give it a start from which it learns.
#
# **Builds on** [12 Hooks](12_hooks.ipynb), [16 Training](16_training.ipynb), and [19 Digits](19_digits.ipynb).
#
# **Time** 35 minutes.

# %%
import math

import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.course import figures

# %% [markdown]
# ## Which of these networks learns?
#
# Twenty layers of 24 numbers are to tell a disc from a ring: 40 points, 100 steps of SGD. Four pictures show how much of a layer's weights a step changes, how far its numbers spread, how many of them lie where the activation is flat, and the loss.

# %% [markdown]
# 1. Sigmoids do not learn. Does a scale of 4 help? Go back to 1, and choose *batch norm*.
# 2. Without norm: try *tanh*, then *relu*, at scale 1, 1.41 and 4.
# 3. At scale 1 and without norm, set *Residual connections* (a layer is added to its input) to *whole*, for each activation, and then to *from 0*. Raise the learning rate to 0.3.

# %%
widgets.depth()

# %% [markdown]
# Here are all of them, after 100 steps at a rate of 0.1. The three signs of a cell stand for the scales 1, 1.41 and 4. **✓** has learned: its loss is below 0.1. **✗** is no better than a guess, whose loss is ln 2. **~** lies between, or the last digits of the weights decide. **NaN**: no number any more.
#
# | | no residual connections | whole | from 0 |
# |---|---|---|---|
# | sigmoid | ✗ ✗ ✗ | ✗ ✗ ✗ | ~ ~ ~ |
# | sigmoid, layer norm | ✗ ✗ ✗ | ✗ ✗ ✗ | ~ ~ ~ |
# | sigmoid, batch norm | ~ ~ ~ | ✗ ✗ ✗ | ~ ~ ~ |
# | tanh | ✓ ✓ ~ | ✓ ✓ ✓ | ~ ~ ~ |
# | tanh, layer norm | ~ ✓ ~ | ✓ ✓ ✓ | ~ ~ ~ |
# | tanh, batch norm | ~ ~ ✓ | ~ ✓ ✓ | ~ ~ ~ |
# | relu | ~ ✓ NaN | NaN NaN NaN | ✓ ✓ NaN |
# | relu, layer norm | ~ ~ ~ | ✓ ✓ ✓ | ✓ ✓ ~ |
# | relu, batch norm | ✓ ✓ ✓ | ✓ ✓ ✓ | ✓ ✓ ✓ |
#
# No sigmoid network has learned. Of the plain ReLUs one has, at He's scale, 1.41; ReLUs with batch norm have in all nine cells. One cure does not fit all: residual connections help tanh and ruin ReLUs without norm.

# %% [markdown]
# ## What the weights feel
#
# A step changes a weight by rate · gradient. What counts is that change beside the weight itself: **about a thousandth a step** is a good size (a rule of thumb of A. Karpathy's).

# %%
for activation, scale in (("relu", 1.41), ("sigmoid", 1.0), ("tanh", 4.0)):
    state = widgets.depth(activation=activation, scale=scale)
    first, losses = state.felt[0], state.losses
    low, high = min(first["update"][1:]), max(first["update"][1:])
    end = "below" if losses[-1] < 0.1 else "above"
    print(f"{activation}: loss {losses[0]:.2f}, at the end {end} 0.1; flat {sum(first['flat']) / 20:.2f}")
    print(f"    the first step changes layers 2 to 20 by {low:.2g} to {high:.2g}")

# %% [markdown]
# In the first step of the ReLUs at 1.41, layers 2 to 20 change by 0.00016 to 0.00098 of their size. In that of the sigmoids layer 20 changes by 0.00086 and layer 2 by 1.6e-15: it stands still. Where the activation is flat the slope is small, too: such a number is *saturated*, as over half of the tanhs at scale 4 are. (A ReLU is flat for every negative number.)

# %% [markdown]
# A network that knows nothing should give ten classes equal chances: a first loss of ln 10. Larger scores are bold guesses, and cost more:

# %%
torch.manual_seed(0)
scores, classes = torch.randn(1000, 10), torch.randint(10, (1000,))
for scale in (0.1, 1.0, 10.0):
    print(f"{scale}: {torch.nn.functional.cross_entropy(scale * scores, classes).item():.2f}, ln 10 is {math.log(10):.2f}")


# %% [markdown]
# ## Why: a factor a layer
#
# A hook at each layer's output writes down the norm of the gradient that passes. In place of a loss, numbers of norm 1 arrive at the end.

# %% tags=["long: the network of this chapter"]
def gradients(layer, depth=20):
    torch.manual_seed(0)
    x, sizes = torch.randn(64, 64), []
    for _ in range(depth):
        w = (torch.randn(64, 64) / 8).requires_grad_()
        x = layer(x, w)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.backward(torch.randn(64, 64) / 64)
    return sizes[::-1]


# %% [markdown]
# backward meets the last layer first, so `sizes[::-1]` turns the list around. The slope of a sigmoid is p(1 - p), which is largest at p = 0.5.

# %%
course.ch20.p1

# %%
sigmoid = gradients(lambda x, w: torch.sigmoid(x @ w))
print(f"{0.25**20:.1e}, {-math.log10(0.25**20):.1f} places behind the point")
print(f"{sigmoid[0]:.1e} at layer 1: a factor of {(sigmoid[0] / sigmoid[19]) ** (1 / 19):.2f} a layer")
figures.layers({"sigmoid": sigmoid})

# %% [markdown]
# A gradient is a product, with one factor a layer. Here each is a little below 0.25: a [vanishing gradient](91_glossary.ipynb#vanishing-gradient). Factors above 1 give an [exploding](91_glossary.ipynb#exploding-gradient) one.

# %% [markdown]
# And the matrices between? One output is a sum over n inputs, $y = \sum_j w_j x_j$. If weights and inputs are independent, and the mean of the weights is 0, then
#
# $$\mathrm{Var}(y) = n \, \mathrm{Var}(w) \, \mathrm{E}(x^2) = \mathrm{E}(x^2) \quad \text{if} \quad \mathrm{Var}(w) = \frac{1}{n}$$
#
# $$\text{after a ReLU } \mathrm{E}(x^2) = \tfrac{1}{2} \mathrm{Var}(y), \quad \text{so} \quad \mathrm{Var}(w) = \frac{2}{n}$$

# %% [markdown]
# 1/n is Yann LeCun's [initialisation](91_glossary.ipynb#initialisation), 2/n is Kaiming He's. On the way back the same sum runs over a layer's outputs; Xavier Glorot's 2 / (n_in + n_out) lies between the two ways. With 64 inputs and 64 outputs, as here, 1/n is Glorot's, too.

# %%
course.ch20.p2

# %%
relu = {f"gain {gain:.2f}": gradients(lambda x, w: torch.relu(gain * (x @ w))) for gain in (1.0, 2**0.5, 2.0)}
for name, sizes in relu.items():
    print(f"{name}: {sizes[0]:.1e}, a factor of {(sizes[0] / sizes[19]) ** (1 / 19):.2f} a layer")
figures.layers(relu)

# %% [markdown]
# With a gain of 1 a ReLU loses half of the squares at each layer, a factor of about 0.7; He's root of 2 makes up for it. That is why 1.41 was the scale at which plain ReLUs learned. `torch.nn.init.kaiming_normal_(weight, nonlinearity="relu")` draws such weights.
#
# ## A way around
#
# A *residual connection* adds a layer's result to its input: `x + branch(x)`.

# %%
course.ch20.p3

# %%
for name, f in (("sigmoid", torch.sigmoid), ("tanh", torch.tanh), ("relu", torch.relu)):
    for size in (1.0, 20**-0.5, 0.0):
        sizes = gradients(lambda x, w: x + size * f(x @ w))
        print(f"{name}, {size:.2f} of it: a factor of {(sizes[0] / sizes[19]) ** (1 / 19):.3f} a layer, {sizes[0]:.3g} at layer 1")

# %% [markdown]
# The `+` passes the gradient on as it is, and the branch adds its part: little through a sigmoid, a third more a layer through a whole ReLU. In the widget no gradient of such sigmoids vanishes, but their sums are all positive and grow: the first loss is far above ln 2, and 100 steps only fight that.

# %% [markdown]
# The cure is a small branch. *From 0* multiplies each by a number that is learned and begins at 0, so the network begins as one layer. (The first step moves only that number: the weights of the branch feel 0.) In that column nothing is worse than a guess but ReLUs at scale 4. It begins slowly, and takes a larger rate: at 0.3 tanh learns at all three scales, without any norm.

# %%
for scale in (1.0, 1.41, 4.0):
    print(f"{widgets.depth(activation='tanh', residual='zero', scale=scale, rate=0.3).losses[-1]:.2f}")

# %% [markdown]
# ## Normalisation
#
# [Normalisation](91_glossary.ipynb#normalisation) brings the scores before an activation to mean 0 and variance 1: *layer norm* for each sample, *batch norm* for each column of the batch.

# %%
course.ch20.p4

# %%
for norm in (torch.nn.LayerNorm(64), torch.nn.BatchNorm1d(64)):
    sizes = [gradients(lambda x, w: torch.tanh(norm(x @ (gain * w))))[0] for gain in (0.5, 2.0)]
    print(type(norm).__name__, [f"{size:.1f}" for size in sizes])
    for name, f in (("sigmoid", torch.sigmoid), ("relu", torch.relu)):
        sizes = gradients(lambda x, w: f(norm(x @ w)))
        print(f"    {name}: a factor of {(sizes[0] / sizes[19]) ** (1 / 19):.2f} a layer")

# %% [markdown]
# It takes the scale of the weights out of the gradient at a layer's output. (At weights four times as large the gradient is four times smaller.) It leaves the slope of the activation: with layer norm the gradient of sigmoids still vanishes. With batch norm the gradient of ReLUs grows by a fifth a layer, and yet they learn: what comes out of a norm does not grow with the weights. No network with a norm ended in NaN.

# %% [markdown]
# ## On a network of your own
#
# There, ask `why` about a gradient. Here are 18 sigmoids; it works on real PyTorch, too ([18](18_your_own_pytorch_code.ipynb)).

# %%
torch.manual_seed(0)
model = torch.nn.Sequential(*[each for _ in range(18) for each in (torch.nn.Linear(64, 64), torch.nn.Sigmoid())])
for place in range(0, 36, 2):
    torch.nn.init.xavier_normal_(model[place].weight)
with torch.record() as trace:
    model(torch.randn(64, 64)).mean().backward()
torch.why(model[0].weight, trace)

# %% [markdown]
# ## Equal weights stay equal
#
# Why random numbers at all?

# %% tags=["long: a training without random weights"]
torch.manual_seed(0)
same, x = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)), torch.randn(8, 2)
for parameter in same.parameters():
    torch.nn.init.constant_(parameter, 0.5)
for _ in range(50):
    same.zero_grad()
    ((same(x)[:, 0] - x[:, 0] * x[:, 1]) ** 2).mean().backward()
    with torch.no_grad():
        for parameter in same.parameters():
            parameter -= 0.1 * parameter.grad
print(same[0].weight)


# %% [markdown]
# Three neurons with the same weights in and out get the same gradients: they stay one neuron, three times.

# %% [markdown]
# ## A cliff
#
# A recurrent network uses the same weights at every step in time, so its factors are alike. Let thirty steps with one weight w make 0.5: the loss is (w³⁰ - 0.5)². We start at w = 1.2.

# %%
def loss(w):
    return (w**30 - 0.5) ** 2


figures.tangent(loss, 1.2, steps=(-0.01,), around=(0.25, 0.02), name="loss")


# %% [markdown]
# The slope there is 2,811,441, and a step of SGD with a rate of 0.01 leads to w = -28,113. `clip_grad_norm_(parameters, 1.0)` looks at the norm of all gradients together. If it is above 1.0, it shortens all of them by the same factor: the step leads the same way and is 0.01 long, the orange dot.

# %% tags=["long: the loop with and without clipping"]
def learn(clip):
    w = torch.nn.Parameter(torch.tensor(1.2))
    optimizer, losses = torch.optim.SGD([w], lr=0.01), []
    for _ in range(100):
        now = loss(w)
        optimizer.zero_grad()
        now.backward()
        if clip == "before the step":
            torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
        if clip == "after the step":
            torch.nn.utils.clip_grad_norm_([w], 1.0)
        losses.append(now.item())
    return losses


# %%
course.ch20.p5

# %%
runs = {clip: learn(clip) for clip in ("never", "after the step", "before the step")}
for clip, losses in runs.items():
    print(f"{clip}: {losses[0]:.0f}, {losses[1]:.4g}, {losses[2]:.4g} … {losses[99]:.4f}")
figures.loss(runs)

# %% [markdown]
# Without [clipping](91_glossary.ipynb#clipping) the second loss and the third are infinite, and the fourth is NaN: the curves end at their crosses. Clipping after the step changes gradients that zero_grad clears next.

# %% [markdown]
# ## Two more sizes
#
# Adam divides each gradient by its usual size plus 1e-8, so its first step is about as long as the rate for any gradient well above that. And float16 has no number between 0 and 6e-8: *loss scaling* multiplies the loss, and divides the gradient before the step.

# %%
for size in (1e-6, 1.0, 1e6):
    w = torch.nn.Parameter(torch.zeros(()))
    w.grad = torch.tensor(size)
    torch.optim.Adam([w], lr=0.001).step()
    print(f"{size:g}: {w.item():.3g}")

# %%
small = torch.tensor(1e-4, dtype=torch.float16)
for scale in (1, 1024):
    w = torch.tensor(3.0, dtype=torch.float16, requires_grad=True)
    (w * small * (small * scale)).backward()
    print(f"{w.grad.item():.2e} {w.grad.item() / scale:.2e}")

# %% [markdown]
# ## Summary
#
# | what you see | what it is | what can help |
# |---|---|---|
# | layers that change by far less than a thousandth of their size | a gradient that vanishes | another activation, He's or Glorot's weights, residual connections with small branches, batch norm |
# | a first loss far above ln(classes) | scores that begin too large | a smaller scale, small branches |
# | outputs at the ends of a sigmoid or tanh | saturation | a smaller scale, normalisation |
# | one huge gradient, then NaN | a step too long | `clip_grad_norm_` between backward and step, a smaller rate |

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
# **To invent**, without a verdict. Find the deepest network that still learns in 100 steps, with any means of this chapter. And a puzzle: give a friend the sizes of all gradients; is it the weights or the activation?

# %% [markdown]
# ## Next
#
# A question to take along: a residual connection lets the whole gradient pass. Then why does a network with residual connections still need a good start?
#
# You have measured gradients. In [21 Backward by hand](21_backward_by_hand.ipynb) you work them out, all 23 of a network as people train it.
