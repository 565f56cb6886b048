import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, stats

from deniable import designs, identity
from deniable.analysis.joint.association import ChiSquareTest, homogeneity, independence
from tests.analysis.enumeration import tables
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

WARNER = designs.warner(flip="1/4")
MILD = designs.warner(flip="1/10")
FORCED = designs.forced_response("2/3", "1/2")
TABLE = np.array([[60, 40, 25], [110, 90, 11], [20, 55, 30]])


@pytest.mark.parametrize("method", ["pearson", "score"])
def test_direct_answers_give_the_textbook_s_statistic(method: str) -> None:
    expected = stats.chi2_contingency(TABLE, correction=False)
    for test in (
        homogeneity(list(TABLE), identity(3), method),
        independence(TABLE, [identity(3), identity(3)], method),
    ):
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.degrees_of_freedom == expected.dof
        assert test.p_value == pytest.approx(expected.pvalue)
        assert (test.method, test.boundary) == (method, False)


def test_score_is_pearson_s_for_as_many_reports() -> None:
    k_ary = designs.k_ary(3, 1)
    assert homogeneity(list(TABLE), k_ary, "score").statistic == pytest.approx(
        homogeneity(list(TABLE), k_ary, "pearson").statistic
    )
    assert independence(TABLE[:2], [FORCED, k_ary], "score").statistic == pytest.approx(
        stats.chi2_contingency(TABLE[:2], correction=False).statistic
    )


def test_more_reports_cost_pearson_degrees_of_freedom() -> None:
    for method, freedom in [("pearson", 4), ("score", 2), ("wald", 2), ("likelihood-ratio", 2)]:
        assert homogeneity(list(TABLE), THREE_REPORTS, method).degrees_of_freedom == freedom
    for method, freedom in [("pearson", 4), ("score", 1), ("wald", 1), ("likelihood-ratio", 1)]:
        test = independence(TABLE, [THREE_REPORTS, THREE_REPORTS], method)
        assert test.degrees_of_freedom == freedom


def test_three_groups_by_wald_are_weighted_distances() -> None:
    groups, channels = [[60, 140], [110, 90], [100, 100]], [WARNER, FORCED, MILD]
    theta, variance = [], []
    for (no, yes), channel in zip(groups, channels, strict=True):
        c, other = channel.probabilities[0, 1], channel.probabilities[1, 1]
        theta.append((yes / 200 - c) / (other - c))
        variance.append(no * yes / 200**3 / (other - c) ** 2)
    mean = np.average(theta, weights=1 / np.array(variance))
    expected = np.sum((np.array(theta) - mean) ** 2 / variance)
    test = homogeneity(groups, channels, "wald")
    assert test.statistic == pytest.approx(expected)
    assert test.degrees_of_freedom == 2


def test_likelihood_ratios_agree_with_a_line_search() -> None:
    groups, channels = [[120, 80], [110, 90], [130, 70]], [WARNER, FORCED, MILD]

    def loss(share: float, which: list[int]) -> float:
        P = [np.array([1 - share, share]) @ channels[g].probabilities for g in which]
        return -float(sum(np.array(groups[g]) @ np.log(p) for g, p in zip(which, P, strict=True)))

    def best(which: list[int]) -> float:
        found = optimize.minimize_scalar(
            loss, bounds=(0, 1), args=(which,), method="bounded", options={"xatol": 1e-10}
        )
        return float(found.fun)

    expected = 2 * (best([0, 1, 2]) - sum(best([g]) for g in range(3)))
    test = homogeneity(groups, channels, "likelihood-ratio")
    assert test.statistic == pytest.approx(expected, abs=1e-6)
    assert test.degrees_of_freedom == 2
    assert not test.boundary


def test_two_items_likelihood_ratio_agrees_with_an_optimiser() -> None:
    counts = np.array([[20, 31, 9], [14, 8, 30]])
    channels = [WARNER, THREE_REPORTS]

    def loss(theta: npt.NDArray[np.float64]) -> float:
        P = channels[0].probabilities.T @ theta.reshape(2, 2) @ channels[1].probabilities
        return -float(np.sum(counts * np.log(np.maximum(P, 1e-300))))

    saturated = optimize.minimize(
        loss,
        x0=np.full(4, 0.25),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints=optimize.LinearConstraint(np.ones((1, 4)), 1, 1),
        options={"ftol": 1e-14},
    )
    # Independent truths: the most likely shares of each item by itself.
    separate = [
        optimize.minimize_scalar(
            lambda share, c=channel, m=margin: -float(m @ np.log([1 - share, share] @ c)),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-10},
        ).x
        for channel, margin in (
            (WARNER.probabilities, counts.sum(axis=1)),
            (THREE_REPORTS.probabilities, counts.sum(axis=0)),
        )
    ]
    first, second = ([1 - s, s] for s in separate)
    restricted = loss(np.outer(first, second).ravel())
    test = independence(counts, channels, "likelihood-ratio")
    assert test.statistic == pytest.approx(2 * (restricted - saturated.fun), abs=1e-5)
    assert test.boundary == bool(saturated.x.min() < 1e-4)


def test_a_fit_on_the_boundary_is_said() -> None:
    assert homogeneity([[95, 5], [40, 60]], WARNER, "likelihood-ratio").boundary
    assert independence([[90, 0], [0, 10]], [WARNER, WARNER], "likelihood-ratio").boundary


# All data that two groups of 60 can send; the nominal level is reached in large samples only.
@pytest.mark.parametrize(
    ("method", "low", "high"),
    first_of(
        [
            ("likelihood-ratio", 0.04, 0.06),
            ("score", 0.04, 0.06),
            ("pearson", 0.04, 0.06),
            ("wald", 0.045, 0.07),
        ]
    ),
)
def test_alike_groups_are_told_apart_as_said(method: str, low: float, high: float) -> None:
    n, rate = 60, 0.25 + 0.5 * 0.4
    chance = stats.binom.pmf(np.arange(n + 1), n, rate)
    level = math.fsum(
        (1 if i == j else 2) * chance[i] * chance[j]  # the test does not mind the groups' order
        for i, j in itertools.combinations_with_replacement(range(n + 1), 2)
        if chance[i] * chance[j] > 1e-6
        and homogeneity([[n - i, i], [n - j, j]], WARNER, method).p_value < 0.05
    )
    assert low < level < high


@pytest.mark.parametrize(
    ("method", "low", "high"),
    first_of(
        [
            ("pearson", 0.04, 0.06),
            ("wald", 0.04, 0.09),
            ("score", 0.04, 0.06),
            ("likelihood-ratio", 0.03, 0.07),
        ]
    ),
)
def test_independent_items_seem_associated_as_said(method: str, low: float, high: float) -> None:
    rows, columns = np.array([0.5, 0.5]), np.array([0.6, 0.4])
    P = np.outer(rows @ MILD.probabilities, columns @ identity(2).probabilities)
    level = math.fsum(
        chance
        for chance, counts in tables(24, P, least=1e-5)
        if independence(counts, [MILD, identity(2)], method).p_value < 0.05
    )
    assert low < level < high


def test_an_answer_that_nobody_gave_is_left_out() -> None:
    counts = [[9, 0, 8], [5, 0, 12]]
    expected = stats.chi2_contingency(np.delete(counts, 1, axis=1), correction=False)
    for method in ("pearson", "score"):
        test = homogeneity(counts, identity(3), method)
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.degrees_of_freedom == 1


def test_a_departure_without_a_variance_is_not_judged() -> None:
    test = homogeneity([[9, 0], [0, 5]], identity(2), "wald")
    assert math.isnan(test.statistic)
    assert math.isnan(test.p_value)
    assert homogeneity([[9, 0], [0, 5]], identity(2), "pearson").p_value < 0.001
    assert math.isnan(ChiSquareTest(math.nan, 1, "wald").p_value)
