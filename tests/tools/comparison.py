"""One assertion for "the same as PyTorch", for tensors and for whole programs.

What counts as the same is said in autograd_nb.course.comparison; here it becomes an error that lists every difference.
"""

from autograd_nb.course.comparison import run_differences, tensor_differences


def assert_same(ours, theirs, ulps=2):
    """Two tensors, or states, agree: requires_grad, is_leaf, retains_grad, dtype, shape, grad_fn, values and grad.

    Floating values may differ by `ulps` units in the last place; 0 asks for equality.
    """
    _nothing(tensor_differences(ours, theirs, ulps))


def assert_same_run(ours, theirs, ulps=2):
    """Two runs of a program agree: printed text, warnings and their lines, the error, the tensors it leaves."""
    _nothing(run_differences(ours, theirs, ulps))


def _nothing(differences):
    assert not differences, "\n".join(differences)
