"""Traces in files: a loaded trace equals the saved one, and a sentence names the fault of any other file."""

import json
import random
import warnings

import pytest
import sample_graphs
from programs import ON_BOTH

import autograd_nb as torch
from autograd_nb.microscope import files
from autograd_nb.microscope.trace import checked


def loops():
    """A program with more events than a recording holds."""
    x = torch.tensor(0.5, requires_grad=True)
    for _ in range(6000):
        x = x * 1.001
    x.backward()


def constants():
    """Numbers of every kind in the nodes: whole, infinite, a text, a list; and every dtype in the tensors."""
    x = torch.tensor([[1.0, -2.0], [float("nan"), float("inf")]], requires_grad=True)
    y = x.clamp(min=-float("inf")).masked_fill(x > 1, float("-inf")).roll([1, -1], [0, 1]) ** 3
    z = torch.nn.functional.mse_loss(3**y.half().float(), torch.zeros(2, 2), reduction="sum")
    z.backward()
    torch.arange(100) * torch.tensor(True), torch.zeros(0, 3) + 1, torch.zeros(3, 400) + 1


def recorded(program, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.record() as trace:
            try:
                program(*arguments)
            except (RuntimeError, ZeroDivisionError):
                pass
    return trace


RECORDED = [(program, torch) for program in ON_BOTH] + [
    (program,) for program in (*sample_graphs.PROGRAMS.values(), constants, loops)]  # fmt: skip


@pytest.mark.parametrize("program", RECORDED, ids=lambda program: program[0].__name__)
def test_a_trace_is_loaded_as_it_was_saved(program, tmp_path):
    trace, file = recorded(*program), tmp_path / "trace.json"
    trace.save(file)
    again = torch.record.load(file)
    json.loads(file.read_text("utf-8"), parse_constant=pytest.fail)  # JSON has none of them
    assert list(map(repr, again)) == list(map(repr, trace)) and repr(again.tensors) == repr(trace.tensors)
    assert again.nodes == trace.nodes or "constants" in str(program)
    assert (again.lines, again.classes, again.result) == (trace.lines, trace.classes, None)
    for detail in ("fast", "full"):
        assert [step.sentence for step in again.steps(detail)] == [step.sentence for step in trace.steps(detail)]
    if len(trace.nodes) < 100:
        assert torch.draw(again).svg == torch.draw(trace).svg
        assert torch.step(again).stories == torch.step(trace).stories


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("traces") / "trace.json"
    recorded(ON_BOTH[4], torch).save(file)
    return file.read_text("utf-8")


def test_a_file_cut_short_is_told_wherever_it_ends(saved, tmp_path):
    file = tmp_path / "part.json"
    for length in random.Random(1).sample(range(len(saved.rstrip()) - 1), 300):
        file.write_text(saved[:length])
        with pytest.raises(ValueError, match="part.json holds no trace, or not the whole of one: save it again$"):
            torch.record.load(file)


@pytest.mark.parametrize(("version", "shown"), [(0, "0"), (2, "2"), ("1", "1"), (None, "None"), ([1] * 99, "[1, 1")])
def test_another_version_is_told(saved, tmp_path, version, shown):
    file = tmp_path / "other.json"
    file.write_text(json.dumps(json.loads(saved) | {"version": version}))
    with pytest.raises(ValueError, match="a trace of version .*, and this edition reads version 1: ") as told:
        torch.record.load(file)
    assert shown in str(told.value) and len(str(told.value)) < 200 + len(str(tmp_path))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "autograd_nb trace", "version": 1}', "[" * 10**6,
                                  '{"format": []}', "\ufeff{}", "\x00"])  # fmt: skip
def test_what_is_no_trace_is_told(text, tmp_path):
    file = tmp_path / "other.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="holds no trace"):
        torch.record.load(file)


def test_size_is_bounded_both_ways(tmp_path, monkeypatch):
    file = tmp_path / "large.json"
    with open(file, "wb") as sparse:
        sparse.truncate(100_000_000)
    with pytest.raises(ValueError, match="larger than the 20,000,000 bytes"):
        torch.record.load(file)
    monkeypatch.setattr(files, "MOST", 1000)
    with pytest.raises(ValueError, match="takes more than 1,000 bytes; record fewer turns"):
        recorded(sample_graphs.power).save(file)


STRANGE = [None, True, -1, 0, 1, 5, 2**62, 2**80, 10**400, 1.5, "", "t0", "n0", "n1", "n99", "x" * 5000,
           "pow.Tensor_Scalar", "__import__('os')", "<script>", "Operation", [], [[]], {}, {"float": "inf"},
           {"float": "x"}, ["n1", 0], [2, 2], [10**9, 0], "AAAA"]  # fmt: skip


def changed(content, random):
    """A file's content with one to three of its entries exchanged for something strange or for each other."""
    content = json.loads(json.dumps(content))
    for _ in range(random.randint(1, 3)):
        place = content
        while True:
            names = list(place) if isinstance(place, dict) else range(len(place))
            name = random.choice(names) if names else None
            if name is None or not isinstance(place[name], list | dict) or not place[name] or random.random() < 0.1:
                break
            place = place[name]
        kind = random.randint(0, 3)
        if name is None or kind == 0 and not isinstance(place, list):
            continue
        if kind == 0:
            place.insert(name, random.choice(place))
        elif kind == 1:
            del place[name]
        elif kind == 2:
            place[name] = random.choice(list(place.values()) if isinstance(place, dict) else place)
        else:
            place[name] = random.choice(STRANGE)
    return content


@pytest.mark.parametrize("program", [*(RECORDED[number] for number in (1, 2, 4)), (sample_graphs.in_place,)],
                         ids=lambda program: program[0].__name__)  # fmt: skip
def test_a_changed_file_is_refused_or_read_and_breaks_nothing(program, tmp_path, request):
    """Whatever is in it, a message says that it is not a trace, or the tools can show the whole trace."""
    content, read = json.loads(files.to_json(recorded(*program))), 0
    for seed in range(request.config.getoption("--fuzz") // 5):
        other = changed(content, random.Random(seed))
        try:
            trace = checked(*files.parts_of(other))
        except Exception:  # from_json puts any into a sentence
            continue
        read += 1
        told = str(trace), repr(trace), trace._repr_html_(), trace.steps("full")
        assert all(map(str, (*told, trace.code, torch.draw(trace).svg, torch.step(trace).as_html())))
    assert read


def test_a_large_operand_of_a_file_is_no_whole_number_and_a_size_stays_one(tmp_path):
    """Whole numbers have no bounds in Python: a formula with a stranger's would compute for ever."""
    x = torch.ones(1, requires_grad=True)
    with torch.record() as trace:
        x * 5000, x * 500, x.expand(5000)
    trace.save(tmp_path / "trace.json")
    loaded = [dict(node.constants) for node in torch.record.load(tmp_path / "trace.json").nodes.values()]
    others = [each["other"] for each in loaded if "other" in each]
    assert others == [5000.0, 500] and [*map(type, others)] == [float, int]
    assert [each["size"] for each in loaded if "size" in each] == [(5000,)]
