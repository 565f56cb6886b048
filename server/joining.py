"""One file of all the modules that a page needs, so that a phone asks once and not two dozen times.

Browsers ask a server without HTTP/2 for six files at a time, and every turn takes a round trip: on
a slow phone network that was the longest part of the way to the first question.

The modules stand in the file one after another, each behind those that it imports, as they are in
the repository but for the words that import and export. That needs no more than that no two of them
define the same name: who has read the modules has read the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

# As prettier writes them, from the start of a line.
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([a-z]+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_DEFINED: Final = re.compile(
    r"^(?:async )?(?:function\*?|class|const|let) (.*?)[ (;]", re.MULTILINE
)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_LATER: Final = re.compile(r'\bimport\("\./([a-z]+)\.js"\)')

_WHOLE: Final = "main"
"""The program of which parts may be loaded later."""


_CALLED: Final = {"chance", "page", "report", "submission"}
"""Modules that are called as they are in the page, by whoever tries out what they do."""


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
    texts = _texts(folder, start.removesuffix(".js"))
    later = _LATER.findall("".join(texts.values()))
    return frozenset(f"{name}.js" for name in texts).union(
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
        part of the main program, and imports from that what is in it already.

    Returns
    -------
    str
        A module that does what it does, and exports what it exports, what its parts take from it,
        and what an audit calls as it is in the page.

    Raises
    ------
    JoiningError
        If a module is missing, needs itself, defines a name that another one defines, or imports or
        exports in another way than by ``import { … } from "./….js"`` and by ``export`` before what
        it defines.
    """
    texts = _texts(folder, start)
    parts = _parts(folder)
    taken: set[str] = set()
    if start != _WHOLE and start in parts:
        taken = _taken(folder, start)
        there = _texts(folder, _WHOLE)
        texts = {name: text for name, text in texts.items() if name not in there}
    _check_names(texts, taken)
    first = f'import {{ {", ".join(sorted(taken))} }} from "./{_WHOLE}.js";\n'
    wanted = set().union(*(_taken(folder, part) for part in parts)) if start == _WHOLE else set()
    given = [
        name
        for module, text in texts.items()
        for name in _EXPORT.findall(text)
        if module in {start, *_CALLED} or name in wanted
    ]
    body = "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts.values())
    return f"{first if taken else ''}{body}export {{ {', '.join(given)} }};\n"


def _parts(folder: Path) -> set[str]:
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.js")]
    return {name for text in texts for name in _LATER.findall(text)}


def _taken(folder: Path, part: str) -> set[str]:
    """Return the names that a part takes from the main program."""
    there = _texts(folder, _WHOLE)
    return {
        name
        for own, text in _texts(folder, part).items()
        if own not in there
        for names, module in _IMPORT.findall(text)
        if module in there
        for name in _names(names)
    }


def _texts(folder: Path, start: str) -> dict[str, str]:
    """Return the text of a module behind those of all that it needs, by their names."""
    done: dict[str, str] = {}
    _collect(folder, start, done, ())
    return done


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
    for names, other in _IMPORT.findall(text):
        if " as " in names:
            raise JoiningError(f"{name}.js: expected imports by the same name, found {names}")
        _collect(folder, other, done, (*within, name))
    if other_way := _OTHER.search(_EXPORT.sub("", _IMPORT.sub("", text))):
        raise JoiningError(f"{name}.js: expected imports and exports by name, found {other_way[0]}")
    done[name] = text


def _check_names(texts: dict[str, str], taken: Iterable[str]) -> None:
    """Refuse two modules that define the same name: the file would not be a program."""
    owners = dict.fromkeys(taken, _WHOLE)
    for module, text in texts.items():
        for name in _DEFINED.findall(_EXPORT.sub("", text)):
            if not name.isidentifier():
                raise JoiningError(f"{module}.js: expected one name at a time, found {name}")
            if name in owners:
                raise JoiningError(f"{module}.js defines {name}, as {owners[name]}.js does")
            owners[name] = module


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]
