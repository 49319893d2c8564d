"""``python tests/tools/record_experiments.py`` runs the experiments on PyTorch and writes course/recorded.json."""

import hashlib
import json

from experiments import run

from autograd_nb.course import library


def is_current(name):
    """Whether the recording comes from the present program."""
    return library.recorded_results()["programs"].get(library.find_experiment(name), {}).get("sha256") == digest(name)


def digest(name):
    return hashlib.sha256(library.experiment_source(name).encode()).hexdigest()[:16]


def write():
    import torch

    records = []
    for name in library.experiment_names():
        record = run(name, "torch") | {"sha256": digest(name)}
        records.append(f'"{name}": ' + json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    version = torch.__version__.partition("+")[0]
    text = f'{{"torch": "{version}",\n"programs": {{\n' + ",\n".join(records) + "\n}}\n"
    library.RECORDING.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
