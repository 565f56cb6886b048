"""What every store promises of a survey's course: its schedule and its end."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import Outcome, Store, StoreError, open_store
from deniable.server.store.accounts import Role
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.server.store.sql import addresses
from deniable.survey import Survey
from deniable.survey.trial import trial_of
from tests.kit import Clocks, adopt, report, reports_in, surveys, tables_in
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("stores")

TOMORROW = int(time.time()) + 86_400
YESTERDAY = int(time.time()) - 86_400
ALL = Schedule(YESTERDAY, TOMORROW, 500, "sea-lion")


@pytest.mark.promise("cap")
def test_terms_are_kept_as_they_were_set(store: Store, engine: Engine, tmp_path: Path) -> None:
    assert store.schedule("doping") == NO_SCHEDULE
    store.set_schedule("doping", ALL)
    with closing(open_store(engine.url(tmp_path))) as again:
        assert again.schedule("doping") == ALL
        again.register(surveys.survey(title="Doping, asked again"))
    assert store.schedule("doping") == ALL
    store.set_schedule("doping", NO_SCHEDULE)
    assert store.schedule("doping") == NO_SCHEDULE
    for unknown in (lambda: store.schedule("none"), lambda: store.set_schedule("none", ALL)):
        with pytest.raises(KeyError):
            unknown()


@pytest.mark.promise("cap")
@pytest.mark.parametrize(
    "wrong",
    [
        {"opens": 2, "closes": 2},
        {"opens": 0},
        {"closes": 10**12},
        {"cap": 0},
        {"access_word": "abc"},
        {"access_word": "Sea-lion"},
        {"access_word": "sea lion"},
    ],
)
def test_terms_that_are_not_possible_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^expected "):
        replace(ALL, **wrong)  # type: ignore[arg-type]


@pytest.mark.promise("cap")
def test_a_survey_takes_reports_between_its_times(
    store: Store, survey: Survey, clocks: Clocks
) -> None:
    early, mine = report(survey), report(survey)
    store.set_schedule("doping", Schedule(opens=TOMORROW))
    assert store.state("doping") is State.PLANNED
    assert store.insert_reports([early, mine]) == [Outcome.PLANNED, Outcome.PLANNED]
    store.set_schedule("doping", Schedule(opens=YESTERDAY, closes=TOMORROW))
    assert store.state("doping") is State.OPEN
    assert store.insert_reports([mine]) == [Outcome.STORED]
    clocks.go_on_to(TOMORROW - 1)
    assert store.state("doping") is State.OPEN
    assert store.close_due() == []
    clocks.go_on_to(TOMORROW)
    # Before anybody has written that it is closed.
    assert store.state("doping") is State.CLOSED
    assert store.insert_reports([report(survey), mine]) == [Outcome.CLOSED, Outcome.REPEATED]
    with pytest.raises(ValueError, match="its time to close is over"):
        store.set_state("doping", State.OPEN)
    assert store.close_due() == ["doping"]
    assert store.close_due() == []
    assert store.state("doping") is State.CLOSED
    store.set_schedule("doping", NO_SCHEDULE)
    assert store.state("doping") is State.CLOSED  # as it stands until somebody opens it
    store.set_state("doping", State.OPEN)
    assert store.insert_reports([early]) == [Outcome.STORED]


@pytest.mark.promise("cap")
def test_a_paused_survey_takes_and_shows_nothing(store: Store, clocks: Clocks) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    late = report(held)
    store.insert_reports([report(held) for _ in range(15)])
    store.set_state("held", State.PAUSED)
    assert store.state("held") is State.PAUSED
    assert store.insert_reports([late]) == [Outcome.PAUSED]
    assert (store.count("held"), store.snapshot("held").count()) == (15, 0)
    # It stays paused beyond its time to open, and ends at its time to close.
    store.set_schedule("held", Schedule(opens=YESTERDAY))
    assert store.state("held") is State.PAUSED
    store.set_state("held", State.OPEN)
    assert store.insert_reports([late]) == [Outcome.STORED]
    store.set_state("held", State.PAUSED)
    store.set_schedule("held", Schedule(closes=TOMORROW))
    clocks.go_on_to(TOMORROW)
    assert store.state("held") is State.CLOSED
    assert store.close_due() == ["held"]
    assert store.snapshot("held").count() == 16
    store.set_schedule("held", NO_SCHEDULE)
    with pytest.raises(ValueError, match="it has ended"):
        store.set_state("held", State.PAUSED)
    assert store.state("held") is State.CLOSED


@pytest.mark.promise("cap")
def test_only_open_trials_are_called_trials(store: Store, survey: Survey) -> None:
    trial = store.register(trial_of(survey)).slug
    assert store.state(trial) is State.TRIAL
    assert store.state(trial).takes_reports
    for state in (State.PAUSED, State.CLOSED):
        store.set_state(trial, state)
        assert store.state(trial) is state


@pytest.mark.promise("cap")
def test_a_cap_is_reached_but_ends_nothing(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(8)])
    store.register(changed := surveys.survey(title="Doping, asked again"))
    store.set_schedule("doping", Schedule(cap=10))
    sent = [report(survey), report(changed), report(changed), report(survey)]
    full = [Outcome.STORED, Outcome.STORED, Outcome.FULL, Outcome.FULL]
    assert store.insert_reports(sent) == full
    assert (store.count("doping"), store.state("doping")) == (10, State.FULL)
    # Whoever is in it learns so, and nobody else gets in.
    assert store.insert_reports([sent[0], sent[2]]) == [Outcome.REPEATED, Outcome.FULL]
    with pytest.raises(ValueError, match="it has 10 reports, its cap"):
        store.set_state("doping", State.OPEN)
    # A report that waited arrives.
    store.set_schedule("doping", Schedule(cap=20))
    assert store.state("doping") is State.OPEN
    assert store.insert_reports([sent[2]]) == [Outcome.STORED]
    # All that come are new, and they are exactly as many as there is room for.
    last = [report(changed if place % 2 else survey) for place in range(9)]
    assert store.insert_reports(last) == [Outcome.STORED] * 9
    assert store.state("doping") is State.FULL
    store.set_state("doping", State.PAUSED)
    assert store.state("doping") is State.PAUSED
    store.set_state("doping", State.CLOSED)
    assert store.insert_reports([report(survey)]) == [Outcome.CLOSED]


@pytest.mark.promise("cap")
def test_a_full_survey_ends_at_its_time(store: Store, survey: Survey, clocks: Clocks) -> None:
    store.set_schedule("doping", Schedule(closes=TOMORROW, cap=10))
    store.insert_reports([report(survey) for _ in range(10)])
    assert (store.state("doping"), store.close_due()) == (State.FULL, [])
    clocks.go_on_to(TOMORROW)
    assert store.close_due() == ["doping"]
    assert store.insert_reports([report(survey)]) == [Outcome.CLOSED]


@pytest.mark.promise("cap")
def test_races_keep_the_cap(store: Store, engine: Engine, survey: Survey, tmp_path: Path) -> None:
    store.set_schedule("doping", Schedule(cap=50))
    together = threading.Barrier(4)

    def write(_: int) -> list[Outcome]:
        with closing(open_store(engine.url(tmp_path))) as own:
            together.wait()
            return [
                one
                for _ in range(6)
                for one in own.insert_reports([report(survey) for _ in range(5)])
            ]

    with ThreadPoolExecutor(4) as threads:
        outcomes = Counter(one for some in threads.map(write, range(4)) for one in some)
    assert outcomes[Outcome.STORED] == store.count("doping") == 50
    assert outcomes[Outcome.FULL] == 70


@pytest.mark.promise("cap")
def test_a_cap_tells_no_more_than_batches(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    with pytest.raises(ValueError, match="a cap of whole batches of 10 reports, found 25"):
        store.set_schedule("held", Schedule(cap=25))
    store.insert_reports([report(held) for _ in range(19)])
    store.set_schedule("held", Schedule(cap=20))
    assert (store.state("held"), store.snapshot("held").count()) == (State.OPEN, 0)
    store.insert_reports([report(held)])
    # No more than without a cap: who fills it learns nothing of the last batch.
    assert (store.state("held"), store.snapshot("held").count()) == (State.FULL, 10)
    store.set_state("held", State.CLOSED)
    assert store.snapshot("held").count() == 20


def test_what_is_deleted_is_gone_alone(store: Store, survey: Survey) -> None:
    elsewhere = surveys.survey(slug="elsewhere")
    store.register(elsewhere)
    store.add_user("ada", Role.ADMINISTRATOR)
    for slug in ("doping", "elsewhere"):
        store.share(slug, "ada", Role.OWNER)
    kept = [report(elsewhere) for _ in range(25)]
    store.insert_reports(kept)
    before = reports_in(store, "elsewhere")
    changed = replace(survey, title="Doping, asked again")
    store.insert_reports([report(survey) for _ in range(25)])
    store.register(changed)
    gone = [report(changed) for _ in range(25)]
    store.insert_reports(gone)
    assert store.delete("doping")
    assert [record.survey for record in store.surveys()] == [elsewhere]
    assert store.shared_with("ada") == {"elsewhere": Role.OWNER}
    assert reports_in(store, "elsewhere") == before
    assert store.snapshot("elsewhere").count() == 10
    asks: list[Callable[[], object]] = [
        lambda: store.survey("doping"),
        lambda: store.current_revision("doping"),
        lambda: store.revision("doping", survey.revision),
        lambda: store.wave("doping"),
        lambda: store.snapshot("doping"),
        lambda: [*store.rows("doping", survey.revision)],
        lambda: store.delete("doping"),
    ]
    for ask in asks:
        with pytest.raises(KeyError):
            ask()
    # A page that is still open may send: its survey is not there.
    assert store.insert_reports(gone[:2]) == [Outcome.UNKNOWN] * 2
    assert store.insert_reports([*gone[:1], report(elsewhere)]) == [Outcome.UNKNOWN, Outcome.STORED]


def test_a_trial_of_the_same_name_begins_anew(store: Store, survey: Survey) -> None:
    trial = store.register(trial_of(survey))
    store.insert_reports([report(trial) for _ in range(25)])
    store.set_state(trial.slug, State.CLOSED)
    store.delete(trial.slug)
    store.register(trial)
    assert (store.state(trial.slug), store.count(trial.slug)) == (State.TRIAL, 0)
    assert store.snapshot(trial.slug).count() == 0
    sent = report(trial)
    assert store.insert_reports([sent]) == [Outcome.STORED]
    assert reports_in(store, trial.slug) == {sent.id: sent.answers}


def test_a_trial_goes_with_its_survey_only(store: Store, survey: Survey) -> None:
    trial = trial_of(survey)
    store.register(trial)
    store.insert_reports([report(trial)])
    store.delete(trial.slug)
    assert [record.survey for record in store.surveys()] == [survey]
    store.register(trial)
    store.delete(survey.slug)
    assert store.surveys() == []
    store.register(trial)  # of a draft
    store.delete(survey.slug)
    assert store.surveys() == []


@pytest.mark.promise("deleted")
def test_no_thief_finds_what_was_deleted(store: Store, engine: Engine, tmp_path: Path) -> None:
    """Neither the words of its questions, nor an id, nor who shared it: as if it had never been."""
    store.add_user("ada", Role.ADMINISTRATOR)
    assert store.erase_order()
    marked = surveys.survey(slug="m4rk3d", title="M4rk3r of a title")
    store.register(marked)
    store.share("m4rk3d", "ada", Role.OWNER)
    sent = [report(marked) for _ in range(200)]
    store.insert_reports(sent)
    there = engine.image(tmp_path)
    marks = [b"m4rk3d", b"M4rk3r", *(one.id for one in sent)]
    assert all(mark in there for mark in marks)
    assert store.delete("m4rk3d")
    left = engine.image(tmp_path)
    assert not [mark for mark in marks if mark in left]


def test_a_reader_delays_only_the_overwriting(
    store: Store, survey: Survey, engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine.wait_for(100, monkeypatch)
    with closing(open_store(engine.url(tmp_path))) as hasty:
        sent = report(survey)
        hasty.insert_reports([sent])
        with engine.read(hasty):
            assert not hasty.delete("doping")
            assert hasty.surveys() == []
        assert hasty.erase_order()
        assert sent.id not in engine.image(tmp_path)


@pytest.mark.promise("deleted")
def test_a_deleted_survey_s_address_stays_its_own(
    store: Store, second: Store, survey: Survey, engine: Engine, tmp_path: Path
) -> None:
    store.register(trial_of(survey))
    adopt(second, store)
    store.delete("doping")
    assert store.surveys() == []
    with pytest.raises(KeyError):
        store.slug_at(survey.address)
    ((name, rows),) = tables_in(store).items()
    assert (name, [row[:3] for row in rows]) == ("surveys", [("/KVYTHNR/", "", "closed")])
    with pytest.raises(StoreError, match="an address is"):
        adopt(store, second)
    # Also in a store that takes this one's place, and whatever its address would be called.
    with closing(open_store(engine.url(tmp_path, "third"))) as third:
        with store.moving_out() as tables:
            third.move_in(tables)
        for one in (survey, replace(survey, is_named=True)):
            with pytest.raises(StoreError, match="'doping' is that of a survey that was deleted"):
                third.register(one)


def test_no_address_is_twice(store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "address_of", lambda *_: "/BCDFGHJ/")
    with pytest.raises(StoreError, match="'other' is that of 'doping', and an address is used"):
        store.register(surveys.survey(slug="other"))
    assert store.register(replace(survey, title="Doping, asked again")).slug == "doping"


def test_an_address_stays_where_it_is(store: Store, survey: Survey) -> None:
    with pytest.raises(StoreError, match="has links already, expected 'address' as it was"):
        store.register(replace(survey, is_named=True))
