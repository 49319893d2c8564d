"""What a tensor was computed from, as far as the learner's code and values in sight tell, and where that was cut."""

from typing import NamedTuple

from . import readings
from .names import held_in, parameters_of
from .readings import place_of
from .statements import here, sources

# calls in whose results the numbers go on without the graph
LEAVING = {*(
    "item tolist numpy float int bool tensor as_tensor Variable from_numpy array asarray Parameter Tensor FloatTensor "
    "deepcopy grad .data .data="
).split()}  # fmt: skip
# those that end the graph whatever they are given, and those whose second result does
ENDING = LEAVING.union(
    "argmax argmin argsort searchsorted bucketize comparison gt ge lt le eq ne one_hot bincount multinomial histc "
    "nonzero long detach logical_and logical_or logical_not checkpoint sample".split()
)
MOST_SEEN = 200  # places in the code that one way back is looked for in
CHOOSING = "max", "min", "sort", "topk", "median", "mode"


class Link(NamedTuple):
    source: str  # the name of what requires grad
    target: str  # of what was computed from it and does not
    ops: set  # the operations or calls that may have cut it
    place: tuple  # (file, line)


def tensors_of(value):
    """A tensor itself, those of a module, or those and the modules in a short list, tuple, dict or in an object."""
    inside = [("", value)] if readings.is_tensor(value) else parameters_of(value) or held_in("", value)
    inside += [pair for _, each in inside for pair in parameters_of(each) if not readings.is_tensor(each)]
    return [each for _, each in inside if readings.is_tensor(each)]


def ways_of_all(name, value, statement):
    """The calls of a statement that take the numbers of all that a list holds, or draw from a distribution."""
    called, parts = {call.name for call in statement.calls}, (f"{name}.", f"{name}[")
    return {
        call.name
        for call in statement.calls
        if (call.name == "sample" and call.on == name and hasattr(type(value), "rsample"))
        or (call.name in LEAVING and name in call.of and "len" not in called)
        and not any(each.startswith(parts) for each in call.of)
    }


class Flow:
    """The ways back through the learner's code: where each is cut, and whether one stays open.

    *target*: the tensor that a gradient is to come back to; None for anything that requires grad.
    """

    def __init__(self, evidence, target=None):
        self.evidence, self.target, self.seen = evidence, target, {}
        self.node = None if target is None else place_of(target)[0]

    def carries(self, value):
        """Whether a gradient that comes back to a value goes on to the target."""
        tensors = self.evidence.tensors_in(value)
        if self.target is None:
            return any(place_of(each)[0] is not None for each in tensors)
        if any(each is self.target for each in tensors):
            return True
        return any(self.node in self.evidence.below(each) for each in tensors if not readings.is_leaf_tensor(each))

    def links(self, tensor):
        """``[Link]`` on the way back from a tensor, the nearest first, those last that are not sure."""
        evidence, found, unsure, seen = self.evidence, [], [], []
        code = evidence.program
        user = evidence.statement(evidence.start) or (code and code[-1]._replace(line=code[-1].end + 1, scope=()))
        waiting = [(name, user) for name in evidence.known.get(id(tensor), (None, ()))[1] if user]
        if not waiting and evidence.calls_of([user] if user else [], "backward"):  # the line itself computes it
            inner, is_open = self.through(user, "")
            return [] if is_open else inner
        for name, user in waiting:
            for statement in sources(code, name, user):
                if (name, statement) in seen:
                    continue
                seen.append((name, statement))
                made = evidence.values.get(name)
                goes_on = self.carries(made) and not (made is tensor and readings.is_leaf_tensor(tensor))
                self.seen.clear()
                inner, is_open = ([], True) if goes_on else self.through(statement, name)
                found += [] if is_open else inner
                for read in statement.reads:
                    value = evidence.values.get(read)
                    ways = {call.name for call in statement.calls if read in call.of} | set(statement.around)
                    holds = not (readings.is_tensor(value) or parameters_of(value))
                    ways = ways_of_all(read, value, statement) if holds else ways
                    if value is not tensor and self.carries(value):
                        link = Link(self.written(read, statement), name, ways, here(statement))
                        unsure += [link] if holds and not ways and not goes_on else []
                        found += [link] if (ways or not holds) and is_open and not goes_on else []
                    elif not callable(value):
                        waiting.append((read, statement))
                if "no_grad" in statement.around and f"{name}.grad" in statement.reads and not goes_on:
                    found.append(Link(name, name, {"no_grad"}, here(statement)))
                for call in statement.calls:
                    if call.name == "checkpoint" and not call.has("use_reentrant=False"):
                        found.append(Link("", name, {"checkpoint"}, here(statement)))
        return found + unsure

    def links_in_code(self):
        """The links on all ways back from what the code calls backward() on, or none if one of these is open."""
        found = []
        for statement in self.evidence.calls_of(self.evidence.program, "backward"):
            for call in statement.calls:
                links, is_open = self.back(call.on, statement, (None, {})) if call.name == "backward" else ([], False)
                if is_open:
                    return []
                found += links
        return found

    def written(self, name, statement, scope=(None, {})):
        """How a link writes its source: of a list all that is in it, of a module what it gives."""
        if name in {".".join(filter(None, (call.on, call.name))) for call in statement.calls}:
            return f"{name}(…)"
        return f"*{name}" if isinstance(self.evidence.resolve(name, scope[0]), list | tuple) else name

    def through(self, statement, target, scope=(None, {})):
        """``(links, whether a way is open)`` through what a statement computes; *scope*: what self is there, and
        ``{parameter: whether a gradient may come back to what it was given}``."""
        links, is_open = [], False
        blocked = {"no_grad", "inference_mode"}.intersection(statement.around)
        opened = [(call, *self.evidence.returns_of(call, statement, scope[0])) for call in statement.calls]
        opened = [each for each in opened if each[-1]]
        inner = {name for call, *_ in opened for name in call.of}
        ways_back = [(name, self.back(name, statement, scope)) for name in statement.reads if name not in inner]
        for call, owner, parameters, ends in opened:
            given = {}
            for place, (keyword, _, names) in enumerate(call.arguments):
                key = keyword or (parameters[place] if place < len(parameters) else None)
                given[key] = any([self.back(name, statement, scope)[1] for name in names])
            ways_back += [(f"{call.name}(…)", self.through(end, f"{call.name}(…)", (owner, given))) for end in ends]
        for name, (cuts, passes) in ways_back:
            ways = blocked or ends_of(name, statement, target)
            source = "" if ways == {"checkpoint"} else self.written(name, statement, scope)
            links += cuts + [Link(source, target, ways, here(statement))] * bool(ways and passes)
            is_open = is_open or passes and not ways
        return links, is_open

    def back(self, name, before, scope):
        """The ways back from what has a name where a statement stands."""
        owner, given = scope
        outermost = scope == (None, {})
        code = self.evidence.program if outermost else self.evidence.code(before.file)
        found = [each for each in sources(code, name, before) if name not in given or each.scope == before.scope]
        known = outermost or name.startswith("self.") or found and not any(each.scope for each in found)
        unknown = name.startswith("self.") and owner is None and not outermost
        if unknown or len(self.seen) > MOST_SEEN or known and self.carries(self.evidence.resolve(name, owner)):
            return [], True
        links, is_open = [], False
        for statement in found:
            key = name, statement, id(owner), frozenset(given.items())
            if key not in self.seen:
                self.seen[key] = [], False
                self.seen[key] = self.through(statement, name, scope)
            cuts, passes = self.seen[key]
            links, is_open = links + cuts, is_open or passes
        if not found:
            is_open = given[name] if name in given else not known and self.carries(self.evidence.resolve(name))
        return links, is_open


def ends_of(name, statement, target):
    """The calls of a statement that end the graph for all that it does with a name."""
    ends = [call for call in statement.calls if name in call.of and is_end(call, statement, target)]
    return {call.name for call in ends if sum(each.of.count(name) for each in ends) >= statement.reads.count(name)}


def is_end(call, statement, target):
    second = call.name in CHOOSING and statement.binds[1:2] == (target,)
    return second or call.name in ENDING and not (call.has("create_graph=True") or call.has("use_reentrant=False"))
