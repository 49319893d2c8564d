"""Every word that widgets show of their own: the tables of words.toml, a dict for each widget; and their examples."""

import tomllib
from pathlib import Path

from ..replay import language

EXAMPLES = tomllib.loads(Path(__file__).with_name("examples.toml").read_text("utf-8"))
_tables = language.translated(__file__, "widgets")
KIT, BENCH, STEP, PREDICT = (_tables[name] for name in ("kit", "bench", "step", "predict"))
EXERCISE = _tables["exercise"]
TANGENT, WORKSHOP, TRAINING = (_tables[name] for name in ("tangent", "workshop", "training"))
PRODUCT, LANDSCAPE, UNFOLDING = (_tables[name] for name in ("vector_jacobian", "landscape", "unfolding"))
NUDGE = _tables["nudge"]
