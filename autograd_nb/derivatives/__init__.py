"""The table: every operation's NumPy forward beside its derivative formulas, a module for each family.

A formula is a lambda from the gradient of the output, and whatever else its parameters name, to the
gradient of one input.  What it names is what a node saves.
"""
from . import activations, arithmetic, casting, mixing, pointwise, powers
from . import comparison, selection
from . import extremes, norms, reductions, scans
from . import affine, contractions, convolutions, losses, normalizations, products
from . import linear_algebra, decompositions, matrices
from . import counting, distances, statistics
from . import filling, gathering, indexing, joining, repeats, reshaping, shapes, sorting, strides
