import itertools
import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs, identity
from deniable.analysis.joint.ratios import odds_ratio, ratio

DIRECT = identity(2)
WARNER = designs.warner(flip="1/4")
FORCED = designs.forced_response("2/3", "1/2")


def test_the_delta_method_s_ratio_is_katz_s() -> None:
    result = ratio([40, 60], [150, 50], DIRECT)
    assert result.theta[1] == pytest.approx(2.4)
    # Katz: (1 - p1)/x1 + (1 - p2)/x2, here with n - 1.
    error = math.sqrt(0.4 / 60 * 100 / 99 + 0.75 / 50 * 200 / 199)
    assert result.log_standard_error[1] == pytest.approx(error)
    expected = (2.4 * math.exp(-1.9599640 * error), 2.4 * math.exp(1.9599640 * error))
    assert result.interval(0.95, "delta")[1] == pytest.approx(expected, abs=1e-6)


def test_the_delta_method_s_odds_are_woolf_s() -> None:
    result = odds_ratio([40, 60], [150, 50], DIRECT)
    assert result.theta[1] == pytest.approx(4.5)
    error = math.sqrt((1 / 40 + 1 / 60) * 100 / 99 + (1 / 150 + 1 / 50) * 200 / 199)
    assert result.log_standard_error[1] == pytest.approx(error)
    expected = (4.5 * math.exp(-1.9599640 * error), 4.5 * math.exp(1.9599640 * error))
    assert result.interval(0.95, "delta")[1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("method", ["exact", "wilson"])
def test_a_ratio_ends_where_a_difference_holds_0(method: str) -> None:
    result = ratio([80, 120], [110, 90], WARNER, FORCED)
    (a, b), (c, d) = (e.interval(0.9, method)[1] for e in (result.first, result.second))
    s, t = result.first.theta[1], result.second.theta[1]
    low, high = result.interval(0.9, method)[1]
    # Of the first share less the end times the second, squared and added.
    assert s - low * t == pytest.approx(math.hypot(s - a, low * (d - t)), rel=1e-5)
    assert high * t - s == pytest.approx(math.hypot(b - s, high * (t - c)), rel=1e-5)
    assert result.interval(0.9).tolist() == result.interval(0.9, "exact").tolist()


def test_a_denominator_of_0_leaves_no_upper_end() -> None:
    result = ratio([30, 70], [73, 27], WARNER)
    assert result.second.interval(0.95, "exact")[1, 0] < 0 < result.second.theta[1]
    assert math.isnan(result.theta[1])
    assert math.isnan(result.log_standard_error[1])
    low, high = result.interval()[1]
    assert low > 1
    assert math.isinf(high)


def test_a_ratio_over_0_has_a_lower_end() -> None:
    result = ratio([5, 5], [10, 0], DIRECT)
    assert math.isnan(result.theta[1])
    low, high = result.interval()[1]
    assert low > 0.5
    assert math.isinf(high)
    assert result.theta[0] == pytest.approx(0.5)


def test_a_ratio_of_0_has_an_upper_end() -> None:
    (alone,) = ratio([10, 0], [2, 18], DIRECT).interval()[1:]
    assert alone[0] == 0
    # Nobody of 10 is at most 30.8 % of all (Clopper and Pearson: 1 - 0.025^(1/10)).
    assert 0.25 < alone[1] < 0.308 / 0.683  # the second group's share is at least .683


def test_a_group_agreeing_with_nothing_rules_nothing_out() -> None:
    result = ratio([50, 50], [1, 59], WARNER)
    assert result.second.interval(method="exact")[1, 0] > 1
    assert result.interval().tolist() == [[0, math.inf]] * 2
    assert odds_ratio([50, 50], [1, 59], WARNER).interval().tolist() == [[0, math.inf]] * 2


def test_odds_below_0_are_none_or_marked() -> None:
    # A negative share in the second group, and a share that may be 1 in the first.
    assert np.isnan(odds_ratio([60, 140], [160, 40], WARNER).theta[1])
    below = odds_ratio([160, 40], [110, 90], WARNER)
    assert math.isnan(below.theta[0])
    assert below.theta[1] < 0
    assert below.outside.all()
    assert below.interval()[1, 0] == 0


@pytest.mark.parametrize("shares", [(0.0, 0.9), (0.02, 0.6)])
def test_ratios_hold_where_the_delta_method_s_miss(shares: tuple[float, float]) -> None:
    n, channel = 12, designs.warner(epsilon=1)
    (_, no), (_, yes) = channel.probabilities
    chance = [stats.binom.pmf(np.arange(n + 1), n, no + (yes - no) * share) for share in shares]
    first, second = shares
    for compare, truth in (
        (ratio, first / second),
        (odds_ratio, first / (1 - first) * (1 - second) / second),
    ):
        given, held = dict.fromkeys(("auto", "delta"), 0.0), dict.fromkeys(("auto", "delta"), 0.0)
        for i, j in itertools.product(range(n + 1), repeat=2):
            result = compare([n - i, i], [n - j, j], channel)
            for method in given:
                low, high = result.interval(0.95, method)[1]
                # Where it knows no error, the delta method rules nothing out.
                says = method == "auto" or (low, high) != (0, math.inf)
                given[method] += chance[0][i] * chance[1][j] * says
                held[method] += chance[0][i] * chance[1][j] * (says and low <= truth <= high)
        assert given["auto"] == pytest.approx(1)
        assert held["auto"] > 0.95
        # A first share of 0 is what its logarithm cannot hold.
        assert first or held["delta"] == 0 < given["delta"]
