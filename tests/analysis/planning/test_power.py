"""Power and sample sizes: the program rr, and textbooks."""

import math

import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.planning import power as module
from deniable.analysis.planning.power import power_two_groups, sample_size_two_groups
from deniable.analysis.planning.significance import PlannedTest, two_binomials_reject
from deniable.channel import identity

NIGERIA = designs.forced_response("2/3", "1/2")
COINS = designs.truth_or_random()


def test_direct_sample_sizes_are_the_textbooks() -> None:
    """((1.96 sqrt(2 × .325 × .675) + .8416 sqrt(.25 × .75 + .4 × .6)) / .15)^2 = 151.9."""
    found = sample_size_two_groups(identity(2), shares=(0.25, 0.4), test=PlannedTest("normal"))
    assert found.n == (152, 152)


def test_rr_s_two_groups_with_a_pooled_error() -> None:
    # Normal: variance (.25 + .5 s)(.75 - .5 s) / .25 of two coins, pooled under the hypothesis.
    n, shares = (300, 500), (0.1, 0.25)
    rates = [0.25 + 0.5 * s for s in shares]
    pooled = (300 * rates[0] + 500 * rates[1]) / 800
    null_error = math.sqrt(pooled * (1 - pooled) * (1 / 300 + 1 / 500)) / 0.5
    error = math.sqrt(sum(r * (1 - r) / k for r, k in zip(rates, n, strict=True))) / 0.5
    beyond = stats.norm.isf(0.025) * null_error
    expected = stats.norm.sf((beyond - 0.15) / error) + stats.norm.sf((beyond + 0.15) / error)
    found = power_two_groups(COINS, n, shares=shares, test=PlannedTest("normal"))
    assert found.power == pytest.approx(expected)


@pytest.mark.parametrize(
    ("method", "shares"),
    [("interval", (0.9, 0.2)), ("interval", (0.1, 0.6)), ("normal", (0.1, 0.8))],
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


def test_in_large_groups_no_tooth_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = sample_size_two_groups(COINS, shares=(0.1, 0.3))
    monkeypatch.setattr(module, "_EVEN", 10)
    taken = sample_size_two_groups(COINS, shares=(0.1, 0.3))
    assert taken.n[0] <= looked.n[0]
    assert taken.n[0] > looked.n[0] - 10
    assert taken.power >= 0.8


def test_large_groups_leave_out_nothing_that_counts() -> None:
    # 2000 and 3000 reports: here by the normal curve, to which the exact chance is near.
    rates, n = (0.3, 0.33), (2000, 3000)
    pooled = (2000 * 0.3 + 3000 * 0.33) / 5000
    null_error = math.sqrt(pooled * (1 - pooled) * (1 / 2000 + 1 / 3000))
    error = math.sqrt(0.3 * 0.7 / 2000 + 0.33 * 0.67 / 3000)
    expected = stats.norm.cdf((0.03 - 1.959964 * null_error) / error)
    assert two_binomials_reject(n, rates, 0.025) == pytest.approx(expected, abs=0.02)
    assert two_binomials_reject(n, (0.3, 0.6), 0.025) == pytest.approx(1, abs=1e-12)
