"""Six patients for chapter 18: training loops as they come in practice, each with a fault, with two, or with none.

A patient is made of the library that is to train it, PyTorch or autograd_nb: its model, its optimizer, and `turn()`,
which trains one step and returns the loss.  To read on is to read the answers.
"""

from types import SimpleNamespace


def _admitted(torch):
    """Points, their classes, and a network that can tell these apart."""
    torch.manual_seed(0)
    points = torch.randn(64, 2)
    classes = (points[:, 0] * points[:, 1] > 0).float()
    torch.manual_seed(1)
    layers = torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    return points, classes, torch.nn.Sequential(*layers)


def first(torch):
    points, classes, model = _admitted(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

    def turn():
        with torch.no_grad():
            hidden = model[1](model[0](points))
        outputs = model[2](hidden)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)


def second(torch):
    points, classes, model = _admitted(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def turn():
        outputs = torch.sigmoid(model(points))
        loss = ((outputs - classes) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)


def third(torch):
    points, classes, model = _admitted(torch)
    with torch.no_grad():
        model[0].bias.fill_(-20.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

    def turn():
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)


def fourth(torch):
    points, classes, model = _admitted(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    start = [each.detach().clone() for each in model.parameters()]

    def turn():
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), classes)
        moved = sum(((now - then) ** 2).sum() for now, then in zip(model.parameters(), start, strict=True))
        loss = loss + 0.01 * moved.sqrt()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)


def fifth(torch):
    points, classes, model = _admitted(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    history = []

    def turn():
        outputs = model(points)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)
        history.append(loss.detach().clone())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)


def sixth(torch):
    points, classes, model = _admitted(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

    def turn():
        hidden = torch.sigmoid(model[0](points).detach())
        outputs = model[2](hidden)
        hidden.mul_(0.9)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return SimpleNamespace(model=model, optimizer=optimizer, turn=turn)
