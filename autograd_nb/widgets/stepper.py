"""The stepper: a recorded pass, forwards and backwards in time, step by step."""

from bisect import bisect_left
from operator import attrgetter

from traitlets import Bytes, Enum, Float, Int, List, Unicode, validate

from .kit import Widget, seen, setting
from .stories import packed
from .walk import SAY, TextStepper

FEW = 40  # a longer recording gets its pictures only when a view asks for them


class Stepper(TextStepper, Widget):
    """The widget that `step` makes.  `step` (from 0), `detail` ("fast", "full") and `speed` are traits to read and set.

    `traces` are its recordings, one or two, and `trace` is the first; `count` is the number of steps.  `view` is the
    number of the turn shown of a long recording, of those that `views` names.
    """

    step = setting(Int(0))
    detail = setting(Enum([*SAY["details"]], "fast"))
    speed = setting(Float(1.0))
    count = seen(Int(0))
    titles, views = seen(List()), seen(List(Unicode()))
    view = setting(Int(0))
    stories = seen(List(Bytes()))
    link = seen(Unicode(""))  # to the site's page `play`, with this stepper's program

    def __init__(self, traces, titles, arguments):
        TextStepper.__init__(self, traces, titles, arguments)
        Widget.__init__(self)
        if self.count <= FEW:
            self.do_tell()
        self.observe(self.do_tell, "detail")
        self.observe(self.do_turn, "view")
        self.begin()

    def do_turn(self, _):
        """Show another turn of the loop, from where it matters."""
        with self.hold_sync():
            self.show()
            self.step = self.opening()
            self.do_tell()

    def do_tell(self, change=None):
        """Make the stories in the chosen detail; for long recordings only when a view asks for them."""
        steps, old = self.longer(self.detail), change and self.longer(change["old"])
        with self.hold_sync():
            # the same moment: the step that ends where the present one does in the other detail
            step = bisect_left(steps, old[self.step].end, key=attrgetter("end")) if old else self.step
            self.count, self.step = len(steps), step
            self.stories = list(map(packed, self.stories_in(self.detail)))

    @validate("step")
    def _in_range(self, proposal):
        return max(0, min(proposal["value"], self.count - 1))

    def as_code(self):
        return f"autograd_nb.step({self.arguments})  # {SAY('of', step=self.step + 1, count=self.count)}"

    def as_html(self):
        return f"{super().as_html()}{self.how_to_use()}"
