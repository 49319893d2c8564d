"""One table of numbers and one of expressions, as people write them, read alike in every place."""

import json
import math

import pytest

from autograd_nb import course, words
from autograd_nb.course.exercises.kinds import Number
from autograd_nb.course.exercises.running import short
from autograd_nb.learner.answers import number_in
from autograd_nb.learner.programs import Refused, compiled, hook_code
from autograd_nb.widgets import bench, landscape, predict, tangent
from autograd_nb.words import of

NUMBERS = {
    "1,5": 1.5, "1/3": 1 / 3, "½": 0.5, "1½": 1.5, "¾": 0.75, "−2": -2, "–2": -2, "１.５": 1.5, "2^3": 8, "2²": 4,
    "3³": 27,
    "2 · 3": 6, "2×3": 6, "6÷4": 1.5, "2(-3)": -6, "2pi": 2 * math.pi, "np.log(5)": math.log(5),
    "math.log(5)": math.log(5),
    "torch.log(5)": math.log(5), "ln(5)": math.log(5), "1e-3": 0.001, "1,000": 1000, "tensor(120.)": 120, "“7”": 7,
    "x = 2": 2, "dz/dx = -0,5": -0.5, "∂z/∂x=6/5": 1.2, "input 2": 2, "about 8.01": 8.01, "≈ 0.6": 0.6, "8 times": 8,
    "1 time": 1, "once": 1, "Twice": 2, "30%": 0.3, "12.5 %": 0.125,
}  # fmt: skip
NO_NUMBERS = "abc", "1e", "1 200", "1,000,000", "x == 2", "x > 2", "1.2.3", "--", "6:5", "8x", "minus", "more than 3"
EXPRESSIONS = {
    "x^2": "x**2", "x²": "x**2", "2x": "2*x", "2x³": "2*x**3", "3(x + 1)": "3*(x + 1)", "x·x": "x*x", "x × 2": "x * 2",
    "x − 1": "x - 1", "½x": ".5*x", "np.log(x)": "log(x)",
    "math.log(x)": "log(x)", "torch.log(x)": "log(x)",
    "numpy.exp(-x)": "exp(-x)", "1e-3x": "1e-3*x", "x**2 + log2(x)": "x**2 + log2(x)", "ｘ＊２": "x*2",
    "1e5*x": "1e5*x",
}  # fmt: skip
SENTENCES = {
    "x**": "Python cannot read", "x & 2": "is not allowed here", "foo(x)": "There is no function foo",
    "x.grad": "looks something up with a dot", "log": "log is a function",
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_is_read_by_cards_and_exercises(text):
    right = NUMBERS[text]
    assert number_in(text) == pytest.approx(right) and Number(1.0).read(text) == pytest.approx(right)
    assert predict("?", {right: "so", right + 1: "no"}, answer=right).judge(text)["kind"] == "right"


UNREAD = {
    "8x": "letters", "2*q*x": "letters", "6 x²": "letters", "None": "none", "many": "no_number", "6:5": "no_number",
}  # fmt: skip


@pytest.mark.parametrize("text", UNREAD)
def test_a_text_that_is_no_number_is_told_what_it_is(text):
    said = of("widgets")["predict"](UNREAD[text], text=text)
    assert predict("?", {1: "one", 2: "two"}, answer=1).judge(text) == {"kind": "none", "heading": said, "reason": ""}
    assert course.ch04.q1.judge(text).paragraphs[0] == (words.say("other_kind", expected="a number", got=short(text))
                                                        if UNREAD[text] == "no_number" else said)  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_none(text):
    with pytest.raises(ValueError):
        number_in(text)


@pytest.mark.browser
def test_a_field_reads_numbers_as_python_does(browser):
    texts = json.dumps([*NUMBERS, *NO_NUMBERS])
    page = browser.new_page()
    script = predict("?", {1: "one", 2: "two"}, answer=1).page_script()
    page.set_content("<body></body>")
    found = page.evaluate(f"(() => {{ {script} return {texts}.map((text) => tryTo(numberIn, text, null)); }})()")
    keys = page.evaluate(f"(() => {{ {script} return {json.dumps([*UNREAD])}.map(noNumber); }})()")
    page.close()
    assert keys == list(UNREAD.values())
    assert found == [pytest.approx(each) for each in NUMBERS.values()] + [None] * len(NO_NUMBERS)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_is_kept_as_python_writes_it(text):
    widget, curve, ground = bench("x + 1", x=2.0), tangent("x + 1", 2.0), landscape("a * b")
    widget.expression = curve.function = curve.formula = text
    ground.loss = text.replace("x", "a").replace("eap", "exp").replace("ｘ", "ａ")
    assert widget.expression == curve.function == curve.formula == EXPRESSIONS[text]
    assert widget.problem == curve.problem == ground.problem == "" and widget.names == ["x"]
    grads = hook_code("y", text.replace("exp", "EXP").replace("x", "grad").replace("EXP", "exp").replace("ｘ", "grad"))
    assert "lambda grad" in grads and float(compiled(text, ("x",))(3.0 + 0 * widget.outcome.tensors["x"])) != 3


@pytest.mark.parametrize("text", SENTENCES)
def test_an_expression_that_is_refused_is_told_why_in_the_same_words(text):
    widget, curve, ground = bench("x + 1", x=2.0), tangent("x + 1", 2.0), landscape("a * b")
    widget.expression, curve.function, ground.loss = text, text, text.replace("x", "a")
    with pytest.raises(Refused, match=SENTENCES[text]):
        hook_code("y", text.replace("x", "grad"))
    assert all(SENTENCES[text] in each.problem for each in (widget, curve, ground))
