"""Functions of the user's own that a random program may define and apply: each a line of a program, and how it is used.

``FUNCTIONS[name]`` is ``(definition, [expressions])``.
"""

import re

DOUBLING = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        {backward}

"""
BACKWARDS = {  # of Functions that double
    "Nothing": "return None", "TooMany": "return grad, grad", "WrongShape": "return torch.ones(5, 7)",
    "Wider": "return grad.double().expand(2, *grad.shape)", "NoTensor": "return 1.0",
    "Failing": 'raise ValueError("not today")',
}  # fmt: skip

SOURCE = '''
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x

class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        show(ctx.needs_input_grad, grad)
        return grad * result

class Product(torch.autograd.Function):
    @staticmethod
    def forward(x, y, number):
        return x * y * number
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.number = inputs
        ctx.save_for_backward(x, y)
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y * ctx.number, grad * x * ctx.number if ctx.needs_input_grad[1] else None, None

class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sin(), x.cos()
    @staticmethod
    def backward(ctx, first, second):
        show(first, second)
        return first + second

class Partly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        a, b = x * 2, x > 0
        ctx.mark_non_differentiable(b)
        return a, b, "words"
    @staticmethod
    def backward(ctx, a, b, words):
        show(a, b, words)
        return a

class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class Unmarked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 3

class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad):
        return grad

class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.reshape(-1)
    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.shape)

class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return 3 * ctx.saved_tensors[0] ** 2 * grad

{doubling}class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (ctx.x ** 2).sum() + ctx.x.sum()
        return ctx.y.detach()
    @staticmethod
    def backward(ctx, grad):
        (inner,) = torch.autograd.grad(ctx.y, ctx.x, retain_graph=True)
        return inner * grad

class Intermediate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = x.exp()
        ctx.save_for_backward(x, e, None)
        return e + x
    @staticmethod
    def backward(ctx, grad):
        x, e, nothing = ctx.saved_tensors
        show(nothing, grad.requires_grad)
        return grad * (e + 1)

class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, other):
        x.div_(2)
        ctx.mark_dirty(x)
        return x, other * 2
    @staticmethod
    def backward(ctx, first, second):
        show(first, second)
        return first / 2, second * 2

class NotInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clone()
        ctx.mark_dirty(y)
        return y
    @staticmethod
    def backward(ctx, grad):
        return grad

class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors, *rest, scale=1):
        ctx.count = len(rest)
        return sum(tensors) * scale + sum(rest)
    @staticmethod
    def backward(ctx, grad):
        return None, *[grad] * ctx.count

class TooFew(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, grad):
        return grad

class Number(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum().item()
    @staticmethod
    def backward(ctx, grad):
        return grad

class Indices(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = x.flatten().sort()
        ctx.save_for_backward(indices)
        ctx.shape = x.shape
        return values, indices
    @staticmethod
    def backward(ctx, grad, nothing):
        (indices,) = ctx.saved_tensors
        show(nothing)
        return torch.zeros_like(grad).scatter(0, indices, grad).reshape(ctx.shape)

class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin() * torch.is_grad_enabled() + x.exp()
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            (inner,) = torch.autograd.grad(x.exp().sum(), x)
        return inner * grad

class Held(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        ctx.result = x * x
        return ctx.result
    @staticmethod
    def backward(ctx, grad):
        show(ctx.x.requires_grad, ctx.result.requires_grad, ctx.needs_input_grad)
        return grad * 2 * ctx.x

class Changing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        grad.mul_(2)
        return grad

class Forward(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad
    @staticmethod
    def jvp(ctx, tangent):
        return 2 * ctx.saved_tensors[0] * tangent

class Refusing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        raise ValueError("not here")

class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
'''

doubling = "".join(DOUBLING.format(name=name, backward=backward) for name, backward in BACKWARDS.items())
DEFINITIONS = dict(
    re.findall(r"^(?s:class (\w+)(.*?))(?=\n\nclass|\Z)", SOURCE.strip().replace("{doubling}", doubling), re.M)
)
USES = {"Product": ["Product.apply({x}, {y}, {n})", "Product.apply({x}, {x}, 2)",
                    "Product.apply({x}, y={y}, number=2)"],
        "Both": ["Both.apply({x})[0]", "Both.apply({x})[1]", "sum(Both.apply({x}))"],
        "Halved": ["Halved.apply({x}, {y})[0]", "Halved.apply({x}, {y})[1]"],
        "Sum": ["Sum.apply([{x}, {x}], {x})", "Sum.apply([{x}], {x}, {y}, scale=2)", "Sum.apply(({x},), {n}, {y})"],
        "TooFew": ["TooFew.apply({x}, {y})"], "Indices": ["Indices.apply({x})[0]", "Indices.apply({x})[1]"],
        "Doubled": ["Doubled.apply({x})", "Doubled.apply({x}[0])", "Doubled.apply({x}.view(-1))"],
        "Forward": ["Forward.apply({x})"],
        "Partly": ["Partly.apply({x})[0]", "Partly.apply({x})[1]"]}  # fmt: skip
FUNCTIONS = {
    name: (f"class {name}{body}".rstrip(), USES.get(name, [f"{name}.apply({{x}})"]))
    for name, body in DEFINITIONS.items()
}
