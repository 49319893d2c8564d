"""What lies behind tensors: storages, tensors resized or set to other memory, and what backward makes of it."""

import lines
import pytest

import autograd_nb

LINES = r"""
x = torch.ones(3, requires_grad=True); x.resize_(2)
x = torch.ones(3, requires_grad=True) * 1; x.resize_(2)
x = torch.ones(3, requires_grad=True); torch.set_grad_enabled(False); x.resize_(2)
x = torch.arange(6.); y = x.resize_(2, 3); (y is x, x, x._version, x.stride())
x = torch.arange(6.); v = x[2:]; v.resize_(2, 2); (v, x, v._version, x._version, v._is_view(), v._base is x)
x = torch.arange(6.); v = x[2:]; v.resize_(2); (v, x, v._version, v.storage_offset())
x = torch.arange(6.); x.resize_(8); (x.shape, x[:6], x._version, x.untyped_storage().nbytes())
x = torch.arange(6.); x.resize_(3); x.resize_(6); x
x = torch.arange(6.); x.resize_(0); (x, x.data_ptr(), x.untyped_storage().nbytes(), x.untyped_storage().data_ptr() == 0)
x = torch.arange(6.).reshape(2, 3).t(); x.resize_(3, 2); (x, x.stride(), x._version)
x = torch.arange(6.).reshape(2, 3).t(); x.resize_(2, 2); (x, x.stride())
x = torch.arange(6.); x.resize_([2, 2])
x = torch.arange(6.); x.resize_(-1)
x = torch.arange(6.); x.resize_()
x = torch.arange(6.); x.resize_(2.)
x = torch.arange(6.); x.resize_as_(torch.ones(2, 3, requires_grad=True))
x = torch.arange(6.); torch.resize_as_(x, torch.ones(2, 3))
x = torch.tensor(3.); x.resize_(1); (x, x._version)
x = torch.ones(2, 2).expand(3, 2, 2); x.resize_(2, 2)
x = torch.ones(6); x.resize_(size=(2, 3), memory_format=torch.contiguous_format)
torch.inference_mode()(lambda: torch.ones(3).resize_(2))()
x = torch.ones(3, requires_grad=True); x.data.resize_(2); x
x = torch.ones(3, requires_grad=True); x.detach().resize_(2); (x, x._version)
w = torch.ones(3, requires_grad=True); x = torch.ones(3); y = w * x; x.resize_(3); y.sum().backward(); w.grad
w = torch.ones(3, requires_grad=True); x = torch.ones(3); y = w * x; x.resize_(2); y.sum().backward(); w.grad
w = torch.ones(3, requires_grad=True); x = torch.ones(3); y = w * x; x.set_(torch.zeros(3)); y.sum().backward()
w = torch.ones(3, requires_grad=True); y = w.exp(); y.detach().set_(torch.ones(2)); y.sum().backward(); w.grad
x = torch.arange(6.); s = x.untyped_storage(); (s.nbytes(), s.size(), len(s), s.data_ptr() == x.data_ptr(), s.device, s.is_cuda, type(s), s.element_size())
x = torch.arange(6.); s = x.untyped_storage(); (s == x[2:].untyped_storage(), s is x[2:].untyped_storage(), s == x.clone().untyped_storage(), s == x.detach().untyped_storage())
x = torch.arange(6.); hash(x.untyped_storage()) == hash(x[1:].untyped_storage())
x = torch.arange(6.); x.untyped_storage().data_ptr() == x[2:].untyped_storage().data_ptr()
x = torch.tensor(1.); x.untyped_storage()
x = torch.arange(2.); (x.untyped_storage().tolist(), x.untyped_storage()[3], x.untyped_storage().fill_(0).tolist(), x)
x = torch.arange(6.); (x[2:].data_ptr() - x.data_ptr(), torch.empty(0).data_ptr(), x[6:].data_ptr())
x = torch.arange(6.); (x.is_set_to(x), x.is_set_to(x[:]), x.is_set_to(x.view(2, 3)), x.is_set_to(x.clone()), torch.empty(0).is_set_to(torch.empty(0)))
x = torch.arange(6.); y = torch.ones(2); r = x.set_(y); (x, r is x, x._version, y._version, x.is_set_to(y), x._is_view())
x = torch.arange(6.); y = torch.ones(2); x.set_(y); y.mul_(3); (x, x._version, y._version)
x = torch.arange(6.); x.set_(); (x, x.shape, x._version, x.untyped_storage().nbytes())
x = torch.arange(6., requires_grad=True); x.set_(torch.ones(2))
x = torch.arange(6., requires_grad=True) * 1; x.set_(torch.ones(2)); (x, x._version)
x = torch.arange(6., requires_grad=True) * 1; x.set_(torch.ones(2)); x.sum().backward()
x = torch.arange(6., requires_grad=True); torch.set_grad_enabled(False); x.set_(torch.ones(2)); (x, x._version)
x = torch.arange(6.); y = torch.ones(2, requires_grad=True); x.set_(y); (x, x.requires_grad, x.grad_fn)
x = torch.arange(6.); y = torch.ones(2, requires_grad=True) * 1; x.set_(y); x
x = torch.arange(6.); x.set_(torch.ones(2).double())
x = torch.arange(6.); x.set_(torch.ones(2).double().untyped_storage())
x = torch.arange(6.); x.set_(x.untyped_storage(), 2, (2, 2), (1, 2)); (x, x.storage_offset(), x._version)
x = torch.arange(6.); x.set_(x.untyped_storage(), 2, (2, 2))
x = torch.arange(6.); x.set_(source=x, storage_offset=2, size=(2, 2), stride=(1, 1))
x = torch.arange(6.); x.set_(x.untyped_storage(), 4, (4,)); (x.shape, x.untyped_storage().nbytes())
x = torch.arange(6.); x.set_(x.untyped_storage(), -1, (2,))
x = torch.arange(6.); x.set_(x.untyped_storage(), 0, (2,), (-1,))
x = torch.arange(6.); x.set_(x.untyped_storage(), 0, (2,), (1, 1))
x = torch.arange(6.); v = x[1:]; v.set_(torch.ones(2)); (v, v._is_view(), v._version, x._version)
x = torch.ones(3, requires_grad=True); x.data.set_(torch.zeros(2)); x
x = torch.ones(3); x.detach().set_(torch.ones(2)); (x, x._version)
x = torch.arange(6.); x.as_strided_((2,), (2,)); (x, x._version, x.stride())
x = torch.arange(6.); torch.as_strided_(x, (2, 2), (1, 2), 1)
x = torch.arange(6., requires_grad=True); x.as_strided_((2,), (2,))
a = torch.arange(6., requires_grad=True); x = a * 1; x.as_strided_((2,), (2,), 1); (x, x._version, x.sum().backward(), a.grad)
a = torch.arange(6., requires_grad=True); x = a * 1; v = x[1:]; v.as_strided_((2,), (2,)); (v, v._version, x)
a = torch.arange(6., requires_grad=True); x = a * 1; x.as_strided_((9,), (2,), 1)
""".strip().splitlines()  # noqa: E501


@pytest.mark.parametrize("line", LINES)
def test_storage_behaves_as_torchs(line):
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    assert lines.outcome(line, autograd_nb) == lines.outcome(line, torch)


def test_the_typed_storage_and_what_it_says_once():
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    torch.storage._warn_typed_storage_removal.__dict__.pop("has_warned", None)
    autograd_nb.engine.warning.reset()
    shown = "s.size(), len(s), s.nbytes(), s[2], x[2:].storage().tolist(), s.dtype, s.data_ptr() == x.data_ptr()"
    for line in (f"x = torch.arange(6.); s = x.storage(); (s, {shown})", "x = torch.arange(6.); x.storage()[0] = 5; x",
                 "x = torch.arange(6.); x.set_(x.storage(), 1, (2,))"):  # fmt: skip
        assert lines.outcome(line, autograd_nb) == lines.outcome(line, torch)


def test_memory_that_grows_is_not_shared_any_longer_with_the_views_before():
    x = autograd_nb.arange(6.0)
    view = x[2:]
    x.resize_(8)[3] = 100
    assert view.tolist() == [2, 3, 4, 5] and x[:4].tolist() == [0, 1, 2, 100]
