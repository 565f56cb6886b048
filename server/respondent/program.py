"""The program that a browser loads, and the hashes by which it refuses altered files.

It is the code in `client/browser/`, without comments and with the modules joined: readable in the
browser, and with its comments in every release.

A page names the hash of each script that it loads (Subresource Integrity), and its policy the
hashes of its inline scripts and styles. So a file is not run if it was altered after the page was
made: by a cache, a proxy, or an attacker who can write to the folder but not to the running server.
The page of questions holds its scripts, and each page its styles, since no browser lets a policy
allow an external style by its hash. Against an attacker who alters both page and files, only a
comparison with the release helps, as by ``deniable verify``.
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
"""The only folder whose files are served; the Python beside it is not."""

LEAVE: Final = "leave.js"
"""The script that every page with an exit loads, before any other."""

ONWARD: Final = "onward.js"
"""The script of the page at an altered address, for example a survey's with a query."""


@dataclass(frozen=True)
class Program:
    """The files that a browser loads."""

    files: dict[str, bytes]  # scripts by name, in the order of a page
    styles: dict[str, Markup]  # inline styles by file name, in the order of a page
    hashes: dict[str, str]  # of scripts and styles, by the same names


@cache
def load(folder: Path) -> Program:
    """Read the files of a folder once: files that are altered later are not served."""
    # Imported here, because it loads a reader of catalogues, which few commands need.
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
    # Unescaped: like the scripts, it is our own text and holds none of a survey.
    marked = {name: Markup(text) for name, text in styles.items()}  # noqa: S704
    return Program(files, marked, dict(sorted(hashes.items())))


def with_languages(parts: tuple[str, ...], languages: tuple[str, ...]) -> tuple[str, ...]:
    """Put these parts' sentences in the page's languages before them; none for English alone."""
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
    """Return a file's hash in the form of `integrity`: ``sha256-`` and base64."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
