"""Confidence levels and their normal quantiles. Imports nothing from scipy."""

from __future__ import annotations

from statistics import NormalDist


def check_level(level: float) -> None:
    """Reject a confidence level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(
            f"expected a confidence level between 0 and 1, such as 0.95, found {level}"
        )


def normal_quantile(level: float) -> float:
    """Return the half-width of a two-sided normal interval, in standard errors: 1.96 at 0.95."""
    return -NormalDist().inv_cdf((1 - level) / 2)
