"""Six patients for chapter 18: training loops as they come in practice, each with a fault, with two, or with none.

If you read on, you read the answers.
"""

from ..microscope import names

names.PROGRAMS.append(__file__)


class Patient:
    """A model, its optimizer, and `turn()`, which trains one step and returns the loss.

    torch: the library that trains it, PyTorch or autograd_nb. care: a patient's number, from 1 to 6, or your own
    function: a step, of (model, optimizer, points, classes), or a network, without arguments.
    """

    def __init__(self, torch, care):
        care = PATIENTS[care - 1](torch) if isinstance(care, int) else care
        is_network = care.__code__.co_argcount == 0
        torch.manual_seed(0)
        self.points = torch.randn(64, 2)
        self.classes = (self.points[:, 0] * self.points[:, 1] > 0).float()
        torch.manual_seed(1)
        self.model = (care if is_network else healthy(torch))()
        self.model.start = [each.detach().clone() for each in self.model.parameters()]
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=2.0)
        self.step = sound(torch) if is_network else care
        self.loss_of = loss_with(torch)

    @property
    def given(self):
        return self.model, self.optimizer, self.points, self.classes

    def turn(self):
        loss = self.step(*self.given)
        return loss.item() if hasattr(loss, "item") else loss

    def loss(self, measure=None):
        """Its loss now, by measure(outputs, classes) or by `loss_of`."""
        return (measure or self.loss_of)(self.model(self.points).detach(), self.classes).item()


def healthy(torch):
    """Makes a network that can learn."""
    return lambda: torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))


def loss_with(torch):
    """The loss of outputs, a row for each, and classes."""

    def loss_of(outputs, classes):
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(1), classes)

    return loss_of


def sound(torch):
    """A step in which nothing is wrong."""
    loss_of = loss_with(torch)

    def turn(model, optimizer, points, classes):
        loss = loss_of(model(points), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return turn


def first(torch):
    loss_of = loss_with(torch)

    def turn(model, optimizer, points, classes):
        with torch.no_grad():
            hidden = model[1](model[0](points))
        loss = loss_of(model[2](hidden), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return turn


def second(torch):
    def turn(model, optimizer, points, classes):
        outputs = torch.sigmoid(model(points))
        loss = ((outputs - classes) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return turn


def third(torch):
    def third_network():
        layer = torch.nn.Linear(2, 16)
        with torch.no_grad():
            layer.bias.fill_(-20.0)
        return torch.nn.Sequential(layer, torch.nn.ReLU(), torch.nn.Linear(16, 1))

    return third_network


def fourth(torch):
    loss_of = loss_with(torch)

    def turn(model, optimizer, points, classes):
        pairs = zip(model.parameters(), model.start, strict=True)
        moved = sum(((now - then) ** 2).sum() for now, then in pairs)
        loss = loss_of(model(points), classes) + 0.01 * moved.sqrt()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return turn


def fifth(torch):
    loss_of, history = loss_with(torch), []

    def turn(model, optimizer, points, classes):
        loss = loss_of(model(points), classes)
        history.append(loss.detach().clone())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return turn


def sixth(torch):
    loss_of = loss_with(torch)

    def turn(model, optimizer, points, classes):
        hidden = model[1](model[0](points).detach())
        loss = loss_of(model[2](hidden), classes)
        hidden.mul_(0.9)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return turn


PATIENTS = first, second, third, fourth, fifth, sixth
