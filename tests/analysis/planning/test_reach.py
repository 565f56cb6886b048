"""How far intervals reach, and design effects."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deniable import Channel, designs, identity
from deniable.analysis import estimate, estimate_mean
from deniable.analysis.intervals.proportion import feldman_cousins
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning import design_effect
from deniable.analysis.planning.reach import (
    COUNTED,
    fewest_within,
    greatest_reach,
    is_counted,
    mean_reach,
    mean_variance_among,
    report_rates,
)
from deniable.estimator import for_values, least_variance, mean_variance, share_variance
from tests.analysis.channels import channels
from tests.analysis.enumeration import compositions
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

COINS = designs.truth_or_random()


def populations(channel: Channel, seed: int) -> FloatArray:
    """Return all mixtures of two truths on a grid, where the worst is, and some of all truths."""
    random, every = np.random.default_rng(seed), np.eye(channel.truths)
    edges = [
        share * x + (1 - share) * y
        for x in every
        for y in every
        for share in np.linspace(0, 1, 101)
    ]
    return np.array([*edges, *random.dirichlet(np.ones(channel.truths), size=20)])


@settings(derandomize=True)
@given(channels(), st.integers(0, 2**32 - 1))
def test_no_population_is_worse_than_the_worst(channel: Channel, seed: int) -> None:
    G, some = least_variance(channel), populations(channel, seed)
    variances = some @ channel.probabilities @ (G**2).T - some**2
    worst = variances.max(axis=0)
    found = share_variance(channel)
    assert np.all(found >= worst * (1 - 1e-9))
    assert found == pytest.approx(worst, rel=1e-3)


@settings(derandomize=True, max_examples=60)
@given(channels(), st.integers(0, 2**32 - 1))
def test_no_population_has_a_mean_below_the_worst(channel: Channel, seed: int) -> None:
    values = np.random.default_rng(seed).integers(-3, 4, size=channel.truths).astype(float)
    g, some = for_values(channel, values), populations(channel, seed)
    P = some @ channel.probabilities
    variances = P @ g**2 - (P @ g) ** 2
    found = mean_variance(channel, values)
    assert found >= variances.max() * (1 - 1e-9) - 1e-12
    assert found == pytest.approx(variances.max(), rel=1e-3, abs=1e-9)


def test_reports_about_a_truth_are_binomial_or_not() -> None:
    assert report_rates(COINS, 0) == report_rates(COINS, 1) == (0.25, 0.75)
    forced = designs.forced_response("1/2", "1/4")
    assert report_rates(forced, 1) == (0.125, 0.625)
    assert report_rates(forced, 0) == (0.375, 0.875)
    k_ary = designs.k_ary(3, keep="1/2")
    assert report_rates(k_ary, 2) == pytest.approx((0.25, 0.5))
    assert report_rates(THREE_REPORTS, 1) is None
    # A report that nobody sends is none of them.
    unused = designs.custom([["3/4", 0, "1/4"], ["1/4", 0, "3/4"]])
    assert report_rates(unused, 1) == (0.25, 0.75)


def test_k_ary_s_design_effect() -> None:
    # Var = P (1 - P) / (keep - other)^2 with P = other + (keep - other) θ.
    channel, theta = designs.k_ary(4, 1), np.array([0.1, 0.2, 0.3, 0.4])
    keep, other = channel.probabilities[0, :2]
    P = other + (keep - other) * theta
    expected = P * (1 - P) / (keep - other) ** 2 / (theta * (1 - theta))
    assert design_effect(channel, theta) == pytest.approx(expected)


def test_a_share_of_nobody_is_infinitely_dearer() -> None:
    assert design_effect(designs.truth_or_random(), [1, 0]).tolist() == [math.inf, math.inf]
    direct = design_effect(identity(3), [1, 0, 0])
    assert np.isnan(direct).all()


@pytest.mark.parametrize(
    ("channel", "n", "level"),
    first_of(
        [
            (COINS, 30, 0.95),
            (designs.forced_response(truth="1/2", yes="1/10"), 7, 0.99),
            (identity(2), 1, 0.95),
            (designs.k_ary(3, epsilon=2), 8, 0.95),
            (COINS, 60, 0.95),
            (designs.warner(epsilon=0.3), 50, 0.9),
            (designs.warner(epsilon=3), 50, 0.95),
        ],
        quick=4,
    ),
)
def test_it_reaches_the_greatest_over_all_counts(channel: Channel, n: int, level: float) -> None:
    """Estimate every table of counts as results do, and look how far each interval reaches."""
    found = np.zeros(channel.truths)
    for counts in compositions(n, channel.reports):
        made = estimate(counts, channel)
        shares, (low, high) = made.theta.clip(0, 1), made.possible_interval(level).T
        found = np.maximum(found, np.maximum(shares - low, high - shares))
    assert is_counted(channel)
    assert greatest_reach(channel, n, level) == pytest.approx(found)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    "channel", [COINS, identity(2), designs.warner(epsilon=3), designs.k_ary(5, epsilon=1)]
)
def test_with_more_people_a_formula_bounds_all_counts(channel: Channel, level: float) -> None:
    for n in (COUNTED + 1, 107, 120, 177):
        most = greatest_reach(channel, n, level)[1]
        wald = stats.norm.isf((1 - level) / 2) * math.sqrt(share_variance(channel)[1] / n)
        formula = wald + 0.5 / n / _kept(channel)
        assert most == pytest.approx(min(formula, 1))
        rates = channel.probabilities[:2, 1]
        counts = np.arange(n + 1.0)
        low, high = feldman_cousins(counts, n, level, *rates)
        estimates = (counts / n).clip(*rates)
        exact = max(*(estimates - low), *(high - estimates)) / _kept(channel)
        assert exact <= most + 1e-12
        if channel.truths == 2:
            assert exact >= wald


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
    wald = 1.959963984540054 * math.sqrt(mean_variance(channel, values) / 500)
    assert mean_reach(channel, values, 500) == pytest.approx(wald)
    declined = [0.0, 1.0, math.nan]
    assert not is_counted(channel, declined)
    wald = 1.959963984540054 * math.sqrt(mean_variance_among(channel, declined, 0.5) / 500)
    assert mean_reach(channel, declined, 500, applies=0.5) == pytest.approx(wald)


@pytest.mark.parametrize("within", [0.02, 0.05, 0.3])
def test_so_many_are_enough_and_fewer_are_not(within: float) -> None:
    for channel in (COINS, identity(2)):
        for truth, n in enumerate(fewest_within(channel, within).tolist()):
            assert greatest_reach(channel, n)[truth] <= within
            assert greatest_reach(channel, n - 1)[truth] > within


def test_it_is_never_beyond_the_possible() -> None:
    assert greatest_reach(designs.warner(epsilon=0.1), 3).tolist() == [1, 1]
    assert greatest_reach(designs.warner(epsilon=0.1), 101).tolist() == [1, 1]
