"""The engine in a file: its tables, connections and readers."""

import os
import shutil
import signal
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

from deniable.server.store import (
    Store,
    StoreError,
    StoreNotFound,
    StoreUnavailable,
    open_store,
    store_url,
)
from deniable.server.store.opening import age_of
from deniable.survey import Survey
from tests.kit import report, reports_in, surveys
from tests.server.store.engines import inside

COLUMNS = {
    "surveys": (
        "slug TEXT key 1, revision TEXT, state TEXT, wave INTEGER, opens INTEGER, "
        "closes INTEGER, cap INTEGER, pin TEXT, check_number TEXT, public INTEGER, "
        "columns_left TEXT, hidden_below INTEGER, without_code INTEGER, seen TEXT, "
        "doubted TEXT, deleted TEXT, kind TEXT, parent TEXT"
    ),
    "revisions": (
        "number INTEGER? key 1, revision TEXT, survey TEXT, document TEXT, waves INTEGER, "
        "batch INTEGER, source TEXT, token_keys TEXT, deletes TEXT"
    ),
    "reports": "revision INTEGER key 1, id BLOB key 2, answers BLOB",
    "held": "revision INTEGER key 1, id BLOB key 2, answers BLOB",
    "tallies": (
        "revision INTEGER key 1, wave INTEGER key 2, place INTEGER key 3, "
        "report INTEGER key 4, count INTEGER"
    ),
    # Sums over all reports and all tallies, whatever order they came in.
    "checksums": "revision INTEGER key 1, reports INTEGER, tallies INTEGER",
    # Nothing of a report, and nothing of when.
    "invitations": "survey TEXT key 1, code_hash BLOB key 2",
    # Which codes are spent in which wave, and a hash of what chance had blinded.
    "issued": "survey TEXT key 1, wave INTEGER key 2, code_hash BLOB key 3, asked BLOB",
    # About the people at the desk, and nothing of a respondent.
    "sign_ins": "token_hash BLOB key 1, expires INTEGER, user TEXT",
    "users": "name TEXT key 1, role TEXT, password TEXT",
    "shares": "survey TEXT key 1, user TEXT key 2, role TEXT",
    "sessions": "token_hash BLOB key 1, user TEXT, device TEXT, since INTEGER, ends INTEGER",
    "drafts": "id TEXT key 1, owner TEXT, survey TEXT, text TEXT, saved INTEGER",
    # `shown` is what the wall shows a whole class.
    "meetings": (
        "id TEXT key 1, code TEXT, owner TEXT, ends INTEGER, state TEXT, joined INTEGER, shown TEXT"
    ),
    "tokens": (
        "token_hash BLOB key 1, user TEXT, name TEXT, scope TEXT, since INTEGER, ends INTEGER"
    ),
}
"""Name, type and place in the key of each column; "?" where it may be empty."""


def columns_of(path: Path) -> dict[str, str]:
    """Return the columns of each table, written as in `COLUMNS`."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: ", ".join(
                f"{column} {kind}{'' if required else '?'}{f' key {key}' if key else ''}"
                for _, column, kind, required, _, key in db.execute(f"PRAGMA table_info({name})")
            )
            for (name,) in names
        }


@pytest.mark.promise("no-sender")
def test_a_store_has_exactly_these_columns(store: Store, tmp_path: Path) -> None:
    # The allow-list: a column about a respondent, a time or a sequence fails here.
    assert columns_of(tmp_path / "store.db") == COLUMNS


@pytest.mark.promise("no-sender")
def test_a_store_has_one_index_beside_its_tables(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        others = db.execute("SELECT type, tbl_name FROM sqlite_schema WHERE type <> 'table'")
        assert others.fetchall() == [("index", "revisions")]


@pytest.mark.promise("no-sender")
@pytest.mark.parametrize("table", [one for one in COLUMNS if one != "revisions"])
def test_rows_that_people_make_have_no_number(store: Store, tmp_path: Path, table: str) -> None:
    # A rowid counts up: it would number respondents in the order of their arrival.
    with (
        closing(sqlite3.connect(tmp_path / "store.db")) as db,
        pytest.raises(sqlite3.OperationalError, match="no such column: rowid"),
    ):
        db.execute(f"SELECT rowid FROM {table}")


@pytest.mark.promise("no-sender")
def test_every_table_is_strict(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        assert {strict for *_, strict in db.execute("PRAGMA table_list") if strict} == {1}
        loose = "SELECT name FROM pragma_table_list WHERE NOT strict AND name NOT LIKE 'sqlite_%'"
        assert db.execute(loose).fetchall() == []


def test_every_connection_is_durable_and_overwrites(store: Store) -> None:
    with inside(store).lend() as db, inside(store).lend() as second:
        for connection in (db, second):
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
            assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_only_the_owner_can_read_the_files(store: Store, survey: Survey, tmp_path: Path) -> None:
    store.insert_reports([report(survey)])
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
        open_store(f"sqlite:///{tmp_path}/other.db").close()
        (tmp_path / "other.db").rename(tmp_path / "store.db")
        with (
            pytest.raises(StoreUnavailable, match="deleted, moved or replaced"),
            inside(store).lend(),
        ):
            pass


def test_a_new_folder_is_closed(tmp_path: Path) -> None:
    """By the times of the store's files, others would see when each report comes."""
    folder = tmp_path / "new"
    with pytest.raises(StoreNotFound):
        open_store(store_url(str(folder / "store.db")), create=False)
    assert not folder.exists()
    open_store(store_url(str(folder / "store.db"))).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)  # as somebody made it
    open_store(store_url(str(folder / "other.db"))).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"new/store\.db: found no folder .*/no; make it"):
        open_store(store_url(str(tmp_path / "no" / "new" / "store.db")))


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


def test_a_chunk_holds_whole_reports(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    two = surveys.survey(surveys.single("q"), surveys.single("r"), slug="two", batch=1)
    store.register(two)
    # Respondents choose their keys: here some chose neighbouring ones.
    crowd = [report(two, b"\0\1", bytes(14) + number.to_bytes(2)) for number in range(300)]
    store.insert_reports([*crowd, *(report(two, b"\1\0") for _ in range(700))])
    for size in (1, 2, 3, 14, 999, 2000, 2001, 2**22):
        monkeypatch.setattr("deniable.server.store.sql.reading._CHUNK_BYTES", size)
        chunks = list(store.rows("two", two.revision))
        assert max(map(len, chunks)) <= max(size, 2)
        joined = b"".join(chunks)
        pairs = Counter(joined[at : at + 2] for at in range(0, len(joined), 2))
        assert pairs == {b"\0\1": 300, b"\1\0": 700}


def test_errors_name_sqlite_s_reason(store: Store, survey: Survey, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        db.execute("DROP TABLE reports")
    with pytest.raises(StoreError) as refused:
        store.insert_reports([report(survey)])
    expected = "the file is damaged, or not built as a store is (SQLITE_ERROR)"
    assert str(refused.value) == f"{store.name}: {expected}"


def test_settling_needs_little_memory_for_pages(tmp_path: Path) -> None:
    said: list[str] = []
    with closing(open_store(f"sqlite:///{tmp_path}/s.db")) as store:
        with inside(store).lend() as db:
            usual = db.execute("PRAGMA cache_size").fetchone()
            db.set_trace_callback(said.append)
        assert store.erase_order()
        with inside(store).lend() as db:
            assert db.execute("PRAGMA cache_size").fetchone() == usual
    sizes = [one for one in said[: said.index("VACUUM")] if "cache_size =" in one]
    assert int(sizes[-1].partition("=")[2]) > usual[0] / 8  # both in kB below 0


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a folder that every user can reach; pytest's own are for one."""
    folder = Path(tempfile.mkdtemp(prefix="deniable-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def protect(folder: Path) -> None:
    """Let everybody read all of a folder, and nobody write it."""
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def all_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def leave_open(path: Path, survey: Survey) -> None:
    """Store a report and crash, so that it is in the log alone."""
    code = (
        "import os, signal, sys\n"
        "from deniable.server.store import open_store\n"
        "from deniable.survey import Survey\n"
        "from tests.kit import report\n"
        "survey = Survey.from_json(sys.stdin.buffer.read())\n"
        "store = open_store(f'sqlite:///{sys.argv[1]}')\n"
        "store.register(survey)\n"
        "store.insert_reports([report(survey)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    crashed = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        input=survey.to_json(),
        check=False,
        cwd=Path(__file__).parents[4],
    )
    assert crashed.returncode == -signal.SIGKILL
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


@pytest.mark.promise("upgrade")
def test_reading_leaves_a_store_alone(store: Store, tmp_path: Path, survey: Survey) -> None:
    store.insert_reports([report(survey)])
    store.close()
    before = all_of(tmp_path)
    with closing(open_store(f"sqlite:///{tmp_path}/store.db", read_only=True)) as read:
        assert read.check() == []
        assert read.faults() is not None
        for write in (
            lambda: read.insert_reports([report(survey)]),
            lambda: read.delete("doping"),
            lambda: read.set_public("doping", public=True),
        ):
            with pytest.raises(StoreUnavailable, match="SQLITE_READONLY"):
                write()
    assert all_of(tmp_path) == before


@pytest.mark.promise("upgrade")
def test_an_empty_file_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    for use in (
        lambda: open_store(f"sqlite:///{path}", create=False),
        lambda: open_store(f"sqlite:///{path}", read_only=True),
        lambda: age_of(f"sqlite:///{path}"),
    ):
        with pytest.raises(StoreNotFound, match="the file is empty"):
            use()
        assert all_of(tmp_path) == {"empty.db": b""}
    open_store(f"sqlite:///{path}").close()
    assert path.stat().st_size > 0


@pytest.mark.promise("upgrade")
def test_a_store_is_read_where_nobody_may_write(place: Path, survey: Survey) -> None:
    path = place / "store.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.register(survey)
        sent = report(survey)
        store.insert_reports([sent])
    protect(place)
    before = all_of(place)
    with as_somebody_else():
        with closing(open_store(f"sqlite:///{path}", read_only=True)) as read:
            assert reports_in(read).keys() == {sent.id}
            assert read.check() == []
        with pytest.raises(StoreUnavailable, match="cannot be written; expected permission"):
            open_store(f"sqlite:///{path}")
    assert all_of(place) == before


@pytest.mark.promise("upgrade")
def test_a_crash_s_log_is_read(place: Path, survey: Survey) -> None:
    path = place / "store.db"
    leave_open(path, survey)
    whole = {name: content for name, content in all_of(place).items() if name != "store.db-shm"}
    protect(place)
    with (
        as_somebody_else(),
        closing(open_store(f"sqlite:///{path}", read_only=True)) as read,
    ):
        assert read.count("doping") == 1
    assert {name: all_of(place)[name] for name in whole} == whole
    # Where the log's index is missing, as in a copy, it would have to be made.
    place.chmod(0o755)
    (place / "store.db-shm").unlink()
    place.chmod(0o555)
    with as_somebody_else(), pytest.raises(StoreError, match=r"read together with store\.db-wal"):
        open_store(f"sqlite:///{path}", read_only=True)
    assert all_of(place) == whole
    place.chmod(0o755)
    for name in whole:
        (place / name).chmod(0o644)
    with closing(open_store(f"sqlite:///{path}", read_only=True)) as read:
        assert read.count("doping") == 1


@pytest.mark.promise("upgrade")
def test_a_store_is_read_while_it_is_written(store: Store, survey: Survey) -> None:
    with closing(open_store(f"sqlite:///{store.name}", read_only=True)) as read:
        for count in range(1, 4):
            store.insert_reports([report(survey)])
            assert read.count("doping") == count
        assert store.erase_order()
        assert read.count("doping") == 3
