"""What a command prints or writes: files whole or not at all, tables that can be piped.

Every file that a command writes is a `Target`. It is checked before the work begins, so that nobody
waits for a result that cannot be kept.
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
"""Letters of the longest line of words."""


@dataclass(frozen=True)
class Kind:
    """What a file holds."""

    name: str  # with its article
    endings: tuple[str, ...]  # what the name of such a file ends in, if it has an ending at all
    hint: str = ""  # what to do for somebody who wants another kind


CSV: Final = Kind("a CSV file", (".csv",))
SURVEY_FILE: Final = Kind("a survey file", (".yaml", ".yml"))


@dataclass(frozen=True)
class Target:
    """Where a command writes; `target` checks it and makes it."""

    path: str  # `-` is standard output
    force: bool  # whether a file that is there already is replaced
    secret: bool = False  # whether nobody else on this machine may read it

    @property
    def ending(self) -> str:
        """What its name ends in, without the dot and in small letters."""
        return Path(self.path).suffix.lower().removeprefix(".")

    def write(self, content: str | bytes) -> None:
        """Write all of a file, as `write` does."""
        write(self.path, content, force=self.force, secret=self.secret)

    @contextmanager
    def text(self) -> Iterator[TextIO]:
        """Lend the file as one of text in UTF-8, written whole or not at all."""
        with writing(self.path, force=self.force, secret=self.secret) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.detach()

    def show(self, *parts: Table | RenderableType) -> None:
        """Print texts and tables, as `show` does."""
        show(self.path, *parts, force=self.force)


def target(
    path: str,
    kind: Kind,
    *,
    force: bool,
    others: Iterable[str | None] = (),
    option: str = "-o",
    secret: bool = False,
) -> Target:
    """Check where a command is to write, before it begins to work."""
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
        if other is not None and _same(path, other):
            named = "<stdin>" if other == STDOUT else other
            raise click.UsageError(
                f"{option} {path}: is the file {named}, which this command needs itself; "
                "expected another name."
            )
    _check_place(Path(path), force=force)
    return Target(path, force, secret)


def _is_stream(path: str) -> bool:
    """Return whether something is written to, and never replaced: a device or a named pipe."""
    found = Path(path)
    return found.exists() and not found.is_file() and not found.is_dir()


def _same(path: str, other: str) -> bool:
    """Return whether two names are of one file, which a link may hide."""
    try:
        # What is on standard input may be a file as well, which the shell opened.
        found = os.fstat(0) if other == STDOUT else Path(other).stat()
        return os.path.samestat(Path(path).stat(), found)
    except OSError:  # one of them is not there yet
        return other != STDOUT and Path(path).resolve() == Path(other).resolve()


def _check_place(path: Path, *, force: bool) -> None:
    """Check that a file can be made, and may be replaced."""
    found = path.resolve()
    if found.is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    if not found.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(found.parent))
    if found.exists() and not force:
        raise click.ClickException(f"{path}: exists already; --force replaces it")


def write(path: str, content: str | bytes, *, force: bool = False, secret: bool = False) -> None:
    """Write a file whole or not at all."""
    with writing(path, force=force, secret=secret) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: str, *, force: bool = False, secret: bool = False) -> Iterator[BinaryIO]:
    """Lend a file that is written whole or not at all."""
    if path == STDOUT:
        sys.stdout.flush()
        # Under PYTHONUNBUFFERED this stream is the bare file, which may take a part only.
        buffered = io.BufferedWriter(cast("io.RawIOBase", sys.stdout.buffer))
        try:
            yield buffered
        finally:
            buffered.detach()
        return
    if _is_stream(path):
        with Path(path).open("wb") as file:
            yield file
        return
    _check_place(Path(path), force=force)
    place = Path(path).resolve()
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        if secret or place.exists():
            # Others may not be allowed to read the old one: they see nothing of the new one either.
            part.touch(mode=0o600)
            if not secret:
                shutil.copymode(place, part)
        with part.open("wb") as file:
            yield file
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def filled(words: str) -> str:
    """Break words into lines as wide as the terminal, and no wider than is read well."""
    return fill(words, min(_READABLE, console(sys.stdout).width))


def show(path: str, *parts: Table | RenderableType, force: bool = False) -> None:
    """Print texts and tables below one another, to standard output or into a file as in `write`."""
    if path == STDOUT:
        out = console(sys.stdout)
        for part in parts:
            out.print(renderable(part))
    else:
        write(path, written(parts), force=force)


def progress_bar() -> Progress:
    """Make a bar of what is done, which only a terminal shows, and which is gone in the end."""
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
