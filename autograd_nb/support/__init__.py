"""What there is of PyTorch here, what there is not and where the two differ: the text of SUPPORT.md.

The names come from the namespaces themselves and from the recorded list of PyTorch's, the rules from the table, the
differences from ``differences.toml``.  ``python -m autograd_nb.support`` writes the page, ``--check`` says whether it
is up to date.
"""

import importlib
import re
import textwrap
import tomllib
from pathlib import Path

from ..engine import table
from ..torch_api import contents
from ..torch_api.absent import INSTEAD, pytorch_names

HOME = Path(__file__).parent
PAGE = HOME.parent.parent / "SUPPORT.md"
DIFFERENCES = HOME / "differences.toml"

NAMESPACES = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.functional",
    "torch.autograd.graph", "torch.func", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler", "torch.random", "torch.utils.checkpoint",
)  # fmt: skip

# Why names are missing, by what is in them; the first that fits counts.
REASONS = {
    "devices other than the CPU":
        r"cuda|xpu|mtia|ipu|hpu|mps|vulkan|miopen|cudnn|hip|Stream|Event$|pin_memory|[Dd]evice|accelerator|gpu",
    "sparse, quantised, nested and other layouts":
        r"sparse|csr|csc|bsr|coo$|coalesce|indices|dense|mkldnn|quant|^q_|^qu?int|qscheme|nested|padded|fbgemm|fake_"
        r"|int_repr|[sdh]s?p?mm$|^values|values_copy|sspaddmm|saddmm|observed|^choose_q|layout|Scaling|Swizzle|scaled_",
    "complex numbers":
        r"complex|[Cc]onj|angle|imag|polar|i?stft|cfloat|cdouble|chalf|^eig$|eigvals$|^view_as_real|resolve_neg",
    "bfloat16 and narrower dtypes": r"bfloat16|BFloat16|float8|float4|[u]?int[1-7]$|uint16|uint32|uint64|bits|^bit",
    "compilers, exporters and what they are built of":
        r"compile|jit|[Ss]cript|fork|wait|fx|export|parse_|ir_module|Type$|Types$|Storage|storage|Dispatch|^import_|vmap"
        r"|cond$|while_loop|Graph|Schema|[Mm]odule.*Builder|Alias|Argument|Use$|Block|Value$|unify|merge_type|_copy$|Gather",
    "several processes": r"distributed|multiprocessing|DataParallel|SyncBatchNorm|share_memory|Parallel",
    "mixed precision": r"autocast|amp$|GradScaler",
    "recurrent layers and attention": r"[Rr][Nn][Nn]|[Ll][Ss][Tt][Mm]|[Gg][Rr][Uu]|Transformer|[Aa]ttention",
    "layers that find out their sizes later": r"^Lazy|Uninitialized",
    "layers and functions for volumes": r"3d|3D",
}  # fmt: skip
OTHER = "other names"


def home_of(namespace):
    """The object that stands for PyTorch's *namespace*, or None."""
    _, _, path = namespace.partition(".")
    if path == "Tensor":
        return importlib.import_module("autograd_nb").Tensor
    try:
        return importlib.import_module("autograd_nb" + (path and f".{path}"))
    except ModuleNotFoundError:
        return None


def divided(namespace):
    """PyTorch's names in a namespace: those that are there, and those that are missing.

    >>> there, missing = divided("torch.func")
    >>> "grad" in there, "vmap" in missing
    (True, True)
    """
    home, there, missing = home_of(namespace), [], []
    for name in sorted(pytorch_names(namespace), key=lambda name: (name.lower(), name)):
        (there if hasattr(home, name) else missing).append(name)
    return there, missing


def reason(name):
    """Why a name is missing, one of the keys of REASONS or OTHER.

    >>> reason("to_sparse")
    'sparse, quantised, nested and other layouts'
    """
    return next((why for why, pattern in REASONS.items() if re.search(pattern, name)), OTHER)


def differences():
    """The entries of differences.toml: dicts of title, why, program, pytorch and autograd_nb."""
    with open(DIFFERENCES, "rb") as file:
        return tomllib.load(file)["difference"]


# -- the page ----------------------------------------------------------------------------------------------------------


def paragraph(text):
    return textwrap.fill(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False)


def listed(names):
    return paragraph(", ".join(f"`{name}`" for name in names))


def page():
    """The text of SUPPORT.md."""
    return "\n\n".join([INTRODUCTION, *there_is(), *rules(), *there_is_not(), *where_they_differ()]) + "\n"


INTRODUCTION = """# What there is of PyTorch

<!-- written by `python -m autograd_nb.support`; tests/test_support.py says when it is out of date -->

autograd_nb follows PyTorch 2.13 on the CPU. What is listed here as being there behaves as PyTorch's does, down to the
text of errors, but for the [differences](#where-we-differ-knowingly) at the end. Whatever is missing says so when it is
asked for: `torch.NAME is not part of autograd_nb`."""


def there_is():
    yield "## What is there"
    lines = ["| namespace | names there | of PyTorch's |", "|---|---|---|"]
    lists = []
    for namespace in NAMESPACES:
        there, missing = divided(namespace)
        lines.append(f"| `{namespace}` | {len(there)} | {len(there) + len(missing)} |")
        lists.append(f"<details><summary><code>{namespace}</code></summary>\n\n{listed(there)}\n\n</details>")
    yield "\n".join(lines)
    yield from lists


def rules():
    """What the table has: how many operations, and what each of them can."""
    contents.load_table()
    rows = table.operations.values()
    with_formulas = [row for row in rows if row.formulas]
    element_wise = [row for row in with_formulas if row.element_wise]
    linear = [row for row in with_formulas if row.linear]
    refused = sorted({row.no_forward.removeprefix("aten::") for row in rows if row.no_forward})
    yield "## The table of derivatives"
    yield paragraph(
        f"{len(rows)} operations, {len(with_formulas)} with a derivative: {sum(len(row.formulas) for row in rows)} "
        "formulas, each written once. They serve backward passes and, as graphs again, derivatives of any order. In "
        f"forward mode {len(element_wise)} operations run their formula on the tangent (element by element a map is "
        f"its own transpose), {len(linear)} are linear and run on the tangents as they are, and all others transpose "
        f"their formula. As in PyTorch, {listed(refused)} have no forward mode."
    )


def there_is_not():
    yield "## What is not there"
    yield paragraph(
        "Each of these names raises an AttributeError that says so, and what to use instead where there is something: "
        + "; ".join(f"`{name}`: {what}" for name, what in INSTEAD.items()) + "."
    )
    groups = {}
    for namespace in NAMESPACES:
        for name in divided(namespace)[1]:
            groups.setdefault(reason(name), {}).setdefault(namespace, []).append(name)
    for why in (*REASONS, OTHER):
        if why in groups:
            count = sum(map(len, groups[why].values()))
            body = "\n\n".join(f"`{namespace}`: {listed(names)}" for namespace, names in groups[why].items())
            yield f"<details><summary>{why} ({count})</summary>\n\n{body}\n\n</details>"


def where_they_differ():
    yield "## Where we differ knowingly"
    for each in differences():
        yield "\n\n".join([
            f"### {each['title']}",
            "\n\n".join(map(paragraph, each["why"].strip().split("\n\n"))),
            f"```python\n{each['program'].strip()}\n```",
            f"PyTorch:\n\n```text\n{each['pytorch'].strip()}\n```",
            f"autograd_nb:\n\n```text\n{each['autograd_nb'].strip()}\n```",
        ])  # fmt: skip
