"""Layers beside torch's: text, first values, states, results, gradients, errors; and names in a new process."""

import house
import pytest
from programs import shown

import autograd_nb

SETUP = """
F = nn.functional
torch.manual_seed(0)
x = torch.randn(2, 4, 6)
def digits(tensor):  # the last ones may differ
    return None if tensor is None else (tensor.detach().double() * 1000).round() / 1000 + 0.0
def show(function, *inputs):
    inputs = [each.clone().requires_grad_() for each in inputs]
    torch.manual_seed(1)
    result = function(*inputs)
    print(result.dtype, digits(result), result.grad_fn.name() if result.grad_fn else "")
    if result.requires_grad:
        weights = torch.linspace(1, 2, result.numel()).view(result.shape)
        print([digits(grad) for grad in torch.autograd.grad((result * weights).sum(), inputs)])
def run(make, *inputs):
    torch.manual_seed(2)
    layer = make()
    print(layer, layer.training)
    for name, value in layer.state_dict().items():
        print(name, digits(value))
    show(layer, *inputs)
    for name, value in layer.named_parameters():
        loss = layer(*inputs)
        print(name, digits(torch.autograd.grad((loss * loss.detach().cos()).sum(), value)[0]))
    layer.eval()
    show(layer, *inputs)
    return layer
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## activations
for make in (nn.Sigmoid, nn.Tanh, lambda: nn.LeakyReLU(0.3), lambda: nn.Softmax(1),
             lambda: nn.LogSoftmax(-1), nn.Flatten, lambda: nn.Flatten(0, 1)):
    run(make, x)
print(nn.ReLU(inplace=True), nn.ReLU(inplace=True)(x.clone()).sum().round())
## layers
run(lambda: nn.Linear(6, 3), x)
run(lambda: nn.Linear(6, 3, bias=False), x)
run(lambda: nn.LayerNorm(6), x)
run(lambda: nn.LayerNorm((4, 6), eps=0.1, bias=False), x)
run(nn.Dropout, x)
print(nn.Dropout(0.2, True))
## dropout
show(lambda x: F.dropout(x, 0.4), x)
show(lambda x: F.dropout(x, 1.0), x)
show(lambda x: F.dropout(x * 1, 0.4, inplace=True), x)
show(lambda x: F.dropout(x, 0.4, training=False), x)
F.dropout(x, 1.0)
print(torch.rand(2))
## losses
a, c = torch.randn(3, 4), torch.randn(3, 4)
for make, inputs in (
    (lambda: nn.NLLLoss(torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (lambda: nn.CrossEntropyLoss(torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (lambda: nn.BCEWithLogitsLoss(pos_weight=torch.rand(4)), (a, (c > 0).float())),
    (nn.BCELoss, (a.sigmoid(), (c > 0).float())), (lambda: nn.MSELoss(reduction="sum"), (a, c)),
    (lambda: nn.L1Loss(reduction="none"), (a, c)),
):
    torch.manual_seed(0)
    loss = make()
    first = inputs[0].clone().requires_grad_()
    result = loss(first, *inputs[1:])
    print(loss, loss.reduction, list(loss.state_dict()), digits(result), result.grad_fn.name())
    print(digits(torch.autograd.grad(result.sum(), first)[0]))
""".split("\n## ")[1:])  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    program = SETUP + PROGRAMS[name]
    assert shown(autograd_nb, program) == shown(torch, program)


@pytest.mark.parametrize("program", [
    "from autograd_nb.nn import Linear; print(Linear(1, 2))",
    "from autograd_nb.nn import *; print(Linear(1, 2), functional.relu.__name__, Parameter is parameter.Parameter)",
    "from autograd_nb.nn.functional import *; print(relu.__name__, mse_loss.__name__)",
    "import autograd_nb as torch; print(torch.layer_norm.__name__, torch.nn.utils.clip_grad_norm_.__name__)",
    "import pickle, autograd_nb as torch; print(pickle.loads(pickle.dumps(torch.nn.Sequential(torch.nn.ReLU(True)))))",
])  # fmt: skip
def test_names_answer_in_a_new_process(program):
    assert (told := house.run("-c", program)) and "False" not in told
