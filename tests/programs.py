"""Random small programs of views and in-place changes, run line by line on either library, and what each line shows.

A line that raises leaves its variables as they were and the program goes on, so one program meets several errors.
"""

import contextlib
import io
import random
import re
import warnings

START = [
    "a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)",
    "b = torch.tensor([[.5, -1., 2.], [3., .25, -2.]])",
    "s = torch.tensor(1.5, requires_grad=True)",
    "k = torch.tensor([[1, 0, 2], [2, 1, 0]])",
    "y = a * 1",
]
VIEWS = (
    "{x}[0]", "{x}[-1]", "{x}[:, 1]", "{x}[0, 1]", "{x}[1:]", "{x}[:, ::2]", "{x}[...]", "{x}[None]", "{x}[:]",
    "{x}.t()", "{x}.T", "{x}.view(-1)", "{x}.view(3, 2)", "{x}.reshape(-1)", "{x}.reshape(3, 2)", "{x}.flatten()",
    "{x}.transpose(0, 1)", "{x}.unsqueeze(0)", "{x}.squeeze()", "{x}.permute(1, 0)", "{x}.diagonal()",
    "{x}.narrow(0, 0, 1)", "{x}.select(0, 1)", "{x}.unfold(0, 2, 2)", "{x}.split(1)[0]", "{x}.unbind()[1]",
    "{x}.chunk(2)[1]", "{x}.view_as(b)", "{x}.as_strided((2, 2), (2, 1))", "{x}.as_strided((2,), (2,), 1)",
    "{x}.detach()", "{x}.data",
)  # fmt: skip
COPIES = (
    "{x} * 1", "{x} * {z}", "{x} + {z}", "{x}.exp()", "{x}.clone()", "{x} * {x}", "{x}[[0, 1]]", "{x}[{x} > 1]",
    "torch.cat([{x}, {z}])", "torch.stack([{x}, {z}])", "{x}.contiguous()", "{x}.flip(0)", "{x}.tril()",
    "{x}.gather(0, k)", "{x}.sum()", "{x}.masked_fill({x} > 2, 0.)", "{x}.index_select(0, k[0])", "{x}.sort()[0]",
    "{x}.double()", "{x} / {z}", "{x}.expand(2, 2, 3) * 1", "{x}.expand_as(b) + 1", "torch.where({x} > 0, {x}, {z})",
)  # fmt: skip
CHANGES = (
    "{x}.add_(1.)", "{x}.mul_(2)", "{x}.mul_({z})", "{x}.add_({z})", "{x}.sub_({z})", "{x}.div_(2.)", "{x}.div_({z})",
    "{x}.exp_()", "{x}.sin_()", "{x}.neg_()", "{x}.zero_()", "{x}.fill_(2.)", "{x}.fill_(s)", "{x}.copy_({z})",
    "{x}.pow_(2)", "{x}.clamp_(min=1.)", "{x}.masked_fill_({x} > 2, 0.)", "{x}.masked_fill_({x} > 2, s)", "{x} += 1",
    "{x} *= {z}", "{x} -= {z}", "{x}[0] = 3.", "{x}[0] = {z}", "{x}[0] += 1", "{x}[:, 1] = {z}", "{x}[{x} > 1] = 0.",
    "{x}[[0]] = {z}", "{x}[...] = 1.", "{x}[0, 1] *= 2", "{x}[0] *= {z}", "{x}.index_add_(0, k[0, :2], {z} * 1)",
    "{x}.scatter_(0, k[:1] * 0, 2.)", "{x}.index_fill_(0, k[0, 1:2], 1.)", "{x}.tril_()",
    "{x}.index_put_((k[0, 1:2],), {z}, accumulate=True)", "{x}.detach_()", "{x}.sigmoid_()", "{x}.tanh_()",
    "{x}.relu_()", "{x}.t().add_(1)", "{x}.retain_grad()", "{x}.register_hook(lambda g: g * 2)",
)  # fmt: skip
ENDS = (
    "{x}.sum().backward()", "{x}.sum().backward(retain_graph=True)", "({x} * {z}).sum().backward()",
    "{x}.exp().sum().backward()",
    "g, = torch.autograd.grad({x}.sum(), a, create_graph=True); g.sum().backward(); del g",
    "g, = torch.autograd.grad(({x} ** 2).sum(), a, create_graph=True); (g * g).sum().backward(); del g",
    "{x}.grad.zero_()", "a.grad = None",
)  # fmt: skip


def program(seed, length=8):
    """The lines of one program."""
    chooser = random.Random(seed)
    lines, names = list(START), ["y", "a", "b", "s"]

    def filled(templates):
        x = chooser.choice(names[-4:] if chooser.random() < 0.6 else names)
        return chooser.choice(templates).format(x=x, z=chooser.choice(names))

    for number in range(length):
        kind = chooser.random()
        if kind < 0.6:
            line = f"v{number} = " + filled(VIEWS if kind < 0.4 else COPIES)
            names.append(f"v{number}")
        else:
            line = filled(CHANGES if kind < 0.92 else ENDS)
        if chooser.random() < 0.1 and kind >= 0.4:
            line = f"with torch.no_grad(): {line}"
        lines.append(line)
        if line.startswith(("v", "with torch.no_grad(): v")) and len(names) > 4 and names[-1] not in line:
            names.pop()
    return [*lines, filled(ENDS)]


def run(library, lines):
    """``(line, error or None, state of every variable)`` after each line."""
    space, seen = {"torch": library}, []
    for line in lines:
        error = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(line, space)
            except Exception as raised:
                error = type(raised).__name__, str(raised).split("\n")[0]
            tensors = {name: each for name, each in space.items() if isinstance(each, library.Tensor) and name != "g"}
            state = {name: shown(library, value) for name, value in tensors.items()}
        seen.append((line, error, state))
    return seen


def shown(library, x):
    """What a learner can see of a tensor."""
    try:
        node = x.grad_fn
        after = node and [(each and each.name(), number) for each, number in node.next_functions]
        place = x.is_leaf, x.output_nr, x.retains_grad, node and node.name(), after
    except RuntimeError as error:
        place = str(error)
    grad = None if isinstance(place, str) or not (x.is_leaf or x.retains_grad) else x.grad
    return (
        str(x.dtype), tuple(x.shape), strides(x), values(x), x.requires_grad, x._version, x._is_view(), place,
        grad is not None and (tuple(grad.shape), values(grad)),
    )  # fmt: skip


def strides(x):
    """The strides, without those of dimensions of length one, over which nothing steps."""
    return [step for step, length in zip(x.stride(), x.shape, strict=True) if length > 1] if x.numel() else None


def values(x):
    return x.detach().double().reshape(-1).tolist()


def alike(mine, other):
    """Whether two states are the same, floats up to what the order of operations may change."""
    if isinstance(mine, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(mine) == len(other) and all(alike(a, b) for a, b in zip(mine, other, strict=True))
    if isinstance(mine, float) and isinstance(other, float):
        both_nan = mine != mine and other != other
        return mine == other or both_nan or abs(mine - other) <= 1e-5 * max(1, abs(mine), abs(other))
    return mine == other


def differences(mine, other):
    """The first line after which two runs show different things, and these; None when there is none."""
    for position, ((line, error, state), (_, its_error, its_state)) in enumerate(zip(mine, other, strict=True)):
        if error != its_error:
            return f"line {position}, {line}: raised {error}, torch {its_error}"
        for name in its_state:
            if not alike(state.get(name), its_state[name]):
                return f"line {position}, {line}: {name} is\n  {state.get(name)}, torch\n  {its_state[name]}"
    return None


def evaluate(library, start, expression):
    """What an expression gives after the lines of *start*: tensors as a learner sees them, or the error."""
    space = {"torch": library}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(start, space)
        try:
            return described(library, eval(expression, space))
        except Exception as raised:
            return type(raised).__name__, str(raised).split("\n")[0]


def described(library, value):
    if isinstance(value, library.Tensor):
        node, names = value.grad_fn, []
        while node is not None and len(names) < 5:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        where = value.storage_offset() if value._is_view() and value.numel() else None
        return " ".join(repr(value).split()), strides(value), names, value._is_view(), value.is_contiguous(), where
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(described(library, each) for each in value)]
    return repr(value)


def printed(library, program):
    """What a program prints, addresses left out, and the error that ended it."""
    out, error = io.StringIO(), None
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        try:
            exec(program, {"torch": library})
        except Exception as raised:
            error = type(raised).__name__, str(raised).split("\n")[0]
    return re.sub("0x[0-9a-f]+", "0x", out.getvalue()), error
