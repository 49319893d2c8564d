"""Every word that widgets show of their own: the tables of words.toml, a dict for each widget."""

import tomllib
from pathlib import Path

_tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
KIT, BENCH, STEP, PREDICT = (_tables[name] for name in ("kit", "bench", "step", "predict"))
TANGENT, WORKSHOP, TRAINING = (_tables[name] for name in ("tangent", "workshop", "training"))
PRODUCT = _tables["vector_jacobian"]
