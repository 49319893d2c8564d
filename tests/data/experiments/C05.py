"""The graph is built anew by each forward, so Python may change its shape at each iteration. Source C."""

import torch


def depth(node):
    return 0 if node is None else 1 + max([depth(child) for child, _ in node.next_functions], default=0)


x = torch.tensor(1.5, requires_grad=True)
for limit in (2, 5, 20):
    y = x
    while y < limit:
        y = y * 2 if y < 4 else y**2
    x.grad = None
    y.backward()
    print(limit, y, depth(y.grad_fn), x.grad)
