"""The programs whose pictures the tests check: programs of the course's sources, and graphs that are hard to draw."""

import autograd_nb as torch


def power():
    """z = log(x ** 3) at x = 5, the source's program 4."""
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    return x, y, z


def two_paths():
    """Program 9: x reaches z by two paths."""
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    w = x**2
    z = torch.log(y) + torch.sqrt(w)
    z.backward()
    return x, y, w, z


def vectors():
    """Program 13: a number times a vector, then a dot product; both results retain their gradient."""
    x = torch.tensor(5.0, requires_grad=True)
    y = x * torch.tensor([2.0, 3.0, 5.0])
    z = y @ torch.tensor([4.0, 7.0, 9.0])
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return x, y, z


def second_order():
    """Program 18: the gradient has a graph of its own."""
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    z = torch.log(y)
    (dz_dx,) = torch.autograd.grad(z, x, create_graph=True)
    (second,) = torch.autograd.grad(dz_dx, x)
    return x, y, z, dz_dx, second


def quickstart():
    """One layer and its loss, the official quickstart of source C."""
    x = torch.ones(5)
    y = torch.zeros(3)
    w = torch.tensor([[0.25, -0.5, 1.0]] * 5, requires_grad=True)
    b = torch.tensor([0.5, -0.5, 0.25], requires_grad=True)
    z = torch.matmul(x, w) + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return w, b, z, loss


def cut():
    """Programs 14 to 16: a detach between the two halves, a hook, and a part under no_grad."""
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    y.register_hook(lambda grad: grad * 2)
    z = torch.log(y)
    w = z.detach()
    with torch.no_grad():
        v = x * w
    z.backward()
    return x, y, z, v


def in_place():
    """A result changed in place before its derivative is needed: backward fails."""
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = a.exp()
    c = b.detach()
    c.zero_()
    try:
        b.sum().backward()
    except RuntimeError:
        pass
    return a, b, c


def views():
    """A view written to: its base gets the history of the change."""
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = a * 2
    row = b[0]
    row.mul_(10)
    z = b.sum()
    z.backward()
    return a, b, row, z


def perceptron(layers, width=20):
    """A network of linear layers: three calls and four leaves or results for each; exact on every processor."""
    x = torch.ones(64, width)
    for _ in range(layers):
        weight, bias = torch.eye(width, requires_grad=True), torch.zeros(width, requires_grad=True)
        x = torch.relu(torch.addmm(bias, x, weight.t()))
    loss = x.sum()
    return loss


PROGRAMS = {
    program.__name__: program
    for program in (power, two_paths, vectors, second_order, quickstart, cut, in_place, views)
}
