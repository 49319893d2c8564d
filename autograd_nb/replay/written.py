"""A trace as JSON text, and back: what was recorded, then the steps, the first state and what each step changes in it.

Every snapshot stands once in ``values`` and is referred to by its place there.  Numbers are written as short as their
dtype allows; NaN and the infinities, which JSON does not have, as texts.  ``steps`` has one entry for each event;
``fast`` has the steps of one node each: ``[number of full steps up to its end, sentence, highlights]``; in place of the
sentence may stand the place of a full step that has the same.  Equal elements of an array are written as one.
"""

import json
from dataclasses import fields
from math import isfinite

import numpy as np

from .events import FIELDS, KINDS, Value
from .records import NodeRecord, TensorRecord

VERSION = 1
RECORDS = {"tensors": TensorRecord, "nodes": NodeRecord}


def to_json(trace):
    """A trace as JSON text."""
    pool = Pool()
    steps = trace.steps("full")
    first, changes = trace.changes("full")
    written = {
        "version": VERSION,
        "lines": [[*place, text] for place, text in trace.lines.items()],
        **{
            name: [[pool.plain(getattr(record, field.name)) for field in fields(cls)]
                   for record in getattr(trace, name).values()]
            for name, cls in RECORDS.items()
        },
        "labels": trace.labels,
        "events": [[event.kind, *(pool.plain(getattr(event, name)) for name in FIELDS[event.kind])] for event in trace],
        "first": {part: pool.plain(getattr(first, part)) for part in ("tensors", "nodes", "edges")},
        "steps": [[step.sentence, step.highlights, pool.plain(each)]
                  for step, each in zip(steps, changes, strict=True)],
        "fast": [[step.events[-1].index + 1, told(step, steps), step.highlights] for step in trace.steps("fast")],
        "values": pool.written,
    }  # fmt: skip
    return json.dumps(written, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_json(text):
    """The trace that :func:`to_json` wrote; ValueError for anything else."""
    from .trace import Trace

    try:
        written = json.loads(text)
        version = written["version"]
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"from_json(): expected the JSON text of a trace ({error})") from None
    if version != VERSION:
        raise ValueError(f"from_json(): the trace is of version {version}, this autograd_nb reads version {VERSION}")
    values = [read_value(each) for each in written["values"]]

    def typed(data):
        if isinstance(data, dict):
            return values[data["value"]] if "value" in data else float(data["number"])
        return tuple(map(typed, data)) if isinstance(data, list) else data

    records = {
        name: {each[0]: cls(*map(typed, each)) for each in written[name]} for name, cls in RECORDS.items()
    }
    events = [KINDS[kind](*map(typed, details)) for kind, *details in written["events"]]
    lines = {(file, line): text for file, line, text in written["lines"]}
    return Trace(events, records["tensors"], records["nodes"], lines)


def told(step, steps):
    """A step's sentence, or the place of the first of its full *steps* that says the same."""
    same = (event.index for event in step.events if steps[event.index].sentence == step.sentence)
    return next(same, step.sentence)


class Pool:
    """The snapshots of a trace, each once."""

    def __init__(self):
        self.places = {}
        self.written = []

    def plain(self, thing):
        """Anything in a trace as what JSON knows."""
        if isinstance(thing, Value):
            if thing not in self.places:
                self.places[thing] = len(self.written)
                self.written.append(written_value(thing))
            return {"value": self.places[thing]}
        if isinstance(thing, tuple):
            return [self.plain(each) for each in thing]
        if isinstance(thing, dict):
            return {key: self.plain(each) for key, each in thing.items()}
        if isinstance(thing, float) and not isfinite(thing):
            return {"number": str(thing)}
        return thing


def written_value(value):
    numbers = [number_of(each) for each in value.array.ravel()]
    numbers = numbers[:1] if len(set(map(repr, numbers))) == 1 else numbers
    written = {"shape": value.shape, "dtype": value.dtype, "data": numbers}
    if not value.is_whole:
        ends = [number_of(np.float64(each)) for each in (value.low, value.high, value.mean)]
        written |= {"grid": value.grid, "low": ends[0], "high": ends[1], "mean": ends[2]}
    return written


def number_of(element):
    """An element as the shortest number that its dtype tells from the next, or the text nan, inf or -inf."""
    if element.dtype.kind != "f":
        return element.item()
    return float(str(element)) if np.isfinite(element) else str(element)


def read_value(written):
    numbers = [float(each) if isinstance(each, str) else each for each in written["data"]]
    count = np.prod(written.get("grid", written["shape"]), dtype=int)
    raw = np.array(numbers * count if len(numbers) == 1 else numbers, written["dtype"]).tobytes()
    if "grid" not in written:
        return Value(tuple(written["shape"]), written["dtype"], raw)
    ends = (float(written[name]) for name in ("low", "high", "mean"))
    return Value(tuple(written["shape"]), written["dtype"], raw, tuple(written["grid"]), *ends)
