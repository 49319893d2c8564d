"""What makes the engine quick, and nothing else: who skips this file misses no meaning.

The plain engine, which is the files before this one, looks at each call and each node with
everything that may be so in mind.  Nearly all are simpler, and for these there are quicker ways
here, with the same results:

- A call on tensors of one floating dtype runs a function generated from its row as Python source.  For ``mul``:

      def mul(self, other):
          run, recording, unusual = state.for_calls
          array = run(forward, self._array, other._array)

- A pass does not count beforehand how many gradients each node gets.  Nodes are numbered as they are made, so of all
  that a gradient has reached the latest can get no more.  Leaves accumulate at the end, unless somebody could see it.
- A gradient that only the pass refers to is added to in place, and becomes the ``.grad`` of a leaf as it is.

Whatever is out of the ordinary is left to the plain engine.  It does everything with
``AUTOGRAD_NB_PLAIN=1`` in the environment, or within ``with autograd_nb.engine.speed.off():``.
"""

import os
from heapq import heappop, heappush
from itertools import product
from operator import add, iadd
from types import FunctionType

from . import dtypes
from .backward import GraphTask
from .call import general
from .graph import Node, OutputEdge, next_sequence_number  # noqa: F401 used by generated code
from .hooks import after_hook, as_tensor, retain
from .modes import state
from .saved import FREED, save_input  # noqa: F401 used there too
from .table import Row
from .tensor import AccumulateGrad, gradient_edge, ndarray, new_tensor, wrap  # noqa: F401 used there too
from .views import make_view  # noqa: F401 used there too
from .vjp import Plan, compiled, passes_through, plan_of

PLAIN = os.environ.get("AUTOGRAD_NB_PLAIN") == "1"


class off:
    """Within a ``with``, this thread runs the plain engine alone."""

    def __enter__(self):
        self.before, state.plain = state.plain, True
        state.refresh()

    def __exit__(self, *exception):
        state.plain = self.before
        state.refresh()


# -- the quick pass --------------------------------------------------------------------------------


class QuickPass:
    """A backward pass without listeners; *task* is the same one as the plain engine has it."""

    def __init__(self, task):
        self.task, self.create_graph, self.needed = task, task.create_graph, task.needed
        self.targets = {node for node, _ in task.captures} if task.captures else ()
        self.silently = state.run
        self.ready = []  # a heap of (-sequence, node): the nodes that a gradient has reached
        self.buffers = {}  # each of them, or a leaf -> its gradient so far; a list if it has several outputs
        self.shared = {}  # id -> array, of gradients that not only the pass refers to

    def walk(self, edges, grads):
        create_graph, free, needed = self.create_graph, not self.task.keep_graph, self.needed
        run, ready, buffers, node = self.silently, self.ready, self.buffers, None
        try:
            node, grad = self.next(edges, grads)
            while node is not None:
                plan, extras = node.plan, node.extras
                if (plan.__class__ is not QuickPlan or grad is None or not plan.one_output
                        or needed is not None and (node in self.targets or node not in needed)
                        or extras is not None and (buffers or extras.pre_hooks or extras.post_hooks)):  # fmt: skip
                    node, grad = self.next(*self.evaluate(node, grad))
                    continue
                if extras is not None:
                    grad = self.hooked(node, grad)
                edges, function = node.edges, plan.backward_tensors if create_graph else plan.backward
                if function is None or needed is not None and needed[node] is not None:
                    edges, function = self.written(node)
                grads = function(node, grad) if create_graph else run(function, node, grad)
                if free and plan.saves:
                    node.saved = FREED
                if extras is not None and state.for_calls[2]:  # now somebody listens
                    return self.hand_over(None, None, edges, grads)
                only = plan.only  # the one input that needs a gradient
                if only is not None and edges[only].__class__ is Node and not ready:
                    node, grad = edges[only], grads[only]
                    continue
                if plan.shares_grad:
                    self.share([grad])  # both inputs of an addition get one array
                node, grad = self.next(edges, grads)
        except BaseException:
            if not self.task.dependencies:  # else the plain engine has taken over
                self.count(node.edges if node is not None else ())  # PyTorch too accumulates what is complete
            raise

    def next(self, edges, grads):
        """Send gradients along edges, and take the latest of all nodes that were reached, with its gradient."""
        ready, buffers = self.ready, self.buffers
        latest, gradient, number, watched = None, None, 0, False
        for edge in edges:
            grad = grads[number]  # three times as fast as zip
            number += 1
            if edge is None:
                continue
            if edge in buffers:
                buffers[edge] = self.add(buffers[edge], grad)
            elif edge.__class__ is AccumulateGrad:
                buffers[edge] = grad
                watched = watched or edge.extras is not None
            elif edge.__class__ is OutputEdge:
                self.collect_output(edge, grad)
            elif latest is None:
                latest, gradient = edge, grad
            elif edge is latest:
                gradient = self.add(gradient, grad)
            elif edge.sequence > latest.sequence:
                buffers[latest] = gradient
                heappush(ready, (-latest.sequence, latest))
                latest, gradient = edge, grad
            else:
                buffers[edge] = grad
                heappush(ready, (-edge.sequence, edge))
        if ready and (latest is None or latest.sequence < -ready[0][0]):
            if latest is not None:
                buffers[latest] = gradient
                heappush(ready, (-latest.sequence, latest))
            latest = heappop(ready)[1]
            gradient = buffers.pop(latest)
        return self.next(*self.hand_over(latest, gradient)) if watched else (latest, gradient)

    def collect_output(self, edge, grad):
        """Put the gradient of one output of a node beside those of its others."""
        node, buffers = edge.node, self.buffers
        if node not in buffers:
            buffers[node] = [None] * edge.count
            heappush(self.ready, (-node.sequence, node))
        grads = buffers[node]
        grads[edge.number] = self.add(grads[edge.number], grad)

    def add(self, before, grad):
        """The sum of two gradients, in place of the one that only the pass refers to."""
        if before is None or grad is None:
            return grad if before is None else before
        if self.create_graph:
            return before + grad
        if before.__class__ is ndarray and self.owns(before):
            return self.silently(iadd, before, grad)
        if before.__class__ is ndarray and self.owns(grad):
            return self.silently(iadd, grad, before)
        return self.silently(add, before, grad)

    def share(self, grads):
        """Remember that not only the pass refers to these gradients."""
        for grad in grads:
            if grad.__class__ is ndarray:
                self.shared[id(grad)] = grad

    def owns(self, grad):
        """Whether only the pass refers to the elements of an array."""
        return grad.base is None and id(grad) not in self.shared

    def written(self, node):
        """The edges of a node along which gradients are wanted, and the function that computes these."""
        plan, wanted = node.plan, None if self.needed is None else self.needed[node]
        function = plan.function(None if plan.row.variadic else wanted, self.create_graph)
        if wanted is not None:
            return [edge if each else None for edge, each in zip(node.edges, wanted, strict=True)], function
        if self.create_graph:
            plan.backward_tensors = function
        else:
            plan.backward = function
        return node.edges, function

    def evaluate(self, node, grad):
        """Let the plain engine run a node; what its hooks or user code have seen is no longer the pass's own."""
        plan, extras = node.plan, node.extras
        if self.buffers and (extras is not None or plan.runs_user_code):
            return self.hand_over(node, grad)  # a leaf may be waiting that somebody looks at
        edges, grads = node.edges, grad if plan.several_outputs else [grad]
        self.share(grads)
        if extras is None and self.needed is None:
            results = plan.apply(node, grads)
            if plan.can_be_freed and not self.task.keep_graph:
                node.saved = FREED
        else:
            results = self.task.evaluate(node, grads)
            edges = [edge if each is not None else None for edge, each in zip(edges, results, strict=True)]
        self.share(results)
        if state.for_calls[2]:  # now somebody listens
            return self.hand_over(None, None, edges, results)
        return edges, results

    def hooked(self, node, grad):
        """The gradient of a node's only output after tensor hooks; retained where that was asked for."""
        for _, hook in [*node.extras.tensor_hooks.values()]:  # a hook may add others
            shown = as_tensor(grad)
            after = hook(shown)
            if after is not None or shown is not grad and shown._array is not grad:
                grad = after_hook(hook, shown, grad, after)
        for reference in node.extras.retained.values():
            retain(node, reference(), grad)
        self.share([grad])
        return grad

    def accumulate(self, leaf, grad):
        if leaf.grad is None and leaf.extras is None and self.needed is None:
            dtype = dtypes.BY_SCALAR.get(grad.__class__)
            if dtype is not None or grad.__class__ is ndarray and self.owns(grad):
                first = wrap(grad, dtype or dtypes.BY_NUMPY[grad.dtype])
                if leaf.grad is None:  # no call in between, so no other thread either
                    leaf.grad = first
                    return
        self.task.evaluate(leaf, [grad])

    # -- back to the plain engine ------------------------------------------------------------------

    def hand_over(self, node, grad, edges=(), grads=()):
        """Let the plain engine do the rest, after it has counted the gradients that are still to come."""
        if node is not None:
            self.buffers[node] = grad
        self.count(edges)
        self.buffers.clear()
        self.ready.clear()
        self.task.walk(edges, grads)
        return (), ()

    def count(self, edges):
        task, waiting = self.task, self.buffers
        below = [edge for node in waiting for edge in node.edges]
        task.dependencies.update(dict.fromkeys(waiting, 0))
        task.count_dependencies([*edges, *below])
        for node, grad in waiting.items():
            task.buffers[node] = grad if node.plan.several_outputs else [grad]
        for node in waiting:
            if not task.dependencies[node]:
                task.is_ready(node)


class QuickPlan(Plan):
    """A plan with what a quick pass asks of it."""

    def __init__(self, row, needs, numbers, restored):
        super().__init__(row, needs, numbers, restored)
        passed = [name for name in needs if passes_through(row.formulas[name])]
        self.one_output, self.shares_grad = not row.several, not restored and len(passed) > 1
        one_input = len(needs) == 1 and not row.variadic
        self.only = row.differentiable.index(needs[0]) if one_input else None
        self.backward = self.backward_tensors = None  # backward functions, once written


Row.new_plan = QuickPlan
plain_run = GraphTask.run


def run(self, edges, grads):
    """A pass in the quick way, unless something is out of the ordinary."""
    if state.for_calls[2]:
        plain_run(self, edges, grads)
        return
    task = QuickPass(self)
    task.shared.update({id(grad): grad for grad in grads if grad.__class__ is ndarray})
    task.walk(edges, grads)
    for leaf in [*task.buffers]:
        task.accumulate(leaf, task.buffers.pop(leaf))


# -- quick calls, generated from the row -----------------------------------------------------------


def quick_call(row, *values):
    """The first call of a row; from then on its own function takes them."""
    row.call = fast_call(row)
    return row.call(*values)


if not PLAIN:
    GraphTask.run = run
    Row.call = quick_call


def fast_call(row, unusual_call=None):
    """The function that a call runs; *unusual_call* is what it calls in unusual cases, by default the general way."""
    unusual_call = unusual_call or (lambda *values: general(row, *values))
    if PLAIN:
        return unusual_call
    simple = row.parameters[0] in row.tensors and not (row.variadic or row.several or row.optional)
    if not simple or len(row.differentiable) > 3:
        return unusual_call

    def first(*values):  # compiled at the first call, for most rows are never called
        call.__code__ = compile_call(row, names).__code__
        return call(*values)

    names = {"__name__": __name__, "first": first, "unusual_call": unusual_call}
    return (call := FunctionType(NOT_COMPILED, names, row.name))


NOT_COMPILED = (lambda *values: first(*values)).__code__  # noqa: F821 one of the call's globals


def compile_call(row, names):
    """Compile the fast call of a row, with a second function for a number as *other* if the row has two operands."""
    names.update(globals(), forward=row.on_floats)
    if row.broadcasts and row.tensors == {"self", "other"} and row.parameters == ("self", "other"):
        of_number = dict(names)
        names["with_number"] = compiled(call_source(row, of_number, ("self",), "with_number"), of_number, "with_number")
    return compiled(call_source(row, names, row.differentiable, row.name), names, row.name)


def call_source(row, names, inputs, function):
    """The source of the fast call of a row whose differentiable *inputs* are tensors, a number in place of others."""
    numbers = [name for name in row.differentiable if name not in inputs]
    tensors = [name for name in row.parameters if name in row.tensors and name not in numbers]
    given = ", ".join(row.parameters)
    lines = [f"def {function}({given}):"]
    if "with_number" in names and not numbers:
        lines += ["    if other.__class__ is float or other.__class__ is int:",
                  "        return with_number(self, other)"]  # fmt: skip
    lines.append("    run, recording, unusual = state.for_calls")
    conditions = ["unusual", *(f"{name}._dtype is not common" for name in tensors[1:])]
    conditions += ["not common.is_floating_point"] if row.promoted or row.keeps_dtype else []
    conditions += [f"{name}.__class__ is not float and {name}.__class__ is not int"
                   for name in map(row.parameters.__getitem__, row.promoted) if name not in row.tensors]  # fmt: skip
    lines += ["    try:", f"        common = {tensors[0]}._dtype", f"        if {' or '.join(conditions)}:",
              f"            return unusual_call({given})"]  # fmt: skip
    if row.view:
        lines += ["        if self._counter is None:", "            self._share()"]
    arrays = [f"{name}._array" if name in tensors else name for name in row.parameters]
    if numbers:
        lines += ["        array = self._array",
                  "        number = common.numbers[other] if array.__class__ is ndarray else other"]  # fmt: skip
        arrays = ["array", "number"]
    lines += [f"        array = run(forward, {', '.join(arrays)})",
              "    except (AttributeError, ValueError, RuntimeError, IndexError):  # not a tensor, or it does not fit",
              f"        return unusual_call({given})"]  # fmt: skip
    same = row.keeps_dtype
    if not row.promoted and not row.view and not same:
        lines += ["    if array.__class__ is ndarray and not array.shape:", "        array = array[()]"]
    lines += ["    made = new_tensor()", "    made._array = array", "    made._counter = made._node = None"]
    if same:
        lines.append("    made._dtype = common")
    else:
        lines.append("    made._dtype = common if array.dtype is common.numpy else dtypes.of_array(array)")
    if row.view:
        lines.append("    make_view(made, self)")
    lines += record_source(row, names, inputs, numbers, same) if row.formulas else []
    return "\n".join([*lines, "    return made", ""])


def record_source(row, names, inputs, numbers, floating):
    """The lines that record the call, one arm for each pattern of inputs that require grad."""
    given = ", ".join(row.parameters)
    lines = ["    if not recording" + ("" if floating else " or not made._dtype.is_floating_point") + ":",
             "        return made"]  # fmt: skip
    edges = ", ".join(map("edge_{}".format, inputs))
    lines += [f"    {edges} = {', '.join(map('{}._node'.format, inputs))}",
              f"    if {' or '.join(f'{name}._counter is not None' for name in inputs)}:  # perhaps a view",
              f"        {edges} = {', '.join(f'gradient_edge({name})' for name in inputs)}",
              f"        if {' or '.join(f'edge_{name} is not None and edge_{name}.is_dead_end' for name in inputs)}:",
              f"            return unusual_call({given})"]  # fmt: skip
    word = "if"
    for pattern in sorted(product((False, True), repeat=len(inputs)), key=sum):
        needs = tuple([name for name, needed in zip(inputs, pattern, strict=True) if needed])
        tests = " and ".join(f"edge_{name} is None" for name in inputs if name not in needs)
        lines.append(f"    {word} {tests}:" if tests else "    else:")
        if not needs:
            lines.append("        return made")
        else:
            suffix = "_".join(needs)
            names["plan_" + suffix] = plan = plan_of(row, needs, tuple(numbers))
            lines += ["        made._node = node = Node()", f"        node.plan = plan_{suffix}",
                      f"        node.saved = {saved_source(plan, numbers)}"]  # fmt: skip
        word = "elif"
    edges = [f"edge_{name}" if name in inputs else "None" for name in row.differentiable]
    lines += [f"    node.edges = {', '.join(edges)},"]
    values = [row.parameters[position] for position in row.number_positions]
    values += [f"{row.parameters[position]}._array.shape" for position in row.shape_positions]
    lines.append(f"    node.arguments = {', '.join(values) + ',' if values else None}")
    if row.broadcasts and not numbers:
        shapes = [f"{name}._array.shape" for name in row.differentiable]
        lines += [f"    if array.__class__ is ndarray and not {' == '.join(shapes)}:",
                  "        node.plan = node.plan.with_shapes",
                  f"        node.arguments = {', '.join(values + shapes)}"]  # fmt: skip
    return [*lines, "    node.extras = None", "    node.sequence = next_sequence_number()"]


def saved_source(plan, numbers):
    """The expression for what a node saves."""
    entries = [
        "array" if number is not None else name if name in numbers
        else f"{name} if {name}._counter is None else save_input({name})"
        for name, number in zip(plan.saves, plan.output_numbers, strict=True)
    ]  # fmt: skip
    return "None" if not entries else entries[0] if len(entries) == 1 else ", ".join(f"({each})" for each in entries)
