"""Intervals for looking while a survey runs: fair bets and widths."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from deniable import designs
from deniable.analysis import applicable_shares, estimate, estimate_mean
from deniable.analysis.intervals import ALWAYS_VALID, always_valid
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel, identity
from deniable.estimator import for_values, least_variance
from deniable.study import Study
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import surveys

pytestmark = pytest.mark.promise("any-time")

COINS = designs.warner(flip="1/4")
CHANNELS = {
    "coins": COINS,
    "direct": identity(2),
    "three reports": THREE_REPORTS,
    "k-ary": designs.k_ary(4, 2),
    "cards": designs.kuk("3/10", "7/10", 3),
    "number": designs.best_numeric(5, 2),
}


def fortunes(channel: Channel, g: FloatArray, true: float, theta: FloatArray, n: int) -> float:
    """Sum what the gambler owns after n reports over all of them, times their chances."""
    P = theta @ channel.probabilities
    total = 0.0
    for reports in itertools.product(range(channel.reports), repeat=n):
        counts = np.bincount(reports, minlength=channel.reports)
        bets = always_valid.Bets.on(g, counts)
        m = (true - bets.offset) / bets.scale
        total += math.prod(P[list(reports)]) * math.exp(bets.log_wealth(m))
    return total


@pytest.mark.parametrize("name", CHANNELS)
def test_the_bets_are_fair_at_the_true_value(name: str) -> None:
    """The money is a martingale: then Ville's inequality is all that the coverage needs."""
    channel = CHANNELS[name]
    rng = np.random.default_rng(12)
    for _ in range(3):
        theta = rng.dirichlet(np.ones(channel.truths))
        for values in (np.eye(channel.truths)[0], np.arange(channel.truths) * 1.0):
            g = for_values(channel, values)
            true = float(theta @ values)
            for n in (1, 3):
                assert fortunes(channel, g, true, theta, n) == pytest.approx(1, abs=1e-7)
                assert fortunes(channel, -g, -true, theta, n) == pytest.approx(1, abs=1e-7)


def test_the_bets_on_a_ratio_are_fair_too() -> None:
    channel, theta, values = designs.k_ary(3, 2), np.array([0.3, 0.2, 0.5]), np.array([0, 10, 0])
    g, h = for_values(channel, values), for_values(channel, [1, 1, 0])
    for sign in (1, -1):
        assert fortunes(channel, sign * (g - 4 * h), 0, theta, 3) == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 30, 1000, 10**7])
@pytest.mark.parametrize("name", CHANNELS)
def test_ends_are_where_a_gambler_has_won(name: str, n: int) -> None:
    channel = CHANNELS[name]
    counts = np.random.default_rng(n).multinomial(n, channel.probabilities.mean(axis=0))
    result = estimate(counts, channel)
    found = estimate(counts, channel).always_valid(0.9)
    for g, (low, high), theta in zip(least_variance(channel), found, result.theta, strict=True):
        assert g.min() - 1e-9 <= low <= theta + 1e-9
        assert theta - 1e-9 <= high <= g.max() + 1e-9
        for each, end in ((g, low), (-g, -high)):
            bets = always_valid.Bets.on(each, counts)
            m = (end - bets.offset) / bets.scale
            if m > 1e-12:
                assert bets.log_wealth(m) == pytest.approx(math.log(20), abs=1e-6)


def test_money_is_an_integral_for_two_reports() -> None:
    """Two reports of yes and one of no at the rate 1/2, stake by stake."""
    bets = always_valid.Bets.on(np.array([0.0, 1.0]), [1, 2])
    stakes = [1.5**-j for j in range(45)]
    weight = sum(math.sqrt(c) for c in stakes)
    expected = sum(math.sqrt(c) * (1 - c) * (1 + c) ** 2 for c in stakes) / weight
    assert math.exp(bets.log_wealth(0.5)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [0.03, 0.2, 0.5])
def test_the_bets_stay_fair_over_many_reports(p: float) -> None:
    """Of two reports all that counts is how often each came."""
    n = 1000
    came = np.arange(n + 1)
    owned = [always_valid.Bets.on(np.array([0.0, 1]), [n - yes, yes]).log_wealth(p) for yes in came]
    assert np.exp(stats.binom.logpmf(came, n, p) + owned).sum() == pytest.approx(1, abs=1e-7)


def test_a_mean_among_those_with_a_value() -> None:
    channel, counts = designs.k_ary(3, 2), [700, 400, 900]
    some = estimate_mean(counts, channel, [0, 10, np.nan])
    found = some.always_valid(0.95)
    wald = some.interval(0.95)
    assert found[0] < wald[0] < some.theta < wald[1] < found[1]
    assert found[1] - found[0] < 2 * (wald[1] - wald[0])
    among = applicable_shares(counts, channel, 2).always_valid(0.95)[1]
    assert among == pytest.approx(found / 10)
    # Each end is where the goal is reached.
    g, h = for_values(channel, [0, 10, 0]), for_values(channel, [1, 1, 0])
    for end, sign in ((found[0], 1), (found[1], -1)):
        bets = always_valid.Bets.on(sign * (g - end * h), counts)
        money = bets.log_wealth(-bets.offset / bets.scale)
        assert money == pytest.approx(math.log(40), abs=1e-6)


def test_a_mean_of_too_few_says_nothing() -> None:
    some = estimate_mean([1, 1, 90], designs.k_ary(3, 1), [0, 10, np.nan])
    assert some.always_valid(0.95).tolist() == [0, 10]


def test_one_report_and_reports_that_are_all_alike() -> None:
    low, high = estimate(np.array([0, 1]), COINS).always_valid(0.95)[1]
    assert -0.5 < low < 0
    assert 1 < high <= 1.5
    low, high = estimate(np.array([500, 0]), identity(2)).always_valid(0.95)[1]
    # The chance of 500 times no is what is staked: all of it, by the weight of that stake.
    weight = 1 - 1.5**-0.5
    assert low == 0
    assert weight * (1 - high) ** -500 < 40
    assert 0.005 < high < 0.02
    constant = always_valid.mean(np.ones(3), [1, 2, 3], 0.95)
    assert constant == (1, 1)


def test_it_is_for_watching_and_no_chosen_method() -> None:
    for asked in (estimate([5, 5], COINS), estimate_mean([5, 5], COINS, [0, 1])):
        with pytest.raises(ValueError, match=f"found '{ALWAYS_VALID}'"):
            asked.interval(method=ALWAYS_VALID)
    survey = surveys.survey()
    study = Study.of(survey, [bytes([0, 1, 1, 0])], "from memory")
    for item in (None, "doped"):
        with pytest.raises(ValueError, match=f"found '{ALWAYS_VALID}'"):
            study.shares(item, method=ALWAYS_VALID)


def test_two_reports_are_as_wide_as_the_mixture() -> None:
    """Robbins' mixture over a rate, Beta(1/2, 1/2), in closed form: 1.65, 1.86, 2.02 of Wald's."""
    for n in (100, 1000, 10_000):
        came = n // 2
        low, high = always_valid.mean(np.array([0.0, 1.0]), [n - came, came], 0.95)
        log_mixture = special.betaln(came + 0.5, n - came + 0.5) - special.betaln(0.5, 0.5)
        rates = np.array([low, high])
        log_ratio = log_mixture - came * np.log(rates) - (n - came) * np.log1p(-rates)
        assert (log_ratio < math.log(20)).all()  # the mixture still holds these ends
