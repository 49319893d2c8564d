"""Finds where detach() or .data cut a graph: the tensors on both sides have the same elements."""

from .events import DATA, DETACHED
from .readings import held_by, is_leaf, nodes_below, place_of, same_counter, twin_key


class Twins:
    """The tensors in sight, *known*, that share their elements with others: such a pair shows where a cut is."""

    def __init__(self, known):
        self.position = {key: index for index, key in enumerate(known)}
        self.of_elements = {}  # id of the elements -> tensors in a graph that have them
        for tensor, _ in known.values():
            elements = twin_key(tensor)
            if elements is not None and place_of(tensor)[0] and tensor._base is None:
                self.of_elements.setdefault(elements, []).append(tensor)

    def source_of(self, target):
        for twin in self.of_elements.get(twin_key(target), ()):
            earlier = self.position[id(twin)] < self.position.get(id(target), len(self.position))
            if twin is not target and (earlier or not is_leaf(place_of(twin)[0])):
                return twin
        return None

    def with_cuts(self, tensors, nodes):
        """All nodes that lead to these, across detach() and .data too, and the cuts, ``(source, target, reason)``."""
        seen, cuts, ends = {}, {}, list(tensors)

        def meet(nodes):
            for node in nodes_below(nodes):
                if node not in seen:
                    seen[node] = True
                    held = [node.variable] if is_leaf(node) else [saved.tensor for saved in held_by(node)]
                    ends.extend(tensor for tensor in held if tensor is not None)

        meet(nodes)
        for target in ends:  # the loop makes this list longer
            node, _ = place_of(target)
            if id(target) not in cuts and target._base is None and (node is None or is_leaf(node)):
                source = self.source_of(target)
                if source is not None:
                    cuts[id(target)] = source, target, DETACHED if same_counter(source, target) else DATA
                    ends.append(source)
                    meet([place_of(source)[0]])
        nodes = nodes_below(seen) if cuts else list(seen)
        return nodes, sorted(cuts.values(), key=lambda cut: self.position[id(cut[0])])
