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

# a view whose base got its history through another view counts as a leaf too
x = torch.ones(2, requires_grad=True)
base = torch.ones(2)
view = base[:]
other = view[:1]
view.mul_(x)
view.add_(x)
other.mul_(2)
show(other.requires_grad, other.output_nr)
other.mul_(x[:1])
view *= 3
view.sum().backward()

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

# operations that gather and products look at shapes before they look at memory
x = torch.ones(2, 3)
x.index_add_(0, torch.tensor([0]), x)
x.index_add_(0, torch.tensor([0, 1]), x)
x.index_put_((torch.tensor([0]),) * 3, x)
x.index_put_((torch.tensor([0, 1]),), x)
x.scatter_(5, torch.tensor([[0]]), x)
x.scatter_(0, torch.tensor([[0]]), x)
y = torch.ones(3).expand(3, 3)
y.addmm_(y, y)
y.add_(torch.ones(7))

# what is written to some elements of an expanded tensor is written to all that share their memory
x = torch.ones(3)
y = x.expand(2, 3)
y[[0]] = 3
show(x)
y.masked_fill_(torch.tensor([[False] * 3, [True, False, True]]), 4)
z = torch.ones(2, 1).expand(2, 3)
y.zero_()

# whether a tensor may be changed at all is asked before what its other arguments are
x = torch.ones(2, 3, requires_grad=True)
x.add_(x, alpha=True)
x -= True
x.lerp_(x.double(), 2)
x.lerp_(x, x.double())
x.cumprod_(2)
x.fill_(torch.ones(2))
x.masked_fill_(x > 0, x)
x[0].sub_(1, alpha=True)

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

# under create_graph the gradients of what was placed by index show PyTorch's steps
x = torch.ones(2, 2, requires_grad=True)
s = torch.ones(1, 2, requires_grad=True)
i = torch.tensor([0])
g2, g3 = torch.autograd.grad((x.index_add(0, i, s, alpha=2) ** 2).sum(), (x, s), create_graph=True)
y = torch.ones(2, 0, requires_grad=True) * 1
g9, = torch.autograd.grad((y.cumsum(0).flip(0) ** 2).sum(), y, create_graph=True)

# a node whose gradient has nan in it, which anomaly mode does not let pass, has run all the same
x = torch.tensor([-1., 4.], requires_grad=True)
y = x.sqrt() * x
with torch.autograd.detect_anomaly(): y.sum().backward()
show(y.grad_fn._saved_self)
y.sum().backward()

# results lie in memory as PyTorch's do: in rows what was gathered or summed up so far, in columns what was eliminated
m = torch.tensor([[2., 1., 3.], [0., 3., 4.]])
t = m.t()
for k in range(2): show(t.cumsum(k).view(-1))
show(t.roll(1, 0).view(-1), t.roll(1, 1).view(-1))
show(t.renorm(2, 0, 1.).view(-1))
show(t.gather(0, torch.zeros(2, 3, dtype=torch.long).t()).view(-1))
show(t.index_add(0, torch.tensor([0]), t[:1]).view(-1))
a = m[:, :2].contiguous()
both = torch.stack([a, a])
show(torch.linalg.solve(a, m).stride(), torch.linalg.solve(both, both).stride())
show(torch.linalg.solve(a, m[:, 0]).stride(), torch.linalg.inv(both).stride())

# layer_norm() keeps its weight also when only that requires grad, which then may not change before the pass
x = torch.tensor([1., 2., 4.])
w = torch.ones(3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
v = w * 1
y = torch.nn.functional.layer_norm(x, (3,), v, b)
show(y.grad_fn._saved_weight)
v.mul_(2)
y.sum().backward()

# a gradient without elements may be changed in place by a hook
x = torch.tensor([], requires_grad=True)
y = x * 2
y.t_()
h = x.register_hook(lambda g: g.mul_(2))
y.sum().backward()

# random numbers fill memory in its order
generator = torch.manual_seed(3)
t = torch.ones(4, 5).t()
show(torch.empty(4, 5).t().normal_(), torch.empty(2, 3).t().uniform_())
show(torch.rand_like(t), torch.randn_like(t), torch.randint_like(t, 9))
show(torch.nn.functional.dropout(t, 0.3), torch.nn.functional.dropout(t, 0.3).stride())

# trigamma near its poles
# of a saved tensor that was detached in place and then changed it is said that it was detached
x = torch.tensor(0.5, requires_grad=True)
y = x * 0
z = x.minimum(y)
y.detach_()
y.mul_(2)
z.backward()
del z

# what a determinant's elimination leaves of matrices that do and do not lie in rows
x = torch.tensor([[[0.75, 4.0], [-2.0, 3.0]], [[2.0, 0.25], [0.5, 1.5]]], requires_grad=True)
y = x[:, 1].det()

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
