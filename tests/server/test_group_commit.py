import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from deniable.report import Report
from deniable.server import group_commit
from deniable.server.group_commit import GroupCommit, Unavailable
from deniable.server.store import Outcome, State, Store, open_store
from deniable.survey import Survey
from tests.server.calling import report


def submit_all(commit: GroupCommit, reports: list[Report], threads: int = 16) -> list[Outcome]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(commit.submit, reports))


def test_reports_of_many_threads_are_each_stored_once(
    store: Store, commit: GroupCommit, survey: Survey
) -> None:
    reports = [report(survey, bytes([number % 2])) for number in range(400)]
    outcomes = submit_all(commit, [*reports, *reports])
    assert Counter(outcomes) == {Outcome.STORED: 400, Outcome.REPEATED: 400}
    joined = b"".join(store.answers("doping", survey.revision))
    assert Counter(joined) == {0: 200, 1: 200}


def test_waiting_reports_are_committed_together(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    insert = store.insert_batch

    def slow_disk(batch: list[Report]) -> list[Outcome]:
        sizes.append(len(batch))
        time.sleep(0.05)
        return insert(batch)

    monkeypatch.setattr(store, "insert_batch", slow_disk)
    commit = GroupCommit(store)
    submit_all(commit, [report(survey) for _ in range(64)])
    commit.close()
    assert sum(sizes) == 64
    assert len(sizes) < 20


def test_of_different_reports_with_one_id_exactly_one_is_stored(
    store: Store, commit: GroupCommit, survey: Survey
) -> None:
    for _ in range(20):
        first = report(survey, b"\0")
        rivals = [first, report(survey, b"\1", first.id)] * 4
        outcomes = submit_all(commit, rivals, threads=8)
        assert Counter(outcomes) == {
            Outcome.STORED: 1,
            Outcome.REPEATED: 3,
            Outcome.CONFLICT: 4,
        }
        stored = rivals[outcomes.index(Outcome.STORED)].answers
        with store._database() as db:
            row = db.execute("SELECT answers FROM reports WHERE id = ?", (first.id,)).fetchone()
        assert row == (stored,)


def test_a_locked_database_acknowledges_nothing_and_the_writer_survives(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("deniable.server.store._BUSY_TIMEOUT", 100)
    hasty = open_store(f"sqlite:///{store.path}")
    commit = GroupCommit(hasty)
    mine = report(survey, b"\1")
    locker = sqlite3.connect(store.path, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable):
        commit.submit(mine)
    locker.execute("ROLLBACK")
    locker.close()
    assert store.count("doping") == 0
    assert commit.submit(mine) is Outcome.STORED
    assert "SQLITE_BUSY" in caplog.text
    assert mine.id.hex() not in caplog.text
    commit.close()
    hasty.close()


def test_a_full_disk_acknowledges_nothing_and_the_writer_survives(
    store: Store, commit: GroupCommit, survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    with store._database() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    sent = [report(survey) for _ in range(300)]
    failed = []
    for one in sent:
        try:
            commit.submit(one)
        except Unavailable:
            failed.append(one)
    assert failed
    assert store.count("doping") == len(sent) - len(failed)
    with store._database() as db:
        db.execute("PRAGMA max_page_count = 1000000").fetchone()
    assert submit_all(commit, failed) == [Outcome.STORED] * len(failed)
    assert "SQLITE_FULL" in caplog.text


def test_a_bug_in_the_store_leaves_nobody_waiting(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(batch: list[Report]) -> list[Outcome]:
        raise ZeroDivisionError

    commit = GroupCommit(store)
    with monkeypatch.context() as patch:
        patch.setattr(store, "insert_batch", broken)
        with ThreadPoolExecutor(8) as pool:
            waiting = [pool.submit(commit.submit, report(survey)) for _ in range(8)]
            assert {type(one.exception(timeout=10)) for one in waiting} == {Unavailable}
    assert commit.submit(report(survey)) is Outcome.STORED
    commit.close()


def test_what_another_process_closes_takes_no_report(
    store: Store, commit: GroupCommit, survey: Survey
) -> None:
    before = report(survey)
    assert commit.submit(before) is Outcome.STORED
    other = open_store(f"sqlite:///{store.path}")
    other.set_state("doping", State.CLOSED)
    other.close()
    assert commit.submit(report(survey)) is Outcome.CLOSED
    assert commit.submit(before) is Outcome.REPEATED


def test_closing_keeps_what_was_acknowledged_and_refuses_the_rest(
    store: Store, survey: Survey
) -> None:
    commit = GroupCommit(store)
    acknowledged = []

    def send_until_closed() -> None:
        while True:
            mine = report(survey)
            try:
                commit.submit(mine)
            except Unavailable:
                return
            acknowledged.append(mine.id)

    threads = [threading.Thread(target=send_until_closed) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    commit.close()
    commit.close()
    for thread in threads:
        thread.join()
    with store._database() as db:
        stored = {id for (id,) in db.execute("SELECT id FROM reports")}
    assert stored == set(acknowledged)
    assert stored


def test_under_load_the_log_is_emptied_and_in_the_end_everything_settled(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "LOG_AGE", 0.2)
    monkeypatch.setattr(group_commit, "QUIET", 3600)
    monkeypatch.setattr(group_commit, "PATIENCE", 1.5)
    done: list[str] = []

    def note(name: str) -> None:
        work = getattr(store, name)

        def noted() -> bool:
            done.append(name)
            return bool(work())

        monkeypatch.setattr(store, name, noted)

    note("truncate_log")
    note("settle")
    commit = GroupCommit(store)
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        commit.submit(report(survey))
    assert {"truncate_log", "settle"} <= set(done)
    commit.close()
    assert done[-1] == "settle"
