"""The address at which the operator's own programs ask how a program is."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from deniable.server.intake import group_commit
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.keys import KeyFile
from deniable.server.web import health
from deniable.survey import Survey
from tests.kit import Caller, Start, at, by_invitation, report
from tests.server.store.engines import SQLITE, inside

HERE, ELSEWHERE = "127.0.0.1:4711", "192.0.2.7:4711"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the store at each question, and let the writer try at each."""
    monkeypatch.setattr(health, "_FRESH", 0.0)
    monkeypatch.setattr(group_commit, "KNOWN", 0.0)


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
            answer = program("/health", sender=ELSEWHERE)
        assert answer.status == 503
        assert "m4rk3r" not in answer.text
        time.sleep(0.3)  # the writer's own look at the place
    assert program("/health", sender=ELSEWHERE).status == 200


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
        here = respondents("/health", sender=HERE)
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
    assert respondents("/health").status == 200
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
    answer = respondents("/health", sender=HERE)
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


def test_many_share_one_look(
    respondents: Caller, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_FRESH", 60.0)
    looks = []

    def look() -> None:
        looks.append(1)
        time.sleep(0.05)

    monkeypatch.setattr(store, "users", look)  # which the writer does not ask for
    asking = [threading.Thread(target=respondents, args=("/health",)) for _ in range(20)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(looks) == 1


def test_a_write_is_tried_once_while_idle(
    respondents: Caller, store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "KNOWN", 60.0)
    tries: list[int] = []
    monkeypatch.setattr(store, "try_writing", lambda: tries.append(1))
    for _ in range(5):
        assert respondents("/health").status == 200
    assert len(tries) == 1
    monkeypatch.setattr(group_commit, "KNOWN", 0.0)
    respondents("/health")
    monkeypatch.setattr(group_commit, "KNOWN", 60.0)
    assert respondents.send(report(survey)).status == 201
    before = len(tries)
    respondents("/health")
    assert len(tries) == before, "a report was stored just now"


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
