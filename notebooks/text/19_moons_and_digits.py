# %% [markdown]
# # 19 Moons and digits
#
# **You will be able to** train the network of chapter 17 on the real engine, teach a network to read handwriting, and ask it what would change its mind.
#
# **Builds on** [16 Training](16_training.ipynb), the loop, and [17 Inside the engine](17_inside_the_engine.ipynb), where an engine of your own learns two moons.
#
# **Time** 40 minutes.

# %%
import math
import random

import autograd_nb as torch
from autograd_nb import course
from autograd_nb.drawing import figures

# %% [markdown]
# ## The network, once more
#
# In chapter 17 an engine of your own learned to separate two moons. Here are the points again, then the network, this time on the `Value` from the beginning of that chapter, whose gradients are plain numbers: it is quicker.

# %%
torch.manual_seed(0)
angle = torch.linspace(0, math.pi, 10)
upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
lower = torch.stack([1 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
points = torch.cat([upper, lower]) + 0.1 * torch.randn(20, 2)
labels = torch.tensor([0.0] * 10 + [1.0] * 10)

# %%
course.ch19.p1

# %%
Value, backward, tanh = course.ch17.Value, course.ch17.backward, course.ch19.tanh
x = Value(0.0)
backward(tanh(x))
print(x.grad)

# %%
course.ch19.p2

# %%
random.seed(1)
hidden = [[Value(random.uniform(-1, 1)), Value(random.uniform(-1, 1)), Value(0.0)] for _ in range(8)]
last = [Value(random.uniform(-1, 1)) for _ in range(8)] + [Value(0.0)]
parameters = [each for neuron in [*hidden, last] for each in neuron]
print(len(parameters))


# %% [markdown]
# The last number in each list is the bias. A neuron is its weights times its inputs, and the bias:

# %% tags=["long: the network with its loss and a step"]
def neuron(numbers, inputs):
    total = numbers[-1]
    for weight, value in zip(numbers, inputs):
        total = total + weight * value
    return total


def update(rate):
    loss = Value(0.0)
    for point, label in zip(points.tolist(), labels.tolist()):
        at = [Value(each) for each in point]
        distance = neuron(last, [tanh(neuron(each, at)) for each in hidden]) + Value(1 - 2 * label)
        loss = loss + distance * distance * Value(1 / 20)
    for parameter in parameters:
        parameter.grad = 0.0
    backward(loss)
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
    return loss.data


# %%
start = [parameter.data for parameter in parameters]
losses = [update(0.1) for _ in range(200)]
figures.loss(losses)


# %% [markdown]
# ## The same network on the real engine
#
# Now all twenty points go through at once, as arrays. `train` takes the library to use as an argument: you will see why. The weights start where those of our neurons started.

# %% tags=["long: the whole network and its training"]
def train(torch):
    w_1 = torch.tensor([start[3 * i : 3 * i + 2] for i in range(8)], dtype=torch.float64, requires_grad=True)
    b_1 = torch.zeros(8, dtype=torch.float64, requires_grad=True)
    w_2 = torch.tensor(start[24:32], dtype=torch.float64, requires_grad=True)
    b_2 = torch.zeros((), dtype=torch.float64, requires_grad=True)
    x = torch.tensor(points.tolist(), dtype=torch.float64)
    y = torch.tensor([2 * label - 1 for label in labels.tolist()], dtype=torch.float64)
    optimizer, losses = torch.optim.SGD([w_1, b_1, w_2, b_2], lr=0.1), []
    for _ in range(200):
        loss = ((torch.tanh(x @ w_1.t() + b_1) @ w_2 + b_2 - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
course.ch19.p3

# %%
ours = train(torch)
for step in (0, 50, 199):
    print(f"{losses[step]:.6f} {ours[step]:.6f}")

# %% [markdown]
# After two hundred steps the two still agree to six digits. And if you have PyTorch, it takes the same steps too. (If not, the cell uses our engine again.)

# %%
try:
    import torch as pytorch
except ImportError:
    pytorch = torch
theirs = train(pytorch)
print(f"{theirs[199]:.6f}")

# %% [markdown]
# ## Handwriting
#
# Now a real data set: 1,797 digits, written by hand, scanned as 32 by 32 pixels and counted in blocks of 4 by 4. It was collected by E. Alpaydin and C. Kaynak; scikit-learn ships it under the BSD licence, and so do we. `course.digits()` returns one row of 64 pixels for each image, from 0 for paper to 1 for ink, and its label.

# %%
images, labels = course.digits()
print(images.shape, labels.shape)
figures.digits(images[:10], labels[:10].tolist())

# %% [markdown]
# The network learns from the first 1,400 images. We keep the rest to find out whether it can read digits that it has never seen. It has 64 inputs, 32 hidden numbers with a tanh, and ten scores, one for each digit. The largest score wins:

# %%
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
seen, unseen = images[:1400], images[1400:]
seen_labels, unseen_labels = labels[:1400], labels[1400:]


def share_right(images, labels):
    with torch.no_grad():
        return (model(images).argmax(dim=1) == labels).float().mean().item()


# %%
course.ch19.p4

# %%
print(f"{share_right(unseen, unseen_labels):.2f}")

# %% [markdown]
# With ten classes the loss is the *cross-entropy*. *softmax* turns the ten scores into ten probabilities that add up to 1, and the loss is minus the logarithm of the one given to the right digit: what chapter 16 did, for ten answers in place of two. Adam is an optimizer that finds a step size for each parameter.

# %%
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
losses = []
for _ in range(100):
    loss = torch.nn.functional.cross_entropy(model(seen), seen_labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

# %%
print(f"{share_right(seen, seen_labels):.2f} {share_right(unseen, unseen_labels):.2f}")
figures.loss(losses)

# %% [markdown]
# It reads all the digits it has learned from, and nine in ten of the others. Does it know its examples by heart, in place of reading? Here are ten that it gets wrong:

# %%
read = model(unseen).argmax(dim=1)
wrong = [place for place in range(len(read)) if read[place] != unseen_labels[place]][:10]
titles = [f"{unseen_labels[place].item()}, read {read[place].item()}" for place in wrong]
figures.digits(unseen[wrong], titles)


# %% [markdown]
# The last 397 images may simply be other hands than the first 1,400. So *shuffle* the images first, train the same network again, and test it on the last 397 of these:

# %% tags=["long: the same network and training with shuffled images"]
def trained_on(images, labels):
    torch.manual_seed(1)
    again = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
    optimizer = torch.optim.Adam(again.parameters(), lr=0.02)
    for _ in range(100):
        loss = torch.nn.functional.cross_entropy(again(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return again


# %%
for seed in range(3):
    torch.manual_seed(seed)
    order = torch.randperm(len(images))
    again = trained_on(images[order[:1400]], labels[order[:1400]])
    right = again(images[order[1400:]]).argmax(dim=1) == labels[order[1400:]]
    print(f"{right.float().mean().item():.2f}")

# %% [markdown]
# So most of the gap is not learning by heart: images near each other in the file are alike, and the last ones differ. Shuffle before you split, or you test something else than you mean.

# %% [markdown]
# ## What would change its mind?
#
# So far we took gradients at the weights: how should *they* change? But the image is an input like any other. The gradient of a score at the image says how the score would react if each pixel changed a little.

# %%
course.ch19.p5

# %%
image = images[0].clone().requires_grad_()
model(image)[0].backward()
print(tuple(image.grad.shape))
figures.digits(images[:1], ["the score for 0"], image.grad.reshape(1, 64))

# %% [markdown]
# Orange: more ink here would raise the score for a 0. Blue: more ink would lower it, for example in the middle of the ring. Pixels at the edge, where ink is rare, react as well: training had nothing to correct there.
#
# Below is the same for ten digits: `ten_scores[range(10), range(10)]` picks score 0 from the first image, score 1 from the second, and so on. One backward from their sum is enough.

# %%
ten = images[:10].clone().requires_grad_()
ten_scores = model(ten)
ten_scores[range(10), range(10)].sum().backward()
figures.digits(images[:10], list(range(10)), ten.grad)

# %% [markdown]
# ## Walking uphill
#
# If a gradient at the weights can improve the network, a gradient at the image can change what it reads. Take the 0, and walk *uphill* in small steps, on the score for an 8 minus the score for a 0:

# %%
image = images[0].clone().requires_grad_()
for _ in range(12):
    (gradient,) = torch.autograd.grad(model(image)[8] - model(image)[0], image)
    with torch.no_grad():
        image += 0.02 * gradient.sign()
        image.clamp_(0, 1)
print(model(images[0]).argmax().item(), model(image).argmax().item())
figures.digits(torch.stack([images[0], image.detach()]), ["before", "after"])

# %% [markdown]
# To us it is still a 0, a little smudged in the middle; to the network it is an 8. Such images are called *adversarial examples*. They show how differently a network reads, and it takes nothing but backward to find them.

# %% [markdown]
# ## Summary
#
# | you want to know | you take the gradient |
# |---|---|
# | how the network should change | of the loss, at the parameters |
# | what a score would react to | of one score, at the input |
# | how to change what it reads | of one score minus another, at the input, and walk uphill |
# | whether your engine is right | in both engines, from the same start |

# %% [markdown]
# ## Exercises
#
# `course.ch17.Value` is the number of the small engine.
#
# **1.** How many trainable numbers (parameters) has a layer with 10 inputs and 5 neurons?

# %%
answer = ...
course.ch19.q1.check(answer)


# %% [markdown]
# **2.** Write relu for the small engine: it takes a Value and returns one, which is x itself for a positive x and 0 otherwise, with the right slope.

# %%
def relu(x):
    ...


course.ch19.q2.check(relu)


# %% [markdown]
# **3.** `scores` has one row for each image and one column for each class; `labels` holds the right classes. Return the share of the images whose largest score is in the right place, as a number.

# %%
def accuracy(scores, labels):
    ...


course.ch19.q3.check(accuracy)


# %% [markdown]
# **4.** `model` turns one image, a row of pixels, into scores. Return the index of the pixel on which the score of `digit` depends most, in one direction or the other.

# %%
def most_important(model, image, digit):
    ...


course.ch19.q4.check(most_important)

# %% [markdown]
# ## Next
#
# A question to take along: twelve small steps turn a 0 into an 8. What would you have to change in training, so that they no longer do?
#
# Replace the tanh by a relu, or draw digits of your own. And add layers: what happens to the gradients of twenty? That is [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb).
