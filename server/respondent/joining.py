"""Join several modules into one file, so that a phone asks for a few files and not four dozen.

Browsers ask a server without HTTP/2 for six files at a time, and each turn takes a round trip: on a
slow phone network that was most of the time to the first question. The page of questions holds the
files itself (`shell.py`).

`contents.js` lists the modules of each file, in order. Each module is in its file as in the
repository, without comments, empty lines, the lines that import and the word `export`: a few lines
of shell make the same file (docs/verify.md). Files are scripts that share one scope, so no two
modules may define the same name: a reader of the modules has read the program. Scripts, because
browsers check the hash of every script, and some do not for the modules that a module imports.
"""

import re
from pathlib import Path, PurePosixPath
from typing import Final

CONTENTS: Final = "contents.js"
"""The list of all modules. No browser loads it."""

_LIST: Final = re.compile(r"^ \* ([a-z]+\.js): .*\n((?: \*   .*\n)+)", re.MULTILINE)
_LISTED: Final = re.compile(r"^ \*   ((?:core|page)/[a-z0-9]+\.js)  ", re.MULTILINE)
# As prettier writes them, from the start of a line.
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "([^"]*)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|class\b|const\b)", re.MULTILINE)
_DEFINED: Final = re.compile(
    r"^(?:async )?(?:function\*?|class|const|let) (.*?)[ (;]", re.MULTILINE
)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$|\bimport\(.*$", re.MULTILINE)

# Strings, templates, regular expressions and the names of modules stay, whatever they contain. A
# division has spaces around it, as prettier writes it, and so does not start an expression.
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
    """Return each script by its file: its modules in order, without imports, exports, comments."""
    owners: dict[str, str] = {}
    return {
        file: without_comments('"use strict";\n' + "".join(_bare_modules(folder, names, owners)))
        for file, names in contents(folder).items()
    }


def without_comments(text: str) -> str:
    """Remove comments and empty lines from a script or a style."""
    return _COMMENT.sub(lambda found: found[1] or "", text)


def _bare_modules(folder: Path, names: tuple[str, ...], owners: dict[str, str]) -> list[str]:
    """Return the modules of one file without imports and `export`, each after its name."""
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
    """Return the modules that a module imports; refuse imports and exports of other forms."""
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
    # The modules share one scope.
    for defined in _DEFINED.findall(text):
        if not defined.isidentifier():
            raise ValueError(f"{name}: expected one name at a time, found {defined}")
        if defined in owners:
            raise ValueError(f"{name} defines {defined}, as {owners[defined]} does")
        owners[defined] = name
