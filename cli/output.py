"""What a command prints or writes: files whole or not at all, tables that can be piped."""

from __future__ import annotations

import errno
import io
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from deniable.plain import printable

STDOUT: Final = "-"

# Columns of a "terminal" that is none: no table is ever as wide, so nothing is cut or wrapped.
_WIDE: Final = 10_000


def write(path: str, content: str) -> None:
    """Write a text in UTF-8.

    Parameters
    ----------
    path : str
        ``-`` is standard output. A file that is there already is replaced in one step, so that
        neither a reader nor a full disk ever sees half of one.
    content : str
        With its own line ends, which are kept.

    Raises
    ------
    OSError
    """
    data = content.encode()
    if path == STDOUT:
        sys.stdout.flush()
        left = memoryview(data)
        while left:
            # Under PYTHONUNBUFFERED this stream is the bare file, which may take a part only.
            left = left[sys.stdout.buffer.write(left) :]
        return
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a named pipe is written to, never replaced
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def show(path: str, *parts: RenderableType) -> None:
    """Print texts and tables below one another, to standard output or into a file as in `write`."""
    if path == STDOUT:
        out = console(sys.stdout)
        for part in parts:
            out.print(part)
    else:
        text = io.StringIO()
        out = console(text)
        for part in parts:
            out.print(part)
        write(path, text.getvalue())


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
