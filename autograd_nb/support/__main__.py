"""``python -m autograd_nb.support`` writes SUPPORT.md, ``--check`` only says whether it is up to date."""

import argparse
import sys

from . import PAGE, page


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.support", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when the page is out of date")
    options = parser.parse_args(arguments)
    text = page()
    if options.check:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print(f"{PAGE.name} is {'up to date' if current else 'out of date: run python -m autograd_nb.support'}")
        return 0 if current else 1
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
