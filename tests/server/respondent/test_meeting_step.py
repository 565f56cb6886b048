"""Where a class is, as phones ask for it: the same for everybody, and nothing else."""

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest

from deniable.server.desk.live import session
from deniable.server.respondent import meeting_step as asked
from deniable.server.store import Store
from deniable.server.store.meetings import Meeting
from tests.kit import Caller, at, report, surveys, url_for

pytestmark = pytest.mark.promise("join")

BROWSERS: tuple[dict[str, str], ...] = (
    {},
    {"Cookie": "a=1", "User-Agent": "Phone", "Accept-Language": "ar"},
)


@pytest.fixture
def meeting(store: Store) -> Meeting:
    """Begin a meeting."""
    return session.begin_meeting(store, "", surveys.survey())


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer be good for any time."""
    monkeypatch.setattr(asked, "SECONDS", 0.0)


def go(store: Store, meeting: Meeting, step: str) -> None:
    session.change(store, meeting.id, lambda now: replace(now, step=step))


def test_only_the_step_is_told(
    respondents: Caller, store: Store, meeting: Meeting, at_once: None
) -> None:
    address = f"/join/{meeting.code}/step.json"
    found = []
    for step in ("waiting", "question", "bars", "direct"):
        go(store, meeting, step)
        one, other = (respondents(address, headers=headers) for headers in BROWSERS)
        assert one == other
        assert one.headers["Cache-Control"] == "public, max-age=1"
        assert one.set_cookies == ()
        found.append(one.json)
    assert {one["about"] for one in found} == {f"/join/{meeting.code}"}
    slug = meeting.slug()
    assert [(one["step"], one["asks"], one["first"]) for one in found] == [
        ("waiting", "", ""),
        ("question", slug, ""),
        ("bars", f"{slug}-prior", slug),
        ("direct", f"{slug}-direct", slug),
    ]
    # By it a phone tells an older step, which a cache on the way may have.
    assert [one["changes"] for one in found] == [1, 2, 3, 4]
    keys = {"about", "changes", "step", "asks", "first", "round", "scene"}
    assert all(one.keys() == keys for one in found)


def test_phones_show_what_the_projector_shows(
    respondents: Caller, desk: Caller, store: Store, meeting: Meeting, at_once: None
) -> None:
    address = f"/join/{meeting.code}/step.json"

    def in_small(step: str) -> dict[str, Any] | None:
        go(store, meeting, step)
        before = respondents(address).json["scene"]
        assert before is None, "of another step"
        large = desk(url_for("projector.scene", meeting=meeting.id)).json["scene"]
        one, other = (respondents(address, headers=headers) for headers in BROWSERS)
        assert one == other
        small: dict[str, Any] | None = one.json["scene"]
        if small is None:
            return None
        assert small["title"] == large["title"]
        if (large["picture"] or {}).get("kind") == "rows":
            assert (small["said"], small["picture"]) == (large["said"], large["picture"])
        return small

    go(store, meeting, "question")
    survey = store.survey(meeting.slug())
    store.insert_reports([report(survey) for _ in range(3)])
    # There phones have something of their own to show.
    for step in ("question", "direct"):
        assert in_small(step) is None
    # Of what a phone sent it tells itself, and whoever sees the bars has guessed.
    reports = in_small("sent") or {}
    assert len(reports["said"]) == 1
    assert reports["formula"] == "3 of 3 answered"
    assert reports["picture"] == {"kind": "crowd", "came": 3, "joined": 0}
    assert [len(one["rows"]) for one in [(in_small("coins") or {})["picture"]]] == [2]
    assert (in_small("bars") or {})["formula"] == ""
    for step in ("unmix", "people", "sure", "again"):
        assert in_small(step)
    assert (in_small("point") or {})["picture"] is None
    session.change(store, meeting.id, lambda now: now.changed(chosen=1))
    assert in_small("sure")
    assert (in_small("point") or {})["said"][0].startswith("This one sent")


def test_it_is_a_second_old_at_most(
    respondents: Caller, store: Store, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "SECONDS", 3600.0)
    address = f"/join/{meeting.code}/step.json"
    first = respondents(address)
    go(store, meeting, "question")
    assert respondents(address) == first


@pytest.mark.parametrize("code", ["NNNNNN", "nnnnnn", "x", "%00", "A" * 300])
def test_where_there_is_no_meeting_it_is_over(respondents: Caller, code: str) -> None:
    answer = respondents(f"/join/{code}/step.json")
    about = f"/join/{unquote(code)}"
    over = {"about": about, "step": "over", "asks": "", "first": "", "round": 0, "scene": None}
    assert answer.json == {**over, "changes": 2**53 - 1}, "no step comes after it"


def test_only_phones_count(
    respondents: Caller,
    store: Store,
    meeting: Meeting,
    at_once: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = [respondents(f"/join/{meeting.code}", headers=headers) for headers in BROWSERS]
    assert pages[0] == pages[1]
    assert pages[0].set_cookies == ()
    assert meeting.slug() not in pages[0].text
    assert respondents("/join").status == 200
    respondents("/join/NNNNNN")
    address = f"/join/{meeting.code}/step.json"
    told = respondents(address)
    # Two phones say that they are new, in one second. No cache may answer for the server.
    with monkeypatch.context() as patch:
        patch.setattr(asked, "SECONDS", 3600.0)
        for headers in BROWSERS:
            joins = respondents(f"{address}?joins", headers=headers)
            assert (joins.text, joins.headers["Cache-Control"]) == (told.text, "no-store")
    respondents(f"{address}?joined")
    respondents("/join/NNNNNN/step.json?joins")
    respondents(address)
    assert store.meeting(meeting.id).joined == 2


def test_phones_that_came_last_count_too(
    store: Store, meeting: Meeting, loop: asyncio.AbstractEventLoop
) -> None:
    steps = asked.Steps(store)
    for _ in range(3):
        answer = steps.answer(meeting.code, asked.JOINS)
        assert asyncio.run_coroutine_threadsafe(answer, loop).result().status == 200
    steps.close()
    assert store.meeting(meeting.id).joined == 3


def test_a_code_leads_to_the_waiting_page(respondents: Caller, meeting: Meeting) -> None:
    page = f"/join/{meeting.code}"
    for typed in (meeting.code, meeting.code.lower(), f"%20{meeting.code}%20"):
        assert respondents(f"/join?code={typed}").headers["Location"] == page
    assert respondents(page.replace(meeting.code, meeting.code.lower())).headers["Location"] == page
    assert respondents("/join?code=NNNNNN").status == 404
    assert respondents("/join/NNNNNN").headers["Location"] == "/join?code=-"


def test_a_question_not_asked_leads_back(
    respondents: Caller, store: Store, meeting: Meeting
) -> None:
    shut = respondents(at(meeting.slug()))
    assert (shut.status, shut.headers["Location"]) == (303, f"/join/{meeting.code}?again")
    go(store, meeting, "question")
    assert respondents(at(meeting.slug())).status == 200
    assert respondents(at(meeting.slug(), "state.json")).json["round"] == 1
    store.remove_meeting(meeting.id)
    assert respondents(at(meeting.slug())).status == 404
