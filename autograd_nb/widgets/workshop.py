"""Write the forward and the backward of an operation; gradcheck runs, and both Jacobians stand side by side.

The tables come from the functions that gradcheck itself compares, an entry is wrong if gradcheck calls it so, and
the verdict, its words and the warnings are those of a run of gradcheck. The code in the boxes runs as a cell would,
within a budget of lines.
"""

import ast
import inspect
import io
import traceback
import warnings
from contextlib import redirect_stdout

import numpy as np
from IPython import get_ipython

import autograd_nb as torch

from ..autograd.gradcheck import GradcheckError, gradcheck
from ..autograd.jacobians import analytical_jacobian, as_tuple, numerical_jacobian
from ..microscope.labels import escape, legible, message_of
from ..words import read
from .chart import Board
from .lesson import Lesson, beside, button, choice, field, message, part, row, slider

ATOL, RTOL = 1e-5, 1e-3  # gradcheck's own
MOST = 12  # numbers of all inputs, and elements of a result, at most
PRINTED = 2000  # characters of printed text, at most
TOLD = 3  # wrong entries that the verdict names, at most
BOXES = "forward", "backward"  # these also stand for the files of their code
PRESETS = read("examples")["workshop"]


class Workshop(Lesson):
    """The widget that `workshop` makes; ``tables`` are both Jacobians', ``verdict`` is gradcheck's."""

    stored, budget = 2, True
    forward, backward, inputs = field(5), field(5), field()
    dtype, eps = choice("float64", "float32"), slider(1e-12, 1, log=True)
    page = (
        row(part("menu", "preset", do="preset", choices=("", *PRESETS)), button("run", "run"), "keys"),
        beside("forward", "backward"), row("inputs", "dtype", "eps"), message("verdict"), "chooser",
        beside("numerical", "analytical"), "status", "orientation",
    )  # fmt: skip
    last, verdict, pictures = {}, "", {}  # its first code may fail, too

    def do_preset(self, name):
        for box, text in PRESETS[name].items():
            setattr(self, box, text)

    do_run = Lesson.compute  # a cell may have changed what the boxes use

    def run(self, forward, backward, inputs, dtype, eps):
        if not eps > 0:
            self.refuse("not_positive")
        (apply, names), given, printed, said = self.operation(), self.tensors(), io.StringIO(), ""
        unseen = redirect_stdout(io.StringIO())
        with warnings.catch_warnings(record=True) as warned, torch.enable_grad(), unseen:
            warnings.simplefilter("always")
            result = apply(*given)
            results = as_tuple(result)
            if not any(isinstance(each, torch.Tensor) and each.requires_grad for each in results):
                self.refuse("not_a_tensor")
            if (count := max(each.numel() for each in results)) > MOST:
                self.refuse("many_outputs", count=count, most=MOST)
            with redirect_stdout(printed):
                analytical = analytical_jacobian(apply, given)
            numerical = numerical_jacobian(apply, given, eps)
            try:
                gradcheck(apply, given, eps=eps, atol=ATOL, rtol=RTOL)
            except GradcheckError as error:
                said = f"{type(error).__name__}: {str(error).strip()}"
        names += [self.say("unnamed", place=place) for place in range(len(names), len(given))]
        jacobians, entries = {"numerical": numerical, "analytical": analytical}, []
        boards = {kind: [[(self.own_words[kind], [], [], [], [], [])]] for kind in jacobians}
        for i, j in np.ndindex(len(results), len(given)):
            if analytical[i][j] is None:
                continue
            rows, columns = [names[j] + place for place in places(given[j])], places(results[i])
            both = {kind: blocks[i][j].numpy() for kind, blocks in jacobians.items()}
            marks = np.where(np.isclose(both["analytical"], both["numerical"], RTOL, ATOL), "", " !")
            title = self.say("table", output=i, input=j, name=names[j])
            for kind, block in both.items():
                texts = [[f"{number:.6g}{mark}" for number, mark in zip(*line, strict=True)]
                         for line in zip(block, marks, strict=True)]  # fmt: skip
                boards[kind].append([(title, rows, [*filter(None, columns)], block.tolist(), texts, marks)])
            entries += [
                {"row": rows[at], "output": i, "place": columns[to], "mark": marks[at, to],
                 "distance": f"{abs(np.subtract(*both.values())[at, to]):.3g}",
                 **{kind: f"{block[at, to]:.6g}" for kind, block in both.items()}}
                for at, to in np.ndindex(marks.shape)]  # fmt: skip
        wrong = [self.say("off", **entry) for entry in entries if entry["mark"]]
        title = self.say("count" if wrong else "yet" if said else "right", count=len(wrong), all=len(entries))
        warned = dict.fromkeys(f"{each.category.__name__}: {message_of(each.message)}" for each in warned)
        printed = legible(printed.getvalue()[:PRINTED])
        lines = [["strong", title], *(["p", each] for each in wrong[:TOLD]), ["pre", said],
                 ["p", self.say("applied", result=repr(result))], *(["warning", each] for each in warned),
                 ["p", printed and self.own_words["printed"]], ["pre", printed]]  # fmt: skip
        self.verdict = "\n".join(filter(None, (title, said)))
        boxes = {"forward": forward, "backward": backward, "inputs": inputs}
        texts = [self.say("wrong_entry" if entry["mark"] else "entry", **entry) for entry in entries]
        boards = {kind: Board("entry", "error", lines) for kind, lines in boards.items()}
        return boards | {"status": ["choose"], "texts": texts, "verdict": {"ok": not said, "lines": lines},
                         "preset": next((name for name, preset in PRESETS.items() if preset == boxes), "")}  # fmt: skip

    def operation(self):
        """The operation in the boxes, as a Function's `apply`, and the names of its inputs."""
        namespace, members = getattr(get_ipython(), "user_ns", {}) | {"torch": torch}, {}
        for box in BOXES:
            exec(compile(getattr(self, box).strip("\n") + "\n", box, "exec"), namespace)
            if not inspect.isfunction(namespace.get(box)):
                self.refuse("no_function", box=box)
            members[box] = staticmethod(namespace[box])
        names = list(inspect.signature(members["forward"]).parameters)[1:]
        return type("Own", (torch.autograd.Function,), members).apply, names

    def tensors(self):
        try:
            values = ast.literal_eval(f"({self.inputs.strip().rstrip(',')},)")
            tensors = [torch.tensor(each, dtype=getattr(torch, self.dtype), requires_grad=True) for each in values]
        except Exception:
            self.refuse("bad_inputs", text=self.inputs)
        if (count := sum(each.numel() for each in tensors)) > MOST:
            self.refuse("many_inputs", count=count, most=MOST)
        return tuple(tensors)

    def error_text(self, error):
        """An error's message, and its line in a box."""
        cause, frames = super().error_text(error), traceback.extract_tb(error.__traceback__)
        for frame in reversed([*frames, *[error] * isinstance(error, SyntaxError)]):
            if frame.filename in BOXES:
                line = getattr(self, frame.filename).strip("\n").split("\n")[frame.lineno - 1 : frame.lineno]
                return self.say("raised", box=frame.filename, line=frame.lineno, cause=cause,
                                source="".join(line).strip())  # fmt: skip
        return cause

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_text(self):
        return f"{self.own_words['title']}. {self.problem or self.verdict}"

    def as_html(self):
        """Both Jacobians, the code and the verdict."""
        code = "\n\n".join(getattr(self, box).strip("\n") for box in BOXES)
        said = (f"<pre>{escape(legible(text))}</pre>" for text in (code, self.problem or self.verdict))
        return "".join([super().as_html(), *said])


def places(tensor):
    """The indices of a tensor's elements as texts: "[0]", "[1]"; "" for a number's only element."""
    return [f"[{', '.join(map(str, index))}]" if index else "" for index in np.ndindex(*tensor.shape)]


def workshop(operation="power", *, forward="", backward="", inputs="", dtype="float64", eps=1e-6):
    """Write forward and backward of an operation; gradcheck compares its derivatives with difference quotients.

    operation: the name of an example ("power", "wrong power", "exp", "forgets grad_output", "swapped", "half a
    formula"). forward, backward: texts instead, each with its function; inputs: numbers or lists of numbers, as a text;
    dtype: "float64" or "float32".

    >>> from autograd_nb import widgets
    >>> widgets.workshop("power")
    Workshop: an operation of your own. gradcheck: True. Every entry of the Jacobian agrees.
    """
    if not (forward or backward) and operation not in PRESETS:
        raise ValueError(f"workshop(): there is no example {operation!r}; there are {', '.join(PRESETS)}")
    work = {"forward": forward, "backward": backward} if forward or backward else PRESETS[operation]
    return Workshop(**work | ({"inputs": inputs} if inputs else {}), dtype=dtype, eps=eps)
