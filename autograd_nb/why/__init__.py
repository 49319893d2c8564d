"""`why`: what is the matter with a gradient, and what to do about it, in one or two sentences.

An answer is the first row of words/en/why.toml that fits what is asked about.  What can be known of that stands in

failure     an error and the frames that it went through
sight       the variables in sight, and the graphs of the tensors in them
statements  the learner's code as statements, with what each reads, binds and calls
code        which of them is meant: the line that failed or that asks, where a name was bound
recorded    a recording, if there is one
nodes       what nodes and snapshots tell by themselves
evidence    failure, sight, code and recorded together; `once` keeps there what was found out
asked       a tensor, or a module, an optimizer or a recording, that is asked about

and what finds out whether a row fits, by what it is about, in

errors      an error, by what it says
changed     a tensor that was saved for the way back and changed in place
freed       a graph that an earlier pass has freed
flow        where the graph between a tensor and a loss is cut
missing     a gradient that is None
nonfinite   NaN and inf
zeros       a gradient that is zero
sizes       a gradient that is a sum, too small, too large, or not used
training    a module, an optimizer, a recording

`reasons` asks these row by row and makes the sentences; `answers` has why() itself, for one thing or for many.
"""

import sys
from types import ModuleType

from .answers import Answer, evidence_of, explain, survey, why

__all__ = ["Answer", "evidence_of", "explain", "survey", "why"]


class Room(ModuleType):
    """`import autograd_nb.why` puts this module where the function was; it may be called as the function may."""

    __call__ = staticmethod(why)


sys.modules[__name__].__class__ = Room
# and where the function stands, `import autograd_nb.why.asked as asked` finds the modules
vars(why).update((name, value) for name, value in [*vars().items()] if isinstance(value, ModuleType))
