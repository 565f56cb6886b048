"""One file of all the modules that a page needs, so that a phone asks once and not two dozen times.

Browsers ask a server without HTTP/2 for six files at a time, and every turn takes a round trip: on
a slow phone network that was the longest part of the way to the first question.

Each module stands in the file as it is in the repository, in a function of its own, after those
that it imports. Its imports become lines that take from what these gave, its exports what it gives;
nothing else is changed, renamed or left out: who has read the modules has read the program.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

# As prettier writes them, from the start of a line.
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


class JoiningError(Exception):
    """Modules that cannot be joined; says which, and what is expected of it."""


def joined(folder: Path, start: str) -> str:
    """Join a module and all that it imports.

    Parameters
    ----------
    folder : Path
        Of the modules.
    start : str
        The name of the module that the page runs, without its ending.

    Returns
    -------
    str
        A module that does what it does, and exports the others by their names: they can be called
        as they are in the page, which is what an audit does.

    Raises
    ------
    JoiningError
        If a module is missing, needs itself, or imports or exports in another way than by
        ``import { … } from "./….js"`` and by ``export`` before what it defines.
    """
    done: dict[str, str] = {}
    _collect(folder, start, done, ())
    last = done.pop(start)
    others = [f"const ${name} = (() => {{\n{text}}})();\n" for name, text in done.items()]
    names = ", ".join(f"${name} as {name}" for name in done)
    return "".join([*others, last, f"export {{ {names} }};\n"])


def _collect(folder: Path, name: str, done: dict[str, str], within: tuple[str, ...]) -> None:
    """Put a module behind all that it imports, unless it is there already."""
    if name in within:
        raise JoiningError(f"{name}.js imports itself by way of {', '.join(within)}")
    if name in done:
        return
    try:
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
    except OSError as error:
        raise JoiningError(f"{name}.js: {error.strerror}") from None
    for _, other in _IMPORT.findall(text):
        _collect(folder, other, done, (*within, name))
    # `{ a as b }` is what stands left of `from`, `{ a: b }` what stands left of `=`.
    text = _IMPORT.sub(lambda found: f"const {found[1].replace(' as ', ': ')} = ${found[2]};", text)
    given = _EXPORT.findall(text)
    text = _EXPORT.sub("", text)
    if other_way := _OTHER.search(text):
        raise JoiningError(f"{name}.js: expected imports and exports by name, found {other_way[0]}")
    done[name] = f"{text}return {{ {', '.join(given)} }};\n" if within else text
