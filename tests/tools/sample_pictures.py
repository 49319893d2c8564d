"""Pictures for the tests, made by hand: the tests know their content without running the engine."""

from autograd_nb.drawing import Grid, Picture, PictureEdge, PictureNode
from autograd_nb.drawing.picture import AHEAD


class Sketch(Picture):
    """A picture that a test builds box by box, and arrow by arrow."""

    def node(self, key, kind="tensor", **parts):
        self.nodes.append(PictureNode(key, kind, **parts))

    def edge(self, source, target, kind="forward", label="", **parts):
        """Add an edge; a backward edge goes beside the first forward edge between its boxes that has none."""
        edge = PictureEdge(source, target, kind, label, **parts)
        ahead = [] if kind in AHEAD else [
            place for place, lane in enumerate(self.lanes)
            if len(lane) == 1 and lane[0].kind == "forward" and lane[0].ends == edge.ends]  # fmt: skip
        if ahead:
            self.lanes[ahead[0]] += (edge,)
        else:
            self.lanes.append((edge,))


def vector(*numbers):
    return Grid((tuple(map(float, numbers)),), (tuple(f"{number}." for number in numbers),))


def gradient(label="", hook=""):
    """A gradient that came to a box, and stands at its side."""
    return PictureEdge("", "", "gradient", label, hook)


def chain():
    """z = log(x ** 3) in the middle of its backward: every kind of state of a node."""
    picture = Sketch(
        "z = log(x ** 3), while z.backward() runs",
        caption="PowBackward0 turns ∂z/∂y into ∂z/∂x: grad_output · 3·x² = 0.008 · 75 = 0.6",
    )
    picture.node("x", "leaf", title="x", lines=["5."], grad=["0.6"], flags=["leaf"], signs=["accumulate"])
    picture.node("pow", "function", title="PowBackward0", lines=["self=5.", "exponent=3"], signs=["current"])
    picture.node("y", title="y", lines=["125."], notes=[".grad None"], arrived=gradient(hook="0.008 → 0.016"))
    picture.node("log", "function", title="LogBackward0", signs=["freed"])
    picture.node("z", "root", title="z", lines=["4.828"], grad=["1."], flags=["retained"], arrived=gradient("1."))
    for ends in ("x pow", "pow y", "y log", "log z"):
        picture.edge(*ends.split())
    picture.edge("z", "log", "gradient")
    picture.edge("log", "y", "gradient", hook="print: 0.008")
    picture.edge("y", "pow", "gradient")
    picture.edge("pow", "x", "gradient", "0.6", current=True)
    return picture


def broken():
    """Grids, a cut, a view, a group, an error, a thumbnail."""
    picture = Sketch("z = (x * [2, 3, 5]) @ [4, 7, -9]")
    picture.node("x", "leaf", title="x", lines=["5."], grad=["4.", vector(1, -2)])
    picture.node("factors", "constant", lines=["(3,)", vector(2, 3, 5)])
    picture.node("mul", "function", title="MulBackward0")
    picture.node("y", title="y", lines=[vector(10, 15, 25)])
    picture.node("dot", "function", title="DotBackward0", error="modified by an inplace operation")
    picture.node("w", title="w", lines=[vector(10, 15, 25)])
    picture.node("many", "group", title="Linear, ReLU", lines=["× 12"])
    picture.node("image", "constant", title="image", lines=[
        "(4, 6)", Grid(tuple(tuple(float(row - column) for column in range(6)) for row in range(4)))])  # fmt: skip
    picture.node("other", "function", title="AddBackward0")
    picture.node("stop", title="stop")
    picture.node("odd", "constant", title="odd", lines=[Grid(((float("nan"), float("inf")),), (("nan", "inf"),))])
    for ends in ("x mul", "x mul", "factors mul", "mul y", "y dot", "w many", "image many", "many other", "other stop"):
        picture.edge(*ends.split())
    picture.edge("y", "mul", "backward")
    picture.edge("y", "w", "cut", "detach")
    picture.edge("y", "w", "view")
    picture.edge("other", "stop", "cut", "no_grad")
    picture.edge("stop", "w")
    return picture


PICTURES = {"chain": chain, "broken": broken}
