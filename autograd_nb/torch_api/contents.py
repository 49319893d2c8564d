"""Which module has which names, so that a module loads when one of its names is first used.

A program uses a small part of all this, and ``import autograd_nb`` loads none of it.  The table names.txt, written by
tests/tools/write_contents.py, has a line for each module: ``add`` is a function and a method, ``torch.cat`` a
function only, ``x.view`` an attribute of tensors only, ``ops.unsafe_view`` an operation that other modules use.  Call
``load`` before looking up a name.  Names of rooms that are not installed, beside the core alone, do not count.
"""

from functools import cache
from importlib import import_module
from os import listdir
from os.path import dirname, join

from ..engine import table

TABLE = join(dirname(__file__), "names.txt")

contents = {}  # module -> its names, as in the table
namespaces = {}  # public name of a module -> that module
homes = table.modules  # name -> the module that has it
functions, methods = set(), set()
load = table.load


def read():
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.partition(": ") for line in file]
    rooms = {name.partition(".")[0] for name in listdir(dirname(dirname(TABLE)))}
    for home, colon, names in lines:
        if home == "namespaces":
            paths = (path for path in names.split() if path.partition(".")[0] in rooms)
            namespaces.update((path.rpartition(".")[2], path) for path in paths)
        elif colon and home.partition(".")[0] in rooms:  # the heading has no colon
            contents[home] = names.split()
            for name in contents[home]:
                place, _, short = name.rpartition(".")
                homes[short] = home
                if place in ("", "torch"):
                    functions.add(short)
                if place in ("", "x"):
                    methods.add(short)


read()
table.also_functions.update([name for name in functions if name.endswith("_")])


def load_module(home):
    return import_module(f"autograd_nb.{home}")


@cache
def load_table():
    """Load every module that publishes operations, so that they can be listed."""
    for home in contents:
        if "." in home:
            load_module(home)
