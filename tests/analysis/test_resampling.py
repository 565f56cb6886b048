import math
import time

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis import estimate
from deniable.analysis.resampling import (
    Statistic,
    bootstrap,
    jackknife,
    maximum_likelihood_shares,
    shares,
)

WARNER = designs.warner(flip="1/4")


def _mean_of(values: npt.ArrayLike) -> Statistic:
    """Return the mean of a value of each report."""
    return lambda counts: counts @ np.asarray(values) / counts.sum(axis=1)


def _variance_of(values: npt.NDArray[np.float64]) -> Statistic:
    """Return the variance of a value of each report, with n in the denominator."""
    return lambda counts: _mean_of(values**2)(counts) - _mean_of(values)(counts) ** 2


def _covariance(rows: npt.NDArray[np.int64]) -> float:
    first, second = rows.T
    return float((first * second).mean() - first.mean() * second.mean())


def test_replicates_have_the_moments_of_the_multinomial_distribution() -> None:
    counts, replicates = np.array([20, 0, 50, 30]), 100_000
    found = bootstrap([counts], lambda drawn: drawn, replicates=replicates, rng=1).replicates
    p = counts / 100
    assert np.all(found.sum(axis=1) == 100)
    assert np.all(found[:, 1] == 0)
    # Five standard errors of a mean, and of a covariance (at most 3 Var^2 under the square root):
    # 6e-7 a comparison by chance; the seed is fixed.
    error = np.sqrt(100 * p * (1 - p) / replicates)
    assert np.all(np.abs(found.mean(axis=0) - counts) <= 5 * error)
    expected = 100 * (np.diag(p) - np.outer(p, p))
    spread = np.sqrt(3 * np.outer(expected.diagonal(), expected.diagonal()) / replicates)
    assert np.all(np.abs(np.atleast_2d(np.cov(found.T)) - expected) <= 5 * spread)


def test_the_standard_error_of_a_share_is_its_closed_form() -> None:
    result = bootstrap([[650, 350]], shares(WARNER), replicates=100_000, rng=2)
    closed_form = math.sqrt(0.65 * 0.35 / 1000) / 0.5
    # The relative error of a standard deviation is 1 / sqrt(2 · 100,000); five of them.
    assert result.standard_error == pytest.approx([closed_form] * 2, rel=5 / math.sqrt(2e5))
    assert result.estimate == pytest.approx([0.8, 0.2])
    assert np.all(np.abs(result.bias) < 5 * closed_form / math.sqrt(1e5))


def test_the_seed_decides_and_the_generator_is_used() -> None:
    first = bootstrap([[6, 4]], shares(WARNER), replicates=50, rng=3)
    again = bootstrap([[6, 4]], shares(WARNER), replicates=50, rng=np.random.default_rng(3))
    other = bootstrap([[6, 4]], shares(WARNER), replicates=50, rng=4)
    assert np.array_equal(first.replicates, again.replicates)
    assert not np.array_equal(first.replicates, other.replicates)


def test_groups_are_resampled_each_to_its_own_size_and_independently() -> None:
    sizes: list[set[int]] = []

    def both(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        sizes.append({int(n) for n in a.sum(axis=1)} | {-int(n) for n in b.sum(axis=1)})
        return np.stack([a[:, 1], b[:, 1]], axis=1)

    result = bootstrap([[30, 70], [300, 100]], both, replicates=20_000, rng=5)
    assert {100, -400} in sizes
    # The error of a correlation of 0 is 1 / sqrt(20,000): five of them.
    assert abs(np.atleast_2d(np.corrcoef(result.replicates.T))[0, 1]) < 5 / math.sqrt(20_000)
    assert result.standard_error == pytest.approx(
        [math.sqrt(100 * 0.3 * 0.7), math.sqrt(400 * 0.75 * 0.25)], rel=5 / math.sqrt(40_000)
    )


def test_joint_counts_keep_their_shape() -> None:
    joint = np.array([[40, 10, 5], [5, 20, 20]])

    def covariance(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        share = counts / counts.sum(axis=(1, 2), keepdims=True)
        yes, often = share[:, 1].sum(axis=1), share[:, :, 1:] @ np.array([1.0, 2.0])
        found: npt.NDArray[np.float64] = often[:, 1] - yes * often.sum(axis=1)
        return found

    result = bootstrap([joint], covariance, replicates=2000, rng=6)
    assert result.replicates.shape == (2000,)
    rows = np.repeat([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)], joint.ravel(), axis=0)
    assert result.estimate == pytest.approx(_covariance(rows))
    left_out = [_covariance(np.delete(rows, i, axis=0)) for i in range(100)]
    variance = 99 / 100 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2)
    assert jackknife([joint], covariance).standard_error == pytest.approx(math.sqrt(variance))


def test_the_percentile_interval_is_between_quantiles_of_the_replicates() -> None:
    result = bootstrap([[65, 60]], shares(WARNER), replicates=999, rng=7)
    expected = np.quantile(result.replicates, [0.05, 0.95], axis=0).T
    assert result.interval(0.9, "percentile") == pytest.approx(expected)


# scipy resamples rows, and its jackknife leaves out one row after the other.
@pytest.mark.parametrize("seed", [1, 2])
def test_bca_is_scipy_s_up_to_the_randomness_of_both(seed: int) -> None:
    counts, values = np.array([8, 14, 15, 7, 3, 1]), np.array([0.0, 1.0, 2.5, 4.3, 5.9, 7.1])
    rows = np.repeat(values, counts)
    expected = stats.bootstrap(
        (rows,), np.var, n_resamples=40_000, method="BCa", rng=np.random.default_rng(seed)
    )
    found = bootstrap([counts], _variance_of(values), replicates=40_000, rng=seed)
    interval = expected.confidence_interval
    assert found.estimate == pytest.approx(rows.var())
    assert found.interval() == pytest.approx([interval.low, interval.high], rel=0.02)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.02)
    # So that the comparison could fail: the percentile interval is another one.
    percentile = found.interval(method="percentile")
    assert np.all(np.abs(percentile / found.interval() - 1) > 0.05)


def test_bca_of_two_groups_is_scipy_s() -> None:
    values = np.array([0.0, 1.0, 2.0, 6.0])
    a, b = np.array([20, 10, 5, 3]), np.array([5, 5, 4, 4])
    rows = (np.repeat(values, a), np.repeat(values, b))
    expected = stats.bootstrap(
        rows,
        lambda x, y, axis: y.mean(axis=axis) / x.mean(axis=axis),
        n_resamples=40_000,
        method="BCa",
        rng=np.random.default_rng(3),
    ).confidence_interval
    mean = _mean_of(values)
    found = bootstrap([a, b], lambda x, y: mean(y) / mean(x), replicates=40_000, rng=3)
    assert found.interval() == pytest.approx([expected.low, expected.high], rel=0.03)
    percentile = found.interval(method="percentile")
    assert abs(percentile[1] / found.interval()[1] - 1) > 0.03


def test_bca_is_efron_s_formula_by_hand() -> None:
    result = bootstrap([[2, 9, 4]], _mean_of([0.0, 1.0, 5.0]), replicates=500, rng=8)
    replicates = np.sort(result.replicates)
    below = (
        sum(r < result.estimate for r in replicates)
        + sum(r == result.estimate for r in replicates) / 2
    )
    z0 = stats.norm.ppf(below / 500)
    # The acceleration of a mean is a sixth of the skewness over the root of n.
    rows = np.repeat([0.0, 1.0, 5.0], [2, 9, 4])
    a = stats.skew(rows) / 6 / math.sqrt(15)
    assert result.acceleration == pytest.approx(a)
    ends = []
    for z in (-1.6448536269514722, 1.6448536269514722):
        position = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) * 499
        whole = math.floor(position)
        step = replicates[whole + 1] - replicates[whole]
        ends.append(replicates[whole] + (position - whole) * step)
    assert result.interval(0.9) == pytest.approx(ends, abs=1e-9)
    assert result.interval(0.9)[1] > result.interval(0.9, "percentile")[1]


@pytest.mark.parametrize("seed", range(3))
def test_the_jackknife_leaves_out_one_respondent_after_the_other(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=4)
    groups = [random.integers(0, 6, size=4) + 1, random.integers(0, 9, size=4) + 1]
    groups[0][2] = 0

    def ratio(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return _mean_of(values**2)(a) / _mean_of(values**2)(b)

    rows = [np.repeat(values**2, group) for group in groups]
    whole = rows[0].mean() / rows[1].mean()
    variance = bias = cubes = squares = 0.0
    for which, own in enumerate(rows):
        n = len(own)
        means = np.array([np.delete(own, i).mean() for i in range(n)])
        left_out = means / rows[1].mean() if which == 0 else rows[0].mean() / means
        variance += (n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()
        bias += (n - 1) * (left_out.mean() - whole)
        influence = (n - 1) * (left_out.mean() - left_out)
        cubes += (influence**3).sum() / n**3
        squares += (influence**2).sum() / n**2
    found = jackknife(groups, ratio)
    assert found.estimate == pytest.approx(whole)
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.bias == pytest.approx(bias, abs=1e-12)
    assert found.acceleration == pytest.approx(cubes / squares**1.5 / 6)


def test_the_jackknife_of_a_mean_is_the_usual_standard_error_without_bias() -> None:
    counts = [65, 60]
    channel = designs.warner(flip="3/10")
    found = jackknife([counts], shares(channel))
    assert found.standard_error == pytest.approx([0.1121634752] * 2, abs=1e-9)  # RRTCS, WarnerData
    assert found.standard_error == pytest.approx(estimate(counts, channel).standard_error)
    assert found.bias == pytest.approx([0, 0], abs=1e-12)


def test_the_jackknife_takes_the_bias_of_a_variance_away() -> None:
    counts, values = np.array([3, 5, 4]), np.array([0.0, 1.0, 4.0])

    found = jackknife([counts], _variance_of(values))
    rows = np.repeat(values, counts)
    assert found.estimate - found.bias == pytest.approx(rows.var(ddof=1))


def test_resamples_that_are_all_alike_say_nothing_and_not_that_all_is_certain() -> None:
    result = bootstrap([[0, 12]], shares(WARNER), replicates=100, rng=9)
    assert np.isnan(result.standard_error).all()
    for method in ("bca", "percentile"):
        assert np.isnan(result.interval(method=method)).all()
    assert jackknife([[0, 12]], shares(WARNER)).standard_error == pytest.approx([0, 0], abs=1e-12)


def test_bca_is_not_defined_where_all_replicates_are_on_one_side() -> None:
    # The number of distinct reports is the greatest possible one; almost no resample has them all.
    counts = np.ones(40, dtype=np.int64)
    result = bootstrap([counts], lambda drawn: (drawn > 0).sum(axis=1), replicates=100, rng=10)
    assert np.isnan(result.interval()).all()
    assert np.isfinite(result.interval(method="percentile")).all()


def test_the_shares_are_those_of_an_estimate() -> None:
    channel = designs.k_ary(3, 1)
    tables = np.array([[20, 30, 50], [90, 5, 5]])
    for found, table in zip(shares(channel)(tables), tables, strict=True):
        assert found == pytest.approx(estimate(table, channel).theta)


def test_the_likely_shares_are_those_of_an_estimate_and_stay_inside() -> None:
    channel = designs.k_ary(3, 1)
    tables = np.array([[20, 30, 50], [90, 5, 5], [20, 30, 50]])
    for found, table in zip(maximum_likelihood_shares(channel)(tables), tables, strict=True):
        assert found == pytest.approx(estimate(table, channel).maximum_likelihood)
    result = bootstrap([[90, 10]], maximum_likelihood_shares(WARNER), replicates=300, rng=11)
    assert result.replicates.min() >= 0
    assert result.interval().shape == (2, 2)


def test_the_cost_does_not_depend_on_the_number_of_respondents() -> None:
    begin = time.process_time()
    result = bootstrap([[600_000_000, 400_000_000]], shares(WARNER), rng=12)
    assert time.process_time() - begin < 0.5  # 3 ms on an idle machine
    closed_form = math.sqrt(0.6 * 0.4 / 1e9) / 0.5
    assert result.standard_error == pytest.approx([closed_form] * 2, rel=5 / math.sqrt(2e4))


def test_intervals_of_a_share_cover_about_as_often_as_they_say() -> None:
    # 400 surveys of 500: nominal .95, with a standard error of .011; five of them, 6e-7 by chance.
    random = np.random.default_rng(13)
    held = 0
    for yes in random.binomial(500, 0.25 + 0.5 * 0.3, size=400):
        result = bootstrap([[500 - yes, yes]], shares(WARNER), replicates=1000, rng=random)
        low, high = result.interval()[1]
        held += int(low <= 0.3 <= high)
    assert abs(held / 400 - 0.95) < 0.055


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], "at least one group, found none"),
        ([[5, 5], [1, 0]], "group 1: expected at least 2 respondents, found 1"),
        ([[5, -1]], "group 0: expected counts of at least 0, found -1"),
        ([[0.5, 1.5]], "group 0: expected an array of counts that are integers"),
        ([60, 40], "a single group is given as a sequence of one"),
    ],
)
def test_counts_that_are_none_are_refused(groups: list[npt.ArrayLike], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap(groups, shares(WARNER))
    with pytest.raises(ValueError, match=message):
        jackknife(groups, shares(WARNER))


def test_what_is_no_bootstrap_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 replicates, found 1"):
        bootstrap([[6, 4]], shares(WARNER), replicates=1)
    with pytest.raises(ValueError, match="one for each table, found"):
        bootstrap([[6, 4]], lambda counts: counts.sum())
    result = bootstrap([[6, 4]], shares(WARNER), replicates=10, rng=1)
    with pytest.raises(ValueError, match="bca, percentile, found 'wald'"):
        result.interval(method="wald")
    with pytest.raises(ValueError, match="between 0 and 1"):
        result.interval(95)
