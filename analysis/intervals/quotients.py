"""The one rule of a ratio of two estimates, which may be divided by nothing.

Shares among those to whom a question applies, means within a randomised group, ratios of risks and
odds, shares corrected by a control item: each is divided by an estimate. Where that may be 0 the
ratio can be anything, and what is computed says nothing. The rule:

- Where the 95 % interval of what it is divided by holds 0, it has neither estimate nor error.
- Its interval is what of the possible values is not ruled out: never more than all of them, and all
  of them where nothing is ruled out, or where no value agrees with the reports at this level.
- An estimate outside of the possible values is shown, and marked as that of a share is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.numerics.arrays import BoolArray, FloatArray

LEVEL: Final = 0.95
"""Of the interval that must not hold 0, whatever the level of the ratio's own."""


def may_be_nothing(low: npt.ArrayLike) -> BoolArray:
    """Tell where something may be 0, from the lower ends of its intervals at `LEVEL`.

    `low`: nan where there is no interval, so that it may be 0.
    """
    return np.asarray(~(np.asarray(low, dtype=np.float64) > intervals.ROUNDING))


def known(
    ratio: npt.ArrayLike, standard_error: npt.ArrayLike, of_nothing: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return ratios and their errors, nan where what they are divided by may be nothing."""
    return (
        np.where(of_nothing, np.nan, ratio).astype(np.float64),
        np.where(of_nothing, np.nan, standard_error).astype(np.float64),
    )


def left(
    ends: npt.ArrayLike, least: npt.ArrayLike = 0.0, greatest: npt.ArrayLike = 1.0
) -> FloatArray:
    """Return what of the possible ratios some intervals leave, shape (..., 2).

    `ends`, shape (..., 2): nan where there are none. `least`, `greatest`: of the possible ratios;
    they may be infinite.
    """
    low, high = np.moveaxis(np.asarray(ends, dtype=np.float64), -1, 0)
    below, above = np.broadcast_to(least, low.shape), np.broadcast_to(greatest, low.shape)
    agrees = (low <= above) & (high >= below) & (low <= high)
    return np.stack(
        [
            np.where(agrees, np.maximum(low, below), below),
            np.where(agrees, np.minimum(high, above), above),
        ],
        axis=-1,
    )
