"""A correction while people answer: all count together, and nothing tells which words they read."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deniable.client.randomness import seeded_words
from deniable.client.respondent import draw_report
from deniable.server.store import Store, StoreError, SurveyChanged, open_store
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.registering import register
from deniable.survey import Survey
from deniable.survey.questions import Question
from deniable.survey_file import read
from tests import vectors
from tests.server.store.engines import Engine

BEFORE, AFTER = 441, 362

pytestmark = pytest.mark.promise("correction")


@pytest.fixture
def survey() -> Survey:
    return read(vectors.survey_file()).survey


def reworded(survey: Survey, text: str) -> Survey:
    """Correct the words of the first question, as a survey file does."""
    first, item = survey.questions[0], survey.items[0]
    questions: tuple[Question, ...] = (replace(first, text=text), *survey.questions[1:])
    items = (replace(item, text=text), *survey.items[1:])
    return replace(survey, questions=questions, items=items, before=())


def all_rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Read every table; reports together, of which chance decides which are shown and tallied."""
    with store.copying_all() as tables:
        found = {table.name: [*table.rows] for table in tables}
    del found["tallies"]
    found["checksums"] = [row[:2] for row in found["checksums"]]
    found["reports"] = sorted(found["reports"] + found.pop("held"))
    return found


def test_nothing_stored_tells_which_words_somebody_read(
    store: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    corrected = reworded(survey, "Did you ever use a banned substance, supervisor?")
    sent = [
        draw_report(survey, [0] * len(survey.items), seeded_words(7, number))
        for number in range(BEFORE + AFTER)
    ]
    store.insert_reports(sent[:BEFORE])
    again = store.register(corrected)
    # Also what comes from a page that was open before.
    store.insert_reports(sent[BEFORE:])
    assert again.revision == survey.revision
    assert (
        store.current_wording(survey.slug)[1] == again.check_numbers[-1] != survey.check_numbers[-1]
    )
    assert [one.check_numbers for one in again.earlier] != []
    assert store.revisions(survey.slug) == [survey.revision]
    assert store.snapshot(survey.slug).count() == (BEFORE + AFTER) // 10 * 10 - 10
    corrected_midway = all_rows(store)
    assert store.check() == []
    # As if it had been corrected before anybody came.
    (tmp_path / "other").mkdir()
    with closing(open_store(engine.url(tmp_path / "other"))) as other:
        other.register(survey)
        other.register(corrected)
        other.insert_reports(sent)
        assert all_rows(other) == corrected_midway


@pytest.mark.slow
def test_an_impossible_correction_changes_nothing(store: Store, survey: Survey) -> None:
    taken = survey.questions[1].text
    with pytest.raises(StoreError, match="a text that nothing else has"):
        store.register(reworded(survey, taken))
    for number in range(7):
        store.register(reworded(survey, f"Wording {number}?"))
    kept = store.survey(survey.slug)
    with pytest.raises(StoreError, match="at most 8 wordings"):
        store.register(reworded(survey, "Wording 8?"))
    assert store.survey(survey.slug).to_json() == kept.to_json()
    # The same words again are no wording; another structure takes them all along, and going back
    # to the structure before goes on with its list.
    assert store.register(reworded(survey, "Wording 6?")).to_json() == kept.to_json()
    other = store.register(replace(reworded(survey, "Wording 6?"), batch=20))
    assert other.before == kept.before
    assert store.register(reworded(survey, "Wording 6?")).to_json() == kept.to_json()


def test_no_wording_lingers(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue, read_it = Catalogue(store), store.revision
    store.register(survey)

    def slowly(slug: str, revision: str) -> Survey:
        found = read_it(slug, revision)
        monkeypatch.setattr(store, "revision", read_it)
        store.register(replace(survey, title="Corrected"))
        assert catalogue.current(slug).title == "Corrected"
        return found

    monkeypatch.setattr(store, "revision", slowly)
    assert catalogue.current(survey.slug).title == survey.title
    assert catalogue.current(survey.slug).title == "Corrected"


def test_the_second_of_two_publishers_is_told(
    store: Store, survey: Survey, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = store.register(survey).check_number
    with closing(open_store(engine.url(tmp_path))) as other:
        kept = other._with_keys

        def overtaken(*of: Any) -> Survey:
            monkeypatch.setattr(other, "_with_keys", kept)
            store.register(replace(survey, title="First"), seen=seen)
            return kept(*of)

        monkeypatch.setattr(other, "_with_keys", overtaken)
        with pytest.raises(SurveyChanged):
            other.register(replace(survey, title="Second"), seen=seen)
        assert other.survey(survey.slug).title == "First"
        with pytest.raises(SurveyChanged):
            other.register(replace(survey, slug="new"), seen=seen)
        other.register(replace(survey, slug="new"), seen="")


def test_who_saw_another_number_is_told_first(store: Store, survey: Survey) -> None:
    seen = store.survey(survey.slug).check_number
    register(store, reworded(survey, "Mended?"), seen=seen)
    # Each would be refused for itself: a swapped text, a day gone by, words with a new structure.
    swapped = reworded(survey, survey.questions[1].text)
    gone = replace(survey, about=replace(survey.about, delete_reports="2020-01-01"))
    for other in (swapped, gone, replace(swapped, batch=20)):
        with pytest.raises(SurveyChanged):
            register(store, other, seen=seen)


def test_a_law_with_words_stays_until_changed(store: Store) -> None:
    written = replace(read(vectors.asking_file()).survey, before=None)
    store.register(written)
    anew = replace(written, before=())
    assert store.register(anew).to_json() == written.to_json()
    changed = store.register(replace(anew, introduction="Other"))
    assert changed.revision != written.revision
