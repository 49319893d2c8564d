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

import autograd_nb as torch

from ..autograd.gradcheck import GradcheckError, close, gradcheck
from ..autograd.jacobians import analytical_jacobian, numerical_jacobian
from ..drawing.shapes import COLOURS, Group, Rectangle, Text, clean
from ..learner.programs import Refused
from ..microscope.labels import legible, message_of
from ..words import of, read
from .chart import BLANK, LINE, MARGIN, ROW, ChartPicture, Table, boxed, head, small
from .kit import call_text
from .lesson import CHOOSER, STATUS, Lesson, beside, button, chart, choice, field, message, note, part, row, slider

SAY = of("widgets")["workshop"]

ATOL, RTOL = 1e-5, 1e-3  # gradcheck's own
MOST = 12  # numbers of all inputs, and elements of a result
PRINTED = 2000  # characters
WIDTH = 600  # of what is stored of code and verdict
KINDS, MARKS = ("numerical", "analytical"), {True: "", False: " !"}
TOLD = 3  # wrong entries that are told in words
BOXES = {f"workshop {box}": box for box in ("forward", "backward")}  # what stands for the file of its code -> a box
PRESETS = read("examples")["workshop"]


class Workshop(Lesson):
    """The widget that `workshop` makes; ``entries`` are both Jacobians', ``verdict`` what gradcheck said."""

    name, own_words = "workshop", SAY
    forward, backward, inputs = field(6), field(6), field()
    dtype, eps = choice({name: name for name in ("float64", "float32")}), slider(1e-12, 1, log=True)
    page = (
        part("menu", "preset", do="preset", choices=[["", SAY["own"]], *map(list, SAY["presets"].items())]),
        beside("forward", "backward"), row("inputs", "dtype", "eps"), row(button("run", "run"), note("keys")),
        message("verdict"), CHOOSER, beside(*(chart(kind, choose="entry") for kind in KINDS)), STATUS,
        note("orientation"),
    )  # fmt: skip
    last = {}  # it begins with boxes that fail, too

    def do_preset(self, name):
        for box, text in PRESETS[name].items():
            setattr(self, box, text)

    def do_run(self):
        """Run again: a cell may have changed what the boxes use."""
        self.compute()

    def run(self):
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
        tables = [
            (SAY("table", output=i, input=j, name=names[j]), places(output.shape),
             entries(i, names[j], inputs[j].shape, output.shape, numerical[i][j].tolist(), analytical[i][j].tolist()))
            for i, output in enumerate(results) for j in range(len(inputs)) if analytical[i][j] is not None
        ]  # fmt: skip
        self.entries = [entry for *_, each in tables for entry in each]
        wrong = [SAY("off", **entry) for entry in self.entries if not entry["right"]]
        title = SAY("count", count=len(wrong), all=len(self.entries)) if wrong else SAY["yet" if said else "right"]
        told = wrong[:TOLD] + [SAY("more_off", count=len(wrong) - TOLD)] * (len(wrong) > TOLD)
        warned = dict.fromkeys(f"{each.category.__name__}: {message_of(each.message)}" for each in warned)
        lines = [["strong", title], *(["p", each] for each in told), ["pre", said],
                 ["p", SAY("applied", result=repr(result))], *(["warning", each] for each in warned)]  # fmt: skip
        if printed.getvalue():
            lines += [["p", SAY["printed"]], ["pre", legible(printed.getvalue()[:PRINTED])]]
        self.verdict = "\n".join(filter(None, (title, said)))
        boards = {kind: tuple(drawn(kind, tables)) for kind in KINDS}
        return {"status": SAY["choose"], "text": SAY("text", verdict=self.verdict), "preset": self.example(),
                "verdict": {"ok": not said, "lines": lines}, **boards}  # fmt: skip

    def operation(self):
        namespace, members = getattr(get_ipython(), "user_ns", {}) | {"torch": torch}, {}
        for file, box in BOXES.items():
            text = getattr(self, box).strip("\n") + "\n"
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            exec(compile(text, file, "exec"), namespace)
            if not inspect.isfunction(namespace.get(box)):
                raise Refused(SAY("no_function", box=box))
            members[box] = staticmethod(namespace[box])
        names = list(inspect.signature(members["forward"]).parameters)[1:]
        return names, type("Own", (torch.autograd.Function,), members).apply

    def tensors(self):
        text = self.inputs.strip().rstrip(",")
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

    def error_text(self, error):
        kind = type(error).__name__
        if isinstance(error, SyntaxError) and error.filename in BOXES:
            return SAY("syntax", box=BOXES[error.filename], line=error.lineno, type=kind, message=error.msg)
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename in BOXES:
                return SAY("raised", box=BOXES[frame.filename], line=frame.lineno, source=frame.line, type=kind,
                           message=message_of(error))  # fmt: skip
        return super().error_text(error)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def example(self):
        boxes = {box: getattr(self, box) for box in PRESETS["power"]}
        return next((name for name, preset in PRESETS.items() if preset == boxes), "")

    def as_code(self):
        example = self.example()
        boxes = {} if example else {box: getattr(self, box) for box in PRESETS["power"]}
        return call_text(workshop, *[repr(example)][: bool(example)], **boxes, dtype=self.dtype, eps=self.eps)

    def as_text(self):
        return SAY("text", verdict=self.problem or self.verdict)

    def to_store(self):
        """The code, both Jacobians, the verdict."""
        code = "\n\n".join(getattr(self, box).strip("\n") for box in BOXES.values()).split("\n")
        told = [part for line in (self.problem or self.verdict).split("\n") for part in textwrap.wrap(line, 95)]
        return [text_lines([clean(line, 90) for line in code], True), *self.pictures.values(), text_lines(told)]


def entries(output, name, shape, out, numerical, analytical):
    """Both Jacobians of an output with respect to an input, entry by entry: a row for each element of the input."""
    return [{"row": name + row, "column": SAY("column", output=output, place=column), "numerical": f"{n:.6g}",
             "analytical": f"{a:.6g}", "distance": f"{abs(a - n):.3g}", "right": bool(close(a, n, ATOL, RTOL))}
            for row, *both in zip(places(shape), numerical, analytical, strict=True)
            for column, n, a in zip(places(out), *both, strict=True)]  # fmt: skip


def drawn(kind, tables):
    """The picture of one kind of Jacobians, below each other, and one for each entry, in a frame."""
    title = head(SAY[kind])._replace(x=MARGIN, y=14)
    shapes, frames, wrong, told, right, bottom = [Group("kind", (title,))], [], [], [], title.width, ROW
    for name, columns, found in tables:
        texts, wide = [each[kind] + MARKS[each["right"]] for each in found], len(columns) or 1
        (cells,) = boxed([[float(each[kind]) for each in found]], [texts])
        rows = [[small(found[at]["row"])._replace(anchor="start"), BLANK, *cells[at : at + wide]]
                for at in range(0, len(found), wide)]  # fmt: skip
        made = Table([[head(name)], *[[BLANK, BLANK, *map(small, columns)]] * any(columns), *rows], MARGIN, bottom)
        lines, top = made.shapes(), len(made.lines) - len(rows)
        names = chain(*chain(*lines[:top], *(line[:2] for line in lines[top:])))
        shapes.append(Group(f"names of {name}", tuple(names)))
        for number, each in enumerate(found):
            line, column = top + number // wide, 2 + number % wide
            shapes.append(Group(f"entry {len(frames)}", lines[line][column]))
            frames.append([made.frame(line, column, COLOURS["leaf"], 4, column + 1)])
            wrong += [made.frame(line, column, COLOURS["error"], 2, column + 1)] * (not each["right"])
            told.append(SAY("entry" if each["right"] else "wrong_entry", **each))
        right, bottom = max(right, made.right), made.bottom + MARGIN
    shapes.append(Group("wrong", tuple(wrong)))
    for text, frame in zip(("\n".join(told), *told), ([], *frames), strict=True):
        yield ChartPicture([*shapes, Group("chosen", tuple(frame))], (right + MARGIN, bottom), SAY["title"], text)


def text_lines(lines, mono=False):
    """Lines of text below each other, code on a ground of its own."""
    height = LINE * (len(lines) + 1)
    ground = [Rectangle(MARGIN, MARGIN, WIDTH - 2 * MARGIN, height, "#F3F4F6", "#D1D5DB", 1, 4)] * mono
    shapes = [Text(MARGIN * (1 + mono), MARGIN + LINE * (place + mono / 2) - 4, line, anchor="start", mono=mono)
              for place, line in enumerate(lines, 1)]  # fmt: skip
    return ChartPicture(ground + shapes, (WIDTH, height + 2 * MARGIN * mono), SAY["title"], "")


def places(shape):
    """The indices of a tensor's elements as texts: "[0]", "[1]"; "" for the only one of a number."""
    return [f"[{', '.join(map(str, index))}]" if index else "" for index in np.ndindex(*shape)]


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
    return Workshop(**work | ({"inputs": inputs} if inputs else {}), dtype=dtype, eps=eps)
