"""``deniable backup`` and ``restore``: all of a store at one moment, also while it is in use."""

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import Outcome, open_store
from deniable.server.store.accounts import Role
from tests import surveys
from tests.cli.conftest import Run
from tests.server.calling import report
from tests.server.store.engines import ENGINES, POSTGRES, SQLITE, Engine
from tests.server.stored import reports_in

pytestmark = pytest.mark.promise("damage")

SURVEY = surveys.survey(batch=10)

HEADER, END = 100, 48
"""Bytes at the beginning that hold counters of SQLite's, and at the end that hold the hash."""


def filled(address: str, reports: list[Report]) -> None:
    """Make a store of these reports, in the order in which they come, with an account."""
    with closing(open_store(address)) as store:
        store.register(SURVEY)
        store.add_user("ann", Role.ADMINISTRATOR, "a hash")
        for one in reports:
            store.insert_batch([one])


@pytest.mark.promise("backup")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_store_in_use_is_backed_up_whole_and_restored_to_either_engine(
    run: Run, tmp_path: Path, engine: Engine
) -> None:
    address, file = engine.url(tmp_path), tmp_path / "study.backup"
    filled(address, [report(SURVEY) for _ in range(30)])
    stop, stored = threading.Event(), set[bytes]()
    with closing(open_store(address)) as store:
        before = reports_in(store)

        def keep_storing() -> None:
            while not stop.is_set():
                batch = [report(SURVEY) for _ in range(7)]
                assert store.insert_batch(batch) == [Outcome.STORED] * 7
                stored.update(one.id for one in batch)

        thread = threading.Thread(target=keep_storing)
        thread.start()
        try:
            result = run("backup", address, file)
        finally:
            stop.set()
            thread.join()
        after = reports_in(store)
    assert after.keys() == before.keys() | stored
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    for other in ENGINES:
        place = other.url(tmp_path, f"new-{other.name}")
        run("restore", file, place)
        with closing(open_store(place, create=False)) as new:
            kept = reports_in(new)
            assert f" {len(kept):,} reports" in result.output
            # One moment: whole batches of those that came meanwhile.
            assert before.items() <= kept.items() <= after.items()
            assert (len(kept) - 30) % 7 == 0
            assert new.check() == []
            assert [user.name for user in new.users()] == ["ann"]
            assert new.user("ann").password == "a hash"


@pytest.mark.promise("backup")
def test_nothing_that_was_deleted_travels_and_no_order_of_arrival(run: Run, tmp_path: Path) -> None:
    reports = [report(SURVEY) for _ in range(9)]
    files = []
    for name, those in (("one", reports), ("two", reports[::-1])):
        address = SQLITE.url(tmp_path, name)
        filled(address, those)
        with closing(open_store(address)) as store:
            gone = surveys.survey(slug="gone")
            store.register(gone)
            deleted = report(gone)
            store.insert_batch([deleted])
            store.delete("gone")
            file = tmp_path / f"{name}.backup"
            run("backup", address, file)
        files.append(file.read_bytes())
        assert reports[0].id in files[-1]
        assert deleted.id not in files[-1]
    one, two = (file[HEADER:-END] for file in files)
    assert one == two


def test_a_backup_that_was_cut_off_or_altered_is_refused_in_a_sentence(
    run: Run, tmp_path: Path
) -> None:
    file, bad = tmp_path / "study.backup", tmp_path / "bad.backup"
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(9)])
    run("backup", tmp_path / "store.db", file)
    whole = file.read_bytes()
    for length in (0, 1, END - 1, END, len(whole) // 2, len(whole) - END, len(whole) - 1):
        bad.write_bytes(whole[:length])
        said = run("restore", bad, tmp_path / "new.db", exits=1).stderr
        assert "was cut off" in said
    for at in (*range(0, len(whole), 4999), whole.index(b"a hash"), len(whole) - 1):
        altered = bytearray(whole)
        altered[at] ^= 1
        bad.write_bytes(altered)
        said = run("restore", bad, tmp_path / "new.db", exits=1).stderr
        assert "altered" in said or "cut off" in said
    assert not (tmp_path / "new.db").exists()
    assert file.read_bytes() == whole
    run("restore", file, tmp_path / "new.db")
    assert file.read_bytes() == whole


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_nothing_is_restored_where_something_is(run: Run, tmp_path: Path, engine: Engine) -> None:
    filled(SQLITE.url(tmp_path), [report(SURVEY)])
    run("backup", tmp_path / "store.db", tmp_path / "study.backup")
    other = engine.url(tmp_path, "other")
    with closing(open_store(other)) as store:
        store.add_user("bob", Role.ADMINISTRATOR)
    said = run("restore", tmp_path / "study.backup", other, exits=1).stderr
    assert "holds something already" in said
    with closing(open_store(other)) as store:
        assert [user.name for user in store.users()] == ["bob"]
        assert store.surveys() == []


def test_a_backup_is_no_place_for_the_store_itself(run: Run, tmp_path: Path) -> None:
    filled(SQLITE.url(tmp_path), [report(SURVEY)])
    before = (tmp_path / "store.db").read_bytes()
    run("backup", tmp_path / "store.db", tmp_path / "store.db", "--force", exits=2)
    assert (tmp_path / "store.db").read_bytes() == before


def test_no_password_is_repeated(run: Run, tmp_path: Path) -> None:
    filled(POSTGRES.url(tmp_path), [report(SURVEY)])
    address = POSTGRES.url(tmp_path).replace("deniable@", "deniable:hunter2@")
    assert "hunter2" not in run("backup", address, tmp_path / "study.backup").output


def test_nothing_is_counted_or_written_from_a_damaged_store(run: Run, tmp_path: Path) -> None:
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(30)])
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        db.execute("UPDATE held SET answers = x'01' WHERE id = (SELECT min(id) FROM held)")
        db.commit()
    store = ("--store", tmp_path / "store.db")
    for command in (
        ("export", "doping", *store, "-o", "out.csv"),
        ("export", "doping", *store, "--zip", "out.zip"),
        ("export", "doping", *store, "--datasette", "out.db"),
        ("export", "doping", *store, "--into", "copy.db"),
        ("estimate", "doping", *store, "-o", "out.txt"),
        ("migrate", tmp_path / "store.db", "new.db"),
        ("backup", tmp_path / "store.db", "out.backup"),
        ("tally", tmp_path / "store.db", "-o", "out.json"),
        ("export", "doping", *store, "--parquet", "out.lake"),
    ):
        said = run(*command, exits=1).stderr
        assert "/store.db: " in said
        assert "'doping'" in said
        assert "do not give the sum" in said
    assert not list(tmp_path.glob("out.*"))
