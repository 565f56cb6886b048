"""Where a class is, as phones ask for it: the same for everybody, and nothing else."""

from dataclasses import replace

import pytest

from deniable.server.desk.live import session
from deniable.server.respondent import meeting_step as asked
from deniable.server.store import Store
from deniable.server.store.meetings import Meeting
from tests import surveys
from tests.addresses import at
from tests.server.calling import Caller

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


def test_only_the_step_is_told(call: Caller, store: Store, meeting: Meeting, at_once: None) -> None:
    address = f"/join/{meeting.code}/step.json"
    found = []
    for step in ("waiting", "question", "bars", "direct"):
        go(store, meeting, step)
        one, other = (call(address, headers=headers) for headers in BROWSERS)
        assert one == other
        assert one.headers["Cache-Control"] == "public, max-age=1"
        assert one.set_cookies == ()
        found.append(one.json)
    slug = meeting.slug()
    assert [(one["step"], one["asks"]) for one in found] == [
        ("waiting", ""),
        ("question", slug),
        ("bars", slug),
        ("direct", f"{slug}-direct"),
    ]
    assert all(one.keys() == {"step", "asks", "round"} for one in found)


def test_it_is_a_second_old_at_most(
    call: Caller, store: Store, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "SECONDS", 3600.0)
    address = f"/join/{meeting.code}/step.json"
    first = call(address)
    go(store, meeting, "question")
    assert call(address) == first


@pytest.mark.parametrize("code", ["NNNNNN", "nnnnnn", "x", "%00", "A" * 300])
def test_where_there_is_no_meeting_it_is_over(call: Caller, code: str) -> None:
    answer = call(f"/join/{code}/step.json")
    assert answer.json == {"step": "over", "asks": "", "round": 0}


def test_only_phones_count(call: Caller, store: Store, meeting: Meeting, at_once: None) -> None:
    pages = [call(f"/join/{meeting.code}", headers=headers) for headers in BROWSERS]
    assert pages[0] == pages[1]
    assert pages[0].set_cookies == ()
    assert meeting.slug() not in pages[0].text
    assert call("/join").status == 200
    call("/join/NNNNNN")
    address = f"/join/{meeting.code}/step.json"
    told = call(address)
    # Two phones say that they are new. No cache may answer for the server.
    for headers in BROWSERS:
        joins = call(f"{address}?joins", headers=headers)
        assert (joins.text, joins.headers["Cache-Control"]) == (told.text, "no-store")
    call(f"{address}?joined")
    call("/join/NNNNNN/step.json?joins")
    call(address)
    assert store.meeting(meeting.id).joined == 2


def test_a_code_leads_to_the_waiting_page(call: Caller, meeting: Meeting) -> None:
    page = f"/join/{meeting.code}"
    for typed in (meeting.code, meeting.code.lower(), f"%20{meeting.code}%20"):
        assert call(f"/join?code={typed}").headers["Location"] == page
    assert call(page.replace(meeting.code, meeting.code.lower())).headers["Location"] == page
    assert call("/join?code=NNNNNN").status == 404
    assert call("/join/NNNNNN").headers["Location"] == "/join?code=-"


def test_a_question_not_asked_leads_back(call: Caller, store: Store, meeting: Meeting) -> None:
    shut = call(at(meeting.slug()))
    assert (shut.status, shut.headers["Location"]) == (303, f"/join/{meeting.code}?again")
    go(store, meeting, "question")
    assert call(at(meeting.slug())).status == 200
    assert call(at(meeting.slug(), "state.json")).json["round"] == 1
    store.remove_meeting(meeting.id)
    assert call(at(meeting.slug())).status == 404
