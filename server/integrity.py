"""The hashes of the respondent's program, by which a browser refuses any other.

The page names them where it loads a file (Subresource Integrity), so that a file which was altered
after the page was made is not run: by a cache, a proxy, or somebody who can write to the folder but
not to the running server. Against whoever alters both only a comparison with the release helps,
which is what ``deniable verify`` makes.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Final

from deniable.server.program import program_files, served

_HASHED: Final = (".js", ".css")


def integrity(content: bytes) -> str:
    """Return the hash of a file as browsers want it: ``sha256-`` and base64."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"


def program_hashes(folder: Path) -> dict[str, str]:
    """Return the hash of each program and style of a folder as it is served, by the file's name.

    Parameters
    ----------
    folder : Path
        Of the respondent's program.

    Returns
    -------
    dict
        In the order of the names.
    """
    return {
        file.name: integrity(served(file))
        for file in program_files(folder)
        if file.suffix in _HASHED
    }
