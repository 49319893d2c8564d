"""What a module's state is, and how one is put back: the part of Module that saving and loading need."""

import itertools
from collections import OrderedDict, namedtuple

from ...grad_mode import no_grad
from ...graph import add_hook
from ...tensors import Tensor
from ..parameter import Parameter


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict found too few or too many of."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


IncompatibleKeys.__name__ = "_IncompatibleKeys"


class States:
    """The state dict of a module: its parameters and buffers by dotted name."""

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """An ordered dict of all parameters and persistent buffers by dotted name; they share the module's storage."""
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = {"version": self._version}
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return destination

    def _own_state(self):
        kept = ((name, value) for name, value in self._buffers.items() if name not in self._non_persistent_buffers_set)
        return {name: value for name, value in itertools.chain(self._parameters.items(), kept) if value is not None}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the tensors of *state_dict* into this module's (or with *assign*, put them in their place).

        Returns the keys that are missing or not expected; unless *strict* is False, RuntimeError when there are any.
        """
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        self._load(OrderedDict(state_dict), "", missing, unexpected, errors, assign)
        if strict:
            for keys, text in ((unexpected, "Unexpected"), (missing, "Missing")):
                if keys:
                    names = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{text} key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(
                type(self).__name__, "\n\t".join(errors)))  # fmt: skip
        return IncompatibleKeys(missing, unexpected)

    def _load(self, state_dict, prefix, missing, unexpected, errors, assign):
        own = self._own_state()
        for name, held in own.items():
            key = prefix + name
            if key not in state_dict:
                missing.append(key)
                continue
            given = state_dict[key]
            if not isinstance(given, Tensor):
                errors.append(
                    f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(given)}"
                )
            elif given.shape != held.shape:
                errors.append(
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape "
                    f"in current model is {held.shape}."
                )
            elif assign:
                if isinstance(held, Parameter) and not isinstance(given, Parameter):
                    given = Parameter(given, held.requires_grad)
                setattr(self, name, given)
            else:
                with no_grad():
                    held.copy_(given)
        for key in state_dict:
            if key.startswith(prefix):
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected.append(key)
        for name, module in self._modules.items():
            if module is not None:
                part = f"{prefix}{name}."
                inside = {key: value for key, value in state_dict.items() if key.startswith(part)}
                module._load(inside, part, missing, unexpected, errors, assign)
        incompatible = IncompatibleKeys(missing, unexpected)
        for hook in self._load_state_dict_post_hooks.values():
            hook(self, incompatible)

    def register_load_state_dict_post_hook(self, hook):
        """Call ``hook(module, incompatible_keys)`` after a state dict was loaded."""
        return add_hook(self._load_state_dict_post_hooks, hook)
