"""The desk's pages about a survey's collection, its status and its end."""

import math
import re
import time
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
import segno

from deniable.analysis.intervals import always_valid
from deniable.server.desk.editor.preview import begin_trial
from deniable.server.store import Store
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State, told_state
from deniable.survey import Survey
from deniable.survey.about import About
from deniable.survey_file import read
from deniable.text.timestamps import read_moment, write_moment
from tests.kit import (
    PANEL_TEXT,
    RESPONDENTS,
    Browser,
    Caller,
    Clocks,
    at,
    of_wave,
    report,
    surveys,
    until,
    url_for,
)

OPENS = 4_099_723_200 - 4_099_723_200 % 60
ALL = Schedule(OPENS, OPENS + 3600, 500, "sea-lion")
FORM = {
    "opens": write_moment(OPENS),
    "closes": write_moment(OPENS + 3600),
    "cap": "500",
    "access_word": quote(" Sea-Lion "),
}


def told(text: str) -> tuple[str, list[str]]:
    ((state, first),) = re.findall(r'<p class="state (\w+)" id="state">(.*?)</p>', text)
    return state, [first, *re.findall('<p class="term">(.*?)</p>', text)]


def test_the_owner_sets_and_removes_all_terms(researcher: Browser, store: Store) -> None:
    answer = researcher.send("collection.set_schedule", **FORM)
    assert (answer.status, answer.headers["Location"]) == (303, url_for("collection.page"))
    assert store.schedule("doping") == ALL
    text = researcher.see("collection.page").text
    state, lines = told(text)
    assert state == "planned"
    assert len(lines) == 4
    assert all("UTC" in line for line in lines[:2])
    for name, value in FORM.items():
        wanted = "sea-lion" if name == "access_word" else value
        assert re.search(rf'name="{name}"[^>]* value="{wanted}"', text)
    assert researcher.send("collection.set_schedule").status == 303
    assert store.schedule("doping") == NO_SCHEDULE


@pytest.mark.parametrize(
    "wrong",
    [
        {"opens": "tomorrow"},
        {"closes": FORM["opens"]},
        {"cap": "many"},
        {"cap": "0"},
        {"access_word": "x"},
    ],
)
def test_mistakes_change_nothing(researcher: Browser, store: Store, wrong: dict[str, str]) -> None:
    answer = researcher.send("collection.set_schedule", **{**FORM, **wrong})
    assert answer.status == 422
    assert re.search(r'id="mistake">Expected [^<]+\.<', answer.text)
    ((name, value),) = wrong.items()
    assert re.search(rf'name="{name}"[^>]* value="{value}"', answer.text)
    assert store.schedule("doping") == NO_SCHEDULE


def test_a_survey_reopens_only_on_other_terms(researcher: Browser, store: Store) -> None:
    store.set_schedule("doping", Schedule(closes=1))
    answer = researcher.send("surveys.set_state", state="open")
    assert (answer.status, answer.headers["Location"]) == (303, url_for("collection.page"))
    assert store.state("doping") is State.CLOSED
    assert "stays closed" in researcher.see("collection.page").text
    store.set_schedule("doping", NO_SCHEDULE)
    answer = researcher.send("surveys.set_state", state="open", page="collect")
    assert answer.headers["Location"] == url_for("collection.page")
    assert store.state("doping") is State.OPEN


def test_every_page_tells_the_opening_alike(researcher: Browser, store: Store) -> None:
    store.set_schedule("doping", Schedule(opens=OPENS))
    store.set_public("doping", public=True)
    said = told_state(State.PLANNED, store.schedule("doping"))
    for page in (
        url_for("surveys.index"),
        url_for("results.page"),
        url_for("collection.page"),
        url_for("status.page"),
    ):
        text = researcher(page).text
        assert said in text
        assert not re.search(r"Open:|(data-state=|class=\"state )\"?open", text)
    assert said in researcher("/public/doping").text
    assert researcher("/public/doping/results.json").json["state"] == "planned"


def test_a_pause_and_an_end_are_two_buttons(researcher: Browser, store: Store) -> None:
    def buttons(page: str) -> list[str]:
        return re.findall(r'<button[^>]* name="state" value="(\w+)"', researcher(page).text)

    for page in (url_for("status.page"), url_for("collection.page")):
        for state, offered in (
            (State.OPEN, ["paused", "closed"]),
            (State.PAUSED, ["open", "closed"]),
            (State.CLOSED, ["open"]),
        ):
            assert researcher.send("surveys.set_state", state=state).status == 303
            assert store.state("doping") is state
            assert buttons(page) == offered
    assert researcher.send("surveys.set_state", state="paused").status == 303
    assert "The survey stays closed: it has ended" in researcher.see("collection.page").text
    assert researcher.send("surveys.set_state", state="full").status == 400


def test_a_full_survey_takes_more_or_is_closed(researcher: Browser, store: Store) -> None:
    survey = store.register(surveys.survey(title="Doping, in batches", batch=10))
    store.set_public("doping", public=True)
    store.insert_reports([report(survey) for _ in range(20)])
    store.set_schedule("doping", Schedule(cap=20))
    state, lines = told(researcher.see("collection.page").text)
    assert (state, lines[1]) == ("full", "Set a higher cap to take more, or close it.")
    assert any("anybody with the link can fill the cap" in one for one in lines)
    assert "Take more reports, or close it" in researcher.see("status.page").text
    # It has not ended: nothing held back moves, and no result is final.
    results = researcher("/public/doping/results.json").json
    assert (results["state"], results["n"]) == ("full", 10)
    assert "always-valid" in {row["method"] for row in results["estimates"]}
    assert researcher.send("surveys.set_state", state="open", cap="25").status == 303
    assert store.state("doping") is State.FULL
    researcher.send("surveys.set_state", state="open", cap="30", page="collect")
    assert (store.state("doping"), store.schedule("doping").cap) == (State.OPEN, 30)
    store.set_schedule("doping", Schedule(cap=20))
    researcher.send("surveys.set_state", state="closed")
    results = researcher("/public/doping/results.json").json
    assert (results["state"], results["n"]) == ("closed", 20)


def test_the_qr_code_is_of_the_link(researcher: Browser, survey: Survey) -> None:
    answer = researcher.see("collection.qr")
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    drawn = segno.make(RESPONDENTS + survey.path, micro=False)
    (lines,) = re.findall(r'class="qrline"[^>]* d="([^"]+)"', drawn.svg_inline(border=4))
    assert lines in answer.text
    assert "viewBox" in answer.text
    for page in (url_for("results.page"), url_for("collection.page"), url_for("status.page")):
        text = researcher(page).text
        assert 'src="/desk/surveys/doping/qr.svg"' in text
        assert f'id="link" aria-labelledby="link-label">{RESPONDENTS}{survey.path}<' in text


@pytest.mark.promise("batches")
def test_collect_counts_people_and_estimates_nothing(
    researcher: Browser, store: Store, survey: Survey
) -> None:
    store.insert_reports([report(survey, bytes([number % 4 == 0])) for number in range(90)])
    store.set_schedule("doping", Schedule(cap=100))
    text = researcher.see("status.page").text
    assert ">80 of 100 planned</dd>" in text
    assert told(text)[0] == "open"
    assert "data-question=" not in text
    assert "interval" not in text
    document = researcher.see("status.numbers").json
    assert (document["reports"], document["cap"], document["state"]) == (80, 100, "open")
    assert not document.keys() & {"interval", "level", "questions"}


def test_analyse_says_that_it_holds_for_one_look(
    researcher: Browser, store: Store, survey: Survey
) -> None:
    store.insert_reports([report(survey) for _ in range(20)])
    said = "95 % interval, for one look: decide before when to stop"
    assert said in researcher.see("results.page").text
    store.set_state("doping", State.CLOSED)
    assert said not in researcher.see("results.page").text


@pytest.mark.promise("any-time")
def test_a_running_survey_s_public_numbers_hold_at_all_looks(
    researcher: Browser, store: Store
) -> None:
    survey = store.register(surveys.survey(title="Doping, in batches", batch=10))
    store.insert_reports([report(survey, bytes([number % 4 == 0])) for number in range(90)])
    store.set_public("doping", public=True)
    rows = researcher("/public/doping/results.json").json["estimates"]
    (yes,) = (row for row in rows if row["answer"] == "yes")
    flip = 1 / (1 + math.e)
    contributions = np.array([-flip, 1 - flip]) / (1 - 2 * flip)
    # Which of the latest ten are held back is chance.
    came = round(80 * yes["observed"])
    own = always_valid.mean(contributions, [80 - came, came], 0.95)
    assert yes["n"] == 80
    assert (yes["low"], yes["high"]) == pytest.approx(own, abs=1e-5)


def test_people_count_in_the_wave_that_is_on(researcher: Browser, store: Store) -> None:
    """212 reports of two waves are not 212 of 300 people."""
    text = f"{PANEL_TEXT}plan: {{people: 300}}\n"
    waves = store.register(read(text).survey, text)

    def answered(people: int) -> None:
        for _ in range(people):
            store.insert_reports([of_wave(waves, store.wave("panel"))])

    answered(5)
    store.begin_wave("panel", 2)
    answered(2)
    page = researcher.see("status.page", slug="panel").text
    assert 'id="reports">2 of 300 people planned</dd>' in page
    assert re.findall(r'data-wave="(\d)">(\d+)<', page) == [("1", "5")]
    assert '<progress max="300" value="2"' in page
    # The next wave begins beside them, not only in the menu.
    assert f'<p><a href="{url_for("surveys.wave_page", slug="panel")}">Begin wave 3<' in page
    listed = researcher.see("surveys.index").text
    assert "2 of 300 in this wave" in listed
    document = researcher.see("status.numbers", slug="panel").json
    found = (document["reports"], document["reports_in_wave"], document["people"])
    assert found == (7, 2, 300)
    # A cap counts all waves, so beside it alone all reports are counted.
    store.register(read(PANEL_TEXT.replace("survey: panel", "survey: capped")).survey)
    store.set_schedule("capped", Schedule(cap=40))
    assert ">0 of 40 planned</dd>" in researcher.see("status.page", slug="capped").text


def test_a_trial_without_reports_has_none_held(researcher: Browser, store: Store) -> None:
    trial = begin_trial(store, replace(read(PANEL_TEXT).survey, batch=10))
    page = researcher.see("status.page", slug=trial.slug).text
    assert 'id="reports">0</dd>' in page
    assert "Each report is shown as soon as it arrives." in page


def test_other_zones_say_which_moment_they_mean(researcher: Browser, store: Store) -> None:
    """`zone.js` sends what was typed by its own clock, and shows what is kept by it."""
    sent = {**FORM, "opens": "", "closes": "2099-10-31T16:00:00.000Z"}
    assert researcher.send("collection.set_schedule", **sent).status == 303
    assert store.schedule("doping").closes == read_moment("2099-10-31T16:00Z")
    page = researcher.see("collection.page").text
    assert 'data-moment="2099-10-31T16:00:00+00:00"' in page
    wrong = researcher.send("collection.set_schedule", **{**sent, "cap": "many"})
    assert 'data-moment="2099-10-31T16:00:00.000Z"' in wrong.text


def test_the_survey_file_can_be_taken_away(researcher: Browser, store: Store) -> None:
    store.register(read(PANEL_TEXT).survey, PANEL_TEXT)
    answer = researcher.see("collection.survey_file", slug="panel")
    assert answer.text == PANEL_TEXT
    assert "panel.yaml" in answer.headers["Content-Disposition"]
    assert researcher.see("collection.survey_file", slug="doping").status == 404
    assert 'id="file"' not in researcher.see("collection.page", slug="doping").text


def test_an_analyst_is_not_shown_the_access_word(researcher: Browser, store: Store) -> None:
    store.set_schedule("doping", ALL)
    for page in (
        url_for("status.page"),
        url_for("status.numbers"),
        url_for("results.page"),
        url_for("surveys.index"),
    ):
        assert "sea-lion" not in researcher(page).text


def test_the_writer_of_reports_closes_what_is_over(
    store: Store, respondents: Caller, clocks: Clocks, caplog: pytest.LogCaptureFixture
) -> None:
    held = store.register(surveys.survey(slug="held", batch=10))
    store.insert_reports([report(held) for _ in range(15)])
    store.set_schedule("held", Schedule(closes=OPENS))
    clocks.go_on_to(OPENS)
    # Its state follows the clock; what is held back is shown by whoever closes it.
    until(lambda: store.snapshot("held").count() == 15)
    until(lambda: caplog.messages == ["held is closed: its time is over"])


def test_the_writer_of_reports_says_that_the_clock_jumped(
    store: Store, respondents: Caller, clocks: Clocks, caplog: pytest.LogCaptureFixture
) -> None:
    until(store.clock.moment)
    store.set_schedule("doping", Schedule(closes=int(time.time()) + 3600))
    clocks.jump(7200)
    assert respondents.send(report(store.survey("doping"))).status == 503
    until(lambda: any("the clock of this machine jumped" in one for one in caplog.messages))
    assert respondents(at("doping")).status == 503
    assert respondents(at("doping", "state.json")).json["state"] == "waiting"
    assert caplog.text.count("jumped") == 1
    clocks.jump(-7200)
    until(lambda: "steady again" in caplog.text)
    assert respondents.send(report(store.survey("doping"))).status == 201


@pytest.mark.parametrize("typed", ["", "Doping", "doping2", "trial.doping"])
def test_nothing_goes_unless_the_name_is_typed(
    researcher: Browser, store: Store, survey: Survey, typed: str
) -> None:
    begin_trial(store, survey)
    answer = researcher.send("surveys.delete", typed=typed)
    assert answer.status == 422
    assert "Nothing was deleted" in answer.text
    assert {record.survey.slug for record in store.surveys()} == {"doping", "trial.doping"}


def test_the_page_says_what_goes_and_what_stays(researcher: Browser, store: Store) -> None:
    held = store.register(surveys.survey(slug="held", batch=10))
    store.insert_reports([report(held) for _ in range(25)])
    page = researcher.see("surveys.delete_page", slug="held").text
    # As of the snapshot: deleting tells of no single report either.
    assert 'id="going" data-reports="10"' in page
    for told in ("held back", "Backups", "Files", "Devices of respondents"):
        assert told in page
    for path in (url_for("status.page", slug="held"), url_for("results.page", slug="held")):
        assert 'href="/desk/surveys/held/delete"' in researcher(path).text


def test_it_goes_with_its_trial_and_pages(
    researcher: Browser, respondents: Caller, store: Store, survey: Survey
) -> None:
    begin_trial(store, survey)
    store.insert_reports([report(survey)])
    pages = [
        url_for("results.page"),
        url_for("invitations.page"),
        url_for("surveys.delete_page"),
        url_for("results.page", slug="trial.doping"),
    ]
    revised = url_for("results.page", revision=survey.revision)
    assert {researcher(path).status for path in [*pages, revised]} == {200}
    assert respondents(at("doping")).status == 200
    answer = researcher.send("surveys.delete", typed=" doping ")
    assert (answer.status, answer.headers["Location"]) == (303, url_for("surveys.index"))
    assert "is deleted" in researcher.see("surveys.index").text
    assert store.surveys() == []
    assert {researcher(path).status for path in [*pages, revised]} == {404}
    assert {
        respondents(path).status for path in (at("doping"), at("trial.doping", "survey.json"))
    } == {404}
    assert respondents.send(report(survey)).status == 404
    assert researcher.send("surveys.delete", typed="doping").status == 404


def test_a_survey_s_pages_say_when_reports_go(
    researcher: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-31"))
    store.register(kept)
    store.insert_reports([report(kept)])
    paths = (
        url_for("surveys.index"),
        url_for("results.page", slug="kept"),
        url_for("status.page", slug="kept"),
    )
    for day, said in (
        ("2998-12-31", ""),
        ("2999-01-01", "are deleted on 2999-01-31, as the survey promises"),
        ("2999-02-01", "The reports were deleted on 2999-02-01, as the survey promised."),
    ):
        with monkeypatch.context() as patch:  # nobody stays signed in so long
            Clocks(patch).go_on_to(day)
            store.delete_due()
        monkeypatch.setattr("deniable.server.store.retention.utc_day", lambda day=day: day)
        for path in paths:
            page = researcher(path)
            assert page.status == 200
            assert page.text.count("data-promised") == bool(said)
            assert said in page.text
    for path in ("/compare", "/cross", "/regress", "/estimates.csv", "/reports.csv", "/collect"):
        assert researcher(url_for("results.page", slug="kept") + path).status == 200
    answer = researcher.send("surveys.set_state", slug="kept", state="open")
    assert answer.status == 303
    assert (
        "its reports were deleted on 2999-02-01"
        in researcher.see("collection.page", slug="kept").text
    )
