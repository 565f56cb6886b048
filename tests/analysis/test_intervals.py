"""Intervals of one proportion and of channels, their possible parts, and their shape."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from deniable import Channel, designs, identity, least_variance
from deniable.analysis import difference, estimate, estimate_mean, intervals, odds_ratio, ratio
from deniable.analysis.intervals import inversion, proportion, quotients
from tests.analysis.channels import channels
from tests.analysis.surveys import THREE_REPORTS


@pytest.mark.parametrize("method", list(proportion.METHODS))
def test_two_reports_are_a_mapped_proportion(method: str) -> None:
    # Here yes is reported less often by those for whom it is true: the slope is negative.
    channel = designs.custom([["1/5", "4/5"], ["9/10", "1/10"]])
    low, high = proportion.METHODS[method](np.array([30.0]), 100, 0.9)
    interval = estimate([70, 30], channel).interval(0.9, method)
    # P(report 1) = 0.8 - 0.7 theta_yes
    assert interval[1] == pytest.approx([(0.8 - high[0]) / 0.7, (0.8 - low[0]) / 0.7], abs=1e-8)
    assert interval[0] == pytest.approx(1 - interval[1][::-1], abs=1e-9)


@pytest.mark.slow
@settings(derandomize=True, max_examples=30)
@given(
    channels(),
    st.lists(st.integers(0, 50), min_size=8, max_size=8),
    st.sampled_from(["wilson", "exact"]),
)
def test_other_channels_search_the_box(channel: Channel, numbers: list[int], method: str) -> None:
    sendable = channel.probabilities.any(axis=0)
    counts = np.where(sendable, np.array(numbers[: channel.reports]) + 1, 0)
    interval = estimate(counts, channel).interval(0.9, method)
    for g, found in zip(least_variance(channel), interval, strict=True):
        assert found == pytest.approx(_by_linear_programme(counts, g, method), abs=1e-7)


@pytest.mark.parametrize("method", intervals.NAMES)
def test_simultaneous_intervals_are_bonferroni_s_over_the_truths(method: str) -> None:
    three = estimate([20, 30, 50], designs.k_ary(3, 1))
    assert three.interval(0.95, method, simultaneous=True) == pytest.approx(
        three.interval(1 - 0.05 / 3, method), abs=1e-12
    )
    assert three.interval(0.95, method, simultaneous=True, comparisons=4) == pytest.approx(
        three.interval(1 - 0.05 / 12, method), abs=1e-12
    )
    two = estimate([20, 30], designs.warner(flip="1/4"))
    assert two.interval(0.95, method, simultaneous=True) == pytest.approx(
        two.interval(0.95, method)
    )


@pytest.mark.parametrize(
    "channel",
    [
        *(designs.warner(flip=flip) for flip in ("2/5", "1/3", "1/4", "1/6")),
        designs.forced_response("2/3", "1/2"),
        *(designs.k_ary(k, epsilon=epsilon) for k, epsilon in ((2, 1), (3, 1), (5, 2), (10, 1))),
        identity(2),
        identity(3),
    ],
)
@pytest.mark.parametrize("n", [1, 30, 100])
def test_what_stops_at_an_end_is_exactly_there(channel: Channel, n: int) -> None:
    """0 is 0, so that `low > 0` asks whether a share is above 0; likewise 1, and ends of a mean."""
    random, nobody = np.random.default_rng(n), np.eye(channel.truths)[0]
    for counts in random.multinomial(n, nobody @ channel.probabilities, 20):
        found = estimate(counts, channel)
        for method in ("auto", "exact", "wilson", "tail"):
            for ends in (found.interval(0.95, method), found.possible_interval(0.95, method)):
                for end in (0, 1):
                    near = abs(ends - end) < 1e-8
                    assert (ends[near] == end).all()
        mean = estimate_mean(counts, channel, 0.3 * np.arange(channel.truths))
        ends, (least, greatest) = mean.interval(), mean.possible[0]
        for end in (least, greatest):
            assert (ends[abs(ends - end) < 1e-8] == end).all()


@pytest.mark.parametrize("flip", ["2/5", "1/4", "1/6"])
@pytest.mark.parametrize("n", [30, 100, 400])
def test_a_share_of_nobody_or_everybody_is_held_as_a_float(flip: str, n: int) -> None:
    """By the chance of each count: no rounding decides whether 0 or 1 is in an interval."""
    channel = designs.warner(flip=flip)
    ends = np.array([estimate([n - x, x], channel).interval()[1] for x in range(n + 1)])
    for share in (0, 1):
        chances = stats.binom.pmf(np.arange(n + 1), n, channel.probabilities[share, 1])
        assert chances @ ((ends[:, 0] <= share) & (share <= ends[:, 1])) >= 0.95


def test_what_is_possible_of_an_interval() -> None:
    ends = np.array([[-0.2, 0.3], [0.2, 0.3], [0.7, 1.2], [-1.0, 2.0], [-0.3, -0.1], [1.1, 1.2]])
    nothing = [math.nan, math.nan]
    expected = np.array([[0, 0.3], [0.2, 0.3], [0.7, 1], [0, 1], nothing, nothing])
    assert np.array_equal(intervals.possible(ends), expected, equal_nan=True)
    assert intervals.missed(ends).tolist() == [False, False, False, False, True, True]
    assert ends[0, 0] == -0.2  # what came in is as it was


def test_rounding_puts_no_end_beside_0() -> None:
    ends = np.array([[-0.2, -1e-10], [1 + 1e-10, 1.3]])
    assert intervals.possible(ends) == pytest.approx(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert not intervals.missed(ends).any()


@pytest.mark.parametrize(
    ("channel", "one"),
    [
        (designs.warner(flip="1/4"), True),
        (designs.custom([["1/2", "1/4", "1/4"], ["1/8", "7/16", "7/16"]]), True),
        (designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]]), True),
        (THREE_REPORTS, False),
        (designs.k_ary(3, 1), True),
    ],
)
def test_what_one_proportion_tells(channel: Channel, one: bool) -> None:
    sendable = channel.probabilities.any(axis=0)
    assert intervals.is_by_proportion(least_variance(channel)[:, sendable]).all() == one


def _by_linear_programme(
    counts: npt.NDArray[np.int64], g: npt.NDArray[np.float64], method: str
) -> list[float]:
    """Solve by linear programming what the intervals solve by filling up."""
    sendable = counts > 0
    distinct = np.unique(g[sendable].round(7))
    together = np.array(
        [counts[sendable][g[sendable].round(7) == value].sum() for value in distinct], dtype=float
    )
    level = 1 - 0.1 / (len(distinct) if len(distinct) > 2 else 1)
    low, high = proportion.METHODS[method](together, int(counts.sum()), level)
    ends = []
    for sign in (1, -1):
        solved = optimize.linprog(
            sign * distinct,
            A_eq=np.ones((1, len(distinct))),
            b_eq=[1],
            bounds=list(zip(low, high, strict=True)),
        )
        assert solved.fun is not None
        ends.append(sign * solved.fun)
    return ends


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_intervals_are_scipy_s(method: str, level: float, n: int) -> None:
    successes = np.array(sorted({0, 1, n // 3, n - 1, n}), dtype=np.float64)
    low, high = proportion.METHODS[method](successes, n, level)
    for x, found in zip(successes, zip(low, high, strict=True), strict=True):
        expected = stats.binomtest(int(x), n).proportion_ci(
            confidence_level=level, method="wilson" if method == "wilson" else "exact"
        )
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "x"),
    [
        *((30, x) for x in (0, 3, 8, 15, 22, 30)),
        *((10**5, x) for x in (0, 24_000, 25_070, 50_000, 76_000)),
    ],
)
def test_feldman_and_cousins_end_where_chances_cross(n: int, x: int) -> None:
    q = (0.25, 0.75)
    (low,), (high,) = proportion.feldman_cousins(np.array([float(x)]), n, 0.95, *q)
    y = np.arange(n + 1.0)
    best = np.clip(y / n, *q)
    greatest = special.xlogy(y, best) + special.xlog1py(n - y, -best)

    def accepted(p: float) -> bool:
        ratio = special.xlogy(y, p) + special.xlog1py(n - y, -p) - greatest
        return bool(stats.binom.pmf(y, n, p)[ratio <= ratio[x] + 1e-7].sum() >= 0.05)

    for end, outwards in ((low, -1e-8), (high, 1e-8)):
        assert end in q or not accepted(end + outwards)
        assert accepted(float(np.clip(end - outwards, *q)))
    if n == 30:  # nor is any rate further out
        further = [p for p in np.linspace(*q, 181) if p < low - 1e-8 or p > high + 1e-8]
        assert not any(map(accepted, further))


@pytest.mark.parametrize("n", [1, 4, 25, 400, 10**6])
@pytest.mark.parametrize("level", [0.2, 0.95, 0.9999])
def test_the_likelihood_interval_ends_with_its_ratio(n: int, level: float) -> None:
    some = [0, 1, 7, 1000, 250_000, 500_000, 999_999]
    x = np.arange(n + 1) if n <= 400 else np.array(some)
    low, high = proportion.likelihood(x.astype(np.float64), n, level)
    highest = stats.binom.logpmf(x, n, x / n)
    quantile = stats.chi2.ppf(level, 1)
    for ends, inner in ((low, x > 0), (high, x < n)):
        deviance = np.atleast_1d(2 * (highest - stats.binom.logpmf(x, n, ends)))
        assert deviance[inner] == pytest.approx(quantile, rel=1e-9 if n <= 400 else 1e-5)
    assert np.all((low < x / n) | (x == 0))
    assert np.all((high > x / n) | (x == n))


@pytest.mark.parametrize("method", list(proportion.METHODS))
def test_nobody_and_everybody_have_exact_ends(method: str) -> None:
    for n in (*range(1, 60), 199, 10**6):
        low, high = proportion.METHODS[method](np.array([0.0, n]), n, 0.95)
        assert low[0] == 0
        assert high[1] == 1


WARNER = designs.warner(flip="1/4")


def test_what_has_no_interval_may_be_nothing() -> None:
    assert quotients.may_be_nothing([-0.1, 0, 0.1, math.nan]).tolist() == [True, True, False, True]
    known = quotients.known([0.5, 2.0], [0.1, 9.0], [False, True])
    assert [one.tolist()[0] for one in known] == [0.5, 0.1]
    assert all(math.isnan(one[1]) for one in known)


def test_the_possible_part_is_left_or_all() -> None:
    found: list[list[float]] = [
        [0.2, 0.4],
        [-1, 0.3],
        [0.9, 7],
        [-3, -2],
        [1.5, 2],
        [0.6, 0.4],
        [math.nan, math.nan],
    ]
    left = [[0.2, 0.4], [0, 0.3], [0.9, 1], [0, 1], [0, 1], [0, 1], [0, 1]]
    assert quotients.left(found).tolist() == left
    assert quotients.left([-5, math.inf], 0, math.inf).tolist() == [0, math.inf]
    assert quotients.left(np.array([[-5, 2], [3, 9]]), -1, [1, 4]).tolist() == [[-1, 1], [3, 4]]


@pytest.mark.parametrize("yes", range(0, 101, 5))
def test_shares_may_be_nothing_where_intervals_hold_0(yes: int) -> None:
    """By Clopper and Pearson's interval of one proportion, which the inverted tails are there."""
    second = difference([50, 50], [100 - yes, yes], WARNER).second
    low, high = second.interval(0.95, "exact")[1]
    found = ratio([50, 50], [100 - yes, yes], WARNER)
    assert math.isnan(found.theta[1]) == (low <= 0)
    assert math.isnan(found.theta[0]) == (high >= 1)
    of = inversion.Ratio(np.array([0.0, 1]), np.array([0.0, 1]), *[least_variance(WARNER)[1]] * 2)
    nothing = inversion.may_be_nothing(np.array([100 - yes, yes]), WARNER.probabilities, of)
    assert nothing == (low <= 0)


def test_direct_answers_are_nothing_where_none_came() -> None:
    assert not np.isnan(ratio([5, 5], [19, 1], identity(2)).theta).any()
    assert np.isnan(ratio([5, 5], [20, 0], identity(2)).theta).tolist() == [False, True]
    assert np.isnan(odds_ratio([0, 9], [4, 6], identity(2)).theta).tolist() == [False, True]


def test_no_estimate_leaves_an_end_to_end_difference() -> None:
    one = np.array([math.nan]), np.array([[0.2, 0.9]])
    other = np.array([0.4]), np.array([[0.3, 0.6]])
    assert intervals.square_and_add(one, other)[0] == pytest.approx([0.2 - 0.6, 0.9 - 0.3])
    assert intervals.square_and_add(other, one, -0.5)[0] == pytest.approx([0.3 - 0.9, 0.6 - 0.2])
