"""python -m tests.why [--engine autograd_nb] [part of a name …]: why's answer to each program, and the score."""

import sys

from .running import PROGRAMS, answers, points


def main(words):
    library = "torch"
    if "--engine" in words:
        place = words.index("--engine")
        library = words[place + 1]
        del words[place : place + 2]
    total = most = 0
    for program in PROGRAMS:
        if words and not any(word in program["name"] for word in words):
            continue
        if library != "torch" and not program.get("engine", True):
            continue
        print(f"\n== {program['name']} ({program['family']})")
        for question, answer, recorded in answers(program, library):
            got = points(program, answer, recorded)
            counts = recorded or program.get("alone", False)
            total, most = total + got * counts, most + 2 * counts
            print(f"  why({question}{', trace' * recorded}): {answer}  [{got}]")
    print(f"\n{total} of {most} points")


main(sys.argv[1:])
