"""Roots of functions of one variable: many at once inside brackets, or the first on a way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray

# Largest error of a root, relative to the greater end of the bracket.
_TOLERANCE: Final = 1e-14


def bracketed_root(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return where functions turn from at most 0 to above 0, each inside its own bracket.

    The ITP method (interpolate, truncate, project): regula falsi, moved a little towards the middle
    and kept so near to it that no bracket takes more than one step longer than by bisection. So it
    always ends, on smooth functions after some ten steps.

    Oliveira, I. F. D. and Takahashi, R. H. C. (2020). An enhancement of the bisection method
    average performance preserving minmax optimality. ACM Transactions on Mathematical Software
    47, article 5, algorithm 1 with n_0 = 1, kappa_2 = 2.
    """
    tolerance = _TOLERANCE * np.maximum(high, np.finfo(np.float64).tiny)
    f_low, f_high = function(low), function(high)
    stretch = 0.8 / np.maximum(high - low, tolerance)
    # The steps of bisection, plus one. With more, every bracket would be done.
    allowed = tolerance * 2.0 ** (np.ceil(np.log2(np.maximum((high - low) / tolerance, 1))) + 1)
    while ((half := (high - low) / 2) > tolerance).any():
        # The secant's root, relative to the middle. Without a slope, by rounding, it is far
        # outside.
        offset = half - 2 * half * f_high / np.maximum(f_high - f_low, np.finfo(np.float64).tiny)
        # Truncation: a little towards the middle, so that both ends soon approach the root;
        # projection: no further from the middle than allowed.
        shift = np.maximum(stretch * half**2, tolerance)
        reach = np.minimum(np.minimum(np.abs(offset), half) - shift, allowed - half)
        x = low + half + np.copysign(np.maximum(reach, 0), offset)
        f_x = function(x)
        above = f_x > 0
        high, f_high = np.where(above, x, high), np.where(above, f_x, f_high)
        low, f_low = np.where(above, low, x), np.where(above, f_low, f_x)
        allowed = allowed / 2
    return low + half


def first_root(
    excess: Callable[[float], float], candidates: Iterable[float], xtol: float = 2e-12
) -> float:
    """Return the first value along the candidates where a function is at most 0; nan if nowhere."""
    before = math.nan
    for value in candidates:
        if excess(value) <= 0:
            if math.isnan(before):
                return value
            return float(scipy.optimize.brentq(excess, before, value, xtol=xtol))
        before = value
    return math.nan
