from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from deniable import designs
from deniable.analysis.estimator import for_values, least_variance
from deniable.channel import Channel, identity
from tests.analysis.channels import channels


@settings(derandomize=True)
@given(channels())
def test_it_is_unbiased_for_every_truth(channel: Channel) -> None:
    G = least_variance(channel)
    assert channel.probabilities @ G.T == pytest.approx(np.eye(channel.truths), abs=1e-9)


@settings(derandomize=True)
@given(channels())
def test_no_other_unbiased_table_has_less_variance_at_equally_likely_truths(
    channel: Channel,
) -> None:
    C = channel.probabilities
    D = C.mean(axis=0)
    # Every unbiased table differs from this one by rows d with C @ d = 0. That all of them are
    # orthogonal to it, in the inner product of the variance, is Pythagoras' condition for a least.
    _, singular, Vt = np.linalg.svd(C)
    null_space = Vt[len(singular) :]
    assert null_space * D @ least_variance(channel).T == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("flip", ["0", "1/20", "1/4", "9/20"])
def test_two_answers_give_the_familiar_formula(flip: str) -> None:
    channel = designs.warner(flip=flip)
    p = channel.probabilities[0, 1]
    for report in (0, 1):
        expected = (report - p) / (1 - 2 * p)
        assert least_variance(channel)[1, report] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("answers", [2, 3, 49, 255])
def test_direct_answers_are_counted_and_nothing_else(answers: int) -> None:
    assert np.array_equal(least_variance(identity(answers)), np.eye(answers))


def test_a_report_that_nobody_can_send_counts_for_nothing() -> None:
    channel = designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]])
    assert least_variance(channel)[1] == pytest.approx([-0.5, 0, 1.5])


@pytest.mark.parametrize(
    "table",
    [
        [["1/2", "1/2"], ["1/2", "1/2"]],
        [["1/2", "1/2"], ["1/4", "3/4"], ["3/8", "5/8"]],
        [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["3/8", "3/8", "1/4"]],
    ],
)
def test_shares_that_the_reports_cannot_tell_are_refused(table: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="not identifiable"):
        least_variance(designs.custom(table))


def test_the_weakest_channel_of_32_bits_is_still_told_from_none() -> None:
    half = 2**31
    channel = Channel([[half + 1, half - 1], [half - 1, half + 1]])
    assert least_variance(channel)[0, 0] == pytest.approx(2**30 + 0.5, rel=1e-6)


def test_it_is_computed_once_a_channel_and_cannot_be_changed() -> None:
    G = least_variance(designs.warner(flip="1/5"))
    assert least_variance(designs.warner(flip="1/5")) is G
    with pytest.raises(ValueError, match="read-only"):
        G[0, 0] = 1


def test_a_mean_is_the_sum_of_the_values_times_the_shares() -> None:
    channel = designs.k_ary(5, 1)
    values = np.array([0.0, 1, 4, 9, -3])
    np.testing.assert_allclose(
        for_values(channel, values), values @ least_variance(channel), rtol=0, atol=1e-9
    )


def test_two_reports_tell_a_mean_of_many_levels_and_nothing_else() -> None:
    # Duchi's design: P(high) is linear in the level, so (r - 1/4) / (1/2) * 8 is its inverse.
    table = [[Fraction(3, 4) - Fraction(x, 16), Fraction(1, 4) + Fraction(x, 16)] for x in range(9)]
    channel = designs.custom(table)
    np.testing.assert_allclose(for_values(channel, range(9)), [-4, 12], rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="mean of these values is not identifiable"):
        for_values(channel, np.arange(9) ** 2)


@pytest.mark.parametrize("values", [[1, 2], [1, 2, np.nan]])
def test_a_value_is_needed_for_each_truth(values: list[float]) -> None:
    with pytest.raises(ValueError, match="expected 3 finite values"):
        for_values(designs.k_ary(3, 1), values)
