"""What the keys of a trace stand for: tensors, nodes and lines of code, as immutable data."""

from dataclasses import dataclass

from .events import Value


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """What a trace knows of a tensor; *node* and *output* say where its gradient goes, as it was at the end."""

    key: str
    names: tuple  # the learner's, as pairs (name, line); the line is None for a name from before the recording
    dtype: str
    requires_grad: bool
    is_leaf: bool
    retains_grad: bool
    node: str | None
    output: int
    born: int  # how many events came before it
    version: int
    value: Value  # when first seen, as .grad; what became of them the events say
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
    """What a trace knows of a node."""

    key: str
    name: str
    edges: tuple  # (node or None, output number) for each input
    inputs: tuple  # names of the parameters that these are
    row: str | None  # of the table, None for a user's Function
    saves: tuple  # names of what it saves
    constants: tuple  # what its formulas read besides tensors, as pairs (name, value)
    freed: bool  # whether its buffers were already gone when first seen
    leaf: str | None  # the tensor that an AccumulateGrad adds to


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of the learner's code, with the indices of the events that it led to."""

    file: str
    number: int
    text: str
    events: tuple
