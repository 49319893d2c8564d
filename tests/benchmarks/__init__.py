"""How fast the engine is beside PyTorch: one table from one run, `python -m tests.benchmarks`.

`workloads` states what is run, once, against the torch API; `measure` runs both sides in one process, interleaved, and
compares their results; `report` prints.
Every side gets one thread, which the numerical libraries must hear of before they load: hence the lines below.
"""
import os

for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
