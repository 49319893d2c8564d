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

# a node whose gradient has nan in it, which anomaly mode does not let pass, has run all the same
x = torch.tensor([-1., 4.], requires_grad=True)
y = x.sqrt() * x
with torch.autograd.detect_anomaly(): y.sum().backward()
show(y.grad_fn._saved_self)
y.sum().backward()

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
