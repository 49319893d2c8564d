"""Chapter 03: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def log_of_cube():
    """The tensors x = 5 and log(x**3)."""
    x = torch.tensor(5.0, requires_grad=True)
    return x, torch.log(x**3)


def _again():
    x, z = log_of_cube()
    z.backward()
    z.backward()
    return x.grad


def _saved_after():
    _, z = log_of_cube()
    z.backward()
    return z.grad_fn._saved_self


def _a_third_time():
    x, z = log_of_cube()
    z.backward(retain_graph=True)
    z.backward()
    z.backward()
    return x.grad


def _sum_twice():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


def _runs_twice(f):
    y = f(torch.tensor([1.0, 2.0], requires_grad=True)).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return False
    return True


def _from_a_matrix():
    y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (2 * y + 1).backward()
    return y.grad


def _turn_that_fails():
    scale = torch.tensor(1.0, requires_grad=True).exp()
    for turn in (1, 2):
        try:
            ((scale - 3) ** 2).backward()
        except RuntimeError:
            return turn
    return None


p1 = Proof(_again, same=0.6, error=RuntimeError, added=1.2, full="an error for another reason")
p2 = Proof(_saved_after, kept=125.0, none=None, error=RuntimeError)
p3 = Proof(_a_third_time, runs=1.8, error=RuntimeError, stays=1.2)
p4 = Proof(_sum_twice, error=RuntimeError, once=[1.0, 1.0], twice=[2.0, 2.0])
p5 = Proof(
    lambda: [_runs_twice(f) for f in (lambda x: -x, lambda x: x * x, torch.exp, lambda x: x * 2)],
    sign_and_number=[True, False, False, True], sign=[True, False, False, False],
    all_but_square=[True, False, True, True],
)  # fmt: skip
p6 = Proof(_from_a_matrix, twos=[[2.0, 2.0], [2.0, 2.0]], sum=8.0, error=RuntimeError)
p8 = Proof(_turn_that_fails, first=1, second=2, none=None)
