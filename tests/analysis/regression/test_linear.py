"""Linear regression of the mean of a number: against Welch, least squares and enumeration."""

from itertools import product

import numpy as np
import pytest
import scipy

from deniable import designs
from deniable.analysis.regression.linear import regress_mean
from deniable.channel import identity
from deniable.estimator import for_values

CHANNEL = designs.two_point(11, epsilon=2)
LEVELS = np.arange(11.0)
RANDOM = np.random.default_rng(8)


def test_two_groups_are_welch_s() -> None:
    sent = np.repeat([0, 1, 0, 1], [9, 6, 4, 11])
    of = np.repeat([0.0, 1.0], 15)
    fit = regress_mean(sent, np.column_stack([np.ones(30), of]), CHANNEL, LEVELS)
    g = for_values(CHANNEL, LEVELS)[sent]
    welch = scipy.stats.ttest_ind(g[of == 1], g[of == 0], equal_var=False)
    assert fit.t[1] == pytest.approx(welch.statistic)
    assert fit.degrees_of_freedom == pytest.approx([14, 28])  # the groups are of one size
    assert fit.p_value[1] == pytest.approx(welch.pvalue, rel=0.01)
    ends = welch.confidence_interval()
    assert fit.interval()[1] == pytest.approx([ends.low, ends.high], rel=0.01)


def test_who_declines_a_direct_number_is_left_out() -> None:
    values = np.array([3.0, 5.0, 9.0, np.nan])
    sent = RANDOM.integers(0, 4, 60)
    X = np.column_stack([np.ones(60), RANDOM.normal(size=60)])
    fit = regress_mean(sent, X, identity(4), values)
    some = sent < 3
    y, Z = values[sent[some]], X[some]
    expected, *_ = np.linalg.lstsq(Z, y)
    assert fit.coefficients == pytest.approx(expected)
    hat = Z @ np.linalg.inv(Z.T @ Z)
    residual = (y - Z @ expected) ** 2 / (1 - (hat * Z).sum(axis=1))
    assert fit.covariance == pytest.approx((hat * residual[:, np.newaxis]).T @ hat)


def test_coefficients_are_unbiased_over_all_reports() -> None:
    truths, X = [2, 10, 0, 7], np.column_stack([np.ones(4), [0.0, 1, 3, 4]])
    mean = np.zeros(2)
    for sent in product(range(2), repeat=4):
        chance = np.prod([CHANNEL.probabilities[t, r] for t, r in zip(truths, sent, strict=True)])
        mean += chance * regress_mean(sent, X, CHANNEL, LEVELS).coefficients
    assert mean == pytest.approx(np.linalg.lstsq(X, np.array(truths))[0], abs=1e-8)


def test_the_known_noise_is_a_floor() -> None:
    # All twelve send the same, and that is chance.
    fit = regress_mean([0] * 12, np.ones((12, 1)), CHANNEL, LEVELS)
    g = for_values(CHANNEL, LEVELS)
    noise = (CHANNEL.probabilities @ g**2 - LEVELS**2).min()
    assert fit.standard_error == pytest.approx([np.sqrt(noise / 12)])


@pytest.mark.parametrize(
    ("X", "sent", "said"),
    [
        ([[1, 0], [1, 0], [1, 1]], [0, 1, 0], "somebody alone decides"),
        ([[1, 2], [1, 2], [1, 2]], [0, 1, 0], "linearly independent"),
        ([[1, 0], [1, 0], [1, 1], [1, 1]], [0, 1, 3, 3], "people with a number in each"),
    ],
)
def test_what_cannot_be_told_is_refused(X: list[list[int]], sent: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        regress_mean(sent, X, identity(4), [0, 1, 2, np.nan])
