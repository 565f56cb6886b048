"""One file of all the modules that a page needs, so that a phone asks once and not two dozen times.

Browsers ask a server without HTTP/2 for six files at a time, and every turn takes a round trip: on
a slow phone network that was the longest part of the way to the first question.

Each module stands in the file as it is in the repository, in a function of its own, after those
that it imports. Its imports become lines that take from what these gave, its exports what it gives;
nothing else is changed, renamed or left out: who has read the modules has read the program.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

# As prettier writes them, from the start of a line.
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_LATER: Final = re.compile(r'\bimport\("\./([a-z]+)\.js"\)')

_WHOLE: Final = "main"
"""The program of which parts may be loaded later."""


class JoiningError(Exception):
    """Modules that cannot be joined; says which, and what is expected of it."""


def starts(folder: Path) -> list[str]:
    """Return the names of the modules that pages load: those that no other one imports by name.

    And those that the main program loads later.
    """
    texts = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.js")}
    imported = {name for text in texts.values() for _, name in _IMPORT.findall(text)}
    return sorted(texts.keys() - imported | _parts(folder))


def modules(folder: Path, start: str) -> frozenset[str]:
    """Return the names of the files of which the program of that file consists.

    Parameters
    ----------
    folder : Path
        Of the modules.
    start : str
        The name of a file that a page loads.

    Returns
    -------
    frozenset of str
        With those that are loaded later.

    Raises
    ------
    JoiningError
        As `joined` does.
    """
    done: dict[str, str] = {}
    _collect(folder, start.removesuffix(".js"), done)
    later = _LATER.findall("".join(done.values()))
    return frozenset(f"{name}.js" for name in done).union(
        *(modules(folder, f"{name}.js") for name in later)
    )


def joined(folder: Path, start: str) -> str:
    """Join a module and all that it imports.

    Parameters
    ----------
    folder : Path
        Of the modules.
    start : str
        One of `starts`. One that another module imports as it runs, by ``import("./….js")``, is a
        part of the main program, and takes from that what is in it already.

    Returns
    -------
    str
        A module that does what it does and exports what it exports. The others are exported by
        their names: they can be called as they are in the page, which is what an audit does.

    Raises
    ------
    JoiningError
        If a module is missing, needs itself, or imports or exports in another way than by
        ``import { … } from "./….js"`` and by ``export`` before what it defines.
    """
    there: dict[str, str] = {}
    first = ""
    if start != _WHOLE and start in _parts(folder):
        _collect(folder, _WHOLE, there)
        first = f'import * as $ from "./{_WHOLE}.js";\n'
    done: dict[str, str] = {}
    _collect(folder, start, done, there)
    last = done.pop(start)
    others = [f"const ${name} = (() => {{\n{text}}})();\n" for name, text in done.items()]
    names = ", ".join(f"${name} as {name}" for name in done)
    return "".join([first, *others, last, f"export {{ {names} }};\n"])


def _parts(folder: Path) -> set[str]:
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.js")]
    return {name for text in texts for name in _LATER.findall(text)}


def _collect(
    folder: Path,
    name: str,
    done: dict[str, str],
    there: Collection[str] = (),
    within: tuple[str, ...] = (),
) -> None:
    """Put a module behind all that it imports, unless it is there already."""
    if name in within:
        raise JoiningError(f"{name}.js imports itself by way of {', '.join(within)}")
    if name in done or name in there:
        return
    text, imports = _rewritten(folder, name, there)
    for other in imports:
        _collect(folder, other, done, there, (*within, name))
    if within:
        given = ", ".join(_EXPORT.findall(text))
        text = f"{_EXPORT.sub('', text)}return {{ {given} }};\n"
    done[name] = text


def _rewritten(folder: Path, name: str, there: Collection[str]) -> tuple[str, list[str]]:
    """Return a module that takes what it imports from values, and the names of what it imports."""
    try:
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
    except OSError as error:
        raise JoiningError(f"{name}.js: {error.strerror}") from None
    imports = [other for _, other in _IMPORT.findall(text)]
    # `{ a as b }` is what stands left of `from`, `{ a: b }` what stands left of `=`.
    text = _IMPORT.sub(
        lambda found: (
            f"const {found[1].replace(' as ', ': ')} = {'$.' if found[2] in there else '$'}"
            f"{found[2]};"
        ),
        text,
    )
    if other_way := _OTHER.search(_EXPORT.sub("", text)):
        raise JoiningError(f"{name}.js: expected imports and exports by name, found {other_way[0]}")
    return text, imports
