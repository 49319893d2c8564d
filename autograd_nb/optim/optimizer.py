"""What all optimizers share: groups of parameters with their settings, a state for each parameter, and the step.

A step is arithmetic on arrays, outside of the graph: a subclass says in ``update`` how one parameter's elements change
by its gradient, and the step here counts one change of the tensor.
"""

import copy
from collections import OrderedDict, defaultdict
from functools import wraps

import numpy as np

from ..engine import dispatch, dtypes
from ..engine.graph import add_hook
from ..engine.modes import enable_grad, state
from ..engine.tensor import Tensor, wrap
from ..engine.warning import warn
from ..nn.parameter import without_history

HOOKS = ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post")


def hooked(step):
    """The method *step* with the optimizer's step hooks called before and after it."""

    @wraps(step)
    def call(self, *args, **kwargs):
        before, after = self._hooks["step_pre"], self._hooks["step_post"]
        if not (before or after):
            return step(self, *args, **kwargs)
        args = (self, *args)
        for hook in list(before.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                                       f"{changed}.")
                args, kwargs = changed
        result = step(*args, **kwargs)
        for hook in list(after.values()):
            hook(self, args, kwargs)
        return result

    return call


class Optimizer:
    """Base class of optimizers: made with the parameters (or dicts of them with settings of their own) and the
    defaults."""

    _opt_called = False  # whether it has stepped since a schedule looks

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = hooked(cls.step)

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}"
            )
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._hooks = {name: OrderedDict() for name in HOOKS}
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        if defaults.get("fused"):
            if defaults.get("differentiable"):
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults.get("foreach"):
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def add_param_group(self, param_group):
        """Add a dict with "params" and settings that differ from the defaults; TypeError or ValueError for bad ones."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [each[0] for each in params if isinstance(each, tuple)]  # as named_parameters() gives them
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"], params = names, [parameter for _, parameter in params]
        param_group["params"] = params
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
                )
            if not (parameter.is_leaf or parameter.retains_grad or self.defaults.get("differentiable")):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(set(params)) != len(params):
            warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                 "error; see "
                 "github.com/pytorch/pytorch/issues/40967 for more information")  # fmt: skip
        if any(("param_names" in group) != bool(names) for group in self.param_groups):
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                             f"with{'' if names else 'out'} names to the optimizer")
        if not {parameter for group in self.param_groups for parameter in group["params"]}.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # -- the step --------------------------------------------------------------------------------------------------

    def zero_grad(self, set_to_none=True):
        """Forget the parameters' gradients, or set them to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    without_history(parameter.grad).zero_()

    @hooked
    def step(self, closure=None):
        """Change every parameter that has a gradient; returns what *closure*, called first, returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            state.run(self._step_group, group)
        return loss

    def _step_group(self, group):
        update, memory, ascending = self.update, self.state, group.get("maximize")
        remembers = self.remembers(group)
        if type(group.get("lr")) is Tensor:
            group = {**group, "lr": group["lr"].item()}
        if group.get("differentiable"):
            refuse_history(group["params"])
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is not None:
                counter = parameter._share()
                counter.version += update(
                    group, parameter._array, -grad._array if ascending else grad._array,
                    memory[parameter] if remembers else None,
                )  # fmt: skip
                if dispatch.tell is not None:
                    dispatch.tell(type(self), None, [parameter, grad], [parameter], True)

    def update(self, group, elements, grad, memory):
        """Change a parameter's *elements*, an array, in place by its gradient; *memory* is the parameter's state.

        Returns how many changes of the tensor that counts as.
        """
        raise NotImplementedError

    def remembers(self, group):
        """Whether the group's parameters have a state."""
        return True

    def _add_hook(self, name, hook, prepend=False):
        handle = add_hook(self._hooks[name], hook)
        if prepend:
            self._hooks[name].move_to_end(handle.id, last=False)
        return handle

    def register_step_pre_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` before each step; a pair that it returns replaces the arguments."""
        return self._add_hook("step_pre", hook)

    def register_step_post_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return self._add_hook("step_post", hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` before the state is asked for."""
        return self._add_hook("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` with each state; what it returns replaces that."""
        return self._add_hook("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` before a state is taken over; what it returns replaces that."""
        return self._add_hook("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` when a state was taken over."""
        return self._add_hook("load_state_dict_post", hook, prepend)

    def _told(self, name, state):
        """The state, or what the hooks *name* make of it."""
        for hook in self._hooks[name].values():
            changed = hook(self, state)
            state = state if changed is None else changed
        return state

    # -- saving and loading ----------------------------------------------------------------------------------------

    def state_dict(self):
        """The groups' settings and the parameters' states, with numbers in place of the parameters."""
        for hook in self._hooks["state_dict_pre"].values():
            hook(self)
        numbers, count = {}, 0
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers[parameter] = count
                count += 1
        groups = [
            {**{name: value for name, value in group.items() if name != "params"},
             "params": [numbers[parameter] for parameter in group["params"]]}
            for group in self.param_groups
        ]  # fmt: skip
        states = {numbers.get(key, key): value for key, value in self.state.items()}
        return self._told("state_dict_post", {"state": states, "param_groups": groups})

    def load_state_dict(self, state_dict):
        """Take over settings and states from :meth:`state_dict`; ValueError when the groups' sizes differ."""
        state_dict = self._told("load_state_dict_pre", state_dict.copy())
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(own["params"]) for new, own in zip(saved, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters = {}
        for new, own in zip(saved, self.param_groups, strict=True):
            parameters.update(zip(new["params"], own["params"], strict=True))
        self.state = defaultdict(dict)
        for key, values in state_dict["state"].items():
            owner = parameters.get(key)
            self.state[key if owner is None else owner] = values if owner is None else {
                name: self._loaded(name, value, owner) for name, value in values.items()}  # fmt: skip
        self.param_groups = [
            {**{name: own[name] for name in ("param_names",) if name in own}, **copy.deepcopy(new),
             "params": own["params"]}
            for new, own in zip(saved, self.param_groups, strict=True)
        ]  # fmt: skip
        for hook in self._hooks["load_state_dict_post"].values():
            hook(self)

    def __getstate__(self):
        return {name: getattr(self, name) for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state):
        self.__dict__.update({"_hooks": {name: OrderedDict() for name in HOOKS}, **state})

    @staticmethod
    def _loaded(name, value, parameter):
        """A copy of a saved value; what is of the parameter's kind gets its dtype."""
        if not isinstance(value, Tensor):
            return copy.deepcopy(value)
        dtype = value._dtype if name == "step" or not parameter._dtype.is_floating_point else parameter._dtype
        return wrap(np.array(value._array, dtype.numpy), dtype)

    def __repr__(self):
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return text + ")"


def settings(values, names):
    """The settings *names*, among the values that a function has been given, as an optimizer's defaults."""
    return {name: values[name] for name in names.split()}


def check(lr, betas=(), **settings):
    """ValueError for a setting that is negative, and for a beta that is not below 1; the names are the messages'."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    bound("learning rate", lr, lr >= 0)
    bound("epsilon value", settings.get("eps"), settings.pop("eps", 0) >= 0)
    for place, beta in enumerate(betas):
        bound(f"beta parameter at index {place}", beta, 0 <= beta < 1)
    for name, value in settings.items():
        bound(f"{name} value", value, value >= 0)


def bound(what, value, holds):
    """ValueError for a setting whose bound does not hold."""
    if not holds:
        raise ValueError(f"Invalid {what}: {value}")


def refuse_history(params):
    """RuntimeError or NotImplementedError for parameters through whose steps gradients would flow."""
    for parameter in params:
        if parameter.grad is not None and parameter.requires_grad:
            if parameter.is_leaf:
                raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
            raise NotImplementedError("differentiable steps are not part of autograd_nb; change the tensors by "
                                      "operations of your own")


def count_step(memory):
    """Add one to the number of steps, which PyTorch keeps as a tensor; returns it."""
    count = memory["step"]
    count._array = count._array + np.float32(1)
    return float(count._array)


def started(memory, elements, *names, fill=0.0):
    """Give a parameter its first state: no steps so far, and tensors like its elements under *names*."""
    memory["step"] = wrap(np.float32(0), dtypes.float32)
    for name in names:
        memory[name] = like(elements, fill)


def like(elements, fill=0.0):
    """A tensor of the shape of *elements* with one number everywhere."""
    return wrap(np.full(elements.shape, fill, elements.dtype), dtypes.BY_NUMPY[elements.dtype])


def decayed(group, elements, grad):
    """The gradient with the weight decay in it, or as it is when the decay shrinks the elements themselves."""
    decay = group["weight_decay"]
    if decay and group.get("decoupled_weight_decay"):
        elements *= 1 - group["lr"] * decay
        return grad
    return grad + elements * decay if decay else grad


def averages(memory, grad, beta1, beta2):
    """The running means of the gradient and of its square, moved on by this one."""
    mean, square = memory["exp_avg"]._array, memory["exp_avg_sq"]._array
    mean += (grad - mean) * (1 - beta1)
    square *= beta2
    square += grad * (1 - beta2) * grad
    return mean, square
