"""The history of a tensor after a change in place, and of the tensor that it is a view of.

The node of the change becomes the tensor's own.  A base of which a view changed gets a CopySlices node, which sends
the part of the gradient that the view covers through the node of the change and the rest straight on.  The view itself
then reads its gradient off the base (AsStridedBackward0), as does every other view of it.
"""

from .geometry import Geometry
from .graph import Node, Output, next_sequence_number, node_of_edge, rare
from .leaf import AccumulateGrad
from .refusals import refuse_view
from .table import ops
from .tensor import View, current_node, wrap


def attach(self, node):
    """Let *node*, whose first edge is the tensor's old one, be the history of a tensor changed in place."""
    view = self._view
    before = self._node
    if view is None:
        if before is None and self._resting is not None:
            rare(self._resting).resting = "moved"
        if before is not None and (before.__class__ is Output or before.extras is not None):
            move_retained(before, node)
        self._node = node
        return
    base = view.base
    own = base._node
    slices = Node()
    slices.plan = COPY_SLICES
    slices.edges = (own, *node.edges[1:])
    slices.saved = node, Geometry(base._array, self._array, view.cut)
    slices.arguments = slices.extras = None
    slices.sequence = next_sequence_number()
    base._node = slices
    if own is not None and (own.__class__ is Output or own.extras is not None):
        move_retained(own, slices)
    if before is not None and (before.__class__ is Output or before.extras is not None) and retained_at(before):
        current_node(self)  # takes what it retains along
    else:
        self._node = view.version = None  # until somebody asks; no version is None


def retained_at(edge):
    """Whether a tensor whose gradients go to this edge retains its gradient."""
    node, number = node_of_edge(edge)
    return node is not None and node.extras is not None and number in getattr(node.extras, "retained", ())


def move_retained(before, after):
    """A tensor that retains its gradient does so at its new node; hooks stay with the old."""
    if before is not None and retained_at(before):
        node, number = node_of_edge(before)
        owner, place = node_of_edge(after)
        rare(owner).own("retained")[place] = node.extras.retained.pop(number)


def read_off_base(tensor, view):
    """Give a view whose base changed since a node that reads its gradient off the base, if the base has one."""
    edge = current_node(view.base)
    if edge is None and (tensor._node is None or tensor._node.__class__ is AccumulateGrad):
        return
    if view.creation is not None:
        refuse_view(tensor, view, "its base or another view of its base has been")
    view.version = tensor._counter.version
    node = Node()
    node.plan = ops.strided_view.row.plan(("self",))
    node.edges = (edge,)
    node.saved = node.extras = None
    node.arguments = (None, Geometry(view.base._array, tensor._array), None)
    node.sequence = next_sequence_number()
    move_retained(tensor._node, node)
    tensor._node = node


View.read_off_base = staticmethod(read_off_base)


class CopySlices:
    """The plan of a base whose view was changed in place.

    The view's part of the gradient goes through the node of the change, the rest past it.
    """

    node_name = "CopySlices"
    keeps, only, several_outputs, calls_user_code = True, None, False, False

    def backward(self, node, grad):
        changed, geometry = node.saved
        rest, part = geometry.lay(grad)
        plan = changed.plan
        if plan.only == 0 and part.shape:  # no other input's gradient can be this array, which saves a copy
            first, others = plan.backward(changed, part), (None,) * (len(node.edges) - 1)
        else:
            first, *others = plan.for_edges(changed, part.copy()[()], tensors=False)
        if first is not part:
            part[...] = 0 if first is None else first
        return (rest if rest.shape else rest[()], *others)

    def backward_tensors(self, node, grad):
        changed, geometry = node.saved
        array, shown = geometry.lay(dtype=grad._array.dtype)
        whole = ops.copy_(wrap(array, grad._dtype), grad)
        part = ops.strided_view(whole, Geometry(array, shown), shown)
        first, *others = changed.plan.for_edges(changed, ops.clone(part), tensors=True)
        if first is None:
            ops.zero_(part)
        else:
            ops.copy_(part, first)
        return (whole, *others)

    def for_edges(self, node, grad, tensors):
        return self.backward_tensors(node, grad) if tensors else self.backward(node, grad)

    def result_shared(self, node, number, tensor):
        pass

    def saved_attribute(self, node, name):
        raise AttributeError(f"'CopySlices' object has no attribute '{name}'")

    def call(self, node, grad_outputs):
        grads = self.backward_tensors(node, grad_outputs[0])
        return grads[0] if len(grads) == 1 else grads


COPY_SLICES = CopySlices()
