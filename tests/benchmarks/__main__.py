"""`python -m tests.benchmarks`: run the tables and print them; fails if results disagree."""
import argparse
import sys

from . import __doc__ as description
from . import measure, report
from .calls import CALLS
from .programs import PROGRAMS
from .recordings import RECORDINGS

TABLES = {
    "calls": (dict(CALLS), measure.time_call, report.calls_text),
    "programs": (PROGRAMS, lambda name, built, rounds: measure.time_program(*built, rounds), report.text),
    "recordings": (RECORDINGS, lambda name, row, rounds: measure.time_recording(*row, rounds), report.recordings_text),
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=description)
    parser.add_argument("tables", nargs="*", default=TABLES, metavar="TABLE",
                        help=f"of: {', '.join(TABLES)} (default all)")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds of each line (default 15)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="lines whose name contains one of these")
    parser.add_argument("--picture", metavar="FILE", help="draw the programs, and the calls if timed")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"argument --rounds: expected at least 1, got {options.rounds}")
    if unknown := {*options.tables}.difference(TABLES):
        parser.error(f"argument TABLE: no table is named {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")

    timed = {}
    for table in options.tables:
        lines, time, text = TABLES[table]
        names = [name for name in lines if not options.only or any(part in name for part in options.only)]
        rows = timed[table] = []
        for name in names:
            print(f"{table}: {name} …", file=sys.stderr)
            rows.append(time(name, lines[name], options.rounds))
        if rows:
            print(f"{table}\n{text(rows)}\n")
    if options.picture and timed.get("programs"):
        report.picture(options.picture, timed["programs"], timed.get("calls"))
    print(f"import, over NumPy's: {1e3 * measure.import_seconds(options.rounds):.1f} ms")


if __name__ == "__main__":
    main()
