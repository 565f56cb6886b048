"""The desk's page about invitations."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deniable.server.desk.surveys.letters import LINK, letters
from deniable.server.desk.surveys.slips import codes_csv
from deniable.server.store import Outcome, Store
from deniable.server.store.invitations import Invited, new_codes
from deniable.server.store.keys import NO_KEYS
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.sureness import implication
from tests.kit import MARKS, PUBLIC, RESPONDENTS, Browser, at, of_wave, panel, url_for
from tests.kit.fixtures import House
from tests.server.desk.results.test_export_zip import files

pytestmark = pytest.mark.promise("unlinkable")

PAGE = url_for("invitations.page")


def test_codes_come_with_their_links(researcher: Browser, store: Store, survey: Survey) -> None:
    refused = researcher.post(PAGE, number="3", form="csv")
    assert refused.status == 422
    assert "closes the open link" in refused.text
    assert store.invited("doping") is None
    answer = researcher.post(PAGE, number="3", form="csv", confirmed="yes")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert "doping-codes.csv" in answer.headers["Content-Disposition"]
    rows = answer.rows
    assert len({row["code"] for row in rows}) == 3
    # With the first codes the survey has got a key, under its check number.
    invited = store.survey("doping")
    assert invited.token_keys == (PUBLIC[0],)
    assert invited.revision != survey.revision
    for row in rows:
        link = urlsplit(row["link"])
        # No server on the way sees a fragment.
        assert row["link"].startswith(f"{RESPONDENTS}{at('doping')}#")
        assert (link.path, link.query) == (at("doping"), "")
        assert link.fragment == f"{invited.path.partition('#')[2]}&code={row['code']}"
    assert store.spend("doping", MARKS[0], rows[0]["code"], bytes(32)) is Outcome.STORED
    assert 'data-made="3"' in researcher(PAGE).text
    assert len(researcher.post(PAGE, number="1", form="csv").rows) == 1
    assert rows[1]["code"] not in researcher(PAGE).text


def test_a_script_reads_why_no_code_was_made(researcher: Browser, store: Store) -> None:
    """Its page may parse no answer, so it is given the sentence alone."""
    answer = researcher(
        PAGE,
        method="POST",
        form={"csrf_token": researcher.token(), "number": "0", "form": "csv", "confirmed": "yes"},
        accept="text/csv",
    )
    assert (answer.status, store.invited("doping")) == (422, None)
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.text.startswith("No code was made: expected a number of codes from 1 to")


def test_codes_come_as_slips_and_go(researcher: Browser, store: Store) -> None:
    answer = researcher.post(PAGE, number="2", form="slips", confirmed="yes")
    codes = re.findall(r'class="code"[^>]*>([A-Z-]{24})<', answer.text)
    assert len(codes) == 2
    assert answer.text.count("<svg") == 2
    assert "doping" not in answer.text
    assert "style=" not in answer.text
    assert "<style" not in answer.text
    assert store.invited("doping") == Invited(2, {})
    assert researcher.post(f"{PAGE}/end").status == 303
    assert store.invited("doping") is None


@pytest.mark.parametrize("number", ["", "0", "many", "-1", "200001", "9" * 30])
def test_another_number_makes_none(researcher: Browser, store: Store, number: str) -> None:
    answer = researcher.post(PAGE, number=number, form="csv", confirmed="yes")
    assert answer.status == 422
    assert 'id="mistake">Expected a number of codes' in answer.text
    assert store.invited("doping") is None


def test_each_wave_has_a_key(researcher: Browser, store: Store) -> None:
    store.register(panel())
    answer = researcher.send(
        "invitations.invite", slug="panel", number="3", form="csv", confirmed="yes"
    )
    assert answer.status == 200
    assert store.invited("panel") == Invited(3, {})
    assert store.survey("panel").token_keys == tuple(PUBLIC[:3])


def test_every_page_says_the_response_rate(researcher: Browser, store: Store) -> None:
    asked = store.register(panel())
    store.invite("panel", codes := new_codes(4), PUBLIC[: asked.waves])
    asked = store.survey("panel")
    store.insert_reports([of_wave(asked, 1) for _ in codes], [MARKS[0]] * 4)
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(asked, 2) for _ in range(3)], [MARKS[1]] * 3)
    this, first = "3 of 4 invited, 75 %", "wave 1: 4 of 4 invited, 100 %"
    assert f"this wave: {this}" in researcher.see("invitations.page", slug="panel").text
    assert f"wave 2: {this}" in researcher.see("status.page", slug="panel").text
    rate = {"wave": 2, "answered": 3, "invited": 4, "share": 0.75}
    assert researcher.see("status.numbers", slug="panel").json["response"] == rate
    methods = files(researcher.see("export.download", slug="panel"))["methods.md"].decode()
    assert f"when this was written: {first}; wave 2: {this}." in methods


def test_without_keys_no_code_is_made(
    researcher: Browser,
    store: Store,
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The page says whom to ask, and the log what they can do."""
    monkeypatch.setattr(house.keys, "make", NO_KEYS.make)
    answer = researcher.post(PAGE, number="3", form="csv", confirmed="yes")
    assert answer.status == 422
    assert "Ask who runs this server" in answer.text
    assert "--keys" not in answer.text
    assert "--keys" in caplog.text
    assert store.invited("doping") is None


def test_translated_texts_say_what_the_page_says(researcher: Browser, survey: Survey) -> None:
    (english,), (german,) = letters(survey), letters(replace(survey, languages=("de",)))
    for one in (english, german):
        assert LINK in one.invitation
        assert LINK in one.reminder
        assert one.invitation.splitlines()[0].endswith(survey.title)
    assert german.invitation.startswith("Einladung: ")
    assert all(sentence in english.invitation for sentence in implication(survey))
    assert researcher(PAGE).text.count('class="letter"') == 3
    # The link of a letter opens the page in its language, where there are several.
    shops = read((Path(__file__).parents[4] / "examples/shops.yaml").read_text()).survey
    said = [re.findall(rf"{LINK}(.*)", one.reminder) for one in letters(shops)]
    assert said == [[f"&lang={language}"] for language in shops.languages]
    assert f"{LINK}\n" in german.reminder


def test_many_codes_come_part_by_part() -> None:
    parts = [*codes_csv(new_codes(2_500), "https://x/#f")]
    assert len(parts) == 4
    rows = [*csv.DictReader(io.StringIO("".join(parts)))]
    assert len({row["code"] for row in rows}) == 2_500
    assert all(row["link"] == f"https://x/#f&code={row['code']}" for row in rows)
