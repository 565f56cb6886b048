"""P-values of intervals: the least error at which an interval excludes 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile

_QUANTILES: Final = (0.0, 0.1, 0.3, 0.6, 1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.2, 3.7, 4.3, 5.0)
"""Levels at which the ends are computed, as normal quantiles, in which the ends are nearly
linear."""


def inverted_p_values(
    interval: Callable[[float], FloatArray], estimate: FloatArray, level: float
) -> FloatArray:
    """Return the p-values that belong to some intervals.

    `interval`: from a level to the ends, of the shape of the estimate plus one axis of length 2.
    `level`: of the intervals shown beside the p-values: at this level, p-value and interval cannot
    contradict each other. Between the computed levels, the ends are interpolated linearly. Result:
    of the shape of the estimate, at least 6e-7, the least that is computed; nan where an end is.
    """
    quantiles = np.unique([*_QUANTILES, min(normal_quantile(level), _QUANTILES[-1])])
    above = np.asarray(estimate > 0)
    # Distance from 0 of the end on that side: at level 0 the end is the estimate.
    room = [np.abs(estimate)]
    excludes_0 = room[0] > 0
    for z in quantiles[1:]:
        if not excludes_0.any():
            break  # at higher levels no interval excludes 0 either, and each takes long
        ends = interval(1 - 2 * float(scipy.special.ndtr(-z)))
        room.append(np.where(above, ends[..., 0], -ends[..., 1]))
        excludes_0 &= room[-1] > 0
    quantiles, distance = quantiles[: len(room)], np.stack(room)
    crossed = distance <= 0
    after = np.where(crossed.any(axis=0), crossed.argmax(axis=0), len(quantiles) - 1)
    before = np.maximum(after - 1, 0)
    far, near = (np.take_along_axis(distance, one[np.newaxis], 0)[0] for one in (before, after))
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(crossed.any(axis=0), far / (far - near), 1.0)
    z = quantiles[before] + np.nan_to_num(part, nan=0.0) * (quantiles[after] - quantiles[before])
    return np.asarray(np.where(np.isnan(distance).any(axis=0), np.nan, 2 * scipy.special.ndtr(-z)))
