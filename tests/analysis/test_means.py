import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import Channel, designs, identity
from deniable.analysis import estimate, estimate_mean, mean_is_identifiable
from deniable.designs import coarsened, laplace, piecewise, two_point
from tests.analysis.channels import channels
from tests.analysis.enumeration import compositions

pytestmark = pytest.mark.promise("unbiased")

NOT_A_NUMBER = math.nan

# Levels 0, 10, 20, and a last truth that declines.
WITH_DECLINING = designs.k_ary(4, 2)
DECLINED = [0, 10, 20, NOT_A_NUMBER]


def every_outcome(shares: list[float], channel: Channel, n: int) -> list[tuple[float, list[int]]]:
    """Return every possible tally of n reports, and how probable it is."""
    P = np.array(shares) @ channel.probabilities
    return [
        (
            math.factorial(n)
            * math.prod(p**c / math.factorial(c) for p, c in zip(P, counts, strict=True)),
            counts,
        )
        for counts in compositions(n, channel.reports)
    ]


@given(channel=channels(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_a_mean_weighs_values_by_unbiased_shares(channel: Channel, seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.integers(0, 50, channel.reports) * channel.probabilities.any(axis=0)
    counts[channel.probabilities[0].argmax()] += 2
    values = random.normal(size=channel.truths)
    result = estimate_mean(counts, channel, values)
    shares = estimate(counts, channel).theta
    assert result.theta == pytest.approx(values @ shares, abs=1e-6 * float(np.abs(shares).max()))


def test_a_share_is_a_mean_of_0_1() -> None:
    channel = designs.forced_response("2/3", "1/2")
    share = estimate([2435 - 831, 831], channel)
    mean = estimate_mean([2435 - 831, 831], channel, [0, 1])
    assert mean.theta == pytest.approx(0.2619096509, abs=1e-9)  # as rr prints it
    assert mean.standard_error == pytest.approx(share.standard_error[1])
    assert mean.divisor == 1


@pytest.mark.parametrize(
    ("channel", "shares", "n"),
    [
        (designs.k_ary(3, 1), [0.6, 0.4, 0], 6),
        (two_point(4, 1), [0.1, 0.2, 0.3, 0.4], 12),
        (coarsened(two_point(3, "1/2"), 4), [0.7, 0, 0, 0.3], 12),
        (coarsened(laplace(3, 2), 6), [0, 0.4, 0.1, 0.1, 0.4, 0], 7),
        (piecewise(3, "1/10"), [1, 0, 0], 5),
    ],
)
def test_mean_and_variance_are_unbiased(channel: Channel, shares: list[float], n: int) -> None:
    values = np.linspace(-1, 2, channel.truths)
    mean = second_moment = variance = 0.0
    for chance, counts in every_outcome(shares, channel, n):
        result = estimate_mean(counts, channel, values)
        mean += chance * float(result.theta)
        second_moment += chance * float(result.theta) ** 2
        sample = float(np.cov(result.contributions[0], fweights=counts)) / n
        assert result.standard_error**2 >= sample - 1e-12
        variance += chance * sample
    assert mean == pytest.approx(values @ shares, abs=1e-6)
    assert variance == pytest.approx(second_moment - mean**2, rel=1e-6)


def test_those_who_decline_do_not_count() -> None:
    direct = estimate_mean([4, 2, 6, 8], identity(4), [3, 5, 8, NOT_A_NUMBER])
    numbers = np.repeat([3.0, 5.0, 8.0], [4, 2, 6])
    assert direct.divisor == pytest.approx(12 / 20)
    assert direct.theta == pytest.approx(numbers.mean())
    # With as many decliners at random, the number of the others is not fixed: n/(n - 1) apart.
    assert direct.standard_error == pytest.approx(
        numbers.std() / math.sqrt(12) * math.sqrt(20 / 19)
    )


def test_the_others_mean_is_a_ratio_of_shares() -> None:
    counts = [70, 40, 90, 50]
    theta = estimate(counts, WITH_DECLINING).theta
    result = estimate_mean(counts, WITH_DECLINING, DECLINED)
    assert result.divisor == pytest.approx(1 - theta[3])
    assert result.theta == pytest.approx((10 * theta[1] + 20 * theta[2]) / (1 - theta[3]))
    assert result.contributions[0] @ np.array(counts) / 250 == pytest.approx(result.theta)
    assert result.maximum_likelihood == pytest.approx(
        result.distribution[:3] @ [0, 10, 20] / result.distribution[:3].sum()
    )
    assert result.possible.tolist() == [[0, 20]]


@pytest.mark.slow
def test_a_ratio_has_its_surveys_error() -> None:
    n, surveys = 1000, 4000
    random = np.random.default_rng(20_261_123)
    shares = np.array([0.3, 0.1, 0.2, 0.4])
    draws = random.multinomial(n, shares, size=surveys)
    noise = WITH_DECLINING.probabilities
    counts = np.sum(
        [random.multinomial(draws[:, truth], noise[truth]) for truth in range(4)], axis=0
    )
    results = [estimate_mean(one, WITH_DECLINING, DECLINED) for one in counts]
    means = np.array([result.theta for result in results])
    said = statistics.fmean(float(result.standard_error) for result in results)
    # Five standard errors of a standard deviation, 1/sqrt(8000) of it each, and 1 % for the bias of
    # a linear approximation.
    assert means.std(ddof=1) == pytest.approx(said, rel=0.066)
    assert means.mean() == pytest.approx((1 + 4) / 0.6, abs=6 * said / math.sqrt(surveys))


def test_where_nobody_answered_means_are_unknown() -> None:
    result = estimate_mean([0, 1, 0, 99], WITH_DECLINING, DECLINED)
    assert result.divisor < 0
    assert math.isnan(result.theta)
    assert math.isnan(result.standard_error)
    assert not result.outside
    interval = result.interval()
    assert (interval[0], interval[1]) == (0, 20)  # nothing can be ruled out
    assert result.interval(method="wald").tolist() == [0, 20]
    assert result.possible_interval().tolist() == [0, 20]
    assert math.isnan(estimate_mean([0, 0, 0, 9], identity(4), DECLINED).maximum_likelihood)


def test_the_most_likely_mean_needs_identifiable_shares() -> None:
    known = estimate_mean([50, 20, 90], designs.k_ary(3, 1), [0, 1, 2])
    shares = estimate([50, 20, 90], designs.k_ary(3, 1)).maximum_likelihood
    assert known.distribution == pytest.approx(shares)
    assert known.maximum_likelihood == pytest.approx(shares @ [0, 1, 2])
    for channel in (two_point(3, 1), coarsened(designs.k_ary(3, 1), 5)):
        unknown = estimate_mean([30] * channel.reports, channel, range(channel.truths))
        assert unknown.theta == pytest.approx((channel.truths - 1) / 2, abs=1e-6)
        assert math.isnan(unknown.maximum_likelihood)


def test_empirical_bernstein_is_maurer_and_pontil_s() -> None:
    # Of 0, 1, and n = 10 with four ones: V = .2667, ln(2/.025) = 4.382.
    interval = estimate_mean([6, 4], identity(2), [0, 1]).interval(method="empirical_bernstein")
    half = math.sqrt(2 * (0.24 * 10 / 9) * math.log(80) / 10) + 7 * math.log(80) / 27
    assert (interval[0], interval[1]) == pytest.approx((0.4 - half, 0.4 + half))
    # It scales with the values.
    wide = estimate_mean([6, 4], identity(2), [-5, 15]).interval(method="empirical_bernstein")
    assert (wide[0], wide[1]) == pytest.approx((3 - 20 * half, 3 + 20 * half))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(
    ("channel", "shares", "n"),
    [
        (identity(2), [0.05, 0.95], 15),
        (designs.warner("1/4"), [1, 0], 3),
        (two_point(3, 2), [0.2, 0.1, 0.7], 30),
        (designs.k_ary(3, 3), [0.9, 0.1, 0], 8),
    ],
)
def test_bernstein_covers(channel: Channel, shares: list[float], n: int, level: float) -> None:
    values = np.arange(channel.truths) * 3.0
    covered, mean = 0.0, float(values @ shares)
    for chance, counts in every_outcome(shares, channel, n):
        interval = estimate_mean(counts, channel, values).interval(level, "empirical_bernstein")
        covered += chance * (interval[0] <= mean <= interval[1])
    assert covered >= level


def test_one_report_has_no_standard_error() -> None:
    result = estimate_mean([0, 1], two_point(3, 1), [1, 2, 3])
    assert math.isnan(result.standard_error)
    assert math.isnan(result.interval(method="wald")[0])
    assert result.possible_interval() == pytest.approx((1, 3))
    everything = result.interval(method="empirical_bernstein")
    assert (everything[0], everything[1]) == (-math.inf, math.inf)
    assert result.possible_interval(method="empirical_bernstein").tolist() == [1, 3]


def test_an_interval_keeps_its_ends_and_possible_part() -> None:
    result = estimate_mean([90, 10], designs.warner("1/4"), [10, 20])
    assert result.theta == pytest.approx(7)
    assert result.outside
    interval = result.interval(method="tail")
    assert interval[0] < 7 < interval[1] < 10
    assert np.isnan(result.possible_interval(method="tail")).all()
    assert result.interval() == pytest.approx((7, result.possible_interval()[1]))
    assert 10 < result.possible_interval()[1] < 11
    some = estimate_mean([70, 30], designs.warner("1/4"), [10, 20])
    low, high = some.interval()
    assert low == pytest.approx(10)
    assert 10 < high < 20
    assert some.possible_interval() == pytest.approx((10, high))


def test_rounding_puts_no_mean_outside() -> None:
    channel = designs.forced_response("1/2", "1/3")
    for counts in ([500, 100], [200, 400]):
        assert not estimate_mean(counts, channel, [1000, 2000]).outside
    assert estimate_mean([501, 99], channel, [1000, 2000]).outside


def test_some_means_are_told_by_no_reports() -> None:
    assert not mean_is_identifiable(two_point(3, 1), [0, 1, NOT_A_NUMBER])
    assert mean_is_identifiable(two_point(3, 1), [0, 1, 2])
    assert mean_is_identifiable(WITH_DECLINING, DECLINED)
