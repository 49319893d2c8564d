"""Chapter 05: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _two_paths():
    x = torch.tensor(5.0, requires_grad=True)
    return x, torch.log(x**3) + torch.sqrt(x**2)


def _seen_by_the_hook():
    x, z = _two_paths()
    seen = []
    x.register_hook(lambda grad: seen.append(grad.item()))
    z.backward()
    return seen


def _doubled_twice():
    a = torch.tensor(1.0, requires_grad=True)
    b = a + a
    c = b + b
    return a, b, c


def _seen_at_b():
    _, b, c = _doubled_twice()
    seen = []
    b.grad_fn.register_hook(lambda grad_inputs, grad_outputs: seen.append(grad_outputs[0].item()))
    c.backward()
    return seen


def _visits_for_sixty():
    """How many nodes run in 60 doublings; a hook on each counts them."""
    y = torch.tensor(1.0, requires_grad=True)
    count = 0

    def visited(grad_inputs, grad_outputs):
        nonlocal count
        count += 1

    for _ in range(60):
        y = y + y
        y.grad_fn.register_hook(visited)
    y.backward()
    return count


p3 = Proof(_seen_by_the_hook, each=[0.6, 1.0], growing=[0.6, 1.6], sum=[1.6])
p5 = Proof(_visits_for_sixty, paths=2**60, squared=3600, nodes=60, refused=RuntimeError)
p6 = Proof(_seen_at_b, twice=[1.0, 1.0], once=[2.0], end=[4.0])
