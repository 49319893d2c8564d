# Written by `python -m tests.write stubs`.
# ruff: noqa
import builtins
import typing

from . import autograd as autograd
from . import course as course
from . import distributions as distributions
from . import drawing as drawing
from . import microscope as microscope
from . import nn as nn
from . import optim as optim
from . import utils as utils
from . import widgets as widgets
from .autograd import func as func
from .torch_api import cuda as cuda
from .torch_api import linalg as linalg
from .torch_api import random as random
from autograd_nb.as_torch import as_torch as as_torch
from autograd_nb.drawing.display import Drawing as _Drawing
from autograd_nb.engine.dtypes import Size as Size
from autograd_nb.engine.dtypes import dtype as dtype
from autograd_nb.engine.dtypes import get_default_dtype as get_default_dtype
from autograd_nb.engine.dtypes import set_default_dtype as set_default_dtype
from autograd_nb.engine.modes import enable_grad as enable_grad
from autograd_nb.engine.modes import inference_mode as inference_mode
from autograd_nb.engine.modes import is_grad_enabled as is_grad_enabled
from autograd_nb.engine.modes import is_inference_mode_enabled as is_inference_mode_enabled
from autograd_nb.engine.modes import no_grad as no_grad
from autograd_nb.engine.modes import set_grad_enabled as set_grad_enabled
from autograd_nb.microscope.info import InfoTable as _InfoTable
from autograd_nb.microscope.trace import Recording as _Recording
from autograd_nb.microscope.trace import Trace as _Trace
from autograd_nb.torch_api.devices import device as device
from autograd_nb.torch_api.inquiries import finfo as finfo
from autograd_nb.torch_api.inquiries import iinfo as iinfo
from autograd_nb.torch_api.random_streams import Generator as Generator
from autograd_nb.why.answers import Answer as _Answer
from autograd_nb.why.answers import Answer as _Answer
from autograd_nb.widgets.bench import Bench as _Bench
from autograd_nb.widgets.stepper import Stepper as _Stepper
from numpy import ndarray as _ndarray
from autograd_nb.engine.dtypes import dtype as _dtype
from autograd_nb.torch_api.devices import device as _device

__version__: builtins.str
BoolTensor: typing.Any
ByteTensor: typing.Any
CharTensor: typing.Any
DoubleTensor: typing.Any
FloatTensor: typing.Any
HalfTensor: typing.Any
IntTensor: typing.Any
LongTensor: typing.Any
ShortTensor: typing.Any
class Tensor:
    def __init__(self, *data, device=None) -> None: ...
    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reversed order."""
    def __abs__(self) -> Tensor:
        """The absolute value of each element; the gradient at 0 is 0."""
    def __add__(self, other) -> Tensor:
        """self + alpha * other; one of the two may be a Python number."""
    def __and__(self, other) -> Tensor:
        """The bitwise and of integers or bools, such as masks."""
    def __array__(self, dtype=None, copy=None) -> _ndarray: ...
    def __array_wrap__(self, array, context=None, return_scalar=False) -> Tensor: ...
    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, element) -> builtins.bool: ...
    def __deepcopy__(self, memo): ...
    def __dir__(self) -> builtins.list: ...
    def __eq__(self, other) -> Tensor:
        """Whether each element of *self* is equal to *other*, a tensor or a number."""
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other) -> Tensor:
        """self / other, rounded down."""
    def __format__(self, format_spec): ...
    def __ge__(self, other) -> Tensor:
        """Whether each element of *self* is at least *other*, a tensor or a number."""
    def __getitem__(self, index) -> Tensor: ...
    def __gt__(self, other) -> Tensor:
        """Whether each element of *self* is greater than *other*, a tensor or a number."""
    def __iadd__(self, other, *, alpha=1) -> Tensor:
        """In-place form of :func:`add`; changes the tensor and returns it."""
    def __ifloordiv__(self, other) -> Tensor:
        """In-place form of :func:`floor_divide`; changes the tensor and returns it."""
    def __imod__(self, other) -> Tensor:
        """In-place form of :func:`remainder`; changes the tensor and returns it."""
    def __imul__(self, other) -> Tensor:
        """In-place form of :func:`mul`; changes the tensor and returns it."""
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor:
        """The bitwise not of integers or bools, such as masks."""
    def __ipow__(self, exponent) -> Tensor:
        """In-place form of :func:`pow`; changes the tensor and returns it."""
    def __isub__(self, other, *, alpha=1) -> Tensor:
        """In-place form of :func:`sub`; changes the tensor and returns it."""
    def __iter__(self):
        """An iterator over the slices along the first dimension: views, as :func:`unbind` gives them."""
    def __itruediv__(self, other, *, rounding_mode=...) -> Tensor:
        """In-place form of :func:`div`; changes the tensor and returns it."""
    def __le__(self, other) -> Tensor:
        """Whether each element of *self* is at most *other*, a tensor or a number."""
    def __len__(self) -> builtins.int: ...
    def __lt__(self, other) -> Tensor:
        """Whether each element of *self* is less than *other*, a tensor or a number."""
    def __matmul__(self, mat2) -> Tensor:
        """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast."""
    def __mod__(self, other) -> Tensor:
        """The remainder of self / other rounded down; it has the sign of *other*."""
    def __mul__(self, other) -> Tensor:
        """self * other; one of the two may be a Python number."""
    def __ne__(self, other) -> Tensor:
        """Whether each element of *self* is different from *other*, a tensor or a number."""
    def __neg__(self) -> Tensor:
        """Each element with the opposite sign."""
    def __or__(self, other) -> Tensor:
        """The bitwise or of integers or bools, such as masks."""
    def __pos__(self) -> Tensor:
        """The tensor itself, ``+self``; RuntimeError for bool."""
    def __pow__(self, exponent) -> Tensor:
        """*self* to the power *exponent*, element by element."""
    def __radd__(self, other) -> Tensor:
        """self + alpha * other; one of the two may be a Python number."""
    def __rand__(self, other) -> Tensor:
        """The bitwise and of integers or bools, such as masks."""
    def __reduce_ex__(self, protocol) -> builtins.tuple: ...
    def __repr__(self, *, tensor_contents=None) -> builtins.str: ...
    def __rfloordiv__(self, other) -> Tensor:
        """other / self, rounded down."""
    def __rmatmul__(self, other) -> Tensor:
        """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast."""
    def __rmod__(self, other) -> Tensor:
        """The remainder of other / self rounded down; it has the sign of *self*."""
    def __rmul__(self, other) -> Tensor:
        """self * other; one of the two may be a Python number."""
    def __ror__(self, other) -> Tensor:
        """The bitwise or of integers or bools, such as masks."""
    def __rpow__(self, other) -> Tensor:
        """The number *base* to the power *self*, element by element."""
    def __rsub__(self, other) -> Tensor:
        """other - self."""
    def __rtruediv__(self, other) -> Tensor:
        """other / self."""
    def __rxor__(self, other) -> Tensor:
        """The bitwise xor of integers or bools, such as masks."""
    def __setitem__(self, index, value) -> None: ...
    def __sub__(self, other) -> Tensor:
        """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool."""
    def __truediv__(self, other) -> Tensor:
        """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
    def __xor__(self, other) -> Tensor:
        """The bitwise xor of integers or bools, such as masks."""
    @property
    def _base(self) -> typing.Any: ...
    def _is_view(self) -> builtins.bool:
        """Whether this tensor shares its storage with another."""
    @property
    def _version(self) -> builtins.int: ...
    def abs(self) -> Tensor:
        """The absolute value of each element; the gradient at 0 is 0."""
    def abs_(self) -> Tensor:
        """In-place form of :func:`abs`; changes the tensor and returns it."""
    def absolute(self) -> Tensor:
        """The absolute value of each element; the gradient at 0 is 0."""
    def absolute_(self) -> Tensor:
        """In-place form of :func:`abs`; changes the tensor and returns it."""
    def acos(self) -> Tensor:
        """The arc cosine of each element; nan outside [-1, 1]."""
    def acos_(self) -> Tensor:
        """In-place form of :func:`acos`; changes the tensor and returns it."""
    def add(self, other, *, alpha=1) -> Tensor:
        """self + alpha * other; one of the two may be a Python number."""
    def add_(self, other, *, alpha=1) -> Tensor:
        """In-place form of :func:`add`; changes the tensor and returns it."""
    def addcdiv(self, tensor1, tensor2, *, value=1) -> Tensor:
        """self + value * tensor1 / tensor2."""
    def addcdiv_(self, tensor1, tensor2, *, value=1) -> Tensor:
        """In-place form of :func:`addcdiv`; changes the tensor and returns it."""
    def addcmul(self, tensor1, tensor2, *, value=1) -> Tensor:
        """self + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1, tensor2, *, value=1) -> Tensor:
        """In-place form of :func:`addcmul`; changes the tensor and returns it."""
    def addmm(self, mat1, mat2) -> Tensor:
        """self + mat1 @ mat2, with *self* broadcast to the product's shape; RuntimeError if they do not match."""
    def addmm_(self, mat1, mat2) -> Tensor:
        """In-place form of :func:`addmm`; changes the tensor and returns it."""
    def all(self, dim=None, keepdim=False) -> Tensor:
        """Whether no element is zero, in the whole tensor or along *dim* (an int or several)."""
    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> builtins.bool:
        """Whether :func:`isclose` holds for all elements, as a Python bool."""
    def amax(self, dim=(), keepdim=False) -> Tensor:
        """The largest of all elements, or along *dim* (an int or several); equal ones share the gradient."""
    def amin(self, dim=(), keepdim=False) -> Tensor:
        """The smallest of all elements, or along *dim* (an int or several); equal ones share the gradient."""
    def any(self, dim=None, keepdim=False) -> Tensor:
        """Whether some elements are not zero, in the whole tensor or along *dim* (an int or several)."""
    def arccos(self) -> Tensor:
        """The arc cosine of each element; nan outside [-1, 1]."""
    def arccos_(self) -> Tensor:
        """In-place form of :func:`acos`; changes the tensor and returns it."""
    def arcsin(self) -> Tensor:
        """The arc sine of each element; nan outside [-1, 1]."""
    def arcsin_(self) -> Tensor:
        """In-place form of :func:`asin`; changes the tensor and returns it."""
    def arctan(self) -> Tensor:
        """The arc tangent of each element."""
    def arctan2(self, other) -> Tensor:
        """The angle of the point (other, self), from -pi to pi."""
    def arctan2_(self, other) -> Tensor:
        """In-place form of :func:`atan2`; changes the tensor and returns it."""
    def arctan_(self) -> Tensor:
        """In-place form of :func:`atan`; changes the tensor and returns it."""
    def argmax(self, dim=None, keepdim=False) -> Tensor:
        """The index of the largest element, in the flattened tensor or along *dim*; the first of equal ones."""
    def argmin(self, dim=None, keepdim=False) -> Tensor:
        """The index of the smallest element, in the flattened tensor or along *dim*; the first of equal ones."""
    def argsort(self, dim=-1, descending=False, *, stable=False) -> Tensor:
        """The indices that sort the tensor along *dim*."""
    def asin(self) -> Tensor:
        """The arc sine of each element; nan outside [-1, 1]."""
    def asin_(self) -> Tensor:
        """In-place form of :func:`asin`; changes the tensor and returns it."""
    def atan(self) -> Tensor:
        """The arc tangent of each element."""
    def atan2(self, other) -> Tensor:
        """The angle of the point (other, self), from -pi to pi."""
    def atan2_(self, other) -> Tensor:
        """In-place form of :func:`atan2`; changes the tensor and returns it."""
    def atan_(self) -> Tensor:
        """In-place form of :func:`atan`; changes the tensor and returns it."""
    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add gradients into the ``.grad`` of the leaves that this tensor depends on."""
    def bitwise_and(self, other) -> Tensor:
        """The bitwise and of integers or bools, such as masks."""
    def bitwise_and_(self, other) -> Tensor:
        """In-place form of :func:`bitwise_and`; changes the tensor and returns it."""
    def bitwise_not(self) -> Tensor:
        """The bitwise not of integers or bools, such as masks."""
    def bitwise_not_(self) -> Tensor:
        """In-place form of :func:`bitwise_not`; changes the tensor and returns it."""
    def bitwise_or(self, other) -> Tensor:
        """The bitwise or of integers or bools, such as masks."""
    def bitwise_or_(self, other) -> Tensor:
        """In-place form of :func:`bitwise_or`; changes the tensor and returns it."""
    def bitwise_xor(self, other) -> Tensor:
        """The bitwise xor of integers or bools, such as masks."""
    def bitwise_xor_(self, other) -> Tensor:
        """In-place form of :func:`bitwise_xor`; changes the tensor and returns it."""
    def bmm(self, mat2):
        """The products of two batches of matrices, one by one; RuntimeError if dimensions, sizes or dtypes do not match."""
    def bool(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.bool; itself if it is of that dtype already."""
    def broadcast_to(self, *size, **named) -> Tensor:
        """This tensor broadcast to the shape *size*: another name for :meth:`expand`."""
    def byte(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.uint8; itself if it is of that dtype already."""
    def ceil(self) -> Tensor:
        """Each element rounded up; the gradient is 0."""
    def ceil_(self) -> Tensor:
        """In-place form of :func:`ceil`; changes the tensor and returns it."""
    def char(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.int8; itself if it is of that dtype already."""
    def chunk(self, chunks, dim=0) -> builtins.tuple[Tensor, ...]:
        """The tensor as at most *chunks* views of equal size along *dim*; the last may be smaller."""
    def clamp(self, min=None, max=None) -> Tensor:
        """The elements limited to the range of the numbers from *min* to *max*."""
    def clamp_(self, min=None, max=None) -> Tensor:
        """In-place form of :func:`clamp`; changes the tensor and returns it."""
    def clamp_max(self, max) -> Tensor:
        """The elements, at most the number *max*."""
    def clamp_max_(self, max) -> Tensor:
        """In-place form of :func:`clamp_max`; changes the tensor and returns it."""
    def clamp_min(self, min) -> Tensor:
        """The elements, at least the number *min*."""
    def clamp_min_(self, min) -> Tensor:
        """In-place form of :func:`clamp_min`; changes the tensor and returns it."""
    def clip(self, min=None, max=None) -> Tensor:
        """The elements limited to the range of the numbers from *min* to *max*."""
    def clip_(self, min=None, max=None) -> Tensor:
        """In-place form of :func:`clamp`; changes the tensor and returns it."""
    def clone(self, *, memory_format=None) -> Tensor:
        """A copy that gradients flow through."""
    def contiguous(self, memory_format=None) -> Tensor:
        """The tensor itself if it is contiguous, else a contiguous copy."""
    def copy_(self, other, non_blocking=False) -> Tensor:
        """Write the elements of *other*, broadcast and cast, into this tensor."""
    def cos(self) -> Tensor:
        """The cosine of each element, in radians."""
    def cos_(self) -> Tensor:
        """In-place form of :func:`cos`; changes the tensor and returns it."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine of each element."""
    def cosh_(self) -> Tensor:
        """In-place form of :func:`cosh`; changes the tensor and returns it."""
    def cpu(self, memory_format=None) -> Tensor:
        """This tensor: all are on the CPU."""
    def cuda(self, device=None, non_blocking=False, memory_format=None):
        """AssertionError: there is no CUDA device."""
    def cumprod(self, dim, *, dtype=None) -> Tensor:
        """For each element the product of all up to and including it along *dim*; integers give int64."""
    def cumprod_(self, dim, *, dtype=None) -> Tensor:
        """In-place form of :func:`cumprod`; changes the tensor and returns it."""
    def cumsum(self, dim, *, dtype=None) -> Tensor:
        """For each element the sum of all up to and including it along *dim*; integers give int64."""
    def cumsum_(self, dim, *, dtype=None) -> Tensor:
        """In-place form of :func:`cumsum`; changes the tensor and returns it."""
    data: Tensor
    def data_ptr(self) -> builtins.int:
        """The address in memory of the first element, 0 if there is none."""
    def det(self) -> Tensor:
        """The determinant of a square matrix, or of each of a batch."""
    def detach(self) -> Tensor:
        """The same elements outside the graph: shares storage and version counter, does not require grad."""
    def detach_(self) -> Tensor:
        """Detach this tensor itself: it becomes a leaf that does not require grad.  RuntimeError for a view."""
    @property
    def device(self) -> _device: ...
    def diag(self, diagonal=0) -> Tensor:
        """The diagonal of a matrix, or the matrix with this diagonal."""
    def diagonal(self, offset=0, dim1=0, dim2=1) -> Tensor:
        """The diagonal of the plane of *dim1* and *dim2*, as the last dimension; a view."""
    def dim(self) -> builtins.int:
        """The number of dimensions."""
    def div(self, other, *, rounding_mode=...) -> Tensor:
        """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
    def div_(self, other, *, rounding_mode=...) -> Tensor:
        """In-place form of :func:`div`; changes the tensor and returns it."""
    def divide(self, other, *, rounding_mode=...) -> Tensor:
        """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
    def divide_(self, other, *, rounding_mode=...) -> Tensor:
        """In-place form of :func:`div`; changes the tensor and returns it."""
    def dot(self, tensor) -> Tensor:
        """The sum of the products of two vectors' elements; RuntimeError unless their lengths and dtypes are equal."""
    def double(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.float64; itself if it is of that dtype already."""
    @property
    def dtype(self) -> _dtype:
        """The type of the elements, such as ``torch.float32``."""
    def element_size(self) -> builtins.int:
        """The size of an element in bytes."""
    def eq(self, other) -> Tensor:
        """Whether each element of *self* is equal to *other*, a tensor or a number."""
    def equal(self, other) -> builtins.bool:
        """Whether both tensors have the same shape and the same elements, as a Python bool."""
    def erf(self) -> Tensor:
        """The error function of each element."""
    def erf_(self) -> Tensor:
        """In-place form of :func:`erf`; changes the tensor and returns it."""
    def exp(self) -> Tensor:
        """e to the power of each element."""
    def exp2(self) -> Tensor:
        """2 to the power of each element."""
    def exp2_(self) -> Tensor:
        """In-place form of :func:`exp2`; changes the tensor and returns it."""
    def exp_(self) -> Tensor:
        """In-place form of :func:`exp`; changes the tensor and returns it."""
    def expand(self, *size, **named) -> Tensor:
        """The tensor with dimensions of length one stretched to *size* without copying; -1 keeps a length."""
    def expand_as(self, other) -> Tensor:
        """This tensor expanded to the shape of *other*."""
    def expm1(self) -> Tensor:
        """exp(self) - 1, accurate for small elements too."""
    def expm1_(self) -> Tensor:
        """In-place form of :func:`expm1`; changes the tensor and returns it."""
    def fill_(self, value) -> Tensor:
        """Set all elements to *value*, a number or 0-d tensor."""
    def fill_diagonal_(self, fill_value) -> Tensor:
        """Set the elements whose indices are all alike to a number."""
    def fix(self) -> Tensor:
        """Each element rounded towards zero; the gradient is 0."""
    def fix_(self) -> Tensor:
        """In-place form of :func:`trunc`; changes the tensor and returns it."""
    def flatten(self, start_dim=0, end_dim=-1) -> Tensor:
        """The tensor with dimensions *start_dim* to *end_dim* merged into one."""
    def flip(self, *dims, **named) -> Tensor:
        """A copy with the order of elements reversed along *dims*."""
    def float(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.float32; itself if it is of that dtype already."""
    def floor(self) -> Tensor:
        """Each element rounded down; the gradient is 0."""
    def floor_(self) -> Tensor:
        """In-place form of :func:`floor`; changes the tensor and returns it."""
    def floor_divide(self, other) -> Tensor:
        """self / other, rounded down.  RuntimeError for integers divided by zero; it has no derivative."""
    def floor_divide_(self, other) -> Tensor:
        """In-place form of :func:`floor_divide`; changes the tensor and returns it."""
    def gather(self, dim, index, *, sparse_grad=False) -> Tensor:
        """The elements along *dim* at *index*; the result has the shape of *index*."""
    def ge(self, other) -> Tensor:
        """Whether each element of *self* is at least *other*, a tensor or a number."""
    def ger(self, vec2) -> Tensor:
        """The outer product: the matrix of products of each element of one vector with each of the other."""
    grad: None | Tensor
    @property
    def grad_fn(self) -> typing.Any:
        """The node of the operation that made this tensor; None for a leaf."""
    def greater(self, other) -> Tensor:
        """Whether each element of *self* is greater than *other*, a tensor or a number."""
    def greater_equal(self, other) -> Tensor:
        """Whether each element of *self* is at least *other*, a tensor or a number."""
    def gt(self, other) -> Tensor:
        """Whether each element of *self* is greater than *other*, a tensor or a number."""
    def half(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.float16; itself if it is of that dtype already."""
    def histogram(self, bins=100, *, range=None, density=False):
        """``(hist, bin_edges)``: how many elements lie in each of the *bins* of one width; with *density* the area is 1."""
    def index_add(self, dim, index, source, *, alpha=1) -> Tensor:
        """A copy with the slices of *source*, times *alpha*, added along *dim* at *index*."""
    def index_add_(self, dim, index, source, *, alpha=1) -> Tensor:
        """In-place form of :func:`index_add`; changes the tensor and returns it."""
    def index_put(self, indices, values, accumulate=False) -> Tensor:
        """A copy with the elements at *indices* (a tuple of tensors) replaced by *values*, or with these added."""
    def index_put_(self, indices, values, accumulate=False) -> Tensor:
        """In-place form of :func:`index_put`; changes the tensor and returns it."""
    def index_select(self, dim, index) -> Tensor:
        """The slices along *dim* named by the vector *index*."""
    def int(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.int32; itself if it is of that dtype already."""
    def inverse(self) -> Tensor:
        """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
    def is_contiguous(self, memory_format=None) -> builtins.bool:
        """Whether the elements lie in storage without gaps, in row-major order."""
    @property
    def is_cuda(self) -> builtins.bool: ...
    def is_floating_point(input) -> builtins.bool:
        """Whether the dtype is a floating-point one."""
    def is_inference(self) -> builtins.bool:
        """Whether this tensor was made in inference mode."""
    @property
    def is_leaf(self) -> builtins.bool:
        """True for tensors that no recorded operation made."""
    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        """Whether ``|self - other| <= atol + rtol * |other|``, element by element.  RuntimeError for different dtypes."""
    def isfinite(self) -> Tensor:
        """Whether each element is a finite number."""
    def isinf(self) -> Tensor:
        """Whether each element is infinite."""
    def isnan(self) -> Tensor:
        """Whether each element is not a number."""
    def item(self):
        """The only element as a Python number; RuntimeError if there are more or none."""
    @property
    def itemsize(self) -> builtins.int:
        """The size of an element in bytes."""
    def le(self, other) -> Tensor:
        """Whether each element of *self* is at most *other*, a tensor or a number."""
    def lerp(self, end, weight):
        """self + weight * (end - self), where *weight* is a number.  RuntimeError for different dtypes."""
    def lerp_(self, end, weight):
        """In-place form of :func:`lerp`; changes the tensor and returns it."""
    def less(self, other) -> Tensor:
        """Whether each element of *self* is less than *other*, a tensor or a number."""
    def less_equal(self, other) -> Tensor:
        """Whether each element of *self* is at most *other*, a tensor or a number."""
    def log(self) -> Tensor:
        """The natural logarithm of each element."""
    def log10(self) -> Tensor:
        """The logarithm to base 10 of each element."""
    def log10_(self) -> Tensor:
        """In-place form of :func:`log10`; changes the tensor and returns it."""
    def log1p(self) -> Tensor:
        """log(1 + self), accurate for small elements too."""
    def log1p_(self) -> Tensor:
        """In-place form of :func:`log1p`; changes the tensor and returns it."""
    def log2(self) -> Tensor:
        """The logarithm to base 2 of each element."""
    def log2_(self) -> Tensor:
        """In-place form of :func:`log2`; changes the tensor and returns it."""
    def log_(self) -> Tensor:
        """In-place form of :func:`log`; changes the tensor and returns it."""
    def log_softmax(self, dim, dtype=None) -> Tensor:
        """The logarithm of :func:`softmax`, computed without loss of precision."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant of a square matrix, or of each of a batch; nan for a negative one."""
    def logical_and(self, other) -> Tensor:
        """Whether both are not zero, element by element."""
    def logical_and_(self, other) -> Tensor:
        """In-place form of :func:`logical_and`; changes the tensor and returns it."""
    def logical_not(self) -> Tensor:
        """Whether each element is zero."""
    def logical_not_(self) -> Tensor:
        """In-place form of :func:`logical_not`; changes the tensor and returns it."""
    def logical_or(self, other) -> Tensor:
        """Whether one or both are not zero, element by element."""
    def logical_or_(self, other) -> Tensor:
        """In-place form of :func:`logical_or`; changes the tensor and returns it."""
    def logical_xor(self, other) -> Tensor:
        """Whether one but not both are not zero, element by element."""
    def logical_xor_(self, other) -> Tensor:
        """In-place form of :func:`logical_xor`; changes the tensor and returns it."""
    def logsumexp(self, dim, keepdim=False) -> Tensor:
        """log(sum(exp(self))) along *dim*, without overflow; integers are computed in the default dtype."""
    def long(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.int64; itself if it is of that dtype already."""
    def lt(self, other) -> Tensor:
        """Whether each element of *self* is less than *other*, a tensor or a number."""
    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions swapped."""
    def masked_fill(self, mask, value) -> Tensor:
        """A copy with *value* where *mask* (broadcast) is true."""
    def masked_fill_(self, mask, value) -> Tensor:
        """In-place form of :func:`masked_fill`; changes the tensor and returns it."""
    def masked_select(self, mask) -> Tensor:
        """The elements where *mask* (broadcast) is true, in one dimension."""
    def matmul(self, other) -> Tensor:
        """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast."""
    def max(self, dim=None, keepdim=False, *, other=None):
        """The largest element; along *dim* the largest ``values`` with their ``indices``; of two: :func:`maximum`."""
    def maximum(self, other) -> Tensor:
        """The larger of two elements, nan when either is; equal ones share the gradient."""
    def mean(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
        """The mean of all elements, or along *dim* (an int or several); integers need a floating *dtype*."""
    def median(self, dim=None, keepdim=False):
        """The median of all elements, the lower of two middle ones; along *dim* the ``values`` with their ``indices``."""
    def min(self, dim=None, keepdim=False, *, other=None):
        """The smallest element; along *dim* the smallest ``values`` with their ``indices``; of two: :func:`minimum`."""
    def minimum(self, other) -> Tensor:
        """The smaller of two elements, nan when either is; equal ones share the gradient."""
    def mm(self, mat2) -> Tensor:
        """The product of two matrices; RuntimeError if dimensions, sizes or dtypes do not match."""
    def mul(self, other) -> Tensor:
        """self * other; one of the two may be a Python number."""
    def mul_(self, other) -> Tensor:
        """In-place form of :func:`mul`; changes the tensor and returns it."""
    def multinomial(input, num_samples, replacement=False, *, generator=None) -> Tensor:
        """Indices drawn with the probabilities in *input*, or in each of its rows, which need not add up to one."""
    def multiply(self, other) -> Tensor:
        """self * other; one of the two may be a Python number."""
    def multiply_(self, other) -> Tensor:
        """In-place form of :func:`mul`; changes the tensor and returns it."""
    def mv(self, vec) -> Tensor:
        """The product of a matrix and a vector; RuntimeError if dimensions, sizes or dtypes do not match."""
    def narrow(self, dim, start, length):
        """The *length* elements along *dim* that begin at *start*; a view."""
    @property
    def nbytes(self) -> builtins.int: ...
    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
    def ndimension(self) -> builtins.int:
        """The number of dimensions."""
    def ne(self, other) -> Tensor:
        """Whether each element of *self* is different from *other*, a tensor or a number."""
    def neg(self) -> Tensor:
        """Each element with the opposite sign."""
    def neg_(self) -> Tensor:
        """In-place form of :func:`neg`; changes the tensor and returns it."""
    def negative(self) -> Tensor:
        """Each element with the opposite sign."""
    def negative_(self) -> Tensor:
        """In-place form of :func:`neg`; changes the tensor and returns it."""
    def nelement(input) -> builtins.int:
        """The number of elements."""
    def new_empty(self, *size, dtype=None, device=None, requires_grad=False) -> Tensor:
        """A tensor of uninitialised elements, of the shape *size* and this tensor's dtype."""
    def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
        """*fill_value* in the shape *size* and this tensor's dtype."""
    def new_ones(self, *size, dtype=None, device=None, requires_grad=False) -> Tensor:
        """A tensor of ones, of the shape *size* and this tensor's dtype."""
    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False) -> Tensor:
        """A copy of *data* in this tensor's dtype."""
    def new_zeros(self, *size, dtype=None, device=None, requires_grad=False) -> Tensor:
        """A tensor of zeros, of the shape *size* and this tensor's dtype."""
    def nonzero(self, *, as_tuple=False) -> Tensor:
        """The indices of the elements that are not zero: a row for each, or with *as_tuple* a vector for each dimension."""
    def norm(self, p='fro', dim=None, keepdim=False, dtype=None) -> Tensor:
        """The norm of order *p* of all elements, or along *dim*, taken as one vector; integers are refused."""
    def normal_(self, mean=0, std=1, *, generator=None) -> Tensor:
        """Fill with normally distributed random numbers; returns the tensor."""
    def not_equal(self, other) -> Tensor:
        """Whether each element of *self* is different from *other*, a tensor or a number."""
    def numel(input) -> builtins.int:
        """The number of elements."""
    def numpy(self, *, force=False) -> _ndarray:
        """A NumPy array that shares the tensor's memory; writing to it does not count as an in-place change."""
    def outer(self, vec2) -> Tensor:
        """The outer product: the matrix of products of each element of one vector with each of the other."""
    @property
    def output_nr(self) -> builtins.int:
        """Which output of :attr:`grad_fn` this tensor is."""
    def permute(self, *dims, **named) -> Tensor:
        """The tensor with its dimensions in the order *dims*, which names each once."""
    def positive(self) -> Tensor:
        """The tensor itself, ``+self``; RuntimeError for bool."""
    def pow(self, exponent) -> Tensor:
        """*self* to the power *exponent*, element by element; one of the two may be a Python number."""
    def pow_(self, exponent) -> Tensor:
        """In-place form of :func:`pow`; changes the tensor and returns it."""
    def prod(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
        """The product of all elements, or along the dimension *dim*; integers give int64."""
    def ravel(self) -> Tensor:
        """All elements in one dimension, contiguous: a view where possible."""
    def reciprocal(self) -> Tensor:
        """One over each element."""
    def reciprocal_(self) -> Tensor:
        """In-place form of :func:`reciprocal`; changes the tensor and returns it."""
    def register_hook(self, hook):
        """Call ``hook(grad)`` when this tensor's gradient is computed; a result replaces it."""
    def register_post_accumulate_grad_hook(self, hook):
        """Call ``hook(tensor)`` after a gradient was accumulated into this leaf's :attr:`grad`."""
    def relu(self) -> Tensor:
        """The element where it is positive, else 0; the gradient at 0 is 0."""
    def relu_(self) -> Tensor:
        """In-place form of :func:`relu`; changes the tensor and returns it."""
    def remainder(self, other) -> Tensor:
        """The remainder of self / other rounded down; it has the sign of *other*."""
    def remainder_(self, other) -> Tensor:
        """In-place form of :func:`remainder`; changes the tensor and returns it."""
    def repeat(self, *repeats, **named) -> Tensor:
        """A copy of the tensor repeated *repeats* times along each dimension."""
    requires_grad: builtins.bool
    def requires_grad_(self, requires_grad=True) -> Tensor:
        """Set :attr:`requires_grad`; RuntimeError unless it is a leaf of floats."""
    def reshape(self, *shape, **named) -> Tensor:
        """The same elements in another shape: a view where strides allow it, else a copy."""
    def retain_grad(self) -> None:
        """Let this non-leaf keep its gradient in :attr:`grad`; does nothing for a leaf."""
    @property
    def retains_grad(self) -> builtins.bool:
        """Whether a non-leaf keeps its gradient in :attr:`grad`, after :meth:`retain_grad`."""
    def roll(self, shifts, dims=()) -> Tensor:
        """A copy with elements shifted by *shifts* along *dims*, wrapping around; without *dims* as if flattened."""
    def round(self, *, decimals=0) -> Tensor:
        """Each element rounded, halves to the even neighbour; the gradient is 0."""
    def round_(self, *, decimals=0) -> Tensor:
        """In-place form of :func:`round`; changes the tensor and returns it."""
    def rsqrt(self) -> Tensor:
        """One over the square root of each element."""
    def rsqrt_(self) -> Tensor:
        """In-place form of :func:`rsqrt`; changes the tensor and returns it."""
    def scatter(self, dim, index, src=None, *, value=None) -> Tensor:
        """A copy with the elements along *dim* at *index* replaced by those of *src*, or by the number *value*."""
    def scatter_(self, dim, index, src=None, *, value=None) -> Tensor:
        """In-place form of :func:`scatter`; changes the tensor and returns it."""
    def scatter_add(self, dim, index, src) -> Tensor:
        """A copy with the elements of *src* added along *dim* at *index*."""
    def scatter_add_(self, dim, index, src) -> Tensor:
        """In-place form of :func:`scatter_add`; changes the tensor and returns it."""
    def select(self, dim, index) -> Tensor:
        """Element *index* along *dim*, a view with one dimension fewer; IndexError when out of range."""
    def sgn(self) -> Tensor:
        """The same as :func:`sign` for real numbers."""
    def sgn_(self) -> Tensor:
        """In-place form of :func:`sgn`; changes the tensor and returns it."""
    @property
    def shape(self) -> Size:
        """The lengths of the dimensions, a :class:`Size`."""
    def short(self, memory_format=None) -> Tensor:
        """This tensor in dtype torch.int16; itself if it is of that dtype already."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-self)), between 0 and 1."""
    def sigmoid_(self) -> Tensor:
        """In-place form of :func:`sigmoid`; changes the tensor and returns it."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign of each element."""
    def sign_(self) -> Tensor:
        """In-place form of :func:`sign`; changes the tensor and returns it."""
    def sin(self) -> Tensor:
        """The sine of each element, in radians."""
    def sin_(self) -> Tensor:
        """In-place form of :func:`sin`; changes the tensor and returns it."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine of each element."""
    def sinh_(self) -> Tensor:
        """In-place form of :func:`sinh`; changes the tensor and returns it."""
    def size(self, dim=None):
        """The shape, or the length of dimension *dim*."""
    def softmax(self, dim, dtype=None) -> Tensor:
        """Exponentials along *dim* divided by their sum, so that they add up to one; integers need a *dtype*."""
    def sort(self, dim=-1, descending=False, *, stable=None):
        """``(values, indices)``: the elements sorted along *dim*, and the indices that they had."""
    def split(self, split_size, dim=0) -> builtins.tuple[Tensor, ...]:
        """The tensor as a tuple of views along *dim*, each of *split_size*, or of the sizes in a list of them."""
    def sqrt(self) -> Tensor:
        """The square root of each element; nan for negative ones."""
    def sqrt_(self) -> Tensor:
        """In-place form of :func:`sqrt`; changes the tensor and returns it."""
    def square(self) -> Tensor:
        """The square of each element, which is ``self ** 2``."""
    def square_(self) -> Tensor:
        """In-place form of :func:`square`; changes the tensor and returns it."""
    def squeeze(self, dim=None) -> Tensor:
        """The tensor without its dimensions of length one, or only without those named in *dim*."""
    def squeeze_(self, dim=None) -> Tensor:
        """In-place form of :func:`squeeze`; changes the tensor and returns it."""
    def std(self, dim=..., unbiased=None, keepdim=False, *, correction=None) -> Tensor:
        """The standard deviation of all elements, or along *dim*; integers are refused."""
    def storage_offset(self) -> builtins.int:
        """How many elements of storage come before the first of this tensor."""
    def stride(self, dim=None):
        """The step in storage, in elements, from one element to the next along each dimension, or along *dim*."""
    def sub(self, other, *, alpha=1) -> Tensor:
        """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool."""
    def sub_(self, other, *, alpha=1) -> Tensor:
        """In-place form of :func:`sub`; changes the tensor and returns it."""
    def subtract(self, other, *, alpha=1) -> Tensor:
        """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool."""
    def subtract_(self, other, *, alpha=1) -> Tensor:
        """In-place form of :func:`sub`; changes the tensor and returns it."""
    def sum(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
        """The sum of all elements, or along *dim* (an int or several); integers give int64."""
    def sum_to_size(self, *size, **named) -> Tensor:
        """The tensor summed to *size*, a shape that broadcasts to its own."""
    def swapaxes(self, dim0, dim1) -> Tensor:
        """The tensor with dimensions *dim0* and *dim1* swapped."""
    def swapaxes_(self, dim0, dim1) -> Tensor:
        """In-place form of :func:`transpose`; changes the tensor and returns it."""
    def swapdims(self, dim0, dim1) -> Tensor:
        """The tensor with dimensions *dim0* and *dim1* swapped."""
    def swapdims_(self, dim0, dim1) -> Tensor:
        """In-place form of :func:`transpose`; changes the tensor and returns it."""
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or scalar unchanged."""
    def t_(self) -> Tensor:
        """In-place form of :func:`t`; changes the tensor and returns it."""
    def tan(self) -> Tensor:
        """The tangent of each element, in radians."""
    def tan_(self) -> Tensor:
        """In-place form of :func:`tan`; changes the tensor and returns it."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent of each element."""
    def tanh_(self) -> Tensor:
        """In-place form of :func:`tanh`; changes the tensor and returns it."""
    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None) -> Tensor:
        """This tensor in another dtype: ``to(dtype)``, ``to(device, dtype)``, ``to(other)``; itself if nothing changes."""
    def tolist(self):
        """The elements as nested lists; a number for a 0-d tensor."""
    def topk(self, k, dim=-1, largest=True, sorted=True):
        """``(values, indices)`` of the *k* largest (or smallest) elements along *dim*, sorted."""
    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal."""
    def transpose(self, dim0, dim1) -> Tensor:
        """The tensor with dimensions *dim0* and *dim1* swapped."""
    def transpose_(self, dim0, dim1) -> Tensor:
        """In-place form of :func:`transpose`; changes the tensor and returns it."""
    def tril(self, diagonal=0) -> Tensor:
        """A copy with zeros above the given diagonal of the last two dimensions."""
    def tril_(self, diagonal=0) -> Tensor:
        """In-place form of :func:`tril`; changes the tensor and returns it."""
    def triu(self, diagonal=0) -> Tensor:
        """A copy with zeros below the given diagonal of the last two dimensions."""
    def triu_(self, diagonal=0) -> Tensor:
        """In-place form of :func:`triu`; changes the tensor and returns it."""
    def true_divide(self, other, *, rounding_mode=...) -> Tensor:
        """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
    def true_divide_(self, other, *, rounding_mode=...) -> Tensor:
        """In-place form of :func:`div`; changes the tensor and returns it."""
    def trunc(self) -> Tensor:
        """Each element rounded towards zero; the gradient is 0."""
    def trunc_(self) -> Tensor:
        """In-place form of :func:`trunc`; changes the tensor and returns it."""
    def type(self, dtype=None, non_blocking=False):
        """The name of this tensor's type, such as ``torch.FloatTensor``; given a dtype, such a name or
        such a class, the tensor converted to it."""
    def type_as(self, other) -> Tensor:
        """This tensor in the dtype of *other*."""
    def unbind(self, dim=0) -> builtins.tuple[Tensor, ...]:
        """The tensor as a tuple of views, its slices along *dim*."""
    def uniform_(self, from_=0, to=1, *, generator=None) -> Tensor:
        """Fill with uniformly distributed random numbers in [from, to); returns the tensor."""
    def unsqueeze(self, dim) -> Tensor:
        """The tensor with a dimension of length one inserted at *dim*."""
    def unsqueeze_(self, dim) -> Tensor:
        """In-place form of :func:`unsqueeze`; changes the tensor and returns it."""
    def var(self, dim=..., unbiased=None, keepdim=False, *, correction=None) -> Tensor:
        """The variance of all elements, or along *dim*; integers are refused."""
    def view(self, *size, **named) -> Tensor:
        """The same elements in another shape, one length of which may be -1; RuntimeError where strides do not allow it."""
    def view_as(self, other) -> Tensor:
        """This tensor viewed in the shape of *other*."""
    def where(self, condition, other) -> Tensor:
        """Elements of this tensor where *condition* is true, of *other* elsewhere."""
    def zero_(self) -> Tensor:
        """Set all elements to zero."""
def abs(self) -> Tensor:
    """The absolute value of each element; the gradient at 0 is 0."""
def abs_(self) -> Tensor:
    """In-place form of :func:`abs`; changes the tensor and returns it."""
def absolute(self) -> Tensor:
    """The absolute value of each element; the gradient at 0 is 0."""
def acos(self) -> Tensor:
    """The arc cosine of each element; nan outside [-1, 1]."""
def acos_(self) -> Tensor:
    """In-place form of :func:`acos`; changes the tensor and returns it."""
def add(self, other, *, alpha=1) -> Tensor:
    """self + alpha * other; one of the two may be a Python number."""
def addcdiv(self, tensor1, tensor2, *, value=1) -> Tensor:
    """self + value * tensor1 / tensor2."""
def addcmul(self, tensor1, tensor2, *, value=1) -> Tensor:
    """self + value * tensor1 * tensor2."""
def addmm(self, mat1, mat2) -> Tensor:
    """self + mat1 @ mat2, with *self* broadcast to the product's shape; RuntimeError if they do not match."""
def all(self, dim=None, keepdim=False) -> Tensor:
    """Whether no element is zero, in the whole tensor or along *dim* (an int or several)."""
def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> builtins.bool:
    """Whether :func:`isclose` holds for all elements, as a Python bool."""
def amax(self, dim=(), keepdim=False) -> Tensor:
    """The largest of all elements, or along *dim* (an int or several); equal ones share the gradient."""
def amin(self, dim=(), keepdim=False) -> Tensor:
    """The smallest of all elements, or along *dim* (an int or several); equal ones share the gradient."""
def any(self, dim=None, keepdim=False) -> Tensor:
    """Whether some elements are not zero, in the whole tensor or along *dim* (an int or several)."""
def arange(start=None, end=None, step=1, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """The numbers from *start* (0 if only one is given) up to but not including *end*, *step* apart."""
def arccos(self) -> Tensor:
    """The arc cosine of each element; nan outside [-1, 1]."""
def arccos_(self) -> Tensor:
    """In-place form of :func:`acos`; changes the tensor and returns it."""
def arcsin(self) -> Tensor:
    """The arc sine of each element; nan outside [-1, 1]."""
def arcsin_(self) -> Tensor:
    """In-place form of :func:`asin`; changes the tensor and returns it."""
def arctan(self) -> Tensor:
    """The arc tangent of each element."""
def arctan2(self, other) -> Tensor:
    """The angle of the point (other, self), from -pi to pi."""
def arctan_(self) -> Tensor:
    """In-place form of :func:`atan`; changes the tensor and returns it."""
def argmax(self, dim=None, keepdim=False) -> Tensor:
    """The index of the largest element, in the flattened tensor or along *dim*; the first of equal ones."""
def argmin(self, dim=None, keepdim=False) -> Tensor:
    """The index of the smallest element, in the flattened tensor or along *dim*; the first of equal ones."""
def argsort(self, dim=-1, descending=False, *, stable=False) -> Tensor:
    """The indices that sort the tensor along *dim*."""
def as_tensor(data, dtype=None, device=None) -> Tensor:
    """*data* as a tensor: itself if it is one of this dtype; an array of this dtype shares its memory."""
def asin(self) -> Tensor:
    """The arc sine of each element; nan outside [-1, 1]."""
def asin_(self) -> Tensor:
    """In-place form of :func:`asin`; changes the tensor and returns it."""
def atan(self) -> Tensor:
    """The arc tangent of each element."""
def atan2(self, other) -> Tensor:
    """The angle of the point (other, self), from -pi to pi."""
def atan_(self) -> Tensor:
    """In-place form of :func:`atan`; changes the tensor and returns it."""
def bench(what=None, /, *, preset=None, tensors=None, plan=None, controls=None, **inputs) -> _Bench:
    """A bench for an expression or a function: sliders, switches on every tensor, a plan of backward passes."""
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=1) -> Tensor:
    """The binary cross-entropy of sigmoid(self), computed so that it neither overflows nor loses digits."""
def bitwise_and(self, other) -> Tensor:
    """The bitwise and of integers or bools, such as masks."""
def bitwise_not(self) -> Tensor:
    """The bitwise not of integers or bools, such as masks."""
def bitwise_or(self, other) -> Tensor:
    """The bitwise or of integers or bools, such as masks."""
def bitwise_xor(self, other) -> Tensor:
    """The bitwise xor of integers or bools, such as masks."""
def bmm(self, mat2) -> Tensor:
    """The products of two batches of matrices, one by one; RuntimeError if dimensions, sizes or dtypes do not match."""
bool: _dtype
def broadcast_shapes(*shapes) -> Size:
    """The shape that tensors of these shapes broadcast to."""
def broadcast_to(self, size) -> Tensor:
    """This tensor broadcast to the shape *size*: another name for :meth:`expand`."""
def cat(tensors, dim=0) -> Tensor:
    """The tensors joined along *dim*; their other dimensions must match."""
def ceil(self) -> Tensor:
    """Each element rounded up; the gradient is 0."""
def ceil_(self) -> Tensor:
    """In-place form of :func:`ceil`; changes the tensor and returns it."""
def check(step, *, of) -> _Answer:
    """Whether the gradient that a backward pass gives to *of* is the derivative of the loss that ``step()`` computes."""
def chunk(self, chunks, dim=0) -> builtins.tuple[Tensor, ...]:
    """The tensor as at most *chunks* views of equal size along *dim*; the last may be smaller."""
def clamp(self, min=None, max=None) -> Tensor:
    """The elements limited to the range of the numbers from *min* to *max*."""
def clamp_(self, min=None, max=None) -> Tensor:
    """In-place form of :func:`clamp`; changes the tensor and returns it."""
def clamp_max(self, max) -> Tensor:
    """The elements, at most the number *max*."""
def clamp_max_(self, max) -> Tensor:
    """In-place form of :func:`clamp_max`; changes the tensor and returns it."""
def clamp_min(self, min) -> Tensor:
    """The elements, at least the number *min*."""
def clamp_min_(self, min) -> Tensor:
    """In-place form of :func:`clamp_min`; changes the tensor and returns it."""
def clip(self, min=None, max=None) -> Tensor:
    """The elements limited to the range of the numbers from *min* to *max*."""
def clip_(self, min=None, max=None) -> Tensor:
    """In-place form of :func:`clamp`; changes the tensor and returns it."""
def clone(self, *, memory_format=None) -> Tensor:
    """A copy that gradients flow through."""
def concat(tensors, dim=0) -> Tensor:
    """The tensors joined along *dim*; their other dimensions must match."""
def concatenate(tensors, dim=0) -> Tensor:
    """The tensors joined along *dim*; their other dimensions must match."""
def cos(self) -> Tensor:
    """The cosine of each element, in radians."""
def cos_(self) -> Tensor:
    """In-place form of :func:`cos`; changes the tensor and returns it."""
def cosh(self) -> Tensor:
    """The hyperbolic cosine of each element."""
def cosh_(self) -> Tensor:
    """In-place form of :func:`cosh`; changes the tensor and returns it."""
def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    """The cosine of the angle between vectors along *dim*; norms below *eps* count as *eps*."""
def cumprod(self, dim, *, dtype=None) -> Tensor:
    """For each element the product of all up to and including it along *dim*; integers give int64."""
def cumsum(self, dim, *, dtype=None) -> Tensor:
    """For each element the sum of all up to and including it along *dim*; integers give int64."""
default_generator: Generator
def det(self) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
def detach(self) -> Tensor:
    """The same elements outside the graph: shares storage and version counter, does not require grad."""
def detach_(self) -> Tensor:
    """Detach this tensor itself: it becomes a leaf that does not require grad.  RuntimeError for a view."""
def diag(self, diagonal=0) -> Tensor:
    """The diagonal of a matrix, or the matrix with this diagonal."""
def diagonal(self, offset=0, dim1=0, dim2=1) -> Tensor:
    """The diagonal of the plane of *dim1* and *dim2*, as the last dimension; a view."""
def div(self, other, *, rounding_mode=...) -> Tensor:
    """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
def divide(self, other, *, rounding_mode=...) -> Tensor:
    """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
def dot(self, tensor) -> Tensor:
    """The sum of the products of two vectors' elements; RuntimeError unless their lengths and dtypes are equal."""
double: _dtype
def draw(*roots, step=None, turn=None, backward=None, params=None, model=None, values=True, saved=False, max_nodes=None, open=()) -> _Drawing:
    """The graph that led to *roots* as a picture: tensors, or one trace of `record`."""
def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Each element zeroed with probability *p*, the others divided by 1 - p; the input itself if not *training*."""
e: builtins.float
def einsum(equation, *operands) -> Tensor:
    """Sums of products, given by an equation: ``"ij,jk->ik"`` sums over j, which the output does not name."""
def empty(*size, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of uninitialised elements, of the shape *size*: numbers, or one tuple of them."""
def empty_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of uninitialised elements, of the shape, and unless given the dtype, of *input*."""
def eq(self, other) -> Tensor:
    """Whether each element of *self* is equal to *other*, a tensor or a number."""
def equal(self, other) -> builtins.bool:
    """Whether both tensors have the same shape and the same elements, as a Python bool."""
def erf(self) -> Tensor:
    """The error function of each element."""
def erf_(self) -> Tensor:
    """In-place form of :func:`erf`; changes the tensor and returns it."""
def exp(self) -> Tensor:
    """e to the power of each element."""
def exp2(self) -> Tensor:
    """2 to the power of each element."""
def exp2_(self) -> Tensor:
    """In-place form of :func:`exp2`; changes the tensor and returns it."""
def exp_(self) -> Tensor:
    """In-place form of :func:`exp`; changes the tensor and returns it."""
def expm1(self) -> Tensor:
    """exp(self) - 1, accurate for small elements too."""
def expm1_(self) -> Tensor:
    """In-place form of :func:`expm1`; changes the tensor and returns it."""
def eye(n, m=None, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """The identity matrix of *n* rows and *m* (or *n*) columns."""
def fill_(self, value) -> Tensor:
    """Set all elements to *value*, a number or 0-d tensor."""
def fix(self) -> Tensor:
    """Each element rounded towards zero; the gradient is 0."""
def fix_(self) -> Tensor:
    """In-place form of :func:`trunc`; changes the tensor and returns it."""
def flatten(self, start_dim=0, end_dim=-1) -> Tensor:
    """The tensor with dimensions *start_dim* to *end_dim* merged into one."""
def flip(self, dims):
    """A copy with the order of elements reversed along *dims*."""
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
def floor(self) -> Tensor:
    """Each element rounded down; the gradient is 0."""
def floor_(self) -> Tensor:
    """In-place form of :func:`floor`; changes the tensor and returns it."""
def floor_divide(self, other) -> Tensor:
    """self / other, rounded down.  RuntimeError for integers divided by zero; it has no derivative."""
def from_numpy(ndarray):
    """A tensor that shares memory with a NumPy array: a change to one shows in the other."""
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of the shape *size* (a tuple) whose elements are all *fill_value*, which decides the dtype."""
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """*fill_value* in the shape, and unless given the dtype, of *input*."""
def gather(self, dim, index, *, sparse_grad=False) -> Tensor:
    """The elements along *dim* at *index*; the result has the shape of *index*."""
def ge(self, other) -> Tensor:
    """Whether each element of *self* is at least *other*, a tensor or a number."""
def ger(self, vec2) -> Tensor:
    """The outer product: the matrix of products of each element of one vector with each of the other."""
def get_rng_state() -> Tensor:
    """The whole state as a uint8 tensor of 5056 elements, byte for byte as PyTorch lays it out."""
def greater(self, other) -> Tensor:
    """Whether each element of *self* is greater than *other*, a tensor or a number."""
def greater_equal(self, other) -> Tensor:
    """Whether each element of *self* is at least *other*, a tensor or a number."""
def gt(self, other) -> Tensor:
    """Whether each element of *self* is greater than *other*, a tensor or a number."""
half: _dtype
def histogram(self, bins=100, *, range=None, density=False):
    """``(hist, bin_edges)``: how many elements lie in each of the *bins* of one width; with *density* the area is 1."""
def hstack(tensors) -> Tensor:
    """The tensors joined along the second dimension, vectors along their only one."""
def index_add(self, dim, index, source, *, alpha=1) -> Tensor:
    """A copy with the slices of *source*, times *alpha*, added along *dim* at *index*."""
def index_put(self, indices, values, accumulate=False) -> Tensor:
    """A copy with the elements at *indices* (a tuple of tensors) replaced by *values*, or with these added."""
def index_put_(self, indices, values, accumulate=False) -> Tensor:
    """In-place form of :func:`index_put`; changes the tensor and returns it."""
def index_select(self, dim, index) -> Tensor:
    """The slices along *dim* named by the vector *index*."""
inf: builtins.float
def info(*tensors) -> _InfoTable:
    """A table of what autograd knows about tensors: one row each, named as the caller names them."""
def initial_seed() -> builtins.int:
    """The seed that this stream started from."""
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
def inverse(self) -> Tensor:
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
def is_anomaly_enabled() -> builtins.bool: ...
def is_floating_point(input) -> builtins.bool:
    """Whether the dtype is a floating-point one."""
def is_inference(input) -> builtins.bool:
    """Whether *input* was made in inference mode."""
def is_tensor(obj, /) -> builtins.bool:
    """Whether *obj* is a tensor."""
def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    """Whether ``|self - other| <= atol + rtol * |other|``, element by element.  RuntimeError for different dtypes."""
def isfinite(self) -> Tensor:
    """Whether each element is a finite number."""
def isinf(self) -> Tensor:
    """Whether each element is infinite."""
def isnan(self) -> Tensor:
    """Whether each element is not a number."""
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    """The last dimensions, *normalized_shape*, of each sample brought to mean 0 and variance 1, scaled and shifted."""
def le(self, other) -> Tensor:
    """Whether each element of *self* is at most *other*, a tensor or a number."""
def lerp(self, end, weight):
    """self + weight * (end - self), where *weight* is a number.  RuntimeError for different dtypes."""
def less(self, other) -> Tensor:
    """Whether each element of *self* is less than *other*, a tensor or a number."""
def less_equal(self, other) -> Tensor:
    """Whether each element of *self* is at most *other*, a tensor or a number."""
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """*steps* evenly spaced numbers from *start* to *end*, both included."""
def log(self) -> Tensor:
    """The natural logarithm of each element."""
def log10(self) -> Tensor:
    """The logarithm to base 10 of each element."""
def log10_(self) -> Tensor:
    """In-place form of :func:`log10`; changes the tensor and returns it."""
def log1p(self) -> Tensor:
    """log(1 + self), accurate for small elements too."""
def log1p_(self) -> Tensor:
    """In-place form of :func:`log1p`; changes the tensor and returns it."""
def log2(self) -> Tensor:
    """The logarithm to base 2 of each element."""
def log2_(self) -> Tensor:
    """In-place form of :func:`log2`; changes the tensor and returns it."""
def log_(self) -> Tensor:
    """In-place form of :func:`log`; changes the tensor and returns it."""
def log_softmax(self, dim, dtype=None) -> Tensor:
    """The logarithm of :func:`softmax`, computed without loss of precision."""
def logdet(self) -> Tensor:
    """The logarithm of the determinant of a square matrix, or of each of a batch; nan for a negative one."""
def logical_and(self, other) -> Tensor:
    """Whether both are not zero, element by element."""
def logical_not(self) -> Tensor:
    """Whether each element is zero."""
def logical_or(self, other) -> Tensor:
    """Whether one or both are not zero, element by element."""
def logical_xor(self, other) -> Tensor:
    """Whether one but not both are not zero, element by element."""
def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """*base* to the power of *steps* evenly spaced numbers from *start* to *end*."""
def logsumexp(self, dim, keepdim=False) -> Tensor:
    """log(sum(exp(self))) along *dim*, without overflow; integers are computed in the default dtype."""
long: _dtype
def lt(self, other) -> Tensor:
    """Whether each element of *self* is less than *other*, a tensor or a number."""
def manual_seed(seed) -> Generator:
    """Restart the default generator from *seed*, anything that ``int`` accepts, and return it."""
def masked_fill(self, mask, value) -> Tensor:
    """A copy with *value* where *mask* (broadcast) is true."""
def masked_select(self, mask) -> Tensor:
    """The elements where *mask* (broadcast) is true, in one dimension."""
def matmul(self, other) -> Tensor:
    """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast."""
def max(self, dim=None, keepdim=False, *, other=None):
    """The largest element; along *dim* the largest ``values`` with their ``indices``; of two: :func:`maximum`."""
def maximum(self, other) -> Tensor:
    """The larger of two elements, nan when either is; equal ones share the gradient."""
def mean(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
    """The mean of all elements, or along *dim* (an int or several); integers need a floating *dtype*."""
def median(self, dim=None, keepdim=False):
    """The median of all elements, the lower of two middle ones; along *dim* the ``values`` with their ``indices``."""
def min(self, dim=None, keepdim=False, *, other=None):
    """The smallest element; along *dim* the smallest ``values`` with their ``indices``; of two: :func:`minimum`."""
def minimum(self, other) -> Tensor:
    """The smaller of two elements, nan when either is; equal ones share the gradient."""
def mm(self, mat2) -> Tensor:
    """The product of two matrices; RuntimeError if dimensions, sizes or dtypes do not match."""
def mul(self, other) -> Tensor:
    """self * other; one of the two may be a Python number."""
def multinomial(input, num_samples, replacement=False, *, generator=None) -> Tensor:
    """Indices drawn with the probabilities in *input*, or in each of its rows, which need not add up to one."""
def multiply(self, other) -> Tensor:
    """self * other; one of the two may be a Python number."""
def mv(self, vec) -> Tensor:
    """The product of a matrix and a vector; RuntimeError if dimensions, sizes or dtypes do not match."""
nan: builtins.float
def narrow(self, dim, start, length):
    """The *length* elements along *dim* that begin at *start*; a view."""
def ne(self, other) -> Tensor:
    """Whether each element of *self* is different from *other*, a tensor or a number."""
def neg(self) -> Tensor:
    """Each element with the opposite sign."""
def neg_(self) -> Tensor:
    """In-place form of :func:`neg`; changes the tensor and returns it."""
def negative(self) -> Tensor:
    """Each element with the opposite sign."""
def negative_(self) -> Tensor:
    """In-place form of :func:`neg`; changes the tensor and returns it."""
newaxis: None
def nonzero(self, *, as_tuple=False) -> Tensor:
    """The indices of the elements that are not zero: a row for each, or with *as_tuple* a vector for each dimension."""
def norm(self, p='fro', dim=None, keepdim=False, dtype=None) -> Tensor:
    """The norm of order *p* of all elements, or along *dim*, taken as one vector; integers are refused."""
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Normal random numbers with this mean and standard deviation: numbers and *size*, or tensors that broadcast."""
def not_equal(self, other) -> Tensor:
    """Whether each element of *self* is different from *other*, a tensor or a number."""
def numel(input) -> builtins.int:
    """The number of elements."""
def ones(*size, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of ones, of the shape *size*: numbers, or one tuple of them."""
def ones_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of ones, of the shape, and unless given the dtype, of *input*."""
def outer(self, vec2) -> Tensor:
    """The outer product: the matrix of products of each element of one vector with each of the other."""
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False) -> Tensor:
    """The norm of order *p* of the differences of vectors along the last dimension; *eps* is added to each element."""
def permute(self, dims):
    """The tensor with its dimensions in the order *dims*, which names each once."""
pi: builtins.float
def positive(self) -> Tensor:
    """The tensor itself, ``+self``; RuntimeError for bool."""
def pow(self, exponent) -> Tensor:
    """*self* to the power *exponent*, element by element; one of the two may be a Python number."""
def predict(question, choices, *, answer, tolerance=0.0001, name=None):
    """Ask for a prediction before a cell runs; the card explains a right answer, and what a wrong one would mean."""
def prelu(input, weight) -> Tensor:
    """Each element where it is positive, else *weight* times it: one number, or one for each channel, dimension 1."""
def prod(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
    """The product of all elements, or along the dimension *dim*; integers give int64."""
def rand(*size, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Uniformly distributed random numbers in [0, 1), of the shape *size*; PyTorch's after the same seed."""
def rand_like(input, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Like :func:`rand`, in the shape and dtype of *input*."""
def randint(low=0, high=None, size=None, *, generator=None, dtype=..., device=None, requires_grad=False) -> Tensor:
    """Random integers from *low* up to but not including *high*; ``randint(high, size)`` starts at 0."""
def randn(*size, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Normally distributed random numbers (mean 0, variance 1), of the shape *size*; PyTorch's after the same seed."""
def randn_like(input, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Like :func:`randn`, in the shape and dtype of *input*."""
def randperm(n, *, generator=None, dtype=..., device=None, requires_grad=False) -> Tensor:
    """The integers 0 to *n* - 1 in random order."""
def ravel(self) -> Tensor:
    """All elements in one dimension, contiguous: a view where possible."""
def reciprocal(self) -> Tensor:
    """One over each element."""
def reciprocal_(self) -> Tensor:
    """In-place form of :func:`reciprocal`; changes the tensor and returns it."""
class _Record:
    @typing.overload
    def __call__(self, function: typing.Callable, *inputs) -> _Trace: ...
    @typing.overload
    def __call__(self) -> _Recording: ...
    def load(self, path) -> _Trace: ...
record: _Record
def relu(self) -> Tensor:
    """The element where it is positive, else 0; the gradient at 0 is 0."""
def relu_(self) -> Tensor:
    """In-place form of :func:`relu`; changes the tensor and returns it."""
def remainder(self, other) -> Tensor:
    """The remainder of self / other rounded down; it has the sign of *other*."""
def reshape(self, shape) -> Tensor:
    """The same elements in another shape: a view where strides allow it, else a copy."""
def result_type(tensor, other) -> _dtype:
    """The dtype to which an operation on both, tensors or numbers, promotes them."""
def roll(self, shifts, dims=()) -> Tensor:
    """A copy with elements shifted by *shifts* along *dims*, wrapping around; without *dims* as if flattened."""
def round(self, *, decimals=0) -> Tensor:
    """Each element rounded, halves to the even neighbour; the gradient is 0."""
def round_(self, *, decimals=0) -> Tensor:
    """In-place form of :func:`round`; changes the tensor and returns it."""
def rsqrt(self) -> Tensor:
    """One over the square root of each element."""
def rsqrt_(self) -> Tensor:
    """In-place form of :func:`rsqrt`; changes the tensor and returns it."""
def scatter(self, dim, index, src=None, *, value=None) -> Tensor:
    """A copy with the elements along *dim* at *index* replaced by those of *src*, or by the number *value*."""
def scatter_add(self, dim, index, src) -> Tensor:
    """A copy with the elements of *src* added along *dim* at *index*."""
def seed() -> builtins.int:
    """Restart the stream from a random seed of the operating system, and return that seed."""
def select(self, dim, index) -> Tensor:
    """Element *index* along *dim*, a view with one dimension fewer; IndexError when out of range."""
def set_default_device(device):
    """Does nothing: the CPU is the only device."""
def set_num_threads(num, /) -> None:
    """Does nothing: NumPy decides how many threads it uses."""
def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None) -> None:
    """Choose how tensors print; an argument left out keeps its setting, except that *sci_mode* returns to automatic."""
def set_rng_state(new_state):
    """Restore a state of the default generator that ``get_rng_state`` returned."""
def set_warn_always(b, /) -> None:
    """Set whether warnings that appear once per process appear every time instead."""
def sgn(self) -> Tensor:
    """The same as :func:`sign` for real numbers."""
short: _dtype
def sigmoid(self) -> Tensor:
    """1 / (1 + exp(-self)), between 0 and 1."""
def sigmoid_(self) -> Tensor:
    """In-place form of :func:`sigmoid`; changes the tensor and returns it."""
def sign(self) -> Tensor:
    """-1, 0 or 1 by the sign of each element."""
def sin(self) -> Tensor:
    """The sine of each element, in radians."""
def sin_(self) -> Tensor:
    """In-place form of :func:`sin`; changes the tensor and returns it."""
def sinh(self) -> Tensor:
    """The hyperbolic sine of each element."""
def sinh_(self) -> Tensor:
    """In-place form of :func:`sinh`; changes the tensor and returns it."""
def softmax(self, dim, dtype=None) -> Tensor:
    """Exponentials along *dim* divided by their sum, so that they add up to one; integers need a *dtype*."""
def sort(self, dim=-1, descending=False, *, stable=None):
    """``(values, indices)``: the elements sorted along *dim*, and the indices that they had."""
def split(self, split_size, dim=0) -> builtins.tuple[Tensor, ...]:
    """The tensor as a tuple of views along *dim*, each of *split_size*, or of the sizes in a list of them."""
def sqrt(self) -> Tensor:
    """The square root of each element; nan for negative ones."""
def sqrt_(self) -> Tensor:
    """In-place form of :func:`sqrt`; changes the tensor and returns it."""
def square(self) -> Tensor:
    """The square of each element, which is ``self ** 2``."""
def square_(self) -> Tensor:
    """In-place form of :func:`square`; changes the tensor and returns it."""
def squeeze(self, dim=None) -> Tensor:
    """The tensor without its dimensions of length one, or only without those named in *dim*."""
def stack(tensors, dim=0) -> Tensor:
    """The tensors, all of one shape, side by side along a new dimension *dim*."""
def std(self, dim=..., unbiased=None, keepdim=False, *, correction=None) -> Tensor:
    """The standard deviation of all elements, or along *dim*; integers are refused."""
def step(what, /, *inputs, **options) -> _Stepper:
    """Step through what autograd did: a trace (or two, side by side), a function of inputs, or a backward call."""
def sub(self, other, *, alpha=1) -> Tensor:
    """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool."""
def subtract(self, other, *, alpha=1) -> Tensor:
    """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool."""
def sum(self, dim=..., keepdim=False, *, dtype=None) -> Tensor:
    """The sum of all elements, or along *dim* (an int or several); integers give int64."""
def swapaxes(self, dim0, dim1) -> Tensor:
    """The tensor with dimensions *dim0* and *dim1* swapped."""
def swapdims(self, dim0, dim1) -> Tensor:
    """The tensor with dimensions *dim0* and *dim1* swapped."""
def t(self) -> Tensor:
    """The transpose of a matrix; a vector or scalar unchanged."""
def tan(self) -> Tensor:
    """The tangent of each element, in radians."""
def tan_(self) -> Tensor:
    """In-place form of :func:`tan`; changes the tensor and returns it."""
def tanh(self) -> Tensor:
    """The hyperbolic tangent of each element."""
def tanh_(self) -> Tensor:
    """In-place form of :func:`tanh`; changes the tensor and returns it."""
def tensor(data, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A new tensor with a copy of *data*: a number, nested sequences, an array."""
def topk(self, k, dim=-1, largest=True, sorted=True):
    """``(values, indices)`` of the *k* largest (or smallest) elements along *dim*, sorted."""
def trace(self) -> Tensor:
    """The sum of a matrix's diagonal."""
def transpose(self, dim0, dim1) -> Tensor:
    """The tensor with dimensions *dim0* and *dim1* swapped."""
def tril(self, diagonal=0) -> Tensor:
    """A copy with zeros above the given diagonal of the last two dimensions."""
def triu(self, diagonal=0) -> Tensor:
    """A copy with zeros below the given diagonal of the last two dimensions."""
def triu_indices(row, col, offset=0, *, dtype=..., device=None, requires_grad=False) -> Tensor:
    """The row and the column of each element on or above a diagonal, which :func:`triu` keeps: 2 rows of indices."""
def true_divide(self, other, *, rounding_mode=...) -> Tensor:
    """self / other in floating point, or rounded down ("floor") or towards zero ("trunc")."""
def trunc(self) -> Tensor:
    """Each element rounded towards zero; the gradient is 0."""
def trunc_(self) -> Tensor:
    """In-place form of :func:`trunc`; changes the tensor and returns it."""
uint8: _dtype
def unbind(self, dim=0) -> builtins.tuple[Tensor, ...]:
    """The tensor as a tuple of views, its slices along *dim*."""
def unsqueeze(self, dim) -> Tensor:
    """The tensor with a dimension of length one inserted at *dim*."""
def use_deterministic_algorithms(mode, *, warn_only=False) -> None:
    """Does nothing: all are deterministic."""
def var(self, dim=..., unbiased=None, keepdim=False, *, correction=None) -> Tensor:
    """The variance of all elements, or along *dim*; integers are refused."""
def vstack(tensors) -> Tensor:
    """The tensors, vectors as rows, joined along the first dimension."""
def where(condition, input=None, other=None):
    """Elements of *input* where *condition*, a bool tensor, is true, of *other* elsewhere; either may be a number."""
def why(*asked, trace=None) -> _Answer:
    """Why gradients are None, zero, NaN or not what was expected, or why a backward pass failed, and what to do."""
def zero_(self) -> Tensor:
    """Set all elements to zero."""
def zeros(*size, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of zeros, of the shape *size*: numbers, or one tuple of them."""
def zeros_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of zeros, of the shape, and unless given the dtype, of *input*."""
