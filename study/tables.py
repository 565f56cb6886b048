"""Tables and texts as a terminal, a pipe, a file or a notebook shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.plain import printable

# Columns for output that goes to no terminal: no table is as wide, so nothing is cut or wrapped.
_WIDE: Final = 10_000


def console(stream: IO[str]) -> Console:
    """Make a console that says what it is given: texts of surveys are not taken for markup.

    On anything but a terminal there are no colours, and lines are as long as they must be.
    """
    width = None if stream.isatty() else _WIDE
    return _Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


class _Console(Console):
    """Prints the texts of others, and lets none of them do anything to the terminal."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Make a text out of what is printed, or stands in a cell of a table."""
        return super().render_str(printable(text), **how)


def table(*columns: str, numbers: Sequence[str] = ()) -> Table:
    """Make a table; those of the columns that are in `numbers` are aligned to the right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        if column in numbers:
            made.add_column(column, justify="right", no_wrap=True)
        else:
            made.add_column(column, overflow="fold")
    return made
