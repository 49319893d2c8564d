"""The graph of program 9 walked by hand, from z down to x. Source A, program 22."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
log, sqrt = (node for node, _ in z.grad_fn.next_functions)
print(z.grad_fn.next_functions)
print(log.next_functions, sqrt.next_functions)
cube, square = log.next_functions[0][0], sqrt.next_functions[0][0]
print(cube.next_functions, square.next_functions)
end_of_log, end_of_sqrt = cube.next_functions[0][0], square.next_functions[0][0]
print(end_of_log.variable is x, end_of_sqrt.variable is x)
print(end_of_log is end_of_sqrt)
