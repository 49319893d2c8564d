"""Runs a program's lines on either library, and notes everything that a learner could see afterwards.

A line that raises leaves its variables as they were and the program goes on, so that one program meets several errors.
``show(...)`` in a program notes its arguments; at the end every variable is compared, and the graph behind it.
"""

import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from programs import strides

from tests.behaviours import forget_warnings

SHOWN_AT_MOST = 60  # the most nodes of a program's graph to follow
OF_KERNELS = {  # attributes that only PyTorch's kernels read
    "NativeLayerNormBackward0": ("_saved_bias", "_saved_result1", "_saved_result2"),
    "NllLossBackward0": ("_saved_total_weight",), "LogSigmoidBackward0": ("_saved_buffer",),
    **dict.fromkeys(("LinalgDetBackward0", "LinalgSolveExBackward0"), ("_saved_LU", "_saved_pivots")),
}  # fmt: skip
# warnings of modules that PyTorch loads now and then, and of changes that it will forbid
LEFT_OUT = re.compile("torch.jit|on expanded tensors is deprecated")


class Side:
    """One library, a program's variables in it, and its outcomes: for each line its output, and the error."""

    def __init__(self, torch, attributes):
        self.torch = torch  # the library, PyTorch or ours
        self.attributes = attributes  # node's class name -> the _saved_ attributes that PyTorch's node of it has
        self.noted = []
        self.inferred = set()  # variables that come from tensors of inference mode, whose versions are not compared
        self.space = {"torch": torch, "show": self.show, "in_thread": in_thread}

    def show(self, *values):
        self.noted.append([self.described(value) for value in values])

    def step(self, line):
        """Run one line; returns the error, the output, and the warnings."""
        self.noted, error = [], None
        made = re.match(r"(with .*?: )?((?:\w+ = [^;]*; .*?)?)(\w+)(?:\.data)? = (.*)", line)
        if made and ("inference" in str(made[1]) or self.inferred & set(re.findall(r"\w+", made[4]))):
            self.inferred.add(made[3])
        forget_warnings(self.torch)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compiled(line), self.space)
            except Exception as raised:
                error = type(raised).__name__, first_line(raised)
        told = sorted({(each.category.__name__, first_line(each.message)) for each in caught
                       if not LEFT_OUT.search(str(each.message))})  # fmt: skip
        return error, self.noted, told

    def tensors(self):
        return {
            name: each for name, each in self.space.items()
            if isinstance(each, self.torch.Tensor) and not name.startswith("_")
        }  # fmt: skip

    # -- visible results -------------------------------------------------------------------------------------------

    def described(self, value):
        """A value as ``show`` notes it."""
        if isinstance(value, self.torch.Tensor):
            return attempt(lambda: " ".join(repr(value).split())), self.elements(value)
        if isinstance(value, dict):
            return sorted((key, self.described(each)) for key, each in value.items())
        if isinstance(value, (tuple, list)):
            return [type(value).__name__, *map(self.described, value)]
        if hasattr(value, "next_functions"):
            return type(value).__name__, value.name(), [(n and n.name(), k) for n, k in value.next_functions]
        return value if isinstance(value, float) else re.sub("0x[0-9a-f]+", "0x", repr(value))

    def elements(self, tensor):
        with warnings.catch_warnings(), self.torch.no_grad():
            warnings.simplefilter("ignore")
            return attempt(lambda: tensor.detach().to(self.torch.float64).reshape(-1).tolist())

    def final(self):
        """``{name: all visible facts}`` of every tensor, and the graph behind them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensors = self.tensors()
            names = {id(each): name for name, each in reversed(tensors.items())}
            found = {name: self.all_of(tensor, names) for name, tensor in tensors.items()}
            graph = {f"the graph behind {name}": each for name, each in self.graph(tensors, names).items()}
        return found | graph

    def all_of(self, x, names):
        version = attempt(lambda: x._version)
        base = None if x._base is None else names.get(id(x._base), "another")
        place = attempt(lambda: (x.is_leaf, x.output_nr, x.retains_grad, x.grad_fn and x.grad_fn.name()))
        grad = None
        if not isinstance(place, str) and (place[0] or place[2]) and x.grad is not None:
            g = x.grad
            made = attempt(lambda: g.grad_fn and g.grad_fn.name())
            grad = names.get(id(g)), str(g.dtype), tuple(g.shape), self.elements(g), g.requires_grad, made
        viewed = x._is_view() and names[id(x)] not in self.inferred
        found = {
            "dtype": str(x.dtype), "shape": tuple(x.shape), "elements": self.elements(x),
            "requires_grad": x.requires_grad, "is_inference": x.is_inference(), "place in the graph": place,
            "grad": grad, "strides" if viewed else "layout": (strides(x), x.is_contiguous()),
        }  # fmt: skip
        return found if names[id(x)] in self.inferred else found | {"base": (x._is_view(), base), "version": version}

    def graph(self, tensors, names):
        """``{name: nodes}``: every node that is not behind an earlier variable, its edges, and its saved values.

        That variable and its number behind it identify a node.
        """
        numbers, found = {}, {}
        for name, tensor in tensors.items():
            root = attempt(lambda tensor=tensor: tensor.grad_fn)
            if root is None or isinstance(root, str) or root in numbers:
                continue
            stack, seen = [root], []
            numbers[root] = name, 0
            count = 1
            while stack and count < SHOWN_AT_MOST:
                node = stack.pop()
                after = []
                for each, number in node.next_functions:
                    if each is not None and each not in numbers:
                        numbers[each] = name, count
                        count += 1
                        stack.append(each)
                    after.append((numbers.get(each), number))
                leaf = names.get(id(node.variable)) if hasattr(node, "variable") else None
                seen.append((type(node).__name__, node.name(), leaf, after, self.saved(node)))
            found[name] = seen
        return found

    def saved(self, node):
        """The saved values that the node shows: the tensors, and the other values that our nodes have too."""
        kind = type(node).__name__
        if self.torch.__name__ == "torch" and kind not in self.attributes:
            self.attributes[kind] = [each for each in dir(node) if each.startswith("_saved_")]
        found = []
        for attribute in self.attributes.get(kind, ()):
            if attribute in OF_KERNELS.get(kind, ()):
                continue
            value = attempt(lambda attribute=attribute: getattr(node, attribute))
            if isinstance(value, self.torch.Tensor):
                maker = value.grad_fn and value.grad_fn.name()
                value = str(value.dtype), tuple(value.shape), self.elements(value), maker
            elif isinstance(value, (tuple, list)):
                value = [self.described(as_given(each)) for each in value]
            elif isinstance(value, str) and value.startswith("AttributeError"):
                value = ABSENT
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                value = float(as_given(value))
            elif not isinstance(value, str):
                value = repr(value)
            found.append((attribute, value))
        return found


def as_given(value):
    """A saved number; PyTorch shows a negative dimension as a large number."""
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


def in_thread(function):
    """The result or error of a function in another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def attempt(look):
    """The result of a look, or its error as text."""
    try:
        return look()
    except Exception as error:
        return f"{type(error).__name__}: {first_line(error)}"


def first_line(error):
    line = str(error).split("\n")[0].partition("(Triggered")[0].strip()
    return re.sub("0x[0-9a-f]+", "0x", line)


@lru_cache(10_000)
def compiled(line):
    return compile(line, "<program>", "exec")


# -- two sides ---------------------------------------------------------------------------------------------------------

ATTRIBUTES = {}
ABSENT = object()  # a number or sizes that only PyTorch's node keeps; the tensors that it saved have to be there


def difference(mine, torch, lines, passes):
    """Run the lines on both libraries; returns the first difference that does not pass, as text, or None.

    If only one library raises they go apart, and nothing after that counts.
    """
    side, its_side = Side(mine, ATTRIBUTES), Side(torch, ATTRIBUTES)
    for number, line in enumerate(lines):
        if would_crash(its_side, line):
            continue
        its, ours = its_side.step(line), side.step(line)
        for what, a, b in zip(("raised", "showed", "warned"), ours, its, strict=True):
            if not alike(a, b):
                what += " before it raised" * (what == "showed" and its[0] is not None)
                found = f"line {number + 1}, {line}\n  {what}\n    {a}\n  in torch\n    {b}"
                if not passes(found):
                    return found
                if what == "raised" and None in (a, b):
                    return None
    its, ours = its_side.final(), side.final()  # PyTorch's first: it is asked which attributes its nodes have
    for what, a, b in unlike(ours, its):
        found = f"at the end, {what}\n    {a}\n  in torch\n    {b}"
        if not passes(found):
            return found
    return None


def unlike(ours, its):
    """The differences at the end: ``(what, ours, PyTorch's)``; for a variable's graph its first node that differs."""
    for name in [*its, *[name for name in ours if name not in its]]:
        a, b = ours.get(name), its.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            for what in b:
                if not alike(a.get(what), b[what]):
                    yield f"{what} of {name}", a.get(what), b[what]
        elif a and b and not alike(a, b):  # whether there is a graph at all shows in the variable's place in it
            a, b = next(((i, j) for i, j in zip(a, b, strict=False) if not alike(i, j)), (len(a), len(b)))
            yield f" of {name}", a, b


HOOKED = re.compile(r"(\w+)\.(?:register_hook|register_post|retain_grad)|multi_grad_hook\(\[(\w+), (\w+)")


def would_crash(side, line):
    """Whether PyTorch would end the process: a hook on a view that requires grad but was not recorded does."""
    for match in HOOKED.finditer(line):
        for name in filter(None, match.groups()):
            tensor = side.space.get(name)
            if isinstance(tensor, side.torch.Tensor) and tensor._is_view() and tensor.requires_grad:
                if attempt(lambda tensor=tensor: tensor.grad_fn) is None:
                    return True
    return False


NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?|-?\binf\b|\bnan\b")


def alike(mine, other):
    """Whether two observations are the same, floats up to differences from the order of operations."""
    if mine == other:
        return True
    if isinstance(mine, str) and mine.startswith("RuntimeError: Trying to backward") and other == "None":
        return True  # PyTorch's node still knows that this argument was not given
    if mine is ABSENT:
        return not (isinstance(other, tuple) and str(other[0]).startswith("torch."))
    if isinstance(mine, dict) and isinstance(other, dict):
        return mine.keys() == other.keys() and all(alike(mine[key], other[key]) for key in mine)
    if isinstance(mine, (tuple, list)) and isinstance(other, (tuple, list)):
        if len(mine) != len(other):
            return False
        if mine and all(type(each) is float for each in mine) and all(type(each) is float for each in other):
            size = max([abs(each) for each in (*mine, *other) if each - each == 0], default=0)
            return all(close(a, b, size) for a, b in zip(mine, other, strict=True))
        return all(alike(a, b) for a, b in zip(mine, other, strict=True))
    if type(mine) is float and type(other) is float:
        return close(mine, other, max(abs(mine), abs(other)))
    if isinstance(mine, str) and isinstance(other, str) and skeleton(mine) == skeleton(other):
        numbers = [[float(each) for each in NUMBER.findall(text)] for text in (mine, other)]
        mine, other = numbers
        return len(mine) == len(other) and all(
            close(a, b, max(abs(a), abs(b)), 5e-3) for a, b in zip(mine, other, strict=True)
        )
    return False


def skeleton(text):
    """A text without its numbers and the space that they take."""
    return re.sub(r"\s|\\n", "", NUMBER.sub("", text))


def close(a, b, size, tolerance=5e-5):
    return a == b or a != a and b != b or abs(a - b) <= tolerance * max(0.05, size)


def shrunk(lines, still):
    """The lines without those that *still*, a function of lines, does not need."""
    size = max(1, len(lines) // 2)
    while size:
        start, less = 0, False
        while start < len(lines):
            shorter = lines[:start] + lines[start + size :]
            if still(shorter):
                lines, less = shorter, True
            else:
                start += size
        size = size // 2 if size > 1 or not less else 1
    return lines
