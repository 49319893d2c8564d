"""`python -m tests.benchmarks`: run the workloads, print the tables; exit 1 where results disagree or ours fails."""
import argparse
import sys

from . import __doc__ as description
from . import measure, report
from .workloads import WORKLOADS


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=description)
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each workload (15; with --quick 3)")
    parser.add_argument("--quick", action="store_true", help="few rounds: a first look")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*WORKLOADS, *measure.FACTS],
                        help="of: %(choices)s")
    options = parser.parse_args(arguments)
    rounds = options.rounds if options.rounds is not None else 3 if options.quick else 15
    if rounds < 1:
        parser.error(f"argument --rounds: expected at least 1, got {rounds}")

    names = options.only or [*WORKLOADS, *measure.FACTS]
    rows, facts = [], []
    for name in names:
        print(f"{name} …", file=sys.stderr)
        if name in WORKLOADS:
            rows.append(measure.time_workload(name, rounds))
        else:
            facts += measure.measure_facts(name, rounds, options.quick)

    print(report.text(rows, facts))
    return 1 if any(row.failed for row in rows) or any(fact.absent for fact in facts) else 0


if __name__ == "__main__":
    sys.exit(main())
