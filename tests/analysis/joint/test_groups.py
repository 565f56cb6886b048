"""Groups compared: differences, ratios, and means of a number."""

import itertools
import math
from itertools import product

import numpy as np
import pytest
import scipy
from scipy import stats

from deniable import Channel, designs, identity
from deniable.analysis import difference, estimate_mean
from deniable.analysis.estimation import product as product_of
from deniable.analysis.joint.group_means import difference_within, means_within, of_cells, of_pairs
from deniable.analysis.joint.groups import Difference, adjust, less, pairwise
from deniable.analysis.joint.ratios import odds_ratio, ratio
from deniable.analysis.planning import PlannedTest, power_two_groups
from tests.analysis.channels import sent
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


@pytest.mark.slow
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
            assert planned.power <= 0.05


THREE_REPORTS = designs.kuk("1/4", "2/3", draws=2)

# Each channel, the groups' numbers of reports, and the interval.
TABLES = [
    (WARNER, (6, 5), "auto"),
    (THREE_REPORTS, (1, 1), "auto"),
    (WARNER, (4, 3), "wilson"),
    (THREE_REPORTS, (3, 2), "auto"),
    (designs.k_ary(3, 2), (3, 2), "auto"),
    *((channel, (9, 12), "auto") for channel in (FORCED, DIRECT)),
    *((WARNER, (8, 7), method) for method in ("wilson", "likelihood", "wald")),
    (WARNER, (3, 2), "tail"),
    (designs.best_numeric(3, 3), (2, 1), "auto"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("channel", "n", "method"), first_of(TABLES, 3, pytest.mark.campaign))
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
    # One that is not known spoils no other.
    assert adjust([[math.nan, 0.01]]) == pytest.approx(np.array([[math.nan, 0.02]]), nan_ok=True)


def test_two_answers_are_one_comparison_a_pair() -> None:
    groups = [[60, 140], [110, 90], [100, 100]]
    result = pairwise(groups, WARNER)
    assert result.pairs == ((0, 1), (0, 2), (1, 2))
    raw = [difference(groups[i], groups[j], WARNER).p_value()[1] for i, j in result.pairs]
    assert result.p_value()[:, 1] == pytest.approx(np.minimum(3 * np.array(raw), 1))
    one = difference(groups[1], groups[2], WARNER)
    assert result.interval(0.95)[2] == pytest.approx(one.interval(1 - 0.05 / 3))
    assert result.theta[2] == pytest.approx(one.theta)


def test_the_delta_method_s_are_katz_s_and_woolf_s() -> None:
    """Katz: (1 - p1)/x1 + (1 - p2)/x2, and Woolf: the sum of 1/x; both with n - 1."""
    of_yes = 0.4 / 60 * 100 / 99 + 0.75 / 50 * 200 / 199
    of_cells = (1 / 40 + 1 / 60) * 100 / 99 + (1 / 150 + 1 / 50) * 200 / 199
    for compare, expected, variance in ((ratio, 2.4, of_yes), (odds_ratio, 4.5, of_cells)):
        result, error = compare([40, 60], [150, 50], DIRECT), math.sqrt(variance)
        assert result.theta[1] == pytest.approx(expected)
        assert result.log_standard_error[1] == pytest.approx(error)
        ends = expected * np.exp([-1.9599640 * error, 1.9599640 * error])
        assert result.interval(0.95, "delta")[1] == pytest.approx(ends, abs=1e-6)


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


@pytest.mark.parametrize(
    ("first", "second", "channel", "theta", "low", "high"),
    [
        # The second group's share may be 0, by noise or by answers.
        ([30, 70], [73, 27], WARNER, math.nan, (1, 4), (math.inf, math.inf)),
        ([5, 5], [10, 0], DIRECT, math.nan, (0.5, 1.5), (math.inf, math.inf)),
        # Nobody of 10 is at most 30.8 % of all (Clopper and Pearson: 1 - 0.025^(1/10)), and the
        # second group's share at least .683.
        ([10, 0], [2, 18], DIRECT, 0, (0, 0), (0.25, 0.308 / 0.683)),
    ],
)
def test_a_ratio_with_0_has_one_end(
    first: list[int],
    second: list[int],
    channel: Channel,
    theta: float,
    low: tuple[float, float],
    high: tuple[float, float],
) -> None:
    result = ratio(first, second, channel)
    assert result.theta[1] == pytest.approx(theta, nan_ok=True)
    assert math.isnan(result.log_standard_error[1])
    for (least, most), end in zip((low, high), result.interval()[1], strict=True):
        assert least <= end <= most


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


@pytest.mark.slow
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


FIFTH = designs.warner(flip="1/5")
TWO_POINT = designs.two_point(11, epsilon=2)
LEVELS = np.arange(11.0)


def apart(
    counts: list[list[int]] | list[np.ndarray], channel: Channel, values: np.typing.ArrayLike
) -> Difference:
    one, other = (estimate_mean(of, channel, values).part(0) for of in counts)
    return less(one, other)


@pytest.mark.parametrize("counts", [[[40, 20], [15, 30]], [[6, 1], [5, 0]], [[9, 30], [9, 30]]])
@pytest.mark.parametrize("method", ["auto", "tail", "wald", "wilson"])
def test_means_of_0_and_1_are_shares(counts: list[list[int]], method: str) -> None:
    found, shares = apart(counts, FIFTH, [0, 1]), difference(counts[0], counts[1], FIFTH)
    assert found.theta == pytest.approx(shares.theta[1:])
    assert found.interval(method=method) == pytest.approx(shares.interval(method=method)[1:])
    assert found.p_value(method) == pytest.approx(shares.p_value(method)[1:], rel=1e-6)
    assert not found.interval(comparisons=6).item(0) > found.interval().item(0)


def test_direct_numbers_differ_as_by_welch() -> None:
    samples = np.repeat(range(4), [30, 50, 20, 40]), np.repeat(range(4), [35, 45, 25, 35])
    found = apart([np.bincount(one, minlength=4) for one in samples], identity(4), range(4))
    welch = scipy.stats.ttest_ind(*samples, equal_var=False)
    assert (found.theta / found.standard_error).item() == pytest.approx(welch.statistic)
    ends = welch.confidence_interval()
    assert found.interval()[0] == pytest.approx([ends.low, ends.high], abs=0.02)
    assert found.p_value()[0] == pytest.approx(welch.pvalue, rel=0.05)


CELLS = ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2))
VALUES = np.array([2.0, 5.0, np.nan])


@pytest.mark.parametrize("is_one", [False, True])
def test_totals_in_randomised_groups_are_unbiased(*, is_one: bool) -> None:
    # One answer for both, of which the third value is no number, or two channels.
    number = designs.k_ary(3, 1)
    pairs = (
        of_cells(designs.k_ary(5, 2), CELLS, VALUES) if is_one else of_pairs(FIFTH, number, VALUES)
    )
    truths = CELLS if is_one else tuple(product(range(2), range(3)))
    law = product_of([channel.probabilities for channel in pairs.channels])
    for row, (group, level) in zip(law, truths, strict=True):
        here = np.arange(2) == group
        has = not np.isnan(VALUES[level])
        assert pairs.group @ row == pytest.approx(1.0 * here)
        total, having = (
            np.array([getattr(one, name) @ row for one in pairs.ratios])
            for name in ("to_numerator", "to_denominator")
        )
        assert having == pytest.approx(1.0 * here * has)
        assert total == pytest.approx(here * (VALUES[level] if has else 0.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "number", "n", "share", "means"),
    first_of(
        [
            (identity(2), TWO_POINT, 60, 0.3, (0.1, 0.4)),
            (identity(2), designs.best_numeric(11, 3), 40, 0.5, (0.02, 0.02)),
            (FIFTH, identity(11), 150, 0.15, (0.1, 0.1)),
            (designs.k_ary(7, 3), designs.best_numeric(11, 3), 700, 0.3, (0.3, 0.6)),
        ],
        2,
        pytest.mark.campaign,
    ),
)
def test_intervals_of_differences_hold(
    of: Channel, number: Channel, n: int, share: float, means: tuple[float, float]
) -> None:
    # 400 surveys: .917 is four standard errors below .96, and less than one in 30,000 false alarms
    # each at a coverage of .95; the seeds are fixed, so each runs alike.
    random = np.random.default_rng([5, n])
    held = 0
    for _ in range(400):
        group = (random.random(n) < share).astype(int)
        truths = random.binomial(10, np.array(means)[group])
        reports = sent(of, group, random), sent(number, truths, random)
        counts = np.zeros((of.reports, number.reports), dtype=np.int64)
        np.add.at(counts, reports, 1)
        if of.epsilon == float("inf"):
            found = apart([*counts], number, LEVELS)
        else:
            found = difference_within(
                means_within(counts.ravel(), of_pairs(of, number, LEVELS)), 0, 1
            )
        low, high = found.interval()[0]
        held += low <= 10 * (means[0] - means[1]) <= high
    assert held >= 0.925 * 400
