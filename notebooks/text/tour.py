# %% [markdown] slideshow={"slide_type": "slide"}
# # Tour: from a nudge to a network that learns
#
# **Time** 20 minutes · for a lecture, or a first evening
#
# Eight cells and four widgets. Run them one after the other; each takes up what the one before it showed.

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 1 minute:* Say what is coming: training a network means moving each weight a little. Which way, and by how much, is what a gradient says, and PyTorch's autograd finds it. Nothing here needs PyTorch: the engine prints what PyTorch prints.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A computation
#
# `x` is the number that we may change, `z` is what comes of it.

# %% slideshow={"slide_type": "-"}
import autograd_nb as torch
from autograd_nb import widgets

x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 2 minutes:* Point at `grad_fn`. The result remembers which function made it; that memory is all that autograd needs. Ask: if `x` grows a little, does `z` grow as much, more, or less?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A nudge
#
# Move `dx`. Forward, the nudge travels from `x` to `z`. Backward, the question is turned around: what does a nudge of each number mean for `z`?

# %% slideshow={"slide_type": "-"}
widgets.nudge(5.0)

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 3 minutes:* Drag `dx` and read the three numbers aloud. Halve `dx`: each number is halved, nearly, and so the ratios hardly change. How many times as far as `x` does `z` move? Let the room multiply the two ratios. Then choose "backward": that product is the gradient at `x`.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What was recorded
#
# While `z` was computed, each operation left a node behind.

# %% slideshow={"slide_type": "-"}
torch.draw(z)

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 2 minutes:* Read it from right to left: that is the way a gradient will go. A node knows the slope of one operation only, and it has kept the values that this slope needs.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Backward, step by step
#
# Each node multiplies what arrives by its own slope. What reaches `x` is the gradient.

# %% slideshow={"slide_type": "-"}
torch.step(z.backward)

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 4 minutes:* Step, and let the room say each number before it appears. Stop at the last step: where does the number go? It is added into `x.grad`, which was empty. It is the ratio that the nudges showed.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A second time
#
# Compute once more, go backward once more. What is `x.grad` now?

# %% slideshow={"slide_type": "-"}
torch.log(x**3).backward()
x.grad

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 2 minutes:* Let them vote before you run: the same, or twice as much? Gradients add up, because a number that is used twice has a share in both. A training loop clears them before each backward.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Downhill
#
# A loss is a height. The gradient points uphill, so a step goes against it.

# %% slideshow={"slide_type": "-"}
widgets.landscape(lr=0.1, steps=10)

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 2 minutes:* Press "Back to the start", then "One step" a few times: the arrows stand at right angles to the lines. Make `lr` larger until the ball swings. Then make it smaller again and tick "forget zero_grad": each step follows the sum of all gradients so far.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A loop that learns
#
# Clear, compute, go backward, step: all of training is in these lines. `w` should find 3.

# %% slideshow={"slide_type": "-"}
w = torch.tensor(0.0, requires_grad=True)
for _ in range(30):
    w.grad = None
    ((w - 3) ** 2).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
w

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 1 minute:* Read the loop aloud, a verb for each line. Without `no_grad()` the update itself would fail: `w` is a leaf, and it is being recorded.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A network
#
# The same four verbs, with more weights: a network separates two moons.

# %% slideshow={"slide_type": "-"}
widgets.training("moons", lr=0.5)

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 2 minutes:* Press "Train" and watch the boundary bend while the loss falls. Choose Adam, press "New start", and train again: the step is another one, the gradients come from the same backward.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## From here
#
# - [00 Welcome](00_welcome.ipynb) begins the course
# - [04 Accumulation](04_accumulation.ipynb) asks why gradients add up
# - [16 Training](16_training.ipynb) builds the network
# - [18 Your own PyTorch code](18_your_own_pytorch_code.ipynb) looks into yours

# %% [markdown] slideshow={"slide_type": "notes"}
# *For the speaker, 1 minute:* Say where the notebook is, and take questions.
