"""The exact messages and stored forms of small widgets on short walks; `python -m tests.write walks` writes them.

Look at the pictures before you keep the changes: other tests say what is right.
"""

import json
import re
from pathlib import Path
from zlib import crc32

import pytest
from house import anew

import autograd_nb as torch
from autograd_nb import widgets

GOLDEN = Path(__file__).parents[1] / "golden" / "widgets"
ASIDE = {"words", "front", "heard", "layout", "tabbable", "tooltip"}


def three(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, torch.sin(x[1])])


def step(keep):
    x = torch.tensor(5.0, requires_grad=True)
    return torch.step(torch.log(x**3).backward, retain_graph=keep)


# {name: (how it is made, steps: traits to set, or a view's request with its details)}
WALKS = {
    "tangent": (lambda: widgets.tangent("log(x**3)", x=5.0, formula="3/x"), [
        {"h": 0.001}, {"function": "1/x", "x": 0.5}, {"formula": ""}, {"function": "x.sin()"}, {"function": "x +"}]),
    "workshop": (lambda: widgets.workshop("wrong power"), [
        ("preset", "exp"), {"dtype": "float32"}, {"eps": 0.001}, ("run",), {"eps": 0.0}]),
    "vector_jacobian": (lambda: widgets.vector_jacobian(three, [2.0, 3.0], v=[1.0, 2.0, -1.0]), [
        {"chosen": 1}, {"v": [0.0, 1.0, 0.0]}, {"x": [0.5, -1.0]}, {"chosen": -1}]),
    "training": (lambda: widgets.training("rings", lr=0.5), [
        ("step",), {"forget": True}, ("step",), ("step", 3), ("start",), {"data": "moons"}, {"optimizer": "Adam"}]),
    "landscape": (lambda: widgets.landscape(lr=0.14, steps=4), [
        ("step",), {"method": "newton"}, {"method": "gradient", "momentum": 0.9, "forget": True}, {"lr": 5.0},
        ("undo",), {"loss": "a**2 - b**2", "a": 0.5}]),
    "line": (lambda: widgets.line([0.0, 1.0, 2.0], [1.0, 3.0, 2.0]), [{"w": 0.5}, {"b": 1.0}, ("undo",)]),
    "nudge": (lambda: widgets.nudge(4.0, dx=-0.02), [
        {"way": "backward"}, {"dx": 0.05}, {"way": "forward"}, {"x": 1.5}]),
    "bench": (lambda: widgets.bench("log(x ** 3)", x=5.0, plan=["z.backward()"]), [
        {"plan": ["z.backward(retain_graph=True)", "z.backward()", "x.grad.zero_()"]}, {"x": 2.0},
        ("switch", "y", "retain_grad", True), {"expression": "x * x"}, {"plan": ["z.backward()", "z.backward()"]}]),
    "step": (lambda: step(True), [{"step": 2}, {"detail": "full"}, {"step": 99}]),
    "choice": (lambda: widgets.predict("Is `x` a leaf?", {"yes": "Nothing made it.", "no": "Of what?"}, answer="yes"), [
        ("check",), {"chosen": "no"}, ("check",), {"chosen": "yes"}, ("check",), ("pass",)]),
    "number": (lambda: widgets.predict("3 · 5²?", {75: "The power rule.", 25: "Without the factor."}, answer=75), [
        {"chosen": "25"}, ("check",), {"chosen": "-75"}, ("check",), {"chosen": "7,5e1"}, ("check",)]),
}  # fmt: skip


def brief(value):
    """A value in which the changed group of a picture is its texts and a checksum."""
    if isinstance(value, dict):
        return {key: brief(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [brief(each) for each in value]
    is_group = isinstance(value, str) and value.startswith("<g ")
    return f"{'; '.join(re.findall('>([^<>]+)<', value))} {crc32(value.encode())}" if is_group else value


def walk(name):
    """The states of a widget on its walk as text: all traits of the first, the changes of the others.

    A group of a picture is written in brief. Numbers in full are rounded to six digits: their
    last digits depend on the processor.
    """
    make, moves = WALKS[name]
    widget, known, lines = make(), {}, []
    for move in (None, *moves):
        if isinstance(move, dict):
            widget.set_state(move)
        elif move:
            getattr(widget, f"do_{move[0]}")(*move[1:])
        state = {key: each for key, each in widget.get_state().items() if key not in ASIDE and key[0] != "_"}
        lines.append(f"== {move or sorted(widget._first)}")
        for key, each in sorted(state.items()):
            if each != known.get(key):
                told = json.dumps(brief(each), ensure_ascii=False, default=lambda it: type(it).__name__)
                lines.append(f"{key}: {told}")
        known = state
    lines += ["== stored", widget.as_text(), re.sub(r'src="[^"]+"', "", widget.as_html())]
    lines.append(getattr(widget, "as_svg", str)())
    text = re.sub(r"\d+\.\d{9,}(?:e-?\d+)?", lambda number: f"{float(number[0]):.6g}", "\n".join(lines))
    text = re.sub(r'[^"\\]{300,}', lambda long: f"{long[0][:100]}… {crc32(long[0].encode())}", text)
    return text.replace("\\n", "\n").replace("><", ">\n<") + "\n"


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_sends_and_stores_what_it_did(name):
    assert walk(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), anew("walks")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in WALKS:
        (GOLDEN / f"{name}.txt").write_text(walk(name), encoding="utf-8", newline="\n")
