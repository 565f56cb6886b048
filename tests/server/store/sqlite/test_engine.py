"""What is SQLite's own: its settings, its files, its chunks."""

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from deniable.server.store import Store, StoreError, StoreUnavailable, open_store, store_url
from deniable.server.store.sqlite.engine import open_file
from deniable.survey import Survey
from tests.kit import report, surveys
from tests.server.store.engines import inside


def test_every_connection_is_durable_and_overwrites(store: Store) -> None:
    with inside(store).lend() as db, inside(store).lend() as second:
        for connection in (db, second):
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
            assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_only_the_owner_can_read_the_files(store: Store, survey: Survey, tmp_path: Path) -> None:
    store.insert_batch([report(survey)])
    files = list(tmp_path.iterdir())
    assert {file.name for file in files} == {"store.db", "store.db-wal", "store.db-shm"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


@pytest.mark.promise("in-its-place")
def test_writes_into_a_deleted_file_are_refused(store: Store, tmp_path: Path) -> None:
    def write_and_delete() -> None:
        with inside(store).transaction() as db:
            db.execute("INSERT INTO sign_ins VALUES (x'00', 1, '')")
            (tmp_path / "store.db").unlink()

    # SQLite itself commits into the deleted file without complaint.
    with pytest.raises(StoreUnavailable, match="deleted, moved or replaced"):
        write_and_delete()


def test_a_second_connection_is_never_to_another_file(store: Store, tmp_path: Path) -> None:
    with inside(store).lend():
        (tmp_path / "store.db").rename(tmp_path / "away")
        open_file(tmp_path / "other.db").close()
        (tmp_path / "other.db").rename(tmp_path / "store.db")
        with (
            pytest.raises(StoreUnavailable, match="deleted, moved or replaced"),
            inside(store).lend(),
        ):
            pass


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no/store\.db: found no folder .*no; make it"):
        open_store(store_url(str(tmp_path / "no" / "store.db")))


def test_other_files_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("This is not a database, though it is long enough to be one. " * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(store_url(str(text)))
    with pytest.raises(StoreError, match="found a folder"):
        open_store(store_url(str(tmp_path)))


def test_a_store_looked_at_stays_locked(tmp_path: Path, survey: Survey) -> None:
    """POSIX takes all locks of a process away when it closes any file of that path."""
    url = store_url(str(tmp_path / "store.db"))
    alone = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], timeout=0)\n"
    alone += "db.execute('PRAGMA locking_mode = EXCLUSIVE'); db.execute('BEGIN IMMEDIATE')"
    words = [sys.executable, "-c", alone, str(tmp_path / "store.db")]
    with closing(open_store(url)) as store:
        store.register(survey)
        open_store(url, create=False, read_only=True).close()
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "database is locked" in done.stderr
    subprocess.run(words, check=True)


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Act as a user whom permissions hold back, if this one is root."""
    user = os.geteuid()
    os.seteuid(65534 if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.promise("in-its-place")
@pytest.mark.parametrize("folder_mode", [0o700, 0o500])
@pytest.mark.parametrize("create", [True, False])
def test_an_unwritable_store_says_why(survey: Survey, folder_mode: int, create: bool) -> None:
    # Not below pytest's own folder, which somebody else cannot enter.
    with as_somebody_else(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = store_url(str(folder / "store.db"))
        with closing(open_store(url)) as store:
            store.register(survey)
        (folder / "store.db").chmod(0o400)
        folder.chmod(folder_mode)

        def sign_in() -> None:
            with closing(open_store(url, create=create)) as store:
                assert store.survey("doping") == survey  # reading it is allowed, where it can be
                store.add_sign_in(b"h", expires=1, now=0)

        with pytest.raises(StoreError, match="permission to write the file and its folder"):
            sign_in()
        folder.chmod(0o700)


def test_chunks_stay_small(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    # Respondents choose their keys: here some hundred chose neighbouring ones.
    crowd = [report(survey, b"\1", bytes(14) + number.to_bytes(2)) for number in range(300)]
    store.insert_batch([*crowd, *(report(survey) for _ in range(700))])
    for size in (1, 7, 100, 999, 1000, 1001, 2**22):
        monkeypatch.setattr("deniable.server.store.reports._CHUNK_BYTES", size)
        chunks = list(store.answers("doping", survey.revision))
        assert max(map(len, chunks)) <= size
        assert Counter(b"".join(chunks)) == {0: 700, 1: 300}


def test_a_chunk_holds_whole_reports(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    two = surveys.survey(surveys.single("q"), surveys.single("r"), slug="two")
    store.register(two)
    store.insert_batch([report(two, bytes([a, 1 - a])) for a in (0, 1) for _ in range(40)])
    for size in (1, 2, 3, 14):
        monkeypatch.setattr("deniable.server.store.reports._CHUNK_BYTES", size)
        chunks = list(store.answers("two", two.revision))
        assert max(map(len, chunks)) <= max(size, 2)
        joined = b"".join(chunks)
        pairs = Counter(joined[at : at + 2] for at in range(0, len(joined), 2))
        assert pairs == {b"\0\1": 40, b"\1\0": 40}


def test_a_closed_store_keeps_no_connection(store: Store) -> None:
    store.count("doping")
    store.close()
    assert not inside(store)._idle


def test_errors_name_sqlite_s_reason(store: Store, survey: Survey, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        db.execute("DROP TABLE reports")
    with pytest.raises(StoreError) as refused:
        store.insert_batch([report(survey)])
    expected = "the file is damaged, or not built as a store is (SQLITE_ERROR)"
    assert str(refused.value) == f"{store.name}: {expected}"


def test_settling_needs_little_memory_for_pages(tmp_path: Path) -> None:
    said: list[str] = []
    with closing(open_file(tmp_path / "s.db")) as store:
        with inside(store).lend() as db:
            usual = db.execute("PRAGMA cache_size").fetchone()
            db.set_trace_callback(said.append)
        assert store.erase_order()
        with inside(store).lend() as db:
            assert db.execute("PRAGMA cache_size").fetchone() == usual
    sizes = [one for one in said[: said.index("VACUUM")] if "cache_size =" in one]
    assert int(sizes[-1].partition("=")[2]) > usual[0] / 8  # both in kB below 0
