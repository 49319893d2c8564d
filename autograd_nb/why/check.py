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
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO

import numpy as np

from ..microscope.events import DATA, whole_values
from ..microscope.labels import number
from ..microscope.presence import loaded
from ..microscope.readings import is_leaf_tensor
from ..microscope.trace import Recording
from ..words import of as words_of
from .answers import Answer
from .code import first, names_of
from .evidence import evidence_of
from .nodes import is_learners
from .sight import tensors_of

WORDS = words_of("check")
DIRECTIONS = 3  # a kink may lie in the way of one
BENDS = 40  # times the step, relative to the leaves: what bends and kinks on the way may change in a quotient
VAGUE = 0.05  # if quotient and slope, or quotients to the two sides, differ by more, agreement means little
SHARE = 0.1  # a place that explains a smaller part of the difference is not named
MOST_NAMED = 3  # places
BY_DESIGN = {"cut", "hook"}  # what programs do on purpose


class Done(BaseException):
    """The backward pass that is looked at is over; no `except Exception` of the program catches this."""


class FirstPass(Recording):
    """Records up to the end of the first backward pass that puts a gradient into one of *leaves*, or into any leaf."""

    def __init__(self, frame, leaves):
        super().__init__(frame)
        self.leaves = leaves

    def __enter__(self):
        super().__enter__()
        self.tell, self.recorder.on_Finished = self.recorder.on_Finished, self.finished

    def finished(self):
        self.tell()
        keys = [*map(self.recorder.key_of, self.leaves)]
        if any(each.kind == "Accumulated" and (each.tensor in keys or not keys) for each in self.recorder.events):
            raise Done

    def __exit__(self, kind, *others):
        super().__exit__(kind, *others)
        return kind is Done


class WatchedPass:
    """The values in a recorded pass, and before it: those of tensors, by key, and of places in the graph."""

    def __init__(self, trace):
        arrived = [each.index for each in trace if each.kind == "Accumulated"]
        if trace.notice or not arrived:
            raise ValueError(WORDS["too_long" if trace.notice else "no_pass"])
        self.trace, self.started, self.places = trace, trace.passes[arrived[-1]], {}
        self.values = {key: record.value for key, record in trace.tensors.items()}
        self.before = trace[: self.started.index]
        for event in self.before:
            if event.computes:
                results = event.values if event.kind == "Operation" else [event.value]
                self.values |= dict(zip(event.outputs, results, strict=True)) | dict(getattr(event, "others", ()))
                self.places |= {(event.node, place): value for place, value in enumerate(results) if event.node}
        for key, record in trace.tensors.items():
            self.places.setdefault((record.node, record.output), self.values[key])
        self.passing = [each for each in trace[self.started.index :] if trace.passes[each.index] is self.started]
        # what another run must have in common
        self.way = [(each.kind, getattr(each, "name", ""), getattr(each, "outputs", ())) for each in self.before]
        self.ends = [*zip(self.started.roots, self.started.grads, strict=True)]
        self.end = self.places[self.started.roots[0]]


class Repeated:
    """A context in which a step runs again and again from the same state, which is there again in the end."""

    def __init__(self, step, leaves, frame, until=None):
        self.step, self.leaves, self.frame, self.held, self.dtype = step, leaves, frame, [], None
        self.until = leaves if until is None else until
        torch = loaded()
        self.library = torch if torch and isinstance(leaves[0], torch.Tensor) else sys.modules["autograd_nb"]

    def __enter__(self):
        torch = self.library
        states = ((random.getstate, random.setstate), (np.random.get_state, np.random.set_state),
                  (torch.get_rng_state, torch.set_rng_state),
                  (torch.get_default_dtype, torch.set_default_dtype))  # fmt: skip
        self.states = [(put, get()) for get, put in states]
        return self

    def __exit__(self, *error):
        for put, state in self.states:
            put(state)
        for tensor, own, data, grad in self.held:
            tensor.data, tensor.grad = own, grad
            own.copy_(data)

    def run(self, *shifts):
        """Run the step with its leaves moved by *shifts*."""
        for put, state in self.states:
            put(state)
        if self.dtype:
            self.library.set_default_dtype(self.dtype)
        moved = dict(zip(map(id, self.leaves), shifts, strict=False))
        for tensor, _, data, _ in self.held:
            shift = self.library.tensor(moved.get(id(tensor), 0.0))
            tensor.grad, tensor.data = None, (data + shift.to(data.device)).to(self.dtype or data.dtype)
        recording = FirstPass(self.frame, self.until)
        with recording:
            self.step().backward()
        run = WatchedPass(recording.trace)
        self.leaves = [each for each in self.leaves if run.trace.key_of(each)]  # that took part
        if not self.leaves:
            raise ValueError(WORDS["no_pass"])
        return run

    def base(self):
        """The run to which others are compared: in float64 if the program allows it."""
        base = self.run()
        self.hold(base.trace)
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

    def hold(self, trace):
        """Keep the leaves from outside of the step, with the values that they had before it."""
        made = {key for event in trace if event.kind == "Operation" for key in event.outputs}
        for key, reference in [*trace.living.values()]:
            tensor, record = reference(), trace.tensors[key]
            if tensor is not None and key not in made and is_leaf_tensor(tensor) and tensor.is_floating_point():
                data, grad = (value and tensor.detach().clone().copy_(self.library.tensor(value.array))
                              for value in (record.value, record.grad))  # fmt: skip
                self.held.append((tensor, tensor.data, data, grad))


class Direction:
    """A random move of the leaves to both sides of the run *base*."""

    def __init__(self, base, runs, generator):
        keys = [*map(base.trace.key_of, runs.leaves)]
        arrays = [base.values[key].array for key in keys]
        library = runs.library  # the coarsest dtype on the way, such as that of autocast, rounds the loss
        dtypes = (getattr(library, each.dtype, None) for each in {*base.places.values(), base.end} if each is not None)
        eps = max(library.finfo(each).eps for each in dtypes if each and (each.is_floating_point or each.is_complex))
        step = eps ** (1 / 3)
        ways = [generator.standard_normal(each.shape) * step * (root_mean_square(each) or 1.0) for each in arrays]
        self.base, self.length = base, math.sqrt(sum(float(np.sum(way**2)) for way in ways))
        self.behind, self.ahead = (runs.run(*(way * sign for way in ways)) for sign in (-1, 1))
        if not base.way == self.behind.way == self.ahead.way:
            raise ValueError(WORDS["other_way"])
        behind, here, ahead = (sum(float(np.vdot(grad.array, run.places[place].array)) for place, grad in base.ends)
                               for run in (self.behind, base, self.ahead))  # fmt: skip
        left, right = (here - behind) / self.length, (ahead - here) / self.length
        quotient, rounding = (left + right) / 2, 4 * eps * abs(here) / self.length
        self.leaps, slope = self.walk(quotient)
        size, self.off, width = max(abs(quotient), abs(slope)), abs(quotient - slope), abs(left - right)
        if not math.isfinite(size):
            raise ValueError(WORDS["no_loss"])
        numbers = {"left": left, "right": right, "quotient": quotient, "slope": slope}
        self.numbers = {name: number(value) for name, value in numbers.items()}
        # the quotients to the two sides enclose the slope at a kink, too
        self.differs = self.off > 1.5 * width + rounding + BENDS * step * size
        self.is_vague = max(self.off, width) > VAGUE * size + 25 * rounding

    def moves(self, key):
        """Whether a tensor has moved when the pass begins."""
        return self.ahead.values.get(key) != self.behind.values.get(key)

    def power(self, place, grad):
        """gradient · speed at a place; NaN if that is not known."""
        found = [run.places.get(place) for run in (self.ahead, self.behind)]
        if None in found or any(each.shape != np.shape(grad) for each in found):
            return math.nan
        ahead, behind = (each.array.astype(np.result_type(grad, np.float64)) for each in found)
        return float(np.vdot(grad, (ahead - behind) / (2 * self.length)).real)

    def walk(self, total):
        """``[(leap, event)]`` of the sum of gradient · speed, *total* at first, and what leaves have of it."""
        grads, leaps, slope, hidden = {}, [], 0, None
        for event in self.base.passing:
            follow(event, self.base.trace.nodes, grads)
            if event.kind == "Accumulated" and event.grad:
                slope += self.power((event.node, 0), grads.pop((event.node, 0)))
            now, hidden = slope + sum(self.power(*each) for each in grads.items()), hidden or event
            if math.isfinite(now):
                leaps.append((abs(now - total), hidden))
                total, hidden = now, None
        return leaps, slope


def root_mean_square(array):
    return math.sqrt(np.mean(array.astype(np.float64) ** 2))


def follow(event, nodes, grads):
    """Change the gradients that wait at places, ``{place: array}``, as an event does."""
    if event.kind == "Started":
        grads.update((place, grad.array) for place, grad in zip(event.roots, event.grads, strict=True))
    elif event.kind == "Accumulated" and event.grad:
        grads[event.node, 0] = event.grad.array
    elif event.kind == "Ran":
        for place in [place for place in grads if place[0] == event.node]:
            del grads[place]
        for place, result in zip(nodes[event.node].edges, event.results, strict=False):
            if place[0] and result is not None:
                grads[place] = grads.get(place, 0) + result.array
    elif event.kind == "Hooked" and event.after is not None and event.stage != "accumulated_hooks":
        is_result = event.stage == "post_hooks"
        place = nodes[event.node].edges[event.output] if is_result else event.edge
        grads[place] = event.after.array + (grads[place] - event.before.array) * is_result


def explain_leap(event, direction, evidence):
    """What happened at an event where the sum leaps: the key of its sentence, and the sentence."""
    base, recorded = direction.base, evidence.recorded
    nodes, node = base.trace.nodes, event.node
    made, arriving = recorded.of_node.get(node), {base.trace.tensor_at(edge) for edge in nodes[node].edges}
    earlier = [each for each in base.passing if each.index <= event.index]
    wrote = [each for each in earlier if each.kind == "Changed" and each.within and is_learners(nodes[each.within])]
    lost = first(each for each in (made.inputs if made else ()) if each not in arriving and direction.moves(each))
    key, name, at, why = "node", nodes[node].name, made, ""
    if event.kind == "Hooked":
        key, name, at, why = "hook", recorded.name_at(event.edge) or name, None, event.hook
    elif lost:
        key, (name, at, why) = "cut", cut(lost, made, direction, recorded)
    elif is_learners(nodes[node]):
        key = "function"
    elif any(each.kind == "Used" and each.node == node and each.value is None for each in earlier):
        key = "recomputed"
    elif wrote:
        key, name, at = "altered", nodes[wrote[-1].within].name, wrote[-1]
    at = f" ({evidence.code.at(at)})" if at else ""
    kind = "constant" if why == WORDS["constant"] else key
    return kind, WORDS(key, name=name.removesuffix("Backward"), at=at, why=why)


def cut(lost, made, direction, recorded):
    """Where the way from a tensor that an operation reads was cut: its name, an event there, and the reason."""
    maker = recorded.made_by(lost, made.index)
    while maker and reason(maker) is None and (origin := first(filter(direction.moves, maker.inputs))):
        lost, made = origin, maker
        maker = recorded.made_by(lost, made.index)
    value = recorded.tensors[lost].value
    taken = any(each.kind == "Captured" and each.value == value for each in direction.base.before)
    why = maker and reason(maker) or ("constant" if taken else "outside")
    return recorded.title(lost), maker or made, WORDS[why]


def reason(maker):
    """The word for what cut the graph at an operation, or None."""
    return DATA if maker.name == DATA else maker.cut


def judged(runs, of=None, name=""):
    """The answer about the leaves of *runs*, which are those of *of*."""
    with whole_values(), runs:
        base, generator = runs.base(), np.random.default_rng(0)
        directions = [Direction(base, runs, generator) for _ in range(DIRECTIONS)]
        evidence = evidence_of(runs.frame, base.trace)
    facts = {"of": name or evidence.recorded.name_for(of) or WORDS["these"], "dtype": base.end.dtype,
             "loss": evidence.recorded.title(base.trace.tensor_at(base.started.roots[0]))}  # fmt: skip
    wrong, vague = ([each for each in directions if getattr(each, name)] for name in ("differs", "is_vague"))
    if 2 * len(wrong) > DIRECTIONS:
        worst = max(wrong, key=lambda each: each.off)
        large = [event for leap, event in worst.leaps if leap > SHARE * worst.off]
        found = dict.fromkeys(explain_leap(event, worst, evidence) for event in large)
        begin = "partial" if found and {key for key, _ in found} <= BY_DESIGN else "differs"
        texts = [WORDS(begin, **worst.numbers, **facts), *(text for _, text in found)]
        return Answer(" ".join(texts[: MOST_NAMED + 1]))
    if 2 * len(vague) > DIRECTIONS:
        return Answer(WORDS("unclear", **vague[0].numbers, **facts))
    numbers = {name: ", ".join(each.numbers[name] for each in directions) for name in ("quotient", "slope")}
    return Answer(WORDS("agrees", **numbers, **facts, count=DIRECTIONS))


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
    return judged(Repeated(step, leaves, sys._getframe(1)), of)


def of_script(module, text):
    """The answer about the first backward pass of a script that puts gradients into leaves, and about all of these.

    The step begins at the statement that made the first node of a graph.
    """
    space, tops = vars(module), ast.parse(text).body
    statements = [each for top in tops for each in (top.body if "__name__" in ast.unparse(top)[:20] else [top])]
    codes = [compile(ast.Module([each], []), module.__file__, "exec") for each in statements]
    with suppress(Exception):  # if PyTorch is there and loads, we watch it from the start
        import_module("torch")
    frame, used = eval("__import__('sys')._getframe()", space), 0
    recording = FirstPass(frame, ())
    with recording:
        for code in codes:
            used += not any(each.computes and each.node for each in recording.recorder.events)
            exec(code, space)
    run, leaves, names = WatchedPass(recording.trace), [], {}
    keys = {each.tensor for each in run.passing if each.kind == "Accumulated"}
    living = [reference() for key, reference in run.trace.living.values() if key in keys]
    for name in names_of((part for each in statements[: used - 1] for part in ast.walk(each)), ast.Store):
        held = [leaf for leaf in living if any(each is leaf for each in tensors_of(space.get(name)))]
        names |= {name: True} if {*map(id, held)} - {*map(id, leaves)} else {}
        leaves += [leaf for leaf in held if not any(each is leaf for each in leaves)]
    if not leaves:
        raise ValueError(WORDS["no_pass"])
    with redirect_stdout(StringIO()):
        step = Repeated(lambda: [exec(code, space) for code in codes[used - 1 :]], leaves, frame, ())
        return judged(step, name=", ".join(names))
