"""Observes real PyTorch as the engine is observed: reads its tensors and nodes, and reports its work to listeners.

`readings` reads tensors and nodes, `rows` finds the row of the table for each of PyTorch's nodes and operations,
`forward` and `passes` report operations and backward passes to a listener with the engine's events.
Nothing here imports torch: these modules load only after the learner's program has imported it.  They may import the
engine, the table and one another.

docs/microscope.md lists what PyTorch does not reveal, and so cannot be shown.
"""
