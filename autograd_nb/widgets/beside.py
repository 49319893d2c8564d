"""Two benches side by side, with the same inputs; what differs between them is marked."""

import ipywidgets
from traitlets import link

from .kit import note


class Beside(ipywidgets.HBox):
    """The two benches that `Bench.beside` shows, as ``children``."""

    def __init__(self, *benches):
        super().__init__(benches, layout={"flex_flow": "row wrap"})
        for name in benches[0].given:
            link(*((bench, name) for bench in benches))
        for bench in benches:
            bench.layout.flex, bench.layout.min_width = "1 1 400px", "min(100%, 400px)"
            bench.observe(self.compare, "shown")
        self.compare()
        note(self)

    def compare(self, _=None):
        """Mark in each bench the rows, tensors and switches that differ from the other."""
        for bench, other in (self.children, self.children[::-1]):
            rows, tensors = (unlike(told(bench), told(other)) for told in (rows_of, ends_of))
            bench.apart = {"rows": rows, "names": [bench.shown["tensors"][place]["name"] for place in tensors]}
            bench.shown = bench.shown | {"changed": list(bench.changed_switches(other.tensors)), "than": "differs"}

    def __repr__(self):
        return "\n".join(map(repr, self.children))

    def as_html(self):
        return "".join(each.as_html() for each in self.children)

    def _repr_mimebundle_(self, **options):
        data = super()._repr_mimebundle_(**options)
        return data | {"text/plain": repr(self), "text/html": self.as_html()}


def unlike(mine, theirs):
    """The places of the items that the other list lacks."""
    return [place for place, each in enumerate(mine) if each not in theirs]


def rows_of(bench):
    """The code, state, output and gradients of each row."""
    return [(row["code"], row["state"], row["says"], {name: cell["text"] for name, cell in row["cells"].items()})
            for row in bench.shown["rows"]]  # fmt: skip


def ends_of(bench):
    """The last value and the last .grad of each tensor."""
    return [(each["name"], each["value"], bench.outcome.last_grads.get(each["name"]))
            for each in bench.shown["tensors"]]  # fmt: skip
