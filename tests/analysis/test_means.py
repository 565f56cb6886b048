"""Means of numbers and shares among those to whom a question applies."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deniable import Channel, designs, identity
from deniable.analysis import estimate, estimate_mean, sampling
from deniable.analysis.counts.tally import Tally
from deniable.analysis.intervals.proportion import METHODS
from deniable.analysis.joint.tables import crosstab
from deniable.analysis.means import applicable_shares
from deniable.analysis.results import summarise
from deniable.designs import coarsened, laplace, piecewise, two_point
from deniable.survey_file import read
from tests.analysis.channels import channels
from tests.analysis.enumeration import tables
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("unbiased")

NOT_A_NUMBER = math.nan

# Levels 0, 10, 20, and a last truth that declines.
WITH_DECLINING = designs.k_ary(4, 2)
DECLINED = [0, 10, 20, NOT_A_NUMBER]


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
    for chance, counts in tables(n, np.array(shares) @ channel.probabilities):
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
    assert direct.standard_error == pytest.approx(numbers.std() / math.sqrt(12 * 19 / 20))


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
    # And with what a report of two coins counts for: -1/2 or 3/2.
    coins = estimate_mean([6, 4], designs.warner("1/4"), [0, 1])
    ends = coins.interval(method="empirical_bernstein")
    assert (ends[0], ends[1]) == pytest.approx((0.3 - 2 * half, 0.3 + 2 * half))


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


CHANNEL = designs.k_ary(3, 1)


def test_it_is_a_ratio_with_covariance() -> None:
    """With k-ary response everything has a closed form."""
    counts = np.array([350, 260, 390])
    n, theta = 1000, estimate(counts, CHANNEL).theta
    p, q = (float(weight) / 2**32 for weight in CHANNEL.weights[0][:2])
    assert theta == pytest.approx((counts / n - q) / (p - q))
    found = applicable_shares(counts, CHANNEL, skipped=2)
    ratio = theta[0] / (1 - theta[2])
    assert found.theta[0] == pytest.approx(ratio)
    # The residual of each report, whose mean is 0 at the ratio.
    g0 = np.array([1 - q, -q, -q]) / (p - q)
    h = 1 - np.array([-q, -q, 1 - q]) / (p - q)
    residual = (g0 - ratio * h) / (1 - theta[2])
    variance = (residual**2) @ counts / (n - 1)
    assert found.standard_error[0] == pytest.approx(math.sqrt(variance / n))
    # With so many reports the ends are near Fieller's: there the test that the residual has mean 0
    # just rejects.
    low, high = found.interval()[0]
    for end in (low, high):
        rest = g0 - end * h
        mean = rest @ counts / n
        spread = math.sqrt((rest - mean) ** 2 @ counts / (n - 1) / n)
        assert abs(mean) / spread == pytest.approx(stats.norm.ppf(0.975), rel=0.03)
    assert low < ratio < high
    # The mean of an indicator among those who have a value is the same number.
    other = estimate_mean(counts, CHANNEL, [1, 0, math.nan])
    assert (other.theta, other.standard_error) == pytest.approx(
        (found.theta[0], found.standard_error[0])
    )
    assert found.theta[0] + found.theta[1] == pytest.approx(1)
    assert found.maximum_likelihood[:2] == pytest.approx(found.theta[:2])


def test_which_truth_is_not_applying_is_told() -> None:
    first = applicable_shares([390, 350, 260], CHANNEL, skipped=0)
    last = applicable_shares([350, 260, 390], CHANNEL, skipped=2)
    assert first.theta == pytest.approx(last.theta)


def test_nobody_asked_rules_nothing_out() -> None:
    nobody = [int(1000 * weight / 2**32) for weight in CHANNEL.weights[2]]
    found = applicable_shares([nobody[0] + 12, *nobody[1:]], CHANNEL, skipped=2)
    assert 0 < found.divisor[0] < 0.05
    assert np.isnan(found.theta).all()
    assert np.isnan(found.standard_error).all()
    assert found.interval()[0] == pytest.approx([0, 1])
    below = applicable_shares([nobody[0] - 20, *nobody[1:]], CHANNEL, skipped=2)
    assert below.divisor[0] < 0
    assert np.isnan(below.theta).all()
    assert below.interval()[1].tolist() == [0, 1]
    assert not below.outside.any()


def test_ratios_have_possible_intervals_and_marked_estimates() -> None:
    counts = [520, 190, 290]
    found = applicable_shares(counts, CHANNEL, skipped=2)
    assert found.theta[0] > 1
    assert found.outside[0]
    low, high = found.interval()[0]
    assert 0 < low < high == 1
    mean = estimate_mean(counts, CHANNEL, [1, 0, math.nan])
    assert mean.outside
    assert mean.theta == pytest.approx(found.theta[0])
    assert mean.interval()[1] == mean.possible_interval()[1] == 1
    assert mean.interval(method="wald")[1] == 1
    reports = np.repeat(np.arange(3), counts)
    weights = np.where(np.arange(len(reports)) % 2, 1.0, 1.01)
    weighted = sampling.mean(
        sampling.debiased_applicable(reports, CHANNEL, skipped=2), sampling.sampling_design(weights)
    )
    assert weighted.theta[0] > 1
    assert weighted.outside[0]
    for method in ("auto", "wald"):
        assert weighted.interval(method=method)[0, 1] == 1
    table = crosstab([[272, 108], [258, 362]], [designs.warner(flip="1/4")] * 2)
    shares = table.conditional(0)
    assert shares.outside.any()
    for method in ("tail", "wald"):
        ends = shares.interval(method=method)
        assert (ends >= 0).all()
        assert (ends <= 1).all()


def test_weighted_ratios_to_nothing_have_no_estimate() -> None:
    nobody = [int(1000 * weight / 2**32) for weight in CHANNEL.weights[2]]
    reports = np.repeat(np.arange(3), [nobody[0] + 12, *nobody[1:]])
    weights = np.where(np.arange(len(reports)) % 2, 1.0, 2.0)
    groups = np.arange(len(reports)) % 3 == 0
    design = sampling.sampling_design(weights)
    variable = sampling.debiased_applicable(reports, CHANNEL, skipped=2)
    weighted = sampling.mean(variable, design)
    assert np.isnan(weighted.theta).all()
    assert np.isnan(weighted.standard_error).all()
    assert weighted.interval().tolist() == [[0, 1]] * 2
    apart = sampling.difference(variable, design, groups, ~groups)
    assert np.isnan(apart.theta).all()
    assert apart.interval().tolist() == [[-1, 1]] * 2


def test_equal_reports_do_not_make_it_certain() -> None:
    found = applicable_shares([6, 0, 0], CHANNEL, skipped=2)
    assert found.standard_error[0] > 0.3
    low, high = found.interval()[0]
    assert low < high - 0.05
    # 20 of 20 come with a chance of 2e-5 even if it is everybody's truth.
    doubtful = applicable_shares([20, 0, 0], CHANNEL, skipped=2)
    assert doubtful.outside[0]
    assert doubtful.interval()[:2].tolist() == [[0, 1]] * 2


SURVEY = file_of(
    "id: age, text: Age, type: single, answers: [Young, Old], protection: direct",
    "id: retired, text: Retired, type: single, answers: [No, Yes, Partly], protection: direct, "
    "ask_if: {age: old}",
    "id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4",
    "id: knew, text: Knew, type: single, answers: [Nobody, Coach], ask_if: {doped: yes}, flip: 0.3",
    "id: times, text: Times, type: number, min: 1, max: 3, ask_if: {doped: yes}, flip: 0.3",
)


def test_shares_of_whom_it_concerns_are_told_everywhere() -> None:
    """Of reports that come as often as is expected of 40,000 people."""
    survey, n = read(SURVEY).survey, 40_000
    rates = [[0.6, 0.4], [0.1, 0.2, 0.1, 0.6], [0.5, 0.5], [0.4, 0.1, 0.5], [0.3, 0.1, 0.1, 0.5]]
    counts = [
        np.rint(n * (np.array(of) @ item.channel.probabilities)).astype(np.int64)
        for of, item in zip(rates, survey.items, strict=True)
    ]
    results = summarise(survey, Tally(survey.revision, n, tuple(counts)))
    items = {item.item.id: item for question in results.questions for item in question.items}
    assert items["age"].applicable == items["doped"].applicable == ()
    for id, answers in (
        ("retired", {"no": 0.25, "yes": 0.5, "partly": 0.25}),
        ("knew", {"nobody": 0.8, "coach": 0.2}),
        ("times", {"1": 0.6, "2": 0.2, "3": 0.2}),
    ):
        shares = {one.answer.code: one for one in items[id].applicable}
        assert {code: one.estimate for code, one in shares.items()} == pytest.approx(
            answers, abs=1e-3
        )
        for one in shares.values():
            assert None not in (one.estimate, one.low, one.high)
            assert one.low < one.estimate < one.high  # type: ignore[operator]
    # Directly asked it is an ordinary proportion, with the interval that was asked for.
    asked, share = counts[1][:3].tolist(), items["retired"].applicable[1]
    assert share.observed == asked[1] / sum(asked)
    low, high = METHODS["feldman-cousins"](np.array(asked[1]), sum(asked), 0.95)
    assert [share.low, share.high] == pytest.approx([float(low), float(high)])
    assert items["retired"].applicable_methods == ("feldman-cousins",)
    assert items["knew"].applicable_methods == ("tail",)
    # The mean of a number is among those who gave one, as it always is: 0.6 + 2 x 0.2 + 3 x 0.2.
    mean = items["times"].mean
    assert mean is not None
    assert mean.estimate == pytest.approx(1.6, abs=1e-3)
    assert (mean.least, mean.greatest) == (1, 3)
