"""Views, joining and reshaping: values, strides, node names, what is a view, and errors, as PyTorch has them."""

import pytest
from programs import evaluate

import autograd_nb

START = """
def numbered(*shape):
    count = 1
    for length in shape:
        count *= length
    return torch.arange(1., 1 + count).reshape(shape).clone().requires_grad_() * 1

R = numbered
x, s, z = numbered(2, 3), numbered(), torch.ones(2, 3, 4, requires_grad=True) * 1
i, b, f = torch.tensor([0, 1]), torch.tensor([True, False]), torch.tensor([0., 1.])
"""

EXPRESSIONS = (
    "x.transpose(0,2)", "s.transpose(0,-2)", "x.transpose(0,1.)", "x.permute(0,0)", "x.permute(0)", "x.permute(0,2)",
    "x.permute((0,1),)", "torch.broadcast_to(x,(3,2))", "x.expand(3,3)", "x.expand(3)", "x.expand(-1,2,3)",
    "x.expand(-2,3)", "s.squeeze(0)", "s.squeeze(1)", "x.squeeze((0,1))", "x.squeeze((0,0))", "x.unsqueeze(3)",
    "x.unsqueeze(-4)", "x.view(4)", "x.view(-1,4)", "x.view(-1,-1)", "x.view(-2,3)", "x.t().view(6)", "x.flatten(3)",
    "x.flatten(1,0)", "s.flatten()", "x.unflatten(1,(2,2))", "x.unflatten(1,(-1,3))", "x.movedim(0,2)", "x.repeat(2)",
    "x.repeat(2,-1)", "x.tile(2)", "x.t().is_contiguous()", "x.mT", "s.mT", "s.T", "z.T", "f.t()", "z.t()", "s.t()",
    "x.flip()", "x.flip(0)", "x.flip(0,0)", "x.flip(2)", "x.roll(1)", "x.roll(1,0)", "x.roll((1,2),(0,1))",
    "x.roll((1,2),0)", "x.roll((1,2))", "torch.cat([])", "torch.cat([x,torch.ones(3)])",
    "torch.cat([x,torch.ones(3,3)],1)", "torch.cat([x,torch.ones(0)])", "torch.cat([s])", "torch.cat([x],2)",
    "torch.cat(x)", "torch.cat([x,1])", "torch.cat([x, i[None].expand(2,2)],1).dtype", "torch.stack([])",
    "torch.stack([x,s])", "torch.stack([x],3)", "torch.hstack([s,s])", "torch.vstack([f,x[:,:2]])",
    "torch.dstack([f,f]).shape", "x.split(0)", "x.split(2,1)", "x.split(-1)", "x.split((1,1),1)", "x.split((1,2),1)",
    "s.split(1)", "x.chunk(2,1)", "x.chunk(0)", "s.chunk(1)", "s.unbind()", "x.unbind(2)", "x.diagonal()",
    "x.diagonal(0,0,0)", "f.diagonal()", "x.diagonal(5)", "f.diag()", "f.diag(1)", "x.diag()", "s.diag()", "z.diag()",
    "f.tril()", "s.triu()", "f.trace()", "x.trace()", "x.squeeze()", "x.squeeze(0)", "x.reshape(6)", "x.t().reshape(6)",
    "x.t().reshape(3,1,2)", "x.reshape(2,3)", "x.view(2,3)", "x.flatten()", "R(3).flatten()", "x.flatten(0,0)",
    "x.ravel()", "R(3).ravel()", "x.t().ravel()", "x.t().flatten()", "x.unflatten(1,(3,1))", "x.T", "x.movedim(0,1)",
    "x.movedim(0,0)", "x.swapaxes(0,1)", "x.swapdims(0,1)", "x.expand(2,3)", "x.expand(4,2,3)", "x.expand_as(z[:,:,0])",
    "torch.broadcast_to(x,(2,3))", "x.repeat(1,1)", "x.tile((2,))", "x.tile((1,1))", "torch.cat([x])",
    "torch.stack([x])", "torch.hstack([x,x])", "torch.vstack([x[0],x[0]])", "torch.dstack([x,x])",
    "torch.column_stack([x[0],x[0]])", "x.split(1)", "x.split([1,1])", "x.chunk(2)", "x.chunk(5)", "x.unbind()",
    "x.tril()", "x.triu()", "x.clone()", "x.contiguous()", "x.t().contiguous()", "x.t().clone()", "x.sum_to_size(1,3)",
    "x.sum_to_size(3)", "x.sum_to_size(2,3)", "x.sum_to_size(())", "x.sum_to_size(1)", "x.to(torch.float64)",
    "x.detach()", "f.mT", "f.T", "s.stride()", "z.stride(0)", "torch.zeros(2,0,3).stride()", "z.is_contiguous()",
    "z.storage_offset()", "z.movedim(0,0) is z", "f.tile(())", "s.repeat(2)", "s.repeat()", "f.sum_to_size(3)",
    "s.sum_to_size(1)", "z.unflatten(0,[3])", "torch.flip(f,[0])", "z.roll(1,(0,1))", "z.roll([1],[0])", "z.expand(2)",
    "s.view(())", "s.view(-1)", "torch.zeros(0).view(-1,0)", "torch.zeros(0).view(-1)",
    "torch.zeros(0,2).reshape(0,-1)", "torch.zeros(0).reshape(-1,3).shape", "f.reshape()", "f.view([2,1]).shape",
    "f.view(torch.Size([2,1])).shape", "torch.reshape(f,(1,-1)).shape", "torch.swapaxes(z,axis0=0,axis1=1).shape",
    "f.expand(*[-1]).shape", "f.view(size=(2,1)).shape", "f.squeeze(dim=0)", "f.squeeze(dim=(0,))",
    "f.unsqueeze(dim=0).shape", "f.permute(dims=(0,))", "z.transpose(dim0=0,dim1=1).shape", "f.flip(dims=(0,))",
    "f.expand(size=(3,2)).shape", "torch.movedim(z,source=0,destination=1).shape", "torch.diag(f,diagonal=-1).shape",
    "z.tril(1).shape", "z.diagonal(offset=1,dim1=0,dim2=2)", "f.narrow(dim=0,start=torch.tensor(0),length=1)",
    "torch.flip(x,[0])",
)  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_is_what_it_is_in_torch(expression, torch):
    assert evaluate(autograd_nb, START, expression) == evaluate(torch, START, expression)


def test_a_view_shares_storage_and_version_with_its_base():
    base = autograd_nb.zeros(2, 3)
    view = base.view(6)[1:3]
    view.add_(1)
    assert base.tolist() == [[0, 1, 1], [0, 0, 0]]
    assert view._base is base and base._version == view._version == 1


def test_detach_shares_the_counter_and_data_does_not():
    x = autograd_nb.ones(2)
    detached, data = x.detach(), x.data
    detached.add_(1)
    assert (x._version, detached._version, data._version) == (1, 1, 0)
    data.add_(1)
    assert x._version == 1 and x.tolist() == [3, 3]
    assert not detached._is_view()
