"""What a module's state is, and how one is put back: the part of Module that saving and loading need."""

import itertools
from collections import OrderedDict, namedtuple

from ...engine.graph import add_hook
from ...engine.modes import no_grad
from ...engine.tensor import Tensor
from ...engine.warning import warn
from ..parameter import Parameter


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict found too few or too many of."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


IncompatibleKeys.__name__ = "_IncompatibleKeys"
NEVER_CALLED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


EXTRA = "_extra_state"  # the name of what get_extra_state gives


class States:
    """The state dict of a module: its parameters and buffers by dotted name."""

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """An ordered dict of all parameters and persistent buffers by dotted name; they share the module's storage."""
        if args:
            warn("Positional args are being deprecated, use kwargs instead. Refer to "
                 "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                 FutureWarning)  # fmt: skip
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_hooks("_state_dict_pre_hooks"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_hooks("_state_dict_hooks"):
            if hook(self, destination, prefix, metadata) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not States.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def _own_state(self):
        kept = ((name, value) for name, value in self._buffers.items() if name not in self._non_persistent_buffers_set)
        return {name: value for name, value in itertools.chain(self._parameters.items(), kept) if value is not None}

    def get_extra_state(self):
        """What else belongs into the state; a subclass that has such says it here and takes it in set_extra_state."""
        raise RuntimeError(NEVER_CALLED.format("get"))

    def set_extra_state(self, state):
        """Take over what :meth:`get_extra_state` gave."""
        raise RuntimeError(NEVER_CALLED.format("set"))

    # -- the way back ----------------------------------------------------------------------------------------------

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the tensors of *state_dict* into this module's (or with *assign*, put them in their place).

        Returns the keys that are missing or not expected; unless *strict* is False, RuntimeError when there are any.
        """
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None) or {}
        missing, unexpected, errors = [], [], []
        self._load(OrderedDict(state_dict), "", metadata, missing, unexpected, errors, assign)
        if strict:
            for keys, text in ((unexpected, "Unexpected"), (missing, "Missing")):
                if keys:
                    names = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{text} key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(
                type(self).__name__, "\n\t".join(errors)))  # fmt: skip
        return IncompatibleKeys(missing, unexpected)

    def _load(self, state_dict, prefix, metadata, missing, unexpected, errors, assign):
        own = {**metadata.get(prefix[:-1], {}), **({"assign_to_params_buffers": True} if assign else {})}
        self._load_from_state_dict(state_dict, prefix, own, True, missing, unexpected, errors)
        for name, module in self._modules.items():
            if module is not None:
                part = f"{prefix}{name}."
                inside = {key: value for key, value in state_dict.items() if key.startswith(part)}
                module._load(inside, part, metadata, missing, unexpected, errors, assign)
        incompatible = IncompatibleKeys(missing, unexpected)
        for hook in self._state_hooks("_load_state_dict_post_hooks"):
            if hook(self, incompatible) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                                     "return new values, if incompatible_keys need to be modified, it should be done "
                                     "inplace.")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):  # fmt: skip
        """Take over what this module itself has; a subclass may put into *state_dict* what older ones lack."""
        for hook in self._state_hooks("_load_state_dict_pre_hooks"):
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        for name, held in own.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.append(key)
                continue
            given = state_dict[key]
            if not isinstance(given, Tensor):
                error_msgs.append(
                    f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(given)}"
                )
                continue
            if not held.dim() and given.dim() == 1:  # as very old files have it
                given = given[0]
            if given.shape != held.shape:
                error_msgs.append(
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape "
                    f"in current model is {held.shape}."
                )
            elif local_metadata.get("assign_to_params_buffers"):
                if isinstance(held, Parameter):
                    given = given if isinstance(given, Parameter) else Parameter(given, held.requires_grad)
                    given.requires_grad_(held.requires_grad)
                setattr(self, name, given)
            else:
                with no_grad():
                    held.copy_(given)
        extra = prefix + EXTRA
        if type(self).set_extra_state is not States.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            else:
                missing_keys.append(extra)
        elif extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    # -- hooks -----------------------------------------------------------------------------------------------------

    def _state_hooks(self, kind):
        return list(self.__dict__.get(kind, {}).values())

    def _add_state_hook(self, kind, hook):
        return add_hook(self.__dict__.setdefault(kind, OrderedDict()), hook)

    def register_state_dict_pre_hook(self, hook):
        """Call ``hook(module, prefix, keep_vars)`` before the module's state is asked for."""
        return self._add_state_hook("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, metadata)`` when the module's state is in the dict."""
        return self._add_state_hook("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, metadata, strict, missing, unexpected, errors)`` before a load."""
        return self._add_state_hook("_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call ``hook(module, incompatible_keys)`` after a state dict was loaded."""
        return self._add_state_hook("_load_state_dict_post_hooks", hook)
