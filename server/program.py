"""The program that a respondent's browser loads: `client/browser/` without the lines of comment.

A third of those files explains why; a phone on a slow network need not load that before it can
ask. Only whole lines of comment are left out, so that what is served is, line by line, what is
in the repository, and anybody can compare the two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

_COMMENT: Final = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
_COMMENTED: Final = {".js", ".css"}


@lru_cache(maxsize=256)
def served(file: Path) -> bytes:
    """Return what is served of a file.

    Parameters
    ----------
    file : Path
        Of `client/browser/`.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    content = file.read_bytes()
    return _COMMENT.sub(b"", content).lstrip() if file.suffix in _COMMENTED else content
