"""The tensor as state: elements, version counter, and its place in the graph.

There are no operations here: operators and methods come from the table when the package loads.

Most tensors need only four fields: the elements, their dtype, the edge along which the gradient
goes (to the node that made the tensor; for a leaf that requires grad to its AccumulateGrad; else
None), and the version counter.  Other state has defaults on the class until an instance stores its
own.

For speed, a tensor has no version counter until ``_share`` prepares its storage for sharing or a
change in place, and until then a 0-d result is a NumPy scalar, ten times cheaper than an array.

This file rests on graph.py.  Views, inference mode and hooks can wait.
"""

from _thread import RLock
from operator import add, iadd
from types import SimpleNamespace
from weakref import ref

import numpy as np

from . import dtypes, events
from .dtypes import Size
from .graph import (
    DEAD_END,
    BasePlan,
    Node,
    RemovableHandle,
    extras_of,
    node_of_edge,
    numbered,
    of_its_own,
    retained_at,
)
from .modes import notify, state, warn
from .table import ops

ndarray = np.ndarray
one_at_a_time = RLock()  # threads may accumulate into one leaf
new = object.__new__
DATA = SimpleNamespace(name=".data")  # stands in for a row in events


def is_foreign(value):
    """Whether a value is a tensor of PyTorch itself."""
    for each in type(value).__mro__:
        if each.__name__ == "Tensor" and each.__module__ == "torch":
            return True
    return False


def kind_of(value):
    """The type of a value that is not our tensor, as errors call it."""
    kind = type(value)
    if is_foreign(value):
        return "a tensor of PyTorch; change its import too"
    return "numpy." * (kind.__module__ == "numpy") + kind.__name__


def refuse_foreign(*values):
    """TypeError for a tensor of PyTorch among the values."""
    for value in values:
        if not isinstance(value, Tensor) and is_foreign(value):
            raise TypeError(f"expected a tensor of autograd_nb, not {kind_of(value)}")


class VersionCounter:
    """Counts changes of a storage in place; all tensors on that storage share it."""

    version = 0


class TensorType(type):
    """The metaclass of Tensor: it fills a tensor before a subclass's ``__init__`` sees it."""

    def __call__(cls, *args, **kwargs):
        if cls.__new__ is not object.__new__:  # a subclass defines its own
            return super().__call__(*args, **kwargs)
        made = new(cls)
        cls._fill(made, *args, **kwargs)
        if cls.__init__ is not object.__init__:
            made.__init__(*args, **kwargs)
        return made

    def __repr__(cls):
        return "<class 'torch.Tensor'>" if cls is Tensor else super().__repr__()

    def __dir__(cls):
        # without the names that only raise an error
        return [name for name in super().__dir__() if hasattr(cls, name)]


class Tensor(metaclass=TensorType):
    """An n-dimensional array that remembers how it was computed.

    ``Tensor([1, 2])`` copies data into the default dtype; ``Tensor(2, 3)`` makes that shape, not
    initialised. Prefer :func:`autograd_nb.tensor`.

    >>> import autograd_nb as torch
    >>> torch.Tensor([1, 2])
    tensor([1., 2.])
    """

    __slots__ = ("_array", "_dtype", "_node", "_counter", "__dict__", "__weakref__")
    _view = None  # its View if this tensor is a view
    _kept_grad = None  # .grad, unless an AccumulateGrad holds it
    # the AccumulateGrad, with gradient and hooks, of a leaf that no longer requires grad
    _inactive = None
    _retains = False  # whether retain_grad() was called before its shape was changed in place
    _detached = 0  # the sequence number at which detach_() removed this tensor from its graph
    _inference = False
    __array_priority__ = 1000  # so that NumPy leaves mixed arithmetic to Tensor

    @property
    def dtype(self):
        """The type of the elements, such as ``torch.float32``."""
        return self._dtype

    @property
    def shape(self):
        """The lengths of the dimensions, a :class:`Size`."""
        return tuple.__new__(Size, self._array.shape)  # nothing to check

    @property
    def ndim(self):
        """The number of dimensions."""
        return self._array.ndim

    @property
    def data(self):
        """A tensor on the same storage, outside the graph and with a version counter of its own."""
        self._share()
        result = wrap(self._array, self._dtype)
        if self._inference:
            result._mark_inference()
        notify(events.Operation, DATA, None, [self], [result], False)
        return result

    @data.setter
    def data(self, other):
        refuse_foreign(other)
        if self.requires_grad and not other._dtype.is_floating_point:
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                "dtype"
            )
        self._share()  # so that the values that nodes saved stay the same
        other._share()
        self._set_array(other._array)
        self._dtype = other._dtype
        self._inference = other._inference

    def _set_array(self, array):
        """Replace the array under this tensor, and under a leaf's AccumulateGrad."""
        self._array = array
        node = self._node or self._inactive
        if node.__class__ is AccumulateGrad:
            node.array, node.dtype = array, dtypes.of_array(array)

    def _share(self):
        """Prepare the storage for sharing, and return its version counter."""
        if self._counter is None:
            self._counter = VersionCounter()
            if self._array.__class__ is not ndarray:
                self._set_array(np.array(self._array))
            owner, number = node_of_edge(self._node)
            if owner is not None:
                # it may know another counter for this storage
                owner.plan.result_shared(owner, number, self)
        return self._counter

    @property
    def _version(self):
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter.version

    @property
    def _base(self):
        return None if self._view is None else self._view.base

    @property
    def requires_grad(self):
        """Whether backward passes compute gradients for this tensor, or through it."""
        return (
            self._node is not None or self._view is not None and self._view.base._node is not None
        )

    @requires_grad.setter
    def requires_grad(self, flag):
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if not self.is_leaf:
            advice = (
                " If you want to use a computed variable in a subgraph that doesn't require "
                "differentiation use var_no_grad = var.detach()."
            )
            message = "you can only change requires_grad flags of leaf variables."
            raise RuntimeError(message if flag else message + advice)
        if flag and not self._dtype.is_floating_point:
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        if flag and self._inference and not state.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed."
            )
        if flag and self._node is None:
            self._node = self._inactive or AccumulateGrad(self)
            self._inactive = None
            if self._node.extras is not None:
                self._node.extras.inactive = False
        elif not flag and self._node is not None:
            self._inactive, self._node = self._node, None
            extras_of(self._inactive).inactive = True

    def requires_grad_(self, requires_grad=True):
        """Set :attr:`requires_grad`; RuntimeError unless it is a leaf of floats."""
        if requires_grad.__class__ is not bool:
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                f"{kind_of(requires_grad)}"
            )
        if requires_grad and not self._dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not requires_grad or self.is_leaf:  # True changes nothing for a computed tensor
            self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self):
        """True for tensors that no recorded operation made."""
        node = gradient_edge(self)
        return node is None or node is DEAD_END or node.__class__ is AccumulateGrad

    @property
    def grad_fn(self):
        """The node of the operation that made this tensor; None for a leaf."""
        return None if self.is_leaf else node_of_edge(gradient_edge(self))[0].revealed()

    @property
    def output_nr(self):
        """Which output of :attr:`grad_fn` this tensor is."""
        return node_of_edge(self._node)[1]

    @property
    def grad(self):
        """The accumulated gradient, or None; warns for a non-leaf that does not retain its own."""
        grad = grad_at(self, self._node if self._view is None else gradient_edge(self))
        if grad is None and not (self.is_leaf or self.retains_grad):
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
                ".grad attribute won't be populated during autograd.backward(). If you indeed "
                "want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() "
                "on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
                "for more information."
            )
        return grad

    @grad.setter
    def grad(self, grad):
        if grad is not None:
            self._check_grad(grad)
        node = (self._node if self._view is None else gradient_edge(self)) or self._inactive
        if node.__class__ is AccumulateGrad:
            node.grad = grad
        else:
            self._kept_grad = grad
        notify(events.Assigned, self)

    @grad.deleter
    def grad(self):
        self.grad = None

    def _check_grad(self, grad):
        if not isinstance(grad, Tensor):
            raise TypeError(
                "assigned grad expected to be a Tensor or None but got grad of type "
                f"{kind_of(grad)}"
            )
        if grad is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if grad._dtype is not self._dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{grad._dtype.cpp_name}' to a "
                f"tensor with grad_dtype '{self._dtype.legacy_name}'. The gradient must match the "
                "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's "
                "grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
                "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
                "break downstream systems that assume they match."
            )
        if grad._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of "
                f"size '{list(self.shape)}'. Please ensure that the gradient and the tensor are "
                "the same size"
            )

    @property
    def retains_grad(self):
        """Whether a non-leaf keeps its gradient in :attr:`grad`, after :meth:`retain_grad`."""
        return self._retains or retained_at(gradient_edge(self) or self._inactive)

    def retain_grad(self):
        """Let this non-leaf keep its gradient in :attr:`grad`; does nothing for a leaf."""
        owner, number = self._edge("can't retain_grad on Tensor that has requires_grad=False")
        if owner.__class__ is not AccumulateGrad and not self._retains:
            extras_of(owner).retained[number] = ref(self)

    def register_hook(self, hook):
        """Call ``hook(grad)`` when this tensor's gradient is computed; a result replaces it.

        Returns a handle with ``remove()``.  RuntimeError for a tensor that does not require grad.
        """
        owner, number = self._edge()
        return RemovableHandle(extras_of(owner).tensor_hooks, (number, hook))

    def register_post_accumulate_grad_hook(self, hook):
        """Call ``hook(tensor)`` after a gradient was accumulated into this leaf's :attr:`grad`."""
        owner, _ = self._edge()
        if owner.__class__ is not AccumulateGrad:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        return RemovableHandle(of_its_own(owner, "accumulated_hooks"), hook)

    def _edge(self, refusal="cannot register a hook on a tensor that doesn't require gradient"):
        """The place where this tensor's gradient arrives, as ``(node, output number)``."""
        edge = self._node if self._view is None else gradient_edge(self)
        if edge is None:
            raise RuntimeError(refusal)
        return node_of_edge(AccumulateGrad(self) if edge is DEAD_END else edge)

    def _mark_inference(self):
        """Make this a tensor of inference mode, with a counter by which ``save_input`` knows it."""
        self._inference = True
        self._share()


class AccumulateGrad(Node):
    """The end of every path: adds the gradient to a leaf's ``.grad``.

    It holds the gradient and the leaf's elements, but only a weak reference to the leaf, which
    avoids a cycle.  If nothing else refers to the leaf any more, ``variable`` makes it again.
    """

    __slots__ = ("grad", "array", "leaf", "dtype")

    def __init__(self, tensor):
        numbered(self, ACCUMULATION, ())
        self.sequence = 2**64 - 1  # PyTorch runs these before any operation
        self.grad = tensor._kept_grad  # a tensor, or None
        self.array, self.dtype = tensor._array, tensor._dtype
        self.leaf = ref(tensor)

    @property
    def variable(self):
        """The leaf tensor whose gradient is accumulated here."""
        tensor = self.leaf()
        if tensor is None:
            tensor = wrap(self.array, self.dtype, self)
            self.leaf = ref(tensor)
        return tensor


AccumulateGrad.__module__ = "builtins"  # so that it prints as PyTorch's does


class Accumulation(BasePlan):
    """The plan of every AccumulateGrad: ``.grad`` stays the same tensor, with memory of its own."""

    node_name = "AccumulateGrad"

    def apply(self, node, grads):
        (grad,), extras = grads, node.extras
        if extras is not None and extras.inactive:
            tensor = node.leaf()
            if extras.inactive == "moved" if tensor is None else tensor._node is not None:
                raise RuntimeError("leaf variable has been moved into the graph interior")
            return []
        if grad is not None:
            with one_at_a_time:
                accumulate(node, grad)
        notify(events.Accumulated, node, grad, node.grad)
        return []


ACCUMULATION = Accumulation()


def accumulate(node, grad):
    """Add a gradient, an array or under create_graph a tensor, to the ``.grad`` of a leaf."""
    held, is_tensor = node.grad, isinstance(grad, Tensor)
    if held is None:
        node.grad = duplicate(grad, "copied")
    elif is_tensor and state.grad_enabled:
        node.grad = held + grad
    else:
        held._share().version += 1
        array, added = held._array, grad._array if is_tensor else grad
        held._set_array(state.run(iadd if array.flags.writeable else add, array, added))


def duplicate(grad, operation):
    """A copy of a gradient as a tensor; *operation* makes it if it becomes part of the graph."""
    if isinstance(grad, Tensor):
        if grad._node is not None and state.grad_enabled:
            return getattr(ops, operation)(grad)
        grad = grad._array
    return wrap(grad.copy() if grad.__class__ is ndarray else grad, dtypes.of_array(grad))


# A tensor without any fields, in two thirds of the time of new(Tensor); that is why the class has
# no __init__
new_tensor = type.__call__.__get__(Tensor)


def wrap(array, dtype, node=None):
    """A tensor on these elements, with no copy."""
    tensor = new_tensor()
    tensor._array = array
    tensor._dtype = dtype
    tensor._node = node
    tensor._counter = None
    return tensor


def gradient_edge(tensor):
    """The edge of the tensor's gradient; a view whose storage has changed first gets a new node."""
    view = tensor._view
    if view is not None:
        if view.version != tensor._counter.version:
            view.regenerate_grad_fn(tensor)
        # not recorded: it reports requires_grad like its base, but no gradient can arrive
        if tensor._node is None and view.base._node is not None:
            return DEAD_END
    return tensor._node


def grad_at(tensor, edge):
    """The ``.grad`` of a tensor with this *edge*, without a warning."""
    if edge.__class__ is AccumulateGrad:
        return edge.grad
    grad = tensor._kept_grad
    return grad if grad is not None or tensor._inactive is None else tensor._inactive.grad
