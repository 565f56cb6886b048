"""Tables and texts for a terminal, a pipe, a file or a notebook."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from deniable.results import table as of_findings
from deniable.text.safety import printable

# Width of output to no terminal: no table is as wide, so nothing is cut or wrapped.
_WIDE: Final = 10_000


def console(stream: IO[str], width: int | None = None) -> Console:
    """Make a console that prints texts literally: those of surveys are never markup.

    A table is at most as wide as the terminal; output elsewhere, as the variable `COLUMNS` says.
    """
    if width is None and not stream.isatty():
        asked_for = os.environ.get("COLUMNS", "")
        width = (int(asked_for) if asked_for.isdecimal() else 0) or _WIDE
    return _Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


# Letters at the start of a word that are never broken.
_WORD: Final = 20


_PEOPLE: Final = "n = "
"""The start of the line below a group's name, before the number of people."""


class _Console(Console):
    """A console that replaces control characters in other people's texts."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)


class _Table(Table):
    """A table that prints a block for each row if the terminal is too narrow for its columns."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [self._widths(console, column) for column in self.columns]
        for column, (_, whole) in zip(self.columns, widths, strict=True):
            column.width = whole
        wide = self.__rich_measure__(console, options.update(width=_WIDE)).maximum
        room = options.max_width - wide + sum(whole - least for least, whole in widths)
        if room < 0:
            yield from self._blocks()
            return
        # The remaining width goes to texts first, and then to the headings of numbers.
        for column, (least, whole) in sorted(
            zip(self.columns, widths, strict=True), key=lambda one: one[0].justify == "right"
        ):
            more = min(room, whole - least)
            column.width, room = least + more, room - more
        yield from super().__rich_console__(console, options)

    def _widths(self, console: Console, column: Column) -> tuple[int, int]:
        """Return the least width of a column, and its width without any broken line."""
        heading, *cells = (
            console.render_str(str(one)).plain for one in (column.header, *column.cells)
        )
        lines = [line for one in (heading, *cells) for line in one.splitlines()]
        if column is self.columns[0] or column.justify == "right":
            parts = [*heading.split(), *cells]
        else:
            parts = [word[:_WORD] for line in lines for word in line.split()]
        return max(map(cell_len, parts), default=0), max(map(cell_len, lines), default=0)

    def _blocks(self) -> Iterator[RenderableType]:
        """Yield each row as a block: its name, then a line for each of its other cells."""
        rows = [*zip(*(one.cells for one in self.columns), strict=True)]
        for place, (name, *cells) in enumerate(rows):
            if place:
                yield ""
            below = str(rows[place + 1][0]) if place + 1 < len(rows) else ""
            if name and not str(name).startswith(_PEOPLE):
                yield f"{name} ({below})" if below.startswith(_PEOPLE) else name
            block = Table.grid("", "", padding=(0, 2, 0, 0))
            block.columns[0].no_wrap = True
            for column, cell in zip(self.columns[1:], cells, strict=True):
                if cell:
                    block.add_row(f"  {column.header}", cell)
            yield block


def table(*columns: str, numbers: Sequence[str] = ()) -> Table:
    """Make a table whose first column names the rows; columns in `numbers` are aligned right.

    Neither a name nor a number is ever cut or broken. Other columns wrap in a narrow terminal.
    """
    made = _Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        right = column in numbers
        made.add_column(column, justify="right" if right else "left", overflow="fold")
    return made


def drawn(one: of_findings.Table) -> Table:
    """Draw a table of findings; a section's name is beside its first row, its people below it."""
    numbers = [column.heading for column in one.columns if not column.is_text]
    made = table(*one.names, *(column.heading for column in one.columns), numbers=numbers)
    for place, section in enumerate(one.sections):
        if place and one.is_ruled and not section.follows:
            made.add_section()
        names = [section.name, *[""] * (len(section.rows) - 1)]
        if section.people is not None:
            people = f"{_PEOPLE}{section.people:,}"
            names[:2] = [names[0], people] if len(names) > 1 else [f"{names[0]} ({people})"]
        for name, row in zip(names, section.rows, strict=True):
            made.add_row(*(name, row.name)[-len(one.names) :], *one.cells(row))
    return made


def renderable(part: of_findings.Table | RenderableType) -> RenderableType:
    """Return a part of a result in a form that rich can print."""
    return drawn(part) if isinstance(part, of_findings.Table) else part


def written(parts: Iterable[of_findings.Table | RenderableType]) -> str:
    """Write the parts of a result as a text, as wide as its tables need."""
    text = io.StringIO()
    out = console(text, _WIDE)
    for part in parts:
        out.print(renderable(part))
    return text.getvalue()
