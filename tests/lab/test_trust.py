"""Trust, but test: the page accuses whom an exact interval accuses, as often as drawn."""

import math

import numpy as np
import pytest
from scipy import stats

from deniable.analysis.intervals.proportion import clopper_pearson, least_seen
from deniable.lab.trust import PAGE, TAIL, alarm, caught
from tests.lab.shown import values


@pytest.mark.parametrize("n", [300, 1000])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
def test_the_alarm_is_where_an_interval_begins_to_leave_out_what_is_claimed(
    n: int, flip: str
) -> None:
    first = int(alarm(np.array(n), 1 - float(flip)))
    hits = np.array([first - 1, first])
    accused = clopper_pearson(np.minimum(hits, n), n, TAIL)[0] > 1 - float(flip)
    assert accused.tolist() == [False, first <= n]


@pytest.mark.parametrize(("p", "n", "tail"), [(0.25, 200, 1e-4), (0.75, 300, 1e-9), (0, 9, 0.01)])
def test_the_least_that_is_seen_is_seen_just_so_often(p: float, n: int, tail: float) -> None:
    """Every count is tried against the interval itself."""
    excess = float(least_seen(np.array(p), np.array(n), tail, 0.99))
    seen = clopper_pearson(np.arange(n + 1), n, tail)[0] > p
    assert stats.binom.pmf(np.arange(n + 1), n, p + excess)[seen].sum() == pytest.approx(0.99)


def test_what_no_count_shows_is_never_seen() -> None:
    assert least_seen(np.array([0.9, 1.0]), np.array([20, 20]), 1e-6, 0.99).tolist() == [
        math.inf,
        0,
    ]


def test_it_is_seen_as_often_as_in_drawn_audits() -> None:
    # 20,000 audits: six standard errors, which one run in a billion exceeds.
    drawn = np.random.default_rng(5).binomial(3000, 0.8, (20_000, 2)).max(axis=1)
    chance = float(caught(np.array(3000), 0.75, 0.8))
    share = (drawn >= alarm(np.array(3000), 0.75)).mean()
    assert abs(share - chance) < 6 * math.sqrt(chance * (1 - chance) / 20_000)
    assert values(PAGE, n="3000", cheat="0.2")["chance"] == pytest.approx(chance)


def test_the_least_that_is_seen_is_seen_surely_and_what_is_needed_is_enough() -> None:
    found = values(PAGE, n="10000")
    first = alarm(np.array(10_000), 0.75)
    assert stats.binom.sf(first - 1, 10_000, 0.75 + found["least"]) == pytest.approx(0.99)
    assert stats.binom.sf(first - 1, 10_000, 0.75) <= TAIL < stats.binom.sf(first - 2, 10_000, 0.75)
    needed = np.array([found["needed"], 0.97 * found["needed"] // 1])
    enough, few = caught(needed, 0.75, 0.8)
    assert enough >= 0.99 > few
    assert values(PAGE, cheat="0.1")["needed"] / found["needed"] == pytest.approx(4, abs=0.5)
