"""The program that a browser loads: the modules of `client/browser/`, joined and made small.

A third of those files explains why; a phone on a slow network need not load that before it can
ask. Comments and white space are left out; names and statements stay as they are written, in their
order, so that anybody can compare what is served with what is in the repository.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rcssmin import cssmin
from rjsmin import jsmin

from deniable.server.joining import joined, starts

_MINIFIERS: Final[dict[str, Callable[[str], str]]] = {".js": jsmin, ".css": cssmin}


def program_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are served.

    Parameters
    ----------
    folder : Path
        `client/browser/`, or a copy of it.

    Returns
    -------
    list of Path
        In the order of the names. What a program imports is served as a part of it, and not by
        itself.
    """
    programs = starts(folder)
    return sorted(
        file for file in folder.iterdir() if file.suffix != ".js" or file.stem in programs
    )


def served(file: Path) -> bytes:
    """Return what is served of a file.

    Parameters
    ----------
    file : Path
        One of `program_files`.

    Raises
    ------
    JoiningError
        If the modules that it imports cannot be joined to it.
    OSError
        If it cannot be read.
    """
    if file.suffix not in _MINIFIERS:
        return file.read_bytes()
    is_program = file.suffix == ".js"
    text = joined(file.parent, file.stem) if is_program else file.read_text(encoding="utf-8")
    return _MINIFIERS[file.suffix](text).encode()
