"""Normal, Bernoulli and Categorical beside PyTorch's: samples after a seed, probabilities, gradients, text, errors."""

import re

import pytest
from programs import told

import autograd_nb
import autograd_nb.distributions

MAKES = """
Normal(0.0, 1.0)
Normal(T([0.0, 1.0]), T([1.0, 2.0]))
Normal(T([[0.0], [1.0]]), 2)
Normal(0, T(2.0, dtype=torch.float64))
Normal(torch.zeros(20), 1.0)
Bernoulli(0.3)
Bernoulli(T([0.1, 0.5, 0.9]))
Bernoulli(logits=T([-1.0, 0.0, 200.0]))
Bernoulli(T([0.0, 1.0]))
Categorical(T([1.0, 2.0, 3.0]))
Categorical(logits=T([[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]]))
Categorical(T([0.0, 1.0]))
Categorical(probs=torch.ones(2, 3, 4))
""".strip().splitlines()
USES = """
d, d.batch_shape, d.event_shape, d.has_rsample
d.sample(), d.sample((3,)), d.sample(torch.Size([2, 1])), torch.rand(1)
d.rsample((2,)), torch.rand(1)
d.mean, d.variance, d.stddev
d.entropy()
d.log_prob(d.sample((4,)))
d.probs, d.logits, d
d.log_prob(T(1.0))
d.log_prob(T([0.5]))
d.log_prob(1.0)
d.log_prob(torch.ones(7))
d.cdf(T(0.3))
d.support, d.arg_constraints
kl_divergence(d, type(d)(*[each.flip(0) + 0.01 for each in [d.loc, d.scale]]))
kl_divergence(d, type(d)(logits=d.logits.flip(-1) * 2))
kl_divergence(d, type(d)(d.probs.flip(-1)))
""".strip().splitlines()
OTHERS = """
Normal(0.0, -1.0)
Normal(T([0.0, float("nan")]), 1.0)
Normal("a", 1.0)
Normal(torch.zeros(2), torch.ones(3))
Normal(0.0, -1.0, validate_args=False).scale
Normal(0.0, 1.0).log_prob(T(float("nan")))
Bernoulli(1.5)
Bernoulli()
Bernoulli(0.5, 0.5)
Categorical()
Categorical(T(1.0))
Categorical(T([-1.0, 2.0]))
Categorical(logits=T([float("nan"), 2.0]))
Categorical(T([1.0, 1.0])).log_prob(T(2))
kl_divergence(Normal(0.0, 1.0), Bernoulli(0.5))
kl_divergence(Bernoulli(T([0.0, 1.0, 0.3])), Bernoulli(T([0.5, 0.0, 1.0])))
issubclass(Normal, Distribution), isinstance(Categorical(T([1.0, 1.0])), Distribution)
""".strip().splitlines()


def shown(torch, code, make="None"):
    names = {"T": torch.tensor, **vars(torch.distributions)}
    text, warned = told(torch, code, f"torch.manual_seed(1)\nd = {make}", **names)
    return re.sub(r"has no attribute.*", "has no attribute", text), warned


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", MAKES)
def test_a_distribution_gives_what_pytorchs_gives(make, use, live):
    assert shown(autograd_nb, use, make) == shown(live, use, make)


@pytest.mark.parametrize("code", OTHERS)
def test_an_error_is_pytorchs(code, live):
    assert shown(autograd_nb, code) == shown(live, code)


@pytest.mark.parametrize(("make", "parameters"), [
    ("Normal(a, b)", ([0.0, 1.0], [1.0, 2.0])), ("Bernoulli(a)", ([0.2, 0.5],)),
    ("Bernoulli(logits=a)", ([0.2, -0.5],)),
    ("Categorical(a)", ([0.2, 0.5],)), ("Categorical(logits=a)", ([[0.2, 0.5], [1.0, 2.0]],)),
])  # fmt: skip
def test_gradients_and_nodes_are_pytorchs(make, parameters, live):
    shown = []
    for torch in (autograd_nb, live):
        torch.manual_seed(3)
        given = [torch.tensor(each, requires_grad=True) for each in parameters]
        d = eval(make, {**vars(torch.distributions), **dict(zip("ab", given, strict=False))})
        x = d.rsample((3,)) if d.has_rsample else d.sample((3,))
        names, node = [], d.log_prob(x).sum().grad_fn
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        other = eval(make, {**vars(torch.distributions), **dict(zip("ab", [each.detach().sqrt() if each.min() > 0 else
                            each.detach() * 0.5 for each in given], strict=False))})  # fmt: skip
        apart = torch.distributions.kl_divergence(d, other)
        names.append(apart.grad_fn.name())
        (d.log_prob(x).sum() + d.entropy().sum() + 0.5 * apart.sum()).backward()
        shown.append((names, [[round(float(v), 5) for v in each.grad.flatten()] for each in given]))
    assert shown[0] == shown[1]
