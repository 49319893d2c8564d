"""What a tensor was computed from, as far as the learner's code and values in sight tell, and where that was cut."""

from typing import NamedTuple

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.readings import grad_of, is_leaf_tensor, value_of
from .evidence import once
from .nodes import node_of
from .statements import calls_of, here, sources

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


OUTSIDE = None, {}  # the scope of the code at hand


class Flow:
    """The ways back through the learner's code: where each is cut, and whether one stays open.

    *target*: the tensor that a gradient is to come back to; None for anything that requires grad, but for what is
    *below* a tensor that itself reaches nothing that is to be trained.
    """

    def __init__(self, code, target=None, below=()):
        self.code, self.sight, self.target, self.below, self.seen = code, code.sight, target, below, {}
        self.node = None if target is None else node_of(target)

    def carries(self, value):
        """Whether a gradient that comes back to a value goes on to the target."""
        tensors = self.sight.tensors_in(value)
        if self.target is None:
            return any((node := node_of(each)) is not None and node not in self.below for each in tensors)
        if any(each is self.target for each in tensors):
            return True
        return any(self.node in self.sight.below(each) for each in tensors if not is_leaf_tensor(each))

    def links(self, tensor):
        """``[Link]`` on the way back from a tensor, those last that are not sure."""
        user = self.code.standpoint
        names = self.sight.known.get(id(tensor), (None, ()))[1] if user else ()
        found = [link for name in names for link in self.back(name, user)[0]]
        if not names and calls_of([user], "backward"):  # the line itself computes it
            inner, opens = self.through(user, "")
            found = [] if opens else inner
        return sorted(found, key=lambda link: not link.ops)

    def links_in_code(self):
        """The links on all ways back from what the code calls backward() on, or none if one of these is open."""
        found = []
        for call, statement in calls_of(self.code.program, "backward"):
            links, is_open = self.back(call.on, statement)
            if is_open:
                return []
            found += links
        return found

    def written(self, name, statement, owner):
        """How a link writes its source: of a list all that is in it, of a module what it gives."""
        if name in {call.whole for call in statement.calls}:
            return f"{name}(…)"
        value, near = self.sight.resolve(name, owner), self.code.in_file(statement.file)
        filled = value is None and any(name in each.feeds and each.scope == statement.scope for each in near)
        return f"*{name}" if filled or isinstance(value, list | tuple) else name

    def through(self, statement, target, scope=OUTSIDE):
        """``(links, names by which a way is open)`` through what a statement computes; *scope*: what self is there, and
        ``{parameter: whether a gradient may come back to what it was given}``."""
        links, opens = [], []
        blocked = {"no_grad", "inference_mode"}.intersection(statement.around)
        opened = [(call, *self.code.returns_of(call, statement, scope[0])) for call in statement.calls]
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
        code = self.code.program if outermost else self.code.in_file(before.file)
        found = [each for each in sources(code, name, before) if name not in given or each.scope == before.scope]
        known = outermost or name.startswith("self.") or found and not any(each.scope for each in found)
        unknown = name.startswith("self.") and owner is None and not outermost
        value = self.sight.resolve(name, owner) if known else None
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
            is_open = given[name] if name in given else not known and self.carries(self.sight.resolve(name))
        return links, is_open


def ends_of(name, statement, target):
    """The calls of a statement that end the graph for all that it does with a name."""
    ends = [call for call in statement.calls if name in call.of and is_end(call, statement, target)]
    return {call.name for call in ends if sum(each.of.count(name) for each in ends) >= statement.reads.count(name)}


def is_end(call, statement, target):
    second = call.name in CHOOSING and (statement.binds[1:2] == (target,) or ").indices" in statement.text)
    return second or call.name in ENDING and not (call.has("create_graph=True") or call.has("use_reentrant=False"))


@once
def links_of(case):
    """The links that keep a gradient from a tensor; of one without a graph those that it was made through."""
    recorded = links_recorded(case)
    below = None if case.ends_here else case.recorded.downstream(case.key)
    return [link for (source, _), link in recorded.items() if below is None or source in below] or links_in_sight(case)


def links_recorded(case):
    """The links of the recording in the graph in question, by the keys of their ends."""
    if not case.key:
        return {}
    return links_behind(case.recorded, [case.key]) if case.ends_here else links_behind_roots(case.recorded)


@once
def links_behind_roots(recorded):
    return links_behind(recorded, recorded.all_roots)


def links_behind(recorded, keys):
    """``{(key of the source, target): Link}`` for the ways back from tensors of a recording, the nearest first."""
    found, seen, tensors = {}, {}, recorded.tensors
    for key in (waiting := list(keys)):
        if key in seen:
            continue
        seen[key] = True
        for event in recorded.made.get(key, ()):
            waiting += event.inputs
            place, cut = here(event), getattr(event, "cut", None)
            for each in event.inputs:
                if tensors[each].requires_grad and (cut or not tensors[key].requires_grad):
                    ops = {cut or plain_name(event.name)}
                    called = {call.name for call in recorded.code.calls_at(place)}
                    ops |= {"sample"} & called if ops & {"no_grad", "multinomial", "bernoulli"} else set()
                    source = recorded.name_of(recorded.base_of(each)) or recorded.title(each)
                    source = "" if "…" in source or source == NAMELESS else source
                    found[each, key] = Link(source, recorded.title(key), ops, place)
    return found


@once
def links_in_sight(case):
    return links_to(case, None if case.ends_here else case.tensor)


def links_to(case, target):
    """The links on the ways back from the tensors in sight that one which is asked about ought to be behind."""
    sight = case.sight
    roots = ([case.tensor] if case.ends_here else case.recorded.failing) if case.tensor is not None else []
    if case.node and not roots and not any(leads and gone for _, leads, gone in case.graphs_in_sight):
        # what was not computed from it
        roots = [each for each in possible_roots(sight) if case.node not in sight.below(each)]
    flow = Flow(case.code, target, sight.below(case.tensor) if case.ends_here and case.node else ())
    found = [link for root in roots for link in flow.links(root)]
    # of a parameter that no pass has reached, and of which no graph in sight tells
    missed = case.node and case.grad is None and not case.failure.message and sight.some_grad
    return found or (flow.links_in_code() if missed else [])


@once
def possible_roots(sight):
    return [*filter(may_be_root, sight.tensors)]


def may_be_root(tensor):
    """Whether a pass may have started from a tensor: a result, or a leaf with the gradient that a pass starts with."""
    if not is_leaf_tensor(tensor):
        return True
    grad = value_of(grad_of(tensor))
    return bool(grad and grad.is_whole and grad.shape == () and grad.array == 1)


def sources_at(case, place):
    """What the links at a place lead from, whether they matter for a tensor or not, if that has a name."""
    for links in links_recorded(case).values(), [*links_to(case, None), *links_in_sight(case)]:
        if names := dict.fromkeys(each.source for each in links if each.place == place and each.source):
            return [*names]
    return ["the result before it"]
