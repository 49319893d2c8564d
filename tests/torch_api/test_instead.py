"""Advice is right for the call that it answers: the code gives what the call gives, in PyTorch and in ours.

Each call fails here with its own advice.  Its code runs in both libraries, beside the call in PyTorch, with tensors of
several shapes, also with zeros.  Other calls of the same functions get no advice.
"""

import ast
import pickle
from functools import reduce
from types import ModuleType

import numpy as np
import pytest

import autograd_nb
from autograd_nb.torch_api import absent, keywords

CALLS = """
x.apply_(f)
x.apply_(abs)
x.bernoulli_()
x.bernoulli_(0.3)
x.bernoulli_(p=1.0)
x.random_(0, 10)
x.random_(7)
x.random_(3, 1000)
x.reshape_as(other)
torch.autograd.forward_ad.make_dual(x, tangent)
torch.autograd.forward_ad.dual_level()
torch.autograd.grad(outputs, leaf, rows, is_grads_batched=True)
torch.autograd.grad(outputs, inputs=leaf, grad_outputs=rows[:1], retain_graph=True, is_grads_batched=True)
torch.autograd.profiler.profile()
torch.autograd.profiler.profile(True, record_shapes=True)
torch.bernoulli(p)
torch.bincount(indices)
torch.cdist(a, b)
torch.cdist(a, b, 1.0)
torch.conv2d(images, kernel)
torch.nn.functional.conv2d(images, kernel, bias)
torch.conv2d(images, kernel[..., :1, :2], bias=bias)
torch.count_nonzero(x)
torch.randint_like(x, 5)
torch.randint_like(x, 3, 9)
torch.tile(x, (2,))
torch.tile(x, dims=(2, 1, 3))
x.tile(2)
x.tile(3)
torch.column_stack([square, square[0]])
torch.column_stack(tensors=(square[0], square[1]))
torch.unflatten(x, dim=-1, sizes=[-1, 1])
torch.count_nonzero(x, -1)
torch.func.hessian(g)
torch.func.jacfwd(f)
torch.func.jacrev(f)
torch.load("model.pickle")
torch.meshgrid(x, y, indexing="ij")
torch.meshgrid(x, p[:2], indexing="xy")
torch.nn.Conv2d(2, 5, 3)
torch.nn.GRU(size, 5)
torch.nn.GRUCell(size, 5)
torch.nn.LSTM(size, 5)
torch.nn.LSTMCell(size, 5)
torch.nn.LazyLinear(3)
torch.nn.LazyLinear(4, bias=False)
model.cuda()
model.cuda(0)
model.register_buffer("mask", x, persistent=False)
model.register_buffer("m", y, False)
torch.nn.MultiheadAttention(4, 2)
torch.nn.RNN(size, 5)
torch.nn.RNNCell(size, 5)
torch.nn.functional.scaled_dot_product_attention(q, k, v)
torch.nn.functional.scaled_dot_product_attention(q, k[..., :1, :], v[..., :1, :])
torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
torch.nn.functional.scaled_dot_product_attention(q[..., :1, :], k, v, is_causal=True)
torch.nn.init.constant(table, 0.5)
torch.nn.init.kaiming_normal(table)
torch.nn.init.kaiming_normal(table, 0.5, nonlinearity="relu")
torch.nn.init.kaiming_uniform(table)
torch.nn.init.kaiming_uniform(table, a=2, mode="fan_out")
torch.nn.init.normal(table)
torch.nn.init.normal(table, 2.0, std=0.5)
torch.nn.init.uniform(table)
torch.nn.init.uniform(table, -1.0, 1.0)
torch.nn.init.xavier_normal(table)
torch.nn.init.xavier_normal(table, 3.0)
torch.nn.init.xavier_uniform(table)
torch.nn.init.xavier_uniform(table, gain=2)
torch.profiler.profile()
torch.profiler.profile(record_shapes=True)
torch.repeat_interleave(x, 2)
torch.save(model.state_dict(), "model.pickle")
torch.unique(x)
torch.unique(indices)
torch.addmv(square[0], square, square[1])
torch.baddbmm(square, square[None], square[None] * 2)
torch.baddbmm(square[:1], batch1=square[None], batch2=square.T[None])
torch.cross(x, y, -1)
torch.diff(x)
torch.rsub(x, y)
torch.rsub(x, other=3)
torch.xlogy(x, y)
torch.xlogy(p, other=x)
torch.fmod(x, y)
torch.fmod(x, 0.7)
torch.inner(x, y)
torch.inner(square[0], other=square)
torch.kron(square, table)
torch.logaddexp(x, y)
torch.logaddexp(x, other=y[:1])
torch.movedim(x, 0, -1)
torch.nansum(x)
torch.nansum((x - 2).sqrt())
torch.take(x, indices)
torch.tensordot(square, table.T, 1)
torch.tensordot(square, square, dims=2)
torch.vdot(square[0], square[1])
torch.vmap(f)
""".strip().splitlines()


def as_method(call):
    """The call of a function as one of the tensor method of its name; None if there is none."""
    node = ast.parse(call, mode="eval").body
    if not (node.args and absent.advice().get(f"torch.Tensor.{node.func.attr}") and call.startswith("torch.")):
        return None
    node.func.value = node.args.pop(0)
    return ast.unparse(node)


def by_names(call):
    """The call with the advice's names for its arguments; None if it has none by position."""
    node = ast.parse(call, mode="eval").body
    owner, _, name = ast.unparse(node.func).rpartition(".")
    owner = {"x": "torch.Tensor", "model": "torch.nn.Module"}.get(owner, owner)
    for parameters, _ in absent.advice().get(f"{owner}.{name}", ()):
        names = [each.arg for each in ast.parse(f"def call({parameters}: 0").body[0].args.args]
        names = names[owner in ("torch.Tensor", "torch.nn.Module"):]
        if 0 < len(node.args) <= len(names):
            node.keywords[:0] = map(ast.keyword, names, node.args)
            node.args = []
            return ast.unparse(node)
    return None


once = [call for call in CALLS if sum(each.startswith(call.partition("(")[0] + "(") for each in CALLS) == 1]
CALLS += filter(None, [*map(as_method, CALLS), *map(by_names, once)])
# what PyTorch's result of a call is compared by, if the call only makes something; braces hold the call
ITS = {
    "torch.Tensor.apply_": "{} is x and x", "torch.Tensor.bernoulli_": "{} is x and x",
    "torch.Tensor.random_": "{} is x and x",
    "torch.autograd.forward_ad.make_dual": "(f(x), its_tangent({!r}))",
    "torch.autograd.forward_ad.dual_level": "(f(x), its_tangent('torch.autograd.forward_ad.make_dual(x, tangent)'))",
    "torch.autograd.profiler.profile": "f(x)", "torch.profiler.profile": "f(x)",
    "torch.func.hessian": "{}(x)", "torch.func.jacfwd": "{}(x)", "torch.func.jacrev": "{}(x)",
    "torch.vmap": "{}(inputs)",
    "torch.load": "model.weight", "torch.nn.Module.cuda": "model.weight",
    "torch.save": "{{key: value.numpy() for key, value in model.state_dict().items()}}",
    "torch.nn.Conv2d": "torch.func.functional_call({}, {{'weight': weight, 'bias': bias}}, input)",
    "torch.nn.LazyLinear": "seeded({})(inputs)",
    "torch.nn.Module.register_buffer": "{} or (getattr(model, names[-1]), list(model.state_dict()))",
    "torch.nn.MultiheadAttention": "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    **{f"torch.nn.{name}{kind}": f"cell_of(torch.nn.{name}Cell(size, 5))"
       for name in ("RNN", "LSTM", "GRU") for kind in ("", "Cell")},
}  # fmt: skip
# what is read after the advice, if not its value
AFTER = {
    "torch.autograd.profiler.profile": "f(x)", "torch.profiler.profile": "f(x)", "torch.load": "model.weight",
    "torch.save": "pickle.load(open(names[-1], 'rb'))", "torch.nn.Module.cuda": "model.weight",
    "torch.nn.LazyLinear": "layer(inputs)",
    "torch.nn.Module.register_buffer": "(getattr(model, names[-1]), list(model.state_dict()))",
    **{f"torch.nn.{name}{kind}": "h" for name in ("RNN", "LSTM", "GRU") for kind in ("", "Cell")},
}  # fmt: skip
# calls for which no code is known
OTHERS = """
torch.bincount(indices, minlength=9)
torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=x)
torch.nn.functional.scaled_dot_product_attention(q, k, v, None, 0.5)
torch.nn.LSTM(2, 3, num_layers=2)
torch.nn.GRU(2, 3, batch_first=True)
torch.nn.MultiheadAttention(4, 2, dropout=0.5)
torch.nn.Conv2d(2, 5, 3, stride=2)
torch.conv2d(images, kernel, None, 2)
torch.cdist(a, b, p=2.0, compute_mode="use_mm_for_euclid_dist")
torch.unique(x, return_counts=True)
torch.repeat_interleave(x, 2, dim=0)
torch.repeat_interleave(x, indices)
torch.meshgrid(x, y)
torch.meshgrid(x, y, p, indexing="ij")
torch.vmap(f, in_dims=1)
torch.func.hessian(g, argnums=1)
torch.save(model, "model.pt")
torch.load(None)
x.bernoulli_(p)
torch.autograd.grad(outputs, [leaf], rows, is_grads_batched=True)
torch.count_nonzero(x, (0, 1))
""".strip().splitlines()
SHAPES = (3,), (2, 3), (4, 2, 3), (2, 1, 4, 3)


def variables(torch, shape, call):
    """The variables of the calls and of the advised code, with the same numbers in both libraries."""
    torch.manual_seed(0)
    batch, size = shape[0], shape[-1]
    model, leaf = torch.nn.Linear(2, 1), torch.tensor([1.0, 2.0], requires_grad=True)
    x, kernel = torch.randn(shape), torch.randn(5, 2, 3, 3)
    x.flatten()[: size].zero_(), x.view(-1)[-1:].fill_(2.0)
    gates = next((count for name, count in (("LSTM", 4), ("GRU", 3), ("RNN", 1)) if name in call), 1)
    space = {
        "torch": torch, "autograd_nb": autograd_nb, "pickle": pickle, "f": lambda x: x * x * 0.5, "model": model,
        "g": lambda x: (x ** 3).sum(), "x": x, "y": torch.randn(shape), "tangent": torch.randn(shape),
        "other": torch.ones(*shape, 1), "p": torch.rand(shape), "a": torch.rand(*shape, 2), "size": size,
        "b": torch.rand(*shape[:-1], 5, 2), "indices": torch.randint(0, 5, shape), "table": torch.rand(5, 3),
        "square": torch.randn(3, 3),
        "leaf": leaf, "outputs": leaf**2, "rows": torch.eye(2), "images": torch.randn(batch, 2, 6, 7), "kernel": kernel,
        "weight": kernel, "bias": torch.randn(5),
        "q": torch.randn(*shape, 4), "k": torch.randn(*shape, 4), "v": torch.randn(*shape, 4),
        "h": torch.randn(batch, 5), "c": torch.randn(batch, 5), "inputs": torch.rand(*shape, 2),
        "input_layer": torch.nn.Linear(size, 5 * gates), "hidden_layer": torch.nn.Linear(5, 5 * gates),
        "names": [each.value for each in ast.walk(ast.parse(call)) if isinstance(getattr(each, "value", 0), str)],
    }  # fmt: skip
    if "Conv2d" in call:
        space["input"] = space["images"]
    if "RNN" in call or "LSTM" in call or "GRU" in call:
        space["x"] = torch.randn(batch, size)
    torch.manual_seed(1)
    return space


def helpers(space):
    """What only PyTorch's side needs: the tangent of f at a dual number, and a cell with the given layers."""
    torch = space["torch"]

    def its_tangent(call):
        with torch.autograd.forward_ad.dual_level():
            return torch.autograd.forward_ad.unpack_dual(space["f"](eval(call, space))).tangent

    def cell_of(cell):
        layers = space["input_layer"], space["hidden_layer"]
        given = [layer.weight for layer in layers] + [layer.bias for layer in layers]
        for mine, its in zip(cell.parameters(), given, strict=True):
            mine.data.copy_(its)
        h = cell(space["x"], (space["h"], space["c"]) if isinstance(cell, torch.nn.LSTMCell) else space["h"])
        return h[0] if isinstance(h, tuple) else h

    def seeded(layer):
        torch.manual_seed(1)
        return layer

    return {"its_tangent": its_tangent, "cell_of": cell_of, "seeded": seeded}


def advised(call, space):
    """The path of what a call lacks here, and the code that its error advises."""
    with pytest.raises(NotImplementedError) as raised:
        eval(call, space)
    said, _, code = str(raised.value).partition("; instead: ")
    node = ast.parse(call, mode="eval").body
    owner = ast.unparse(node.func.value)
    if is_method(node, space):
        owner = "torch.nn.Module" if owner == "model" else "torch.Tensor"
    first_name = said.partition(" is not part")[0]  # torch.nn.functional.conv2d is torch.conv2d
    return first_name if first_name in absent.advice() else f"{owner}.{node.func.attr}", code


def is_method(node, space):
    """Whether a call is one of a method, whose object is its first argument."""
    return not isinstance(eval(ast.unparse(node.func.value), space), ModuleType)


def given(call, space):
    """The arguments of a call: by position and by name."""
    node = ast.parse(call, mode="eval").body
    values = [node.func.value, *node.args] if is_method(node, space) else node.args
    args = [eval(ast.unparse(each), space) for each in values]
    return args, {each.arg: eval(ast.unparse(each.value), space) for each in node.keywords}


def named(parameters, call, space):
    """The arguments of a call by the names of the advice's parameters, which its code has."""
    scope = {"Tensor": object, "OrderedDict": object}
    exec(f"def call({parameters}: return locals()", scope)
    args, kwargs = given(call, space)
    return scope["call"](*args, **kwargs)


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


def results(call, shape, live):
    """PyTorch's result of a call, and those of the advised code in both libraries."""
    ours = variables(autograd_nb, shape, call)
    path, code = advised(call, ours)
    parameters = next(each for each, template in absent.advice()[path]
                      if code == absent.code_for(each, template, *given(call, ours)))  # fmt: skip
    space = variables(live, shape, call)
    space |= helpers(space)
    try:
        values = [numbers(eval(ITS.get(path, "{}").format(call), space))]
    except (RuntimeError, IndexError, ValueError):  # PyTorch has no result for this shape
        return None
    for torch in (live, autograd_nb):
        space = variables(torch, shape, call)
        if path == "torch.load":
            with open(space["names"][-1], "wb") as file:
                pickle.dump({key: value.numpy() for key, value in space["model"].state_dict().items()}, file)
        space |= named(parameters, call, space)
        value = ran(code, space)
        values.append(numbers(eval(AFTER[path], space) if path in AFTER else value))
    return values


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_an_advice_gives_what_the_call_gives(call, live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = 0
    for shape in SHAPES:
        if values := results(call, shape, live):
            wanted, *found = values
            for library, value in zip(("PyTorch", "ours"), found, strict=True):
                assert agree(wanted, value), (library, shape, wanted, value)
            tried += 1
    assert tried


def test_all_advice_is_tried_with_two_calls_or_more():
    tried = [advised(call, variables(autograd_nb, (2, 3), call))[0] for call in CALLS]
    once = {"torch.autograd.forward_ad.dual_level"}  # it has no other arguments
    calls = {path: tried.count(path) + tried.count(path.replace("Tensor.", "")) for path in absent.advice()}
    assert [path for path in calls if path not in tried or calls[path] < 2 - (path in once)] == []


def test_what_has_advice_is_missing():
    with_keywords = keywords.recorded(keywords.KEYWORDS)
    for path in absent.advice():
        namespace, _, name = path.rpartition(".")
        home = reduce(getattr, namespace.split(".")[1:], autograd_nb)
        assert absent.pytorch_names(namespace).get(name, "") == "", f"{path} is at home elsewhere"
        assert path in with_keywords or isinstance(vars(home).get(name, absent.Absent("")), absent.Absent), path


@pytest.mark.parametrize("call", OTHERS)
def test_a_call_that_no_code_covers_gets_no_advice(call):
    path, code = advised(call, variables(autograd_nb, (2, 3), call))
    assert path in absent.advice() and code == ""


def test_reading_a_function_for_which_there_is_advice_is_no_error_but_it_is_not_there():
    vmap = autograd_nb.vmap
    assert "torch.vmap is not part of autograd_nb" in repr(vmap) and not hasattr(autograd_nb, "vmap")
    assert getattr(autograd_nb.ones(1), "random_", None) is None
    with pytest.raises(NotImplementedError, match=r"instead: torch.stack\(\[func\(row\) for row in inputs\]\)$"):
        vmap(len)
