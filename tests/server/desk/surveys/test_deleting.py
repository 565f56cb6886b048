"""Deleting a survey at the desk: by its typed name, and with all that is said before."""

import re
from dataclasses import replace
from unittest.mock import Mock

import pytest

from deniable.server.desk.editor.preview import begin_trial
from deniable.server.store import Store
from deniable.server.store.sql import retention
from deniable.survey import Survey
from deniable.survey.about import About
from tests import surveys
from tests.addresses import at
from tests.server.calling import Caller, report
from tests.server.desk.test_pages import Browser
from tests.server.desk.urls import url_for


def going(page: str) -> int:
    found = re.search(r'id="going" data-reports="(\d+)"', page)
    assert found
    return int(found[1])


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
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    store.insert_batch([report(held) for _ in range(25)])
    page = researcher.see("surveys.delete_page", slug="held").text
    # As of the snapshot: deleting tells of no single report either.
    assert going(page) == 10
    for told in ("pending", "Backups", "Files", "Devices of respondents"):
        assert told in page
    for path in (url_for("status.page", slug="held"), url_for("results.page", slug="held")):
        assert 'href="/desk/surveys/held/delete"' in researcher(path).text


def test_it_goes_with_its_trial_and_every_page_of_it(
    researcher: Browser, call: Caller, store: Store, survey: Survey
) -> None:
    begin_trial(store, survey)
    store.insert_batch([report(survey)])
    pages = [
        url_for("results.page"),
        url_for("invitations.page"),
        url_for("surveys.delete_page"),
        url_for("results.page", slug="trial.doping"),
    ]
    revised = url_for("results.page", revision=survey.revision)
    assert {researcher(path).status for path in [*pages, revised]} == {200}
    assert call(at("doping")).status == 200
    answer = researcher.send("surveys.delete", typed=" doping ")
    assert (answer.status, answer.headers["Location"]) == (303, url_for("surveys.index"))
    assert "is deleted" in researcher.see("surveys.index").text
    assert store.surveys() == []
    assert {researcher(path).status for path in [*pages, revised]} == {404}
    assert {call(path).status for path in (at("doping"), at("trial.doping", "survey.json"))} == {
        404
    }
    assert call.send(report(survey)).status == 404
    assert researcher.send("surveys.delete", typed="doping").status == 404


def test_a_list_of_surveys_asks_once_when_their_reports_go(
    researcher: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in ("first", "second", "third"):
        store.register(surveys.survey(slug=slug))
    asked = Mock(wraps=store.retentions)
    monkeypatch.setattr(store, "retentions", asked)
    assert researcher.see("surveys.index").status == 200
    asked.assert_called_once_with()


def test_a_survey_s_pages_say_when_its_reports_go_and_that_they_went(
    researcher: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-31"))
    store.register(kept)
    store.insert_batch([report(kept)])
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
        monkeypatch.setattr(retention, "utc_day", lambda day=day: day)
        store.delete_due(day)
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
