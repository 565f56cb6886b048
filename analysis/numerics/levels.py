"""Confidence levels, their normal quantiles, and choices. Imports nothing from scipy."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist


def check_level(level: float) -> None:
    """Reject a confidence level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(
            f"expected a confidence level between 0 and 1, such as 0.95, found {level}"
        )


def check_choice(chosen: str, known: Iterable[str], what: str) -> None:
    """Reject what is not among the known names of something, such as "a method"."""
    if chosen not in (names := [*known]):
        raise ValueError(f"expected {what} of {', '.join(names)}, found {chosen!r}")


def normal_quantile(level: float) -> float:
    """Return the half-width of a two-sided normal interval, in standard errors: 1.96 at 0.95."""
    return -NormalDist().inv_cdf((1 - level) / 2)
