"""Chapter 19: what its cards ask for, found by running it."""

import math

import autograd_nb as torch
from autograd_nb.course.exercises.ch17 import Value, backward
from autograd_nb.course.exercises.ch19 import _parameters, tanh
from tests.course.proofs.proof import Proof


def _steepest():
    x = Value(0.0)
    backward(tanh(x))
    return x.grad


def _same_losses():
    """Whether a neuron learns the same in the small engine and in the real one."""
    w = [Value(0.5), torch.tensor(0.5, dtype=torch.float64, requires_grad=True)]
    losses = [tanh(w[0]) * tanh(w[0]), torch.tanh(w[1]) ** 2]
    backward(losses[0])
    losses[1].backward()
    return math.isclose(w[0].grad, w[1].grad.item(), rel_tol=1e-12)


def _shape_at_the_image():
    image = torch.zeros(64, requires_grad=True)
    torch.nn.Linear(64, 10)(image)[3].backward()
    return tuple(image.grad.shape)


p1 = Proof(_steepest)
p2 = Proof(lambda: _parameters(2, 8, 1))
p3 = Proof(_same_losses, same=True, alike=False, apart=None)
p5 = Proof(_shape_at_the_image)
