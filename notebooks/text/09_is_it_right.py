# %% [markdown]
# # 09 Is it right?
#
# **You will be able to** test a backward with gradcheck, read its complaint, say why float32 spoils the check, and find where a NaN comes from.
#
# **Builds on** [01 Derivative](01_derivative.ipynb): nudging and rounding; and [08 Your own Function](08_own_function.ipynb).
#
# **Time** 40 minutes.

# %%
import warnings

import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.course import figures


# %% [markdown]
# ## A backward that may be wrong
#
# A Function's backward is whatever its author wrote. Here is the power of [08 Your own Function](08_own_function.ipynb) once more.

# %% tags=["A20", "long: a whole Function"]
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a**b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a)


# %% [markdown]
# How could you test it without trusting the formulas? [01 Derivative](01_derivative.ipynb) showed how: nudge an input, and see how far the output moves.

# %% tags=["A20", "long: nudging and backward side by side"]
x = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
q = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
analytical = torch.autograd.grad(MyPow.apply(x, q), (x, q))
h = 1e-6
with torch.no_grad():
    numerical = ((x + h) ** q - (x - h) ** q) / (2 * h), (x ** (q + h) - x ** (q - h)) / (2 * h)
for by_nudging, by_backward in zip(numerical, analytical, strict=True):
    print(f"{by_nudging.item():.4f} {by_backward.item():.4f}")
    print(torch.allclose(by_nudging, by_backward, rtol=1e-3, atol=1e-5))

# %% [markdown]
# ∂y/∂x is 3 · 5², and ∂y/∂q is 5³ · ln 5: nudging and backward agree. Nudging to both sides is more exact than nudging to one, because the curvature cancels. [gradcheck](91_glossary.ipynb#gradcheck) does this for each input and each output:

# %% tags=["A20"]
torch.autograd.gradcheck(MyPow.apply, (x, q))


# %% [markdown]
# ## A bug
#
# Now somebody was careless and wrote log(a + 1) in the second gradient. Forward is unchanged.

# %% tags=["A21"]
class WrongPow(MyPow):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a + 1)


print(WrongPow.apply(x, q).item())

# %%
course.ch09.p1

# %% tags=["A21", "raises-exception"]
torch.autograd.gradcheck(WrongPow.apply, (x, q))

# %% [markdown]
# Read it like this: *numerical* is what nudging found, *analytical* is what backward said. gradcheck cannot know which is wrong, only that they [differ](92_error_clinic.ipynb#gradcheck-says-no). 201.1797 is 125 · ln 5; 223.9699 is 125 · ln 6.
#
# The error is a GradcheckError, which is a RuntimeError. With `raise_exception=False` you just get an answer:

# %% tags=["A21"]
print(torch.autograd.gradcheck(WrongPow.apply, (x, q), raise_exception=False))

# %% [markdown]
# The workshop shows the same comparison entry by entry and marks the wrong one. Repair the formula under *backward* and press **Run gradcheck**, until it says True:

# %%
widgets.workshop("wrong power")

# %% [markdown]
# Choose your inputs with care. Here is the same bug at a = 2, at 5, and at 10000:

# %%
course.ch09.p2

# %%
for base in (2.0, 5.0, 1e4):
    a = torch.tensor(base, dtype=torch.float64, requires_grad=True)
    print(base, torch.autograd.gradcheck(WrongPow.apply, (a, q), raise_exception=False))

# %% [markdown]
# For a large a, ln(a + 1) and ln(a) are nearly the same: a wrong formula may look right at a lucky point. Take several random inputs of moderate size.
#
# ## In float32
#
# Here is the same check of the *right* Function in float32, which keeps about seven digits. The slope is 75, and the nudge is a millionth.

# %%
course.ch09.p3

# %% tags=["A20", "raises-exception"]
x32 = torch.tensor(5.0, requires_grad=True)
q32 = torch.tensor(3.0, requires_grad=True)
torch.autograd.gradcheck(MyPow.apply, (x32, q32))

# %% [markdown]
# Two warnings, one for each input, and then the failure: 68.6646 instead of 75. **Backward is right; the measurement is too coarse.** So check in float64, and then use the Function in whatever precision you like.
#
# How coarse? A float32 keeps 24 binary digits. The first digit of 125 stands for 2⁶, so the last stands for 2⁻¹⁷, and y can only move in steps of that size:

# %%
spacing = 2.0**-17
run = 2 * 1e-6
print(f"{spacing:.2e}, and the slope comes in steps of {spacing / run:.4f}")
print(f"{18 * spacing / run:.4f} {75 * run / spacing:.1f}")
stored = torch.tensor(5 + 1e-6) - torch.tensor(5 - 1e-6)
print(f"{stored.item():.3e} {75 * stored.item() / spacing:.2f}")

# %%
figures.difference_error(lambda x: x**3, 5.0, name="x³", both=True)

# %% [markdown]
# 68.6646 is 18 such steps. For 75 it would take 19.7 of them. But the inputs are rounded, too: they are only 1.907e-06 apart, which leaves 18.75 steps, and y takes a whole number. In general, large nudges are wrong where the function curves, and small ones because of rounding. A good nudge lies between the two; in float32 a thousandth would do here. `torch.exp`, which is surely right, fails in the same way:

# %% tags=["F15"]
v = torch.tensor([0.5, 1.5], requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(torch.autograd.gradcheck(torch.exp, v, raise_exception=False))
print(torch.autograd.gradcheck(torch.exp, v.detach().double().requires_grad_()))


# %% [markdown]
# gradgradcheck checks the derivative of a backward. It finds what [08 Your own Function](08_own_function.ipynb) warned about: a tensor kept as an attribute.

# %% tags=["F12", "long: a whole Function"]
class AttributeExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result


# %% tags=["F12"]
print(torch.autograd.gradcheck(AttributeExp.apply, x))
print(torch.autograd.gradgradcheck(torch.exp, x))
print(torch.autograd.gradgradcheck(AttributeExp.apply, x, raise_exception=False))

# %% [markdown]
# ## At a kink
#
# |x| has a [kink](91_glossary.ipynb#kink) at 0, so it has no slope there. PyTorch picks one of the possible slopes anyway, so that training can go on. What about relu, which is x for a positive x and 0 otherwise? And √x, which rises straight up at 0?

# %%
course.ch09.p4

# %% tags=["F20"]
for f in (torch.abs, torch.relu, torch.sqrt):
    kink = torch.tensor(0.0, requires_grad=True)
    f(kink).backward()
    print(f.__name__, kink.grad)
kink = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(torch.abs, kink), torch.autograd.gradcheck(torch.relu, kink, raise_exception=False))

# %% [markdown]
# Nudging to both sides gives 0 for |x|, which agrees by luck, and one half for relu, which does not. Keep gradcheck away from kinks. Any slope between those of the two sides is a fair choice; for a convex function it is called a [subgradient](91_glossary.ipynb#subgradient).
#
# A maximum has a kink where two elements are equally large. max over everything shares the gradient between them, max along a dimension gives it to the first.

# %% tags=["F20"]
tie = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
for top in (tie.max(), tie.max(dim=0).values):
    print(torch.autograd.grad(top, tie)[0])

# %% [markdown]
# ## What comes back through the branch not taken?
#
# Here is x/√x, but 0 where x is not positive. `where` chooses element by element, and all seems well:

# %% tags=["F10"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x / x.sqrt(), 0.0)
print(y)

# %%
course.ch09.p5

# %% tags=["F10"]
y.sum().backward()
print(x.grad)

# %% [markdown]
# Here is the first element alone, on its way back. Press ▶ and stop where the first gradient is NaN:

# %%
first = torch.tensor(0.0, requires_grad=True)
y = torch.where(first > 0, first / first.sqrt(), 0.0)
torch.step(y.backward)

# %% [markdown]
# Backward goes through *both* branches. It sends 0 into the one that was not chosen, and the division multiplies this 0 by an infinite slope: that is [NaN](92_error_clinic.ipynb#Silent:-NaN), “not a number”. The cure is to make the input harmless *before* the branch is computed, with a second `where`:

# %% tags=["F10"]
x.grad = None
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, safe / safe.sqrt(), 0.0)
y.sum().backward()
print(x.grad)

# %% [markdown]
# ## Anomaly mode
#
# In a large program you only see that some gradient is NaN. [detect_anomaly](91_glossary.ipynb#anomaly-mode) checks after every node, stops at the first one that returns NaN, and prints the line of your program where forward made that node.

# %% tags=["F10", "long: the warning is caught and read in parts"]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = torch.where(x > 0, x / x.sqrt(), 0.0)
        try:
            y.sum().backward()
        except RuntimeError as error:
            print(error)
for line in str(caught[-1].message).splitlines():
    if "Error detected" in line or "torch.where" in line:
        print(line.strip())

# %% [markdown]
# DivBackward0: the division, and the line it is in. (Normally the warning shows the whole way to that line, function by function.) The mode keeps a traceback for each node and looks at each gradient, so it is slow: switch it on to search, then off again. [Hooks](12_hooks.ipynb) can find the place too:

# %% tags=["F10"]
x = torch.tensor([0.0, 4.0], requires_grad=True)
root = x.sqrt()
ratio = x / root
root.register_hook(lambda grad: print("at root: ", grad))
ratio.register_hook(lambda grad: print("at ratio:", grad))
torch.where(x > 0, ratio, 0.0).sum().backward()

# %% [markdown]
# At ratio all is well, at root it is not. So it is the division between the two.

# %% [markdown]
# ## Summary
#
# | question | tool |
# |---|---|
# | is my backward right? | `gradcheck(f, inputs)`, in float64, at random points, away from kinks |
# | and its own derivative? | `gradgradcheck` |
# | is the gradient of a whole step right? | autograd_nb's `check(step, of=w)`, as in [08](08_own_function.ipynb) |
# | what do its two numbers mean? | numerical is what nudging found, analytical is what backward said |
# | where does the NaN begin? | `detect_anomaly()`, or hooks |
# | a branch of `where` gives NaN | make its input harmless with a second `where` |

# %% [markdown]
# ## Exercises
#
# **1.** gradcheck says: output 0 with respect to input 2, numerical 4, analytical 8. Which of the values that backward returns do you look at, counted from 0?

# %%
answer = ...
course.ch09.q1.check(answer)


# %% [markdown]
# **2.** Make gradcheck pass: forward is right, backward is not.

# %% tags=["long: a whole Function"]
class Ratio(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output / b, grad_output * a / b**2


course.ch09.q2.check(Ratio)


# %% [markdown]
# **3.** Write a check of your own: the slope of f at the number x, found by nudging to both sides by h, in float64, as a plain number. f takes a tensor and returns one.

# %%
def nudged(f, x, h):
    ...


course.ch09.q3.check(nudged)


# %% [markdown]
# **4.** Return √x where x is positive and 0 elsewhere, with a gradient of 0 elsewhere and never NaN.

# %%
def safe_sqrt(x):
    ...


course.ch09.q4.check(safe_sqrt)

# %% [markdown]
# **To invent**, without a verdict. Plot the error of a measured slope against the step for a function of yours: where is its valley? And a puzzle: a wrong gradient that gradcheck lets pass at one point.
#
# ## Next
#
# A question to take along: gradcheck nudges every input. Why does nobody gradcheck a whole network?
#
# [10 Switching it off](10_switching_off.ipynb): computing without a record.
