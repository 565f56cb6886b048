"""Numbers as a table of results prints them."""

from __future__ import annotations

import math
from typing import Final

MINUS: Final = "\N{MINUS SIGN}"

# Below it a p-value says no more than that it is small, and its digits rest on the normal tail.
_SMALLEST_P: Final = 0.0001


# A larger number, such as the odds ratio of a coefficient that is hardly known, fills lines.
_HUGE: Final = 1e12


def number(value: float, decimals: int = 3) -> str:
    """Write a number with so many decimals; infinity and what is unknown by their signs.

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
    written = f"{value:.{decimals}f}"
    if float(written) == 0:
        written = written.removeprefix("-")
    return written.replace("-", MINUS)


def p_value(p: float) -> str:
    """Write a p-value with three digits, or that it is below .0001.

    >>> p_value(0.0312), p_value(3e-9)
    ('0.0312', '<0.0001')
    """
    if math.isnan(p):
        return "–"
    return f"<{_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.4f}"


def p_said(p: float) -> str:
    """Write a p-value in a sentence: ``= 0.0312`` or ``< 0.0001``."""
    written = p_value(p)
    return written.replace("<", "< ") if written.startswith("<") else f"= {written}"
