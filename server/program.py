"""The program that a respondent's browser loads: `client/browser/` without comment and indentation.

A third of those files explains why; a phone on a slow network need not load that before it can
ask. Only whole lines of comment, and the spaces before a line, are left out, so that what is served
is, line by line, what is in the repository, and anybody can compare the two.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_COMMENT: Final = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
_INDENTATION: Final = re.compile(rb"^[ \t]+", re.MULTILINE)
_COMMENTED: Final = {".js", ".css"}


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
    if file.suffix not in _COMMENTED:
        return content
    return _INDENTATION.sub(b"", _COMMENT.sub(b"", content)).lstrip()
