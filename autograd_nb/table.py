"""All derivatives on one screen: ``python -m autograd_nb.table`` prints each operation with its node and its formulas.

A formula is printed as it stands in ``operations/``.  The functions that it calls are there too, or in
``array_functions.py``.
"""

from textwrap import fill

from .engine import table
from .microscope.names import body_text
from .torch_api.contents import load_table


def text(formula):
    """The body of a formula that is a lambda; the call of any other function."""
    code = formula.__code__
    if code.co_name != "<lambda>":
        return f"{code.co_name}({', '.join(table.parameter_names(formula))})"
    return body_text(code)


def lines():
    """The lines of the whole table: first the operations that have a derivative, by name, then the others."""
    load_table()
    without = []
    for name, row in sorted(table.operations.items()):
        if not row.formulas:
            without.append(name)
            continue
        parameters = ", ".join(row.parameters)
        yield f"{name}({parameters})  {row.node_name}"
        for parameter in row.differentiable:
            formula = "grad" if parameter in row.passed_on else text(row.formulas[parameter])
            yield f"    {parameter}: {formula}"
    yield ""
    yield fill(f"Without a derivative: {', '.join(without)}.", 100)


if __name__ == "__main__":
    print(*lines(), sep="\n")
