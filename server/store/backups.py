"""Backups: a whole store in one file, made while the store is in use, and its restoration.

A backup of either engine is a store in SQLite with its rows in the order of their keys: it holds no
deleted row and no order of arrival. Restoring it needs this program alone, and any program that
reads SQLite can open it. It ends with a mark and a hash of all bytes before, which SQLite ignores:
a backup that was cut off or altered is not restored.
"""

import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from deniable.server.store.clock import utc_day
from deniable.server.store.durable import sync
from deniable.server.store.errors import FROM_LAST_BACKUP, StoreError
from deniable.server.store.opening import alone, files_of, open_store, store_url
from deniable.server.store.sql.database import Alone
from deniable.server.store.sql.retention import count_reports, delete_reports
from deniable.server.store.sql.table_copies import fill_tables, read_for_backup
from deniable.server.store.sqlite import versions
from deniable.server.store.sqlite.versions import BACKUP_END, BACKUP_MARK
from deniable.server.store.store import Store

_AT_ONCE: Final = 2**20

_HELD: Final = ".held"
"""End of the name of the file that is locked while a process writes a part."""

_DATE: Final = re.compile(r"\d{8}T\d{6}Z")
"""The time in the names from `dated`."""


def back_up(store: Store, path: Path) -> int:
    """Write a whole store into a file that only its owner can read, completely or not at all.

    The reports are recounted: if one is damaged or missing, no backup is made. Damage that does not
    reach the backup, such as in an index or a free page, is no obstacle: the backup is then the way
    to repair the store. Sessions are not backed up.
    """
    try:
        with _written(path) as part:
            url = store_url(str(part))
            with closing(open_store(url)) as copy:
                with store.copying_for_backup() as tables:
                    count = copy.move_in(tables)
                if faults := [*copy.unreadable()]:  # such a backup would be useless
                    raise StoreError("; ".join(faults))
                return count
    except StoreError:
        store.make_sure(how=FROM_LAST_BACKUP)  # its error names the store, not the part
        raise


def keep(store: Alone, path: Path) -> None:
    """Write a whole store of any version into a file, as `back_up` does.

    The backup has the store's version, so the release that wrote the store can restore it too. The
    reports are not recounted, because the checksums depend on the version.
    """
    with _written(path) as part:
        part.touch(mode=0o600)
        with versions.new(part, store.version) as db:
            columns = versions.columns_of(db)
            fill_tables(store.name, db, columns, read_for_backup(store.db, store.tables))


def restore(path: Path, store: Store) -> int:
    """Copy a backup into an empty store, completely or not at all; return how many reports it has.

    The file does not change. A copy of an older backup is brought to this version first.
    """
    with look_into(path) as found:
        found.make_sure()
        with found.copying_all() as tables:
            return store.move_in(tables)


@contextmanager
def look_into(path: Path) -> Iterator[Store]:
    """Yield the store in a backup, brought to this version; the file does not change."""
    with _unpacked(path) as url:
        with alone(url) as backup:
            backup.migrate()
        with closing(open_store(url, create=False, read_only=True)) as found:
            yield found


def dated(folder: Path, store: Store, url: str) -> Path:
    """Return the path of a backup made now, in a folder with a backup of each time."""
    return folder / f"{_prefix(store, url)}{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"


def remove_older(made: Path, store: Store, url: str, days: int) -> list[Path]:
    """Remove this store's backups with names from `dated`, except `made` and the ones that stay.

    The one before `made` stays, and the newest of each of the last `days` days that have a backup,
    however long ago, since a clock may be wrong. The adversary has all of them: of two neighbours,
    the difference is the reports that came between.

    It removes no link, no other store's backup and no file with another name. A backup dated after
    `made`, by a wrong clock or by hand, is not counted. If `made` holds less than half as many
    reports as one of them, the store may have been lost and begun anew: nothing is removed.
    """
    prefix = _prefix(store, url)
    others = [
        path
        for path in sorted(made.parent.iterdir())
        if re.fullmatch(rf"{re.escape(prefix)}\d{{8}}T\d{{6}}Z\.backup", path.name)
        and path.name < made.name
        and path.is_file()
        and not path.is_symlink()
    ]
    stay = _staying(made, others, days)
    old = [path for path in others if path not in stay]
    if not old:
        return []
    held = {path: _count(path) for path in (*old, made)}
    fullest = max(held, key=held.__getitem__)
    if 2 * held[made] < held[fullest]:
        raise StoreError(
            f"{made}: holds {held[made]:,} reports, and {fullest} {held[fullest]:,}, so no backup "
            f"was removed: {store.name} may not be the store that it was. If its reports were "
            "deleted on purpose, remove the older backups by hand"
        )
    for path in old:
        path.unlink()
    return old


def _staying(made: Path, others: Sequence[Path], days: int) -> set[Path]:
    """Return which of a store's older backups stay beside `made`, as `remove_older` says."""
    stay, whole, seen = set[Path](), 0, {_day(made)}
    for path in reversed(others):
        if whole == 0 or (_day(path) not in seen and len(seen) < days):
            stay.add(path)
            # A damaged one takes no place, and stays as long as it might have had it.
            if _is_whole(path):
                whole += 1
                seen.add(_day(path))
    return stay


def _day(path: Path) -> str:
    """Return the day (UTC) in a name from `dated`."""
    return path.name[-len("20300102T030405Z.backup") :][:8]


def _is_whole(path: Path) -> bool:
    try:
        check_backup(path)
    except StoreError:
        return False
    return True


def _count(path: Path) -> int:
    """Return how many reports a backup has, without the ones due for deletion; 0 if damaged."""
    try:
        with look_into(path) as found:
            due = {
                slug for slug, one in found.retentions(held=True).items() if one.has_come(utc_day())
            }
            return sum(
                found.count(s) for one in found.surveys() if (s := one.survey.slug) not in due
            )
    except StoreError:
        return 0


def _prefix(store: Store, url: str) -> str:
    """Return the start of the names of a store's dated backups, unlike any other store's."""
    place = next(iter(files_of(url)), None)
    name = str(Path(place).resolve()) if place else store.name
    stem = Path(place).stem if place else "database"
    return f"{stem}-{hashlib.sha256(name.encode()).hexdigest()[:6]}-"


def backups_beside(url: str) -> list[Path]:
    """Return the backups in a store's folder, or in the working folder for a database."""
    folder = Path(next(iter(files_of(url)), ".")).parent
    return sorted(path for path in folder.glob("*.backup") if path.is_file())


def reports_in(path: Path, slugs: Iterable[str]) -> dict[str, int]:
    """Return how many reports of each survey a backup holds; empty if it is not a backup."""
    try:
        with _unpacked(path) as url, alone(url) as backup:
            return {slug: count_reports(backup.db, slug) for slug in slugs}
    except StoreError:
        return {}


def erase(path: Path, slugs: Sequence[str]) -> None:
    """Remove the reports of surveys from a backup, which does not change on any error."""
    with _unpacked(path) as url, alone(url) as backup:
        if any(count_reports(backup.db, slug) for slug in slugs):
            delete_reports(backup.db, slugs)
            keep(backup, path)


def check_backup(path: Path) -> None:
    """Check that a file is a complete backup; errors as in `restore`."""
    with path.open("rb") as file:
        _check(file, path)


@contextmanager
def _written(path: Path) -> Iterator[Path]:
    """Yield the path of a part, which becomes the backup at this path unless an error is raised."""
    path = path.resolve()
    _remove_parts(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with _lock_part(part):
        yield part
        _finish(part)
        part.replace(path)
        _sync(path.parent)


@contextmanager
def _lock_part(part: Path) -> Iterator[None]:
    """Lock a part against other processes while it is written, then remove its remains."""
    # A separate file: closing any file of a store drops SQLite's locks on it.
    mark = part.with_name(part.name + _HELD)
    descriptor = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with suppress(OSError):  # a file system without locks: parts stay
            _lock(descriptor)
        yield
    finally:
        _remove(part)
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a file; raise OSError if another process holds it."""
    import fcntl  # noqa: PLC0415  Windows has none, and imports this module

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(part: Path) -> None:
    for left in files_of(store_url(str(part))):
        Path(left).unlink(missing_ok=True)
    part.with_name(part.name + _HELD).unlink(missing_ok=True)


def _remove_parts(path: Path) -> None:
    """Remove the parts that killed processes left of backups to this path or series.

    They hold reports, and nothing else would ever delete them.
    """
    name = _DATE.sub(lambda _: _DATE.pattern, re.escape(path.name))
    of_killed = re.compile(rf"(\.{name}\.[0-9a-f]{{8}}\.part){re.escape(_HELD)}")
    for mark in path.parent.iterdir():
        found = of_killed.fullmatch(mark.name)
        with suppress(OSError):  # another process removes it as well, or holds it
            if found and mark.is_file() and not mark.is_symlink():
                descriptor = os.open(mark, os.O_WRONLY)
                try:
                    _lock(descriptor)
                    _remove(mark.with_name(found[1]))
                finally:
                    os.close(descriptor)


def _finish(part: Path) -> None:
    """Write the end of a backup, and wait until the whole file is on the disk."""
    with part.open("r+b") as file:
        found = _hash(file, part.stat().st_size)
        file.seek(0, os.SEEK_END)
        file.write(BACKUP_MARK + found)
        file.flush()
        sync(file.fileno())


def _sync(folder: Path) -> None:
    """Have a new file name survive a crash, if the system can promise that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            sync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _unpacked(path: Path) -> Iterator[str]:
    """Yield the URL of the store in a backup, copied to a folder that only the owner can read."""
    with tempfile.TemporaryDirectory(prefix="deniable-") as folder, path.open("rb") as file:
        size = _check(file, path)
        copy = Path(folder) / "store.db"
        copy.touch(mode=0o600)
        with copy.open("wb") as written:
            for piece in _pieces(file, size):
                written.write(piece)
        yield store_url(str(copy))


def _check(file: BinaryIO, path: Path) -> int:
    """Check that a file is a complete backup; return how many bytes of it are the store."""
    size = os.fstat(file.fileno()).st_size - BACKUP_END
    if size > 0:
        file.seek(size)
        end = file.read()
        if end.startswith(BACKUP_MARK):
            if _hash(file, size) == end[len(BACKUP_MARK) :]:
                return size
            raise StoreError(f"{path}: the backup was altered since it was made; take another one")
    raise StoreError(
        f"{path}: expected a file that 'deniable backup' wrote, found one that was cut off, or "
        "another file; take another backup"
    )


def _hash(file: BinaryIO, size: int) -> bytes:
    found = hashlib.sha256()
    for piece in _pieces(file, size):
        found.update(piece)
    return found.digest()


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the first `size` bytes of a file in pieces."""
    file.seek(0)
    while size > 0 and (piece := file.read(min(size, _AT_ONCE))):
        yield piece
        size -= len(piece)
