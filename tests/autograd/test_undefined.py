"""Undefined gradients: what the next nodes receive, and what gradcheck, which tries them, says."""

import pytest
from programs import shown

import autograd_nb

START = """
class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return None

class Double(torch.autograd.Function):
    fills = False

    @classmethod
    def forward(cls, ctx, x):
        ctx.set_materialize_grads(cls.fills)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("backward of", grad)
        return None if grad is None else grad * 2

class Filled(Double):
    fills = True

class Careless(Double):
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class Refusing(Double):
    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            raise RuntimeError("no gradient")
        return grad * 2

class Inventing(Double):
    @staticmethod
    def backward(ctx, grad):
        return torch.ones(2, dtype=torch.float64) if grad is None else grad * 2

class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, first, second):
        return (0 if first is None else first * 2) + (0 if second is None else second * 3) or None

def of_hook(x):
    y = x * 2
    y.register_hook(lambda grad: torch.autograd.grad((y * y).sum(), x, retain_graph=True)[0])
    return y

x = torch.tensor([.3, .6], dtype=torch.float64, requires_grad=True)
gradcheck = torch.autograd.gradcheck
"""
PROGRAMS = [
    f"y = {function}.apply(x); y.register_hook(lambda g: print('hook', g)); {line}; print(x.grad)"
    for function in ("Double", "Filled") for line in (
        "print(torch.autograd.grad(Stop.apply(y), x, torch.zeros(2), allow_unused=True))",
        "Stop.apply(y).sum().backward()",
        "print(torch.autograd.grad((Stop.apply(y) + y).sum(), x))",
        "Stop.apply(y).sum().backward(inputs=[x])", "Stop.apply(y * y).sum().backward()")
]  # fmt: skip
PROGRAMS += [
    *(f"print(gradcheck({function}.apply, x, check_undefined_grad={check}))"
      for function in ("Careless", "Refusing", "Inventing") for check in (True, False)),
    "print(gradcheck(Refusing.apply, x, raise_exception=False))",
    "print(gradcheck(lambda x: (x.sin(), x.cos()), x), gradcheck(lambda x: x.max(0)[0], x))",
    "print(torch.autograd.gradgradcheck(lambda x: (x.sin(), x.cos()), x))",
    "print(gradcheck(lambda x: x.unbind(), x), gradcheck(lambda x: torch.ones(2, dtype=torch.float64), x))",
    "print(gradcheck(of_hook, x))",
]  # fmt: skip


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_prints_warns_and_raises_what_torch_does(text, torch):
    assert shown(autograd_nb, START + text) == shown(torch, START + text)
