"""docs/support.md is right: the names in its list exist, and the names that it calls missing say so themselves."""

import re
from pathlib import Path

import pytest

import autograd_nb
from autograd_nb.torch_api.absent import ModuleType, sentence

PAGE = (Path(__file__).parents[2] / "docs" / "support.md").read_text(encoding="utf-8")


def listed(heading):
    """The names in the list under a heading, each with the namespace that its item begins with."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", PAGE, re.M | re.S)[1]
    items = [re.findall(r"`([\w.]+)`", item) for item in re.split(r"^- ", section, flags=re.M)[1:]]
    return [(namespace, name) for namespace, *names in items for name in names]


def home_of(namespace):
    home = autograd_nb
    for name in namespace.split(".")[1:]:
        home = getattr(home, name)
    return home


def test_what_is_listed_is_there():
    assert [each for each in listed("What is there") if not hasattr(home_of(each[0]), each[1])] == []


def test_what_is_listed_as_missing_says_so():
    for namespace, name in listed("What is not there"):
        with pytest.raises((AttributeError, NotImplementedError)) as raised:
            value = getattr(home_of(namespace), name)
            if isinstance(value, ModuleType):
                assert sentence(f"{namespace}.{name}") in repr(value)
                raise NotImplementedError(sentence(f"{namespace}.{name}"))
            value()
        assert str(raised.value) == sentence(f"{namespace}.{name}")


def test_the_text_is_the_one_on_the_page():
    assert sentence("torch.nn.PixelShuffle") in " ".join(PAGE.split())


def test_the_page_is_short():
    assert len(PAGE.splitlines()) <= 120
