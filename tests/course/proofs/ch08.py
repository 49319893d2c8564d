"""Chapter 08: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof

seen = []


class _Looking(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        result = a**b
        seen.append([result.requires_grad, result.grad_fn is not None])
        return result


class _OneGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class _KeptAsAttribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result


class _Asking(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        seen.append(list(ctx.needs_input_grad))
        return grad_output, None


def _leaf(value):
    return torch.tensor(value, requires_grad=True)


def _inside_forward():
    _Looking.apply(_leaf(5.0), _leaf(3.0))
    return seen.pop()


def _one_gradient_for_two():
    x = _leaf(2.0)
    _OneGradient.apply(x, 3.0).backward()
    return x.grad


def _second_derivative():
    x = _leaf(1.0)
    (first,) = torch.autograd.grad(x * _KeptAsAttribute.apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    e = torch.tensor(1.0).exp()
    return "right" if torch.allclose(second, 3 * e) else "less" if second < 3 * e else "more"


def _needed():
    _Asking.apply(_leaf(2.0), torch.tensor(3.0)).backward()
    return seen.pop()


p2 = Proof(_inside_forward, both=[True, True], requires=[True, False], neither=[False, False])
p3 = Proof(_one_gradient_for_two, runs=1.0, none=None, error=RuntimeError)
p4 = Proof(_second_derivative)
p5 = Proof(_needed, both=[True, True], first=[True, False], second=[False, True])
