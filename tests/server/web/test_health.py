"""The address at which the operator's own programs ask how a program is."""

import threading
import time

import pytest

from deniable.server.store import Store, StoreUnavailable
from deniable.server.web import health
from deniable.survey import Survey
from tests.server.calling import Caller, Start, report


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the store at each question."""
    monkeypatch.setattr(health, "_FRESH", 0.0)


@pytest.fixture(params=["respondents", "desk"])
def program(request: pytest.FixtureRequest, call: Caller, desk: Caller) -> Caller:
    return call if request.param == "respondents" else desk


def test_it_says_one_word_and_nothing_of_respondents(
    program: Caller, call: Caller, survey: Survey
) -> None:
    before = program("/health")
    assert (before.status, before.body, before.set_cookies) == (200, b"ok\n", ())
    for _ in range(25):
        assert call.send(report(survey)).status == 201
    assert program("/health") == before
    assert program("/health", headers={"Cookie": "desk=x"}) == before
    assert program("/health", method="HEAD").status == 200
    assert program("/health", method="POST").status == 405
    assert "Content-Security-Policy" in before.headers


def test_a_store_that_is_gone_or_does_not_answer_is_told(
    program: Caller, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for method in ("check_place", "users"):

        def unavailable() -> None:
            raise StoreUnavailable("m4rk3r")

        with monkeypatch.context() as patch:
            patch.setattr(store, method, unavailable)
            answer = program("/health")
        assert answer.status == 503
        assert "m4rk3r" not in answer.text
    assert program("/health").status == 200


def test_many_who_ask_look_at_the_store_once(
    call: Caller, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_FRESH", 60.0)
    looks = []

    def look() -> None:
        looks.append(1)
        time.sleep(0.05)

    monkeypatch.setattr(store, "users", look)  # which the writer does not ask for
    asking = [threading.Thread(target=call, args=("/health",)) for _ in range(20)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(looks) == 1


def test_the_desk_need_not_be_loaded_to_say_so(start_desk: Start) -> None:
    import deniable.server.desk_program as module  # noqa: PLC0415

    desk = start_desk()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._MadeByFirstRequest, "__call__", None)
        assert desk("/health").status == 200
