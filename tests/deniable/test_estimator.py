import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from deniable import Channel, designs
from deniable.designs.families import Family
from deniable.estimator import for_values, least_variance, variance
from tests.analysis.channels import channels


@settings(derandomize=True)
@given(channels())
def test_it_is_unbiased_for_every_truth(channel: Channel) -> None:
    G = least_variance(channel)
    assert channel.probabilities @ G.T == pytest.approx(np.eye(channel.truths), abs=1e-9)


@settings(derandomize=True)
@given(channels())
def test_no_unbiased_table_has_less_variance(channel: Channel) -> None:
    C = channel.probabilities
    D = C.mean(axis=0)
    # Every unbiased table differs from this one by rows d with C @ d = 0. That all of them are
    # orthogonal to it, in the inner product of the variance, is Pythagoras' condition for a least.
    _, singular, Vt = np.linalg.svd(C)
    null_space = Vt[len(singular) :]
    assert null_space * D @ least_variance(channel).T == pytest.approx(0, abs=1e-9)


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


def test_it_is_computed_once_a_channel_and_cannot_be_changed() -> None:
    G = least_variance(designs.warner(flip="1/5"))
    assert least_variance(designs.warner(flip="1/5")) is G
    with pytest.raises(ValueError, match="read-only"):
        G[0, 0] = 1


def test_two_reports_tell_one_mean_and_no_more() -> None:
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


@pytest.mark.parametrize("k", [2, 3, 10, 50])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_the_variance_of_k_ary_response_is_its_closed_form(k: int, epsilon: float) -> None:
    # Kairouz, Bonawitz and Ramage (2016), section 4: at equally likely truths every report comes
    # 1/k of the time, and an estimated share is (report share - q) / (p - q).
    e = math.exp(epsilon)
    expected = k * (1 / k) * (1 - 1 / k) * ((e + k - 1) / (e - 1)) ** 2
    assert variance(designs.k_ary(k, epsilon)) == pytest.approx(expected, rel=1e-6)


def test_the_variance_of_a_mean_is_its_closed_form() -> None:
    # Of two points (Duchi, Jordan and Wainwright 2018, section 3.2), the report stands for
    # 1/2 +- (e + 1) / (2 (e - 1)), and the mean of equally likely levels is 1/2.
    e = math.exp(1)
    channel = Family("two_point", 21, 21).channel(1)
    expected = ((e + 1) / (e - 1) / 2) ** 2
    values = np.linspace(0, 1, 21)
    assert variance(channel, values) == pytest.approx(expected, rel=1e-6)


def test_what_the_reports_cannot_tell_has_no_bounded_variance() -> None:
    channel = designs.two_point(9, 1)
    assert math.isinf(variance(channel))
    assert math.isinf(variance(channel, np.arange(9) ** 2))
    assert math.isfinite(variance(channel, range(9)))
