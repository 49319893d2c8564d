"""`check`: is the recorded gradient the derivative of the loss?  If not, which node passed on another one?

The step runs again with the leaves moved a little to both sides, under the same random numbers.  The difference of two
runs gives the speed of every tensor.  With the gradient of each tensor that a backward pass has reached, the sum of
gradient · speed stays the same from the loss down to the leaves, as long as every node passes back the gradient of its
forward.  Where the sum leaps, something else happened.
"""

import ast
import math
import random
import sys
from contextlib import closing, redirect_stdout, suppress
from importlib import import_module
from io import StringIO

import numpy as np

from ..microscope.events import whole_values
from ..microscope.labels import number
from ..microscope.presence import is_tensor as is_torch
from ..microscope.presence import loaded
from ..microscope.readings import is_leaf_tensor
from ..microscope.trace import Recording
from ..words import of as words_of
from .answers import Answer
from .asked import Case
from .code import enumerated, first
from .evidence import evidence_of
from .nodes import is_learners, magnitude
from .reasons import first_fitting
from .sight import tensors_of

WORDS = words_of("check")
DIRECTIONS = 3  # a kink may lie in the way of one
BENDS = 40  # times the step, relative to the leaves: what bends and kinks on the way may change in a quotient
VAGUE = 0.05  # if quotient and slope, or quotients to the two sides, differ by more, agreement means little
SHARE = 0.1  # a place that explains a smaller part of the difference is not named
MOST_NAMED = 3  # places
DIGITS = {"bfloat16": 7, "float16": 10, "float32": 23, "complex64": 23}  # binary ones behind the point; others have 52


class Done(BaseException):
    """The backward pass that is looked at is over; no `except Exception` of the program catches this."""


class WatchedRun:
    """The evidence of a run up to the end of its first backward pass that puts a gradient into one of *leaves*, or into
    any leaf: the events before the pass and in it, and the values of tensors.

    leaves: ``{key: tensor}`` of those of the leaves that took part.
    """

    def __init__(self, frame, leaves, run):
        def finished():
            tell()
            keys = [*map(recorder.key_of, leaves)]
            if any(each.kind == "Accumulated" and (each.tensor in keys or not keys) for each in recorder.events):
                raise Done

        recording = Recording(frame)
        with suppress(Done), recording as trace:
            recorder = recording.recorder
            tell, recorder.on_Finished = recorder.on_Finished, finished
            run(recorder)
        self.trace, self.evidence = trace, evidence_of(frame, trace)
        self.recorded = self.evidence.recorded
        arrived = self.recorded.events("Accumulated")
        keys = [*map(trace.key_of, leaves)] or {each.tensor for each in arrived}
        self.leaves = {key: tensor for key, tensor in self.recorded.living.items() if key in keys}
        if trace.notice or not (arrived and self.leaves):
            raise ValueError(WORDS["too_long" if trace.notice else "no_pass"])
        self.started = trace.passes[arrived[-1].index]
        self.passing = self.recorded.events_of(self.started)
        # what another run must have in common
        self.way = [(each.name, each.outputs) for each in trace[: self.started.index] if each.computes]
        self.end = self.at(self.started.roots[0])

    def value(self, key):
        """The value of a tensor when the pass began."""
        return self.recorded.value_before(key, self.started.index)

    def at(self, place):
        """The value of the tensor whose gradient arrives at a place; None if it is not known."""
        made, key = self.recorded.of_node.get(place[0]), self.trace.tensor_at(place)
        return made.values[place[1]] if made else key and self.value(key)


class Repeated:
    """Runs a step again and again from the same state; after close() that is there again."""

    def __init__(self, step, leaves, frame):
        self.step, self.leaves, self.frame, self.held, self.dtype = step, leaves, frame, [], None
        torch = self.library = loaded() if is_torch(leaves[0]) else sys.modules["autograd_nb"]
        states = ((random.getstate, random.setstate), (np.random.get_state, np.random.set_state),
                  (torch.get_rng_state, torch.set_rng_state),
                  (torch.get_default_dtype, torch.set_default_dtype))  # fmt: skip
        self.states = [(put, get()) for get, put in states]

    def restart(self):
        for put, state in self.states:
            put(state)

    def close(self):
        self.restart()
        for tensor, own, data, grad in self.held:
            tensor.data, tensor.grad = own, grad
            own.copy_(data)

    def run(self, ways=None, sign=1):
        """Run the step with leaves moved along *ways*, ``{id of a tensor: array}``, or the other way."""
        self.restart()
        if self.dtype:
            self.library.set_default_dtype(self.dtype)
        for tensor, _, data, _ in self.held:
            shift = self.library.tensor((ways or {}).get(id(tensor), 0.0) * sign)
            tensor.grad, tensor.data = None, (data + shift.to(data.device)).to(self.dtype or data.dtype)
        return WatchedRun(self.frame, self.leaves, lambda _: self.step().backward())

    def base(self):
        """The run to which others are compared: in float64 if the program allows it."""
        base = self.run()
        self.hold(base)
        again = self.run()
        if again.end != base.end:
            raise ValueError(WORDS["no_repeat"])
        self.dtype = self.library.float64
        with suppress(Exception):  # the program may want its own dtype
            found = self.run()
            if found.end.dtype == "float64":
                return found
        self.dtype = None
        return again

    def hold(self, run):
        """Keep the leaves from outside of the step, with the values that they had before it."""
        made = {key for event in run.recorded.events("Operation") for key in event.outputs}
        for key, tensor in run.recorded.living.items():
            record = run.trace.tensors[key]
            if key not in made and is_leaf_tensor(tensor) and tensor.is_floating_point():
                data, grad = (value and self.library.tensor(value.array).to(tensor)
                              for value in (record.value, record.grad))  # fmt: skip
                self.held.append((tensor, tensor.data, data, grad))


class Direction:
    """A random move of the leaves to both sides of the run *base*."""

    def __init__(self, base, runs, generator):
        values = [*map(base.value, base.leaves)]
        # the coarsest dtype on the way, such as that of autocast, rounds the loss
        seen = [value for event in base.recorded.events("Operation", "Changed") for value in event.values if value]
        eps = 2.0 ** -min(DIGITS.get(each.dtype, 52) for each in values + seen)
        step = eps ** (1 / 3)
        ways = {id(tensor): generator.standard_normal(value.shape) * step * (magnitude(value) or 1.0)
                for tensor, value in zip(base.leaves.values(), values, strict=True)}  # fmt: skip
        self.base, self.length = base, math.sqrt(sum(float(np.sum(way**2)) for way in ways.values()))
        self.behind, self.ahead = (runs.run(ways, sign) for sign in (-1, 1))
        if not base.way == self.behind.way == self.ahead.way:
            raise ValueError(WORDS["other_way"])
        self.grads = {root: grad.array for root, grad in zip(base.started.roots, base.started.grads, strict=True)}
        behind, here, ahead = (sum(float(np.vdot(grad, run.at(place).array)) for place, grad in self.grads.items())
                               for run in (self.behind, base, self.ahead))  # fmt: skip
        left, right = (here - behind) / self.length, (ahead - here) / self.length
        quotient, rounding = (left + right) / 2, 4 * eps * abs(here) / self.length
        self.leaps, slope = self.walk(quotient)
        size, self.off, width = max(abs(quotient), abs(slope)), abs(quotient - slope), abs(left - right)
        if not math.isfinite(quotient + slope):
            raise ValueError(WORDS["no_loss"])
        self.numbers = {"left": left, "right": right, "quotient": quotient, "slope": slope}
        # above 0 if the slope is another; the quotients to the two sides enclose the slope at a kink, too
        self.excess = self.off - 1.5 * width - rounding - BENDS * step * size
        self.is_vague = max(self.off, width) > VAGUE * size + 25 * rounding

    def power(self, place, grad):
        """gradient · speed at a place; NaN if that is not known."""
        found = [run.at(place) for run in (self.ahead, self.behind)]
        if None in found or any(each.shape != grad.shape for each in found):
            return math.nan
        ahead, behind = (each.array for each in found)
        return np.vdot(grad.astype(complex), ahead - behind).real / (2 * self.length)

    def walk(self, total):
        """``[(leap, event)]`` of the sum of gradient · speed, *total* at first, and what leaves have of it."""
        leaps, slope, hidden = [], 0, None
        for event in self.base.passing:
            follow(event, self.base.trace.nodes, self.grads)
            if event.kind == "Accumulated" and event.grad:
                self.grads.pop((event.node, 0), None)
                slope += self.power((event.node, 0), event.grad.array)
            now, hidden = slope + sum(self.power(*each) for each in self.grads.items()), hidden or event
            if math.isfinite(now):
                leaps.append((abs(now - total), hidden))
                total, hidden = now, None
        return leaps, slope


def follow(event, nodes, grads):
    """Change the gradients that wait at places, ``{place: array}``, as an event does."""
    if event.kind == "Ran":
        for place in [place for place in grads if place[0] == event.node]:
            del grads[place]
        for place, result in zip(nodes[event.node].edges, event.results, strict=False):
            if place[0] and result is not None:
                grads[place] = grads.get(place, 0) + result.array
    elif event.kind == "Hooked" and event.after is not None and event.stage != "accumulated_hooks":
        is_result = event.stage == "post_hooks"
        place = nodes[event.node].edges[event.output] if is_result else event.edge
        grads[place] = event.after.array + (grads[place] - event.before.array) * is_result


def explain_leap(event, direction):
    """What happened at an event where the sum leaps: whether programs do that on purpose, and the sentence."""
    base, node = direction.base, event.node
    nodes, recorded = base.trace.nodes, base.recorded
    name, made = nodes[node].name, recorded.of_node.get(node)
    if event.kind == "Hooked":
        return True, WORDS("hook", name=recorded.name_at(event.edge) or name, hook=event.hook)
    arriving = {base.trace.tensor_at(edge) for edge in nodes[node].edges}
    lost = first(key for key in (made.inputs if made else ()) if key not in arriving
                 and direction.ahead.value(key) != direction.behind.value(key))  # fmt: skip
    if lost:
        case = Case(None, recorded.title(lost), base.evidence)
        case.key, case.about = lost, "failed"
        row, text = first_fitting(case)
        if row.finds == "cut":
            return row.given.get("kind") != "grad", text
        return True, WORDS("outside", name=case.name)
    earlier = [each for each in base.passing if each.index <= event.index]
    wrote = [each for each in earlier if each.kind == "Changed" and each.within and is_learners(nodes[each.within])]
    key = "function" if is_learners(nodes[node]) else "node"
    if any(each.kind == "Used" and each.node == node and each.value is None for each in earlier):
        key = "recomputed"
    elif key == "node" and wrote:
        key, name, made = "altered", nodes[wrote[-1].within].name, wrote[-1]
    return False, WORDS(key, name=name.removesuffix("Backward"), at=base.evidence.code.at(made))


def judged(step, leaves, frame):
    """The answer about the *leaves* of a step."""
    with whole_values(), closing(Repeated(step, leaves, frame)) as runs:
        base, generator = runs.base(), np.random.default_rng(0)
        directions = [Direction(base, runs, generator) for _ in range(DIRECTIONS)]
    *_, middle, worst = sorted(directions, key=lambda each: each.excess)
    facts = {"of": enumerated(map(base.recorded.title, base.leaves)), "dtype": base.end.dtype, "count": DIRECTIONS,
             "loss": base.recorded.title(base.trace.tensor_at(base.started.roots[0]))}  # fmt: skip
    for name in worst.numbers:
        facts[name] = ", ".join(number(each.numbers[name]) for each in directions)
    if middle.excess <= 0:
        return Answer(WORDS("unclear" if middle.is_vague else "agrees", **facts))
    large = [event for leap, event in worst.leaps if leap > SHARE * worst.off]
    found = dict.fromkeys(explain_leap(event, worst) for event in large)
    begin = "partial" if found and all(on_purpose for on_purpose, _ in found) else "differs"
    texts = [WORDS(begin, **facts), *(text for _, text in found)]
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
    The gradient of w is not the derivative of loss: ... The backward of Square (...) is not the derivative of its ...
    """
    leaves = tensors_of(of)
    if not callable(step) or not leaves:
        raise TypeError(f"check(): expected a function, and a tensor or a module, got {type(step).__name__} and "
                        f"{type(of).__name__}")  # fmt: skip
    if not all(is_leaf_tensor(each) and each.requires_grad and each.is_floating_point() for each in leaves):
        raise ValueError("check(): expected leaves that require grad, of real numbers")
    return judged(step, leaves, sys._getframe(1))


def of_script(module, text):
    """The answer about the first backward pass of a script that puts gradients into leaves, and about all of these.

    The step begins at the statement that made the first node of a graph.
    """
    space, tops = vars(module), ast.parse(text).body
    statements = [each for top in tops for each in (top.body if "__name__" in ast.unparse(top)[:20] else [top])]
    codes = [compile(ast.Module([each], []), module.__file__, "exec") for each in statements]
    with suppress(Exception):  # if PyTorch is there and loads, we watch it from the start
        import_module("torch")
    frame, begun = eval("__import__('sys')._getframe()", space), []

    def run(recorder):
        for code in codes:
            if not any(each.computes and each.node for each in recorder.events):
                begun.append(code)
            exec(code, space)

    leaves = [*WatchedRun(frame, (), run).leaves.values()]
    with redirect_stdout(StringIO()):
        return judged(lambda: [exec(code, space) for code in codes[len(begun) - 1 :]], leaves, frame)
