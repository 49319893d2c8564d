"""Writes README.md's badge and links from the settings under [project.urls] in pyproject.toml.

    python binder/links.py [--check]

Repository gives the badge and each chapter's links, and an address to README.md's other links, so that they work where
a package index shows it. Documentation is where the site is: pictures that lead to chapters, of the Korean README too,
lead to its pages then, where steppers step, and those of a program to the page that runs it; so does a link below each
of README.md's first pictures. --check changes nothing and fails when something would change.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

from autograd_nb.widgets.links import address_ending

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"(<!-- links -->\n).*?(<!-- /links -->)", re.DOTALL)
LIVE = re.compile(r"(<!-- live (\w+) -->).*?(<!-- /live -->)")
CLONE = re.compile(r"(<!-- clone -->).*?(<!-- /clone -->)")
# A file of the repository in README.md: where it is linked, and its address with a repository or without one
FILE = re.compile(r"(?<=\]\()(?:https://[^)\s]*?/(?:blob|raw)/HEAD/)?(?![\w+]+://)([^)#\s][^)\s]*)(?=\))")
PICTURES = (".svg", ".png")
# a picture of a translation has the language in its name, map_walk.ko.svg
PANEL = re.compile(r"(\[!\[[^\]]*\]\((?:[^)]*/)?(\w+)\.(?:(\w\w)\.)?(?:svg|png)\)\]\()([^)]+)\)")
# the programs of pictures, each with its chapter
WALK = "x = torch.tensor(5., requires_grad=True)\ny = x**3\nz = torch.log(y)\nz.backward()\n"
WHY = """import torch
from autograd_nb import record, why

w = torch.tensor([1.0, 2.0], requires_grad=True)
mask = torch.tensor([0.0, 1.0])
with record() as trace:
    bias = (1 - mask) * float("-inf")
    loss = (w + bias).softmax(0)[1]
    loss.backward()
why(w, trace)
"""
CHAPTERS = {"card": "04_accumulation"}  # pictures of a chapter
PLAYED = {"walk": ("03_backward", f"import torch\n\n{WALK}"), "why": ("18_your_own_pytorch_code", WHY)}
# scheme and user of an address; its host, port and path, as a browser or as git writes them
ADDRESS = re.compile(
    r"(?:[\w+]+://)?(?:[^@/]+@)?(?:www\.)?(?P<host>\w[\w-]*(?:\.[\w-]+)+)(?::\d+)?[:/]+(?P<path>[^?#\s]+)"
)
INNER = re.compile(r"/(?:-|tree|blob|raw|src|commits?|releases)(?:/.*)?$")  # pages inside a repository


def repository(address):
    """Host and path of a repository, whichever form its address has; ValueError for what is none.

    >>> repository("git@github.com:someone/course.git") == repository("http://www.github.com/someone/course/tree/main/")
    True
    >>> repository("ssh://git@gitlab.com:22/group/team/course.git")
    ('gitlab.com', 'group/team/course')
    """
    found = ADDRESS.fullmatch(address.strip())
    path = INNER.sub("", found["path"].rstrip("/")).rstrip("/").removesuffix(".git") if found else ""
    if "/" not in path:
        raise ValueError(f"Repository is {address!r}, expected an address such as https://github.com/someone/course")
    return found["host"].lower(), path


def binder(host, path, chapter):
    """Where Binder opens a chapter.

    >>> binder("github.com", "someone/course", "00_welcome.ipynb")
    'https://mybinder.org/v2/gh/someone/course/HEAD?urlpath=lab/tree/notebooks/00_welcome.ipynb'
    """
    providers = {"github.com": "gh/" + path, "gitlab.com": "gl/" + quote(path, safe="")}
    source = providers.get(host, "git/" + quote(f"https://{host}/{path}", safe=""))
    return f"https://mybinder.org/v2/{source}/HEAD?urlpath=lab/tree/notebooks/{chapter}"


def nbviewer(host, path, chapter):
    """Where nbviewer shows a chapter; nothing where it does not know how a host serves files."""
    places = {"github.com": f"github/{path}/blob", "gitlab.com": f"urls/gitlab.com/{path}/-/raw"}
    return f"https://nbviewer.org/{places[host]}/HEAD/notebooks/{chapter}" if host in places else ""


def colab(host, path, chapter):
    """Where Colab opens a chapter; nothing for hosts other than GitHub."""
    place = f"https://colab.research.google.com/github/{path}/blob/HEAD/notebooks/{chapter}"
    return place if host == "github.com" else ""


def links(address):
    """README.md's lines for an address, or for none."""
    if not address:
        return ""
    host, path = repository(address)
    chapters = sorted(file.name for file in (ROOT / "notebooks").glob("*.ipynb") if ".new" not in file.name)
    badge = f"[![Open the course on Binder](https://mybinder.org/badge_logo.svg)]({binder(host, path, chapters[0])})"
    rows = []
    for chapter in chapters:
        places = {"run it on Binder": binder, "run it on Colab": colab, "read it on nbviewer": nbviewer}
        found = [f"[{told}]({place})" for told, make in places.items() if (place := make(host, path, chapter))]
        rows.append(f"- {chapter.removesuffix('.ipynb').replace('_', ' ')}: {', '.join(found)}")
    if colab(host, path, ""):
        rows += ["", f"On Colab begin with a cell `%pip install -q git+https://{host}/{path}`."]
    folded = ["<details><summary>Each chapter</summary>", "", *rows, "", "</details>"]
    return "\n".join([badge, "", *folded, ""])


def files(text, address):
    """A text whose links to files of the repository have its address, or none where there is none.

    >>> files("![A step](step.svg) [more](docs/site.md#lite)", "https://github.com/someone/course")
    '![A step](https://github.com/someone/course/raw/HEAD/step.svg) [more](https://github.com/someone/course/blob/HEAD/docs/site.md#lite)'
    >>> files(_, None)
    '![A step](step.svg) [more](docs/site.md#lite)'
    """
    base = "https://{}/{}/".format(*repository(address)) if address else ""

    def addressed(found):
        kind = "raw" if found[1].endswith(PICTURES) else "blob"
        return f"{base}{kind}/HEAD/{found[1]}" if base else found[1]

    return FILE.sub(addressed, text)


def panels(text, site):
    """A text whose pictures that lead to a chapter lead to its page of the site, or without one to its notebook.

    >>> panels("[![A step](step.svg)](notebooks/16_training.ipynb)", "https://a.b/c/")
    '[![A step](step.svg)](https://a.b/c/16_training.html)'
    """

    def opened(found):
        chapter = re.search(r"\d\d_\w+", found[4])
        chapter, code = PLAYED.get(found[2], (chapter and chapter[0], ""))
        folder = f"{found[3]}/" if found[3] else ""
        target = page(site, f"{folder}{chapter}", code) if site else f"notebooks/{chapter}.ipynb"
        return f"{found[1]}{target})" if chapter else found[0]

    return PANEL.sub(opened, text)


def live(text, site):
    """A text with a link below each picture that asks for one, to the page where it is alive, if there is a site.

    >>> live("<!-- live card --><!-- /live -->", "https://a.b/c/")
    '<!-- live card --><br>[try it here](https://a.b/c/04_accumulation.html)<!-- /live -->'
    """

    def link(found):
        target = page(site, CHAPTERS.get(found[2]), PLAYED.get(found[2], ("", ""))[1]) if site else ""
        return f"{found[1]}{target and f'<br>[try it here]({target})'}{found[3]}"

    return LIVE.sub(link, text)


def page(site, chapter, code):
    """The address of a chapter's page, or of the page that runs a program."""
    return f"{site.rstrip('/')}/{f'play/{address_ending(code)}' if code else f'{chapter}.html'}"


def clone(text, address):
    """A text that says how to get a clone, if the repository has an address.

    >>> clone("<!-- clone --><!-- /clone -->", "git@github.com:someone/course.git")
    '<!-- clone -->First `git clone https://github.com/someone/course && cd course`, then:<!-- /clone -->'
    """
    host, path = repository(address) if address else ("", "")
    line = f"First `git clone https://{host}/{path} && cd {path.rpartition('/')[2]}`, then:" if address else ""
    return CLONE.sub(lambda place: place[1] + line + place[2], text)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Write README.md's links from [project.urls] in pyproject.toml.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when something would change")
    check = parser.parse_args(arguments).check
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = project.get("urls", {})
    before = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.ko.md")}
    site = urls.get("Documentation")
    after = {name: live(panels(files(text, None), site), site) for name, text in before.items()}
    try:
        text = links(urls.get("Repository"))
        address = urls.get("Repository")
        after = {name: clone(files(each, address), address) for name, each in after.items()}
    except ValueError as error:
        return f"binder/links.py: {error}"
    after["README.md"], places = PLACE.subn(lambda place: place[1] + text + place[2], after["README.md"])
    if not places:
        return "binder/links.py: README.md has no place for links: lines <!-- links --> and <!-- /links -->"
    if check:
        return "README.md's links are not pyproject.toml's; run: python binder/links.py" if after != before else 0
    for name, text in after.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
