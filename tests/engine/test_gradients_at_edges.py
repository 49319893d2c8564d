"""A gradient fits its tensor at every edge: what user code returns is brought to its shape and dtype, or refused.

User code is the backward of a Function, and hooks of tensors, nodes and modules; it returns what is right, of another
shape or dtype, and what is no tensor.
"""

import warnings

import pytest

import autograd_nb

RETURNED = {
    "right": "g", "other shape": "torch.ones(5)", "to be summed": "torch.ones(4, *g.shape)",
    "a dimension more": "torch.ones(2, 2, 3)", "0-d": "torch.tensor(1.)", "one element": "torch.ones(1)",
    "no element": "torch.ones(0)", "double": "g.double()", "half": "g.half()", "integers": "g.long()", "bools": "g > 0",
    "double of other shape": "torch.ones(5).double()", "None": "None", "a number": "1.0", "a list": "[g]",
    "two": "(g, g)", "one and None": "(g, None)", "nothing": "()", "an array": "g.numpy()", "a text": "'a'",
}  # fmt: skip
PLACES = {  # x and its use, in which `apply` is the Function and `f` what gives the gradient
    "a leaf": "apply(x).sum().backward()",
    "an operation": "apply(x * 3).sum().backward()",
    "a retained one": "h = x * 3; h.retain_grad(); apply(h).sum().backward(); print(h.grad)",
    "a hooked one": "h = x * 3; h.register_hook(print); apply(h).sum().backward()",
    "autograd.grad": "print(torch.autograd.grad(apply(x * 3).sum(), x, allow_unused=True))",
    "create_graph": "print(torch.autograd.grad(apply(x * 3).sum(), x, create_graph=True, allow_unused=True))",
    "a hook of a leaf": "x.register_hook(f); (x * 2).sum().backward()",
    "a hook of a result": "y = x * 2; y.register_hook(f); y.sum().backward()",
    "a hook after a node": "y = x * 2; y.grad_fn.register_hook(lambda i, o: (f(i[0]), None)); y.sum().backward()",
    "a hook before a node": "y = (x * 2).exp(); y.grad_fn.register_prehook(lambda o: (f(o[0]),)); y.sum().backward()",
    "a hook of a module": "m = torch.nn.Identity(); m.register_full_backward_hook(lambda m, i, o: (f(i[0]),)); "
    "m(x * 1).sum().backward()",
    "backward": "(x * 2).backward(f(torch.ones_like(x)))",
    "a node called": "print((x * 2).grad_fn(f(torch.ones_like(x))))",
    "an assignment": "x.grad = f(torch.ones_like(x)); (x * 2).sum().backward()",
}
PROGRAM = """
f = lambda g: {returned}

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return f(g)

apply, x = Twice.apply, torch.ones({shape}, dtype=torch.{dtype}, requires_grad=True)
{place}
print(x.grad, x.grad is None or x.grad.dtype)
"""


def shown(library, program, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, {"torch": library})
        except Exception as error:
            print(type(error).__name__, error)
    return capsys.readouterr().out


@pytest.mark.parametrize("place", PLACES)
def test_what_user_code_returns_is_fitted_or_refused_as_by_pytorch(place, torch, capsys):
    different = []
    for words, returned in RETURNED.items():
        for shape, dtype in *((each, "float32") for each in ((3,), (2, 3), (), (0,))), ((3,), "float64"):
            program = PROGRAM.format(returned=returned, shape=shape, dtype=dtype, place=PLACES[place])
            if shown(autograd_nb, program, capsys) != shown(torch, program, capsys):
                different.append((words, shape, dtype))
    assert different == []
