"""Other tools' pictures of one network, and their times: measures the table of docs/microscope.md again.

    pip install torchviz torchlens torchvista; apt-get install graphviz
    python tests/tools/beside_others.py

Three Linear layers with ReLU between them, a batch of four, one thread. Each tool runs once before its time counts.
"""

import contextlib
import importlib.metadata
import os
import tempfile
import time
from pathlib import Path

import autograd_nb


def network():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = [torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)]
    return torch.nn.Sequential(*layers), torch.randn(4, 8)


def torchviz():
    import torchviz

    model, batch = network()
    dot = lambda: torchviz.make_dot(model(batch).sum(), dict(model.named_parameters()))  # noqa: E731
    yield "DOT of the graph of backward", lambda: dot().source
    yield "the same, drawn by dot", lambda: dot().pipe(format="svg")


def torchlens():
    import torchlens

    model, batch = network()
    yield "a log of forward", lambda: torchlens.trace(model, batch)

    def backward():
        log = torchlens.trace(model, batch)
        log.log_backward(log[log.output_layers[0]].out.sum())
        log.draw_backward(vis_outpath="backward", vis_fileformat="svg")
        return Path("backward.svg").read_text(encoding="utf-8")

    yield "the graph of backward, drawn by dot", backward


def torchvista():
    from torchvista import trace_model

    model, batch = network()

    def html():
        trace_model(model, batch, export_format="html", export_path="vista.html")
        return Path("vista.html").read_text(encoding="utf-8")

    yield "HTML of forward", html


def own():
    model, batch = network()
    yield "draw", lambda: autograd_nb.draw(model(batch).sum()).svg

    def steps():
        autograd_nb.step(model(batch).sum().backward).save("steps.html")
        return Path("steps.html").read_text(encoding="utf-8")

    yield "step, saved as a page", steps


def measured(call):
    """The result of the second of two calls, and its seconds, in an empty folder without its output."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            call()
            for each in Path(folder).iterdir():
                each.unlink()
            start = time.perf_counter()
            return call(), time.perf_counter() - start


if __name__ == "__main__":
    for tool in (torchviz, torchlens, torchvista, own):
        name = "autograd-nb" if tool is own else tool.__name__
        for what, call in tool():
            made, seconds = measured(call)
            size = f"{len(made):,} bytes, " if isinstance(made, str | bytes) else ""
            print(f"{name} {importlib.metadata.version(name)}: {what}: {size}{seconds:.3f} s")
