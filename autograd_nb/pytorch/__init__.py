"""Real PyTorch, seen as the engine is: what can be read off its tensors and nodes, and told of what it does.

`readings` looks at tensors and nodes, `rows` knows which row of the table stands for which of PyTorch's nodes and
operations, `forward` and `passes` tell a listener of operations and backward passes in the engine's own words.
Nothing here imports torch: it is used where the learner has imported it, and never otherwise.  The modules here may
import the engine, the table and one another.

MICROSCOPE.md lists what PyTorch does not reveal, and so cannot be shown.
"""
