"""Module: a part of a network, with its parameters, its buffers and the modules it is made of.

These are kept in three dicts, which assignment to attributes fills; everything else here walks over them.
"""

from collections import OrderedDict, namedtuple
from types import FunctionType

from ..engine import dtypes, events
from ..engine.graph import RemovableHandle
from ..engine.modes import no_grad, notify, state
from ..engine.table import ops
from ..engine.tensor import Tensor, is_foreign, kind_of, refuse_foreign
from ..torch_api.absent import missing
from .backward_hooks import call_hooked, hook_last_node
from .parameter import Parameter, clear_gradients


def indented(text):
    """The text with every line but the first indented by two spaces."""
    return text.replace("\n", "\n  ")


def typename(value):
    """The type of something, in full; of a class or a function its own name."""
    if isinstance(value, Tensor):
        return value.type()
    if any(each.__module__ == "torch.nn.modules.module" for each in type(value).__mro__):
        return "a module of PyTorch; change its import too"
    if is_foreign(value):
        return kind_of(value)
    named = value if hasattr(value, "__qualname__") else type(value)
    if isinstance(value, FunctionType) and (named.__module__ or "").startswith("autograd_nb."):
        home = "nn.functional" if named.__module__.endswith(".functional") else "_VariableFunctionsClass"
        return f"torch.{home}.{named.__qualname__}"
    return named.__qualname__ if named.__module__ in (None, "builtins") else f"{named.__module__}.{named.__qualname__}"


def join(path, name):
    return f"{path}.{name}" if path else name


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The keys that load_state_dict missed and those it did not expect."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"


class Module:
    """Base class of parts of networks: assign parameters in ``__init__``, compute in ``forward``, call the module.

    >>> import autograd_nb as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> [name for name, _ in scale.named_parameters()], scale(torch.tensor(3.))
    (['factor'], tensor(6., grad_fn=<MulBackward0>))
    """

    def __init__(self):
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _modules={},
            _forward_pre_hooks=OrderedDict(), _forward_hooks=OrderedDict(), _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(), _is_full_backward_hook=None,
        )  # fmt: skip

    def forward(self, *input):
        """Compute the module's output; a subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if not state.listeners:
            return self._call(args, kwargs)
        notify(events.Entered, self)
        try:
            return self._call(args, kwargs)
        finally:
            notify(events.Left, self)

    def _call(self, args, kwargs):
        if self._backward_hooks or self._forward_pre_hooks or self._forward_hooks or self._backward_pre_hooks:
            result = self._call_with_hooks(args, kwargs)
        else:
            result = self.forward(*args, **kwargs)
        if result.__class__ is not Tensor:
            refuse_foreign(result)
        return result

    def _call_with_hooks(self, args, kwargs):
        hooks, full = self._backward_hooks, self._is_full_backward_hook
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)

        def call(args):
            result = self.forward(*args, **kwargs)
            for hook in list(self._forward_hooks.values()):
                changed = hook(self, args, result)
                result = result if changed is None else changed
            return result

        if full and hooks or self._backward_pre_hooks:
            full_hooks = [*hooks.values()] if full else ()
            result = call_hooked(self, full_hooks, [*self._backward_pre_hooks.values()], args, call)
        else:
            result = call(args)
        if hooks and not full:
            hook_last_node(self, hooks.values(), args, result)
        return result

    def register_forward_pre_hook(self, hook):
        """Call ``hook(module, args)`` before forward; its result, if any, replaces the arguments."""
        return RemovableHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook):
        """Call ``hook(module, args, output)`` after forward; its result, if any, replaces the output."""
        return RemovableHandle(self._forward_hooks, hook)

    def register_full_backward_pre_hook(self, hook):
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are there; it may return others."""
        return RemovableHandle(self._backward_pre_hooks, hook)

    def register_full_backward_hook(self, hook):
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are there.

        Its result, if any, replaces *grad_input*.

        >>> import autograd_nb as torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> handle = layer.register_full_backward_hook(lambda layer, grad_input, grad_output: print(grad_output))
        >>> layer(torch.ones(1, 2, requires_grad=True)).backward()
        (tensor([[1.]]),)
        """
        return self._add_backward_hook(hook, True)

    def register_backward_hook(self, hook):
        """Call ``hook(module, grad_input, grad_output)`` with the gradients of the last node, as in old programs."""
        return self._add_backward_hook(hook, False)

    def _add_backward_hook(self, hook, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. "
                               "Please use only one of them.")  # fmt: skip
        self._is_full_backward_hook = full
        return RemovableHandle(self._backward_hooks, hook)

    # -- attributes ------------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        for kind in KINDS:
            members = self.__dict__.get(kind)
            if members is not None and name in members:
                return members[name]
        raise missing(self, name)

    def __setattr__(self, name, value):
        attributes = self.__dict__
        kind = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if kind and kind not in attributes:
            raise AttributeError(f"cannot assign {'parameters' if kind == '_parameters' else 'module'} before "
                                 "Module.__init__() call")  # fmt: skip
        if kind:
            for place in (attributes, *(attributes[other] for other in KINDS if other != kind)):
                place.pop(name, None)
        else:
            kind = next((kind for kind in KINDS if name in attributes.get(kind, ())), None)
        if kind:
            self._put(kind, name, value, KINDS[kind].assigned)
        else:
            refuse_foreign(value)
            object.__setattr__(self, name, value)

    def _put(self, kind, name, value, refusal):
        if value is not None and not isinstance(value, KINDS[kind].accepted):
            raise TypeError(refusal.format(typename(value), name))
        self.__dict__[kind][name] = value

    def __delattr__(self, name):
        held = next((kind for kind in KINDS if name in self.__dict__[kind]), None)
        if held:
            del self.__dict__[held][name]
        else:
            object.__delattr__(self, name)

    def __dir__(self):
        names = {*object.__dir__(self), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[0].isdigit())

    def _register(self, kind, name, value):
        what = KINDS[kind].what
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if kind == "_modules" else ""))
        if hasattr(self, name) and name not in getattr(self, kind):
            raise KeyError(f"attribute '{name}' already exists")
        self._put(kind, name, value, KINDS[kind].registered)

    def register_parameter(self, name, param):
        """Add a parameter, or None, under *name*."""
        self._register("_parameters", name, param)

    def register_buffer(self, name, tensor):
        """Add a tensor that is not trained under *name*; it becomes part of the state dict."""
        self._register("_buffers", name, tensor)

    def add_module(self, name, module):
        """Add a module, or None, under *name*."""
        self._register("_modules", name, module)

    # -- walking over the parts ------------------------------------------------------------------------------------

    def named_children(self):
        """The modules directly inside this one, each with its name."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """The modules directly inside this one."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all inside it, each once with its dotted name."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, join(prefix, name), remove_duplicate)

    def modules(self):
        """This module and all inside it."""
        for _, module in self.named_modules():
            yield module

    def _named_members(self, kind, recurse, prefix):
        seen = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, member in getattr(module, kind).items():
                if member is not None and id(member) not in seen:
                    seen.add(id(member))
                    yield join(path, name), member

    def named_parameters(self, prefix="", recurse=True):
        """All parameters, each once with its dotted name."""
        yield from self._named_members("_parameters", recurse, prefix)

    def parameters(self, recurse=True):
        """All parameters, each once, as an optimizer takes them."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True):
        """All buffers, each once with its dotted name."""
        yield from self._named_members("_buffers", recurse, prefix)

    def buffers(self, recurse=True):
        """All buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # -- changing all of it ----------------------------------------------------------------------------------------

    def apply(self, fn):
        """Call ``fn(module)`` for every module inside, then for this one, which is returned."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Switch training mode on or, with False, off; dropout depends on it."""
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Switch to evaluation mode: the same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set whether all parameters require grad; False freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Set the gradients of all parameters to None, or else to zero."""
        clear_gradients(self.parameters(), set_to_none)

    def to(self, *args, **kwargs):
        """Convert floating-point parameters and buffers: ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``."""
        dtype = ops.empty(0, dtype=dtypes.int8).to(*args, **kwargs)._dtype  # raises for wrong arguments
        if dtype is dtypes.int8:  # as before: only a device was given
            return self
        if not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")  # fmt: skip
        with no_grad():
            for tensor in filter(Tensor.is_floating_point, [*self.parameters(), *self.buffers()]):
                grad, tensor.grad = tensor.grad, None  # a gradient of another dtype would be refused
                tensor.data = tensor.to(dtype)
                tensor.grad = None if grad is None else grad.to(dtype)
        return self

    def float(self):
        """Convert all floating-point parameters and buffers to float32."""
        return self.to(dtypes.float32)

    def double(self):
        """Convert all floating-point parameters and buffers to float64."""
        return self.to(dtypes.float64)

    def cpu(self):
        """The module itself, which is on the CPU anyway."""
        return self

    # -- saving and loading ----------------------------------------------------------------------------------------

    def state_dict(self, *, keep_vars=False):
        """An ordered dict of all parameters and buffers by dotted name; they share the module's storage."""
        return OrderedDict(
            (join(path, name), tensor if keep_vars else tensor.detach())
            for path, module in self.named_modules(remove_duplicate=False)
            for name, tensor in {**module._parameters, **module._buffers}.items() if tensor is not None
        )  # fmt: skip

    def load_state_dict(self, state_dict, strict=True):
        """Copy the tensors of *state_dict* into this module's.

        Returns the missing and the unexpected keys; RuntimeError if there are any, unless *strict* is False.
        """
        current, errors = self.state_dict(keep_vars=True), []
        missing = [key for key in current if key not in state_dict]
        unexpected = [key for key in state_dict if key not in current]
        for keys, text in ((missing, "Missing"), (unexpected, "Unexpected")):
            if strict and keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.append(f"{text} key(s) in state_dict: {names}. ")
        for key, held, given in [(key, current[key], state_dict[key]) for key in current if key in state_dict]:
            if given.shape == held.shape:
                with no_grad():
                    held.copy_(given)
            else:
                errors.append(f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                              f"the shape in current model is {held.shape}.")  # fmt: skip
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(
                type(self).__name__, "\n\t".join(errors)))  # fmt: skip
        return _IncompatibleKeys(missing, unexpected)

    # -- text ------------------------------------------------------------------------------------------------------

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """The text between the parentheses when the module is printed."""
        return ""

    def __repr__(self):
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        inside = "\n  " + "\n  ".join(extra + children) + "\n" if extra or children else ""
        return f"{self._get_name()}({inside})"


Kind = namedtuple("Kind", "what accepted assigned registered")
KINDS = {  # the three dicts: the type of their values, and the errors for other values
    "_parameters": Kind(
        "parameter", Parameter, "cannot assign '{}' as parameter '{}' (torch.nn.Parameter or None expected)",
        "cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)"),
    "_modules": Kind(
        "module", Module, "cannot assign '{}' as child module '{}' (torch.nn.Module or None expected)",
        "{} is not a Module subclass"),
    "_buffers": Kind(
        "buffer", Tensor, "cannot assign '{}' as buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
        "cannot assign '{}' object to buffer '{}' (torch Tensor or None required)"),
}  # fmt: skip
