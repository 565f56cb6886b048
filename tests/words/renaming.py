"""Rename sentences of the pages wherever they stand.

An English sentence is the name of its translations, so that a change of one word must reach the
code, the templates, every catalogue and the tests together. `rename` does that, and keeps all
translations. What it cannot change safely, it lists for a person to look at.
"""

from __future__ import annotations

import ast
import difflib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deniable.text.languages import LANGUAGES
from tests import words

QUOTING: Final = ("tests/**/*.py", "tests/**/*.js", "docs/*.md", "README.md")
"""Files that quote sentences."""

LEAST_WORDS: Final = 3
"""A shorter sentence, such as "Back", is changed only where it is all of a string of Python."""

WIDTH: Final = 100
"""Columns of a line of Python."""


class CannotRename(Exception):
    """A rename that would break something; the message says what."""


@dataclass
class Changes:
    """What a rename does."""

    files: dict[Path, str] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    to_look_at: list[str] = field(default_factory=list)


def check(renames: Mapping[str, str], known: Mapping[str, object]) -> None:
    """Make sure that these sentences can be renamed."""
    for old, new in renames.items():
        if old not in known:
            near = difflib.get_close_matches(old, known, n=3, cutoff=0.5)
            near += [other for other in known if old in other and other not in near][:3]
            hint = "".join(f"\n  near: {other}" for other in near)
            raise CannotRename(f"not a sentence of the catalogue: {old}{hint}")
        if new in known:
            raise CannotRename(f"already a sentence of the catalogue: {new}")
        if not new.strip():
            raise CannotRename(f"the new sentence is empty, for: {old}")
        if words.names(old) != words.names(new):
            raise CannotRename(
                f"other placeholders: expected {words.names(old)}, "
                f"found {words.names(new)} in: {new}"
            )
        if list(renames.values()).count(new) > 1:
            raise CannotRename(f"two sentences would become the same: {new}")


def changes(renames: Mapping[str, str]) -> Changes:
    """Find every place of these sentences, and what the files would read like."""
    plan = Changes()
    for pattern in (*words.SOURCES, *QUOTING):
        for path in sorted(words.ROOT.glob(pattern)):
            edit = _Edit(path, renames, said=pattern in words.SOURCES)
            if edit.text != edit.before:
                plan.files[path] = edit.text
            plan.places += edit.places
            plan.to_look_at += edit.to_look_at
    for sentence in words.sentences():
        for old in renames:
            if old in sentence and old != sentence and _is_long(old):
                plan.to_look_at.append(f"the sentence: {sentence}")
    return plan


def rename(renames: Mapping[str, str]) -> Changes:
    """Rename sentences in code, templates, catalogues and tests."""
    check(renames, words.sentences())
    plan = changes(renames)
    translations = {language: words.translations(language) for language in LANGUAGES[1:]}
    for path, text in plan.files.items():
        path.write_text(text)
    tidy(list(plan.files))
    said = words.sentences()
    for language, known in translations.items():
        words.write(language, said, {renames.get(old, old): new for old, new in known.items()})
    return plan


def read_renames(path: Path) -> dict[str, str]:
    """Read renames from a file: each line has the old sentence, a tab and the new one."""
    renames: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 2:
            raise CannotRename(
                f"{path}:{number}: expected an old and a new sentence with one tab between them, "
                f"found {len(cells) - 1} tabs"
            )
        if cells[0] in renames:
            raise CannotRename(f"{path}:{number}: renamed twice: {cells[0]}")
        renames[cells[0]] = cells[1]
    return renames


def tidy(paths: list[Path]) -> None:
    """Format changed files, as `make lint` wants them."""
    python = [str(path) for path in paths if path.suffix == ".py"]
    scripts = [str(path) for path in paths if path.suffix == ".js"]
    prettier = Path("node_modules/prettier/bin/prettier.cjs")
    if python:
        subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *python], check=True)
    if scripts and (words.ROOT / prettier).exists():
        node = Path(sys.executable).with_name("node")
        subprocess.run(
            [node, prettier, "--write", "--log-level", "warn", *scripts],
            cwd=words.ROOT,
            check=True,
        )


class _Edit:
    """One file with its sentences replaced."""

    def __init__(self, path: Path, renames: Mapping[str, str], *, said: bool) -> None:
        self.name = str(path.relative_to(words.ROOT))
        self.before = self.text = path.read_text()
        self.renames = renames
        self.places: list[str] = []
        self.to_look_at: list[str] = []
        if path.suffix == ".py":
            self._python(said=said)
        elif said:
            self._calls()
        else:
            self._quotations()

    def _python(self, *, said: bool) -> None:
        edits = []
        tree = ast.parse(self.before)
        starts = _line_starts(self.before)
        data = self.before.encode()
        for node, value, parent in _strings(tree):
            new = self._new_value(value, whole=said)
            if said and not _is_said(parent, node):
                continue
            if new == value:
                if not said:
                    self._suspect(value, node.lineno)
                continue
            if isinstance(parent, ast.JoinedStr | ast.Expr):
                self.to_look_at.append(f"{self.name}:{node.lineno}")
                continue
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            enclosed = isinstance(parent, ast.Call)
            literal = _literal(new, node.col_offset, enclosed=enclosed or b"\n" in data[start:end])
            edits.append((start, end, literal.encode()))
            self.places.append(f"{self.name}:{node.lineno}")
        for start, end, literal_bytes in sorted(edits, reverse=True):
            data = data[:start] + literal_bytes + data[end:]
        self.text = data.decode()

    def _new_value(self, value: str, *, whole: bool) -> str:
        if value in self.renames:
            return self.renames[value]
        if whole:
            return value
        # The longest first, and each place once: a new sentence may hold an old one.
        longest_first = sorted(filter(_is_long, self.renames), key=len, reverse=True)
        if not longest_first:
            return value
        pattern = "|".join(map(re.escape, longest_first))
        return re.sub(pattern, lambda match: self.renames[match[0]], value)

    def _suspect(self, value: str, line: int) -> None:
        """List a string of a test that is a part of an old sentence, or has values filled in."""
        if not _is_long(value):
            return
        for old, new in self.renames.items():
            filled = re.sub(r"\\\{\w+\\\}", ".+", re.escape(old))
            if (value in old and value not in new) or (
                words.names(old) and re.fullmatch(filled, value)
            ):
                self.to_look_at.append(f"{self.name}:{line}: {value}")

    def _calls(self) -> None:
        """Replace arguments of what says sentences, in templates and JavaScript."""
        for old, new in self.renames.items():
            for quote in "\"'":
                literal = re.escape(quote + old.replace(quote, "\\" + quote) + quote)
                calls = [rf"(?<={name}\()(\s*){literal}" for name in words.KEYWORDS]
                self._substitute("|".join(calls), _quoted(new))

    def _quotations(self) -> None:
        """Replace sentences in prose and in tests of JavaScript, also over the ends of lines."""
        for old in sorted(filter(_is_long, self.renames), key=len, reverse=True):
            between = r"\s+" if self.name.endswith(".md") else " "
            self._substitute(between.join(map(re.escape, old.split(" "))), self.renames[old])

    def _substitute(self, pattern: str, new: str) -> None:
        for match in re.finditer(pattern, self.text):
            self.places.append(f"{self.name}:{self.text.count(chr(10), 0, match.start()) + 1}")
        self.text = re.sub(
            pattern, lambda match: "".join(filter(None, match.groups())) + new, self.text
        )


def _is_long(sentence: str) -> bool:
    return len(sentence.split()) >= LEAST_WORDS


def _quoted(sentence: str) -> str:
    """Write a string as prettier does: in double quotes unless it has more of them than others."""
    quote = "'" if sentence.count('"') > sentence.count("'") else '"'
    return quote + sentence.replace(quote, "\\" + quote) + quote


def _literal(sentence: str, column: int, *, enclosed: bool) -> str:
    """Write a string of Python, over several lines where it is long."""
    room = WIDTH - column - 4
    if len(sentence) <= room:
        return _quoted(sentence)
    # A part ends with the space before the next one, as the rest of the house writes it.
    parts = re.findall(rf".{{1,{max(room, 30)}}}(?:\s|$)", sentence)
    joined = ("\n" + " " * column).join(_quoted(part) for part in parts)
    return joined if enclosed else f"({joined})"


def _strings(tree: ast.AST) -> Iterator[tuple[ast.Constant, str, ast.AST]]:
    """Yield the strings of a program, each with its value and with what it stands in."""
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node, node.value, parent


def _is_said(parent: ast.AST, node: ast.Constant) -> bool:
    """Whether a string is the sentence in a call of what says it."""
    if not isinstance(parent, ast.Call) or parent.args[:1] != [node]:
        return False
    function = parent.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in words.KEYWORDS


def _line_starts(text: str) -> list[int]:
    """Return where each line of a text begins, in bytes."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
