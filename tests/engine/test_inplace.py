"""Changes in place have PyTorch's histories, versions and errors; test_fuzz has random programs of them."""

import pytest
from programs import shown

import autograd_nb

START = """
x = torch.arange(1., 7).reshape(2, 3).clone().requires_grad_()
y = x * 1
v = y[0]
w = torch.ones(3, requires_grad=True)

def show(node):
    print(node, node and node.name(), node and [(n and n.name(), k) for n, k in node.next_functions])
"""
PROGRAMS = (
    "y[0,0]=torch.ones(1); show(y.grad_fn)",
    "y[0]=[1,2,3]; print(y)",
    "d=y.detach(); print(d._is_view(), d._version); d.add_(1); print(y._version, d._version); "
    "y.exp().sum().backward(); ",
    "d,e=y.detach(),y.data; d.add_(1); print(d._version, e._version); e.add_(1); print(y, y._version, e._base)",
    "k=torch.tensor([0,1]); z=y[k]; k.add_(1); z.sum().backward()",
    "x.detach_(); print(x.requires_grad)",
    "v.retain_grad(); v.mul_(2); print(v.retains_grad); y.sum().backward(); print(v.grad)",
    "with torch.no_grad(): v=y[0]\nprint(v.requires_grad, v.grad_fn)\ny.add_(1); print(v.requires_grad); v.grad_fn",
    "with torch.inference_mode(): q=torch.ones(3)\nv=q[0]; print(v.is_inference(), v._is_view()); v.add_(1)",
    "with torch.inference_mode(): q=torch.ones(2,3)\nq.t_()",
    "a=torch.ones(3); u=a[:2]; u.requires_grad_(); a.add_(1); print(u.is_leaf, u.grad_fn, u.requires_grad)",
    "a=torch.ones(3); u=a[:2]; u.requires_grad_(); a.mul_(w); print(u.is_leaf, u.grad_fn, u.requires_grad)",
    # a view that was taken before its base had a history counts as a leaf until somebody asks for its node
    "b=torch.ones(3); u,o=b[:],b[:1]; b.mul_(w); u.mul_(2); show(o.grad_fn); "
    "o.mul_(2); u.copy_(w); u.add_(1); print(b)",
    "f=v.exp_(); y.zero_(); f.sum().backward()",
    # a view's part of the gradient: by the index that gave it, unless its own or its base's elements are others by now
    "v.mul_(3); y.pow(2).sum().backward(); print(x.grad)",
    "u=y[:, 1]; u.mul_(3); y.pow(2).sum().backward(); print(x.grad)",
    "u=y[0:2]; u.t_(); u[0].mul_(3); u.mul_(2); y.pow(2).sum().backward(); print(x.grad)",
    "u=y[0:1]; y.data=torch.full((2,3),5.); u.mul_(3); print(u, y)",
    "x.t_()",
    *(f"y.retain_grad(); y.{change}; print(y.retains_grad); y.retain_grad(); y.sum().backward(); print(y.grad)"
      for change in ("t_()", "unsqueeze_(0)", "squeeze_()", "transpose_(0, 1)")),
    # a gradient that repeats one number
    "g,=torch.autograd.grad(x.sum(), x); print(g.stride(), g.view(-1)); g.add_(1)",
    "g,=torch.autograd.grad(x.sum(0).sum(), x); g[0]=1.",
    "g,=torch.autograd.grad(x.sum(1).sum(), x); g.zero_(); print(g.view(-1))",
    "g,=torch.autograd.grad(x.mean(), x); print(g.stride(), g.mul_(6))",
    "x.register_hook(lambda g: g.clamp_(max=.5)); x.sum().backward()",
    "x.sum().backward(); x.grad.mul_(2); print(x.grad)",
    # numbers beside arrays
    "y.mul_(0.); y.add_(-0.); print(y); y.sum().backward(); print(x.grad)",
    *(f"""
u = torch.ones(2)
with torch.no_grad(): lost = u[:1]
u.requires_grad_()
print(lost.requires_grad, lost.is_leaf, lost.grad_fn, lost.grad, lost.retains_grad)
{line}
print(lost.retains_grad, (lost * 2).grad_fn.next_functions, lost.grad, u.grad)
""" for line in (
        "lost.register_hook(print)", "lost.retain_grad()", "(lost * w).sum().backward(); print(w.grad)",
        "lost.backward()", "torch.autograd.grad(u.sum(), lost)", "u.sum().backward(inputs=[lost])",
        "torch.autograd.graph.get_gradient_edge(lost)", "lost.grad = torch.ones(1)", "lost.add_(1)",
        "torch.autograd.graph.register_multi_grad_hook([lost, w], print)",
        "torch.autograd.graph.register_multi_grad_hook([lost, w], print, mode='any')")),
)
CALLS = (
    "addcmul_(w, w, value=2)", "addcdiv_(w, w, value=.5)",
    "addmm_(w, w)", "lerp_(w, .3)", "clamp_(.3, .6)", "cumsum_(0)",
    "exp_()", "log_()", "tanh_()", "relu_()", "sqrt_()", "pow_(w)", "pow_(3)", "remainder_(.3)", "div_(w)", "mul_(w)",
    "sub_(w, alpha=2)", "add_(2, alpha=3)", "round_()", "zero_()", "fill_(2.)", "copy_(w)", "masked_fill_(w > .5, 1.)",
    "masked_fill_(w > .5, w[0, 0])", "index_add_(0, torch.tensor([0, 1]), w, alpha=2)",
    "scatter_(0, torch.tensor([[0, 1]]), 2.)", "tril_()", "triu_(1)",
    "t_()", "transpose_(0, 1)", "swapaxes_(0, -1)", "swapdims_(1, 0)", "unsqueeze_(-1)", "squeeze_()", "squeeze_(3)",
)  # fmt: skip
OF_CALL = """
a = torch.tensor([[.2, .5], [.7, .4]], requires_grad=True)
w = torch.tensor([[.3, .6], [.1, .9]], requires_grad=True)
y = a * 1
t = {view}
print(t.{call} is t, y.grad_fn.name(), t.grad_fn.name(), y._version)
y.sum().backward()
for tensor in (y, a.grad, w.grad):
    print(tensor is not None and [f"{{value:.4f}}" for value in tensor.reshape(-1).tolist()])
y.sum().backward()
"""


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_prints_and_raises_what_torch_does(text, torch):
    assert shown(autograd_nb, START + text) == shown(torch, START + text)


@pytest.mark.parametrize("view", ["y", "y[0:2]", "y.t()"])
@pytest.mark.parametrize("call", CALLS)
def test_a_change_gives_the_values_names_and_gradients_that_torch_gives(call, view, torch):
    text = OF_CALL.format(view=view, call=call)
    assert shown(autograd_nb, text) == shown(torch, text)


TWO = (
    "mul_(s)", "add_(s)", "lerp_(s, .5)", "addcmul_(s, s)", "copy_(s)", "fill_(s)",
    "masked_fill_(k > 0, s)", "index_add_(0, k[:len(s)], s)", "scatter_(0, k[:len(s)], s)",
    "scatter_add_(0, k[:len(s)], s)", "index_put_((k,), s)", "index_put_((k[:len(s)],), s, accumulate=True)",
    "__setitem__(k[:len(s)].tolist(), s)", "__setitem__(k > 1, s)", "__setitem__(slice(len(s)), s)",
)  # fmt: skip
BESIDE = "u", "u[:]", "u[:3]", "u[1:]", "u[1:3]", "u.clone()", "u.view(2, 2).t().reshape(-1)"


@pytest.mark.parametrize("part", ["u", "u[:3]"])
@pytest.mark.parametrize("call", TWO)
def test_what_shares_memory_with_an_input_is_changed_where_torch_changes_it(call, part, torch):
    for source in BESIDE:
        text = f"u = torch.arange(1., 5.)\nt, s = {part}, {source}\nk = torch.arange(len(t))\nt.{call}\nprint(u)"
        if "index_add_" not in call or eval(f"len({part}) >= len({source})", {"u": autograd_nb.arange(4)}):
            assert shown(autograd_nb, text) == shown(torch, text), source


def test_second_derivatives_pass_through_a_changed_view():
    def function(x):
        y = x * x
        y[0].mul_(x[1])
        y[:, 1:].exp_()
        return y * y

    x = autograd_nb.tensor([[0.3, 0.5], [0.2, -0.4]], dtype=autograd_nb.float64, requires_grad=True)
    assert autograd_nb.autograd.gradcheck(function, x)
    assert autograd_nb.autograd.gradgradcheck(function, x)
