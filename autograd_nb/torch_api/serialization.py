"""Tensors in files, in PyTorch's own format: ``save`` writes what PyTorch loads, ``load`` reads what PyTorch saved.

Such a file is a zip archive: ``data.pkl``, a pickle of everything but the elements, and beside it a file of raw bytes
for each tensor.  A pickle can name any function to be called, so the one here may name a handful only; and what it
names belongs to PyTorch, which is why names are written and read without being imported.
"""

import io
import pickle
import zipfile
from collections import OrderedDict

import numpy as np

from ..engine import dtypes
from ..engine.sizes import Size
from ..engine.tensor import Tensor
from .arguments import made
from .devices import require_cpu
from .legacy import LEGACY


class Global:
    """A name in a module, written into a pickle as it stands."""

    def __init__(self, module, name):
        self.module = module
        self.name = name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is only a name here")  # pickle asks that it can be called


class Storage:
    """The elements of one tensor: a file of their bytes in the archive."""

    def __init__(self, dtype, key, array):
        self.dtype = dtype
        self.key = key
        self.array = array


PLAIN = (dict, OrderedDict, list, tuple, set, str, bytes, int, float, complex, bool, type(None))


class Writer(pickle._Pickler):  # the one in Python: the one in C insists on importing the names it writes
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.storages = []

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, dtypes.dtype):
            obj = Global("torch", obj.name)
        if isinstance(obj, Global):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        else:
            super().save(obj, save_persistent_id)

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        kind = Global("torch", obj.dtype.legacy_name + "Storage")
        return "storage", kind, obj.key, "cpu", obj.array.size

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            if obj.__class__.__name__ == "Parameter":
                return Global("torch._utils", "_rebuild_parameter"), (obj.detach(), obj.requires_grad, OrderedDict())
            return Global("torch._utils", "_rebuild_tensor_v2"), self.parts(obj)
        if isinstance(obj, Size):
            return Global("torch", "Size"), (tuple(obj),)
        if obj.__class__ in PLAIN or obj is OrderedDict:
            return NotImplemented
        raise TypeError(
            "save(): tensors in dicts, lists and tuples of plain Python values can be saved, not "
            f"{type(obj).__name__}; of a module save its state_dict()"
        )

    def parts(self, tensor):
        array = np.ascontiguousarray(tensor._array)
        storage = Storage(tensor._dtype, str(len(self.storages)), array)
        self.storages.append(storage)
        strides = tuple(step // array.itemsize for step in array.strides) if tensor._array.shape else ()
        return storage, 0, tuple(tensor._array.shape), strides, tensor.requires_grad, OrderedDict()


def save(obj, f, pickle_module=None, pickle_protocol=2):
    """Write tensors, alone or in dicts, lists and tuples (a ``state_dict()``), to the file or file object *f*.

    TypeError for anything that :func:`load` would refuse.

    >>> import io, autograd_nb as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    text = io.BytesIO()
    writer = Writer(text)
    writer.dump(obj)
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("archive/data.pkl", text.getvalue())
        archive.writestr("archive/byteorder", "little")
        for storage in writer.storages:
            native = storage.array.astype(storage.dtype.numpy.newbyteorder("<"), copy=False)
            archive.writestr(f"archive/data/{storage.key}", native.tobytes())
        archive.writestr("archive/version", "3\n")


def rebuild_tensor(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    item = storage.itemsize
    strides = [step * item for step in stride]
    array = np.ndarray(tuple(size), storage.dtype, storage, offset * item, strides)  # refuses to leave the buffer
    return made(array, requires_grad)


def rebuild_parameter(data, requires_grad, hooks):
    from ..nn import Parameter

    return Parameter(data, requires_grad)


ALLOWED = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch", "Size"): Size,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    **{("torch", dtype.name): dtype for dtype in LEGACY},
    **{("torch", dtype.legacy_name + "Storage"): dtype for dtype in LEGACY},
}


class Reader(pickle.Unpickler):
    def __init__(self, file, archive, root):
        super().__init__(file)
        self.archive = archive
        self.root = root
        self.storages = {}

    def find_class(self, module, name):
        try:
            return ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(
                f"Weights only load failed: the file names {module}.{name}, and only tensors and plain containers are "
                "loaded here, because anything else in a file could run code"
            ) from None

    def persistent_load(self, pid):
        _, dtype, key, _, count = pid
        if key not in self.storages:
            raw = bytearray(self.archive.read(f"{self.root}data/{key}"))
            stored = np.frombuffer(raw, dtype.numpy.newbyteorder("<"), count)
            self.storages[key] = stored.astype(dtype.numpy, copy=False)
        return self.storages[key]


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None):
    """Read what :func:`save`, or PyTorch's, wrote to the file or file object *f*; runs no code from the file.

    UnpicklingError for a file that holds more than tensors in plain containers, ValueError for any other file, and for
    ``weights_only=False``, which would have to trust it.
    """
    if not weights_only:
        raise ValueError("load(): weights_only=False would run code from the file; autograd_nb loads tensors only")
    if map_location is not None and not callable(map_location) and not isinstance(map_location, dict):
        require_cpu(map_location)
    if not zipfile.is_zipfile(f):
        raise ValueError(f"load(): {f!r} is no file that torch.save() wrote")
    with zipfile.ZipFile(f) as archive:
        names = [name for name in archive.namelist() if name.endswith("data.pkl")]
        if len(names) != 1:
            raise ValueError(f"load(): {f!r} is no file that torch.save() wrote")
        root = names[0].removesuffix("data.pkl")
        with archive.open(names[0]) as file:
            return Reader(file, archive, root).load()
