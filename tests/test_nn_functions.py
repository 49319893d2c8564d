"""Functions of nn.functional beside torch's: values, gradients, nodes, errors, and random numbers from a seed."""

import pytest
from test_nn import shown

import autograd_nb
import autograd_nb.nn


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


SETUP = """
F = nn.functional
torch.manual_seed(0)
x = torch.randn(2, 4, 6)
y = torch.randn(2, 4, 4, 5)
w = torch.rand(4) + 0.5
b = torch.randn(4)
def digits(tensor):  # the last ones may differ
    return None if tensor is None else (tensor.detach().double() * 1000).round() / 1000 + 0.0
def show(function, *inputs, again=False, names=True):
    inputs = [each.clone().requires_grad_() for each in inputs]
    torch.manual_seed(1)
    result = function(*inputs)
    found = result if isinstance(result, tuple) else (result,)
    for each in found:
        print(each.dtype, digits(each), each.grad_fn.name() if names and each.grad_fn else "")
    weights = [torch.linspace(1, 2, each.numel()).view(each.shape) for each in found]
    total = sum((each * weight).sum() for each, weight in zip(found, weights) if each.requires_grad)
    grads = torch.autograd.grad(total, inputs, create_graph=again)
    print([digits(grad) for grad in grads])
    if again:
        total = sum((grad * grad.detach().cos()).sum() for grad in grads if grad.requires_grad)
        for grad in torch.autograd.grad(total, inputs, allow_unused=True):
            print(digits(grad))
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## dropout
show(lambda x: F.dropout(x, 0.4), x)
show(lambda x: F.dropout(x, 1.0), x)
show(lambda x: F.dropout(x * 1, 0.4, inplace=True), x)
F.dropout(x, 1.0)
print(torch.rand(2))
## dropout of channels
show(lambda x: F.dropout1d(x), x)
show(lambda x: F.dropout1d(x[0]), x)
show(lambda y: F.dropout2d(y), y)
show(lambda y: F.dropout3d(y.unsqueeze(2)), y)
show(lambda y: F.dropout3d(y), y)
show(lambda x: F.dropout2d(x), x)
show(lambda x: F.dropout1d((x * 1)[0], inplace=True), x)
show(lambda x: F.dropout2d(x, 0.3, False), x)
## dropout for selu
show(lambda x: F.alpha_dropout(x, 0.3, True), x)
show(lambda x: F.feature_alpha_dropout(x, 0.3, True), x)
show(lambda x: F.alpha_dropout(x * 1, 0.3, True, inplace=True), x)
show(lambda x: F.alpha_dropout(x), x)
## dropout of a vector's channels
F.dropout2d(torch.ones(3))
## dropout1d of a vector
F.dropout1d(torch.ones(3))
## dropout with no probability
F.alpha_dropout(x, 2.0)
## dropout of integers
F.alpha_dropout(torch.ones(3).long(), 0.5, True)
## feature dropout of a vector
F.feature_alpha_dropout(torch.ones(3), training=True)
## rrelu
show(lambda x: F.rrelu(x, training=True), x)
show(lambda x: F.rrelu(x, 0.1, 0.3), x)
show(lambda x: F.rrelu(x * 1, 0.1, 0.3, True, True), x, names=False)
print(F.rrelu(x.double(), training=True), torch.rand(1))
## rrelu bounds
F.rrelu(x, 0.5, 0.1)
## rrelu infinite
F.rrelu(x, 0.5, float("inf"))
## in place by name
for name, more in (("relu_", ()), ("elu_", (0.5,)), ("selu_", ()), ("celu_", (2.0,)), ("leaky_relu_", (0.2,)),
                   ("hardtanh_", (-0.5, 0.5)), ("threshold_", (0.1, 3.0)), ("rrelu_", (0.1, 0.2))):
    z = x.clone()
    print(name, digits(getattr(F, name)(z, *more)), getattr(F, name)(z, *more) is z)
## gumbel
show(lambda x: F.gumbel_softmax(x, tau=0.5), x)
show(lambda x: F.gumbel_softmax(x, hard=True, dim=1), x)
## group norm
show(lambda x, w, b: F.group_norm(x, 2, w, b), x, w, b, again=True)
show(lambda x: torch.group_norm(x, 4), x)
show(lambda x: F.group_norm(x, 1, eps=0.1), y)
## group norm channels
F.group_norm(x, 3)
## group norm weight
F.group_norm(x, 2, torch.ones(3))
## group norm rank
F.group_norm(x[0, 0], 2)
## group norm of single elements
F.group_norm(torch.ones(1, 2), 2)
## instance norm
show(lambda x: F.instance_norm(x), x, again=True)
show(lambda x, w, b: F.instance_norm(x, weight=w, bias=b), y, w, b)
mean, var = torch.zeros(4), torch.ones(4)
show(lambda x: F.instance_norm(x, mean, var), x)
print(mean, var)
show(lambda x: F.instance_norm(x, mean, var, use_input_stats=False), x)
## instance norm of single elements
F.instance_norm(torch.ones(2, 3, 1))
## instance norm without statistics
F.instance_norm(x, use_input_stats=False)
## rms norm
show(lambda x, w: F.rms_norm(x, (6,), w), x, torch.rand(6), again=True)
show(lambda x: torch.rms_norm(x, (4, 6), eps=0.1), x)
show(lambda x: F.rms_norm(x.double(), (6,)), x)
## rms norm shape
F.rms_norm(x, (3, 6))
## rms norm weight
F.rms_norm(x, (6,), torch.ones(4))
## rms norm of integers
F.rms_norm(torch.ones(2, 3).long(), (3,))
## adaptive maximum
show(lambda x: F.adaptive_max_pool1d(x, 4), x)
show(lambda y: F.adaptive_max_pool2d(y, (3, None)), y)
show(lambda y: F.adaptive_max_pool2d(y, 2, True)[0], y)
print(F.adaptive_max_pool2d(y, 2, True)[1], F.adaptive_max_pool1d(x, 3, return_indices=True)[1])
## adaptive maximum rank
F.adaptive_max_pool1d(torch.ones(3), 2)
## adaptive maximum of planes
F.adaptive_max_pool2d(torch.ones(3, 3), 2)
## adaptive maximum empty
F.adaptive_max_pool2d(torch.ones(3, 0, 3), 2)
## power mean
show(lambda x: F.lp_pool1d(x, 2, 3, stride=2), x)
show(lambda y: F.lp_pool2d(y, 3, 2), y.abs())
print(F.lp_pool1d(x, float("inf"), 2), F.lp_pool1d(x, -float("inf"), 2))
## conv3d
show(lambda x, w: F.conv3d(x, w, padding=1), y.double().unsqueeze(1), torch.randn(2, 1, 3, 2, 2).double(), again=True)
## transposed convolution
show(lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1, output_padding=1), x, torch.randn(4, 3, 3),
     torch.randn(3), again=True)
show(lambda x, w: F.conv_transpose1d(x[0], w, groups=2, dilation=2), x, torch.randn(4, 2, 3))
show(lambda x, w: F.conv_transpose2d(x, w, stride=(2, 1), output_padding=(1, 0)), y, torch.randn(4, 2, 3, 2))
show(lambda x, w: F.conv_transpose3d(x, w), y.unsqueeze(2), torch.randn(4, 2, 1, 2, 2))
## transposed channels
F.conv_transpose1d(x, torch.ones(3, 2, 3))
## transposed rank
F.conv_transpose1d(x[0, 0], torch.ones(4, 2, 3))
## transposed output padding
F.conv_transpose1d(x, torch.ones(4, 2, 3), output_padding=1)
## transposed output padding of pictures
F.conv_transpose2d(y, torch.ones(4, 2, 3, 3), output_padding=2, stride=2)
## transposed bias
F.conv_transpose1d(x, torch.ones(4, 2, 3), torch.ones(3))
## transposed groups
F.conv_transpose1d(x, torch.ones(4, 2, 3), groups=3)
## transposed padding
F.conv_transpose1d(x, torch.ones(4, 2, 3), padding=-1)
## unfold and fold
show(lambda y: F.unfold(y, 2, padding=1, stride=2), y)
show(lambda y: F.unfold(y[0], (2, 3), dilation=(2, 1)), y)
show(lambda x: F.fold(x, (3, 4), 2), torch.randn(2, 8, 6))
show(lambda x: F.fold(x, (4, 4), 2, stride=2, padding=1), torch.randn(4, 9))
## unfold too large
F.unfold(y, 9)
## unfold no stride
F.unfold(y, 2, stride=0)
## unfold three settings
F.unfold(y, (2, 2, 2))
## fold places
F.fold(x, (2, 2), 2)
## fold rows
F.fold(torch.ones(2, 4), (2, 2), 2)
## fold rank
F.fold(torch.ones(2, 4, 1, 1), (2, 2), 2)
## channel shuffle
show(lambda x: F.channel_shuffle(x, 2), x)
## channel shuffle groups
F.channel_shuffle(y, 3)
## channel shuffle rank
F.channel_shuffle(x[0, 0], 3)
## pixel shuffle factor
F.pixel_shuffle(x, 0)
## bilinear
show(lambda a, b, w, c: F.bilinear(a, b, w, c), x, x[..., :3], torch.randn(2, 6, 3), torch.randn(2), again=True)
## bilinear input
F.bilinear(x, x, torch.ones(3, 6, 5))
## bilinear ranks
F.bilinear(x, x[0], torch.ones(3, 6, 6))
## bilinear bias
F.bilinear(x, x, torch.ones(3, 6, 6), torch.ones(2))
## attention
q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
show(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), q, k, v)
show(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3), q, k, v)
show(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.randn(5, 5)), q, k, v)
show(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.randn(5, 5) > 0), q, k, v)
show(lambda q, k, v: F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0]), q, k, v)
show(lambda q, k, v: F.scaled_dot_product_attention(q[0], k[0, :, :3], v[0, :, :3, :2]), q, k, v, again=True)
## attention with a mask that learns
show(lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m), torch.randn(1, 2, 3, 4), torch.randn(3, 3))
## attention of vectors
F.scaled_dot_product_attention(x[0, 0], x, x)
## attention mask and causal
F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(4, 4), is_causal=True)
## attention dtypes
F.scaled_dot_product_attention(x, x.double(), x)
## attention mask dtype
F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(4, 4).long())
## losses of pairs
a, c, t = torch.randn(3, 4), torch.randn(3, 4), torch.tensor([1., -1., 1.])
for r in ("none", "mean", "sum"):
    show(lambda a, c: F.cosine_embedding_loss(a, c, t, margin=0.1, reduction=r), a, c)
    show(lambda a: F.soft_margin_loss(a, c.sign(), reduction=r), a, again=True)
    show(lambda a: F.multilabel_soft_margin_loss(a, (c > 0).float(), torch.rand(4), reduction=r), a)
    show(lambda a: F.gaussian_nll_loss(a, c, c.abs(), full=True, reduction=r), a)
    show(lambda a, v: F.gaussian_nll_loss(a, c, v, reduction=r), a, torch.rand(3))
    show(lambda a, v: F.triplet_margin_with_distance_loss(a, c, v, swap=True, margin=3.0, reduction=r), a, a + 1)
    show(lambda a: F.hinge_embedding_loss(a, c.sign(), reduction=r), a)
    show(lambda a: F.poisson_nll_loss(a, c.abs(), full=True, reduction=r), a)
show(lambda a, c: F.cosine_embedding_loss(a[0], c[0], torch.tensor(1)), a, c)
## losses of classes
a, t = torch.randn(3, 4), torch.tensor([0, 3, 1])
many = torch.tensor([[1, 2, -1, 0], [0, 0, 3, -1], [-1, 2, 2, 2]])
for r in ("none", "mean", "sum"):
    for p in (1, 2):
        show(lambda a: F.multi_margin_loss(a, t, p=p, margin=0.7, reduction=r), a)
        show(lambda a: F.multi_margin_loss(a, t, p=p, weight=torch.rand(4), reduction=r), a)
    show(lambda a: F.multilabel_margin_loss(a, many, reduction=r), a)
    show(lambda a: F.multilabel_margin_loss(a[0], many[0], reduction=r), a)
    show(lambda a: F.multi_margin_loss(a[0], t[:1], reduction=r), a)
    show(lambda a: F.multi_margin_loss(a[0], t[0], reduction=r), a)
## classes out of range
F.multi_margin_loss(x[0], torch.tensor([0, 1, 2, 6]))
## classes of another number
F.multi_margin_loss(x[0], torch.tensor([0, 1, 2]))
## classes weights
F.multi_margin_loss(x[0], torch.tensor([0, 1, 2, 5]), weight=torch.ones(2))
## classes power
F.multi_margin_loss(x[0], torch.tensor([0, 1, 2, 5]), p=3)
## classes dtype
F.multi_margin_loss(x[0], torch.ones(4))
## labels of another shape
F.multilabel_margin_loss(x[0], torch.ones(4, 5).long())
## labels out of range
F.multilabel_margin_loss(x[0], torch.full((4, 6), 9))
## embedding of matrices
F.cosine_embedding_loss(x, x, x)
## variance
F.gaussian_nll_loss(x, x, -x)
## variance of another size
F.gaussian_nll_loss(x, x, x[0].abs())
## variance reduction
F.gaussian_nll_loss(x, x, x.abs(), reduction="x")
## triplet margin
F.triplet_margin_loss(x, x, x, margin=-1.0)
## triplet ranks
F.triplet_margin_with_distance_loss(x, x, x[0])
## upsample
print(F.upsample(x, 3))
""".split("\n## ")[1:])  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    program = SETUP + PROGRAMS[name]
    assert shown(autograd_nb, program) == shown(torch, program)
