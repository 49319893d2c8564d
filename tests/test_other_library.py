"""A tensor of PyTorch in place of ours, and the other way round: an error says so, or its number counts."""

import re
import warnings
from operator import iadd

import pytest
import record_keywords
from members import EXAMPLES
from rows import tensor
from samples import all_samples

import autograd_nb
from autograd_nb import course
from autograd_nb.course.exercises import chapters

TOLD = "change its import too"
SAMPLES = all_samples()
# calls with r, a tensor of PyTorch, in one place; n and k hold a float and an int, i indices; of ours are o, p, lin …
OURS = """
torch.empty_like(r) torch.full_like(o,n) torch.full_like(r,1) torch.ones_like(r) torch.rand_like(r) torch.zeros_like(r)
torch.randn_like(r) torch.as_tensor(r) torch.tensor(r) torch.tensor([n,1.]) torch.tensor([x,n])
torch.FloatTensor(r) torch.LongTensor([k]) torch.DoubleTensor(r) torch.Tensor(r) torch.from_numpy(r) torch.device(r)
torch.ByteTensor(r) torch.CharTensor(r) torch.HalfTensor(r) torch.IntTensor(r) torch.ShortTensor(r) torch.BoolTensor(r)
torch.full((2,),n) torch.arange(n) torch.arange(0,n) torch.arange(0,4,n) torch.linspace(n,1,3) torch.linspace(0,n,3)
torch.zeros(r) torch.ones(r) torch.empty(r) torch.rand(r) torch.randn(r) torch.eye(r) torch.randperm(r)
torch.randint(r,(2,)) torch.multinomial(r,1) o.multinomial(r) torch.set_rng_state(r) torch.Generator().set_state(r)
torch.normal(r,1.) torch.normal(0.,r) torch.normal(n,1.,(2,)) torch.normal(0.,n,(2,)) torch.set_default_device(r)
torch.is_floating_point(r) torch.is_inference(r) torch.numel(r) torch.result_type(r,1) torch.result_type(o,r)
torch.broadcast_shapes(r) torch.where(r>0) torch.where(o>0,1.,r) torch.pow(2,r) torch.pow(r,2) torch.sub(1.,r)
torch.mul(2.,r) torch.max(r,o) torch.add(o,n) torch.stack(r)
torch.absolute(r) torch.arccos(r) torch.arcsin(r) torch.arctan(r) torch.fix(r) torch.negative(r) torch.clip(r,0)
torch.greater(o,r) torch.greater_equal(r,o) torch.less(o,r) torch.less_equal(o,r) torch.not_equal(o,r)
torch.multiply(o,r) torch.divide(o,r) torch.subtract(r,o) torch.dropout(r) torch.layer_norm(r,(2,))
torch.binary_cross_entropy_with_logits(r,o) torch.linalg.vector_norm(r) torch.linalg.inv(r) torch.linalg.solve(o,r)
torch.linalg.cholesky(r) torch.linalg.eigh(r) torch.linalg.eigvalsh(r) torch.linalg.slogdet(r) torch.logdet(r)
torch.add(o,o,out=r) torch.autograd.grad(r.sum(),o) torch.autograd.grad(y.sum(),r) torch.autograd.grad(y.sum(),[o,r])
torch.autograd.grad([y.sum(),n],o) torch.autograd.grad(y,o,r) torch.autograd.grad(y,o,[r])
torch.autograd.grad(y.sum(),o,grad_outputs=n) torch.autograd.backward(r) torch.autograd.backward(y,r)
torch.autograd.backward([y.sum(),n]) torch.autograd.backward(y.sum(),inputs=r)
torch.autograd.backward(y,grad_tensors=[r]) torch.autograd.backward(y.sum(),inputs=[r]) y.backward(r)
y.sum().backward(inputs=[r]) y.backward(gradient=r) torch.autograd.gradcheck(f,r) torch.autograd.gradcheck(f,(o,r))
torch.autograd.gradgradcheck(f,(r,)) torch.autograd.gradgradcheck(f,(d,),r) torch.autograd.gradgradcheck(f,(d,),(r,))
torch.autograd.Variable(r) torch.autograd.functional.jacobian(f,(r,)) torch.autograd.functional.hessian(f,r)
torch.autograd.functional.vjp(f,o,r) torch.autograd.functional.jvp(f,o,r) torch.autograd.functional.jvp(f,r,o)
torch.autograd.functional.vhp(f,r,o) torch.autograd.functional.hvp(f,(r,),(o,)) torch.autograd.functional.hvp(g,o,r)
torch.autograd.functional.vhp(g,o,r) torch.autograd.graph.get_gradient_edge(r)
torch.autograd.graph.increment_version(r) torch.autograd.graph.register_multi_grad_hook([o,r],print)
torch.autograd.graph.register_multi_grad_hook(r,print,mode='any') Gives.apply(o)
Gives.apply(r) Gives.apply(o,r) TakesBack.apply(o).sum().backward() Marks.apply(o,'save_for_backward')
Marks.apply(o,'mark_dirty') Marks.apply(o,'mark_non_differentiable') lin.__setattr__('w',r) lin.add_module('m',r)
torch.nn.Identity()(r) torch.nn.Sequential()(r) torch.nn.Sequential(r) torch.nn.Sequential(torch.nn.Identity())(input=r)
lin.register_buffer('x',r) (o.register_hook(lambda*_:r),y.sum().backward())
(y.register_hook(lambda*_:r),y.sum().backward()) (y.grad_fn.register_hook(lambda*_:(r,None)),y.sum().backward())
(y.grad_fn.register_hook(lambda*_:r),y.sum().backward()) (y.grad_fn.register_prehook(lambda*_:(r,)),y.sum().backward())
(o.register_post_accumulate_grad_hook(lambda*_:r),y.sum().backward()) (lin.register_forward_hook(lambda*_:r),lin(o))
(lin.register_forward_pre_hook(lambda*_:r),lin(o)) (lin.register_forward_pre_hook(lambda*_:(r,)),lin(o))
(lin.register_full_backward_hook(lambda*_:(r,)),lin(o).sum().backward())
(lin.register_full_backward_hook(lambda*_:r),lin(o).sum().backward())
(lin.register_full_backward_pre_hook(lambda*_:(r,)),lin(o).sum().backward())
(lin.register_backward_hook(lambda*_:(r,r,r)),lin(o).sum().backward())
(lin.register_backward_hook(lambda*_:r),lin(o).sum().backward()) saved(lambda*_:r) x.__contains__(r)
torch.autograd.functional.jacobian(lambda*_:r,o) torch.autograd.functional.hessian(lambda*_:r,o)
torch.autograd.gradcheck(lambda*_:r,(d,)) torch.optim.SGD([p],lr=1).step(lambda:r)
torch.nn.Parameter(r) torch.nn.Module().register_buffer('x',r)
torch.nn.Linear(2,2)(r) torch.nn.ReLU()(r) torch.nn.LeakyReLU()(r) torch.nn.Sigmoid()(r) torch.nn.Tanh()(r)
torch.nn.ELU()(r) torch.nn.SiLU()(r) torch.nn.GELU()(r) torch.nn.Softplus()(r) torch.nn.LogSigmoid()(r)
torch.nn.Embedding(3,2)(r) F.elu(r) F.silu(r) F.gelu(r) F.softplus(r) F.logsigmoid(r) F.embedding(r,o) F.embedding(i,r)
F.huber_loss(r,o) F.smooth_l1_loss(o,r) F.mish(r) F.prelu(r,r[0]) F.normalize(r) F.cosine_similarity(r,o)
F.pairwise_distance(o,r) F.gumbel_softmax(r) torch.nn.HuberLoss()(r,o) torch.nn.SmoothL1Loss()(r,o)
torch.nn.Mish()(r) torch.nn.PReLU()(r) torch.optim.LBFGS([r]) torch.nn.ParameterList([r]) torch.nn.ModuleDict({'a':r})
torch.histogram(r,2) init.orthogonal_(r) torch.nn.utils.clip_grad_value_([r],1.)
F.kl_div(r,o) F.kl_div(o,r) torch.nn.KLDivLoss()(r,o) x.fill_diagonal_(n) torch.optim.Adagrad([r])
torch.nn.utils.parameters_to_vector([r]) torch.nn.utils.vector_to_parameters(r,[p])
torch.nn.utils.vector_to_parameters(x,[r]) torch.nn.Softmax(1)(r) torch.nn.LogSoftmax(1)(r)
torch.nn.Dropout()(r) torch.nn.Dropout().eval()(r)
torch.nn.Flatten()(r) torch.nn.LayerNorm(2)(r) torch.nn.BatchNorm1d(2)(r) torch.nn.BatchNorm1d(2).eval()(r)
torch.nn.Sequential(lin)(r) torch.nn.BCELoss(r) torch.nn.NLLLoss(r) torch.nn.CrossEntropyLoss(r)
torch.nn.BCEWithLogitsLoss(pos_weight=r) torch.nn.ModuleList([net]) torch.nn.Sequential(net) lin.add_module('m',net)
lin.register_parameter('b',r) torch.nn.MSELoss()(o,r) torch.nn.MSELoss()(r,r) torch.nn.L1Loss()(r,o)
torch.nn.BCELoss()(o,r) torch.nn.NLLLoss()(o,r) torch.nn.CrossEntropyLoss()(o,r) torch.nn.CrossEntropyLoss()(r,o)
torch.nn.BCEWithLogitsLoss()(o,r) F.linear(o,r) F.linear(o,o,n) F.relu(r,inplace=True) F.softmax(r,1) F.softmax(r)
F.log_softmax(r,1) F.leaky_relu(r) F.dropout(r,training=False) F.layer_norm(r,(2,)) F.layer_norm(o,(2,),r[0])
F.layer_norm(o,(2,),o[0],r[0]) F.layer_norm(o,r) F.batch_norm(r,o[0],o[0]) F.batch_norm(o,r[0],o[0])
F.batch_norm(o,o[0],r[0]) F.one_hot(i) F.batch_norm(o,None,None,r[0],training=True)
F.batch_norm(o,None,None,o[0],r[0],training=True) F.sigmoid(r) F.tanh(r) F.nll_loss(r,j) F.nll_loss(o,i)
F.nll_loss(o,j,r[0]) F.cross_entropy(o,i) F.cross_entropy(r,j) F.cross_entropy(o,j,r[0]) F.binary_cross_entropy(o,o,r)
F.binary_cross_entropy(r,o) F.binary_cross_entropy(o,r) F.mse_loss(o,r) F.mse_loss(r,o)
F.binary_cross_entropy_with_logits(o,o,r) F.binary_cross_entropy_with_logits(o,o,pos_weight=r) F.l1_loss(o,r)
F.binary_cross_entropy_with_logits(r,o) F.binary_cross_entropy_with_logits(o,r) F.l1_loss(r,o) init.constant_(r,1.)
init.zeros_(r) init.ones_(r) init.uniform_(r) init.normal_(r) init.kaiming_uniform_(r) init.kaiming_normal_(r)
init.xavier_normal_(r) init.xavier_uniform_(r) torch.nn.utils.clip_grad_norm_([r],1.)
torch.nn.utils.clip_grad_norm_(r,1.) torch.nn.utils.clip_grad_norm_(iter([r]),1.) torch.optim.SGD([r],lr=1)
torch.optim.SGD(r,lr=1) torch.optim.SGD([p],lr=n) torch.optim.Adam([{'params':[r]}]) torch.optim.AdamW([{'params':r}])
torch.optim.RMSprop(net.parameters()) torch.optim.Adam([p],lr=n)
torch.optim.Adam([p]).load_state_dict(adam.state_dict()) torch.optim.Adam([p]).add_param_group({'params':[r]})
lin.load_state_dict(net.state_dict()) setattr(lin,'weight',r) setattr(p,'grad',r) setattr(p,'data',r) o[i] o[k] o[r>0]
o[:,i] o[[k]] x.__setitem__(0,r[0]) x.__setitem__(i,1.) x.__setitem__(r>0,1.) x.fill_(n) x.copy_(r) x.to(r)
x.type_as(r) x.expand_as(r) x.view_as(r) x.new_tensor(r) x.new_tensor([n]) x.new_full((2,),n) x.dot(r) x.new_zeros(r)
x.new_ones(r) x.new_empty(r) x.normal_(r) x.uniform_(r) x.masked_fill(o>0,n) x.clip_(r)
 x.multiply_(r) x.divide_(r) x.subtract_(r) x.type(r)
x.clip(r) x.divide(r) x.greater(r) x.greater_equal(r) x.less(r) x.less_equal(r) x.multiply(r) x.not_equal(r)
x.subtract(r) o+r r+o o-r r-o o*r r*o o/r r/o o@r r@o o**r r**o o//r r//o o%r r%o o<r r<o o==r r==o o!=r r>=o o&r r&o
o|r r^o iadd(x,r) iadd(r,o) x.__imul__(r) x.__contains__(n)
""".split()
THEIRS = """
its.stack([o,r]) its.cat([r,o]) its.add(r,o) its.exp(o) its.sum(o) its.full((2,),x[0,0]) its.arange(x[0,0])
its.where(o>0,r,r) its.einsum('ij->i',o) its.zeros_like(o) its.numel(o) its.equal(o,r) its.linalg.norm(o)
its.normal(o,1.) its.multinomial(o,1) its.allclose(r,o) its.autograd.grad(y.sum(),o) its.autograd.grad(r.sum(),o)
its.autograd.backward(y.sum()) its.nn.Linear(2,2)(o) its.nn.ReLU()(o) its.nn.MSELoss()(r,o) its.nn.MSELoss()(o,r)
its.nn.CrossEntropyLoss()(o,i) its.nn.Sequential(net)(o) its.nn.BatchNorm1d(2)(o) its.nn.LayerNorm(2)(o)
its.nn.Embedding(3,2)(j) its.nn.Dropout()(o) its.nn.functional.softmax(o,1) its.nn.functional.one_hot(j)
its.nn.init.kaiming_uniform_(p) r.add(o) r.copy_(o) r.fill_(x[0,0]) r.to(o) r.type_as(o) r.expand_as(o) r[j] r[o>0]
its.nn.Parameter(o) its.nn.Parameter(x,False)
r.masked_fill(o>0,0) r.index_select(0,j) r.__setitem__(0,o[0])
""".split()
# functions that take no tensor, or any object, which they keep or call
NONE = """
torch.Size torch.dtype torch.enable_grad torch.no_grad torch.inference_mode torch.get_default_dtype torch.get_rng_state
torch.initial_seed torch.is_grad_enabled torch.is_inference_mode_enabled torch.is_tensor torch.manual_seed torch.seed
torch.set_default_dtype torch.set_grad_enabled torch.set_num_threads torch.set_printoptions torch.set_warn_always
torch.use_deterministic_algorithms torch.autograd.Function torch.autograd.detect_anomaly torch.autograd.enable_grad
torch.autograd.inference_mode torch.autograd.no_grad torch.autograd.set_detect_anomaly torch.autograd.set_grad_enabled
torch.autograd.graph.Any torch.autograd.graph.GradientEdge torch.autograd.graph.NamedTuple torch.autograd.graph.Node
torch.autograd.graph.RemovableHandle torch.autograd.graph.WeakKeyDictionary torch.autograd.graph.save_on_cpu
torch.autograd.graph.saved_tensors_hooks torch.autograd.graph.disable_saved_tensors_hooks torch.finfo torch.iinfo
torch.is_anomaly_enabled torch.logspace torch.nn.Identity torch.nn.init.calculate_gain torch.nn.Module
torch.utils.data.DataLoader torch.utils.data.Dataset torch.utils.data.TensorDataset torch.utils.data.Subset
torch.utils.data.random_split torch.utils.data.default_collate
torch.optim.Optimizer torch.optim.lr_scheduler.StepLR torch.optim.lr_scheduler.MultiStepLR
torch.optim.lr_scheduler.ExponentialLR torch.optim.lr_scheduler.LambdaLR torch.optim.lr_scheduler.LRScheduler
torch.optim.lr_scheduler.CosineAnnealingLR torch.optim.lr_scheduler.Counter torch.optim.lr_scheduler.Optimizer
torch.random.Generator torch.random.get_rng_state torch.random.initial_seed torch.random.manual_seed torch.random.seed
torch.Tensor.register_hook torch.Tensor.register_post_accumulate_grad_hook torch.Tensor.requires_grad_
torch.triu_indices torch.optim.lr_scheduler.ReduceLROnPlateau torch.func.functional_call torch.func.grad_and_value
torch.utils.checkpoint.checkpoint torch.utils.checkpoint.CheckpointFunction
torch.utils.checkpoint.CheckpointError
torch.Tensor.size torch.Tensor.numpy torch.Tensor.cuda torch.linalg.LinAlgError
""".split()
INERT = {"self", "input", "memory_format", "device", "non_blocking"}  # arguments of methods
# calls in which PyTorch does not ask our tensor (docs/support.md): it uses its own words, or gives our tensor
NOT_ASKED = """
tensor(o) as_tensor(o) from_numpy(o) autograd.grad(r.sum(),r,o) autograd.functional.jacobian(f,o) func.grad(g)(o)
autograd.gradcheck(f,(o,)) vmap(f)(o) optim.SGD([p],lr=1) nn.Sequential(lin) setattr(net,'weight',p)
""".split()
TAKEN = """
nn.Identity()(o) nn.Flatten()(o) nn.init.zeros_(x) utils.checkpoint.checkpoint(f,o,use_reentrant=False)
""".split()


def variables(torch, live):
    """New values for the names in the calls."""
    o = torch.ones(2, 2, requires_grad=True)

    class Gives(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            return r

    class TakesBack(torch.autograd.Function):
        @staticmethod
        def forward(ctx, one):
            return one * 2

        @staticmethod
        def backward(ctx, grad):
            return r

    class Marks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, one, method):
            getattr(ctx, method)(r)
            return one * 2

    def saved(unpack):
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
            return (o * o).sum().backward()

    r, net, p = live.ones(2, 2), live.nn.Linear(2, 2), torch.nn.Parameter(torch.ones(2, 2))
    adam = live.optim.Adam([net.weight])
    net(r).sum().backward()
    adam.step()
    return {
        "torch": torch, "its": live, "F": torch.nn.functional, "init": torch.nn.init, "o": o, "x": o.detach() * 1,
        "y": o * 2, "p": p, "d": torch.ones(2, dtype=torch.float64, requires_grad=True), "r": r, "adam": adam,
        "n": live.tensor(1.0), "k": live.tensor(1), "i": live.zeros(2, dtype=live.int64), "net": net,
        "lin": torch.nn.Linear(2, 2), "j": torch.zeros(2, dtype=torch.int64), "f": lambda *x: x[0] * 2,
        "g": lambda x: (x * x).sum(), "iadd": iadd, "Gives": Gives, "TakesBack": TakesBack,
        "Marks": Marks, "saved": saved,
    }  # fmt: skip


@pytest.mark.parametrize("call", [*OURS, *THEIRS])
def test_it_is_told(call, live):
    with pytest.raises(RuntimeError if "TakesBack" in call else TypeError, match=TOLD):
        eval(call, variables(autograd_nb, live))


@pytest.mark.parametrize("call", NOT_ASKED)
def test_where_pytorch_does_not_ask(call, live):
    with pytest.raises((TypeError, ValueError, RuntimeError, AttributeError)):
        eval(call if call.startswith("setattr") else "its." + call, variables(autograd_nb, live))


@pytest.mark.parametrize("call", TAKEN)
def test_what_pytorch_takes_stays_ours(call, live):
    assert isinstance(eval("its." + call, variables(autograd_nb, live)), autograd_nb.Tensor)


def test_every_function_is_tried(live):
    tried = {name.rstrip("_") for name in SAMPLES}
    for call in OURS:
        tried |= set(re.findall(r"\w+", call))
    for path, *_ in record_keywords.functions():
        room, _, name = path.rpartition(".")
        if path not in NONE and (room == "torch.Tensor" or room not in EXAMPLES):
            named = record_keywords.own(getattr(autograd_nb.Tensor, name)) if room == "torch.Tensor" else None
            assert {name, name.rstrip("_")} & tried or named <= INERT, path


def calls_of(name):
    """Our callables for a sample's arguments: the function, or the method, in place too."""
    for place in (autograd_nb, autograd_nb.linalg, autograd_nb.nn.functional):
        if name in dir(place):
            yield getattr(place, name)
    for each in {name, name + "_"} & {*dir(autograd_nb.Tensor)}:
        yield lambda self, *args, each=each, **kwargs: getattr(self.detach().clone(), each)(*args, **kwargs)


def in_pytorch(live, value):
    """The value as a PyTorch tensor, or in a list's first place; None if it cannot be one."""
    if isinstance(value, autograd_nb.Tensor):
        return live.tensor(value.detach().numpy())
    if isinstance(value, list | tuple) and value:
        first = in_pytorch(live, value[0])
        return None if first is None else type(value)([first, *value[1:]])
    return live.tensor(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def holds_tensors(value):
    return isinstance(value, autograd_nb.Tensor) or isinstance(value, list | tuple) and any(map(holds_tensors, value))


@pytest.mark.parametrize("name", SAMPLES)
def test_in_each_place_of_an_operation_it_is_told_or_is_the_number_that_it_holds(name, live):
    warnings.simplefilter("ignore")
    for sample in SAMPLES[name][:3]:
        args = {place: tensor(autograd_nb, each, "float64", True) for place, each in enumerate(sample.args)}
        args |= {word: tensor(autograd_nb, each, "float64", True) for word, each in sample.kwargs.items()}
        for place, value in args.items():
            other = in_pytorch(live, value)
            for call in calls_of(name) if other is not None else ():
                given = args | {place: other}
                positional = [given[each] for each in range(len(sample.args))]
                try:
                    result = call(*positional, **{word: given[word] for word in sample.kwargs})
                except Exception as error:
                    if place == 0 and isinstance(other, live.Tensor) and call.__name__ == "<lambda>":
                        continue  # a method of PyTorch's tensor
                    assert TOLD in str(error), (place, sample)
                else:
                    if place == 0 and call.__name__ == "<lambda>":
                        continue
                    plain = call(*[args[each] for each in range(len(sample.args))],
                                 **{word: args[word] for word in sample.kwargs})  # fmt: skip
                    assert not holds_tensors(value), (place, sample)
                    assert repr(result) == repr(plain), (place, sample)


def test_a_number_in_pytorchs_tensor_answers_an_exercise(live):
    answered = 0
    for chapter in chapters():
        for question in vars(getattr(course, chapter)).values():
            right = getattr(question, "right", None)
            if isinstance(right, float | int) and not isinstance(right, bool) and hasattr(question, "judge"):
                answered += question.judge(live.tensor(right, dtype=live.float64)).kind == "right"
                assert question.judge(live.tensor(right, dtype=live.float64)).kind == "right", question
    assert answered > 5


def test_a_function_that_uses_pytorch_on_ours_is_told_so(live):
    outcome = course.ch04.q2.judge(lambda *values: live.exp(autograd_nb.ones(1)))
    assert not outcome and TOLD in str(outcome)
