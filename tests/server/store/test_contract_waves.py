"""What every store promises of surveys that are asked again, whichever engine it has."""

from dataclasses import replace

import pytest

from deniable import Report, Survey
from deniable.server.store import Outcome, State, Store, StoreError
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, of_wave, others, panel

pytestmark = pytest.mark.promise("stores")

ONCE = PANEL_TEXT.replace("waves: {count: 3, redraw: 1/10}\n", "")


@pytest.fixture
def survey() -> Survey:
    return panel()


def test_later_waves_follow_the_first(store: Store) -> None:
    assert store.wave("panel") == 1
    store.begin_wave("panel", 2)
    assert store.wave("panel") == 2
    store.begin_wave("panel", 3)
    for wave in (1, 2, 3):
        with pytest.raises(ValueError, match=f"expected a wave after 3, which is on, found {wave}"):
            store.begin_wave("panel", wave)
    with pytest.raises(ValueError, match="expected a wave up to 3, the last of 'panel', found 4"):
        store.begin_wave("panel", 4)
    with pytest.raises(KeyError):
        store.begin_wave("none", 2)
    assert store.wave("panel") == 3


def test_only_the_current_wave_s_reports_are_stored(store: Store, survey: Survey) -> None:
    first = of_wave(survey, 1)
    assert store.insert_reports([first]) == [Outcome.STORED]
    # In one batch with others, and by itself.
    mixed = [of_wave(survey, 2), of_wave(survey, 1), of_wave(survey, 3)]
    assert store.insert_reports(mixed) == [Outcome.OVER, Outcome.STORED, Outcome.OVER]
    store.begin_wave("panel", 2)
    assert store.insert_reports([of_wave(survey, 1)]) == [Outcome.OVER]
    assert store.insert_reports([of_wave(survey, 2)]) == [Outcome.STORED]
    # A device whose acknowledgement was lost must learn that its report counts.
    assert store.insert_reports([first]) == [Outcome.REPEATED]
    store.set_state("panel", State.CLOSED)
    assert store.insert_reports([of_wave(survey, 2)]) == [Outcome.CLOSED]
    assert store.count("panel") == 3


def test_no_held_back_id_is_taken_again(store: Store) -> None:
    survey = read(PANEL_TEXT.replace("batch: 1\n", "batch: 10\n")).survey
    store.register(survey)
    first = of_wave(survey, 1)
    assert store.insert_reports([first]) == [Outcome.STORED]
    store.begin_wave("panel", 2)
    again = of_wave(survey, 2)._replace(id=first.id)
    assert store.insert_reports([again]) == [Outcome.CONFLICT]
    assert store.insert_reports([of_wave(survey, 2), again, first]) == [
        Outcome.STORED,
        Outcome.CONFLICT,
        Outcome.REPEATED,
    ]
    assert store.count("panel") == 2
    assert store.check() == []


def test_surveys_served_again_keep_their_wave(store: Store) -> None:
    store.begin_wave("panel", 3)
    store.register(read(PANEL_TEXT.replace("A panel", "The panel")).survey)
    assert store.wave("panel") == 3
    before = store.current_revision("panel")
    for count, text in ((2, PANEL_TEXT.replace("count: 3", "count: 2")), (1, ONCE)):
        with pytest.raises(StoreError, match=rf"wave 3 of 'panel' is on, expected.*found {count}"):
            store.register(read(text).survey)
    assert store.current_revision("panel") == before


def test_reports_are_counted_by_wave_over_all_revisions(store: Store, survey: Survey) -> None:
    changed = read(PANEL_TEXT.replace("A panel", "The panel")).survey
    once = read(ONCE).survey
    store.insert_reports([of_wave(survey, 1) for _ in range(3)])
    store.register(changed)
    store.insert_reports([of_wave(changed, 1)])
    # Of a revision without waves the last byte is an answer.
    store.register(once)
    store.insert_reports([Report("panel", once.revision, bytes(16), bytes(4))])
    store.register(changed)
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(changed, 2) for _ in range(2)])
    assert [store.count_of_wave("panel", wave) for wave in (1, 2, 3)] == [5, 2, 0]
    with pytest.raises(KeyError):
        store.count_of_wave("none", 1)


def test_people_who_were_told_once_are_not_asked_again(store: Store) -> None:
    store.register(replace(others(), slug="told"))
    with pytest.raises(StoreError, match="expected 'people: others' as before"):
        store.register(replace(panel(), slug="told"))
    store.register(replace(others(), slug="told", title="Corrected"))
    # The same people may be left alone from now on.
    store.register(replace(others(), slug="panel"))
