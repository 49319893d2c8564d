"""Makes all or some stored results again, and lists the changed files: python -m tests.write [WHAT …]

Run it after a wanted change, look at the differences with `git diff`, and commit the right ones. Without PyTorch 2.13
it leaves out results that need it, and says so.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = "autograd_nb", "docs", "notebooks", "tests"
# {result: the commands that write it}; a later one may read an earlier one's files
STEPS = {
    "contents": ["tests/tools/write_contents.py"],
    "stubs": ["tests/tools/write_stubs.py"],
    "names": ["tests/tools/record_names.py"],
    "keywords": ["tests/tools/record_keywords.py"],
    "expressions": ["tests/tools/expressions.py"],
    "behaviours": ["-m tests.behaviours"],
    "answers": ["tests/tools/record_answers.py"],
    "pictures": ["tests/drawing/test_draw.py", "tests/drawing/test_drawing.py", "tests/tools/readme_pictures.py"],
    "readme": ["tests/pytorch/test_looking.py"],
    "shots": ["tests/tools/readme_pictures.py shots"],
    "walks": ["tests/widgets/test_walks.py"],
    "notebooks": ["-m tests.refresh"],
    "translations": ["tests/tools/translations.py"],
}
ON_PYTORCH = "names", "keywords", "expressions", "behaviours", "readme", "shots"


def stored():
    """``{path: a hash of its content}`` of the files that a step may write."""
    files = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    return {path: sha256(path.read_bytes()).digest() for path in files
            if path.is_file() and "__pycache__" not in path.parts}  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.write", description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(STEPS)} (default: all)")
    what = parser.parse_args(arguments).what
    if unknown := [each for each in what if each not in STEPS]:
        return f"there is no {', '.join(unknown)}; there are {', '.join(STEPS)}"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "tools")))
    failed = []
    for name in what or STEPS:
        if name in ON_PYTORCH and not importlib.util.find_spec("torch"):
            print(f"{name}: left out, for it needs PyTorch 2.13: pip install torch==2.13.0")
            continue
        before = stored()
        for each in STEPS[name]:
            ended = subprocess.run([sys.executable, *each.split()], cwd=ROOT, env=os.environ | {"PYTHONPATH": path})
            failed += [name] if ended.returncode else []
        after = stored()
        changed = [path for path in sorted(before | after) if before.get(path) != after.get(path)]
        print(f"{name}:", ", ".join(str(path.relative_to(ROOT)) for path in changed) or "as before", flush=True)
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
