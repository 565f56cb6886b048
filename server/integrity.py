"""The hashes of the respondent's program, by which a browser refuses any other.

The page names them where it loads a file (Subresource Integrity), so that a file which was altered
after the page was made is not run: by a cache, a proxy, or somebody who can write to the folder but
not to the running server. Against whoever alters both only a comparison with the release helps,
which is what ``deniable verify`` makes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

from deniable.server.program import served

STARTS: Final = "main.js"
"""The module that the page runs; it imports all others."""

_HASHED: Final = (".js", ".css")

# At the start of a line, or after the braces that end there: comments name types of modules too.
_IMPORT: Final = re.compile(r'^(?:import\b.*|\}) from "\./([\w-]+\.js)"', re.MULTILINE)


def integrity(content: bytes) -> str:
    """Return the hash of a file as browsers want it: ``sha256-`` and base64."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"


def program_hashes(folder: Path) -> dict[str, str]:
    """Return the hash of each module and style of a folder as it is served, by the file's name.

    Parameters
    ----------
    folder : Path
        Of the respondent's program.

    Returns
    -------
    dict
        In the order of the names, `STARTS` last: what it imports is named before it is run.
    """
    files = sorted(file for file in folder.iterdir() if file.suffix in _HASHED)
    files.sort(key=lambda file: file.name == STARTS)
    return {file.name: integrity(served(file)) for file in files}


def imported(folder: Path, start: str) -> tuple[str, ...]:
    """Return the names of the modules that one module imports, and of those that these import.

    Parameters
    ----------
    folder : Path
        Of the respondent's program.
    start : str
        A module's name.

    Returns
    -------
    tuple of str
        In the order of the names, without `start`. One that is not there is left out: the page that
        imports it does not start, and says so.
    """
    there = {file.name for file in folder.iterdir()}
    found: set[str] = set()
    left = {start}
    while left:
        found |= left
        text = "".join((folder / name).read_text(encoding="utf-8") for name in left)
        left = (set(_IMPORT.findall(text)) & there) - found
    return tuple(sorted(found - {start}))
