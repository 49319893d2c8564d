"""The support page: it is up to date, and each difference that it lists is one."""

import contextlib
import io
import subprocess
import sys
import warnings

import pytest

import autograd_nb
from autograd_nb import support

DIFFERENCES = support.differences()


def test_the_page_is_up_to_date():
    # in a process of its own: what other tests load adds names to modules
    done = subprocess.run([sys.executable, "-m", "autograd_nb.support", "--check"], capture_output=True, text=True,
                          cwd=support.PAGE.parent)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def printed(library, program):
    """What a program prints, its warnings first lines included."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, {"torch": library, "warnings": warnings})
    return text.getvalue().strip()


@pytest.mark.parametrize("entry", DIFFERENCES, ids=[each["title"] for each in DIFFERENCES])
def test_a_difference_is_as_described(entry):
    assert printed(autograd_nb, entry["program"]) == entry["autograd_nb"].strip()
    assert entry["pytorch"].strip() != entry["autograd_nb"].strip()
    torch = pytest.importorskip("torch", reason="compares with live PyTorch, which is not installed")
    assert printed(torch, entry["program"]) == entry["pytorch"].strip()


@pytest.mark.parametrize("namespace", support.NAMESPACES)
def test_what_is_said_to_be_missing_says_so_itself(namespace):
    home = autograd_nb.ones(1) if namespace == "torch.Tensor" else support.home_of(namespace)
    there, missing = support.divided(namespace)
    assert there
    for name in missing:
        with pytest.raises(AttributeError, match=f"^{namespace}.{name} is not part of autograd_nb"):
            getattr(home, name)
