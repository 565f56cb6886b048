"""Probabilities are kept as written, and bounds on exp are bounds."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import exact


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


@pytest.mark.parametrize("written", ["", "half", "1/0", "nan", float("inf"), None, [1]])
def test_what_is_no_number_is_named(written: object) -> None:
    with pytest.raises(ValueError, match=r"expected a number such as 0\.25 or 1/4, found"):
        exact.fraction(written)  # type: ignore[arg-type]  # that is what is tested


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
def test_what_would_take_up_all_memory_is_no_number(written: str) -> None:
    """Whoever gives up after a minute has waited for a number that no design needs."""
    with pytest.raises(ValueError, match="expected a number such as") as refused:
        exact.fraction(written)
    assert len(str(refused.value)) < 130


def test_no_exponential_is_worked_out_that_no_channel_has() -> None:
    exact.exp_lower(Fraction(exact.MAX_EXPONENT))
    with pytest.raises(ValueError, match=r"expected a number of at most 1000, found 1e\+09"):
        exact.exp_lower(Fraction(10**9))


@pytest.mark.parametrize("written", ["-0.1", "1.01", "5/4"])
def test_a_probability_lies_between_0_and_1(written: str) -> None:
    with pytest.raises(ValueError, match="expected a share between 0 and 1, found"):
        exact.probability(written, "a share")


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


def test_numbers_below_the_domain_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        exact.exp_lower(Fraction(-1))
    with pytest.raises(ValueError, match="at least 1"):
        exact.log_millionths(Fraction(1, 2))
