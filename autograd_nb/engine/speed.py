"""Shortcuts that make the engine quick.  You may skip this file: it changes no result.

The plain engine, in the files before this one, is ready for everything at each call and each node.
Nearly all calls and nodes are simpler, and take a quicker way here to the same result:

- A call on tensors of one floating dtype runs a function generated from its row as Python source.
  For ``mul``:

      def mul(self, other):
          run, recording, unusual = state.for_calls
          array = run(forward, self._array, other._array)

- A pass does not count in advance how many gradients each node receives.  Nodes are numbered as
  they are made, so the newest node that a gradient has reached receives no more.  Leaves accumulate
  at the end, unless somebody could notice.
- A gradient that only the pass refers to is added to in place, and becomes the ``.grad`` of a leaf
  as it is.

The plain engine does everything unusual.  It does all the work with ``AUTOGRAD_NB_PLAIN=1`` in the
environment, within ``with autograd_nb.engine.speed.off():``, and in a debugger.
"""

import os
import sys
from contextlib import contextmanager
from functools import partial
from heapq import heappop, heappush, heapreplace
from itertools import count, product
from operator import add, iadd

from . import backward, dtypes
from .backward import GraphTask
from .call import general
from .graph import (  # noqa: F401 too
    DEAD_END,
    BasePlan,
    Node,
    OutputEdge,
    next_sequence_number,
    node_of_edge,
)
from .modes import state
from .saved import FREED, save_input  # noqa: F401 used there too
from .table import Row
from .tensor import (  # noqa: F401
    AccumulateGrad,
    gradient_edge,
    ndarray,
    new_tensor,
    wrap,
)
from .views import COPY_SLICES, View, make_view  # noqa: F401 used there too
from .vjp import Plan, backward_function, compiled, plan_of, written_at_first

PLAIN = os.environ.get("AUTOGRAD_NB_PLAIN") == "1"


@contextmanager
def off():
    """Within a ``with``, this thread runs only the plain engine."""
    before, state.plain = state.plain, True
    state.refresh()
    try:
        yield
    finally:
        state.plain = before
        state.refresh()


# -- the quick pass --------------------------------------------------------------------------------


class QuickPass(GraphTask):
    """A quick pass, which hands over to the plain engine when it meets something unusual."""

    def run(self, edges, grads):
        run, _, unusual = state.for_calls
        # a debugger stops in the code that people read
        plain, needed = unusual or sys.gettrace() is not None, self.needed
        roots = () if needed is None else [node_of_edge(edge)[0] for edge in edges]
        # hooks of a root are called in any case
        if plain or any([root is not None and root.extras is not None for root in roots]):
            super().run(edges, grads)
            return
        create_graph, free = self.create_graph, not self.keep_graph
        # the edges along which gradients are wanted, if not along all
        self.goals = None if needed is None else self.targets.union(needed)
        partial = [node for node, wanted in (needed or {}).items() if wanted is not None]
        special = self.targets.union(partial)
        # a node in *ready*, or a leaf -> its gradient so far; a list if it has several outputs
        self.reached = {}
        # gradients that others refer to; not *alone*: to any, since user code may have seen one
        self.shared, self.alone = dict.fromkeys(map(id, grads)), True
        self.silently = run
        ready, node = self.ready, None
        try:
            node, grad = self.next(edges, grads)
            while node is not None:
                plan, edges = node.plan, node.edges
                function = plan.backward_tensors if create_graph else plan.backward
                if function is None or grad is None or node.extras is not None or node in special:
                    edges, grads = self.look_at(node, grad)
                else:
                    grads = function(node, grad) if create_graph else run(function, node, grad)
                    if free and plan.can_be_freed:
                        node.saved = FREED
                only = plan.only  # the one input that needs a gradient
                if only is not None and edges[only].__class__ is Node and not ready:
                    node, grad = edges[only], grads[only]
                else:
                    if plan.shares_grad and grad.__class__ is ndarray:
                        self.shared[id(grad)] = grad  # both inputs of an addition get one array
                    node, grad = self.next(edges, grads)
        except BaseException:
            if not self.dependencies:  # else the plain engine has taken over
                # PyTorch too accumulates the complete gradients
                self.count(node.edges if node is not None else ())
            raise
        self.accumulate()

    def next(self, edges, grads):
        """Send gradients along edges; return the latest node reached, with its gradient."""
        ready, reached, goals = self.ready, self.reached, self.goals
        latest, gradient, number, watched = None, None, 0, False
        for edge in edges:
            grad = grads[number]  # three times as fast as zip
            number += 1
            if edge is None or goals is not None and edge not in goals:
                continue
            if edge in reached:
                reached[edge] = self.sum(reached[edge], grad)
            elif edge.__class__ is AccumulateGrad:
                reached[edge] = grad
                watched = watched or edge.extras is not None
            elif edge.__class__ is OutputEdge:
                self.collect_output(edge, grad)
            elif latest is None:
                latest, gradient = edge, grad
            elif edge is latest:
                gradient = self.sum(gradient, grad)
            else:
                if edge.sequence > latest.sequence:
                    edge, grad, latest, gradient = latest, gradient, edge, grad
                reached[edge] = grad
                heappush(ready, (-edge.sequence, edge))
        if ready and (latest is None or latest.sequence < -ready[0][0]):
            if latest is None:
                latest = heappop(ready)[1]
            else:
                reached[latest] = gradient
                latest = heapreplace(ready, (-latest.sequence, latest))[1]
            gradient = reached.pop(latest)
        if watched:
            self.hand_over(latest, gradient)
            return None, None
        return latest, gradient

    def collect_output(self, edge, grad):
        """Put the gradient of one output of a node beside those of its other outputs."""
        node, reached = edge.node, self.reached
        if node not in reached:
            reached[node] = [None] * edge.count
            heappush(self.ready, (-node.sequence, node))
        grads = reached[node]
        grads[edge.number] = self.sum(grads[edge.number], grad)

    def sum(self, before, grad):
        """The sum of two gradients, in place if only the pass refers to one of them."""
        if before is None or grad is None:
            return grad if before is None else before
        if self.create_graph:
            return before + grad
        if before.__class__ is ndarray:
            if self.owns(before):
                return self.silently(iadd, before, grad)
            if self.owns(grad):
                return self.silently(iadd, grad, before)
        return self.silently(add, before, grad)

    def owns(self, grad):
        """Whether only the pass refers to the elements of an array."""
        return self.alone and grad.base is None and id(grad) not in self.shared

    def look_at(self, node, grad):
        """Run an unusual node; return its edges and a gradient for each."""
        nothing = [None] * len(node.edges)
        if node.extras is not None or node.plan.runs_user_code:
            self.hand_over(node, grad)  # user code may look at a leaf that waits
            return nothing, nothing
        self.alone = self.alone and node not in self.targets
        return node.edges, self.evaluate(node, grad if node.plan.several_outputs else [grad])

    def accumulate(self):
        """Give each leaf its gradient: the array itself if it is the first and not shared."""
        for leaf, grad in self.reached.items():
            dtype, is_array = leaf.dtype, grad.__class__ is ndarray
            fits = grad.dtype is dtype.numpy if is_array else grad.__class__ is dtype.scalar
            if fits and leaf.grad is None and leaf.extras is None and self.needed is None:
                first = wrap(grad.copy() if is_array and not self.owns(grad) else grad, dtype)
                if leaf.grad is None:  # no call up to the assignment, so no other thread
                    leaf.grad = first
                    continue
            self.evaluate(leaf, [grad])

    # -- back to the plain engine ------------------------------------------------------------------

    def hand_over(self, node, grad):
        """Count the gradients that will still arrive, and let the plain engine do the rest."""
        if node is not None:
            self.reached[node] = grad
        self.count(())
        self.reached.clear()
        GraphTask.walk(self, (), ())

    def count(self, edges):
        reached = self.reached
        below = [edge for node in reached for edge in node.edges]
        self.dependencies.update(dict.fromkeys(reached, 0))
        self.count_dependencies([*edges, *below])
        self.ready.clear()
        for node, grad in reached.items():
            self.buffers[node] = grad if node.plan.several_outputs else [grad]
        for node in reached:
            if not self.dependencies[node]:
                self.is_ready(node)


def as_operand(node, number, grad):
    """A saved Python number in the form in which NumPy multiplies it fastest."""
    if number is FREED:
        FREED.unpack(node)
    return dtypes.BY_NUMPY[grad.dtype].numbers[number] if grad.__class__ is ndarray else number


class QuickPlan(Plan):
    """A plan with the fields that a quick pass reads, and shortcuts for numbers."""

    helpers = {"as_operand": as_operand}

    def __init__(self, row, needs, numbers, restored):
        super().__init__(row, needs, numbers, restored)
        self.shares_grad = not restored and len(row.passed_on.intersection(needs)) > 1
        one_input = len(needs) == 1 and not row.variadic
        self.only = row.differentiable.index(needs[0]) if one_input else None
        if not row.several:  # backward functions, which are written when first called
            self.backward = partial(self.first, "backward", False)
            self.backward_tensors = partial(self.first, "backward_tensors", True)

    def unpacked(self, name, number, tensors):
        """The expression for a saved entry, without a call if nobody can have changed its value."""
        value, general = name, f"tensor_of(node, {name}, {number})"
        if not tensors:
            if name in self.numbers:
                return f"as_operand(node, {name}, grad)"
            if number is not None:
                return f"{name}.unpack(node) if isinstance({name}, SavedVariable) else {name}"
            value, general = f"{name}._array", f"value_of(node, {name})"
        usual = f"""{name}.__class__ is Tensor and (
        {name}._counter is None or not ({name}._counter.version or {name}._detached))"""
        return f"{value} if {usual} else {general}"

    def first(self, name, tensors, node, grad):
        """Generate a backward function at its first call, and run it."""
        function = backward_function(self, None, tensors)
        setattr(self, name, function)
        return function(node, grad)


# the fields of other plans that a quick pass reads
BasePlan.shares_grad = False
BasePlan.only = BasePlan.backward = BasePlan.backward_tensors = None
COPY_SLICES.backward = lambda node, grad: COPY_SLICES.on_arrays(*node.saved, grad)


# -- quick calls, generated from the row -----------------------------------------------------------


def quick_call(row, *values):
    """The first call of a row; later calls run the row's own function."""
    usual = partial(general, row)
    simple = row.parameters[0] in row.tensors and not (row.variadic or row.several)
    if simple and len(row.differentiable) < 4 and not (row.optional or row.constant_tensors):
        usual = fast_call(row, usual)
    row.call = usual
    return usual(*values)


if not PLAIN:
    backward.new_task = QuickPass
    Row.new_plan, Row.call = QuickPlan, quick_call


def fast_call(row, unusual_call):
    """The function that runs a call of a row with few tensors; in unusual cases *unusual_call*."""
    unusual_call.__qualname__ = row.name
    if PLAIN:
        return unusual_call
    return written_at_first(row.name, compiled_call, row, count(), unusual_call=unusual_call)


def compiled_call(call, row, uses):
    """Compile the fast call of a row; with two operands also one for a number as *other*.

    The first calls run the general way, since most rows are called once or never.
    """
    names = call.__globals__
    if next(uses) < 2:
        return names["unusual_call"]
    names.update(globals(), forward=row.on_floats)
    both, gives_numbers = ("self", "other"), row.broadcasts or not row.formulas
    if row.parameters == both and row.tensors.issuperset(both) and gives_numbers:
        of_number, name = dict(names), "with_number"
        names[name] = compiled(call_source(row, of_number, ("other",), name), of_number, name)
    call.__code__ = compiled(call_source(row, names, (), "call"), names, "call").__code__
    return call


def call_source(row, names, numbers, function):
    """The source of a row's fast call; the operands *numbers* are numbers here, not tensors."""
    inputs = [name for name in row.differentiable if name not in numbers]
    tensors = [name for name in row.parameters if name in row.tensors and name not in numbers]
    given, same = ", ".join(row.parameters), row.keeps_dtype
    unusual = ["unusual", *map("{}._dtype is not common".format, tensors[1:])]
    unusual += ["not common.is_floating_point"] if row.promoted or same else []
    for name in [row.parameters[position] for position in row.promoted]:
        if name not in row.tensors:
            unusual.append(f"{name}.__class__ is not float and {name}.__class__ is not int")
    arrays = ", ".join(f"{name}._array" if name in tensors else name for name in row.parameters)
    return f"""def {function}({given}):
    {TRY_NUMBER if "with_number" in names and not numbers else ""}
    run, recording, unusual = state.for_calls
    try:
        common = {tensors[0]}._dtype
        if {" or ".join(unusual)}:
            return unusual_call({given})
        {SHARE if row.view else ""}
        array = run(forward, {OF_NUMBER if numbers else arrays})
    except (AttributeError, ValueError, RuntimeError, IndexError):
        return unusual_call({given})
    {"" if row.promoted or row.view or same else SCALAR}
    made = new_tensor()
    made._array = array
    made._counter = made._node = None
    made._dtype = {"common" if same else ITS_DTYPE}
    {MAKE_VIEW if row.view else ""}
    {record_source(row, names, inputs, numbers, same) if row.formulas else ""}
    return made
"""


# parts of the source of some rows
TRY_NUMBER = """if other.__class__ is float or other.__class__ is int:
        return with_number(self, other)"""
SHARE = """if self._counter is None:
            self._share()"""
OF_NUMBER = "array := self._array, common.numbers[other] if array.__class__ is ndarray else other"
ITS_DTYPE = "common if array.dtype is common.numpy else dtypes.of_array(array)"
SCALAR = """if array.__class__ is ndarray and not array.shape:
        array = array[()]"""
MAKE_VIEW = """if recording and not self._inference:
        made._counter = counter = self._counter
        made._view = View(self, counter.version)
    else:
        make_view(made, self)"""


def record_source(row, names, inputs, numbers, floating):
    """The lines that record the call, one arm for each pattern of inputs that require grad."""
    given, arms, word = ", ".join(row.parameters), "", "if"
    for pattern in sorted(product((False, True), repeat=len(inputs)), key=sum):
        needs = tuple([name for name, needed in zip(inputs, pattern, strict=True) if needed])
        tests = " and ".join(f"edge_{name} is None" for name in inputs if name not in needs)
        arms += f"""
    {word} {tests}:""" if tests else """
    else:"""
        word = "elif"
        if not needs:
            arms += """
        return made"""
            continue
        name = "plan_" + "_".join(needs)
        names[name] = plan = plan_of(row, needs, tuple(numbers))
        arms += f"""
        made._node = node = Node()
        node.plan = {name}
        node.saved = {saved_source(plan, numbers)}"""
    values = [row.parameters[position] for position in row.number_positions]
    values += [f"{row.parameters[position]}._array.shape" for position in row.shape_positions]
    shapes = [f"{name}._array.shape" for name in row.differentiable]
    edges = ", ".join(map("edge_{}".format, inputs))
    all_edges = [f"edge_{name}" if name in inputs else "None" for name in row.differentiable]
    fit = f"""if array.__class__ is ndarray and not {" == ".join(shapes)}:
        node.plan = node.plan.with_shapes
        node.arguments = {", ".join(values + shapes)}""" if row.broadcasts and not numbers else ""
    return f"""if not recording{"" if floating else " or not made._dtype.is_floating_point"}:
        return made
    {"" if floating else f"if made._dtype is not common: return unusual_call({given})"}
    {edges} = {", ".join(map("{}._node".format, inputs))}
    if {" or ".join(map("{}._counter is not None".format, inputs))}:
        {edges} = {", ".join(map("gradient_edge({})".format, inputs))}
        if {" or ".join(map("edge_{} is DEAD_END".format, inputs))}:
            return unusual_call({given}){arms}
    node.edges = {", ".join(all_edges)},
    node.arguments = {", ".join(values) + "," if values else None}
    {fit}
    node.extras = None
    node.sequence = next_sequence_number()"""


def saved_source(plan, numbers):
    """The expression for the values that a node saves."""
    entries = [
        "array" if number is not None else name if name in numbers
        else f"\n            {name} if {name}._counter is None or\n"
        f"            not ({name}._counter.version or {name}._inference) else save_input({name})"
        for name, number in zip(plan.saves, plan.output_numbers, strict=True)
    ]  # fmt: skip
    return f"({','.join(entries)})" if entries else "None"
