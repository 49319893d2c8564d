"""How much there is to read, in all languages, beside the last release: python -m tests.sizes [ROOM]

A name, a number, a sign and a text are a token each, and a word of a text is counted once more, so that nothing grows
smaller by moving into another language. Docstrings, comments and line ends do not count. The *core* is what computes
and differentiates with NumPy alone; *content* is what a course must have: exercises with their wrong answers, and
words. With a room, such as `engine`, its files are listed. A release writes `data/sizes.json`, with which later counts
are compared.
"""

import argparse
import ast
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

from autograd_nb.words import messages
from tests.tools.reading import tokens

ROOT = Path(__file__).parents[1]
RELEASED = ROOT / "tests" / "data" / "sizes.json"
ROOMS = "course/exercises", "course/site", "words/en"  # with a line of their own
CORE = "engine", "operations", "torch_api", "autograd", "nn", "optim", "distributions", "utils", "(top)"
CONTENT = re.compile(r"course/(exercises/ch|experiments/|patients)|words/en/ch|words/\w+\.po")
LANGUAGES = {".py": "Python", ".js": "JavaScript", ".css": "CSS", ".html": "HTML", ".j2": "HTML", ".toml": "TOML",
             ".po": "gettext"}  # fmt: skip
COLUMNS = "Python", "JavaScript", "CSS", "HTML", "TOML", "gettext", "text"
# A comment, or a text, or a name or number, or a sign, in JavaScript, CSS and HTML
COMMENT, TEXT = r"""/\*.*?\*/|<!--.*?-->|(?<![:"'`\w])//[^\n]*""", r"""(["'`])(?:\\.|(?!\2)[^\\])*\2"""
PIECE = re.compile(rf"{COMMENT}|({TEXT})|([\w$]+)|([^\w\s])", re.DOTALL)


def words(text):
    return len(re.findall(r"\w+", text))


def in_python(path):
    """(tokens, words of its texts) of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone)
    return tokens([path]), sum(words(text) for text in texts if isinstance(text, str))


def in_toml(path):
    def parts(value):
        if isinstance(value, dict):
            keys = [None] * len(value)
            return [*keys, *(part for each in value.values() for part in parts(each))]
        return [part for each in value for part in parts(each)] if isinstance(value, list) else [value]

    found = parts(tomllib.loads(path.read_text(encoding="utf-8")))
    return len(found), sum(words(each) for each in found if isinstance(each, str))


def in_gettext(path):
    """(messages that are translated, words of the translations)"""
    found = dict(messages(path.read_text(encoding="utf-8")))
    return len(found), sum(map(words, found.values()))


def in_pieces(path):
    found = [each.groups() for each in PIECE.finditer(path.read_text(encoding="utf-8")) if each.lastindex]
    return len(found), sum(words(text) for text, *_ in found if text)


def sizes(root):
    """``{path of a file within the package: [its tokens, the words of its texts]}``, without what others wrote."""
    package, found = root / "autograd_nb", {}
    for path in sorted(package.rglob("*")):
        if path.suffix in LANGUAGES and not {"vendored", "__pycache__", "labextension"} & {*path.parts}:
            count = {".py": in_python, ".toml": in_toml, ".po": in_gettext}.get(path.suffix, in_pieces)
            found[path.relative_to(package).as_posix()] = list(count(path))
    return found


def room_of(name):
    """The room of a file: its folder at the top of the package, or one of ROOMS."""
    rooms = [room for room in ROOMS if name.startswith(f"{room}/")]
    return rooms[0] if rooms else name.partition("/")[0] if "/" in name else "(top)"


def part_of(name):
    """"core", "rest" or "content"."""
    return "content" if CONTENT.match(name) else "core" if room_of(name) in CORE else "rest"


def by_part(files):
    """``{part: {room: {column: count}}}``"""
    parts = defaultdict(lambda: defaultdict(Counter))
    for name, (count, text) in files.items():
        parts[part_of(name)][room_of(name)] += Counter({LANGUAGES[Path(name).suffix]: count, "text": text})
    return parts


def bounded(root):
    """{"core": its size, "mechanism": the size of everything but content}, over all languages."""
    parts = {part: sum(map(Counter.total, rooms.values())) for part, rooms in by_part(sizes(root)).items()}
    return {"core": parts["core"], "mechanism": parts["core"] + parts["rest"]}


def write(root, version):
    """Store the sizes of a release."""
    lines = [f'"{name}": {json.dumps(counts)}' for name, counts in sizes(root).items()]
    text = f'{{"version": "{version}", "files": {{\n' + ",\n".join(lines) + "\n}}\n"
    (root / RELEASED.relative_to(ROOT)).write_text(text, encoding="utf-8")


def row(name, now, then):
    """A line: what each language has now, the sum, and the sum then."""
    counts = "".join(f"{now[column]:>11,}" if now[column] else f"{'-':>11}" for column in COLUMNS)
    return f"{name:<20}{counts}{now.total():>10,}{then.total():>10,}{now.total() - then.total():>+10,}"


def table(now, then, version):
    """The lines of the comparison by parts, the largest rooms first, and sums."""
    yield f"{'':<20}{''.join(f'{column:>11}' for column in COLUMNS)}{'sum':>10}{version:>10}{'change':>10}"
    now, then, sums = by_part(now), by_part(then), []
    for part in ("core", "rest", "content"):
        here, before = now[part], then[part]
        yield ""
        for name in sorted({*here, *before}, key=lambda name: -here[name].total()):
            yield row(name, here[name], before[name])
        sums.append([sum(each.values(), Counter()) for each in (here, before)])
        yield row(f"the {part}", *sums[-1])
    yield ""
    yield row("mechanism", *(one + other for one, other in zip(*sums[:2], strict=True)))
    yield row("all", *(sum(each, Counter()) for each in zip(*sums, strict=True)))


def beside(root):
    """The lines about what the package carries that nobody here wrote by hand, and about the tests."""
    package = root / "autograd_nb"
    yield ""
    yield f"stubs       {tokens(package.rglob('*.pyi')):>10,} tokens, which a tool writes"
    carried = sum(path.stat().st_size for path in package.rglob("*") if "vendored" in path.parts and path.is_file())
    yield f"vendored    {carried / 1000:>10,.0f} kB of others"
    tests = [path for path in (root / "tests").rglob("*.py") if "__pycache__" not in path.parts]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in tests)
    yield f"tests       {tokens(tests):>10,} tokens of Python in {lines:,} lines"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.sizes", description=__doc__.partition("\n")[0])
    parser.add_argument("room", nargs="?", help="list the files of this room, such as engine")
    room = parser.parse_args(arguments).room
    released = json.loads(RELEASED.read_text(encoding="utf-8"))
    now, then = sizes(ROOT), released["files"]
    if room is None:
        print(*table(now, then, released["version"]), *beside(ROOT), sep="\n")
        return 0
    if room not in (rooms := {room_of(name) for name in now}):
        return f"there is no room {room!r}; there are {', '.join(sorted(rooms))}"
    files = {name for name in now | then if room_of(name) == room}
    for name in sorted(files, key=lambda name: -sum(now.get(name, [0]))):
        here, before = (sum(counts.get(name, [0])) for counts in (now, then))
        print(f"{name:<44}{here:>9,}{before:>10,}{here - before:>+10,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
