# %% [markdown]
# # 08 Your own Function
#
# **You will be able to** teach autograd an operation that it does not know: forward, backward, and what passes between them.
#
# **Builds on** [06 Several inputs](06_several_inputs.ipynb), the power with two gradients, and [07 Vectors](07_vectors.ipynb), autograd.grad.
#
# **Time** 50 minutes.

# %%
import autograd_nb as torch
from autograd_nb import course, widgets


# %% [markdown]
# ## A pair of functions
#
# Every operation is a pair of functions: a forward that computes, and a backward that knows the slope. You can write such a pair yourself, as a class. (`@staticmethod` says that its functions need no object of that class.) This one doubles:

# %% tags=["B12", "long: a whole Function"]
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


x = torch.tensor(3.0, requires_grad=True)
y = Double.apply(x)
torch.draw(y)

# %% [markdown]
# The node is named after the class. `backward` receives `grad_output`, the gradient at its output, and returns the gradient at its input. If L is where backward starts, dL/dy comes in and dL/dx goes out: one link of the chain rule. Now we run `(y * 10).backward()`:

# %%
course.ch08.p1

# %% tags=["B12"]
x = torch.tensor(3.0, requires_grad=True)
y = Double.apply(x)
y.register_hook(lambda grad: print("at y:", grad))
(y * 10).backward()
print(x.grad)

# %% [markdown]
# You run a Function through `apply`. Calling `forward` yourself computes the result but does not record *this* Function. Making an object of the class and calling it was the way of very old PyTorch; today it is an [error](92_error_clinic.ipynb#A-Function-that-was-called):

# %% tags=["B12"]
print(Double.forward(None, x).grad_fn.name())
print(Double.apply(x).grad_fn.name())

# %% tags=["B12", "raises-exception"]
Double()(x)


# %% [markdown]
# ## ctx: a parcel from forward to backward
#
# The slope of exp is exp itself. So backward needs the *result* of forward. [ctx](91_glossary.ipynb#ctx), short for context, carries it over: `ctx.save_for_backward` packs it, `ctx.saved_tensors` unpacks it.

# %% tags=["B12", "long: a whole Function"]
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


# %% tags=["B12"]
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = Exp.apply(x)
print(y)
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)

# %% [markdown]
# What is saved is freed with the graph. A [second backward](92_error_clinic.ipynb#Backward-a-second-time) fails just as with PyTorch's own functions:

# %% tags=["B12", "raises-exception"]
y.sum().backward()


# %% [markdown]
# ## Two inputs: the power
#
# Now the power from [06 Several inputs](06_several_inputs.ipynb), by hand. backward returns one gradient *for each input of forward, in the same order*. The prints show what the tensors look like inside:

# %% tags=["A11", "long: a whole Function"]
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        result = a**b
        ctx.save_for_backward(a, b)
        print("forward a:", a.requires_grad, a.is_leaf, a.grad_fn, a)
        print("forward b:", b.requires_grad, b.is_leaf, b.grad_fn, b)
        print("forward result:", result.requires_grad, result.is_leaf, result.grad_fn, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        print("backward grad_output:", grad_output.requires_grad, grad_output.grad_fn, grad_output)
        grad_a, grad_b = grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a)
        print("backward a, b:", a, b)
        print("backward grad_a, grad_b:", grad_a, grad_b)
        return grad_a, grad_b


# %%
course.ch08.p2

# %% tags=["A11"]
x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
with torch.record() as trace:
    y = MyPow.apply(x, q)
    z = torch.log(y)
    z.backward()
print(y.grad_fn)
print(f"{x.grad} {q.grad}")

# %%
torch.step(trace)

# %% [markdown]
# Inside forward nothing is recorded: you supply the backward yourself, and the result gets its node after forward has returned. Press ▶ until MyPow's node runs: what comes in is dz/dy = 1/125. Which name is which derivative?
#
# | in MyPow | in the chain rule |
# |---|---|
# | a, b and result | x, q and y |
# | grad_output | ∂z/∂y = 0.008 |
# | b * a ** (b - 1) | ∂y/∂x = 75 |
# | a ** b * log(a) | ∂y/∂q = 5³ · ln 5 |
# | the two values returned | ∂z/∂x = 0.6 and ∂z/∂q = 1.609 |
#
# ## The last digits
#
# x.grad is exactly as with the built-in power. q.grad is not: 1.6094379425048828 here, 1.6094380617141724 there. Is one of them wrong?

# %% tags=["A11"]
a, b, grad = torch.tensor(5.0), torch.tensor(3.0), torch.tensor(0.008)
from_the_left = grad * a**b * torch.log(a)
as_pytorch = grad * (a**b * torch.log(a))
print(f"{from_the_left} {as_pytorch}")
print(from_the_left == as_pytorch, torch.allclose(from_the_left, as_pytorch))


# %% [markdown]
# It is the same product in two orders, and float32 rounds after each step. The first is the float32 that is nearest to ln 5, and the second is its neighbour. So do not compare rounded numbers with `==`; ask whether they are close, with `allclose`.
#
# ## How many gradients go back?
#
# Here forward takes a tensor and a plain number, but backward returns only one gradient.

# %% tags=["B12", "long: a whole Function"]
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor


# %%
course.ch08.p3

# %% tags=["raises-exception"]
x = torch.tensor(2.0, requires_grad=True)
Scale.apply(x, 3.0).backward()


# %%
def backward(ctx, grad_output):
    return grad_output * ctx.factor, None


Scale.backward = staticmethod(backward)
x = torch.tensor(2.0, requires_grad=True)
Scale.apply(x, 3.0).backward()
print(x.grad)


# %% [markdown]
# None takes the place of a gradient for the number ([error clinic](92_error_clinic.ipynb#Too-few-gradients)). A plain number may be kept as an attribute of ctx, as it is here. May a tensor? Here is exp once more, with its result as an attribute.

# %% tags=["F12", "long: a whole Function"]
class AttributeExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result


# %% [markdown]
# It gives the right first derivative, as `Exp` does. But what about [derivatives of derivatives](13_derivatives_of_derivatives.ipynb)? The second derivative of x · exp(x) is (x + 2) · exp(x), which is three times e at x = 1.

# %%
course.ch08.p4

# %% tags=["F12"]
x = torch.tensor(1.0, requires_grad=True)
for function in (torch.exp, Exp.apply, AttributeExp.apply):
    (first,) = torch.autograd.grad(x * function(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(first.detach(), second)

# %% [markdown]
# A saved *result* comes back with its place in the graph, so backward itself can be differentiated. To autograd the attribute is a bare number, a constant, and its derivative is silently lost: **keep no tensor as an attribute.** `save_for_backward` also frees the tensor in time, and notices when it is [changed in place](92_error_clinic.ipynb#Modified-in-place):

# %% tags=["raises-exception"]
y = Exp.apply(x)
with torch.no_grad():
    y.zero_()
y.backward()


# %% [markdown]
# ## Don't compute what nobody asks for
#
# `ctx.needs_input_grad` holds True or False for each input. This Function also uses the newer form of forward: it only computes, without ctx, and `setup_context` does the saving.

# %% tags=["E4", "long: a whole Function"]
class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        print("needs_input_grad:", ctx.needs_input_grad)
        grad_a = grad_output * b if ctx.needs_input_grad[0] else None
        grad_b = grad_output * a if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


# %%
course.ch08.p5

# %% tags=["E4"]
x = torch.tensor(2.0, requires_grad=True)
constant = torch.tensor(3.0)
Multiply.apply(x, constant).backward()
print(x.grad, constant.grad)

# %% [markdown]
# It holds only True and False. The tensors themselves are read from ctx.saved_tensors.
#
# ## When backward cannot be differentiated
#
# Some backwards are written with NumPy, or with tricks that autograd cannot follow, such as the attribute above. `once_differentiable` says so: instead of a wrong second derivative you get an [error](92_error_clinic.ipynb#Once-and-no-more).

# %% tags=["E4"]
once_differentiable = torch.autograd.function.once_differentiable
AttributeExp.backward = staticmethod(once_differentiable(AttributeExp.backward))
x = torch.tensor(1.0, requires_grad=True)
(first,) = torch.autograd.grad(AttributeExp.apply(x) ** 2, x, create_graph=True)
print(f"{first.item():.4f}")

# %% tags=["E4", "raises-exception"]
first.backward()


# %% [markdown]
# ## A backward of your own choice
#
# Nobody checks that backward returns the true slope. That can be useful: *straight-through* rounding passes the gradient on as if nothing had been rounded. The true slope of rounding is 0 nearly everywhere, so nothing could be learned through it.

# %%
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


# %%
x = torch.tensor([0.4, 1.6], requires_grad=True)
for rounded in (torch.round(x), Round.apply(x)):
    x.grad = None
    (rounded**2).sum().backward()
    print(rounded.detach(), x.grad)

# %% [markdown]
# `check` of autograd_nb says so of a whole step: it moves x along random directions and compares the loss with what the gradient predicts.

# %%
from autograd_nb import check


def step():
    loss = (Round.apply(x) ** 2).sum()
    return loss


check(step, of=x)

# %% [markdown]
# And it can be a mistake. In the workshop, write a wrong backward, such as `return grad_output * 2`, and press **Run gradcheck**: the wrong slopes are marked. How that is found out is the subject of [chapter 09](09_is_it_right.ipynb).

# %%
widgets.workshop("exp")

# %% [markdown]
# ## Summary
#
# | piece | what it does |
# |---|---|
# | `forward(ctx, *inputs)` | computes; nothing inside is recorded |
# | `setup_context(ctx, inputs, output)` | saves, when forward has no ctx |
# | `ctx.save_for_backward` | for tensors: inputs, results and what lies between |
# | an attribute of ctx | for plain numbers, sizes, flags |
# | `backward(ctx, grad_output)` | one gradient or None for each input of forward |
# | `ctx.needs_input_grad` | which gradients are asked for |
# | `once_differentiable` | says openly that there is no second derivative |

# %% [markdown]
# ## Exercises
#
# **1.** forward takes a tensor, a plain number and another tensor, and returns one tensor. How many values must backward return?

# %%
answer = ...
course.ch08.q1.check(answer)


# %% [markdown]
# **2.** Write a Function for 1/x. Its slope is -1/x², which is minus the square of its own result.

# %%
class Reciprocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ...

    @staticmethod
    def backward(ctx, grad_output):
        ...


course.ch08.q2.check(Reciprocal)


# %% [markdown]
# **3.** This product passes on the wrong gradients. Repair it.

# %% tags=["long: a whole Function"]
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return b, a


course.ch08.q3.check(Product)


# %% [markdown]
# **4.** Write a Function that passes its input on unchanged, but multiplies the gradient by a plain number, `factor`, its second input. (With factor -1 it is known as gradient reversal.)

# %%
class ScaleGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ...

    @staticmethod
    def backward(ctx, grad_output):
        ...


course.ch08.q4.check(ScaleGradient)

# %% [markdown]
# **To invent**, without a verdict. Invent a Function that learns faster than the true slope would: a rounding, a step, a flipped sign. And a puzzle: a backward with one wrong sign, for a friend to find by gradcheck's table.
#
# ## Next
#
# A question to take along: a Function that rounds may pass any gradient on. When would the network learn well from a slope that is not true?
#
# [09 Is it right?](09_is_it_right.ipynb) shows how to let the numbers answer.
