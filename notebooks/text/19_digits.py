# %% [markdown]
# # 19 Digits
#
# **You will be able to** train a network in batches, find out whether it reads or knows its examples by heart, and ask it what would change its mind.
#
# **Builds on** [16 Training](16_training.ipynb), the loop, and [17 Inside the engine](17_inside_the_engine.ipynb), where an engine of your own learns two moons.
#
# **Time** 35 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course
from autograd_nb.course import figures

# %% [markdown]
# ## Handwriting
#
# A real data set: 1,797 digits, written by hand, scanned as 32 by 32 pixels and counted in blocks of 4 by 4. It was collected by E. Alpaydin and C. Kaynak; scikit-learn ships it under the BSD licence, and so do we. `course.digits()` returns one row of 64 pixels for each image, from 0 for paper to 1 for ink, and its label.

# %%
images, labels = course.digits()
images, labels = torch.tensor(images.tolist()), torch.tensor(labels.tolist())
print(images.shape, labels.shape)
figures.digits(images[:10], labels[:10].tolist())

# %% [markdown]
# ## The question
#
# A network that gives the right answer for an image it has learned from may have read it, or may know it by heart. Images that it has *never seen* tell the two apart. So we keep 397 back. The file is not in random order, so first comes a *shuffle*: a random order, with each image and its label together.

# %%
torch.manual_seed(0)
order = torch.randperm(len(images))
seen, unseen = (images[order[:1400]], labels[order[:1400]]), (images[order[1400:]], labels[order[1400:]])


# %% [markdown]
# The network has 64 inputs, 32 hidden numbers with a tanh, and ten scores, one for each digit. The largest score wins:

# %%
def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))


def share_right(model, images, labels):
    with torch.no_grad():
        return (model(images).argmax(dim=1) == labels).float().mean().item()


# %%
course.ch19.p4

# %%
model = network()
print(f"{share_right(model, *unseen):.2f}")

# %% [markdown]
# ## Batches
#
# Until now each step used all points. But a part of the images, a *batch*, gives nearly the same gradient for a fraction of the work. So one *epoch* goes through all images once, in batches of a new random order, with a step for each.

# %%
course.ch19.p6


# %% [markdown]
# The loss is the *cross-entropy*: *softmax* turns the ten scores into probabilities, and the loss is minus the logarithm of the one given to the right digit. Adam is an optimizer that finds a step size for each parameter.

# %% tags=["long: a training in batches"]
def train(model, seen, unseen, epochs, size=100, **options):
    (images, labels), shares = seen, []
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, **options)
    for _ in range(epochs):
        for batch in torch.randperm(len(images)).split(size):
            loss = torch.nn.functional.cross_entropy(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        shares.append((share_right(model, *seen), share_right(model, *unseen)))
    return shares


# %%
print(1400 // 100, "steps an epoch")
for epoch, (known, new) in enumerate(train(model, seen, unseen, 8), 1):
    print(f"after epoch {epoch}: {known:.3f} of the seen, {new:.3f} of the unseen")

# %% [markdown]
# It reads most digits that it has never seen. Here are some that it gets wrong:

# %%
read, right = model(unseen[0]).argmax(dim=1), unseen[1]
wrong = [place for place in range(len(read)) if read[place] != right[place]][:10]
titles = [f"{right[place].item()}, read {read[place].item()}" for place in wrong]
figures.digits(unseen[0][wrong], titles)

# %% [markdown]
# ## By heart
#
# *Could* this network know by heart? Give it a task in which there is nothing to read: 200 images, with their labels dealt out anew at random.

# %%
course.ch19.p7

# %%
nonsense = seen[0][:200], seen[1][torch.randperm(1400)][:200]
shares = train(network(), nonsense, unseen, 200)
for epoch in (10, 50, 200):
    print(f"after epoch {epoch}: {shares[epoch - 1][0]:.2f} of the seen, {shares[epoch - 1][1]:.2f} of the unseen")

# %% [markdown]
# It can: it learns all 200 by heart, and reads nothing. So a seen share near 1 says nothing about reading; the unseen share does. With the true labels that was 0.960, and the seen share 0.992: it reads, and knows a little by heart besides.
#
# ## Whose hands?
#
# Does it read *every* hand? Without the shuffle, the first 1,400 images of the file train, and the last 397 test:

# %%
known, new = train(network(), (images[:1400], labels[:1400]), (images[1400:], labels[1400:]), 8)[-1]
print(f"{known:.3f} of the seen, {new:.3f} of the unseen")

# %% [markdown]
# More of the last images are misread: they differ from the first ones. (Perhaps other people wrote them; the file does not say who wrote what.) After a shuffle you ask about images *like those it has seen*; without it, about others. Say which question you mean.

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
# Orange: more ink here would raise the score for a 0. Blue: more ink would lower it, as in the middle of the ring. But that is one image. What does the score for an 8 react to in all 1,400, on average? One backward from the sum of their scores gives a gradient for each. Beside it is the average of gradient times ink, which is 0 where there never is ink:

# %%
some = seen[0].clone().requires_grad_()
model(some)[:, 8].sum().backward()
average, inked = some.grad.mean(0), (some.grad * seen[0]).mean(0)
figures.digits(torch.zeros(2, 64), ["gradient", "gradient times ink"], torch.stack([average, inked]))

# %%
ink, moved = (seen[0] > 0).sum(0), (model[0].weight - network()[0].weight).abs().mean(0)
for place in average.abs().argsort(descending=True)[:3].tolist():
    print(f"row {place // 8}, column {place % 8}: {average[place].item():.2f}, ink in {ink[place].item()} of 1400 images")
    print(f"    its weights moved by {moved[place].item():.2f} in training")

# %% [markdown]
# Among the strongest are pixels with ink in a handful of images. Those few moved their weights far: Adam divides by a gradient's usual size, so it takes long steps where a gradient is seldom. (SGD hardly moves them.) *Weight decay* pulls each weight towards 0 in every step, and those that nothing holds shrink away:

# %%
calm, some.grad = network(), None
print(f"{train(calm, seen, unseen, 8, weight_decay=0.001)[-1][1]:.3f} of the unseen")
calm(some)[:, 8].sum().backward()
for name, where in (("in fewer than 28 images", ink < 28), ("in more", ink >= 28)):
    sizes = [gradient[where].abs().mean().item() for gradient in (average, some.grad.mean(0))]
    print(f"ink {name}: {sizes[0]:.3f}, with decay {sizes[1]:.3f}")
figures.digits(torch.zeros(1, 64), ["the score for 8"], some.grad.mean(0).reshape(1, 64))

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
# To us it is still a 0, a little smudged; to the network it is an 8. Such images are called *adversarial examples*. So it reads, and not as we do.

# %% [markdown]
# ## Summary
#
# | you want to know | you take |
# |---|---|
# | whether it reads | the share right of images it has not seen |
# | whether it could know by heart | the share right of images whose labels were dealt out at random |
# | how it should change | the gradient of the loss, at the parameters |
# | what a score would react to | the gradient of one score, at the input, averaged over many images |
# | how to change what it reads | the gradient of one score minus another, at the input; walk uphill |

# %% [markdown]
# ## Exercises
#
# **1.** How many trainable numbers (parameters) has a layer with 10 inputs and 5 neurons?

# %%
answer = ...
course.ch19.q1.check(answer)


# %% [markdown]
# **2.** Return the batches of one epoch over `count` images: a list of tensors of places, in a random order, with each place once; `size` places in each but the last, which may have fewer.

# %%
def batches(count, size):
    ...


course.ch19.q2.check(batches)


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
# **To invent**, without a verdict. Draw five digits of your own as 8 by 8 numbers, and ask the network. And a puzzle: the smallest change that makes it read your 7 as a 1.

# %% [markdown]
# ## Next
#
# A question to take along: twelve small steps turn a 0 into an 8. What would you have to change in training, so that they no longer do?
#
# Replace the tanh by a relu, or draw digits of your own. And add layers: what happens to the gradients of twenty? That is [20 Gradients in a deep network](20_gradients_in_a_deep_network.ipynb).
