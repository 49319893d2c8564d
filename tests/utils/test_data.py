"""``torch.utils.data`` beside PyTorch's: batches, their order after a seed, random draws, errors."""

import warnings

import pytest
from programs import told

import autograd_nb
import autograd_nb.utils.data

LOADERS = """
DataLoader(rows)
DataLoader(rows, 2)
DataLoader(rows, batch_size=2, shuffle=True)
DataLoader(rows, batch_size=2, shuffle=True, drop_last=True)
DataLoader(rows, batch_size=5, shuffle=True, pin_memory=False, timeout=0)
DataLoader(rows, batch_size=3, shuffle=True, generator=generator)
DataLoader(rows, batch_size=2, collate_fn=len)
DataLoader(Squares(5), batch_size=2, shuffle=True)
DataLoader([1, 2, 3], batch_size=2)
DataLoader([True, False], 2)
DataLoader(torch.arange(4), 2)
DataLoader(range(3))
DataLoader([(1, "a"), (2, "b")], 2)
DataLoader([b"1"])
DataLoader(np.arange(6.0).reshape(3, 2), 2)
DataLoader([1, 2.5, "a"])
DataLoader([])
""".strip().splitlines()
OTHERS = """
len(rows), rows[1], rows[1:3], rows.tensors[1]
TensorDataset(x, y[1:])
Dataset()[0]
DataLoader(rows, batch_size=0)
DataLoader(rows, batch_size=2.5)
DataLoader(rows, num_workers=-1)
DataLoader(TensorDataset(x[:0]), shuffle=True)
default_collate([torch.ones(1), torch.ones(2)])
default_collate([[1], [1, 2]])
default_collate([np.float32(1.5)]), default_collate([{"a": 1}, {"a": 2}])
[[*part] for part in random_split(range(7), [3, 4])], torch.rand(1)
[len(part) for part in random_split(rows, [0.5, 0.3, 0.2])], random_split(rows, [0.5, 0.5], generator)[0][0]
random_split(range(2), [0.9, 0.1]), random_split(range(3), [1, 1])
random_split(range(2), [1.5, -0.5])
Subset(rows, [3, 1])[1], len(Subset(rows, [3, 1])), Subset(rows, [3, 1])[[0, 1]], [*DataLoader(Subset(rows, [3, 1]), 2)]
torch.rand(1), iter(DataLoader(rows, shuffle=True)) and None, torch.rand(1)
""".strip().splitlines()


# A loader that runs twice, and the next random number
EACH = "(lambda it: ([*it], [*it], len(it), it.batch_size, it.drop_last, torch.rand(1)))({})"
SETUP = """
torch.manual_seed(0)
class Squares(Dataset):
    def __init__(self, count):
        self.count = count
    def __len__(self):
        return self.count
    def __getitem__(self, i):
        return {"x": torch.tensor([float(i)]), "name": f"s{i}", "y": i, "z": (i * 0.5, torch.tensor(i))}
x, y = torch.arange(10.0).reshape(5, 2), torch.arange(5)
rows, generator = TensorDataset(x, y), torch.Generator().manual_seed(5)
"""


def shown(torch, code):
    return told(torch, code, SETUP, **vars(torch.utils.data))


@pytest.mark.parametrize("code", LOADERS)
def test_batches_and_what_they_draw_are_pytorchs(code, live):
    assert shown(autograd_nb, EACH.format(code)) == shown(live, EACH.format(code))


@pytest.mark.parametrize("code", OTHERS)
def test_a_value_or_an_error_is_pytorchs(code, live):
    assert shown(autograd_nb, code) == shown(live, code)


def test_workers_are_told_and_change_nothing(live):
    rows = autograd_nb.utils.data.TensorDataset(autograd_nb.arange(6))
    with pytest.warns(UserWarning, match="loads data in this process: num_workers=2 has no effect"):
        loader = autograd_nb.utils.data.DataLoader(rows, 2, shuffle=True, num_workers=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        autograd_nb.manual_seed(0)
        mine = [each.tolist() for (each,) in loader]
    live.manual_seed(0)
    its = live.utils.data.DataLoader(live.utils.data.TensorDataset(live.arange(6)), 2, shuffle=True)
    assert mine == [each.tolist() for (each,) in its]
