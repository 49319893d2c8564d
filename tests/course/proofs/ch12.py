"""Chapter 12: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _log_of_cube():
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    return x, y, torch.log(y)


def _kept_at_y():
    x, y, z = _log_of_cube()
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    z.backward()
    return y.grad


def _third_of_three():
    seen = []
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    y.register_hook(lambda grad: seen.append(grad.item()))
    y.register_hook(lambda grad: grad * 10)
    y.register_hook(lambda grad: seen.append(grad.item()))
    (y * 3).backward()
    return seen


def _calls_where_paths_meet():
    seen = []
    x = torch.tensor(5.0, requires_grad=True)
    x.register_hook(seen.append)
    (torch.log(x**3) + torch.sqrt(x**2)).backward()
    return len(seen)


def _order_of_kinds():
    order = []
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    x.register_post_accumulate_grad_hook(lambda leaf: order.append("accumulated"))
    x.register_hook(lambda grad: order.append("x"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("after"))
    y.grad_fn.register_prehook(lambda outputs: order.append("before"))
    y.register_hook(lambda grad: order.append("y"))
    (y * 3).backward()
    return order


p2 = Proof(_kept_at_y, before=0.008, after=0.016, none=None)
p3 = Proof(_third_of_three, same=[3.0, 3.0], ten=[3.0, 30.0], reversed=[30.0, 3.0])
p4 = Proof(_calls_where_paths_meet, twice=2, once=1, thrice=3)
p5 = Proof(
    _order_of_kinds, registered=["accumulated", "x", "after", "before", "y"],
    tensors=["y", "x", "before", "after", "accumulated"], walk=["y", "before", "after", "x", "accumulated"],
)  # fmt: skip
