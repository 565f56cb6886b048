"""p-values of intervals: the least error at which an interval leaves 0 out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile

_QUANTILES: Final = (0.0, 0.1, 0.3, 0.6, 1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.2, 3.7, 4.3, 5.0)
"""Where the ends are computed, in half-widths of a normal interval: they nearly are lines there."""


def inverted_p_values(
    interval: Callable[[float], FloatArray], estimate: FloatArray, level: float
) -> FloatArray:
    """Return the p-values that belong to some intervals.

    `interval`: given a level, the ends at it, of the shape of the estimate and one axis more, of
    length 2. `level`: of the intervals that are shown beside them: at this level, p-value and
    interval cannot contradict each other. Between the levels looked at, the ends are taken for
    lines. Result: of the shape of the estimate. Nothing below the least that is looked at, 6e-7;
    nan where an end is.
    """
    quantiles = np.unique([*_QUANTILES, min(normal_quantile(level), _QUANTILES[-1])])
    above = np.asarray(estimate > 0)
    # How far the end on the side of 0 is from it: at no level the end is the estimate.
    room = [np.abs(estimate)]
    for z in quantiles[1:]:
        ends = interval(1 - 2 * float(scipy.special.ndtr(-z)))
        room.append(np.where(above, ends[..., 0], -ends[..., 1]))
    distance = np.stack(room)
    crossed = distance <= 0
    after = np.where(crossed.any(axis=0), crossed.argmax(axis=0), len(quantiles) - 1)
    before = np.maximum(after - 1, 0)
    far, near = (np.take_along_axis(distance, one[np.newaxis], 0)[0] for one in (before, after))
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(crossed.any(axis=0), far / (far - near), 1.0)
    z = quantiles[before] + np.nan_to_num(part, nan=0.0) * (quantiles[after] - quantiles[before])
    return np.asarray(np.where(np.isnan(distance).any(axis=0), np.nan, 2 * scipy.special.ndtr(-z)))
