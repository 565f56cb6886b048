"""Roots of many functions of one variable at once, each inside a bracket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray

# How far from the root a result may be, relative to the greater end of the bracket.
_TOLERANCE: Final = 1e-14


def bracketed_root(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Find where functions turn from at most 0 to above 0, each between its own two ends.

    Interpolate, truncate and project: regula falsi, moved a little towards the middle and kept so
    near to it that no bracket takes more than one step longer than by bisection. Its end is
    thereby certain, and on smooth functions it comes after some ten steps.

    Oliveira, I. F. D. and Takahashi, R. H. C. (2020). An enhancement of the bisection method
    average performance preserving minmax optimality. ACM Transactions on Mathematical Software
    47, article 5, algorithm 1 with n_0 = 1, kappa_2 = 2.
    """
    tolerance = _TOLERANCE * np.maximum(high, np.finfo(np.float64).tiny)
    f_low, f_high = function(low), function(high)
    stretch = 0.8 / np.maximum(high - low, tolerance)
    # What bisection would need, and one step more. Beyond it all brackets would be done.
    allowed = tolerance * 2.0 ** (np.ceil(np.log2(np.maximum((high - low) / tolerance, 1))) + 1)
    while ((half := (high - low) / 2) > tolerance).any():
        # The secant, seen from the middle. Without a slope, by rounding, it is far outside.
        offset = half - 2 * half * f_high / np.maximum(f_high - f_low, np.finfo(np.float64).tiny)
        # Truncation: towards the middle by a little, so that the root is soon enclosed from both
        # sides; projection: no further from it than allowed.
        shift = np.maximum(stretch * half**2, tolerance)
        reach = np.minimum(np.minimum(np.abs(offset), half) - shift, allowed - half)
        x = low + half + np.copysign(np.maximum(reach, 0), offset)
        f_x = function(x)
        above = f_x > 0
        high, f_high = np.where(above, x, high), np.where(above, f_x, f_high)
        low, f_low = np.where(above, low, x), np.where(above, f_low, f_x)
        allowed = allowed / 2
    return low + half
