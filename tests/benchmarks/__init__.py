"""How fast the engine is beside PyTorch: `python -m tests.benchmarks` prints three tables.

`calls` has everyday calls one by one, `programs` whole training programs, and `recordings` training steps of small
networks, plain and inside `record()`. Each is written once, with the torch API; `measure` runs all sides in one
process, interleaved, and compares their results; `report` prints. Every side gets one thread. The lines below set this,
because the numerical libraries read it when they load.
"""
import os

for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
