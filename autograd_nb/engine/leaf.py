"""Where every path through the graph ends: the AccumulateGrad of a leaf, which holds its ``.grad``."""

from weakref import ref

from .graph import ALONE, Node


class AccumulateGrad(Node):
    """The end of every path: adds the gradient into a leaf's ``.grad``.

    It holds the gradient and the leaf's elements but refers to the leaf itself weakly, so that no cycle arises; a
    leaf that nobody else holds any more is made again when somebody asks for ``variable``.
    """

    __slots__ = ("grad", "array", "leaf", "dtype")

    def __init__(self, tensor):
        self.plan = ACCUMULATION
        self.first = self.second = ALONE
        self.saved = self.arguments = self.extras = None
        self.sequence = 2**64 - 1  # PyTorch runs these before any operation
        self.grad = tensor._kept_grad  # a tensor, or None
        self.array = tensor._array
        self.dtype = tensor._dtype
        self.leaf = ref(tensor)

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def revealed(self):
        return self

    @classmethod
    def of_nothing(cls, view):
        """The end for a view that was not recorded: it requires grad as its base does, and its gradient is lost."""
        self = cls(view)
        self.leaf = None
        return self

    @property
    def variable(self):
        """The leaf tensor whose gradient is accumulated here."""
        tensor = self.leaf()
        if tensor is None:
            from .tensor import wrap  # that room imports this one

            tensor = wrap(self.array, self.dtype, self)
            self.leaf = ref(tensor)
        return tensor


AccumulateGrad.__module__ = "builtins"  # so that it prints as PyTorch's does


class _Accumulation:
    """The plan of every AccumulateGrad: it saves nothing."""

    node_name = "AccumulateGrad"
    keeps = several_outputs = False

    def call(self, node, grad_outputs):
        (grad,) = grad_outputs
        node.grad = grad if node.grad is None else node.grad + grad
        return ()

    def result_shared(self, node, number, tensor):
        pass

    def saved_attribute(self, node, name):
        raise AttributeError(f"'AccumulateGrad' object has no attribute '{name}'")


ACCUMULATION = _Accumulation()
