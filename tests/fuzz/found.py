"""Programs that once did something else on autograd_nb than on PyTorch, cut down to what matters, by what they show.

test_fuzz.py runs each on both libraries and compares all that can be seen of it.
"""

import re

TEXT = r"""
# a view that was taken before its base had a history counts as a leaf until somebody asks for its node
x = torch.ones(2, requires_grad=True)
base = torch.ones(2)
view, other = base[:], base[:1]
base.mul_(x)
view.mul_(2)
show(other.grad_fn)
other.mul_(2)
view.copy_(x)
view.add_(1)
view.lerp_(view, view)

# a view that may not be used any more says so before anything is computed
x = torch.ones(2, 2, requires_grad=True)
y = x * 2
with torch.no_grad(): v = y[0, 1]
with torch.no_grad(): m = y[:]
y.tril_()
z = v.var()
z = v.sum(7)
z = m @ torch.ones(3)
z = torch.cat([m, torch.ones(3)])
z = torch.bmm(m, m)

# what is wrong with an input that is saved is said before what is wrong with shapes, and hooks are shown it
x = torch.ones(2, 3, requires_grad=True)
with torch.inference_mode(): i = torch.ones(2, 3)
z = torch.mm(x, i)
z = torch.addcmul(x, i, torch.ones(7))
x.clone().addcdiv_(i, torch.ones(7), value=2)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t): z = x @ x
with torch.autograd.graph.saved_tensors_hooks(lambda t: show(t), lambda t: t): z = x @ x
with torch.autograd.graph.saved_tensors_hooks(lambda t: show(t), lambda t: t): z = x ** torch.ones(7)
with torch.autograd.graph.saved_tensors_hooks(lambda t: show(t), lambda t: t): z = torch.bmm(x, x)




# a node of a Function comes after those that views get when their edges are asked for
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.tensor([[1., 0.75]], requires_grad=True)
y = x * 0.5
v = y.t()
with torch.inference_mode(): y.mul_(2)
z = Double.apply(v)
show(torch.autograd.grad(z.sum(), y, retain_graph=True, allow_unused=True))
z.sum().backward(inputs=[x])

# a node whose gradient has nan in it, which anomaly mode does not let pass, has run all the same
x = torch.tensor([-1., 4.], requires_grad=True)
y = x.sqrt() * x
with torch.autograd.detect_anomaly(): y.sum().backward()
show(y.grad_fn._saved_self)
y.sum().backward()

# layer_norm() keeps its weight also when only that requires grad, which then may not change before the pass
x = torch.tensor([1., 2., 4.])
w = torch.ones(3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
v = w * 1
y = torch.nn.functional.layer_norm(x, (3,), v, b)
show(y.grad_fn._saved_weight)
v.mul_(2)
y.sum().backward()

# of a saved tensor that was detached in place and then changed it is said that it was detached
x = torch.tensor(0.5, requires_grad=True)
y = x * 0
z = x.minimum(y)
y.detach_()
y.mul_(2)
z.backward()
del z

# a pass for some inputs meets a node without a derivative
x = torch.tensor([4., 3.], requires_grad=True)
y = x * 2
torch.autograd.grad((y // 2).exp().sum(), y)
torch.autograd.grad((3 % y).exp().sum(), x)

# of two leaves the first is added up first, also where a hook of its own fails
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
x.register_hook(lambda g: [][0])
(x * y).sum().backward()
show(x.grad, y.grad)
(y * x).sum().backward()
show(x.grad, y.grad)
"""


def lines_of(program):
    """The lines of a program as the fuzzer runs them; what is indented belongs to the line before."""
    return re.split(r"\n(?=\S)", program.strip())


PROGRAMS = {
    title.strip(): lines_of(program) for title, program in re.findall(r"^# (.*)\n((?:.*\S.*\n)+)", TEXT, re.M)
}
