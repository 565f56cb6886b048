"""A store that is only read: nothing is written, and little needs to be writable."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import Store, StoreError, StoreNotFound, StoreUnavailable, open_store
from deniable.server.store.opening import age_of
from deniable.survey import Survey
from tests.kit import report, reports_in

pytestmark = pytest.mark.promise("upgrade")

ANOTHER = 65534
"""A user without rights."""


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a folder that every user can reach; pytest's own are for one."""
    folder = Path(tempfile.mkdtemp(prefix="deniable-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Be a user who may write no file of this one's; whoever is not root is one already."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(ANOTHER)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


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
        "store.insert_batch([report(survey)])\n"
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


def test_reading_leaves_a_store_alone(store: Store, tmp_path: Path, survey: Survey) -> None:
    store.insert_batch([report(survey)])
    store.close()
    before = all_of(tmp_path)
    with closing(open_store(f"sqlite:///{tmp_path}/store.db", read_only=True)) as read:
        assert read.check() == []
        assert read.faults() is not None
        for write in (
            lambda: read.insert_batch([report(survey)]),
            lambda: read.delete("doping"),
            lambda: read.set_public("doping", public=True),
        ):
            with pytest.raises(StoreUnavailable, match="SQLITE_READONLY"):
                write()
    assert all_of(tmp_path) == before


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


def test_what_is_no_store_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (x)")  # and no log of writes
    before = all_of(tmp_path)
    for read_only in (False, True):
        with pytest.raises(StoreError, match="another program's"):
            open_store(f"sqlite:///{path}", read_only=read_only)
    assert all_of(tmp_path) == before


def test_a_store_is_read_where_nobody_may_write(place: Path, survey: Survey) -> None:
    path = place / "store.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.register(survey)
        sent = report(survey)
        store.insert_batch([sent])
    protect(place)
    before = all_of(place)
    with without_rights():
        with closing(open_store(f"sqlite:///{path}", read_only=True)) as read:
            assert reports_in(read).keys() == {sent.id}
            assert read.check() == []
        with pytest.raises(StoreUnavailable, match="cannot be written; expected permission"):
            open_store(f"sqlite:///{path}")
    assert all_of(place) == before


def test_a_crash_s_log_is_read(place: Path, survey: Survey) -> None:
    path = place / "store.db"
    leave_open(path, survey)
    whole = {name: content for name, content in all_of(place).items() if name != "store.db-shm"}
    protect(place)
    with (
        without_rights(),
        closing(open_store(f"sqlite:///{path}", read_only=True)) as read,
    ):
        assert read.count("doping") == 1
    assert {name: all_of(place)[name] for name in whole} == whole
    # Where the log's index is missing, as in a copy, it would have to be made.
    place.chmod(0o755)
    (place / "store.db-shm").unlink()
    place.chmod(0o555)
    with without_rights(), pytest.raises(StoreError, match=r"read together with store\.db-wal"):
        open_store(f"sqlite:///{path}", read_only=True)
    assert all_of(place) == whole
    place.chmod(0o755)
    for name in whole:
        (place / name).chmod(0o644)
    with closing(open_store(f"sqlite:///{path}", read_only=True)) as read:
        assert read.count("doping") == 1


def test_a_store_is_read_while_it_is_written(store: Store, survey: Survey) -> None:
    with closing(open_store(f"sqlite:///{store.name}", read_only=True)) as read:
        for count in range(1, 4):
            store.insert_batch([report(survey)])
            assert read.count("doping") == count
        assert store.erase_order()
        assert read.count("doping") == 3
