"""A wrong clock ends nothing: what a jump alone has crossed waits, and all else goes on."""

import time
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path

import pytest

from deniable.server.store import Outcome, Store, open_store
from deniable.server.store.clock import DAY, MOST_DAYS, STEADY, Clock, begin_of, utc_day
from deniable.server.store.retention import keep_promises
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.survey import Survey
from tests.kit import Clocks, report, surveys
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("clock")

YEARS = 3650 * DAY
UNTIMED = surveys.survey(slug="untimed")


@pytest.fixture(autouse=True)
def _at_noon(clocks: Clocks) -> None:
    clocks.go_on_to(begin_of("2028-02-01") + DAY / 2)


@pytest.fixture
def url(engine: Engine, tmp_path: Path) -> Iterator[str]:
    with chdir(tmp_path):
        yield engine.url(tmp_path)


@pytest.fixture
def timed(store: Store, survey: Survey) -> Survey:
    """Have a survey that ends in three hours, and one without an end; the store is served."""
    now = int(time.time())
    store.register(UNTIMED)
    store.set_schedule("doping", Schedule(opens=now - 3600, closes=now + 3 * 3600))
    store.look_at_clock()
    return survey


def taken(store: Store, survey: Survey) -> Outcome:
    (outcome,) = store.insert_reports([report(survey)])
    assert store.insert_reports([report(UNTIMED)]) == [Outcome.STORED]
    return outcome


def served(store: Store) -> list[str]:
    """Look at the clock and close what is due, as the writer of reports does."""
    store.look_at_clock()
    return store.close_due()


def test_a_jump_and_back_ends_nothing(store: Store, timed: Survey, clocks: Clocks) -> None:
    assert taken(store, timed) is Outcome.STORED
    clocks.jump(YEARS)
    assert taken(store, timed) is Outcome.WAITING
    assert (store.state("doping"), served(store)) == (State.WAITING, [])
    clocks.jump(-YEARS)
    assert (taken(store, timed), store.state("doping")) == (Outcome.STORED, State.OPEN)
    clocks.go_on(3 * 3600)
    assert (store.state("doping"), served(store)) == (State.CLOSED, ["doping"])


@pytest.mark.parametrize("days", [1 / 6, 1, 3650])
def test_what_a_jump_crossed_waits_for_a_person(
    store: Store, url: str, timed: Survey, clocks: Clocks, days: float
) -> None:
    clocks.jump(days * DAY)
    served(store)
    clocks.go_on(STEADY)
    for _ in range(2):
        assert (served(store), taken(store, timed)) == ([], Outcome.WAITING)
    # Other processes know it from the store, also after a start.
    with closing(open_store(url)) as other:
        assert (other.state("doping"), served(other)) == (State.WAITING, [])
        (said,) = keep_promises(other, url)
        assert "only a jump of the clock made a date of doping come" in said
        # All else goes on, by the clock as it is.
        other.set_schedule("untimed", Schedule(closes=int(time.time()) + 60))
        clocks.go_on(60)
        assert served(store) == ["untimed"]
        assert "doping is closed" in "".join(keep_promises(other, url, believed=True))
    assert store.insert_reports([report(timed)]) == [Outcome.CLOSED]


def test_a_person_who_says_so_ends_every_doubt(
    store: Store, url: str, timed: Survey, clocks: Clocks
) -> None:
    store.set_schedule("untimed", Schedule(opens=int(time.time()) + DAY))
    clocks.jump(YEARS)
    assert served(store) == []
    assert store.insert_reports([report(UNTIMED)]) == [Outcome.WAITING]
    with closing(open_store(url)) as command:
        keep_promises(command, url, believed=True)
    assert store.insert_reports([report(UNTIMED)]) == [Outcome.STORED]
    assert store.state("doping") is State.CLOSED


def test_a_person_may_end_it_or_set_another_time(
    store: Store, timed: Survey, clocks: Clocks
) -> None:
    clocks.jump(YEARS)
    clocks.go_on(STEADY)
    with pytest.raises(ValueError, match="its time to close is over"):
        store.set_state("doping", State.OPEN)
    store.set_schedule("doping", NO_SCHEDULE)
    assert taken(store, timed) is Outcome.STORED
    store.set_state("doping", State.CLOSED)
    assert store.insert_reports([report(timed)]) == [Outcome.CLOSED]


@pytest.mark.parametrize("days", [-400, -1, MOST_DAYS + 1, 3650])
def test_a_start_is_compared_with_the_last_day(
    store: Store, url: str, timed: Survey, clocks: Clocks, days: int
) -> None:
    clocks.jump(days * DAY)
    with closing(open_store(url)) as again:
        assert again.insert_reports([report(timed)]) == [Outcome.WAITING]
        assert taken(again, UNTIMED) is Outcome.STORED
        assert served(again) == []
        clocks.jump(-days * DAY)  # as time servers set it
        assert taken(again, timed) is Outcome.STORED
    clocks.go_on(STEADY)
    assert store.state("doping") is State.OPEN


def test_after_a_start_it_waits_too(store: Store, url: str, timed: Survey, clocks: Clocks) -> None:
    clocks.jump(YEARS)
    with closing(open_store(url)) as again:
        clocks.go_on(STEADY)
        assert served(again) == []
        clocks.go_on(1)
        assert (served(again), again.state("doping")) == ([], State.WAITING)
    with closing(open_store(url)) as later:
        assert (served(later), later.state("doping")) == ([], State.WAITING)


@pytest.mark.parametrize("days", [0, 1, MOST_DAYS])
def test_a_server_that_was_away_for_a_night_goes_on(
    store: Store, url: str, timed: Survey, clocks: Clocks, days: int
) -> None:
    clocks.go_on(days * DAY)
    with closing(open_store(url)) as again:
        assert again.state("doping") is (State.CLOSED if days else State.OPEN)
        assert served(again) == (["doping"] if days else [])


def test_a_machine_that_slept_closes_in_time(store: Store, timed: Survey, clocks: Clocks) -> None:
    clocks.go_on(30 * DAY)  # both clocks go on while it sleeps
    assert store.state("doping") is State.CLOSED
    assert served(store) == ["doping"]


def test_a_clock_that_is_corrected_slowly_alarms_nobody(
    store: Store, timed: Survey, clocks: Clocks
) -> None:
    for _ in range(100):  # 50 seconds in all, at most 1/2000 at a time
        clocks.go_on(1000)
        clocks.jump(0.5)
        assert not store.look_at_clock().is_doubted
    assert store.state("doping") is State.CLOSED


def test_after_ten_steady_minutes_back_is_believed(
    store: Store, timed: Survey, clocks: Clocks
) -> None:
    clocks.jump(-DAY)
    assert store.look_at_clock().is_doubted
    clocks.go_on(STEADY / 2)
    clocks.jump(-60)  # not steady: ten minutes begin again
    assert store.look_at_clock().is_doubted
    clocks.go_on(STEADY - 60)
    assert store.look_at_clock().is_doubted
    clocks.go_on(60)
    assert not store.look_at_clock().is_doubted
    assert store.state("doping") is State.PLANNED


def test_the_store_keeps_no_more_than_days(store: Store, timed: Survey, clocks: Clocks) -> None:
    clocks.jump(YEARS)
    served(store)
    clocks.go_on(STEADY)
    served(store)
    with store.copying_all() as tables:
        columns, rows = next((t.columns, [*t.rows]) for t in tables if t.name == "surveys")
    found = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    assert found["doping"]["doubted"] == "2028-02-01"
    assert found["untimed"]["doubted"] == ""
    assert {one["seen"] for one in found.values()} == {utc_day()}


def test_two_clocks_are_read_at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    # A machine that sleeps between the two readings has not jumped.
    boots = iter([0.0, 0.0, 1.0, 1000.0, 1000.0, 1000.0])
    monkeypatch.setattr("deniable.server.store.clock.since_boot", lambda: next(boots))
    walls = iter([5000.0, 5001.0, 6000.0])
    monkeypatch.setattr(time, "time", lambda: next(walls))
    clock = Clock()
    assert not clock.moment().is_doubted
