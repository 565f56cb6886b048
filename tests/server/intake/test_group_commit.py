import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deniable import Report, Survey
from deniable.server.intake import group_commit
from deniable.server.intake.group_commit import GroupCommit, Unavailable
from deniable.server.store import Outcome, Store, StoreUnavailable, open_store, store_url
from tests.kit import report, reports_in, until
from tests.server.store.engines import SQLITE

pytestmark = pytest.mark.promise("durable")


def submit(commit: GroupCommit, *reports: Report) -> list[Outcome]:
    """Submit reports at once, as requests of so many respondents do."""

    async def together() -> list[Outcome]:
        return await asyncio.gather(*(commit.submit(one) for one in reports))

    return asyncio.run(together())


def test_each_of_many_is_stored_once(store: Store, commit: GroupCommit, survey: Survey) -> None:
    reports = [report(survey, bytes([number % 2])) for number in range(400)]
    outcomes = submit(commit, *reports, *reports)
    assert Counter(outcomes) == {Outcome.STORED: 400, Outcome.REPEATED: 400}
    joined = b"".join(store.rows("doping", survey.revision))
    assert Counter(joined) == {0: 200, 1: 200}


def test_many_commit_at_once(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    insert = store.insert_reports

    def slow_disk(batch: list[Report], keys: list[str | None]) -> list[Outcome]:
        sizes.append(len(batch))
        time.sleep(0.05)
        return insert(batch, keys)

    monkeypatch.setattr(store, "insert_reports", slow_disk)
    commit = GroupCommit(store)

    async def in_turns() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(64):
                tasks.create_task(commit.submit(report(survey)))
                await asyncio.sleep(0.002)

    asyncio.run(in_turns())
    commit.close()
    assert sum(sizes) == 64
    assert 2 <= len(sizes) < 20


def test_a_batch_waits_briefly_for_many_more(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    insert = store.insert_reports

    def counted(batch: list[Report], keys: list[str | None]) -> list[Outcome]:
        sizes.append(len(batch))
        return insert(batch, keys)

    monkeypatch.setattr(store, "insert_reports", counted)
    commit = GroupCommit(store)

    async def submit_after(turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        await commit.submit(report(survey))

    async def in_waves() -> None:
        many = 2 * group_commit.MANY
        monkeypatch.setattr(group_commit, "LONGEST_WAIT", 60)
        await asyncio.gather(*(submit_after(0) for _ in range(many)))
        await asyncio.gather(*(submit_after(turns) for turns in range(many)))
        monkeypatch.setattr(group_commit, "LONGEST_WAIT", 0.01)
        await asyncio.wait_for(submit_after(0), 30)

    asyncio.run(in_waves())
    commit.close()
    assert sizes == [2 * group_commit.MANY] * 2 + [1]


def test_vain_waiting_is_tried_ever_more_rarely() -> None:
    sizer = group_commit._BatchSizer()
    sizer.were_here(group_commit.MANY - 1)
    assert sizer.expected() == 0
    sizer.were_here(32)
    assert sizer.expected() == 32
    sizer.miss()
    assert [sizer.expected() for _ in range(2)] == [0, 32]
    sizer.miss()
    assert [sizer.expected() for _ in range(4)] == [0, 0, 0, 32]
    sizer.hit()
    sizer.miss()
    assert [sizer.expected() for _ in range(2)] == [0, 32]
    for _ in range(20):
        sizer.miss()
    assert [sizer.expected() for _ in range(64)] == [0] * group_commit.MOST_SKIPS + [32]


def test_a_locked_database_acknowledges_nothing(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    SQLITE.wait_for(100, monkeypatch)
    hasty = open_store(store_url(store.name))
    commit = GroupCommit(hasty)
    mine = report(survey, b"\1")
    with SQLITE.locked(store), pytest.raises(Unavailable):
        submit(commit, mine)
    assert store.count("doping") == 0
    assert submit(commit, mine) == [Outcome.STORED]
    assert "SQLITE_BUSY" in caplog.text
    assert mine.id.hex() not in caplog.text
    commit.close()
    hasty.close()


def test_trouble_is_logged_at_beginning_and_end(
    store: Store, commit: GroupCommit, survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    with SQLITE.moved(store):
        until(lambda: "deleted, moved or replaced" in caplog.text)  # whether reports come or not
        for _ in range(5):
            with pytest.raises(Unavailable):
                submit(commit, report(survey))
        time.sleep(1)
    assert caplog.text.count("deleted, moved or replaced") == 1
    assert submit(commit, report(survey)) == submit(commit, report(survey)) == [Outcome.STORED]
    assert caplog.text.count("reports are stored again; 5 were refused meanwhile") == 1


def test_a_bug_in_the_store_leaves_nobody_waiting(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(batch: list[Report]) -> list[Outcome]:
        raise ZeroDivisionError

    commit = GroupCommit(store)
    with monkeypatch.context() as patch:
        patch.setattr(store, "insert_reports", broken)

        async def together() -> list[Outcome | BaseException]:
            tasks = (commit.submit(report(survey)) for _ in range(8))
            return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)

        assert {type(one) for one in asyncio.run(together())} == {Unavailable}
    assert submit(commit, report(survey)) == [Outcome.STORED]
    commit.close()


def test_closing_keeps_what_was_acknowledged(store: Store, survey: Survey) -> None:
    commit = GroupCommit(store)
    acknowledged = []

    async def send_until_closed() -> None:
        while True:
            mine = report(survey)
            try:
                await commit.submit(mine)
            except Unavailable:
                return
            acknowledged.append(mine.id)

    async def close_meanwhile() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(8):
                tasks.create_task(send_until_closed())
            await asyncio.sleep(0.3)
            for _ in range(2):
                await asyncio.to_thread(commit.close)

    asyncio.run(close_meanwhile())
    assert reports_in(store).keys() == set(acknowledged)
    assert acknowledged


def test_a_gone_sender_harms_nobody(commit: GroupCommit, store: Store, survey: Survey) -> None:
    async def leave() -> Outcome:
        gone = asyncio.create_task(commit.submit(report(survey)))
        await asyncio.sleep(0)
        gone.cancel()
        return await commit.submit(report(survey))

    assert asyncio.run(leave()) is Outcome.STORED
    assert store.count("doping") == 2


@pytest.mark.slow
def test_under_load_everything_is_settled_in_the_end(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "LOG_AGE", 0.2)
    monkeypatch.setattr(group_commit, "QUIET", 3600)
    monkeypatch.setattr(group_commit, "PATIENCE", 1.5)
    done: list[str] = []

    def note(name: str) -> None:
        work = getattr(store, name)

        def noted(**how: bool) -> object:
            done.append(name)
            return work(**how)

        monkeypatch.setattr(store, name, noted)

    note("empty_log")
    note("erase_order_in_parts")
    commit = GroupCommit(store)
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        submit(commit, report(survey))
    assert {"empty_log", "erase_order_in_parts"} <= set(done)
    done.clear()
    commit.close()
    assert done == ["erase_order_in_parts"]


def test_what_cannot_settle_settles_later(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(group_commit, "QUIET", 0.1)
    settling = store.erase_order_in_parts
    tries: list[bool] = []

    def full_at_first(*, wait: bool) -> Iterator[bool]:
        tries.append(len(tries) > 0)
        if len(tries) == 1:
            raise StoreUnavailable("the disk is full")
        yield from settling(wait=wait)

    monkeypatch.setattr(store, "erase_order_in_parts", full_at_first)
    commit = GroupCommit(store)
    until(lambda: len(tries) >= 2)
    assert submit(commit, report(survey)) == [Outcome.STORED]
    commit.close()
    assert "could not be wiped out yet: the disk is full" in caplog.text


def test_reports_are_stored_between_parts_of_settling(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "QUIET", 0.1)
    begun, go_on = threading.Event(), threading.Event()
    counts: list[int] = []

    def parts(*, wait: bool) -> Iterator[bool]:
        begun.set()
        assert go_on.wait(20)
        yield True
        counts.append(store.count(survey.slug))
        yield True

    monkeypatch.setattr(store, "erase_order_in_parts", parts)
    commit = GroupCommit(store)
    with ThreadPoolExecutor(1) as sender:
        assert begun.wait(20)
        sent = sender.submit(submit, commit, report(survey))
        # Until the report waits for the first part.
        until(lambda: not commit._writer._work_queue.empty())
        go_on.set()
        assert sent.result(20) == [Outcome.STORED]
    until(lambda: len(counts) >= 2)  # what came between the parts is settled as well
    commit.close()
    assert counts[:2] == [1, 1]


@pytest.mark.slow
@pytest.mark.promise("order")
def test_a_long_reader_holds_nothing_up(
    store: Store, survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "QUIET", 0.1)
    monkeypatch.setattr(group_commit, "LOG_AGE", 0.3)
    commit = GroupCommit(store)
    longest = 0.0
    with SQLITE.read(store):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            start = time.monotonic()
            assert submit(commit, report(survey)) == [Outcome.STORED]
            longest = max(longest, time.monotonic() - start)
            time.sleep(0.15)  # long enough to be quiet in between
    assert longest < 3, "as long as the reader stayed"
    # The order of arrival goes as soon as the reader has gone: its time was not work.
    end = time.monotonic() + 5
    while Path(f"{store.name}-wal").stat().st_size:
        assert time.monotonic() < end
        time.sleep(0.05)
    commit.close()
