"""From a draft to a survey: what is said before, and what is refused."""

import re
from dataclasses import replace
from html import unescape

import pytest

from deniable.report import Report
from deniable.server.desk.editor.beginnings import MAX_TEXT
from deniable.server.desk.editor.publish import change_between
from deniable.server.desk.editor.starters import BLANK, examples
from deniable.server.store import State, Store
from deniable.server.store.invitations import new_codes
from deniable.survey.revisions import differences
from deniable.survey_file import read
from tests import vectors
from tests.kit import Answer, Browser, by_invitation, url_for
from tests.server.desk.editor.test_drafts import DOPING, LIST, begin, fields, only, publish, save

pytestmark = pytest.mark.promise("drafts")


def test_a_new_survey_opens_and_its_draft_stays(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    text = BLANK.replace("my-survey", "first")
    saved = save(researcher, path, text, then="publish")
    assert saved.headers["Location"] == f"{path}/publish"
    assert "first" not in [record.survey.slug for record in store.surveys()]
    answer = publish(researcher, path)
    assert (answer.status, answer.headers["Location"]) == (
        303,
        url_for("collection.page", slug="first"),
    )
    survey = read(text).survey
    assert store.survey("first") == survey
    assert store.state("first") is State.OPEN
    assert store.source("first", survey.revision) == text
    assert only(store).survey == "first"
    assert researcher.send("editor.edit", slug="first").headers["Location"] == path
    assert survey.shown_number in researcher.see("results.page", slug="first").text


def test_a_new_survey_can_wait_for_its_invitations(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    save(researcher, path, BLANK.replace("my-survey", "first"))
    page = researcher(f"{path}/publish").text
    (undone,) = re.findall(r'id="undone">(.*?)</div>', page, re.S)
    # Each step that is left is a way to it.
    found = re.findall(r'(?:href|action)="([^"]+)"', undone)
    assert found == [f"{path}/{step}" for step in ("plan", "ethics", "try")]
    researcher.post(f"{path}/try")
    page = researcher(f"{path}/publish").text
    assert f"{path}/try" not in re.findall(r'id="undone">(.*?)</div>', page, re.S)[0]
    assert 'value="paused"' in page
    publish(researcher, path, then="paused")
    # What was tried stays so, without answers too.
    assert store.snapshot("trial.first").count() == 0
    assert store.state("first") is State.PAUSED
    save(researcher, path, BLANK.replace("my-survey", "first").replace("batch: 10", "batch: 20"))
    assert 'value="paused"' not in researcher(f"{path}/publish").text


def test_what_a_change_does_is_said_before(store: Store, researcher: Browser) -> None:
    """Of a survey that is served from a file and has reports."""
    text = vectors.branching_file()
    survey = store.register(read(text).survey, text)
    answers = bytes(len(survey.items))
    store.insert_reports(
        [
            Report("exams", survey.revision, bytes([n]) * 16, answers)
            for n in range(2 * survey.batch)
        ]
    )
    path = researcher.send("editor.edit", slug="exams").headers["Location"]
    assert only(store).text == text
    corrected = text.replace("Have you repeated a year?", "Have you ever repeated a year?")
    more = (
        corrected + "  - {id: more, text: And more, type: single, answers: [No, Yes], flip: 1/4}\n"
    )
    more = more.replace("epsilon: 2.9", "epsilon: 5")
    save(researcher, path, more)
    refused = publish(researcher, path)
    assert refused.status == 422
    assert "publish the corrected words first" in refused.text
    save(researcher, path, corrected)
    page = researcher(f"{path}/publish").text
    assert "Have you <ins>ever </ins>repeated a year?" in page
    assert "<dt>Question 2, text, English</dt>" in page
    assert publish(researcher, path).status == 303
    assert store.survey("exams").revision == survey.revision
    survey = store.survey("exams")
    assert [one.title for one in survey.earlier] == [survey.title]
    # The other process of the desk notices it, by the number.
    path = researcher.send("editor.edit", slug="exams").headers["Location"]
    changed = read(more).survey
    save(researcher, path, more)
    change = change_between(survey, changed)
    assert [one.id for one in change.new][-1] == "more"
    assert "year" in {one.id for one in change.same}
    # Of another id or with other words, they would be gone.
    assert change.gone == []
    without = read(text.partition("  - id: exams")[0]).survey
    assert [one.id for one in change_between(survey, without).gone] == ["exams"]
    page = researcher(f"{path}/publish").text
    for id, questions in (("same", change.same), ("new", change.new), ("gone", change.gone)):
        part = page.partition(f'<ul aria-labelledby="{id}">')[2].partition("</ul>")[0]
        assert re.findall(r'data-question="(\w+)"', part) == [one.id for one in questions]
    assert "more: only here" in page
    assert store.survey("exams") == survey
    store.set_state("exams", State.CLOSED)
    assert publish(researcher, path).status == 303
    assert store.survey("exams") == changed
    assert store.state("exams") is State.CLOSED
    assert store.count("exams") == 2 * survey.batch


def test_a_survey_by_invitation_stays_so(store: Store, researcher: Browser) -> None:
    text = examples()["exams"]
    store.register(read(text).survey, text)
    by_invitation(store, "exams", new_codes(1))
    invited = store.survey("exams")
    path = researcher.send("editor.edit", slug="exams").headers["Location"]
    page = researcher(f"{path}/publish").text
    # The file says nothing of keys: it is what people are asked all the same.
    assert invited.shown_number in page
    assert 'id="differing"' not in page
    assert read(text).survey.is_asked_as(invited)
    assert differences(invited, read(text).survey) == ("by invitation",)
    save(researcher, path, text.replace("Have you repeated a year?", "Did you repeat a year?"))
    assert 'id="corrections"' in researcher(f"{path}/publish").text
    assert publish(researcher, path).status == 303
    assert store.survey("exams").revision == invited.revision
    assert store.survey("exams").token_keys == invited.token_keys
    assert store.survey("exams") != invited


def test_an_uploaded_file_is_kept_for_weights(store: Store, researcher: Browser) -> None:
    text = examples()["exams"]
    store.register(read(text).survey)
    page = url_for("margins.page", slug="exams")
    assert 'name="year:first"' not in researcher(page).text
    path = researcher.upload(LIST, text.encode()).headers["Location"]
    assert publish(researcher, path).status == 303
    assert store.source("exams", read(text).survey.revision) == text
    assert 'name="year:first"' in researcher(page).text


def test_untranslated_texts_are_no_corrections(store: Store, researcher: Browser) -> None:
    text = examples()["exams"]
    store.register(read(text).survey, text)
    path = researcher.send("editor.edit", slug="exams").headers["Location"]
    title = "{ en: Help in exams, de: Hilfe in Prüfungen }"
    changed = text.replace("title: Help in exams", f"title: {title}\nlanguages: [en, de]")
    asked = "text: Have you repeated a year?"
    changed = changed.replace(asked, f"{asked}\n    hint: Any year.")
    save(researcher, path, changed)
    listed = researcher(f"{path}/publish").text.partition('id="corrections"')[2]
    assert re.findall(r"<dt>(.*?)</dt>", listed.partition("</dl>")[0]) == [
        "Question 2, hint, English",
        "Title, Deutsch",
    ]


ROOMS = """\
version: 1
survey: rooms
title: Rooms
epsilon: 3
chances: {how: 2, done: 1}
ask: 1
questions:
  - {id: how, text: How many?, type: single, answers: [No, Yes]}
  - {id: done, text: Which?, type: single, answers: [No, Yes]}
  - {id: age, text: Age?, type: single, answers: [Young, Old], protection: direct}
"""


def test_names_can_be_changed_before_publishing(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    save(researcher, path, ROOMS)

    def rename(at: str = "publish/names", **typed: str) -> Answer:
        page = researcher(f"{path}/publish").text
        sent = dict(re.findall(r'form="publishing" name="([\w.]+)" value="([^"]*)"', page))
        form = {**fields(page), **sent, **typed}
        return researcher(f"{path}/{at}", method="POST", form=form)

    page = researcher(f"{path}/publish").text
    assert re.findall(r'name="(?:survey|id\.\d)" value="([^"]*)"', page) == [
        *("rooms", "how", "done", "age"),
    ]
    assert re.findall(r"<code>(\w+)</code></td></tr>", page) == ["how_noisy", "done_noisy", "age"]
    assert rename(**{"id.0": "rooms", "id.2": "years", "survey": "halls"}).status == 303
    text = only(store).text
    assert text == (
        ROOMS.replace("survey: rooms", "survey: halls")
        .replace("how:", "rooms:")
        .replace("id: how", "id: rooms")
        .replace("id: age", "id: years")
    )
    for typed, said in (
        ({"id.0": "done"}, "“done” is that of question 1 and of question 2"),
        ({"id.0": "done", "id.1": "rooms"}, "“done” is that of question 1 and of question 2"),
        ({"id.0": "Big rooms"}, "Big rooms"),
        ({"survey": "Big halls"}, "Big halls"),
        ({"survey": "\\g<9>\nskip: true"}, "found"),
    ):
        answer = rename(**typed)
        assert answer.status == 422
        assert "Nothing was changed" in answer.text
        assert said in unescape(answer.text), typed
        assert only(store).text == text
    assert rename(number="0" * 16).status == 422
    # A name that is typed and not kept holds publishing up: it could not be changed after.
    answer = rename("publish", **{"id.0": "halls"})
    assert (answer.status, 'value="halls" aria' in answer.text) == (422, True)
    assert "Press “Change the names” first." in answer.text
    assert "halls" not in [one.survey.slug for one in store.surveys()]
    # Once it is published, names stay.
    assert rename("publish").status == 303
    page = researcher(f"{path}/publish").text
    assert 'name="id.0"' not in page
    there = researcher.post(
        f"{path}/publish/names", survey="others", number=store.survey("halls").check_number
    )
    assert there.status == 422
    assert only(store).text == text


def test_wishes_are_told_before_publishing(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    text = f"{BLANK}plan: {{people: 1200, within: 5}}\n"
    save(researcher, path, text)
    page = researcher(f"{path}/publish").text
    assert "<dt>Wanted, of 1,200 people</dt>" in page
    assert "intervals of ±5 points at most (this survey: ±" in page


def test_missing_translations_are_told_first(store: Store, researcher: Browser) -> None:
    path = begin(researcher)
    text = BLANK.replace("version: 1\n", "version: 1\nlanguages: [en, de]\n")
    (title,) = re.findall("(?m)^title: (.*)$", text)
    save(researcher, path, text)
    shown = researcher(f"{path}/publish").text
    (said,) = re.findall(r"missing or perhaps out of date in Deutsch: (\d+)", shown)
    save(researcher, path, text.replace(f"title: {title}", f"title: {{en: {title}, de: Meine}}"))
    shown = researcher(f"{path}/publish").text
    assert f"in Deutsch: {int(said) - 1}." in shown
    # Each leads to its field.
    editor = researcher(path).text
    links = re.findall(rf'<a href="{path}#(t-1-[\w-]+)">', shown)
    assert len(links) == min(int(said) - 1, 6)
    assert all(f'lang="de" dir="auto" data-do="translate" id="{one}"' in editor for one in links)
    save(researcher, path, BLANK)
    assert "missing" not in researcher(f"{path}/publish").text


def test_what_was_not_shown_is_not_published(store: Store, researcher: Browser) -> None:
    path = begin(researcher, example="doping")
    shown = fields(researcher(f"{path}/publish").text)
    save(researcher, path, DOPING.replace("Doping in sport", "Doping in any sport"))
    refused = researcher(f"{path}/publish", method="POST", form=shown)
    assert refused.status == 422
    assert 'role="alert"' in refused.text
    before = store.survey("doping")
    shown = fields(refused.text)
    # A colleague is faster.
    store.register(replace(before, title="Doping, asked again"))
    assert researcher(f"{path}/publish", method="POST", form=shown).status == 422
    assert store.survey("doping").title == "Doping, asked again"


def test_no_current_wave_is_published_away(store: Store, researcher: Browser) -> None:
    season = examples()["season"]
    store.register(read(season).survey, season)
    store.begin_wave("season", read(season).survey.waves)
    path = researcher.send("editor.edit", slug="season").headers["Location"]
    count = re.search(r"count: (\d+)", season)
    assert count
    save(researcher, path, season.replace(count[0], "count: 2"))
    refused = publish(researcher, path)
    assert refused.status == 422
    assert "expected a survey of at least as many waves" in refused.text
    assert store.survey("season") == read(season).survey


def test_a_survey_whose_file_is_elsewhere_says_so(store: Store, researcher: Browser) -> None:
    answer = researcher.send("editor.edit")
    assert (answer.status, answer.headers["Location"]) == (303, LIST)
    assert "is not in this store" in researcher(LIST).text
    season = examples()["season"]
    store.register(read(season).survey, season + "#" * MAX_TEXT)
    researcher.send("editor.edit", slug="season")
    assert "too long" in researcher(LIST).text
    assert store.drafts() == []
    assert researcher.send("editor.edit", slug="none").status == 404


@pytest.mark.parametrize(
    ("epsilon", "fields"),
    # No chance of drawing anew takes away what an ε of 6 tells: the warning leads to the ε.
    [(2, {"at-waves,redraw"}), (6, {"at-epsilon"})],
)
def test_each_warning_leads_to_its_field(
    store: Store, researcher: Browser, epsilon: int, fields: set[str]
) -> None:
    waves = f"waves: {{count: 2, redraw: 1/10}}\nepsilon: {epsilon}"
    path = begin(researcher)
    save(researcher, path, BLANK.replace("epsilon: 1", waves))
    page = researcher(f"{path}/publish").text
    warned = page.partition('id="warnings"')[2].partition("</ul>")[0]
    leads = re.findall(r'<li><a href="[^"]*#(at-[\w,]+)">People will read', warned)
    assert fields <= {*leads}
    assert ("at-waves,redraw" in leads) == ("at-waves,redraw" in fields)
