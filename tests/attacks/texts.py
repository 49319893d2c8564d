"""Hostile texts, and every place where the package shows a learner's text."""

import linecache

from sample_pictures import Sketch

import autograd_nb as torch
from autograd_nb import course, draw, info, step, widgets
from autograd_nb.course import figures
from autograd_nb.drawing import Drawing, Grid

TEXTS = [
    "<script>canary()</script>", "</script><script>canary()</script>", "<img src=x onerror=canary()>",
    '" onmouseover="canary()" x="', "' onfocus='canary()' autofocus='", "</title></svg><script>canary()</script>",
    "<svg onload=canary()>", "<![CDATA[<script>canary()</script>]]>", "--><script>canary()</script><!--",
    "</textarea></style><iframe srcdoc='<script>parent.canary()</script>'>", "javascript:canary()", "&lt;b&gt; &#x3c;b",
    "&bogus; & && &#0;", "{question} {0} %s %(x)s ${canary()} {0.__class__}", "`canary()` $\\alpha$ **bold** [a](b)",
    "\x00\x01\x07\x08\x0b\x0c\x1b[31mred\x1b[0m\x7f\x85\x9f", "one\ntwo\r\nthree\u2028four\u2029five\ttab",
    "\u202eevil\u202c \u2066left\u2069 \u200f\u200e\u061c", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "lone \ud800 and \udfff turned \udc00\ud800", "\ufffe\uffff\ufdd0 \U0001ffff", "e\u0301" + "\u0300" * 60,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \ufeff\u00ad\u200b", "a" * 3000, "  spaces   in   rows  ", "",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y 'z'>]>&y;", "]]>", "\\", "'; canary(); '", "\\u003cscript>",
]  # fmt: skip


def leaf():
    return torch.tensor(2.0, requires_grad=True)


def named(text, *bases, **members):
    """A class with that name, as far as Python allows it."""
    name = text.replace("\0", "").encode("utf-8", "replace").decode()
    return type(name, bases, members)


def function_called(text):
    def function(x):
        return x * x

    function.__name__ = text
    return function


def parameter(text):
    x = leaf()
    return draw((x * x).exp(), params={text: x})


def picture(text):
    """The text in every part of a picture made by hand."""
    made = Sketch(text, caption=text)
    made.node(text, "leaf", title=text, lines=[text], notes=[text], flags=[text], grad=[text], error=text, hint=text)
    made.node("b", "function", title=text, lines=[text, Grid(((1.0,),), ((text,),))])
    made.edge(text, "b", label=text, hook=text, hint=text)
    made.edge(text, "b", "cut", text)
    return Drawing(made)


def key_of_a_dict(text):
    state = {text: leaf()}
    y = state[text] * state[text]
    return [draw(y), info(y, state[text]), torch.record(y.backward)]


def variable(text):
    """A name that only exec can give: a module's dictionary takes any text, and an identifier may be right to left."""
    scope = {text: leaf(), "torch": torch, "מָה": leaf()}
    exec("y = מָה * 2\ntrace = torch.record(y.backward)\nshown = torch.draw(y), torch.info(y, מָה)", scope)
    return [scope["trace"], *scope["shown"]]


class OwnFunction:
    def __new__(cls, text, fails=False):
        def backward(ctx, grad):
            if fails:
                raise named(text, Exception)(text)
            return grad

        members = {"forward": staticmethod(lambda ctx, x: x.clone()), "backward": staticmethod(backward)}
        return named(text, torch.autograd.Function, **members)


def class_name(text):
    x = leaf()
    y = OwnFunction(text).apply(x * 1)
    shown = [draw(y), info(y)]
    return [*shown, *seen(torch.record(y.backward))]


def error(text):
    x = leaf()
    y = OwnFunction(text, fails=True).apply(x * 1)
    stepper = step(y.backward)
    return seen(stepper.trace)


def hook(text):
    x = leaf()
    y = x * 2
    y.register_hook(lambda grad: None)
    y.register_hook(function_called(text))
    y.grad_fn.register_hook(named(text, __call__=lambda self, *grads: None)())
    return seen(torch.record(y.backward))


def code(text):
    """The learner's own line, in a file of that name."""
    file = text.replace("\0", "") or "none"
    source = "y = x * 2; y.backward()  # " + text.replace("\0", "").encode("utf-8", "replace").decode()
    lines = source.splitlines(True)
    linecache.cache[file] = len(source), None, ["y = x * 2; y.backward()  # " + text], file
    scope = {"x": leaf()}
    return seen(torch.record(exec, compile(lines[0], file.encode("utf-8", "replace").decode(), "exec"), scope))


def module(text):
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    model[0].__dict__["_parameters"][text.replace(".", "")] = leaf()
    ((name, x),) = [each for each in model.named_parameters() if each[0][2:] == text.replace(".", "")]
    return [draw(model(torch.ones(1, 1)) * x), *seen(torch.record((x * 2).backward))]


def option(text):
    x = leaf()
    y = x * 2
    value = type("Value", (), {"__repr__": lambda self: text, "__bool__": lambda self: False})()
    return step(y.backward, retain_graph=value)


def seen(trace):
    return [trace, draw(trace, step=-1), step(trace)]


def question(text):
    earlier = {"outcome": "wrong", "given": text}
    card = widgets.predict(text, {f"{text}!": text, "no": text}, answer="no", earlier=earlier)
    card.chosen = text + "!"
    card.do_check()
    return [card, widgets.predict(text, {2: text}, answer=2, earlier=earlier)]


def written(text):
    card = widgets.predict("?", {2: text, 3: text}, answer=2)
    card.chosen = text
    card.do_check()
    return card


def bench_function(text):
    def f(x):
        print(text)
        torch.engine.modes.warn(text)
        return x * x

    f.__name__ = text
    return torch.bench(f, x=2.0, plan=["z.backward()"])


def bench_fields(text):
    """A bench refuses the typed text with a sentence that quotes it."""
    made = []
    for name, value in (("expression", text), ("plan", [text]), ("tensors", {"x": {"hooks": [text]}}),
                        ("tensors", {"x": {"cut": text}}), ("tensors", {text: {text: 1}})):  # fmt: skip
        other = torch.bench("x * x", x=2.0)
        setattr(other, name, value)
        made.append(other)
    return made


def bench_error(text):
    def f(x):
        raise named(text, Exception)(text)

    return torch.bench(f, x=2.0)


def tangent(text):
    shown = widgets.tangent("x**2", 2.0)
    shown.function, shown.formula = text, text
    return shown


def vector_jacobian(text):
    return widgets.vector_jacobian(function_called(text), [1.0, 2.0])


def workshop(text):
    shown = widgets.workshop()
    shown.forward = f"def forward(ctx, x):\n    print({text!r})\n    return x.clone()"
    shown.backward = "def backward(ctx, grad):\n    return grad"
    other = widgets.workshop()
    other.forward = other.backward = other.inputs = text
    return [shown, other]


def answer(text):
    return course.ch04.q1.judge(text)


PLACES = (
    parameter, picture, key_of_a_dict, variable, class_name, error, hook, code, module, option, question, written,
    bench_function, bench_fields, bench_error, tangent, vector_jacobian, workshop, answer,
)  # fmt: skip


def shown_at(place, text):
    shown = place(text)
    return shown if isinstance(shown, list) else [shown]


def figures_named():
    """Figures are slow to draw: one has all texts as labels; texts that break the others are names."""
    yield figures.accumulation([(text, 1.0) for text in TEXTS])
    yield from (figures.tangent(lambda x: x**2, 3.0, name=text) for text in TEXTS if "$" in text or "\ud800" in text)


def forms(shown):
    """``{form: text}``: every form that an object gives to a notebook or terminal."""
    bundle = shown._repr_mimebundle_() if hasattr(shown, "_repr_mimebundle_") else {}
    found = {**(bundle[0] if isinstance(bundle, tuple) else bundle), "repr": repr(shown), "str": str(shown)}
    if hasattr(shown, "_repr_html_"):
        found["text/html"] = shown._repr_html_()
    if hasattr(shown, "as_code"):
        found["code"] = shown.as_code()
    if hasattr(shown, "as_svg"):
        found["image/svg+xml"] = shown.as_svg()
    return {form: text for form, text in found.items() if isinstance(text, str)}
