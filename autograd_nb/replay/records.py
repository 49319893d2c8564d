"""What the keys of a trace stand for: tensors, nodes and lines of code, as immutable data."""

from dataclasses import dataclass

from .events import Value


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """What a trace knows of a tensor.

    *names* are ``(name, line)`` pairs, the learner's; the line is None for a name from before the recording.  *value*
    and *grad* are those it had when first seen, *born* events into the trace; what became of them the events say.
    *node* and *output* say where its gradient goes, as it was at the end.
    """

    key: str
    names: tuple
    dtype: str
    requires_grad: bool
    is_leaf: bool
    retains_grad: bool
    node: str | None
    output: int
    born: int
    version: int
    value: Value
    grad: Value | None

    @property
    def name(self):
        """The learner's name for it, or an empty text."""
        return self.names[0][0] if self.names else ""

    @property
    def shape(self):
        return self.value.shape


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """What a trace knows of a node.

    *edges* are ``(node or None, output number)`` pairs, one for each input, and *inputs* the names of the parameters
    that these are.  *constants* are what its formulas read besides tensors, as ``(name, value)`` pairs.  *leaf* is the
    tensor that an AccumulateGrad adds to, *freed* whether its buffers were already gone when first seen.
    """

    key: str
    name: str
    edges: tuple
    inputs: tuple
    row: str | None
    saves: tuple
    constants: tuple
    freed: bool
    leaf: str | None


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of the learner's code, with the indices of the events that it led to."""

    file: str
    number: int
    text: str
    events: tuple
