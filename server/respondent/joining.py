"""Several modules in one file, so that a phone asks for a few files and not for four dozen.

Browsers ask a server without HTTP/2 for six files at a time, and every turn takes a round trip: on
a slow phone network that was the longest part of the way to the first question. The page of
questions holds the files itself (`shell.py`).

Which modules make which file, and in which order, stands in `contents.js`. Each is in its file as
it is in the repository, but for its comments and empty lines, the lines that import and the word
`export`: a few lines of shell make the same file (docs/verify.md). Files are scripts that share
their names, so that no two modules may define the same one: who has read the modules has read the
program. A browser checks the hash of every script by itself, which some do not do for what a module
imports.
"""

import re
from pathlib import Path, PurePosixPath
from typing import Final

CONTENTS: Final = "contents.js"
"""What lists all modules. It is no module itself: no browser loads it."""

_LIST: Final = re.compile(r"^ \* ([a-z]+\.js): .*\n((?: \*   .*\n)+)", re.MULTILINE)
_LISTED: Final = re.compile(r"^ \*   ((?:core|page)/[a-z0-9]+\.js)  ", re.MULTILINE)
# As prettier writes them, from the start of a line.
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "([^"]*)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|class\b|const\b)", re.MULTILINE)
_DEFINED: Final = re.compile(
    r"^(?:async )?(?:function\*?|class|const|let) (.*?)[ (;]", re.MULTILINE
)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$|\bimport\(.*$", re.MULTILINE)

# Strings, templates, regular expressions and the names of modules stay, whatever stands in them. A
# division has spaces around it, as prettier writes it, and so is not the start of an expression.
_COMMENT: Final = re.compile(
    r"""
      ( "(?:\\.|[^"\\\n])*" | \x27(?:\\.|[^\x27\\\n])*\x27 | `(?:\\.|[^`\\])*`
      | /(?![ /*=])(?:\\.|\[(?:\\.|[^]\\\n])*\]|[^/[\\\n])+/
      | \n//[ ](?:core|page)/\w+\.js(?=\n) )
    | [ \n]*//[^\n]* | [ \n]*/\*(?:[^*]|\*(?!/))*\*/(?=\n) | /\*(?:[^*]|\*(?!/))*\*/[ ]?
    | \n(?=\n)
    """,
    re.VERBOSE,
)


def contents(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the modules of each file, such as ``"core/channel.js"``, in their order."""
    files = {
        file: tuple(_LISTED.findall(listed))
        for file, listed in _LIST.findall(_text(folder, CONTENTS))
    }
    listed = sorted(name for names in files.values() for name in names)
    there = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*.js"))
    if listed != there:
        wrong = sorted({*listed} ^ {*there}) or [name for name in there if listed.count(name) > 1]
        raise ValueError(
            f"{CONTENTS}: expected every module in the folder once in the contents, "
            f"found otherwise: {', '.join(wrong)}"
        )
    return files


def joined(folder: Path) -> dict[str, str]:
    """Join the modules of each file, without their comments."""
    owners: dict[str, str] = {}
    return {
        file: without_comments('"use strict";\n' + "".join(_bare_modules(folder, names, owners)))
        for file, names in contents(folder).items()
    }


def without_comments(text: str) -> str:
    """Take comments and empty lines out of a script or a style."""
    return _COMMENT.sub(lambda found: found[1] or "", text)


def _bare_modules(folder: Path, names: tuple[str, ...], owners: dict[str, str]) -> list[str]:
    """Return the modules of one file without what imports and exports, each behind its name."""
    texts = []
    for place, name in enumerate(names):
        text = _text(folder, name)
        for other in _imported(name, text):
            if other in names[place:]:
                raise ValueError(f"{CONTENTS}: expected {other} in the contents before {name}")
        bare = _EXPORT.sub("", _IMPORT.sub("", text))
        _check_names(name, bare, owners)
        texts.append(f"// {name}\n{bare}")
    return texts


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None


def _imported(name: str, text: str) -> list[str]:
    """Return the names of the modules that a module imports."""
    imported = []
    for names, address in _IMPORT.findall(text):
        if " as " in names:
            raise ValueError(f"{name}: expected imports by the same name, found {names.strip()}")
        folder, file = PurePosixPath(name).parent, PurePosixPath(address)
        if file.parts[0] == "..":
            folder, file = folder.parent, file.relative_to("..")
        imported.append((folder / file).as_posix())
    if other := _OTHER.search(_EXPORT.sub("", _IMPORT.sub("", text))):
        raise ValueError(f"{name}: expected imports and exports by name, found {other[0]}")
    return imported


def _check_names(name: str, text: str, owners: dict[str, str]) -> None:
    """Refuse two modules that define the same name: together they would be no program."""
    for defined in _DEFINED.findall(text):
        if not defined.isidentifier():
            raise ValueError(f"{name}: expected one name at a time, found {defined}")
        if defined in owners:
            raise ValueError(f"{name} defines {defined}, as {owners[defined]} does")
        owners[defined] = name
