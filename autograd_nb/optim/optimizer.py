"""The base of all optimizers: groups of parameters with their settings, a state for each parameter, and the step.

A step is arithmetic on arrays, outside the graph: a subclass defines in ``update`` how one parameter's elements change
by its gradient, and ``step`` raises the version of the tensor.
"""

from collections import defaultdict
from copy import deepcopy

import numpy as np

from ..engine import dtypes, events
from ..engine.modes import enable_grad, notify, state, warn
from ..engine.tensor import Tensor, kind_of, refuse_foreign, wrap
from ..nn.parameter import clear_gradients
from ..torch_api.absent import absent_from, sentence

__getattr__ = absent_from("torch.optim.optimizer")


class Optimizer:
    """Base class: takes the parameters, or dicts of them with their own settings, and the default settings."""

    _opt_called = False  # whether step() has run; learning-rate schedules check it

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + params.type())  # fmt: skip
        for name in ("differentiable", "line_search_fn"):
            if defaults.get(name):
                raise NotImplementedError(sentence(f"torch.optim.{type(self).__name__}({name})"))
        refuse_foreign(*defaults.values())
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Add a dict with "params" and settings that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [each[0] for each in params if isinstance(each, tuple)]
        params = param_group["params"] = [each[1] if isinstance(each, tuple) else each for each in params]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for parameter in params:
            if not isinstance(parameter, Tensor):
                kind = kind_of(parameter)
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(set(params)) != len(params):
            warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                 "see github.com/pytorch/pytorch/issues/40967 for more information")  # fmt: skip
        if not {parameter for group in self.param_groups for parameter in group["params"]}.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        if any(("param_names" in group) != bool(names) for group in self.param_groups):
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                             f"with{'' if names else 'out'} names to the optimizer")
        self.param_groups.append(param_group)

    def state_dict(self):
        """The states and the settings, with a number in place of each parameter."""
        numbers, groups = {}, []
        for group in self.param_groups:
            group = dict(group)
            group["params"] = [numbers.setdefault(each, len(numbers)) for each in group.pop("params")]
            groups.append(group)
        return {"state": {numbers[each]: memory for each, memory in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Take over the result of :meth:`state_dict`; ValueError unless its groups are as large as this optimizer's."""
        groups, states, state = deepcopy(state_dict["param_groups"]), state_dict["state"], defaultdict(dict)
        sizes, own_sizes = ([len(group["params"]) for group in each] for each in (groups, self.param_groups))
        if len(sizes) != len(own_sizes):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if sizes != own_sizes:
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        for group, own in zip(groups, self.param_groups, strict=True):
            for number, parameter in zip(group["params"], own["params"], strict=True):
                if number in states:
                    refuse_foreign(*states[number].values())
                    state[parameter] = dict(states[number])
            group["params"] = own["params"]
        self.state, self.param_groups = state, groups

    def zero_grad(self, set_to_none=True):
        """Set the parameters' gradients to None, or else to zero."""
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    def step(self, closure=None):
        """Update every parameter that has a gradient; calls *closure* first, if given, and returns its result."""
        self._opt_called = True
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
                refuse_foreign(loss)
        for group in self.param_groups:
            for parameter, grad in state.run(self._step_group, group):
                notify(events.Operation, type(self), None, [parameter, grad], [parameter], True)
        return loss

    def _step_group(self, group):
        """Update the parameters of a group; if somebody listens, return them with their gradients."""
        changed = []
        update, memory, ascending = self.update, self.state, group.get("maximize")
        remembers = self.remembers(group)
        if type(group.get("lr")) is Tensor:
            group = {**group, "lr": group["lr"].item()}
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is not None:
                counter = parameter._share()
                downhill = -grad._array if ascending else grad._array
                counter.version += update(group, parameter._array, downhill, memory[parameter] if remembers else None)
                if state.listeners:
                    changed.append((parameter, grad))
        return changed

    def update(self, group, elements, grad, memory):
        """Change a parameter's *elements*, an array, in place by its gradient; *memory* is the parameter's state.

        Returns how many in-place changes this counts as.
        """
        raise NotImplementedError

    def remembers(self, group):
        """Whether the group's parameters have a state."""
        return True

    def __repr__(self):
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return text + ")"


NOT_NEGATIVE = "lr", "eps", "alpha", "initial_accumulator_value", "lr_decay", "momentum", "weight_decay"
NAMED = {"lr": "learning rate", "eps": "epsilon value"}  # as messages call them


def settings(values, names):
    """The settings *names*, from the arguments *values* of a constructor, as an optimizer's defaults.

    ValueError for one that must not be negative and is, and for a beta that is not below 1.
    """
    found = {name: values[name] for name in names.split()}
    bounds = [(NAMED.get(name, f"{name} value"), found[name], found[name] >= 0)
              for name in NOT_NEGATIVE if name in found]  # fmt: skip
    bounds += [(f"beta parameter at index {place}", beta, 0 <= beta < 1)
               for place, beta in enumerate(found.get("betas", ()))]  # fmt: skip
    for what, value, holds in bounds:
        if not holds:
            raise ValueError(f"Invalid {what}: {value}")
    return found


# -- parts of updates that several optimizers share ------------------------------------------------------------------


def count_step(memory, elements, *names):
    """Add one to the number of steps, which PyTorch keeps as a tensor; returns it.  The first step starts the state."""
    if not memory:
        started(memory, elements, *filter(None, names))
    count = memory["step"]
    count._array = count._array + np.float32(1)
    return float(count._array)


def started(memory, elements, *names):
    """Initialise a parameter's state: a step count of 0, and zeros like its elements under *names*."""
    memory.update(step=wrap(np.float32(0), dtypes.float32), **{name: like(elements) for name in names})


def like(elements):
    """A tensor of zeros of the shape of *elements*."""
    return wrap(np.zeros(elements.shape, elements.dtype), dtypes.BY_NUMPY[elements.dtype])


def decayed(group, elements, grad):
    """The gradient plus the weight decay; a decoupled one shrinks the elements and leaves the gradient as it is."""
    decay = group["weight_decay"]
    if decay and group.get("decoupled_weight_decay"):
        elements *= 1 - group["lr"] * decay
        return grad
    return grad + elements * decay if decay else grad
