"""A short run of the campaign that ``make crash`` runs in full (`tests.crash`)."""

import random

import pytest

from tests.crash import campaign, stops
from tests.crash.places import SITES, site

pytestmark = pytest.mark.promise("durable")

KILLS = 5
REPORTS = 2_000
STOPS = 36
"""Three of each way in each moment; in `make test` a group once and again and again."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", SITES)
def test_what_is_acknowledged_survives_kill_9_exactly_once(engine: str) -> None:
    with site(engine) as place:
        (count,) = campaign.kill(place, KILLS, REPORTS, random.Random(0))
    assert count.is_good, count
    assert count.acknowledged >= REPORTS
    assert count.unanswered, "no kill hit a request under way"


@pytest.mark.slow
@pytest.mark.parametrize("engine", SITES)
def test_a_world_that_misbehaves_loses_and_doubles_nothing(engine: str) -> None:
    with site(engine) as place:
        counts = campaign.suffer(place)
        without = campaign.NEED_COMPILER if place.harm is None else ()
    assert not [count for count in counts if not count.is_good]
    left_out = len(without) + (engine == "sqlite")  # which has no connections to cut
    assert len(counts) == len(campaign.HARMS) - left_out
    for count in counts:
        if "full" in count.done or "read" in count.done:
            assert count.refused, count.done


@pytest.mark.parametrize(
    ("engine", "times"),
    [("sqlite", 6), *(pytest.param(name, STOPS, marks=pytest.mark.slow) for name in SITES)],
)
def test_every_stop_ends_soon_and_loses_nothing(engine: str, times: int) -> None:
    with site(engine) as place:
        counts = stops.stop(place, times, random.Random(0))
    assert not [count for count in counts if not count.is_good]
    assert sum(count.times for count in counts) == times
