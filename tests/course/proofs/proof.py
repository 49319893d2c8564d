"""A proof of a card's answer: a program whose result a learner predicts, and what each choice says that it is."""

from autograd_nb.course.exercises.kinds import same


class Proof:
    """program: a function without arguments. choices: its result by the key of a choice, an error by its type.

    Without choices the program gives the answer itself, a number, a shape or the key of a choice.
    """

    def __init__(self, program, **choices):
        self.program, self.choices = program, choices

    def result(self):
        try:
            found = self.program()
        except Exception as error:
            return type(error)
        return found.tolist() if hasattr(found, "tolist") else found

    def answer(self):
        """The answer of the card; ValueError unless one choice alone says what the program does."""
        found = self.result()
        if not self.choices:
            return found
        right = [key for key, value in self.choices.items() if _is(found, value)]
        if len(right) != 1:
            raise ValueError(f"{found!r} is what {len(right)} choices say: {right}")
        return right[0]


def _is(found, value):
    return found is value if isinstance(found, type) or isinstance(value, type) else same(found, value)
