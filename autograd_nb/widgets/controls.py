"""The controls that a bench shows: those that its lesson names, or all."""

from itertools import chain

from ..drawing.shapes import text_width
from ..learner.programs import FORWARD, OPTIMIZED
from ..words import of

SAY = of("widgets")["bench"]
SWITCHES = {True: ("requires_grad", "hooks"), False: ("retain_grad", "hooks", "cut")}  # of an input, and of a result
EDITS = ("backward", "forward", "none", "zero", "optimizer", "change")  # of the plan
CONTROLS = *dict.fromkeys(chain(*SWITCHES.values())), "retain_graph", *EDITS
FEW = 5  # tensors that have all switches open, at most, if no lesson names any
HIGH, HOOK = 25, 30  # pixels of a switch, and of a hook besides its name
WIDE = {"requires_grad": 104, "retain_grad": 98, "hooks": 94, "cut": 78}


class Controls:
    """The controls that a `Bench` shows: those named in ``controls``, or all where ``whole`` is true."""

    def has(self, *controls):
        return self.whole or not {*controls}.isdisjoint(self.controls or ())

    def opened(self, names):
        """``{name: the switches that are open at it}``; all others come with a click on the tensor."""
        found = {name: SWITCHES[name in self.names] for name in names}
        if self.whole:
            return {name: kinds * (len(names) <= FEW) for name, kinds in found.items()}
        return {name: [kind for kind in kinds if self.has(kind, f"{name}.{kind}")] for name, kinds in found.items()}

    def lines(self, names):
        """Lines that a learner may add to the plan: a button each, and a menu of others; *names*: of all tensors."""
        first, *_, made, result = names[0], *names
        lines = {
            "backward": f"{result}.backward()", "forward": FORWARD, "none": f"{first}.grad = None",
            "zero": f"{first}.grad.zero_()", "optimizer": OPTIMIZED[0], "change": f"{made}.add_(1)",
        }  # fmt: skip
        buttons = [line for edit, line in lines.items() if self.has(edit)]
        others = [f"{name}.backward()" for name in names if self.whole and name not in self.names]
        others += [form.format(name=name) for name in names for form in SAY["changes"] if self.has("change")]
        return {"buttons": buttons, "others": [line for line in others if line not in buttons]}


def room_for(kinds, hooks):
    """``(width, height)`` of the open switches of a tensor, in pixels; *hooks*: those that it has."""
    hooks = hooks if "hooks" in kinds else ()
    widths = [text_width(SAY["hooks"].get(hook, hook), 12) + HOOK for hook in hooks]
    return max([0, *(WIDE[kind] for kind in kinds), *widths]), HIGH * (len(kinds) + len(hooks))
