"""LBFGS: Newton's method, with the curvature guessed from the last steps and how the gradient changed along them.

All parameters together are one flat vector.  A step asks for the loss several times, so it needs a closure.
"""

from typing import NamedTuple

from ..engine.modes import enable_grad, no_grad
from ..engine.table import ops
from ..engine.tensor import Tensor
from .optimizer import Optimizer, check


class Place(NamedTuple):
    """What is known where a search along a line has been: how far that is, and the slope along the line."""

    far: object
    loss: float
    grad: Tensor
    slope: Tensor


def cubic_minimum(a, b, bounds=None):
    """Where the cubic through two places, with their slopes, is lowest; brought between the bounds."""
    low, high = bounds or sorted((a.far, b.far))
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.far - b.far)
    square = first**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    root = square.sqrt()
    if a.far > b.far:
        a, b = b, a
    found = b.far - (b.far - a.far) * ((b.slope + root - first) / (b.slope - a.slope + 2 * root))
    return min(max(found, low), high)


def search(at, start, far, longest, enough=1e-4, flat=0.9, least=1e-9, most=25):
    """The place that fulfils Wolfe's conditions along a line, as good as *most* tries find it, and the tries.

    *at* is a function from how far to a place, *start* the place at 0, *longest* the line's largest element.
    """

    def too_high(place):
        return place.loss > start.loss + enough * place.far * start.slope

    def flat_enough(place):
        return abs(place.slope) <= -flat * start.slope

    # away from the start, until the minimum lies between two places
    before, here, tries, done = start, at(far), 0, False
    while tries < most:
        if too_high(here) or tries > 1 and here.loss >= before.loss:
            ends = [before, here]
            break
        if flat_enough(here):
            ends, done = [here], True
            break
        if here.slope >= 0:
            ends = [before, here]
            break
        bounds = here.far + 0.01 * (here.far - before.far), here.far * 10
        before, here = here, at(cubic_minimum(before, here, bounds))
        tries += 1
    else:
        ends = [start, here]
    # between them, until a place is good enough
    stuck = False
    while not done and tries < most:
        ends.sort(key=lambda place: place.loss)
        low, high = ends
        if abs(high.far - low.far) * longest < least:
            break
        far = cubic_minimum(low, high)
        near, away = sorted((low.far, high.far))
        edge = 0.1 * (away - near)
        if min(away - far, far - near) < edge:
            if stuck or far >= away or far <= near:
                far = away - edge if abs(far - away) < abs(far - near) else near + edge
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = at(far)
        tries += 1
        if too_high(here) or here.loss >= low.loss:
            ends = [low, here]
        else:
            done = flat_enough(here)
            ends = [here, low if not done and here.slope * (high.far - low.far) >= 0 else high]
    best = min(ends, key=lambda place: place.loss)
    return best, tries + 1


class LBFGS(Optimizer):
    """Steps of Newton's method, up to *max_iter* at each call of ``step(closure)``, with guessed curvature.

    *line_search_fn* may be "strong_wolfe".  ValueError for a negative *lr* and for several groups of parameters.

    >>> import autograd_nb as torch
    >>> w = torch.tensor([1., 4.], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(5., grad_fn=<SumBackward0>)
    >>> w.detach().round()
    tensor([3., 3.])
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):  # fmt: skip
        check(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self):
        return self.param_groups[0]["params"]

    def _flat_grad(self):
        return ops.cat([ops.zeros(each.numel(), dtype=each.dtype) if each.grad is None else each.grad.reshape(-1)
                        for each in self._params])  # fmt: skip

    def _move(self, far, direction):
        start = 0
        for each in self._params:
            each.add_(direction[start : start + each.numel()].view_as(each), alpha=float(far))
            start += each.numel()

    def step(self, closure):
        """Ask *closure* for the loss and its gradients, as often as needed, and change the parameters.

        Returns the loss as it was at first.
        """
        with no_grad():
            return self._search(enable_grad()(closure))

    def _search(self, closure):
        group, memory = self.param_groups[0], self.state[self._params[0]]
        memory.setdefault("func_evals", 0)
        memory.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations, grad = float(first_loss), 1, self._flat_grad()
        memory["func_evals"] += 1
        if grad.abs().max() <= group["tolerance_grad"]:
            return first_loss
        d, t, last_grad = memory.get("d"), memory.get("t"), memory.get("prev_flat_grad")
        last_loss = memory.get("prev_loss")
        for iteration in range(1, group["max_iter"] + 1):
            memory["n_iter"] += 1
            fresh = memory["n_iter"] == 1
            d = self._first_direction(grad, memory) if fresh else self._direction(grad, last_grad, d * t, memory)
            last_grad = grad.clone() if last_grad is None else last_grad.copy_(grad)
            last_loss = loss
            t = min(1.0, 1.0 / grad.abs().sum()) * group["lr"] if fresh else group["lr"]
            slope = grad.dot(d)
            if slope > -group["tolerance_change"]:
                break
            found = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                best, found = search(self._along(closure, d), Place(0, loss, grad.clone(), slope), t, d.abs().max(),
                                     most=group["max_eval"] - evaluations)  # fmt: skip
                loss, grad, t = best.loss, best.grad, best.far
                self._move(t, d)
            else:
                self._move(t, d)
                if iteration != group["max_iter"]:
                    loss, grad, found = float(closure()), self._flat_grad(), 1
            evaluations += found
            memory["func_evals"] += found
            if (
                iteration == group["max_iter"] or evaluations >= group["max_eval"]
                or grad.abs().max() <= group["tolerance_grad"] or (d * t).abs().max() <= group["tolerance_change"]
                or abs(loss - last_loss) < group["tolerance_change"]
            ):  # fmt: skip
                break
        memory.update(d=d, t=t, prev_flat_grad=last_grad, prev_loss=last_loss)
        for name in ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"):
            memory[name] = memory.pop(name)  # in PyTorch's order
        return first_loss

    def _along(self, closure, d):
        """The function that a line search asks: from how far to the place there."""
        start = [each.clone() for each in self._params]

        def at(t):
            self._move(t, d)
            loss, grad = float(closure()), self._flat_grad()
            for each, elements in zip(self._params, start, strict=True):
                each.copy_(elements)
            return Place(t, loss, grad, grad.dot(d))

        return at

    @staticmethod
    def _first_direction(grad, memory):
        memory.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return -grad

    def _direction(self, grad, last_grad, moved, memory):
        """The gradient turned by the inverse of the curvature, which is known along the steps kept."""
        most = self.param_groups[0]["history_size"]
        changes, steps, ro = memory["old_dirs"], memory["old_stps"], memory["ro"]
        changed = grad - last_grad
        curvature = changed.dot(moved)
        if curvature > 1e-10:
            if len(changes) == most:
                for each in (changes, steps, ro):
                    each.pop(0)
            changes.append(changed)
            steps.append(moved)
            ro.append(1.0 / curvature)
            memory["H_diag"] = curvature / changed.dot(changed)
        shares = memory.setdefault("al", [None] * most)
        q = -grad
        for i in reversed(range(len(changes))):
            shares[i] = steps[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-float(shares[i]))
        d = q * memory["H_diag"]
        for i in range(len(changes)):
            d.add_(steps[i], alpha=float(shares[i] - changes[i].dot(d) * ro[i]))
        return d
