"""``deniable backup`` and ``restore``: all of a store at one moment, also while it is in use."""

import fcntl
import hashlib
import random
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import Outcome, Store, backups, open_store
from deniable.server.store.accounts import Role
from deniable.server.store.backups import keep
from deniable.server.store.backups import reports_in as reports_of
from deniable.server.store.opening import alone
from deniable.survey.checks import BATCH
from tests.cli.conftest import Run, names
from tests.kit import DrawnBefore, by_invitation, report, reports_in, surveys
from tests.server.store.engines import ENGINES, SQLITE, Engine

pytestmark = pytest.mark.promise("damage")

SURVEY = surveys.survey(batch=BATCH)

HEADER, END = 100, 48
"""Bytes at the beginning that hold counters of SQLite's, and at the end that hold the hash."""


def filled(address: str, reports: list[Report]) -> None:
    """Make a store of these reports, in the order in which they come, with an account."""
    with closing(open_store(address)) as store:
        store.register(SURVEY)
        store.add_user("ann", Role.ADMINISTRATOR, "a hash")
        for one in reports:
            store.insert_reports([one])


@pytest.mark.slow
@pytest.mark.promise("backup")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_backup_restores_to_either_engine(run: Run, tmp_path: Path, engine: Engine) -> None:
    address, file = engine.url(tmp_path), tmp_path / "study.backup"
    filled(address, [report(SURVEY) for _ in range(30)])
    stop, stored = threading.Event(), set[bytes]()
    with closing(open_store(address)) as store:
        before = reports_in(store)

        def keep_storing() -> None:
            while not stop.is_set():
                batch = [report(SURVEY) for _ in range(7)]
                assert store.insert_reports(batch) == [Outcome.STORED] * 7
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


def held_in(store: Store) -> int:
    """Return how many reports to `SURVEY` the desk does not show yet."""
    return store.count(SURVEY.slug) - store.snapshot(SURVEY.slug).count()


@pytest.mark.promise("backup")
@pytest.mark.parametrize("count", [9, 19, 20, 303])
def test_neither_deletions_nor_order_travel(run: Run, tmp_path: Path, count: int) -> None:
    """Every byte is the same, whichever reports came last and whichever the desk has not shown."""
    assert SURVEY.batch == BATCH
    reports = [report(SURVEY) for _ in range(count)]
    files, kept = [], []
    for name, those in (("one", reports), ("two", reports[::-1])):
        address = SQLITE.url(tmp_path, name)
        filled(address, those)
        with closing(open_store(address)) as store:
            gone = surveys.survey(slug="gone")
            store.register(gone)
            deleted = report(gone)
            store.insert_reports([deleted])
            store.delete("gone")
            assert held_in(store) == min(count, 10 + count % 10)
            file = tmp_path / f"{name}.backup"
            run("backup", address, file)
        with alone(address) as old:  # as an upgrade keeps a store
            keep(old, tmp_path / f"{name}.v1.backup")
        files.append(file.read_bytes())
        kept.append((tmp_path / f"{name}.v1.backup").read_bytes())
        assert all(files[-1].count(one.id) == 1 for one in reports)
        assert deleted.id not in files[-1]
    for one, two in (files, kept):
        assert one[HEADER:-END] == two[HEADER:-END]


def test_a_damaged_backup_is_refused_in_a_sentence(run: Run, tmp_path: Path) -> None:
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


def test_a_store_is_no_place_for_backups(run: Run, tmp_path: Path) -> None:
    filled(SQLITE.url(tmp_path), [report(SURVEY)])
    before = (tmp_path / "store.db").read_bytes()
    run("backup", tmp_path / "store.db", tmp_path / "store.db", "--force", exits=2)
    assert (tmp_path / "store.db").read_bytes() == before


def set_clock(monkeypatch: pytest.MonkeyPatch, hours: Iterator[int]) -> None:
    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            return datetime(2030, 1, 2, tzinfo=UTC) + timedelta(hours=next(hours))

    monkeypatch.setattr("deniable.server.store.backups.datetime", Clock)


def test_only_the_newest_stay(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "backups"
    (other := tmp_path / "other").mkdir()
    folder.mkdir()
    filled(SQLITE.url(tmp_path), [report(SURVEY)])
    filled(SQLITE.url(other), [report(SURVEY)])
    set_clock(monkeypatch, iter(range(24)))
    run("backup", other / "store.db", folder, "--keep", 1)  # of another store of the same name
    run("backup", tmp_path / "store.db", folder, "--keep", 7)
    (own,) = folder.glob("*T01*")
    strangers = [own.name + ".old", own.name[:-20] + ".backup", "store.backup", own.name[1:]]
    for name in strangers:
        (folder / name).write_text("kept")
    (folder / own.name.replace("T01", "T00")).symlink_to(own)
    (folder / own.name.replace("T010000", "T001500")).mkdir()
    before = {*folder.iterdir()}
    said = [run("backup", tmp_path / "store.db", folder, "--keep", 3).stdout for _ in range(4)]
    assert said[-1].endswith("0102T030000Z.backup: removed.\n")
    made = {path for path in folder.iterdir() if re.search("T0[45]", path.name)}
    assert len(made) == 2
    assert {*folder.iterdir()} == before - {own} | made
    set_clock(monkeypatch, iter([0, 9, 10]))  # it was wrong
    (folder / own.name.replace("T01", "T00")).unlink()
    run("backup", tmp_path / "store.db", folder, "--keep", 1)
    # What is dated later is of a wrong clock, or planted: it takes no other one's place.
    found = {path for path in folder.glob(f"{own.name[:12]}*Z.backup") if path.is_file()}
    assert found == {folder / own.name.replace("T01", "T00")} | made
    damaged = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    damaged.execute("UPDATE checksums SET reports = reports + 1")
    left = {*folder.iterdir()}
    run("backup", tmp_path / "store.db", folder, "--keep", 1, exits=1)
    assert {*folder.iterdir()} == left
    assert "folder" in run("backup", tmp_path / "store.db", own, "--keep", 1, exits=2).stderr
    gone = tmp_path / "gone"
    told = run("backup", tmp_path / "store.db", gone, "--keep", 1, exits=2).stderr
    assert f"{gone}: there is no such folder; 'mkdir {gone}' makes it" in told


@pytest.mark.promise("backup")
def test_backups_tell_the_day_of_a_report_and_of_the_newest_two_the_hour(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the shipped timer makes them; ten days lie between some, and each has one report more."""
    hours = [24 * day + hour for day in (0, 1, 2, 12, 13, 14, 15, 16, 17) for hour in (8, 9, 10)]
    set_clock(monkeypatch, iter(hours))
    (folder := tmp_path / "backups").mkdir()
    filled(SQLITE.url(tmp_path), [])
    with closing(open_store(SQLITE.url(tmp_path))) as store:
        for _ in hours:
            store.insert_reports([report(SURVEY)])
            run("backup", tmp_path / "store.db", folder, "--keep", 7)
    counts = [reports_of(path, [SURVEY.slug])[SURVEY.slug] for path in sorted(folder.iterdir())]
    assert counts == [9, 12, 15, 18, 21, 24, 26, 27]


def test_a_damaged_backup_takes_no_other_one_s_place(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, iter([1, 2, 3, 4, 25, 26, 49, 50, 73, 74]))
    (folder := tmp_path / "backups").mkdir()
    filled(SQLITE.url(tmp_path), [report(SURVEY)])
    left = []
    for number in range(10):
        run("backup", tmp_path / "store.db", folder, "--keep", 3)
        left.append({path.name[-17:-8] for path in folder.iterdir()})
        if number == 2:
            newest = max(folder.iterdir())
            newest.write_bytes(newest.read_bytes()[:-1])
    days = [f"{day:02}T" for day in (2, 3, 4, 5)]
    assert left[3] == {"02T020000", "02T030000", "02T040000"}
    assert left[5] == {"02T040000", "03T010000", "03T020000"}
    assert {one[:3] for one in left[7]} == {*days[:3]}
    assert {one[:3] for one in left[9]} == {*days[1:]}


def test_of_each_day_the_newest_stays_and_of_all_the_newest_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backups, "_is_whole", lambda path: True)
    generator = random.Random(5)
    for _ in range(300):
        start, end = datetime(2030, 1, 2, tzinfo=UTC), generator.choice([20, 60, 500])
        hours = sorted(generator.sample(range(end), generator.randint(1, 20)))
        there: list[Path] = []
        for hour in hours:
            made = Path(f"a-{start + timedelta(hours=hour):%Y%m%dT%H%M%SZ}.backup")
            there = [*sorted(backups._staying(made, there, 7)), made]
        of_day = {hour // 24: hour for hour in hours}  # the last of each
        expected = {*hours[-2:], *[of_day[day] for day in sorted(of_day)[-7:]]}
        assert there == [
            Path(f"a-{start + timedelta(hours=hour):%Y%m%dT%H%M%SZ}.backup")
            for hour in sorted(expected)
        ]


def test_a_lost_store_takes_no_backup_with_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, iter(range(24)))
    (folder := tmp_path / "backups").mkdir()
    store = tmp_path / "store.db"
    dated = replace(SURVEY, about=replace(SURVEY.about, delete_reports="2098-12-01"))
    monkeypatch.setattr("tests.cli.test_backup.SURVEY", dated)
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(12)])
    run("backup", store, folder, "--keep", 1)
    (full,) = folder.iterdir()
    (cookies := tmp_path / "store.db.cookies").touch()
    store.unlink()
    assert names(run("serve", "--store", store, exits=1).stderr, "no store here", str(cookies))
    assert not store.exists()
    # Begun anew all the same: with the first reports of those who still have the link.
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(5)])
    run("backup", store, folder, "--keep", 1)  # the one before stays
    told = run("backup", store, folder, "--keep", 1, exits=1)
    assert names(told.output, "5 reports of", "no backup was removed", f"{full} 12")
    assert full.exists()
    # What was promised to be gone is no reason to keep a backup.
    monkeypatch.setattr("deniable.server.store.backups.utc_day", lambda: "2098-12-01")
    run("backup", store, folder, "--keep", 1)
    assert not full.exists()
    # A backup is no store: a server that wrote into it would end it.
    full = max(folder.iterdir())
    before = full.read_bytes()
    assert names(run("serve", "--store", full, exits=1).stderr, "is a backup", "deniable restore")
    assert full.read_bytes() == before


def test_a_backup_check_names_what_it_lacks(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "study.backup"
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(12)])
    assert "keys" not in run("backup", tmp_path / "store.db", file).output
    DrawnBefore(tmp_path / "store.db.keys")
    with closing(open_store(SQLITE.url(tmp_path))) as store:
        by_invitation(store, SURVEY.slug, ["x" * 20])
    said = run("backup", tmp_path / "store.db", file, "--force").output
    assert names(said, f"copy {tmp_path / 'store.db.keys'} as well")
    before = {*tmp_path.iterdir()}
    said = run("restore", file, "--check").output
    assert names(said, "12 reports to 1 survey and 1 account", f"{SURVEY.slug}: 12 reports", "keys")
    assert {*tmp_path.iterdir()} == before
    said = run("restore", file, tmp_path / "new.db").output
    assert names(said, f"{tmp_path / 'new.db.keys'}: cannot be read", "chmod 600", "--keep")
    said = run("restore", file, tmp_path / "on.db", "--keys", tmp_path / "store.db.keys").output
    assert "private keys" not in said
    altered = bytearray(file.read_bytes())
    altered[5000] ^= 1
    file.write_bytes(altered)
    assert "altered" in run("restore", file, "--check", exits=1).stderr
    # Damaged before it was backed up: its hash is right all the same.
    altered[5000] ^= 1
    (bad := tmp_path / "bad.db").write_bytes(altered[:-END])
    with closing(sqlite3.connect(bad)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("UPDATE checksums SET reports = reports + 1")
        db.commit()
    found = bad.read_bytes()
    file.write_bytes(found + b"deniable backup\n" + hashlib.sha256(found).digest())
    said = run("restore", file, "--check", exits=1).stderr
    assert names(said, str(file), "do not give the sum")
    for words in (("--check", "new.db"), ()):
        assert "either STORE" in run("restore", file, *words, exits=2).stderr


def test_a_damaged_store_is_not_read(run: Run, tmp_path: Path) -> None:
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
        *([("export", "doping", *store, "--parquet", "lake")] if find_spec("pyarrow") else []),
    ):
        said = run(*command, exits=1).stderr
        assert "/store.db: " in said
        assert "'doping'" in said
        assert "do not give the sum" in said
    assert not [*tmp_path.glob("out.*"), *tmp_path.glob("lake/*")]


@pytest.mark.slow
def test_a_killed_backup_leaves_nothing_for_long(run: Run, tmp_path: Path) -> None:
    (folder := tmp_path / "backups").mkdir()
    store, file = tmp_path / "store.db", folder / "a.backup"
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(12)])
    kill = (
        "import os, signal, sys\n"
        "from deniable.cli.main import main\n"
        "from deniable.server.store import backups\n"
        "backups._finish = lambda part: os.kill(os.getpid(), signal.SIGKILL)\n"
        "if not os.fork():\n"
        "    main(['backup', *sys.argv[1:3]])\n"
        "assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGKILL\n"
        "main(['backup', sys.argv[1], *sys.argv[3:]])\n"
    )
    words = [("backup", store, file), ("backup", store, folder, "--keep", "2")]
    killed = [sys.executable, "-c", kill, str(store), str(file), str(folder), "--keep", "2"]
    assert subprocess.run(killed, check=False).returncode == -signal.SIGKILL
    left = {*folder.iterdir()}
    assert len([one for one in left if one.suffix == ".part"]) == 2
    # Of another name, and of a backup that somebody is writing just now.
    (other := folder / ".b.backup.00000000.part.held").touch()
    (held := folder / ".a.backup.00000000.part.held").touch()
    (part := folder / ".a.backup.00000000.part").touch()
    with held.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in words:
            run(*command)
    assert {other, held, part} < {*folder.iterdir()}
    assert not left & {*folder.iterdir()}
    run("backup", store, file, "--force")
    assert {one.name for one in folder.iterdir() if one.name.startswith(".")} == {other.name}


def test_a_backup_saves_from_a_damaged_index(run: Run, tmp_path: Path) -> None:
    store, file = tmp_path / "store.db", tmp_path / "rescue.backup"
    filled(SQLITE.url(tmp_path), [report(SURVEY) for _ in range(30)])
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        (root, size) = db.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema "
            "WHERE type = 'index' AND tbl_name = 'revisions'"
        ).fetchone()
    with store.open("r+b") as content:
        content.seek((root - 1) * size)
        content.write(bytes(size))
    said = run("estimate", "doping", "--store", store, exits=1).stderr
    assert names(said, "damaged", "deniable backup", "deniable restore")
    run("backup", store, file)
    run("restore", file, tmp_path / "new.db")
    assert "30 respondents" in run("estimate", "doping", "--store", tmp_path / "new.db").output
