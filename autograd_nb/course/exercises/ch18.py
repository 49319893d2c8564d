"""Chapter 18, your own PyTorch code: what a cut and a forgotten clearing do, what six patients have, and five cures."""

import autograd_nb as torch

from ...learner.executing import library_of
from .. import patients
from . import Prediction, Question
from .doing import returns_nothing
from .kinds import same
from .running import as_before, run

p1 = Prediction("first")
p2 = Prediction("back")

q1 = Question({"a"}, wrong={"relu": {"d"}, "sums": {"b"}, "well": {"g"}})
q2 = Question({"b", "c"}, wrong={"sums_alone": {"b"}, "shapes_alone": {"c"}, "well": {"g"}})
q3 = Question({"d"}, wrong={"cut": {"a"}, "well": {"g"}, "sums": {"b"}})
q4 = Question({"e"}, wrong={"relu": {"d"}, "sums": {"b"}, "in_place": {"f"}})
q5 = Question({"g"}, wrong={"cut": {"a"}, "sums": {"b"}, "shapes": {"c"}})
q6 = Question({"a", "f"}, wrong={"in_place_alone": {"f"}, "cut_alone": {"a"}, "relu": {"d"}})


# q7 to q11: anything that trains a patient is a cure


def _library(answer):
    """The `torch` that an answer sees."""
    return library_of(getattr(answer, "__globals__", {}))


class Cure(Question):
    """An exercise: mend a patient's turn, or its network.

    ships: makes the patient's function. wrong: as in Question; "high" stands for all other answers that leave the loss
    at 0.1 or above. fault: takes the patient after its turns, gives the key of what is wrong although it learned, or
    None. measure: the loss, of (outputs, classes), if it is not the one of most patients.
    """

    def __init__(self, ships, solution, *, wrong, fault=lambda patient: None, measure=None):
        super().__init__(solution, wrong=wrong, rule=self._rule, ships=ships(torch))
        self.fault, self.measure = fault, measure

    def judge(self, answer):
        with as_before():  # PyTorch loads much of itself in its first step; that is not the answer's time
            patients.Patient(_library(answer), 5).turn()
        return super().judge(answer)

    def _rule(self, answer):
        if returns_nothing(answer):
            return "high"  # instead of a sentence on the missing return
        losses, fault = run(self._course, (answer,))
        same_as = (key for key, each in self.wrong.items() if key != "high" and same(losses, self._course(each)[0]))
        if key := fault or next(same_as, None):
            return key
        return None if losses[-1] < 0.1 else ("high", {"loss": f"{losses[-1]:.2f}"})

    def _course(self, answer):
        """Some of the losses of a hundred turns, with the last one; and the fault."""
        patient, losses = patients.Patient(_library(answer), answer), []
        for _ in range(100):
            patient.step(*patient.given)
            losses.append(patient.loss(self.measure))
        return [*losses[:4], losses[-1]], self.fault(patient)


def _cuts(patient):
    """Whether only some of the parameters have a gradient."""
    without = [each.grad is None for each in patient.model.parameters()]
    return "cut" if any(without) and not all(without) else None


def _adds(patient):
    """Whether a turn adds to the gradients that were in .grad before it."""
    for each in patient.model.parameters():
        each.grad is None or each.grad.fill_(1e9)
    patient.step(*patient.given)
    left = [each.grad.abs().max().item() for each in patient.model.parameters() if each.grad is not None]
    return "adds" if max(left, default=0) > 1e8 else None


def _drops(patient):
    """Whether a turn's loss is the loss of the outputs alone."""
    before, returned = patient.loss(), patient.step(*patient.given)
    return "dropped" if float(returned) < before + 1e-3 else None


loss_of = patients.loss_with(torch)
UNMOVED = "optimizer.zero_grad() →", "loss.backward() → loss.backward(); optimizer.zero_grad()"


def first_cured(model, optimizer, points, classes):
    hidden = model[1](model[0](points))
    loss = loss_of(model[2](hidden), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


HIDDEN = "hidden = model[1](model[0](points))"
q7 = Cure(patients.first, first_cured, fault=_cuts, wrong={
    "cut": (f"{HIDDEN} → with torch.no_grad(): {HIDDEN}", "model[2](hidden) → model[2](hidden.requires_grad_())"),
    "high": UNMOVED,
})  # fmt: skip


def second_cured(model, optimizer, points, classes):
    outputs = torch.sigmoid(model(points)).squeeze(1)
    loss = ((outputs - classes) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


q8 = Cure(
    patients.second, second_cured, fault=_adds,
    measure=lambda outputs, classes: ((outputs.squeeze(1).sigmoid() - classes) ** 2).mean(),
    wrong={"adds": "optimizer.zero_grad() →", "shapes": ".squeeze(1) →", "high": UNMOVED},
)  # fmt: skip


def third_cured():
    layer = torch.nn.Linear(2, 16)
    return torch.nn.Sequential(layer, torch.nn.ReLU(), torch.nn.Linear(16, 1))


q9 = Cure(patients.third, third_cured, wrong={
    "leaky": ("(2, 16) → (2, 16); torch.nn.init.constant_(layer.bias, -20.0)", "ReLU → LeakyReLU"),
    "high": "(2, 16) → (2, 16); torch.nn.init.constant_(layer.bias, -5.0)",
})  # fmt: skip


def fourth_cured(model, optimizer, points, classes):
    pairs = zip(model.parameters(), model.start, strict=True)
    moved = sum(((now - then) ** 2).sum() for now, then in pairs)
    loss = loss_of(model(points), classes) + 0.01 * (moved + 1e-8).sqrt()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


q10 = Cure(patients.fourth, fourth_cured, fault=_drops, wrong={
    "nan": "(moved + 1e-8).sqrt() → (moved.sqrt() + 1e-8)",
    "dropped": "+ 0.01 * (moved + 1e-8).sqrt() →",
    "high": "(moved + 1e-8).sqrt() → moved",
})  # fmt: skip

q11 = Cure(patients.sixth, first_cured, fault=_cuts, wrong={
    "cut": "model[0](points) → model[0](points).detach()",
    "data": "optimizer.zero_grad() → hidden.data.mul_(0.9); optimizer.zero_grad()",
    "high": UNMOVED,
})  # fmt: skip
