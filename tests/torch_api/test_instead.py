"""What the sentence for a missing name advises to write instead runs here, and gives what the name gives in PyTorch."""

import ast
import math
import pickle

import numpy as np
import pytest

import autograd_nb
from autograd_nb.torch_api import absent
from autograd_nb.words import of

CLAUSES = of("missing")["clauses"]
RATE = 'torch.tensor(optimizer.param_groups[0]["lr"], dtype=torch.float64)'
# for each name: what PyTorch gives, perhaps after what ours is read; None where that is chance or no number
SAME = {
    "torch.Tensor.apply_": ("x", "x.apply_(f)"),
    "torch.Tensor.bernoulli_": None,
    "torch.Tensor.random_": None,
    "torch.Tensor.reshape_as": "x.reshape_as(other)",
    "torch.autograd.forward_ad": ("torch.autograd.functional.jvp(f, x, v)[1]", "torch.func.jvp(f, (x,), (v,))[1]"),
    "torch.autograd.profiler": ("loss", "f(x).sum()"),
    "torch.autograd.grad(is_grads_batched)": "torch.autograd.grad(output, leaf, rows, is_grads_batched=True)[0]",
    "torch.bernoulli": None,
    "torch.bincount": "torch.bincount(indices, minlength=5)",
    "torch.cdist": "torch.cdist(a, b)",
    "torch.count_nonzero": "torch.count_nonzero(x)",
    "torch.func": "torch.func.jacrev(f)(x)",
    "torch.load": None,
    "torch.logspace": "torch.logspace(0, 2, 5)",
    "torch.meshgrid": ("(rows, columns)", "torch.meshgrid(x, y, indexing='ij')"),
    "torch.nn.CrossEntropyLoss(label_smoothing)": "torch.nn.CrossEntropyLoss(label_smoothing=0.1)(logits, labels)",
    "torch.nn.CrossEntropyLoss(size_average)": (
        "torch.nn.CrossEntropyLoss(reduction='sum')(logits, labels)",
        "torch.nn.CrossEntropyLoss(size_average=False)(logits, labels)"),
    "torch.nn.HuberLoss": "torch.nn.HuberLoss()(x, y)",
    "torch.nn.KLDivLoss": "torch.nn.KLDivLoss(reduction='batchmean')(logits.log_softmax(-1), target)",
    "torch.nn.LazyLinear": None,
    "torch.nn.MSELoss(size_average)": (
        "torch.nn.MSELoss(reduction='sum')(x, y)", "torch.nn.MSELoss(size_average=False)(x, y)"),
    "torch.nn.ModuleDict": None,
    "torch.nn.ParameterList": None,
    "torch.nn.SmoothL1Loss": "torch.nn.SmoothL1Loss()(x, y)",
    "torch.nn.Module.cuda": ("model.weight", "model.weight"),
    "torch.nn.Module.register_buffer(persistent)": None,
    **{f"torch.nn.init.{name}": f"torch.nn.init.{name}(weight)" for name in (
        "kaiming_normal", "kaiming_uniform", "normal", "uniform", "xavier_normal", "xavier_uniform")},
    "torch.nn.init.constant": "torch.nn.init.constant(weight, 0.5)",
    "torch.repeat_interleave": "torch.repeat_interleave(x, 2)",
    "torch.nn.functional.cosine_similarity": "torch.nn.functional.cosine_similarity(x, y, dim=-1)",
    "torch.nn.functional.leaky_relu(inplace)": ("x", "torch.nn.functional.leaky_relu(x, inplace=True)"),
    "torch.nn.functional.mse_loss(size_average)": "torch.nn.functional.mse_loss(x, y, size_average=False)",
    "torch.nn.functional.normalize": "torch.nn.functional.normalize(x, dim=-1)",
    "torch.optim.Adagrad": None,
    "torch.optim.lr_scheduler.CosineAnnealingLR": (RATE, "stepped('CosineAnnealingLR', epochs)"),
    "torch.optim.lr_scheduler.ExponentialLR": (RATE, "stepped('ExponentialLR', 0.9)"),
    "torch.optim.lr_scheduler.LambdaLR": (RATE, "stepped('LambdaLR', f)"),
    "torch.optim.lr_scheduler.MultiStepLR": (RATE, "stepped('MultiStepLR', [30, 80])"),
    "torch.optim.lr_scheduler.ReduceLROnPlateau": None,
    "torch.save": None,
    "torch.unique": "torch.unique(indices)",
    "torch.utils": None,
    "torch.vmap": "torch.vmap(f)(inputs)",
}  # fmt: skip


def variables(torch):
    """What the clauses name, the same numbers in both libraries."""
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    model(torch.tensor([[3.0, -0.5]])).sum().backward()
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    return {
        "torch": torch, "math": math, "pickle": pickle, "f": lambda x: x * x * 0.5, "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "epoch": 1, "epochs": 10, "loss": 2.0, "best": 1.0,
        "x": torch.tensor([0.5, -1.0, 2.0]), "y": torch.tensor([0.25, 1.0, 4.0]), "other": torch.ones(3, 1),
        "v": torch.ones(3), "a": torch.rand(3, 2), "b": torch.rand(4, 2), "indices": torch.tensor([2, 0, 2, 4]),
        "inputs": torch.rand(4, 2), "weight": torch.rand(5, 3), "probabilities": torch.tensor([0.0, 1.0]),
        "logits": torch.randn(2, 3), "target": torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]),
        "labels": torch.tensor([2, 0]), "leaf": leaf, "output": leaf**2, "rows": torch.eye(2),
    }  # fmt: skip


def ran(code, space):
    """The value of what the code ends with; None where that is a statement."""
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), "clause", "exec"), space)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "clause", "eval"), space)
    exec(compile(ast.Module([last], []), "clause", "exec"), space)


def test_all_of_the_names_are_missing_and_tried():
    assert len(CLAUSES) >= 40 and sorted(CLAUSES) == sorted(SAME)
    for name in CLAUSES:
        namespace, _, short = name.rpartition(".")
        assert short.partition("(")[0] in absent.pytorch_names(namespace)


@pytest.mark.parametrize("name", CLAUSES)
def test_a_clause_runs_and_gives_what_pytorch_gives(name, live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours, its, code = variables(autograd_nb), variables(live), CLAUSES[name]

    def stepped(schedule, setting):
        schedule = getattr(live.optim.lr_scheduler, schedule)(its["optimizer"], setting)
        its["optimizer"].step(), schedule.step()
        return eval(RATE, its)

    its["stepped"] = stepped
    if name == "torch.load":
        exec(CLAUSES["torch.save"], ours)
    value = ran(code, ours)
    if SAME[name] is not None:
        mine, theirs = SAME[name] if isinstance(SAME[name], tuple) else (None, SAME[name])
        value, wanted = value if mine is None else eval(mine, ours), eval(theirs, its)
        pairs = zip(value, wanted, strict=True) if isinstance(value, tuple) else [(value, wanted)]
        for one, other in pairs:
            assert one.shape == other.shape
            np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-5)


def test_the_sentence_ends_with_the_clause():
    with pytest.raises(AttributeError, match=r"look at it there; instead: x / x.norm\(dim=-1, keepdim=True\)$"):
        autograd_nb.nn.functional.normalize  # noqa: B018
