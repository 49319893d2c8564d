"""``torch.utils.data``: samples by their number, and batches of them, in PyTorch's random order after the same seed."""

import math
from itertools import accumulate

import numpy as np

from ..engine.modes import warn
from ..engine.table import ops
from ..engine.tensor import Tensor
from ..torch_api import random_streams
from ..torch_api.keywords import stands_for


class Dataset:
    """Base class: a subclass defines ``__getitem__``, which gives the sample with a number, and ``__len__``."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __class_getitem__(cls, kind):
        return cls  # Dataset[int], in an annotation


class TensorDataset(Dataset):
    """Samples that are the rows of *tensors*, which have the same length: sample i is ``(x[i], y[i])``."""

    def __init__(self, *tensors):
        if any(len(each) != len(tensors[0]) for each in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(each[index] for each in self.tensors)

    def __len__(self):
        return len(self.tensors[0])


class Subset(Dataset):
    """The samples of a *dataset* with the numbers *indices*."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx):
        inner = [self.indices[each] for each in idx] if isinstance(idx, list) else self.indices[idx]
        return self.dataset[inner]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Subsets of a dataset with the numbers of samples *lengths*, or with these shares of all, chosen at random.

    >>> import autograd_nb as torch
    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    count = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for number, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ValueError(f"Fraction at index {number} is not between 0 and 1")
        lengths = [math.floor(count * share) for share in lengths]
        for number in range(count - sum(lengths)):
            lengths[number % len(lengths)] += 1
        for number, length in enumerate(lengths):
            if length == 0:
                warn(f"Length of split at index {number} is 0. This might result in an empty dataset.")
    if sum(lengths) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random_streams.permutation(count, generator=generator).tolist()
    return [Subset(dataset, order[end - length : end])
            for end, length in zip(accumulate(lengths), lengths, strict=True)]  # fmt: skip


def default_collate(batch):
    """Samples as one batch: tensors are stacked, numbers become a tensor; in tuples, lists and dicts, part by part.

    >>> from autograd_nb.utils.data import default_collate
    >>> default_collate([(1, 0.5), (2, 1.5)])
    [tensor([1, 2]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return ops.stack([*batch])
    if isinstance(first, np.ndarray | np.generic):
        return ops.as_tensor(np.stack(batch))
    if isinstance(first, int | float):
        return ops.tensor([*batch], dtype=float if isinstance(first, float) else None)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple | list):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(each) for each in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
                    f"{type(first)}")  # fmt: skip


WITHOUT_EFFECT = ("pin_memory", "timeout", "worker_init_fn", "multiprocessing_context", "persistent_workers",
                  "pin_memory_device", "in_order")  # fmt: skip


class DataLoader:
    """Batches of *batch_size* samples of a *dataset*; with *shuffle*, each ``for`` has a new random order.

    *drop_last* leaves out a last batch that is smaller; *collate_fn* makes a batch of a list of samples.  All is loaded
    in this process: *num_workers* and their settings change nothing.

    >>> import autograd_nb as torch
    >>> x = torch.arange(5)
    >>> for (rows,) in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), batch_size=2):
    ...     print(rows)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    def __init__(self, dataset, batch_size=1, shuffle=None, *, num_workers=0, collate_fn=default_collate,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None,
                 generator=None, prefetch_factor=None, persistent_workers=False, pin_memory_device="",
                 in_order=True):  # fmt: skip
        given = locals()
        vars(self).update({name: given[name] for name in WITHOUT_EFFECT})
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if num_workers:
            warn(f"autograd_nb loads data in this process: num_workers={num_workers} has no effect")
        if type(batch_size) is not int or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if shuffle and not len(dataset):
            raise ValueError("num_samples should be a positive integer value, but got num_samples=0")
        self.dataset, self.batch_size, self.drop_last, self.generator = dataset, batch_size, drop_last, generator
        self.num_workers, self.prefetch_factor, self.shuffle = 0, None, bool(shuffle)
        self.collate_fn = collate_fn or default_collate

    def __iter__(self):
        random_integer(self.generator)  # PyTorch draws a seed for workers, wherever samples are loaded
        return self.batches()

    def batches(self):
        order, size = self.order(), self.batch_size
        for start in range(0, len(self) * size, size):
            yield self.collate_fn([self.dataset[number] for number in order[start : start + size]])
        if self.shuffle and self.generator is not None:
            self.order()  # PyTorch draws a second one too, which it does not use

    def order(self):
        """The numbers of the samples."""
        count, generator = len(self.dataset), self.generator
        if not self.shuffle:
            return range(count)
        if generator is None:
            generator = random_streams.Generator().manual_seed(random_integer())
        return random_streams.permutation(count, generator=generator).tolist()

    def __len__(self):
        count, size = len(self.dataset), self.batch_size
        return count // size if self.drop_last else -(-count // size)


def random_integer(generator=None):
    return int(random_streams.integers((), 0, 2**63, generator=generator))


__getattr__ = stands_for("torch.utils.data", globals())
