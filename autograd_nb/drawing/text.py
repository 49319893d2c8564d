"""The same picture as lines of text: nodes in the order of the computation, then gradients, cuts and views."""

from collections import Counter, defaultdict

from . import words
from .shapes import Grid, clean


def to_text(picture):
    if not picture.nodes:
        return clean(picture.caption) or words.EMPTY
    names, sources, arrows = _names(picture.nodes), defaultdict(list), defaultdict(list)
    for node in picture.nodes:
        if node.arrived:
            arrows["gradient"].append(f"  {names[node.key]}: {_said(node.arrived)[0]}")
    for edge in picture.edges:
        source, target, told = names[edge.source], names[edge.target], _said(edge) + [words.CURRENT] * edge.current
        if edge.kind == "forward":
            sources[edge.target].append(source)
        elif told or edge.kind != "gradient":
            arrows[edge.kind].append(f"  {source} → {target}{': ' * bool(told)}{', '.join(told)}")
    lines = [f"{clean(picture.title) or words.GRAPH}: {words.count(picture.nodes)}."]
    lines += [_node(node, names, sources[node.key]) for node in picture.nodes]
    for kind, heading in (("gradient", words.GRADIENTS), ("cut", words.CUTS), ("view", words.VIEWS)):
        lines += [heading, *arrows[kind]] * bool(arrows[kind])
    return "\n".join([*lines, *filter(None, [clean(picture.caption)])])


def _names(nodes):
    names = {node.key: clean(node.title) or words.KINDS[node.kind] for node in nodes}
    total, seen = Counter(names.values()), Counter()
    for key, name in names.items():
        seen[name] += 1
        if total[name] > 1:
            names[key] = f"{name} #{seen[name]}"
    return names


def _node(node, names, sources):
    parts = [words.KINDS[node.kind]] if node.title else []
    if sources:
        parts.append(f"{words.COMPUTED_FROM} {', '.join(sources)}")
    parts += texts_of(node)
    return f"  {names[node.key]}{': ' * bool(parts)}{'; '.join(parts)}"


def texts_of(node):
    """The lines of a box below its title."""
    texts = [*filter(None, map(_line, (*node.lines, *node.saved, *node.notes)))]
    if node.grad:
        texts.append(" ".join(filter(None, [words.GRAD, *map(_line, node.grad)])))
    texts += [clean(flag) for flag in node.flags]
    texts += [words.FREED] * ("freed" in node.signs) + [words.CURRENT] * ("current" in node.signs)
    return texts + [f"{words.ERROR}: {clean(node.error)}"] * bool(node.error)


def _line(line):
    """A line of a box; for a grid its numbers, if it has any."""
    if not isinstance(line, Grid):
        return clean(line)
    rows = [", ".join(map(clean, row)) for row in line.texts or ()]
    return rows and f"[[{'], ['.join(rows)}]]"


def _said(edge):
    return [clean(edge.label)] * bool(edge.label) + [f"{words.HOOKED} {clean(edge.hook)}"] * bool(edge.hook)
