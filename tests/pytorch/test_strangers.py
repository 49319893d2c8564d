"""A small program for each kind of thing that others' programs do and the microscope once failed on."""

import pytest
from looking import look
from programs import cube

import autograd_nb

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")


@pytest.mark.parametrize("library", [torch, autograd_nb])
def test_a_change_in_place_by_any_method_is_drawn(library):
    changed = 0
    for name in dir(library.Tensor):
        if not name.endswith("_") or name.startswith("_") or name == "set_":
            continue

        def run(name=name):
            h = library.tensor([0.2, 0.5, 0.7], requires_grad=True) * 0.5
            getattr(h, name)()
            if h.grad_fn is not None:
                h.sum().backward(retain_graph=True)
            return h

        try:
            run()
        except (TypeError, RuntimeError, NotImplementedError):  # it needs arguments, or other elements
            continue
        trace, _, made = look(run)
        if any(event.kind == "Changed" and event.node for event in trace):
            changed += 1
            assert "Backward" in made["draw(trace)"]
    assert changed > 20


def checkpoint(x):
    return torch.utils.checkpoint.checkpoint(torch.nn.Linear(3, 3), x, use_reentrant=True)


def compiled(x):
    torch.compiler.reset()
    return torch.compile(torch.nn.Linear(3, 3), backend="aot_eager")(x)


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("function", [cube(torch).apply, checkpoint, compiled])
def test_a_graph_whose_nodes_are_written_in_python_is_drawn_when_it_is_freed(function, retain):
    x = torch.ones(2, 3, requires_grad=True)

    def run():
        loss = function(x).sum()
        loss.backward(retain_graph=retain)
        return loss

    look(run)
    assert (" freed" in autograd_nb.draw(run()).text) == (not retain)
