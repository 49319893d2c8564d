"""Writes README.md's Binder badge from one setting: the Repository address under [project.urls] in pyproject.toml.

    python binder/link.py [--check]

While there is no such address, README.md carries no badge. --check changes nothing and exits with 1 when README.md
would change.
"""

import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"(<!-- binder -->).*?(<!-- /binder -->)", re.DOTALL)


def badge(repository):
    """The badge's markdown for a repository's address; nothing for None.

    >>> print(badge("https://github.com/someone/course.git"))
    [![Open the course on Binder](https://mybinder.org/badge_logo.svg)](https://mybinder.org/v2/gh/someone/course/HEAD?urlpath=lab/tree/notebooks/00_welcome.ipynb)
    """
    if not repository:
        return ""
    address = urlsplit(repository)
    path = address.path.strip("/").removesuffix(".git")
    providers = {"github.com": "gh/" + path, "gitlab.com": "gl/" + quote(path, safe="")}
    source = providers.get(address.hostname, "git/" + quote(repository, safe=""))
    link = f"https://mybinder.org/v2/{source}/HEAD?urlpath=lab/tree/notebooks/00_welcome.ipynb"
    return f"[![Open the course on Binder](https://mybinder.org/badge_logo.svg)]({link})"


def main(arguments):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = ROOT / "README.md"
    before = readme.read_text(encoding="utf-8")
    text = badge(project.get("urls", {}).get("Repository"))
    after = PLACE.sub(lambda place: place[1] + text + place[2], before)
    if arguments == ["--check"]:
        return int(after != before)
    readme.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
