"""Compares each moment of a recording with one computed from the events without the pictures' code."""

import contextlib
import io
import random
import warnings

import pytest
from programs import ON_BOTH

import autograd_nb
from autograd_nb.drawing.folding import Graph
from autograd_nb.drawing.outline import Outline, Painter
from autograd_nb.microscope.labels import in_line, precise
from autograd_nb.microscope.moments import Moment
from autograd_nb.widgets.stories import Story
from tests.fuzz.grammar import Writer
from tests.fuzz.running import Side

FEW = 25  # about how many moments of a recording the tests look at
COUNT, SEED = 60, 31  # of random programs


def computed(event):
    """Whether the learner's code computed it, and not a hook, a formula or a Function."""
    return event.kind in ("Operation", "Changed") and (
        event.node is not None or event.pass_number is None and event.within is None)  # fmt: skip


def entries(trace, past):
    """``{tensor: (value, grad, version, cut)}`` of the existing tensors: as they came, then as they changed."""
    held = {key: [record.value, record.grad, record.version, None] for key, record in trace.tensors.items()
            if record.born <= len(past)}  # fmt: skip
    for event in past:
        match event.kind:
            case "Operation":
                for key in event.outputs:
                    held[key][3] = event.cut
            case "Changed":
                for key, value in ((event.tensor, event.value), *event.others):
                    held[key][0], held[key][2] = value, event.version
            case "Accumulated":
                held[event.tensor][1] = event.total
            case "Retained" | "Zeroed" | "GradSet":
                held[event.tensor][1] = event.value
    return {key: tuple(parts) for key, parts in held.items()}


def travelled(trace, past):
    """The work of the pass that began last: ``{edge: gradient}`` that arrived, ``{(node, input): gradient}`` sent."""
    arrived, sent = {}, {}
    for event in past:
        match event.kind:
            case "Started":
                arrived, sent = dict(zip(map(tuple, event.roots), event.grads, strict=True)), {}
            case "Ran":
                arrived |= {(event.node, number): value for number, value in enumerate(event.grads)}
                for number, (edge, value) in enumerate(zip(trace.nodes[event.node].edges, event.results, strict=False)):
                    if value is not None and edge[0]:
                        sent[event.node, number] = value
                        arrived.setdefault(tuple(edge), value)
            case "Summed":
                arrived[event.node, event.output] = event.total
            case "Captured":
                arrived[event.node, event.output] = event.value
            case "Accumulated":
                arrived[event.node, 0] = event.grad
            case "Hooked" if event.before is not None:
                place = event.node, event.output
                after = event.before if event.after is None else event.after
                if event.stage == "post_hooks":
                    sent[place] = after
                elif event.stage != "accumulated_hooks":
                    arrived[place] = after
    return arrived, {place: value for place, value in sent.items() if value is not None}


def says(way, value):
    """Whether an edge shows this gradient: in its label, or as the result of hooks."""
    return way.get("label") == in_line(value) if not way.get("hook") else in_line(value) in way["hook"]


def check(trace):
    whole = Moment(trace).advance()
    outline = Outline(Graph(whole), len(trace.nodes) + 2 * len(trace.tensors) + len(trace))  # nothing is folded
    every = max(1, len(trace) // FEW)
    for count in {*range(0, len(trace), every), len(trace)}:
        past, moment = trace.events[:count], Moment(trace).advance(count)
        held, (arrived, sent) = entries(trace, past), travelled(trace, past)
        assert {key: tuple(entry.values()) for key, entry in moment.entries.items()} == held
        freed = {key for key, record in trace.nodes.items() if record.freed} | {
            event.node for event in past if event.kind == "Freed"}  # fmt: skip
        assert {*moment.freed} == freed
        check_gradients(moment, arrived, sent)
        calls = {event.node or f"op{event.index}" for event in past
                 if computed(event) and (event.kind == "Operation" or event.node)
                 and (event.node or event.name not in ("detach", ".data"))}  # fmt: skip
        later = {event.node for event in trace[count:] if event.kind in ("Operation", "Changed")} - calls
        assert calls <= moment.calls.keys() and not later & moment.calls.keys()
        check_picture(trace, Painter(outline, moment).picture(), past, held)


def check_gradients(moment, arrived, sent):
    taken = {place: way for place, way in moment.sent.items() if way["kind"] == "gradient"}
    assert taken.keys() == sent.keys()
    assert all(says(taken[place], value) for place, value in sent.items())
    for (node, number), value in arrived.items():
        way = moment.received.get((node, moment.keys.get((node, number))))
        if value is not None and way is not None:
            assert says(way, value), (node, number)


def check_picture(trace, picture, past, held):
    """The box of an unchanged tensor shows its value and .grad; a changed tensor's first box shows its old value."""
    changes = [event for event in past if event.kind == "Changed"]
    shared = {key for event in changes for key in dict(event.others)}
    changed, first = {*shared, *(event.tensor for event in changes)}, {}
    for event in changes:
        if event.node:
            first.setdefault(event.tensor, entries(trace, trace.events[: event.index])[event.tensor][0])
    for node in picture.nodes:
        if node.key in trace.tensors:
            assert node.key in held
            value, grad, version, _ = held[node.key]
            told = node.hint.split("\n")
            if node.key in first and node.key not in shared:
                assert precise(first[node.key]) in told
            if node.key not in changed:
                assert precise(value) in told
                grads = [] if grad is None else [f".grad {precise(grad)}"]
                assert [line for line in told if line.startswith(".grad ")] == grads
                assert any(flag == f"version {version}" for flag in node.flags) == (version > 0)


def program(function):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with autograd_nb.record() as trace:
            function()
    return trace


@pytest.mark.parametrize("example", ON_BOTH)
@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_programs_on_both_libraries(example, library, request):
    library = autograd_nb if library == "autograd_nb" else request.getfixturevalue("torch")
    check(program(lambda: example(library)))


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_random_programs(library, request):
    library = autograd_nb if library == "autograd_nb" else request.getfixturevalue("torch")
    for number in range(COUNT):
        chooser = random.Random(f"moments {SEED}:{number}")
        lines = Writer(chooser, library, {}).program(chooser.randint(4, 16))
        side = Side(library, {})
        trace = program(lambda lines=lines, side=side: [side.step(line) for line in lines])
        try:
            check(trace)
        except AssertionError as error:
            raise AssertionError("\n".join([f"program {number}", *lines])) from error


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_hooks_are_marked_where_they_hang_until_the_pass_calls_them(library):
    torch = pytest.importorskip(library)
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    z = torch.log(y)

    def double(grad):
        return grad * 2

    x.register_hook(double)
    y.register_hook(lambda grad: None)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    y.grad_fn.register_hook(lambda results, grads: None)  # a node's, which hangs at no tensor
    with autograd_nb.record() as trace:
        z.backward(retain_graph=True)
        z.backward()
    moment, seen = Moment(trace), []
    for count in range(len(trace) + 1):
        moment.advance(count)
        marks = {trace.labels[key]: [*flags] for key, flags in sorted(moment.flags.items()) if flags}
        seen += [marks] * (marks not in seen[-1:])
    x_first, y_first = ["hook double", "hook lambda"], ["hook lambda"]
    one_pass = [{"x": x_first, "y": y_first}, {"x": x_first}, {"x": ["hook lambda"]}, {}]
    assert seen == [{}, *one_pass, *one_pass]
    steps = trace.steps()
    story = Story(trace, steps)
    pictures = list(story.frames([steps[0], steps[-1]]))
    assert ["hook double: it is called when" in each for each in pictures] == [True, False]
