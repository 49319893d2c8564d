"""The trace of recorded programs: its events, its names and its limits."""

import gc
import linecache
import warnings
import weakref
from contextlib import nullcontext, suppress

import house
import numpy as np
import pytest
from programs import ON_BOTH
from rows import leaves, ours, outputs, tensors
from samples import all_samples

import autograd_nb
from autograd_nb.microscope import recorder
from autograd_nb.microscope.events import Value, snapshot
from autograd_nb.microscope.labels import precise
from autograd_nb.microscope.moments import Moment


@pytest.mark.parametrize("program", ON_BOTH)
def test_every_trace_reads_well(program):
    with suppress(RuntimeError, ZeroDivisionError), autograd_nb.record() as trace:
        program(autograd_nb)
    for detail in ("fast", "full"):
        for step in trace.steps(detail):
            assert step.sentence and "None" not in step.sentence.replace("was None", "").replace("to None", "")
        assert [event for step in trace.steps(detail) for event in step.events] == list(trace)
    titles = [title for title in map(trace.titles.get, trace.tensors) if title]
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize("name, sample", [
    pytest.param(name, next((each for each in samples if each.smooth), samples[0]), id=name)
    for name, samples in all_samples().items()
])  # fmt: skip
def test_every_operation_reads_well_in_a_trace(name, sample):
    def leaves_of(record):
        args, kwargs = (tensors(autograd_nb, each, "float64") for each in (sample.args, sample.kwargs))
        inputs = leaves([*args, *kwargs.values()])
        with record:
            roots = [each for each in outputs(ours(name)(*args, **kwargs)) if getattr(each, "requires_grad", False)]
            if roots:
                autograd_nb.autograd.backward(roots, [autograd_nb.ones_like(each) for each in roots])
        return inputs

    recording = autograd_nb.record()
    try:
        plain = leaves_of(nullcontext())
    except RuntimeError as error:  # it has no derivative, or not for this sample
        with pytest.raises(RuntimeError) as raised:
            leaves_of(recording)
        assert str(raised.value) == str(error) and recording.trace[-1].message == str(error)
        return
    recorded = leaves_of(recording)
    for before, after in zip(plain, recorded, strict=True):
        assert (before.grad is None) == (after.grad is None)
        assert before.grad is None or np.array_equal(before.grad.numpy(), after.grad.numpy(), equal_nan=True)
    trace = recording.trace
    assert all(step.sentence for step in trace.steps("full"))
    assert "by its derivative rule" not in str(trace)


def kinds(trace, *wanted):
    return [event for event in trace if event.kind in wanted]


def test_names_are_the_learners_and_rebound_ones_keep_their_line():
    x = autograd_nb.tensor(2.0, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x * 3
        y = y + 1
        w = autograd_nb.tensor(4.0)
        z = y * w
    first = linecache.getlines(__file__).index("        y = y + 1\n")
    labels = [trace.labels[event.outputs[0]] for event in kinds(trace, "Operation")]
    assert labels == [f"y (line {first})", f"y (line {first + 1})", "z"]
    names = {record.name: record.names for record in trace.tensors.values()}
    assert names["w"] == (("w", first + 2),) and names["x"] == (("x", None),)
    assert [trace.code[0][1].strip(), trace.code[-1][1].strip()] == ["y = x * 3", "z = y * w"]
    assert z.item() == 28


def test_the_recording_holds_neither_tensors_nor_frames():
    def inner():
        big = autograd_nb.ones(3, requires_grad=True)
        dead = weakref.ref(big * 2)
        with autograd_nb.record() as trace:
            temporary = weakref.ref(big * 3)
            assert temporary() is None
            (big * 4).sum().backward()
        return weakref.ref(big), dead, trace

    gc.disable()
    try:
        big, dead, trace = inner()
        assert big() is None and dead() is None
        assert len(trace.tensors) >= 3
    finally:
        gc.enable()


def test_a_saved_tensor_found_modified_is_told_with_both_versions():
    x = autograd_nb.tensor(2.0, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x * 3
        z = y * y
        y.add_(1)
        with pytest.raises(RuntimeError):
            z.backward()
        with pytest.raises(RuntimeError):
            y.backward(autograd_nb.ones(2))
    (found, *_), (failed, *_) = kinds(trace, "FoundModified"), kinds(trace, "Failed")
    assert (found.name, found.version, found.expected, trace.labels[found.tensor]) == ("self", 1, 0, "y")
    assert trace.nodes[failed.node].name == "MulBackward0" and "is at version 1" in failed.message
    assert not kinds(trace, "Finished")


def test_cuts_views_hooks_and_zeroed_grads_are_data():
    x = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    with autograd_nb.record() as trace:
        d = x.detach()
        with autograd_nb.no_grad():
            e = x * 2
        with autograd_nb.inference_mode():
            x * 3
        v = d[0]
        v.add_(1)
        y = x * e
        y.register_hook(lambda grad: grad * 5)
        y.sum().backward()
        x.grad.zero_()
        x.grad = None
        x * 1
        x.grad = autograd_nb.ones(2)
        x * 1
    operations = kinds(trace, "Operation")
    assert [event.cut for event in operations[:4]] == ["detach", "no_grad", "inference_mode", None]
    assert operations[3].view
    (changed,) = kinds(trace, "Changed")
    others = {trace.labels[key]: value.data for key, value in changed.others}
    assert changed.value.data == 2.0 and others == {"x": [2.0, 2.0], "d": [2.0, 2.0]}
    (hooked,) = kinds(trace, "Hooked")
    assert (hooked.before.data, hooked.after.data) == ([1.0, 1.0], [5.0, 5.0])
    assert [event.value and event.value.data for event in kinds(trace, "Zeroed", "GradSet")] == [
        [0.0, 0.0], None, [1.0, 1.0]]  # fmt: skip


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_numbers_that_the_program_takes_are_told_and_are_no_step(library, tmp_path):
    torch = pytest.importorskip(library)
    x, data = torch.tensor([2.0], requires_grad=True), torch.ones(1)

    def mean_of(tensors):
        return sum(each.item() for each in tensors) / len(tensors)

    with autograd_nb.record() as trace:
        y = x * data
        float(y), int(y), y.tolist(), y.detach().numpy()
        torch.tensor([y, 1.0])
        mean_of([x, y])
        print(y, f"{y}", bool(y))
        torch.zeros(1).item()  # took no part
    read = kinds(trace, "Read")
    assert [event.name for event in read] == "float int tolist numpy tensor item item".split()
    lines = [[line for _, line in event.lines] for event in read]
    assert [len({*each}) for each in lines] == [1] * 5 + [2] * 2  # two for a helper's, and for its caller's
    assert {trace.labels[key] for event in read[-2:] for key in event.inputs} == {"x", "y"}
    trace.save(tmp_path / "trace.json")
    assert autograd_nb.record.load(tmp_path / "trace.json").events == trace.events
    told = [event for detail in ("fast", "full") for step in trace.steps(detail) for event in step.events]
    assert not {*read}.intersection(told)


def test_what_pack_hooks_took_is_not_asked_for_by_the_recording():
    unpacked = []
    x = autograd_nb.tensor(2.0, requires_grad=True)

    def unpack(packed):
        unpacked.append(packed)
        return packed / 2

    with autograd_nb.autograd.graph.saved_tensors_hooks(lambda saved: saved * 2, unpack):
        y = x.exp() * x
    with autograd_nb.record() as trace:
        y.backward()
    assert len(unpacked) == 3
    used = {event.name: event.value for event in kinds(trace, "Used")}
    assert used == {"self": None, "other": None, "result": None}
    assert "grad_output · other" in str(trace)


def test_recording_a_function_gives_its_result():
    trace = autograd_nb.record(lambda x: x * 2, autograd_nb.tensor(3.0))
    assert trace.result.item() == 6.0
    with pytest.raises(TypeError, match="record"):
        autograd_nb.record(3)


def test_an_empty_trace_says_so():
    with autograd_nb.record() as trace:
        pass
    assert (len(trace), str(trace), repr(trace)) == (0, "Nothing was recorded.", "Trace: nothing recorded")
    assert trace.steps() == [] and trace.code == []
    assert Moment(trace).advance().entries == {}
    with pytest.raises(ValueError, match="detail"):
        trace.steps("all")


def test_lines_of_notebook_cells_are_found():
    scope = {"x": autograd_nb.tensor(1.0, requires_grad=True), "autograd_nb": autograd_nb}
    with autograd_nb.record() as trace:
        exec(house.compiled("y = x * 2\ny.backward()\n", "/somewhere/ipykernel_17/123.py"), scope)
    assert {(file, text) for (file, _), text in trace.code if file == "cell 1"} == {
        ("cell 1", "y = x * 2"), ("cell 1", "y.backward()")}  # fmt: skip
    assert not any("/somewhere" in event.file for event in trace)


def test_a_long_recording_ends_and_says_so(monkeypatch):
    monkeypatch.setattr(recorder.Recorder.__init__, "__defaults__", (100,))
    x = autograd_nb.tensor(1.0, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x
        for _ in range(200):
            y = y * 1.5
        y.backward()
    assert [event.kind for event in trace] == ["Operation"] * 100 + ["Ended"]
    assert [event.index for event in trace] == list(range(101))
    assert trace.notice in repr(trace) and len(trace.tensors) == 101
    assert len(Moment(trace).advance().entries) == 101 and x.grad is not None


def test_large_arrays_are_summarised():
    array = np.arange(10_000, dtype="float32").reshape(100, 100)
    value = snapshot(array, "float32")
    assert (value.data, value.low, value.high, value.mean) == (None, 0.0, 9999.0, 4999.5)
    assert value.shape == (100, 100) and value.array.shape == (8, 8) and value.array[-1, -1] == 9999.0
    assert snapshot(np.float32(2), "float32") == Value((), "float32", np.float32(2).tobytes())


@pytest.mark.parametrize("side", [6, 8, 9, 40])
def test_what_is_not_finite_is_counted_in_values_of_every_size(side):
    array = np.arange(side * side, dtype="float32").reshape(side, side)
    assert "NaN" not in precise(snapshot(array, "float32")) and "inf" not in precise(snapshot(array, "float32"))
    array[0], array[1, 1] = np.nan, np.inf
    assert precise(snapshot(array, "float32")).endswith(f", NaN × {side}, inf × 1")


@pytest.mark.parametrize(("text", "wanted"), [
    *((text, text) for text in (
        "(x + q) * x", "x - (q - x)", "x + q + x", "-(x**2)", "(x + q)**2", "x * 3", "1 - x", "2**x", "x / (q / x)")),
    ("torch.relu(x * q)", "relu(x * q)"), ("torch.reciprocal(x)", "1 / x"),
    ("torch.stack([x, q])[1]", "stack(x, q)[1]"),
    ("torch.exp(torch.exp(torch.exp(torch.exp(torch.exp(x)))))", "exp(…)"),
    ("torch.nn.functional.binary_cross_entropy_with_logits(x, q)", "binary_cross_entropy_with_logits(…)"),
])  # fmt: skip
def test_expressions_read_as_they_were_written(text, wanted):
    names = {"torch": autograd_nb, "x": autograd_nb.tensor(2.0, requires_grad=True), "q": autograd_nb.tensor(3.0)}
    with autograd_nb.record() as trace:
        names["q"].requires_grad_()
        x, q = names["x"], names["q"]
        z = eval(text, names).sum()
    made = trace.tensors[trace[-1].inputs[0]]
    assert trace.titles[made.key] == wanted and z.requires_grad
    assert (x.grad, q.grad) == (None, None)


# -- a user's Function and a hook are one step each, described by its result


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_what_a_function_changes_in_place_in_its_forward_is_its_own_affair_too(library, request):
    library = autograd_nb if library == "autograd_nb" else request.getfixturevalue("torch")

    class Six(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            doubled = x * 2
            doubled.mul_(3)
            return doubled + 0

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 6

    x = library.tensor(2.0, requires_grad=True)
    with autograd_nb.record() as trace:
        y = Six.apply(x)
        y.backward()
    assert trace.steps()[0].sentence == "Six computes y = 12 from x; SixBackward is recorded for the way back."
    for step in range(len(trace.steps())):
        picture = autograd_nb.draw(trace, step=step).picture
        assert [node.title for node in picture.nodes] == ["x", "SixBackward", "y"]


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_what_a_function_saved_is_read_without_its_hooks_and_also_when_it_was_changed(library, request):
    library = autograd_nb if library == "autograd_nb" else request.getfixturevalue("torch")

    class Square(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            return 2 * ctx.saved_tensors[0] * grad_output

    x, unpacked = library.tensor([1.0, 2.0], requires_grad=True), []
    with library.autograd.graph.saved_tensors_hooks(lambda it: it, lambda it: (unpacked.append(it), it)[1]):
        y = Square.apply(x)
    assert "saved_tensors[0]" in autograd_nb.draw(y).text
    assert not unpacked
    h = x * 3
    z = Square.apply(h).sum()
    h.add_(1)
    assert "error: changed in place after it was saved" in autograd_nb.draw(z).text
    assert "and it was changed in place since" in str(autograd_nb.why(z))
    with autograd_nb.record() as trace, pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    (found,) = (event for event in trace if event.kind == "FoundModified")
    assert (trace.labels[found.tensor], found.version, found.expected) == ("h", 1, 0)


@pytest.mark.parametrize(("register", "said"), [
    (lambda x: x.register_hook(lambda g: (g + 1) * 2), "of x sees 4 and computes (g + 1) · 2 = 10."),
    (lambda x: (x.register_hook(lambda g: g * 2), x.register_hook(lambda g: g * 5)),
     "of x sees 4 and computes g · 2 = 8. The hook of x sees 8 and computes g · 5 = 40."),
    (lambda x: x.register_hook(lambda g: g.abs() + len("a)")), "of x sees 4 and computes g.abs() + len('a)') = 6."),
    (lambda x: x.register_hook(lambda g: g.abs() + 0 * x), "of x (<lambda>) sees 4 and makes it 4."),
    (lambda x: x.register_hook(lambda g: g.__imul__(3)), "(lambda g) is called. mul_ changes g in place to 12"),
    (lambda x: x.register_hook(lambda g: print(g)), "of x (lambda g) sees 4 and leaves it as it is."),
    (lambda x: x.register_hook(autograd_nb.sin), "of x (sin) sees 4 and"),
])  # fmt: skip
def test_the_text_of_a_hook_is_told_where_it_is_sure(register, said):
    x = autograd_nb.tensor(2.0, requires_grad=True)
    register(x)
    with autograd_nb.record() as trace:
        (x**2).backward()
    assert said in " ".join(step.sentence for step in trace.steps())


def test_nothing_of_pytorchs_room_is_loaded_while_nobody_has_imported_pytorch():
    program = """
import sys
import autograd_nb as torch
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    y = x ** 3
    y.backward()
torch.draw(x * y).svg, str(trace), torch.draw(trace).svg, str(torch.info(x, y)), str(torch.why(x))
print(*[name for name in sys.modules if name.startswith(("torch", "autograd_nb.microscope.pytorch"))])
"""
    assert house.run("-c", program).split() == []


def test_numbers_beyond_the_range_of_a_dtype_are_recorded_without_a_warning():
    x = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings(), autograd_nb.record():
        warnings.simplefilter("error")
        ((x + 1e39) * 1e39).sum().backward()
    assert x.grad.isinf().all()


def test_a_trace_shows_itself_where_step_is_a_variable_of_the_program():
    x = autograd_nb.tensor(5.0, requires_grad=True)
    with autograd_nb.record() as trace:
        for step in range(2):
            (x**3 * step).backward()
    assert str(trace.step()) == str(autograd_nb.step(trace)) and trace.draw().svg == autograd_nb.draw(trace).svg
    assert trace.draw(step=2).svg == autograd_nb.draw(trace, step=2).svg != trace.draw().svg
    assert str(trace.why(x)) == str(autograd_nb.why(x, trace)) and str(trace.why()) == str(autograd_nb.why(trace=trace))
    assert step == 1
