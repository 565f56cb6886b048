"""Numbers and channels as a page says them."""

from __future__ import annotations

import math
from typing import Final

from deniable.survey import Item, Protection

_UNKNOWN: Final = "–"


def percent(share: float | None) -> str:
    """Write a share in percent, with one decimal; a dash if it is not known."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} %"


def percentage_points(share: float | None) -> str:
    """Write a difference of shares, such as a standard error, in percentage points."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} points"


def quantity(value: float | None, span: float) -> str:
    """Write a number in the units of its question, to about a thousandth of what answers span.

    Parameters
    ----------
    value : float or None
        A dash if it is not known.
    span : float
        Above 0: a mean of ages has one decimal, one of hours a day two, one of incomes none.

    Returns
    -------
    str
    """
    if value is None:
        return _UNKNOWN
    return _number(value, max(0, 3 - math.floor(math.log10(span))))


def noise(item: Item) -> str:
    """Say how an item's reports are drawn.

    Parameters
    ----------
    item : Item

    Returns
    -------
    str
        One sentence, computed from the channel's weights alone.
    """
    if item.protection is Protection.DIRECT:
        return "Asked directly: sent as it is given."
    if item.flips is None:
        return "Reports are drawn by a design of their own, and are not named after the answers."
    if min(item.flips) == max(item.flips):
        return (
            f"A report differs from the true answer with probability {percent(item.flips[0])} "
            "(the flip probability)."
        )
    chances = ", ".join(
        f"{percent(flip)} for “{answer.text}”"
        for flip, answer in zip(item.flips, item.truths, strict=True)
    )
    return f"A report differs from the true answer with probability {chances}."


def _number(value: float, decimals: int = 1) -> str:
    written = f"{value:.{decimals}f}"
    if float(written) == 0:  # not "-0.0"
        written = written.removeprefix("-")
    return written.replace("-", "\N{MINUS SIGN}")
