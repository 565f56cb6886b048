"""The rule of ratios to what may be nothing, case by case."""

import math

import numpy as np
import pytest

from deniable import designs, identity, least_variance
from deniable.analysis import difference, intervals, odds_ratio, ratio
from deniable.analysis.intervals import inversion, quotients

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
