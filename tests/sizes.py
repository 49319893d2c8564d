"""How much there is to read: tokens of the package by room, beside the last release: python -m tests.sizes [ROOM]

Docstrings, comments and line ends do not count.  With a room, such as `engine`, its files are listed.  A release
writes `data/sizes.json`, with which later counts are compared.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from tests.tools.reading import tokens

ROOT = Path(__file__).parents[1]
RELEASED = ROOT / "tests" / "data" / "sizes.json"
PARTS = "course/exercises", "course/experiments", "course/site"  # large enough for a line of their own


def sizes(root):
    """``{path of a file within the package: its tokens}``."""
    package = root / "autograd_nb"
    return {path.relative_to(package).as_posix(): tokens([path]) for path in sorted(package.rglob("*.py"))}


def room_of(name):
    """The room of a file: its folder at the top of the package, or one of PARTS."""
    parts = [part for part in PARTS if name.startswith(f"{part}/")]
    return parts[0] if parts else name.partition("/")[0] if "/" in name else "(top)"


def by_room(files):
    rooms = Counter()
    for name, count in files.items():
        rooms[room_of(name)] += count
    return rooms


def write(root, version):
    """Store the sizes of a release."""
    text = json.dumps({"version": version, "files": sizes(root)}, indent=1)
    (root / RELEASED.relative_to(ROOT)).write_text(f"{text}\n", encoding="utf-8")


def table(now, then, version):
    """The lines of the comparison, the largest first, and the sum."""
    yield f"{'':<28}{'tokens':>9}{version:>10}{'change':>9}"
    for name in [*sorted(now | then, key=lambda name: (-now.get(name, 0), name)), "all"]:
        here, before = (counts.get(name, 0) if name != "all" else sum(counts.values()) for counts in (now, then))
        yield f"{name:<28}{here:>9,}{before:>10,}{here - before:>+9,}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.sizes", description=__doc__.partition("\n")[0])
    parser.add_argument("room", nargs="?", help="list the files of this room, such as engine")
    room = parser.parse_args(arguments).room
    released = json.loads(RELEASED.read_text(encoding="utf-8"))
    now, then = sizes(ROOT), released["files"]
    if room is None:
        now, then = by_room(now), by_room(then)
    else:
        rooms = {room_of(name) for name in now}
        if room not in rooms:
            return f"there is no room {room!r}; there are {', '.join(sorted(rooms))}"
        now, then = ({name: count for name, count in files.items() if room_of(name) == room} for files in (now, then))
    print(*table(now, then, released["version"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
