"""Which wave is on: at the intake, on the pages and on the desk."""

import re

import pytest

from deniable.server.respondent.label import privacy_label
from deniable.server.store import State, Store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, Answer, Browser, Caller, at, of_wave, panel, url_for

ONCE = PANEL_TEXT.replace("waves: {count: 3, redraw: 1/10}\n", "")


@pytest.fixture
def survey() -> Survey:
    return panel()


def test_other_waves_and_bytes_are_refused(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    def send(wave: int) -> int:
        return respondents.send(of_wave(survey, wave), "panel").status

    assert (send(1), send(2)) == (201, 410)
    store.begin_wave("panel", 2)
    assert (send(1), send(2)) == (410, 201)
    for wave in (0, 4, 256):
        assert send(wave) == 422


def test_only_the_state_says_the_wave(respondents: Caller, store: Store, survey: Survey) -> None:
    store.register(read(ONCE.replace("survey: panel", "survey: once")).survey)
    state = respondents(at("panel", "state.json")).json
    assert (state["about"], state["wave"]) == (f"panel {survey.revision}", 1)
    page = respondents(at("panel")).text
    store.begin_wave("panel", 3)
    assert respondents(at("panel", "state.json")).json["wave"] == 3
    assert respondents(at("panel")).text == page
    assert "// core/waves.js" in page
    assert respondents(at("once", "state.json")).json["wave"] == 1
    assert "// core/waves.js" not in respondents(at("once")).text


def test_the_label_says_the_three_epsilons(respondents: Caller, survey: Survey) -> None:
    document = respondents(at("panel", "privacy.json")).json["waves"]
    label = privacy_label(survey).waves
    assert label is not None
    one_report, longitudinal = survey.one_report_millionths / 1e6, survey.spent_millionths / 1e6
    any_history = (survey.any_history_millionths or 0) / 1e6
    assert document["count"] == 3
    names = ("epsilon_one_report", "epsilon_longitudinal", "epsilon_any_history")
    assert [document[name] for name in names] == [one_report, longitudinal, any_history]
    page = respondents(at("panel", "privacy")).text
    for epsilon in (one_report, longitudinal, any_history):
        written = f"{epsilon:.6f}".rstrip("0").rstrip(".")
        assert f"ε = {written}" in page


def test_without_a_redraw_changes_are_unbounded() -> None:
    label = privacy_label(panel("0")).waves
    assert label is not None
    assert label.epsilon_any_history is None
    assert label.statements[-1].endswith("no limit")
    assert label.epsilon_one_report == label.epsilon_longitudinal


def begin(researcher: Browser, wave: str, slug: str = "panel") -> Answer:
    """Begin a wave by the button of its page."""
    return researcher.send("surveys.begin_wave", slug, wave=wave, confirmed="yes")


def test_a_tick_begins_the_next_wave(store: Store, survey: Survey, researcher: Browser) -> None:
    store.insert_reports([of_wave(survey, 1) for _ in range(1234)])
    assert (
        'href="/desk/surveys/panel/wave">Begin wave 2'
        in researcher.see("status.page", slug="panel").text
    )
    page = researcher.see("surveys.wave_page", slug="panel").text
    assert "This ends wave 1, with 1,234 reports." in page
    assert "no reports" not in page
    assert "stays closed" not in page
    for form in ({}, {"confirmed": ""}, {"confirmed": "no"}):
        asked = researcher.send("surveys.begin_wave", "panel", wave="2", **form)
        assert asked.status == 422
        assert "Nothing was changed" in asked.text
        assert "This ends wave 1, with 1,234 reports." in asked.text
        assert store.wave("panel") == 1
    assert begin(researcher, "2").status == 303
    assert store.wave("panel") == 2
    page = researcher.see("status.page", slug="panel").text
    assert "Begin wave 3" in page
    said = (
        '<p class="done" role="status">Wave 2 has begun, and wave 1 has ended. Send the same link'
    )
    assert said in page
    assert 'id="reports">0</dd>' in page
    store.set_state("panel", State.PAUSED)
    begin(researcher, "3")
    assert (
        "The survey is paused: open it, and then send"
        in researcher.see("status.page", slug="panel").text
    )


def test_ending_empty_waves_is_warned(store: Store, survey: Survey, researcher: Browser) -> None:
    assert "Wave 1 has no reports" in researcher.see("surveys.wave_page", slug="panel").text
    store.insert_reports([of_wave(survey, 1)])
    page = researcher.see("surveys.wave_page", slug="panel").text
    assert "Wave 1 has no reports" not in page
    assert "with 1 report." in page
    store.begin_wave("panel", 2)
    store.set_state("panel", State.CLOSED)
    page = researcher.see("surveys.wave_page", slug="panel").text
    # The reports of the first wave are none of the second.
    assert "Wave 2 has no reports" in page


@pytest.mark.promise("batches")
def test_a_wave_s_page_tells_of_whole_batches(store: Store, researcher: Browser) -> None:
    """It does not tell whether nobody has answered, or a few have."""
    panel = store.register(read(PANEL_TEXT.replace("batch: 1\n", "")).survey)
    store.insert_reports([of_wave(panel, 1) for _ in range(9)])
    page = " ".join(researcher.see("surveys.wave_page", slug="panel").text.split())
    assert "has no reports that are shown" in page
    assert "with 0 reports and those that are held back" in page


def test_the_desk_begins_only_the_next_wave(store: Store, researcher: Browser) -> None:
    for wave in ("3", "1", "0", "x", ""):
        assert begin(researcher, wave).status == 400
    assert begin(researcher, "2", "none").status == 404
    assert researcher.see("surveys.wave_page", slug="none").status == 404
    assert store.wave("panel") == 1
    store.begin_wave("panel", 3)
    assert "Begin wave" not in researcher.see("surveys.index").text
    assert researcher.see("surveys.wave_page", slug="panel").status == 404
    assert begin(researcher, "4").status == 404
    store.register(read(ONCE.replace("survey: panel", "survey: once")).survey)
    assert researcher.see("surveys.wave_page", slug="once").status == 404
    assert begin(researcher, "2", "once").status == 404


def test_it_says_whether_changes_are_chance(
    store: Store, survey: Survey, researcher: Browser
) -> None:
    for wave in (1, 2):
        if wave > 1:
            store.begin_wave("panel", wave)
        rows = (bytes([i % 2, i % 3, i % 5, i % 2]) for i in range(40 + wave))
        store.insert_reports([of_wave(survey, wave, answers=row) for row in rows])
    page = researcher.see("results.page", slug="panel").text
    leads = re.findall(r'class="lead">([^<]*the change lies)', page)
    assert ["This may be chance" in one for one in leads] == [True] * 4
    assert "tries in all questions and waves. So each interval is wider" in page
    assert '<td data-label="p">&gt;0.99</td>' in page


@pytest.mark.slow
def test_each_wave_is_shown(store: Store, survey: Survey, researcher: Browser) -> None:
    assert researcher.see("results.page", slug="panel").status == 200  # of no reports
    store.insert_reports([of_wave(survey, 1) for _ in range(3)])
    page = researcher.see("results.page", slug="panel").text
    assert "Change from wave to wave" not in page
    assert "Which wave this is" not in page
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(survey, 2, answers=b"\1\2\4\1") for _ in range(5)])
    page = researcher.see("results.page", slug="panel").text
    assert "Change from wave to wave" in page
    assert '<td data-label="Waves">1 to 2</td>' in page
    # An arrow for what the question is told by first, from the earlier wave to the later.
    said = r'data-moves="sleep">.*?aria-label="Wave 1: [^"]+ Wave 2: [^"]+"'
    assert re.search(said, page, re.DOTALL)
    trend = url_for("results.trend", slug="panel", question="sleep", form="svg")
    assert trend in page
    assert researcher(trend).status == 200
    figure = {"question": "sleep", "form": "svg", "wave": "1"}
    assert researcher.see("results.figure", slug="panel", **figure).status == 200
    for wave in ("0", "4", "x", "²"):
        assert researcher.see("results.page", slug="panel", wave=wave).status == 422
