"""Power, significance and sample sizes: brute force, the program rr, and textbooks."""

import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.planning import power as module
from deniable.analysis.planning.power import power_two_groups, sample_size_two_groups
from deniable.analysis.planning.significance import PlannedTest, two_binomials_reject
from deniable.channel import identity
from tests.kit import first_of

NIGERIA = designs.forced_response("2/3", "1/2")
COINS = designs.truth_or_random()


def test_direct_sample_sizes_are_the_textbooks() -> None:
    """((1.96 sqrt(2 × .325 × .675) + .8416 sqrt(.25 × .75 + .4 × .6)) / .15)^2 = 151.9."""
    found = sample_size_two_groups(identity(2), shares=(0.25, 0.4), test=PlannedTest("normal"))
    assert (found.n, found.holds_to) == ((152, 152), math.inf)


def test_two_groups_are_tested_at_their_common_share() -> None:
    test = PlannedTest("score")
    found = power_two_groups(COINS, (30, 90), shares=(0.2, 0.6), test=test)
    same = power_two_groups(COINS, (30, 90), shares=(0.5, 0.5), test=test)
    assert found.size == pytest.approx(same.power)
    assert same.power == pytest.approx(same.size)


def test_rr_s_two_groups_with_a_pooled_error() -> None:
    # Normal: variance (.25 + .5 s)(.75 - .5 s) / .25 of two coins, pooled under the hypothesis.
    n, shares = (300, 500), (0.1, 0.25)
    rates = [0.25 + 0.5 * s for s in shares]
    pooled = (300 * rates[0] + 500 * rates[1]) / 800
    null_error = math.sqrt(pooled * (1 - pooled) * (1 / 300 + 1 / 500)) / 0.5
    error = math.sqrt(sum(r * (1 - r) / k for r, k in zip(rates, n, strict=True))) / 0.5
    expected = stats.norm.sf((1.6448536269514722 * null_error - 0.15) / error)
    test = PlannedTest("normal", "greater")
    found = power_two_groups(COINS, n, shares=shares, test=test)
    assert found.power == pytest.approx(expected)
    assert found.size == 0.05


@pytest.mark.parametrize(
    ("method", "shares"),
    [("exact", (0.1, 0.8)), ("score", (0.9, 0.2)), ("score", (0.1, 0.6)), ("normal", (0.1, 0.8))],
)
def test_two_groups_get_the_smallest_lasting_size(method: str, shares: tuple[float, float]) -> None:
    test = PlannedTest(method)
    found = sample_size_two_groups(COINS, shares=shares, test=test)
    n = found.n[0]
    powers = [
        power_two_groups(COINS, (k, k), shares=shares, test=test).power
        for k in range(n - 5, n + 40)
    ]
    assert powers[5] == found.power >= 0.8
    assert min(powers[5:]) >= 0.8
    assert powers[4] < 0.8
    assert found.n == (n, n)
    assert found.holds_to >= n + 10


def test_in_large_groups_no_tooth_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    test = PlannedTest("score")
    looked = sample_size_two_groups(COINS, shares=(0.1, 0.3), test=test)
    monkeypatch.setattr(module, "_EVEN", 10)
    taken = sample_size_two_groups(COINS, shares=(0.1, 0.3), test=test)
    assert taken.holds_to == taken.n[0] <= looked.n[0]
    assert taken.n[0] > looked.n[0] - 10
    assert taken.power >= 0.8


ALTERNATIVES = ["two-sided", "greater", "less"]


def _sides(alternative: str, few: float, many: float, significance: float) -> bool:
    """Whether one of the one-sided p-values that are asked for is small enough."""
    if alternative == "two-sided":
        return min(few, many) <= significance / 2
    return (many if alternative == "greater" else few) <= significance


def _p_values(method: str, yes: tuple[int, ...], n: tuple[int, int]) -> tuple[float, float]:
    """Compute by scipy how likely so few more, and so many more, say yes in the second group."""
    (x, y), (of_x, of_y) = yes, n
    if method == "exact":
        table = np.array([[y, of_y - y], [x, of_x - x]])
        few, many = (stats.fisher_exact(table, side).pvalue for side in ("less", "greater"))
        return float(few), float(many)
    if not 0 < x + y < sum(n):
        return 1, 1
    table = np.array([[x, of_x - x], [y, of_y - y]])
    root = math.sqrt(stats.chi2_contingency(table, correction=False).statistic)
    z = math.copysign(root, y / of_y - x / of_x)
    return float(stats.norm.cdf(z)), float(stats.norm.sf(z))


@pytest.mark.parametrize("method", ["exact", "score"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("n", "rates"),
    first_of(
        [
            ((9, 17), (0.8, 0.4)),
            ((1, 1), (0.0, 1.0)),
            ((12, 12), (0.3, 0.6)),
            ((30, 5), (0.05, 0.5)),
        ]
    ),
)
def test_two_rates_are_rejected_as_by_scipy(
    method: str, alternative: str, n: tuple[int, int], rates: tuple[float, float]
) -> None:
    power = 0.0
    for yes in np.ndindex(n[0] + 1, n[1] + 1):
        if _sides(alternative, *_p_values(method, yes, n), 0.05):
            power += float(np.prod(stats.binom.pmf(yes, n, rates)))
    found = two_binomials_reject(n, rates, PlannedTest(method, alternative))
    assert found == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize("method", ["exact", "score"])
def test_large_groups_leave_out_nothing_that_counts(method: str) -> None:
    # 2000 and 3000 reports: here by the normal curve, to which the exact chance is near.
    rates, n = (0.3, 0.33), (2000, 3000)
    pooled = (2000 * 0.3 + 3000 * 0.33) / 5000
    null_error = math.sqrt(pooled * (1 - pooled) * (1 / 2000 + 1 / 3000))
    error = math.sqrt(0.3 * 0.7 / 2000 + 0.33 * 0.67 / 3000)
    expected = stats.norm.cdf((0.03 - 1.959964 * null_error) / error)
    found = two_binomials_reject(n, rates, PlannedTest(method))
    assert found == pytest.approx(expected, abs=0.02)
    assert two_binomials_reject(n, (0.3, 0.6), PlannedTest(method)) == pytest.approx(1, abs=1e-12)
