"""What every store promises of sheets of paper: known again, taken back, told of by no report."""

from contextlib import closing
from pathlib import Path

import pytest

from deniable.report import Report
from deniable.server.store import Outcome, State, Store, open_store
from deniable.survey import Survey
from tests import surveys
from tests.server.calling import report
from tests.server.store.engines import Engine
from tests.server.stored import adopt, reports_in, tables_in
from tests.surveys_in_waves import of_wave, panel

pytestmark = pytest.mark.promise("paper")


def pile_of(survey: Survey, size: int = 5) -> list[Report]:
    return [report(survey, b"\1") for _ in range(size)]


def test_a_pile_is_known_again_and_no_other(store: Store, survey: Survey) -> None:
    assert not store.is_entered("doping", b"first")
    assert store.enter(pile_of(survey), b"first") == [Outcome.STORED] * 5
    assert store.is_entered("doping", b"first")
    assert not store.is_entered("doping", b"second")
    elsewhere = surveys.survey(slug="elsewhere")
    store.register(elsewhere)
    assert not store.is_entered("elsewhere", b"first")
    with pytest.raises(KeyError):
        store.is_entered("none", b"first")


def test_what_was_not_stored_is_not_known(store: Store, survey: Survey) -> None:
    store.set_state("doping", State.CLOSED)
    assert store.enter(pile_of(survey), b"first") == [Outcome.CLOSED] * 5
    unknown = surveys.survey(title="Never served")
    assert store.enter(pile_of(unknown), b"second") == [Outcome.UNKNOWN] * 5
    assert not store.is_entered("doping", b"first")
    assert not store.is_entered("doping", b"second")


@pytest.mark.parametrize("batch", [1, 10])
def test_taking_back_leaves_the_store_as_it_was(store: Store, batch: int) -> None:
    survey = surveys.survey(slug="batched", batch=batch)
    store.register(survey)
    store.insert_batch([report(survey, bytes([place % 2])) for place in range(25)])
    before, shown = reports_in(store, "batched"), store.snapshot("batched")
    pile = pile_of(survey)
    store.enter(pile, b"pile")
    # Also when the survey is closed meanwhile.
    assert store.snapshot("batched").count() == shown.count() + 5
    assert store.take_back(pile, b"pile")
    assert reports_in(store, "batched") == before
    assert store.snapshot("batched") == shown
    assert not store.is_entered("batched", b"pile")


def test_in_waves_the_tally_of_their_wave_is_taken_back(store: Store) -> None:
    survey = panel()
    store.register(survey)
    store.insert_batch([of_wave(survey, 1) for _ in range(40)])
    store.begin_wave("panel", 2)
    shown = store.snapshot("panel")
    pile = [of_wave(survey, 2) for _ in range(3)]
    store.enter(pile, b"pile")
    assert store.snapshot("panel").count(wave=2) == 3
    assert store.take_back(pile, b"pile")
    assert store.snapshot("panel") == shown


def test_all_are_taken_back_or_none(store: Store, survey: Survey) -> None:
    pile = pile_of(survey)
    store.enter(pile, b"pile")
    before, shown = reports_in(store), store.snapshot("doping")
    strange = [*pile[:4], report(survey, b"\1")]
    other = Report("doping", survey.revision, pile[0].id, b"\0")
    for wrong in (strange, [other, *pile[1:]]):
        assert not store.take_back(wrong, b"pile")
        assert (reports_in(store), store.snapshot("doping")) == (before, shown)
        assert store.is_entered("doping", b"pile")
    store.delete("doping")
    assert not store.take_back(pile, b"pile")


def test_piles_go_along_with_a_copy_and_go_with_the_survey(
    store: Store, second: Store, survey: Survey
) -> None:
    pile = pile_of(survey)
    store.enter(pile, b"pile")
    adopt(second, store)
    assert second.is_entered("doping", b"pile")
    assert second.take_back(pile, b"pile")
    store.delete("doping")
    assert {*tables_in(store)} == {"surveys"}


def test_a_thief_finds_neither_a_pile_nor_what_was_taken_back(
    store: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    pile, stays = pile_of(survey), pile_of(survey)
    store.enter(stays, b"m4rk3d pile that stays")
    store.enter(pile, b"m4rk3d pile")
    assert store.erase_order()
    assert all(one.id in engine.image(tmp_path) for one in pile)
    assert store.take_back(pile, b"m4rk3d pile")
    assert store.erase_order()
    left = engine.image(tmp_path)
    assert all(one.id in left for one in stays)
    assert not [one.id for one in pile if one.id in left]
    assert b"m4rk3d" not in left


def test_a_thief_cannot_tell_sheets_from_other_reports(engine: Engine, tmp_path: Path) -> None:
    """Whichever five of ten reports came on paper, the store holds the same of all ten."""
    survey = surveys.survey(batch=1)
    ten = [report(survey, b"\1") for _ in range(10)]
    found = []
    for name, on_paper in (("one", ten[:5]), ("other", ten[5:])):
        with closing(open_store(engine.url(tmp_path, name))) as store:
            store.register(survey)
            store.insert_batch([one for one in ten if one not in on_paper])
            # The very same pile: its reports say the same, and their ids are no part of it.
            store.enter(on_paper, b"pile")
            store.erase_order()
            with store.copying("doping") as copy:
                rows = [([*one.reports], one.held) for one in copy.revisions]
                found.append((rows, len(copy.paper_batches)))
    assert found[0] == found[1]
