import itertools
import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis import estimate
from deniable.analysis.joint.fieller import fieller
from deniable.analysis.joint.groups import (
    adjust,
    difference,
    estimates,
    odds_ratio,
    pairwise,
    ratio,
)
from deniable.channel import identity

DIRECT = identity(2)
WARNER = designs.warner(flip="1/4")
FORCED = designs.forced_response("2/3", "1/2")


# Newcombe (1998), table II, method 10, to the printed digits.
@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_newcombe_s_intervals(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    (yes, n), (other_yes, other_n) = first, second
    result = difference([n - yes, yes], [other_n - other_yes, other_yes], DIRECT)
    assert result.interval(0.95, "wilson")[1] == pytest.approx((low, high), abs=5e-5)
    assert result.interval(0.95)[1] == pytest.approx((low, high), abs=5e-5)
    assert result.interval(0.95)[0] == pytest.approx((-high, -low), abs=5e-5)


def test_wald_s_interval_with_different_channels_is_its_closed_form() -> None:
    result = difference([60, 40], [120, 80], WARNER, FORCED)
    first, second = (0.4 - 1 / 4) / (1 / 2), (0.4 - 1 / 6) / (2 / 3)
    error = math.sqrt(0.24 / 99 / (1 / 2) ** 2 + 0.24 / 199 / (2 / 3) ** 2)
    assert result.difference[1] == pytest.approx(first - second)
    assert result.standard_error == pytest.approx([error, error])
    half = stats.norm.ppf(0.95) * error
    expected = (first - second - half, first - second + half)
    assert result.interval(0.90, "wald")[1] == pytest.approx(expected)
    assert result.p_value[1] == pytest.approx(2 * stats.norm.sf(abs(first - second) / error))


def test_squared_and_added_intervals_cover_where_wald_s_do_not() -> None:
    # By enumeration of two groups of 20, asked directly: a twentieth of one, nobody of the other.
    n, channel = 20, DIRECT
    rate = [0.05, 0.0]
    chance = [stats.binom.pmf(np.arange(n + 1), n, P) for P in rate]
    covered = dict.fromkeys(("wilson", "wald"), 0.0)
    for i, j in itertools.product(range(n + 1), repeat=2):
        result = difference([n - i, i], [n - j, j], channel)
        for method in covered:
            low, high = result.interval(0.95, method)[1]
            covered[method] += chance[0][i] * chance[1][j] * (low <= 0.05 <= high)
    assert covered["wilson"] > 0.955
    assert covered["wald"] < 0.945


def test_a_difference_that_is_certain_has_an_interval_and_no_p_value() -> None:
    result = difference([10, 0], [0, 10], DIRECT)
    assert result.standard_error.tolist() == [0, 0]
    assert np.isnan(result.p_value).all()
    assert result.interval(method="wald").tolist() == [[1, 1], [-1, -1]]
    assert result.interval()[0, 0] < 0.7


def test_one_report_a_group_crashes_nothing() -> None:
    result = difference([0, 1], [1, 0], WARNER)
    assert result.difference == pytest.approx([-2, 2])
    assert result.outside.all()
    assert np.isnan(result.p_value).all()
    assert np.isfinite(result.interval()).all()
    for other in (ratio([0, 1], [1, 0], WARNER), odds_ratio([0, 1], [1, 0], WARNER)):
        assert other.outside.all()
        assert np.isnan(other.interval()).all()
        assert np.isnan(other.interval(method="delta")).all()


def test_the_ratio_by_the_delta_method_is_katz_s() -> None:
    result = ratio([40, 60], [150, 50], DIRECT)
    assert result.ratio[1] == pytest.approx(2.4)
    # Katz: (1 - p1)/x1 + (1 - p2)/x2, here with n - 1.
    error = math.sqrt(0.4 / 60 * 100 / 99 + 0.75 / 50 * 200 / 199)
    assert result.log_standard_error[1] == pytest.approx(error)
    expected = (2.4 * math.exp(-1.9599640 * error), 2.4 * math.exp(1.9599640 * error))
    assert result.interval(0.95, "delta")[1] == pytest.approx(expected, abs=1e-6)


def test_the_odds_ratio_by_the_delta_method_is_woolf_s() -> None:
    result = odds_ratio([40, 60], [150, 50], DIRECT)
    assert result.odds_ratio[1] == pytest.approx(4.5)
    error = math.sqrt((1 / 40 + 1 / 60) * 100 / 99 + (1 / 150 + 1 / 50) * 200 / 199)
    assert result.log_standard_error[1] == pytest.approx(error)
    expected = (4.5 * math.exp(-1.9599640 * error), 4.5 * math.exp(1.9599640 * error))
    assert result.interval(0.95, "delta")[1] == pytest.approx(expected, abs=1e-6)


def test_the_odds_ratio_is_the_same_seen_from_either_answer() -> None:
    result = odds_ratio([80, 120], [110, 90], WARNER, FORCED)
    assert result.odds_ratio[0] * result.odds_ratio[1] == pytest.approx(1)
    for method in ("wilson", "delta"):
        ends = result.interval(0.9, method)
        assert ends[0, 0] * ends[1, 1] == pytest.approx(1)
    theta = estimate([80, 120], WARNER).theta[1]
    error = estimate([80, 120], WARNER).standard_error[1] / (theta * (1 - theta))
    other = estimate([110, 90], FORCED).theta[1]
    other_error = estimate([110, 90], FORCED).standard_error[1] / (other * (1 - other))
    assert result.log_standard_error[1] == pytest.approx(math.hypot(error, other_error))


def test_a_ratio_s_wilson_interval_squares_and_adds_logarithms() -> None:
    result = ratio([80, 120], [110, 90], WARNER, FORCED)
    (a, b), (c, d) = (e.interval(0.9, "wilson")[1] for e in (result.first, result.second))
    s, t = result.first.theta[1], result.second.theta[1]
    expected = (
        s / t * math.exp(-math.hypot(math.log(s / a), math.log(d / t))),
        s / t * math.exp(math.hypot(math.log(b / s), math.log(t / c))),
    )
    assert result.interval(0.9, "wilson")[1] == pytest.approx(expected)


def test_a_ratio_whose_denominator_may_be_0_has_no_upper_end() -> None:
    result = ratio([30, 70], [73, 27], WARNER)
    low, high = result.interval()[1]
    assert result.second.interval()[1, 0] < 0
    assert low > 1
    assert math.isinf(high)
    fieller_set = result.confidence_set()[1]
    assert not fieller_set.bounded
    ((possible_low, possible_high),) = fieller_set.possible
    assert possible_low > 1
    assert math.isinf(possible_high)


def test_a_ratio_over_exactly_0_is_not_a_number() -> None:
    result = ratio([5, 5], [10, 0], DIRECT)
    assert math.isnan(result.ratio[1])
    assert np.isnan(result.interval()[1]).all()
    assert result.ratio[0] == pytest.approx(0.5)


def test_fieller_s_sets_of_two_groups_use_their_standard_errors() -> None:
    result = ratio([80, 120], [110, 90], WARNER, FORCED)
    a, b = result.first, result.second
    variances = (a.standard_error[1] ** 2, b.standard_error[1] ** 2)
    direct = fieller(a.theta[1], b.theta[1], variances, level=0.975)
    assert result.confidence_set(0.95, comparisons=2)[1] == direct


def test_holm_and_bonferroni_as_r_prints_them() -> None:
    p = [0.01, 0.02, 0.03, 0.04, 0.05]  # R 4: p.adjust(p, "holm"), p.adjust(p, "bonferroni")
    assert adjust(p, "holm") == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert adjust(p, "bonferroni") == pytest.approx([0.05, 0.10, 0.15, 0.20, 0.25])
    assert adjust(p, "none") == pytest.approx(p)
    assert adjust([0.9, 0.5]).tolist() == [1, 1]
    assert adjust([0.9, 0.5], "bonferroni").tolist() == [1, 1]


def test_an_unknown_p_value_counts_as_a_comparison_and_spoils_no_other() -> None:
    adjusted = adjust([[math.nan, 0.01]])
    assert math.isnan(adjusted[0, 0])
    assert adjusted[0, 1] == pytest.approx(0.02)


def test_an_unknown_adjustment_is_refused() -> None:
    with pytest.raises(ValueError, match="adjustment of holm, bonferroni, none, found 'sidak'"):
        adjust([0.1], "sidak")


def test_two_answers_are_one_comparison_a_pair() -> None:
    groups = [[60, 140], [110, 90], [100, 100]]
    result = pairwise(groups, WARNER)
    assert result.pairs == ((0, 1), (0, 2), (1, 2))
    raw = [difference(groups[i], groups[j], WARNER).p_value[1] for i, j in result.pairs]
    assert result.p_value("bonferroni")[:, 1] == pytest.approx(np.minimum(3 * np.array(raw), 1))
    assert result.p_value("holm")[:, 0] == pytest.approx(adjust(raw))
    assert result.p_value("none")[:, 1] == pytest.approx(raw)
    one = difference(groups[1], groups[2], WARNER)
    assert result.interval(0.95)[2] == pytest.approx(one.interval(1 - 0.05 / 3))
    assert result.difference[2] == pytest.approx(one.difference)
    assert result.standard_error[2] == pytest.approx(one.standard_error)


def test_more_answers_are_a_comparison_each() -> None:
    channel = designs.k_ary(3, 1)
    groups = [[60, 70, 70], [110, 40, 50], [100, 80, 20]]
    result = pairwise(groups, [channel] * 3)
    raw = np.array([difference(groups[i], groups[j], channel).p_value for i, j in result.pairs])
    assert result.p_value("bonferroni") == pytest.approx(np.minimum(9 * raw, 1))
    one = difference(groups[0], groups[1], channel)
    assert result.interval(0.95, "wald")[0] == pytest.approx(one.interval(1 - 0.05 / 9, "wald"))


@pytest.mark.parametrize("method", ["fieller", ""])
def test_an_unknown_method_is_refused(method: str) -> None:
    with pytest.raises(ValueError, match="expected an interval"):
        difference([5, 5], [5, 5], WARNER).interval(method=method)


@pytest.mark.parametrize("method", ["wilson", "delta", "wald"])
def test_an_unknown_level_is_refused(method: str) -> None:
    for result in (ratio([5, 5], [5, 5], WARNER), odds_ratio([5, 5], [5, 5], WARNER)):
        with pytest.raises(ValueError, match="confidence level between 0 and 1"):
            result.interval(1.5, method)
    with pytest.raises(ValueError, match="confidence level between 0 and 1"):
        ratio([5, 5], [5, 5], WARNER).confidence_set(0)


def test_groups_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 groups, found 1"):
        pairwise([[5, 5]], WARNER)
    with pytest.raises(ValueError, match="one channel, or 2, one a group, found 3"):
        estimates([[5, 5], [5, 5]], [WARNER] * 3)
    with pytest.raises(ValueError, match=r"group 1: expected a channel of 2 truths.*found 3"):
        difference([5, 5], [5, 5, 5], WARNER, identity(3))
