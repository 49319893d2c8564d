"""Listens to the engine and writes down all that happens, under the names that the learner gave.

An operation runs before Python binds the name of its result.  So the recorder looks names up by identity in the running
frame of the learner's code whenever another line of it leads to an event, and once more at the end.
"""

import weakref
from contextvars import ContextVar
from threading import get_ident

from ..engine.modes import add_listener, remove_listener, state, warn
from ..torch_api.contents import load_module
from . import events, readings
from .events import MOST_EVENTS, TensorRecord
from .labels import clean, message_of
from .names import hook_name, is_ours
from .presence import TENSORS, kinds, loaded, unseen
from .readings import place_at, place_of, readers, value_of
from .register import Register

recordings = ContextVar("recordings", default=())  # that are under way, for each task of asyncio


class Recorder(Register):
    """Listens to code called from *frame* between ``begin()`` and ``finish()``; ``records()`` gives a trace's parts.

    ``events`` holds what the learner's code computes, at the place where that runs.
    """

    def __init__(self, frame, limit=MOST_EVENTS):
        super().__init__(frame)
        self.events, self.limit, self.is_full, self.thread = [], limit, False, get_ident()
        # for each backward pass under way its number, and where in the learner's code it began; first for no pass
        self.passes, self.pass_count = [(None, None)], 0
        self.running = [None]  # keys of the nodes that are running; the first stands for no node
        self.used = ()  # what the latest of them read
        self.calls = []  # of modules: [path, how many events came before the call, and before its end]
        self.under_way = []  # the calls that are not over, with the ids of their modules
        self.turns = []  # of loops around backward passes: how many events came before, and where the loop goes on
        self.loop = {}  # id of a frame that led to the last pass -> its code and place, whether it was the innermost
        self.stopped = None  # id of the last error that became an event
        self.pytorch = self.fault = None  # the watch, and what failed in it
        if loaded() is not None:
            try:
                self.pytorch = load_module("microscope.pytorch.forward").Watch(self)
            except Exception as error:  # another version of PyTorch
                self.fault = error

    def add(self, cls, *details, where=None):
        where = where or self.passes[-1][1] or self.names.now()
        if self.loop and len(self.passes) == 1:
            self.see_turn()
        if not self.is_full:
            self.events.append(tuple.__new__(cls, (len(self.events), *where, *details)))
            if len(self.events) >= self.limit:
                self.end()

    def see_turn(self, is_pass=False):
        """Note where a loop around the last pass begins another turn: a frame that led to the pass went back."""
        frames = self.names.frames()
        for depth, frame in enumerate(frames, 1):
            code, place, is_innermost = self.loop.get(id(frame), (None, 0, False))
            if code is frame.f_code:
                if frame.f_lasti < place or frame.f_lasti == place and (is_pass or not is_innermost):
                    self.turns.append((len(self.events), (len(frames) - depth, frame.f_lasti)))
                    self.loop = {}
                break

    def end(self):
        """Stop listening: the recording has become too long."""
        self.events.append(events.Ended(len(self.events), None, ""))
        self.is_full = True
        remove_listener(self)

    def on_Operation(self, row, node, inputs, outputs, in_place):
        where = self.names.now()
        context = self.passes[-1][0], self.running[-1]
        if node is None and self.names.engine_called and context[0] and not context[1]:
            return  # the pass itself adds up gradients
        name = getattr(row, "name", None) or row.__name__
        inputs = [each for each in inputs if kinds[type(each)] in TENSORS]
        outputs = [each for each in outputs if kinds[type(each)] in TENSORS]
        keys = tuple(map(self.tensor, inputs))
        made = self.node(node)
        is_users = made is not None and self.node_records[made].row is None
        if in_place:
            (tensor,) = outputs
            key, value = self.tensor(tensor), value_of(tensor)
            self.share(tensor, weakref.ref(tensor))
            if made is not None:
                self.update_place(tensor)
                self.at_nodes.setdefault(made, []).append(weakref.ref(tensor))
            owner = self.owner(tensor)
            if owner is not None:
                self.grads[owner] = self.grads[owner][0], value
            zero = owner is not None and value.is_zero
            if not zero:
                others, version = self.sharers(tensor), readings.version_of(tensor)
                self.add(events.Changed, name, made, key, keys, value, others, version, *context, where=where)
            if owner is not None:
                self.add(events.Zeroed if zero else events.GradSet, owner, value, where=where)
            return
        view = bool(getattr(row, "view", False)) or name == "detach"
        values = tuple(map(value_of, outputs))
        results = tuple([self.tensor(each, value, not view) for each, value in zip(outputs, values, strict=True)])
        for each in outputs if is_users else ():  # they were made inside it
            self.update_place(each)
        if view:
            for each in inputs[:1]:  # nothing shared its storage until now
                self.share(each, weakref.ref(each))
        cut = self.cut(row, name, node, inputs, outputs)
        if is_users and context[0] is None:
            self.mark_inside(made, keys, results)
        self.add(events.Operation, name, made, keys, results, values, view, cut, *context, where=where)

    def mark_inside(self, node, inputs, outputs):
        """Mark operations inside a user's Function, whose node is made when its forward returns: no graph is cut."""
        wanted = {*outputs} - {*inputs}
        for place in range(len(self.events) - 1, -1, -1):
            event = self.events[place]
            if event.kind == "Read":
                continue
            if not event.computes or event.node is not None:
                break
            cut = {"cut": None} if event.kind == "Operation" else {}
            if wanted.intersection(event.outputs):
                self.events[place] = event._replace(within=node, **cut)
                wanted |= {*event.inputs} - {*inputs}

    def cut(self, row, name, node, inputs, outputs):
        """The reason why an operation stops a gradient that could pass through it, else None."""
        if node is not None or all(place_of(each, False)[0] is None for each in inputs):
            return None
        if name == "detach":
            return name
        able = getattr(row, "formulas", True) and any(each.dtype.is_floating_point for each in outputs)
        enabled, inference = readings.modes_for(outputs[0])
        return None if not able or enabled else "inference_mode" if inference else "no_grad"

    def is_elsewhere(self):
        """Whether the running code belongs neither to the recording's asyncio task nor to one that this task began."""
        known = recordings.get() if state.caller is None else state.caller.get(recordings, ())
        return self not in known and get_ident() == self.thread

    def __call__(self, event):
        """Write down an event of the engine, or of PyTorch under observation."""
        if self in (recordings.get() if state.caller is None else state.caller.get(recordings, ())):
            self.write(type(event), *event)

    def write(self, kind, *details):
        """The same for one of this thread and task."""
        if self.is_full:
            return
        if handler := getattr(self, f"on_{kind.__name__}", None):
            handler(*details)

    def on_Entered(self, module):
        self.under_way.append((id(module), [self.names.path_of(module), len(self.events), None]))
        self.calls.append(self.under_way[-1][1])

    def on_Left(self, module):
        self.names.leave()
        under_way = [each for each, _ in self.under_way]
        while id(module) in under_way:
            self.under_way.pop()[1][2] = len(self.events)
            if under_way.pop() == id(module):
                break

    def meet(self, tensor):
        """Name a tensor of which nothing is known yet after the parameter that it is of the module that is called."""
        if self.under_way and readings.is_leaf_tensor(tensor):
            self.names.note_own(self.under_way[-1][0], tensor)

    def on_Unseen(self):
        if not any(event.kind == "Unseen" for event in self.events):
            self.add(events.Unseen)

    def on_Read(self, name, tensors):
        """Numbers were taken of tensors; those that are in a graph or took part are told, but no whole numbers."""
        known = [each for each in tensors if readings.is_tensor(each) and each.dtype.is_floating_point
                 and (each.requires_grad or self.key_of(each))]  # fmt: skip
        if known:
            where, shown = self.names.now(), self.names.code.shown
            lines = tuple((shown(frame.f_code.co_filename), frame.f_lineno) for frame in self.names.frames())
            self.add(events.Read, name, tuple(map(self.tensor, known)), lines, where=where)

    def on_Assigned(self, tensor):
        """See whether code took away or replaced the .grad of a leaf."""
        key = self.key_of(tensor)
        if key in self.grads:
            (known, seen), grad = self.grads[key], readings.grad_of(tensor, False)
            if grad is not known() or grad is None is not seen:
                value = value_of(grad)
                self.watch(key, grad, value)
                self.add(events.Zeroed if value is None else events.GradSet, key, value, where=self.names.now())

    def begin(self):
        """Start listening; ``leave()`` undoes any part of this."""
        recordings.set((*recordings.get(), self))
        add_listener(self)
        if self.pytorch is not None:
            self.pytorch.begin()

    def on_Started(self, starts, retain_graph, create_graph):
        where = self.names.now()
        self.pass_count += 1
        if len(self.passes) == 1:
            self.see_turn(is_pass=True)
            frames = enumerate(self.names.frames())
            self.loop = {id(frame): (frame.f_code, frame.f_lasti, not depth) for depth, frame in frames}
        self.passes.append((self.pass_count, where))
        roots = tuple((self.node(node), number) for node, number in (place_at(edge) for edge, _ in starts))
        for reference, _ in list(self.names.living.values()):
            tensor = reference()  # perhaps of a graph made before the recording
            if tensor is not None and self.key_of(tensor) is None:
                read = readers[type(tensor)]
                node, _ = read.place_of(tensor, False)
                if node is not None and read.identity(node) in self.nodes:
                    self.tensor(tensor)
        self.add(events.Started, self.pass_count, roots, tuple(value_of(grad) for _, grad in starts),
                 bool(retain_graph), bool(create_graph), where=where)  # fmt: skip

    def on_Finished(self):
        if self.passes[1:]:
            self.add(events.Finished, self.passes[-1][0])
            self.passes.pop()

    def on_Running(self, node, grads):
        read = readers[type(node)]
        if read.is_leaf(node):
            return
        key = self.node(node)
        self.running.append(key)
        used = []
        for saved in read.saved_of(node):
            if saved.values is None and not saved.packed:
                continue
            tensor = None if saved.tensor is None else self.tensor(saved.tensor)
            if saved.is_modified:
                self.add(events.FoundModified, key, saved.name, tensor, saved.version, saved.expected)
            else:
                value = value_of(saved.values)
                self.add(events.Used, key, saved.name, tensor, value, saved.version)
                used.append((saved.name, value, tensor))
        self.used = tuple(used)

    def on_Ran(self, node, grads, results):
        self.names.leave()  # the backward of a Function, or a hook that unpacked what the node had saved
        if readers[type(node)].is_leaf(node):
            return
        self.running[1:] = self.running[1:-1]
        self.add(events.Ran, self.node(node), tuple(map(value_of, grads)), tuple(map(value_of, results)), self.used)

    def on_Ready(self, node):
        self.add(events.Ready, self.node(node))

    def on_Freed(self, node):
        self.add(events.Freed, self.node(node))

    def on_Retained(self, node, tensor, grad):
        self.add(events.Retained, self.node(node), self.tensor(tensor), value_of(grad))

    def on_Captured(self, node, number, grad):
        self.add(events.Captured, self.node(node), number, value_of(grad))

    def on_Failed(self, node, error):
        key = self.node(node)
        if self.running[-1] == key:
            self.running[1:] = self.running[1:-1]
        self.fail(key, error, self.passes[-1][0])

    def fail(self, node, error, pass_number, where=None):
        self.stopped = id(error)
        self.add(events.Failed, node, clean(type(error).__name__), message_of(error), pass_number, where=where)

    def on_Stopped(self, error):
        (number, where), self.passes[1:] = self.passes[-1], self.passes[1:-1]
        if self.stopped != id(error):
            self.fail(None, error, number, where)

    def on_Hooked(self, node, number, hook, before, after):
        self.on_NodeHooked(node, "tensor", hook, (before,), (after,), number)

    def on_NodeHooked(self, node, stage, hook, before, after, first=0):
        self.names.leave()
        pairs = zip(before, before if after is None else after, strict=True)
        pairs = [(number, value_of(old), None if new is old else value_of(new))
                 for number, (old, new) in enumerate(pairs, first)]  # fmt: skip
        changed = [pair for pair in pairs if pair[2] is not None]
        for number, old, new in changed or pairs[:1] or [(0, None, None)]:
            self.add(events.Hooked, self.node(node), number, stage, hook_name(hook), old, new)

    def on_Summed(self, edge, added, total):
        node, number = place_at(edge)
        self.add(events.Summed, self.node(node), number, value_of(added), value_of(total))

    def on_Accumulated(self, leaf, grad, total):
        node, tensor = self.node(leaf), leaf.variable
        key = self.tensor(tensor)
        before, total = self.grads.get(key, (None, None))[1], value_of(total)
        self.watch(key, tensor.grad, total)
        self.grad_of[self.key_of(tensor.grad)] = key
        self.add(events.Accumulated, node, key, value_of(grad), before, total)

    def leave(self):
        """Stop listening to the engine and to PyTorch."""
        try:
            self.stop()
        except BaseException:  # an interrupt
            self.stop()
            raise
        self.pytorch = None  # it refers back to this object; without the circle both are freed at once

    def stop(self):
        recordings.set(tuple(each for each in recordings.get() if each is not self))
        remove_listener(self)
        if self.pytorch is not None:
            self.pytorch.end()
            self.fault = self.pytorch.fault

    def complain(self):
        """Warn if PyTorch could not be watched to the end, which did not disturb the learner's program."""
        if self.fault is not None:
            error = f"{type(self.fault).__name__}: {message_of(self.fault)}"
            warn(f"not all that PyTorch {loaded().__version__} did was recorded, for reading it failed ({error})",
                 RuntimeWarning)  # fmt: skip

    def finish(self, error=None):
        self.leave()
        if error is not None and id(error) != self.stopped:
            self.fail(None, error, None, self.place_of(error))
        self.names.finish()

    def place_of(self, error):
        """``(line, file)`` of the learner's code that an error came from."""
        place, step = self.names.last(), error.__traceback__
        while step is not None:
            file = step.tb_frame.f_code.co_filename
            if not is_ours(file):
                line = step.tb_lineno or step.tb_frame.f_code.co_firstlineno  # an interrupt may come before any line
                place = line, self.names.code.keep(step.tb_frame, line)
            step = step.tb_next
        return place

    def records(self):
        """``(events, tensors, nodes, lines, classes, calls, turns)``: the parts of a trace."""
        with unseen():
            for _, reference in list(self.tensors.values()):
                if (tensor := reference()) is not None:
                    self.update_place(tensor)  # as it is at the end
        tensors = {key: tuple.__new__(TensorRecord, (key, self.names_of(key), *record[2:]))
                   for key, record in self.tensor_records.items()}  # fmt: skip
        end = len(self.events)
        calls = [(path, start, end if stop is None else stop) for path, start, stop in self.calls]
        calls = tuple(call for call in calls if call[1] < call[2])
        return self.events, tensors, self.node_records, self.names.code.lines, self.names.classes, calls, self.turns
