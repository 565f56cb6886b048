"""Trials at the desk: begun, answered, marked wherever they are shown, and never counted."""

import io
import re
import zipfile
from dataclasses import replace

import pytest

from deniable.server.desk.editor.preview import MOST_PEOPLE, answer_trial, begin_trial
from deniable.server.store import Draft, State, Store
from deniable.server.store.accounts import Role
from deniable.survey import Survey
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.kit import (
    ORIGIN,
    RESPONDENTS,
    Browser,
    Caller,
    Start,
    at,
    panel,
    report,
    surveys,
    url_for,
)
from tests.kit.fixtures import signed_in
from tests.server.web.test_headers import policy

pytestmark = pytest.mark.promise("trials")


def test_a_trial_is_begun_again_later(researcher: Browser, store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(20)])
    assert 'href="/desk/surveys/doping/trial"' in researcher.see("results.page").text
    assert 'action="/desk/surveys/doping/trial"' in researcher.see("preview.page").text
    answer = researcher.send("preview.begin")
    assert (answer.status, answer.headers["Location"]) == (303, url_for("preview.page"))
    trial = trial_of(survey)
    assert store.survey("trial.doping") == trial
    page = researcher.see("preview.page").text
    assert f'src="{RESPONDENTS}{trial.path}"' in page
    assert researcher.send("preview.answer", people="300").status == 303
    assert store.snapshot("trial.doping").count() == 300
    assert 'data-reports="300"' in researcher.see("preview.page").text
    # Nothing of it counts, neither there nor on the list.
    assert store.snapshot("doping").count() == 10
    assert '"n": 10' in researcher.see("results.estimates", form="json").text
    assert '"n": 300' in researcher.see("results.estimates", slug="trial.doping", form="json").text
    researcher.send("preview.begin")
    assert store.snapshot("trial.doping").count() == 0
    assert store.snapshot("doping").count() == 10


def test_empty_results_lead_to_those_of_the_trial(
    researcher: Browser, store: Store, survey: Survey
) -> None:
    there = f'<a href="{url_for("results.page", slug="trial.doping")}">Results of the trial</a>'
    trial = begin_trial(store, survey)
    assert there not in researcher.see("results.page").text
    answer_trial(store, trial, 5)
    assert there in researcher.see("results.page").text
    store.insert_reports([report(survey) for _ in range(20)])
    assert there not in researcher.see("results.page").text


@pytest.mark.parametrize("people", ["0", "-1", str(MOST_PEOPLE + 1), "many", ""])
def test_a_wrong_number_of_people_answers_nothing(
    researcher: Browser, store: Store, survey: Survey, people: str
) -> None:
    trial = begin_trial(store, survey)
    researcher.send("preview.answer", people=people)
    assert store.count(trial.slug) == 0
    assert "Nothing was answered" in researcher.see("preview.page").text


def test_a_trial_is_weighted_as_its_draft(researcher: Browser, store: Store) -> None:
    text = surveys.file_of(
        "id: late, text: Late?, type: single, answers: [No, Yes]",
        "id: nights, text: Nights?, type: single, answers: [No, Yes], protection: direct",
        head="epsilon: 2\nplan: {margins: {nights: {no: 45, yes: 55}}}",
    )
    store.keep_draft(Draft("a1", text, ""))
    trial = begin_trial(store, read(text).survey, "a1")
    answer_trial(store, trial, 400)
    page = researcher.see("results.page", slug=trial.slug).text
    assert "the shares of the population that you gave" in page
    assert "55.0 %" in page
    assert "Take the weights away" not in page
    store.keep_draft(Draft("a1", text.replace("nights", "evenings"), ""))
    assert "that you gave" not in researcher.see("results.page", slug=trial.slug).text


def test_a_draft_s_trial_begins_at_its_draft(researcher: Browser, store: Store) -> None:
    trial = begin_trial(store, surveys.survey(slug="draft"), "a1")
    assert 'action="/desk/surveys/draft/trial"' not in (
        researcher.see("preview.page", slug=trial.slug).text
    )
    for page in (
        researcher.see("preview.page", slug="draft"),
        researcher.send("preview.begin", slug=trial.slug),
    ):
        assert page.status == 404


def test_made_up_people_answer_trials_alone(store: Store, survey: Survey) -> None:
    with pytest.raises(ValueError, match="expected a trial, found 'doping'"):
        answer_trial(store, survey, 5)
    assert store.count("doping") == 0


def test_trials_answer_the_wave_that_is_on(store: Store) -> None:
    trial = begin_trial(store, panel())
    store.begin_wave(trial.slug, 2)
    answer_trial(store, trial, 40)
    assert store.snapshot(trial.slug).count(wave=2) == store.count(trial.slug) == 40


def test_a_closed_trial_is_not_answered(researcher: Browser, store: Store, survey: Survey) -> None:
    trial = begin_trial(store, survey)
    store.set_state(trial.slug, State.CLOSED)
    researcher.send("preview.answer", people="5")
    assert store.count(trial.slug) == 0
    assert "the trial is closed" in researcher.see("preview.page").text


def test_a_new_revision_leaves_the_trial(researcher: Browser, store: Store, survey: Survey) -> None:
    trial = begin_trial(store, survey)
    answer_trial(store, trial, 5)
    assert 'id="outdated"' not in researcher.see("preview.page").text
    store.register(surveys.survey(title="Doping, asked again"))
    assert store.count(trial.slug) == 5
    assert 'id="outdated"' in researcher.see("preview.page").text


def test_a_trial_asks_less_than_surveys(researcher: Browser, store: Store, survey: Survey) -> None:
    """Of which rights are for trials too, `test_permissions.py` holds the list."""
    begin_trial(store, survey)
    for page in ("planner.page", "collection.page", "sharing.page"):
        assert researcher.see(page, slug="trial.doping").status == 404
    for act in ("editor.edit", "surveys.set_public"):
        assert researcher.send(act, slug="trial.doping").status == 404
    # No page of a trial leads to one that is not there.
    for page in ("results.page", "status.page", "export.page"):
        text = researcher.see(page, slug="trial.doping").text
        for link in re.findall(r'(?:href|action)="(/desk/surveys/trial\.[^"#?]*)', text):
            assert researcher(link).status != 404, (page, link)


def test_a_trial_is_under_its_survey(researcher: Browser, store: Store, survey: Survey) -> None:
    begin_trial(store, survey)
    text = researcher.see("surveys.index").text
    assert text.count("<tr data-survey") == 1
    assert 'data-trial="trial.doping"' in text


def test_whoever_shares_a_survey_shares_its_trial(start_desk: Start, store: Store) -> None:
    store.register(panel())
    for name, role in {"root": Role.ADMINISTRATOR, "ada": Role.OWNER, "olu": Role.ANALYST}.items():
        store.add_user(name, role)
    store.share("panel", "ada", Role.OWNER)
    store.share("panel", "olu", Role.ANALYST)
    ada, olu = (signed_in(store, start_desk(), name) for name in ("ada", "olu"))
    assert ada.send("preview.begin", slug="panel").status == 303
    assert (
        olu.see("results.page", slug="trial.panel").status
        == olu.see("preview.page", slug="panel").status
        == 200
    )
    assert olu.send("surveys.set_state", slug="trial.panel", state="closed").status == 403
    assert ada.send("surveys.set_state", slug="trial.panel", state="closed").status == 303
    store.share("panel", "olu", None)
    assert (
        olu.see("results.page", slug="trial.panel").status
        == olu.see("preview.page", slug="panel").status
        == 404
    )
    # One's own survey opens nobody else's trial.
    store.register(surveys.survey(slug="other"))
    begin_trial(store, surveys.survey(slug="other"))
    assert ada.see("results.page", slug="trial.other").status == 404


MARK = b"Trial: made-up answers"


@pytest.mark.slow
def test_every_page_of_it_is_marked(researcher: Browser, store: Store, survey: Survey) -> None:
    answer_trial(store, begin_trial(store, survey), 200)
    band = '<p class="done" role="note"><strong>Trial.</strong>'
    text = researcher.see("results.page", slug="trial.doping").text
    ways = {*re.findall(r'href="(/desk/surveys/trial.doping[^"#]*)"', text)}
    ways |= {url_for("results.figure", slug="trial.doping", question="doped", form="svg")}
    assert len(ways) > 8
    for way in sorted(ways):
        answer = researcher(way.replace("&amp;", "&"))
        assert answer.status == 200, way
        if answer.headers["Content-Type"].startswith("text/html"):
            assert band in answer.text, way
        elif "svg" in way:
            assert MARK in answer.body, way
        else:
            assert "filename=trial.doping-" in answer.headers["Content-Disposition"], way
    for way in (url_for("surveys.index"), url_for("results.page"), url_for("preview.page")):
        assert band not in researcher(way).text
    assert MARK not in researcher.see("results.figure", question="doped", form="svg").body
    parcel = researcher.see("export.download", slug="trial.doping")
    with zipfile.ZipFile(io.BytesIO(parcel.body)) as archive:
        texts = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
    for name in ("README.md", "methods.md", "CITATION.cff", "codebook.html"):
        assert b"This is a trial" in texts[name], name
    assert MARK in texts["figures/doped.svg"]


def test_the_desk_s_origin_alone_frames_trials_alone(
    start: Start, store: Store, survey: Survey
) -> None:
    begin_trial(store, survey)
    store.register(replace(survey, slug="trial-of-doping"))
    framing, plain = start(desk_url=f"{ORIGIN}/"), start()
    trials = [at("trial.doping"), at("trial.doping", "privacy")]
    others = [at("trial.none"), at("doping"), at("doping", "trial-x"), at("trial-of-doping")]
    for path in (*trials, *others, "/", "/trial.doping"):
        answer, usual = framing(path), plain(path)
        assert policy(answer)["frame-ancestors"] == (ORIGIN if path in trials else "'none'"), path
        # All else is as on every other page.
        assert policy(usual) == {**policy(answer), "frame-ancestors": "'none'"}
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        rest, wanted = (
            {name: value for name, value in one.headers.items() if "Policy" not in name}
            for one in (answer, usual)
        )
        assert rest == wanted, path


def test_one_page_frames_the_respondents_origin(desk: Caller) -> None:
    assert policy(desk(url_for("preview.page")))["frame-src"] == RESPONDENTS
