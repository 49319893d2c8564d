"""Indexing, gathering and sorting: values, node names, what is a view, and errors, as PyTorch has them."""

import pytest
from programs import evaluate
from test_views import START

import autograd_nb

EXPRESSIONS = (
    "x.narrow(0,1,9)", "x.narrow(0,3,0)", "x.narrow(0,-3,0)", "x.narrow(0,0,-1)", "s.narrow(0,0,1)", "x.select(0,2)",
    "s.select(0,0)", "x.select(2,0)", "x[2]", "x[0,3]", "x[-3]", "x[0,0,0]", "s[0]", "s[...]", "s[None]", "s[()]",
    "x[...,...]", "x[1.5]", "x[0:1.5]", "x[::-1]", "x[::0]", "x[[0,2]]", "x[torch.tensor([0,2])]", "x[f]", "x[b]",
    "x[torch.tensor([True,False,True])]", "x[b,b]", "x[i,i,i]", "x[torch.tensor([0,1]),torch.tensor([0,1,2])]",
    "x[True]", "x[False]", "x[:,True]", "s[True]", "x[[True,False]]", "x[[[0,1],[0,1]]]", "x[((0,1),(0,1))]",
    "x[[0,1],[0,1]]", "x[0,[0,1]]", "x[:,None,[0,1]]", "x[[0,1],:,None]", "z[[0,1],:,[0,1]]", "z[0,:,[0,1]]",
    "z[:,0,[0,1]]", "x[torch.tensor(1)]", "x[torch.tensor([],dtype=torch.long)]", "x[[]]", "x[x>2]",
    "x[torch.tensor(True)]", "x[range(2)]", "x[{}]", "x[None,None]", "x[torch.tensor([0,1],dtype=torch.uint8)]",
    "x[torch.tensor([0,1],dtype=torch.int32)]", "x[x>2, 0]", "x[0][x[0]>1]", "x[torch.zeros(2,2,dtype=torch.bool)]",
    "x[torch.zeros(2,3,1,dtype=torch.bool)]", "x[slice(None,None,None),i[0]]", "x[10:20]", "x[-10:1]", "x[1:0]",
    "x[:,-1]", "x[torch.tensor(5)]", "x[-torch.tensor([3])]", "x[[-3]]", "x[:,[3]]", "x[i.numpy()]",
    "x[x.detach().numpy()>2]", "list(s)", "[r for r in x]", "s[-1]", "x[None,5]", "x[:,None,5]", "x[i,5]",
    "x[:, :2].reshape(2,2,1)", "x.narrow(0,0,2)", "x.narrow(0,0,1)", "x.select(0,0)", "x[0].diag()", "x[0]", "x[0:1]",
    "x[:]", "x[...]", "x[None]", "x[0,0]", "x.sort()", "x.sort(stable=True)", "x.argsort()", "x.topk(1)", "x.nonzero()",
    "x.nonzero(as_tuple=True)", "x[0,:]", "x[:,0]", "x[:,:]", "x[0:1,None]", "x[...,0]", "x[0,...]", "x[()]",
    "x[None,...]", "x[:,0:2]", "x[i]", "x[0,i]", "x[i,0]", "x[None,i]", "x[:,i]", "x[i,:2]", "x[x>1]",
    "x[torch.tensor(0)]", "x[torch.tensor(0),1]", "x[[0,1]]", "x[i[:1],i[:1]]", "s[torch.tensor(True)]", "z[0,:,i]",
    "z[i,:,i]", "x.gather(0,i[None])", "x.scatter(0,i[None],1.)", "x.scatter(0,i[None],x)",
    "x.scatter_add(0,i[None],x)", "x.index_select(0,i)", "x.index_add(0,i,x)", "x.masked_fill(x>1,1.)",
    "x.masked_fill(x>1,s)", "x.masked_select(x>1)", "x.take(i)", "x.index_put((i,),x)", "z[:,None].stride()",
    "z[1].storage_offset()", "x.gather(0,i)", "x.gather(0,i[None].expand(3,2))", "x.gather(0,i[None].expand(2,2)+5)",
    "x.gather(0,f[None])", "x.gather(3,i[None])", "s.gather(0,torch.tensor(0))", "s.gather(0,torch.tensor([0]))",
    "x.scatter(0,i,x)", "x.scatter(0,i[None].expand(2,2),x[:1])", "x.scatter(0,i[None]+4,1.)",
    "x.scatter(0,f[None],1.)", "x.scatter(0,i[None],x.double())", "x.index_select(0,i+4)", "x.index_select(0,i[None])",
    "x.index_select(0,f)", "s.index_select(0,i[:1])", "x.index_select(0,torch.tensor(1)).shape",
    "x.index_add(0,i,x[:1])", "x.index_add(0,i+4,x)", "x.index_add(1,i,x)", "x.index_add(0,i,x,alpha=2)",
    "x.masked_fill(x,1.)", "x.masked_fill(x>9,f)", "x.masked_fill(f>0,1.)",
    "x.masked_fill(torch.tensor([True,False,True]),9.)", "f.masked_fill(x[:, :2]>0,1.)", "x.masked_select(f>0)",
    "x.masked_select(x)", "x.masked_select(torch.tensor([True,False,True]))", "x.take(i+9)",
    "x.take(torch.tensor([[0,-1]]))", "x.take(f)", "x.sort(0,True)", "s.sort()", "x.sort(2)",
    "x.argsort(descending=True)", "x.topk(2)", "x.topk(4)", "x.topk(1,largest=False)", "x.topk(1,0)", "s.topk(1)",
    "s.nonzero()", "x.int().masked_fill(x>1,1.5)", "x.int().scatter(0,i[None],1.5)", "torch.tensor([3,1,2]).sort()",
    "torch.tensor([True,False]).sort()", "x.sort().values", "torch.tensor([2.,1.,2.]).sort(descending=True)",
    "torch.tensor([2.,float('nan'),1.]).sort()", "torch.tensor([2.,float('nan'),1.]).sort(descending=True)",
    "torch.tensor([2.,float('nan'),1.]).topk(2)",
)  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_is_what_it_is_in_torch(expression, torch):
    assert evaluate(autograd_nb, START, expression) == evaluate(torch, START, expression)


def test_an_index_changed_after_it_was_used_is_noticed():
    x = autograd_nb.ones(3, requires_grad=True)
    places = autograd_nb.tensor([0, 1])
    y = x[places]
    places.add_(1)
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1; expected version 0"):
        y.sum().backward()
