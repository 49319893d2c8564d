"""Chapter 14, reading the graph: nodes counted, a leaf looked for, and what exp keeps."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import names_in
from .functions import Formula
from .material import leaf

p1 = Prediction("pow")
p2 = Prediction("one")
p3 = Prediction("nothing")
p4 = Prediction("error")
p5 = Prediction("gradient")


# q2: every node once; q1 is one case of it


def count_nodes(t):
    seen, to_see = set(), [t.grad_fn]
    while to_see:
        node = to_see.pop()
        if node not in seen:
            seen.add(node)
            to_see.extend(earlier for earlier, _ in node.next_functions if earlier is not None)
    return len(seen)


def counts_depth(t):
    def depth(node):
        return 1 + max([depth(earlier) for earlier, _ in node.next_functions if earlier], default=0)

    return depth(t.grad_fn)


_x = torch.tensor(1.0, requires_grad=True)
q1 = Question(count_nodes(torch.exp(2 * _x + 1)), wrong={"no_leaf": 3, "constants": 6, "tensors": 5})


_zigzag = Formula("(c := a * 2 + a) ** 2 + c * b", "a, b")
_two_leaves = Formula("(a * b).sin() + b.sin() * b", "a, b")
_doubled = Formula("(b := a + a) * b.exp()", "a, b")


def _run_on_result(answer, t, a, b):
    return answer(t(*(torch.tensor(number, requires_grad=True) for number in (a, b))))


q2 = Question(
    count_nodes,
    samples=lambda random: [(make, *random.uniform(0.5, 1, 2)) for make in (_zigzag, _two_leaves, _doubled)],
    calls=_run_on_result,
    wrong={
        "visits": ("set() → []", "node not in seen → True", "seen.add → seen.append"),
        "depth": counts_depth,
        "kinds": "len(seen) → len({node.name() for node in seen})",
        "no_leaves": 'len(seen) → sum(not hasattr(node, "variable") for node in seen)',
    },
)


# q3: is a leaf reached?


def reaches(result, leaf):
    seen, to_see = set(), [result.grad_fn]
    while to_see:
        node = to_see.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable") and node.variable is leaf:
            return True
        to_see.extend(earlier for earlier, _ in node.next_functions)
    return False


_near = Formula("a * b", "a, b")
_cut = Formula("a.tanh().detach() * b", "a, b")
_far = Formula("(a.sin() + b).exp()", "a, b")
_twin = Formula("b.sin() * 2", "a, b")


def _is_a_reached(answer, result, a, b):
    a, b = (torch.tensor(number, requires_grad=True) for number in (a, b))
    return answer(result(a, b), a)


q3 = Question(
    reaches,
    samples=lambda random: [
        *((make, *random.uniform(0.5, 2, 2)) for make in (_near, _cut, _far)),
        (_twin, *[random.uniform(0.5, 2)] * 2),
    ],
    calls=_is_a_reached,
    wrong={
        "one_step": lambda result, leaf: any(
            getattr(node, "variable", None) is leaf for node, _ in result.grad_fn.next_functions
        ),
        "requires": lambda result, leaf: leaf.requires_grad and result.requires_grad,
        "values": "node.variable is leaf → node.variable.item() == leaf.item()",
    },
)


# q4: what exp keeps

PACKED = "saved_tensors_hooks"  # its first function is handed what a node saves


def what_exp_saved(x):
    return torch.exp(x).grad_fn._saved_result


q4 = Question(
    what_exp_saved,
    way=lambda did, answer, *_: None if {"_saved_result", PACKED} & names_in(answer) else "equal",
    samples=lambda random: [(leaf(random, -2, 2, size),) for size in (1, 3)],
    wrong={
        "input": lambda x: x,
        "self": "_saved_result → _saved_self",
        "equal": lambda x: torch.exp(x).detach(),
    },
)
