"""A whole store in one file, made while the store is in use, and back into an empty place.

Of either engine it becomes a store in SQLite, whose rows stand in the order of their keys: nothing
that was deleted travels, and no order of arrival. Whoever restores it needs this program alone, and
can look into it with any program that reads SQLite. Its end is a mark and a hash of all before,
which SQLite does not look at: a backup that was cut off or altered is not restored.
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

from deniable.server.store.durable import sync
from deniable.server.store.errors import FROM_LAST_BACKUP, StoreError
from deniable.server.store.opening import alone, files_of, open_store, store_url
from deniable.server.store.sql.database import Alone
from deniable.server.store.sql.moving import fill_tables, read_tables
from deniable.server.store.sql.retention import count_reports, delete_reports, utc_day
from deniable.server.store.sqlite import versions
from deniable.server.store.sqlite.versions import BACKUP_END, BACKUP_MARK
from deniable.server.store.store import Store

_AT_ONCE: Final = 2**20

_HELD: Final = ".held"
"""How the name of the file ends that is locked as long as somebody writes a part."""

_DATE: Final = re.compile(r"\d{8}T\d{6}Z")
"""The time in the names that `dated` gives."""


def back_up(store: Store, path: Path) -> int:
    """Write all of a store into a file that its owner alone can read, whole or not at all.

    The reports are counted anew on the way: one that is damaged or missing gives no backup. Damage
    that a backup does not take along, such as in an index or a free page, is no reason against one:
    it is then the way out of a damaged store. Who is signed in is left behind.
    """
    try:
        with _written(path) as part:
            url = store_url(str(part))
            with closing(open_store(url)) as copy:
                with store.copying_all() as tables:
                    count = copy.move_in(tables)
                if faults := [*copy.unreadable()]:  # nothing could be done with it
                    raise StoreError("; ".join(faults))
                return count
    except StoreError:
        store.make_sure(how=FROM_LAST_BACKUP)  # which says it by the name of the store
        raise


def keep(store: Alone, path: Path) -> None:
    """Write all of a store of any version into a file, as `back_up` does.

    It is a backup of that version, which the release that wrote the store restores as well. The
    reports are not counted anew: what is kept of them for that depends on the version.
    """
    with _written(path) as part:
        part.touch(mode=0o600)
        with versions.new(part, store.version) as db:
            columns = versions.columns_of(db)
            fill_tables(store.name, db, columns, read_tables(store.db, store.tables))


def restore(path: Path, store: Store) -> int:
    """Take all of a backup into an empty store, whole or not at all, and return how many reports.

    The file stays as it is. A backup of an older version becomes one of this version on the way.
    """
    with look_into(path) as found:
        found.make_sure()
        with found.copying_all() as tables:
            return store.move_in(tables)


@contextmanager
def look_into(path: Path) -> Iterator[Store]:
    """Lend the store in a backup, brought to this version; the file stays as it is."""
    with _unpacked(path) as url:
        with alone(url) as backup:
            backup.migrate()
        with closing(open_store(url, create=False, read_only=True)) as found:
            yield found


def dated(folder: Path, store: Store, url: str) -> Path:
    """Return the path of a backup made now, in a folder that has one of each time."""
    return folder / f"{_prefix(store, url)}{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"


def remove_older(made: Path, store: Store, url: str, kept: int) -> list[Path]:
    """Remove the backups that `dated` named for this store, but the newest, of which one is made.

    Nothing else: no link, no other store's, and no file that somebody named. One that is dated
    after `made`, by a wrong clock or by hand, takes nobody's place. Where `made` holds less than
    half of what one of them does, the store may have been lost and begun anew: nothing is removed.
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
    old = others[: max(0, len(others) - kept + 1)]
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


def _count(path: Path) -> int:
    """Count the reports in a backup that may still be there; a damaged one holds none."""
    try:
        with look_into(path) as found:
            due = {
                slug
                for slug, one in found.retentions(pending=True).items()
                if one.is_due(utc_day())
            }
            return sum(
                found.count(s) for one in found.surveys() if (s := one.survey.slug) not in due
            )
    except StoreError:
        return 0


def _prefix(store: Store, url: str) -> str:
    """Return what the names of a store's dated backups begin with: no other store's in a folder."""
    place = next(iter(files_of(url)), None)
    name = str(Path(place).resolve()) if place else store.name
    stem = Path(place).stem if place else "database"
    return f"{stem}-{hashlib.sha256(name.encode()).hexdigest()[:6]}-"


def backups_beside(url: str) -> list[Path]:
    """Return the backups in the folder of a store, or of a database in the working folder."""
    folder = Path(next(iter(files_of(url)), ".")).parent
    return sorted(path for path in folder.glob("*.backup") if path.is_file())


def reports_in(path: Path, slugs: Iterable[str]) -> dict[str, int]:
    """Return how many reports of surveys a backup holds; none if it is no backup."""
    try:
        with _unpacked(path) as url, alone(url) as backup:
            return {slug: count_reports(backup.db, slug) for slug in slugs}
    except StoreError:
        return {}


def erase(path: Path, slugs: Sequence[str]) -> None:
    """Take the reports of surveys out of a backup, which stays as it is on any error."""
    with _unpacked(path) as url, alone(url) as backup:
        if any(count_reports(backup.db, slug) for slug in slugs):
            delete_reports(backup.db, slugs)
            keep(backup, path)


def check_backup(path: Path) -> None:
    """Check that a file is a backup, and whole; errors as in `restore`."""
    with path.open("rb") as file:
        _check(file, path)


@contextmanager
def _written(path: Path) -> Iterator[Path]:
    """Lend the path of a part, which becomes a backup at this path, unless there is an error."""
    path = path.resolve()
    _remove_parts(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with _held(part):
        yield part
        _finish(part)
        part.replace(path)
        _sync(path.parent)


@contextmanager
def _held(part: Path) -> Iterator[None]:
    """Tell other processes that a part is being written, and remove what is left of it."""
    # A file of its own: to close any file of a store takes away the locks that SQLite has of it.
    mark = part.with_name(part.name + _HELD)
    descriptor = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with suppress(OSError):  # a file system without locks: parts stay there
            _lock(descriptor)
        yield
    finally:
        _remove(part)
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a file, unless another process has."""
    import fcntl  # noqa: PLC0415  Windows has none, and imports this module

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(part: Path) -> None:
    for left in files_of(store_url(str(part))):
        Path(left).unlink(missing_ok=True)
    part.with_name(part.name + _HELD).unlink(missing_ok=True)


def _remove_parts(path: Path) -> None:
    """Remove the parts of backups to this path, or of this series, whose processes were killed.

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
    """Write the end of a backup, and wait until all of it is on the disk."""
    with part.open("r+b") as file:
        found = _hash(file, part.stat().st_size)
        file.seek(0, os.SEEK_END)
        file.write(BACKUP_MARK + found)
        file.flush()
        sync(file.fileno())


def _sync(folder: Path) -> None:
    """Have the name of a file survive a crash, where the system can promise that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            sync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _unpacked(path: Path) -> Iterator[str]:
    """Lend the store in a backup, in a folder that nobody else can read."""
    with tempfile.TemporaryDirectory(prefix="deniable-") as folder, path.open("rb") as file:
        size = _check(file, path)
        copy = Path(folder) / "store.db"
        copy.touch(mode=0o600)
        with copy.open("wb") as written:
            for piece in _pieces(file, size):
                written.write(piece)
        yield store_url(str(copy))


def _check(file: BinaryIO, path: Path) -> int:
    """Check that a file is a whole backup; return how many bytes of it are the store."""
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
    """Read so many bytes from the beginning of a file."""
    file.seek(0)
    while size > 0 and (piece := file.read(min(size, _AT_ONCE))):
        yield piece
        size -= len(piece)
