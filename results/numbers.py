"""Numbers as a table of results prints them."""

from __future__ import annotations

import math
from typing import Final

from deniable.text.wording import fixed

MINUS: Final = "\N{MINUS SIGN}"

# A smaller p-value says only that it is small: its digits depend on the normal tail.
_SMALLEST_P: Final = 0.0001

# A greater one says only that nothing speaks against chance; adjusted ones are often exactly 1.
_GREATEST_P: Final = 0.99

# A smaller coefficient is written with a power of 10, because people miscount so many zeros.
_TINY: Final = 1e-4

# A ratio as near as this to 1 or 0 would round to it with two decimals.
_NEAR: Final = 0.005
_MOST_DECIMALS: Final = 12

# A larger number, such as the odds ratio of a very uncertain coefficient, would fill lines.
_HUGE: Final = 1e12


def number(value: float, decimals: int = 3) -> str:
    """Write a number with `decimals` decimals; infinity as ∞, nan as –.

    >>> number(-0.25), number(float("inf")), number(float("nan")), number(-0.0001)
    ('−0.250', '∞', '–', '0.000')
    >>> number(-4.2e225)
    '−4.2e225'
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return f"{MINUS if value < 0 else ''}∞"
    if abs(value) >= _HUGE:
        return f"{value:.1e}".replace("-", MINUS).replace("e+", "e")
    return fixed(value, decimals)


def coefficient(value: float) -> str:
    """Write a number with three decimals, or with more to show three significant digits.

    >>> coefficient(-2.374), coefficient(0.0497), coefficient(-5.2e-06), coefficient(0.0)
    ('−2.374', '0.0497', '−5.20e−6', '0.000')
    """
    if value == 0 or not math.isfinite(value):
        return number(value)
    if abs(value) < _TINY:
        digits, _, power = f"{value:.2e}".partition("e")
        return f"{digits}e{int(power)}".replace("-", MINUS)
    return number(value, max(3, 2 - math.floor(math.log10(abs(value)))))


def ratio(value: float) -> str:
    """Write a ratio with two decimals, or with more if it is nearly 1 or nearly 0.

    >>> ratio(1.05), ratio(0.9999948), ratio(0.0034), ratio(1 - 2e-14)
    ('1.05', '0.9999948', '0.0034', '1.00')
    """
    near = min(abs(value), abs(value - 1))
    decimals = 1 - math.floor(math.log10(near)) if 0 < near < _NEAR else 2
    return number(value, decimals if decimals <= _MOST_DECIMALS else 2)


def p_value(p: float) -> str:
    """Write a p-value with four decimals, or that it is below 0.0001 or above 0.99.

    >>> p_value(0.0312), p_value(3e-9), p_value(1.0)
    ('0.0312', '<0.0001', '>0.99')
    """
    if math.isnan(p):
        return "–"
    if p > _GREATEST_P:
        return f">{_GREATEST_P}"
    return f"<{_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.4f}"


def p_said(p: float) -> str:
    """Write a p-value in a sentence: ``= 0.0312``, ``< 0.0001`` or ``> 0.99``."""
    written = p_value(p)
    return f"{written[0]} {written[1:]}" if written[0] in "<>" else f"= {written}"
