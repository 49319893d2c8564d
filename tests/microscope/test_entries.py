"""The entries of a trace: the state of each tensor after each step."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_nb
from autograd_nb.microscope.moments import Moment


def last_entries(trace):
    """The entry of each tensor at the end; every way there gives the same."""
    gradual = Moment(trace)
    for count in range(len(trace)):
        gradual.advance(count + 1)
    assert dict(gradual.entries) == dict(Moment(trace).advance().entries)
    return gradual.entries


def test_views_versions_cuts_and_retained_gradients_are_entries():
    x = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    with autograd_nb.record() as trace:
        y = x * 2
        y.retain_grad()
        d = y.detach()
        y.add_(1)
        y.sum().backward()
    keys = {record.name: key for key, record in trace.tensors.items()}
    assert list(Moment(trace).entries) == [keys["x"]]
    last = last_entries(trace)
    assert last[keys["d"]] == {"value": last[keys["y"]]["value"], "grad": None, "version": 1, "cut": "detach"}
    assert last[keys["y"]]["grad"].data == y.grad.tolist()
    assert last[keys["y"]]["value"].data == d.tolist() == [3.0, 5.0]


steps_of_programs = st.lists(
    st.tuples(st.sampled_from(["mul", "add", "sin", "detach", "view", "change", "backward", "zero", "none"]),
              st.integers(0, 5), st.integers(0, 5)),
    max_size=12,
)  # fmt: skip


MAKING = {"mul": lambda a, b: a * b, "add": lambda a, b: a + b, "sin": lambda a, b: a.sin(),
          "detach": lambda a, b: a.detach(), "view": lambda a, b: a[:]}  # fmt: skip


@given(steps_of_programs)
@settings(max_examples=60, deadline=None)
def test_whatever_runs_the_last_entries_are_what_the_tensors_hold(program):
    leaf = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    tensors = [leaf, leaf * 1.5]
    with autograd_nb.record() as trace:
        for action, first, second in program:
            a, b = tensors[first % len(tensors)], tensors[second % len(tensors)]
            try:
                if action == "backward":
                    a.backward(autograd_nb.ones(2), retain_graph=True)
                elif action == "zero" and leaf.grad is not None:
                    leaf.grad.zero_()
                elif action == "none":
                    leaf.grad = None
                elif action == "change":
                    a.add_(1.0)
                elif action not in ("zero", "none"):
                    tensors.append(MAKING[action](a, b))
            except RuntimeError:
                pass
    entries = last_entries(trace)
    by_name = {record.name: key for key, record in trace.tensors.items()}
    for place, tensor in enumerate(tensors):
        key = by_name.get("leaf" if tensor is leaf else f"tensors[{place}]")
        if key is None:
            continue
        entry = entries[key]
        assert np.array_equal(entry["value"].array, tensor.detach().numpy())
        assert entry["version"] == tensor._version
    if "leaf" in by_name:
        held = entries[by_name["leaf"]]["grad"]
        assert (held is None) == (leaf.grad is None)
        assert held is None or np.array_equal(held.array, leaf.grad.numpy())


def test_a_model_whose_own_code_fails_is_recorded_as_any_other():
    class Odd(autograd_nb.nn.Linear):
        def named_modules(self, *arguments, **named):
            raise RuntimeError("not to be asked")

    def told(model):
        with autograd_nb.record() as trace:
            model(autograd_nb.ones(1, 2)).sum().backward()
        return [event.kind for event in trace]

    assert told(Odd(2, 1)) == told(autograd_nb.nn.Linear(2, 1))
