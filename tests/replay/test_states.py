"""The states of a trace: after each step what the engine has, and first state and changes that come to the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trace import PROGRAMS, run

import autograd_nb


def recorded(program):
    with autograd_nb.record() as trace:
        run(autograd_nb, program)
    return trace


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("detail", ["fast", "full"])
def test_first_state_and_changes_come_to_every_state(program, detail):
    trace = recorded(program)
    first, changes = trace.changes(detail)
    state = first.copy()
    states = list(trace.states(detail))
    assert len(states) == len(trace.steps(detail)) + 1
    for index, each in enumerate(changes):
        state.change(each)
        assert state == states[index + 1] == trace.state(index, detail)
    assert trace.state(-1, "fast") == trace.state(-1, "full") == state


def test_a_pass_step_by_step():
    x = autograd_nb.tensor(5.0, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x**3
        z = y.log()
        z.backward()
    keys = {record.name: key for key, record in trace.tensors.items()}
    power, logarithm = (event.node for event in trace if event.kind == "Operation")
    leaf = trace.tensors[keys["x"]].node
    assert list(next(trace.states()).tensors) == [keys["x"]]
    shown = []
    for state in list(trace.states())[2:]:
        moving = {key: round(edge["value"].data, 4) for key, edge in state.edges.items() if edge["moving"]}
        status = [state.nodes[key]["status"] for key in (logarithm, power, leaf)]
        grad = state.tensors[keys["x"]]["grad"]
        shown.append((status, moving, grad and round(grad.data, 4)))
    assert shown == [
        (["idle", "idle", "idle"], {}, None),
        (["ready", "pending", "pending"], {"start:0": 1.0}, None),
        (["ran", "ready", "pending"], {f"{logarithm}:0": 0.008}, None),
        (["ran", "ran", "ready"], {f"{power}:0": 0.6}, None),
        (["ran", "ran", "ran"], {}, 0.6),
        (["ran", "ran", "ran"], {}, 0.6),
    ]
    assert trace.state().nodes[power]["freed"] and not trace.state(2).nodes[power]["freed"]
    assert y.item() == 125.0


def test_views_versions_cuts_and_retained_gradients_are_in_the_state():
    x = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    with autograd_nb.record() as trace:
        y = x * 2
        y.retain_grad()
        d = y.detach()
        y.add_(1)
        y.sum().backward()
    keys = {record.name: key for key, record in trace.tensors.items()}
    last = trace.state().tensors
    assert last[keys["d"]] == {"value": last[keys["y"]]["value"], "grad": None, "version": 1, "retained": False,
                               "cut": "detach"}  # fmt: skip
    assert last[keys["y"]]["retained"] and last[keys["y"]]["grad"].data == y.grad.tolist()
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
def test_whatever_runs_the_last_state_is_what_the_tensors_hold(program):
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
    state = trace.state()
    by_name = {record.name: key for key, record in trace.tensors.items()}
    for place, tensor in enumerate(tensors):
        key = by_name.get("leaf" if tensor is leaf else f"tensors[{place}]")
        if key is None:
            continue
        entry = state.tensors[key]
        assert np.array_equal(entry["value"].array, tensor.detach().numpy())
        assert entry["version"] == tensor._version
    if "leaf" in by_name:
        held = state.tensors[by_name["leaf"]]["grad"]
        assert (held is None) == (leaf.grad is None)
        assert held is None or np.array_equal(held.array, leaf.grad.numpy())
