"""Saves pictures and pages in the form that the file's ending names; writes traces as JSON and reads them.

A trace may come from anybody.  So the reader checks every entry and all that it refers to, and runs nothing; from a
file that is not whole it takes nothing.
"""

import base64
import json
import math
import os
import re
from contextlib import suppress
from pathlib import Path

from ..engine.table import operations
from . import presence
from .events import AS_FLOAT32, KINDS, MOST_EVENTS, MOST_NODES, THUMBNAIL, WHOLE, NodeRecord, TensorRecord, Value
from .labels import legible

FORMAT, VERSION = "autograd_nb trace", 1
MOST = 20_000_000  # bytes of a trace's file, at most
DTYPES = (*AS_FLOAT32, "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
          "float32", "float64", "complex64", "complex128")  # fmt: skip


# A saved file ends with this mark, by which `save` knows it again; a trace has a mark of its own.
MARK = "saved by autograd_nb"
MARKED = {".svg": f"<!-- {MARK} -->\n", ".html": f"<!-- {MARK} -->\n", ".dot": f"// {MARK}\n", ".mjs": f"// {MARK}\n"}


def save(path, forms, overwrite=False):
    """Write one of *forms*, ``{ending: function that gives text or bytes}``; ValueError for any other ending.

    FileExistsError if a file is there that this function did not write, unless *overwrite* is true.
    """
    path = Path(path).expanduser()
    if path.suffix.lower() not in forms:
        *most, last = forms
        known = f"{', '.join(most)} or {last}" if most else last
        raise ValueError(f"save(): the file's name must end in {known}, got {path.name!r}")
    content = forms[path.suffix.lower()]()
    if isinstance(content, str):
        content = (content + MARKED.get(path.suffix.lower(), "")).encode()
    write(path, content, overwrite or was_saved(path), "save()")


def of_rank(path):
    """The path, with the rank of this process before its ending if there are several."""
    (rank, count), path = presence.rank(), Path(path)
    return path.with_name(f"{path.stem}.rank{rank}{path.suffix}") if count > 1 else path


def was_saved(path):
    """Whether a file is one that `save` wrote."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return MARK.encode() in content or FORMAT.encode() in content[:100]


def write(path, content, overwrite, function):
    """Write bytes to a file; FileExistsError if it is there already, unless *overwrite* is true."""
    if os.path.lexists(path) and not overwrite:
        raise FileExistsError(f"{function}: {path} is there already; name another file, or add overwrite=True")
    write_whole(path, content)


def write_whole(path, content):
    """Write a file so that a crash or a full disk leaves the old one or the new one; OSError names the file."""
    path = path.resolve() if path.is_symlink() else path
    temporary = path.with_name(f".autograd-nb-{os.getpid()}-{path.name}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise


def to_json(trace):
    """A trace as text: a list for each value, node, tensor and event, in the order of its fields in events.py."""
    values = {}

    def plain(it):
        if isinstance(it, Value):
            return values.setdefault(it, len(values))
        if isinstance(it, bytes):
            return base64.b64encode(it).decode()
        if isinstance(it, float) and not math.isfinite(it):
            return {"float": str(it)}
        return list(map(plain, it)) if isinstance(it, tuple | list) else it

    def row(record):
        return [plain(getattr(record, name)) for name in record._fields]

    content = {
        "format": FORMAT, "version": VERSION, "nodes": list(map(row, trace.nodes.values())),
        "tensors": list(map(row, trace.tensors.values())), "events": [[event.kind, *row(event)[1:]] for event in trace],
        "lines": [[*place, text] for place, text in trace.lines.items()], "classes": list(trace.classes.items()),
        "calls": trace.calls, "turns": trace.turns,
    }  # fmt: skip
    text = json.dumps(content | {"values": list(map(row, values))}) + "\n"
    if len(text) > MOST:
        raise ValueError(f"save(): the trace takes more than {MOST:,} bytes; record fewer turns of the loop")
    return text


def from_json(path, make):
    """Call *make* with the parts of a trace, as `Trace` takes them; ValueError says why a file holds no trace."""
    with open(path, "rb") as file:
        text = file.read(MOST + 1)
    if len(text) > MOST:
        raise ValueError(f"{path} is larger than the {MOST:,} bytes that a trace may take")
    try:
        content = json.loads(text)
        version = content["version"] if content["format"] == FORMAT else VERSION
        if version == VERSION:
            return make(*parts_of(content))
    except Exception:  # whatever is wrong with it
        raise ValueError(f"{path} holds no trace, or not the whole of one: save it again") from None
    raise ValueError(f"{path} holds a trace of version {version!s:.20}, and this edition reads version {VERSION}: "
                     "record it again")  # fmt: skip


def parts_of(content):
    values, nodes, keys = [], {}, {entry[0] for entry in content["tensors"]}
    node, tensor = (only(str, among=known.__contains__) for known in (nodes, keys))

    def value(it):
        return values[whole(it)]

    readers = PLAIN | by_name({
        maybe(value): "value grad before after added total", list_of(value): "values",
        list_of(maybe(value)): "grads results",
        list_of(group(tensor, value)): "others", list_of(tensor): "inputs outputs", maybe(tensor): "tensor leaf",
        list_of(group(maybe(node), whole)): "edges roots", maybe(node): "node within",
        list_of(group(text, maybe(value), maybe(tensor))): "used",
    })  # fmt: skip

    def record(cls, entry, **others):
        own = readers | others
        return cls(*(own[name](it) for name, it in zip(cls._fields, entry, strict=True)))

    for entry in content["values"]:
        values.append(sound(record(Value, entry)))
    for entry in content["nodes"]:  # an edge leads to a node before it, so that there is no circle
        nodes[key(entry[0])] = uncounted(record(NodeRecord, entry, inputs=list_of(text)))
    tensors = {key(entry[0]): record(TensorRecord, entry, value=value) for entry in content["tensors"]}
    events = [record(KINDS[entry[0]], [place, *entry[1:]]) for place, entry in enumerate(content["events"])]
    if len(events) > MOST_EVENTS + 1 or len(nodes) > MOST_NODES + 1:
        raise ValueError
    lines = {(text(file), maybe(whole)(number)): text(line) for file, number, line in content["lines"]}
    calls, turns = map(group(text, whole, whole), content["calls"]), [*map(whole, content["turns"])]
    if turns != sorted({*turns}) or turns[-1:] >= [len(events)]:
        raise ValueError
    return events, tensors, nodes, lines, dict(map(group(text, text), content["classes"])), calls, turns


def sound(value):
    """A snapshot; ValueError if it does not have the elements that its shape and dtype announce."""
    allowed = value.size <= WHOLE if value.grid is None else len(value.grid) == 2 and max(value.grid) <= THUMBNAIL
    empty = value.grid is None and value.size == 0 and max(value.shape) > 10**6
    if not allowed or empty or value.is_readable and (
        value.dtype not in DTYPES or value.array.nbytes != len(value.raw)):  # fmt: skip
        raise ValueError
    return value


def uncounted(node):
    """A node with large whole numbers as floats: no formula makes huge numbers from these, or counts up to them."""
    tensors = operations[node.row].tensors if node.row in operations else ()
    most = 1000 if any(name in tensors for name, _ in node.constants) else 10**6

    def bounded(it):
        if type(it) is tuple:
            return tuple(map(bounded, it))
        return float(it) if type(it) is int and abs(it) >= most else it

    return node._replace(constants=tuple((name, bounded(it)) for name, it in node.constants))


# -- readers of entries ------------------------------------------------------------------------------------------------


def only(*kinds, read=lambda it: it, among=lambda it: True):
    """A function that reads an entry of one of these types; it raises ValueError for any other."""
    def reader(it):
        if type(it) not in kinds or not among(it):
            raise ValueError
        return read(it)

    return reader


whole = only(int, among=lambda it: 0 <= it < 2**63)
flag = only(bool)
text = only(str, read=legible)
key = only(str, among=re.compile(r"[tn]\d{1,9}").fullmatch)


def real(it):
    special = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
    return special[it["float"]] if type(it) is dict else only(float, int)(it)


def constant(it):
    if type(it) is list:
        return tuple(map(constant, it))
    return it if it is None or type(it) is bool else text(it) if type(it) is str else real(it)


def maybe(read):
    return lambda it: None if it is None else read(it)


def list_of(read):
    return only(list, read=lambda it: tuple(map(read, it)))


def group(*reads):
    return lambda it: tuple(read(part) for read, part in zip(reads, it, strict=True))


def by_name(fields):
    """``{name: the function that reads it}``; *fields* has for each function the names of the fields that it reads."""
    return {name: read for read, names in fields.items() for name in names.split()}


PLAIN = by_name({  # the fields that refer to nothing
    flag: "requires_grad is_leaf retains_grad freed view retain_graph create_graph", real: "zeros", key: "key",
    whole: "index output born version expected nans infs", text: "file name dtype hook stage error message place",
    base64.b64decode: "raw", maybe(text): "cut row", maybe(whole): "line pass_number", list_of(text): "saves",
    maybe(real): "low high mean norm", maybe(list_of(whole)): "grid", list_of(whole): "shape histogram",
    list_of(group(text, maybe(whole))): "names lines", list_of(group(text, constant)): "constants",
})  # fmt: skip
