"""What is known about a tensor that somebody asks about: a recording, living graphs, an error, and lines of code.

A tensor is found by what it is, never by its name.  A :class:`Link` is a place where a gradient cannot go on.
"""

import linecache
import re
from collections import defaultdict
from contextlib import suppress
from functools import cached_property, reduce
from inspect import unwrap

from . import readings
from .cuts import Twins
from .flow import Link, tensors_of
from .labels import NAMELESS, clean, message_of, plain_name, short, tensor_name
from .names import held_in, is_ours, parameters_of, variables_of
from .naming import names_in, scopes_of
from .readings import TooLarge, name_of, nodes_below, place_of, value_of
from .sight import ignores, is_of_one, kinds, nothing_in, op_of, zero_factor
from .statements import NOTHING, binding, first, here, sources, statements

NUMBERED = re.compile(r" #\d+")  # that tells expressions apart
LONGEST = 80  # characters of a line that an answer quotes
MOST_LOOKED = 20_000  # nodes of living graphs that an answer is looked for in


def unregistered(module):
    """What a module has beside its parameters and does not know of: ``[{"path", "attribute", "tensors", …}]``."""
    own, found = {id(each) for _, each in parameters_of(module)}, []
    for prefix, inner in module.named_modules():
        for name, value in vars(inner).items():
            kind = type(value)
            items = [("", value)] if readings.is_tensor(value) else held_in("", value) if kind in KINDS else ()
            pairs = [(place + path, one) for place, each in items for path, one in parameters_of(each) or [("", each)]]
            tensors = [(path, one) for path, one in pairs if is_trainable(one) and id(one) not in own]
            if tensors and not name.startswith("_"):
                of_modules = any(path.rpartition("]")[2] for path, _ in tensors)
                what = f"a plain Python {kind.__name__}" if kind in KINDS else "a plain tensor, no Parameter"
                found.append(
                    {
                        "path": ".".join(filter(None, (prefix, name))),
                        "attribute": name,
                        "tensors": tensors,
                        "owner": type(inner).__name__,
                        "kind": what,
                        "inside": "in " * (kind in KINDS) + what,
                        "remedy": ("Module" if of_modules else "Parameter") + KINDS.get(kind, ""),
                    }
                )
    return found


KINDS = {list: "List", tuple: "List", dict: "Dict"}


def is_trainable(thing):
    return readings.is_tensor(thing) and thing.requires_grad and readings.is_leaf_tensor(thing)


def made_at(node):
    """``(file, line)`` of the learner's code that made a node of PyTorch, where anomaly mode kept that; or None."""
    kept = getattr(node, "metadata", {}).get("traceback_", ())
    frames = [re.search(r'File "(.+)", line (\d+)', each) for each in kept if "site-packages" not in each]
    return next(((found[1], int(found[2])) for found in reversed(frames) if found), None)


def others_of(module):
    """``[(path, tensor)]`` of what a module has besides parameters; of one whose own code fails there, none."""
    with suppress(Exception):
        found = [(f".{path}", each) for path, each in module.named_buffers()]
        found += [(f".{each['path']}{path}", one) for each in unregistered(module) for path, one in each["tensors"]]
        held = [(path, pair) for path, inner in module.named_modules() for pair in vars(inner).items()]
        held = [(f".{path}.{key}".replace("..", "."), each) for path, (key, each) in held]
        held += [pair for key, each in held if type(each) is tuple for pair in held_in(key, each)]
        return found + [pair for pair in held if readings.is_tensor(pair[1])]
    return []


def is_trained(thing):
    """Whether something is a module or an optimizer."""
    return hasattr(type(thing), "named_parameters") or is_optimizer(thing)


def is_optimizer(thing):
    return hasattr(type(thing), "zero_grad") and hasattr(thing, "param_groups")


def params_of(optimizer):
    return [each for group in optimizer.param_groups for each in group["params"]]


class Failure:
    """An error or None, and what the frames that it went through still hold."""

    def __init__(self, error):
        self.message, self.frames, self.roots = message_of(error) if error else "", [], []
        self.inputs = []  # those asked for
        self.stack = []  # of (frame, (file, line)) of the learner's
        self.hook = ""  # the name of the learner's function that a backward pass called
        step, self.file, self.line = getattr(error, "__traceback__", None), None, None
        while step is not None:
            frame = step.tb_frame
            file, held = frame.f_code.co_filename, dict(variables_of(frame))
            if not is_ours(file):
                self.hook = frame.f_code.co_name if self.roots else self.hook
                self.frames.append(frame)
                self.stack.append((frame, (file, step.tb_lineno)))
                self.file, self.line, self.roots = file, step.tb_lineno, []
            elif frame.f_code.co_name in ("backward", "grad") and not self.roots:
                given = held.get("self", held.get("tensors", held.get("outputs"))), held.get("inputs")
                given = [each if isinstance(each, list | tuple) else [each] for each in given]
                self.roots, self.inputs = [[one for one in each if readings.is_tensor(one)] for each in given]
            step = step.tb_next


class Evidence:
    """All that a question may be answered from: the variables of *frame*, a *trace* or None, an *error* or None."""

    def __init__(self, frame, trace=None, error=None):
        self.trace, self.failure = trace, Failure(error)
        self.home = frame.f_code.co_filename
        place = self.home, frame.f_lineno
        self.start = (self.failure.file, self.failure.line) if self.failure.file else place
        self.known, things = {}, []
        for each in frame, *reversed(self.failure.frames):
            self.known = names_in(each) | self.known
            things += [pair for variables in scopes_of(each) for pair in variables]
        held = [pair for name, value in things for pair in held_in(name, value)]
        things = [*reversed(things + [pair for pair in held if is_trained(pair[1])])]
        self.variables = dict(things)
        self.things = [*{id(value): (name, value) for name, value in things}.values()][::-1]
        self.modules = [(name, value) for name, value in self.things if hasattr(type(value), "named_parameters")]
        self.optimizers = [pair for pair in self.things if is_optimizer(pair[1])]
        self.places, self.of_kinds = {}, {}  # what was looked up
        self.looked_into = {}  # id -> (value, the tensors in it)
        self.graphs = {}  # node -> those that its edges lead to
        self.risks = {}  # ids of a result and of those before it -> what may have given NaN on the way between
        others = []
        for name, module in reversed(self.modules):
            for path, each in parameters_of(module):
                self.known.setdefault(id(each), (each, []))[1].insert(0, f"{name}{path}")
            others += [(f"{name}{path}", each) for path, each in others_of(module)]
        for name, each in others + [pair for pair in held if readings.is_tensor(pair[1])]:
            self.known.setdefault(id(each), (each, [name]))

    # -- the error ---------------------------------------------------------------------------------------------------

    @cached_property
    def failed(self):
        """The event that tells of the error that ended the recording, or None."""
        events = self.events("Failed")
        return events[-1] if events and events[-1].index >= len(self.trace) - 2 else None

    @property
    def message(self):
        """What the error says that is to be explained."""
        return self.failed.message if self.failed else "" if self.trace else self.failure.message

    @property
    def failed_at(self):
        return here(self.failed) if self.failed else self.start

    @property
    def failing(self):
        """The tensors from which the pass that failed was to start, as far as they are still there."""
        if self.lacks:
            return []
        if self.failure.roots:
            blamed = "does not require grad" in self.message
            return sorted(self.failure.roots, key=lambda each: blamed and each.requires_grad)
        return [self.living[key] for key in self.roots if key in self.living] if self.failed else []

    @property
    def lacking(self):
        """The tensor whose .grad, None, the line that failed reads, or None."""
        place = self.start if self.failure.file else self.failed_at
        found = self.statements_at(place) if "NoneType" in self.message else ()
        names = [name for each in found for name in each.reads if name.endswith(".grad")]
        tensors = [self.values.get(name.removesuffix(".grad")) for name in names]
        return first(each for each in tensors if readings.is_tensor(each) and readings.grad_of(each) is None)

    @property
    def lacks(self):
        """Whether the line that failed is of no backward pass but reads a .grad that is None."""
        return self.lacking is not None and not self.failure.hook

    # -- code --------------------------------------------------------------------------------------------------------

    def code(self, file):
        """The statements of a file, named as a trace or as Python names it."""
        known = self.trace.lines if self.trace else {}
        numbered = {number: text for (each, number), text in known.items() if each == file}
        lines = linecache.getlines(self.trace.files.get(file, "") if numbered else file)
        if numbered and not lines:
            lines = [numbered.get(number, "") + "\n" for number in range(1, max(numbered) + 1)]
        return statements(file, "".join(lines))

    @cached_property
    def cells(self):
        """``{file: its number}`` of the cells of a notebook."""
        shell = getattr(self.values.get("get_ipython"), "__self__", None)
        return getattr(getattr(shell, "compile", None), "_filename_map", {})

    @cached_property
    def program(self):
        """The statements at hand: of the file of the line in question, after those of the cells that ran before it;
        of a line typed alone those of the file that has the functions in sight."""
        numbers = self.cells
        files = sorted((file for file in numbers if numbers[file] < numbers.get(self.start[0], 0)), key=numbers.get)
        found = [each for file in (*files, self.start[0]) for each in self.code(file)]
        codes = [getattr(getattr(value, "__init__", value), "__code__", None) for _, value in self.things]
        files = [file for file, _ in (self.trace.lines if self.trace else ())]
        files = files or [code.co_filename for code in codes if code and not is_ours(code.co_filename)]
        return found or (self.code(max(files, key=files.count)) if files else found)

    def resolve(self, path, owner=None):
        """What a dotted name stands for among the variables in sight, with *owner* as self, or None."""
        root, *names = path.split(".")
        with suppress(Exception):  # of a learner's own code
            start = owner if root == "self" and owner is not None else self.values.get(root)
            return self.values[path] if path in self.values else reduce(getattr, names, start)
        return None

    def tensors_in(self, value):
        if id(value) not in self.looked_into:
            self.looked_into[id(value)] = value, tensors_of(value)
        return self.looked_into[id(value)][1]

    def returns_of(self, call, statement, owner=None):
        """``(what self is there, parameters, statements)``: where the learner's function that is called returns."""
        value = self.resolve(call.whole, owner)
        value = getattr(value, "forward", value)
        own = getattr(value, "__self__", None)
        parameters, body = self.body_of(value, own is not None)
        if self.trace and value is None and call.on in ("", "self"):  # of the recording, whose variables are gone
            body = [each for each in self.code(statement.file) if each.scope[-1:] == (call.name,)]
        return own, parameters, [each for each in body if each.text.startswith("return")]

    def body_of(self, function, own=0):
        """``(parameters, statements)`` of a learner's function, without its *own* first parameters."""
        code = getattr(unwrap(getattr(function, "__func__", function)), "__code__", None)
        if code is None or is_ours(code.co_filename) or "site-packages" in code.co_filename:
            return (), []
        scope = tuple(code.co_qualname.replace("<locals>.", "").split("."))
        body = [each for each in self.code(code.co_filename) if each.scope[-len(scope) :] == scope]
        return code.co_varnames[own : code.co_argcount + code.co_kwonlyargcount], body

    def statement(self, place):
        if place not in self.places:
            self.places[place] = first(self.statements_at(place) if place else ()) or NOTHING
        return self.places[place]

    @property
    def failed_line(self):
        return self.statement(self.failed_at)

    def calls_of(self, code, *names):
        """Those of some statements that call one of these."""
        return [each for each in code if any(call.name in names for call in each.calls)]

    def calls_near(self, statement):
        """``{name: the last statement}`` of the calls in the same turn of a loop, or in the same function."""
        near = [each for each in self.program if (each.scope, each.loops) == (statement.scope, statement.loops)]
        pairs = [(call, each) for each in near for call in each.calls]
        other = [call for call, _ in pairs if call.name == "step" and not self.may_be_optimizer(call.on)]
        used = {name: each for each in near for name in each.reads if each.changes == "all" and name.endswith(".grad")}
        return used | {call.name: each for call, each in pairs if call not in other}

    def may_be_optimizer(self, name):
        return (value := self.resolve(name)) is None or is_optimizer(value)

    def statements_at(self, place):
        return [each for each in self.code(place[0]) if each.line <= (place[1] or 0) <= each.end]

    def calls_at(self, place):
        """The calls of the statements at a line."""
        return [call for each in self.statements_at(place) for call in each.calls]

    def at(self, place):
        """``"line 3, y = x * 2"``, with the file unless it is the one at hand; of an event or a statement, too."""
        place = here(place) if hasattr(place, "line") else place
        (file, line), statement = place, self.statement(place)
        path = self.trace.files.get(file, file) if self.trace else file
        name = f"In [{self.cells[path]}]" if path in self.cells else clean(path.rpartition("/")[2])
        text = statement.text or self.trace and self.trace.lines.get(place) or ""
        text = clean(text.strip(), LONGEST)
        alone = path == self.home or self.trace and len({each for each, _ in self.trace.lines}) == 1
        return f"{'' if alone else name + ', '}line {statement.line or line}{text and ', '}{text}"

    def bound_at(self, name, scope=""):
        """Where a name is bound, if the code in sight binds it once; *scope*: in a function or class of this name."""
        files = {self.start[0]: True} | dict.fromkeys(file for file, _ in (self.trace.lines if self.trace else ()))
        ends = name, f"self.{name.partition('.')[2]}"
        found = [each for file in files for each in self.code(file) if not {*ends}.isdisjoint(each.binds)]
        found = [each for each in found if not scope or scope in each.scope]
        return found[0] if len({each.text for each in found}) == 1 else None

    def scheduled_at(self, name, groups):
        """Where the rate of an optimizer was given to a scheduler or, if it was not, where it was made."""
        made = self.bound_at(name)
        given = [each for each in self.program for call in each.calls if each.binds and call.first == name]
        return given[0] if len(given) == 1 and any(group.get("initial_lr") for group in groups) else made

    def behind(self, name):
        """The names read on the way to what has a name, or that the line itself computes, as far as the code tells."""
        user = self.statement(self.start)
        names = [name] if name in self.variables or not user else user.reads
        found, waiting = dict.fromkeys(names), [(each, user) for each in names]
        for name, user in waiting:
            for each in sources(self.program, name, user) if user else ():
                waiting += [(read, each) for read in each.reads if read not in found]
                found |= dict.fromkeys(each.reads)
        return found

    @cached_property
    def flags(self):
        """``[(what is frozen or set free, the statement)]``, as far as names tell."""
        flags = [(call.on, each) for each in self.program for call in each.calls if call.name == "requires_grad_"]
        return flags + [(name.rpartition(".")[0], each) for each in self.program for name in each.binds
                        if name.endswith(".requires_grad")]  # fmt: skip

    @property
    def freezing(self):
        """Where the code freezes what it does not set free again in the same file or cell."""
        freed = {(name, each.file) for name, each in self.flags if "False" not in each.text}
        return [each for name, each in self.flags if (name, each.file) not in freed]

    @property
    def frozen_at(self):
        """Where parameters were frozen, if the code in sight does that in one place."""
        return self.freezing[0] if len(self.freezing) == 1 else None

    def made_at(self, name, user):
        """The statement that made what has a name now, an attribute of an object among them, before another one."""
        code, root = self.code(user.file), name.partition("[")[0]
        of_many = root != name and isinstance(self.values.get(root), tuple | list)
        fed = of_many and first(each for each in code if root in each.feeds)
        made = fed or binding(code, root if of_many else name, user)
        if not made and "." in root:
            found = [each for each in code if f"self.{root.rpartition('.')[2]}" in each.binds]
            found = [each for each in found if each.scope[-1:] != ("__init__",)] or found
            made = found[0] if len(found) == 1 else None
        return made or NOTHING

    def line_of(self, tensor):
        """The statement that made a result in sight, as far as the code tells, or None."""
        return self.within(self.named_at(tensor))

    def named_at(self, tensor):
        """The statement that gave a result in sight its name, as far as the code tells, or None."""
        name = self.called(tensor)
        return name and (self.asking and self.made_at(name, self.asking) or self.bound_at(name))

    def within(self, made):
        """A statement itself or, where it calls a function of the learner's that returns in one place, what is made
        there."""
        for _ in range(3):
            call = getattr(made, "is_call", False) and made.calls[0]
            ends = self.returns_of(call, made)[2] if call else ()
            if len(ends) != 1 or len(ends[0].returns) != 1:
                break
            made = binding(self.code(ends[0].file), ends[0].returns[0], ends[0]) or ends[0]
        return made

    @property
    def asking(self):
        """The statement in question, or one after all others where there is none."""
        code = self.program
        return self.statement(self.start) or (code[-1]._replace(line=code[-1].end + 1, scope=()) if code else None)

    @cached_property
    def results(self):
        """``[(tensor, {node: nodes above it}, whether a pass freed any)]`` of the results in sight, latest first."""
        found = []
        for tensor, _ in reversed(self.known.values()):
            if not readings.is_leaf_tensor(tensor):
                above = defaultdict(list)
                for node in self.below(tensor):
                    for below, _ in readings.edges_of(node):
                        above[below].append(node)
                found.append((tensor, above, any(map(was_freed, self.below(tensor)))))
        return found

    def leaves_behind(self, tensor):
        """The leaves that a result was computed from."""
        return [node.variable for node in self.below(tensor) if readings.is_leaf(node)]

    @cached_property
    def grads(self):
        return [readings.grad_of(tensor) for tensor, _ in self.known.values()]

    @cached_property
    def bad_data(self):
        """A tensor in sight that needs no gradient and has NaN or inf, as facts of a row; or None."""
        grads = {*map(id, self.grads)}
        plain = [pair for pair in self.known.values() if place_of(pair[0])[0] is None and id(pair[0]) not in grads]
        return first({"source": names[0], "made": kind} for each, names in plain if (kind := kinds(value_of(each))))

    @cached_property
    def stops(self):
        """``{node: facts}`` of the nodes in sight that let nothing through, as far as what is still there tells."""
        found, made = {}, {place_of(each)[0]: each for each, *_ in self.results}
        whole = [each for each, _ in self.known.values() if not each.dtype.is_floating_point]
        for node in self.below(*made.values()) if self.trace is None else {}:
            facts = {"node": name_of(node), "row": op_of(node), "when": "", "both": "", "since": ""}
            if is_of_one(node) or op_of(node) == "nll_loss" and any(ignores(node, each) for each in whole):
                found[node] = facts | {"when": "single"}
            elif (factor := zero_factor(node)) is not None:
                found[node] = facts | {"leaf": factor[0], "factors": factor[1], "zero": self.called(factor[0].variable)}
            elif op_of(node) in ("round", "sign", "floor", "ceil", "trunc"):
                found[node] = facts
            elif op_of(node) in ("relu", "relu6", "clamp_min") and nothing_in(value_of(made.get(node))):
                found[node] = facts | {"given": f"as {self.called(made[node])} is 0 everywhere"}
        return found

    @cached_property
    def own_functions(self):
        """``[(nodes that its edges lead to, name, where its backward returns)]`` of the learner's own in sight."""
        nodes = self.below(*(each for each, *_ in self.results)) if self.trace is None else ()
        nodes = [(node, name_of(node).removesuffix("Backward")) for node in nodes if readings.row_of(node) is None]
        found = [([each for each, _ in readings.edges_of(node)], name, self.function_of(name)) for node, name in nodes]
        return [each for each in found if each[2] and each[2].text.startswith("return ")]

    @cached_property
    def owned(self):
        """The ids of the parameters of the modules in sight."""
        return {id(each) for _, module in self.modules for _, each in parameters_of(module)}

    @cached_property
    def trained(self):
        """The ids of the parameters in sight that are to be trained."""
        groups = [params_of(optimizer) for _, optimizer in self.optimizers]
        groups += [[each for _, each in parameters_of(module)] for _, module in self.modules]
        return {id(each) for group in groups for each in group if each.requires_grad}

    @cached_property
    def some_grad(self):
        """Whether a parameter in sight has a gradient, so that a pass was run and not cleared since."""
        return any(each in self.known and readings.grad_of(self.known[each][0]) is not None for each in self.trained)

    @cached_property
    def aged(self):
        """``[(result, its NaN or inf or None)]`` of the results in sight, the earliest first."""
        results = sorted((each for each, *_ in self.results), key=lambda each: place_of(each)[0].sequence)
        return [(each, kinds(value_of(each))) for each in results]

    @cached_property
    def possible_roots(self):
        """The tensors in sight from which a pass may have started."""
        return [each for each, _ in self.known.values() if may_be_root(each)]

    @cached_property
    def twins(self):
        return Twins(self.known)

    @cached_property
    def cuts(self):
        """``[(tensor, cuts behind it)]`` of those in sight, the latest first; of too large a graph none is told."""
        found = []
        for tensor, _ in reversed(self.known.values()):
            with suppress(TooLarge):
                found.append((tensor, self.twins.with_cuts([tensor], [place_of(tensor)[0]])[1]))
        return [each for each in found if each[1]]

    # -- names -------------------------------------------------------------------------------------------------------

    def below(self, *tensors):
        """The nodes of the graphs of tensors; TooLarge when so far more than MOST_LOOKED were asked for."""
        graphs = []
        for node in {place_of(each)[0]: True for each in tensors}:
            if node not in self.graphs:
                left = MOST_LOOKED - sum(map(len, self.graphs.values()))
                self.graphs[node] = dict.fromkeys(nodes_below([node], left))
            graphs.append(self.graphs[node])
        return graphs[0] if len(graphs) == 1 else {node: None for graph in graphs for node in graph}

    def called(self, thing):
        """What to call a tensor, a module or an optimizer; None for one that is not in sight."""
        if id(thing) in self.known:
            return self.known[id(thing)][1][0]
        if readings.is_tensor(thing):
            key = self.key_of(thing)
            return self.title(key) if key else None
        inner = ((f"{name}.{path}", each) for name, module in self.modules for path, each in module.named_modules())
        return first(name for name, each in (*self.things, *inner) if each is thing)

    def title(self, key):
        """What to call a tensor of the trace: as the caller does now, if it is still there, else as it was called."""
        base = self.base_of(key)
        label = self.trace.labels.get(key, "")
        of_base = base != key and self.name_of(base)
        name = label if label and "#" not in label and id(self.living.get(key)) not in self.known else self.name_of(key)
        return name or (f"a view of {of_base}" if of_base else NUMBERED.sub("", tensor_name(self.trace, key)))

    def name_of(self, key):
        """The name of a tensor of the trace in the code, or ""."""
        living = self.living.get(key)
        return self.known[id(living)][1][0] if id(living) in self.known else self.trace.tensors[key].name

    def base_of(self, key):
        """The key of the nearest tensor with a name that this one is a view of, or its own key."""
        start = key
        while key and not self.name_of(key):
            event = self.made_by(key)
            key = event.inputs[0] if event and event.kind == "Operation" and event.view and event.inputs else None
        return key or start

    def key_of(self, tensor):
        return None if self.trace is None else self.trace.key_of(tensor)

    @cached_property
    def living(self):
        found = {} if self.trace is None else {key: reference() for key, reference in self.trace.living.values()}
        return {key: tensor for key, tensor in found.items() if tensor is not None}

    # -- the trace ---------------------------------------------------------------------------------------------------

    def events(self, *kinds):
        if kinds not in self.of_kinds:
            self.of_kinds[kinds] = [event for event in self.trace or () if event.kind in kinds]
        return self.of_kinds[kinds]

    @property
    def started(self):
        """The event with which the last backward pass began, or None."""
        return first(reversed(self.events("Started")))

    @property
    def since_start(self):
        return self.trace[self.started.index :] if self.started else ()

    @cached_property
    def made(self):
        """``{key: the events that made a tensor what it is}``."""
        found = {}
        for event in self.events("Operation", "Changed"):
            for key in event.outputs if event.kind == "Operation" else (event.tensor,):
                if event.kind == "Operation" and event.node:  # of a Function, not what ran inside it
                    found[key] = []
                found.setdefault(key, []).append(event)
        return found

    def made_by(self, key, before=None):
        """The event that made a tensor, or that made it what it was before another one; or None."""
        events = self.made.get(key, ())
        return first(events if before is None else (each for each in reversed(events) if each.index < before))

    def value_before(self, key, index):
        """The value that a tensor had before an event."""
        for event in reversed(self.events("Changed")):
            found = dict(event.others) | {event.tensor: event.value}
            if event.index < index and key in found:
                return found[key]
        return self.trace.tensors[key].value

    def given_to(self, event):
        pairs = [(self.title(each), self.value_before(each, event.index)) for each in event.inputs]
        return " and ".join(f"{title} = {short(value)}" for title, value in pairs)

    def maker(self, key):
        """The operation that made a tensor, or what it is a view of; or None."""
        event = self.made_by(key)
        while event is not None and event.kind == "Operation" and event.view and event.inputs:
            event = self.made_by(event.inputs[0])
        return event

    def calling(self, event, *names):
        """The first event from this one on whose statement calls one of these; or None."""
        events = self.trace[event.index :] if event else ()
        places = {place for place in {*map(here, events)} if {each.name for each in self.calls_at(place)} & {*names}}
        return first(each for each in events if here(each) in places)

    def function_of(self, name):
        """Where the backward of a Function returns, or ends without that, if its class is in sight."""
        _, found = self.body_of(getattr(self.values.get(name), "backward", None))
        ends = [each for each in found if each.text.startswith("return")] or [*found[-1:]]
        return ends[0] if len(ends) == 1 else None

    @cached_property
    def of_node(self):
        """``{node: the operation that made it}``."""
        return {event.node: event for event in self.events("Operation", "Changed") if event.node}

    @cached_property
    def roots(self):
        """The keys of the tensors from which the last backward pass of the trace started, or was to start."""
        failed, started = first(reversed(self.events("Failed"))), self.started
        if failed and failed.pass_number is None and (not started or failed.index > started.index):
            keys = [self.key_of(each) for each in self.failure.roots]
            for call in self.calls_at(here(failed)) if not any(keys) else ():
                if call.name in ("backward", "grad"):
                    keys += [self.key_of(each) for name in call.of for each in tensors_of(self.values.get(name))[-1:]]
            return [key for key in keys if key]
        return self.starts(self.events("Started")[-1:])

    def starts(self, passes):
        keys = [self.trace.tensor_at(root) for started in passes for root in started.roots]
        return [key for key in keys if key]

    @cached_property
    def all_roots(self):
        """Those of the last pass, and of all others."""
        return self.roots + self.starts(self.events("Started"))

    def upstream(self, keys):
        """These tensors and all that they were computed from, as far as operations tell."""
        seen, waiting = {}, list(keys)
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen[key] = True
                waiting += [each for event in self.made.get(key, ()) for each in event.inputs]
        return seen

    def downstream(self, key):
        """What a gradient could come back from to a tensor."""
        seen = {key}
        for event in self.events("Operation", "Changed"):
            if event.node and not seen.isdisjoint(event.inputs):
                seen.update(event.outputs if event.kind == "Operation" else (event.tensor,))
        return seen

    def differentiable(self, key):
        return self.trace.tensors[key].requires_grad

    @cached_property
    def root_links(self):
        return self.links_of(self.all_roots)

    def links_of(self, keys):
        """``{(key of the source, target): Link}`` for the ways back from tensors of the trace, the nearest first."""
        found, seen = {}, {}
        for key in (waiting := list(keys)):
            if key in seen:
                continue
            seen[key] = True
            events = self.made.get(key, ())
            for event in events:
                waiting += event.inputs
                place = here(event)
                for each in event.inputs:
                    cut = getattr(event, "cut", None)
                    if self.differentiable(each) and (cut or not self.differentiable(key)):
                        ops = {cut or plain_name(event.name)}
                        called = {call.name for call in self.calls_at(place)}
                        ops |= {"sample"} & called if ops & {"no_grad", "multinomial", "bernoulli"} else set()
                        source = self.name_of(self.base_of(each)) or self.title(each)
                        source = "" if "…" in source or source == NAMELESS else source
                        found[each, key] = Link(source, self.title(key), ops, place)
        return found

    # -- what lives --------------------------------------------------------------------------------------------------

    @cached_property
    def values(self):
        """``{name: value}`` of the variables in sight, and of the tensors in them."""
        return self.variables | {
            name: tensor for tensor, names in reversed(self.known.values()) for name in names
        }


def was_freed(node):
    return not readings.is_leaf(node) and readings.is_freed(node)


def may_be_root(tensor):
    """Whether a pass may have started from a tensor: a result, or a leaf with the gradient that a pass starts with."""
    grad = value_of(readings.grad_of(tensor)) if readings.is_leaf_tensor(tensor) else None
    return not readings.is_leaf_tensor(tensor) or bool(grad and grad.is_whole and grad.shape == () and grad.array == 1)
