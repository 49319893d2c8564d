"""Formulas as text: the text for a row, read back and computed, gives the same as the row's own code."""

import ast
import math
import re
from functools import partial, reduce

import numpy as np
import pytest

from autograd_nb.engine.table import operations
from autograd_nb.microscope import labels, sentences
from autograd_nb.microscope.formulas import Expression, expression_text, name, rule
from autograd_nb.torch_api.contents import load_table

SIGNS = str.maketrans({"−": "-", "·": "*", "^": "**", "√": "~", "ᵀ": ".T", "≤": "<=", "≥": ">=", "≠": "!="})
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
FUNCTIONS = {
    "where": np.where, "sign": np.sign, "abs": np.abs, "max": np.maximum, "min": np.minimum, "outer": np.outer,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": np.vectorize(math.erf),
    "sum": lambda x: np.sum(x, 0, keepdims=True),
    "transposed": lambda x: np.swapaxes(x, -1, -2) if np.ndim(x) > 1 else x,
    **{each: getattr(np, each) for each in ("exp exp2 log cos sin tan sinh cosh tanh isnan isfinite sqrt logical_and "
                                            "logical_or logical_not").split()},
}  # fmt: skip


class OfArrays(ast.NodeTransformer):
    """Replaces signs that Python reads differently, or not for arrays, by calls of functions."""

    def visit(self, node):
        self.generic_visit(node)
        match node:
            case ast.BoolOp(op, (first, *others)):
                return reduce(partial(call, "logical_and" if isinstance(op, ast.And) else "logical_or"), others, first)
            case ast.UnaryOp(ast.Not(), operand):
                return call("logical_not", operand)
            case ast.UnaryOp(ast.Invert(), operand):
                return call("sqrt", operand)
            case ast.Attribute(value, "T"):
                return call("transposed", value)
        return node


def call(function, *arguments):
    return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])


def read(text, values):
    """The result of a text, with *values* for its names."""
    text = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"**({found[0].translate(PLAIN)})", text)
    tree = ast.parse(text.replace(" = ", " == ").translate(SIGNS), mode="eval")
    return eval(compile(ast.fix_missing_locations(OfArrays().visit(tree)), text, "eval"), FUNCTIONS | values)


CONSTANTS = {
    "exponent": 3, "alpha": 2, "beta": 3, "threshold": 0.3, "value": 2.5, "weight": 0.25, "min": -0.5, "max": 0.5,
    "dim": (0,), "keepdim": False, "reduction": 1, "negative_slope": 0.1, "eps": None, "other": 1.7, "self": 1.3,
    "dim0": 0, "dim1": 1, "normalized_shape": (3,),
}  # fmt: skip
SHAPES = {
    "dot": {"grad": ()}, "mv": {"grad": (2,), "self": (2, 3), "vec": (3,)},
    "mm": {"grad": (2, 4), "self": (2, 3), "mat2": (3, 4)},
    "bmm": {"grad": (2, 2, 4), "self": (2, 2, 3), "mat2": (2, 3, 4)},
    "addmm": {"grad": (2, 4), "mat1": (2, 3), "mat2": (3, 4), "self_sym_sizes": (2, 4)},
    "sum": {"grad": ()}, "mean": {"grad": ()}, "sum.dim_IntList": {"grad": (3,)},
    "mean.dim": {"grad": (3,)},
    "logsumexp": {"grad": (3,), "result": (3,)},
}  # fmt: skip


def sample(row, parameter):
    """Arrays and constants for a formula's inputs; positive numbers below one, where most functions are smooth."""
    generator = np.random.default_rng(len(row.name))
    shapes, found = SHAPES.get(row.name, {}), {}
    for each in ("grad", *row.reads[parameter]):
        if each in ("mask", "condition"):
            found[each] = generator.random((2, 3)) > 0.5
        elif each == "grad" or each in row.tensors or each in row.returns:
            found[each] = 0.1 + 0.8 * generator.random(shapes.get(each, (2, 3)))
        elif each.endswith("_sizes"):
            found[each] = shapes.get(each, (2, 3))
        else:
            found[each] = CONSTANTS.get(each)
    return found


def label(each):
    return "incoming" if each == "grad" else each


def as_expressions(found):
    return {each: name(label(each), value.shape) if isinstance(value, np.ndarray) else value
            for each, value in found.items()}  # fmt: skip


load_table()
RULES = [(row, parameter) for row in operations.values() for parameter in row.formulas]
ARITHMETIC = [
    pytest.param(row, parameter, id=f"{row.name}-{parameter}")
    for row, parameter in RULES
    if not row.variadic and row.returns and len(row.returns) == 1
    and rule(row, parameter, as_expressions(sample(row, parameter))) is not None
]  # fmt: skip


@pytest.mark.parametrize("row, parameter", ARITHMETIC)
def test_the_text_of_a_row_says_what_its_code_computes(row, parameter):
    found = sample(row, parameter)
    text = expression_text(rule(row, parameter, as_expressions(found)), digits=17)
    values = {label(each): value for each, value in found.items()} | {"nan": math.nan, "inf": math.inf}
    with np.errstate(all="ignore"):
        expected = np.asarray(row.formulas[parameter](found["grad"], *(found[each] for each in row.reads[parameter])))
        computed = read(text, values)
    while np.ndim(computed) > expected.ndim:
        computed = np.sum(computed, 0)  # the sentence says that it is summed to the shape of the input
    computed = np.broadcast_to(computed, expected.shape)
    np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-15, err_msg=text)


@pytest.mark.parametrize("row, parameter", ARITHMETIC)
def test_the_text_with_numbers_comes_to_the_same(row, parameter):
    found = sample(row, parameter)
    each = rule(row, parameter, as_expressions(found))
    if any(value.size > labels.FEW or value.ndim for value in found.values() if isinstance(value, np.ndarray)):
        found = {key: value.flat[0] if isinstance(value, np.ndarray) else value for key, value in found.items()}
    numbers = {label(key): labels.number(value, 17) for key, value in found.items() if isinstance(value, np.generic)}
    names = {"True": True, "False": False, "nan": math.nan, "inf": math.inf}
    if any(part in expression_text(each) for part in ("@", "ᵀ", "outer", "sum(")):
        return  # of matrices; numbers stand there in brackets
    with np.errstate(all="ignore"):
        by_name = read(expression_text(each, digits=17), {label(key): value for key, value in found.items()} | names)
        by_number = read(expression_text(each, numbers, digits=17), names)
    np.testing.assert_allclose(by_number, by_name, rtol=1e-12)


def test_every_row_has_a_text_or_a_sentence():
    written_out = {case.values[0].name for case in ARITHMETIC}
    missing = {row.name for row, _ in RULES} - written_out - set(sentences.RULES)
    assert not missing, f"microscope.toml: rules lack a sentence for {sorted(missing)}"
    assert len(written_out) > 100


def test_a_formula_that_needs_elements_is_no_arithmetic():
    assert rule(operations["select"], "self", {"grad": name("g"), "self_sym_sizes": (3,), "dim": 0, "index": 1}) is None
    with pytest.raises(TypeError):
        bool(Expression("name", "a"))
    with pytest.raises(TypeError):
        np.cumsum(name("a"))


@pytest.mark.parametrize("value, text", [
    (0.6000000238418579, "0.6"), (1e-12, "1e−12"), (-3, "−3"), (1234567, "1.235e6"), (np.float32(0.1), "0.1"),
    (True, "True"), (math.inf, "inf"), (-math.inf, "−inf"), (math.nan, "nan"), (np.int64(7), "7"),
])  # fmt: skip
def test_numbers_are_short(value, text):
    assert labels.number(value) == text
