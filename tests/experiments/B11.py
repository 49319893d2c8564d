"""The graph of Q as text: arrows in forward direction, leaves named by their variables. Source B."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
leaves = {id(a): "a", id(b): "b"}


def label(node):
    return leaves[id(node.variable)] if hasattr(node, "variable") else node.name()


def show(node):
    for child, _ in node.next_functions:
        if child is not None:
            show(child)
            print(f"{label(child)} -> {label(node)}")


show(Q.grad_fn)
