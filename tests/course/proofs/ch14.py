"""Chapter 14: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _two_paths():
    x = torch.tensor(5.0, requires_grad=True)
    return torch.log(x**3) + torch.sqrt(x**2)


def _below_the_logarithm():
    node, names = _two_paths().grad_fn.next_functions[0][0], []
    while node.next_functions:
        ((node, _),) = node.next_functions
        names.append(type(node).__name__)
    return names


def _ends():
    ends = set()
    for node, _ in _two_paths().grad_fn.next_functions:
        while node.next_functions:
            ((node, _),) = node.next_functions
        ends.add(node)
    return len(ends)


def _saved_by_an_addition():
    a, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    total = a + b
    return [name for name in ("_saved_self", "_saved_other", "_saved_result") if hasattr(total.grad_fn, name)]


def _saved_after_backward():
    z = _two_paths()
    log = z.grad_fn.next_functions[0][0]
    z.backward()
    return log._saved_self


def _rounded():
    x = torch.tensor(1.2345, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(torch.Tensor.half, torch.Tensor.float):
        y = x * x
    y.backward()
    exact = x.item()
    return [abs(y.item() - exact**2) > 1e-4, abs(x.grad.item() - 2 * exact) > 1e-4]


p1 = Proof(
    _below_the_logarithm, leaf=["AccumulateGrad"], mul=["MulBackward0", "AccumulateGrad"],
    pow=["PowBackward0", "AccumulateGrad"],
)  # fmt: skip
p2 = Proof(_ends, two=2, one=1, none=0)
p3 = Proof(_saved_by_an_addition, both=["_saved_self", "_saved_other"], nothing=[], result=["_saved_result"])
p4 = Proof(_saved_after_backward, value=125.0, none=None, error=RuntimeError)
p5 = Proof(_rounded, both=[True, True], value=[True, False], gradient=[False, True], refused=RuntimeError)
