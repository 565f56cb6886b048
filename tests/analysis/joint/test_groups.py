import itertools
import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.joint.association import homogeneity
from deniable.analysis.joint.groups import adjust, difference, estimates, pairwise
from deniable.analysis.joint.ratios import odds_ratio, ratio
from deniable.analysis.planning.power import power_two_groups
from deniable.analysis.planning.significance import PlannedTest
from deniable.channel import Channel, identity
from tests.quickly import first_of

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
    assert result.interval(0.95, "wilson")[1] == pytest.approx((low, high), abs=5e-5)
    assert result.interval(0.95, "wilson")[0] == pytest.approx((-high, -low), abs=5e-5)


def test_wald_s_interval_with_different_channels_is_its_closed_form() -> None:
    result = difference([60, 40], [120, 80], WARNER, FORCED)
    first, second = (0.4 - 1 / 4) / (1 / 2), (0.4 - 1 / 6) / (2 / 3)
    error = math.sqrt(0.24 / 99 / (1 / 2) ** 2 + 0.24 / 199 / (2 / 3) ** 2)
    assert result.difference[1] == pytest.approx(first - second)
    assert result.standard_error == pytest.approx([error, error])
    half = stats.norm.ppf(0.95) * error
    expected = (first - second - half, first - second + half)
    assert result.interval(0.90, "wald")[1] == pytest.approx(expected)
    # Both are taken about the share in common. At equally likely answers half of the reports are
    # yes, so that a design's variance is 1/4 over the square of its slope.
    slopes, seen = (1 / 2, 2 / 3), (0.4, 0.4)
    weights = [n * slope**2 for n, slope in zip((100, 200), slopes, strict=True)]
    common = np.average([first, second], weights=weights)
    variance = 0.0
    for n, slope, share, low in zip((100, 200), slopes, seen, (1 / 4, 1 / 6), strict=True):
        yes, no = (1 - low) / slope, -low / slope
        variance += (share * (yes - common) ** 2 + (1 - share) * (no - common) ** 2) / n
    expected_p = 2 * stats.norm.sf(abs(first - second) / math.sqrt(variance))
    assert result.p_value[1] == pytest.approx(expected_p)


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


def test_a_difference_that_is_certain_has_an_interval_and_a_p_value() -> None:
    result = difference([10, 0], [0, 10], DIRECT)
    assert result.standard_error.tolist() == [0, 0]
    # z = 1 / sqrt(1/4 (1/10 + 1/10)), both groups together being half yes.
    assert result.p_value == pytest.approx([2 * stats.norm.sf(math.sqrt(20))] * 2)
    assert result.interval(method="wald").tolist() == [[1, 1], [-1, -1]]
    assert np.isnan(difference([10, 0], [5, 0], DIRECT).p_value).all()
    assert np.isnan(difference([10, 0], [5, 0], WARNER).p_value).all()
    assert result.interval(method="wilson")[0, 0] < 0.7


def test_one_report_a_group_crashes_nothing() -> None:
    result = difference([0, 1], [1, 0], WARNER)
    assert result.difference == pytest.approx([-2, 2])
    assert result.outside.all()
    assert result.p_value == pytest.approx([2 * stats.norm.sf(math.sqrt(2))] * 2)
    assert np.isfinite(result.interval()).all()
    for other in (ratio([0, 1], [1, 0], WARNER), odds_ratio([0, 1], [1, 0], WARNER)):
        assert other.outside.all()
        assert other.interval().tolist() == [[0, math.inf]] * 2
        assert np.isnan(other.interval(method="delta")).all()


@pytest.mark.parametrize("channel", first_of([FORCED, WARNER, designs.warner(flip="1/10")]))
def test_the_p_value_is_of_the_test_that_is_planned(channel: Channel) -> None:
    """By all tables of 40 and 25; Wald's test rejected up to 6.2 % of true hypotheses there."""
    n = (40, 25)
    rejected, missed = np.zeros((41, 26), dtype=bool), np.zeros((41, 26), dtype=bool)
    for x, y in np.ndindex(41, 26):
        result = difference([40 - x, x], [25 - y, y], channel)
        rejected[x, y] = result.p_value[1] <= 0.05
        low, high = result.interval(method="wilson")[1]
        missed[x, y] = low > 0 or high < 0
    assert (rejected != missed).mean() < 0.01
    for share in (0, 0.05, 0.3, 0.5):
        none, everybody = channel.probabilities[:, 1]
        yes = none + share * (everybody - none)
        chances = np.outer(
            stats.binom.pmf(np.arange(41), 40, yes), stats.binom.pmf(np.arange(26), 25, yes)
        )
        size = chances[rejected].sum()
        planned = power_two_groups(channel, n, shares=(share, share), test=PlannedTest("score"))
        assert size == pytest.approx(planned.size, abs=1e-12)
        assert size < 0.054
        assert chances[rejected != missed].sum() < 0.02


def test_under_different_designs_the_p_value_keeps_its_level() -> None:
    channels = WARNER, designs.warner(flip="1/3")
    rejected = np.array(
        [
            [difference([40 - x, x], [25 - y, y], *channels).p_value[1] <= 0.05 for y in range(26)]
            for x in range(41)
        ]
    )
    for share in (0, 0.1, 0.5, 0.9, 1):
        first, second = (c.probabilities[0, 1] * (1 - 2 * share) + share for c in channels)
        chances = np.outer(
            stats.binom.pmf(np.arange(41), 40, first), stats.binom.pmf(np.arange(26), 25, second)
        )
        assert 0.04 < chances[rejected].sum() < 0.055


def test_the_p_value_of_two_answers_is_that_of_homogeneity() -> None:
    for channel, groups in (
        (WARNER, [[60, 140], [110, 90]]),
        (designs.kuk("1/4", "2/3", draws=3), [[20, 30, 40, 10], [30, 25, 20, 5]]),
    ):
        test = homogeneity(groups, channel, "score")
        expected = [test.p_value] * 2
        assert difference(groups[0], groups[1], channel).p_value == pytest.approx(
            expected, rel=1e-6
        )


def test_p_values_and_intervals_of_pairs_are_one_family() -> None:
    """Endurance against strength of the example in the documentation: Holm's p was .036."""
    groups = [[610, 380], [671, 335], [666, 311]]
    result = pairwise(groups, FORCED)
    p, ends = result.p_value(), result.interval(0.95)
    outside = (ends[..., 0] > 0) | (ends[..., 1] < 0)
    assert ((p < 0.05) == outside).all()
    assert 0.05 < p[0, 1] < 0.06
    assert result.p_value("holm")[0, 1] < 0.04


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
    with pytest.raises(ValueError, match="adjustment of bonferroni, holm, none, found 'sidak'"):
        adjust([0.1], "sidak")


def test_two_answers_are_one_comparison_a_pair() -> None:
    groups = [[60, 140], [110, 90], [100, 100]]
    result = pairwise(groups, WARNER)
    assert result.pairs == ((0, 1), (0, 2), (1, 2))
    raw = [difference(groups[i], groups[j], WARNER).p_value[1] for i, j in result.pairs]
    assert result.p_value()[:, 1] == pytest.approx(np.minimum(3 * np.array(raw), 1))
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


def test_groups_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 groups, found 1"):
        pairwise([[5, 5]], WARNER)
    with pytest.raises(ValueError, match="one channel, or 2, one a group, found 3"):
        estimates([[5, 5], [5, 5]], [WARNER] * 3)
    with pytest.raises(ValueError, match=r"group 1: expected a channel of 2 truths.*found 3"):
        difference([5, 5], [5, 5, 5], WARNER, identity(3))
