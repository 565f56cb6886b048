"""When a survey takes no reports its page says why; and how people get to it."""

import re
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from deniable.server.store import Store
from deniable.server.store.schedule import Schedule, State
from deniable.server.web.words import words
from deniable.survey import Survey
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.kit import Caller, Start, at, report, surveys

OPENS = 4_099_723_200
"""The 30th of November 2099, at noon in UTC."""


def shown(text: str) -> str:
    found = re.search(r'data-page="(\w+)"', text)
    assert found
    return found[1]


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_later_opening_is_told(respondents: Caller, store: Store, in_berlin: None) -> None:
    journeys = read(Path("examples/journeys.yaml").read_text(encoding="utf-8")).survey
    store.register(journeys)
    store.set_schedule("journeys", Schedule(opens=OPENS))
    answer = respondents(at("journeys"))
    assert (answer.status, shown(answer.text)) == (503, "planned")
    assert "main.js" not in answer.text
    for language in journeys.languages:
        # By the clock of the server, and not of the page.
        for part in words(language).moment(OPENS).values():
            assert part in answer.text
    assert respondents(at("journeys", "survey.json")).status == 200


def test_a_full_or_ended_survey_says_so(respondents: Caller, store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(10)])
    document = respondents(at("doping", "survey.json")).body
    store.set_state("doping", State.PAUSED)
    answer = respondents(at("doping"))
    assert (answer.status, shown(answer.text)) == (503, "paused")
    store.set_state("doping", State.OPEN)
    store.set_schedule("doping", Schedule(cap=10))
    answer = respondents(at("doping"))
    assert (answer.status, shown(answer.text)) == (503, "full")
    assert respondents(at("doping", "state.json")).json["state"] == "full"
    store.set_schedule("doping", Schedule(closes=1))
    answer = respondents(at("doping"))
    assert (answer.status, shown(answer.text)) == (410, "closed")
    assert respondents(at("doping", "survey.json")).body == document


def test_an_access_word_is_shown_to_nobody(respondents: Caller, store: Store) -> None:
    state = respondents(at("doping", "state.json")).json
    assert (state["words"], state["closes"]) == ([], None)
    store.set_schedule("doping", Schedule(access_word="sea-lion", closes=2**32))
    assert respondents(at("doping", "state.json")).json["closes"] == 2**32
    for path in ("", "poster", "privacy", "survey.json", "state.json"):
        assert "sea-lion" not in respondents(f"{at('doping')}{path}").text
    text = respondents(at("doping")).text
    assert respondents(at("doping", "state.json")).json["words"] == ["pin"]
    assert text.index("// page/pin.js") < text.index("// page/main.js")


def test_letters_lead_there_however_typed(respondents: Caller, survey: Survey) -> None:
    for path in ("/j/KVYTHNR", "/j/kvythnr", "/j?code=%20kvy%20thnr"):
        answer = respondents(path)
        assert (answer.status, answer.headers["Location"]) == (303, survey.address)
    for path in ("/j", "/j/KVYTHNX", "/j?code=", "/j/%FF"):
        answer = respondents(path)
        assert answer.status == 404
        assert 'id="unknown-en"' in answer.text
    assert 'id="unknown' not in respondents("/").text


def test_a_poster_shows_code_and_print(start: Start, store: Store, survey: Survey) -> None:
    import segno  # noqa: PLC0415

    respondents = start("https://answers.example")
    text = respondents(at("doping", "poster")).text
    assert f"answers.example{survey.path}" in text
    assert survey.shown_number in text
    assert '<p class="code" dir="ltr">KVYTHNR</p>' in text
    (square,) = re.findall(r'src="(data:image/svg\+xml[^"]*)"', text)
    expected = segno.make(f"https://answers.example{survey.path}", micro=False)
    assert expected.svg_data_uri(border=4, omitsize=True) == square
    assert respondents(at("none", "poster")).status == 404


@pytest.mark.promise("onion")
def test_an_onion_page_names_no_other(start: Start, store: Store, survey: Survey) -> None:
    respondents = start(url="https://survey.example.org", desk_url="https://desk.example.org")
    store.register(trial := trial_of(survey))
    assert "frame-ancestors https://desk.example.org" in f"{respondents(at(trial.slug)).headers}"
    pages = [at("doping", end) for end in ("", "poster", "privacy", "sheet", "survey.json")]
    others = ["/", "/device", "/j/nobody", "/nowhere", at("doping", "nothing"), at(trial.slug)]
    for page, host in product([*pages, *others], ("abc.onion", "ABC.Onion.:8002")):
        told = respondents(page, headers={"Host": host})
        assert "example.org" not in f"{told.headers}{told.text}", page
    assert "abc.onion/" in respondents(pages[1], headers={"Host": "abc.onion"}).text
    # Nor does a name that only looks so.
    assert "survey.example.org" in respondents(pages[1], headers={"Host": "onion.example"}).text


def test_only_chance_is_promised_on_posters(respondents: Caller, store: Store) -> None:
    direct = surveys.single("plain", direct=True)
    store.register(surveys.survey(direct, slug="direct"))
    store.register(surveys.survey(direct, surveys.single(), slug="both"))
    promised = {
        slug: 'class="safe"' in respondents(at(slug, "poster")).text
        for slug in ("doping", "both", "direct")
    }
    assert promised == {"doping": True, "both": True, "direct": False}
    assert respondents(at("both", "poster")).text.count("sensitive questions") == 1
