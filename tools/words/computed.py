"""Sentences that Python computes in English and that the server translates when it shows them.

The classroom has them as plain strings and as f-strings with their values, so that its modules need
no languages: `deniable.server.web.words` finds the sentence from which a text was made. Single
words count if they are the text of a picture, a table or a form.
"""

import ast
import re
from collections.abc import Iterator
from typing import IO, Any, Final

_TOLD: Final = {"Line", "Row", "Rows", "Table"}
"""Calls in which a single word is a text."""

_PLAIN: Final = {"id", "kind", "tone"}
"""Arguments for programs."""

_FIRST: Final = {"Row", "Step"}
"""The calls whose first argument is a name for programs."""

_CODES: Final = {"direct", "found", "made-up", "noisy"}

_CODE: Final = re.compile(r"\w_\w")


def extract(
    file: IO[bytes], keywords: object, comments: object, options: object
) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yield the sentences of a module, as an extractor of Babel."""
    tree = ast.parse(file.read())
    for node, told in _texts(tree, told=False):
        text = _sentence(node)
        words = re.sub(r"\{\w*\}", " ", text)
        if _CODE.search(words) or "\n" in text or not (told or " " in text.strip()):
            continue
        if re.search(r"[^\W\d_]{2}", words):
            yield node.lineno, "say", text, []


def _texts(node: ast.AST, told: bool) -> Iterator[tuple[ast.expr, bool]]:
    if isinstance(node, ast.JoinedStr):
        yield node, told
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _texts(part.value, told=False)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value not in _CODES:
            yield node, told
    else:
        for child, inside in _parts(node, told):
            yield from _texts(child, inside)


def _parts(node: ast.AST, told: bool) -> Iterator[tuple[ast.AST, bool]]:
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        inside = called in _TOLD
        for at, argument in enumerate(node.args):
            if at or called not in _FIRST:
                yield argument, inside
        for keyword in node.keywords:
            if keyword.arg not in _PLAIN:
                yield keyword.value, inside
        yield node.func, False
    elif not (isinstance(node, ast.Raise | ast.Compare | ast.Assert) or _is_docstring(node)):
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "slice"):
                parts = value if isinstance(value, list) else [value]
                yield from ((part, told) for part in parts if isinstance(part, ast.AST))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _sentence(node: ast.expr) -> str:
    """Return a string or f-string as a sentence, with the names of its values in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    values: dict[str, str] = {}
    text = ""
    for part in getattr(node, "values", ()):
        if isinstance(part, ast.Constant):
            text += str(part.value)
        else:
            text += f"{{{_name(part.value, values)}}}"
    return text


def _name(value: ast.expr, values: dict[str, str]) -> str:
    """Name a value after the last name in it; the same expression always has the same name."""
    written = ast.unparse(value)
    if written in values:
        return values[written]
    inner: Any = value
    while isinstance(inner, ast.Call) and inner.args:
        inner = inner.args[0]
    name: str = (re.findall(r"[a-z]\w*", ast.unparse(inner)) or ["value"])[-1]
    while name in values.values():
        name += "_"
    values[written] = name
    return name
