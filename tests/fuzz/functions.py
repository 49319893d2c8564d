"""Functions that a random program may define and apply: for each a line that defines it, and expressions that use it.

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
        show(ctx.needs_input_grad, grad)
        return grad * 2 * x

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

class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 3

class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return 3 * ctx.saved_tensors[0] ** 2 * grad

{doubling}class TooFew(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, grad):
        return grad
'''

doubling = "".join(DOUBLING.format(name=name, backward=backward) for name, backward in BACKWARDS.items())
DEFINITIONS = dict(
    re.findall(r"^(?s:class (\w+)(.*?))(?=\n\nclass|\Z)", SOURCE.strip().replace("{doubling}", doubling), re.M)
)
USES = {"Product": ["Product.apply({x}, {y}, {n})", "Product.apply({x}, {x}, 2)",
                    "Product.apply({x}, y={y}, number=2)"],
        "Both": ["Both.apply({x})[0]", "Both.apply({x})[1]", "sum(Both.apply({x}))"],
        "TooFew": ["TooFew.apply({x}, {y})"],
        "Doubled": ["Doubled.apply({x} * 1)"],
        "Partly": ["Partly.apply({x})[0]", "Partly.apply({x})[1]"]}  # fmt: skip
FUNCTIONS = {
    name: (f"class {name}{body}".rstrip(), USES.get(name, [f"{name}.apply({{x}})"]))
    for name, body in DEFINITIONS.items()
}
