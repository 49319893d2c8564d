"""All the evidence for an answer: an error, the variables in sight, the code, and a recording."""

from functools import wraps
from typing import NamedTuple

from ..microscope.trace import Trace
from .code import Code
from .failure import Failure
from .recorded import Recorded
from .sight import Sight


class Evidence(NamedTuple):
    failure: Failure
    sight: Sight
    code: Code
    recorded: Recorded


def evidence_of(frame, trace=None, error=None):
    """The evidence where a *frame* stands now, with a *trace* or None and an *error* or None.

    A recording that ended before the program, as it grew too long, is left aside.
    """
    whole = trace is not None and all(event.kind != "Ended" for event in trace[-1:])
    recording = trace if whole else Trace()
    failure = Failure(error, recording, (frame.f_code.co_filename, frame.f_lineno))
    sight = Sight([frame, *reversed(failure.frames)])
    sight.narrow(recording)
    code = Code(failure, sight, recording, frame)
    return Evidence(failure, sight, code, Recorded(recording, code, whole))


def once(function):
    """Keep the result of a function of a case, or of a part of the evidence, on that object.

    A detector returns its facts if they match the values in its row, else False.  A text of several words in the row
    matches each of these words.
    """

    @wraps(function)
    def found_out(about, *others, **given):
        kept, key = vars(about), (function, *others)
        if key not in kept:
            kept[key] = function(about, *others)
        found = kept[key]
        for part, wanted in given.items() if found else ():
            if (fact := found.get(part)) != wanted and fact not in str(wanted).split():
                return False
        return found

    return found_out
