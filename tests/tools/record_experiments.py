"""``python tests/tools/record_experiments.py`` runs the experiments on PyTorch and writes down what they did."""

import hashlib
import json

from experiments import FILES, RECORDINGS, recorded, run, source


def is_current(name):
    """Whether the recording comes from the present program."""
    return recorded().get(name, {}).get("sha256") == digest(name)


def digest(name):
    return hashlib.sha256(source(name).encode()).hexdigest()[:16]


def write():
    import torch

    version = torch.__version__.partition("+")[0]
    for folder, recording in RECORDINGS.items():
        records = []
        for name in (name for name, path in FILES.items() if path.parent == folder):
            record = run(name, "torch") | {"sha256": digest(name)}
            records.append(f'"{name}": ' + json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        text = f'{{"torch": "{version}",\n"programs": {{\n' + ",\n".join(records) + "\n}}\n"
        recording.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
