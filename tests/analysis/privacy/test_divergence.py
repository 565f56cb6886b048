import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import designs
from deniable.analysis.privacy.divergence import _divergences, kullback_leibler, renyi
from deniable.channel import ROW_SUM, Channel
from tests.analysis.channels import channels


def renyi_divergence(channel: Channel, order: float, truth: int, other: int) -> float:
    C = channel.probabilities
    return float(_divergences(C[truth], C[[other]], order)[0])


@pytest.mark.parametrize("flip", ["1/20", "1/4", "9/20"])
@pytest.mark.parametrize("order", [0.25, 0.5, 2, 3, 20])
def test_two_answers_have_the_closed_form_of_mironov(flip: str, order: float) -> None:
    # Mironov (2017), section VI-A, with his p the chance of the truth.
    channel = designs.warner(flip=flip)
    q, p = channel.probabilities[0, 1], channel.probabilities[0, 0]
    expected = math.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)
    assert renyi(channel, order) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("flip", ["1/20", "1/4", "9/20"])
def test_two_answers_have_the_known_limits(flip: str) -> None:
    channel = designs.warner(flip=flip)
    q, p = channel.probabilities[0, 1], channel.probabilities[0, 0]
    assert kullback_leibler(channel) == pytest.approx((p - q) * math.log(p / q), rel=1e-12)
    assert renyi(channel, math.inf) == pytest.approx(channel.epsilon, abs=1e-6)
    assert renyi(channel, 0) == pytest.approx(0, abs=1e-15)


@settings(derandomize=True)
@given(channels(), st.integers(2, 6))
def test_whole_orders_agree_with_exact_arithmetic(channel: Channel, order: int) -> None:
    for truth, row in enumerate(channel.weights):
        for other, beside in enumerate(channel.weights):
            found = renyi_divergence(channel, order, truth, other)
            if any(p > 0 == q for p, q in zip(row, beside, strict=True)):
                assert found == math.inf
                continue
            exact = sum(
                Fraction(p, ROW_SUM) * Fraction(p, q) ** (order - 1)
                for p, q in zip(row, beside, strict=True)
                if q
            )
            assert found == pytest.approx(math.log(exact) / (order - 1), rel=1e-9, abs=1e-15)


@settings(derandomize=True)
@given(channels())
def test_it_is_continuous_at_order_1_where_it_is_finite(channel: Channel) -> None:
    for truth in range(channel.truths):
        limit = renyi_divergence(channel, 1, 0, truth)
        if math.isfinite(limit):
            near = renyi_divergence(channel, 1 + 1e-8, 0, truth)
            assert near == pytest.approx(limit, rel=1e-5, abs=1e-12)


def test_an_impossible_report_counts_from_order_1_on() -> None:
    channel = designs.custom([["1/2", "1/2"], ["0", "1"]])
    assert renyi_divergence(channel, 1, 0, 1) == renyi_divergence(channel, 2, 0, 1) == math.inf
    assert renyi_divergence(channel, 0.5, 0, 1) == pytest.approx(math.log(2), rel=1e-12)
    assert renyi_divergence(channel, 2, 1, 0) == pytest.approx(math.log(2), rel=1e-12)
