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
from itertools import chain

import numpy as np
from IPython import get_ipython
from traitlets import Dict, Enum, List, Unicode

import autograd_nb as torch

from ..autograd.gradcheck import GradcheckError, close, gradcheck
from ..autograd.jacobians import analytical_jacobian, numerical_jacobian
from ..drawing.shapes import COLOURS, Rectangle, Text, clean
from ..drawing.svg import to_svg
from ..learner.programs import Refused
from ..microscope.labels import legible, message_of
from ..words import of, read
from .chart import LINE, MARGIN, Table, boxed, head
from .kit import Finite, Live, called, seen, setting

SAY = of("widgets")["workshop"]

ATOL, RTOL = 1e-5, 1e-3  # gradcheck's own
MOST = 12  # numbers of all inputs, and elements of a result
PRINTED = 2000  # characters
WIDTH = 600  # of the stored picture
TOLD = 3  # wrong entries that are told in words
BOXES = {f"workshop {box}": box for box in ("forward", "backward")}  # what stands for the file of its code -> a box
PRESETS = read("examples")["workshop"]


class Workshop(Live):
    """The widget that `workshop` makes; ``tables`` hold both Jacobians, ``verdict`` what gradcheck said."""

    files = "workshop"
    own_words = SAY
    work = setting(Dict())  # forward, backward, inputs: texts
    dtype = setting(Enum(["float64", "float32"]))
    eps = setting(Finite())
    preset = seen(Unicode())  # whose texts these are, or ""
    tables = seen(List())
    verdict = seen(Dict())  # ok, head, text, entries, result, printed, warned
    last = {}  # it begins with boxes that fail, too

    def __init__(self, **settings):
        super().__init__(**settings)
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
            raise Refused(SAY("not_positive", eps=self.eps))
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
                raise Refused(SAY("many_outputs", count=count, most=MOST))
            with redirect_stdout(printed):
                analytical = analytical_jacobian(apply, inputs)
            numerical = numerical_jacobian(apply, inputs, self.eps)
            try:
                gradcheck(apply, inputs, eps=self.eps, atol=ATOL, rtol=RTOL)
            except GradcheckError as error:
                said = f"{type(error).__name__}: {str(error).strip()}"
        names += [f"input {place}" for place in range(len(names), len(inputs))]
        return names, inputs, result, results, numerical, analytical, said, printed.getvalue(), warned

    def tell(self, names, inputs, result, results, numerical, analytical, said, printed, warned):
        tables = [
            table(i, j, names[j], numerical[i][j], analytical[i][j], inputs[j].shape, output.shape)
            for i, output in enumerate(results) for j in range(len(inputs)) if analytical[i][j] is not None
        ]  # fmt: skip
        entries = [(row["name"], *each) for one in tables for row in one["rows"]
                   for each in zip(one["columns"], row["entries"], strict=True)]  # fmt: skip
        wrong = [SAY("off", row=row, column=column, **entry) for row, column, entry in entries if not entry["right"]]
        title = SAY("count", count=len(wrong), all=len(entries)) if wrong else SAY["yet" if said else "right"]
        self.tables = tables
        self.last = self.verdict = {
            "ok": not said, "head": title, "text": said, "result": SAY("applied", result=repr(result)),
            "entries": wrong[:TOLD] + [SAY("more_off", count=len(wrong) - TOLD)] * (len(wrong) > TOLD),
            "printed": legible(printed[:PRINTED]),
            "warned": list(dict.fromkeys(f"{each.category.__name__}: {message_of(each.message)}" for each in warned)),
        }  # fmt: skip

    def operation(self):
        namespace, members = getattr(get_ipython(), "user_ns", {}) | {"torch": torch}, {}
        for file, box in BOXES.items():
            text = self.work[box].strip("\n") + "\n"
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            exec(compile(text, file, "exec"), namespace)
            if not inspect.isfunction(namespace.get(box)):
                raise Refused(SAY("no_function", box=box))
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
            raise Refused(SAY("bad_inputs", cause=cause)) from None
        if (count := sum(each.numel() for each in tensors)) > MOST:
            raise Refused(SAY("many_inputs", count=count, most=MOST))
        return tensors

    def told(self, error):
        kind = type(error).__name__
        if isinstance(error, SyntaxError) and error.filename in BOXES:
            return SAY("syntax", box=BOXES[error.filename], line=error.lineno, type=kind, message=error.msg)
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename in BOXES:
                return SAY("raised", box=BOXES[frame.filename], line=frame.lineno, source=frame.line, type=kind,
                           message=message_of(error))  # fmt: skip
        return super().told(error)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        values, boxes = ([repr(self.example())], {}) if self.example() else ([], self.work)
        return called(workshop, *values, **boxes, dtype=self.dtype, eps=self.eps)

    def example(self):
        return next((name for name, preset in PRESETS.items() if preset == self.work), "")

    def as_text(self):
        return SAY("text", verdict=self.said())

    def said(self):
        return self.problem or "\n".join(filter(None, (self.verdict["head"], self.verdict["text"])))

    def as_svg(self):
        code = "\n\n".join(self.work[box].strip("\n") for box in BOXES.values()).split("\n")
        height = LINE * (len(code) + 1)
        shapes = [Rectangle(MARGIN, MARGIN, WIDTH - 2 * MARGIN, height, "#F3F4F6", "#D1D5DB", 1, 4),
                  *texts([clean(line, 90) for line in code], 2 * MARGIN, MARGIN + LINE / 2, mono=True)]  # fmt: skip
        y = height + 2 * MARGIN
        for one in self.tables:
            left = MARGIN
            for kind in ("numerical", "analytical"):
                made = Table(drawn(one, kind), left, y)
                shapes += chain(*made.shapes())
                left = made.right + MARGIN
            y = made.bottom + MARGIN
        lines = [part for line in self.said().split("\n") for part in textwrap.wrap(line, 95)]
        height = y + LINE * len(lines) + MARGIN
        return to_svg(shapes + texts(lines, MARGIN, y), WIDTH, height, SAY["title"], self.as_text())


def texts(lines, x, y, mono=False):
    """Lines of text below each other."""
    return [Text(x, y + LINE * place - 4, line, anchor="start", mono=mono) for place, line in enumerate(lines, 1)]


def table(i, j, name, numerical, analytical, input_shape, output_shape):
    """Both Jacobians of output i with respect to input j, entry by entry: a row for each element of the input."""
    rows = [{
        "name": SAY("row", name=name, place=place),
        "entries": [{"numerical": f"{n:.6g}", "analytical": f"{a:.6g}", "distance": f"{abs(a - n):.3g}",
                     "right": bool(close(a, n, ATOL, RTOL))} for n, a in zip(*both, strict=True)],
    } for *both, place in zip(numerical.tolist(), analytical.tolist(), places(input_shape), strict=True)]  # fmt: skip
    columns = [SAY("column", output=i, place=place) for place in places(output_shape)]
    return {"title": SAY("table", output=i, input=j, name=name), "columns": columns, "rows": rows}


def places(shape):
    """The indices of a tensor's elements as texts: "[0]", "[1]"; "" for the only one of a number."""
    return [f"[{', '.join(map(str, index))}]" if index else "" for index in np.ndindex(*shape)]


def drawn(one, kind):
    """The cells of one matrix, wrong entries framed and marked."""
    entries = [row["entries"] for row in one["rows"]]
    told = [[each[kind] + " !" * (not each["right"]) for each in row] for row in entries]
    lines = boxed([[float(each[kind]) for each in row] for row in entries], told)
    for row, line in zip(entries, lines, strict=True):
        for place, (each, (box, text)) in enumerate(zip(row, line, strict=True)):
            if not each["right"]:
                line[place] = box._replace(stroke=COLOURS["error"].edge, stroke_width=2), text
    return [[head(one["title"] if kind == "numerical" else "")], [head(SAY[kind])], *lines]


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
    return Workshop(work=work | ({"inputs": inputs} if inputs else {}), dtype=dtype, eps=eps)
