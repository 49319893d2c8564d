"""How fast the engine is beside PyTorch: `python -m tests.benchmarks` prints four tables.

`calls` has everyday calls one by one, `programs` whole training programs, `rows` (`workloads`) graphs of one kind, and
`recordings` training steps of small networks, plain and inside `record()`. Each is stated once, against the torch API;
`measure` runs all sides in one process, interleaved, and compares their results; `report` prints.
Every side gets one thread, which the numerical libraries must hear of before they load: hence the lines below.
"""
import os

for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
