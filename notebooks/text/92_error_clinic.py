# %% [markdown]
# # 92 Error clinic
#
# What autograd says when something is wrong, and what it fails to say. For each complaint you find a small program that causes it, the cause, the cure, and the chapter that explains it. The words are PyTorch's own. For a tensor in your own program, `torch.why(x)` says which of these it is, `torch.why()` for the last error, and `torch.why(x, trace)` after a recording knows the line, as [18 Your own PyTorch code](18_your_own_pytorch_code.ipynb) shows.

# %% [markdown]
# | the message, or the symptom | see |
# |---|---|
# | Trying to backward through the graph a second time | [Backward a second time](#Backward-a-second-time) |
# | element 0 of tensors does not require grad | [Nothing to go back through](#Nothing-to-go-back-through) |
# | grad can be implicitly created only for scalar outputs | [Not a scalar](#Not-a-scalar) |
# | Mismatch in shape: grad_output[0] | [A gradient of another shape](#A-gradient-of-another-shape) |
# | The .grad attribute of a Tensor that is not a leaf | [No gradient on a non-leaf](#No-gradient-on-a-non-leaf) |
# | can't retain_grad on Tensor that has requires_grad=False | [Nothing to retain or to hook](#Nothing-to-retain-or-to-hook) |
# | cannot register a hook on a tensor that doesn't require gradient | [Nothing to retain or to hook](#Nothing-to-retain-or-to-hook) |
# | Only Tensors of floating point and complex dtype | [A whole number](#A-whole-number) |
# | you can only change requires_grad flags of leaf variables | [The flag of a result](#The-flag-of-a-result) |
# | Only Tensors created explicitly by the user | [A copy of a result](#A-copy-of-a-result) |
# | a leaf Variable that requires grad is being used in an in-place operation | [A leaf in place](#A-leaf-in-place) |
# | a view of a leaf Variable that requires grad is being used in an in-place operation | [A part of a leaf in place](#A-part-of-a-leaf-in-place) |
# | 'NoneType' object has no attribute 'zero_' | [A weight that became a result](#A-weight-that-became-a-result) |
# | unsupported operand type(s) for *: 'float' and 'NoneType' | [A weight that became a result](#A-weight-that-became-a-result) |
# | can't optimize a non-leaf Tensor | [An optimizer of results](#An-optimizer-of-results) |
# | modified by an inplace operation | [Modified in place](#Modified-in-place) |
# | Output 0 of Unbind is a view | [Several views](#Several-views) |
# | refers to a single memory location | [One number in many places](#One-number-in-many-places) |
# | Can't call numpy() on Tensor that requires grad | [NumPy refused](#NumPy-refused) |
# | Inference tensors cannot be saved for backward | [An inference tensor](#An-inference-tensor) |
# | Inplace update to inference tensor outside InferenceMode | [An inference tensor](#An-inference-tensor) |
# | appears to not have been used in the graph | [An unused input](#An-unused-input) |
# | not enough values to unpack | [A tuple of one](#A-tuple-of-one) |
# | argument to `backward()` cannot be empty | [No inputs](#No-inputs) |
# | expected Variable, but hook returned | [What a hook returns](#What-a-hook-returns) |
# | has changed the size of value | [A gradient of another size](#A-gradient-of-another-size) |
# | unpack_hook expected to be a Tensor | [What unpack returns](#What-unpack-returns) |
# | returned an incorrect number of gradients | [Too few gradients](#Too-few-gradients) |
# | returned an invalid gradient | [A gradient that does not fit](#A-gradient-that-does-not-fit) |
# | Output 0 of BackwardHookFunction is a view and is being modified inplace | [A module hook and a layer in place](#A-module-hook-and-a-layer-in-place) |
# | Using a non-full backward hook | [A module hook that sees too little](#A-module-hook-that-sees-too-little) |
# | Full backward hook is firing | [A module hook that sees too little](#A-module-hook-that-sees-too-little) |
# | Legacy autograd function | [A Function that was called](#A-Function-that-was-called) |
# | marked with @once_differentiable | [Once and no more](#Once-and-no-more) |
# | Jacobian mismatch | [gradcheck says no](#gradcheck-says-no) |
# | returned nan values in its | [The first NaN](#The-first-NaN) |
# | will create a reference cycle | [Warned of a cycle](#Warned-of-a-cycle) |
# | Boolean value of Tensor with more than one value is ambiguous | [True or false of many](#True-or-false-of-many) |
# | Found dtype Double but expected Float | [Two dtypes](#Two-dtypes) |
# | mat1 and mat2 shapes cannot be multiplied | [Shapes that do not fit](#Shapes-that-do-not-fit) |
# | Recomputed values for the following tensors have different metadata | [Computed again, and otherwise](#Computed-again,-and-otherwise) |
# | Expected all tensors to be on the same device | [Two devices](#Two-devices) |
# | derivative for aten::floor_divide is not implemented | [No derivative](#No-derivative) |
# | optimizer got an empty parameter list | [An optimizer of nothing](#An-optimizer-of-nothing) |
# | Target 3 is out of bounds | [A class that is not there](#A-class-that-is-not-there) |
# | Detected call of `lr_scheduler.step()` before `optimizer.step()` | [A schedule before its optimizer](#A-schedule-before-its-optimizer) |
# | gradients that are too large | [Silent: an old gradient](#Silent:-an-old-gradient) |
# | a weight that does not move | [Silent: an optimizer of other weights](#Silent:-an-optimizer-of-other-weights) |
# | a frozen weight that moves | [Silent: frozen, and it moves](#Silent:-frozen,-and-it-moves) |
# | a loss that does not fall to 0 | [Silent: a column against a row](#Silent:-a-column-against-a-row) |
# | NaN | [Silent: NaN](#Silent:-NaN) |
# | gradients that are plainly wrong | [Silent: changed through .data](#Silent:-changed-through-.data) |
# | a second derivative that is wrong | [Silent: saved on ctx](#Silent:-saved-on-ctx) |

# %%
import autograd_nb as torch
from autograd_nb import course

course.tracebacks("short")

# %% [markdown]
# ## Backward a second time

# %% tags=["F2", "raises-exception"]
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
y.backward()

# %%
torch.why(y)

# %% [markdown]
# **Cause**: the first backward frees what the graph had saved. Often the graph was built before a loop, or a loss depends on the one before it.
#
# **Cure**: compute y again before each backward; detach what is carried over from the last round; or, if you need two passes through one graph, `retain_graph=True`.
#
# **More**: [03 Backward](03_backward.ipynb#Keeping-the-graph); and [`torch.why(y)`](18_your_own_pytorch_code.ipynb)

# %%
y = x * x
y.backward(retain_graph=True)
y.backward()

# %% [markdown]
# ## Nothing to go back through

# %% tags=["F9", "raises-exception"]
x = torch.tensor([1.0, 2.0])
y = (x**2).sum()
y.backward()

# %%
torch.why(x)

# %% [markdown]
# **Cause**: no graph leads to y. `requires_grad=True` was forgotten; or y was computed under `no_grad()`, after a `detach()`, or through whole numbers, such as those of `argmax`. For `x.grad` itself: backward ran without `create_graph=True`.
#
# **Cure**: look at `requires_grad` along the way; the first False is the place.
#
# **More**: [10 Switching it off](10_switching_off.ipynb#Four-ways-to-one-message), [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb); and [`torch.why(x)`](18_your_own_pytorch_code.ipynb)

# %%
x.requires_grad_()
y = (x**2).sum()
print(y.grad_fn is not None)

# %% [markdown]
# ## Not a scalar

# %% tags=["F8", "raises-exception"]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).backward()

# %% [markdown]
# **Cause**: backward starts with the gradient 1, and with several outputs it is not clear how much each of them counts.
#
# **Cure**: make a scalar (`.sum()`, `.mean()`), or say with `gradient=` how much each counts.
#
# **More**: [07 Vectors](07_vectors.ipynb#A-scalar,-or-else)

# %% tags=["F8"]
(x**2).backward(gradient=torch.ones(3))
print(x.grad)

# %% [markdown]
# ## A gradient of another shape

# %% tags=["B6", "raises-exception"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x**2).backward(gradient=torch.ones(3))

# %% [markdown]
# **Cause**: the gradient does not have the output's shape: each of its numbers must belong to one number of the output.
#
# **Cure**: `torch.ones_like(output)`, or weights of that shape.
#
# **More**: [07 Vectors](07_vectors.ipynb)

# %% [markdown]
# ## No gradient on a non-leaf

# %% tags=["F4"]
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
(y**2).backward()
print(y.grad)

# %%
torch.why(y)

# %% [markdown]
# **Cause**: only leaves keep their gradient; y is a result. The warning says so, and PyTorch gives None. A parameter that was moved or converted (`.double()`, `* 0.1`) is a result too.
#
# **Cure**: `y.retain_grad()` before backward, or make the converted tensor the leaf.
#
# **More**: [02 Leaves](02_leaves.ipynb#Keeping-it-anyway); and [`torch.why(y)`](18_your_own_pytorch_code.ipynb)

# %% tags=["F4"]
y = x * 3
y.retain_grad()
(y**2).backward()
print(y.grad)

# %% [markdown]
# ## Nothing to retain or to hook

# %%
constant = torch.tensor(1.0)
for ask in (constant.retain_grad, lambda: constant.register_hook(print)):
    try:
        ask()
    except RuntimeError as error:
        print(error)

# %%
torch.why(constant)

# %% [markdown]
# **Cause**: no gradient will ever arrive at a tensor that does not require one.
#
# **Cure**: `requires_grad=True` where it is made, or `requires_grad_()`, before anything is computed from it.
#
# **More**: [02 Leaves](02_leaves.ipynb), [12 Hooks](12_hooks.ipynb); and [`torch.why(constant)`](18_your_own_pytorch_code.ipynb)

# %% [markdown]
# ## A whole number

# %% tags=["raises-exception"]
torch.tensor(5, requires_grad=True)

# %% [markdown]
# **Cause**: a derivative asks what happens when a number changes a little. A whole number cannot.
#
# **Cure**: `torch.tensor(5.0, requires_grad=True)`.
#
# **More**: [02 Leaves](02_leaves.ipynb#A-switch-afterwards)

# %% [markdown]
# ## The flag of a result

# %% tags=["raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
y.requires_grad = False

# %% [markdown]
# **Cause**: y requires a gradient because x does; a result cannot decide that for itself.
#
# **Cure**: `y.detach()`, which is a new tensor outside the graph.
#
# **More**: [10 Switching it off](10_switching_off.ipynb#detach:-one-tensor,-cut-off)

# %% [markdown]
# ## A copy of a result

# %% tags=["raises-exception"]
import copy

copy.deepcopy(y)

# %% [markdown]
# **Cause**: a deep copy would need a copy of the whole graph behind it.
#
# **Cure**: `y.clone()`, which stays in the graph, or `y.detach().clone()`, which does not.
#
# **More**: [10 Switching it off](10_switching_off.ipynb)

# %% [markdown]
# ## A leaf in place

# %% tags=["F6", "raises-exception"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w**2).sum().backward()
w -= 0.1 * w.grad

# %% [markdown]
# **Cause**: if the change were recorded, w would no longer be the leaf that its gradient belongs to.
#
# **Cure**: update under `no_grad()`, or leave it to an optimizer. Do not write `w = w - …`: that makes a new tensor, which is not a leaf.
#
# **More**: [04 Accumulation](04_accumulation.ipynb#Why-no_grad-around-the-update?)

# %% tags=["F6"]
with torch.no_grad():
    w -= 0.1 * w.grad
print(w)

# %% [markdown]
# ## A part of a leaf in place

# %% tags=["raises-exception"]
w = torch.tensor([1.0, 2.0], requires_grad=True)
w[0] = 0.0

# %%
torch.why(w)

# %% [markdown]
# **Cause**: `w[0]` is a view: it shares the memory of w, so writing to it writes to the leaf.
#
# **Cure**: write under `no_grad()`, as for the whole leaf.
#
# **More**: [11 In place](11_in_place.ipynb#Views); and [`torch.why(w)`](18_your_own_pytorch_code.ipynb)

# %%
with torch.no_grad():
    w[0] = 0.0
print(w)

# %% [markdown]
# ## A weight that became a result

# %% tags=["raises-exception"]
w = torch.tensor(2.0, requires_grad=True)
(w**2).backward()
w = w - 0.1 * w.grad
w.grad.zero_()

# %% tags=["raises-exception"]
w - 0.1 * w.grad

# %%
torch.why(w)

# %% [markdown]
# **Cause**: `.grad` is None, and None has no `zero_` and cannot be multiplied. Most often no backward has run yet, or the loss does not use this tensor. Or `w = w - …`, as here, gave the name w to a result, which keeps no gradient.
#
# **Cure**: read or clear `.grad` after backward, and use the tensor in the loss; an optimizer's `zero_grad()` passes over None. Here: change the leaf itself, under `no_grad()`.
#
# **More**: [04 Accumulation](04_accumulation.ipynb#Why-no_grad-around-the-update?); and [`torch.why(w)`](18_your_own_pytorch_code.ipynb)

# %%
w = torch.tensor(2.0, requires_grad=True)
(w**2).backward()
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad.zero_()
print(w, w.grad)

# %% [markdown]
# ## An optimizer of results

# %% tags=["raises-exception"]
w = torch.tensor([1.0, 2.0], requires_grad=True) * 0.1
torch.optim.SGD([w], lr=0.1)

# %% [markdown]
# **Cause**: the factor 0.1 made w a result. An optimizer steps by `.grad`, which only leaves have. A parameter that was moved or converted (`.double()`) is a result too.
#
# **Cure**: compute first, and ask for the gradient last.
#
# **More**: [02 Leaves](02_leaves.ipynb), [16 From two layers to a trained network](16_training.ipynb)

# %%
w = (torch.tensor([1.0, 2.0]) * 0.1).requires_grad_()
optimizer = torch.optim.SGD([w], lr=0.1)

# %% [markdown]
# ## Modified in place

# %% tags=["F3", "raises-exception"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

# %%
torch.why(y)

# %% [markdown]
# **Cause**: exp saved its result, since that is its derivative, and `add_` overwrote it. A version counter gives it away. In training it is mostly `optimizer.step()` between forward and backward, as with two losses, or `ReLU(inplace=True)`.
#
# **Cure**: `y = y + 1`, or change a `y.clone()`. Run every backward before the step, or forward again after it; `inplace=False`.
#
# **More**: [11 In place](11_in_place.ipynb#Writing-over-a-tensor); and [`torch.why(y)`](18_your_own_pytorch_code.ipynb)

# %% tags=["F3"]
y = x.exp()
y = y + 1
y.sum().backward()
print(x.grad)

# %% [markdown]
# ## Several views

# %% tags=["F17", "raises-exception"]
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
first, second = (x * 1).unbind()
first.mul_(10)

# %% [markdown]
# **Cause**: `unbind`, `split` and `chunk` give several views from one node, and autograd cannot rewrite that node for one of them.
#
# **Cure**: take a single view by an index, `y[0]`, or change a clone.
#
# **More**: [11 In place](11_in_place.ipynb#Views)

# %% tags=["F17"]
y = x * 1
y[0].mul_(10)
print(y)

# %% [markdown]
# ## One number in many places

# %% tags=["raises-exception"]
torch.zeros(1).expand(3).add_(1)

# %% [markdown]
# **Cause**: `expand` repeats without copying: three elements, but one number in memory. Written one after the other, they would overwrite each other.
#
# **Cure**: `clone()` first, as the message says.
#
# **More**: [11 In place](11_in_place.ipynb#Views)

# %%
print(torch.zeros(1).expand(3).clone().add_(1))

# %% [markdown]
# ## NumPy refused

# %% tags=["F19", "raises-exception"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.numpy()

# %% [markdown]
# **Cause**: NumPy would share the memory and record nothing, so that gradients could be lost unnoticed.
#
# **Cure**: `x.detach().numpy()`, which still shares the memory; `x.tolist()` and, for one number, `x.item()` copy.
#
# **More**: [10 Switching it off](10_switching_off.ipynb#detach-shares-its-memory)

# %% tags=["F19"]
print(x.detach().numpy(), x.tolist())

# %% [markdown]
# ## An inference tensor

# %% tags=["F14", "raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
with torch.inference_mode():
    inferred = x * 2
inferred * x

# %% tags=["raises-exception"]
inferred.add_(1)

# %% [markdown]
# **Cause**: what is made in `inference_mode` has no version counter, so no graph may ever save it, and nobody may change it in place outside.
#
# **Cure**: `inferred.clone()` outside, or use `no_grad()` where the result goes on into something recorded.
#
# **More**: [10 Switching it off](10_switching_off.ipynb#inference_mode)

# %% tags=["F14"]
print(inferred.clone() * x)

# %% [markdown]
# ## An unused input

# %% tags=["F16", "raises-exception"]
used = torch.tensor(2.0, requires_grad=True)
unused = torch.tensor(3.0, requires_grad=True)
torch.autograd.grad(used**2, [used, unused])

# %%
torch.why(unused)

# %% [markdown]
# **Cause**: no path leads from the output to that input. Sometimes that is intended; often the input was replaced on the way by a detached or converted copy.
#
# **Cure**: `allow_unused=True` gives None for it, `materialize_grads=True` gives zeros.
#
# **More**: [07 Vectors](07_vectors.ipynb#An-input-that-is-not-used); and [`torch.why(unused)`](18_your_own_pytorch_code.ipynb)

# %% tags=["F16"]
torch.autograd.grad(used**2, [used, unused], allow_unused=True)

# %% [markdown]
# ## A tuple of one

# %% tags=["B9", "raises-exception"]
x = torch.tensor(3.0, requires_grad=True)
grad_x, _ = torch.autograd.grad(x**2, x)

# %% [markdown]
# **Cause**: `autograd.grad` returns a tuple with one gradient for each input: here, a tuple of one.
#
# **Cure**: `(grad_x,) = …`, or `…[0]`.
#
# **More**: [07 Vectors](07_vectors.ipynb#autograd.grad:-give-it-to-me)

# %% tags=["B9"]
(grad_x,) = torch.autograd.grad(x**2, x)
print(grad_x)

# %% [markdown]
# ## No inputs

# %% tags=["B5", "raises-exception"]
y = x**2
y.backward(inputs=[])

# %% [markdown]
# **Cause**: an empty list asks for no gradient at all. Often it is a list of parameters that was filled by a condition, or used up.
#
# **Cure**: name the inputs, or leave `inputs` out for all leaves.
#
# **More**: [07 Vectors](07_vectors.ipynb#Several-roots,-some-leaves)

# %% [markdown]
# ## What a hook returns

# %% tags=["F13", "raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: 3.0)
(x**2).backward()

# %% [markdown]
# **Cause**: what a hook returns replaces the gradient, so it must be a tensor. A lambda returns whatever its expression gives.
#
# **Cure**: return a tensor to change the gradient, or nothing to look only.
#
# **More**: [12 Hooks](12_hooks.ipynb#Look,-or-change)

# %% [markdown]
# ## A module hook and a layer in place

# %% tags=["raises-exception"]
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
net[0].register_full_backward_hook(lambda module, came, went: print("Linear"))
net(torch.ones(1, 2))


# %% [markdown]
# **Cause**: a full backward hook puts a Function around the module, and what the module returns is a view that this Function made. The next layer may not change that view in place.
#
# **Cure**: `inplace=False` in the layers. If the network is not yours, a hook of the forward sets a hook on the tensor: it works with every module that returns a tensor which requires a gradient, in place or not.
#
# **More**: [12 Hooks](12_hooks.ipynb#What-hooks-are-for)
#
#

# %%
def show(module, inputs, result):
    result.register_hook(lambda grad: print(module, grad.shape))


net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
for layer in net:
    layer.register_forward_hook(show)
net(torch.ones(1, 2)).sum().backward()


# %% [markdown]
# ## A module hook that sees too little

# %%
class Wave(torch.nn.Module):
    def forward(self, x):
        return x.exp().sin()


wave, layer = Wave(), torch.nn.Linear(2, 1)
wave.register_backward_hook(lambda module, came, went: None)
wave(torch.ones(2, requires_grad=True)).sum().backward()

# %%
layer.register_full_backward_hook(lambda module, came, went: print(came))
layer(torch.ones(1, 2)).sum().backward()

# %% [markdown]
# **Cause**: `register_backward_hook` hangs on the module's last node and takes that node's gradients for the module's. A full hook needs an input that requires grad; with none, it has no gradient of an input to show.
#
# **Cure**: `register_full_backward_hook`, and an input that requires grad: `x.requires_grad_()`. For the gradient of a result, a hook on the tensor.
#
# **More**: [12 Hooks](12_hooks.ipynb#What-hooks-are-for)

# %% [markdown]
# ## A gradient of another size

# %% tags=["raises-exception"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda grad: grad.sum())
(x**2).sum().backward()

# %% [markdown]
# **Cause**: a hook's gradient takes the place of the one that came, so it must have its shape, and its dtype.
#
# **Cure**: return a tensor of the shape of grad; or, to look only, nothing.
#
# **More**: [12 Hooks](12_hooks.ipynb#Look,-or-change)

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda grad: grad.sum().expand(2))
(x**2).sum().backward()
print(x.grad)

# %% [markdown]
# ## What unpack returns

# %% tags=["raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda packed: "lost"):
    y = x * x
y.backward()


# %% [markdown]
# **Cause**: what `unpack` returns replaces the saved tensor in backward, so it must be a tensor.
#
# **Cure**: return what was packed, with the shape and dtype that it had.
#
# **More**: [14 Reading the graph](14_reading_the_graph.ipynb#Another-way-to-save)

# %% [markdown]
# ## Too few gradients

# %% tags=["raises-exception", "long: a whole Function"]
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        (b,) = ctx.saved_tensors
        return grad_output * b


x = torch.tensor(2.0, requires_grad=True)
Product.apply(x, torch.tensor(3.0)).backward()


# %% [markdown]
# **Cause**: backward must return one value for each input of forward except ctx, even for inputs that need no gradient.
#
# **Cure**: `return grad_output * b, None`.
#
# **More**: [08 Your own Function](08_own_function.ipynb#How-many-gradients-go-back?)

# %% [markdown]
# ## A gradient that does not fit

# %% tags=["raises-exception", "long: a whole Function"]
class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, x):
        ctx.save_for_backward(x)
        return weight @ x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.outer(x, grad_output), None


weight = torch.ones(2, 3, requires_grad=True)
Layer.apply(weight, torch.ones(3)).sum().backward()

# %% [markdown]
# **Cause**: an input's gradient has that input's shape. The weight is 2 × 3, and this outer product is 3 × 2. (Only what was broadcast is summed for you.)
#
# **Cure**: let the shapes guide you: `torch.outer(grad_output, x)`.
#
# **More**: [08 Your own Function](08_own_function.ipynb#How-many-gradients-go-back?), [16 From two layers to a trained network](16_training.ipynb#By-hand)

# %% [markdown]
# ## A Function that was called

# %% tags=["B12", "raises-exception"]
Product()(x, x)

# %% [markdown]
# **Cause**: you do not make an object of a Function and call it. `apply` runs its forward and records it.
#
# **Cure**: `Product.apply(x, x)`.
#
# **More**: [08 Your own Function](08_own_function.ipynb)

# %% [markdown]
# ## Once and no more

# %% tags=["E4", "raises-exception", "long: a whole Function"]
from autograd_nb.autograd.function import once_differentiable


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


x = torch.tensor(3.0, requires_grad=True)
(first,) = torch.autograd.grad(Cube.apply(x) ** 2, x, create_graph=True)
first.backward()


# %% [markdown]
# **Cause**: the author of this backward said that it cannot be differentiated itself, but here you ask for a second derivative.
#
# **Cure**: if backward uses nothing but tensors' own operations, as here, take `once_differentiable` away. If it uses NumPy, rewrite it.
#
# **More**: [08 Your own Function](08_own_function.ipynb#When-backward-cannot-be-differentiated)

# %% [markdown]
# ## gradcheck says no

# %% tags=["A21", "raises-exception", "long: a whole Function"]
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x


x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Square.apply, x)

# %% tags=["F15"]
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(torch.autograd.gradcheck(torch.exp, x.detach().float().requires_grad_(), raise_exception=False))

# %% [markdown]
# **Cause**: a backward is wrong, as in the first cell, where the 2 is missing; the message shows what was measured and what backward said. Or everything is right and the inputs are float32: then the small difference drowns in rounding, as the warning says (silenced in the second cell).
#
# **Cure**: check in float64 first, away from kinks. What still differs is a bug.
#
# **More**: [09 Is it right?](09_is_it_right.ipynb#In-float32)

# %% [markdown]
# ## The first NaN

# %% tags=["F10", "raises-exception"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    with torch.autograd.detect_anomaly():
        (x / x.sqrt()).sum().backward()

# %%
torch.why(x)

# %% [markdown]
# **Cause**: anomaly mode stopped at the first node that returned NaN: the division. Its warning, silenced here, shows the line where forward made that node.
#
# **Cure**: look for 0 times infinity, or 0/0, at that line. Switch the mode off again: it is slow.
#
# **More**: [09 Is it right?](09_is_it_right.ipynb#Anomaly-mode); and [`torch.why(x)`](18_your_own_pytorch_code.ipynb)

# %% [markdown]
# ## Warned of a cycle

# %% tags=["F11"]
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward(create_graph=True)

# %% [markdown]
# **Cause**: x holds on to `x.grad`, whose graph holds on to x. Python cannot free such a cycle by counting references, so memory may grow. The warning comes once per process.
#
# **Cure**: `torch.autograd.grad` with `create_graph=True`; or `x.grad = None` when you are done.
#
# **More**: [13 Derivatives of derivatives](13_derivatives_of_derivatives.ipynb#What-the-warning-is-about)

# %% tags=["F11"]
x.grad = None
print(torch.autograd.grad(x**2, x, create_graph=True))

# %% [markdown]
# ## Two dtypes

# %% tags=["raises-exception"]
import numpy as np

guess = torch.tensor([0.2, 0.7], requires_grad=True)
target = torch.tensor(np.array([0.0, 1.0]))
torch.nn.functional.binary_cross_entropy(guess, target)

# %% [markdown]
# **Cause**: NumPy counts in float64, which PyTorch calls Double, and tensors made from numbers are float32, Float. Some operations convert, others refuse.
#
# **Cure**: bring data to float32 where it comes in.
#
# **More**: [09 Is it right?](09_is_it_right.ipynb#In-float32)

# %%
print(torch.nn.functional.binary_cross_entropy(guess, target.float()))

# %% [markdown]
# ## Shapes that do not fit

# %% tags=["raises-exception"]
images = torch.ones(5, 8, 8)
layer = torch.nn.Linear(64, 10)
layer(images.reshape(10, 32))

# %% [markdown]
# **Cause**: a matrix product needs as many columns on the left as there are rows on the right. Here the left matrix is the input, 10 × 32, and the right one is the layer's weight, transposed: 64 × 10.
#
# **Cure**: print `x.shape` before the layer. Its last number must be the layer's `in_features`; `x.flatten(1)` keeps the batch and makes one row of the rest.
#
# **More**: [07 Vectors](07_vectors.ipynb), [16 From two layers to a trained network](16_training.ipynb)

# %%
print(layer(images.flatten(1)).shape)

# %% [markdown]
# ## Computed again, and otherwise
#
# It needs PyTorch, whose `checkpoint` runs a block again in backward instead of keeping what it saved:
#
# ```python
# from torch.utils.checkpoint import checkpoint
#
# layer, rows = torch.nn.Linear(2, 2), [1]
#
# def block(x):
#     rows.append(1)
#     return torch.cat([layer(x)] * len(rows)).exp()
#
# checkpoint(block, torch.ones(1, 2), use_reentrant=False).sum().backward()
# ```
#
# `CheckpointError: torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.`

# %% [markdown]
# **Cause**: the block reads something that has changed since. If only numbers differ, there is no error, and the gradient is wrong. `use_reentrant=True` looks at the arguments alone: if none requires grad, it warns, and the block's weights get no gradient.
#
# **Cure**: keep what the block reads (flags, scales, random numbers) until backward is over; and `use_reentrant=False`. autograd_nb's `check(step, of=weight)` tells whether the numbers are right.
#
# **More**: [14 Reading the graph](14_reading_the_graph.ipynb#Another-way-to-save)

# %% [markdown]
# ## Two devices
#
# It needs PyTorch and a GPU:
#
# `RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!`
#
# **Cause**: the model was moved to the GPU, and its input, its target, or a tensor made in forward was not.
#
# **Cure**: `x = x.to(device)`: a tensor's `to` returns a tensor, and `model.to(device)` moves the model itself. In forward, `torch.zeros(3, device=x.device)`.
#
# **More**: [02 Leaves](02_leaves.ipynb)

# %% [markdown]
# ## No derivative

# %% tags=["raises-exception"]
x = torch.tensor([5.0, 7.0], requires_grad=True)
y = x // 2
print(y)
y.sum().backward()

# %% [markdown]
# **Cause**: PyTorch can compute the operation, but has no formula for its derivative. Forward records it all the same; only backward fails.
#
# **Cure**: another operation, such as `/`. If the result should count as a constant, compute it from `x.detach()`. If you know what its gradient should be, write a Function.
#
# **More**: [08 Your own Function](08_own_function.ipynb), [10 Switching it off](10_switching_off.ipynb#detach:-one-tensor,-cut-off)

# %%
(x * (x.detach() // 2)).sum().backward()
print(x.grad)


# %% [markdown]
# ## An optimizer of nothing

# %% tags=["raises-exception"]
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)]


torch.optim.SGD(Net().parameters(), lr=0.1)

# %% [markdown]
# **Cause**: `parameters()` found none. A module looks for layers in its attributes, and not inside a Python list. A tensor counts only as `nn.Parameter`. Or the generator that `parameters()` returns had been used up, for example by printing it.
#
# **Cure**: `nn.ModuleList` in place of the list; call `parameters()` anew for the optimizer.
#
# **More**: [16 From two layers to a trained network](16_training.ipynb)

# %%
net = Net()
net.layers = torch.nn.ModuleList(net.layers)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

# %% [markdown]
# ## A class that is not there

# %% tags=["raises-exception"]
scores = torch.ones(2, 3, requires_grad=True)
torch.nn.functional.cross_entropy(scores, torch.tensor([1, 3]))

# %% [markdown]
# **Cause**: with three scores in a row the classes are 0, 1 and 2. Often the labels count from 1, or the last layer has too few outputs.
#
# **Cure**: as many scores as there are classes, and labels that begin with 0.
#
# **More**: [19 Digits](19_digits.ipynb)

# %%
print(torch.nn.functional.cross_entropy(scores, torch.tensor([0, 2])))

# %% [markdown]
# ## A schedule before its optimizer

# %%
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
schedule.step()
print(optimizer.param_groups[0]["lr"])

# %% [markdown]
# **Cause**: the schedule took its step before the optimizer's first, so no step is taken with the first rate.
#
# **Cure**: `optimizer.step()` first, then `schedule.step()`.
#
# **More**: [16 From two layers to a trained network](16_training.ipynb)

# %% [markdown]
# ## True or false of many

# %% tags=["raises-exception"]
values = torch.tensor([-1.0, 2.0])
if values > 0:
    print("positive")

# %% [markdown]
# **Cause**: `if` needs one answer, and the comparison gives one for each element.
#
# **Cure**: `torch.where` chooses element by element; `(values > 0).all()` or `.any()` makes one answer of many.
#
# **More**: [15 Define-by-run](15_define_by_run.ipynb#A-branch-for-each-element)

# %%
print(torch.where(values > 0, values**2, -3 * values), (values > 0).any())

# %% [markdown]
# ## Silent: an old gradient

# %% tags=["F7"]
w = torch.tensor(2.0, requires_grad=True)
for _ in range(3):
    (w**2).backward()
    print(w.grad)

# %% [markdown]
# **Cause**: backward adds to what is in `.grad`.
#
# **Cure**: `optimizer.zero_grad()`, or `w.grad = None`, in every round.
#
# **More**: [04 Accumulation](04_accumulation.ipynb#In-a-loop); and [`torch.why(w)`](18_your_own_pytorch_code.ipynb)

# %% tags=["F7"]
w.grad = None
(w**2).backward()
print(w.grad)

# %% [markdown]
# ## Silent: an optimizer of other weights

# %%
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer = torch.nn.Linear(2, 1)
before = layer.weight.detach().clone()
layer(torch.ones(3, 2)).sum().backward()
optimizer.step()
print(torch.equal(before, layer.weight))

# %%
torch.why(layer, optimizer)

# %% [markdown]
# **Cause**: the optimizer holds the parameters that it was given. The layer was made again, as when its cell is run again, and the new one is none of the optimizer's.
#
# **Cure**: make the optimizer after the model, in the same cell.
#
# **More**: [16 From two layers to a trained network](16_training.ipynb); and [`torch.why(layer, optimizer)`](18_your_own_pytorch_code.ipynb)

# %% [markdown]
# ## Silent: frozen, and it moves

# %%
w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w**2).backward()
w.requires_grad_(False)
optimizer.step()
print(w)

# %%
torch.why(optimizer)

# %% [markdown]
# **Cause**: an optimizer does not ask whether w requires a gradient; it takes the `.grad` that is there, and goes on as long as that is not None: with momentum or weight decay even where it is 0.
#
# **Cure**: `w.grad = None`, or `optimizer.zero_grad()`, which does it for all, after freezing.
#
# **More**: [16 From two layers to a trained network](16_training.ipynb#Frozen); and [`torch.why(optimizer)`](18_your_own_pytorch_code.ipynb)

# %%
w.grad = None
optimizer.step()
print(w)

# %% [markdown]
# ## Silent: a column against a row

# %%
guess = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
target = torch.tensor([1.0, 2.0, 3.0])
loss = ((guess - target) ** 2).mean()
print(loss.item())

# %% [markdown]
# **Cause**: every guess is right, yet the loss is not 0. A layer gives a column (3, 1); the targets are a row (3,). Broadcasting subtracts each from each, nine differences.
#
# **Cure**: `guess.squeeze(1)`, or targets of shape (3, 1). `mse_loss` warns of it.
#
# **More**: [06 Several inputs](06_several_inputs.ipynb#Nearly-the-same-shape)

# %%
print(((guess.squeeze(1) - target) ** 2).mean())

# %% [markdown]
# ## Silent: NaN

# %% tags=["F10"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(x > 0, x / x.sqrt(), 0.0).sum().backward()
print(x.grad)

# %% [markdown]
# `why` knows more with a recording of the pass, a trace:

# %%
x.grad = None
with torch.record() as trace:
    torch.where(x > 0, x / x.sqrt(), 0.0).sum().backward()
torch.why(x, trace)

# %% [markdown]
# **Cause**: backward sends 0 into the branch that was not taken, and 0 times infinity is NaN.
#
# **Cure**: make that branch harmless before it is computed. To find the place in a larger program: `torch.autograd.detect_anomaly()`.
#
# **More**: [09 Is it right?](09_is_it_right.ipynb#What-comes-back-through-the-branch-not-taken?); and [`torch.why(x, trace)`](18_your_own_pytorch_code.ipynb)

# %% tags=["F10"]
x.grad = None
safe = torch.where(x > 0, x, 1.0)
torch.where(x > 0, safe / safe.sqrt(), 0.0).sum().backward()
print(x.grad)

# %% [markdown]
# ## Silent: changed through .data

# %% tags=["D10"]
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a.exp()
b.data.zero_()
b.sum().backward()
print(a.grad)

# %% [markdown]
# **Cause**: exp's derivative is its result, which was overwritten; `.data` has a version counter of its own, so backward did not notice.
#
# **Cure**: `b.detach()`, which at least makes it an error, or `b.detach().clone()`, which is safe.
#
# **More**: [11 In place](11_in_place.ipynb#And-through-.data?)

# %% tags=["D11"]
a.grad = None
b = a.exp()
b.detach().clone().zero_()
b.sum().backward()
print(a.grad)


# %% [markdown]
# ## Silent: saved on ctx

# %% tags=["F12", "long: a whole Function"]
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result


# %% tags=["F12"]
x = torch.tensor(1.0, requires_grad=True)
for function in (torch.exp, Exp.apply):
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    print(first.detach(), first.requires_grad)

# %% [markdown]
# **Cause**: to backward, a tensor kept as an attribute of ctx is a plain number, not a result that depends on x. So the first derivative is right, but the second one is missing or wrong.
#
# **Cure**: `ctx.save_for_backward(result)`, and read `ctx.saved_tensors`.
#
# **More**: [08 Your own Function](08_own_function.ipynb#ctx:-a-parcel-from-forward-to-backward)
