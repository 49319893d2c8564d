"""Chapter 18: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))


def _left_without():
    model = _network()
    model[2](model[1](model[0](torch.ones(4, 2))).detach()).sum().backward()
    return [name for name, parameter in model.named_parameters() if parameter.grad is None]


def _without_clearing():
    torch.manual_seed(0)
    points = torch.randn(64, 2)
    classes = (points[:, 0] * points[:, 1] > 0).float()
    model, losses = _network(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    for _ in range(60):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    fell = losses.index(min(losses))
    return "back" if losses[0] > 2 * losses[fell] and max(losses[fell:]) > losses[0] else "stays"


p1 = Proof(
    _left_without, first=["0.weight", "0.bias"], last=["2.weight", "2.bias"],
    all=["0.weight", "0.bias", "2.weight", "2.bias"], refused=RuntimeError,
)  # fmt: skip
p2 = Proof(_without_clearing)
