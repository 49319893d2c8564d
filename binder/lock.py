"""Writes binder/requirements.txt: the newest releases that fit together today, so that next year's build is this one.

    python binder/lock.py

Run it with the Python that runtime.txt names, on Linux, where pip reaches a package index. It installs nothing.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADING = "# Written by `python binder/lock.py`; the course comes from the repository itself.\n-e .[course]\n"


def resolved(report):
    """``name==version`` of what pip would install, but for the course itself.

    >>> print(resolved({"install": [{"metadata": {"name": "NumPy", "version": "2.4.0"}}]}))
    numpy==2.4.0
    """
    found = {each["metadata"]["name"].lower(): each["metadata"]["version"] for each in report["install"]}
    return "\n".join(f"{name}=={version}" for name, version in sorted(found.items()) if name != "autograd-nb")


def main():
    (wanted,) = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").split()
    if wanted != f"python-{sys.version_info.major}.{sys.version_info.minor}":
        return f"binder/lock.py: this is Python {sys.version.split()[0]}, and binder/runtime.txt asks for {wanted}"
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    ran = subprocess.run([*pip, f"{ROOT}[course]"], stdout=subprocess.PIPE, text=True)
    if ran.returncode:
        return "binder/lock.py: pip found no releases that fit together; binder/requirements.txt is as it was"
    text = HEADING + resolved(json.loads(ran.stdout)) + "\n"
    (ROOT / "binder" / "requirements.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
