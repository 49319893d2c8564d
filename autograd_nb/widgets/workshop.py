"""Write the forward and the backward of an operation; gradcheck runs, and both Jacobians stand side by side.

The tables come from the functions that gradcheck itself compares, an entry is wrong where gradcheck calls it so, and
the verdict, its words and the warnings are those of a run of gradcheck.  What is typed runs as a cell would, but for a
budget of lines.
"""

import ast
import inspect
import io
import linecache
import textwrap
import traceback
import warnings
from contextlib import redirect_stdout

import numpy as np
from IPython import get_ipython
from traitlets import Dict, Enum, List, Unicode

import autograd_nb as torch

from ..autograd.gradcheck import GradcheckError, close, gradcheck
from ..autograd.jacobians import analytical_jacobian, numerical_jacobian
from ..drawing.shapes import COLOURS, QUIET, Grid, Group, Rectangle, Text, clean
from ..drawing.svg import to_svg
from ..learner.programs import Refused
from ..microscope.labels import legible, message_of
from ..words import of, read
from .kit import Finite, Lesson, front_end

SAY = of("widgets")["workshop"]

ATOL, RTOL = 1e-5, 1e-3  # gradcheck's own
MOST = 12  # numbers of all inputs, and elements of a result
PRINTED = 2000  # characters
TOLD = 3  # wrong entries that are told in words
BOXES = {f"workshop {box}": box for box in ("forward", "backward")}  # what stands for the file of its code -> a box
PRESETS = read("examples")["workshop"]


class Workshop(Lesson):
    """The widget that `workshop` makes; ``tables`` hold both Jacobians, ``verdict`` what gradcheck said."""

    module, _css = front_end("workshop")
    own_words = SAY
    work = Dict().tag(sync=True, state=True)  # forward, backward, inputs: texts
    dtype = Enum(["float64", "float32"]).tag(sync=True, state=True)
    eps = Finite().tag(sync=True, state=True)
    preset = Unicode().tag(sync=True)  # whose texts these are, or ""
    tables = List().tag(sync=True)
    verdict = Dict().tag(sync=True)  # ok, head, text, entries, result, printed, warned
    last = {}  # it begins with boxes that fail, too

    def __init__(self, work, dtype, eps):
        super().__init__(work=work, dtype=dtype, eps=eps)
        self.begin()

    def do_preset(self, name):
        self.work = PRESETS[name]

    def do_run(self):
        """Run again: a cell may have changed what the boxes use."""
        self.compute()

    def find(self):
        """The inputs with their names, the result, both Jacobians; what gradcheck said, what was printed, warnings."""
        self.preset = self.example()
        if not self.eps > 0:
            raise Refused(SAY["not_positive"].format(eps=self.eps))
        names, apply = self.operation()
        inputs = self.tensors()
        printed, unseen, said = io.StringIO(), redirect_stdout(io.StringIO()), ""  # said: what gradcheck raises
        with warnings.catch_warnings(record=True) as warned, torch.enable_grad(), unseen:
            warnings.simplefilter("always")
            result = apply(*inputs)
            results = result if isinstance(result, tuple) else (result,)
            if not any(isinstance(each, torch.Tensor) and each.requires_grad for each in results):
                raise Refused(SAY["not_a_tensor"])
            if (count := max(each.numel() for each in results)) > MOST:
                raise Refused(SAY["many_outputs"].format(count=count, most=MOST))
            with redirect_stdout(printed):
                analytical = analytical_jacobian(apply, inputs)
            numerical = numerical_jacobian(apply, inputs, self.eps)
            try:
                gradcheck(apply, inputs, eps=self.eps, atol=ATOL, rtol=RTOL)
            except GradcheckError as error:
                said = f"{type(error).__name__}: {str(error).strip()}"
        names += [f"input {place}" for place in range(len(names), len(inputs))]
        return names, inputs, result, numerical, analytical, said, legible(printed.getvalue()[:PRINTED]), warned

    def tell(self, names, inputs, result, numerical, analytical, said, printed, warned):
        results = result if isinstance(result, tuple) else (result,)
        tables = [
            table(i, j, names[j], numerical[i][j], analytical[i][j], inputs[j].shape, output.shape)
            for i, output in enumerate(results) for j in range(len(inputs)) if analytical[i][j] is not None
        ]  # fmt: skip
        told = [not entry["right"] and SAY["off"].format(row=row["name"], column=column, **entry)
                for one in tables for row in one["rows"]
                for column, entry in zip(one["columns"], row["entries"], strict=True)]  # fmt: skip
        wrong = list(filter(None, told))
        head = SAY["count"].format(count=len(wrong), all=len(told)) if wrong else SAY["yet" if said else "right"]
        self.tables = tables
        self.last = self.verdict = {
            "ok": not said, "head": head, "text": said, "result": SAY["applied"].format(result=repr(result)),
            "entries": wrong[:TOLD] + [SAY["more_off"].format(count=len(wrong) - TOLD)] * (len(wrong) > TOLD),
            "printed": printed,
            "warned": list(dict.fromkeys(f"{each.category.__name__}: {message_of(each.message)}" for each in warned)),
        }  # fmt: skip

    def operation(self):
        namespace, members = getattr(get_ipython(), "user_ns", {}) | {"torch": torch}, {}
        for file, box in BOXES.items():
            text = self.work[box].strip("\n") + "\n"
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            exec(compile(text, file, "exec"), namespace)
            if not inspect.isfunction(namespace.get(box)):
                raise Refused(SAY["no_function"].format(box=box))
            members[box] = staticmethod(namespace[box])
        names = list(inspect.signature(members["forward"]).parameters)[1:]
        return names, type("Own", (torch.autograd.Function,), members).apply

    def tensors(self):
        text = self.work["inputs"].strip().rstrip(",")
        try:
            values = ast.literal_eval(f"({text},)")
            tensors = tuple(torch.tensor(each, dtype=getattr(torch, self.dtype), requires_grad=True) for each in values)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            # literal_eval's own words for a name or a formula hold an address
            cause = SAY["no_formula"] if "malformed node" in str(error) else getattr(error, "msg", None) or str(error)
            raise Refused(SAY["bad_inputs"].format(cause=cause)) from None
        if (count := sum(each.numel() for each in tensors)) > MOST:
            raise Refused(SAY["many_inputs"].format(count=count, most=MOST))
        return tensors

    def told(self, error):
        kind = type(error).__name__
        if isinstance(error, SyntaxError) and error.filename in BOXES:
            return SAY["syntax"].format(box=BOXES[error.filename], line=error.lineno, type=kind, message=error.msg)
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename in BOXES:
                facts = {"line": frame.lineno, "source": frame.line, "type": kind, "message": message_of(error)}
                return SAY["raised"].format(box=BOXES[frame.filename], **facts)
        return super().told(error)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        more = "" if self.dtype == "float64" else f", dtype={self.dtype!r}"
        more += "" if self.eps == 1e-6 else f", eps={self.eps!r}"
        boxes = ", ".join(f"{box}={text!r}" for box, text in self.work.items())
        return f"autograd_nb.widgets.workshop({repr(self.example()) if self.example() else boxes}{more})"

    def example(self):
        return next((name for name, preset in PRESETS.items() if preset == self.work), "")

    def as_text(self):
        return SAY["text"].format(verdict=self.said())

    def said(self):
        return self.problem or "\n".join(filter(None, (self.verdict["head"], self.verdict["text"])))

    def as_svg(self):
        shapes, y = [], 12
        for box in BOXES.values():
            lines = self.work[box].strip("\n").split("\n")
            shapes.append(Rectangle(8, y, 584, 16 * len(lines) + 14, "#F3F4F6", "#D1D5DB", 1, 4))
            shapes += [Text(18, y + 20 + 16 * place, clean(line, 90), 12, anchor="start", mono=True)
                       for place, line in enumerate(lines)]  # fmt: skip
            y += 16 * len(lines) + 24
        for one in self.tables:
            drawn, y = draw_table(one, y)
            shapes += drawn
        for line in self.said().split("\n"):
            for part in textwrap.wrap(line, 95):
                y += 16
                shapes.append(Text(10, y, part, 12, anchor="start"))
        return to_svg(shapes, 600, y + 14, SAY["title"], self.as_text())


def table(i, j, name, numerical, analytical, input_shape, output_shape):
    """Both Jacobians of output i with respect to input j, entry by entry: a row for each element of the input."""
    rows = [{
        "name": SAY["row"].format(name=name, place=place),
        "entries": [{"numerical": f"{n:.6g}", "analytical": f"{a:.6g}", "distance": f"{abs(a - n):.3g}",
                     "right": bool(close(a, n, ATOL, RTOL))} for n, a in zip(*both, strict=True)],
    } for *both, place in zip(numerical.tolist(), analytical.tolist(), places(input_shape), strict=True)]  # fmt: skip
    columns = [SAY["column"].format(output=i, place=place) for place in places(output_shape)]
    return {"title": SAY["table"].format(output=i, input=j, name=name), "columns": columns, "rows": rows}


def places(shape):
    """The indices of a tensor's elements as texts: "[0]", "[1]"; "" for the only one of a number."""
    return [f"[{', '.join(map(str, index))}]" if index else "" for index in np.ndindex(*shape)]


def draw_table(one, y):
    """A table as shapes, wrong entries framed and marked, and where the next one begins."""
    shapes, x, height = [Text(10, y + 14, one["title"], 12.5, bold=True, anchor="start")], 10, 18 * len(one["rows"])
    for kind in ("numerical", "analytical"):
        cells = tuple(tuple(each[kind] for each in row["entries"]) for row in one["rows"])
        grid = Grid(tuple(tuple(map(float, row)) for row in cells), cells)
        shapes += [Text(x, y + 32, SAY[kind], 11.5, QUIET, "start"), *grid.shapes(x, y + 40)]
        width, line = grid.cell
        for r, row in enumerate(one["rows"]):
            for c, entry in enumerate(row["entries"]):
                if not entry["right"]:
                    red = COLOURS["error"].edge
                    frame = Rectangle(x + c * width, y + 40 + r * line, width, line, None, red, 2)
                    mark = Text(x + (c + 1) * width - 1, y + 50 + r * line, "!", 12, red, "end", True)
                    shapes.append(Group(f"wrong {kind} {r} {c}", (frame, mark)))
        x += max(300, grid.size[0] + 20)
    return shapes, y + 52 + height


def workshop(operation="power", *, forward="", backward="", inputs="", dtype="float64", eps=1e-6):
    """Write forward and backward of an operation; gradcheck compares its derivatives with difference quotients.

    operation: the name of an example ("power", "wrong power", "exp", "forgets grad_output", "swapped", "half a
    formula"). forward, backward: texts instead, each with its function; inputs: numbers or lists of numbers, as a text;
    dtype: "float64" or "float32".

    >>> from autograd_nb import widgets
    >>> widgets.workshop("power")
    A workshop for operations. gradcheck: True. Every entry of the Jacobian agrees.
    """
    if not (forward or backward) and operation not in PRESETS:
        raise ValueError(f"workshop(): there is no example {operation!r}; there are {', '.join(PRESETS)}")
    work = {"forward": forward, "backward": backward, "inputs": ""} if forward or backward else PRESETS[operation]
    return Workshop(work | ({"inputs": inputs} if inputs else {}), dtype, eps)
