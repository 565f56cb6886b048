"""The program that a browser loads: `client/browser/` without comments and white space.

A third of those files explains why; a phone on a slow network need not load that before it can
ask. Names and statements stay as they are written, in their order, so that anybody can compare what
is served with what is in the repository.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rcssmin import cssmin
from rjsmin import jsmin

_MINIFIERS: Final[dict[str, Callable[[str], str]]] = {".js": jsmin, ".css": cssmin}


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
    minify = _MINIFIERS.get(file.suffix)
    if minify is None:
        return file.read_bytes()
    return minify(file.read_text(encoding="utf-8")).encode()
