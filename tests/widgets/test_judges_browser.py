"""A card says the same about an answer in a notebook, where Python judges it, and in a page, where a script does."""

import json
import math

import pytest

from autograd_nb.widgets import predict
from autograd_nb.words import of

SAY = of("widgets")["predict"]
CARDS = {
    "sum": predict("?", {1.2: "added", 0.6: "replaced", "an error": "no error"}, answer=1.2),
    "below": predict("?", {-6.0: "to the left", 6.0: "to the right"}, answer=-6.0),
    "ten": predict("?", {10: "ten", 1: "one"}, answer=10),
    "large": predict("?", {8191: "all bits"}, answer=8191),
    "nan": predict("?", {math.nan: "0 / 0", 0.0: "nothing", math.inf: "1 / 0"}, answer=math.nan),
    "inf": predict("?", {math.inf: "1 / 0", -math.inf: "the other side"}, answer=math.inf),
    "shape": predict("?", {(2, 3): "rows, columns", (3, 2): "the other way", (): "a number"}, answer=(2, 3)),
    "choice": predict("?", {"`x.grad`": "yes", "None": "no"}, answer="`x.grad`"),
}
# card, answer, and verdict: a reason of the card, or the key of a sentence
TABLE = [
    *(("sum", text, "added") for text in (
        "1.2", " 1.20004 ", "12e-1", "0.6+0.6", "2*0.6", "2 * .6", "2 · 0.6", "2×0.6", "3 · 0.4", "6/5", "6÷5", "1,2",
        "'1.2'", '"1.2"', "`1.2`", "tensor(1.2000)", "torch.tensor(1.2)", "-(-1.2)", "+1.2", "--1.2", "(1.2)",
        "1.44**.5", "1.44^0.5", "np.sqrt(1.44)", "np.log(math.exp(1.2))", "2(.6)", "2pi/pi*.6",
        "sqrt(1.44)", "log(exp(1.2))", "ln(exp(1.2))", "math.log(exp(1.2))", "7 % 5 * .6",
        "7 // 5 * 1.2",
        "1_2/10", "0x0C / 10", "abs(-1.2)", "2**-1 + .7", "-2**2 + 5.2", "pow(1.2, 1)", "log(3.3201169227365475)")),
    *(("sum", text, "replaced") for text in ("0.6", ".6", "3/5", "6e-1", "1.2 / 2", "2 - 1.4")),
    *(("sum", text, key) for text, key in (
        ("2.4", "other"), ("4.8", "other"), ("0.4", "other"), ("0.3", "other"), ("-1.2", "sign"), ("−1.2", "sign"),
        ("–1.2", "sign"), ("-7", "other"), ("1.19", "nearly"), ("1.21", "nearly"), ("5", "other"),
        ("0.7", "other"), ("0", "other"), ("ln(1)", "other"), ("1e308", "other"), ("inf", "other"),
        ("nan", "other"), ("½", "other"), ("1²", "other"), ("1½", "other"),
        ("1,000,000", "no_number"), ("12,000", "other"), ("0,125", "other"))),
    *(("sum", text, "no_number") for text in (
        "much", "x", "1 200", "1/0", "0**-1", "5 % 0", "9**9**9**9", "10**400", "(-8)**.5", "log(0)", "sqrt(-1)",
        "1,2,3", "1.2 1.2", "012", "(1.2", "1.2)", "log", "log()", "sin(1, 2)", "exp(1000)", "os.system", "1 < 2",
        "an error", "1.2.3", "1..2", "floor(inf)", "erf(1)", "tensor(1.2, 3)", "1" * 201, "1 @ 2", "'a'")),
    *(("sum", text, "nothing_written") for text in ("", "  ")),
    # hostile and odd answers
    *(("sum", text, "added") for text in (
        "1.200000", "01.2", "1.2e+0", "1.2E0", "12e−1", "-−1.2", "−-1.2", "1,20", "1.2\n", "\t1.2 \u00a0", "0.6\n+ 0.6",
        "0.6\u00a0+ 0.6", "1.2 # an aside", "0o14/10", "0b110/5", "0XC/10", "6/-5*-1", "0.12·10^1", "12·10^−1", "3·0,4",
        "6.e-1*2", "0_1.2", "(1.2\n+0)", "\"1.2'", "tensor( 1.2 )", "5 % 3.8", "-4 % 5 * 1.2", "1**9 * 1.2",
        "log(15.848932, 10)", "e**0.182322", "(" * 60 + "1.2" + ")" * 60, "-" * 150 + "1.2", "pow(1, 99) * 1.2",
        "１.２", "２／５－（－０．８）", "“1.2”", "\u200b1.2\ufeff", "tensor([1.2])",
        "tensor(1.2000, grad_fn=<MulBackward0>)",
        "torch.tensor([[1.2]], dtype=torch.float64)", "Parameter containing:\ntensor([1.2000], requires_grad=True)",
        "np.float64(1.2)", "array([1.2], dtype=float32)", "x.grad: tensor(1.2)")),
    *(("sum", text, "added") for text in ("≈1.2", "=1.2", "x = 1.2", "120%", "about 1.2", "1.2 times")),
    *(("sum", text, "letters") for text in ("2x", "1.2j", "3x0.4", "0x1.2")),
    ("sum", "None", "none"), ("sum", "~1", "other"),
    *(("sum", text, "replaced") for text in ("0,60", "6E-1", "3./5", "6/ 10", ".60")),
    *(("sum", text, key) for text, key in (
        ("- 1.2", "sign"), ("-1**2*1.2", "sign"), ("-5 // 4", "other"), ("7 % -2", "other"),
        ("-1e-400", "other"), ("0**0", "other"), ("-1.2 % 3", "other"), ("1·2", "other"),
        ("10**308", "other"), ("1e308 * 10", "other"), ("9e999 - 9e999", "other"), ("-nan", "other"))),
    *(("sum", text, "no_number") for text in (
        "True", "null", "[1.2]", "(1.2,)", "{1.2}", "1,2,", "1 ,2", "1.234,5", "1'000", "1\u202f000",
        "6⁄5", "6:5", "1.2 or 0.6", "1.2or 1",
        "1 if 1 else 2",
        "1.2 is 1.2", "lambda: 1.2", "(1.2).real", "1.2.__class__", "__import__('os')", "1__2", "1_.2",
        "√1.44", "Infinity", "∞", "PI", "1.2;", "5.0 // 0", "1.1**10000",
        "# 1.2")),
    *(("below", text, key) for text, key in (
        ("-6", "to the left"), ("−6.0", "to the left"), ("6", "to the right"), ("-7.1", "other"),
        ("-1.1", "other"), ("0", "other"), ("-3", "other"), ("-12", "other"), ("5", "other"))),
    *(("ten", text, key) for text, key in (
        ("10.0", "ten"), ("2*5", "ten"), ("1", "one"), ("20", "other"), ("5", "other"), ("50", "other"),
        ("-10", "sign"), ("3", "other"))),
    *(("large", text, key) for text, key in (("8,191", "all bits"), ("2**13 - 1", "all bits"), ("8,19", "other"))),
    *(("nan", text, key) for text, key in (
        ("nan", "0 / 0"), ("inf - inf", "0 / 0"), ("0", "nothing"), ("inf", "1 / 0"), ("5", "other"),
        ("NaN", "no_number"), ("inf/inf", "0 / 0"), ("0*inf", "0 / 0"), ("inf // 2", "0 / 0"), ("inf % 2", "0 / 0"),
        ("sqrt(nan)", "0 / 0"), ("0/0", "no_number"), ("nan**0", "other"), ("1**nan", "other"), ("5 % inf", "other"),
        ("-5 // inf", "other"), ("-5 % inf", "1 / 0"))),
    *(("inf", text, key) for text, key in (
        ("inf", "1 / 0"), ("-inf", "the other side"), ("2*inf", "1 / 0"), ("1e400", "1 / 0"), ("7", "other"),
        ("(-inf)**3", "the other side"), ("-inf**2", "the other side"), ("0**inf", "other"), ("1/0", "no_number"),
        ("log(inf)", "1 / 0"), ("(-1)**inf", "other"), ("exp(1000)", "no_number"), ("sin(inf)", "no_number"))),
    *(("shape", text, key) for text, key in (
        ("(2, 3)", "rows, columns"), ("2,3", "rows, columns"), ("[2, 3]", "rows, columns"), ("2 x 3", "rows, columns"), 
        ("2 3", "rows, columns"), ("[2 3]", "rows, columns"), ("(2  3)", "rows, columns"),
        ("23", "other"),
        ("2×3", "rows, columns"), ("torch.Size([2, 3])", "rows, columns"), ("(2, 3,)", "rows, columns"),
        ("(3, 2)", "the other way"), ("()", "a number"), ("[]", "a number"), ("6", "other"), ("(2, -3)", "other"),
        ("(２, ３)", "no_shape"), ("2;3", "no_shape"), ("2*3", "no_shape"), ("(2, None)", "no_shape"),
        ("(1+1, 3)", "no_shape"), ("((2,3))", "rows, columns"), ("2\u00a0×\t3", "rows, columns"),
        ("+2, 03", "rows, columns"),
        ("torch.Size([])", "a number"), (",2,3", "no_shape"), ("two", "no_shape"), ("2.5, 3", "no_shape"),
        ("2,,3", "no_shape"), ("", "nothing_written"))),
    *(("choice", text, key) for text, key in (("`x.grad`", "yes"), ("None", "no"), ("", "nothing_chosen"))),
]  # fmt: skip


def expected(card, text, key):
    """The verdict in full."""
    written = text.strip()
    if key.startswith(("no_", "nothing_", "letters", "none")):
        return {"kind": "none", "heading": SAY[key].format(text=written), "reason": ""}
    if key == card.choices[card.answer]:
        return {"kind": "right", "heading": SAY["right"], "reason": key}
    reason = key if key in card.choices.values() else SAY[key].format(got=written)
    return {"kind": "wrong", "heading": SAY["wrong"], "reason": reason, "note": SAY["then"]}


@pytest.mark.parametrize("name, text, key", TABLE)
def test_python_judges_by_the_table(name, text, key):
    assert CARDS[name].judge(text) == expected(CARDS[name], text, key)


@pytest.mark.browser
def test_a_page_judges_by_the_table(browser):
    """The page has the script of a site's cards and no Python."""
    states = {name: card.as_state() | {"words": SAY} for name, card in CARDS.items()}
    rows = json.dumps([(name, text) for name, text, _ in TABLE])
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content("<body></body>")
        said = page.evaluate(
            f"(() => {{ {CARDS['sum'].page_script()} const states = {json.dumps(states)};"
            f"return {rows}.map(([name, text]) => judgeAnswer(states[name], text)); }})()"
        )
    assert len(said) == len(TABLE) >= 250
    assert [(row, verdict) for row, verdict in zip(TABLE, said, strict=True)
            if verdict != expected(CARDS[row[0]], *row[1:])] == []  # fmt: skip
