"""The program that a browser loads, and the hashes by which it refuses any other.

What is served is what stands in `client/browser/`, without its comments, the modules joined: a page
that asks to be checked can be read where it is shown, and with its comments in every release.

A page names the hashes where it loads a script (Subresource Integrity), and its policy those of all
that stands in it, so that a file which was altered after the page was made is not run: by a cache,
a proxy, or somebody who can write to the folder but not to the running server. The page of
questions holds its scripts, and each page its styles, since no browser lets a policy allow a style
in a file of its own by its hash. Against whoever alters both only a comparison
with the release helps, which is what ``deniable verify`` makes.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

import deniable.client
from deniable.server.respondent.joining import joined, without_comments
from deniable.text.languages import LANGUAGES

BROWSER_FOLDER: Final = Path(deniable.client.__file__).parent / "browser"
"""The only folder of which files are served; the Python beside it is not."""

LEAVE: Final = "leave.js"
"""The script that every page with an exit loads, before any other."""

ONWARD: Final = "onward.js"
"""The script of the page at an altered address, which may be a survey's with a query."""


@dataclass(frozen=True)
class Program:
    """What a browser loads."""

    files: dict[str, bytes]  # scripts, by their names, in the order in which a page has them
    styles: dict[str, Markup]  # what stands in pages, by the names of its files, in their order
    hashes: dict[str, str]  # of the scripts and the styles, by the same names


@cache
def load(folder: Path) -> Program:
    """Read what is served of a folder, once: what is altered afterwards is served to nobody."""
    # Here and not above: it loads a reader of catalogues, which few commands need.
    from deniable.server.respondent.catalogues import spoken  # noqa: PLC0415

    own = joined(folder)
    scripts = own | spoken(folder)
    parts = [name for name in own if name not in (LEAVE, "language.js", "main.js")]
    said = [*(f"words-{one}.js" for one in LANGUAGES), *(f"words-{one}" for one in parts)]
    order = [LEAVE, "language.js", *said, *parts, "main.js"]
    files = {name: scripts[name].encode() for name in order if name in scripts}
    styles = {
        file.name: without_comments(file.read_text(encoding="utf-8"))
        for file in sorted(folder.glob("*.css"))
    }
    hashes = {name: integrity(text.encode()) for name, text in styles.items()}
    hashes |= {name: integrity(body) for name, body in files.items()}
    # Written by us, as the scripts are, and escaped by nothing: it is no text of anybody's survey.
    marked = {name: Markup(text) for name, text in styles.items()}  # noqa: S704
    return Program(files, marked, dict(sorted(hashes.items())))


def with_languages(parts: tuple[str, ...], languages: tuple[str, ...]) -> tuple[str, ...]:
    """Put before the parts of a page what they say in its languages: none if English alone."""
    first = LANGUAGES[:1]
    if not parts or languages == first:
        return parts
    said = [*dict.fromkeys(first + languages), *(Path(part).stem for part in parts)]
    files = load(BROWSER_FOLDER).files
    return (
        "language.js",
        *(f"words-{one}.js" for one in said if f"words-{one}.js" in files),
        *parts,
    )


def integrity(content: bytes) -> str:
    """Return the hash of a file as browsers want it: ``sha256-`` and base64."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
