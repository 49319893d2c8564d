"""Layers without and with parameters beside torch's: text, first values, states, results, gradients, errors."""

import pytest
from test_nn import shown
from test_nn_functions import SETUP as FUNCTIONS

import autograd_nb
import autograd_nb.nn


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


SETUP = FUNCTIONS + """
def run(make, *inputs, names=True, **more):
    torch.manual_seed(2)
    layer = make()
    print(layer, layer.training)
    for name, value in layer.state_dict().items():
        print(name, digits(value))
    show(lambda *given: layer(*given, **more), *inputs, names=names)
    for name, value in layer.named_parameters():
        loss = layer(*inputs, **more)
        loss = loss[0] if isinstance(loss, tuple) else loss
        print(name, digits(torch.autograd.grad((loss * loss.detach().cos()).sum(), value)[0]))
    layer.eval()
    show(lambda *given: layer(*given, **more), *inputs, names=names)
    print({name: digits(value) for name, value in layer.named_buffers()})
    return layer
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## activations
for make in (nn.Softshrink, nn.Hardshrink, lambda: nn.Threshold(0.1, 2), lambda: nn.PReLU(4), nn.PReLU,
             nn.RReLU, nn.GLU, lambda: nn.RReLU(0.1, 0.2), lambda: nn.GLU(1), nn.Softmax2d,
             lambda: nn.Hardtanh(-0.5, 0.5), lambda: nn.GELU("tanh"), lambda: nn.LeakyReLU(0.3),
             lambda: nn.Softplus(2.0, 1)):
    run(make, x)
for make in (nn.ReLU, nn.ELU, nn.SELU, nn.CELU, nn.SiLU, nn.Mish, nn.ReLU6, nn.Hardswish, nn.Hardsigmoid, nn.Hardtanh):
    print(make(inplace=True), make(inplace=True)(x.clone()).sum().round())
print(nn.ELU(0.5, True), nn.Softmin(1), nn.LogSigmoid(), nn.Tanhshrink(), nn.Softsign())
## threshold without values
nn.Threshold()
## a setting nobody has
nn.ELU(beta=1)
## too many settings
nn.Sigmoid(1)
## softmax of vectors
nn.Softmax2d()(x[0, 0])
## dropout
for make in (nn.Dropout, nn.Dropout1d, nn.AlphaDropout, nn.FeatureAlphaDropout):
    run(make, x)
run(lambda: nn.Dropout2d(0.3), y)
run(nn.Dropout3d, y)
print(nn.Dropout2d(0.2, True))
## dropout with no probability
nn.Dropout2d(3)
## pooling
for make in (lambda: nn.MaxPool1d(2), lambda: nn.MaxPool1d(3, 1, padding=1), lambda: nn.AvgPool1d(2),
             lambda: nn.AvgPool1d(3, 2, 1, count_include_pad=False), lambda: nn.AdaptiveAvgPool1d(4),
             lambda: nn.AdaptiveMaxPool1d(4), lambda: nn.LPPool1d(1, 2), lambda: nn.Unflatten(1, (2, 2))):
    run(make, x)
for make in (lambda: nn.MaxPool2d(2, ceil_mode=True), lambda: nn.AvgPool2d((2, 1), divisor_override=3),
             lambda: nn.AdaptiveAvgPool2d((2, None)), lambda: nn.AdaptiveMaxPool2d(3), lambda: nn.LPPool2d(2.0, 2)):
    run(make, y)
print(nn.MaxPool1d(2, return_indices=True)(x), nn.AdaptiveMaxPool2d(2, return_indices=True)(y)[1])
## pooling without a window
nn.AvgPool1d()
## padding
for name in ("Zero", "Reflection", "Replication", "Circular"):
    run(lambda: getattr(nn, name + "Pad1d")(1), x, names=name != "Circular")
    run(lambda: getattr(nn, name + "Pad2d")((1, 2, 0, 1)), y, names=name != "Circular")
run(lambda: nn.ConstantPad1d((1, 2), 3.5), x)
run(lambda: nn.ConstantPad2d(1, 3.5), y)
run(lambda: nn.ZeroPad3d(1), y)
print(nn.ConstantPad3d(1, 2.0), nn.ZeroPad2d(1).padding)
## padding without a value
nn.ConstantPad1d(1)
## other sizes
for make in (lambda: nn.Upsample(3), lambda: nn.Upsample(scale_factor=2),
             lambda: nn.Upsample(scale_factor=1.5, mode="linear"),
             lambda: nn.Upsample(5, mode="linear", align_corners=True)):
    run(make, x)
for make in (lambda: nn.UpsamplingNearest2d(scale_factor=2), lambda: nn.UpsamplingBilinear2d(3),
             lambda: nn.Upsample(scale_factor=(2, 1.5), mode="bilinear"), lambda: nn.PixelShuffle(2),
             lambda: nn.Unfold((2, 3), padding=1), lambda: nn.ChannelShuffle(2)):
    run(make, y)
run(lambda: nn.PixelUnshuffle(2), torch.randn(2, 3, 4, 6))
run(lambda: nn.Fold((3, 4), 2), torch.randn(2, 8, 6))
## pairs of vectors
run(nn.CosineSimilarity, x, x.cos())
run(lambda: nn.CosineSimilarity(dim=-1, eps=0.1), x, x.cos())
run(lambda: nn.PairwiseDistance(1, keepdim=True), x, x.cos())
run(nn.PairwiseDistance, x, x.cos())
run(lambda: nn.Bilinear(6, 3, 2), x, x[..., :3])
run(lambda: nn.Bilinear(6, 3, 2, bias=False), x[0, 0], x[0, 1, :3])
## bilinear of nothing
nn.Bilinear(0, 1, 1)
## unflatten to a number
nn.Unflatten(1, 3)
## unflatten to a word
nn.Unflatten(1, (3, "a"))
## normalisation
for make in (lambda: nn.GroupNorm(2, 4), lambda: nn.GroupNorm(4, 4, affine=False),
             lambda: nn.GroupNorm(1, 4, bias=False), lambda: nn.InstanceNorm1d(4),
             lambda: nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
             lambda: nn.RMSNorm(6), lambda: nn.RMSNorm((4, 6), eps=0.1, elementwise_affine=False),
             lambda: nn.BatchNorm1d(4, bias=False), lambda: nn.InstanceNorm1d(3)):
    run(make, x)
run(lambda: nn.InstanceNorm2d(4, affine=True), y)
run(lambda: nn.InstanceNorm2d(4), y[0])
run(lambda: nn.BatchNorm3d(4), y.unsqueeze(2))
run(lambda: nn.InstanceNorm3d(4, momentum=None, track_running_stats=True), y.unsqueeze(2))
## groups of another size
nn.GroupNorm(3, 4)
## instances of another rank
nn.InstanceNorm1d(4)(torch.ones(4))
## instances of another width
nn.InstanceNorm1d(3, affine=True)(x)
## convolutions
run(lambda: nn.Conv3d(1, 2, 2), y.unsqueeze(1))
run(lambda: nn.ConvTranspose1d(4, 2, 3, stride=2, padding=1, output_padding=1), x)
run(lambda: nn.ConvTranspose2d(4, 6, (2, 3), groups=2, dilation=2, bias=False), y)
run(lambda: nn.ConvTranspose3d(4, 2, (1, 2, 2)), y.unsqueeze(2))
run(lambda: nn.ConvTranspose1d(4, 2, 3, stride=2), x, output_size=[14])
for mode in ("reflect", "replicate", "circular"):
    run(lambda: nn.Conv1d(4, 2, 3, padding=1, padding_mode=mode), x, names=mode != "circular")
    run(lambda: nn.Conv2d(4, 2, (3, 2), padding="same", padding_mode=mode), y, names=mode != "circular")
## transposed padding mode
nn.ConvTranspose1d(2, 3, 2, padding_mode="reflect")
## output size out of reach
nn.ConvTranspose1d(4, 3, 2, stride=2)(x, output_size=[20])
## output size of another rank
nn.ConvTranspose1d(4, 3, 2, stride=2)(x, output_size=[1, 2, 3, 13])
## losses
a, c, t = torch.randn(3, 4), torch.randn(3, 4), torch.tensor([1., -1., 1.])
for make, inputs in (
    (nn.CosineEmbeddingLoss, (a, c, t)), (lambda: nn.CosineEmbeddingLoss(0.2, reduction="sum"), (a, c, t)),
    (nn.HingeEmbeddingLoss, (a, c.sign())), (nn.MarginRankingLoss, (a, c, c.sign())),
    (nn.SoftMarginLoss, (a, c.sign())),
    (lambda: nn.MultiMarginLoss(2, 0.5, torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (nn.MultiLabelMarginLoss, (a, torch.tensor([[0, 1, -1, 2]] * 3))),
    (lambda: nn.MultiLabelSoftMarginLoss(torch.rand(4), reduction="none"), (a, (c > 0).float())),
    (lambda: nn.GaussianNLLLoss(full=True), (a, c, c.abs())), (nn.PoissonNLLLoss, (a, c.abs())),
    (lambda: nn.PoissonNLLLoss(False, True, reduction="sum"), (a.abs(), c.abs() * 3)),
    (nn.TripletMarginLoss, (a, c, a + 0.5)), (lambda: nn.TripletMarginLoss(2.0, 1, swap=True), (a, c, a + 0.5)),
    (lambda: nn.KLDivLoss(reduction="batchmean", log_target=True), (a, c)), (lambda: nn.HuberLoss(delta=0.3), (a, c)),
    (lambda: nn.NLLLoss(torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (lambda: nn.MSELoss(size_average=False), (a, c)), (lambda: nn.L1Loss(reduce=False), (a, c)),
):
    torch.manual_seed(0)
    loss = make()
    first = inputs[0].clone().requires_grad_()
    result = loss(first, *inputs[1:])
    print(loss, loss.reduction, list(loss.state_dict()), digits(result), result.grad_fn.name())
    print(digits(torch.autograd.grad(result.sum(), first)[0]))
## a loss with a distance of one's own
for make in (nn.TripletMarginWithDistanceLoss, lambda: nn.TripletMarginWithDistanceLoss(
        distance_function=lambda a, b: (a - b).abs().sum(-1), margin=9.0, swap=True, reduction="none")):
    run(make, x, x.cos(), x.sin())
## a loss's margin of a distance
nn.TripletMarginWithDistanceLoss(margin=-1.0)
## a loss's power
nn.MultiMarginLoss(p=3)
## a loss's margin
nn.TripletMarginLoss(margin=-1.0)
## a loss without a target
nn.MSELoss()(x)
## a loss without a second input
nn.CosineEmbeddingLoss()(x, target=x)
## a loss by names
print(nn.TripletMarginLoss()(x, negative=x + 1, positive=x).round())
## a layer's input by another name
nn.Tanh()(x=x)
## attention
run(lambda: nn.MultiheadAttention(6, 2), x, x, x)
run(lambda: nn.MultiheadAttention(6, 3, bias=False, batch_first=True), x, x, x)
run(lambda: nn.MultiheadAttention(6, 2, kdim=3, vdim=2), x, x[..., :3], x[..., :2])
layer = nn.MultiheadAttention(6, 2, dropout=0.2)
print(layer(x, x, x, average_attn_weights=False)[1].shape, digits(layer(x[0], x[1], x[1])[0]))
mask = torch.ones(2, 2).triu(1).bool()
padding = torch.tensor([[False, True]] * 3 + [[False, False]])
torch.manual_seed(1)
for weights in (True, False):
    print(digits(layer(x, x, x, attn_mask=mask, need_weights=weights)[0]))
    print(digits(layer(x, x, x, key_padding_mask=padding, need_weights=weights)[0]))
    print(digits(layer(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=weights)[0]))
    print(digits(layer(x, x, x, attn_mask=torch.randn(8, 2, 2), need_weights=weights)[0]))
layer.eval()
print(digits(layer(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]))
print(layer(x, x, x, need_weights=False)[0].grad_fn.name())
## attention's heads
nn.MultiheadAttention(5, 2)
## attention of nothing
nn.MultiheadAttention(0, 2)
## attention's width
nn.MultiheadAttention(4, 2)(x, x, x)
## attention's rank
nn.MultiheadAttention(4, 2)(x[None], x, x)
## attention's mask
nn.MultiheadAttention(6, 2)(x, x, x, attn_mask=torch.ones(3, 3))
## attention's padding
nn.MultiheadAttention(6, 2)(x, x, x, key_padding_mask=torch.ones(3, 3))
## cells
for make in (lambda: nn.RNNCell(6, 3), lambda: nn.RNNCell(6, 3, nonlinearity="relu"),
             lambda: nn.GRUCell(6, 3, bias=False)):
    run(make, x[0])
    run(make, x[0], torch.randn(4, 3))
    run(make, x[0, 0], torch.randn(3), names=False)
layer = run(lambda: nn.LSTMCell(6, 3), x[0])
print([digits(each) for each in layer(x[0], (torch.ones(4, 3), torch.zeros(4, 3)))])
print([digits(each) for each in layer(x[0, 0])])
## recurrent layers
for make in (lambda: nn.RNN(6, 3), lambda: nn.RNN(6, 3, 2, nonlinearity="relu", batch_first=True),
             lambda: nn.GRU(6, 3, bidirectional=True), lambda: nn.GRU(6, 3, 2, bias=False),
             lambda: nn.LSTM(6, 3, 2, batch_first=True, bidirectional=True), lambda: nn.LSTM(6, 3)):
    torch.manual_seed(2)
    layer = make()
    print(layer, {name: digits(value) for name, value in layer.named_parameters()})
    for given in (x, x[0]):
        given = given.clone().requires_grad_()
        output, state = layer(given)
        states = state if isinstance(state, tuple) else (state,)
        print(digits(output), [digits(each) for each in states])
        loss = (output * output.detach().cos()).sum() + sum((each ** 2).sum() for each in states)
        print([digits(grad) for grad in torch.autograd.grad(loss, [given, *layer.parameters()])])
        again = layer(given, state)
        print(digits(again[0]))
layer = nn.RNN(6, 3)
print(layer(x)[0].grad_fn.name(), nn.GRU(6, 3)(x)[0].grad_fn.name(), layer.flatten_parameters())
print(list(layer.state_dict()), list(nn.LSTM(2, 3, 2, bidirectional=True).state_dict()))
torch.manual_seed(3)
layer = nn.GRU(6, 5, 2, dropout=0.5)
torch.manual_seed(3)
print(digits(layer(x)[0]), digits(layer.eval()(x)[0]))
## a dropout of one layer
print(nn.RNN(3, 4, dropout=0.5))
""".split("\n## ")[1:])  # fmt: skip
ERRORS = """
nn.RNNCell(3, 4)(x)
nn.RNNCell(3, 4)(torch.ones(2, 5))
nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(2, 5))
nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(3, 4))
nn.RNNCell(3, 4, nonlinearity="x")(torch.ones(2, 3))
nn.LSTMCell(3, 4)(x)
nn.GRUCell(3, 4)(torch.ones(3, 3, 3))
nn.RNN(3, 4)(torch.ones(3))
nn.RNN(3, 4)(x)
nn.RNN(6, 4)(x, torch.ones(1, 2, 3))
nn.RNN(6, 4)(x, torch.ones(1, 3))
nn.RNN(6, 4)(x[0], torch.ones(1, 2, 3))
nn.LSTM(6, 4)(x, (torch.ones(1, 2, 3), torch.ones(1, 2, 3)))
nn.LSTM(6, 4)(x, (torch.ones(1, 3), torch.ones(1, 3)))
nn.LSTM(6, 4)(x, (torch.ones(1, 4, 4), torch.ones(1, 2, 3)))
nn.GRU(6, 4)(x, torch.ones(1, 2, 3))
nn.GRU(6, 4)(x[0, 0])
nn.RNN(3, 4, dropout=5)
nn.RNN(3, 0)
nn.RNN(3, 4, 0)
nn.RNN(3, 2.)
nn.RNN(3, 2, nonlinearity="x")
nn.RNN(6, 4)(x.double())
print(nn.RNNCell(3, 4, bias=False), nn.LSTM(3, 4, 2, False, True))
"""
PROGRAMS |= {line: line for line in ERRORS.split("\n") if line}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    program = SETUP + PROGRAMS[name]
    assert shown(autograd_nb, program) == shown(torch, program)
