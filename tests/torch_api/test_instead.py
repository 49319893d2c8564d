"""The code that a missing name's sentence advises gives the name's result, in PyTorch and in ours.

Each advice runs in both, beside the replaced code in PyTorch, with tensors of several shapes, also with zeros.
"""

import ast
import pickle
from functools import reduce

import numpy as np
import pytest

import autograd_nb
from autograd_nb.torch_api import absent
from autograd_nb.words import of

CLAUSES = of("missing")["clauses"]
# {name: (what to read after the advice, if not its value; what it replaces in PyTorch)}
SAME = {
    "torch.Tensor.apply_": ("x", "x.apply_(f)"),
    "torch.Tensor.bernoulli_": ("x", "x.bernoulli_()"),
    "torch.Tensor.random_": ("x", "x.random_(0, 10)"),
    "torch.Tensor.reshape_as": "x.reshape_as(other)",
    "torch.autograd.forward_ad.dual_level": "(f(x), dual())",
    "torch.autograd.forward_ad.make_dual": "(f(x), dual())",
    "torch.autograd.grad(is_grads_batched)": "torch.autograd.grad(output, leaf, rows, is_grads_batched=True)[0]",
    "torch.autograd.profiler.profile": ("f(x)", "f(x)"),
    "torch.bernoulli": "torch.bernoulli(p)",
    "torch.bincount": "torch.bincount(indices)",
    "torch.cdist": "torch.cdist(a, b)",
    "torch.count_nonzero": "torch.count_nonzero(x)",
    "torch.func.grad": "torch.func.grad(g)(x)",
    "torch.func.hessian": "torch.func.hessian(g)(x)",
    "torch.func.jacfwd": "torch.func.jacfwd(f)(x)",
    "torch.func.jacrev": "torch.func.jacrev(f)(x)",
    "torch.func.jvp": "torch.func.jvp(f, (x,), (v,))",
    "torch.func.vjp": "(f(x), torch.func.vjp(f, x)[1](v)[0])",
    "torch.load": ("model.weight", "model.weight"),
    "torch.meshgrid": ("(rows, columns)", "torch.meshgrid(x, y, indexing='ij')"),
    "torch.nn.Conv2d": "torch.func.functional_call(torch.nn.Conv2d(2, 5, 3), {'weight': kernel, 'bias': bias}, images)",
    "torch.nn.CrossEntropyLoss(label_smoothing)": "torch.nn.CrossEntropyLoss(label_smoothing=0.1)(logits, labels)",
    "torch.nn.HuberLoss": "torch.nn.HuberLoss()(x, y)",
    "torch.nn.LazyLinear": ("layer(inputs)", "torch.nn.LazyLinear(3)(inputs)"),
    "torch.nn.Module.cuda": ("model.weight", "model.weight"),
    "torch.nn.Module.register_buffer(persistent)": (
        "(model.mask, list(model.state_dict()))",
        "model.register_buffer('mask', torch.ones(3), persistent=False) or (model.mask, list(model.state_dict()))"),
    "torch.nn.ModuleDict": (
        "(layers.first(inputs), list(layers.state_dict()))",
        "(d := torch.nn.ModuleDict({'first': torch.nn.Linear(2, 2)})) and (d['first'](inputs), list(d.state_dict()))"),
    "torch.nn.MultiheadAttention": "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    "torch.nn.ParameterList": (
        "(getattr(weights, '0'), list(weights.state_dict()))",
        "(ws := torch.nn.ParameterList([torch.randn(3)])) and (ws[0], list(ws.state_dict()))"),
    "torch.nn.SmoothL1Loss": "torch.nn.SmoothL1Loss()(x, y)",
    **{f"torch.nn.init.{name}": f"torch.nn.init.{name}(weight)" for name in (
        "kaiming_normal", "kaiming_uniform", "normal", "uniform", "xavier_normal", "xavier_uniform")},
    "torch.nn.init.constant": "torch.nn.init.constant(weight, 0.5)",
    "torch.conv2d": "torch.nn.functional.conv2d(images, kernel)",
    "torch.cosine_similarity": "torch.nn.functional.cosine_similarity(x, y)",
    "torch.nn.functional.leaky_relu(inplace)": ("x", "torch.nn.functional.leaky_relu(x, inplace=True)"),
    "torch.nn.functional.normalize": "torch.nn.functional.normalize(x)",
    "torch.nn.functional.scaled_dot_product_attention": "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    "torch.profiler.profile": ("f(x)", "f(x)"),
    "torch.repeat_interleave": "torch.repeat_interleave(x, 2)",
    "torch.save": ("pickle.load(open('model.pickle', 'rb'))", "{k: v.numpy() for k, v in model.state_dict().items()}"),
    "torch.unique": "torch.unique(x)",
    "torch.vmap": "torch.vmap(f)(inputs)",
    **{f"torch.nn.{name}": ("h", f"cell_of('{name.removesuffix('Cell')}')")
       for name in ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")},
}  # fmt: skip
SHAPES = (3,), (2, 3), (4, 2, 3), (2, 1, 4, 3)


def variables(torch, shape, name):
    """The clauses' variables, with the same numbers in both libraries."""
    torch.manual_seed(0)
    batch, size = shape[0], shape[-1]
    model, leaf = torch.nn.Linear(2, 1), torch.tensor([1.0, 2.0], requires_grad=True)
    model(torch.tensor([[3.0, -0.5]])).sum().backward()
    model.bias.grad = None
    x = torch.randn(shape)
    x.flatten()[: size].zero_(), x.view(-1)[-1:].fill_(2.0)
    space = {
        "torch": torch, "autograd_nb": autograd_nb, "pickle": pickle, "f": lambda x: x * x * 0.5, "model": model,
        "g": lambda x: (x ** 3).sum(), "x": x, "y": torch.randn(shape), "v": torch.randn(shape),
        "other": torch.ones(*shape, 1), "p": torch.rand(shape), "a": torch.rand(*shape, 2),
        "b": torch.rand(*shape[:-1], 5, 2),
        "indices": torch.randint(0, 5, shape), "inputs": torch.rand(*shape, 2), "weight": torch.rand(5, 3),
        "logits": torch.randn(batch, size), "labels": torch.randint(0, size, (batch,)), "leaf": leaf,
        "output": leaf**2, "rows": torch.eye(2), "images": torch.randn(batch, 2, 6, 7),
        "kernel": torch.randn(5, 2, 3, 3), "bias": torch.randn(5), "q": torch.randn(*shape, 4),
        "k": torch.randn(*shape, 4),
    }  # fmt: skip
    if name.endswith("Attention") or name.endswith("attention"):
        space["v"] = torch.randn(*shape, 4)
    if name.startswith(("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU")):
        gates = {"RNN": 1, "LSTM": 4, "GRU": 3}[name.split(".")[2].removesuffix("Cell")]
        space.update(input_layer=torch.nn.Linear(size, 5 * gates), hidden_layer=torch.nn.Linear(5, 5 * gates),
                     x=torch.randn(batch, size), h=torch.randn(batch, 5), c=torch.randn(batch, 5))  # fmt: skip

    def dual():
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(space["x"], space["v"])
            return torch.autograd.forward_ad.unpack_dual(space["f"](dual)).tangent

    def cell_of(name):
        cell, layers = getattr(torch.nn, name + "Cell")(size, 5), (space["input_layer"], space["hidden_layer"])
        given = [layer.weight for layer in layers] + [layer.bias for layer in layers]
        for mine, its in zip(cell.parameters(), given, strict=True):
            mine.data.copy_(its)
        h = (space["h"], space["c"]) if name == "LSTM" else space["h"]
        return cell(space["x"], h)[0] if name == "LSTM" else cell(space["x"], h)

    torch.manual_seed(1)
    return space | {"dual": dual, "cell_of": cell_of}


def ran(code, space):
    """The value of the code's last expression; None if it ends with a statement."""
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), "clause", "exec"), space)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "clause", "eval"), space)
    exec(compile(ast.Module([last], []), "clause", "exec"), space)


def numbers(value):
    """The tensors in a value as arrays, with their dtypes; anything else unchanged."""
    if isinstance(value, tuple | list):
        return [numbers(each) for each in value]
    if isinstance(value, dict):
        return [[key, numbers(each)] for key, each in value.items()]
    return value.detach().numpy() if hasattr(value, "detach") else value


def agree(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, np.ndarray):
        return (one.shape, one.dtype) == (other.shape, other.dtype) and np.allclose(one, other, 1e-4, 1e-5, True)
    return one == other


def compared(name, live):
    """For each shape that PyTorch takes: its result for the name, and both libraries' results for the advice."""
    code, (after, its) = CLAUSES[name], SAME[name] if isinstance(SAME[name], tuple) else (None, SAME[name])
    for shape in SHAPES:
        values = []
        try:
            values.append(numbers(eval(its, variables(live, shape, name))))
        except (RuntimeError, IndexError, ValueError):  # PyTorch has no result for this shape
            continue
        for torch in (live, autograd_nb):
            space = variables(torch, shape, name)
            if name == "torch.load":
                exec(CLAUSES["torch.save"], space)
            value = ran(code, space)
            values.append(numbers(value if after is None else eval(after, space)))
        yield shape, values


def test_all_of_the_names_are_missing_and_tried():
    assert len(CLAUSES) >= 40 and sorted(CLAUSES) == sorted(SAME)
    for name in CLAUSES:
        path, _, keyword = name.partition("(")
        namespace, _, short = path.rpartition(".")
        home = reduce(getattr, namespace.split(".")[1:], autograd_nb)
        assert absent.pytorch_names(namespace)[short] == "" or keyword, f"{name} is at home elsewhere"
        assert keyword or isinstance(vars(home).get(short, absent.Absent("")), absent.Absent), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLAUSES)
def test_an_advice_gives_what_it_replaces(name, live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = 0
    for shape, (wanted, *given) in compared(name, live):
        for library, value in zip(("PyTorch", "ours"), given, strict=True):
            assert agree(wanted, value), (library, shape, wanted, value)
        tried += 1
    assert tried


def test_the_sentence_ends_with_the_clause():
    with pytest.raises(AttributeError, match=r"look at it there; instead: \(x != 0\).sum\(\)$"):
        autograd_nb.count_nonzero  # noqa: B018
