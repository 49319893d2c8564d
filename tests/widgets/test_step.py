"""The stepper: its run and recording, its traits, and its stored form."""

import json
import re
import sys
import zlib

import pytest
from sample_graphs import power
from traitlets import TraitError

import autograd_nb as torch
from autograd_nb.widgets.step import SAY, step
from autograd_nb.widgets.stories import Story, packed


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


def test_an_argument_that_cannot_be_written_is_left_open():
    class Secret:
        def __repr__(self):
            raise RuntimeError("not to be written")

    widget = step(lambda x, by: x * 2, torch.ones(1, requires_grad=True), by=Secret())
    assert widget.titles[0].endswith("(…, by=…)")


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


def test_two_traces_are_called_as_their_variables_and_else_by_number():
    first, second = recorded(power), recorded(twice)
    named, same, unnamed = step(first, second), step(first, first), step(recorded(power), second)
    assert [each.titles for each in (named, same, unnamed)] == [["first", "second"], SAY["traces"], SAY["traces"]]


def test_the_code_above_a_call_is_shown_from_the_first_line_of_its_cell(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text("x = torch.tensor(2.0, requires_grad=True)\ny = x**2\nshown = torch.step(y.backward)\n")
    names = {"torch": torch}
    exec(compile(cell.read_text(), cell, "exec"), names)
    assert [line for _, line in sorted(names["shown"].trace.lines)] == [1, 2, 3]


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
    """The strip shows a recording in six steps, a larger one in fewer, in pictures of one size."""
    def network(updates, layers):
        torch.manual_seed(0)
        model = torch.nn.Sequential(*(torch.nn.Linear(6, 6) for _ in range(layers)))
        for _ in range(updates):
            model(torch.randn(5, 6)).square().mean().backward()

    frames = [step(recorded(program)).as_html() for program in
              (power, twice, lambda: network(2, 3), lambda: network(1, 40))]  # fmt: skip
    assert [html.count("<img") for html in frames] == [6, 6, 4, 2]
    assert [len(set(re.findall(r"min-width:\d+", html))) for html in frames] == [1, 1, 1, 1]
    assert all(len(html) < 60_000 for html in frames)
    assert [html.count("<details>") for html in frames] == [1, 1, 1, 1]
    both = step(recorded(power), recorded(twice)).as_html()
    assert both.count("<img") == 6 and len(both) < 60_000
    assert step(recorded(lambda: None)).as_html().count("<img") == 1


def calls(function):
    """How many Python functions a function calls."""
    entered = []
    sys.setprofile(lambda frame, event, _: entered.append(1) if event == "call" else None)
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(entered)


def test_what_a_stepper_costs():
    """For a pass of three nodes: run, recording, sentences, live and stored form; recording; its picture; an answer.

    Each the second time.
    """
    def shown():
        x = torch.tensor(5.0, requires_grad=True)
        z = torch.log(x**3)
        return calls(lambda: step(z.backward)._repr_mimebundle_())

    def recorded():
        x = torch.tensor(5.0, requires_grad=True)

        def program():
            with torch.record():
                torch.log(x**3).backward()

        return calls(program)

    def drawn():
        x = torch.tensor(5.0, requires_grad=True)
        with torch.record() as trace:
            torch.log(x**3).backward()
        return calls(lambda: torch.draw(trace).svg)

    def explained():
        x = torch.tensor(5.0, requires_grad=True)
        with torch.record() as trace:
            (torch.log(x**3) * x).backward()
        return calls(lambda: torch.why(x, trace))

    for function, most in (shown, 3_680), (recorded, 550), (drawn, 1_240), (explained, 680):
        function()
        assert function() <= most, function.__name__


def test_a_story_grows_as_its_steps_do():
    def sines(count):
        x = torch.tensor(0.5, requires_grad=True)
        for _ in range(count):
            x = torch.sin(x)
        x.backward()

    traces = {count: torch.record(sines, count) for count in (20, 80, 320, 500)}
    spent = {count: calls(lambda trace=trace: packed(Story(trace, trace.steps()))) for count, trace in traces.items()}
    assert spent[80] <= 1.3 * 4 * spent[20] and spent[320] <= 1.3 * 4 * spent[80]
    steps = traces[500].steps()
    frames = list(Story(traces[500], steps).frames(steps))
    assert len(frames) == len(steps) > 1000
    assert all('stroke="#D55E00" stroke-width="3"/>' in frame for frame in frames[:-1])  # the ring around what happens


def test_a_page_opens_where_there_is_something_to_see():
    def program():
        torch.arange(4) * 2 + 1  # of no graph
        w = torch.ones(3, requires_grad=True)
        (w * 2).sum().backward()

    walk = step(recorded(program))
    assert walk.trace.steps()[1].kind == "Operation" and walk.as_state()["step"] == 2
    page = walk.as_page()
    assert page.count('class="picture"') == 6 and page.index("MulBackward0") < page.index("</svg>")
    walk.step = 3
    assert walk.as_state()["step"] == 3


def test_a_long_page_opens_at_the_root_of_its_last_backward_pass():
    def program():
        for _ in range(2):
            x = torch.ones(3, requires_grad=True)
            for _ in range(20):
                x = x * 2
            x.sum().backward()

    walk = step(recorded(program))
    shown = walk.trace.steps()[walk.as_state()["step"]]
    assert shown.kind == "Started" and shown.events[0].pass_number == 2
    walk.step = len(walk.trace.steps()) - 1
    assert walk.as_state()["step"] == walk.step
