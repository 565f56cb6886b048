"""How often tests reject: every outcome enumerated, and scipy's own tests asked about each."""

import math

import numpy as np
import pytest
from scipy import stats

from deniable.analysis.planning.significance import (
    PlannedTest,
    binomial_rejects,
    enough_by_hoeffding,
    two_binomials_reject,
)
from tests.quickly import first_of

ALTERNATIVES = ["two-sided", "greater", "less"]
RATES = [(0.25, 0.4), (0.6, 0.35), (0.0, 0.1), (1.0, 0.9), (0.02, 0.01), (0.5, 0.5)]


def _sides(alternative: str, few: float, many: float, significance: float) -> bool:
    """Whether one of the one-sided p-values that are asked for is small enough."""
    if alternative == "two-sided":
        return min(few, many) <= significance / 2
    return (many if alternative == "greater" else few) <= significance


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("null", "planned"), RATES)
def test_the_exact_test_rejects_as_scipy_s(alternative: str, null: float, planned: float) -> None:
    for n in (1, 2, 7, 40, 63):
        rejected = [
            x
            for x in range(n + 1)
            if _sides(
                alternative,
                stats.binomtest(x, n, null, "less").pvalue,
                stats.binomtest(x, n, null, "greater").pvalue,
                0.1,
            )
        ]
        size, power = binomial_rejects(
            np.array([n]), (null, planned), PlannedTest("exact", alternative, 0.1)
        )
        assert size[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, null)), abs=1e-12)
        assert power[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, planned)), abs=1e-12)
        assert size[0] <= 0.1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("null", "planned"), RATES)
def test_the_score_test_by_enumeration(alternative: str, null: float, planned: float) -> None:
    z = stats.norm.isf(0.1 / (2 if alternative == "two-sided" else 1))
    for n in (1, 2, 7, 40, 63):
        x = np.arange(n + 1)
        excess = x - n * null
        beyond = (np.abs(excess) >= z * math.sqrt(n * null * (1 - null))) & (excess != 0)
        sides = {"two-sided": excess != 0, "greater": excess > 0, "less": excess < 0}
        rejected = x[beyond & sides[alternative]]
        size, power = binomial_rejects(
            np.array([n]), (null, planned), PlannedTest("score", alternative, 0.1)
        )
        assert size[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, null)), abs=1e-12)
        assert power[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, planned)), abs=1e-12)


def test_exact_tests_may_reject_before_the_normal_curve() -> None:
    # 95 % of 200: the chance of 197 or more is .0090, where the normal curve asks for 198.
    assert stats.binom.sf(196, 200, 0.95) <= 0.01 < stats.binom.sf(195, 200, 0.95)
    _, power = binomial_rejects(
        np.array([200]), (0.95, 0.99), PlannedTest("exact", "greater", 0.01)
    )
    assert power[0] == pytest.approx(stats.binom.sf(196, 200, 0.99))


def test_all_n_at_once_are_each_n_alone() -> None:
    test = PlannedTest("exact", "two-sided", 0.05)
    n = np.arange(1, 300)
    together = binomial_rejects(n, (0.3, 0.4), test)
    alone = [binomial_rejects(n[i : i + 1], (0.3, 0.4), test) for i in range(len(n))]
    assert together[0].tolist() == [size[0] for size, _ in alone]
    assert together[1].tolist() == [power[0] for _, power in alone]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("n", "rates"),
    [((12, 12), (0.3, 0.6)), ((9, 17), (0.8, 0.4)), ((30, 5), (0.05, 0.5)), ((1, 1), (0.0, 1.0))],
)
def test_fisher_s_test_rejects_as_scipy_s(
    alternative: str, n: tuple[int, int], rates: tuple[float, float]
) -> None:
    power = 0.0
    for x in range(n[0] + 1):
        for y in range(n[1] + 1):
            table = np.array([[y, n[1] - y], [x, n[0] - x]])
            few, many = (
                float(stats.fisher_exact(table, side).pvalue) for side in ("less", "greater")
            )
            if _sides(alternative, few, many, 0.05):
                power += float(np.prod(stats.binom.pmf([x, y], n, rates)))
    found = two_binomials_reject(n, rates, PlannedTest("exact", alternative))
    assert found == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("n", "rates"),
    first_of(
        [
            ((9, 17), (0.8, 0.4)),
            ((1, 1), (0.0, 1.0)),
            ((12, 12), (0.3, 0.6)),
            ((31, 12), (0.05, 0.3)),
        ]
    ),
)
def test_the_score_test_of_two_groups_is_the_chi_square_test(
    alternative: str, n: tuple[int, int], rates: tuple[float, float]
) -> None:
    power = 0.0
    for x in range(n[0] + 1):
        for y in range(n[1] + 1):
            if 0 < x + y < sum(n):
                table = np.array([[x, n[0] - x], [y, n[1] - y]])
                chi_square = stats.chi2_contingency(table, correction=False).statistic
                z = math.copysign(math.sqrt(chi_square), y / n[1] - x / n[0])
                if _sides(alternative, stats.norm.cdf(z), stats.norm.sf(z), 0.05):
                    power += float(np.prod(stats.binom.pmf([x, y], n, rates)))
    found = two_binomials_reject(n, rates, PlannedTest("score", alternative))
    assert found == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize("method", ["exact", "score"])
def test_what_is_left_out_in_large_groups_is_nothing(method: str) -> None:
    # 2000 and 3000 reports: here by the normal curve, to which the exact chance is near.
    rates, n = (0.3, 0.33), (2000, 3000)
    pooled = (2000 * 0.3 + 3000 * 0.33) / 5000
    null_error = math.sqrt(pooled * (1 - pooled) * (1 / 2000 + 1 / 3000))
    error = math.sqrt(0.3 * 0.7 / 2000 + 0.33 * 0.67 / 3000)
    expected = stats.norm.cdf((0.03 - 1.959964 * null_error) / error)
    found = two_binomials_reject(n, rates, PlannedTest(method))
    assert found == pytest.approx(expected, abs=0.02)
    assert two_binomials_reject(n, (0.3, 0.6), PlannedTest(method)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("method", ["exact", "score"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("null", "planned"), [(0.5, 0.6), (0.02, 0.1), (0.95, 0.9), (0.3, 0.9)])
def test_hoeffding_holds(method: str, alternative: str, null: float, planned: float) -> None:
    if alternative != "two-sided":
        alternative = "greater" if planned > null else "less"
    for power in (0.5, 0.8, 0.99):
        test = PlannedTest(method, alternative, 0.01)
        enough = enough_by_hoeffding(abs(planned - null), power, test)
        # The promise itself: a whole report is left between the two bounds.
        spread = sum(math.sqrt(math.log(1 / a) / 2) for a in (test.tail, 1 - power))
        assert enough * abs(planned - null) >= spread * math.sqrt(enough) + 1
        beyond = np.arange(enough, 2 * enough + 100)
        assert binomial_rejects(beyond, (null, planned), test)[1].min() >= power
