"""The same picture as lines of text: nodes in the order of the computation, then gradients, cuts and views."""

from collections import Counter

from . import words
from .layers import topological
from .shapes import clean


def to_text(picture):
    if not picture.nodes:
        return clean(picture.caption) or words.EMPTY
    lines = [f"{clean(picture.title) or words.GRAPH}: {words.count(picture.nodes)}."]
    names = _names(picture.nodes)
    sources = {}
    for edge in picture.edges:
        if edge.kind == "forward":
            sources.setdefault(edge.target, []).append(names[edge.source])
    lines += [_node(node, names, sources.get(node.key, ())) for node in _in_order(picture)]
    for kind, heading in (("gradient", words.GRADIENTS), ("cut", words.CUTS), ("view", words.VIEWS)):
        told = [_arrived(node, names) for node in picture.nodes if node.arrived or node.hook] * (kind == "gradient")
        told += [_edge(edge, names) for edge in picture.edges if edge.kind == kind
                 and (kind != "gradient" or edge.label or edge.hook or edge.current)]  # fmt: skip
        if told:
            lines += [heading, *told]
    if picture.caption:
        lines.append(clean(picture.caption))
    return "\n".join(lines)


def _names(nodes):
    names = {node.key: clean(node.title) or words.KINDS[node.kind] for node in nodes}
    total, seen = Counter(names.values()), Counter()
    for key, name in names.items():
        seen[name] += 1
        if total[name] > 1:
            names[key] = f"{name} #{seen[name]}"
    return names


def _in_order(picture):
    number = {node.key: index for index, node in enumerate(picture.nodes)}
    ends = [tuple(map(number.get, edge.ends)) for edge in picture.edges]
    return [picture.nodes[index] for index in topological(len(number), ends)]


def _node(node, names, sources):
    parts = [words.KINDS[node.kind]] if node.title else []
    if sources:
        parts.append(f"{words.COMPUTED_FROM} {', '.join(sources)}")
    parts += [clean(line) for line in (*node.lines, *node.saved, *(_rows(node.grid)), *node.notes)]
    if node.grad or node.grad_grid is not None:
        parts.append(" ".join([words.GRAD, clean(node.grad), *_rows(node.grad_grid)]).replace("  ", " "))
    parts += [clean(flag) for flag in node.flags]
    parts += [words.FREED] * node.freed + [words.CURRENT] * node.current
    parts += [f"{words.ERROR}: {clean(node.error)}"] if node.error else []
    return f"  {names[node.key]}: {'; '.join(parts)}" if parts else f"  {names[node.key]}"


def _rows(grid):
    if grid is None or grid.texts is None:
        return []
    return ["[" + ", ".join("[" + ", ".join(map(clean, row)) + "]" for row in grid.texts) + "]"]


def _arrived(node, names):
    return f"  {names[node.key]}: " + (f"{words.HOOKED} {clean(node.hook)}" if node.hook else clean(node.arrived))


def _edge(edge, names):
    parts = [clean(part) for part in (edge.label,) if part]
    parts += [f"{words.HOOKED} {clean(edge.hook)}"] * bool(edge.hook) + [words.CURRENT] * edge.current
    return f"  {names[edge.source]} → {names[edge.target]}" + (f": {', '.join(parts)}" if parts else "")
