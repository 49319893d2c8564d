"""Recurrent layers: a step that turns an input and a state into the next state, taken along a sequence.

A cell is one step.  RNN, LSTM and GRU take it along whole sequences, layer above layer, each in one or both
directions; their parameters' names say which layer and direction they are of.
"""

import math

from ...engine.table import ops
from ...engine.tensor import Tensor
from ...engine.warning import warn, warn_once
from .. import functional as F
from .. import init
from .layers import empty_parameter
from .module import Module

# -- the steps ---------------------------------------------------------------------------------------------------------


def rnn_step(activation):
    def step(from_input, state, w_hh, b_hh):
        return (activation(from_input + F.linear(state[0], w_hh, b_hh)),)

    return step


def lstm_step(from_input, state, w_hh, b_hh):
    hidden, cell = state
    entry, keep, new, out = (from_input + F.linear(hidden, w_hh, b_hh)).chunk(4, -1)
    cell = keep.sigmoid() * cell + entry.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


def gru_step(from_input, state, w_hh, b_hh):
    (hidden,) = state
    reset, update, new = from_input.chunk(3, -1)
    own_reset, own_update, own_new = F.linear(hidden, w_hh, b_hh).chunk(3, -1)
    new = (new + own_new * (reset + own_reset).sigmoid()).tanh()
    return ((hidden - new) * (update + own_update).sigmoid() + new,)


STEPS = {"RNN_TANH": (1, 1, rnn_step(F.tanh)), "RNN_RELU": (1, 1, rnn_step(F.relu)), "LSTM": (4, 2, lstm_step),
         "GRU": (3, 1, gru_step)}  # fmt: skip  # how many gates, how many tensors a state has, the step


def started_evenly(module):
    """Draw all of a module's first values evenly within 1/√hidden_size."""
    bound = 1 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


# -- one step ----------------------------------------------------------------------------------------------------------


class _Cell(Module):
    """What cells share."""

    mode = None

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        size = STEPS[self.mode][0] * hidden_size
        self.weight_ih = empty_parameter((size, input_size), dtype, device)
        self.weight_hh = empty_parameter((size, hidden_size), dtype, device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, empty_parameter((size,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values."""
        started_evenly(self)

    def forward(self, input, hx=None):
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        _, several, step = STEPS[self._mode()]
        if several > 1 and isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        states = () if hx is None else hx if several > 1 else (hx,)
        for place, state in enumerate(states):
            if state.dim() not in (1, 2):
                which = f"hx[{place}]" if several > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead")
        batched = input.dim() == 2
        rows = input if batched else input.unsqueeze(0)
        if not states:
            states = (ops.zeros(rows.size(0), self.hidden_size, dtype=input.dtype),) * several
        elif not batched:
            states = tuple(state.unsqueeze(0) for state in states)
        if rows.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {rows.size(1)} expected {self.input_size}")
        for place, state in enumerate(states):
            if state.size(0) != rows.size(0):
                raise RuntimeError(f"Input batch size {rows.size(0)} doesn't match hidden{place} batch size "
                                   f"{state.size(0)}")
            if state.size(-1) != self.hidden_size:
                raise RuntimeError(f"hidden{place} has inconsistent hidden_size: got {state.size(-1)}, expected "
                                   f"{self.hidden_size}")
        found = step(F.linear(rows, self.weight_ih, self.bias_ih), states, self.weight_hh, self.bias_hh)
        if not batched:
            found = tuple(state.squeeze(0) for state in found)
        return found if several > 1 else found[0]

    def _mode(self):
        return self.mode

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", bias={self.bias}" if self.bias is not True else ""
        kind = getattr(self, "nonlinearity", "tanh")
        return text + (f", nonlinearity={kind}" if kind != "tanh" else "")


class RNNCell(_Cell):
    """One step of a recurrent layer: tanh, or relu, of what input and state give together.

    >>> import autograd_nb as torch
    >>> torch.nn.RNNCell(2, 3)(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    """

    mode = "RNN_TANH"

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _mode(self):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return f"RNN_{self.nonlinearity.upper()}"


class LSTMCell(_Cell):
    """One step of a recurrent layer with a memory and gates; the state is a pair (hidden, cell)."""

    mode = "LSTM"


class GRUCell(_Cell):
    """One step of a recurrent layer whose gates reset and update its state."""

    mode = "GRU"


# -- along sequences ---------------------------------------------------------------------------------------------------


class RNNBase(Module):
    """What recurrent layers share: steps along the sequence, layers above each other, directions."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        if dropout > 0 and num_layers == 1:
            warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                 f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}")
        for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        self.proj_size = proj_size
        size, given = STEPS[mode][0] * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            shapes = {"weight_ih": (size, given * (2 if bidirectional else 1) if layer else input_size),
                      "weight_hh": (size, given), **({"bias_ih": (size,), "bias_hh": (size,)} if bias else {}),
                      **({"weight_hr": (proj_size, hidden_size)} if proj_size else {})}  # fmt: skip
            for suffix in self._suffixes(layer):
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, empty_parameter(shape, dtype, device))
        self.reset_parameters()

    def _suffixes(self, layer):
        return [f"_l{layer}", f"_l{layer}_reverse"] if self.bidirectional else [f"_l{layer}"]

    @property
    def all_weights(self):
        """The parameters of each layer and direction, in lists."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [[value for name, value in self._parameters.items() if name[name.index("_l") :] == suffix]
                for suffix in suffixes]  # fmt: skip

    def reset_parameters(self):
        """Draw new first values."""
        started_evenly(self)

    def flatten_parameters(self):
        """Nothing: parameters need not lie side by side here."""

    def forward(self, input, hx=None):
        """``(output, state)``: the last layer's states at all places, and each layer's at the end.

        ValueError or RuntimeError when shapes or dtypes do not fit.
        """
        name, several = type(self).__name__, STEPS[self.mode][1]
        if input.dim() not in (2, 3):
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D"
                             f"{' tensor' if name == 'RNN' else ''} instead")
        batched, along = input.dim() == 3, 1 if self.batch_first and input.dim() == 3 else 0
        states = () if hx is None else hx if several > 1 else (hx,)
        self._check_ranks(batched, states)
        weight = self._parameters["weight_ih_l0"]
        if input._dtype is not weight._dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        if not batched:
            input, states = input.unsqueeze(1), tuple(state.unsqueeze(1) for state in states)
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.size(-1)}")
        states = self._states(input, states, input.size(0 if along else 1))
        sequence, lasts = input.transpose(0, 1) if along else input, []
        if not sequence.size(0):
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        if self.proj_size and input._dtype.name == "float32":
            warn_once("LSTM with projections is not supported with oneDNN. Using default implementation.")
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                sequence = F.dropout(sequence, self.dropout)
            found = []
            for suffix in self._suffixes(layer):
                first = tuple(state[len(lasts)] for state in states)
                result, last = self._along(sequence, first, suffix)
                found.append(result)
                lasts.append(last)
            sequence = found[0] if len(found) == 1 else ops.cat(found, -1)
        output = sequence.transpose(0, 1) if along else sequence
        states = tuple(ops.stack(each) for each in zip(*lasts, strict=True))
        if not batched:
            output, states = output.squeeze(1), tuple(state.squeeze(1) for state in states)
        return output, states if several > 1 else states[0]

    def _states(self, input, states, batch):
        """The states to start from, one tensor for all layers and directions each: those given, or zeros."""
        several, lead = STEPS[self.mode][1], (self.num_layers * (2 if self.bidirectional else 1), batch)
        shapes = [(*lead, self.proj_size or self.hidden_size), (*lead, self.hidden_size)][:several]
        for place, (state, shape) in enumerate(zip(states, shapes, strict=False)):
            if state.shape != shape:
                which = f"hidden[{place}]" if several > 1 else "hidden"
                raise RuntimeError(f"Expected {which} size {shape}, got {list(state.shape)}")
        return states or [ops.zeros(shape, dtype=input.dtype) for shape in shapes]

    def _along(self, sequence, state, suffix):
        """The states along a sequence, from the end for the other direction, and the last of them."""
        own, step = self._parameters, STEPS[self.mode][2]
        from_input = F.linear(sequence, own[f"weight_ih{suffix}"], own.get(f"bias_ih{suffix}"))
        w_hh, b_hh, backwards = own[f"weight_hh{suffix}"], own.get(f"bias_hh{suffix}"), suffix.endswith("reverse")
        w_hr, hidden, parts = own.get(f"weight_hr{suffix}"), [], from_input.unbind(0)
        for part in reversed(parts) if backwards else parts:
            state = step(part, state, w_hh, b_hh)
            if w_hr is not None:
                state = (F.linear(state[0], w_hr), *state[1:])
            hidden.append(state[0])
        return ops.stack(hidden[::-1] if backwards else hidden), state

    def _check_ranks(self, batched, states):
        rank = 3 if batched else 2
        if all(state.dim() == rank for state in states):
            return
        what = f"For {'' if batched else 'un'}batched {rank}-D input, hx "
        given = [f"{state.dim()}-D" for state in states]
        if len(states) > 1:
            raise RuntimeError(f"{what}and cx should also be {rank}-D but got ({', '.join(given)}) tensors")
        raise RuntimeError(f"{what}should also be {rank}-D but got {given[0]} tensor")

    def extra_repr(self):
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
                 "bidirectional": False}  # fmt: skip
        more = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return f"{self.input_size}, {self.hidden_size}{''.join(more)}"


def without_projection(proj_size):
    if proj_size:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """A recurrent layer, or several: input (length, N, features), or (N, length, features) with *batch_first*.

    >>> import autograd_nb as torch
    >>> output, state = torch.nn.RNN(2, 3, num_layers=2)(torch.ones(5, 4, 2))
    >>> output.shape, state.shape
    (torch.Size([5, 4, 3]), torch.Size([2, 4, 3]))
    """

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        without_projection(proj_size)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        object.__setattr__(self, "nonlinearity", nonlinearity)
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)  # fmt: skip


class LSTM(RNNBase):
    """A recurrent layer, or several, with a memory and gates; the state is a pair (hidden, cell).

    With *proj_size* the hidden state is a linear image, of that size, of what the gates let out.

    >>> import autograd_nb as torch
    >>> output, (hidden, cell) = torch.nn.LSTM(2, 3)(torch.ones(5, 4, 2))
    >>> output.shape, cell.shape
    (torch.Size([5, 4, 3]), torch.Size([1, 4, 3]))
    """

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)  # fmt: skip


class GRU(RNNBase):
    """A recurrent layer, or several, whose gates reset and update their state."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        without_projection(proj_size)
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0,
                         device, dtype)  # fmt: skip
