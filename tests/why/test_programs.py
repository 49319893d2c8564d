"""why finds the fault of each program, and says nothing misleading, on this engine and on PyTorch."""

import importlib

import pytest
from house import compiled

import autograd_nb
from autograd_nb import why
from autograd_nb.course import library as course_library
from autograd_nb.why import explain
from autograd_nb.why.code import statements
from autograd_nb.why.reasons import DETECTORS, ROWS

from .running import CASES, answers, points


@pytest.mark.parametrize("library, program", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_program_is_explained(library, program):
    for question, answer, recorded in answers(program, library):
        got = points(program, answer, recorded)
        least = program.get("least", 2) if recorded else 0
        assert got >= least, f"why({question}) {'with' * recorded}: {answer}"


# The last line fails; the answer begins with the subject in the line's own words, or does not name it.
BEGIN = """
b, w = torch.ones(2), torch.ones(2, requires_grad=True)
v, m = w[:1], torch.nn.Linear(2, 2)

class Normal:
    def __init__(self, mean):
        self.mean = mean
    def rsample(self):
        return self.mean + torch.randn(2)
    def sample(self):
        with torch.no_grad():
            return self.rsample()
    def mode(self):
        return torch.tensor(self.mean.tolist())

"""
ABOUT = {
    "(w * 2).backward()": "(w * 2) has more than one element",
    "m(b).backward()": "m(b) has more than one element",
    "torch.autograd.backward(w * b)": "w * b has more than one element",
    "(b * 2).sum().backward()": "(b * 2).sum() does not require grad",
    "y = b * w.add_(1)": "w is a leaf",
    "y = w.add_(1) * m.weight.mul_(2)": "w is a leaf",
    "w += b": "w is a leaf",
    "w[0] = b[0]": "w[0] is a leaf",
    "v.mul_(b[:1])": "v is a leaf that requires grad, or a part of one",
    "torch.autograd.grad((w * b).sum(), [w, b])": "the gradient of b is asked for",
    "torch.autograd.grad((w * b).sum(), [w, b * 2])": "the gradient of a tensor in this line is asked for",
    "(w * b).sum().backward(inputs=[w, b])": "the gradient of b is asked for",
    "b.retain_grad()": "the gradient of b is asked for",
    "w.register_hook(print), b.register_hook(print)": "the gradient of b is asked for",
    "c = w.sum()\nd = b.sum()\ntorch.autograd.backward([c, d])": "d does not require grad",
    "u = w * 2; u.sum().backward(); u = u - u.grad": "u.grad is None: u is no leaf",
    "w.grad.zero_()": "w.grad is None",
    "number = w.sum().item\nnumber().backward()": "number() is a float, and no tensor (line ",
    "k = [m(b).sum(), w.sum()]\nc = torch.tensor(k).sum()\nc.backward()": "c does not require grad: torch.tensor() "
    "copies the numbers into a new leaf",
    "k = [m(b).sum(), w.sum()]\nc = torch.ones(len(k))\nc.sum().backward()": "c.sum() does not require grad",
    "d = Normal(w)\na = d.sample()\nc = a.sum()\nc.backward()": "c does not require grad: sample() draws without",
    "d = Normal(w)\na = d.mode()\nc = a.sum()\nc.backward()": "c does not require grad: this line makes a, which",
    "d = Normal(w.detach())\nc = d.mode().sum()\nc.backward()": "c does not require grad: this line makes d, which",
}


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
@pytest.mark.parametrize("line", ABOUT)
@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_an_error_is_laid_to_no_other_tensor(library, line):
    with pytest.raises((RuntimeError, AttributeError, TypeError)) as raised:
        exec(compiled(BEGIN + line, f"{line}.py"), {"torch": importlib.import_module(library)})
    answer = str(explain(raised.value))
    assert answer.startswith(ABOUT[line]), answer


def test_every_chapter_that_a_reason_names_is_one_of_the_course():
    chapters = {path.stem for path in course_library.chapters()}
    assert {row.chapter for row in ROWS} - {""} <= chapters
    assert why(autograd_nb.ones(2))._repr_html_().endswith("<p><small>In the course: 02_leaves</small></p>")


def test_each_row_has_its_detector_and_its_words():
    for row in ROWS[:-2]:
        assert callable(DETECTORS[row.finds]), row.finds
        assert row.words or row.usual


def test_code_is_read_inside_try_with_and_match():
    text = "try:\n    y = x\nexcept E as e:\n    z = y\nelse:\n    u = z\nwith a() as b:\n    v = u\n"
    text += "match v:\n    case 1:\n        w = v\nasync def f():\n    s = w\n"
    found = statements("a.py", text)
    assert sorted(each.line for each in found) == [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13]


def test_a_line_tells_which_calls_all_of_its_value_comes_through():
    paths = {
        "y = torch.softmax(x, 1).argmax(1).float()": ["float", "argmax", "softmax"],
        "y = torch.tensor([a, b]).sum()": ["sum", "tensor"],
        "y = model(x).detach() - target.detach()": [],
        "y = h.data": ["data"],
    }
    for line, path in paths.items():
        assert [*statements("a.py", line)[0].path] == path
