"""The widgets of all chapters, each made by the line of its chapter."""

import ast
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "notebooks" / "text"
MAKERS = "widgets.", "torch.bench("  # a line that begins so shows a widget


def lines():
    """``{"04: landscape": (the chapter's tree, the call)}`` for each widget that a chapter shows."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.parse(text).body if any(each in text for each in MAKERS) else ():
            if isinstance(node, ast.Expr) and ast.unparse(node).startswith(MAKERS):
                found[f"{path.stem[:2]}: {ast.unparse(node.value.func).rpartition('.')[2]}"] = path, node
    return found


def made(path, call):
    """The widget of a call; of its chapter, only what the call needs runs."""
    before, wanted = [], {each.id for each in ast.walk(call) if isinstance(each, ast.Name)}
    for node in reversed([each for each in ast.parse(path.read_text("utf-8")).body if each.lineno < call.lineno]):
        own = {node.name} if isinstance(node, ast.FunctionDef) else {
            each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        if isinstance(node, ast.Import | ast.ImportFrom) or own & wanted:
            before.append(node)
            wanted |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    space = {"__name__": "__main__"}
    exec(compile(ast.Module(before[::-1], []), str(path), "exec"), space)
    return eval(compile(ast.Expression(call.value), str(path), "eval"), space)
