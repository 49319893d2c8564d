"""Tensors in dicts, lists and tuples, however deep: their leaves, and the same shape with other leaves."""


def leaves_of(tree):
    """The leaves in order.

    >>> leaves_of({"a": [1, 2], "b": (3,)})
    [1, 2, 3]
    """
    found = []
    mapped(found.append, tree)
    return found


def mapped(function, tree):
    """The tree with *function* of each leaf in its place.

    >>> mapped(str, {"a": [1, 2], "b": (3,)})
    {'a': ['1', '2'], 'b': ('3',)}
    """
    if isinstance(tree, dict):
        return {key: mapped(function, value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)([mapped(function, value) for value in tree])
    return function(tree)


def ordinary(tensor):
    """The tensor, or a copy of one of inference mode that derivatives can be taken of."""
    return tensor.clone() if getattr(tensor, "_inference", False) else tensor


def with_leaves(tree, leaves):
    """The tree with these leaves in the place of its own.

    >>> with_leaves({"a": [1, 2], "b": (3,)}, "xyz")
    {'a': ['x', 'y'], 'b': ('z',)}
    """
    rest = iter(leaves)
    return mapped(lambda _: next(rest), tree)
