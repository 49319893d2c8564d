"""Everything with save(): a failure leaves the earlier file, and save() never overwrites another program's file."""

import errno
import os
from pathlib import Path

import pytest

import autograd_nb as torch
from autograd_nb import course, draw, predict, record, step
from autograd_nb.microscope import files


def traced():
    x = torch.tensor(5.0, requires_grad=True)
    return record(lambda: torch.log(x**3).backward())


SAVED = {
    "graph.svg": lambda: draw(traced()), "graph.html": lambda: draw(traced()), "graph.png": lambda: draw(traced()),
    "graph.dot": lambda: draw(traced()), "trace.json": traced, "walk.html": lambda: step(traced()),
    "walk.mjs": lambda: step(traced()), "card.mjs": lambda: predict("2 * 3?", {6: "Yes.", 5: "The sum."}, answer=6),
    "of_the_course.mjs": lambda: course.ch04.p1, "sheet.html": lambda: course.cheat_sheet(),
}  # fmt: skip
each = pytest.mark.parametrize("name", SAVED)


@each
def test_a_file_that_save_wrote_is_written_anew(name, tmp_path, progress):
    shown = SAVED[name]()
    shown.save(tmp_path / name)
    first = (tmp_path / name).read_bytes()
    shown.save(str(tmp_path / name))
    assert len((tmp_path / name).read_bytes()) == len(first) > 100 and os.listdir(tmp_path) == [name]


@each
def test_a_file_of_somebody_elses_stays_unless_overwrite_is_asked_for(name, tmp_path, progress):
    shown = SAVED[name]()
    (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError, match=r"is there already; name another file, or add overwrite=True"):
        shown.save(tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"
    shown.save(tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_bytes() != b"mine"


@each
def test_a_full_disk_leaves_the_earlier_file_whole_and_no_other(name, tmp_path, progress, monkeypatch):
    shown = SAVED[name]()
    shown.save(tmp_path / name)
    before = (tmp_path / name).read_bytes()

    def full(path, content):
        with open(path, "wb") as file:
            file.write(content[:50])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=name) as error:
        shown.save(tmp_path / name)
    assert error.value.errno == errno.ENOSPC
    assert (tmp_path / name).read_bytes() == before and os.listdir(tmp_path) == [name]


@each
def test_a_tilde_is_the_home(name, tmp_path, progress, monkeypatch):
    for name_of_home in ("HOME", "USERPROFILE"):  # the second is Windows'
        monkeypatch.setenv(name_of_home, str(tmp_path))
    SAVED[name]().save(f"~/{name}")
    assert (tmp_path / name).exists()


@each
def test_a_name_that_ends_otherwise_is_told(name, tmp_path, progress):
    with pytest.raises(ValueError, match=rf"the file's name must end in .*\{Path(name).suffix}.*, got 'name\.pdf'"):
        SAVED[name]().save(tmp_path / "name.pdf")
    assert not [*tmp_path.glob("name*")]


@pytest.mark.skipif(os.name != "posix", reason="this system makes links only with rights")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "graph.svg").symlink_to(tmp_path / "there" / "real.svg")
    draw(traced()).save(tmp_path / "graph.svg", overwrite=True)
    assert (tmp_path / "graph.svg").is_symlink() and files.was_saved(tmp_path / "there" / "real.svg")


def test_an_export_says_what_to_do_where_there_is_a_file(tmp_path, progress, capsys):
    course.progress().export(tmp_path / "mine.json")
    with pytest.raises(FileExistsError, match=r"export\(\): .*mine.json is there already; .* add overwrite=True"):
        course.progress().export(tmp_path / "mine.json")
    course.progress().export(tmp_path / "mine.json", overwrite=True)
