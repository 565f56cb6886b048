"""The output of commands: files written whole or not at all, tables that can be piped.

Every file that a command writes is a `Target`. It is checked before the work begins, so that nobody
waits for a result that cannot be saved.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO, cast

import click
from rich.console import RenderableType

if TYPE_CHECKING:
    from rich.progress import Progress

from deniable.results.table import Table
from deniable.results.text import console, renderable, written

STDOUT: Final = "-"

_READABLE: Final = 95
"""Letters in the longest line of a paragraph."""


@dataclass(frozen=True)
class FileType:
    """A kind of file."""

    name: str  # with its article
    endings: tuple[str, ...]  # the allowed endings of such a file's name
    hint: str = ""  # advice for a user who wants another kind


CSV: Final = FileType("a CSV file", (".csv",))
SURVEY_FILE: Final = FileType("a survey file", (".yaml", ".yml"))


@dataclass(frozen=True)
class Target:
    """The destination of a command's output; `target` checks and makes it."""

    path: str  # `-` is standard output
    force: bool  # whether an existing file is replaced
    secret: bool = False  # whether the file's owner alone may read it

    @property
    def ending(self) -> str:
        """The ending of its name, without the dot and in small letters."""
        return Path(self.path).suffix.lower().removeprefix(".")

    def write(self, content: str | bytes) -> None:
        """Write the file whole or not at all."""
        with self.writing() as file:
            file.write(content.encode() if isinstance(content, str) else content)

    @contextmanager
    def text(self) -> Iterator[TextIO]:
        """Open the file for text in UTF-8, written whole or not at all."""
        with self.writing() as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.detach()

    def show(self, *parts: Table | RenderableType) -> None:
        """Print texts and tables below one another, to standard output or into the file."""
        if self.path == STDOUT:
            out = console(sys.stdout)
            for part in parts:
                out.print(renderable(part))
        else:
            self.write(written(parts))

    @contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """Open the file, written whole or not at all."""
        if self.path == STDOUT:
            sys.stdout.flush()
            # Under PYTHONUNBUFFERED it is the raw file, whose `write` may write a part only.
            buffered = io.BufferedWriter(cast("io.RawIOBase", sys.stdout.buffer))
            try:
                yield buffered
            finally:
                buffered.detach()
            return
        if _is_stream(self.path):
            with Path(self.path).open("wb") as file:
                yield file
            return
        _check_place(Path(self.path), force=self.force)
        place = Path(self.path).resolve()
        part = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
        try:
            if self.secret or place.exists():
                # The old file may be unreadable for others, so the new one must never be readable.
                part.touch(mode=0o600)
                if not self.secret:
                    shutil.copymode(place, part)
            with part.open("wb") as file:
                yield file
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)


TO_STDOUT: Final = Target(STDOUT, force=False)


def target(
    path: str,
    kind: FileType,
    *,
    force: bool,
    others: Iterable[str | None] = (),
    option: str = "-o",
    secret: bool = False,
) -> Target:
    """Check a command's destination before its work; `others`: its input, never overwritten."""
    if path == STDOUT or _is_stream(path):
        return Target(path, force, secret)
    ending = Path(path).suffix
    if ending and ending.lower() not in kind.endings:
        hint = f"; {kind.hint}" if kind.hint else ""
        raise click.UsageError(
            f"{option} {path}: this would write {kind.name}; expected a name that ends in "
            f"{' or '.join(kind.endings)}, found {ending}{hint}."
        )
    for other in others:
        if other is not None and _is_same_file(path, other):
            named = "<stdin>" if other == STDOUT else other
            raise click.UsageError(
                f"{option} {path}: is the file {named}, which this command needs itself; "
                "expected another name."
            )
    _check_place(Path(path), force=force)
    return Target(path, force, secret)


def _is_stream(path: str) -> bool:
    """Return whether a path is a device or a named pipe, which is written to but not replaced."""
    found = Path(path)
    return found.exists() and not found.is_file() and not found.is_dir()


def _is_same_file(path: str, other: str) -> bool:
    """Return whether two paths are the same file, also through a link or standard input."""
    try:
        # Standard input may be a file that the shell opened.
        found = os.fstat(0) if other == STDOUT else Path(other).stat()
        return os.path.samestat(Path(path).stat(), found)
    except OSError:  # one of them does not exist yet
        return other != STDOUT and Path(path).resolve() == Path(other).resolve()


def _check_place(path: Path, *, force: bool) -> None:
    """Check that a path is no folder, that its folder exists, and that it may be replaced."""
    found = path.resolve()
    if found.is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    if not found.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(found.parent))
    if found.exists() and not force:
        raise click.ClickException(f"{path}: exists already; --force replaces it")


def filled(words: str) -> str:
    """Break a paragraph into lines as wide as the terminal, of at most `_READABLE` letters."""
    return fill(words, min(_READABLE, console(sys.stdout).width))


def progress_bar() -> Progress:
    """Make a progress bar, which only a terminal shows, and which disappears at the end."""
    from rich import progress  # noqa: PLC0415  loads for two commands only

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def square(link: str) -> str:
    """Draw a link as a QR code, for a terminal."""
    import segno  # noqa: PLC0415  loads for two commands only

    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(out=drawn, compact=True)
    return drawn.getvalue()
