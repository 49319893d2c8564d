"""`check`: is the recorded gradient the derivative of the loss?  If not, at which node does it leave that?

The step runs again with the leaves moved a little to both sides, under the same random numbers.  The difference of two
runs gives the speed of every tensor.  With the gradient of each tensor that a backward pass has reached, the sum of
gradient · speed stays the same from the loss down to the leaves, as long as every node passes back the gradient of its
forward.  Where the sum leaps, something else happened.
"""

import ast
import math
import random
import sys
from collections import Counter
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from io import StringIO

import numpy as np

from ..microscope.events import whole_values
from ..microscope.labels import number
from ..microscope.presence import loaded
from ..microscope.readings import grad_of, is_leaf_tensor
from ..microscope.trace import Recording
from ..words import of as words_of
from .answers import Answer
from .asked import Case
from .code import enumerated, first, only
from .evidence import evidence_of
from .nodes import is_learners, magnitude
from .reasons import first_fitting
from .recorded import Recorded
from .sight import Sight, tensors_of

WORDS = words_of("check")
DIRECTIONS = 3  # a kink may lie in the way of one
BENDS = 40  # times the step, relative to the leaves: what bends and kinks on the way may change in a quotient
VAGUE = 0.05  # if the slope and the quotients to the two sides differ by more, agreement means little
SHARE = 0.1  # a place that explains a smaller part of the difference is not named
MOST_NAMED = 3  # places
EPS = {"bfloat16": 2**-7, "float16": 2**-10, "float32": 2**-23, "complex64": 2**-23}  # others have 2**-52


class Done(BaseException):
    """The backward pass that is looked at is over; no `except Exception` of the program catches this."""


class Run(Recorded):
    """A recorded run up to the end of its first backward pass that puts a gradient into *leaves*, or into any leaf.

    leaves: ``{key: tensor}`` of those of the leaves that took part.
    """

    def __init__(self, frame, leaves, program):
        def finished():
            tell()
            keys = [*map(recorder.key_of, leaves)]
            if any(each.kind == "Accumulated" and (each.tensor in keys or not keys) for each in recorder.events):
                raise Done

        recording = Recording(frame)
        with suppress(Done), recording as trace:
            recorder = recording.recorder
            tell, recorder.on_Finished = recorder.on_Finished, finished
            program(recorder)
        self.evidence = evidence_of(frame, trace)
        super().__init__(trace, self.evidence.code, True)
        arrived = self.events("Accumulated")
        keys = [*map(trace.key_of, leaves)] or {each.tensor for each in arrived}
        self.leaves = {key: tensor for key, tensor in self.living.items() if key in keys}
        if trace.notice or not (arrived and self.leaves):
            raise ValueError(WORDS["no_pass"])
        self.begin = self.pass_of(arrived[-1])
        self.passing = self.events_of(self.begin)
        self.end = self.at(self.begin.roots[0])
        # what another run must have in common
        self.way = [(each.name, each.outputs) for each in trace[: self.begin.index] if each.computes]

    def value(self, key):
        """The value of a tensor when the pass began."""
        return self.value_before(key, self.begin.index)

    def at(self, place):
        """The value of the tensor whose gradient arrives at a place; None if it is not known."""
        made, key = self.of_node.get(place[0]), self.trace.tensor_at(place)
        return made.values[place[1]] if made else key and self.value(key)


@contextmanager
def repeated(step, leaves, frame):
    """Gives a run of the step, in float64 if the program allows it, and a function that runs it with leaves moved.

    Each run begins with the same random numbers, and with copies of the leaves that are in sight or took part.
    """
    libraries = [*filter(None, (sys.modules["autograd_nb"], loaded()))]
    states, held = [(random.setstate, random.getstate()), (np.random.set_state, np.random.get_state())], {}
    for each in libraries:
        states += [(each.set_rng_state, each.get_rng_state()), (each.set_default_dtype, each.get_default_dtype())]

    def hold(tensor, grad):
        if is_leaf_tensor(tensor):
            held.setdefault(id(tensor), (tensor, tensor.data, grad))

    def restart():
        for put, state in states:
            put(state)

    def run(is_double=False, moves=(), sign=1):
        restart()
        for each in libraries if is_double else ():
            each.set_default_dtype(each.float64)
        for tensor, own, _ in held.values():
            copy = own.double() if is_double and own.is_floating_point() else own
            tensor.grad, tensor.data = None, copy.clone()
        for tensor, move in moves:
            tensor.data += tensor.new_tensor(sign * move)
        return Run(frame, leaves, lambda _: getattr(step(), "backward", bool)())

    try:
        for tensor in [*leaves, *Sight([frame]).tensors]:
            hold(tensor, grad_of(tensor))
        base, is_double = run(), False
        for key, tensor in base.living.items():
            grad = base.tensors[key].grad
            hold(tensor, grad and tensor.new_tensor(grad.array))
        if run().end != base.end:
            raise ValueError(WORDS["no_repeat"])
        with suppress(Exception):  # the program may want its own dtype
            base, is_double = run(True), True
        yield base, partial(run, is_double)
    finally:
        restart()
        for tensor, own, _ in held.values():
            tensor.data = own
        for tensor, _, grad in held.values():  # which may be among the tensors
            tensor.grad = grad


def moved(base, run, generator):
    """A random move of the leaves to both sides: the verdict, the causes of a difference, and four numbers."""
    # the coarsest dtype on the way rounds the loss
    eps = max(EPS.get(value.dtype, 2**-52) for event in base.events("Operation", "Changed")
              for value in event.values)  # fmt: skip
    step = eps ** (1 / 3)
    moves = [(tensor, generator.standard_normal(tensor.shape) * step * (magnitude(base.value(key)) or 1.0))
             for key, tensor in base.leaves.items()]  # fmt: skip
    length = 2 * math.hypot(*(np.linalg.norm(move) for _, move in moves))
    behind, ahead = run(moves, -1), run(moves)
    if not base.way == behind.way == ahead.way:
        raise ValueError(WORDS["other_way"])

    bends = []  # at each place, how much of what goes by there turns from one side to the other: in sum, and by element

    def power(place, grad):
        """gradient · speed at a place; NaN if that is not known."""
        if not (place[0] and grad):
            return 0.0
        with suppress(AttributeError, ValueError):
            low, here, high = (each.at(place).array / length for each in (behind, base, ahead))
            weight, bend = grad.array.astype(complex), low + high - 2 * here
            bends.append((np.vdot(weight, bend).real, np.vdot(abs(weight), abs(bend)).real))
            return np.vdot(weight, high - low).real
        return math.nan

    roots = [*zip(base.begin.roots, base.begin.grads, strict=True)]
    quotient, slope, leaps = followed(base, roots, power)
    bend, most = sum(total for total, _ in bends[: len(roots)]), max((each for _, each in bends), default=0)
    off, size, rounding = abs(quotient - slope), max(abs(quotient), abs(slope)), magnitude(base.end) / length
    verdict, causes = "unclear", []
    # at kinks, or where digits end, much turns at some place, even if it cancels in the loss
    if off > 3 * most + 8 * eps * rounding + BENDS * step * size:
        verdict = "differs"
        causes = [cause(event, base, behind, ahead) for leap, event in leaps if leap > SHARE * off]
    elif max(off, 2 * abs(bend)) <= VAGUE * size + 1e-14 * rounding:
        verdict = "agrees"
    return verdict, causes, quotient - bend, quotient + bend, quotient, slope


def followed(base, roots, power):
    """The sum of gradient · speed at first, that of the leaves, and ``[(leap, event)]`` on the way there."""
    leaps, begun = [], None
    sent = Counter()  # gradient · speed of what is on its way, by the node that it goes to; None for what has arrived
    for place, grad in roots:
        sent[place[0]] += power(place, grad)
    total = quotient = sum(sent.values())
    for event in base.passing:
        if event.kind == "Ran":
            del sent[event.node]
            for place, result in zip(base.nodes[event.node].edges, event.results, strict=False):
                sent[place[0]] += power(place, result)
        elif event.kind == "Accumulated":
            del sent[event.node]
            sent[None] += power((event.node, 0), event.grad)
        elif event.kind == "Hooked" and event.after:
            is_result = event.stage == "post_hooks"
            place = base.nodes[event.node].edges[event.output] if is_result else event.edge
            sent[place[0]] += power(place, event.after) - power(place, event.before)
        now, begun = sum(sent.values()), begun or event
        if math.isfinite(now):
            leaps.append((abs(now - total), begun))
            total, begun = now, None
    return quotient, sent[None], leaps


def cause(event, base, behind, ahead):
    """What happened at an event where the sum leaps, as a sentence."""
    at, node = base.code.at, event.node
    record, made = base.nodes[node], base.of_node.get(node)
    if event.kind == "Hooked":
        return WORDS("hook", name=base.name_at(event.edge) or record.name, hook=event.hook)
    arriving = [*map(base.trace.tensor_at, record.edges)]
    lost = first(key for key in getattr(made, "inputs", ())
                 if key not in arriving and ahead.value(key) != behind.value(key))  # fmt: skip
    if lost:
        case = Case(None, base.title(lost), base.evidence)
        case.key, case.about = lost, "failed"
        row, text = first_fitting(case)
        return text if row.finds == "cut" else WORDS("outside", name=case.name)
    wrote = [each for each in base.passing
             if each.kind == "Changed" and each.index < event.index and each.within != node]  # fmt: skip
    key = "function" if made and is_learners(record) and not wrote else "node"
    if any(each.kind == "Used" and each.node == node and each.value is None for each in base.passing):
        key = "unpacked"
    return WORDS(key, name=record.name.removesuffix("Backward"), at=at(made), wrote=at(first(wrote[-1:])))


def judged(step, leaves, frame):
    """The answer about the *leaves* of a step."""
    generator = np.random.default_rng(0)
    with whole_values(), repeated(step, leaves, frame) as (base, run):
        verdicts, causes, *found = zip(*(moved(base, run, generator) for _ in range(DIRECTIONS)), strict=True)
    names = "left", "right", "quotient", "slope"
    facts = {name: ", ".join(map(number, numbers)) for name, numbers in zip(names, found, strict=True)}
    facts |= {"of": enumerated(map(base.title, base.leaves)), "dtype": base.end.dtype,
              "loss": base.title(first(base.roots_of([base.begin])))}  # fmt: skip
    verdict = "differs" if verdicts.count("differs") > 1 else only({*verdicts}) or "unclear"
    texts = [WORDS(verdict, **facts), *dict.fromkeys(sum(causes, []) if verdict == "differs" else ())]
    return Answer(" ".join(texts[: MOST_NAMED + 1]))


def check(step, *, of):
    """Whether the gradient that a backward pass gives to *of* is the derivative of the loss that ``step()`` computes.

    *of* is a leaf, a module, or several of them; *step*, a function without arguments, returns the loss or runs
    backward itself.  It runs nine times up to the end of its first backward pass into *of*, under the same random
    numbers, in float64 where the program allows it, with *of* moved a little to both sides along three random
    directions.  Where the difference quotients are not what the gradient predicts, the answer names the first nodes
    that do not pass back the gradient of their forward.  All tensors get their values and their .grad back.

    TypeError for a *step* that cannot be called and for an *of* without tensors; ValueError for tensors that are no
    leaves, or do not require grad, and for steps that give another loss each time.

    >>> import autograd_nb as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * ctx.saved_tensors[0]  # lacks a factor 2
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> def step():
    ...     loss = Square.apply(w).sum()
    ...     return loss
    >>> torch.check(step, of=w)  # doctest: +ELLIPSIS
    The gradient of w differs from the derivative of loss, ... The backward of Square (...) is not the derivative of ...
    """
    leaves = tensors_of(of)
    if not callable(step) or not leaves:
        raise TypeError(f"check(): expected a function, and a tensor or a module, got {type(step).__name__} and "
                        f"{type(of).__name__}")  # fmt: skip
    if not all(is_leaf_tensor(each) and each.requires_grad and each.is_floating_point() for each in leaves):
        raise ValueError("check(): expected leaves that require grad, of real numbers")
    return judged(step, leaves, sys._getframe(1))


def of_script(frame, text):
    """The answer about the first backward pass of a script that puts gradients into leaves, and about all of these.

    The step begins at the statement that made the first node of a graph.
    """
    space, tops, begun = frame.f_globals, ast.parse(text).body, []
    statements = [each for top in tops for each in (top.body if "__name__" in ast.unparse(top)[:20] else [top])]
    with suppress(Exception):  # if PyTorch is there and loads, we watch it from the start
        import_module("torch")

    def run(statements):
        exec(compile(ast.Module(statements, []), space["__file__"], "exec"), space)

    def run_all(recorder):
        for each in statements:
            if not any(event.computes and event.node for event in recorder.events):
                begun.append(each)
            run([each])

    leaves = [*Run(frame, (), run_all).leaves.values()]
    with redirect_stdout(StringIO()):
        return judged(lambda: run(statements[len(begun) - 1 :]), leaves, frame)
