"""The stepper's stories: at every step what the trace says was so, in sentences, values and pictures."""

import json
import zlib

import pytest
from sample_graphs import cut, in_place, power, quickstart, second_order, two_paths, views
from traitlets import TraitError

import autograd_nb as torch
from autograd_nb.drawing.scene import Outline, Painter
from autograd_nb.drawing.shapes import clean
from autograd_nb.drawing.traced import Traced
from autograd_nb.microscope.values import in_line
from autograd_nb.widgets.step import step
from autograd_nb.widgets.stories import Book, story_of


def cubic(x):
    y = x**3
    return torch.log(y)


def twice():
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    z = torch.log(y) * x.detach()
    z.backward(retain_graph=True)
    x.grad.zero_()
    z.backward()


def recorded(program):
    with torch.record() as trace:
        try:
            program()
        except RuntimeError:
            pass
    return trace


def unfolded(story):
    """``(forms shown, rows)`` after each step, as a view follows them."""
    shown, rows = {}, dict(story["first"])
    for each in story["steps"]:
        shown |= {slot: form for slot, form in each["picture"].items()}
        rows |= each["rows"]
        yield {slot: form for slot, form in shown.items() if form >= 0}, dict(rows)


def moment_of(trace, step):
    """The picture after a step, built from the first event on."""
    whole = Traced(trace).advance()
    moment = Traced(trace).advance(step.events[-1].index + 1, step.highlights)
    return Painter(Outline(whole.scene, whole.name, 100), moment).picture()


def boxes_and_lanes(trace, steps):
    """After each step what a story shows, from what it says has changed."""
    whole, moment, book = Traced(trace).advance(), Traced(trace), Book()
    painter = Painter(Outline(whole.scene, whole.name, 100), moment)
    for each in steps:
        moment.advance(each.events[-1].index + 1, each.highlights)
        book.changes(painter)
        yield {slot: (book.lanes if slot in book.lanes else book.boxes)[slot][form]
               for slot, form in book.shown.items() if form >= 0}  # fmt: skip


@pytest.mark.parametrize("detail", ["fast", "full"])
@pytest.mark.parametrize("program", [power, twice, in_place, two_paths, second_order, quickstart, views, cut])
def test_every_step_shows_what_the_trace_says(program, detail):
    trace = recorded(program)
    steps = trace.steps(detail)
    story = story_of(trace, detail)
    assert [each["sentence"] for each in story["steps"]] == [each.sentence for each in steps]
    entries, followed = dict(trace.entries(detail)[0]), list(boxes_and_lanes(trace, steps))
    for number, (shown, rows) in enumerate(unfolded(story)):
        entries |= trace.entries(detail)[number + 1]
        picture = moment_of(trace, steps[number])
        boxes = [story["slots"][slot]["keys"][0] for slot in shown if story["slots"][slot]["kind"] == "box"]
        assert sorted(boxes) == sorted(node.key for node in picture.nodes)
        drawn = "".join(story["slots"][slot]["forms"][form] for slot, form in shown.items())
        for node in picture.nodes:
            assert all(clean(line, 36) in drawn for line in (node.title, node.grad) if line and "<" not in line)
        for edge in picture.edges:
            assert edge.label in drawn
        assert {node.key: node for node in picture.nodes} == {key: now for key, now in followed[number].items()
                                                              if type(now) is not tuple}  # fmt: skip
        assert sorted(picture.edges, key=lambda edge: edge.key) == sorted(
            (edge for lane in followed[number].values() if type(lane) is tuple for edge in lane),
            key=lambda edge: edge.key)  # fmt: skip
        for key in story["names"]:
            entry = entries.get(key)
            assert (rows.get(key) is None) == (entry is None)
            if entry is not None:
                assert rows[key][:2] == [in_line(entry["value"]), in_line(entry["grad"])]


def test_a_backward_call_really_runs_and_knows_the_callers_names():
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    z = torch.log(y)
    widget = step(z.backward, retain_graph=True)
    assert round(x.grad.item(), 6) == 0.6
    assert widget.titles == ["z.backward(retain_graph=True)"]
    story = json.loads(zlib.decompress(widget.stories[0]))
    assert sorted(story["names"].values()) == ["x", "y", "z"]
    assert any("y = x**3" in line["text"] for line in story["code"])
    assert "autograd_nb.step(z.backward, retain_graph=True)" in widget.as_code()
    step(z.backward)
    assert round(x.grad.item(), 6) == 1.2
    assert "second time" in step(z.backward).trace.steps()[-1].sentence  # the error is the last step


def test_a_function_is_run_and_recorded():
    x = torch.tensor(5.0, requires_grad=True)
    widget = step(cubic, x)
    assert widget.trace.result.item() == pytest.approx(4.828314)
    assert [event.kind for event in widget.trace] == ["Operation", "Operation"]
    assert widget.as_code().startswith("autograd_nb.step(cubic, …)")


def test_the_position_is_a_trait_that_can_be_linked_and_keeps_its_range():
    import ipywidgets
    import traitlets

    widget = step(recorded(power))
    control = ipywidgets.IntSlider(min=0, max=100)
    traitlets.link((control, "value"), (widget, "step"))
    control.value = 3
    assert widget.step == 3
    widget.step = 99
    assert widget.step == widget.count - 1 == control.value
    widget.step = -5
    assert widget.step == 0
    widget.detail = "full"
    assert widget.count == len(widget.trace.steps("full"))
    widget.do_reset()
    assert (widget.detail, widget.count) == ("fast", len(widget.trace.steps()))
    with pytest.raises(TraitError, match="detail"):
        widget.detail = "slow"


@pytest.mark.parametrize("arguments", [(3,), (None,), ("trace", 3), ("trace", "trace", "trace")])
def test_anything_else_is_refused(arguments):
    trace = recorded(power)
    with pytest.raises(TypeError, match="step"):
        step(*(trace if each == "trace" else each for each in arguments))


def test_an_empty_trace_says_so():
    widget = step(recorded(lambda: None))
    assert widget.count == 0 and widget.titles == ["Nothing was recorded: there is no step."]
    assert "<svg" in widget.as_svg()


def test_another_detail_keeps_the_moment():
    x = torch.tensor(5.0, requires_grad=True)
    widget = step(cubic, x)
    widget.step = widget.count - 1
    for detail in ("full", "fast"):
        widget.detail = detail
        assert widget.step == widget.count - 1
    z = cubic(x)
    widget = step(z.backward)
    widget.step = 1
    moment = widget.trace.steps()[1].events[-1]
    widget.detail = "full"
    assert widget.trace.steps("full")[widget.step].events == (moment,)


def test_a_film_strip_keeps_to_its_room():
    """A small recording is shown in six steps, a larger one in four, a very large one at its end."""
    def network(updates, layers):
        torch.manual_seed(0)
        model = torch.nn.Sequential(*(torch.nn.Linear(6, 6) for _ in range(layers)))
        for _ in range(updates):
            model(torch.randn(5, 6)).square().mean().backward()

    frames = [step(recorded(program)).as_html() for program in
              (power, twice, lambda: network(2, 3), lambda: network(4, 12))]  # fmt: skip
    assert [html.count("<img") for html in frames] == [6, 6, 4, 1]
    assert all(len(html) < 60_000 for html in frames)
    assert [html.count("<details>") for html in frames] == [1, 1, 1, 1]
    both = step(recorded(power), recorded(twice)).as_html()
    assert both.count("<img") == 6 and len(both) < 60_000
    assert step(recorded(lambda: None)).as_html().count("<img") == 1


def test_a_stepper_is_saved_as_a_page_and_nothing_else(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.html or \.mjs, got 'walk\.svg'"):
        step(recorded(power)).save(tmp_path / "walk.svg")
    assert not list(tmp_path.iterdir())
