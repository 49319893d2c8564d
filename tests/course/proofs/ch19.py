"""Chapter 19: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _by_heart():
    """What a network of the chapter's sizes has right of 200 seen images, and of unseen ones, with random labels."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
    assert sum(parameter.numel() for parameter in model.parameters()) == 2410
    images, labels = torch.rand(400, 64), torch.randint(10, (400,))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(200):
        loss = torch.nn.functional.cross_entropy(model(images[:200]), labels[:200])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = (model(images).argmax(1) == labels).float()
    seen, unseen = right[:200].mean().item(), right[200:].mean().item()
    return "heart" if seen > 0.9 and unseen < 0.2 else "both" if unseen > 0.5 else "chance"


p7 = Proof(_by_heart)
