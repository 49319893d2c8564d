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


OUTSIDE = None, {}  # the scope of the code at hand


class Flow:
    """The ways back through the learner's code: where each is cut, and whether one stays open.

    *target*: the tensor that a gradient is to come back to; None for anything that requires grad, but for what is
    *below* a tensor that itself reaches nothing that is to be trained.
    """

    def __init__(self, evidence, target=None, below=()):
        self.evidence, self.target, self.below, self.seen = evidence, target, below, {}
        self.node = None if target is None else place_of(target)[0]

    def carries(self, value):
        """Whether a gradient that comes back to a value goes on to the target."""
        tensors = self.evidence.tensors_in(value)
        if self.target is None:
            return any((node := place_of(each)[0]) is not None and node not in self.below for each in tensors)
        if any(each is self.target for each in tensors):
            return True
        return any(self.node in self.evidence.below(each) for each in tensors if not readings.is_leaf_tensor(each))

    def links(self, tensor):
        """``[Link]`` on the way back from a tensor, those last that are not sure."""
        evidence, code = self.evidence, self.evidence.program
        user = evidence.statement(evidence.start) or (code and code[-1]._replace(line=code[-1].end + 1, scope=()))
        names = evidence.known.get(id(tensor), (None, ()))[1] if user else ()
        found = [link for name in names for link in self.back(name, user)[0]]
        if not names and evidence.calls_of([user] if user else [], "backward"):  # the line itself computes it
            inner, opens = self.through(user, "")
            found = [] if opens else inner
        return sorted(found, key=lambda link: not link.ops)

    def links_in_code(self):
        """The links on all ways back from what the code calls backward() on, or none if one of these is open."""
        found = []
        for statement in self.evidence.calls_of(self.evidence.program, "backward"):
            for call in statement.calls:
                links, is_open = self.back(call.on, statement) if call.name == "backward" else ([], False)
                if is_open:
                    return []
                found += links
        return found

    def written(self, name, statement, owner):
        """How a link writes its source: of a list all that is in it, of a module what it gives."""
        if name in {call.whole for call in statement.calls}:
            return f"{name}(…)"
        value, near = self.evidence.resolve(name, owner), self.evidence.code(statement.file)
        filled = value is None and any(name in each.feeds and each.scope == statement.scope for each in near)
        return f"*{name}" if filled or isinstance(value, list | tuple) else name

    def through(self, statement, target, scope=OUTSIDE):
        """``(links, names by which a way is open)`` through what a statement computes; *scope*: what self is there, and
        ``{parameter: whether a gradient may come back to what it was given}``."""
        links, opens = [], []
        blocked = {"no_grad", "inference_mode"}.intersection(statement.around)
        opened = [(call, *self.evidence.returns_of(call, statement, scope[0])) for call in statement.calls]
        opened = [each for each in opened if each[-1]]
        inner = {"self", *(name for call, *_ in opened for name in call.of)}
        ways_back = [(name, name, self.back(name, statement, scope)) for name in statement.reads if name not in inner]
        for call, owner, parameters, ends in opened:
            given = {}
            for place, (keyword, _, names) in enumerate(call.arguments):
                key = keyword or (parameters[place] if place < len(parameters) else None)
                given[key] = any([self.back(name, statement, scope)[1] for name in names])
            links += self.back(call.on, statement, scope)[0] if call.on else []  # through what it holds
            shown = f"{call.name}(…)"
            ways_back += [(call.whole, shown, self.through(end, shown, (owner, given))) for end in ends]
        for name, shown, (cuts, passes) in ways_back:
            ways = blocked or ends_of(name, statement, target)
            whole = ways == {"checkpoint"}  # whatever it is given
            source = "" if whole else self.written(shown, statement, scope[0])
            links += cuts + [Link(source, target, ways, here(statement))] * bool(ways and (passes or whole))
            opens += [name] if passes and not ways else []
        if "no_grad" in statement.around and f"{target}.grad" in statement.reads:
            links.append(Link(target, target, {"no_grad"}, here(statement)))
        return links, opens

    def back(self, name, before, scope=OUTSIDE):
        """``(links, whether a way is open)`` on the way back from what has a name where a statement stands."""
        owner, given = scope
        outermost = scope == OUTSIDE
        code = self.evidence.program if outermost else self.evidence.code(before.file)
        found = [each for each in sources(code, name, before) if name not in given or each.scope == before.scope]
        known = outermost or name.startswith("self.") or found and not any(each.scope for each in found)
        unknown = name.startswith("self.") and owner is None and not outermost
        value = self.evidence.resolve(name, owner) if known else None
        if unknown or len(self.seen) > MOST_SEEN or self.carries(value):
            return [], True
        links, is_open = [], False
        for statement in found:
            key = name, statement, id(owner), frozenset(given.items())
            if key not in self.seen:
                self.seen[key] = [], ()
                self.seen[key] = self.through(statement, name, scope)
            cuts, opens = self.seen[key]
            if opens and value is not None and len(statement.binds) < 2:  # but it does not lead there
                for each in opens:
                    ways = {*statement.around, *(call.name for call in statement.calls if each in call.of)}
                    links.append(Link(self.written(each, statement, owner), name, ways, here(statement)))
                opens = ()
            links, is_open = links + cuts, is_open or bool(opens)
        if not found:
            is_open = given[name] if name in given else not known and self.carries(self.evidence.resolve(name))
        return links, is_open


def ends_of(name, statement, target):
    """The calls of a statement that end the graph for all that it does with a name."""
    ends = [call for call in statement.calls if name in call.of and is_end(call, statement, target)]
    return {call.name for call in ends if sum(each.of.count(name) for each in ends) >= statement.reads.count(name)}


def is_end(call, statement, target):
    second = call.name in CHOOSING and (statement.binds[1:2] == (target,) or ").indices" in statement.text)
    return second or call.name in ENDING and not (call.has("create_graph=True") or call.has("use_reentrant=False"))
