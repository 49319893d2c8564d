"""An object of each class that we publish and PyTorch has, and the public members of such objects."""

import warnings
from functools import cache
from pkgutil import resolve_name

SETUP = """
torch.manual_seed(0)
nn, graph, lr_scheduler = torch.nn, torch.autograd.graph, torch.optim.lr_scheduler
distributions, data = torch.distributions, torch.utils.data
x = torch.ones(2, 3, requires_grad=True)
opt = torch.optim.SGD([x], lr=0.1)
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Double.ctx = ctx
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
class Constant(lr_scheduler.LRScheduler):
    def get_lr(self):
        return [0.1]
class Numbers(data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return index
doubled = Double.apply(x)
rows = data.TensorDataset(torch.arange(4))
"""
# {path of a class: its object}; a class stands before those that derive from it
EXAMPLES = {
    "torch.Tensor": "torch.ones(2, 2)", "torch.nn.Parameter": "nn.Parameter(torch.ones(2, 2))",
    "torch.Generator": "torch.Generator()", "torch.Size": "torch.Size([2])", "torch.device": 'torch.device("cpu")',
    "torch.dtype": "torch.float32", "torch.finfo": "torch.finfo(torch.float32)",
    "torch.iinfo": "torch.iinfo(torch.int8)",
    "torch.no_grad": "torch.no_grad()", "torch.enable_grad": "torch.enable_grad()",
    "torch.set_grad_enabled": "torch.set_grad_enabled(True)", "torch.inference_mode": "torch.inference_mode()",
    "torch.autograd.function.FunctionCtx": "Double.ctx", "torch.autograd.Function": "Double",
    "torch.autograd.detect_anomaly": "torch.autograd.detect_anomaly()",
    "torch.autograd.set_detect_anomaly": "torch.autograd.set_detect_anomaly(False)",
    "torch.autograd.graph.Node": "(x * 2).grad_fn", "torch.autograd.graph.GradientEdge": "graph.get_gradient_edge(x)",
    "torch.autograd.graph.saved_tensors_hooks": "graph.saved_tensors_hooks(id, id)",
    "torch.autograd.graph.save_on_cpu": "graph.save_on_cpu()",
    "torch.autograd.graph.RemovableHandle": "x.register_hook(id)",
    "torch.nn.Module": "nn.Module()", "torch.nn.Linear": "nn.Linear(2, 3)", "torch.nn.Embedding": "nn.Embedding(3, 2)",
    "torch.nn.LayerNorm": "nn.LayerNorm(2)", "torch.nn.BatchNorm1d": "nn.BatchNorm1d(2)",
    "torch.nn.Dropout": "nn.Dropout()", "torch.nn.Identity": "nn.Identity()", "torch.nn.Sequential": "nn.Sequential()",
    "torch.nn.ModuleList": "nn.ModuleList()",
    **{f"torch.nn.{name}": f"nn.{name}()" for name in (
        "ReLU LeakyReLU ELU SiLU Mish GELU Softplus LogSigmoid Sigmoid Tanh Flatten MSELoss L1Loss BCELoss "
        "BCEWithLogitsLoss HuberLoss SmoothL1Loss KLDivLoss NLLLoss CrossEntropyLoss PReLU ModuleDict "
        "ParameterList").split()},
    **{f"torch.nn.{name}": f"nn.{name}(0)" for name in ("Softmax", "LogSoftmax")},
    "torch.optim.Optimizer": "torch.optim.Optimizer([x], {})",
    **{f"torch.optim.{name}": f"torch.optim.{name}([x])" for name in (
        "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS")},
    "torch.optim.lr_scheduler.LRScheduler": "Constant(opt)",
    "torch.optim.lr_scheduler.StepLR": "lr_scheduler.StepLR(opt, 2)",
    "torch.optim.lr_scheduler.MultiStepLR": "lr_scheduler.MultiStepLR(opt, [2])",
    "torch.optim.lr_scheduler.ExponentialLR": "lr_scheduler.ExponentialLR(opt, 0.9)",
    "torch.optim.lr_scheduler.LambdaLR": "lr_scheduler.LambdaLR(opt, lambda epoch: 0.9)",
    "torch.optim.lr_scheduler.CosineAnnealingLR": "lr_scheduler.CosineAnnealingLR(opt, 3)",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "lr_scheduler.ReduceLROnPlateau(opt)",
    "torch.distributions.Distribution": "distributions.Distribution()",
    "torch.distributions.Normal": "distributions.Normal(0.0, 1.0)",
    "torch.distributions.Bernoulli": "distributions.Bernoulli(0.5)",
    "torch.distributions.Categorical": "distributions.Categorical(torch.ones(3))",
    "torch.utils.data.Dataset": "Numbers()", "torch.utils.data.TensorDataset": "rows",
    "torch.utils.data.Subset": "data.Subset(rows, [0, 1])",
    "torch.utils.data.DataLoader": "data.DataLoader(rows)",
}  # fmt: skip


def objects(torch):
    """``{path: object}`` in one of both libraries; of Function, the class itself."""
    space = {"torch": torch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(SETUP, space)
        return {path: eval(code, space) for path, code in EXAMPLES.items()}


def public(thing):
    """The public names of an object."""
    return {name for name in dir(thing) if not name.startswith("_")}


def member(thing, name):
    """A member of an object, or the error that reading it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(thing, name)
    except Exception as error:
        return error


@cache
def lacking():
    """``{path: names}`` that objects of PyTorch have and ours lack, each at the first class that it belongs to."""
    import torch

    import autograd_nb

    ours, found = objects(autograd_nb), {}
    for path, thing in objects(torch).items():
        above = [base for base in found if isinstance(thing, resolve_name(base)) or path.endswith(".Function")]
        names = {name for name in public(thing) if isinstance(member(ours[path], name), AttributeError)}
        found[path] = sorted(names.difference(*[found[base] for base in above]))
    return found
