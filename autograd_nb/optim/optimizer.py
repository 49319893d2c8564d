"""What all optimizers share: groups of parameters with their settings, a state for each parameter, and the step.

A step is arithmetic on arrays, outside of the graph: a subclass says in ``update`` how one parameter's elements change
by its gradient, and the step here counts one change of the tensor.
"""

import copy
from collections import OrderedDict, defaultdict

import numpy as np

from .. import dispatch, dtypes
from ..grad_mode import enable_grad, state
from ..graph import add_hook
from ..nn.modules.module import typename
from ..tensors import Tensor, wrap
from ..warning import warn


class Optimizer:
    """Base class of optimizers: made with the parameters (or dicts of them with settings of their own) and the
    defaults."""

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{typename(params)}"
            )
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._step_pre_hooks, self._step_post_hooks = OrderedDict(), OrderedDict()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

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
        param_group["params"] = params
        if params and isinstance(params[0], tuple):  # as named_parameters() gives them
            param_group["param_names"] = [name for name, _ in params]
            param_group["params"] = params = [parameter for _, parameter in params]
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
                )
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(set(params)) != len(params):
            warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                 "error; see "
                 "github.com/pytorch/pytorch/issues/40967 for more information")  # fmt: skip
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
                    parameter.grad.detach_().zero_()

    def step(self, closure=None):
        """Change every parameter that has a gradient; returns what *closure*, called first, returned."""
        for hook in list(self._step_pre_hooks.values()):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            state.run(self._step_group, group)
        for hook in list(self._step_post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    def _step_group(self, group):
        update, memory, ascending = self.update, self.state, group.get("maximize")
        remembers = self.remembers(group)
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

    def register_step_pre_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return add_hook(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._step_post_hooks, hook)

    # -- saving and loading ----------------------------------------------------------------------------------------

    def state_dict(self):
        """The groups' settings and the parameters' states, with numbers in place of the parameters."""
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
        return {"state": {numbers.get(key, key): value for key, value in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Take over settings and states from :meth:`state_dict`; ValueError when the groups' sizes differ."""
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
            owner = parameters.get(key, key)
            self.state[owner] = {name: self._loaded(name, value, owner) for name, value in values.items()}
        self.param_groups = [
            {**copy.deepcopy({name: value for name, value in new.items() if name != "params"}), "params": own["params"]}
            for new, own in zip(saved, self.param_groups, strict=True)
        ]

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


def check(**bounds):
    """ValueError for the first setting that is out of bounds: ``check(**{"learning rate": lr >= 0 or lr})``."""
    for name, value in bounds.items():
        if value is not True:
            raise ValueError(f"Invalid {name}: {value}")


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
