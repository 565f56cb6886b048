"""Power, significance and sample sizes: brute force, the program rr, and textbooks."""

import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.planning import power as module
from deniable.analysis.planning.power import (
    power_one_share,
    power_two_groups,
    sample_size_one_share,
    sample_size_two_groups,
)
from deniable.analysis.planning.significance import (
    PlannedTest,
    binomial_rejects,
    enough_by_hoeffding,
    two_binomials_reject,
)
from deniable.channel import Channel, identity
from deniable.estimator import least_variance
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

NIGERIA = designs.forced_response("2/3", "1/2")
COINS = designs.truth_or_random()


def test_rr_prints_the_same_power() -> None:
    # power.rr.test(p = 2/3, p1 = 1/6, p0 = 1/6, n = 200, presp = .2, presp.null = 0,
    # design = "forced-known", sig.level = .01, one.sample, one.sided): 0.9868872.
    test = PlannedTest("normal", "greater", 0.01)
    assert power_one_share(NIGERIA, 200, share=0.2, null=0, test=test).power == pytest.approx(
        0.9868872, abs=5e-8
    )


@pytest.mark.parametrize("method", ["exact", "score"])
@pytest.mark.parametrize(
    ("channel", "share", "null", "alternative"),
    [
        (identity(2), 0.5, 0.9, "two-sided"),
        (COINS, 0.3, 0.0, "greater"),
        (COINS, 0.6, 0.9, "less"),
        (NIGERIA, 0.9, 0.6, "two-sided"),
        (designs.k_ary(4, 2), 0.5, 0.25, "greater"),
    ],
    ids=["direct", "coins", "coins less", "dice", "k-ary"],
)
def test_the_sample_size_is_the_smallest_that_lasts(
    method: str, channel: Channel, share: float, null: float, alternative: str
) -> None:
    test = PlannedTest(method, alternative)
    found = sample_size_one_share(channel, share=share, null=null, test=test)
    (n,) = found.n
    assert found.holds_to == math.inf
    powers = [
        power_one_share(channel, k, share=share, null=null, test=test).power
        for k in range(max(1, n - 30), 4 * n)
    ]
    at = min(30, n - 1)
    assert powers[at] == found.power >= 0.8
    assert min(powers[at:]) >= 0.8
    assert powers[at - 1] < 0.8


def test_a_search_says_how_far_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    for share in (0.05, 0.3, 1):
        everything = sample_size_one_share(COINS, share=share, null=0)
        with monkeypatch.context() as patched:
            patched.setattr(module, "_LOOKED_THROUGH", 1)
            nearby = sample_size_one_share(COINS, share=share, null=0)
        assert (nearby.n, nearby.power) == (everything.n, everything.power)
        assert everything.n[0] <= nearby.holds_to < math.inf


def test_direct_sample_sizes_are_the_textbooks() -> None:
    """Of one: ((1.96 sqrt(.25) + .8416 sqrt(.24)) / .1)^2 = 193.8, the formula of any textbook.

    Of two: ((1.96 sqrt(2 × .325 × .675) + .8416 sqrt(.25 × .75 + .4 × .6)) / .15)^2 = 151.9.
    """
    test = PlannedTest("normal")
    found = sample_size_one_share(identity(2), share=0.6, null=0.5, test=test)
    assert (found.n, found.holds_to) == ((194,), math.inf)
    assert sample_size_two_groups(identity(2), shares=(0.25, 0.4), test=test).n == (152, 152)


def test_the_normal_sample_size_is_the_first_enough() -> None:
    test = PlannedTest("normal", "greater")
    found = sample_size_one_share(THREE_REPORTS, share=[0.7, 0.3], null=0.1, test=test)
    (n,) = found.n
    assert found.power >= 0.8
    before = power_one_share(THREE_REPORTS, n - 1, share=[0.7, 0.3], null=0.1, test=test)
    assert before.power < 0.8


def test_the_normal_power_follows_any_channel_s_variances() -> None:
    # Three truths and four reports. Under the hypothesis the others keep their proportions.
    channel = designs.custom(
        [["1/2", "1/4", "1/8", "1/8"], ["1/8", "1/2", "1/4", "1/8"], ["1/8", "1/8", "1/4", "1/2"]]
    )
    planned, null = np.array([0.2, 0.3, 0.5]), np.array([0.8 * 2 / 7, 0.2, 0.8 * 5 / 7])
    g = least_variance(channel)[1]
    sd = [
        math.sqrt((t @ channel.probabilities) @ g**2 - ((t @ channel.probabilities) @ g) ** 2)
        for t in (planned, null)
    ]
    z = 1.959963984540054
    expected = stats.norm.sf((z * sd[1] - 0.1 * 20) / sd[0]) + stats.norm.cdf(
        (-z * sd[1] - 0.1 * 20) / sd[0]
    )
    test = PlannedTest("normal")
    found = power_one_share(channel, 400, share=planned, null=0.2, test=test)
    assert found.power == pytest.approx(expected)
    assert found.size == 0.05


def test_shares_of_everybody_and_truths_without_error() -> None:
    certain, less = PlannedTest("normal"), PlannedTest("normal", "less")
    everybody = power_one_share(designs.k_ary(3, 1), 50, share=[0, 1, 0], null=0.5, test=less)
    assert 0 <= everybody.power < 0.05
    for null, test, power in ((0, certain, 1), (1, certain, 0), (0, less, 0)):
        assert power_one_share(identity(2), 3, share=1, null=null, test=test).power == power


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
RATES = [(0.25, 0.4), (0.6, 0.35), (0.0, 0.1), (1.0, 0.9), (0.02, 0.01), (0.5, 0.5)]


def _sides(alternative: str, few: float, many: float, significance: float) -> bool:
    """Whether one of the one-sided p-values that are asked for is small enough."""
    if alternative == "two-sided":
        return min(few, many) <= significance / 2
    return (many if alternative == "greater" else few) <= significance


@pytest.mark.parametrize("method", ["exact", "score"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("null", "planned"), RATES)
def test_one_rate_is_rejected_as_by_scipy(
    method: str, alternative: str, null: float, planned: float
) -> None:
    for n in (1, 2, 7, 40, 63):
        x = np.arange(n + 1)
        z = (x - n * null) / math.sqrt(n * null * (1 - null) or 1e-300)
        sides = (
            (stats.norm.cdf(z), stats.norm.sf(z))
            if method == "score"
            else (stats.binom.cdf(x, n, null), stats.binom.sf(x - 1, n, null))
        )
        rejected = [k for k in x if _sides(alternative, sides[0][k], sides[1][k], 0.1)]
        size, power = binomial_rejects(
            np.array([n]), (null, planned), PlannedTest(method, alternative, 0.1)
        )
        assert size[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, null)), abs=1e-12)
        assert power[0] == pytest.approx(np.sum(stats.binom.pmf(rejected, n, planned)), abs=1e-12)
        assert method == "score" or size[0] <= 0.1


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
