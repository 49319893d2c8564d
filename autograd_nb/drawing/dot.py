"""A picture in the DOT language, for those who have Graphviz."""

from . import words
from .shapes import COLOURS, clean

_SHAPES = {"function": "box", "accumulate": "circle", "group": "box3d"}


def to_dot(picture):
    """A picture as DOT text; edges keep their meaning by colour and style."""
    number = {node.key: f"n{index}" for index, node in enumerate(picture.nodes)}
    rows = [f"  rankdir={'TB' if picture.direction == 'down' else 'LR'};", f"  label={_quoted([picture.title])};"]
    for node in picture.nodes:
        ink = COLOURS["error" if node.error else "freed" if node.freed else node.kind]
        lines = [words.ACCUMULATE] if node.kind == "accumulate" else [node.title, *node.lines, *node.notes]
        lines += [f"{words.GRAD} {node.grad}"] if node.grad else []
        shape = _SHAPES.get(node.kind, "box")
        style = "filled" if shape != "box" or node.kind == "function" else "rounded,filled"
        rows.append(
            f"  {number[node.key]} [label={_quoted(lines)}, shape={shape}, style={_quoted([style])}, "
            f'color="{ink.edge}", fillcolor="{ink.fill}", peripheries={2 if node.kind == "root" else 1}];'
        )
    for edge in picture.edges:
        back = edge.kind in ("gradient", "backward")
        ends = (edge.target, edge.source) if back else (edge.source, edge.target)
        style = {"gradient": "bold", "backward": "dotted", "cut": "dashed", "view": "dotted"}.get(edge.kind, "solid")
        label = _quoted([part for part in (edge.label, edge.hook) if part])
        arrow = "back" if back else "none" if edge.kind == "view" else "forward"
        rows.append(
            f'  {number[ends[0]]} -> {number[ends[1]]} [dir={arrow}, style={style}, '
            f'label={label}, color="{COLOURS[edge.kind].edge}"];'
        )
    return "\n".join(["digraph {", *rows, "}"]) + "\n"


def _quoted(lines):
    escaped = (clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
