"""The program that a browser loads, and the hashes by which it refuses any other.

What is served is what stands in `client/browser/`, comments and all, the modules joined: a page
that asks to be checked can be read where it is shown.

The page names the hashes where it loads a file (Subresource Integrity), so that a file which was
altered after the page was made is not run: by a cache, a proxy, or somebody who can write to the
folder but not to the running server. Against whoever alters both only a comparison with the release
helps, which is what ``deniable verify`` makes.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import deniable.client
from deniable.server.respondent.joining import joined

BROWSER_FOLDER: Final = Path(deniable.client.__file__).parent / "browser"
"""The only folder of which files are served; the Python beside it is not."""

LEAVE: Final = "leave.js"
"""The script that every page with an exit loads, before any other."""

_HASHED: Final = (".js", ".css")


@dataclass(frozen=True)
class Program:
    """What a browser loads.

    Parameters
    ----------
    files : dict of str to bytes
        By the files' names, in their order.
    hashes : dict of str to str
        Of the scripts and the styles, by the same names.
    """

    files: dict[str, bytes]
    hashes: dict[str, str]


@cache
def load(folder: Path) -> Program:
    """Read what is served of a folder, once: what is altered afterwards is served to nobody.

    Parameters
    ----------
    folder : Path
        `BROWSER_FOLDER`, or a copy of it.

    Raises
    ------
    JoiningError
        If its modules cannot be joined.
    OSError
        If a file cannot be read.
    """
    files = {file.name: file.read_bytes() for file in folder.glob("*.css")}
    files |= {name: text.encode() for name, text in joined(folder).items()}
    files = dict(sorted(files.items()))
    hashes = {name: integrity(body) for name, body in files.items() if name.endswith(_HASHED)}
    return Program(files, hashes)


def integrity(content: bytes) -> str:
    """Return the hash of a file as browsers want it: ``sha256-`` and base64."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
