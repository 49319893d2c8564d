"""PyTorch's operations, reported to a listener as the engine reports its own.

A function mode sees each call of the learner's code, and within it a dispatch mode sees the operations that the call
consists of.  When the call has returned, each result has its node, and the operations are reported in order.
"""

import sys
import warnings
from contextlib import nullcontext
from functools import partial, wraps
from os.path import dirname
from threading import get_ident
from traceback import walk_stack
from types import SimpleNamespace

from ...engine import events
from ..names import variables_of
from ..presence import PYTORCHS, is_tensor, kinds, without_modes
from ..readings import grad_fn_of, modes_for, place_of
from . import rows
from .passes import ReportingEngine, watches, watches_of_this_thread
from .readings import GraphNode, torch


class Watch:
    """Reports to *listener* what this thread does with PyTorch, between ``begin()`` and ``end()``.

    Meanwhile PyTorch is changed: a function mode is on, functions are replaced.  An error of the listener, or in
    reading PyTorch's insides, never reaches the learner's program: ``fault`` keeps it, and nothing more is reported.
    """

    def __init__(self, listener):
        self.listener, self.fault = listener, None
        self.thread, self.calls, self.busy = get_ident(), [], False
        self.called = ""  # the function that the learner's code called, unless a backward pass
        self.mode, self.dispatch = Calls(), Operations()
        self.mode.watch = self.dispatch.watch = self
        self.versions = None  # of an optimizer's parameters, while it steps
        self.paused = False  # whether our function mode is off meanwhile
        self.replacements = watches[0].replacements if watches else [
            replacement(torch.autograd.Function, "apply", reporting_apply),
            replacement(torch.nn.Module, "_call_impl", reporting_call),
            replacement(torch.nn.Parameter, "__new__", reporting_new),
            replacement(torch.autograd.variable.Variable, "_execution_engine", ReportingEngine),
            replacement(torch.autograd.profiler.record_function, "__enter__", reporting_begin),
            replacement(torch.autograd.profiler.record_function, "__exit__", reporting_end),
            replacement(warnings, "showwarning", showing_the_own_line),
        ]  # fmt: skip
        self.above = []  # the modes entered after ours that must stay

    def begin(self):
        """Watch from now on; whatever interrupts this, ``end()`` leaves PyTorch as it was."""
        watches.append(self)
        self.replace()
        self.mode.__enter__()

    def end(self):
        """Leave PyTorch as it was; a second call is allowed, and follows when something interrupts the first."""
        if self in watches:
            watches.remove(self)
        if not watches:
            self.replace(back=True)
            if watches:  # another thread began meanwhile
                watches[0].replace()
        stack = stack_of_modes()
        if self.mode in stack:
            self.above = self.above or stack[stack.index(self.mode) + 1 :]
        while self.mode in stack_of_modes():
            C._pop_torch_function_stack()
        for mode in self.above:
            if mode not in stack_of_modes():
                C._push_on_torch_function_stack(mode)
        if dispatch_modes()[-1:] == [self.dispatch]:  # an interrupt came in a call
            C._pop_torch_dispatch_stack(None)
        self.mode.watch = self.dispatch.watch = self.versions = None
        self.paused = False

    def replace(self, back=False):
        for owner, name, ours, own in self.replacements:
            wanted = own if back else ours
            if vars(owner)[name] is not wanted:  # setting it takes long for a class with many subclasses
                setattr(owner, name, wanted)

    def step_begins(self, optimizer):
        """From now on nothing is reported: an optimizer's step is reported as a whole."""
        parameters = [each for group in optimizer.param_groups for each in group["params"]]
        with C.DisableTorchFunction():
            self.versions = [(each, each._version) for each in parameters if each.grad is not None]
        if stack_of_modes()[-1:] == [self.mode]:
            C._pop_torch_function_stack()
            self.paused = True

    def step_ends(self, name, failed):
        """Report an optimizer's step as one change to each parameter."""
        if self.paused:
            C._push_on_torch_function_stack(self.mode)
        versions, self.versions, self.paused = self.versions or (), None, False
        with C.DisableTorchFunction():
            changed = [(each, each.grad) for each, version in versions if each._version != version]
        for each in changed * (not failed):
            self.report_change(name, *each)

    @property
    def is_over(self):
        """Whether nothing is reported any more: too much has happened, or something failed."""
        return self.fault is not None or self.listener.is_full

    @property
    def is_off(self):
        return self.busy or self.is_over or self.listener.is_elsewhere()

    def call(self, function, args, options):
        """Run a function of PyTorch that the learner's code called, and report what it did."""
        if self.transforms():
            return function(*args, **options)
        owner = getattr(function, "__self__", None)
        of_data, of_grad = owner is torch.Tensor.data, owner is torch.Tensor.grad
        name = "" if function in PASSES else ".data" if of_data else getattr(function, "__name__", "")
        outer, self.calls, self.called = (self.calls, self.called), [], name
        try:
            if of_grad or function in PASSES:
                result = function(*args, **options)
            else:
                with self.entered(self.dispatch):
                    result = function(*args, **options)
            if self.calls:
                self.report()
            if name in READING:
                self.inform(events.Read, name.strip("_"), tensors_in(args))
            if of_grad and name in ("__set__", "__delete__"):
                self.inform(events.Assigned, args[0])
            return result
        finally:
            self.calls, self.called = outer

    def operate(self, about, args, options):
        """Run an operation of a call, and keep it until the call has returned."""
        operation, name, _, is_mutable, *_ = about
        kept = self.apart(args) if name == "squeeze_" else args
        if is_mutable and kept is args and self.called:
            self.report(changing=args[0])  # before the operation changes values and nodes
        with C.DisableTorchFunction():
            if name.startswith("_foreach_") or args and is_tensor(args[0]) and args[0].is_inference():
                with versions_counted():
                    result = whole = operation(*args, **options)
            else:
                result = whole = operation(*args, **options)
            if name == "allclose":  # recorded as isclose: allclose is its all()
                about = of_operation(torch.ops.aten.isclose.default)
                result = about[0](*args, **options)
        self.calls.append((about, kept, options, result, None))
        return whole

    def entered(self, mode):
        """A context in which a mode is on; PyTorch turns it off while it handles a call."""
        return nullcontext() if mode in stack_of_modes() or is_dispatching() and mode in dispatch_modes() else mode

    def transforms(self):
        """Whether PyTorch traces a program or runs a transform of torch.func, which is reported as unseen."""
        if is_dispatching() and any(mode.is_infra_mode() for mode in dispatch_modes()):
            return True
        if C._functorch.peek_interpreter_stack() is None:
            return False
        self.inform(events.Unseen)
        return True

    def function(self, run, cls, inputs):
        """Report a call of the learner's Function *cls*; ``run()`` gives its result."""
        if self.is_off or self.transforms():
            return run()
        self.report()
        result = run()
        self.report()
        if not self.is_off:
            outputs = tensors_in([result])
            node = next((place_of(each)[0] for each in outputs if grad_fn_of(each)), None)
            operation = SimpleNamespace(name=cls.__name__)
            self.inform(events.Operation, operation, node, tensors_in(inputs), outputs, False)
        return result

    def report(self, walking=False, changing=None):
        """Report the operations that ran since the last report.

        *walking*: a backward pass ran them between two nodes; then only the recorded ones are reported.
        *changing*: the tensor that an operation is about to change; PyTorch may have cloned it to save the clone.
        """
        calls, self.calls = self.calls, []
        if not calls or self.is_over or self.versions is not None:
            return
        self.quietly(self.report_calls, calls, walking, changing)

    def report_calls(self, calls, walking, changing):
        made = {}
        for (_, name, row, is_mutable, is_view, parameters), args, options, result, node in calls:
            args = [made.pop(id(each), each) for each in args] if made else [*args]
            inputs, outputs = tensors_in(args), tensors_in([result])
            node = node or node_made(row, is_mutable, outputs)
            if name in FOR_THE_NEXT:
                made[id(result)] = None if inputs else args[0]
            hidden = (name in HIDDEN and self.called not in ("detach", ".data", "__getitem__", name)
                      or name == "clone" and args[0] is changing)  # fmt: skip
            if is_mutable and not outputs:  # _foreach_mul_ and others: each of a list
                for each in tensors_in(args[:1]):
                    self.report_change(name.removeprefix("_foreach_").strip("_"), each)
            if hidden or name.startswith(PLUMBING) or not inputs or not outputs or walking and node is None:
                continue
            if name == "squeeze_" and inputs[0] is not outputs[0]:
                name = "squeeze_.first"
            if name == "index":
                del inputs[1:]  # the backward pass reports the indices that it reads
            node = node and GraphNode(node, arguments_of(parameters, args, options, not self.called))
            in_place = outputs[0] is inputs[0]
            if in_place and inputs[0]._base is not None:
                node = None  # a view gets its own node at the first read of it
            elif node and not in_place:
                row = rows.of_node(node.real.name(), node.arguments.get) or row
            outputs = outputs[: len(row.returns)] if row is not None and row.returns else outputs
            unnamed = row is None or name == "squeeze_.first"
            name = self.called if name == "detach" else name.strip("_") if unnamed else row.name
            like_row = SimpleNamespace(name=name, view=is_view and name != ".data",
                                       formulas=row is None or bool(row.formulas))  # fmt: skip
            self.listener.write(events.Operation, like_row, node, inputs, outputs, in_place)

    def inform(self, kind, *details):
        """Tell the listener of an event of this kind."""
        self.quietly(self.listener.write, kind, *details)

    def report_change(self, name, tensor, *others):
        self.inform(events.Operation, SimpleNamespace(name=name), None, [tensor, *others], [tensor], True)

    def apart(self, args):
        """The arguments; an alias replaces the first one if the call made it, as its shape will change."""
        for place, (*call, result, _) in enumerate(self.calls):
            if result is args[0]:
                alias = self.quietly(result.detach)
                self.calls[place] = *call, alias, grad_fn_of(result)
                return alias, *args[1:]
        return args

    def quietly(self, function, *arguments):
        """Call a function of ours: nobody is told of its operations, and an error in it does not reach the learner."""
        if self.busy:
            return function(*arguments)
        self.busy = True
        try:
            with without_modes(torch) if is_dispatching() else C.DisableTorchFunction():
                return function(*arguments)
        except Exception as error:
            self.fault = self.fault or error
        finally:
            self.busy = False


HERE = dirname(dirname(__file__))  # the microscope
C, is_dispatching = torch._C, torch._C._len_torch_dispatch_stack
OWN_CODE = dirname(torch.autograd.__file__), __file__
PASSES = torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad
ATTRIBUTES = {getattr(torch.Tensor, name).__get__ for name in (
    "shape dtype device layout ndim requires_grad is_leaf grad grad_fn _version _base".split())}  # fmt: skip
# functions that take the numbers of tensors
READING = {*"item tolist numpy tensor as_tensor __array__ __float__ __int__".split()}
HIDDEN = "detach", "alias", "detach_"  # unless the learner's code called them
FOR_THE_NEXT = "scalar_tensor", "new_empty_strided"  # make an argument of the next operation, from a number or empty
# how the names of PyTorch's own housekeeping operations begin
PLUMBING = ("lift", "_local_scalar_dense", "new_", "empty_like", "ones_like", "zeros_like", "full_like", "set_",
            "uniform_", "normal_", "random_")  # fmt: skip


schemas = {}  # id of an operation -> what `of_operation` says of it


def of_operation(operation):
    """``(itself, name, row, whether it changes something, whether it makes a view, names of its arguments)``."""
    about = schemas.get(id(operation))  # a hash of its own takes long
    if about is None or about[0] is not operation:
        schema = operation._schema
        schemas[id(operation)] = about = (
            operation, operation.overloadpacket.__name__, rows.of_operation(operation), schema.is_mutable,
            operation.is_view, [each.name for each in schema.arguments])  # fmt: skip
    return about


def versions_counted():
    """A context in which what an operation changes in place gets a new version.

    It does so without a dispatch mode where autograd has no part, as in operations on lists and on inference tensors.
    """
    excluded = C._dispatch_tls_local_exclude_set().remove(C.DispatchKey.ADInplaceOrView)
    return C._ForceDispatchKeyGuard(C._dispatch_tls_local_include_set(), excluded)


def node_made(row, is_mutable, outputs):
    """The node that an operation made, or None."""
    if is_mutable and outputs:
        if modes_for(outputs[0]) != (True, False) or row is not None and not row.formulas:
            return None  # not recorded: the tensor still has its earlier node
    return next(filter(None, map(grad_fn_of, outputs)), None)


def arguments_of(parameters, args, options, of_formula):
    """The arguments of an operation by name; PyTorch's formulas pass every number as a float."""
    values = dict(zip(parameters, args, strict=False)) | options
    if of_formula:
        values = {name: int(value) if isinstance(value, float) and value.is_integer() else value
                  for name, value in values.items()}  # fmt: skip
    return values


# -- replacements in PyTorch while any thread watches ------------------------------------------------------------------


def replacement(owner, name, make):
    """``(owner, name, ours, own)``: PyTorch has *own* there, and ``make(own)`` is ours."""
    own = vars(owner)[name]
    own = getattr(own, "own", own)  # another thread may have replaced it just now
    ours = make(own)
    ours.own = own
    return owner, name, ours, own


def reporting_apply(own):
    def apply(cls, *inputs, **options):
        run = partial(own.__get__(None, cls), *inputs, **options)
        for watch in watches_of_this_thread():
            run = partial(watch.function, run, cls, inputs)
        return run()

    return classmethod(apply)


def reporting_call(own):
    def call(self, *args, **options):
        if torch.compiler.is_compiling():
            return own(self, *args, **options)
        told = [watch for watch in watches_of_this_thread() if not watch.is_off]
        for watch in told:
            watch.inform(events.Entered, self)
        try:
            return own(self, *args, **options)
        finally:
            for watch in told:
                watch.inform(events.Left, self)

    return call


def reporting_new(own):
    def new(cls, data=None, *args, **options):
        for watch in watches_of_this_thread():
            watch.inform(events.Read, "Parameter", [data])
        return own(cls, data, *args, **options)

    return staticmethod(new)


def reporting_begin(own):
    """Of a label of the profiler, under which an optimizer's step may run."""
    @wraps(own)  # TorchScript reads its text
    def begin(self):
        begun, held = own(self), {}
        if self.name.startswith(STEP):
            held = dict(variables_of(sys._getframe(1)))
        given = held.get("args"), held.get("kwargs")
        if isinstance(held.get("self"), torch.optim.Optimizer) and given == ((held["self"],), {}):
            for watch in watches_of_this_thread():
                if not watch.is_off:
                    watch.step_begins(held["self"])
        return begun

    return begin


def reporting_end(own):
    @wraps(own)
    def end(self, kind, *error):
        try:
            return own(self, kind, *error)
        finally:
            for watch in watches if self.name.startswith(STEP) else ():
                if watch.thread == get_ident():
                    watch.step_ends(self.name.removeprefix(STEP).removesuffix(".step"), kind is not None)

    return end


def showing_the_own_line(own):
    def show(message, category, file, line, *to):
        """Show a warning at the line that called PyTorch, not at ours that ran it."""
        frames = [each for each, _ in walk_stack(sys._getframe(1)) if each.f_code.co_filename != warnings.__file__]
        level = next((place for place, each in enumerate(frames) if line_in(each) == (file, line)), None)
        if level is not None and level < len(frames := without_ours(frames)):
            file, line = line_in(frames[level])
        own(message, category, file, line, *to)

    return show


def line_in(frame):
    return frame.f_code.co_filename, frame.f_lineno


def without_ours(frames):
    """The frames, the innermost first, that there would be without a recording."""
    kept, was_ours, handled = [], False, False
    for frame in frames:
        is_ours = frame.f_code.co_filename.startswith(HERE)
        is_repeated = handled and kept and kept[-1].f_code is frame.f_code  # the call that a function mode was told of
        handled = was_ours and frame.f_code.co_name == "handle_torch_function"
        if not (is_ours or is_repeated or handled):
            kept.append(frame)
        was_ours = is_ours
    return kept


dispatch_modes = torch.utils._python_dispatch._get_current_dispatch_mode_stack
stack_of_modes = torch.overrides._get_current_function_mode_stack  # the latest last
STEP = "Optimizer.step#"  # how the label of the profiler begins under which an optimizer's step runs


class Calls(torch.overrides.TorchFunctionMode):
    """Reports the calls of functions to a watch."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        watch, options = self.watch, kwargs or {}
        if watch is None or function in ATTRIBUTES or function not in PASSES and watch.versions is not None:
            return function(*args, **options)
        if torch.compiler.is_compiling() or watch.is_off:  # in this order: the compiler cannot follow the second
            if watch.is_over:
                self.watch = None  # so that further calls are quick
            return function(*args, **options)
        if function is torch.Tensor.view_as and sys._getframe(1).f_code.co_filename.startswith(OWN_CODE):
            return function(*args)  # PyTorch's own call, as for an input that a Function returns
        return watch.call(function, args, options)


class Operations(torch.utils._python_dispatch.TorchDispatchMode):
    """Reports the operations of a call."""

    def __enter__(self):
        C._push_on_torch_dispatch_stack(self)  # without what PyTorch's own also notes, for its compiler

    def __exit__(self, *error):
        C._pop_torch_dispatch_stack(None)

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # else the first operation would import the whole compiler, for seconds

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        watch, options, about = self.watch, kwargs or {}, of_operation(operation)
        if about[1] == "_local_scalar_dense" and isinstance(args[0], int | float):
            return args[0]  # for a number wrapped in a tensor PyTorch passes the number
        if watch is None or watch.is_off:
            return operation(*args, **options)
        return watch.operate(about, args, options)


def tensors_in(values):
    """The tensors among values, in lists, tuples and dicts too."""
    found = []
    for each in values:
        if kinds[type(each)] == PYTORCHS:
            found.append(each)
        elif isinstance(each, list | tuple | dict):
            found += tensors_in(each.values() if isinstance(each, dict) else each)
    return found
