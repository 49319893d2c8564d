"""`info`: a table of what autograd knows about tensors, one row each; a notebook shows it, a terminal prints it."""

import sys
from itertools import zip_longest

from ..torch_api.printing import elements_text
from ..words import of
from .labels import SAY as VALUES
from .labels import escape, legible, statistics_lines
from .names import is_module, names_in, parameters_of, written_arguments
from .readings import grad_of, is_tensor, name_of
from .register import tensor_record

SAY = of("microscope")["info"]
MOST = 1000  # rows, at most
LISTED = 12  # elements of which a row shows every number, at most


class InfoTable:
    def __init__(self, rows):
        changed = any(row[-1] not in ("0", "") for row in rows)
        shown = None if changed else -1
        self.columns, *self.rows = (tuple(map(legible, row[:shown])) for row in [SAY["columns"], *rows])

    def __repr__(self):
        lines = []  # a row has as many as its longest cell
        for row in [self.columns, *self.rows]:
            lines += zip_longest(*(text.split("\n") for text in row), fillvalue="")
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self):
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in self.columns)
        rows = "".join(
            f'<tr><th scope="row">{spaced(name)}</th>{"".join(f"<td>{spaced(text)}</td>" for text in texts)}</tr>'
            for name, *texts in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def spaced(text):
    return escape(text).replace("  ", "\u00a0 ").replace("\n", "<br>")


def info(*tensors):
    """A table of what autograd knows about tensors: one row each, named as the caller names them.

    A module gives a row for each parameter.  A row of more than 12 elements shows their statistics and a histogram of
    a sample.  If some tensor was changed in place, there is a column with versions.  Looking raises no warning.
    info() takes None too, so that ``info(x, x.grad)`` always works.  TypeError for anything else.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> torch.info(x, y, y.detach())
    name        value  requires_grad  is_leaf  retains_grad  grad_fn         grad
    x           5.0    True           True     False         None            None
    y           125.0  True           False    False         <PowBackward0>  None
    y.detach()  125.0  False          True     False         None            None
    """
    if len(tensors) > MOST:
        raise ValueError(f"info() shows at most {MOST:,} tensors at once, got {len(tensors):,}")
    for position, tensor in enumerate(tensors, 1):
        if tensor is not None and not is_tensor(tensor) and not is_module(tensor):
            raise TypeError(f"info(): argument {position} must be a tensor or None, not {type(tensor).__name__}")
    frame = sys._getframe(1)
    try:
        known, written = names_in(frame), written_arguments(frame, len(tensors))
    finally:
        del frame
    rows = []
    for tensor, text in zip(tensors, written, strict=True):
        name = text or known.get(id(tensor), (None, [SAY["nameless"]]))[1][0]
        parts = parameters_of(tensor) if is_module(tensor) else [("", tensor)]
        rows += [row(each, f"{name}{place}") for place, each in parts]
    return InfoTable(rows)


def row(tensor, name):
    if tensor is None:
        return name, VALUES["none"], *[""] * (len(SAY["columns"]) - 2)
    record = tensor_record(tensor, name, lambda node: node and name_of(node))
    grad_fn = f"<{record.node}>" if record.node else SAY["unreadable"]  # a view whose history was lost
    version = SAY["no_version"] if tensor.is_inference() else str(record.version)
    return (
        name, number_text(record.value, tensor), *map(str, (record.requires_grad, record.is_leaf, record.retains_grad)),
        VALUES["none"] if record.is_leaf else grad_fn, number_text(record.grad, grad_of(tensor)), version,
    )  # fmt: skip


def number_text(value, tensor):
    if value is None:
        return VALUES["none"]
    if not value.is_readable:
        return f"{str(tensor.layout).removeprefix('torch.')} {value.shape}, {VALUES['unread']}"
    if value.size > LISTED:
        return ", ".join([str(value.shape), *statistics_lines(value)])
    if not value.shape:
        return str(value.data)
    return elements_text(value.array, value.array.dtype.kind == "f", 0) if value.size else "[]"
