"""Writes random programs: templates of lines (lines.py), filled in with the variables that a program has so far.

PyTorch runs the program while it is written, so that shapes are known and most lines make sense. Lines that raise stay,
because the tests compare their errors too.
"""

import re

from .functions import FUNCTIONS
from .lines import BINARY, BINARY_, FUNCTIONAL, LOSSES, NUMBERS, REDUCTIONS, SHAPES, UNARY, WEIGHTED
from .running import Side, would_crash

MODES = (
    "torch.no_grad()", "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
    "torch.inference_mode()", "torch.inference_mode()", "torch.no_grad(), torch.enable_grad()",
    "torch.inference_mode(), torch.enable_grad()", "torch.inference_mode(False)",
)  # fmt: skip
IN_MODE = 0.1  # how many lines stand in one of these

NOT_IN_INFERENCE = re.compile(r"requires_grad|\.apply\(|\.data = |deepcopy")
CHOICES = {
    "op": "+ - * /".split(), "n": NUMBERS, "unary": UNARY, "binary": BINARY, "binary_": BINARY_, "loss": LOSSES,
    "unary_": [name + "_" for name in UNARY if name not in ("positive", "isfinite")], "reduction": REDUCTIONS,
    "functional": FUNCTIONAL, "shape": SHAPES[1:10],
    "compare": "gt lt eq ne ge le".split(),
}  # fmt: skip
FITTING = {  # places for variables, and which tensors they may be
    "t": lambda each: True, "x": lambda each: each.is_floating_point(), "r": lambda each: each.requires_grad,
    "f": lambda each: each.is_floating_point() and each.numel(),
    "m": lambda each: each.is_floating_point() and each.ndim == 2,
    "s": lambda each: each.is_floating_point() and each.numel() == 1,
}  # fmt: skip
PLACE = re.compile(r"\{(\w+)\}")


class Writer:
    """Writes one program; *random*, a ``random.Random``, makes the choices."""

    def __init__(self, random, torch, attributes):
        self.random = random
        self.side = Side(torch, attributes)
        self.lines = []
        self.made = 0

    def program(self, length):
        for template in ("{new} = torch.tensor({data}, requires_grad=True)", "{new} = {x} * {n}"):
            self.add(template)
        kinds = list(WEIGHTED) + ["function"]
        weights = [weight for weight, _ in WEIGHTED.values()] + [5]
        while len(self.lines) < length:
            (kind,) = self.random.choices(kinds, weights)
            if kind == "function":
                self.function()
            else:
                self.add(self.random.choice(WEIGHTED[kind][1]))
        return self.lines

    def add(self, template):
        line = self.filled(template)
        if line is None:
            return
        if not line.startswith("with") and self.random.random() < IN_MODE:
            mode = self.random.choice(MODES)
            if "inference" not in mode or not NOT_IN_INFERENCE.search(line):
                line = f"with {mode}: {line}"
        self.write(line)

    def write(self, line):
        if would_crash(self.side, line):
            return
        self.lines.append(line)
        self.side.step(line)

    def function(self):
        name = self.random.choice(list(FUNCTIONS))
        definition, uses = FUNCTIONS[name]
        if definition not in self.lines:
            self.write(definition)
        self.add("{new} = " + self.random.choice(uses))

    # -- places ----------------------------------------------------------------------------------------------------

    def filled(self, template):
        """The template with its places filled in, or None when the program has nothing for one of them."""
        self.bound, self.tensors = {}, self.side.tensors()
        try:
            return PLACE.sub(self.place, template)
        except LookupError:
            return None

    def place(self, match):
        name = match[1]
        if name not in self.bound:
            kind = name.rstrip("0123456789")
            self.bound[name] = (self.random.choice(CHOICES[kind]) if kind in CHOICES else self.among(FITTING[kind])
                                if kind in FITTING else getattr(self, "fill_" + kind)())  # fmt: skip
        return self.bound[name]

    def among(self, condition):
        """A variable whose tensor meets the condition, more often a later one."""
        found = [name for name, each in self.tensors.items() if condition(each)]
        if not found:
            raise LookupError
        return self.random.choice(found[-4:] if self.random.random() < 0.6 else found)

    def fill_y(self):
        """A partner of x: of its shape, or one that broadcasts to it, or just any."""
        names = [self.bound[kind] for kind in "xmr" if kind in self.bound]
        first = self.tensors[names[0] if names else self.among(FITTING["x"])]
        kind = self.random.random()
        if kind < 0.1:
            return self.among(FITTING["x"])
        return self.among(lambda each: each.is_floating_point() and (
            each.shape == first.shape if kind < 0.6 else fits(each.shape, first.shape)))

    def fill_dim(self):
        first = self.tensors[self.bound.get("x") or self.among(FITTING["x"])]
        return str(self.random.choice((*range(-first.ndim, first.ndim), 0, -1, first.ndim) if self.random.random() < 0.2
                                      else range(-first.ndim, first.ndim) or (0,)))  # fmt: skip

    def fill_new(self):
        self.made += 1
        return f"v{self.made}"

    def having(self, attribute):
        found = [name for name, each in self.side.space.items() if hasattr(each, attribute) and name.startswith("v")]
        if not found:
            raise LookupError
        return self.random.choice(found)

    def fill_handle(self):
        return self.having("remove")

    def fill_data(self):
        shape = eval(f"({self.random.choice(SHAPES)},)".replace("(,", "("))
        values = iter(self.random.sample((0.5, -1.0, 2.0, 3.0, 0.25, -2.0, 1.5, 0.75, -0.5, 4.0, 1.25, -3.0), 12))

        def nested(shape):
            return [nested(shape[1:]) for _ in range(shape[0])] if shape else next(values)

        return str(nested(shape))

    def fill_o(self):
        return self.having("zero_grad")


def fits(shape, other):
    """Whether a tensor of this shape broadcasts to the other."""
    lead = len(other) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, other[lead:], strict=True))
