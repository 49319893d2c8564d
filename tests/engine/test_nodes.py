"""What dir() lists of a node, by which graph drawers find the tensors that it saved."""


import autograd_nb


def saved_tensors(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    nodes = [y.grad_fn for y in (x**3, x * x, x * 2, x.exp(), x / (x + 1))]
    return [
        {name for name in dir(node) if name.startswith("_saved") and isinstance(getattr(node, name), torch.Tensor)}
        for node in nodes
    ]


def test_dir_lists_what_a_node_saved():
    assert saved_tensors(autograd_nb) == [
        {"_saved_self"}, {"_saved_self", "_saved_other"}, {"_saved_other"}, {"_saved_result"},
        {"_saved_self", "_saved_other"},
    ]  # fmt: skip


def test_dir_lists_what_torchs_node_saved(torch):
    assert saved_tensors(autograd_nb) == saved_tensors(torch)
