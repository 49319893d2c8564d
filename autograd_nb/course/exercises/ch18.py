"""Chapter 18, your own PyTorch code: sums of gradients, a cut, and what a sigmoid leaves of a gradient."""

from .question import Question

q1 = Question(5.0, wrong={"last_only": 0.5, "mean": 0.05})
q2 = Question(4, wrong={"one_layer": 2, "all": 6, "weights": 3})
q3 = Question(0.25, wrong={"unchanged": 1.0, "value": 0.5, "nothing": 0.0})
