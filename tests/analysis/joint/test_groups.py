import itertools
import math

import numpy as np
import pytest
from scipy import stats

from deniable import Channel, designs, identity
from deniable.analysis.joint.groups import adjust, difference, pairwise
from deniable.analysis.joint.ratios import odds_ratio, ratio
from deniable.analysis.planning import PlannedTest, power_two_groups
from tests.analysis.enumeration import compositions
from tests.kit import first_of

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


def test_wald_s_has_its_closed_form() -> None:
    result = difference([60, 40], [120, 80], WARNER, FORCED)
    first, second = (0.4 - 1 / 4) / (1 / 2), (0.4 - 1 / 6) / (2 / 3)
    error = math.sqrt(0.24 / 99 / (1 / 2) ** 2 + 0.24 / 199 / (2 / 3) ** 2)
    assert result.theta[1] == pytest.approx(first - second)
    assert result.standard_error == pytest.approx([error, error])
    half = stats.norm.ppf(0.95) * error
    expected = (first - second - half, first - second + half)
    assert result.interval(0.90, "wald")[1] == pytest.approx(expected)
    assert result.p_value("wald")[1] == pytest.approx(2 * stats.norm.sf((second - first) / error))


def test_squared_and_added_intervals_cover_unlike_wald_s() -> None:
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


def test_a_certain_difference_has_interval_and_p_value() -> None:
    result = difference([10, 0], [0, 10], DIRECT)
    assert result.standard_error.tolist() == [0, 0]
    # Clopper and Pearson's ends for 10 of 10 are the 10th root of the tail, and 1 less it. The
    # hypotenuse of both distances is 1 where each is the root of a half.
    tail = (1 - math.sqrt(1 / 2)) ** 10
    assert result.p_value() == pytest.approx([2 * tail] * 2, rel=1e-4)
    assert result.interval(method="wald").tolist() == [[1, 1], [-1, -1]]
    assert difference([10, 0], [5, 0], DIRECT).p_value().tolist() == [1, 1]
    assert difference([10, 0], [5, 0], WARNER).p_value().tolist() == [1, 1]
    assert result.interval(method="wilson")[0, 0] < 0.7


def test_one_report_a_group_crashes_nothing() -> None:
    result = difference([0, 1], [1, 0], WARNER)
    assert result.theta == pytest.approx([-2, 2])
    assert result.outside.all()
    # The lower end for 1 of 1 is the tail itself: a distance of 1 less it, on either side.
    assert result.p_value() == pytest.approx([2 * (1 - math.sqrt(1 / 2))] * 2, rel=1e-6)
    assert np.isfinite(result.interval()).all()
    assert np.isnan(result.p_value("wald")).all()
    for other in (ratio([0, 1], [1, 0], WARNER), odds_ratio([0, 1], [1, 0], WARNER)):
        assert other.outside.all()
        assert other.interval().tolist() == [[0, math.inf]] * 2
        assert other.interval(method="delta").tolist() == [[0, np.inf]] * 2


@pytest.mark.parametrize(
    ("channel", "n"),
    first_of([(FORCED, (12, 8)), *((c, (20, 13)) for c in (FORCED, WARNER, DIRECT))]),
)
def test_the_p_value_is_the_planned_test_s(channel: Channel, n: tuple[int, int]) -> None:
    """By all tables of two groups, in the planner by one row of them after the other."""
    rejected = np.zeros((n[0] + 1, n[1] + 1), dtype=bool)
    for x, y in np.ndindex(rejected.shape):
        rejected[x, y] = difference([n[0] - x, x], [n[1] - y, y], channel).p_value()[1] < 0.05
    for shares in ((0, 0), (0.05, 0.05), (0.3, 0.3), (0.5, 0.5), (0.1, 0.4), (0.9, 0.2)):
        none, everybody = channel.probabilities[:, 1]
        yes = [none + share * (everybody - none) for share in shares]
        chances = np.outer(
            *(stats.binom.pmf(np.arange(m + 1), m, p) for m, p in zip(n, yes, strict=True))
        )
        test = PlannedTest("interval")
        planned = power_two_groups(channel, n, shares=shares, test=test)
        assert chances[rejected].sum() == pytest.approx(planned.power, abs=1e-12)
        if shares[0] == shares[1]:
            assert planned.size == pytest.approx(planned.power, abs=1e-12)
            assert planned.size <= 0.05


@pytest.mark.slow
def test_different_designs_keep_the_p_value_s_level() -> None:
    channels = WARNER, designs.warner(flip="1/3")
    rejected = np.array(
        [
            [
                difference([20 - x, x], [13 - y, y], *channels).p_value()[1] <= 0.05
                for y in range(14)
            ]
            for x in range(21)
        ]
    )
    for share in (0, 0.1, 0.5, 0.9, 1):
        first, second = (c.probabilities[0, 1] * (1 - 2 * share) + share for c in channels)
        chances = np.outer(
            stats.binom.pmf(np.arange(21), 20, first), stats.binom.pmf(np.arange(14), 13, second)
        )
        assert 0.02 < chances[rejected].sum() < 0.05


THREE_REPORTS = designs.kuk("1/4", "2/3", draws=2)

# Each channel, the groups' numbers of reports, and the interval.
TABLES = [
    (WARNER, (6, 5), "auto"),
    (THREE_REPORTS, (1, 1), "auto"),
    (WARNER, (4, 3), "wilson"),
    (WARNER, (9, 7), "auto"),
    (THREE_REPORTS, (1, 2), "auto"),
    (THREE_REPORTS, (3, 2), "auto"),
    (designs.k_ary(3, 2), (3, 2), "auto"),
    *((channel, (9, 12), "auto") for channel in (FORCED, DIRECT)),
    *((WARNER, (8, 7), method) for method in ("wilson", "likelihood", "wald")),
    (WARNER, (3, 2), "tail"),
    (designs.best_numeric(3, 3), (2, 1), "auto"),
]


@pytest.mark.parametrize(("channel", "n", "method"), first_of(TABLES))
def test_p_agrees_with_the_interval(channel: Channel, n: tuple[int, int], method: str) -> None:
    """Over all tables: of the difference, and of the pairs of three groups together."""
    first, second = (compositions(m, channel.reports) for m in n)
    seen = set()
    for a, b in itertools.product(first, second):
        two = difference(a, b, channel)
        three = pairwise([a, b, first[0]], channel)
        p, together = two.p_value(method), three.p_value(method)
        for level in (0.8, 0.95, 0.99):
            for ends, values in (
                (two.interval(level, method), p),
                (three.interval(level, method), together),
            ):
                out = (ends[..., 0] > 0) | (ends[..., 1] < 0)
                # Not told apart where an end is 0 but for rounding, or there is no interval.
                clear = (np.abs(ends).min(axis=-1) > 2e-6) & ~np.isnan(ends).any(axis=-1)
                assert ((values < 1 - level) == out)[clear].all(), (a, b, level)
                seen |= set(out[clear].ravel().tolist())
    assert seen == {True, False} or sum(n) < 6


def test_holm_and_bonferroni_as_r_prints_them() -> None:
    p = [0.01, 0.02, 0.03, 0.04, 0.05]  # R 4: p.adjust(p, "holm"), p.adjust(p, "bonferroni")
    assert adjust(p, "holm") == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert adjust(p, "bonferroni") == pytest.approx([0.05, 0.10, 0.15, 0.20, 0.25])
    assert adjust(p, "none") == pytest.approx(p)
    assert adjust([0.9, 0.5]).tolist() == [1, 1]
    assert adjust([0.9, 0.5], "bonferroni").tolist() == [1, 1]


def test_an_unknown_p_value_spoils_no_other() -> None:
    adjusted = adjust([[math.nan, 0.01]])
    assert math.isnan(adjusted[0, 0])
    assert adjusted[0, 1] == pytest.approx(0.02)


def test_two_answers_are_one_comparison_a_pair() -> None:
    groups = [[60, 140], [110, 90], [100, 100]]
    result = pairwise(groups, WARNER)
    assert result.pairs == ((0, 1), (0, 2), (1, 2))
    raw = [difference(groups[i], groups[j], WARNER).p_value()[1] for i, j in result.pairs]
    assert result.p_value()[:, 1] == pytest.approx(np.minimum(3 * np.array(raw), 1))
    one = difference(groups[1], groups[2], WARNER)
    assert result.interval(0.95)[2] == pytest.approx(one.interval(1 - 0.05 / 3))
    assert result.theta[2] == pytest.approx(one.theta)
    assert result.standard_error[2] == pytest.approx(one.standard_error)
