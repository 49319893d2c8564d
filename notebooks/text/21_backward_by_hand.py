# %% [markdown]
# # 21 Backward by hand
#
# **You will be able to** work out every gradient of a network, and train it with a backward pass of your own.
#
# **Builds on** [16 Training](16_training.ipynb), two layers by hand, and [06 Several inputs](06_several_inputs.ipynb).
#
# **Time** 35 minutes, and an hour more for the gradients that you work out yourself.

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## The network
#
# It reads names of Greek letters, and guesses from three signs which one comes next. A dot stands for the end, and for what is before the beginning. Each row below has three signs and the next one, as numbers.

# %%
names = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda sigma omega"
rows = []
for name in names.split():
    signs = [".abcdefghijklmnopqrstuvwxyz".index(sign) for sign in f"...{name}."]
    rows += [signs[at : at + 4] for at in range(len(signs) - 3)]
rows = torch.tensor(rows)
print(rows.shape, rows[:2].tolist())
n, x, y = 32, rows[:32, :3], rows[:32, 3]

# %% [markdown]
# `C` is an [embedding](91_glossary.ipynb#embedding), a table with four numbers for each sign. They are parameters too, and learned. `gain` and `bias` belong to the normalisation.

# %%
torch.manual_seed(0)
C, W1 = torch.randn(27, 4), torch.randn(12, 16) / 12**0.5
gain, bias = 1 + 0.1 * torch.randn(1, 16), 0.1 * torch.randn(1, 16)
W2, b2 = torch.randn(16, 27) / 4, torch.zeros(27)
parameters = [C, W1, gain, bias, W2, b2]
for parameter in parameters:
    parameter.requires_grad_()
print(sum(parameter.numel() for parameter in parameters))

# %% [markdown]
# Forward in small steps, each with a name, so that each has a gradient of its own. First the embedding, a layer, and batch norm, taken apart:

# %%
emb = C[x]
flat = emb.view(n, 12)
prebn = flat @ W1
mean = prebn.mean(0, keepdim=True)
centred = prebn - mean
squared = centred**2
var = squared.mean(0, keepdim=True)
inv_std = (var + 1e-5) ** -0.5

# %%
normed = centred * inv_std
preact = gain * normed + bias
h = torch.tanh(preact)
logits = h @ W2 + b2

# %% [markdown]
# Then the cross-entropy, taken apart as well: exponentials, their sum in each row, the probabilities, their logarithms, and the mean over the right signs.

# %%
counts = logits.exp()
total = counts.sum(1, keepdim=True)
inv_total = total**-1
probs = counts * inv_total
logprobs = probs.log()
loss = -logprobs[range(n), y].mean()
print(f"{loss.item():.4f} {torch.nn.functional.cross_entropy(logits, y).item():.4f}")

# %% [markdown]
# Now autograd works out all gradients, and keeps those in the middle, too. You will compare with them. `retain_graph=True` keeps the graph, so that `compare` can ask it about single paths.

# %%
middle = [emb, flat, prebn, mean, centred, squared, var, inv_std, normed, preact, h, logits]
middle += [counts, total, inv_total, probs, logprobs]
for tensor in middle:
    tensor.retain_grad()
loss.backward(retain_graph=True)
print(len(middle) + len(parameters))

# %% [markdown]
# ## From the loss to the logits
#
# 23 gradients. We take the first ones together. A gradient is called after its tensor, with a d before it. The loss is minus the mean of n numbers, one picked from each row; all others have no say. And the slope of log(p) is 1/p:

# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), y] = -1 / n
dprobs = dlogprobs / probs
course.compare(dlogprobs=dlogprobs, dprobs=dprobs)

# %% [markdown]
# probs = counts · inv_total, where counts has shape (32, 27) and inv_total (32, 1): each row is multiplied by its own number.

# %%
course.ch21.p1

# %% [markdown]
# The slope at a factor is the other factor. Here it is without any further thought:

# %%
course.compare(dinv_total=dprobs * counts)

# %% [markdown]
# What broadcasting copied comes back as a sum ([06](06_several_inputs.ipynb)). And the slope of 1/t is -1/t²:

# %%
dinv_total = (dprobs * counts).sum(1, keepdim=True)
dtotal = -dinv_total * total**-2
course.compare(dinv_total=dinv_total, dtotal=dtotal)

# %%
course.ch21.p2

# %%
dcounts = dprobs * inv_total
course.compare(dcounts=dcounts)

# %% [markdown]
# counts is used twice, in probs and in total. A sum hands its gradient to each of its terms, so dtotal goes to all 27 counts of its row. And exp is its own slope:

# %%
dcounts = dprobs * inv_total + dtotal
dlogits = dcounts * counts
course.compare(dcounts=dcounts, dlogits=dlogits)

# %% [markdown]
# ## Your turn
#
# Replace the dots and run the cell. Fill in as many as you like: `...` is left out. `course.ch21.hint("dh")` gives a hint for a line, `course.ch21.solution("dh")` the line.

# %%
dh = ...
dW2 = ...
db2 = ...
dpreact = ...
course.compare(dh=dh, dW2=dW2, db2=db2, dpreact=dpreact)

# %% [markdown]
# Now batch norm, and its two traps: centred is used twice, and so is prebn, since its mean is made of it.

# %%
dgain = ...
dbias = ...
dnormed = ...
dinv_std = ...
course.compare(dgain=dgain, dbias=dbias, dnormed=dnormed, dinv_std=dinv_std)

# %%
dvar = ...
dsquared = ...
dcentred = ...
dmean = ...
dprebn = ...
course.compare(dvar=dvar, dsquared=dsquared, dcentred=dcentred, dmean=dmean, dprebn=dprebn)

# %% [markdown]
# And down to the table. A sign that occurs three times in the batch has read its row three times; what comes back adds up.

# %%
dflat = ...
dW1 = ...
demb = ...
dC = ...
course.compare(dflat=dflat, dW1=dW1, demb=demb, dC=dC)

# %% [markdown]
# ## Six steps in one formula
#
# You need not walk through exp, sum and log each time. Put the slopes of the six steps together, and nearly all of it cancels. For one row with the right sign y:
#
# $$\frac{\partial}{\partial z_j}\left(-\ln \frac{e^{z_y}}{\sum_k e^{z_k}}\right) = p_j - [\,j = y\,]$$
#
# The probability, minus 1 at the right place; and 1/n for the mean.

# %%
short = probs.detach().clone()
short[range(n), y] -= 1
course.compare(dlogits=short / n)

# %%
course.ch21.p3

# %%
print(f"{abs(dlogits.sum(1)).max().item():.6f}")
print([f"{each:.3f}" for each in dlogits[0, :6].tolist()], y[0].item())


# %% [markdown]
# Each row adds up to 0. The gradient pulls the right sign up, with as much force as it pushes all the others down, and each of these in proportion to its probability.
#
# ## Batch norm in one formula
#
# Write g for what arrives at normed, and x̂ for normed itself. Every number of a column of prebn reaches the result in three ways: directly, through the mean, and through the variance. The three together:
#
# $$\frac{\text{inv\_std}}{n} \left( n\,g - \sum g - \hat{x} \sum g\,\hat{x} \right)$$

# %% [markdown]
# Two sums are taken away: what all of g has in common, and what it has in common with x̂. A shift of a whole column changes nothing in the result, nor, but for the 1e-5, does stretching it; so no gradient may ask for either. Exercise 2 asks for it.
#
# ## Train with your own backward
#
# Forward, and then the formulas in the reverse order. `batch_norm_backward` is the solution of exercise 2; put your own there when you have it.

# %% tags=["long: a whole backward pass"]
def by_hand(C, W1, gain, bias, W2, b2, batch_norm_backward=course.ch21.batch_norm_backward):
    flat = C[x].view(n, 12)
    prebn = flat @ W1
    inv_std = (prebn.var(0, keepdim=True, correction=0) + 1e-5) ** -0.5
    normed = (prebn - prebn.mean(0, keepdim=True)) * inv_std
    h = torch.tanh(gain * normed + bias)
    probs = torch.softmax(h @ W2 + b2, dim=1)
    dlogits = probs.clone()
    dlogits[range(n), y] -= 1
    dlogits /= n
    dpreact = dlogits @ W2.t() * (1 - h**2)
    dprebn = batch_norm_backward(dpreact * gain, normed, inv_std)
    dC = torch.zeros_like(C).index_add_(0, x.flatten(), (dprebn @ W1.t()).view(-1, 4))
    return -probs[range(n), y].log().mean(), [
        dC, flat.t() @ dprebn, (dpreact * normed).sum(0, keepdim=True), dpreact.sum(0, keepdim=True),
        h.t() @ dlogits, dlogits.sum(0)]  # fmt: skip


# %%
mine = [parameter.detach().clone() for parameter in parameters]
for _ in range(100):
    by_my_hand, slopes = by_hand(*mine)
    for parameter, slope in zip(mine, slopes):
        parameter -= 0.5 * slope
print(f"{by_my_hand.item():.4f}")


# %% [markdown]
# No graph, no backward(): nothing in `mine` requires grad. And autograd, from the same start:

# %% tags=["long: the network once more and its training by autograd"]
def loss_of(C, W1, gain, bias, W2, b2):
    normed = torch.nn.functional.batch_norm(C[x].view(n, 12) @ W1, None, None, training=True)
    return torch.nn.functional.cross_entropy(torch.tanh(gain * normed + bias) @ W2 + b2, y)


theirs = [parameter.detach().clone().requires_grad_() for parameter in parameters]
optimizer = torch.optim.SGD(theirs, lr=0.5)
for _ in range(100):
    by_autograd = loss_of(*theirs)
    optimizer.zero_grad()
    by_autograd.backward()
    optimizer.step()
print(f"{by_autograd.item():.4f}")


# %% [markdown]
# The same loss after a hundred steps. You have been the backward.

# %% [markdown]
# ## Summary
#
# | forward | backward |
# |---|---|
# | `y = x @ w` | `dx = dy @ w.t()`, `dw = x.t() @ dy` |
# | a tensor that was broadcast | the sum over the dimensions that were added or stretched |
# | a sum, a mean | to each term the same, for a mean over n |
# | a tensor that is used twice | the sum of both gradients |
# | cross-entropy of logits, mean over n | (softmax minus 1 at the right place) / n |
# | batch norm | inv_std / n · (n g - Σg - x̂ Σ g x̂) |
# | a row of a table | added to the gradient of that row |
# | such a formula in a Function, inside a whole step | autograd_nb's `check(step, of=w)` compares it with nudges |

# %% [markdown]
# ## Exercises
#
# **1.** Write the gradient of `cross_entropy(logits, targets)`, the mean over the rows, at the logits. Do not use autograd.

# %%
def slope_at_logits(logits, targets):
    ...


course.ch21.q1.check(slope_at_logits)


# %% [markdown]
# **2.** Write the backward of a batch norm: g arrives at normed; `inv_std` has shape (1, columns). Return the gradient at the scores that were normalised. Do not use autograd.

# %%
def batch_norm_backward(g, normed, inv_std):
    ...


course.ch21.q2.check(batch_norm_backward)

# %% [markdown]
# **To invent**, without a verdict. Exchange batch norm for another layer that you know, and work out its gradient; `compare` judges. And a puzzle: leave one factor out of `by_hand`; a friend finds it.

# %% [markdown]
# ## Next
#
# A question to take along: backward mode keeps everything that was computed on the way. What could you throw away, and compute once more when backward needs it?
#
# You have come all the way. Now take a program of your own to the [playground](90_playground.ipynb), or to [18](18_your_own_pytorch_code.ipynb).
