"""How far the interval that is shown reaches at most: by going through every count."""

import math

import numpy as np
import pytest

from deniable import Channel, designs, identity
from deniable.analysis import estimate, estimate_mean
from deniable.analysis.intervals.proportion import feldman_cousins
from deniable.analysis.planning.reach import (
    COUNTED,
    fewest_within,
    greatest_reach,
    is_counted,
    mean_reach,
)
from deniable.analysis.planning.widths import half_width, mean_half_width

COINS = designs.truth_or_random()


def enumerated(channel: Channel, n: int, level: float = 0.95) -> float:
    """Estimate every count of yes as results do, and look how far each interval reaches."""
    found = [0.0]
    for yes in range(n + 1):
        made = estimate([n - yes, yes], channel)
        share = min(max(float(made.theta[1]), 0), 1)
        low, high = made.possible_interval(level)[1]
        found += [share - low, high - share]
    return max(found)


@pytest.mark.parametrize(("n", "points"), [(30, 37), (40, 33), (60, 27)])
def test_two_coins_reach_the_greatest_over_all_counts(n: int, points: int) -> None:
    found = enumerated(COINS, n)
    assert round(100 * found) == points
    assert greatest_reach(COINS, n) == pytest.approx([found] * 2)


@pytest.mark.parametrize(
    ("channel", "level"),
    [
        (identity(2), 0.95),
        (designs.warner(epsilon=0.3), 0.9),
        (designs.warner(epsilon=3), 0.95),
        (designs.forced_response(truth="1/2", yes="1/10"), 0.99),
    ],
)
def test_of_any_two_reports_too(channel: Channel, level: float) -> None:
    for n in (1, 7, 50):
        assert greatest_reach(channel, n, level)[1] == pytest.approx(enumerated(channel, n, level))


def test_of_more_answers_each_is_one_proportion() -> None:
    channel, n = designs.k_ary(3, epsilon=2), 8
    found = np.zeros(3)
    for a in range(n + 1):
        for b in range(n + 1 - a):
            made = estimate([a, b, n - a - b], channel)
            shares, (low, high) = made.theta.clip(0, 1), made.possible_interval().T
            found = np.maximum(found, np.maximum(shares - low, high - shares))
    assert is_counted(channel)
    assert greatest_reach(channel, n) == pytest.approx(found)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    "channel", [COINS, identity(2), designs.warner(epsilon=3), designs.k_ary(5, epsilon=1)]
)
def test_with_more_people_a_formula_bounds_all_counts(channel: Channel, level: float) -> None:
    for n in (COUNTED + 1, 107, 120, 177):
        most = greatest_reach(channel, n, level)[1]
        formula = half_width(channel, n, level)[1] + 0.5 / n / _kept(channel)
        assert most == pytest.approx(min(formula, 1))
        rates = channel.probabilities[:2, 1]
        counts = np.arange(n + 1.0)
        low, high = feldman_cousins(counts, n, level, *rates)
        estimates = (counts / n).clip(*rates)
        exact = max(*(estimates - low), *(high - estimates)) / _kept(channel)
        assert exact <= most + 1e-12
        if channel.truths == 2:
            assert exact >= half_width(channel, n, level)[1]


def _kept(channel: Channel) -> float:
    return float(channel.probabilities[1, 1] - channel.probabilities[0, 1])


def test_a_two_point_mean_is_one_proportion() -> None:
    channel, values, n = designs.two_point(11, epsilon=1), range(11), 40
    found = []
    for high in range(n + 1):
        counts = np.zeros(channel.reports, dtype=int)
        low_report, high_report = np.flatnonzero(channel.probabilities.any(axis=0))
        counts[low_report], counts[high_report] = n - high, high
        made = estimate_mean(counts, channel, values)
        mean, (low, top) = min(max(float(made.theta), 0), 10), made.possible_interval()
        found += [mean - low, top - mean]
    assert is_counted(channel, values)
    assert mean_reach(channel, values, n) == pytest.approx(max(found))


def test_other_shares_are_as_wide_as_wald_says() -> None:
    channel, values = designs.k_ary(3, epsilon=1), [0, 5, 10]
    assert not is_counted(channel, values)
    assert mean_reach(channel, values, 500) == mean_half_width(channel, values, 500)
    declined = [0.0, 1.0, math.nan]
    assert not is_counted(channel, declined)
    assert mean_reach(channel, declined, 500, applies=0.5) == mean_half_width(
        channel, declined, 500, applies=0.5
    )


@pytest.mark.parametrize("within", [0.02, 0.05, 0.3])
def test_so_many_are_enough_and_fewer_are_not(within: float) -> None:
    for channel in (COINS, identity(2)):
        for truth, n in enumerate(fewest_within(channel, within).tolist()):
            assert greatest_reach(channel, n)[truth] <= within
            assert greatest_reach(channel, n - 1)[truth] > within


def test_it_is_never_beyond_the_possible() -> None:
    assert greatest_reach(designs.warner(epsilon=0.1), 3).tolist() == [1, 1]
    assert greatest_reach(designs.warner(epsilon=0.1), 101).tolist() == [1, 1]
