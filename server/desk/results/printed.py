"""What was found, as a page of the desk shows it: the tables and sentences of a terminal.

The analysis of a survey (`deniable.study`) makes one form for people. It is read here, so that the
desk says the same words as the command line, with headings in full and the estimate in front.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from deniable.results.text import PEOPLE

FOLDED: Final = 24
"""A table with more rows than these is folded."""

_IN_FULL: Final = {
    "SE": "Standard error (SE)",
    "ML": "Maximum likelihood (ML)",
}

_LAST: Final = "Observed"
"""The noise: it is never what is read first."""


@dataclass(frozen=True)
class Line:
    """A row of a table: what it is of, and a cell for each heading."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """Rows that belong together, and what they have in common; empty if nothing."""

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Printed:
    """A table: the heading of what the rows are of, those of the cells, and the rows."""

    first: str
    headings: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def is_long(self) -> bool:
        """Whether it is to be folded."""
        return sum(len(section.lines) for section in self.sections) > FOLDED


def read(
    parts: Sequence[RenderableType], words: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Printed | str]:
    """Read tables and sentences, in their order, with words in place of codes."""
    for part in parts:
        if isinstance(part, Table):
            yield _table(part, words)
        elif str(part).strip():
            yield str(part).strip()


def _table(table: Table, words: Mapping[str, str]) -> Printed:
    # Of a regression the cells are codes too; elsewhere they are the survey's words already.
    cells = words if any(one.header == "Term" for one in table.columns) else {}
    columns = [
        (
            words.get(str(one.header), str(one.header)),
            [cells.get(str(c), str(c)) for c in one.cells],
        )
        for one in table.columns
    ]
    names = sum(column.justify != "right" for column in table.columns)
    labels, numbers = columns[:names], columns[names:]
    numbers.sort(key=lambda column: column[0] == _LAST)
    lines = [*zip(*(cells for _, cells in (*labels, *numbers)), strict=True)]
    found: list[tuple[str, list[Line]]] = []
    for line in lines:
        group = line[0] if names > 1 else ""
        if found and group.startswith(PEOPLE):
            group = f"{found[-1][0]} ({group})"
            found[-1] = (group, found[-1][1])
        if not found or (group and group != found[-1][0]):
            found.append((group, []))
        found[-1][1].append(Line(line[names - 1], tuple(line[names:])))
    alone = names > 1 and all(len(some) == 1 for _, some in found)
    if alone:
        found = [("", [Line(f"{name}: {one.name}", one.cells) for name, (one,) in found])]
    return Printed(
        ": ".join(name for name, _ in labels).replace("?:", "?") if alone else labels[-1][0],
        tuple(_IN_FULL.get(name, name) for name, _ in numbers),
        tuple(Section(name.strip(), tuple(some)) for name, some in found),
    )
