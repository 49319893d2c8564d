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
    "torch_api.conversions":
        "torch.from_dlpack x.__array__ x.__array_wrap__ x.__bool__ x.__complex__ x.__dlpack__ x.__dlpack_device__ "
        "x.__float__ x.__format__ x.__index__ x.__int__ x.__repr__ x.apply_ x.bool x.byte x.char x.cpu x.cuda "
        "x.double x.float x.half x.int x.item x.long x.numpy x.short x.to x.tolist x.type x.type_as",
    "torch_api.copies": "x.__deepcopy__ x.__reduce_ex__",
    "course": "torch.predict",
    "torch_api.creation":
        "torch.as_tensor torch.asarray torch.empty torch.empty_like torch.eye torch.from_numpy torch.full "
        "torch.full_like torch.ones torch.ones_like torch.scalar_tensor torch.tensor torch.zeros torch.zeros_like "
        "x.new_empty x.new_full x.new_ones x.new_tensor x.new_zeros",
    "drawing": "torch.draw torch.info",
    "torch_api.inquiries":
        "get_device is_complex is_floating_point is_nonzero is_same_size is_signed numel real x.__contains__ x.__dir__ "
        "x.device x.dim x.element_size x.is_cpu x.is_cuda x.is_meta x.is_mkldnn x.is_mps x.is_nested x.is_quantized "
        "x.is_sparse x.itemsize x.layout x.name x.nbytes x.ndimension x.nelement x.size",
    "torch_api.legacy":
        "torch.BoolTensor torch.ByteTensor torch.CharTensor torch.DoubleTensor torch.FloatTensor torch.HalfTensor "
        "torch.IntTensor torch.LongTensor torch.ShortTensor x.new",
    "torch_api.limits": "torch.finfo torch.iinfo",
    "nn.functional":
        "torch.adaptive_avg_pool1d torch.alpha_dropout torch.avg_pool1d torch.bilinear torch.channel_shuffle "
        "torch.conv1d torch.conv2d torch.conv3d torch.cosine_similarity torch.dropout torch.feature_alpha_dropout "
        "torch.group_norm torch.hinge_embedding_loss torch.layer_norm torch.margin_ranking_loss torch.max_pool1d "
        "torch.max_pool2d torch.pairwise_distance torch.pixel_shuffle torch.pixel_unshuffle torch.rms_norm "
        "torch.triplet_margin_loss",
    "torch_api.printing": "torch.set_printoptions",
    "torch_api.queries":
        "torch.are_deterministic_algorithms_enabled torch.can_cast torch.get_default_device torch.get_num_threads "
        "torch.is_inference torch.is_tensor torch.is_warn_always_enabled torch.promote_types torch.result_type "
        "torch.set_default_device torch.set_default_tensor_type torch.set_float32_matmul_precision "
        "torch.set_num_threads torch.set_warn_always torch.typename torch.use_deterministic_algorithms",
    "torch_api.random":
        "torch.Generator torch.default_generator torch.get_rng_state torch.initial_seed torch.manual_seed torch.seed "
        "torch.set_rng_state",
    "torch_api.ranges": "torch.arange torch.linspace torch.logspace torch.range torch.tril_indices torch.triu_indices",
    "replay": "torch.record",
    "torch_api.sampling":
        "bernoulli multinomial torch.normal torch.rand torch.rand_like torch.randint torch.randint_like torch.randn "
        "torch.randn_like torch.randperm x.bernoulli_ x.exponential_ x.normal_ x.random_ x.uniform_",
    "torch_api.serialization": "torch.load torch.save",
    "torch_api.storage":
        "resize_as_ torch.TypedStorage torch.UntypedStorage x.is_set_to x.resize_ x.set_ x.storage x.untyped_storage",
    "widgets": "torch.bench torch.step",
    # the table
    "operations.activations":
        "relu relu_ sigmoid sigmoid_ tanh tanh_ torch.celu torch.selu torch.threshold ops.elu ops.gelu ops.hardsigmoid "
        "ops.hardswish ops.hardtanh ops.leaky_relu ops.logsigmoid ops.mish ops.silu ops.softplus",
    "operations.affine": "addmm addmv addmv_ baddbmm x.addmm_ x.baddbmm_ ops.linear",
    "operations.arithmetic":
        "add div divide mul multiply neg neg_ negative negative_ rsub sub subtract true_divide x.add_ x.div_ x.divide_ "
        "x.mul_ x.multiply_ x.sub_ x.subtract_ x.true_divide_ ops.rdiv",
    "operations.attention": "ops.attention ops.safe_softmax ops.trilinear",
    "operations.brackets": "x.__iter__ ops.getitem ops.setitem",
    "operations.casting": "torch._to_copy",
    "operations.comparison":
        "all allclose any bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "count_nonzero eq equal ge greater greater_equal gt isclose isfinite isinf isnan isneginf isposinf le less "
        "less_equal logical_and logical_not logical_or logical_xor lt ne not_equal signbit x.bitwise_and_ "
        "x.bitwise_left_shift_ x.bitwise_not_ x.bitwise_or_ x.bitwise_right_shift_ x.bitwise_xor_ x.eq_ x.ge_ "
        "x.greater_ x.greater_equal_ x.gt_ x.le_ x.less_ x.less_equal_ x.logical_and_ x.logical_not_ x.logical_or_ "
        "x.logical_xor_ x.lt_ x.ne_ x.not_equal_",
    "operations.contractions": "inner kron torch.einsum torch.tensordot",
    "operations.convolutions":
        "torch.constant_pad_nd torch.convolution ops.adaptive_max_pool2d_row ops.avg_pool2d "
        "ops.max_pool2d_with_indices",
    "operations.counting": "bincount histc torch.bucketize torch.isin torch.searchsorted",
    "operations.diagonals": "diag diagonal trace tril triu x.tril_ x.triu_ ops.diag_embed",
    "operations.digits":
        "angle conj conj_physical frexp gcd gcd_ heaviside is_conj is_neg isreal lcm lcm_ ldexp ldexp_ nextafter "
        "resolve_conj resolve_neg x.heaviside_ x.nextafter_",
    "operations.distances": "dist renorm torch.cdist x.renorm_",
    "operations.extremes": "amax amin aminmax argmax argmin max median min nanmedian ops.picked",
    "operations.in_place": "detach_ fill_ masked_fill zero_ x.copy_ x.masked_fill_ ops.copied",
    "operations.folding": "ops.col2im ops.conv_transpose ops.im2col",
    "operations.gamma": "digamma lgamma mvlgamma polygamma x.digamma_ x.lgamma_ x.mvlgamma_ x.polygamma_",
    "operations.gathering":
        "gather index_add index_select masked_select scatter scatter_add take x.index_add_ x.scatter_ x.scatter_add_",
    "operations.gates": "hardshrink prelu ops.glu ops.norm_row ops.rrelu_with_noise ops.softshrink",
    "operations.indexing": "index_put index_put_ narrow select ops.slice",
    "operations.joining":
        "chunk split unbind torch.cat torch.column_stack torch.concat torch.concatenate torch.dstack torch.hstack "
        "torch.stack torch.vstack",
    "operations.linear_algebra": "cross det inverse",
    "operations.losses":
        "torch.binary_cross_entropy_with_logits ops.add_number ops.binary_cross_entropy ops.div_number ops.huber_loss "
        "ops.mul_number ops.smooth_l1_loss",
    "operations.margins": "ops.multi_margin_loss ops.multilabel_margin_loss ops.soft_margin_loss",
    "operations.mixing":
        "addcdiv addcmul arctan2 atan2 copysign hypot lerp logaddexp logaddexp2 xlogy xlogy_ x.addcdiv_ x.addcmul_ "
        "x.arctan2_ x.atan2_ x.copysign_ x.hypot_ x.lerp_",
    "operations.normalizations": "ops.embedding ops.native_batch_norm ops.native_group_norm ops.native_layer_norm",
    "operations.norms": "log_softmax logsumexp norm softmax ops.vector_norm",
    "operations.overwriting":
        "torch.celu_ torch.selu_ torch.threshold_ ops.elu_ ops.hardsigmoid_ ops.hardswish_ ops.hardtanh_ "
        "ops.leaky_relu_ ops.mish_ ops.silu_",
    "operations.pointwise":
        "abs abs_ absolute acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ "
        "arctan arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ ceil ceil_ cos cos_ cosh "
        "cosh_ deg2rad deg2rad_ erf erf_ erfc erfc_ erfinv fix fix_ floor floor_ frac frac_ logit logit_ nan_to_num "
        "nan_to_num_ positive rad2deg rad2deg_ round round_ sgn sign sin sin_ sinc sinc_ sinh sinh_ tan tan_ trunc "
        "trunc_ x.absolute_ x.erfinv_ x.sgn_ x.sign_",
    "operations.powers":
        "exp exp2 exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_ pow reciprocal reciprocal_ "
        "rsqrt rsqrt_ sqrt sqrt_ square square_ x.pow_ ops.rpow",
    "operations.products": "bmm dot ger matmul mm mv outer vdot",
    "operations.reductions": "mean nansum prod std sum var torch.std_mean torch.var_mean",
    "operations.remainders":
        "floor_divide fmod remainder x.floor_divide_ x.fmod_ x.remainder_ ops.rfloor_divide ops.rremainder",
    "operations.repeats":
        "broadcast_to flip roll tile torch.broadcast_shapes x.expand x.expand_as x.repeat x.sum_to_size",
    "operations.resampling": "ops.channel_shuffle_row ops.pixel_shuffle_row ops.pixel_unshuffle_row",
    "operations.scans": "cummax cummin cumprod cumsum logcumsumexp x.cumprod_ x.cumsum_",
    "operations.selection":
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ fmax fmin maximum minimum where",
    "operations.shapes":
        "flatten moveaxis movedim permute ravel reshape squeeze swapaxes swapdims t transpose unflatten unsqueeze x.T "
        "x.mT x.squeeze_ x.swapaxes_ x.swapdims_ x.t_ x.transpose_ x.unsqueeze_ x.view x.view_as "
        "ops.unsafe_view",
    "operations.slopes": "torch.gradient",
    "operations.sorting": "argsort argwhere kthvalue msort nonzero sort topk unique",
    "operations.statistics":
        "corrcoef cov diff mode nanmean nanquantile quantile torch.cumulative_trapezoid torch.trapezoid torch.trapz",
    "operations.strides":
        "clone detach x.contiguous x.data_ptr x.is_contiguous x.storage_offset x.stride ops.dual_primal "
        "ops.strided_view ops.view_of ops.with_part",
}  # fmt: skip

MODULES = (
    "autograd", "backends", "course", "cuda", "drawing", "func", "linalg", "nn", "optim", "random", "replay",
    "serialization", "utils", "widgets",
)  # fmt: skip

HOMES_OF_MODULES = {name: f"torch_api.{name}" for name in "backends cuda linalg random serialization".split()}

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
    return import_module(f"autograd_nb.{HOMES_OF_MODULES.get(home, home)}")


def load_table():
    """Load all that publishes operations, for those who list them."""
    for home in CONTENTS:
        if home not in MODULES:
            load_module(home)
