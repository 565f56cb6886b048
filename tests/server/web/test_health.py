"""The address at which the operator's own programs ask how a program is."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deniable.server.intake import group_commit
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.keys import KeyFile
from deniable.server.web import health
from deniable.survey import Survey
from tests.kit import Answer, Caller, Start, at, by_invitation, report
from tests.server.store.engines import SQLITE, inside

HERE, ELSEWHERE = "127.0.0.1:4711", "192.0.2.7:4711"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the store all the time."""
    monkeypatch.setattr(health, "_EVERY", 0.01)


def later(program: Caller, status: int, **more: Any) -> Answer:
    """Ask until a look at the store has found what is expected, for some seconds."""
    end = time.monotonic() + 10
    while (answer := program("/health", **more)).status != status and time.monotonic() < end:
        time.sleep(0.1)
    return answer


@pytest.fixture(params=["respondents", "desk"])
def program(request: pytest.FixtureRequest, respondents: Caller, desk: Caller) -> Caller:
    return respondents if request.param == "respondents" else desk


def test_it_says_one_word_of_nobody(program: Caller, respondents: Caller, survey: Survey) -> None:
    before = program("/health")
    assert (before.status, before.body, before.set_cookies) == (200, b"ok\n", ())
    for _ in range(25):
        assert respondents.send(report(survey)).status == 201
    assert program("/health") == before
    assert program("/health", headers={"Cookie": "desk=x"}) == before
    assert program("/health", method="HEAD").status == 200
    assert program("/health", method="POST").status == 405
    assert "Content-Security-Policy" in before.headers


def test_a_store_out_of_reach_is_told(
    program: Caller, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for method in ("check_place", "users"):

        def unavailable() -> None:
            raise StoreUnavailable("m4rk3r")

        with monkeypatch.context() as patch:
            patch.setattr(store, method, unavailable)
            answer = later(program, 503, sender=ELSEWHERE)
        assert answer.status == 503
        assert "m4rk3r" not in answer.text
    assert later(program, 200, sender=ELSEWHERE).status == 200


@contextmanager
def read_only(store: Store) -> Iterator[None]:
    """Let the connection that the store will use only read, as where it may not be written."""
    for state in ("ON", "OFF"):
        with inside(store).lend() as db:
            db.execute(f"PRAGMA query_only = {state}")
        if state == "ON":
            yield


@pytest.mark.parametrize(
    ("harm", "trouble"),
    [
        (SQLITE.full, "the disk is full"),
        (read_only, "it cannot be written"),
        (SQLITE.locked, "another process is using it"),
    ],
)
def test_a_store_that_takes_none_is_told(
    respondents: Caller,
    store: Store,
    survey: Survey,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[Store], AbstractContextManager[None]],
    trouble: str,
) -> None:
    SQLITE.wait_for(100, monkeypatch)
    inside(store).close()
    inside(store)._closed = False
    with harm(store):
        here = later(respondents, 503, sender=HERE)
        assert here.status == 503
        assert trouble in here.text
        # Nobody else is told, nor anybody through a proxy, whose connection comes from here.
        assert trouble not in respondents("/health", sender=ELSEWHERE).text
        for header in ("X-Forwarded-For", "Forwarded", "Via"):
            assert (
                trouble
                not in respondents("/health", sender=HERE, headers={header: "192.0.2.7"}).text
            )
        assert respondents(at("doping")).status == 200
    assert later(respondents, 200).status == 200
    assert respondents.send(report(survey)).status == 201


@pytest.mark.parametrize("harm", ["gone", "open", "another"])
def test_missing_or_open_keys_are_told(
    start: Start, store: Store, keys: KeyFile, harm: str
) -> None:
    path = Path(f"{store.name}.keys")
    respondents = start()
    if harm == "gone":
        path.unlink()
    elif harm == "open":
        path.chmod(0o644)
    else:
        path.write_text("")
    assert respondents("/health").status == 200, "no survey needs a key yet"
    by_invitation(store, "doping", ["x" * 20])
    answer = later(respondents, 503, sender=HERE)
    assert answer.status == 503
    assert str(path) in answer.text


def test_trying_to_write_leaves_nothing(store: Store) -> None:
    path = Path(store.name)
    store.erase_order()
    before = path.read_bytes()
    for _ in range(3):
        store.try_writing()
    assert path.read_bytes() == before
    assert store.check() == []


def test_many_share_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_EVERY", 60.0)
    looks = []

    async def look() -> None:
        looks.append(1)
        await asyncio.sleep(0.05)

    async def ask() -> set[int]:
        asked: Any = SimpleNamespace(method="GET")
        answers = await asyncio.gather(*(one.answer(asked) for _ in range(20)))
        return {int(answer.status) for answer in answers}

    one = health.Health(look)
    assert asyncio.run(ask()) == {200}
    assert len(looks) == 1


def test_a_look_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_EVERY", 0.05)
    looks = []

    async def look() -> None:
        looks.append(1)
        if len(looks) == 1:
            raise OSError("m4rk3r")

    async def ask() -> list[int]:
        asked: Any = SimpleNamespace(method="GET")
        first = await one.answer(asked)
        await asyncio.sleep(0.3)
        return [int(first.status), int((await one.answer(asked)).status)]

    one = health.Health(look)
    assert asyncio.run(ask()) == [503, 200]


@pytest.mark.promise("silence")
def test_health_tells_nothing_of_the_last_seconds(
    respondents: Caller, store: Store, survey: Survey, commit: GroupCommit
) -> None:
    tries: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(health, "_EVERY", 0.2)
        patch.setattr(store, "try_writing", lambda: tries.append(time.monotonic()))
        assert respondents("/health").status == 200
        for is_busy in (False, True):
            before, begun = len(tries), time.monotonic()
            for _ in range(10):
                if is_busy:
                    assert respondents.send(report(survey)).status == 201
                respondents("/health")
                time.sleep(0.1)
            # The timer alone decides how often a write is tried, neither questions nor reports.
            assert 3 <= len(tries) - before <= (time.monotonic() - begun) / 0.2 + 1
        over = threading.Event()
        commit._writer.submit(over.wait)
        try:
            start = time.monotonic()
            assert respondents("/health").status == 200
            assert time.monotonic() - start < group_commit.WAITING / 2, "it waits for no report"
        finally:
            over.set()


def test_a_writer_at_work_is_asked_briefly(
    respondents: Caller, commit: GroupCommit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "WAITING", 0.05)
    over = threading.Event()
    commit._writer.submit(over.wait)
    try:
        assert respondents("/health").status == 200
    finally:
        over.set()


def test_no_desk_is_loaded_to_say_so(start_desk: Start) -> None:
    desk = start_desk()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deniable.server.desk.app.create_desk_app", None)
        assert desk("/health").status == 200
