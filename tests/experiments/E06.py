"""Define-and-run beside define-by-run: a graph fixed beforehand, and one that follows the numbers. Source E."""

import torch

# Define-and-run: first a list of steps, and only then numbers; the steps cannot ask how large y has become.
steps = [lambda y: y * 2, lambda y: y * 2]


def run(steps, y):
    for step in steps:
        y = step(y)
    return y


for start in (1.0, 3.0):
    x = torch.tensor(start, requires_grad=True)
    run(steps, x).backward()
    fixed = x.grad
    # Define-by-run: Python decides at each step, and the graph is whatever ran.
    x = torch.tensor(start, requires_grad=True)
    y = x
    while y < 10:
        y = y * 2
    y.backward()
    print(start, fixed, x.grad)
