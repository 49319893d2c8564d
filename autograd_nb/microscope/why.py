"""`why`: one sentence that says why a tensor's .grad is what it is, or why a backward pass from it fails.

What the tensors and the graph still tell is found without a recording; who changed or cut something, and at which
line, and which node a NaN came from, needs a trace.  Where one would help, the sentence says how to get it.
"""

import re
import sys

import numpy as np

from . import readings
from .cuts import with_cuts
from .events import DATA
from .info import Table, is_module
from .labels import clean, node_name, plain_name, short, tensor_name
from .names import parameters_of
from .naming import names_in, scopes_of, written_arguments
from .readings import is_freed, is_leaf, name_of, nodes_below, place_of, value_of
from .trace import Trace

RECORD = ("; to see where, record it: with autograd_nb.record() as trace: … around forward and backward, then "
          "why({name}, trace)")  # fmt: skip
COLUMNS = "parameter", "why"
# why rows pass nothing on
CLOSED = {row: told for told, rows in {
    "its input is not positive": "relu threshold_backward", "the other side was chosen": "where_row",
    "the mask is set": "masked_fill_with_number masked_fill_with_tensor",
    "its input is beyond the limits": "clamp_numbers", "it is flat everywhere": "sign floor ceil round_whole",
    "its input is so large that it is flat there": "sigmoid tanh softmax_row log_softmax_row",
}.items() for row in rows.split()}  # fmt: skip


class Answer(str):
    """A sentence that a cell shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def why(x, trace=None):
    """Why ``x.grad`` is None, zero, NaN, or larger than expected, or why a backward pass from *x* fails: one sentence.

    *x*: a tensor of this engine or of PyTorch, or a module, of which it gives a table of the parameters with trouble.
    *trace*: a recording of what happened, which knows the lines of code.  TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.why(x)
    x.grad is None: no backward pass has been run from y, which was computed from x.
    >>> torch.why(y)
    y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad; y.retain_grad() asks for it.
    """
    frame = sys._getframe(1)
    try:
        known = names_in(frame)
        written = written_arguments(frame, 1 if trace is None else 2)[0]
        # what the modules in variables call it, such as model.0.weight
        places = [name + place for variables in scopes_of(frame) for name, value in variables if is_module(value)
                  for place, each in parameters_of(value) if each is x]  # fmt: skip
    finally:
        del frame
    if trace is not None and not isinstance(trace, Trace):
        raise TypeError(f"why(): expected a trace of record() after the tensor, got {type(trace).__name__}")
    if is_module(x):
        cases = [Case(each, f"{written or 'module'}{name}", known, trace) for name, each in parameters_of(x)]
        return Table([(case.name, case.reason()) for case in cases if not case.is_well()], COLUMNS)
    if not readings.is_tensor(x):
        raise TypeError(f"why(): expected a tensor or a module, got {type(x).__name__}")
    name = known[id(x)][1][0] if id(x) in known else written or "x"
    return Answer(Case(x, name, known, trace, places).reason())


class Case:
    """A tensor that is asked about: its *name*, the other tensors *known* to the caller, and a trace or None."""

    def __init__(self, tensor, name, known, trace, places=()):
        self.tensor, self.name, self.known, self.trace = tensor, name, known, trace
        self.node, _ = place_of(tensor)
        self.is_leaf = self.node is None or is_leaf(self.node)
        self.is_freed = False  # its graph, as failing() finds
        self.grad = readings.grad_of(tensor)
        self.value = value_of(self.grad)
        records = trace.tensors.items() if trace is not None else ()
        keys = [key for key, record in records if not {name, *places}.isdisjoint(dict(record.names))]
        self.key = keys[-1] if keys else None
        self.node_key = trace.tensors[self.key].node if keys else None
        self.ask = RECORD.format(name=name) if trace is None else ""

    def is_well(self):
        return self.grad is not None and self.failing() is None and not bad(self.value) and not nothing_in(self.value)

    def reason(self):
        failing = self.failing()
        if self.grad is None and (failing is None or self.is_freed):
            return f"{self.name}.grad is None: {self.none()}{failing and '; and ' + failing or '.'}"
        if failing is not None:
            return failing
        told = self.not_finite() if bad(self.value) else self.zero() if nothing_in(self.value) else self.sum()
        return f"{self.name}.grad {told}."

    def at(self, event):
        text = self.trace.lines.get((event.file, event.line), "").strip()
        return f"line {event.line}, {text}" if text else f"line {event.line}"

    def of_kind(self, *kinds):
        return [event for event in self.trace or () if event.kind in kinds]

    def called(self, tensor):
        return self.known[id(tensor)][1][0] if id(tensor) in self.known else "a tensor without a name"

    def failing(self):
        """Why backward fails, or None."""
        for node in [] if self.is_leaf else nodes_below([self.node]):
            if is_leaf(node):
                continue
            self.is_freed = self.is_freed or is_freed(node)
            for saved in readings.saved_of(node):
                if saved.is_modified:
                    return self.modified(node, saved)
        if self.is_freed:
            return (f"{self.name}.backward() would fail, for a backward pass has freed what the nodes below "
                    f"{self.name} had saved: compute {self.name} again, or give the pass before retain_graph=True.")

    def modified(self, node, saved):
        what = self.called(saved.tensor) if saved.tensor is not None else f"its {saved.name}"
        who = [event for event in self.of_kind("Changed") if event.version > saved.expected and (
               saved.tensor is None or what in dict(self.trace.tensors[event.tensor].names))]  # fmt: skip
        by = f": {clean(plain_name(who[0].name))} did it, {self.at(who[0])}" if who else self.ask
        return (f"{self.name}.backward() fails: {name_of(node)} saved {what} at version {saved.expected}, and it was "
                f"changed in place since (it is at version {saved.version}){by}.")  # fmt: skip

    # -- why there is none -------------------------------------------------------------------------------------------

    def none(self):
        tensor, name = self.tensor, self.name
        if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
            return f"{name} is {tensor.dtype}, and only floating-point tensors have gradients"
        if self.node is None:
            return self.no_history()
        if self.is_leaf:
            return self.not_reached() if self.key is None else self.not_reached_in_trace()
        if readings.retains(tensor):
            return f"{name} retains its gradient, but no backward pass has reached it yet"
        return (f"{name} is no leaf but made by {name_of(self.node)}, so backward leaves it no .grad; "
                f"{name}.retain_grad() asks for it")  # fmt: skip

    def no_history(self):
        """Why nothing is asked of a tensor: it was cut off, or nobody asked."""
        for event in self.of_kind("Operation"):
            if self.key in event.outputs and event.cut:
                return f"{self.name} was cut off from what it was computed from by {event.cut} ({self.at(event)})"
        for source, target, how in with_cuts([self.tensor], [None], self.known)[1]:
            if target is self.tensor:
                return f"{self.name} has the elements of {self.called(source)}, but {how} cut it off"
        return (f"{self.name}.requires_grad is False: call {self.name}.requires_grad_() before computing with it, or "
                f"see that it is not computed under no_grad or from such tensors{self.ask}")  # fmt: skip

    def not_reached(self):
        """What is still there tells why: the variables of the caller, and their graphs."""
        name, roots = self.name, []
        for tensor, names in reversed(self.known.values()):
            node, _ = place_of(tensor)
            if node is not None and not is_leaf(node):
                roots.append((tensor, names[0], nodes_below([node])))
        reaching = [root for root in roots if self.node in root[2]]
        for _, root, nodes in reaching:
            if any(is_freed(node) for node in nodes if not is_leaf(node)):
                return (f"a backward pass from {root} has been run, and since then zero_grad() or other code set it to "
                        f"None, or autograd.grad returned it instead{self.ask}")  # fmt: skip
        for tensor, root, nodes in roots:
            for source, target, how in [] if self.node in nodes else (
                    with_cuts([tensor], [place_of(tensor)[0]], self.known)[1]):  # fmt: skip
                if self.node in nodes_below([place_of(source)[0]]):
                    return (f"the way back from {root} does not lead to {name}: {self.called(target)} has the elements "
                            f"of {self.called(source)}, but {how} cut it off")  # fmt: skip
        if reaching:
            return f"no backward pass has been run from {reaching[0][1]}, which was computed from {name}"
        if roots:
            return f"{roots[0][1]} was not computed from {name}, as far as its graph tells{self.ask}"
        return f"no backward pass has reached it{self.ask}"

    def not_reached_in_trace(self):
        zeroed = [event for event in self.of_kind("Zeroed") if event.tensor == self.key and event.value is None]
        if zeroed:
            return f"it was set to None ({self.set_at(zeroed[-1])})"
        started, failed = self.of_kind("Started"), self.of_kind("Failed")
        if not started:
            return "no backward pass was recorded"
        captured = [event for event in self.of_kind("Captured") if event.node == self.node_key]
        if captured:
            return f"autograd.grad returned the gradient ({self.at(captured[-1])}) and leaves .grad alone"
        if self.node_key not in self.trace.below(node for event in started for node, _ in event.roots):
            return self.cut_in_trace(started[-1])
        if failed:
            return f"the backward pass failed before it got there ({self.at(failed[-1])})"
        return f"the backward pass ({self.at(started[-1])}) was asked for other tensors only"

    def set_at(self, event):
        """The line that set a .grad, which is noticed only when another line does something."""
        earlier = [each.line for each in self.trace[: event.index] if each.file == event.file]
        for number in range(event.line, max(earlier, default=event.line) - 1, -1):
            text = self.trace.lines.get((event.file, number), "").strip()
            if re.search(r"zero_grad\(|\.grad\s*=(?!=)", text):
                return f"line {number}, {text}"
        return self.at(event)

    def cut_in_trace(self, started):
        """Where the way from the tensor to the root of a pass was cut, as the trace tells."""
        from_it, uses = {self.key}, 0
        for event in self.of_kind("Operation", "Changed"):
            if from_it.isdisjoint(event.inputs):
                continue
            uses += 1
            cut = event.kind == "Operation" and (event.cut or event.name == DATA and DATA)
            if cut:
                return f"{cut} cut it off from the root of the backward pass ({self.at(event)})"
            from_it.update(event.outputs if event.kind == "Operation" else (event.tensor,))
        names = "|".join(re.escape(self.trace.labels[key]) for key in from_it if self.trace.labels.get(key))
        for (_, number), text in self.trace.lines.items():
            if left := re.search(rf"\b({names})(\.detach\(\)|\.data|\.cpu\(\))*\.(item|numpy|tolist)\(", text):
                return f"{left[3]}() left the graph (line {number}, {text.strip()})"
        root = self.trace.tensor_at(started.roots[0])
        root = tensor_name(self.trace, root) if root else "the root"
        return f"{root} was not computed from {self.name}" if uses else f"nothing was computed from {self.name}"

    # -- why it is what it is ----------------------------------------------------------------------------------------

    def not_finite(self):
        what = "NaN" if self.value.nans or self.value.is_whole and np.isnan(self.value.array).any() else "inf"
        entered = None
        for event in self.of_kind("Operation", "Ran"):
            if event.kind == "Operation":
                tensors, made, name = self.trace.tensors, event.values, plain_name(event.name)
                came = [(f"{tensor_name(self.trace, each)} =", tensors[each].value) for each in event.inputs]
            else:
                came = [("the gradient", grad) for grad in event.grads if grad is not None]
                came += [(name_used(self.trace, each) + " =", each[1]) for each in event.used]
                made, name = event.results, node_name(self.trace, event.node)
            first = next(filter(bad, made), None)
            given = [each for each, value in came if bad(value)]
            if first is not None and not given:
                where = " and ".join(f"{each} {short(value)}" for each, value in came)
                return f"has {what}: {name} made the first, {short(first)}, from {where} ({self.at(event)})"
            if given and entered is None:
                entered = f"{given[0].removesuffix(' =')} had it before {name} ran ({self.at(event)})"
        return f"has {what}: {entered or 'a node on the way back made it, or a tensor had it before'}{self.ask}"

    def zero(self):
        """The node that turned a gradient into zeros on the way to this tensor."""
        way = {self.node_key}
        for event in reversed(self.of_kind("Ran")):
            record = self.trace.nodes[event.node]
            pairs = zip(record.edges, event.results, strict=False)
            results = [value for edge, value in pairs if edge[0] in way and value is not None]
            if results:
                way.add(event.node)
                if all(map(nothing_in, results)) and not all(map(nothing_in, filter(None, event.grads))):
                    return f"is zero: {self.closing(record, event)} ({self.at(event)})"
        if zeroed := self.of_kind("Zeroed"):
            return f"is zero: it was set to zero ({self.at(zeroed[-1])})"
        return f"is zero: some node on the way back passed nothing on{self.ask}"

    def closing(self, record, event):
        zeros = [each for each in event.used if nothing_in(each[1])]
        if record.row in CLOSED:
            return f"{record.name} passes nothing on, for {CLOSED[record.row]}"
        if zeros:
            return f"{record.name} multiplies by {name_used(self.trace, zeros[0])}, which is zero"
        return f"{record.name} turns {' and '.join(short(each) for each in event.grads if each is not None)} into zero"

    def sum(self):
        """How many gradients a .grad is the sum of."""
        name, total = self.name, short(self.value)
        added = [event for event in self.of_kind("Accumulated", "Zeroed", "GradSet") if event.tensor == self.key]
        while any(event.kind != "Accumulated" for event in added):
            added.pop(0)
        if len(added) > 1:
            parts = " + ".join(short(event.grad) for event in added)
            return f"is the sum of {len(added)} backward passes, {parts} = {total}: nothing set it to zero in between"
        summed = [event for event in self.of_kind("Summed") if event.node == self.node_key]
        if added and summed:
            return f"is {total}, the sum over {len(summed) + 1} paths: {name} was used that often"
        version = readings.version_of(self.grad)
        if self.trace is None and version and self.is_leaf:
            return (f"is {total} and was changed in place {version} time{'s' * (version > 1)}: each backward pass "
                    f"without zero_grad() in between adds to it{self.ask}")  # fmt: skip
        return f"is {total}{', and there is nothing unusual about it' * self.value.is_readable}"


def bad(value):
    """Whether there is NaN or inf in a snapshot."""
    if value is None or not value.is_whole:
        return value is not None and bool(value.nans or value.infs)
    return value.array.dtype.kind in "fc" and not np.isfinite(value.array).all()


def nothing_in(value):
    """Whether a snapshot is all zeros."""
    return bool(value and value.size) and (not value.array.any() if value.is_whole else value.zeros == 1)


def name_used(trace, used):
    name, _, tensor = used
    return tensor_name(trace, tensor) if tensor else f"its {name}"
