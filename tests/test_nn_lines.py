"""Modules and their functions in single lines beside torch's: what wrong arguments raise, rare settings, texts."""

import pytest
from lines import outcome
from test_nn import shown

import autograd_nb
import autograd_nb.nn

SETUP = ("nn, F = torch.nn, torch.nn.functional; torch.manual_seed(0); "
         "T = lambda *s: (torch.arange(torch.ones(s).numel()) * 0.7).sin().view(s); ")

LINES = [line for line in """
nn.Linear(2, 3, device="cuda")
nn.Linear(2, 3, device="nowhere")
l=nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)); l.load_state_dict({"0.weight": T(3,2), "2.x": T(3)})
l=nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)); l.load_state_dict(nn.Linear(2,3).state_dict())
l=nn.BatchNorm1d(3); l.load_state_dict({"weight":T(3),"bias":T(3),"running_mean":T(3),"running_var":T(3)})
nn.BatchNorm1d(3).load_state_dict({**nn.BatchNorm1d(3).state_dict(), "num_batches_tracked": torch.ones(1).long()})
nn.Linear(2,3).state_dict("x")
nn.Linear(2,3).state_dict(None, "p.")
m=nn.Sequential(nn.BatchNorm1d(2)); m.get_buffer("0.running_mean")
m=nn.Sequential(nn.BatchNorm1d(2)); m.get_buffer("0.weight")
m=nn.Sequential(nn.BatchNorm1d(2)); m.get_buffer("0.foo")
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("0", nn.ReLU()); m
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("", nn.ReLU())
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("3", nn.ReLU()); m
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("3", nn.ReLU(), strict=True)
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("0.weight", nn.ReLU())
m=nn.Sequential(nn.Linear(1,1)); m.set_submodule("0", T(1))
nn.Linear(1,1).cuda()
nn.Linear(1,1).to_empty(device="cpu").weight.shape
l=nn.Linear(2,2); l(T(1,2)).sum().backward(); w=l.weight.grad; l.double(); w is l.weight.grad, l.weight.grad
m=nn.Module(); m.get_extra_state()
m=nn.Module(); m.set_extra_state(1)
nn.Linear(2,2).register_forward_hook(3)
nn.Buffer(T(2)), type(nn.Buffer(T(2))), isinstance(nn.Buffer(T(2)), nn.Buffer), isinstance(T(2), nn.Buffer)
nn.Buffer(), nn.Buffer(3)
m=nn.Sequential(nn.ReLU(),nn.Tanh()); m.insert(1,nn.GELU())
m=nn.Sequential(nn.ReLU(),nn.Tanh()); m.insert(9,nn.GELU()); m
m=nn.Sequential(nn.ReLU()); m.extend(3)
m=nn.Sequential(nn.ReLU()); m+=[nn.Tanh()]; m
m=nn.Sequential(nn.ReLU()); m*2
m=nn.Sequential(nn.ReLU()); 3*m
m=nn.Sequential(nn.ReLU()); m*=2; m
nn.ModuleDict([["a",nn.ReLU(),3]])
nn.ModuleDict(3)
nn.ModuleDict([3])
m=nn.ModuleDict({"b":nn.ReLU(),"a":nn.Tanh()}); m.update(3)
nn.ParameterList([T(2),3,"a"])
nn.ParameterList([nn.Parameter(T(2)),[1,2]])
nn.ParameterList(T(2))
m=nn.ParameterList([T(2),T(1)]); m.append(3)
m=nn.ParameterList([T(2),T(1)]); m.extend(T(3))
m=nn.ParameterList([T(2),T(1)]); del m[0]
m=nn.ParameterList([T(2),T(1)]); m.pop(0)
m=nn.ParameterList([T(2),T(1)]); m.insert(0,T(1))
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m
m=nn.ParameterDict({"a":T(2),"b":3}); m
m=nn.ParameterDict({"a":T(2),"b":3}); m["b"], m["a"], m.a
m=nn.ParameterDict([("a",T(2))]); m
m=nn.ParameterDict([("a",T(2),4)]); m
m=nn.ParameterDict(3)
m=nn.ParameterDict({1:T(2)})
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m["z"]
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.get("a"), m.get("z"), m.get("z",3), m.pop("a"), m.popitem(), m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.setdefault("a"), m.setdefault("q", T(1)), m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.clear(), m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.copy()
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.fromkeys(["x","y"], T(1))
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m|nn.ParameterDict({"c":T(1)})
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m|{"c":T(1)}
m=nn.ParameterDict({"a":T(2),"b":T(1)}); {"c":T(1)}|m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m|={"c":T(1)}; m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.update({"c":T(1)}), m
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.update(3)
m=nn.ParameterDict({"a":T(2),"b":T(1)}); m.update([3])
m=nn.ParameterDict({"a":T(2),"b":T(1)}); del m["a"]; m
m=nn.ParameterDict({"a":T(2),"b":None}); m
nn.Bilinear(2,2,3)(T(4,2),T(5,2))
nn.Embedding(3,2,max_norm=1.0)
nn.Embedding(3,2,max_norm=1.0,norm_type=1.0,scale_grad_by_freq=True,sparse=True)
nn.Embedding(3,2,_weight=T(3,2)).weight
nn.Embedding(3,2,_weight=T(2,2)).weight
e=nn.Embedding.from_pretrained(T(3,2)); e, e.weight.requires_grad, e(torch.tensor([1]))
e=nn.Embedding.from_pretrained(T(3,2), freeze=False, padding_idx=1); e, e.weight
e=nn.Embedding.from_pretrained(T(3))
e=nn.Embedding(3,2,max_norm=1.0); e(torch.tensor([0,2])), e.weight
e=nn.Embedding(3,2,scale_grad_by_freq=True); e(torch.tensor([0,2,2])).sum().backward(); e.weight.grad
F.embedding(torch.tensor([1]),T(3,2),max_norm=0.5)
w=T(3,2).requires_grad_(); F.embedding(torch.tensor([1,1]),w,None,None,2.0,True).sum().backward(); w.grad
nn.LSTM(2,3,proj_size=1)
nn.LSTM(0,2)
nn.GRU(2,3,proj_size=1)
nn.RNN(2,3,proj_size=1)
nn.LSTM(2,3)(T(4,1,2).double())
nn.LSTM(2,3)(T(0,1,2))
nn.LSTM(2,3).all_weights
nn.LSTMCell(2,3)(T(4,2),T(4,3))
nn.MultiheadAttention(4,2,0.1,False,False,False,4,4,True)
nn.MultiheadAttention(4,2,0.1,False,True)
nn.MultiheadAttention(4,2,add_bias_kv=True)(T(3,1,4),T(3,1,4),T(3,1,4))
nn.MultiheadAttention(4,2,add_zero_attn=True)(T(3,1,4),T(3,1,4),T(3,1,4))
m=nn.MultiheadAttention(4,2); m(T(3,4),T(2,1,4),T(2,4))
m=nn.MultiheadAttention(4,2); m(T(3,1,4),T(2,4),T(2,4))
m=nn.MultiheadAttention(4,2); m(T(3,4),T(2,4),T(2,4),key_padding_mask=torch.tensor([[True,False]]))
m=nn.MultiheadAttention(4,2); m(T(3,1,4),T(2,1,4),T(2,1,4),key_padding_mask=torch.tensor([True,False]))
m=nn.MultiheadAttention(4,2); m(T(3,1,4),T(2,1,4),T(2,1,4),attn_mask=T(2))
F.scaled_dot_product_attention(T(1,4,2,3),T(1,2,2,3),T(1,2,2,3))
F.scaled_dot_product_attention(T(1,4,2,3),T(1,3,2,3),T(1,3,2,3),enable_gqa=True)
F.scaled_dot_product_attention(T(1,1,2,3),T(1,1,2,3),T(1,1,2,3),dropout_p=1.5)
F.scaled_dot_product_attention(torch.ones(2,3).long(),torch.ones(2,3).long(),torch.ones(2,3).long())
nn.LSTM(2,3,proj_size=-1)
nn.LSTM(2,3,proj_size=3)
nn.LSTM(2,3,2,proj_size=2,bidirectional=True).double()(T(4,1,2).double())
nn.LSTM(2,3,proj_size=2).double()(T(4,2).double())
nn.LSTM(2,3,proj_size=2)(T(4,1,2),(T(1,1,3),T(1,1,3)))
nn.LSTM(2,3,proj_size=2)(T(4,1,2),(T(1,1,2),T(1,1,2)))
[[w.shape for w in ws] for ws in nn.GRU(2,3,2,bidirectional=True).all_weights]
m=nn.MultiheadAttention(4,2,add_bias_kv=True,add_zero_attn=True); m(T(3,4),T(2,4),T(2,4),attn_mask=T(3,2))
m=nn.MultiheadAttention(4,2); m(T(3,4),T(2,4),T(2,4),attn_mask=T(1,3,2))
m=nn.MultiheadAttention(4,2,kdim=3,vdim=3); m(T(3,1,4),T(2,1,3),T(3,1,3))
nn.GRU(2,3)(T(4,1,2).double())
nn.LSTM(2,3,bias=False)(torch.ones(0,1,2))
nn.NLLLoss()(T(3),torch.tensor([1,2]))
nn.TripletMarginLoss()(T(2,3),T(3),T(2,3))
nn.MarginRankingLoss()(T(3),T(3)+1,torch.ones(3,1))
nn.MarginRankingLoss()(T(3),T(3,1),torch.ones(3))
nn.SoftMarginLoss()(T(3),torch.ones(2))
nn.MultiMarginLoss(weight=T(2,2))
F.nll_loss(T(2,3),torch.tensor([0,1]),reduction="elementwise_mean")
F.mse_loss(T(2),T(2),reduction="elementwise_mean")
F.binary_cross_entropy_with_logits(T(3),torch.ones(3),pos_weight=T(3,1))
F.elu(T(3),1.,alpha=1.)
F.gelu(T(3),"tanh")
F.hardtanh(T(3),1,-1)
F.one_hot(torch.tensor([0]),0)
F.layer_norm(T(2,3),3)
F.layer_norm(torch.ones(2,3).long(),(3,))
F.batch_norm(T(2,3),None,None)
F.batch_norm(torch.ones(2,3).long(),None,None,training=True)
m,v=torch.zeros(3),torch.ones(3); F.batch_norm(T(2,3),m,v,training=True,momentum=1.0), m, v, m._version
m,v=torch.zeros(3,requires_grad=True),torch.ones(3); F.batch_norm(T(2,3),m,v,training=True)
m=torch.zeros(3); F.batch_norm(T(2,3),m,None,training=True), m
nn.Conv2d(2,4,3,stride=2,padding="same")
nn.Conv2d(2,4,3)(T(1,2,5,5).double())
nn.Conv2d(2,4,3)(torch.ones(1,2,5,5).long())
nn.Conv2d(2,4,3,dilation=0)(T(1,2,5,5))
nn.ConvTranspose2d(2,3,2,padding="same")
nn.ConvTranspose2d(2,3,2,stride=2)(T(1,2,3,3),output_size=(9,9))
F.conv2d(T(1,2,5,5),T(4,2,3,3),stride=(1,2,3))
F.conv2d(T(1,2,5,5),T(3,1,3,3),groups=2)
F.conv2d(T(1,2,5,5),T(4,2,3,3),T(4).double())
nn.MaxPool2d(2,stride=0)(T(1,4,4))
nn.MaxPool2d(0)(T(1,4,4))
nn.MaxPool2d(2.)(T(1,4,4))
nn.MaxPool2d("a")(T(1,4,4))
nn.MaxPool2d((2,2,2))(T(1,4,4))
nn.MaxPool2d(2,dilation=0)(T(1,4,4))
nn.AvgPool2d(2,divisor_override=0)(T(1,4,4))
nn.AvgPool2d(0)(T(1,4,4))
nn.AvgPool1d((2,2))(T(1,4))
nn.MaxPool1d(5)(T(1,4))
nn.MaxPool1d(2,padding=2)(T(1,4))
nn.MaxPool1d(2,stride=0)(T(1,4))
nn.MaxPool1d(0)(T(1,4))
nn.MaxPool1d(2,dilation=0)(T(1,4))
nn.AdaptiveAvgPool2d((2,2,2))(T(1,4,4))
nn.AdaptiveAvgPool1d(2)(T(4))
nn.AdaptiveAvgPool1d((2,2))(T(1,4))
nn.AdaptiveAvgPool2d(-1)(T(1,4,4))
nn.AdaptiveAvgPool2d("a")(T(1,4,4))
nn.AdaptiveAvgPool2d(2)(torch.ones(1,4,4).long())
nn.CircularPad1d(-1)(T(1,3))
F.pad(T(2),(-3,0))
F.pad(T(2),1)
F.pad(T(1,2),(1,1),"reflect",3)
F.pad(T(2),(1.,1))
F.interpolate(T(1,1,3),0)
F.interpolate(T(1,1,3),5,recompute_scale_factor=True)
nn.PixelShuffle(2)(T(4,1))
nn.PixelUnshuffle(2)(T(2,2))
nn.PixelUnshuffle(0)(T(1,2,2))
nn.ChannelShuffle(0)(T(1,4,2))
nn.BatchNorm1d(3)(T(2,3).double())
b=nn.BatchNorm1d(3); b.running_mean=None; b(T(4,3))
nn.Hardtanh(2,-2)
nn.Hardtanh(min_value=-2,max_value=3)
nn.Hardtanh(1,1)
e = nn.Embedding(4, 2, max_norm=1.0); y = e(torch.tensor([0, 2])); (y * y).sum().backward(); e.weight.grad
e = nn.Embedding(4, 2, 1, scale_grad_by_freq=True); e(torch.tensor([[0, 1], [1, 0]])).sum().backward(); e.weight.grad
nn.LSTM(2, 3, 2, proj_size=1, bidirectional=True).double()(T(4, 1, 2).double())
l = nn.LSTM(2, 3, proj_size=1).double(); l(T(4, 1, 2).double())[0].sum().backward(); l.weight_hr_l0.grad
F.group_norm(T(2, 4), 2, T(4).double())
F.group_norm(torch.ones(2, 4).long(), 2)
b = nn.BatchNorm1d(3).eval(); x = T(4, 3).requires_grad_(); y = b(x); b.train()(x.detach()); y.sum().backward(); x.grad
p = nn.Linear(2, 2); w = p.weight; p(T(1, 2)).sum().backward(); g = w.grad; p.half(); g is w.grad, w is p.weight
""".splitlines() if line]  # fmt: skip

PROGRAMS = dict(block.split("\n", 1) for block in """
## a backward hook on what is no tensor
class Dictionary(nn.Module):
    def forward(self, x):
        return {"a": x * 2}
layer = Dictionary()
handle = layer.register_full_backward_hook(lambda *given: print("called"))
print(layer(torch.ones(2, requires_grad=True)))
## a backward hook on a named tuple
from collections import namedtuple
Pair = namedtuple("Pair", "a b")
class Named(nn.Module):
    def forward(self, x):
        return Pair(x * 2, 3)
layer = Named()
handle = layer.register_full_backward_hook(lambda m, i, o: print(i, o))
found = layer(torch.ones(2, requires_grad=True))
print(type(found).__name__, found)
found.a.sum().backward()
## a hook that changes a size
layer = nn.Linear(2, 2)
handle = layer.register_full_backward_hook(lambda m, i, o: i[0] * 2)
layer(torch.ones(1, 2, requires_grad=True)).sum().backward()
## hooks of states
layer = nn.Sequential(nn.Linear(2, 2))
handles = [layer[0].register_state_dict_post_hook(lambda m, s, p, k: print(list(s), p, k)),
           layer[0].register_state_dict_pre_hook(lambda m, p, k: print(p, k)),
           layer[0].register_load_state_dict_pre_hook(lambda m, s, *more: print(list(s), more))]
layer.load_state_dict(layer.state_dict(prefix="", keep_vars=True))
handles[0].remove()
layer.state_dict()
layer[0].register_state_dict_post_hook(lambda m, s, p, k: s)
layer.state_dict()
## hooks after a load return nothing
layer = nn.Linear(2, 2)
layer.register_load_state_dict_post_hook(lambda m, k: 3)
layer.load_state_dict(layer.state_dict())
## more in a state
class More(nn.Linear):
    def get_extra_state(self):
        return {"k": 3}
    def set_extra_state(self, state):
        print("set", state)
layer = nn.Sequential(More(2, 2))
state = layer.state_dict()
print(state, layer.load_state_dict(state))
print(layer.load_state_dict(nn.Sequential(nn.Linear(2, 2)).state_dict(), strict=False))
nn.Sequential(nn.Linear(2, 2)).load_state_dict(state)
## rows named twice
table = torch.linspace(-1, 2, 6).view(3, 2).requires_grad_()
rows = nn.functional.embedding(torch.tensor([1, 1, 2]), table, None, None, 2.0, True)
first, = torch.autograd.grad((rows**3).sum(), table, create_graph=True)
print(first, torch.autograd.grad((first**2).sum(), table))
## a state of its own making
class Doubled(nn.Linear):
    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "twice"] = self.bias.detach() * 2
    def _load_from_state_dict(self, state_dict, prefix, *more):
        state_dict.pop(prefix + "twice")
        super()._load_from_state_dict(state_dict, prefix, *more)
layer = nn.Sequential(Doubled(1, 1))
print(list(layer.state_dict()), layer.load_state_dict(layer.state_dict()))
""".split("\n## ")[1:])


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(torch, line):
    assert outcome(SETUP + line, autograd_nb) == outcome(SETUP + line, torch)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    assert shown(autograd_nb, PROGRAMS[name]) == shown(torch, PROGRAMS[name])
