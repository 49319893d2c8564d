"""`python -m tests.benchmarks`: run the workloads, print the table; fails where results disagree."""
import argparse
import sys

from . import __doc__ as description
from . import measure, report
from .workloads import WORKLOADS


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=description)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds of each workload (default 15)")
    parser.add_argument("--only", nargs="+", default=WORKLOADS, metavar="NAME", choices=[*WORKLOADS],
                        help="of: %(choices)s")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"argument --rounds: expected at least 1, got {options.rounds}")

    rows = []
    for name in options.only:
        print(f"{name} …", file=sys.stderr)
        rows.append(measure.time_workload(name, options.rounds))
    print(report.text(rows))
    print(f"\nimport, over NumPy's: {1e3 * measure.import_seconds(options.rounds):.1f} ms")


if __name__ == "__main__":
    main()
