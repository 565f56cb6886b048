"""A word that all respondents share: asked for beside a report, and kept with none."""

import hmac

import pytest

from deniable.server.intake import access_word
from deniable.server.intake.access_word import AccessWords
from deniable.server.store import Outcome, Store, StoreUnavailable
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from deniable.survey import Survey
from tests.kit import Caller, Start, disk_of, report
from tests.server.intake.test_endpoint import assert_problem

pytestmark = pytest.mark.promise("access-word")

TOMORROW = 4_099_680_000


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every request ask the store for the word."""
    monkeypatch.setattr(access_word, "SECONDS", 0.0)


def test_only_who_has_the_word_sends_a_report(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    mine = report(survey)
    for typed in ({}, {"Survey_Pin": "sea-lions"}, {"Survey_Pin": ""}, {"Survey_Pin": "séa-lion"}):
        answer = respondents.send(mine, **typed)
        assert_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"] == "Survey-Pin"
        assert "sea-lion" not in answer.text
    assert store.count("doping") == 0
    assert respondents.send(mine, Survey_Pin=" Sea-LION").status == 201
    assert respondents.send(mine, Survey_Pin="sea-lion").status == 200
    store.set_schedule("doping", NO_SCHEDULE)
    assert respondents.send(report(survey)).status == 201


def test_words_are_compared_in_constant_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert [AccessWords(store).fits("doping", word) for word in ("sea-lion", "x", None)] == [
        True,
        False,
        False,
    ]
    assert compared == [(b"sea-lion", typed) for typed in (b"sea-lion", b"x", b"")]


def test_a_word_is_a_second_old_at_most(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_word, "SECONDS", 1.0)
    now = 100.0
    known = AccessWords(store, lambda: now)
    assert known.fits("doping", None)
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    assert known.fits("doping", None)
    now += 1
    assert not known.fits("doping", None)


def test_guesses_count_as_reports_do(start: Start, store: Store, survey: Survey) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    respondents = start(reports_per_minute=3)
    guesses = [
        respondents.send(report(survey), sender="192.0.2.1:1", Survey_Pin=f"word-{number}").status
        for number in range(5)
    ]
    assert guesses == [401, 401, 401, 429, 429]


def test_no_report_has_the_word(respondents: Caller, store: Store, survey: Survey) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    for _ in range(5):
        respondents.send(report(survey), Survey_Pin="sea-lion")
    store.erase_order()
    # Once: among the schedule of the survey.
    held = disk_of(store)
    assert held.count(b"sea-lion") == 1


def test_the_intake_says_why_it_takes_nothing(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    mine = report(survey)
    store.set_schedule("doping", Schedule(opens=TOMORROW))
    # A device tries again, and loses nothing.
    assert_problem(respondents.send(mine), 503)
    store.set_schedule("doping", Schedule(cap=1))
    assert respondents.send(mine).status == 201
    answer = respondents.send(report(survey))
    assert_problem(answer, 410)
    assert respondents.send(mine).status == 200
    store.set_schedule("doping", Schedule(closes=1))
    assert_problem(respondents.send(report(survey)), 410)


def test_an_unreachable_store_is_asked_again(
    respondents: Caller, store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(slug: str) -> Schedule:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(store, "schedule", broken)
    answer = respondents.send(report(survey))
    assert_problem(answer, 503)
    assert "gone" not in answer.json["detail"]
    assert store.insert_batch([report(survey)]) == [Outcome.STORED]
