"""What stands where: the names of each module, which loads when somebody first asks for one of them.

A program uses a small part of all this, and ``import autograd_nb`` loads none of it.  ``add`` is a function and a
method, ``torch.cat`` a function only, ``x.view`` an attribute of tensors only, ``ops.picked`` an operation that other
modules use.  Whoever looks a name up calls ``load`` first: the package and ``ops`` in their ``__getattr__``, Tensor by
``install.Later``, and formulas when they are bound to tensors (``plans.load_names``).
"""

from importlib import import_module

CONTENTS = {
    "autograd.anomaly": "torch.is_anomaly_check_nan_enabled torch.is_anomaly_enabled",
    "autograd.passes": "x.backward",
    "conversions":
        "is_complex is_floating_point is_nonzero is_same_size is_signed numel torch.from_dlpack x.__array__ "
        "x.__array_wrap__ x.__bool__ x.__complex__ x.__contains__ x.__dir__ x.__dlpack__ x.__dlpack_device__ "
        "x.__float__  x.__format__ x.__index__ x.__int__ x.__repr__ x.apply_ x.bool x.byte x.char x.cpu x.cuda "
        "x.device x.dim x.double x.element_size x.float x.get_device x.half x.int x.is_cpu x.is_cuda x.is_meta "
        "x.is_mkldnn x.is_mps x.is_nested x.is_quantized x.is_sparse x.item x.itemsize x.layout x.long x.nbytes "
        "x.ndimension x.nelement x.numpy x.real x.short x.size x.to x.tolist x.type x.type_as",
    "copies": "x.__deepcopy__ x.__reduce_ex__",
    "course": "torch.predict",
    "creation":
        "torch.as_tensor torch.asarray torch.empty torch.empty_like torch.eye torch.from_numpy torch.full "
        "torch.full_like torch.ones torch.ones_like torch.scalar_tensor torch.tensor torch.zeros torch.zeros_like "
        "x.new_empty x.new_full x.new_ones x.new_tensor x.new_zeros",
    "drawing": "torch.draw torch.info",
    "legacy":
        "torch.BoolTensor torch.ByteTensor torch.CharTensor torch.DoubleTensor torch.FloatTensor torch.HalfTensor "
        "torch.IntTensor torch.LongTensor torch.ShortTensor x.__init__ x.new",
    "limits": "torch.finfo torch.iinfo",
    "nn.functional":
        "torch.adaptive_avg_pool1d torch.avg_pool1d torch.conv1d torch.conv2d torch.cosine_similarity torch.dropout "
        "torch.hinge_embedding_loss torch.layer_norm torch.margin_ranking_loss torch.max_pool1d torch.max_pool2d "
        "torch.pairwise_distance torch.pixel_shuffle torch.pixel_unshuffle torch.triplet_margin_loss",
    "printing": "torch.set_printoptions",
    "queries":
        "torch.are_deterministic_algorithms_enabled torch.can_cast torch.get_default_device torch.get_num_threads "
        "torch.is_inference torch.is_tensor torch.promote_types torch.result_type torch.set_default_device "
        "torch.set_default_tensor_type torch.set_float32_matmul_precision torch.set_num_threads "
        "torch.use_deterministic_algorithms",
    "random":
        "torch.Generator torch.default_generator torch.get_rng_state torch.initial_seed torch.manual_seed torch.seed "
        "torch.set_rng_state",
    "ranges": "torch.arange torch.linspace torch.logspace torch.range torch.tril_indices torch.triu_indices",
    "replay": "torch.record",
    "sampling":
        "bernoulli multinomial torch.normal torch.rand torch.rand_like torch.randint torch.randint_like torch.randn "
        "torch.randn_like torch.randperm x.bernoulli_ x.exponential_ x.normal_ x.random_ x.uniform_",
    "serialization": "torch.load torch.save",
    "widgets": "torch.bench torch.step",
    # the table
    "derivatives.activations":
        "relu sigmoid tanh torch.celu torch.selu torch.threshold x.relu_ x.sigmoid_ x.tanh_ ops.elu ops.gelu "
        "ops.hardsigmoid ops.hardswish ops.hardtanh ops.leaky_relu ops.logsigmoid ops.mish ops.silu ops.softplus",
    "derivatives.affine": "addmm addmv addr baddbmm x.addmm_ x.addmv_ x.addr_ x.baddbmm_ ops.linear",
    "derivatives.arithmetic":
        "add div divide floor_divide fmod mul multiply neg negative remainder rsub sub subtract true_divide x.add_ "
        "x.div_ x.divide_ x.floor_divide_ x.fmod_ x.mul_ x.neg_ x.remainder_ x.sub_ x.subtract_ ops.rdiv "
        "ops.rfloor_divide ops.rremainder",
    "derivatives.brackets": "x.__iter__ ops.getitem ops.setitem",
    "derivatives.casting": "torch._to_copy",
    "derivatives.comparison":
        "all allclose any bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "count_nonzero eq equal ge greater greater_equal gt isclose isfinite isinf isnan isneginf isposinf le less "
        "less_equal logical_and logical_not logical_or logical_xor lt ne not_equal signbit x.bitwise_and_ "
        "x.bitwise_not_ x.bitwise_or_ x.bitwise_xor_ x.eq_ x.ge_ x.gt_ x.le_ x.logical_and_ x.logical_not_ "
        "x.logical_or_ x.logical_xor_ x.lt_ x.ne_",
    "derivatives.contractions": "inner kron torch.einsum torch.tensordot",
    "derivatives.convolutions": "torch.constant_pad_nd torch.convolution ops.avg_pool2d ops.max_pool2d_with_indices",
    "derivatives.counting": "bincount histc torch.bucketize torch.isin torch.searchsorted",
    "derivatives.decompositions": "cholesky matrix_exp qr",
    "derivatives.diagonals": "diag diag_embed diagflat diagonal trace tril triu x.tril_ x.triu_",
    "derivatives.distances": "dist renorm torch.cdist",
    "derivatives.extremes": "amax amin aminmax argmax argmin max median min nanmedian ops.picked",
    "derivatives.filling": "detach_ masked_fill x.copy_ x.fill_ x.masked_fill_ x.zero_ ops.copied",
    "derivatives.gathering":
        "gather masked_scatter masked_select put scatter scatter_add take take_along_dim x.masked_scatter_ x.put_ "
        "x.scatter_ x.scatter_add_",
    "derivatives.gates": "hardshrink prelu ops.glu ops.norm_row ops.softshrink",
    "derivatives.indexing": "index_put narrow select x.index_put_ ops.slice",
    "derivatives.joining":
        "chunk hsplit split split_with_sizes tensor_split unbind vsplit torch.cat torch.column_stack torch.concat "
        "torch.concatenate torch.dstack torch.hstack torch.stack torch.vstack",
    "derivatives.linear_algebra": "det inverse logdet slogdet ops.linalg_inv",
    "derivatives.losses":
        "torch.binary_cross_entropy_with_logits ops.binary_cross_entropy ops.div_number ops.huber_loss "
        "ops.mul_number ops.smooth_l1_loss",
    "derivatives.matrices": "cross matrix_power torch.chain_matmul torch.frobenius_norm",
    "derivatives.mixing":
        "addcdiv addcmul arctan2 atan2 copysign hypot lerp logaddexp logaddexp2 xlogy x.addcdiv_ x.addcmul_ x.atan2_ "
        "x.hypot_ x.lerp_",
    "derivatives.normalizations": "ops.embedding ops.native_batch_norm ops.native_layer_norm",
    "derivatives.norms": "log_softmax logsumexp norm softmax ops.vector_norm",
    "derivatives.pointwise":
        "abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil cos cosh "
        "deg2rad erf erfc erfinv fix floor frac logit nan_to_num positive rad2deg round sgn sign sin sinc sinh tan "
        "trunc x.abs_ x.acos_ x.acosh_ x.asin_ x.asinh_ x.atan_ x.atanh_ x.ceil_ x.cos_ x.cosh_ x.deg2rad_ x.erf_ "
        "x.erfc_ x.erfinv_ x.floor_ x.frac_ x.logit_ x.nan_to_num_ x.rad2deg_ x.round_ x.sgn_ x.sign_ x.sin_ x.sinc_ "
        "x.sinh_ x.tan_ x.trunc_",
    "derivatives.powers":
        "exp exp2 expm1 log log10 log1p log2 pow reciprocal rsqrt sqrt square x.exp2_ x.exp_ x.expm1_ x.log10_ "
        "x.log1p_ x.log2_ x.log_ x.pow_ x.reciprocal_ x.rsqrt_ x.sqrt_ x.square_ ops.rpow",
    "derivatives.products": "bmm dot ger matmul mm mv outer vdot",
    "derivatives.reductions": "mean nansum prod std sum var torch.std_mean torch.var_mean",
    "derivatives.repeats":
        "broadcast_to flip fliplr flipud repeat_interleave roll rot90 tile torch.broadcast_shapes "
        "torch.broadcast_tensors torch.meshgrid x.expand x.expand_as x.repeat x.sum_to_size",
    "derivatives.resampling": "ops.pixel_shuffle_row ops.pixel_unshuffle_row",
    "derivatives.reshaping":
        "diagonal_scatter select_scatter slice_scatter x.squeeze_ x.swapaxes_ x.swapdims_ x.t_ x.transpose_ "
        "x.unsqueeze_ x.view ops.dual_primal",
    "derivatives.scans": "cummax cummin cumprod cumsum x.cumprod_ x.cumsum_",
    "derivatives.selection": "clamp clamp_max clamp_min clip fmax fmin maximum minimum where x.clamp_ x.clip_",
    "derivatives.shapes":
        "adjoint flatten moveaxis movedim permute ravel reshape squeeze swapaxes swapdims t transpose unflatten "
        "unsqueeze torch.atleast_1d torch.atleast_2d torch.atleast_3d x.H x.T x.mH x.mT x.reshape_as x.view_as "
        "ops.unsafe_view",
    "derivatives.slices":
        "index_add index_copy index_fill index_select x.index_add_ x.index_copy_ x.index_fill_",
    "derivatives.sorting": "argsort argwhere kthvalue msort nonzero sort topk unique",
    "derivatives.spectra": "pinverse svd ops.linalg_svdvals",
    "derivatives.statistics":
        "corrcoef cov diff mode nanmean nanquantile quantile torch.cumulative_trapezoid torch.trapezoid torch.trapz",
    "derivatives.strides":
        "as_strided clone detach x.contiguous x.data_ptr x.is_contiguous x.storage_offset x.stride x.unfold "
        "ops.strided_view ops.view_of ops.with_part",
}  # fmt: skip

MODULES = (
    "autograd", "backends", "course", "cuda", "drawing", "func", "linalg", "nn", "optim", "random", "replay",
    "serialization", "utils", "widgets",
)  # fmt: skip

homes = {}  # name -> the module that has it
functions, methods = set(), set()
for _home, _names in CONTENTS.items():
    for _name in _names.split():
        _place, _, _short = _name.rpartition(".")
        homes[_short] = _home
        if _place in ("", "torch"):
            functions.add(_short)
        if _place in ("", "x"):
            methods.add(_short)


def load(name):
    """The module that has *name*, or None; what it publishes is complete when this returns, in every thread."""
    home = homes.get(name)
    return home and load_module(home)


def load_module(home):
    return import_module(f"{__package__}.{home}")


def load_table():
    """Load all that publishes operations, for those who list them."""
    for home in CONTENTS:
        if home not in MODULES:
            load_module(home)
