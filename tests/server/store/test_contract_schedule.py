"""What every store promises of the schedule of a survey's collection, whichever engine it has."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import Outcome, Store, open_store
from deniable.server.store.schedule import (
    NO_SCHEDULE,
    Schedule,
    State,
    clean_word,
)
from deniable.survey import Survey
from deniable.survey.trial import trial_of
from tests.kit import report, surveys
from tests.server.store.engines import Engine

pytestmark = pytest.mark.promise("stores", "cap")

TOMORROW = int(time.time()) + 86_400
YESTERDAY = int(time.time()) - 86_400
ALL = Schedule(YESTERDAY, TOMORROW, 500, "sea-lion")


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


def test_a_survey_takes_reports_between_its_times(store: Store, survey: Survey) -> None:
    early, mine = report(survey), report(survey)
    store.set_schedule("doping", Schedule(opens=TOMORROW))
    assert store.state("doping") is State.PLANNED
    assert store.insert_batch([early, mine]) == [Outcome.PLANNED, Outcome.PLANNED]
    store.set_schedule("doping", Schedule(opens=YESTERDAY, closes=TOMORROW))
    assert store.state("doping") is State.OPEN
    assert store.insert_batch([mine]) == [Outcome.STORED]
    closes = int(time.time()) + 2
    store.set_schedule("doping", Schedule(closes=closes))
    assert store.state("doping") is State.OPEN
    time.sleep(closes + 0.1 - time.time())
    # Before anybody has written that it is closed.
    assert store.state("doping") is State.CLOSED
    assert store.insert_batch([report(survey), mine]) == [Outcome.CLOSED, Outcome.REPEATED]
    with pytest.raises(ValueError, match="its time to close is over"):
        store.set_state("doping", State.OPEN)
    assert store.close_due() == ["doping"]
    assert store.close_due() == []
    assert store.state("doping") is State.CLOSED
    store.set_schedule("doping", NO_SCHEDULE)
    assert store.state("doping") is State.CLOSED  # as it stands until somebody opens it
    store.set_state("doping", State.OPEN)
    assert store.insert_batch([early]) == [Outcome.STORED]


def test_a_paused_survey_takes_and_shows_nothing(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    late = report(held)
    store.insert_batch([report(held) for _ in range(15)])
    store.set_state("held", State.PAUSED)
    assert store.state("held") is State.PAUSED
    assert store.insert_batch([late]) == [Outcome.PAUSED]
    assert (store.count("held"), store.snapshot("held").count()) == (15, 0)
    # It stays paused beyond its time to open, and ends at its time to close.
    store.set_schedule("held", Schedule(opens=YESTERDAY))
    assert store.state("held") is State.PAUSED
    store.set_state("held", State.OPEN)
    assert store.insert_batch([late]) == [Outcome.STORED]
    store.set_state("held", State.PAUSED)
    store.set_schedule("held", Schedule(closes=int(time.time()) + 1))
    time.sleep(1.1)
    assert store.state("held") is State.CLOSED
    assert store.close_due() == ["held"]
    assert store.snapshot("held").count() == 16
    store.set_schedule("held", NO_SCHEDULE)
    with pytest.raises(ValueError, match="it has ended"):
        store.set_state("held", State.PAUSED)
    assert store.state("held") is State.CLOSED


def test_only_open_trials_are_called_trials(store: Store, survey: Survey) -> None:
    trial = store.register(trial_of(survey)).slug
    assert store.state(trial) is State.TRIAL
    assert store.state(trial).takes_reports
    for state in (State.PAUSED, State.CLOSED):
        store.set_state(trial, state)
        assert store.state(trial) is state


def test_the_end_takes_in_what_was_held_back(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    store.insert_batch([report(held) for _ in range(15)])
    closes = int(time.time()) + 2  # at the least a second from now
    store.set_schedule("held", Schedule(closes=closes))
    assert store.snapshot("held").count() == 0
    time.sleep(closes + 0.1 - time.time())
    assert store.close_due() == ["held"]
    assert store.snapshot("held").count() == 15


def test_a_cap_s_last_report_closes_it(store: Store, survey: Survey) -> None:
    store.insert_batch([report(survey) for _ in range(3)])
    store.register(changed := surveys.survey(title="Doping, asked again"))
    store.set_schedule("doping", Schedule(cap=5))
    sent = [report(survey), report(changed), report(changed), report(survey)]
    full = [Outcome.STORED, Outcome.STORED, Outcome.FULL, Outcome.FULL]
    assert store.insert_batch(sent) == full
    assert (store.count("doping"), store.state("doping")) == (5, State.FULL)
    # Whoever is in it learns so, and nobody else gets in.
    assert store.insert_batch([sent[0], sent[2]]) == [Outcome.REPEATED, Outcome.CLOSED]
    with pytest.raises(ValueError, match="it has 5 reports, its cap"):
        store.set_state("doping", State.OPEN)
    store.set_schedule("doping", Schedule(cap=6))
    store.set_state("doping", State.OPEN)
    assert store.insert_batch([report(survey)]) == [Outcome.STORED]
    # All that come are new, and they are exactly as many as there is room for.
    store.set_schedule("doping", Schedule(cap=8))
    store.set_state("doping", State.OPEN)
    assert store.insert_batch([report(survey), report(changed)]) == [Outcome.STORED] * 2
    assert store.state("doping") is State.FULL


def test_a_reached_cap_closes_the_survey(store: Store, survey: Survey) -> None:
    store.insert_batch([report(survey) for _ in range(3)])
    store.set_schedule("doping", Schedule(cap=3))
    assert store.state("doping") is State.FULL


def test_races_keep_the_cap(store: Store, engine: Engine, survey: Survey, tmp_path: Path) -> None:
    store.set_schedule("doping", Schedule(cap=50))
    together = threading.Barrier(4)

    def write(_: int) -> list[Outcome]:
        with closing(open_store(engine.url(tmp_path))) as own:
            together.wait()
            return [
                one
                for _ in range(6)
                for one in own.insert_batch([report(survey) for _ in range(5)])
            ]

    with ThreadPoolExecutor(4) as threads:
        outcomes = Counter(one for some in threads.map(write, range(4)) for one in some)
    assert outcomes[Outcome.STORED] == store.count("doping") == 50
    assert outcomes[Outcome.FULL] + outcomes[Outcome.CLOSED] == 70


def test_a_cap_tells_no_more_than_batches(store: Store) -> None:
    held = surveys.survey(slug="held", batch=10)
    store.register(held)
    with pytest.raises(ValueError, match="a cap of whole batches of 10 reports, found 25"):
        store.set_schedule("held", Schedule(cap=25))
    store.insert_batch([report(held) for _ in range(19)])
    store.set_schedule("held", Schedule(cap=20))
    assert (store.state("held"), store.snapshot("held").count()) == (State.OPEN, 0)
    store.insert_batch([report(held)])
    assert (store.state("held"), store.snapshot("held").count()) == (State.FULL, 20)


def test_typed_words_are_taken_as_meant() -> None:
    assert clean_word(" Sea - Lion\n") == "sea-lion"
