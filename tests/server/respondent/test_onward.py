"""Links as people get them: an altered one leads by hand to the address that everybody has."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import Store
from deniable.survey_file import read
from tests.kit import Caller, at, surveys

pytestmark = pytest.mark.promise("fingerprint")

LETTERS = at("doping").strip("/")

ALTERED = [
    *("?fbclid=IwAR0_person17", "?utm_source=person17", "?", "?person17", "%3Fperson17"),
    *("/?person17", "//", "///?person17", "/%23a7b29b806efaa7dc", "/%23lang=de&code=WORD"),
    *("", ".", ")", "/).", "/,", "\u00bb", "/%E2%80%9D", "/\u2026", "/&utm_source=person17", "%20"),
]


@pytest.mark.parametrize("end", ALTERED)
@pytest.mark.parametrize("letters", [LETTERS, LETTERS.lower(), f"/{LETTERS.title()}"])
def test_an_altered_link_leads_on_unrepeated(respondents: Caller, letters: str, end: str) -> None:
    answer = respondents(f"/{letters}{end}")
    assert (answer.status, answer.headers.get("Location")) == (200, None)
    assert 'data-page="onward"' in answer.text
    # The same for everybody, to the letter: nothing of the link is in it.
    assert answer.body == respondents(at("doping").lower()).body
    assert re.findall(r'class="action onward" href="([^"]*)"', answer.text) == [at("doping")]
    assert answer.headers["Cache-Control"] == "no-store"
    assert 'data-program=""' not in answer.text  # no question can be asked there


def test_neither_title_nor_other_site_is_named(respondents: Caller) -> None:
    answer = respondents(f"{at('doping')}?x", headers={"Host": "evil.example"})
    assert "Doping" not in answer.text
    assert "evil" not in f"{answer.text}{answer.headers}"


@pytest.mark.parametrize(
    "path",
    [
        *(f"/{LETTERS[:-1]}", f"/{LETTERS}B", f"/{LETTERS}x", f"/x/{LETTERS}", f"/{LETTERS}/x?y"),
        *(
            at("n0ne").lower(),
            f"{at('n0ne')}?x",
            "/s/doping",
            "/s/doping?x",
            f"//{LETTERS}/privacy",
        ),
    ],
)
def test_no_other_address_leads_to_a_survey(respondents: Caller, path: str) -> None:
    assert respondents(path).status == 404


def test_a_named_survey_has_such_addresses_too(respondents: Caller, store: Store) -> None:
    store.register(replace(surveys.survey(slug="told"), is_named=True))
    for path in ("/s/told", "/s/told.", "/S/told/", "/s/told/?x"):
        assert 'href="/s/told/"' in respondents(path).text
    assert respondents("/s/Told/").status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_sent_to_such_an_address(respondents: Caller, method: str) -> None:
    assert respondents(at("doping").rstrip("/"), method=method).status in (404, 405)


def test_the_page_s_own_is_asked_as_before(respondents: Caller) -> None:
    assert 'data-page="survey"' in respondents(at("doping")).text
    for end in ("survey.json?x", "privacy?x", "sheet?x", "state.json?x"):
        assert respondents(at("doping", end)).status == 200


def test_it_is_said_in_each_language(respondents: Caller, store: Store) -> None:
    journeys = read(Path("examples/journeys.yaml").read_text(encoding="utf-8")).survey
    store.register(journeys)
    text = respondents(f"{journeys.address}?x").text
    for language in journeys.languages:
        assert f'id="lang={language}"' in text
    assert "main.js" in text
    # One language needs no program but the one that takes along the end of the link.
    assert "main.js" not in respondents(f"{at('doping')}?x").text
