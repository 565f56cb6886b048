import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from deniable import Channel, designs, least_variance
from deniable.analysis import estimate, intervals
from deniable.analysis.intervals import proportion
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


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_k_ary_response_is_a_proportion_an_answer(method: str) -> None:
    channel = designs.k_ary(5, 1)
    keep, other = channel.probabilities[0, :2]
    counts = np.array([3, 60, 17, 20, 0])
    ends = np.array(proportion.METHODS[method](counts.astype(np.float64), 100, 0.95)).T
    expected = (ends - other) / (keep - other)
    assert estimate(counts, channel).interval(method=method) == pytest.approx(expected, abs=1e-9)


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


def test_other_channels_cover_as_often_as_said() -> None:
    for share in (0.0, 0.1, 0.5, 1.0):
        assert _coverage(THREE_REPORTS, share, 12, "exact") >= 0.95


@settings(derandomize=True)
@given(
    channels(),
    st.lists(st.integers(1, 40), min_size=8, max_size=8),
    st.sampled_from(["wald", "wilson", "exact"]),
    st.floats(0.5, 0.99),
)
def test_intervals_widen_with_what_they_must_hold(
    channel: Channel, numbers: list[int], method: str, level: float
) -> None:
    counts = np.where(channel.probabilities.any(axis=0), numbers[: channel.reports], 0)
    result = estimate(counts, channel)
    low, high = result.interval(level, method).T
    assert np.all(low < result.theta)
    assert np.all(result.theta < high)
    for wider in (
        result.interval((1 + level) / 2, method),
        result.interval(level, method, comparisons=3),
    ):
        assert np.all(wider[:, 0] < low)
        assert np.all(high < wider[:, 1])


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


def test_wald_is_the_estimate_and_its_standard_errors() -> None:
    result = estimate([65, 60], designs.warner(flip="3/10"))
    half = 1.959963984540054 * 0.1121634752
    assert result.interval(method="wald")[1] == pytest.approx([0.45 - half, 0.45 + half], abs=1e-8)


def test_what_is_no_interval_is_refused() -> None:
    result = estimate([20, 30], designs.warner(flip="1/4"))
    with pytest.raises(
        ValueError,
        match="wald, feldman-cousins, wilson, exact, likelihood, found 'normal'",
    ):
        result.interval(method="normal")
    for level in (0.0, 1.0, 95.0, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            result.interval(level)
    with pytest.raises(ValueError, match="at least 1 comparison, found 0"):
        result.interval(comparisons=0)


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
        (designs.k_ary(3, 1), False),
    ],
)
def test_what_is_about_one_proportion_only(channel: Channel, one: bool) -> None:
    sendable = channel.probabilities.any(axis=0)
    assert intervals.is_one_proportion(least_variance(channel)[:, sendable]) is one


def test_rows_get_levels_of_their_own() -> None:
    channel = designs.custom(
        [["8/10", "1/10", "1/10"], ["2/10", "6/10", "2/10"], ["2/10", "1/10", "7/10"]]
    )
    G = least_variance(channel)
    assert [len(np.unique(g.round(9))) for g in G] == [2, 2, 3]
    counts = np.array([20, 50, 30])
    found = estimate(counts, channel).interval(0.9, "exact")
    for g, ends in zip(G, found, strict=True):
        assert ends == pytest.approx(_by_linear_programme(counts, g, "exact"), abs=1e-7)


def _coverage(channel: Channel, share: float, n: int, method: str) -> float:
    """Sum the chances of all counts whose interval holds the share of the second truth."""
    P = np.array([1 - share, share]) @ channel.probabilities
    covered = 0.0
    for counts in itertools.product(range(n + 1), repeat=channel.reports - 1):
        if sum(counts) <= n:
            every = [n - sum(counts), *counts]
            low, high = estimate(every, channel).interval(0.95, method)[1]
            covered += float(stats.multinomial.pmf(every, n, P)) * (low <= share <= high)
    return covered


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
