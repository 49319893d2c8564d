"""Expressions: values, strides, node names, views and errors, as in PyTorch."""

import re

import numpy as np
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

VIEWS_AND_JOINING = (
    "torch.einsum('ij,ij->i', [x, x])", "torch.softmax(i,0)", "torch.log_softmax(i[None].expand(2,2),-1)",
    "[torch.autograd.grad((torch.relu(each) * each).sum(), each) for each in (x.half() - 3, x.double() - 3)]",
    "x.transpose(0,2)", "s.transpose(0,-2)", "x.transpose(0,1.)", "x.permute(0,2)", "torch.broadcast_to(x,(3,2))",
    "x.expand(3,3)", "x.expand(-2,3)", "s.squeeze(1)", "x.squeeze((0,0))", "x.unsqueeze(3)", "x.unsqueeze(-4)",
    "x.view(4)", "x.view(-1,4)", "x.t().view(6)", "x.flatten(3)", "x.flatten(1,0)", "x.repeat(2)",
    "x.t().is_contiguous()", "x.mT", "s.T", "z.T", "f.t()", "z.t()", "s.t()", "x.flip(0,0)", "x.flip(2)",
    "x.roll((1,2),0)", "x.roll((1,2))", "torch.cat([])", "torch.cat([x],2)", "torch.cat(x)", "torch.cat([x,1])",
    "torch.cat([x, i[None].expand(2,2)],1).dtype", "torch.stack([])", "torch.stack([x,s])", "torch.stack([x],3)",
    "x.split((1,1),1)", "s.split(1)", "x.chunk(0)", "s.chunk(1)", "s.unbind()", "x.unbind(2)", "f.diagonal()",
    "s.diag()", "z.diag()", "f.tril()", "s.triu()", "f.trace()", "x.t().reshape(6)", "x.t().reshape(3,1,2)",
    "x.t().ravel()", "x.t().flatten()", "x.T", "x.expand_as(z[:,:,0])", "x.contiguous()", "x.t().contiguous()",
    "x.t().clone()", "f.T", "s.stride()", "z.stride(0)", "torch.zeros(2,0,3).stride()", "z.is_contiguous()",
    "z.storage_offset()", "f.sum_to_size(3)", "s.sum_to_size(1)", "z.roll(1,(0,1))", "torch.zeros(0).view(-1)",
    "torch.zeros(0).reshape(-1,3).shape", "f.reshape()", "f.view([2,1]).shape", "f.view(torch.Size([2,1])).shape",
    "torch.reshape(f,(1,-1)).shape", "torch.swapaxes(z,axis0=0,axis1=1).shape", "f.expand(*[-1]).shape",
    "f.view(size=(2,1)).shape", "f.squeeze(dim=0)", "f.squeeze(dim=(0,))", "f.unsqueeze(dim=0).shape",
    "f.permute(dims=(0,))", "z.transpose(dim0=0,dim1=1).shape", "f.flip(dims=(0,))", "f.expand(size=(3,2)).shape",
    "torch.diag(f,diagonal=-1).shape", "z.tril(1).shape", "z.diagonal(offset=1,dim1=0,dim2=2)",
    "f.narrow(dim=0,start=torch.tensor(0),length=1)",
)  # fmt: skip

INDEXING = (
    "x.narrow(0,1,9)", "s.narrow(0,0,1)", "x.select(0,2)", "s.select(0,0)", "x.select(2,0)", "x[2]", "x[0,3]", "x[-3]",
    "x[0,0,0]", "s[0]", "x[...,...]", "x[1.5]", "x[::-1]", "x[::0]", "x[f]", "x[i,i,i]", "x[[True,False]]",
    "x[[[0,1],[0,1]]]", "x[((0,1),(0,1))]", "x[:,None,[0,1]]", "x[[0,1],:,None]", "z[[0,1],:,[0,1]]", "z[0,:,[0,1]]",
    "z[:,0,[0,1]]", "x[torch.tensor([],dtype=torch.long)]", "x[[]]", "x[torch.tensor(True)]", "x[range(2)]", "x[{}]",
    "x[torch.tensor([0,1],dtype=torch.uint8)]", "x[torch.tensor([0,1],dtype=torch.int32)]", "x[x>2, 0]", "x[0][x[0]>1]",
    "x[torch.zeros(2,3,1,dtype=torch.bool)]", "x[slice(None,None,None),i[0]]", "x[-10:1]", "x[torch.tensor(5)]",
    "x[i.numpy()]", "x[x.detach().numpy()>2]", "list(s)", "[r for r in x]", "s[-1]", "x[None,5]", "x[:,None,5]",
    "x[i,5]", "x[:, :2].reshape(2,2,1)", "x.sort(stable=True)", "x.nonzero(as_tuple=True)", "x[torch.tensor(0),1]",
    "s[torch.tensor(True)]", "z[:,None].stride()", "z[1].storage_offset()", "x.gather(0,i[None].expand(2,2)+5)",
    "x.gather(0,f[None])", "x.gather(3,i[None])", "s.gather(0,torch.tensor(0))", "s.gather(0,torch.tensor([0]))",
    "x.scatter(0,i,x)", "x.scatter(0,i[None]+4,1.)", "x.scatter(0,f[None],1.)", "x.scatter(0,i[None],x.double())",
    "x.index_select(0,i[None])", "x.index_select(0,torch.tensor(1)).shape", "x.index_add(0,i+4,x)",
    "x.index_add(0,i,x,alpha=2)", "x.masked_fill(x,1.)", "x.masked_fill(x>9,f)",
    "x.masked_fill(torch.tensor([True,False,True]),9.)", "f.masked_fill(x[:, :2]>0,1.)", "x.masked_select(f>0)",
    "x.masked_select(x)", "x.masked_select(torch.tensor([True,False,True]))", "x.histogram(2)", "x.histogram(0)",
    "x.histogram(2,range=(3.,1.))", "(x/0).histogram(2)", "x.long().histogram(2)", "x.histogram(2)[0].sum().backward()",
    "x.sort(2)", "x.argsort(descending=True)", "x.topk(4)", "x.topk(1,largest=False)", "x.int().masked_fill(x>1,1.5)",
    "x.int().scatter(0,i[None],1.5)", "torch.tensor([3,1,2]).sort()", "torch.tensor([True,False]).sort()",
    "x.sort().values", "torch.tensor([2.,1.,2.]).sort(descending=True)", "torch.tensor([2.,float('nan'),1.]).sort()",
    "torch.tensor([2.,float('nan'),1.]).sort(descending=True)", "torch.tensor([2.,float('nan'),1.]).topk(2)",
    "x.permute(0,0)", "x.permute(0)", "x.expand(3)", "x.view(-1,-1)", "torch.cat([x,torch.ones(3)])",
    "torch.cat([x,torch.ones(3,3)],1)", "z.expand(2)", "x[[0,2]]", "x[torch.tensor([0,2])]",
    "x[torch.tensor([True,False,True])]", "x[b,b]", "x[torch.tensor([0,1]),torch.tensor([0,1,2])]",
    "x[torch.zeros(2,2,dtype=torch.bool)]", "x[-torch.tensor([3])]", "x[[-3]]", "x[:,[3]]", "x.gather(0,i)",
    "x.index_select(0,i+4)", "x.masked_fill(f>0,1.)", "torch.linalg.inv(torch.ones(2, 3))",
    "torch.linalg.det(torch.ones(2, 3))",
)  # fmt: skip
OTHERS = (
    "torch.linalg.LinAlgError.__mro__[1]", "torch.zero_([1.0])", "torch.clamp_(f, max=0.5)",
    "torch.arcsin_(R(2).detach())", "x.any(dim=[])", "x.detach().byte().all(())", "x.logsumexp([])",
    "torch.nn.functional.layer_norm(i, (2,))", "torch.nn.functional.layer_norm(f.double(), (2,), f)",
    "torch.nn.functional.mse_loss(x, x > 2)", "torch.autograd.grad(torch.nn.functional.mse_loss(x, x > 2), x)",
    "b ** True", "b ** False", "torch.zeros(2, requires_grad=1)", "torch.zeros_like(x, requires_grad='no')",
    "torch.tensor(1., requires_grad=1)", "torch.tensor([1.], requires_grad=None)",
    "torch.full((2,), 1., requires_grad=1)", "f.clone().requires_grad_(0)", "torch.nn.Sequential(torch.relu)",
    "torch.nn.Sequential(torch.nn.functional.relu)", "f.add(f, alpha=True)",
)  # fmt: skip
REFUSED = (
    "torch.softmax(i[None].expand(2,2),0)", "x.expand(-1,2,3)", "x.view(-2,3)",
    "x.repeat(2,-1)", "x.flip()", "torch.cat([s])", "x.split(0)", "x.split(-1)", "x.diagonal(0,0,0)", "f.mT",
    "s.repeat()", "torch.zeros(0).view(-1,0)", "torch.zeros(0,2).reshape(0,-1)",
    "x.narrow(0,3,0)", "x.narrow(0,-3,0)", "x.narrow(0,0,-1)", "x[0:1.5]", "x.scatter(0,i[None].expand(2,2),x[:1])",
    "x.index_select(0,f)", "x.index_add(0,i,x[:1])", "x.index_add(1,i,x)",
    "torch.linalg.inv(torch.ones(2))", "torch.linalg.inv(torch.zeros(2, 2))",
    "torch.linalg.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)]))", "torch.linalg.inv(torch.eye(2).long())",
    "torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))", "torch.linalg.solve(torch.eye(2), torch.ones(3))",
    "torch.linalg.det(torch.ones(2, 2).long())", "torch.rand(2, requires_grad=1)", "x.reshape(6, dim=0)",
    "x.max(x, True)",
)  # fmt: skip


@pytest.mark.parametrize("expression", VIEWS_AND_JOINING + INDEXING + OTHERS)
def test_an_expression_is_what_it_is_in_torch(expression, torch):
    assert evaluate(autograd_nb, START, expression) == evaluate(torch, START, expression)


@pytest.mark.parametrize("expression", REFUSED)
def test_what_torch_refuses_is_refused_in_whatever_words(expression, torch):
    for library in (autograd_nb, torch):
        assert re.fullmatch("[A-Z_]\\w*Error", evaluate(library, START, expression)[0])


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "var", "std", "norm", "logsumexp"])
@pytest.mark.parametrize("dims", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_reduction_lies_in_rows_whatever_it_was_made_of(name, dims, torch):
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2)):
        for keepdim in (False, True):
            ours, theirs = (getattr(library.arange(24.0).reshape(2, 3, 4).permute(dims), name)(dim=dim, keepdim=keepdim)
                            for library in (autograd_nb, torch))  # fmt: skip
            assert ours.stride() == theirs.stride() and ours.view(-1).shape == theirs.view(-1).shape


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_the_gradient_of_relu_over_many_elements(name, torch):
    def gradient(torch):
        x = torch.arange(-1000, 1001).to(getattr(torch, name)).requires_grad_()
        above = torch.tensor([float("inf"), float("nan"), -2.0] * 667, dtype=x.dtype)
        return torch.autograd.grad(torch.relu(x), x, above)[0].tolist()

    np.testing.assert_equal(gradient(autograd_nb), gradient(torch))
