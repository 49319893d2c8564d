"""`why`: the cause of a gradient that surprises, and its cure, in one or two sentences.

why() answers with the first row of words/en/why.toml that fits the question.  These files collect the evidence:

failure     an error and the frames on its way
code        lines: how an answer quotes one, and facts of a single statement
sight       the variables in sight, and the graphs of the tensors in them
recorded    a recording, if there is one
nodes       facts of single nodes and snapshots
evidence    failure, sight, code and recorded together; `once` keeps results there
asked       a tensor, or a module, an optimizer or a recording, that is asked about

These hold the detectors, a file for each subject; a detector finds out whether a row fits:

account     which gradients arrived in a .grad, who changed or cleared it, and what the steps did with it
errors      an error, told apart by its message
lost        a tensor that was saved for the way back and changed in place, or a graph that an earlier pass has freed
cuts        where the graph between a tensor and a loss is cut
missing     a gradient that is None, and tensors on one memory
origins     where NaN, inf or zeros came from
training    a module, an optimizer, operations that fit ill

`reasons` asks these row by row and makes the sentences; `answers` has why() itself, for one thing or for many.
`check` runs a step again to find out whether a gradient is the derivative.
`script` is the command, `ipython` the extension.
"""

import sys
from types import ModuleType

from .answers import Answer, evidence_of, explain, survey, why
from .check import check

__all__ = ["Answer", "check", "evidence_of", "explain", "survey", "why"]


class Room(ModuleType):
    """`import autograd_nb.why` puts this module where the function was; it may be called as the function may."""

    __call__ = staticmethod(why)


sys.modules[__name__].__class__ = Room
# and where the function stands, `import autograd_nb.why.asked as asked` finds the modules
vars(why).update((name, value) for name, value in [*vars().items()] if isinstance(value, ModuleType))
