"""Several arms: the closed forms of the papers, enumeration, and brute-force likelihoods."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from deniable import designs
from deniable.channel import Channel
from deniable.reanalysis.arms import ArmsEstimate, ArmsRatio, estimate_arms, least_variance_in_arms
from deniable.reanalysis.designs import (
    Arms,
    Share,
    beside_direct_question,
    cheating_detection,
    stochastic_lie_detector,
    symmetric_cheating_detection,
    unrelated_question,
)

CDM = cheating_detection(["1/4", "3/4"])
SLD = stochastic_lie_detector(["1/5", "4/5"])
N1, N2 = 400, 600
YES1, YES2 = 148, 321


def _two_arms(arms: Arms) -> ArmsEstimate:
    return estimate_arms([[N1 - YES1, YES1], [N2 - YES2, YES2]], arms)


def _rates() -> tuple[float, float, float, float]:
    """λ of each arm and its variance with n - 1, as RRreg has it."""
    l1, l2 = YES1 / N1, YES2 / N2
    return l1, l2, l1 * (1 - l1) / (N1 - 1), l2 * (1 - l2) / (N2 - 1)


@pytest.mark.parametrize(
    ("arms", "counts_for", "constant"),
    [
        # Greenberg et al. (1969): ((1 - p2) λ1 - (1 - p1) λ2) / (p1 - p2) of the sensitive one.
        (unrelated_question([0.7, 0.3]), [[1.75, -0.75], [-0.75, 1.75]], [0, 0]),
        # Clark and Desharnais (1998): (λ2 - λ1) / (p2 - p1) and (p2 λ1 - p1 λ2) / (p2 - p1).
        (CDM, [[-2, 2], [1.5, -0.5], [0.5, -1.5]], [0, 0, 1]),
        # Ostapczuk et al. (2009): (y2 λ1 - y1 λ2) / (y2 (1 - n1) - y1 (1 - n2)) of honest yeses.
        (
            symmetric_cheating_detection([0.2, 0.6], [0.1, 0.3]),
            [[-1.75, 2.25], [1.5, -0.5], [0.25, -1.75]],
            [0, 0, 1],
        ),
    ],
    ids=["Greenberg", "Clark and Desharnais", "Ostapczuk"],
)
def test_estimates_and_variances_are_the_papers(
    arms: Arms, counts_for: list[list[float]], constant: list[float]
) -> None:
    """By what the rates λ of both arms count for in each share, in the order of the shares."""
    l1, l2, v1, v2 = _rates()
    A = np.array(counts_for)
    result = _two_arms(arms)
    assert result.theta == pytest.approx(A @ [l1, l2] + constant, abs=1e-8)
    assert result.covariance == pytest.approx(A * [v1, v2] @ A.T, abs=1e-8)


def test_moshagen_s_estimators_and_variances() -> None:
    p1, p2 = 0.2, 0.8
    l1, l2, v1, v2 = _rates()
    l1, l2, v1, v2 = l2, l1, v2, v1  # more non-carriers say yes in the first arm
    result = estimate_arms([[N2 - YES2, YES2], [N1 - YES1, YES1]], SLD)
    assert result.theta[3] == pytest.approx((l2 - l1 + p2 - p1) / (p2 - p1), abs=1e-8)
    assert result.standard_error[3] == pytest.approx(math.sqrt(v1 + v2) / (p2 - p1), abs=1e-8)
    truthful = result.ratio("truthful carrier", "carrier")
    d = l2 - l1 + p2 - p1
    assert truthful.theta == pytest.approx((l2 * (1 - p1) - l1 * (1 - p2)) / d, abs=1e-8)
    # The delta method on that formula, with its derivatives written out.
    by_l1 = (p2 - p1) * (l2 + p2 - 1) / d**2
    by_l2 = (p2 - p1) * (1 - p1 - l1) / d**2
    assert truthful.standard_error == pytest.approx(
        math.sqrt(by_l1**2 * v1 + by_l2**2 * v2), abs=1e-7
    )


def test_fieller_s_interval_holds_uncontradicted_ratios() -> None:
    result = estimate_arms([[N2 - YES2, YES2], [N1 - YES1, YES1]], SLD)
    ratio = result.ratio("truthful carrier", "carrier")
    for r in ratio.interval(0.9):
        contrast = np.array([1, -r])
        z = (ratio.numerator - r * ratio.denominator) / math.sqrt(
            contrast @ ratio.covariance @ contrast
        )
        assert abs(z) == pytest.approx(1.6448536, abs=1e-6)
    low, high = ratio.interval(0.9)
    assert low < ratio.theta < high
    low, high = ratio.interval(0.9, method="wald")
    assert (high - low) / 2 == pytest.approx(1.6448536 * ratio.standard_error, rel=1e-6)
    assert (high + low) / 2 == pytest.approx(ratio.theta)


def test_a_ratio_to_about_nothing_says_so() -> None:
    nothing = estimate_arms([[80, 20], [20, 80]], SLD)
    assert nothing.theta[3] == pytest.approx(2, abs=1e-8)
    few = estimate_arms([[21, 79], [79, 21]], SLD).ratio("truthful carrier", "carrier")
    assert few.interval().tolist() == few.interval(method="wald").tolist() == [0, 1]
    assert math.isnan(few.theta)
    assert math.isnan(few.standard_error)
    assert not few.outside
    none = ArmsRatio(
        np.array(math.nan), np.array(math.nan), 0.1, 0.0, (0.0, math.inf), np.eye(2) / 100
    )
    assert none.interval().tolist() == [0, math.inf]
    direct = estimate_arms([[5, 5], [10, 0]], beside_direct_question(designs.warner("1/4")))
    # Ten people in an arm do not tell that anybody has the trait.
    assert direct.theta[1] == pytest.approx(0.5)
    assert math.isnan(direct.ratio("denier", "sensitive").theta)


@pytest.mark.parametrize(
    "arms",
    [
        CDM,
        CDM.with_direct_question(),
        unrelated_question([0.8, 0.5, 0]),
        stochastic_lie_detector([0.1, 0.5, 0.9]),
        beside_direct_question(designs.warner("1/4"), deniers=False),
    ],
    ids=["cdm", "cdm and direct", "unrelated, three arms", "sld, three arms", "warner and direct"],
)
def test_unbiased_with_an_unbiased_variance_by_enumeration(arms: Arms) -> None:
    population = np.random.default_rng(3).dirichlet(np.ones(len(arms.classes)))
    sizes = [2, 4, 3][: len(arms.channels)]
    rates = [float((population @ channel.probabilities)[1]) for channel in arms.channels]
    mean = np.zeros(len(arms.shares))
    square = np.zeros((len(arms.shares),) * 2)
    variance = np.zeros_like(square)
    for yes in np.ndindex(*(n + 1 for n in sizes)):
        chance = np.prod(stats.binom.pmf(yes, sizes, rates))
        result = estimate_arms([[n - y, y] for n, y in zip(sizes, yes, strict=True)], arms)
        mean += chance * result.theta
        square += chance * np.outer(result.theta, result.theta)
        variance += chance * result.covariance
    truth = np.array([share.classes for share in arms.shares]) @ population
    assert mean == pytest.approx(truth, abs=1e-8)
    assert variance == pytest.approx(square - np.outer(mean, mean), abs=1e-8)


COUNTS = [
    pytest.param([[90, 10], [150, 150], [40, 10]], id="inside"),
    pytest.param([[30, 70], [10, 90], [20, 80]], id="cheaters below 0"),
    pytest.param([[60, 40], [90, 10], [95, 5]], id="honest no below 0"),
    pytest.param([[100, 0], [100, 0], [100, 0]], id="all no"),
    pytest.param([[0, 1], [7, 0], [1, 0]], id="few"),
]


@pytest.mark.parametrize("counts", COUNTS)
def test_maximum_likelihood_is_that_of_brute_force(counts: list[list[int]]) -> None:
    arms = CDM.with_direct_question()
    result = estimate_arms(counts, arms)
    grid, logs = _grid_likelihood(counts, arms)
    # No point of a fine grid is more likely, and the best one is near.
    best = grid[logs.argmax()]
    found = _log_likelihood(counts, arms, result.maximum_likelihood)
    assert found >= logs.max() - 1e-9
    assert result.maximum_likelihood == pytest.approx(best, abs=0.006)


def _log_likelihood(
    counts: list[list[int]], arms: Arms, theta: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    total = np.zeros(theta.shape[:-1])
    for arm, channel in zip(counts, arms.channels, strict=True):
        P = theta @ channel.probabilities
        with np.errstate(divide="ignore"):
            terms = np.where(np.array(arm) > 0, np.array(arm) * np.log(np.maximum(P, 1e-300)), 0)
        total += terms.sum(axis=-1)
    return total


def _grid_likelihood(
    counts: list[list[int]], arms: Arms
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    steps = np.arange(201)
    a, b = np.meshgrid(steps, steps)
    inside = a + b <= 200
    grid = np.stack([a[inside], b[inside], 200 - a[inside] - b[inside]], axis=-1) / 200
    return grid, _log_likelihood(counts, arms, grid)


@pytest.mark.slow
@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("name", ["cheater", "honest yes", "honest no"])
def test_the_profile_interval_is_that_of_brute_force(counts: list[list[int]], name: str) -> None:
    arms = CDM.with_direct_question()
    result = estimate_arms(counts, arms)
    at = result.names.index(name)
    low, high = result.interval(0.9, method="likelihood")[at]
    grid, logs = _grid_likelihood(counts, arms)
    likely = grid[2 * (logs.max() - logs) <= stats.chi2.ppf(0.9, 1), at]
    assert 0 <= low <= likely.min() + 1e-9
    assert likely.max() - 1e-9 <= high <= 1
    # The grid's profile is rougher than the true one.
    assert low == pytest.approx(likely.min(), abs=0.012)
    assert high == pytest.approx(likely.max(), abs=0.012)


def test_everybody_s_share_is_known() -> None:
    arms = replace(CDM, shares=(Share("everybody", (1, 1, 1)),))
    result = _two_arms(arms)
    assert result.theta == pytest.approx([1])
    assert result.interval(method="likelihood").tolist() == [[1, 1]]
    with pytest.raises(ValueError, match="a share that may be 0, found 'everybody'"):
        result.test_absent("everybody")


def test_no_cheaters_in_closed_form() -> None:
    # Without cheaters λ = π + (1 - π) p: one parameter, by scipy; with them the model fits exactly.
    counts = [[300, 100], [200, 300]]
    result = estimate_arms(counts, CDM)
    assert result.theta.min() > 0

    def deviance(honest_yes: float) -> float:
        rates = [honest_yes + (1 - honest_yes) * p for p in (0.25, 0.75)]
        return -2 * sum(
            n * math.log((1 - r) / (n / (n + y))) + y * math.log(r / (y / (n + y)))
            for (n, y), r in zip(counts, rates, strict=True)
        )

    lowest = optimize.minimize_scalar(deviance, bounds=(0, 1), options={"xatol": 1e-10}).fun
    test = result.test_absent("cheater")
    assert test.degrees_of_freedom == 1
    assert test.statistic == pytest.approx(lowest, rel=1e-6)
    assert test.p_value == pytest.approx(stats.chi2.sf(lowest, 1) / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("counts", "arms", "absent", "found"),
    [
        ([[20, 80], [5, 95]], CDM, "cheater", (0, 1)),  # there are fewer than none
        # Asked directly, somebody said yes: not everybody is an honest no or a cheater.
        (
            [[70, 30], [40, 60], [90, 10]],
            CDM.with_direct_question(),
            "honest yes",
            (math.inf, 0),
        ),
    ],
)
def test_a_hypothesis_may_be_certain_or_impossible(
    counts: list[list[int]], arms: Arms, absent: str, found: tuple[float, float]
) -> None:
    test = estimate_arms(counts, arms).test_absent(absent)
    assert (test.statistic, test.p_value) == found


def test_goodness_of_fit_is_the_deviance() -> None:
    counts = [[300, 200], [850, 150]]
    arms = beside_direct_question(designs.truth_or_random(), deniers=False)
    result = estimate_arms(counts, arms)

    def deviance(share: float) -> float:
        rates = (0.25 + 0.5 * share, share)
        return 2 * sum(
            y * math.log(y / (n + y) / r) + n * math.log(n / (n + y) / (1 - r))
            for (n, y), r in zip(counts, rates, strict=True)
        )

    lowest = optimize.minimize_scalar(deviance, bounds=(0.01, 0.9), options={"xatol": 1e-10}).fun
    fit = result.goodness_of_fit()
    assert result.degrees_of_freedom == fit.degrees_of_freedom == 1
    assert fit.statistic == pytest.approx(lowest, rel=1e-6)
    assert fit.p_value == pytest.approx(stats.chi2.sf(lowest, 1), rel=1e-5)


def test_degrees_of_freedom() -> None:
    three, four = unrelated_question([0.8, 0.5, 0]), stochastic_lie_detector([0.1, 0.2, 0.3, 0.4])
    direct = beside_direct_question(designs.warner(0.3))
    models = (three, four, CDM, direct)
    results = [estimate_arms([[5, 5]] * len(arms.channels), arms) for arms in models]
    assert [result.degrees_of_freedom for result in results] == [1, 2, 0, 0]
    with pytest.raises(ValueError, match="0 degrees of freedom"):
        results[-1].goodness_of_fit()


def test_an_estimate_outside_is_flagged_and_kept() -> None:
    result = estimate_arms([[20, 80], [5, 95]], CDM)
    assert result.theta == pytest.approx([0.3, 0.725, -0.025])
    assert result.outside.tolist() == [False, False, True]
    assert result.maximum_likelihood[2] == 0
    edge = estimate_arms([[30, 10], [10, 30]], CDM)
    assert not edge.outside.any()
    third = estimate_arms([[40, 20], [20, 40]], cheating_detection(["1/3", "2/3"]))
    assert not third.outside.any()


def test_one_report_an_arm_has_no_error() -> None:
    result = estimate_arms([[1, 0], [40, 60]], CDM)
    assert np.isnan(result.standard_error).all()
    assert np.isfinite(result.interval(method="likelihood")).all()


def test_arms_that_cannot_tell_name_the_classes() -> None:
    counts = [[60, 40], [50, 50]]
    with pytest.raises(ValueError, match="'honest no' from 'honest yes' and 'cheater'"):
        estimate_arms(counts, cheating_detection(["1/3", "1/3"]))
    unrelated = unrelated_question([0.7, 0.3])
    together = replace(unrelated, shares=(Share("both", (0, 0, 0, 1)),))
    with pytest.raises(ValueError, match="'both' from 'innocuous alone' and 'sensitive alone'"):
        estimate_arms(counts, together)
    with pytest.raises(ValueError, match="share 'sensitive' is not identifiable"):
        estimate_arms(counts[:1], unrelated_question([0.7]))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda _: estimate_arms([[1, 2]], CDM), "counts of 2 arms, found those of 1"),
        (lambda _: estimate_arms([[1, 2], [1, 2, 3]], CDM), "arm 1: expected 2 counts, one a"),
        (lambda result: result.interval(1.0), "between 0 and 1"),
        (lambda result: result.interval(method="wilson"), "wald, likelihood, found 'wilson'"),
        (lambda result: result.test_absent("liar"), "found 'liar'"),
        (lambda result: result.ratio("cheater", "carriers"), "found 'carriers'"),
        (
            lambda result: result.ratio("cheater", "honest no").interval(method="exact"),
            "an interval of fieller, wald, found 'exact'",
        ),
    ],
)
def test_the_unaskable_is_refused(ask: Callable[[ArmsEstimate], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(_two_arms(CDM))


def test_no_unbiased_tables_have_less_variance() -> None:
    # Pythagoras' condition: what could be added without bias is orthogonal, in the inner
    # product of the variance at equally likely truths. A constant may move from one arm to
    # the other at no cost, so the variance is that of each arm about its own mean.
    channels = (designs.warner(flip="1/4"), designs.kuk("3/4", "1/4", 2))
    arms = Arms(("no", "yes"), channels, (Share("yes", (0, 1)),), directly=(0, 1))
    sizes = [100, 300]
    C = np.hstack([channel.probabilities for channel in channels])
    found = least_variance_in_arms(arms, sizes)
    assert C @ np.concatenate([g[0] for g in found]) == pytest.approx([0, 1], abs=1e-12)
    rows = []
    for channel, g, n in zip(channels, found, sizes, strict=True):
        m = channel.probabilities.mean(axis=0)
        rows.append(m * (g[0] - m @ g[0]) / n)
    null_space = np.linalg.svd(C)[2][2:]
    assert null_space @ np.concatenate(rows) == pytest.approx(0, abs=1e-12)


def test_equal_arms_are_refused_with_what_they_hide() -> None:
    same = Channel([[2**31, 2**31], [2**31, 2**31], [2**30, 3 * 2**30]])
    shares = (Share("third", (0, 0, 1)), Share("second", (0, 1, 0)))
    arms = Arms(("a", "b", "c"), (same, same), shares, directly=(0, 0, 1))
    with pytest.raises(ValueError, match=r"'second' is not identifiable.* tell 'b' from 'a'"):
        least_variance_in_arms(arms, [10, 10])
