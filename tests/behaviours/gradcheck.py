"""gradcheck and gradgradcheck: right and wrong derivatives, their messages and warnings."""

# ruff: noqa: F821, F841, E731, E741, B023, B018, B011
F = torch.autograd.Function


class Wrong(F):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a**b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b * a ** (b - 1), g * a**b * torch.log(a + 1)


class NotLinear(F):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2 + 1e-7


d = dict(dtype=torch.float64, requires_grad=True)


def double(value, **kwargs):
    return torch.tensor(value, **{**d, **kwargs})


gc, ggc = torch.autograd.gradcheck, torch.autograd.gradgradcheck
x, q = double(5.0), double(3.0)
show("first 1", gc, Wrong.apply, (x, q))
show("second 5", ggc, torch.pow, (x, q))
show("first 7", gc, Wrong.apply, (double([1.0, 2.0]), q))
show("first 9", gc, Wrong.apply, (double(5.0, dtype=torch.float32), double(3.0, dtype=torch.float32)))
show("first 10", gc, lambda a: (a * 2, (a**2).sum()), double([1.0, 2.0, 3.0]))
show("second 12", ggc, lambda a: (a**3, (a**2).sum()), double([1.0, 2.0, 3.0]))
show("first 13", gc, NotLinear.apply, double(1.0))
show("first 18", gc, lambda a: torch.exp(torch.tensor(a.item())), double(1.0))
show("first 19", gc, lambda a: torch.tensor(3.0, dtype=torch.float64), double(1.0))
show("first 28", gc, torch.log, double([0.0, 1.0]))
show("first 29", gc, torch.log, double([-1.0, 1.0]))
show("first 30", gc, lambda a: [a * 2, a * 3], double(1.0))
