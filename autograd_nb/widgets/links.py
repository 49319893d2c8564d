"""Links that hold a program, for the page `play` of the course's site."""

import ast
import os
import re
import sys
import zlib
from base64 import urlsafe_b64encode
from importlib import metadata

from ..learner.needed import cell_names, needed

MOST = 8_000  # letters of an address, at most
HERE = {*sys.stdlib_module_names, "numpy", "autograd_nb", "torch"}  # the modules that the page has
IMPORTED = re.compile(r"^\s*(?:import|from) +(\w+)", re.MULTILINE)
ELSEWHERE = {"course", "widgets", "figures", "get_ipython"}  # names that only a notebook has
COURSE = re.compile(r"^(course\.|%).*\n?", re.MULTILINE)  # lines for the course only


def address_ending(code):
    """The end of an address that holds a program, compressed, in letters that an address may have."""
    return "#code=" + urlsafe_b64encode(zlib.compress(code.encode(), 9, -15)).decode().rstrip("=")


def caught(cell):
    """A cell whose last statement fails, with a `try` around that."""
    lines = cell.split("\n")
    try:
        first = ast.parse(cell).body[-1].lineno - 1
    except SyntaxError:
        return ""
    failing = [f"    {line}" for line in lines[first:]]
    return "\n".join([*lines[:first], "try:", *failing, "except Exception as error:", "    print(error)"])


def program(cells, cell):
    """A cell and the cells before it that it needs, as a program; "" for one that could not run in the page."""
    if COURSE.search(cell):
        return ""
    parts = [COURSE.sub("", each).strip() for each in (*needed(cells, [cell]), cell)]
    code = "\n\n".join(filter(None, parts))
    try:
        names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    except SyntaxError:
        return ""
    if names & ELSEWHERE or not {*IMPORTED.findall(code)} <= HERE or "torch" not in names:
        return ""
    return code if "torch" in cell_names(code)[1] else f"import torch\n\n{code}"


def site():
    """The address of the course's site: AUTOGRAD_NB_SITE, else the package's; "" if there is none."""
    try:
        known = metadata.metadata("autograd-nb").get_all("Project-URL", ())
    except metadata.PackageNotFoundError:
        known = ()
    given = dict(each.split(", ", 1) for each in known)
    return os.environ.get("AUTOGRAD_NB_SITE", given.get("Documentation", "")).rstrip("/")


def of_running_cell():
    """The address of the page for the notebook cell that runs now; "" if there is no site, or no such cell."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    cells = shell.user_ns.get("In") if shell else None
    if not cells or not site():
        return ""
    code = program(cells[:-1], cells[-1])
    shows = code and isinstance(ast.parse(code).body[-1], ast.Expr)  # the page shows the value too
    address = f"{site()}/play/{address_ending(code)}"
    return address if shows and len(address) <= MOST - 20 else ""
