"""The results that everybody may see: what is on them, and what never is."""

import re
from itertools import pairwise
from typing import Any

import pytest

from deniable.analysis.counts.tally import count_reports
from deniable.analysis.results import summarise
from deniable.server.desk.results import public
from deniable.server.store import Store
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Browser, Caller, of_wave, panel, report

TEXT = """\
version: 1
survey: ward
title: On the ward
purpose: We ask how many, not who.
questions:
  - {id: error, text: "An error?", type: single, answers: [No, Yes], flip: 1/4}
  - {id: hours, text: "Hours?", type: number, min: 0, max: 3, epsilon: 2}
  - {id: club, text: "Which club?", type: single, answers: [Rowing, Chess], protection: direct}
"""

PAGE, NUMBERS = "/public/ward", "/public/ward/results.json"


def add(store: Store, survey: Survey, count: int) -> None:
    store.insert_batch([report(survey, bytes([k % 3 == 0, k % 2, k % 2])) for k in range(count)])


@pytest.fixture
def ward(store: Store) -> Survey:
    survey = read(TEXT).survey
    store.register(survey)
    add(store, survey, 60)
    return survey


@pytest.fixture
def shown(store: Store, ward: Survey) -> Survey:
    store.set_public("ward", public=True)
    return ward


@pytest.mark.promise("public")
def test_nothing_is_public_before_its_owner_says_so_and_nothing_after_it_is_taken_back(
    store: Store, ward: Survey, desk: Caller, researcher: Browser
) -> None:
    none = desk("/public/nothing")
    for path in (PAGE, NUMBERS):
        assert (desk(path).status, desk(path).body) == (404, none.body)
    assert researcher.send("surveys.set_public", slug="ward", public="yes").status == 303
    assert [desk(path).status for path in (PAGE, NUMBERS)] == [200, 200]
    assert PAGE in researcher.see("results.page", slug="ward").text
    assert researcher.send("surveys.set_public", slug="ward", public="no").status == 303
    assert [desk(path).status for path in (PAGE, NUMBERS)] == [404, 404]


@pytest.mark.promise("public")
def test_it_shows_what_the_desk_shows_of_randomised_questions(
    store: Store, shown: Survey, desk: Caller
) -> None:
    rows = b"".join(store.snapshot_answers("ward", shown.revision))
    wanted = summarise(shown, count_reports([rows], shown), 0.95, public.BEFORE_ITS_END)
    document = desk(NUMBERS).json
    assert document["n"] == store.snapshot("ward").count()
    assert {row["item"] for row in document["estimates"]} == {"error", "hours"}
    (yes,) = [
        row for row in document["estimates"] if (row["item"], row["answer"]) == ("error", "yes")
    ]
    share = wanted.questions[0].items[0].shares[1]
    assert [yes[name] for name in ("estimate", "low", "high", "method")] == [
        pytest.approx(share.estimate),
        pytest.approx(share.low),
        pytest.approx(share.high),
        public.BEFORE_ITS_END,
    ]
    page = desk(PAGE).text
    assert re.findall('data-question="([^"]+)"', page) == ["error", "hours"]
    for hidden in ("club", "Rowing", "Chess"):
        assert hidden not in page
        assert hidden not in desk(NUMBERS).text


def test_it_says_of_which_answers_the_interval_looks_too_certain(
    store: Store, shown: Survey, desk: Caller
) -> None:
    said = "No, Yes: Less than a third of the interval is possible."
    assert said not in desk(PAGE).text
    store.insert_batch([report(shown, bytes([0, k % 2, k % 2])) for k in range(400)])
    assert said in desk(PAGE).text


@pytest.mark.promise("public")
def test_no_choice_can_be_made_there(shown: Survey, desk: Caller) -> None:
    page = desk(PAGE).body
    for choice in (f"revision={shown.revision}", "level=99", "method=wald", "wave=1"):
        assert desk(f"{PAGE}?{choice}").body == page


@pytest.mark.promise("public-batches")
def test_more_reports_are_public_by_whole_batches(
    store: Store, shown: Survey, desk: Caller
) -> None:
    def n() -> int:
        return int(desk(NUMBERS).json["n"])

    seen = [n()]
    for _ in range(30):
        add(store, shown, 1)
        seen.append(n())
    steps = {later - earlier for earlier, later in pairwise(seen)} - {0}
    assert steps
    assert min(steps) >= 10


@pytest.mark.promise("public-batches")
@pytest.mark.parametrize("batch", [1, 9])
def test_smaller_batches_are_public_when_the_survey_is_closed(
    store: Store, desk: Caller, batch: int
) -> None:
    survey = read(f"{TEXT}batch: {batch}\n").survey
    store.register(survey)
    store.set_public("ward", public=True)
    add(store, survey, 40)
    assert desk(NUMBERS).json["estimates"] == []
    assert 'id="nothing"' in desk(PAGE).text
    store.set_state("ward", State.CLOSED)
    assert desk(NUMBERS).json["n"] == 40
    assert 'id="nothing"' not in desk(PAGE).text
    # A revision with the usual batch does not let the others be seen.
    store.register(read(TEXT).survey)
    store.set_state("ward", State.OPEN)
    assert desk(NUMBERS).json["estimates"] == []


@pytest.mark.promise("public")
def test_it_is_made_once_for_each_snapshot(
    store: Store, shown: Survey, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*given: Any) -> object:
        made.append(1)
        return summarise(*given)

    monkeypatch.setattr(public, "summarise", counted)
    for _ in range(3):
        desk(PAGE)
        desk(NUMBERS)
    assert len(made) == 1
    add(store, shown, 30)
    desk(PAGE)
    assert len(made) == 2


@pytest.mark.promise("public")
def test_what_is_kept_holds_nothing_of_who_asked_first(
    store: Store, shown: Survey, researcher: Browser, desk: Caller
) -> None:
    # Something that the next page would tell this person.
    ended = researcher.send("account.new_token", called="x", may="read")
    assert ended.status == 201
    hashed = re.findall('name="ended" value="([0-9a-f]+)"', ended.text)[0]
    researcher.send("account.end_token", ended=hashed)
    first = researcher(PAGE)
    assert "has ended" not in first.text
    assert first.set_cookies == ()
    assert "csrf" not in first.text
    assert desk(PAGE).body == first.body


def test_each_wave_stands_by_itself(store: Store, desk: Caller) -> None:
    survey = panel()
    store.register(survey)
    store.insert_batch([of_wave(survey, 1) for _ in range(20)])
    store.begin_wave("panel", 2)
    store.insert_batch([of_wave(survey, 2) for _ in range(20)])
    store.set_state("panel", State.CLOSED)
    store.set_public("panel", public=True)
    rows = desk("/public/panel/results.json").json["estimates"]
    assert {row["wave"] for row in rows} == {1, 2}
    assert not {"age", "wave"} & {row["item"] for row in rows}
    assert "Which wave" not in desk("/public/panel").text
