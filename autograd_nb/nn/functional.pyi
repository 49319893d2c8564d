# Written by `python -m tests.write stubs`.
# ruff: noqa
import builtins
import typing

from autograd_nb import Tensor

def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05) -> Tensor:
    """Each channel, the dimension 1, brought to mean 0 and variance 1 over the batch, then scaled and shifted."""
def binary_cross_entropy(input, target, weight=None, *, reduction='mean') -> Tensor:
    """The cross-entropy of the targets, numbers from 0 to 1, and the probabilities *input*."""
def binary_cross_entropy_with_logits(input, target, weight=None, *, reduction='mean', pos_weight=None) -> Tensor:
    """The binary cross-entropy of sigmoid(input); *pos_weight* is the weight of the targets that are 1."""
def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    """The cosine of the angle between vectors along *dim*; norms below *eps* count as *eps*."""
def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction='mean') -> Tensor:
    """Minus the log-probability of each target's class under softmax(input)."""
def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Each element zeroed with probability *p*, the others divided by 1 - p; the input itself if not *training*."""
def elu(input, alpha=1.0, inplace=False) -> Tensor:
    """Each element where it is positive, else *alpha* times (exp(input) - 1)."""
def embedding(input, weight, padding_idx=None):
    """The row of the table *weight* at each index in *input*; the row *padding_idx* gets no gradient."""
def gelu(self, *, approximate='none') -> Tensor:
    """The element times the share of the normal distribution below it; "tanh" is quicker and nearly the same."""
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1) -> Tensor:
    """A random choice along *dim* that gradients flow through: the softmax of the logits plus noise, over *tau*."""
def huber_loss(input, target, reduction='mean', delta=1.0) -> Tensor:
    """The mean of half the squared differences; beyond *delta*, where they grow linearly, of delta (|x| - delta/2)."""
def kl_div(input, target, *, reduction='mean', log_target=False) -> Tensor:
    """target · (log(target) - input), the divergence from log-probabilities *input* to probabilities *target*."""
def l1_loss(input, target, *, reduction='mean') -> Tensor:
    """The mean of the absolute differences."""
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    """The last dimensions, *normalized_shape*, of each sample brought to mean 0 and variance 1, scaled and shifted."""
def leaky_relu(input, negative_slope=0.01, inplace=False) -> Tensor:
    """Each element where it is positive, else *negative_slope* times it."""
def linear(self, weight, bias=None) -> Tensor:
    """``self @ weight.T + bias``."""
def log_softmax(input, dim=None, _stacklevel=3, dtype=None) -> Tensor:
    """The logarithm of :func:`softmax`, computed so that it neither overflows nor loses digits."""
def logsigmoid(self) -> Tensor:
    """The logarithm of the sigmoid, computed so that it neither overflows nor loses digits."""
def mish(input, inplace=False) -> Tensor:
    """Each element times the hyperbolic tangent of log(1 + exp(input))."""
def mse_loss(input, target, *, reduction='mean') -> Tensor:
    """The mean of the squared differences."""
def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction='mean') -> Tensor:
    """Minus the log-probability of each target's class, given in *input*; *target* holds class indices."""
def normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor:
    """Vectors along *dim* divided by their norm of order *p*, or by *eps* if that is larger."""
def one_hot(input, num_classes=-1) -> Tensor:
    """For each class index, a row of zeros with a one at that place; rows are as long as the highest index needs."""
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False) -> Tensor:
    """The norm of order *p* of the differences of vectors along the last dimension; *eps* is added to each element."""
def prelu(input, weight) -> Tensor:
    """Each element where it is positive, else *weight* times it: one number, or one for each channel, dimension 1."""
def relu(input, inplace=False) -> Tensor:
    """Each element where it is positive, else 0."""
def sigmoid(self) -> Tensor:
    """1 / (1 + exp(-self)), between 0 and 1."""
def silu(input, inplace=False) -> Tensor:
    """Each element times its sigmoid."""
def smooth_l1_loss(input, target, *, reduction='mean', beta=1.0) -> Tensor:
    """The mean of the absolute differences less beta / 2; below *beta* of half their squares over *beta*."""
def softmax(input, dim=None, _stacklevel=3, dtype=None) -> Tensor:
    """exp(input) divided by its sum along *dim*: positive numbers that add up to 1."""
def softplus(input, beta=1.0, threshold=20.0) -> Tensor:
    """A smooth relu, log(1 + exp(beta * input)) / beta; the input itself where beta * input is above *threshold*."""
def tanh(self) -> Tensor:
    """The hyperbolic tangent of each element."""
