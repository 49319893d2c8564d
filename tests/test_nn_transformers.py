"""Transformers in single lines beside torch's: texts, results with masks, states, gradients, errors and warnings."""

import numpy as np
import pytest
from lines import outcome

import autograd_nb
import autograd_nb.nn
import autograd_nb.nn.functional

SETUP = ("nn, t, yes, no = torch.nn, torch.tensor, True, False; torch.manual_seed(0); "
         "T = lambda *s: (torch.arange(torch.ones(s).numel()) * 0.7).sin().view(s); "
         "Layer, DecoderLayer = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer; "
         "Encoder, Decoder = nn.TransformerEncoder, nn.TransformerDecoder; "
         "later = nn.Transformer.generate_square_subsequent_mask; ")

LINES = [line for line in """
Layer(4,2,8)
Layer(4,2,8,0.0,"gelu")(T(3,1,4))
Layer(4,2,8,activation="tanh")
Layer(4,2,8,0.5)(T(3,1,4))
Layer(4,2,8,activation=nn.GELU(),norm_first=True,bias=False)
Layer(4,2,8,0.0,norm_first=True,bias=False)(T(3,4))
Layer(4,2,8,0.0,batch_first=True)(T(2,3,4),src_key_padding_mask=t([[no,no,yes]]*2))
Layer(4,2,8,0.0)(T(3,2,4),T(3,3)>0,t([[0.,0.,1.]]*2))
Layer(4,2,8,0.0)(T(3,2,4),torch.ones(3,3).long())
Layer(4,2,8,0.0)(T(3,2,4),is_causal=True)
Layer(4,2,8,0.0)(T(3,2,4),later(3),is_causal=True)
Layer(4,3)
Layer(4,2,8,dtype=torch.float64)(T(3,2,4))
list(DecoderLayer(4,2,8).state_dict()), DecoderLayer(4,2,8)
DecoderLayer(4,2,8,0.0)(T(3,2,4),T(2,2,4))
DecoderLayer(4,2,8,0.3,norm_first=True)(T(3,2,4),T(2,2,4),T(3,3),T(3,2),t([[no,yes,no]]*2),t([[no,yes]]*2))
DecoderLayer(4,2,8,0.0)(T(3,2,4),T(2,1,4))
m=Encoder(Layer(4,2,8,0.0),2); m, m(T(3,1,4))
m=Encoder(Layer(4,2,8,0.0,batch_first=True),2,nn.LayerNorm(4)); m(T(1,3,4)), m.use_nested_tensor, list(m.state_dict())
m=Encoder(Layer(4,2,8,0.0,batch_first=True),2); m(T(2,3,4),src_key_padding_mask=t([[no,no,yes],[no,yes,yes]]))
m=Encoder(Layer(4,2,8,batch_first=True),2).eval().requires_grad_(no); m(T(1,3,4),src_key_padding_mask=t([[no,yes,no]]))
m=Encoder(Layer(4,2,8,0.0,batch_first=True),2,enable_nested_tensor=False).eval(); m(T(2,3,4),mask=later(3))
m=Encoder(Layer(3,1,8,0.0,batch_first=True),1); m.layers[0] is m.layers[0], m.num_layers
m=Encoder(Layer(4,2,8,0.0,"relu",batch_first=True,norm_first=True),1)
m=Encoder(Layer(4,2,8,0.0,torch.tanh,batch_first=True),1); m(T(1,3,4))
m=Encoder(Layer(4,2,8,0.0,batch_first=True,bias=False),1); m(T(1,3,4))
m=Encoder(nn.Linear(1,1),1)
m=Decoder(DecoderLayer(4,2,8,0.0),2,nn.LayerNorm(4)); m(T(3,1,4),T(2,1,4),later(3))
later(3), later(2,dtype=torch.float64)
m=nn.Transformer(4,2,1,1,8,0.0); m(T(3,1,4),T(2,1,4)), m
m=nn.Transformer(4,2,1,2,8,0.1,"gelu",batch_first=True); m(T(1,3,4),T(1,2,4),tgt_mask=later(2))
m=nn.Transformer(4,2,1,1,8); m(T(3,1,4),T(2,2,4))
m=nn.Transformer(4,2,1,1,8,batch_first=True); m(T(3,1,4),T(2,1,4))
m=nn.Transformer(4,2,1,1,8); m(T(3,1,4),T(2,1,5))
m=nn.Transformer(4,2,1,1,8); len(list(m.parameters())), sum(p.numel() for p in m.parameters()), m.d_model, m.nhead
m=nn.Transformer(4,2,1,1,8,custom_encoder=nn.Identity()); m.encoder
m=nn.Transformer(4,2,1,1,8,0.0,dtype=torch.float64); m(T(3,4).double(),T(2,4).double())
""".splitlines() if line]  # fmt: skip


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(torch, line):
    assert outcome(SETUP + line, autograd_nb) == outcome(SETUP + line, torch)


def test_padding_at_the_end_is_zero_where_no_gradient_is_wanted(torch):
    results = []
    for library in (autograd_nb, torch):
        library.manual_seed(0)
        layer = library.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
        model = library.nn.TransformerEncoder(layer, 2).eval()
        padding = library.tensor([[False, False, True], [False, True, True]])
        x = library.arange(24.0).view(2, 3, 4).sin()
        with library.no_grad():
            results.append(model(x, src_key_padding_mask=padding).mul(1000).round().tolist())
        assert model(x, src_key_padding_mask=padding)[0, 2].abs().sum() > 0
    assert results[0] == results[1]
    assert results[0][0][2] == [0.0] * 4


def test_gradients_are_torchs(torch):
    grads = []
    for library in (autograd_nb, torch):
        library.manual_seed(0)
        model = library.nn.Transformer(4, 2, 1, 1, 8, 0.0, batch_first=True).double()
        src, tgt = (library.linspace(-1, 2, 8 * n).double().sin().view(2, n, 4) for n in (3, 2))
        (model(src, tgt, tgt_is_causal=None, tgt_mask=model.generate_square_subsequent_mask(2)) ** 3).sum().backward()
        grads.append([parameter.grad.numpy() for parameter in model.parameters()])
    for mine, its in zip(*grads, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-12)
