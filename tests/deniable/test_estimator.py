"""Exact numbers and estimators: bounds are bounds, and nothing has less variance."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import Channel, designs, exact
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


def test_impossible_reports_count_for_nothing() -> None:
    channel = designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]])
    assert least_variance(channel)[1] == pytest.approx([-0.5, 0, 1.5])


def test_it_is_computed_once_and_stays() -> None:
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


@pytest.mark.parametrize("k", [2, 3, 10, 50])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_k_ary_variance_is_its_closed_form(k: int, epsilon: float) -> None:
    # Kairouz, Bonawitz and Ramage (2016), section 4: at equally likely truths every report comes
    # 1/k of the time, and an estimated share is (report share - q) / (p - q).
    e = math.exp(epsilon)
    expected = k * (1 / k) * (1 - 1 / k) * ((e + k - 1) / (e - 1)) ** 2
    assert variance(designs.k_ary(k, epsilon)) == pytest.approx(expected, rel=1e-6)


def test_a_mean_s_variance_is_its_closed_form() -> None:
    # Of two points (Duchi, Jordan and Wainwright 2018, section 3.2), the report stands for
    # 1/2 +- (e + 1) / (2 (e - 1)), and the mean of equally likely levels is 1/2.
    e = math.exp(1)
    channel = Family("two_point", 21, 21).channel(1)
    expected = ((e + 1) / (e - 1) / 2) ** 2
    values = np.linspace(0, 1, 21)
    assert variance(channel, values) == pytest.approx(expected, rel=1e-6)


def test_the_untold_has_no_bounded_variance() -> None:
    channel = designs.two_point(9, 1)
    assert math.isinf(variance(channel))
    assert math.isinf(variance(channel, np.arange(9) ** 2))
    assert math.isfinite(variance(channel, range(9)))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (0.25, Fraction(1, 4)),
        (0.1, Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 2/3 ", Fraction(2, 3)),
        ("1e-3", Fraction(1, 1000)),
        (Fraction(5, 7), Fraction(5, 7)),
        (1, Fraction(1)),
        (np.float64(0.3), Fraction(3, 10)),
    ],
)
def test_numbers_are_kept_as_written(written: exact.Number, value: Fraction) -> None:
    assert exact.fraction(written) == value


@pytest.mark.parametrize(
    "written",
    [
        "1e-99999999",
        "1e999999999",
        "1E+99_999_999",
        "1e\u0669\u0669\u0669\u0669\u0669\u0669\u0669\u0669",
        "9" * 100_000,
    ],
)
def test_numbers_beyond_memory_are_none(written: str) -> None:
    """Whoever gives up after a minute has waited for a number that no design needs."""
    with pytest.raises(ValueError, match="expected a number such as") as refused:
        exact.fraction(written)
    assert len(str(refused.value)) < 130


def test_no_useless_exponential_is_worked_out() -> None:
    exact.exp_lower(Fraction(exact.MAX_EXPONENT))
    with pytest.raises(ValueError, match=r"expected a number of at most 1000, found 1e\+09"):
        exact.exp_lower(Fraction(10**9))


@given(st.fractions(0, 40, max_denominator=10**6))
def test_exp_lower_is_a_tight_lower_bound(x: Fraction) -> None:
    # The oracle: the decimal module's correctly rounded exponential at 80 digits.
    with localcontext() as context:
        context.prec = 80
        exponential = Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())
    lower = exact.exp_lower(x)
    assert lower <= exponential * (1 + Fraction(1, 10**70))
    assert lower >= exponential * (1 - Fraction(1, 10**40))


@given(st.integers(1, 2**32), st.integers(1, 2**32))
def test_log_millionths_is_the_smallest_multiple_above(a: int, b: int) -> None:
    ratio = Fraction(max(a, b), min(a, b))
    millionths = exact.log_millionths(ratio)
    with localcontext() as context:
        context.prec = 60
        logarithm = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        assert Decimal(millionths) >= logarithm * 10**6 - Decimal(10) ** -40
        assert Decimal(millionths - 1) < logarithm * 10**6


def test_known_logarithms_are_rounded_up() -> None:
    # ln 3 = 1.0986122886..., ln 2 = 0.6931471805..., ln 5 = 1.6094379124...
    assert [exact.log_millionths(Fraction(ratio)) for ratio in (1, 2, 3, 5)] == [
        0,
        693148,
        1098613,
        1609438,
    ]
