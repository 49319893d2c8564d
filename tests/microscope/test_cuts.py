"""Cuts in a graph: behind each result stands the cut on its own way, and none of another result's."""

import autograd_nb
from autograd_nb.microscope.cuts import Twins
from autograd_nb.microscope.events import DETACHED
from autograd_nb.microscope.readings import place_of


def test_the_cut_behind_a_result_is_the_one_that_lies_on_its_way(live):
    for torch in (autograd_nb, live):
        weight, other = (torch.ones(3, requires_grad=True) for _ in range(2))
        hidden, feature = weight * 2, weight * 3
        cut, logged = hidden.detach(), feature.detach()
        loss = (cut * other).sum()
        known = {id(each): (each, []) for each in (weight, other, hidden, cut, loss, feature, logged)}
        twins = Twins(known)
        for tensor, source, target in ((loss, hidden, cut), (logged, feature, logged)):
            ((found, at, how),) = twins.with_cuts([tensor], [place_of(tensor)[0]])[1]
            assert found is source and at is target and how == DETACHED
        assert twins.with_cuts([feature], [place_of(feature)[0]])[1] == []
